"""Documents become distinct words with integer counts, in the order in which they are first met.

That order is part of the definition: it decides ties (see `trainers`).
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from operator import length_hint
from typing import Any, TypeVar

from tokviz.basics.messages import message
from tokviz.basics.progress import Progress, ProgressCallback, Reporter
from tokviz.core.host import is_there
from tokviz.pretokenizers import (
    BlockPretokenizer,
    Pretokenizer,
    SentencePiecePretokenizer,
)
from tokviz.pretokenizers.blocks import document_blocks, text_blocks
from tokviz.pretokenizers.normalizer import VERSIONS
from tokviz.text.given_corpus import Corpus, as_corpus, documents, words_and_counts
from tokviz.text.pieces import split_at
from tokviz.text.white_space import (
    Surroundings,
    WhiteSpaceWords,
    count_white_space_words,
    joined_in_line,
)
from tokviz.text.word_counter import WordCounter
from tokviz.text.word_counts import CountedWords, WordCounts

#: Words that are counted between two looks at the clock, where they come one by one.
_SLICE = 10_000

#: Characters of a text whose words are counted one by one: that takes less than to begin with
#: blocks.
SHORT = 2000

#: Lines that SentencePiece's pre-tokenizer normalizes together.
_LINES = 200

#: A line of which nothing is left, by its last word and its first character.
_EMPTY = (-1, "")
_Line = TypeVar("_Line")


def count_words(
    corpus: Corpus,
    pretokenizer: Pretokenizer,
    special_tokens: tuple[str, ...] = (),
    progress: ProgressCallback | None = None,
) -> WordCounts:
    """Counts the words of a corpus. Special tokens that occur in it are not words.

    A mapping is taken as it is: its keys are words already, whatever the pre-tokenizer.

    Raises CorpusError for what is no corpus, and for counts that are not positive integers, or too
    large ones.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> count_words("a b a", make_pretokenizer("whitespace"))
    WordCounts(words=('a', 'b'), counts=(2, 1))
    >>> words = count_words("don't stop", make_pretokenizer("gpt2"))
    >>> words.words, words.white_space_words, words.alone
    (('don', "'t", ' stop'), 2, (0, 0, 1))
    """
    if isinstance(corpus, CountedWords):
        return corpus.words
    corpus = as_corpus(corpus)
    if isinstance(corpus, Mapping):
        return WordCounts(*words_and_counts(corpus))
    reporter = _reporter(corpus, progress)
    if isinstance(pretokenizer, SentencePiecePretokenizer):
        return _count_lines(corpus, pretokenizer, special_tokens, reporter)
    is_short = isinstance(corpus, str) and len(corpus) < SHORT
    if not isinstance(pretokenizer, BlockPretokenizer) or is_short or not is_there():
        return _count_one_by_one(corpus, pretokenizer, special_tokens, reporter)
    return _count_blocks(corpus, pretokenizer, special_tokens, reporter)


def _count_blocks(
    corpus: str | Iterable[Any],
    pretokenizer: BlockPretokenizer,
    special_tokens: tuple[str, ...],
    reporter: Reporter,
) -> WordCounts:
    counter, done = WordCounter(pretokenizer), 0
    cuts = pretokenizer.safe_cuts
    if isinstance(corpus, str):
        blocks = text_blocks(corpus, cuts, special_tokens)
    else:
        blocks = document_blocks(documents(corpus), cuts, special_tokens)
    for block in blocks:
        _stop_if_cancelled(reporter, done)
        counter.add(block)
        done += block.done
    return WordCounts(
        tuple(counter.words()),
        tuple(counter.counts().tolist()),
        white_space_words=counter.white_space_words,
        alone=tuple(counter.alone().tolist()),
    )


def _count_one_by_one(
    corpus: str | Iterable[Any],
    pretokenizer: Pretokenizer,
    special_tokens: tuple[str, ...],
    reporter: Reporter,
) -> WordCounts:
    counts: Counter[str] = Counter()
    single: Counter[str] = Counter()
    done, seen = 0, WhiteSpaceWords()
    for document in seen.documents(documents(corpus)):
        _stop_if_cancelled(reporter, done)
        at, around = 0, Surroundings(document, pretokenizer.leaves_out)
        for part, special in split_at(document, special_tokens):
            words = iter(()) if special else pretokenizer.words(part)
            while some := list(islice(words, _SLICE)):
                counts.update(word.text for word in some)
                single.update(word.text for word in some if around.leave_alone(word, at))
                _stop_if_cancelled(reporter, done)
            at += len(part)
        # Of line ends that are two characters one is forgotten; nobody will see it.
        done += len(document) + 1 if isinstance(corpus, str) else 1
    return WordCounts(
        tuple(counts),
        tuple(counts.values()),
        white_space_words=seen.total,
        alone=tuple(single[word] for word in counts),
    )


def _count_lines(
    corpus: str | Iterable[Any],
    pretokenizer: SentencePiecePretokenizer,
    special_tokens: tuple[str, ...],
    reporter: Reporter,
) -> WordCounts:
    counts: Counter[str] = Counter()
    line_ends: Counter[str] = Counter()
    joined: Counter[str] = Counter()
    numbers: dict[str, int] = {}
    order: list[int] | None = None if pretokenizer.split_by_whitespace else []
    # Each line by its last word and its first character.
    ends: list[tuple[int, str]] | None = None if pretokenizer.version == VERSIONS[0] else []
    done, lines, white_space_words = 0, documents(corpus), 0
    while block := list(islice(lines, _LINES)):
        _stop_if_cancelled(reporter, done)
        found = pretokenizer.training_words(block, special_tokens)
        for line, words in zip(block, found, strict=True):
            between = count_white_space_words(line) if pretokenizer.takes(line) else 0
            white_space_words += between
            if not words and pretokenizer.takes(line):
                if order is not None:
                    order.append(-1)
                if ends is not None:
                    ends.append(_EMPTY)
            if words:
                counts.update(words)
                line_ends[words[-1]] += 1
                joined.update(joined_in_line(line, between, words, pretokenizer, special_tokens))
                if order is not None or ends is not None:
                    met = [numbers.setdefault(word, len(numbers)) for word in words]
                    if order is not None:
                        order += met
                    if ends is not None:
                        ends.append((met[-1], words[0][0]))
        done += sum(map(len, block)) + len(block) if isinstance(corpus, str) else len(block)
    if order is not None:
        _without_empty(order, -1, pretokenizer.version)
    return WordCounts(
        tuple(counts),
        tuple(counts.values()),
        tuple(line_ends[word] for word in counts),
        None if order is None else tuple(order),
        white_space_words,
        tuple(count - joined[word] for word, count in counts.items()),
        borders=None if ends is None else _borders(ends, pretokenizer.version),
    )


def _borders(lines: list[tuple[int, str]], version: str) -> frozenset[tuple[int, str]]:
    """The last word of each line with the first character of the next; "" after the last line.

    >>> sorted(_borders([(5, " "), _EMPTY, (6, " "), (7, "a")], "0.2.3"))
    [(5, 'a'), (6, ''), (7, ' ')]
    """
    _without_empty(lines, _EMPTY, version)
    begins = [begin for _, begin in lines]
    return frozenset(zip((word for word, _ in lines), [*begins, ""][1:], strict=True))


def _without_empty(lines: list[_Line], empty: _Line, version: str) -> None:
    """Takes out lines that are empty as the library does (LoadSentences): the last line moves to
    where one was. 0.2.1 does not look at it again, so an empty one may stay.

    >>> lines = [0, -1, 1, -1, -1, 2, -1]
    >>> _without_empty(lines, -1, "0.2.1")
    >>> lines
    [0, -1, 1, 2]
    """
    at = 0
    while at < len(lines):
        if gone := lines[at] == empty:
            lines[at] = lines[-1]
            lines.pop()
        at += not gone or version == VERSIONS[0]


def _reporter(corpus: str | Iterable[Any], progress: ProgressCallback | None) -> Reporter:
    if progress is None:
        return Reporter("documents", 0, None)
    if isinstance(corpus, str):
        return Reporter("characters", len(corpus), progress)

    def told(report: Progress) -> bool | None:
        # How many documents there are may not be known before the last.
        return progress(replace(report, total=max(report.total, report.done)))

    return Reporter("documents", length_hint(corpus), told)


def _stop_if_cancelled(reporter: Reporter, done: int) -> None:
    if reporter.cancelled(done):
        raise Cancelled(message("Cancelled while counting words."))


class Cancelled(Exception):
    """The progress callback asked to stop before there was anything to keep.

    >>> import tokviz
    >>> tokviz.train("low lower", "unigram", 6, progress=lambda _: False)
    Traceback (most recent call last):
    tokviz.text.corpus.Cancelled: Cancelled while counting words.
    """
