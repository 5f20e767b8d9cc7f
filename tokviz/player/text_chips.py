"""HTML of a text's tokens as chips, each above its id: characters that are cut stay readable above
their parts, and those of several bytes stand above these."""

from collections.abc import Collection, Iterable, Iterator
from itertools import compress
from typing import NamedTuple

from tokviz.encoding.by_character import CharacterGroup, by_character, characters_of_bytes
from tokviz.encoding.bytes_view import ByteView
from tokviz.encoding.encoders import named_byte
from tokviz.encoding.faces import face, reads_from_right
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.history.colours import colour_of_stranger
from tokviz.player.chips import MOST_SHOWN, chip, parts_shown, shown
from tokviz.text.symbols import Symbol


class TextChips(NamedTuple):
    """The HTML of a text's first tokens, how many these are, and what is among them: signs for a
    "space", for what "goes on" in a word or "ends" it, "bytes" below characters, "cut" characters,
    "special" and "unknown" tokens, text that is "left out"."""

    html: str
    tokens: int
    kinds: frozenset[str]


def text_chips(
    tokenizer: Tokenizer,
    encoding: Encoding,
    text: str,
    most: int,
    lit: Collection[int] = (),
) -> TextChips:
    """Return the chips of the first tokens of a text, at most `most`. In front of the tokens with
    the numbers `lit` stands a mark.

    >>> import tokviz
    >>> tokenizer = tokviz.train("né né", "bpe", 5, unit="byte").tokenizer()
    >>> drawn = text_chips(tokenizer, tokenizer.encode("né"), "né", 9)
    >>> drawn.tokens, sorted(drawn.kinds)
    (2, ['cut'])
    >>> print(drawn.html[37:].split("</bdi>")[0])
    <span class="tv-stack"><bdi>né
    """
    drawing = _Drawing(tokenizer, encoding, text, frozenset(lit))
    groups, done = list[tuple[str, str]](), 0
    for group in by_character(text, encoding.offsets):
        if done >= most:
            break
        last = min(group.end, group.first + most - done)
        groups.append((text[group.start : group.stop], drawing.group(group, last)))
        done = last
    way = "rtl" if reads_from_right(text) else "ltr"
    html = f'<div class="tv-text-chips" dir="{way}">{"".join(in_runs(groups, way))}</div>'
    return TextChips(html, done, frozenset(drawing.kinds))


def in_runs(groups: Iterable[tuple[str, str]], way: str) -> Iterator[str]:
    """Return the HTML of groups, each given behind what it is of a text. Neighbours that are read
    the other way than the line are in a row of their own, with the spaces and signs between them.

    >>> [*in_runs([("a", "a"), (" ", "_"), ("א", "1"), (" ", "_"), ("ב", "2"), (".", ".")], "ltr")]
    ['a', '_', '<span class="tv-run" dir="rtl">1_2</span>', '.']
    >>> [*in_runs([("א", "1"), ("7", "7"), ("8", "8"), ("\\n", "")], "rtl")]
    ['1', '<span class="tv-run" dir="ltr">78</span>', '']
    """
    other = "ltr" if way == "rtl" else "rtl"
    run, waiting = list[str](), list[str]()

    def ended() -> list[str]:
        row = [f'<span class="tv-run" dir="{other}">{"".join(run)}</span>'] if run else []
        done = [*row, *waiting]
        run.clear()
        waiting.clear()
        return done

    for read, html in groups:
        letter = next((char for char in read if char.isalnum()), None)
        if letter and other == ("rtl" if reads_from_right(letter) else "ltr"):
            run += [*waiting, html]
            waiting.clear()
        elif run and letter is None and "\n" not in read:
            waiting.append(html)
        else:
            yield from [*ended(), html]
    yield from ended()


