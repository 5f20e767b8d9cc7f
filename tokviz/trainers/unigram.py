"""The course's Unigram: start with many tokens, remove those that the corpus misses least.

Source: Hugging Face LLM course, chapter 6.7, after Kudo (2018), "Subword Regularization". The loss
of removing a token is exact here, and counts are never estimated again (SentencePiece does both
differently). docs/algorithms.md defines it exactly.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from tokviz.basics.messages import message
from tokviz.basics.progress import Interrupted, ProgressCallback, Reporter
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.stop import Stop
from tokviz.history.unigram import UnigramHistory, UnigramRecorder
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import Cancelled
from tokviz.text.symbols import Spelling, Symbol
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.compiled import runs_compiled
from tokviz.trainers.interventions import Interventions, PruningInterventions, prunings_in_order
from tokviz.trainers.pruning.compiled import CompiledPruning
from tokviz.trainers.pruning.plain import PlainPruning
from tokviz.trainers.pruning.task import Looked, Pruning, Seeding
from tokviz.trainers.settings import (
    SettingError,
    alphabet_of,
    check,
    check_vocab_size,
    setting,
    special_tokens_setting,
)
from tokviz.trainers.trainer import Trainer

#: A word is segmented anew for each of its tokens in each round: longer ones would take minutes.
MAX_WORD = 10_000


#: The seeds of the published example, and how many there are for each token that is to be left.
LEAST_SEEDS, SEEDS_EACH = 300, 3


def usual_seeds(vocab_size: int) -> int:
    """How many seeds training starts from where nobody says it: room to prune, whatever the size.

    >>> usual_seeds(60), usual_seeds(4000)
    (300, 12000)
    """
    return max(LEAST_SEEDS, SEEDS_EACH * vocab_size)


@dataclass(frozen=True)
class Unigram(Trainer):
    """Unigram with exact loss deltas and fixed counts.

    Seeds: all characters, then the most frequent longer substrings, `seed_size` in all; if that is
    not given, as many as `usual_seeds` says. Each round
    segments every word by Viterbi, computes for each token of length > 1 by how much the loss
    would rise without it, and removes the `prune_fraction` with the least rise (at least one
    token, never a character). With `trim_last` the last round stops at `vocab_size` exactly.

    `interventions` says which tokens to keep or drop in some states whatever their deltas: `{2:
    ("keep", "ing"), 5: ("drop", "th")}`. A round removes as many as it would: the next cheapest
    goes for one that is kept, and for one that is dropped the last that would go stays.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "unigram", vocab_size=14, whole_words=False)
    >>> f"{history.curve().loss[0]:.2f}", history.steps[0].removed
    ('169.80', ('ug',))
    """

    __repr__ = short_repr

    name: ClassVar[str] = "unigram"
    label: ClassVar[str] = "Unigram"
    help: ClassVar[str] = message("Start from many tokens; each round removes those needed least.")
    family: ClassVar[type[History]] = UnigramHistory
    starts_full: ClassVar[bool] = True
    default_pretokenizer: ClassVar[str] = "metaspace"
    default_encoder: ClassVar[str] = "viterbi"

    vocab_size: int = setting(
        100,
        message("Vocabulary size"),
        message("Special tokens and characters included."),
        least=1,
    )
    seed_size: int = setting(
        0,
        message("Seed vocabulary"),
        message(
            "How many tokens training starts from. If not given, or 0: three times the vocabulary "
            "size, and at least 300."
        ),
        least=0,
        follows=usual_seeds,
    )
    prune_fraction: float = setting(
        0.1,
        message("Pruned each round"),
        message("The share of the vocabulary that each round removes."),
        least=0.001,
        greatest=0.9,
    )
    trim_last: bool = setting(
        True,
        message("Hit the size exactly"),
        message("Trim the last cut; the published loop overshoots."),
    )
    whole_words: bool = setting(
        True,
        message("Whole words as seeds"),
        message("Off: only strict substrings of words, as in the course's hug example."),
        advanced=True,
    )
    max_token_length: int = setting(
        64,
        message("Longest token"),
        message("In characters."),
        least=1,
        greatest=1000,
        advanced=True,
    )
    unknown: str = setting(
        "character",
        message("Unknown"),
        message("What becomes <unk> when encoding: the unknown character, or its whole word."),
        ("character", "word"),
        advanced=True,
    )
    special_tokens: tuple[str, ...] = special_tokens_setting()
    interventions: Interventions = field(default=())

    def __post_init__(self) -> None:
        check(self)
        object.__setattr__(self, "interventions", prunings_in_order(self.interventions))

    def spelling(self, pretokenizer: Pretokenizer) -> Spelling:
        """How words are split into symbols and symbols are shown."""
        return Spelling(space_mark=pretokenizer.space_mark)

    def least_vocab_size(self, words: WordCounts, _pretokenizer: Pretokenizer) -> int:
        """The characters and the special tokens: none of them is ever removed."""
        return len(set().union(*words.words)) + len(self.special_tokens)

    def greatest_vocab_size(self, words: WordCounts, _pretokenizer: Pretokenizer) -> int:
        """All seeds and the special tokens: the size with nothing removed."""
        return len(self.seeds(words)[0]) + len(self.special_tokens)

    def seeds(
        self, words: WordCounts, progress: ProgressCallback | None = None
    ) -> tuple[dict[str, int], int]:
        """The seed vocabulary with its counts, and how many substrings tied with the last seed.

        All characters in first-occurrence order, then longer substrings by count, then first
        occurrence. Overlapping occurrences count.

        Raises SettingError if a word is too long, or if there are more substrings than memory is
        good for, and Interrupted if the callback says so.
        """
        reporter = Reporter("words", len(words), progress)
        pruning = self._pruning(words, self.seed_size, reporter.check)
        return pruning.seeds, pruning.tied

    def _pruning(self, words: WordCounts, seeds: int, looked: Looked) -> Pruning:
        """What prunes: the compiled trainer, if it runs here; else plain Python."""
        check_lengths(words)
        seeding = Seeding(words, seeds, self.max_token_length, self.whole_words)
        return (CompiledPruning if runs_compiled() else PlainPruning)(seeding, looked)

    def train(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None = None,
    ) -> UnigramHistory:
        """Trains on words and returns the whole history.

        A cancelled run keeps every state that it finished: a round counts only when all its deltas
        are known.

        Raises SettingError if `vocab_size` is smaller than the number of characters or if one of
        the `interventions` cannot be, and Cancelled if the callback stops the run before there is a
        first state.
        """
        pruning = self._seeded(words, self.seed_size, progress)
        n_chars, special = sum(len(token) == 1 for token in pruning.seeds), len(self.special_tokens)
        check_vocab_size(self.vocab_size, n_chars + special, alphabet_of(n_chars, special))
        recorder = UnigramRecorder(words, pruning.seeds, pruning.tied)
        return self._run(words, pretokenizer, pruning, recorder, progress)

    def resume(
        self, history: UnigramHistory, t: int, progress: ProgressCallback | None = None
    ) -> UnigramHistory:
        """Goes on from state t of a run that had the same settings, but for `vocab_size` and what
        is told to the rounds from t on: the same history as from the start, at the cost of the
        rest.

        Raises SettingError and Cancelled as `train` does.
        """
        record = history.record
        pruning = self._seeded(history.words, len(record.tokens), progress)
        recorder = UnigramRecorder(history.words, pruning.seeds, record.tied_seeds)
        recorder.go_on(record, t)
        pruning.remove(recorder.removed)
        return self._run(history.words, history.pretokenizer, pruning, recorder, progress)

    def _seeded(self, words: WordCounts, size: int, progress: ProgressCallback | None) -> Pruning:
        reporter = Reporter("words", len(words), progress)
        try:
            return self._pruning(words, size, reporter.check)
        except Interrupted:
            raise Cancelled(message("Cancelled while looking for seeds.")) from None

    def _run(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        pruning: Pruning,
        recorder: UnigramRecorder,
        progress: ProgressCallback | None,
    ) -> UnigramHistory:
        """The rounds from the state on that the recorder is in."""
        target, first = self.vocab_size - len(self.special_tokens), recorder.states
        seeds = pruning.seeds
        reporter = Reporter("tokens", max(0, len(seeds) - target), progress)
        show = self.spelling(pretokenizer).show
        shown = [show(Symbol(token)) for token in seeds] if self.interventions else []
        interventions = PruningInterventions(self.interventions, shown)
        try:
            stop = self._rounds(pruning, target, recorder, reporter, interventions)
        except Interrupted:
            if recorder.states == first:
                raise Cancelled(message("Cancelled before the first state was known.")) from None
            recorder.forget_unfinished_round()
            stop = Stop("cancelled", values={"rounds": recorder.rounds})
        else:
            interventions.check_all_made(recorder.rounds, stop)
        return UnigramHistory(self, pretokenizer, words, stop, recorder.record())

    def _rounds(
        self,
        pruning: Pruning,
        target: int,
        recorder: UnigramRecorder,
        reporter: Reporter,
        interventions: PruningInterventions,
    ) -> Stop:
        """Prunes round after round; returns why it ended."""
        seeds = len(pruning.seeds)
        n_chars = sum(len(token) == 1 for token in pruning.seeds)
        size = seeds - len(recorder.removed)
        while True:
            state = pruning.state(reporter.pause(max(0, seeds - max(size, target))))
            recorder.state(state.loss, state.deltas, state.path)
            if stop := self._reason(size, seeds, n_chars, target):
                return stop
            removed = interventions.removed(recorder.rounds, state.cheapest, self.pruned(size))
            recorder.prune(removed)
            pruning.remove(removed)
            size -= len(removed)

    def _reason(self, size: int, seeds: int, n_chars: int, target: int) -> Stop | None:
        if size == target:
            return Stop("size", self.vocab_size)
        if size < target:
            return Stop("few_seeds" if size == seeds else "overshot", target, size)
        return Stop("characters") if size == n_chars else None

    def pruned(self, size: int) -> int:
        """How many tokens a round removes from so many, special ones not counted; fewer if no more
        may go. Those are the ones of least delta, stable on vocabulary order.

        >>> Unigram(vocab_size=95, prune_fraction=0.1).pruned(100)
        5
        """
        n = max(1, int(size * self.prune_fraction))
        if self.trim_last:
            n = min(n, size + len(self.special_tokens) - self.vocab_size)
        return n


def check_lengths(words: WordCounts) -> None:
    """Raises SettingError if a word is too long to be segmented again and again."""
    if (longest := max(map(len, words.words), default=0)) > MAX_WORD:
        raise SettingError.saying(
            "a word has {longest:,} characters, more than the {max_word:,} that Unigram can work "
            "on; use a pre-tokenizer that makes shorter words.",
            longest=longest,
            max_word=MAX_WORD,
        )
