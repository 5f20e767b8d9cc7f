"""A text in pieces: its words and special tokens, in their order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from time import monotonic
from typing import NamedTuple

from tokviz.basics.short_repr import short_repr
from tokviz.pretokenizers import PatternError, Pretokenizer, RegexPretokenizer, Word
from tokviz.text.given_corpus import Corpus, documents

#: Nobody could read a longer word; of a shorter one the player shows the beginning.
LONGEST_SHOWN = 100_000

#: What an excerpt may take by a pattern of one's own.
EXCERPT_SECONDS = 3.0


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
    for part, special in split_at(text, special_tokens):
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


def split_at(text: str, special_tokens: tuple[str, ...]) -> list[tuple[str, bool]]:
    """A text in parts, at its special tokens; True marks those.

    >>> split_at("a<s>b", ("<s>",))
    [('a', False), ('<s>', True), ('b', False)]
    """
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
