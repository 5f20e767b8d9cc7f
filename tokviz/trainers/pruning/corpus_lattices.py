"""The lattices of a corpus, and what a model expects of them.

Source: google/sentencepiece 0.2.1, src/unigram_model_trainer.cc, RunEStep: words from the most
frequent to the rarest, their counts added up in single precision; or, where a line is not split at
white space, line after line as they stand in the corpus, each as often as it is there.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tokviz.history.base import Floats, Ints
from tokviz.trainers.pruning.em_lattice import Bools, Pause, Singles, WordLattices
from tokviz.trainers.pruning.exact_deltas import add_exact_deltas
from tokviz.trainers.pruning.seed_pieces import Seeds
from tokviz.trainers.pruning.single_sums import SingleSums
from tokviz.trainers.sentencepiece_settings import Prepared

#: Edges of words that are worked on together.
SHEET = 400_000


class CorpusLattices:
    """The lattices of all distinct words over the seeds, and over the number after the last of
    them, which stands for any other character."""

    def __init__(self, prepared: Prepared, seeds: Seeds, pause: Pause) -> None:
        words, n = prepared.words, len(seeds.pieces) + 1
        self._counts = prepared.counts.astype(np.float64)
        self._total = prepared.total
        lengths = np.fromiter(map(len, words), np.int64, len(words))
        self.sheets = list(_sheets(lengths, seeds.edges, pause))
        word, start, _, token = self._edges()
        #: The edges whose expectations are added up, one after the other: all, or those of a line
        #: that repeats again and again.
        self._added: Ints | slice = slice(None)
        #: How often an edge is expected wherever it is among them.
        self._times = prepared.counts.astype(np.float32)
        if prepared.order is None:
            turn = self._turns(prepared)[word]
        else:
            self._added, turn = _repeated(word, prepared.order[prepared.order >= 0])
            self._times = np.ones(len(words), np.float32)
        # All edges in the order in which the library meets them.
        time = turn * (lengths.max(initial=0) + 1) + start[self._added]
        self._sums = self._sums_of(token[self._added], time, n)

    def _turns(self, prepared: Prepared) -> Ints:
        """The turn of each word where sums are added up."""
        words = prepared.words
        in_order = np.asarray(sorted(range(len(words)), key=words.__getitem__), np.int64)
        in_order = in_order[np.argsort(-prepared.counts[in_order], kind="stable")]
        turn = np.empty(len(words), np.int64)
        turn[in_order] = np.arange(len(words))
        return turn

    def _sums_of(self, token: Ints, time: Ints, groups: int) -> Any:
        return SingleSums(token, time, groups)

    def keep(self, alive: Bools, lost: Ints) -> None:
        """Takes out the edges of tokens that are not alive; `lost` are those of characters that
        are no longer pieces."""
        tokens = np.concatenate([lattices.token for _, lattices in self.sheets])
        kept = alive[tokens]
        self._sums.keep(alive, kept[self._added])
        if not isinstance(self._added, slice):
            self._added = (np.cumsum(kept) - 1)[self._added[kept[self._added]]]
        for _, lattices in self.sheets:
            lattices.keep(alive, lost)

    def loss(self, log_prob: Singles | Floats, pause: Pause) -> float:
        """−ln P of a word, averaged over the corpus."""
        logs = [lattices.log_likelihoods(log_prob, pause) for _, lattices in self.sheets]
        return self._loss(logs)

    def expect(
        self, log_prob: Singles | Floats, unknown: tuple[int, Ints], pause: Pause
    ) -> tuple[float, Any]:
        """The loss, and how often each token is expected in the corpus. With `unknown` = (token,
        others) the token gets what is expected of the others as well."""
        logs, shares = [], []
        for words, lattices in self.sheets:
            found, posterior = lattices.expect(log_prob, pause)
            logs.append(found)
            # The library holds counts in single precision here.
            shares.append(self._times[words][lattices.word] * posterior)
        values = np.concatenate(shares)[self._added]
        expected = self._sums.of(values)
        self._credit(expected, values, unknown)
        return self._loss(logs), expected

    def _credit(self, expected: Any, values: Floats, unknown: tuple[int, Ints]) -> None:
        """Gives a token what is expected of others."""
        token, others = unknown
        # At the same place the library comes to an unknown character last.
        expected[token] = self._sums.together(values, token, others)

    def _loss(self, logs: list[Any]) -> float:
        sums = (
            float(np.add.reduce(self._counts[words] * found))
            for (words, _), found in zip(self.sheets, logs, strict=True)
        )
        return -sum(sums) / self._total if self._total else 0.0

    def best(
        self, log_prob: Singles | Floats, pause: Pause
    ) -> tuple[tuple[Ints, Ints, Ints], Ints]:
        """The pieces of all best segmentations as (word, start, token) columns, and how often each
        token is in them."""
        columns = []
        for words, lattices in self.sheets:
            path = lattices.best(log_prob, pause)
            columns.append((words[path.word], path.start, path.token))
        word, start, token = map(np.concatenate, zip(*columns, strict=True))
        frequency = np.bincount(token, self._counts[word], len(log_prob))
        return (word, start, token), frequency.astype(np.int64)

    def exact_deltas(self, log_prob: Floats, pause: Pause) -> Floats:
        """By how much the Viterbi loss of the corpus would rise without each token."""
        deltas = np.zeros(len(log_prob))
        for words, lattices in self.sheets:
            add_exact_deltas(deltas, lattices, log_prob, self._counts[words], pause)
        return deltas

    def of_strings(self, tokens: Ints) -> WordLattices:
        """The lattices of the tokens' own strings, without the edge that is the whole of each.

        Every token occurs in some word, and there the edges are that lie inside it.
        """
        word, start, length, token = self._edges()
        where = np.arange(len(word))[self._added][self._sums.first(tokens)]
        begin, size, in_word = start[where], length[where], word[where]
        most = start.max(initial=0) + 1
        key = word * most + start
        order = np.argsort(key)
        # The edges that start inside the string.
        first = np.searchsorted(key[order], in_word * most + begin)
        last = np.searchsorted(key[order], in_word * most + np.minimum(begin + size, most))
        row = np.repeat(np.arange(len(tokens)), last - first)
        within = np.arange(len(row)) - np.repeat(np.cumsum(last - first) - last, last - first)
        edge = order[within]
        inside = start[edge] + length[edge] <= (begin + size)[row]
        inside &= length[edge] < size[row]
        edge, row = edge[inside], row[inside]
        return WordLattices(size, row, start[edge] - begin[row], length[edge], token[edge])

    def _edges(self) -> tuple[Ints, Ints, Ints, Ints]:
        """(word, start, length, token) columns of all sheets, one after the other."""
        columns = [
            (words[one.word], one.start, one.length, one.token) for words, one in self.sheets
        ]
        word, start, length, token = map(np.concatenate, zip(*columns, strict=True))
        return word, start, length, token


def _repeated(word: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The rows of each line's word in a column of words, line after line, and the number of the
    line for each.

    >>> rows, line = _repeated(np.array([0, 1, 0]), np.array([1, 0, 1]))
    >>> rows.tolist(), line.tolist()
    ([1, 0, 2, 1], [0, 1, 1, 2])
    """
    by_word = np.argsort(word, kind="stable")
    sizes = np.bincount(word, minlength=int(order.max(initial=-1)) + 1)
    starts, lengths = (np.cumsum(sizes) - sizes)[order], sizes[order]
    line = np.repeat(np.arange(len(order)), lengths)
    within = np.arange(len(line)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return by_word[starts[line] + within], line


def _sheets(
    lengths: Ints, edges: tuple[Ints, Ints, Ints, Ints], pause: Pause
) -> Iterator[tuple[Ints, WordLattices]]:
    """The lattices of some words at a time, words of about the same length together."""
    word, start, length, token = edges
    sizes = np.bincount(word, minlength=len(lengths))
    by_length = np.argsort(lengths, kind="stable")
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes[by_length]) // SHEET)) + 1
    for members in np.split(by_length, cuts):
        pause()
        row_of = np.full(len(lengths), -1)
        row_of[members] = np.arange(len(members))
        rows = np.flatnonzero(row_of[word] >= 0)
        yield (
            members,
            WordLattices(
                lengths[members], row_of[word[rows]], start[rows], length[rows], token[rows]
            ),
        )
