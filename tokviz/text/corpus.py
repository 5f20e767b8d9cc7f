"""Documents become distinct words with integer counts, in the order in which they are first met.

That order is part of the definition: it decides ties (see `trainers`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice
from operator import length_hint
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from tokviz.basics.errors import CorpusError as CorpusError
from tokviz.basics.messages import message
from tokviz.basics.progress import Progress, ProgressCallback, Reporter
from tokviz.basics.short_repr import short_repr
from tokviz.core.host import is_there
from tokviz.pretokenizers import (
    BlockPretokenizer,
    PatternError,
    Pretokenizer,
    RegexPretokenizer,
    SentencePiecePretokenizer,
    Word,
)
from tokviz.pretokenizers.blocks import document_blocks, text_blocks
from tokviz.pretokenizers.normalizer import VERSIONS
from tokviz.text.given_corpus import MAX_TOTAL as MAX_TOTAL
from tokviz.text.given_corpus import Corpus as Corpus
from tokviz.text.given_corpus import as_corpus, words_and_counts
from tokviz.text.given_corpus import documents as documents
from tokviz.text.white_space import (
    Surroundings,
    WhiteSpaceWords,
    count_white_space_words,
    joined_in_line,
)
from tokviz.text.word_counter import WordCounter

#: Words that are counted between two looks at the clock, where they come one by one.
_SLICE = 10_000

#: Characters of a text whose words are counted one by one: that takes less than to begin with
#: blocks.
SHORT = 2000

#: Lines that SentencePiece's pre-tokenizer normalizes together.
_LINES = 200

#: Nobody could read a longer word; of a shorter one the player shows the beginning.
LONGEST_SHOWN = 100_000

#: A line of which nothing is left, by its last word and its first character.
_EMPTY = (-1, "")
_Line = TypeVar("_Line")

#: What an excerpt may take by a pattern of one's own.
EXCERPT_SECONDS = 3.0


@dataclass(frozen=True)
class Languages:
    """How often each language has each word of a corpus, and the words of the development texts.

    `counts` has a row for each of the `names`, with a number for each word of the corpus;
    `development` has one for each of the `development_words`, which may be others.
    """

    __repr__ = short_repr

    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    development_words: tuple[str, ...] = ()
    development: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class WordCounts:
    """Distinct words and how often each occurs, in first-occurrence order.

    `line_ends` says how often each was the last of its line; None: it was not counted, and every
    word is taken for a line of its own. `order` are the numbers of the words of a corpus, line
    after line as the library goes through them, where each line is one word (-1: it is empty); None
    otherwise, and where nobody knows any more. `borders` are the words that end a line, each with
    every character that the line after it begins with ("" after the last line); None: it was not
    looked at, or nobody knows any more. Only the trainers of SentencePiece ask for these.

    `white_space_words` is how many words the text itself has between its white space, whatever cut
    it into these (see `tokviz.text.white_space`); of lines that a pre-tokenizer does not read none
    are counted. `alone` is how often each word is one of these by itself, with nothing but white
    space besides: "don't" of GPT-2's words never is. None: nobody knows, because the corpus was a
    word-count table, whose own words are all there are, or the file that the words are from was
    written before they were counted. `languages` is known where the text was parted into some (see
    `tokviz.text.languages`).

    >>> WordCounts(("low", "lower"), (5, 2)).total
    7
    """

    __repr__ = short_repr

    words: tuple[str, ...]
    counts: tuple[int, ...]
    line_ends: tuple[int, ...] | None = field(default=None, repr=False)
    order: tuple[int, ...] | None = field(default=None, repr=False, compare=False)
    white_space_words: int | None = field(default=None, repr=False, compare=False)
    alone: tuple[int, ...] | None = field(default=None, repr=False, compare=False)
    languages: Languages | None = field(default=None, repr=False)
    borders: frozenset[tuple[int, str]] | None = field(default=None, repr=False, compare=False)

    @property
    def white_space_known(self) -> bool:
        """Whether figures per white-space word can be told: files of a few days know how many there
        are, but not which words are one by themselves, and count as those that know neither.

        >>> WordCounts(("low",), (5,)).white_space_known
        False
        """
        return self.white_space_words is not None and self.alone is not None

    @cached_property
    def total(self) -> int:
        """Words of the corpus, repetitions included."""
        return sum(self.counts)

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class CountedWords(Mapping[str, int]):
    """Words that were counted before, and how: a corpus that is trained as its text would be.

    `settings` are those of the trainer that the words depend on, as far as they were given.

    >>> import tokviz
    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> words = CountedWords(WordCounts(("low", "lower"), (5, 2)), make_pretokenizer("whitespace"))
    >>> history = tokviz.train(words, "bpe", 6)
    >>> history.pretokenizer.name, history.steps[0].token
    ('whitespace', 'lo')
    """

    __repr__ = short_repr

    words: WordCounts
    pretokenizer: Pretokenizer
    special_tokens: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _table(self) -> dict[str, int]:
        return dict(zip(self.words.words, self.words.counts, strict=True))

    def __getitem__(self, word: str) -> int:
        return self._table[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words.words)

    def __len__(self) -> int:
        return len(self.words)


class Piece(NamedTuple):
    """A stretch of a document: a word, or (`special`) a special token that is kept whole."""

    word: Word
    special: bool

    def __repr__(self) -> str:
        return short_repr(self)


def pieces(
    text: str,
    pretokenizer: Pretokenizer,
    special_tokens: tuple[str, ...] = (),
    ends: re.Pattern[str] | None = None,
) -> Iterator[Piece]:
    """The words of one document, with special tokens kept whole (the longest first); or, where
    `ends` says what is between two documents, of several.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> [p.word.text for p in pieces("a b<s>c", make_pretokenizer("whitespace"), ("<s>",))]
    ['a', 'b', '<s>', 'c']
    """
    at = 0
    for part, special in _split(text, special_tokens):
        if special:
            yield Piece(Word(part, at, at + len(part)), True)
        else:
            for start, document in _between(part, ends):
                for word in pretokenizer.words(document):
                    by = at + start
                    yield Piece(_shifted(word, by) if by else word, False)
        at += len(part)


def _between(text: str, ends: re.Pattern[str] | None) -> Iterator[tuple[int, str]]:
    """What is between the matches of a pattern, and where it begins.

    >>> list(_between("ab\\n\\nc", re.compile("\\n+")))
    [(0, 'ab'), (4, 'c')]
    """
    at = 0
    for end in ends.finditer(text) if ends else ():
        yield at, text[at : end.start()]
        at = end.end()
    yield at, text[at:]


def _split(text: str, special_tokens: tuple[str, ...]) -> list[tuple[str, bool]]:
    """A text at its special tokens; True marks those."""
    if not any(special_tokens):
        return [(text, False)]
    return [(part, bool(i % 2)) for i, part in enumerate(any_of(special_tokens).split(text))]


# There may be thousands of them, and as many lines.
@lru_cache(maxsize=16)
def any_of(special_tokens: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(filter(None, special_tokens), key=len, reverse=True)
    return re.compile("(" + "|".join(map(re.escape, longest_first)) + ")")


def excerpt(
    corpus: str,
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str],
    most_words: int,
    most_characters: int = 10_000,
) -> list[list[Piece]]:
    """The first words of a text, line by line, until a limit is passed: of words (a line counts as
    one at least) or of characters. A word that is longer than `LONGEST_SHOWN` is left out, and what
    follows in its line. A pattern that takes more than some seconds ends the excerpt.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> lines = excerpt("a b\\nc d", make_pretokenizer("whitespace"), (), most_words=3)
    >>> [[piece.word.text for piece in line] for line in lines]
    [['a', 'b'], ['c']]
    """
    lines: list[list[Piece]] = []
    end = monotonic() + EXCERPT_SECONDS
    for document in documents(corpus):
        if most_words <= 0 or most_characters <= 0:
            break
        if isinstance(pretokenizer, RegexPretokenizer):
            if (left := end - monotonic()) <= 0:
                break
            pretokenizer = replace(pretokenizer, timeout=min(pretokenizer.timeout, left))
        line: list[Piece] = []
        try:
            for piece in _beginning(document, pretokenizer, tuple(special_tokens)):
                line.append(piece)
                most_characters -= len(piece.word.text)
                if len(line) >= most_words or most_characters <= 0:
                    break
        except PatternError:
            break
        lines.append(line)
        most_words -= max(1, len(line))
    return lines


def _beginning(
    document: str, pretokenizer: Pretokenizer, special_tokens: tuple[str, ...]
) -> Iterator[Piece]:
    """The words at the beginning of a line, which may be a whole book."""
    text = document[: LONGEST_SHOWN + LONGEST_SHOWN // 4]
    for piece in pieces(text, pretokenizer, special_tokens):
        # Where the text was cut, the last word may be only a part of one.
        cut_off = len(text) < len(document) and piece.word.end >= len(text)
        if cut_off or len(piece.word.text) > LONGEST_SHOWN:
            return
        yield piece


def opening(corpus: Corpus, most: int) -> str | None:
    """The first lines of a text, as far as `most` characters go, or of one line that is longer the
    first words; None for a word-count table and for what can be read only once.

    >>> opening("to be or\\nnot to be", 12), opening(["to be or not"], 7), opening({"be": 2}, 9)
    ('to be or', 'to be', None)
    """
    if isinstance(corpus, str):
        text = corpus[: most + 1]
    elif isinstance(corpus, Sequence):
        text = ""
        for document in documents(corpus):
            text += document[: most + 1] + "\n"
            if len(text) > most + 1:
                break
        text = text[:-1][: most + 1]
    else:
        return None
    if len(text) <= most:
        return text
    ends = max(text.rfind("\n"), text.rfind("\r"), 0) or max(text.rfind(" "), 0)
    return text[: ends or most]


def _shifted(word: Word, by: int) -> Word:
    spans = word.spans and tuple((start + by, end + by) for start, end in word.spans)
    return Word(word.text, word.start + by, word.end + by, spans)


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
        for part, special in _split(document, special_tokens):
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
