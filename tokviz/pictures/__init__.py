"""Pictures for paper of what a curve cannot show: one word, and what a step chooses from.

They are SVG of their own, on white, in colours that are told apart by the colour-blind, where
whatever a colour says is also said by a line, a mark or a word. `tokviz.pictures.curves` has the
curves.
"""

from functools import singledispatch

from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.pictures.lattice import lattice_picture
from tokviz.pictures.picture import Picture
from tokviz.pictures.tree import tree_picture

__all__ = ["Picture", "word_picture"]


@singledispatch
def word_picture(
    history: History, word: str, t: int | None = None, width: float | str = 240
) -> Picture:
    """A word as a run sees it: its merge tree, or its lattice; see `tree_picture` and
    `lattice_picture`.

    >>> import tokviz
    >>> word_picture(tokviz.train("low lower", "bpe", 8), "low", 1)
    <Picture “Merge tree of “low” in state 1”: 240 × 50 points>
    """
    return lattice_picture(history, word, t, width)


word_picture.register(MergeHistory, tree_picture)
