"""What a class voted for, as it is shown."""

from helpers import needs_node, node_passes


@needs_node
def test_numbers_stand_in_few_rows():
    node_passes("room", tests=2)
