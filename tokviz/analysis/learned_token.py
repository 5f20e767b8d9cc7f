"""In which step a training learned a token that is looked for, or why it did not.

Merges close gaps between symbols and open none. So a token can be made only where its text stands
in a word with open gaps at both ends, and the places where it does grow fewer from step to step.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import byte_level
from tokviz.text.symbols import Spelling, Symbol

_NONE = Symbol("")


class LearnedToken(NamedTuple):
    """What a run of merges made of a token.

    `step` is the step that made it (0: it is a symbol that training starts from; None: none did),
    of `left` and `right`, a pair that was counted `pair_count` times. `occurs` is how often its
    text stands within words of the text, `left_over` in how many of these places it could still be
    made after the last of `steps` steps, which joined a pair that was counted `last_count` times (0
    if there was none).
    """

    step: int | None
    left: Symbol
    right: Symbol
    pair_count: int
    occurs: int
    left_over: int
    steps: int
    last_count: int

    def __repr__(self) -> str:
        return short_repr(self)


def learned_token(history: MergeHistory, symbol: Symbol) -> LearnedToken:
    """In which step a run made a token, given as a symbol, or why it did not.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 5, "bug": 2, "hut": 1}, "bpe", 7)    # ug, hug
    >>> found = learned_token(history, Symbol("hug"))
    >>> found.step, found.left.text, found.right.text, found.pair_count
    (2, 'h', 'ug', 5)
    >>> found = learned_token(history, Symbol("hu"))      # hu of hut is left, of hug it is gone
    >>> found.step, found.occurs, found.left_over, found.last_count
    (None, 6, 1, 5)
    """
    record, base = history.record, len(history.record.alphabet)
    steps, counts = len(history), history.merged_counts
    last = int(counts[-1]) if steps else 0
    places = _places(history, symbol)
    if symbol not in history.symbols:
        return LearnedToken(None, _NONE, _NONE, 0, *places, steps, last)
    at = history.symbols.index(symbol) - base
    if at < 0:
        return LearnedToken(0, _NONE, _NONE, 0, *places, steps, last)
    left, right = (history.symbols[int(column[at])] for column in (record.left, record.right))
    return LearnedToken(at + 1, left, right, int(counts[at]), *places, steps, last)


def _places(history: MergeHistory, symbol: Symbol) -> tuple[int, int]:
    """How often the text of a symbol stands within words, and in how many of these places no merge
    joined one of its ends to what is beside it."""
    record = history.record
    numbers = [history.symbol_numbers.get(part) for part in parts_of(history.spelling, symbol)]
    wanted = [number for number in numbers if number is not None]
    if not wanted or len(wanted) < len(numbers):
        return 0, 0
    size, symbols = len(wanted), record.symbols
    if size > len(symbols):
        return 0, 0
    found = np.ones(len(symbols) - size + 1, np.bool_)
    for place, number in enumerate(wanted):
        found &= symbols[place : place + len(found)] == number
    firsts = np.flatnonzero(found)
    # The number of the word of each symbol; the end belongs to none.
    word_of = np.repeat(np.arange(len(record.starts) - 1), np.diff(record.starts))
    firsts = firsts[word_of[firsts] == word_of[firsts + size - 1]]
    times = np.asarray(history.words.counts, np.int64)[word_of[firsts]]
    # The gap in front of a word is never closed.
    is_open = np.append(record.gaps >= len(history), True)
    free = is_open[firsts] & is_open[firsts + size]
    return int(times.sum()), int(times[free].sum())


def parts_of(spelling: Spelling, symbol: Symbol) -> list[Symbol]:
    """The symbols that training starts from where it is to make a symbol.

    >>> spelling = Spelling(continuing_subword_prefix="##")
    >>> [tuple(part)[:2] for part in parts_of(spelling, Symbol("ab"))]
    [('a', False), ('b', True)]
    """
    inner = bool(spelling.continuing_subword_prefix)
    parts = [Symbol(char, inner) for char in symbol.text]
    if parts:
        parts[0] = parts[0]._replace(continuing=symbol.continuing)
    if symbol.ends_word and spelling.suffix_glued and parts:
        parts[-1] = parts[-1]._replace(ends_word=True)
    elif symbol.ends_word:
        parts.append(Symbol("", ends_word=True))
    return parts


def tokens_meant(tokenizer: Tokenizer, typed: str) -> Iterator[int]:
    """The ids of the tokens that somebody means: the one with the number behind a #, else all with
    that text, whose spaces may be typed as ␣, else the one that is displayed so.

    >>> import tokviz
    >>> tokenizer = tokviz.train("low low", "bpe", 9, unit="byte").tokenizer()
    >>> [list(tokens_meant(tokenizer, typed)) for typed in ("Ġlow", " low", "␣low", "#1", "high")]
    [[6], [6], [6], [1], []]
    """
    number = typed[1:]
    if typed.startswith("#") and number.isdecimal() and len(number) < 10:
        if int(number) < len(tokenizer.strings) and tokenizer.strings[int(number)]:
            yield int(number)
        return
    text = typed.replace("␣", " ")
    text = byte_level(text) if tokenizer.spelling.unit == "byte" else text
    found = False
    for token_id, symbol in enumerate(tokenizer.symbols):
        if text and symbol is not None and symbol.text == text and not symbol.unknown:
            found = True
            yield token_id
    shown = tokenizer.token_to_id(typed)
    if shown is not None and not found:
        yield shown
