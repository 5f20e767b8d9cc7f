"""A training on a text of one's own, with the words and the symbols of a tokenizer that somebody
else trained: in which step that text teaches a token of it, if it does.

A file of WordPiece is trained as WordPiece, by the score of Hugging Face's trainer, and a model of
SentencePiece as its library trains BPE. Of Unigram, which merges nothing and has no order of
learning, the words and the spelling are taken, and what is trained is BPE all the same.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import Pretokenizer, Word
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import Corpus
from tokviz.text.symbols import Spelling
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.bpe import BPE
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE
from tokviz.trainers.wordpiece import PREFIX, WordPiece


def train_alike(
    opened: OpenedTokenizer,
    corpus: Corpus,
    merges: int,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
) -> MergeHistory:
    """Trains on a text, for at most so many merges, and returns the whole history. The text is cut
    into words by the tokenizer's library; the most frequent pair is merged, of several the one that
    is seen first, or, for a file that `is_wordpiece`, that of the smallest ids, or, for a model of
    SentencePiece, the shortest. `progress` and `counted` are those of `tokviz.train`.

    Raises CorpusError for a bad corpus, and Cancelled if it was stopped before the first merge.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "ow": 3, "low": 4}'}
    >>> opened = open_tokenizer({**files, "merges.txt": b"o w\\nl ow"})
    >>> [step.token for step in train_alike(opened, "low low lot", 2).steps]
    ['lo', 'low']
    """
    pretokenizer = words_of(opened)
    words = count_words(corpus, pretokenizer, opened.tokenizer.special_tokens, progress)
    if counted is not None:
        counted(words)
    trainer = _trainer(opened)
    least = trainer.least_vocab_size(words, pretokenizer)
    return replace(trainer, vocab_size=least + merges).train(words, pretokenizer, progress)


def words_of(opened: OpenedTokenizer) -> Pretokenizer:
    """The words that a file's training would learn from. A model of SentencePiece encodes a line as
    a whole, and its training cuts it before every space."""
    pretokenizer, rules = opened.tokenizer.pretokenizer, opened.piece_rules
    return Spaced(pretokenizer) if rules and rules.split_by_whitespace else pretokenizer


@dataclass(frozen=True)
class Spaced(Pretokenizer):
    """The words of another pre-tokenizer, cut before every space.

    >>> from tokviz.pretokenizers import NonePretokenizer
    >>> [(word.text, word.start) for word in Spaced(NonePretokenizer()).words("low  lot")]
    [('low', 0), (' ', 3), (' lot', 4)]
    """

    __repr__ = short_repr

    name: ClassVar[str] = "spaced"
    label: ClassVar[str] = message("From a file")
    help: ClassVar[str] = message("What the opened tokenizer does to a text before its model.")
    source: ClassVar[str] = "google/sentencepiece 0.2.1, SplitIntoWords of model_interface.cc"
    space_mark: ClassVar[str] = " "

    whole: Pretokenizer = field(repr=False)

    def words(self, text: str) -> Iterator[Word]:
        """See `Pretokenizer`."""
        for word in self.whole.words(text):
            spaces = (at for at, char in enumerate(word.text) if char == " ")
            for first, last in pairwise(sorted({0, *spaces, len(word.text)})):
                part = word.text[first:last]
                yield Word(part, *word.span(first, last), word.spans and word.spans[first:last])


def is_wordpiece(opened: OpenedTokenizer) -> bool:
    """Whether a file is trained as WordPiece: its model is that, with the usual prefix."""
    return opened.model == "WordPiece" and opened.tokenizer.spelling == Spelling(
        continuing_subword_prefix=PREFIX
    )


def _trainer(opened: OpenedTokenizer) -> BPE | WordPiece | SentencePieceBPE:
    if is_wordpiece(opened):
        return WordPiece(score="frequency")
    if opened.piece_rules is not None:
        # All characters: which of them are too rare depends on the text.
        return SentencePieceBPE(character_coverage=1.0, **asdict(opened.piece_rules))
    spelling = opened.tokenizer.spelling
    return BPE(
        unit=spelling.unit,
        end_of_word_suffix=spelling.end_of_word_suffix,
        suffix_glued=spelling.suffix_glued,
        continuing_subword_prefix=spelling.continuing_subword_prefix,
    )