class _Drawing:
    """What is drawn of one encoding; `kinds` is what has been drawn so far."""

    def __init__(
        self, tokenizer: Tokenizer, encoding: Encoding, text: str, lit: frozenset[int]
    ) -> None:
        self._tokenizer, self._encoding, self._text, self._lit = tokenizer, encoding, text, lit
        self.kinds = set[str]()

    def group(self, group: CharacterGroup, last: int) -> str:
        """Return a group's tokens before number `last`, and what of the text they are."""
        read = self._text[group.start : group.stop]
        ends_line = '<span class="tv-line-end"></span>' if read.endswith("\n") else ""
        if group.first == group.end:
            return self._left_out(read) + ends_line
        cells = "".join(map(self._cell, range(group.first, last)))
        if group.end - group.first > 1:
            self.kinds.add("cut")
        elif self._byte(group.first) is None and not self._is_unknown(group.first):
            return cells + ends_line
        way = ' dir="rtl"' if reads_from_right(read) else ""
        return (
            f'<span class="tv-stack"><bdi>{_cropped(read)}</bdi>'
            f'<span class="tv-under"{way}>{cells}</span></span>{ends_line}'
        )

    def _left_out(self, read: str) -> str:
        if read.isspace():
            return '<span class="tv-space"> </span>'
        self.kinds.add("left out")
        return f'<bdi class="tv-left-out">{_cropped(read)}</bdi>'

    def _cell(self, number: int) -> str:
        token_id = self._encoding.ids[number]
        mark = " apart" if number in self._lit else ""
        told = "–" if token_id is None else str(token_id)
        return (
            f'<span class="tv-cell{mark}">{self._chip(number)}{self._bytes(number)}'
            f'<span class="tv-id">{told}</span></span>'
        )

    def _chip(self, number: int) -> str:
        token, token_id = self._encoding.tokens[number], self._encoding.ids[number]
        colour = colour_of_stranger(token)
        if (value := self._byte(number)) is not None:
            return f'<span class="chip h{colour}"><span class="b">{value:02X}</span></span>'
        if self._is_unknown(number):
            self.kinds.add("unknown")
            inside = _cropped(token)
            if token_id is None and self._tokenizer.spelling.unit == "byte":
                inside = parts_shown(face(self._tokenizer.spelling, Symbol(token)))
            return f'<span class="chip special unknown">{inside}</span>'
        symbol = None if token_id is None else self._tokenizer.symbols[token_id]
        if symbol is None:
            self.kinds.add("special")
        else:
            space = "Ġ" if self._tokenizer.spelling.unit == "byte" else " "
            signs = space in symbol.text, symbol.continuing, symbol.ends_word
            self.kinds.update(compress(("space", "goes on", "ends"), signs))
        return chip(self._tokenizer.spelling, token, symbol, colour)

    def _bytes(self, number: int) -> str:
        """Return the bytes of those characters of a token that have several."""
        views = characters_of_bytes(self._tokenizer, self._encoding.ids[number])[:MOST_SHOWN]
        wide = [view for view in views if view.char and not view.char.isascii()]
        if not wide:
            return ""
        self.kinds.add("bytes")
        told = "".join(f"<bdi>{_hexadecimal(view.bytes)}</bdi>" for view in wide)
        way = ' dir="rtl"' if reads_from_right("".join(view.char or "" for view in wide)) else ""
        return f'<span class="tv-cell-bytes"{way}>{told}</span>'

    def _is_unknown(self, number: int) -> bool:
        return self._tokenizer.is_unknown(self._encoding, number, self._text)

    def _byte(self, number: int) -> int | None:
        """Return the byte whose name a token is, such as <0xE2>."""
        start, stop = self._encoding.offsets[number]
        return named_byte(self._encoding.tokens[number], self._text[start:stop])


def _cropped(text: str) -> str:
    return shown(text[:MOST_SHOWN]) + ("…" if len(text) > MOST_SHOWN else "")


def _hexadecimal(views: tuple[ByteView, ...]) -> str:
    return " ".join(f"{view.value:02X}" for view in views)
