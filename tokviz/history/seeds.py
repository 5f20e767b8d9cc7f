"""What the runs have in common that start from all tokens and take some away.

Every token that a run starts from, a seed, has a number. Each state has one bit per character of
the distinct words: does a token start there?
"""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tokviz.basics.arguments import check_text
from tokviz.encoding.viterbi_encoder import ViterbiEncoder
from tokviz.encoding.word_lattice import WordLattice
from tokviz.history.base import History, Ints, character_bytes
from tokviz.history.colours import seed_colours
from tokviz.history.cut_uses import CutUses
from tokviz.history.piece_removal import Removal, loss_terms
from tokviz.text.symbols import UNKNOWN, Symbol


@dataclass(frozen=True, repr=False, eq=False)
class SeedHistory(History):
    """The history of a run whose record has the texts of its seeds in `tokens`, and the bits of
    every state in `cuts`."""

    record: Any

    @abstractmethod
    def alive(self, t: int) -> Ints:
        """The seed numbers of the tokens of state t, in the order of their ids."""

    @abstractmethod
    def word_numbers(self, word: int, t: int) -> list[tuple[int, int]]:
        """The tokens of word number `word` in state t: seed number and id in that state. An unknown
        character has the number −1."""

    @abstractmethod
    def _uses(self, token: str) -> CutUses:
        """Where words use a token."""

    @abstractmethod
    def _viterbi(self, t: int, within: str | None = None) -> ViterbiEncoder:
        """The encoder of state t, or as much of it as a word needs."""

    @cached_property
    def strings(self) -> list[str]:
        """Every seed as displayed."""
        return [self.spelling.show(Symbol(token)) for token in self.record.tokens]

    @cached_property
    def colours(self) -> dict[str, int]:
        return seed_colours(self)

    @cached_property
    def seed_numbers(self) -> dict[str, int]:
        """The number of every seed, by its text."""
        return {token: i for i, token in enumerate(self.record.tokens)}

    def vocab_size(self, t: int) -> int:
        return len(self.special_tokens) + len(self.alive(t))

    def births(self, t: int) -> Ints:
        return np.zeros(self.vocab_size(t), np.int64)

    def candidate_count(self, t: int) -> int:
        return len(self.alive(t))

    def cuts(self, word: int, t: int) -> Ints:
        """Where the tokens of word number `word` start in state t, in characters."""
        first, last = (int(bounds[word]) for bounds in self.gap_spans)
        bits = np.unpackbits(self.record.cuts[t][first // 8 : last // 8 + 1])
        return np.flatnonzero(bits[first % 8 : first % 8 + last - first])

    @cached_property
    def symbol_bytes(self) -> Ints:
        return character_bytes("".join(self.words.words))

    def words_changed(self) -> list[int]:
        """How many distinct words each step cuts in another way.

        >>> import tokviz
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> tokviz.train(words, "unigram", 9).words_changed()
        [0, 0, 0, 0, 0, 0, 0, 1, 1, 1]
        """
        first, last = self.gap_spans
        changed = []
        for t in range(len(self)):
            differ = np.cumsum(self.open_gaps(t) != self.open_gaps(t + 1))
            differ = np.append(0, differ)
            changed.append(int((differ[last] > differ[first]).sum()))
        return changed

    def open_gaps(self, t: int) -> npt.NDArray[np.bool_]:
        self.check_state(t)
        characters = int(self.gap_spans[1].max(initial=0))
        return np.unpackbits(self.record.cuts[t], count=characters).astype(bool)

    def _word_tokens(self, word: int, t: int) -> list[str]:
        numbers = self.word_numbers(word, t)
        return [self.strings[i] if i >= 0 else UNKNOWN for i, _ in numbers]

    def loss_terms(self, token: str, t: int) -> list[Removal]:
        """What the exact loss delta of a token (as displayed) in state t is made of: every word
        that uses it, cut again without it. The sum of their rises is the delta.

        Raises KeyError for a string that never was in the vocabulary.

        >>> import tokviz
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
        >>> [term] = history.loss_terms("hug", 0)
        >>> term.lattice.word, term.before.tokens, term.after.tokens
        ('hug', ('hug',), ('h', 'ug'))
        >>> f"{term.count} × ({-term.after.log_prob:.4f} − {-term.before.log_prob:.4f})"
        '10 × (4.9904 − 2.6391)'
        >>> round(term.rise, 2)
        23.51
        >>> float(round(history.loss_deltas(0)[history.vocab(0).index("hug")], 2))  # the delta
        23.51
        """
        self.check_state(t)
        table = self.users(token, t)
        rows = zip(table["word"].tolist(), table["count"].tolist(), strict=True)
        return loss_terms(token, rows, self._viterbi(t).lattice)

    def loss_terms_of(self, tokens: Sequence[str], t: int, most: int) -> list[list[Removal]]:
        """The same for the first of some tokens, whose words together are at most so many.

        >>> import tokviz
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
        >>> [len(terms) for terms in history.loss_terms_of(["hug", "ug", "un"], 0, 2)]
        [1, 1]
        """
        lattice, words = self._viterbi(t).lattice, self.words
        found: list[list[Removal]] = []
        for token in tokens:
            users = self._uses(token).users(t)
            most -= len(users)
            if most < 0:
                break
            rows = [(words.words[i], words.counts[i]) for i, _times in users]
            found.append(loss_terms(token, rows, lattice))
        return found

    def lattice(self, word: str, t: int | None = None) -> WordLattice:
        check_text(word)
        return self._viterbi(len(self) if t is None else t, word).lattice(word)
