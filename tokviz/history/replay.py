"""The history of a replay: the merges of a tokenizer that somebody else trained, applied to a text.

Nothing is learned here. The vocabulary is that of the file from the first state to the last, with
its own ids; what changes is how the text is cut. A step takes the merge of lowest rank that the
text can still use, and merges that it cannot use are no steps.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tokviz.basics.errors import SettingError
from tokviz.basics.read_only import read_only
from tokviz.encoding.encoders import MergeEncoder
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.base import Ints
from tokviz.history.merges import MergeHistory, Vocabulary
from tokviz.history.score_tables import ScoreTables
from tokviz.history.steps import MergeStep
from tokviz.text.symbols import UNKNOWN, Spelling, Symbol

if TYPE_CHECKING:
    import pandas as pd


@dataclass
class GivenTable:
    """Symbols by number with the ids of a file; the part of `SymbolTable` that a history asks."""

    spelling: Spelling
    symbols: list[Symbol]
    ids: list[int]
    vocabulary: list[str]

    def shown(self) -> list[str]:
        """Every symbol as displayed."""
        return list(map(self.spelling.show, self.symbols))

    def strings(self) -> list[str]:
        """The vocabulary in id order."""
        return self.vocabulary


@dataclass(frozen=True, repr=False, eq=False)
class ReplayHistory(MergeHistory):
    """The record of a replay. See `History` for the questions, and `tokviz.replay`.

    Scores are ranks: the least is taken. `whole` is the tokenizer of the file.
    """

    by_rank: ClassVar[bool] = True

    given: GivenMerges
    whole: Tokenizer

    @cached_property
    def _replay(self) -> tuple[Vocabulary, Ints, Ints]:
        """See `MergeHistory`; the vocabulary is there from the start."""
        symbols = list(self.record.alphabet)
        for left, right in zip(self.record.left.tolist(), self.record.right.tolist(), strict=True):
            symbols.append(symbols[left] + symbols[right])
        vocabulary = list(self.given.strings)
        unknown = vocabulary.index(UNKNOWN) if UNKNOWN in vocabulary else len(vocabulary)
        ids = [self.given.ids.get(symbol, unknown) for symbol in symbols]
        if unknown in ids and unknown == len(vocabulary):
            # What the file has no token for at all.
            vocabulary.append(UNKNOWN)
        size, states = len(vocabulary), len(self) + 1
        table = GivenTable(self.spelling, symbols, ids, vocabulary)
        return table, read_only(np.zeros(size, np.int64)), read_only(np.full(states, size))

    @property
    def _settings(self) -> tuple[Any, ...]:
        # A file that is opened twice has cut words alike, by functions that are not the same.
        return (self.trainer,)

    @property
    def rule(self) -> str:
        return "rank"

    @cached_property
    def ranks(self) -> Ints:
        """The rank of the merge of every step, from 0."""
        r, symbols, ranks = self.record, self.symbols, self.given.ranks
        pairs = zip(r.left.tolist(), r.right.tolist(), strict=True)
        return read_only(np.asarray([ranks[symbols[a], symbols[b]] for a, b in pairs], np.int64))

    @cached_property
    def pair_ranks(self) -> Ints:
        """The rank of every pair, −1 for those that the file does not merge."""
        r, symbols, ranks = self.record, self.symbols, self.given.ranks
        pairs = zip(r.pair_left.tolist(), r.pair_right.tolist(), strict=True)
        found = [ranks.get((symbols[a], symbols[b]), -1) for a, b in pairs]
        return read_only(np.asarray(found, np.int64))

    @cached_property
    def _tables(self) -> ScoreTables:
        # Ranks break every tie; these tables are asked for counts only.
        return ScoreTables(self.record, None)

    def ranked_pairs(self, t: int, k: int | None = None) -> tuple[Ints, Ints]:
        """The live pairs of state t, the lowest rank first, and their counts, by their numbers."""
        pairs, counts = self.pair_counts(t)
        order = np.argsort(self.pair_ranks[pairs])[:k]
        return pairs[order], counts[order]

    def candidates(self, t: int, k: int | None = None) -> "pd.DataFrame":
        """The merges that the text can use in state t, the lowest rank first: left, right, token,
        count, score and rank (the same number, from 0), tied (never), chosen."""
        table = super().candidates(t, k)
        table["rank"] = self.pair_ranks[self.ranked_pairs(t, k)[0]]
        table["score"] = table["rank"].astype(np.float64)
        return table.assign(tied=False)

    def _step(self, t: int) -> MergeStep:
        return replace(super()._step(t), score=float(self.ranks[t]))

    def curve(self) -> "pd.DataFrame":
        """See `History`; the score is the rank of the merge that comes next."""
        return super().curve().assign(score=[*self.ranks.astype(np.float64), np.nan])

    def cut_otherwise(self, word: str) -> tuple[list[str], list[str]] | None:
        """The tokens that the last state and the file's tokenizer make of a word, where these are
        others: it may take a word that it knows at once, and writes what it does not know in its
        own way. None where they are the same."""
        theirs = [piece.token for piece in self.whole.pieces_of(word)]
        mine = self.segmentation(word, len(self))
        known = self._known_tokens
        # What is unknown has many names.
        alike = [[token if token in known else "" for token in cut] for cut in (mine, theirs)]
        return None if alike[0] == alike[1] else (mine, theirs)

    @cached_property
    def _known_tokens(self) -> frozenset[str]:
        return frozenset(self.given.strings[i] for i in self.given.ids.values())

    @property
    def encoders(self) -> list[str]:
        return ["merges"]

    def tokenizer(self, t: int | None = None, encoder: str | None = None) -> Tokenizer:
        """The tokenizer of the file (the last state, or None), or one that knows only the merges up
        to the rank that state t has reached, whether this text uses them or not."""
        t = len(self) if t is None else t
        self.check_state(t)
        if encoder not in (None, "merges"):
            raise SettingError.saying(
                "encoder={encoder!r} is not for a replay; choose merges.", encoder=encoder
            )
        if t == len(self):
            return self.whole
        known, whole = int(self.ranks[:t].max(initial=-1)) + 1, self.whole
        if isinstance(whole.encoder, MergeEncoder):
            ranks = {pair: made for pair, made in whole.encoder.ranks.items() if made[0] < known}
            changes: dict[str, Any] = {"ranks": ranks}
            if hasattr(whole.encoder, "whole"):
                changes["whole"] = {}
            return whole.with_encoder(replace(whole.encoder, **changes))
        return whole.with_encoder(self._first_merges(known))

    def _first_merges(self, known: int) -> MergeEncoder:
        """An encoder with the first `known` merges of the file."""
        numbers = {symbol: number for number, symbol in enumerate(self.given.ids)}
        ranks: dict[tuple[int, int], tuple[int, int]] = {}
        for rank, (left, right) in enumerate(self.given.pairs[:known]):
            made = numbers.get(left + right)
            if made is not None and left in numbers and right in numbers:
                ranks.setdefault((numbers[left], numbers[right]), (rank, made))
        ids = list(self.given.ids.values())
        shown = [self.given.strings[i] for i in ids]
        return MergeEncoder(self.spelling, numbers, ranks, ids, shown)

    def save(self, _path: str | Path) -> None:
        """Raises ValueError: the tokenizer's file and the text are all there is to a replay."""
        raise SettingError.saying(
            "A replay is not saved as a history: keep the tokenizer's file and the text, and "
            "replay it again."
        )
