"""The numbers of gaps in a run that closes them and opens them again."""

#: The number of a gap that is open.
OPEN = -1


class GapCodes:
    """The number of every gap now, and what `PickyRecord` wants to know of those that opened.

    >>> codes = GapCodes(2)
    >>> codes.give(1, 0, 0), codes.give(1, OPEN, 1), codes.now, codes.changes, codes.restless
    (None, None, [-1, -1], [(1, 1, 0), (2, 1, -1)], {1})
    """

    def __init__(self, size: int) -> None:
        self.now = [OPEN] * size
        self.changes: list[tuple[int, int, int]] = []  # state, gap, code
        self.restless: set[int] = set()  # gaps that were opened

    def give(self, gap: int, code: int, step: int) -> None:
        """Gives a gap a number in some step. Those of gaps that open are all written down."""
        if self.now[gap] == code:
            return
        if gap not in self.restless and self.now[gap] != OPEN:
            # Until now it had closed once.
            self.restless.add(gap)
            self.changes.append((self.now[gap] + 1, gap, self.now[gap]))
        if gap in self.restless:
            self.changes.append((step + 1, gap, code))
        self.now[gap] = code
