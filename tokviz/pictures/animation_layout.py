"""Where the tokens of some words stand in an animation, and in which of its states.

Every starting symbol of a word has the same room in all states, wide enough for whatever token it
is ever a part of, so a step moves nothing: only chips join or part.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate, pairwise
from operator import add
from typing import NamedTuple

import numpy as np

from tokviz.basics.errors import SettingError
from tokviz.encoding.faces import drawn, face, reads_from_right
from tokviz.history.base import History
from tokviz.text.given_corpus import documents
from tokviz.text.pieces import pieces
from tokviz.text.symbols import UNKNOWN, Symbol

#: Symbols that one animation shows: more cannot be read on a slide.
MOST_SYMBOLS = 400

#: Pixels: a character of plain text, around the text of a chip, between chips, between words.
CELL, PAD, GAP, SPACE = 10.0, 5.0, 2.0, 10.0
#: How wide the small characters of bytes and long markers are beside plain ones.
SMALL = 0.75


class Chip(NamedTuple):
    """A token at a place of a word, in the states [since, until) counted from the first one shown.
    `x` and `width` are pixels; `string` is the token as displayed, `parts` its face."""

    string: str
    parts: list[tuple[str, str]]
    x: float
    width: float
    since: int
    until: int


class Mark(NamedTuple):
    """What one state, counted from the first one shown, says about a place of a word: "new" (a
    token that came with the step before), "next" (tokens that the next step joins), "doomed" (one
    that it takes away)."""

    kind: str
    x: float
    width: float
    state: int


@dataclass(frozen=True)
class PlacedWord:
    """A word with everything that it shows in some state. `new_row` begins a row with it."""

    width: float
    chips: list[Chip]
    marks: list[Mark]
    new_row: bool
    from_right: bool


def place_words(history: History, texts: Sequence[str], first: int, last: int) -> list[PlacedWord]:
    """Words of the corpus, or lines whose words are in it, as segmented in states first to last.

    Raises ValueError for a word that the corpus does not hold, for texts without words, and for
    more than 400 symbols.

    >>> import tokviz
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> [word] = place_words(history, ["low"], 0, 2)
    >>> [(chip.string, chip.since, chip.until) for chip in word.chips]
    [('l', 0, 1), ('o', 0, 1), ('w', 0, 2), ('lo', 1, 2), ('low', 2, 3)]
    >>> [(mark.kind, mark.state) for mark in word.marks]
    [('next', 0), ('new', 1), ('next', 1), ('new', 2)]
    """
    number = {word: i for i, word in enumerate(history.words.words)}
    wanted = list(_words(history, texts))
    n_symbols = 0
    for text, special, _ in wanted:
        if not special and text not in number:
            raise SettingError.saying(
                "“{text}” is not a word of this run's corpus; show words that it holds, or lines "
                "of its text.",
                text=drawn(text[:40]),
            )
        n_symbols += len(history.starting_symbols(text))
    if not wanted:
        raise SettingError.saying("There is no word to show; give one, or a line of the corpus.")
    if n_symbols > MOST_SYMBOLS:
        raise SettingError.saying(
            "These words have {n_symbols:,} symbols, and one picture shows {most_symbols} at most; "
            "show fewer words.",
            n_symbols=n_symbols,
            most_symbols=MOST_SYMBOLS,
        )
    return [
        _special(text, last - first, new_row)
        if special
        else _placed(history, text, number[text], range(first, last + 1), new_row)
        for text, special, new_row in wanted
    ]


def _words(history: History, texts: Sequence[str]) -> Iterator[tuple[str, bool, bool]]:
    """The words to show, whether each is a special token, and whether it begins a row."""
    after_line = False
    for text in texts:
        if history.count_of(text):
            yield text, False, after_line
            after_line = False
            continue
        for line in documents(text):
            after_line = True
            for word, special in pieces(line, history.pretokenizer, history.special_tokens):
                yield word.text, special, after_line
                after_line = False
        after_line = True


def _special(text: str, states: int, new_row: bool) -> PlacedWord:
    parts = [("", text)]
    width = natural_width(parts)
    chip = Chip(text, parts, 0, width, 0, states + 1)
    return PlacedWord(width, [chip], [], new_row, False)


def _placed(history: History, word: str, number: int, states: range, new_row: bool) -> PlacedWord:
    symbols = history.starting_symbols(word)
    start, end = (int(of_words[number]) for of_words in history.gap_spans)
    cuts: list[dict[tuple[int, int], str]] = []
    for t in states:
        bounds = [*np.flatnonzero(history.open_gaps(t)[start:end]).tolist(), len(symbols)]
        cuts.append(dict(zip(pairwise(bounds), history.segmentation(word, t), strict=True)))
    faces = {
        (span, string): _face(history, symbols[slice(*span)], string)
        for cut in cuts
        for span, string in cut.items()
    }
    needed = {span: natural_width(f) for (span, _), f in faces.items()}
    edges = [0.0, *accumulate(rooms(len(symbols), needed, GAP))]

    def place(span: tuple[int, int]) -> tuple[float, float]:
        return edges[span[0]], edges[span[1]] - edges[span[0]] - GAP

    chips = []
    for (span, string), parts in faces.items():
        shown_in = [k for k, cut in enumerate(cuts) if cut.get(span) == string]
        for since, until in _runs(shown_in):
            chips.append(Chip(string, parts, *place(span), since, until))
    marks = [
        Mark(kind, *place(span), k + later)
        for k, (before, after) in enumerate(pairwise(cuts))
        for kind, span, later in _changes(before, after)
    ]
    return PlacedWord(edges[-1] - GAP, chips, marks, new_row, reads_from_right(word))


def _face(history: History, symbols: Sequence[Symbol], string: str) -> list[tuple[str, str]]:
    symbol = reduce(add, symbols)
    return [("m", UNKNOWN)] if string == UNKNOWN else face(history.spelling, symbol)


def natural_width(parts: Sequence[tuple[str, str]]) -> float:
    """How wide a chip with that face has to be, in pixels.

    >>> natural_width([("", "日a")])
    40.0
    """
    return CELL * sum(cells(text) * scale(kind, text) for kind, text in parts) + 2 * PAD


def scale(kind: str, text: str) -> float:
    """How large a part of a face is written."""
    return SMALL if kind == "b" or (kind == "m" and len(text) > 1) else 1.0


def cells(text: str) -> int:
    """How many columns a text takes in a font whose letters are equally wide.

    >>> cells("a日e\\u0301")
    4
    """
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in drawn(text)
    )


def rooms(n: int, widths: dict[tuple[int, int], float], gap: float) -> list[float]:
    """How much room each symbol has, for every span to have its width and a gap after it.

    >>> rooms(3, {(0, 1): 8, (1, 3): 10}, 2)
    [10.0, 6.0, 6.0]
    """
    room = np.zeros(n)
    # A longer span has what its parts have already; if that is too little, all of them grow.
    for start, end in sorted(widths, key=lambda span: (span[1] - span[0], span)):
        missing = widths[start, end] + gap - room[start:end].sum()
        room[start:end] += max(0.0, missing) / (end - start)
    return room.tolist()


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ascending numbers as intervals [first, end).

    >>> list(_runs([0, 1, 4]))
    [(0, 2), (4, 5)]
    """
    since = numbers[0]
    for before, after in pairwise([*numbers, numbers[-1] + 2]):
        if after > before + 1:
            yield since, before + 1
            since = after


def _changes(
    before: dict[tuple[int, int], str], after: dict[tuple[int, int], str]
) -> Iterator[tuple[str, tuple[int, int], int]]:
    """What a step does to a word: the kind of the mark, its place, and whether it is of the state
    after the step (1) or of the one before it (0)."""
    joined = [
        span
        for span in after.keys() - before.keys()
        if any(start == span[0] and end < span[1] for start, end in before)
    ]
    for span in sorted(joined):
        yield "next", span, 0
        yield "new", span, 1
    for start, end in sorted(before.keys() - after.keys()):
        if not any(a <= start and end <= b for a, b in joined):
            yield "doomed", (start, end), 0
