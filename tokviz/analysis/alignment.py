"""Runs laid over the same text, two by two: every place where either may cut it.

A place is a gap between two bytes of the corpus. What a run says of it is one of its own gaps (see
`History.gap_spans`), which is open or closed in each state, so that no state needs another pass
over the text. Where both runs have the same words the places are in those words. Where their
pre-tokenizers differ, they are in the text itself: it is cut into stretches that both of them read
alike wherever they stand, and each different stretch is read once.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tokviz.analysis.stretches import Texts, Words, stretches, words_at_once, words_of
from tokviz.basics.errors import TokvizError
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History, Ints
from tokviz.pretokenizers import Word
from tokviz.pretokenizers.blocks import decoded, encoded
from tokviz.text.given_corpus import Corpus

#: Gaps that no state changes: a run of characters never cuts between a character's bytes, and each
#: run cuts behind the last word of a text.
NEVER, ALWAYS = -1, -2


@dataclass(frozen=True)
class Alignment:
    """Every place of two runs. Made by `align`.

    `units` are what a place belongs to: words (with a suffix, if both runs spell them with the same
    one), or stretches of text without whitespace. Unit i
    occurs `counts[i]` times and has the places `starts[i]` to `starts[i + 1]`. Place k stands
    `offsets[k]` bytes into its unit; `left[k]` and `right[k]` are the gaps of the two runs there
    (or NEVER, or ALWAYS). `counted[k]` is False where both runs have the end of a word: neither
    could join there.
    """

    __repr__ = short_repr

    units: list[str]
    counts: Ints
    starts: Ints
    offsets: Ints
    left: Ints
    right: Ints
    counted: npt.NDArray[np.bool_]

    @cached_property
    def weights(self) -> Ints:
        """How often the corpus has each place that is counted; 0 for the others."""
        weights: Ints = np.repeat(self.counts, np.diff(self.starts)) * self.counted
        return weights

    @cached_property
    def unit_of(self) -> Ints:
        """The number of each place's unit."""
        return np.repeat(np.arange(len(self.units)), np.diff(self.starts))


class AlignmentError(TokvizError):
    """Two runs that cannot be laid over each other; the message says why not."""


def align(
    histories: Sequence[History], corpus: Corpus | None = None
) -> dict[tuple[int, int], Alignment]:
    """Lays every two of some runs over each other, by their places in `histories`. `corpus` is the
    text that all were trained on; runs that have the same words do without it.

    Runs that spell their words alike are compared in all their gaps. Of others only places between
    two characters that are not whitespace count: `Ġthe`, `▁the` and `the` are the same cut. A place
    that either run does not read (a special token, a character that a normalizer put together with
    others) is left out.

    Raises AlignmentError for runs with other words if there is no text.

    >>> import tokviz
    >>> words = {"hugs": 3, "pug": 2}
    >>> runs = [tokviz.train(words, "bpe", size) for size in (6, 7)]
    >>> found = align(runs)[0, 1]
    >>> found.units, found.offsets.tolist(), found.left.tolist()
    (['hugs', 'pug'], [1, 2, 3, 1, 2], [1, 2, 3, 5, 6])
    """
    pairs, found = list(combinations(range(len(histories)), 2)), {}
    counts = [dict(zip(h.words.words, h.words.counts, strict=True)) for h in histories]
    if any(counts[i] != counts[j] for i, j in pairs):
        if corpus is None or isinstance(corpus, Mapping):
            raise AlignmentError.saying(
                "These runs have different words; pass the text that all were trained on as corpus."
            )
        parts = Counter(stretches(histories, corpus))
        texts = Texts(tuple(parts), tuple(parts.values()))
        read = [_read(texts, history) for history in histories]
    for i, j in pairs:
        if counts[i] == counts[j]:
            left, right = histories[i], histories[j]
            alike = (left.spelling, left.pretokenizer) == (right.spelling, right.pretokenizer)
            words = Texts(left.words.words, left.words.counts)
            suffix = left.spelling.end_of_word_suffix if alike else None
            found[i, j] = _joined(words, _whole(words, left), _whole(words, right), suffix)
        else:
            found[i, j] = _joined(texts, read[i], read[j], None)
    return found


class _Run(NamedTuple):
    """What one run says of some texts: its gaps and their places, in ascending order, and for every
    place whether the run reads the text there."""

    places: Ints
    gaps: Ints
    known: npt.NDArray[np.bool_]


def _whole(texts: Texts, history: History) -> _Run:
    """A run whose words are the texts. The gap of a suffix is behind its word."""
    number = {word: i for i, word in enumerate(history.words.words)}
    words = np.asarray([number[text] for text in texts.texts], np.int64)
    places, gaps, order = _placed(history, words, texts.starts[:-1])
    inside = places > texts.starts[order]
    return _Run(places[inside], gaps[inside], np.ones(int(texts.starts[-1]) + 1, bool))


def _read(texts: Texts, history: History) -> _Run:
    """A run that cuts the texts into words with its pre-tokenizer."""
    loose = _Loose()
    words = words_at_once(texts, history) or _one_by_one(texts, history, loose)
    begins, ends = words.begins, words.ends
    places, gaps, order = _placed(history, words.numbers, begins - words.leads)
    inside = places > begins[order]
    changes = np.zeros(int(texts.starts[-1]) + 2, np.int64)
    np.add.at(changes, begins, 1)
    np.add.at(changes, ends + 1, -1)
    known = np.asarray(np.cumsum(changes) > 0)
    known[loose.places] = True
    at = np.concatenate([begins, ends, places[inside], np.asarray(loose.places, np.int64)])
    rims = np.full(2 * len(begins), ALWAYS)
    all_gaps = np.concatenate([rims, gaps[inside], np.asarray(loose.gaps, np.int64)])
    # Of several gaps at one place the first counts: the end of a word.
    at, chosen = np.unique(at, return_index=True)
    return _Run(at, all_gaps[chosen], known[:-1])


