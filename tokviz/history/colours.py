"""The colours of a run's tokens: numbers from 0 to 7, chosen so that neighbours differ.

A token has one colour for the whole run. The symbols that training starts from get theirs from how
often they stand side by side in the corpus; a token that a merge makes gets its own when it is
made, from the tokens beside it then, so training on changes no colour. The tokens of runs that
prune are there from the start: they are coloured by their neighbours in the best segmentations of
all states, which depend on how long the run went on.

Eight colours do not suffice where everything stands beside everything, such as the letters of a
book: there the rarest neighbours share one.
"""

from collections.abc import Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple
from zlib import crc32

import numpy as np

from tokviz.history.base import Ints
from tokviz.text.symbols import Symbol

if TYPE_CHECKING:
    from tokviz.history.merges import MergeHistory
    from tokviz.history.seeds import SeedHistory

COLOURS = 8
#: How often start colours are gone through to better them: more hardly ever changes any.
_MOST_MOVES = 4
#: Neighbours, parts and uses of a colour are one number, in this order of importance: there are
#: fewer tokens than 2**24.
_PART, _NEIGHBOUR = 1 << 24, 1 << 26


class Neighbours(NamedTuple):
    """Pairs of different numbers, each pair once, and how often the two are side by side."""

    left: Ints
    right: Ints
    counts: Ints


def colour_of_stranger(token: str) -> int:
    """The colour of a token of which no run knows the neighbours: the same wherever it is met.

    >>> colour_of_stranger("low"), colour_of_stranger("lower")
    (1, 3)
    """
    return crc32(token.encode("utf-8", "replace")) % COLOURS


def start_colours(names: Sequence[str], neighbours: Neighbours) -> list[int]:
    """A colour for each of the numbers 0 to `len(names)` - 1.

    Those with the most neighbours are coloured first, equal ones by their names. Each takes the
    colour that its neighbours have least, counted as often as they are side by side; among equal
    ones that of the fewest tokens so far, and then the lowest. Afterwards each that would clash
    less in another colour moves there, until none does. Whatever has fewer than eight neighbours
    differs from all of them.

    >>> a_to_c = Neighbours(np.array([0, 1]), np.array([1, 2]), np.array([5, 1]))
    >>> start_colours(["a", "b", "c"], a_to_c)      # b first, then a, then c
    [1, 0, 2]
    """
    beside: list[list[tuple[int, int]]] = [[] for _ in names]
    for left, right, count in zip(*(column.tolist() for column in neighbours), strict=True):
        beside[left].append((right, count * _NEIGHBOUR))
        beside[right].append((left, count * _NEIGHBOUR))
    most = [-sum(map(itemgetter(1), found)) for found in beside]
    order = sorted(range(len(names)), key=lambda i: (most[i], names[i], i))
    # The number -1 is no colour: the last place of these lists, which is never the least.
    colours, uses = [-1] * len(names), [0] * COLOURS + [1 << 99]
    for _ in range(1 + _MOST_MOVES):
        moved = False
        for i in order:
            clashes = uses.copy()
            for other, count in beside[i]:
                clashes[colours[other]] += count
            colour, old = clashes.index(min(clashes)), colours[i]
            if clashes[colour] // _NEIGHBOUR < clashes[old] // _NEIGHBOUR:
                uses[colour] += 1
                uses[old] -= 1
                colours[i] = colour
                moved = True
        if not moved:
            break
    return colours


def counted(left: Ints, right: Ints, counts: Ints) -> Neighbours:
    """Neighbours from all places where two numbers stand side by side, in either order.

    >>> found = counted(np.array([0, 1, 2, 0]), np.array([1, 0, 2, 2]), np.array([5, 2, 9, 1]))
    >>> [column.tolist() for column in found]
    [[0, 0], [1, 2], [7, 1]]
    """
    differ = left != right
    left, right, counts = (c[differ].astype(np.int64) for c in (left, right, counts))
    pairs = np.minimum(left, right) << 32 | np.maximum(left, right)
    different = np.unique(pairs)
    sums = np.zeros(len(different), np.int64)
    np.add.at(sums, np.searchsorted(different, pairs), counts)
    return Neighbours(different >> 32, different & (2**32 - 1), sums)


# --- merges ---------------------------------------------------------------------------------------


