"""The trees of words as they grow, and how far a corpus scrolls to the next merge."""

from helpers import needs_node, node_passes


@needs_node
def test_trees_grow_and_a_corpus_follows():
    node_passes("trees", tests=6)
