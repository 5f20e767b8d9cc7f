"""What a class votes for, and how that is shown."""

from helpers import needs_node, node_passes


@needs_node
def test_numbers_are_votes_and_stand_in_few_rows():
    node_passes("room", tests=3)
