"""What the pictures of a word have in common: which words can be drawn, and their tokens."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

from tokviz.basics.arguments import check_kind
from tokviz.basics.errors import SettingError
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.pictures.picture import LEAST_TYPE, TOKEN, Parts, parts_of
from tokviz.text.symbols import Symbol

#: Characters of a word that is drawn.
MOST_DRAWN = 60


@dataclass(frozen=True)
class Placed:
    """A token at [start, end) of a word, in starting symbols where merges made it, else in
    characters."""

    parts: Parts
    start: int
    end: int


def check_word(word: str) -> None:
    """Raises SettingError for a word that no picture has room for, and for an empty one."""
    check_kind("word", word, str)
    if not word:
        raise SettingError.saying("There is no word to draw; give one.")
    if len(word) > MOST_DRAWN:
        raise SettingError.saying(
            "This word has {n:,} characters; words of up to {most} are drawn. Give a part of it.",
            n=len(word),
            most=MOST_DRAWN,
        )


def check_stretch(history: History, first: int, last: int | None) -> int:
    """The state that a stretch of a training ends with: `last`, or the last one if that is None.

    Raises OutOfRangeError for a state that the run does not have, and SettingError for states in
    the wrong order.
    """
    last = len(history) if last is None else last
    for t in (first, last):
        history.check_state(t)
    if first > last:
        raise SettingError.saying(
            "State {first} comes after state {last}; give them the other way round.",
            first=first,
            last=last,
        )
    return last


def shrunk(needed: float, room: float, margins: float) -> float:
    """How much smaller than usual what needs so much room is drawn: 1 if there is enough.

    Raises SettingError where nobody could read it.
    """
    share = min(1.0, room / needed)
    if share * TOKEN < LEAST_TYPE:
        least = needed * LEAST_TYPE / TOKEN + margins
        raise SettingError.saying(
            "There is no room for this word in {width:.4g} points; give width={least:.0f} or more.",
            width=room + margins,
            least=least + 0.5,
        )
    return share


@singledispatch
def symbols_of(_history: History, word: str) -> Sequence[Symbol]:
    """What a picture of a word has a column for: its starting symbols, or its characters."""
    return [*map(Symbol, word)]


@symbols_of.register
def _starting_symbols(history: MergeHistory, word: str) -> Sequence[Symbol]:
    return history.starting_symbols(word)


@singledispatch
def cut(history: History, word: str, t: int) -> list[Placed]:
    """The tokens of any word in state t, as training cuts it. Empty if no tokens spell it.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> [(placed.parts, placed.start, placed.end) for placed in cut(history, "mugs", 1)]
    [([('', 'm')], 0, 1), ([('', 'ug')], 1, 3), ([('', 's')], 3, 4)]
    """
    spelling, lattice = history.spelling, history.lattice(word, t)
    way = lattice.chosen()
    edges = [lattice.edges[i] for i in way.edges] if way else []
    return [
        Placed(parts_of(spelling, [Symbol(word[e.start : e.end])], e.token), e.start, e.end)
        for e in edges
    ]


@cut.register
def _merged(history: MergeHistory, word: str, t: int) -> list[Placed]:
    spelling, tree = history.spelling, history.merge_tree(word, t)
    return [
        Placed(parts_of(spelling, tree.symbols[n.start : n.end], n.token), n.start, n.end)
        for n in tree.roots
    ]