def merge_colours(history: "MergeHistory") -> dict[str, int]:
    """The colours of all tokens of a run of merges, by their strings.

    A new token takes the colour that is rarest beside it in the state which it comes with. Among
    equal ones it takes none of its two parts', which stand near it in trees and in sentences; then
    that of the fewest tokens so far, and then the lowest.

    >>> import tokviz
    >>> history = tokviz.train({"hugs": 2, "hug": 1}, "bpe", vocab_size=6)
    >>> colours = merge_colours(history)      # u first, then g; hu is beside g, hug beside s
    >>> [colours[token] for token in ("u", "g", "h", "s", "hu", "hug")]
    [0, 1, 2, 3, 4, 5]
    """
    record, strings, n_base = history.record, history.strings, len(history.record.alphabet)
    beside, times = _born(history)
    # Unknown characters are different symbols that look alike: one token.
    first: dict[str, int] = {}
    alike = np.asarray([first.setdefault(s, i) for i, s in enumerate(strings[:n_base])], np.int64)
    start = slice(int(record.known[0]))
    left, right = (alike[column[start]] for column in (record.pair_left, record.pair_right))
    texts = [symbol.text for symbol in record.alphabet]
    colours = start_colours(texts, counted(left, right, times[start]))
    known = {string: colours[number] for string, number in first.items()}
    uses = np.bincount(list(known.values()), minlength=COLOURS).tolist()
    others, counts = beside.tolist(), times.tolist()
    steps = zip(
        record.left.tolist(), record.right.tolist(), pairwise(record.known.tolist()), strict=True
    )
    for string, (a, b, (since, until)) in zip(strings[n_base:], steps, strict=True):
        clashes = uses.copy()
        clashes[colours[a]] += _PART
        clashes[colours[b]] += _PART
        for i in range(since, until):
            clashes[colours[others[i]]] += counts[i] * _NEIGHBOUR
        colour = clashes.index(min(clashes))
        uses[colour] += 1
        colours.append(colour)
        known[string] = colour
    return known


def _born(history: "MergeHistory") -> tuple[Ints, Ints]:
    """For every pair the older of its symbols, and how often the pair occurs when it is met first:
    at the start, or in the step that makes the newer symbol, which logs it. Pairs that may never
    merge are logged with 0; they are side by side all the same."""
    record = history.record
    times = np.ones(len(record.pair_left), np.int64)
    framed = slice(int(record.keyframe_starts[1]))
    times[record.keyframe_pair[framed]] = record.keyframe_count[framed]
    step = np.repeat(np.arange(len(history)), np.diff(record.log_starts))
    born = record.log_pair >= record.known[step]
    times[record.log_pair[born]] = np.maximum(record.log_count[born], 1)
    # A symbol is no neighbour of its own kind.
    twice = record.pair_left == record.pair_right
    times[twice] = 0
    return np.where(twice, 0, np.minimum(record.pair_left, record.pair_right)), times


# --- runs that prune ------------------------------------------------------------------------------


def seed_colours(history: "SeedHistory") -> dict[str, int]:
    """The colours of all tokens that some state's best segmentations use, by their strings.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "unigram", vocab_size=5)
    >>> colours = seed_colours(history)
    >>> colours["hug"] != colours["s"]
    True
    """
    seen, neighbours = _side_by_side(history)
    texts, spelling = history.record.tokens, history.spelling
    symbols = [Symbol(texts[i]) if i < len(texts) else Symbol("", unknown=True) for i in seen]
    colours = start_colours([symbol.text for symbol in symbols], neighbours)
    return dict(zip(map(spelling.show, symbols), colours, strict=True))


def _side_by_side(history: "SeedHistory") -> tuple[list[int], Neighbours]:
    """The seeds that some state's best segmentations use, and how often they are side by side in
    those of all states, by their places in that list. Whatever is unknown is one more seed."""
    words, text = history.words, "".join(history.words.words)
    heads = np.cumsum([0, *map(len, words.words)])
    lengths = np.diff(heads)
    weights = np.repeat(np.asarray(words.counts, np.int64), lengths)
    # Words may share their gaps.
    gaps = np.repeat(history.gap_spans[0] - heads[:-1], lengths) + np.arange(len(text))
    inside = np.ones(len(text), bool)
    inside[heads[:-1][lengths > 0]] = False
    number, unknown = history.seed_numbers.get, len(history.record.tokens)
    seen = np.zeros(unknown + 1, bool)
    ends, seeds, pairs, since = (np.zeros(len(text), np.int64) for _ in range(4))
    found = []
    for t in range(len(history) + 2):
        # Where a token starts inside a word: the one before it, counted from 1, and it.
        now = np.zeros(len(text), np.int64)
        if t <= len(history):
            starts = np.flatnonzero(history.open_gaps(t)[gaps])
            bounds = np.append(starts, len(text))[1:]
            new = ends[starts] != bounds
            spans = zip(starts[new].tolist(), bounds[new].tolist(), strict=True)
            seeds[starts[new]] = [number(text[a:b], unknown) for a, b in spans]
            ends[starts] = bounds
            known = np.full(unknown + 1, unknown)
            known[history.alive(t)] = history.alive(t)
            tokens = known[seeds[starts]]
            seen[tokens] = True
            here = np.flatnonzero(inside[starts])
            now[starts[here]] = (tokens[here - 1] + 1) << 32 | tokens[here]
        # Most places stay as they are from state to state: each is counted when it changes.
        changed = np.flatnonzero(now != pairs)
        found.append((pairs[changed], weights[changed] * (t - since[changed])))
        pairs, since[changed] = now, t
    pairs, counts = (np.concatenate(column) for column in zip(*found, strict=True))
    met = pairs > 0
    place = np.cumsum(seen) - 1
    left, right = place[(pairs[met] >> 32) - 1], place[pairs[met] & (2**32 - 1)]
    return np.flatnonzero(seen).tolist(), counted(left, right, counts[met])
