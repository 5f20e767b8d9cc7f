"""What the libraries of opened files have in common here: they cut a text, and decode ids.

A file is run by its own library: `tokenizers` (tokenizer.json), `sentencepiece` (.model) or
`tiktoken` (ranks). What its model saw, and where in the text that came from, is the library's as
well; nothing of what it does to a text is done again here.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import repeat
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.basics.short_repr import short_repr
from tokviz.formats.readers.bounded_json import TokenizerFileError, brief
from tokviz.pretokenizers import BYTE_TO_CHAR, Word

#: The files' own sign for a space.
MARK = "▁"
#: The characters that stand for bytes, by these.
_CHARS = dict(BYTE_TO_CHAR)


class Split(NamedTuple):
    """A stretch of a text that a library encodes by itself, and what it made of it.

    `word` is what its model is given, in its own characters; `special` says that it is an added
    token, which is found in the text and given to no model. `offsets` are the library's own, which
    are not always true (see `opened_parts`), or `exact`: those of the characters that each token
    stands for.
    """

    word: Word
    special: bool
    ids: tuple[int, ...]
    offsets: tuple[tuple[int, int], ...]
    exact: bool = False

    def __repr__(self) -> str:
        return short_repr(self)


class Spelled(NamedTuple):
    """A text of which every token is known to stand for a stretch, in order, and none is added: the
    words that the model is given, with the first and the last place of each, how many tokens there
    are up to the end of each, and where each token is. With `in_bytes` the model is given words in
    characters that stand for bytes, and `texts` are not in these. `first` are the sources of the
    characters of the first word, if it is no stretch of the text (see `Word`)."""

    texts: list[str]
    starts: list[int]
    ends: list[int]
    until: list[int]
    offsets: list[tuple[int, int]]
    in_bytes: bool = False
    first: tuple[tuple[int, int], ...] | None = None

    def __repr__(self) -> str:
        return short_repr(self)

    def words(self) -> list[Word]:
        """The words in the library's own characters.

        >>> spelled = Spelled(["aé", "b"], [0, 2], [2, 3], [1, 2], [(0, 2), (2, 3)], in_bytes=True)
        >>> [(word.text, word.spans) for word in spelled.words()]
        [('aÃ©', ((0, 1), (1, 2), (1, 2))), ('b', None)]
        """
        words = self.words_of(self.texts)
        return [*map(_in_bytes, words)] if self.in_bytes else words

    def words_of(self, texts: list[str]) -> list[Word]:
        """The words, written in another way that has as many characters.

        >>> Spelled(["▁a", "b"], [0, 2], [2, 3], [1, 2], [(0, 2), (2, 3)]).words_of([" a", "b"])
        [Word(text=' a', start=0, end=2, spans=None), Word(text='b', start=2, end=3, spans=None)]
        """
        # Word by word, `Word(…)` would take four times as long.
        columns = zip(texts, self.starts, self.ends, repeat(None))
        words = [*map(tuple.__new__, repeat(Word), columns)]
        if self.first:
            words[0] = words[0]._replace(spans=self.first)
        return words

    def splits(self, ids: list[int]) -> Iterator[Split]:
        """The words with their ids."""
        at = 0
        for word, last in zip(self.words(), self.until, strict=True):
            yield Split(word, False, tuple(ids[at:last]), tuple(self.offsets[at:last]), exact=True)
            at = last


def _in_bytes(word: Word) -> Word:
    """A stretch of a text in the characters that stand for its bytes."""
    text, start, end, _ = word
    data, spans = text.encode(), None
    if len(data) > len(text):
        of_byte, _ = characters_of(data)
        spans = tuple((start + i, start + i + 1) for i in of_byte.tolist())
    return Word(data.decode("latin-1").translate(_CHARS), start, end, spans)


class Begun(NamedTuple):
    """What a library makes of a text: its ids; what works out its splits, or all that these say in
    columns; and what works out where each token is, and gives None where only the splits say it."""

    ids: list[int]
    rest: Callable[[], Iterator[Split] | Spelled]
    offsets: Callable[[], list[tuple[int, int]] | None] = lambda: None


class Library(Protocol):
    """A file as its library has read it. All ways to ask raise TokenizerFileError with a sentence
    where the library fails."""

    def splits(self, text: str) -> list[Split]:
        """What a text is cut into, in order, with its ids. A half of a surrogate pair, which no
        library takes, is U+FFFD for it."""

    def decode(self, ids: list[int], new: Mapping[int, str] | None = None) -> str:
        """The text of ids that the file has, or that `new` says the tokens of, as the file would
        write them."""

    def about(self) -> Any:
        """What the library says of the file that its contents do not; None for nothing. Where it
        reads the file in another process, this waits until it has, and raises what it refuses the
        file with."""


class LibraryHere(ABC):
    """A `Library` in this process: it tells the ids of a text before what they are the ids of."""

    @abstractmethod
    def begun(self, text: str) -> Begun:
        """The ids of a text, and what works out the rest. Raises what `splits` raises, but for
        what finding the words takes too long for: that may come when they are worked out."""

    def splits(self, text: str) -> list[Split]:
        """See `Library`."""
        ids, rest, _ = self.begun(text)
        found = rest()
        return [*(found.splits(ids) if isinstance(found, Spelled) else found)]


#: Reads a file with the library of that name ("tokenizers", "sentencepiece", "tiktoken") and the
#: arguments of its class: in this process, or in another one.
Host: TypeAlias = Callable[..., Library]


@contextmanager
def failing(library: str) -> Iterator[None]:
    """Makes a sentence of whatever a library raises, a panic of its native code included.

    >>> with failing("tiktoken"):
    ...     raise KeyError("a rank")
    Traceback (most recent call last):
    ...
    tokviz.formats.readers.bounded_json.TokenizerFileError: The library tiktoken fails here: "'a \
rank'".
    """
    try:
        yield
    except (TokenizerFileError, MemoryError):
        raise
    except BaseException as error:
        # What Rust panics with is no Exception, and has no module to import it from.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        raise TokenizerFileError.saying(
            "The library {library} fails here: {error}.",
            library=library,
            error=brief(str(error), 200),
        ) from None


def readable(text: str) -> tuple[str, list[int] | None]:
    """A text as libraries take it: two halves of a surrogate pair are their character, one alone is
    U+FFFD. And where each character, and the end, is in the text; None if that is the same place.

    >>> readable("a😀"), readable("\\ud83d\\ude00b\\ud83d")
    (('a😀', None), ('😀b�', [0, 2, 3, 4]))
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        known = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    else:
        return text, None
    places = [0]
    for char in known:
        at = places[-1]
        halves = char > "\uffff" and "\ud800" <= text[at] < "\udc00"
        places.append(at + 1 + halves)
    return known, places


def characters_of(data: bytes) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Of UTF-8, the number of the character that each byte is of, and the first byte of each
    character, and the end.

    >>> of_byte, first = characters_of("aéb".encode())
    >>> of_byte.tolist(), first.tolist()
    ([0, 1, 1, 2], [0, 1, 3, 4])
    """
    begins = (np.frombuffer(data, np.uint8) & 0xC0) != 0x80
    return begins.cumsum() - 1, np.append(begins.nonzero()[0], len(data))


def placed(splits: Iterable[Split], places: list[int] | None) -> Iterator[Split]:
    """The splits with the places that `readable` gave."""
    if places is None:
        yield from splits
        return

    def of(span: tuple[int, int]) -> tuple[int, int]:
        return places[span[0]], places[span[1]]

    for split in splits:
        text, start, end, spans = split.word
        if spans is None:
            spans = tuple((i, i + 1) for i in range(start, end))
        word = Word(text, *of((start, end)), tuple(map(of, spans)))
        yield split._replace(word=word, offsets=tuple(map(of, split.offsets)))
