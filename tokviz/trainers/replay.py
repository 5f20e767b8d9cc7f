"""A replay: the merges of a tokenizer that somebody else trained, applied to a text.

Sources: openai/gpt-2, src/encoder.py (`bpe`: the merge of lowest rank first); Hugging Face
tokenizers, models/bpe/word.rs (`merge_all`); openai/tiktoken, src/lib.rs (`byte_pair_merge`).
"""

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from tokviz.basics.messages import message
from tokviz.basics.progress import Pause, ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.replay import ReplayHistory
from tokviz.history.stop import Stop
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import Corpus, count_words
from tokviz.text.symbols import Spelling, Symbol
from tokviz.trainers.merging.filtered_pairs import FilteredPairs
from tokviz.trainers.merging.loop import Start, run_merges
from tokviz.trainers.merging.pairs import PairIndex
from tokviz.trainers.merging.recorder import TOP
from tokviz.trainers.merging.vocabulary import Size


@dataclass(frozen=True)
class Replay:
    """What stands in the place of a trainer: `source` is the name of the tokenizer's file."""

    __repr__ = short_repr

    name: ClassVar[str] = "replay"
    default_encoder: ClassVar[str] = "merges"
    special_tokens: ClassVar[tuple[str, ...]] = ()
    untold: ClassVar[str] = message(
        "A replay cannot take another merge: the order is that of its file. "
        "Train on the text instead."
    )

    source: str
    vocab_size: int
    given: GivenMerges

    @property
    def label(self) -> str:
        """What people call it."""
        return message("Merges of {source}", source=self.source)

    @property
    def pseudocode(self) -> str:
        """The name of its lines in `tokviz.trainers.pseudocode`: there are none."""
        return self.name

    def spelling(self, _pretokenizer: Pretokenizer) -> Spelling:
        """How the file splits words into symbols."""
        return self.given.spelling


def replay(
    source: str,
    given: GivenMerges,
    tokenizer: Tokenizer,
    corpus: Corpus,
    progress: ProgressCallback | None = None,
) -> ReplayHistory:
    """Applies merges to a text, the lowest rank first, and returns the whole history.

    `source` is what people call the tokenizer; its own words are counted in `corpus`, which is a
    text, a list of documents, or a mapping word → count. A cancelled replay is a history of the
    merges made until then.

    Raises CorpusError, and Cancelled if it was stopped before the first merge.

    >>> import tokviz
    >>> trained = tokviz.train("low low lower", "bpe", 8, "whitespace")
    >>> symbols = dict(zip(trained.symbols, trained.symbol_ids.tolist()))
    >>> pairs = zip(trained.record.left.tolist(), trained.record.right.tolist())
    >>> given = GivenMerges(trained.spelling, tuple(trained.vocab(3)), symbols,
    ...     tuple((trained.symbols[a], trained.symbols[b]) for a, b in pairs), False)
    >>> history = replay("mine", given, trained.tokenizer(), "slow lots")
    >>> [(step.token, step.score) for step in history.steps]
    [('lo', 0.0), ('low', 1.0)]
    >>> history.stopped
    'The text can use 2 of the 3 merges of mine.'
    """
    words = count_words(corpus, tokenizer.pretokenizer, tokenizer.special_tokens, progress)
    spelling = given.spelling
    alphabet = [
        symbol if symbol in given.ids else symbol._replace(unknown=True)
        for symbol in sorted(spelling.symbols_of(words.words))
    ]
    start = Start.of(words, spelling, alphabet, progress)
    index = start.index(progress, partial(GivenPairs, alphabet=alphabet, given=given))
    assert isinstance(index, GivenPairs)
    # One more than there are: the training loop never finds the vocabulary full.
    most = len(given.pairs) + 1
    record, stop = run_merges(
        start, index, ByRank(index, index.rank, TOP), Size(0), most, 1, False, progress
    )
    trainer = Replay(source, len(given.strings), given)
    history = ReplayHistory(trainer, tokenizer.pretokenizer, words, stop, record, given, tokenizer)
    if stop.kind == "cancelled":
        return history
    return replace(history, stop=_replayed(history))


def _replayed(history: ReplayHistory) -> Stop:
    """How many merges were of use, and how many words the tokenizer itself cuts otherwise."""
    words, given = history.words.words, history.given
    values = {
        "used": len(history),
        "given": len(given.pairs),
        "source": history.trainer.source,
        "ranked": given.reconstructed,
        "other": sum(history.cut_otherwise(word) is not None for word in words),
        "words": len(words),
    }
    return Stop("replayed", values=values)


class GivenPairs(FilteredPairs):
    """A pair index in which only the pairs that a file merges are candidates."""

    def __init__(
        self,
        words: Sequence[str],
        word_counts: Sequence[int],
        n_symbols: int,
        pause: Pause = lambda: None,
        *,
        alphabet: Sequence[Symbol],
        given: GivenMerges,
    ) -> None:
        self._symbols, self._ranks = list(alphabet), given.ranks
        super().__init__(words, word_counts, n_symbols, pause)

    def allowed(self, left: int, right: int) -> bool:
        return (self._symbols[left], self._symbols[right]) in self._ranks

    def join(self, left: int, right: int) -> None:
        self._symbols.append(self._symbols[left] + self._symbols[right])

    def rank(self, p: int) -> int:
        """The rank of a pair that is a candidate."""
        left, right = map(ord, self.pairs[p])
        return self._ranks[self._symbols[left], self._symbols[right]]


class ByRank:
    """Pairs by a rank that never changes, the lowest first. A `Ranking`.

    >>> index = PairIndex(["\\0\\1", "\\1\\0"], [5, 7], n_symbols=2)
    >>> ByRank(index, lambda p: -p, size=1).best()
    ([1], [7], 1)
    """

    def __init__(self, index: PairIndex, rank: Callable[[int], int], size: int) -> None:
        self._index, self._rank, self._size = index, rank, size
        self._live: list[tuple[int, int]] = []
        self._known = 0
        self.update(())

    def best(self) -> tuple[Sequence[int], Sequence[int], int]:
        rows = [p for _, p in self._live[: self._size]]
        return rows, [self._index.counts[p] for p in rows], min(1, len(rows))

    def update(self, changed: Iterable[int]) -> None:
        counts = self._index.counts
        for p in changed:
            if p < self._known and not counts[p]:
                key = (self._rank(p), p)
                at = bisect_left(self._live, key)
                if self._live[at : at + 1] == [key]:
                    del self._live[at]
        for p in range(self._known, len(counts)):
            if counts[p]:
                insort(self._live, (self._rank(p), p))
        self._known = len(counts)
