"""A training on a text of one's own, with the words and the symbols of a tokenizer that somebody
else trained: in which step that text teaches a token of it, if it does.

A file of WordPiece is trained as WordPiece, by the score of Hugging Face's trainer. Of Unigram,
which merges nothing, the words and the spelling are taken, and what is trained is BPE all the same.
"""

from collections.abc import Callable
from dataclasses import replace

from tokviz.basics.progress import ProgressCallback
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.history.merges import MergeHistory
from tokviz.text.corpus import Corpus, WordCounts, count_words
from tokviz.text.symbols import Spelling
from tokviz.trainers.bpe import BPE
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
    is seen first, or, for a file that `is_wordpiece`, that of the smallest ids. `progress` and
    `counted` are those of `tokviz.train`.

    Raises CorpusError for a bad corpus, and Cancelled if it was stopped before the first merge.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "ow": 3, "low": 4}'}
    >>> opened = open_tokenizer({**files, "merges.txt": b"o w\\nl ow"})
    >>> [step.token for step in train_alike(opened, "low low lot", 2).steps]
    ['lo', 'low']
    """
    tokenizer = opened.tokenizer
    words = count_words(corpus, tokenizer.pretokenizer, tokenizer.special_tokens, progress)
    if counted is not None:
        counted(words)
    trainer = _trainer(opened)
    least = trainer.least_vocab_size(words, tokenizer.pretokenizer)
    return replace(trainer, vocab_size=least + merges).train(
        words, tokenizer.pretokenizer, progress
    )


def is_wordpiece(opened: OpenedTokenizer) -> bool:
    """Whether a file is trained as WordPiece: its model is that, with the usual prefix."""
    return opened.model == "WordPiece" and opened.tokenizer.spelling == Spelling(
        continuing_subword_prefix=PREFIX
    )


def _trainer(opened: OpenedTokenizer) -> BPE | WordPiece:
    if is_wordpiece(opened):
        return WordPiece(score="frequency")
    spelling = opened.tokenizer.spelling
    return BPE(
        unit=spelling.unit,
        end_of_word_suffix=spelling.end_of_word_suffix,
        suffix_glued=spelling.suffix_glued,
        continuing_subword_prefix=spelling.continuing_subword_prefix,
    )
