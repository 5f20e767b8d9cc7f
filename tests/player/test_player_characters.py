"""Tokens of bytes are grouped by the characters that they are parts of."""

from helpers import needs_node, node_passes


@needs_node
def test_bytes_stand_under_their_characters():
    node_passes("characters", tests=5)
