"""The history of parity-aware BPE: a run of merges in which languages take turns."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tokviz.basics.read_only import read_only
from tokviz.history.base import Floats, Ints
from tokviz.history.merges import MergeHistory
from tokviz.history.parity.record import ParityRecord
from tokviz.history.score_tables import ScoreTables, tie_ranks
from tokviz.history.steps import ParityStep, Steps
from tokviz.history.ties import TIE_BREAKS
from tokviz.text.word_counts import Languages

if TYPE_CHECKING:
    import pandas as pd


#: The turn of no language: all are counted together.
ALL = -1


class LanguageTables(ScoreTables):
    """The pairs of the language whose turn it is, at any state, as its words have them."""

    def __init__(self, history: "ParityHistory", ranks: Callable[[], Ints]) -> None:
        super().__init__(history.record, ranks)
        self._history = history

    def live(self, t: int) -> tuple[Ints, Ints]:
        turn = int(self._history.record.turn[t])
        return super().live(t) if turn == ALL else self._history.pairs_in(turn, t)


@dataclass(frozen=True, repr=False, eq=False)
class ParityHistory(MergeHistory):
    """The record of a run of parity-aware BPE.

    The candidates of a state are the pairs of the language whose turn it is, with their counts
    there; `compression` is how each language fares.

    >>> import tokviz
    >>> texts = "=== en ===\\nhug hug hugs\\n=== el ===\\nαβ"
    >>> history = tokviz.train(texts, "parity-bpe", vocab_size=9, pretokenizer="whitespace")
    >>> [(step.language, step.token, step.count, step.overall) for step in history.steps]
    [('en', 'ug', 3, 3), ('en', 'hug', 3, 3), ('en', 'hugs', 1, 1)]
    >>> history.compression().round(2).tolist()
    [[1.0, 1.0], [1.43, 1.0], [2.5, 1.0], [3.33, 1.0]]
    """

    record: ParityRecord

    @property
    def languages(self) -> tuple[str, ...]:
        """The names of the languages."""
        return self._counted.names

    @property
    def _counted(self) -> Languages:
        languages = self.words.languages
        assert languages
        return languages

    @property
    def by_development(self) -> bool:
        """Whether development texts say whose turn it is."""
        return bool(self._counted.development)

    @property
    def by_ratio(self) -> bool:
        """Whether ratios say whose turn it is."""
        return bool(self.trainer.ratios) and not self.by_development

    def language(self, t: int) -> str:
        """The language whose turn it is in state t; "" where all are counted together."""
        turn = int(self.record.turn[t])
        return "" if turn == ALL else self.languages[turn]

    # --- what each language has ---------------------------------------------------------------

    @cached_property
    def language_weights(self) -> Ints:
        """Per language and starting symbol: the count of its word in the language."""
        counts = np.asarray(self._counted.counts, np.int64).reshape(len(self.languages), -1)
        return read_only(np.repeat(counts, np.diff(self.record.starts), axis=1))

    def language_tokens(self) -> Ints:
        """The tokens of every state in each language; a row for a state."""
        tokens = np.zeros((len(self) + 1, len(self.languages)), np.int64)
        closed = np.flatnonzero(self.record.gaps < len(self))
        for language, weights in enumerate(self.language_weights):
            joined = np.zeros(len(self) + 1, np.int64)
            np.add.at(joined, self.record.gaps[closed].astype(np.int64) + 1, weights[closed])
            tokens[:, language] = int(weights.sum()) - np.cumsum(joined)
        return tokens

    def compression(self) -> Floats:
        """How many times fewer tokens each language takes in every state than before training, as
        the run compares languages: in the development texts, if it has any."""
        lengths = self.record.lengths.astype(np.float64)
        return np.divide(lengths[:1], lengths, out=np.ones_like(lengths), where=lengths > 0)

    def pairs_in(self, language: int, t: int) -> tuple[Ints, Ints]:
        """The pairs that a language has in state t, and their counts, by their numbers."""
        symbols, at = self.record.state_symbols(t)
        if len(at) < 2:
            return at[:0], at[:0]
        # A pair stands in one word.
        inside = ~np.isin(at[1:], self.record.starts[:-1])
        pairs = (symbols[:-1][inside] << 32) | symbols[1:][inside]
        order, keys = self._pair_keys
        numbers = order[np.searchsorted(keys, pairs)]
        weights = self.language_weights[language][at[1:][inside]]
        counts = np.zeros(len(keys), np.int64)
        np.add.at(counts, numbers, weights)
        live = np.flatnonzero(counts)
        return live, counts[live]

    @cached_property
    def _pair_keys(self) -> tuple[Ints, Ints]:
        """The pairs in the order of their symbols, and what they are ordered by."""
        left, right = (
            side.astype(np.int64) for side in (self.record.pair_left, self.record.pair_right)
        )
        keys = (left << 32) | right
        order = np.argsort(keys)
        return order, keys[order]

    # --- what a history answers ---------------------------------------------------------------

    @cached_property
    def _tables(self) -> ScoreTables:
        key = TIE_BREAKS[self.rule].key
        assert key
        of_pair, symbols, ids = key(self.spelling), self.symbols, self._replay[0].ids
        return LanguageTables(self, lambda: tie_ranks(self.record, of_pair, symbols, ids))

    @property
    def candidate_counts(self) -> Ints:
        return self.record.live

    @property
    def steps(self) -> Steps[ParityStep]:
        return Steps(len(self), self._step)

    def _step(self, t: int) -> ParityStep:
        return ParityStep(
            **vars(super()._step(t)),
            language=self.language(t),
            compression=tuple(self._compression[t].tolist()),
            overall=int(self.record.overall[t]),
        )

    @cached_property
    def _compression(self) -> Floats:
        return read_only(self.compression())

    def curve(self) -> "pd.DataFrame":
        turns = [self.language(t) for t in range(len(self))]
        return super().curve().assign(language=[*turns, ""])
