"""What a word is made of before training, and how a symbol is written on the screen.

A symbol is kept apart from its display: a word-initial `##` typed in the text, a `Ġ` or a `</w>`
in it, never becomes the marker that looks the same. Where the two would read alike, the one from
the text is shown in angle brackets: `⟨Ġ⟩`. So is an opening bracket itself, and a lone surrogate as
its number: two symbols never share a display.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.pretokenizers import BYTE_TO_CHAR, byte_level, from_byte_level
from tokviz.pretokenizers.blocks import encoded

Ints: TypeAlias = npt.NDArray[np.int64]
#: Characters by number, of as few bits as they need.
Codes: TypeAlias = npt.NDArray[np.integer[Any]]

_CONTINUING, _ENDS_WORD = 1, 2
#: The code points of the characters that stand for bytes.
_BYTE_LEVEL = np.array([ord(BYTE_TO_CHAR[byte]) for byte in range(256)], np.int16)
#: Which of them only go on with a character: the bytes 10xxxxxx.
_CONTINUES = np.zeros(_BYTE_LEVEL.max() + 1, np.bool_)
_CONTINUES[_BYTE_LEVEL[0x80:0xC0]] = True

#: How a character that the vocabulary leaves out is shown, and whose id it has.
UNKNOWN = "<unk>"

_SURROGATE = re.compile("[\ud800-\udfff]")
_IN_BRACKETS = re.compile("[⟨\ud800-\udfff]")


class Symbol(NamedTuple):
    """A piece of a word: its text and the two markers it may carry.

    `text` holds characters, or byte-level characters when the unit is the byte; it is empty for
    an end-of-word suffix that stands alone. An `unknown` character is one that the vocabulary
    leaves out on purpose: it has the id of `<unk>` and is shown so.
    """

    text: str
    continuing: bool = False
    ends_word: bool = False
    unknown: bool = False

    def __add__(self, other: "Symbol") -> "Symbol":  # type: ignore[override]
        """What merging the two gives: the right one's continuing prefix goes.

        >>> tuple(Symbol("h") + Symbol("ug", continuing=True, ends_word=True))[:3]
        ('hug', False, True)
        """
        return Symbol(self.text + other.text, self.continuing, other.ends_word)


#: Every word is split into them, and they are few.
_starting = lru_cache(maxsize=1 << 14)(Symbol)


@dataclass(frozen=True)
class Spelling:
    """Splits words into starting symbols and writes symbols for people.

    >>> course = Spelling(unit="byte")
    >>> [course.show(s) for s in course.split(" é")]
    ['Ġ', 'Ã', '©']
    >>> sennrich = Spelling(end_of_word_suffix="</w>", suffix_glued=True)
    >>> [sennrich.show(s) for s in sennrich.split("low")]
    ['l', 'o', 'w</w>']
    >>> wordpiece = Spelling(continuing_subword_prefix="##")
    >>> [wordpiece.show(s) for s in wordpiece.split("hug")]
    ['h', '##u', '##g']
    """

    unit: str = "char"
    end_of_word_suffix: str = ""
    suffix_glued: bool = False
    continuing_subword_prefix: str = ""
    space_mark: str = " "

    def split(self, word: str) -> list[Symbol]:
        """The symbols that training starts from. An empty word has none."""
        text = self._text(word)
        if not text:
            return []
        continuing = bool(self.continuing_subword_prefix)
        symbols = [_starting(text[0])] + [_starting(char, continuing) for char in text[1:]]
        if self.end_of_word_suffix:
            if self.suffix_glued:
                symbols[-1] = symbols[-1]._replace(ends_word=True)
            else:
                symbols.append(Symbol("", ends_word=True))
        return symbols

    def symbols_of(self, words: Iterable[str]) -> set[Symbol]:
        """All symbols that splitting the words gives.

        >>> symbols = Spelling(continuing_subword_prefix="##").symbols_of(["ab", "b"])
        >>> sorted((symbol.text, symbol.continuing) for symbol in symbols)
        [('a', False), ('b', False), ('b', True)]
        """
        words = list(words)
        codes, marks = (
            self._coded(words)[:2] if self._has_marks else (self._codes("".join(words)), 0)
        )
        there = np.zeros((4, int(codes.max(initial=0)) + 1), np.bool_)
        there[marks, codes] = True
        symbols = {
            Symbol(chr(code), bool(mark & _CONTINUING), bool(mark & _ENDS_WORD))
            for mark, code in np.argwhere(there).tolist()
        }
        if self._has_bare_suffix and len(codes):
            symbols.add(Symbol("", ends_word=True))
        return symbols

    def numbered(self, words: Iterable[str], alphabet: Sequence[Symbol]) -> tuple[Codes, Ints]:
        """The words split into symbols, as their places in `alphabet`, one word after the other;
        and how many symbols each word has.

        >>> numbers, lengths = Spelling().numbered(["ab", "b"], [Symbol("b"), Symbol("a")])
        >>> numbers.tolist(), lengths.tolist()
        ([1, 0, 0], [2, 1])
        """
        codes, marks, lengths = self._coded(words)
        size = max((ord(symbol.text) for symbol in alphabet if symbol.text), default=0) + 1
        places = np.zeros((4, size), np.int32)
        for number, (text, continuing, ends_word, _) in enumerate(alphabet):
            if text:
                places[_CONTINUING * continuing + _ENDS_WORD * ends_word, ord(text)] = number
        numbers = places[marks, codes] if self._has_marks else places[0][codes]
        if self._has_bare_suffix and lengths.any():
            ends = np.cumsum(lengths)[lengths > 0]
            numbers = np.insert(numbers, ends, alphabet.index(Symbol("", ends_word=True)))
            lengths = lengths + (lengths > 0)
        return numbers, lengths

    def _coded(self, words: Iterable[str]) -> tuple[Codes, Ints, Ints]:
        """The characters of the words as code points, one word after the other; how each is marked
        (one 0 where none is); and how many each word has. A suffix that is a symbol of its own
        is left out."""
        words = list(words)
        text, lengths = "".join(words), np.fromiter(map(len, words), np.int64, len(words))
        codes = self._codes(text)
        if self.unit == "byte" and len(codes) > len(text):
            # Every byte but 10xxxxxx begins a character: before the k-th of the others there are as
            # many characters as bytes, but for k.
            others = np.flatnonzero(_CONTINUES[codes])
            characters = others - np.arange(1, len(others) + 1)
            words_of = np.searchsorted(np.cumsum(lengths), characters, side="right")
            lengths += np.bincount(words_of, minlength=len(lengths))
        if not self._has_marks:
            return codes, np.zeros(1, np.int64), lengths
        ends = np.cumsum(lengths)[lengths > 0]
        marks = np.full(len(codes), _CONTINUING * bool(self.continuing_subword_prefix))
        marks[np.append(0, ends)[:-1]] = 0
        marks[ends - 1] += _ENDS_WORD * self._glued
        return codes, marks, lengths

    def _codes(self, text: str) -> Codes:
        """The code points of a text, or of its bytes as they are written."""
        if self.unit == "byte":
            return _BYTE_LEVEL[np.frombuffer(encoded(text), np.uint8)]
        return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")

    @property
    def _has_marks(self) -> bool:
        return bool(self.continuing_subword_prefix) or self._glued

    @property
    def _glued(self) -> bool:
        return self.suffix_glued and bool(self.end_of_word_suffix)

    @property
    def _has_bare_suffix(self) -> bool:
        return bool(self.end_of_word_suffix) and not self.suffix_glued

    def _text(self, word: str) -> str:
        return byte_level(word) if self.unit == "byte" else word

    def whole(self, word: str) -> Symbol:
        """A word as a single symbol, without an end-of-word suffix."""
        return Symbol(byte_level(word) if self.unit == "byte" else word)

    def show(self, symbol: Symbol) -> str:
        """The displayed string: markers written out, look-alikes from the text in ⟨ ⟩."""
        if symbol.unknown or self._has_look_alikes(symbol):
            return "".join(part for part, _ in self.parts(symbol))
        return self.plain(symbol)

    def _has_look_alikes(self, symbol: Symbol) -> bool:
        """Whether anything of the text is shown in brackets. Nearly always nothing is, and every
        token of a vocabulary and of a text is shown."""
        text, continuing, ends_word, _ = symbol
        prefix, suffix = self.continuing_subword_prefix, self.end_of_word_suffix
        if prefix and not continuing and text.startswith(prefix):
            return True
        if suffix and not ends_word and text.endswith(suffix):
            return True
        if self.unit == "byte":
            return False
        if self.space_mark != " " and self.space_mark in text:
            return True
        return not text.isascii() and _IN_BRACKETS.search(text) is not None

    def parts(self, symbol: Symbol) -> list[tuple[str, bool]]:
        """The displayed string in parts; True marks a marker that is not text.

        >>> Spelling(space_mark="▁").parts(Symbol(" a▁"))
        [('▁', True), ('a⟨▁⟩', False)]
        """
        if symbol.unknown:
            return [(UNKNOWN, True)]
        prefix, suffix = self.continuing_subword_prefix, self.end_of_word_suffix
        parts = [(prefix, True)] if symbol.continuing else []
        text, tail = symbol.text, ""
        if prefix and not symbol.continuing and text.startswith(prefix):
            parts.append((f"⟨{prefix}⟩", False))
            text = text[len(prefix) :]
        if suffix and not symbol.ends_word and text.endswith(suffix):
            text, tail = text[: -len(suffix)], f"⟨{suffix}⟩"
        parts += self._with_spaces(text)
        if tail:
            parts.append((tail, False))
        return [*parts, (suffix, True)] if symbol.ends_word else parts

    def _with_spaces(self, text: str) -> list[tuple[str, bool]]:
        mark, space = self.space_mark, " "
        if self.unit == "byte":
            # In the byte-level alphabet only a space is written Ġ: the letter Ġ is two bytes.
            mark = space = "Ġ"
        else:
            text = text.replace("⟨", "⟨⟨⟩")
            if mark != " ":
                text = text.replace(mark, f"⟨{mark}⟩")
            # No screen, file or table takes a lone surrogate.
            text = _SURROGATE.sub(lambda found: f"⟨{ord(found[0]):X}⟩", text)
        if mark == " ":
            return [(text, False)] if text else []
        parts: list[tuple[str, bool]] = []
        for i, run in enumerate(text.split(space)):
            if i:
                parts.append((mark, True))
            if run:
                parts.append((run, False))
        return parts

    def bytes_of(self, symbol: Symbol) -> bytes:
        """The UTF-8 bytes of the text that the symbol covers, markers not included."""
        if self.unit == "byte":
            return from_byte_level(symbol.text)
        return symbol.text.encode("utf-8", "surrogatepass")

    def order(self, symbol: Symbol) -> str:
        """What "lexicographically greatest" compares: bytes as bytes, characters as displayed."""
        if self.unit == "char":
            return self.plain(symbol)
        prefix = self.continuing_subword_prefix if symbol.continuing else ""
        suffix = self.end_of_word_suffix if symbol.ends_word else ""
        return prefix + from_byte_level(symbol.text).decode("latin-1") + suffix

    def plain(self, symbol: Symbol) -> str:
        """The string as a library would hold it: markers, and nothing in ⟨ ⟩.

        >>> Spelling(space_mark="▁").plain(Symbol(" ▁"))
        '▁▁'
        """
        prefix = self.continuing_subword_prefix if symbol.continuing else ""
        suffix = self.end_of_word_suffix if symbol.ends_word else ""
        text = symbol.text.replace(" ", self.space_mark) if self.unit == "char" else symbol.text
        return prefix + text + suffix


class SymbolTable:
    """Symbols by number and vocabulary strings by id, as merges add to them.

    Ids go to special tokens first, then to the alphabet in the order given, then to merges. A
    symbol whose string already has an id takes that one, and the vocabulary does not grow; an
    unknown character takes that of `<unk>`, which must be among the special tokens.

    >>> table = SymbolTable(Spelling(), ["ab"], [Symbol("a"), Symbol("b")])
    >>> table.merge(0, 1), table.merge(1, 1), table.strings()
    (False, True, ['ab', 'a', 'b', 'bb'])
    >>> table.ids
    [1, 2, 0, 3]
    """

    def __init__(
        self, spelling: Spelling, special_tokens: Iterable[str], alphabet: Iterable[Symbol]
    ) -> None:
        self.spelling = spelling
        self.symbols: list[Symbol] = []
        self.ids: list[int] = []
        self._special = {string: i for i, string in enumerate(special_tokens)}
        self._ids: dict[Symbol, int] = {}
        self._size = len(self._special)
        for symbol in alphabet:
            self._add(symbol)

    def __len__(self) -> int:
        """How many strings the vocabulary has."""
        return self._size

    def special_id(self, symbol: Symbol) -> int | None:
        """The id of the special token that a symbol looks like; None if there is none.

        >>> SymbolTable(Spelling(), ["ab"], ()).special_id(Symbol("ab"))
        0
        """
        return self._special.get(self.spelling.show(symbol)) if self._special else None

    def shows_special(self, text: str) -> bool:
        """Whether a symbol without markers looks like a special token.

        >>> table = SymbolTable(Spelling(), ["ab"], ())
        >>> table.shows_special("ab"), table.shows_special("b")
        (True, False)
        """
        return bool(self._special) and self.special_id(Symbol(text)) is not None

    def is_special_part(self, symbol: Symbol) -> bool:
        """Whether merging the symbol may give one that looks like a special token. False is
        certain.

        >>> table = SymbolTable(Spelling(), ["abc"], ())
        >>> [table.is_special_part(Symbol(text)) for text in ("bc", "ac")]
        [True, False]
        """
        if not self._special or _SURROGATE.search(symbol.text):
            return bool(self._special)
        # Spaces are shown as marks, and look-alikes are put in brackets.
        marks = str.maketrans("", "", f"⟨⟩ {self.spelling.space_mark}")
        text = symbol.text.translate(marks)
        return any(text in special.translate(marks) for special in self._special)

    def merge(self, left: int, right: int) -> bool:
        """Adds what merging two symbols gives; True if the vocabulary grew."""
        return self._add(self.symbols[left] + self.symbols[right])

    def repeat(self, number: int) -> None:
        """Gives a symbol one more number.

        >>> table = SymbolTable(Spelling(), (), [Symbol("a"), Symbol("b")])
        >>> table.repeat(0), table.ids, len(table)
        (None, [0, 1, 0], 2)
        """
        self._add(self.symbols[number])

    def shown(self) -> list[str]:
        """Every symbol as displayed."""
        return list(map(self.spelling.show, self.symbols))

    def strings(self) -> list[str]:
        """The vocabulary in id order."""
        own = sorted((i, symbol) for symbol, i in self._ids.items() if i >= len(self._special))
        return [*self._special, *(self.spelling.show(symbol) for _, symbol in own)]

    def _add(self, symbol: Symbol) -> bool:
        token_id = self._ids.get(symbol)
        grows = token_id is None
        if token_id is None:
            # Two symbols never share a display, so only a special token can look like a new one:
            # where there is none, no display has to be made.
            special = self.special_id(symbol)
            grows = special is None
            token_id = self._size if special is None else special
            self._size += grows
            self._ids[symbol] = token_id
        self.symbols.append(symbol)
        self.ids.append(token_id)
        return grows
