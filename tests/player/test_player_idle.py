"""What nobody sees is drawn when there is time for it, in browsers that do not tell so as well."""

from helpers import needs_node, node_passes


@needs_node
def test_work_waits_for_an_idle_moment():
    node_passes("idle", tests=3)