def _one_by_one(texts: Texts, history: History, loose: "_Loose") -> Words:
    number = {word: i for i, word in enumerate(history.words.words)}
    words: list[int] = []
    leads: list[int] = []
    begins: list[int] = []
    ends: list[int] = []
    for text, start in zip(texts.texts, texts.starts.tolist(), strict=False):
        plain = text.isascii()
        for word in words_of(text, history):
            if (i := number.get(word.text)) is None:
                continue
            first, last = word.start, word.end
            lead = len(word.text) - (last - first)
            if lead < 0 or word.text[lead:] != text[first:last] or word.text[:lead].strip(" "):
                loose.add(history, i, word, text, start)
                continue
            if not plain:
                first, last = len(encoded(text[:first])), len(encoded(text[:last]))
            words.append(i)
            leads.append(lead)
            begins.append(start + first)
            ends.append(start + last)
    columns = (words, leads, begins, ends)
    return Words(*(np.asarray(column, np.int64) for column in columns))


class _Loose:
    """Places in words that a normalizer changed: only between characters that it took over one by
    one, and inside those that it left as they were."""

    def __init__(self) -> None:
        self.places: list[int] = []
        self.gaps: list[int] = []

    def add(self, history: History, i: int, word: Word, text: str, start: int) -> None:
        """Notes the places of a word, the corpus's number i, of a text that begins at `start`."""
        first = int(history.gap_spans[0][i])
        sizes = history.word_symbol_bytes(i)
        offsets = np.cumsum([0, *sizes])[:-1].tolist()
        gap_at = dict(zip(offsets, range(first, first + len(sizes)), strict=True))
        spans = word.spans or [(at, at + 1) for at in range(word.start, word.end)]
        at = 0
        for k, (char, (begin, end)) in enumerate(zip(word.text, spans, strict=True)):
            place, size = start + _bytes_before(text, begin), len(encoded(char))
            if k and spans[k - 1][1] == begin < end:
                self._note(place, gap_at.get(at, NEVER))
            if text[begin:end] == char:
                for inner in range(1, size):
                    self._note(place + inner, gap_at.get(at + inner, NEVER))
            at += size
        for rim in (word.start, word.end):
            self._note(start + _bytes_before(text, rim), ALWAYS)

    def _note(self, place: int, gap: int) -> None:
        self.places.append(place)
        self.gaps.append(gap)


def _bytes_before(text: str, at: int) -> int:
    return at if text.isascii() else len(encoded(text[:at]))


def _placed(history: History, words: Ints, at: Ints) -> tuple[Ints, Ints, Ints]:
    """All gaps of some words, given where each begins: their places, their numbers, and the row of
    `words` that each belongs to."""
    first, end = history.gap_spans
    lengths = end - first
    own = np.concatenate([[0], np.cumsum(lengths)])
    covered = np.concatenate([[0], np.cumsum(history.symbol_bytes)])
    n = lengths[words]
    row = np.repeat(np.arange(len(words)), n)
    into = np.arange(len(row)) - np.repeat(np.cumsum(n) - n, n)
    symbol = own[words][row] + into
    places = at[row] + covered[symbol] - covered[own[words]][row]
    return places, first[words][row] + into, row


def _joined(texts: Texts, left: _Run, right: _Run, suffix: str | None) -> Alignment:
    """The places of both runs, between two characters that are no space; or all of them, where the
    texts are words that both spell with this suffix."""
    whole = suffix is not None
    places = np.sort(np.concatenate([left.places, right.places]))
    places = places[np.append(places[:-1] != places[1:], True)] if len(places) else places
    space = np.append(texts.is_space(), True)
    places = places[left.known[places] & right.known[places]]
    if whole:
        starts = texts.starts[:-1]
    else:
        places = places[~space[places - 1] & ~space[places]]
        starts = np.flatnonzero(~space[:-1] & np.concatenate([[True], space[:-2]]))
    unit = np.searchsorted(starts, places, side="right") - 1
    used, first, unit = np.unique(unit, return_index=True, return_inverse=True)
    begins = starts[used]
    text_of = np.searchsorted(texts.starts, begins, side="right") - 1
    if whole:
        units = [texts.texts[i] + (suffix or "") for i in text_of.tolist()]
    else:
        data = b" ".join(texts.bytes) + b" "
        ends = np.flatnonzero(space)
        ends = ends[np.searchsorted(ends, begins)]
        spans = zip(begins.tolist(), ends.tolist(), strict=True)
        units = [decoded(data[start:end]) for start, end in spans]
    of_left, of_right = _gaps_at(left, places), _gaps_at(right, places)
    return Alignment(
        units,
        texts.counts[text_of],
        np.append(first, len(places)),
        places - begins[unit],
        of_left,
        of_right,
        (of_left != ALWAYS) | (of_right != ALWAYS),
    )


def _gaps_at(run: _Run, places: Ints) -> Ints:
    at = np.minimum(np.searchsorted(run.places, places), max(0, len(run.places) - 1))
    if not len(run.places):
        return np.full(len(places), NEVER)
    gaps: Ints = np.where(run.places[at] == places, run.gaps[at], NEVER)
    return gaps
