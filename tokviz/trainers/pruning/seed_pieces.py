"""The seed vocabulary of SentencePiece's Unigram: characters and the substrings that branch.

Source: google/sentencepiece 0.2.1 and 0.2.3, src/unigram_model_trainer.cc, MakeSeedSentencePieces,
which builds a suffix tree of all lines. Here the suffixes of the distinct words are sorted, by as
many characters as a piece may have: a piece never crosses the border of two words.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tokviz.history.base import Ints
from tokviz.pretokenizers.normalizer import SPACE
from tokviz.pretokenizers.pieces import PieceRules
from tokviz.trainers.pruning.em_lattice import Pause, Singles
from tokviz.trainers.sentencepiece_settings import Prepared

#: The space after a word. Not `▁`, with which pieces start; no word holds a lone surrogate.
_SPACE = "\ud800"


class Seeds(NamedTuple):
    """Seed pieces, best first after the characters, with count × length as their scores; and where
    each occurs in the distinct words, as (word, start, length, token) columns. The token number
    `len(pieces)` stands for a character that is no piece."""

    pieces: list[str]
    scores: Ints | Singles
    edges: tuple[Ints, Ints, Ints, Ints]


def find_seeds(prepared: Prepared, rules: PieceRules, most: int, pause: Pause) -> Seeds:
    """All required characters with their counts, then the `most` valid pieces with the greatest
    count × length among the substrings that are followed by at least two different characters (the
    end of a line counts as one).

    Among equal scores those come first whose last occurrence in sorted order is earlier, and the
    longer of two that end there: the library's order of tree nodes.

    >>> from tokviz.text.word_counts import WordCounts
    >>> from tokviz.trainers.sentencepiece_settings import SentencePieceSettings
    >>> words = SentencePieceSettings().prepared(WordCounts((" hug", " hugs", " pug"), (2, 1, 1)))
    >>> seeds = find_seeds(words, PieceRules(), 100, lambda: None)
    >>> dict(zip(seeds.pieces, seeds.scores.tolist()))
    {'g': 4, 'u': 4, '▁': 4, 'h': 3, 'p': 1, 's': 1, '▁hug': 12, 'hug': 9, 'ug': 8}
    """
    suffixes = Suffixes(prepared, rules.max_sentencepiece_length, pause)
    first, last, depth = suffixes.branching(pause)
    texts = suffixes.texts(first, depth)
    pause()
    rows = np.flatnonzero(np.fromiter(rules.valid_ones(texts), bool, len(texts)))
    pause()
    score = suffixes.weight(first[rows], last[rows]) * depth[rows]
    rows = rows[np.lexsort((-depth[rows], last[rows], -score))][:most]
    score = suffixes.weight(first[rows], last[rows]) * depth[rows]
    found = _Found(first[rows], last[rows], depth[rows], score)
    return _seeds(suffixes, prepared, found, [texts[i] for i in rows.tolist()])


class _Found(NamedTuple):
    """Substrings as ranges of sorted suffixes, with their lengths and scores."""

    first: Ints
    last: Ints
    depth: Ints
    score: Ints | Singles


def find_byte_seeds(prepared: Prepared, rules: PieceRules, most: int, pause: Pause) -> Seeds:
    """The seeds of 0.2.3: all required characters, then the `most` valid pieces with the greatest
    count × length, in single precision, among the substrings that are followed by at least two
    different *bytes*. Among equal scores the longer in bytes come first, then the first by code
    point.

    The library ends every line with a zero byte, which it takes off a substring again: one that
    ends lines after which at least two different bytes come (the end of the text is one) counts
    these lines a second time.

    >>> from tokviz.text.word_counts import WordCounts
    >>> from tokviz.trainers.sentencepiece_settings import SentencePieceSettings
    >>> words = SentencePieceSettings().prepared(WordCounts((" hug", " hugs", " pug"), (2, 1, 1)))
    >>> seeds = find_byte_seeds(words, PieceRules(), 100, lambda: None)
    >>> dict(zip(seeds.pieces[6:], seeds.scores[6:].tolist()))          # "ug": (4 + 3 at ends) × 2
    {'ug': 14.0, '▁hug': 12.0, 'hug': 9.0}
    """
    suffixes = Suffixes(prepared, rules.max_sentencepiece_length, pause)
    first, last, depth = suffixes.branching(pause, _first_bytes)
    texts = suffixes.texts(first, depth)
    count = dict(zip(texts, suffixes.weight(first, last).tolist(), strict=True))
    places = dict(zip(texts, np.stack([first, last, depth], axis=1).tolist(), strict=True))
    pause()
    for text, lines in _line_ends(prepared, rules.max_sentencepiece_length).items():
        if text not in places:
            places[text] = [*suffixes.range_of(text), len(text)]
        count[text] = count.get(text, 0) + lines
    pause()
    valid = [text for text, taken in zip(places, rules.valid_ones(places), strict=True) if taken]
    pause()
    columns = np.asarray([places[text] for text in valid], np.int64).reshape(-1, 3)
    n_bytes = np.fromiter((len(text.encode()) for text in valid), np.int64, len(valid))
    counts = np.fromiter((count[text] for text in valid), np.float32, len(valid))
    score = counts * columns[:, 2].astype(np.float32)
    rows = np.lexsort((columns[:, 0], -n_bytes, -score))[:most]
    columns = columns[rows]
    found = _Found(columns[:, 0], columns[:, 1], columns[:, 2], score[rows])
    return _seeds(suffixes, prepared, found, [valid[i] for i in rows.tolist()])


def _line_ends(prepared: Prepared, longest: int) -> dict[str, int]:
    """The substrings that end lines after which different bytes come, and how often they do."""
    begins: dict[int, set[bytes]] = defaultdict(set)
    for word, begin in prepared.borders:
        begins[word].add(begin.encode()[:1])
    after: dict[str, set[bytes]] = defaultdict(set)
    lines: dict[str, int] = defaultdict(int)
    for word, found in begins.items():
        text = prepared.words[word]
        for length in range(2, min(longest, len(text)) + 1):
            after[text[-length:]] |= found
            lines[text[-length:]] += int(prepared.line_ends[word])
    return {text: lines[text] for text, found in after.items() if len(found) > 1}


def _first_bytes(codes: Ints) -> Ints:
    """The first byte of each character in UTF-8.

    >>> [f"{byte:x}" for byte in _first_bytes(np.array([*map(ord, "aé▁😀")])).tolist()]
    ['61', 'c3', 'e2', 'f0']
    """
    codes = np.where(codes == ord(_SPACE), ord(SPACE), codes)
    return np.select(
        [codes < 0x80, codes < 0x800, codes < 0x10000],
        [codes, 0xC0 | codes >> 6, 0xE0 | codes >> 12],
        0xF0 | codes >> 18,
    )


def _seeds(suffixes: "Suffixes", prepared: Prepared, found: _Found, texts: list[str]) -> Seeds:
    """The characters and these substrings, with the places where they occur."""
    chars = list(prepared.required)
    singles = suffixes.singles({ord(char): i for i, char in enumerate(chars)})
    longer = suffixes.occurrences(found.first, found.last, found.depth)
    longer[3] += len(chars)
    singles[3][singles[3] < 0] = len(chars) + len(texts)
    word, start, length, token = np.concatenate([singles, longer], axis=1)
    counts = np.fromiter(prepared.required.values(), np.int64, len(chars))
    return Seeds(
        chars + texts,
        np.concatenate([counts, found.score]),
        (word, start, length, token),
    )


class Suffixes:
    """The suffixes of all words, sorted by their first characters.

    A word is written once with what follows it: the end of the line, or a space. One that is
    followed by both is written twice; places in the second copy are not `primary`.
    """

    def __init__(self, prepared: Prepared, longest: int, pause: Pause) -> None:
        counts, ends = prepared.counts, prepared.line_ends
        both = np.flatnonzero((ends > 0) & (ends < counts))
        followed = ["\0" if end else _SPACE for end in ends.tolist()]
        parts = [word + sign for word, sign in zip(prepared.words, followed, strict=True)]
        parts += [prepared.words[i] + _SPACE for i in both.tolist()]
        self._text = "".join(parts)
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        words = np.concatenate([np.arange(len(prepared.words)), both])
        begins = np.cumsum(lengths) - lengths
        self.word = np.repeat(words, lengths)
        self.start = np.arange(len(self._text)) - np.repeat(begins, lengths)
        #: Characters of the word from each place on.
        self.left = np.repeat(lengths, lengths) - 1 - self.start
        self.n_primary = int(lengths[: len(prepared.words)].sum())
        weights = np.concatenate([np.where(ends > 0, ends, counts), (counts - ends)[both]])
        self._codes = np.frombuffer(
            self._text.encode("utf-32-le", "surrogatepass"), np.uint32
        ).astype(np.int64)
        self._longest = longest
        self.sorted = self._sort(longest + 1, pause)
        self._sums = np.concatenate([[0], np.cumsum(np.repeat(weights, lengths)[self.sorted])])

    def _sort(self, depth: int, pause: Pause) -> Ints:
        """The places of all suffixes by their first `depth` characters (prefix doubling)."""
        rank = np.unique(self._codes, return_inverse=True)[1].astype(np.int64) + 1
        bits = int(rank.max(initial=1)).bit_length()
        # As many characters as fit go into the first key.
        known = 1
        key = rank
        while known < depth and (known + 1) * bits < 63:
            pause()
            key = key << bits | _shifted(rank, known)
            known += 1
        while True:
            pause()
            order = np.argsort(key)  # what ties here is the same to its users
            if known >= depth or not len(key):
                return order
            grouped = key[order]
            rank = np.empty(len(key), np.int64)
            rank[order] = np.cumsum(np.diff(grouped, prepend=-1) > 0)
            key = rank * (len(key) + 1) + _shifted(rank, known)
            known *= 2

    def branching(
        self, pause: Pause, told_by: Callable[[Ints], Ints] = lambda codes: codes
    ) -> tuple[Ints, Ints, Ints]:
        """The substrings of at least two characters that are followed by different ones, as far as
        `told_by` tells characters apart: first and one past the last suffix that start with each,
        and its length."""
        codes, places = self._codes, self.sorted
        common = np.zeros(len(places), np.int64)
        same = np.arange(1, len(places))
        for depth in range(self._longest + 1):
            pause()
            inside = np.maximum(places[same], places[same - 1]) + depth < len(codes)
            same = same[inside]
            same = same[codes[places[same] + depth] == codes[places[same - 1] + depth]]
            common[same] += 1
        after = np.minimum(np.stack([places, np.roll(places, 1)]) + common, len(codes) - 1)
        differ = np.not_equal(*told_by(codes)[after])
        found = [np.empty((3, 0), np.int64)]
        for depth in range(2, self._longest + 1):
            pause()
            first = np.flatnonzero(common < depth)
            if len(first) == len(common):
                break
            branches = np.add.reduceat(differ & (common == depth), first, dtype=np.int64) > 0
            branches &= self.left[places[first]] >= depth
            last = np.append(first[1:], len(common))
            found.append(np.stack([first, last, np.full(len(first), depth)])[:, branches])
        firsts, lasts, depths = np.concatenate(found, axis=1)
        return firsts, lasts, depths

    def texts(self, suffixes: Ints, lengths: Ints) -> list[str]:
        """The first characters of some suffixes."""
        places = self.sorted[suffixes]
        ends = (places + lengths).tolist()
        return [self._text[at:end] for at, end in zip(places.tolist(), ends, strict=True)]

    def range_of(self, text: str) -> tuple[int, int]:
        """The suffixes that start with a text: the first, and one past the last."""

        def beginning(place: int) -> str:
            return self._text[place : place + len(text)]

        first = bisect_left(self.sorted, text, key=beginning)
        return first, bisect_right(self.sorted, text, first, key=beginning)

    def weight(self, first: Ints, last: Ints) -> Ints:
        """How often the suffixes of each range occur in the corpus."""
        return np.asarray(self._sums[last] - self._sums[first])

    def occurrences(self, first: Ints, last: Ints, length: Ints) -> Ints:
        """Where each range of suffixes is in the words: (word, start, length, range) columns."""
        sizes = last - first
        number = np.repeat(np.arange(len(first)), sizes)
        within = np.arange(len(number)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        place = self.sorted[first[number] + within]
        rows = place < self.n_primary
        place, number = place[rows], number[rows]
        return np.stack([self.word[place], self.start[place], length[number], number])

    def singles(self, numbers: dict[int, int]) -> Ints:
        """Every character of the words: (word, start, 1, its number or −1) columns."""
        place = np.flatnonzero(self.left[: self.n_primary] > 0)
        codes, which = np.unique(self._codes[place], return_inverse=True)
        number = np.asarray([numbers.get(code, -1) for code in codes.tolist()], np.int64)[which]
        return np.stack([self.word[place], self.start[place], np.ones_like(place), number])


def _shifted(values: Ints, by: int) -> Ints:
    """The value `by` places further on; 0 beyond the end."""
    out = np.zeros_like(values)
    out[: max(0, len(values) - by)] = values[by:]
    return out
