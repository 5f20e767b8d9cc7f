"""Rounds that change no word are one step, wherever one comes from."""

from helpers import needs_node, node_passes


@needs_node
def test_stretches_that_change_no_word_are_folded():
    node_passes("folds", tests=3)
