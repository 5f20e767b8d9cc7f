"""How pytest-xdist hands out the tests: by file, browsers from one end, others from the other."""

from xdist.scheduler import LoadScopeScheduling

#: What waits comes first: a long wait at the very end would be one worker's alone.
WAITING = ("tests/e2e/", "tests/server/")


class TwoEnds(LoadScopeScheduling):
    """A browser test waits half of its time, others never do: where two workers of three drive a
    browser and one computes, neither of two cores rests.

    The queue holds the files of browser tests first, then those of servers. Every other worker
    takes from its end, so that they meet somewhere in between. What a file prepares is prepared
    once."""

    def _split_scope(self, nodeid):
        return nodeid.split("::", 1)[0]

    def schedule(self):
        if self.collection is None:
            # Not by their number of tests, which says nothing of how long a file takes.
            self.config.option.loadscopereorder = False
        super().schedule()

    def _assign_work_unit(self, node):
        places = sorted(
            self.workqueue, key=lambda file: [not file.startswith(place) for place in WAITING]
        )
        number = int(node.gateway.id.removeprefix("gw"))
        self.workqueue.move_to_end(places[-(number % 2)], last=False)
        super()._assign_work_unit(node)
