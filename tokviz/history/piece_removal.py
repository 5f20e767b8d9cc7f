"""What a word loses when a piece leaves the vocabulary: it is cut again without the piece.

The other pieces keep their probabilities, as they do where Unigram's training asks the same of the
whole corpus: the sum of `Removal.change` × count over its words is the loss delta of the piece.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import inf

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

    @property
    def rise(self) -> float | None:
        """By how much the loss of the corpus rises through the word: count × change (nats)."""
        return None if self.change is None else self.count * self.change


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
    return _without(tokens, history.lattice(word, t), history.count_of(word))


def loss_terms(
    token: str, words: Iterable[tuple[str, int]], lattice: Callable[[str], WordLattice]
) -> list[Removal]:
    """Cuts words again without a token (as displayed); the greatest rise first, last those that
    cannot be cut without it. `words` come with their counts."""
    removals = [_without({token}, lattice(word), count) for word, count in words]
    return sorted(removals, key=lambda one: inf if one.rise is None else -one.rise)


def _without(tokens: set[str], lattice: WordLattice, count: int) -> Removal:
    edges = tuple(edge for edge in lattice.edges if edge.token not in tokens)
    left = WordLattice(lattice.word, edges)
    return Removal(left, lattice.best(), left.best(), count)
