"""How merges built the tokens of one word: a tree, read off the gaps.

Each gap between two starting symbols of a word carries the step that closes it (see
`merge_record`). A token was made by the merge that closed its last gap, which joined the tokens on
both sides of that gap, and so on down to single symbols: the gaps alone are the tree. A word that
the corpus does not hold gets its gaps from applying the merges by rank, as training would.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Piece, WordEncoder
from tokviz.history.base import Ints
from tokviz.text.symbols import Symbol

if TYPE_CHECKING:
    from tokviz.history.merges import MergeHistory


@dataclass(frozen=True, slots=True)
class MergeNode:
    """A token of the tree as displayed, at [start, end) in starting symbols of the word and at
    `characters` in the word itself.

    `step` made it from its two `children`; its pair then had that `count`, was that row (`rank`) in
    the table of candidates, the first one unless it was forced, and `tied` pairs shared the best
    score. A symbol of the alphabet has no children, and None for all of these.
    """

    __repr__ = short_repr

    token: str
    start: int
    end: int
    characters: tuple[int, int]
    step: int | None
    count: int | None
    rank: int | None
    tied: int | None
    children: tuple["MergeNode", ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class LostPair:
    """A pair of neighbours that stood in the word when another one was merged.

    `starts` are the places of its left tokens, in starting symbols. `count` is its count in the
    corpus then (overlaps included), `rank` its row in the table of candidates, counted from 1; None
    means that it was not a candidate, because it does not occur in the corpus or may not be merged.
    """

    __repr__ = short_repr

    left: str
    right: str
    token: str
    starts: tuple[int, ...]
    count: int
    rank: int | None


@dataclass(frozen=True)
class MergeTree:
    """The merge trees of a word as of state t. Made by `MergeHistory.merge_tree`.

    `roots`, left to right, are its segmentation by training. `gaps` holds for each starting symbol
    the step that joins it to the one before it: below t it is closed in state t, and the number of
    steps T stands for never.
    """

    __repr__ = short_repr

    history: "MergeHistory" = field(repr=False)
    word: str
    t: int
    symbols: tuple[Symbol, ...] = field(repr=False)
    gaps: tuple[int, ...]

    @cached_property
    def roots(self) -> tuple[MergeNode, ...]:
        """The trees, built from the leaves upwards in the order of the steps."""
        spans = self.history.starting_spans(self.word)
        starts = {
            i: MergeNode(shown, i, i + 1, span, None, None, None, None, ())
            for i, (shown, span) in enumerate(
                zip(map(self._string, self._numbers), spans, strict=True)
            )
        }
        ends = {node.end: node for node in starts.values()}
        record, n_base = self.history.record, len(self.history.record.alphabet)
        closed = [(step, at) for at, step in enumerate(self.gaps) if step < self.t]
        for step, at in sorted(closed):
            left, right = ends.pop(at), starts.pop(at)
            node = MergeNode(
                token=self.history.strings[n_base + step],
                start=left.start,
                end=right.end,
                characters=(left.characters[0], right.characters[1]),
                step=step,
                count=int(self.history.merged_counts[step]),
                rank=self.history.merged_rank(step),
                tied=int(record.tied[step]),
                children=(left, right),
            )
            starts[node.start] = ends[node.end] = node
        return tuple(starts[at] for at in sorted(starts))

    def lost(self, node: MergeNode) -> list[LostPair]:
        """The other pairs in the word when the merge of a node was chosen, the best first, those
        that were no candidates last. Empty for a symbol of the alphabet.

        >>> import tokviz
        >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
        >>> tree = history.merge_tree("hugs", 2)
        >>> [(pair.left, pair.right, pair.count, pair.rank) for pair in tree.lost(tree.roots[0])]
        [('ug', 's', 5, 3)]
        """
        if node.step is None:
            return []
        history, step = self.history, node.step
        chosen = int(history.record.left[step]), int(history.record.right[step])
        starts, numbers = self._tokens(step)
        places: dict[tuple[int, int], list[int]] = {}
        for start, pair in zip(starts, pairwise(numbers), strict=False):
            if pair != chosen:
                places.setdefault(pair, []).append(start)
        found = _counts_and_ranks(history, step, list(places))
        pairs = []
        for (left, right), at in places.items():
            a, b = self._symbol(left), self._symbol(right)
            shown = self._string(left), self._string(right), history.spelling.show(a + b)
            pairs.append(LostPair(*shown, tuple(at), *found[left, right]))
        return sorted(pairs, key=lambda pair: (pair.rank is None, pair.rank or 0, pair.starts))

    @cached_property
    def encoded(self) -> tuple[str, ...]:
        """The tokens by the algorithm's own way to encode: for WordPiece, the longest match."""
        return tuple(piece.token for piece in self._pieces)

    @cached_property
    def parts(self) -> int | None:
        """The first character where encoding and training cut the word differently; 0 if encoding
        finds the word unknown. None if the two agree, as they always do for encoding by merges.

        >>> import tokviz
        >>> words = {"xbc": 5, "abd": 3, "abc": 1}
        >>> history = tokviz.train(words, "wordpiece", 11, score="frequency")
        >>> tree = history.merge_tree("abc", 3)
        >>> [root.token for root in tree.roots], tree.encoded, tree.parts
        (['a', '##bc'], ('ab', '##c'), 1)
        """
        if self.history.default_encoder == "merges":
            return None
        unknown = getattr(self._encoder, "unknown", None)
        if unknown in self.encoded and unknown not in [root.token for root in self.roots]:
            return 0
        trained = {root.characters[0] for root in self.roots}
        return min(trained ^ {piece.start for piece in self._pieces}, default=None)

    @cached_property
    def _encoder(self) -> WordEncoder:
        return self.history.tokenizer(self.t).encoder

    @cached_property
    def _pieces(self) -> list[Piece]:
        return self._encoder.encode(self.word)

    # --- symbols by number; those that the alphabet lacks are −1 − their place in the word --------

    @cached_property
    def _numbers(self) -> list[int]:
        number = self.history.symbol_numbers
        numbers = []
        for at, symbol in enumerate(self.symbols):
            left_out = number.get(symbol._replace(unknown=True), -1 - at)
            numbers.append(number.get(symbol, left_out))
        return numbers

    def _symbol(self, number: int) -> Symbol:
        return self.history.symbols[number] if number >= 0 else self.symbols[-1 - number]

    def _string(self, number: int) -> str:
        if number >= 0:
            return self.history.strings[number]
        return self.history.spelling.show(self.symbols[-1 - number])

    def _tokens(self, t: int) -> tuple[list[int], list[int]]:
        """Where the tokens of state t start, and their symbols."""
        starts, numbers, latest = list[int](), list[int](), -1
        gaps = self.history.gaps(self.word, t)
        for at, (number, step) in enumerate(zip(self._numbers, gaps, strict=True)):
            if step >= t:
                starts.append(at)
                numbers.append(number)
                latest = -1
            elif step > latest:
                # The last merge inside a token made it, and has the greatest number.
                numbers[-1], latest = self.history.made_by(step), step
        return starts, numbers


