"""The history of a Unigram training: one record a round.

Each token has one number, the step that removes it, as each gap has in a run of merges. Each state
has its loss, the loss delta of every token, and one bit per character of the distinct words: does
a token of the best path start there?
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from tokviz.basics.errors import NotFoundError, SettingError
from tokviz.basics.read_only import Record
from tokviz.basics.short_repr import short_repr
from tokviz.core.logarithm import logarithms
from tokviz.encoding.lattice import costs_of
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.encoding.viterbi_encoder import ViterbiEncoder, rows_within
from tokviz.history.base import Floats, Ints
from tokviz.history.cut_uses import CutUses, cut_uses
from tokviz.history.provenance import Provenance, seed_provenance
from tokviz.history.seeds import SeedHistory
from tokviz.history.steps import PruneStep, Steps
from tokviz.history.token_life import users_table
from tokviz.text.symbols import Symbol
from tokviz.text.word_counts import WordCounts

if TYPE_CHECKING:
    import pandas as pd

#: The step number of a token that no round removes.
NEVER = np.iinfo(np.int32).max


class LossChange(NamedTuple):
    """What a round does to the loss, in nats for the whole corpus, as two parts that add up to the
    change. `dropped`: the new segmentations, at the probabilities from before, are dearer by so
    much. `renormalised`: the tokens that are left share the probability of those that went, so each
    of the `tokens` that the corpus has now is cheaper by ln(`counts_before` / `counts_after`), the
    sums of all counts. `words` is how many distinct words are cut in another way."""

    dropped: float
    renormalised: float
    tokens: int
    counts_before: int
    counts_after: int
    words: int


@dataclass(frozen=True, eq=False)
class UnigramRecord(Record):
    """The columns that a Unigram run writes."""

    __repr__ = short_repr

    tokens: list[str]  # the seeds, as text (a metaspace is a space)
    counts: Ints  # per token; they never change
    removed_at: Ints  # per token: the step that removes it
    loss: Floats  # per state
    delta: Floats  # per state and token alive in it (nan for characters)
    delta_starts: Ints
    cuts: npt.NDArray[np.uint8]  # per state: packed bits, one per character of every word
    starts: Ints  # per word, and the end
    tied_seeds: int  # how many substrings have the count of the last seed (0: no cut)


class UnigramRecorder:
    """Writes the columns of a `UnigramRecord` while a run goes on."""

    def __init__(self, words: WordCounts, seeds: dict[str, int], tied_seeds: int) -> None:
        lengths = np.fromiter(map(len, words.words), np.int64, len(words))
        self._starts = np.concatenate([[0], np.cumsum(lengths)])
        self._seeds, self._tied_seeds = seeds, tied_seeds
        self._lengths = np.fromiter(map(len, seeds), np.int64, len(seeds))
        self._removed_at = np.full(len(seeds), NEVER, np.int64)
        self._loss: list[float] = []
        self._deltas: list[Floats] = []
        self._cuts: list[npt.NDArray[np.uint8]] = []
        self.rounds = 0

    def state(self, loss: float, deltas: Floats, path: Ints) -> None:
        """Notes a state: its loss, the deltas of the tokens that are left, and the tokens of all
        words, one word after the other."""
        self._loss.append(loss)
        self._deltas.append(deltas)
        bits = np.zeros(int(self._starts[-1]), bool)
        ends = np.cumsum(self._lengths[path])
        bits[ends - self._lengths[path]] = True
        self._cuts.append(np.packbits(bits))

    def go_on(self, record: UnigramRecord, t: int) -> None:
        """Writes what a record has before state t, which comes next."""
        self._removed_at = np.where(record.removed_at < t, record.removed_at, NEVER)
        self._loss = record.loss[:t].tolist()
        self._deltas = np.split(record.delta[: record.delta_starts[t]], record.delta_starts[1:t])
        if not t:
            self._deltas = []
        self._cuts = list(record.cuts[:t])
        self.rounds = t

    @property
    def removed(self) -> Ints:
        """The tokens that went so far."""
        return np.flatnonzero(self._removed_at != NEVER)

    def prune(self, tokens: Ints) -> None:
        """Notes the tokens that the step out of the last state removes."""
        self._removed_at[tokens] = self.rounds
        self.rounds += 1

    @property
    def states(self) -> int:
        """How many states are known so far."""
        return len(self._loss)

    def forget_unfinished_round(self) -> None:
        """Takes back the last removal if the state that it leads to was never noted."""
        if self.rounds == self.states:
            self.rounds -= 1
            self._removed_at[self._removed_at == self.rounds] = NEVER

    def record(self) -> UnigramRecord:
        """The finished columns."""
        return UnigramRecord(
            list(self._seeds),
            np.fromiter(self._seeds.values(), np.int64, len(self._seeds)),
            self._removed_at,
            np.asarray(self._loss),
            np.concatenate(self._deltas),
            np.cumsum([0, *map(len, self._deltas)]),
            np.stack(self._cuts),
            self._starts,
            self._tied_seeds,
        )


@dataclass(frozen=True, repr=False, eq=False)
class UnigramHistory(SeedHistory):
    """The record of a Unigram run. See `History` for the questions.

    >>> import tokviz
    >>> h = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "unigram", vocab_size=8)
    >>> h.segmentation("hugs", 0)
    ['hugs']
    """

    step_noun: ClassVar[str] = "round"

    record: UnigramRecord

    def __len__(self) -> int:
        return len(self.record.loss) - 1

    @property
    def step_columns(self) -> tuple[Any, ...]:
        r = self.record
        return r.tokens, r.counts, r.removed_at, r.loss

    def alive(self, t: int) -> Ints:
        self.check_state(t)
        return np.flatnonzero(self.record.removed_at >= t)

    def vocab(self, t: int) -> list[str]:
        return [*self.special_tokens, *(self.strings[i] for i in self.alive(t).tolist())]

    # --- scores -------------------------------------------------------------------------------

    def log_probs(self, t: int) -> Floats:
        """The natural log-probability of each token of `alive(t)`: count / sum of counts."""
        return -costs_of(self.record.counts[self.alive(t)])

    def share(self, text: str, t: int) -> tuple[int, int]:
        """The count of a token of state t, given by its text, and the sum of all counts: the
        quotient of the two is its probability, exactly."""
        counts = self.record.counts
        return int(counts[self.seed_numbers[text]]), int(counts[self.alive(t)].sum())

    def loss_deltas(self, t: int) -> Floats:
        """By how much the loss would rise without each token of `alive(t)`; nan for characters."""
        first, last = self.record.delta_starts[t : t + 2]
        return self.record.delta[first:last]

    def loss_changes(self) -> list[LossChange]:
        """Why the loss changes in each round: see `LossChange`.

        >>> import tokviz
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> change = tokviz.train(words, "unigram", 9).loss_changes()[-1]
        >>> round(change.dropped, 2), round(change.renormalised, 2), change.words
        (14.33, -1.66, 1)
        >>> change.tokens, change.counts_before, change.counts_after
        (59, 144, 140)
        """
        r, last = self.record, len(self)
        tokens = self._corpus_tokens()[1:]
        sums = np.array([int(r.counts[self.alive(t)].sum()) for t in range(last + 1)])
        renormalised = -tokens * logarithms(sums[:-1] / sums[1:])
        dropped = np.diff(r.loss) - renormalised
        # Nothing is dearer where every word is cut as before: what is left there is rounding.
        words = np.asarray(self.words_changed(), np.int64)
        dropped = np.where(words > 0, dropped, 0.0)
        columns = (dropped, renormalised, tokens, sums[:-1], sums[1:], words)
        return [LossChange(*row) for row in zip(*(c.tolist() for c in columns), strict=True)]

    @property
    def _bits(self) -> npt.NDArray[np.uint8]:
        """For every state and character of the distinct words: does a token start there?"""
        return np.unpackbits(self.record.cuts, axis=1, count=int(self.record.starts[-1]))

    def _corpus_tokens(self) -> Ints:
        """How many tokens the corpus has in every state."""
        weights = np.repeat(np.asarray(self.words.counts, np.int64), np.diff(self.record.starts))
        return np.array([bits @ weights for bits in self._bits])

    def published_loss(self, t: int) -> float:
        """The loss as the published notebooks print it: they start every word at 1, not at 0."""
        return float(self.record.loss[t]) + self.words.total

    def _order(self, t: int) -> Ints:
        """Rows of `alive(t)`: least delta first, stable on vocabulary order; characters last."""
        return np.argsort(self.loss_deltas(t), kind="stable")

    def candidates(self, t: int, k: int | None = None) -> "pd.DataFrame":
        """The tokens of state t, next to go first: token, count, log_prob, loss_delta, tied (has
        exactly the delta at the cut), chosen (step t removes it). Characters come last; they are
        never removed and have no delta."""
        import pandas as pd

        self.check_rows(k)
        alive, order = self.alive(t), self._order(t)[:k]
        delta, rows = self.loss_deltas(t), self.alive(t)[order]
        chosen = self.record.removed_at[alive] == t
        at_cut = delta == self.cut(t)
        return pd.DataFrame(
            {
                "token": [self.strings[i] for i in rows.tolist()],
                "count": self.record.counts[rows],
                "log_prob": self.log_probs(t)[order],
                "loss_delta": delta[order],
                "tied": at_cut[order] & (at_cut.sum() > 1),
                "chosen": chosen[order],
            }
        )

    def cut(self, t: int) -> float:
        """The greatest loss delta that step t removes without being told to; nan in the last state.
        If it was told every token that it removes, the greatest of all."""
        alive = self.alive(t)
        chosen = self.record.removed_at[alive] == t
        by_rule = chosen
        if told := self.forced(t)[1:]:
            by_rule = chosen & ~np.isin(alive, list(map(self.strings.index, told)))
        deltas = self.loss_deltas(t)[by_rule if by_rule.any() else chosen]
        return float(deltas.max()) if len(deltas) else float("nan")

    def forced(self, t: int) -> tuple[str, ...]:
        """What step t was told and would not have done by itself: "keep" or "drop", and the tokens.
        Empty if nothing."""
        action, *tokens = dict(self.trainer.interventions).get(t, ("",))
        size = len(self.alive(t))
        if not action or t == len(self):
            return ()
        by_rule = self.alive(t)[self._order(t)[: self.trainer.pruned(size)]].tolist()
        doomed = {self.strings[i] for i in by_rule if len(self.record.tokens[i]) > 1}
        stays = {self.strings[i] for i in self.alive(t).tolist()} - doomed
        changed = [token for token in tokens if token in (doomed if action == "keep" else stays)]
        return (action, *changed) if changed else ()

    @property
    def steps(self) -> Steps[PruneStep]:
        return Steps(len(self), self._step)

    def _step(self, t: int) -> PruneStep:
        delta, alive = self.loss_deltas(t), self.alive(t)
        order = self._order(t)
        chosen = self.record.removed_at[alive[order]] == t
        cut = self.cut(t)
        return PruneStep(
            step=t + 1,
            action="prune",
            score=cut,
            tied=int((delta == cut).sum()),
            rule="vocabulary order",
            removed=tuple(self.strings[i] for i in alive[order[chosen]].tolist()),
            tied_removed=int((delta[order[chosen]] == cut).sum()),
            size_before=self.vocab_size(t),
            size_after=self.vocab_size(t + 1),
            loss_before=float(self.record.loss[t]),
            loss_after=float(self.record.loss[t + 1]),
            forced=self.forced(t),
        )

    # --- segmentations ------------------------------------------------------------------------

    def word_numbers(self, word: int, t: int) -> list[tuple[int, int]]:
        text = self.words.words[word]
        bounds = [*self.cuts(word, t).tolist(), len(text)]
        numbers = [self.seed_numbers[text[start:end]] for start, end in pairwise(bounds)]
        ids = np.searchsorted(self.alive(t), numbers) + len(self.special_tokens)
        return list(zip(numbers, ids.tolist(), strict=True))

    @property
    def gap_spans(self) -> tuple[Ints, Ints]:
        return self.record.starts[:-1], self.record.starts[1:]

    def token_counts(self, t: int) -> Ints:
        return next(self.counts_over([t]))

    def counts_over(self, states: Iterable[int]) -> Iterator[Ints]:
        """See `History.counts_over`: only tokens that no earlier state has there are looked up."""
        text, weights = "".join(self.words.words), np.asarray(self.words.counts, np.int64)
        weights = np.repeat(weights, np.diff(self.record.starts))
        ends, numbers = np.zeros(len(text), np.int64), np.zeros(len(text), np.int64)
        for t in states:
            starts = np.flatnonzero(self.open_gaps(t))
            bounds = np.append(starts[1:], len(text))
            new = ends[starts] != bounds
            at, until = starts[new], bounds[new]
            spans = zip(at.tolist(), until.tolist(), strict=True)
            numbers[at] = [self.seed_numbers[text[start:end]] for start, end in spans]
            ends[at] = until
            counts = np.zeros(len(self.strings), np.int64)
            np.add.at(counts, numbers[starts], weights[starts])
            special = np.zeros(len(self.special_tokens), np.int64)
            yield np.concatenate([special, counts[self.alive(t)]])

    def curve(self) -> "pd.DataFrame":
        n = len(self) + 1
        score = np.full(n, np.nan)
        score[:-1] = [step.score for step in self.steps]
        return self._curve(["prune"] * len(self), *self.sizes(), score, self.record.loss)

    def sizes(self) -> tuple[Ints, Ints]:
        sizes = [self.vocab_size(t) for t in range(len(self) + 1)]
        return np.asarray(sizes), self._corpus_tokens()

    # --- tokens, tokenizer --------------------------------------------------------------------

    def provenance(self, token: str) -> Provenance:
        """See `Provenance`: all tokens are born as seeds, and `words` are those that use it in
        state 0. Raises KeyError for a string that never was in the vocabulary."""
        token_id, uses = self._first_id(token), self._uses(token)
        counts = uses.counts(self.words.counts)
        return seed_provenance(token, token_id, counts, self._users_table(uses, 0))

    def _uses(self, token: str) -> CutUses:
        """Where words use a token; a special one is never used."""
        seed = self._first_id(token) - len(self.special_tokens)
        text = self.record.tokens[seed] if seed >= 0 else ""
        return cut_uses(self.words.words, self.record.starts[:-1], self.record.cuts, text)

    def _users_table(self, uses: CutUses, t: int) -> "pd.DataFrame":
        words, counts = self.words.words, self.words.counts
        return users_table((words[i], counts[i], times) for i, times in uses.users(t))

    def _first_id(self, token: str) -> int:
        """The id of a token in state 0, which has them all."""
        strings = [*self.special_tokens, *self.strings]
        if token not in strings:
            raise NotFoundError.saying("{token!r} is in no vocabulary of this run.", token=token)
        return strings.index(token)

    def present(self, token: str) -> npt.NDArray[np.bool_]:
        seed, states = self._first_id(token) - len(self.special_tokens), np.arange(len(self) + 1)
        return (self.record.removed_at[seed] if seed >= 0 else NEVER) >= states

    def users(self, token: str, t: int) -> "pd.DataFrame":
        self.check_state(t)
        return self._users_table(self._uses(token), t)

    def tokenizer(self, t: int | None = None, encoder: str | None = None) -> Tokenizer:
        t = len(self) if t is None else t
        name = encoder or self.default_encoder
        if name != "viterbi":
            raise SettingError.saying(
                "encoder={name!r} is not for unigram; choose viterbi.", name=name
            )
        symbols = [Symbol(self.record.tokens[i]) for i in self.alive(t).tolist()]
        return Tokenizer(
            self.vocab(t),
            [*[None] * len(self.special_tokens), *symbols],
            self.spelling,
            self.pretokenizer,
            self.special_tokens,
            self._viterbi(t),
        )

    def _viterbi(self, t: int, within: str | None = None) -> ViterbiEncoder:
        texts = [self.record.tokens[i] for i in self.alive(t).tolist()]
        costs = (-self.log_probs(t)).tolist()
        rows = range(len(texts)) if within is None else rows_within(within, texts, costs)
        special = self.special_tokens
        return ViterbiEncoder(
            self.spelling,
            {texts[row]: len(special) + row for row in rows},
            {texts[row]: costs[row] for row in rows},
            whole_word=self.trainer.unknown == "word",
            unknown_id=special.index("<unk>") if "<unk>" in special else None,
        )
