"""What a word loses when a piece leaves the vocabulary: it is cut again without the piece.

The other pieces keep their probabilities, as they do where Unigram's training asks the same of the
whole corpus: the sum of `Removal.change` × count over its words is the loss delta of the piece.
"""

from dataclasses import dataclass

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.word_lattice import Segmentation, WordLattice
from tokviz.history.base import History


@dataclass(frozen=True)
class Removal:
    """A word before and after some pieces were taken out of its lattice. Made by `remove_pieces`.

    `after` is None if it cannot be cut without them. `count` is how often the corpus has the word:
    0 for any other one.
    """

    __repr__ = short_repr

    lattice: WordLattice
    before: Segmentation | None
    after: Segmentation | None
    count: int

    @property
    def change(self) -> float | None:
        """By how much the loss of the word, −ln P of its best segmentation, rises (nats)."""
        if self.before is None or self.after is None:
            return None
        return self.before.log_prob - self.after.log_prob


def remove_pieces(history: History, word: str, tokens: set[str], t: int) -> Removal:
    """Cuts a word in state t without some pieces (as displayed).

    Raises ValueError for algorithms without probabilities.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
    >>> removal = remove_pieces(history, "hug", {"hug"}, 0)
    >>> removal.before.tokens, removal.after.tokens, round(removal.change, 3), removal.count
    (('hug',), ('h', 'ug'), 2.351, 10)
    >>> round(10 * removal.change, 3)  # no other word uses it: the loss delta of the whole corpus
    23.514
    """
    lattice = history.lattice(word, t)
    left = WordLattice(word, tuple(edge for edge in lattice.edges if edge.token not in tokens))
    return Removal(left, lattice.best(), left.best(), history.count_of(word))