def merge_tree(history: "MergeHistory", word: str, t: int) -> MergeTree:
    """The merge trees of any word, as the pre-tokenizer gives it, as of state t.

    Raises IndexError for a state that the run does not have.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> hug, s = merge_tree(history, "hugs", 2).roots
    >>> hug.token, hug.step, hug.count, [child.token for child in hug.children]
    ('hug', 1, 15, ['h', 'ug'])
    >>> [root.token for root in merge_tree(history, "mugs", 2).roots]
    ['m', 'ug', 's']
    """
    history.check_state(t)
    return MergeTree(history, word, t, tuple(history.starting_symbols(word)), history.gaps(word, t))


def _counts_and_ranks(
    history: "MergeHistory", t: int, pairs: Sequence[tuple[int, int]]
) -> dict[tuple[int, int], tuple[int, int | None]]:
    """For each pair its count in the corpus in state t, and its row among the candidates."""
    found: dict[tuple[int, int], tuple[int, int | None]] = {}
    ranked, counts = history.ranked_pairs(t)
    left, right = history.record.pair_left[ranked], history.record.pair_right[ranked]
    for row in _rows(history, left, right, pairs):
        found[int(left[row]), int(right[row])] = int(counts[row]), row + 1
    others = [pair for pair in pairs if pair not in found]
    if others:
        # What may not be merged is in no table: it is counted in the corpus as segmented then.
        symbols, starts = history.record.state_symbols(t)
        word = np.searchsorted(history.record.starts, starts, side="right") - 1
        inside = np.flatnonzero(word[1:] == word[:-1])
        left, right = symbols[inside], symbols[inside + 1]
        totals = dict.fromkeys(others, 0)
        for row in _rows(history, left, right, others):
            count = history.words.counts[int(word[inside[row]])]
            totals[int(left[row]), int(right[row])] += count
        found |= {pair: (count, None) for pair, count in totals.items()}
    return found


def _rows(
    history: "MergeHistory", left: Ints, right: Ints, pairs: Sequence[tuple[int, int]]
) -> list[int]:
    """The rows of two columns that hold one of the pairs."""
    n = len(history.symbols)
    codes = left.astype(np.int64) * n + right
    wanted = [a * n + b for a, b in pairs if a >= 0 and b >= 0]
    rows: list[int] = np.flatnonzero(np.isin(codes, wanted)).tolist()
    return rows
