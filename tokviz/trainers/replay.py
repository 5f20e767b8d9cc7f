"""A replay: the merges of a tokenizer that somebody else trained, applied to a text.

Sources: openai/gpt-2, src/encoder.py (`bpe`: the merge of lowest rank first); Hugging Face
tokenizers, models/bpe/word.rs (`merge_all`); openai/tiktoken, src/lib.rs (`byte_pair_merge`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.replay import ReplayHistory
from tokviz.history.stop import Stop
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import Corpus
from tokviz.text.symbols import Spelling, Symbol, SymbolTable
from tokviz.trainers.merging.candidates import Candidates
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Start, Task


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
    ...     tuple((trained.symbols[a], trained.symbols[b]) for a, b in pairs))
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
    # One more than there are: the training loop never finds the vocabulary full.
    most = len(alphabet) + len(given.pairs) + 1
    table = SymbolTable(spelling, (), alphabet)
    task = Task(start, table, "given", most, candidates=GivenPairs(alphabet, given.ranks))
    record, stop = run_merges(task, progress)
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


class GivenPairs(Candidates):
    """The pairs that a file merges, and their ranks there.

    >>> pairs = GivenPairs([Symbol("a"), Symbol("b")], {(Symbol("b"), Symbol("a")): 7})
    >>> pairs.rank(1, 0), pairs.rank(0, 1)
    (7, -1)
    """

    def __init__(
        self, alphabet: Sequence[Symbol], ranks: Mapping[tuple[Symbol, Symbol], int]
    ) -> None:
        self._symbols, self._ranks = list(alphabet), ranks

    def rank(self, left: int, right: int) -> int:
        return self._ranks.get((self._symbols[left], self._symbols[right]), -1)

    def allowed(self, left: int, right: int) -> bool:
        return self.rank(left, right) >= 0

    def join(self, left: int, right: int) -> None:
        self._symbols.append(self._symbols[left] + self._symbols[right])
