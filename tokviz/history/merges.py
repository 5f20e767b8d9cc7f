"""The history of BPE and WordPiece: the questions asked of a `MergeRecord`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import numpy as np
import numpy.typing as npt

from tokviz.basics.errors import NotFoundError
from tokviz.basics.read_only import read_only
from tokviz.encoding.encoders import MergeEncoder, character_spans
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.base import Floats, History, Ints
from tokviz.history.colours import merge_colours
from tokviz.history.exact import ratios
from tokviz.history.merge_record import MergeRecord
from tokviz.history.merge_tokenizer import merges_of, symbols_by_id, tokenizer_of
from tokviz.history.merge_tree import MergeTree, merge_tree
from tokviz.history.provenance import Provenance, provenance_of, users_of
from tokviz.history.score_tables import ScoreTables, likelihoods, tie_ranks
from tokviz.history.steps import MergeStep, Steps
from tokviz.history.ties import RULES
from tokviz.text.symbols import Symbol, SymbolTable

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MergeHistory", "MergeRecord"]


class Vocabulary(Protocol):
    """What a history asks of its symbols and their ids."""

    symbols: list[Symbol]
    ids: list[int]

    def shown(self) -> list[str]:
        """Every symbol as displayed."""

    def strings(self) -> list[str]:
        """The vocabulary in id order."""


@dataclass(frozen=True, repr=False, eq=False)
class MergeHistory(History):
    """The record of a run of merges. See `History` for the questions.

    >>> import tokviz
    >>> h = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7, unit="char")
    >>> [(s.left, s.right, s.count) for s in h.steps]
    [('u', 'g', 20), ('h', 'ug', 15)]
    >>> h.segmentation("hugs", 0), h.segmentation("hugs", 2)
    (['h', 'u', 'g', 's'], ['hug', 's'])
    """

    merges: ClassVar[bool] = True
    step_noun: ClassVar[str] = "merge"
    #: Whether merges come in the order of a file's ranks, whatever the corpus counts.
    by_rank: ClassVar[bool] = False

    record: MergeRecord

    def __len__(self) -> int:
        return len(self.record.left)

    @property
    def step_columns(self) -> tuple[Any, ...]:
        return self.record.left, self.record.right, self.record.gaps

    # --- symbols, ids, vocabulary -------------------------------------------------------------

    @cached_property
    def _replay(self) -> tuple[Vocabulary, Ints, Ints]:
        """The symbol table after all merges, the birth state of each id, and the vocabulary size
        of each state."""
        table = SymbolTable(self.spelling, self.special_tokens, self.record.alphabet)
        births, sizes = [0] * len(table), [len(table)]
        steps = zip(self.record.left.tolist(), self.record.right.tolist(), strict=True)
        for state, (left, right) in enumerate(steps, start=1):
            if table.merge(left, right):
                births.append(state)
            sizes.append(len(table))
        born, size = np.asarray(births, np.int64), np.asarray(sizes, np.int64)
        return table, read_only(born), read_only(size)

    @property
    def symbols(self) -> list[Symbol]:
        """Every symbol: the alphabet, then what each step made."""
        return self._replay[0].symbols

    @cached_property
    def strings(self) -> list[str]:
        """Every symbol as displayed."""
        return self._replay[0].shown()

    @cached_property
    def _vocabulary(self) -> list[str]:
        """The vocabulary of the last state, in id order."""
        return self._replay[0].strings()

    @cached_property
    def symbol_numbers(self) -> dict[Symbol, int]:
        """The number of every symbol of the alphabet."""
        return {symbol: i for i, symbol in enumerate(self.record.alphabet)}

    @cached_property
    def symbol_ids(self) -> Ints:
        """The vocabulary id of every symbol."""
        return read_only(np.asarray(self._replay[0].ids, np.int64))

    def vocab(self, t: int) -> list[str]:
        return self._vocabulary[: self.vocab_size(t)]

    def vocab_size(self, t: int) -> int:
        self.check_state(t)
        return int(self._replay[2][t])

    def vocab_symbols(self, t: int) -> list[Symbol | None]:
        return symbols_by_id(self, t)

    def births(self, t: int) -> Ints:
        return self._replay[1][: self.vocab_size(t)]

    def token_counts(self, t: int) -> Ints:
        counts = np.zeros(self.vocab_size(t), np.int64)
        by_symbol = self.symbol_counts(t)
        np.add.at(counts, self.symbol_ids[: len(by_symbol)], by_symbol)
        return counts

    @cached_property
    def colours(self) -> dict[str, int]:
        return merge_colours(self)

    # --- segmentations: the gaps --------------------------------------------------------------

    @cached_property
    def symbol_weights(self) -> Ints:
        """Per starting symbol: the count of its word."""
        counts = np.asarray(self.words.counts, np.int64)
        return read_only(np.repeat(counts, np.diff(self.record.starts)))

    @cached_property
    def times(self) -> Ints:
        """Per step: how many pairs it joined in the corpus."""
        closed = self.record.gaps < len(self)
        times = np.zeros(len(self), np.int64)
        np.add.at(times, self.record.gaps[closed], self.symbol_weights[closed])
        return read_only(times)

    @cached_property
    def gaps_by_step(self) -> tuple[Ints, Ints]:
        """Gaps sorted by the step that closes them, and where each step's start."""
        order = np.argsort(self.record.gaps, kind="stable")
        starts = np.searchsorted(self.record.gaps[order], np.arange(len(self) + 1))
        return read_only(order), read_only(starts)

    def cuts(self, word: int, t: int) -> Ints:
        """Where the tokens of word number `word` start in state t, in starting symbols."""
        return self.record.cuts(word, t)

    def word_symbols(self, word: int, t: int) -> list[int]:
        """The symbols of word number `word` in state t."""
        return self.record.word_symbols(word, t)

    def starting_spans(self, word: str) -> list[tuple[int, int]]:
        """The characters of a word that each of its starting symbols covers."""
        return character_spans(word, self.starting_symbols(word), self.spelling.unit)

    def counts_within(self, t: int) -> bool:  # noqa: ARG002 (in most runs never)
        """Whether in state t pairs are counted within parts of the words only."""
        return False

    def made_by(self, step: int) -> int:
        """The symbol that a step makes."""
        return len(self.record.alphabet) + step

    def gaps(self, word: str, _t: int | None = None) -> tuple[int, ...]:
        """For every starting symbol of any word the step that joins it to the one before it; the
        number of steps stands for never. Where gaps open again, it is asked of state t (the last
        one if None)."""
        if word not in self._word_number:
            steps = self._all_merges.gaps(word)
            return tuple(len(self) if step is None else step for step in steps)
        first, last = self.record.starts[(i := self._word_number[word]) : i + 2]
        return tuple(self.record.gaps[first:last].tolist())

    def changes(self, word: str) -> set[int]:
        """The states in which any word is cut otherwise than in the one before."""
        return {gap + 1 for gap in self.gaps(word) if gap < len(self)}

    @cached_property
    def _all_merges(self) -> MergeEncoder:
        return self.merge_encoder(len(self))

    def merge_encoder(self, t: int) -> MergeEncoder:
        """What applies the merges until state t by rank."""
        return merges_of(self, t)

    def merge_tree(self, word: str, t: int) -> MergeTree:
        """How merges built the tokens of any word as of state t. See `MergeTree`."""
        return merge_tree(self, word, t)

    def counts_over(self, states: Iterable[int]) -> Iterator[Ints]:
        """See `History.counts_over`: from state to state only what steps join is counted."""
        counts, at, ids = np.zeros(len(self._vocabulary), np.int64), 0, self.symbol_ids
        counts[: self.vocab_size(0)] = self.token_counts(0)
        made = ids[len(self.record.alphabet) :]
        for t in states:
            steps = slice(at, t)
            np.add.at(counts, made[steps], self.times[steps])
            for part in (self.record.left, self.record.right):
                np.subtract.at(counts, ids[part[steps]], self.times[steps])
            at = t
            yield counts[: self.vocab_size(t)].copy()

    @cached_property
    def symbol_bytes(self) -> Ints:
        sizes = [len(self.spelling.bytes_of(symbol)) for symbol in self.record.alphabet]
        covered: Ints = np.asarray(sizes, np.int64)[self.record.symbols]
        return read_only(covered)

    @property
    def gap_spans(self) -> tuple[Ints, Ints]:
        return self.record.starts[:-1], self.record.starts[1:]

    @property
    def closings(self) -> Ints | None:
        return self.record.gaps

    def open_gaps(self, t: int) -> npt.NDArray[np.bool_]:
        self.check_state(t)
        return np.asarray(self.record.gaps >= t)

    def whole_over(
        self, states: Iterable[int], counts: Sequence[int] | None = None
    ) -> Iterator[int]:
        """See `History.whole_over`: a word is whole once its last gap is closed."""
        each = np.asarray(self.words.counts if counts is None else counts, np.int64)
        starts = self.record.starts
        gaps = self.record.gaps.copy()
        # The first gap of a word is never closed.
        gaps[starts[:-1]] = -1
        last = np.maximum.reduceat(gaps, starts[:-1]) if len(each) else gaps
        times = np.zeros(len(self) + 2, np.int64)
        np.add.at(times, last + 1, each)
        whole = np.cumsum(times)
        return (int(whole[t]) for t in states)

    def _word_tokens(self, word: int, t: int) -> list[str]:
        return [self.strings[symbol] for symbol in self.word_symbols(word, t)]

    def symbol_counts(self, t: int) -> Ints:
        """The count in the corpus of every symbol that state t has: born less used up."""
        n_base = len(self.record.alphabet)
        counts = np.zeros(n_base + t, np.int64)
        np.add.at(counts, self.record.symbols, self.symbol_weights)
        times = self.times[:t]
        counts[n_base:] += times
        np.subtract.at(counts, self.record.left[:t], times)
        np.subtract.at(counts, self.record.right[:t], times)
        return counts

    # --- score tables -------------------------------------------------------------------------

    @cached_property
    def _tables(self) -> ScoreTables:
        rule = None if self.likelihood else RULES[self.rule].key
        if rule is None:
            return ScoreTables(self.record, None)
        key, symbols, ids = rule(self.spelling), self.symbols, self._replay[0].ids
        return ScoreTables(self.record, lambda: tie_ranks(self.record, key, symbols, ids))

    def pair_counts(self, t: int) -> tuple[Ints, Ints]:
        """The live pairs of state t and their counts, by their numbers."""
        self.check_state(t)
        return self._tables.live(t)

    def ranked_pairs(self, t: int, k: int | None = None) -> tuple[Ints, Ints]:
        """The live pairs of state t, best first, and their counts, by their numbers."""
        self.check_state(t)
        self.check_rows(k)
        top = self.record.top_pair[t]
        if k is not None and k <= len(top):
            pairs, counts = top[top >= 0], self.record.top_count[t][top >= 0]
        elif self.likelihood:
            pairs, counts = self._tables.by_likelihood(t, self.symbol_counts(t))
        else:
            pairs, counts = self._tables.by_count(t)
        return pairs[:k], counts[:k].astype(np.int64)

    def candidate_count(self, t: int) -> int:
        return len(self.pair_counts(t)[0])

    @property
    def candidate_counts(self) -> Ints:
        """`candidate_count` of every state."""
        r = self.record
        # The first keyframe lacks pairs that were never candidates.
        never = int(r.known[0]) - int(r.keyframe_starts[1])
        gone: Ints = np.concatenate([[0], np.cumsum(r.log_count == 0)])[r.log_starts]
        return r.known - never - gone

    def candidates(self, t: int, k: int | None = None) -> "pd.DataFrame":
        """The score table of state t, best first: left, right, token, count, score, tied (shares
        the best score), chosen (what step t merges: the first row unless it was forced). For the
        likelihood score also left_count and right_count: score = count / (left_count ×
        right_count).

        The best 20 rows are kept as they were; longer tables rank all pairs by the same rule.
        """
        import pandas as pd

        pairs, counts = self.ranked_pairs(t, k)
        left, right = self.record.pair_left[pairs], self.record.pair_right[pairs]
        row, tied = np.arange(len(pairs)), int(self.record.tied[t])
        merged = self.record.merged_by(t) if t < len(self) else -1
        columns = {
            "left": self._shown.take(left),
            "right": self._shown.take(right),
            "token": self._shown_pairs.take(pairs),
            "count": counts,
            "score": counts.astype(np.float64),
            "tied": (row < tied) & (tied > 1),
            "chosen": pairs == merged,
        }
        if self.likelihood:
            by_symbol = self.symbol_counts(t)
            columns["left_count"], columns["right_count"] = by_symbol[left], by_symbol[right]
            columns["score"] = ratios(counts, by_symbol[left], by_symbol[right])
        return pd.DataFrame(columns, copy=False)

    @cached_property
    def _shown(self) -> Any:
        """Every symbol as displayed, as a column that tables are taken from."""
        import pandas as pd

        return pd.array(self.strings, dtype="str")

    @cached_property
    def _shown_pairs(self) -> Any:
        """What each pair makes, as displayed."""
        import pandas as pd

        left, right = self.record.pair_left.tolist(), self.record.pair_right.tolist()
        pairs = zip(left, right, strict=True)
        spelling, symbols, strings = self.spelling, self.symbols, self.strings
        if spelling.continuing_subword_prefix or spelling.end_of_word_suffix:
            # Such a marker shows at a symbol's ends only, and may seem to stand where two meet.
            shown = [spelling.show(symbols[a] + symbols[b]) for a, b in pairs]
        else:
            shown = [strings[a] + strings[b] for a, b in pairs]
        return pd.array(shown, dtype="str")

    @property
    def likelihood(self) -> bool:
        """Whether pairs are scored by likelihood rather than by count."""
        return getattr(self.trainer, "score", "") == "likelihood"

    @property
    def rule(self) -> str:
        """The tie-break rule."""
        return str(getattr(self.trainer, "tie_break", "first-seen"))

    @cached_property
    def merged_counts(self) -> Ints:
        """The count of the pair that each step merges, overlaps included; where a step merges none,
        that of the best pair."""
        counts = self.record.top_count[:-1, 0].astype(np.int64)
        for t in self.record.forced.tolist():
            pairs, all_counts = self.pair_counts(t)
            counts[t] = all_counts[np.searchsorted(pairs, self.record.merged_by(t))]
        return read_only(counts)

    def merged_rank(self, t: int) -> int:
        """The row of the pair that step t merges in the table of candidates, counted from 1."""
        merged = self.record.merged_by(t)
        if merged == self.record.top_pair[t, 0]:
            return 1
        return int(np.flatnonzero(self.ranked_pairs(t)[0] == merged)[0]) + 1

    # --- steps, curve, provenance -------------------------------------------------------------

    @property
    def steps(self) -> Steps[MergeStep]:
        return Steps(len(self), self._step)

    def _step(self, t: int) -> MergeStep:
        r, symbol = self.record, len(self.record.alphabet) + t
        count = int(self.merged_counts[t])
        return MergeStep(
            step=t + 1,
            action="merge",
            score=float(self._scores[t]) if self.likelihood else float(count),
            tied=int(r.tied[t]),
            rule=self.rule,
            left=self.strings[r.left[t]],
            right=self.strings[r.right[t]],
            token=self.strings[symbol],
            token_id=int(self.symbol_ids[symbol]),
            count=count,
            times=int(self.times[t]),
            grows=self.vocab_size(t + 1) > self.vocab_size(t),
            forced=r.merged_by(t) != int(r.top_pair[t, 0]),
        )

    def met_in(self, t: int) -> str:
        """The first word of the corpus that holds the pair which step t merges."""
        order, starts = self.gaps_by_step
        word = int(np.searchsorted(self.record.starts, order[starts[t]], side="right")) - 1
        return self.words.words[word]

    def curve(self) -> "pd.DataFrame":
        n = len(self) + 1
        score = np.full(n, np.nan)
        score[:-1] = self._scores if self.likelihood else self.merged_counts
        return self._curve(["merge"] * len(self), *self.sizes(), score, np.full(n, np.nan))

    def sizes(self) -> tuple[Ints, Ints]:
        tokens = int(self.symbol_weights.sum()) - np.concatenate([[0], np.cumsum(self.times)])
        return np.asarray(self._replay[2]), tokens

    @cached_property
    def _scores(self) -> Floats:
        """The likelihood score of every step."""
        return likelihoods(self.record, self.merged_counts, self.symbol_counts(0), self.times)

    def provenance(self, token: str) -> Provenance:
        """See `Provenance`. Raises KeyError for a string that never was in the vocabulary."""
        return provenance_of(self, self._id(token))

    def present(self, token: str) -> npt.NDArray[np.bool_]:
        born = self._replay[1][self._id(token)]
        return np.asarray(np.arange(len(self) + 1) >= born)

    def users(self, token: str, t: int) -> "pd.DataFrame":
        self.check_state(t)
        return users_of(self, self._id(token), t)

    def makings(self, token: str) -> list[MergeStep]:
        made = np.flatnonzero(self.symbol_ids == self._id(token)) - len(self.record.alphabet)
        return [self.steps[t] for t in made.tolist() if t >= 0]

    def _id(self, token: str) -> int:
        if not isinstance(token, str) or token not in self._vocabulary:
            raise NotFoundError.saying("{token!r} is in no vocabulary of this run.", token=token)
        return self._vocabulary.index(token)

    @property
    def encoders(self) -> list[str]:
        matches = ["longest-match"] if self.spelling.continuing_subword_prefix else []
        ways = [*super().encoders, "merges", *matches, "longest-token"]
        return list(dict.fromkeys(ways))

    def tokenizer(self, t: int | None = None, encoder: str | None = None) -> Tokenizer:
        t = len(self) if t is None else t
        self.check_state(t)
        return tokenizer_of(self, t, encoder or self.default_encoder)
