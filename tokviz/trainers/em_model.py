"""SentencePiece's unigram language model on its corpus: EM, pruning and the final choice.

Source: google/sentencepiece 0.2.1, src/unigram_model_trainer.cc (RunEStep, RunMStep,
PruneSentencePieces, FinalizeSentencePieces) and src/unigram_model.cc. The library computes in
single precision. Here sums over paths are in double precision, and what is compared
(log-probabilities, losses) is rounded to single, so that what ties there ties here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.em_lattice import Pause, WordLattices
from tokviz.em_weights import Weights
from tokviz.history import Floats, Ints
from tokviz.trainers.exact_deltas import add_exact_deltas
from tokviz.trainers.seed_pieces import Seeds
from tokviz.trainers.sentencepiece_settings import Prepared
from tokviz.viterbi_encoder import UNKNOWN_PENALTY

Bools: TypeAlias = npt.NDArray[np.bool_]
Singles: TypeAlias = npt.NDArray[np.float32]

#: Edges of words that are worked on together.
_SHEET = 400_000

#: An expected count below this is nothing but rounding; ψ would make infinity of it.
_LEAST_COUNT = 1e-30

#: By how much each further required character that the model lost is below the one before it
#: (kMinScorePenaltyDelta). Above, in fact: the library adds it.
_MISSING_STEP = 0.0001


@dataclass
class Survey:
    """What a model says of its corpus. Columns are over the pieces of `UnigramEM.order`.

    `loss` is the objective: −ln P of a word, averaged over the corpus. `path` are the pieces of
    all best segmentations as (word, start, token) columns, `frequency` how often each piece is in
    them, `expected` how often it is expected over all segmentations (zeros if not asked for). In
    both, the first piece has those of all `unknown` characters too: the library gives these its id.
    """

    loss: float
    path: tuple[Ints, Ints, Ints]
    frequency: Ints
    unknown: int
    expected: Floats


@dataclass
class Losses:
    """What pruning knows of each piece of `UnigramEM.order`.

    `alternative` lists the second best segmentation of each piece's own string, where its best is
    the piece itself, as tokens from `alternative_starts` on. `split` pieces are those whose best
    is not. `loss` is nan for pieces that need none: unused, split, or without an alternative.
    """

    loss: Singles
    split: Bools
    alternative: Ints
    alternative_starts: Ints


class UnigramEM:
    """The pieces with their log-probabilities, and the lattices of all words.

    Tokens are numbers of seeds; the number after the last stands for any other character. The
    token of a character stays in the lattices when its piece is dropped, with the log-probability
    of an unknown one.
    """

    def __init__(self, prepared: Prepared, seeds: Seeds, pause: Pause) -> None:
        n, counts = len(seeds.pieces), prepared.counts
        #: The pieces in the library's order: ids of its model, which decide ties.
        self.order: Ints = np.arange(n)
        self.log_prob = np.zeros(n + 1)
        #: Tokens of one character, which every lattice has.
        self._characters = np.append(np.arange(len(prepared.required)), n)
        self._lengths = np.fromiter([*map(len, seeds.pieces), 1], np.int64, n + 1)
        self._pieces, self._counts = seeds.pieces, counts.astype(np.float64)
        self._total = int(counts.sum())
        self._sheets = list(_sheets(prepared.words, seeds, pause))
        self._strings: tuple[Ints, WordLattices] | None = None
        total = log(int(seeds.scores.sum())) if n else 0.0
        self._set_scores((_logs(seeds.scores) - total).astype(np.float32))

    def _set_scores(self, log_probs: Floats | Singles) -> None:
        """New log-probabilities for the pieces of `order`; unknown characters have the least, less
        a penalty."""
        least = float(log_probs.min(initial=0.0))
        self.log_prob[self._characters] = least - UNKNOWN_PENALTY
        self.log_prob[self.order] = log_probs
        live = np.union1d(self.order, self._characters)
        self._weights = Weights(self.log_prob, self._lengths, live)

    def _reduce(self, order: Ints) -> None:
        alive = np.zeros(len(self.log_prob), bool)
        alive[order] = alive[self._characters] = True
        for _, lattices in self._sheets:
            lattices.keep(alive)
        if self._strings:
            self._strings[1].keep(alive)
        self.order = order

    def survey(self, pause: Pause, *, expect: bool) -> Survey:
        """One pass over the corpus: the objective and the best paths, and with `expect` (the
        E-step) the expected count of every piece."""
        n = len(self.log_prob)
        expected = np.zeros(n)
        loss, paths = 0.0, [np.empty((3, 0), np.int64)]
        for words, lattices in self._sheets:
            counts = self._counts[words]
            if expect:
                logs = lattices.expect(self._weights, counts, expected, pause)
            else:
                logs = lattices.log_likelihoods(self._weights, pause)
            loss -= float(np.add.reduce(counts * logs))
            word, start, token = lattices.best(self._weights, pause)
            paths.append(np.stack([words[word], start, token]))
        word, start, token = np.concatenate(paths, axis=1)
        frequency = np.bincount(token, self._counts[word], n)
        lost = np.setdiff1d(self._characters, self.order)
        unknown = int(frequency[lost].sum())
        for column in (expected, frequency):
            column[self.order[:1]] += column[lost].sum()
        return Survey(
            loss / self._total if self._total else 0.0,
            (word, start, token),
            frequency[self.order].astype(np.int64),
            unknown,
            expected[self.order],
        )

    def maximize(self, expected: Floats, least: float) -> None:
        """The M-step: drops the pieces expected less than `least` times; the others get
        ψ(expected) − ψ(their sum) as log-probability, which is a sparse prior."""
        single = expected.astype(np.float32)
        kept = single >= max(least, _LEAST_COUNT)
        single = single[kept]
        # One after the other, as the library adds.
        total = single[:0].sum() if not len(single) else np.add.accumulate(single)[-1]
        log_sum = np.float32(digamma(float(total))) if total else np.float32(0)
        psi = np.asarray([digamma(count) for count in single.tolist()])
        self._reduce(self.order[kept])
        self._set_scores((psi - float(log_sum)).astype(np.float32))

    def losses(self, frequency: Ints, pause: Pause) -> Losses:
        """By how much the library's approximation says the objective rises without each piece: all
        its occurrences become the second best segmentation of its own string."""
        order, n = self.order, len(self.order)
        # 0 for unknown characters: in the library they have the id of the first piece.
        place = np.zeros(len(self.log_prob), np.int64)
        place[order] = np.arange(n)
        strings, lattices = self._string_lattices(pause)
        word, start, token = lattices.best(self._weights, pause)
        sorting = np.lexsort((start, word))
        word, token = word[sorting], token[sorting]
        sums = np.bincount(word, self.log_prob[token], len(strings))
        rows = place[strings]
        split = np.zeros(n, bool)
        alive = order[rows] == strings
        split[rows[alive]] = (sums > self.log_prob[strings])[alive]
        wanted = alive & ~split[rows] & (frequency[rows] > 0)
        used = wanted[word]
        # In the order of the pieces.
        at = rows[word[used]]
        by_piece = np.argsort(at, kind="stable")
        at, alternative = at[by_piece], token[used][by_piece]
        sizes = np.bincount(at, minlength=n)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        loss = np.full(n, np.nan, np.float32)
        chosen = np.flatnonzero(sizes)
        loss[chosen] = self._loss(
            frequency,
            frequency[chosen],
            frequency[place[alternative]],
            starts[chosen],
            sizes[chosen],
        )
        return Losses(loss, split, alternative, starts)

    def _loss(self, frequency: Ints, own: Ints, others: Ints, starts: Ints, sizes: Ints) -> Singles:
        """The loss of pieces that occur `own` times, whose alternatives are runs of `others`.

        Every rounding is the library's: equal losses are frequent, and what is equal decides.
        """
        single, whole = np.float32, np.float32(frequency.sum())
        log_sum = float(single(log(whole))) if whole else 0.0
        log_prob = (_logs(own) - log_sum).astype(single)
        log_sums = _logs(whole + own.astype(single) * (sizes - 1).astype(single)).astype(single)
        without = np.zeros(len(own), single)
        for k in range(int(sizes.max(initial=0))):
            rows = np.flatnonzero(sizes > k)
            logs = _logs(others[starts[rows] + k] + own[rows]) - log_sums[rows]
            without[rows] = (without[rows] + logs).astype(single)
        share = own.astype(single) / single(self._total)
        return np.asarray(share * (log_prob - without))

    def exact_deltas(self, pause: Pause) -> Floats:
        """By how much the Viterbi loss of the corpus would rise without each piece of `order`; nan
        for characters, 0 for pieces that no best segmentation uses."""
        deltas = np.zeros(len(self.log_prob))
        for words, lattices in self._sheets:
            add_exact_deltas(deltas, lattices, self._weights, self._counts[words], pause)
        deltas[self._characters] = np.nan
        return deltas[self.order]

    def prune(self, frequency: Ints, losses: Losses, size: int) -> None:
        """Keeps the used pieces without an alternative, then those of the greatest losses (the
        lower id first among equals) until there are `size`; the others go."""
        safe = (frequency > 0) & ~losses.split & np.isnan(losses.loss)
        candidates = np.flatnonzero(~np.isnan(losses.loss))
        best = candidates[np.argsort(-losses.loss[candidates], kind="stable")]
        room = size - int(safe.sum())
        # The library compares for equality: with more than `size` safe pieces it keeps them all.
        rows = np.concatenate([np.flatnonzero(safe), best[:room] if room >= 0 else best])
        log_probs = self.log_prob[self.order[rows]]
        self._reduce(self.order[rows])
        self._set_scores(log_probs)

    def finalize(self, required: dict[str, int], size: int) -> list[str]:
        """The vocabulary: required characters, whatever became of them, then the best pieces, until
        there are `size`; best first. Returns the required characters that the model had lost."""
        numbers = {self._pieces[i]: i for i in self.order.tolist()}
        score = {piece: float(self.log_prob[i]) for piece, i in numbers.items()}
        least = min(score.values(), default=0.0)
        missing = [char for char in required if char not in numbers]
        final = {char: score[char] for char in required if char in numbers}
        final |= {
            char: float(np.float32(least + i * _MISSING_STEP)) for i, char in enumerate(missing)
        }
        for piece in sorted(score, key=lambda piece: (-score[piece], piece)):
            if len(final) >= size and piece not in final:
                break
            final[piece] = score[piece]
        numbers |= {char: i for i, char in enumerate(required)}
        ranked = sorted(final, key=lambda piece: (-final[piece], piece))
        self._reduce(np.asarray([numbers[piece] for piece in ranked], np.int64))
        self._set_scores(np.asarray([final[piece] for piece in ranked], np.float32))
        return missing

    def _string_lattices(self, pause: Pause) -> tuple[Ints, WordLattices]:
        """Lattices of the pieces' own strings, without the edge that is the whole of each."""
        if self._strings is None:
            numbers = {self._pieces[i]: i for i in self.order.tolist()}
            numbers |= {self._pieces[i]: i for i in self._characters[:-1].tolist()}
            strings = self.order[self._lengths[self.order] > 1]
            edges: list[tuple[int, int, int, int]] = []
            for row, string in enumerate(strings.tolist()):
                pause()
                text = self._pieces[string]
                for start in range(len(text)):
                    edges.append((row, start, 1, numbers[text[start]]))
                    longest = len(text) - start - (start == 0)
                    found = [numbers.get(text[start : start + n]) for n in range(2, longest + 1)]
                    edges += [
                        (row, start, n, token)
                        for n, token in enumerate(found, start=2)
                        if token is not None
                    ]
            columns = np.asarray(edges, np.int64).reshape(-1, 4).T
            self._strings = strings, WordLattices(self._lengths[strings], *columns)
        return self._strings


def _sheets(words: list[str], seeds: Seeds, pause: Pause) -> Iterator[tuple[Ints, WordLattices]]:
    """The lattices of all words, words of about the same length together."""
    lengths = np.fromiter(map(len, words), np.int64, len(words))
    word, start, length, token = seeds.edges
    sizes = np.bincount(word, minlength=len(words))
    by_length = np.argsort(lengths, kind="stable")
    # A new sheet where lengths double, and where one is full.
    doublings = np.frexp(lengths[by_length])[1]
    full = np.cumsum(sizes[by_length]) // _SHEET
    cuts = np.flatnonzero(np.diff(doublings) | np.diff(full)) + 1
    for members in np.split(by_length, cuts):
        pause()
        if not len(members):
            continue
        row_of = np.full(len(words), -1)
        row_of[members] = np.arange(len(members))
        rows = np.flatnonzero(row_of[word] >= 0)
        yield (
            members,
            WordLattices(
                lengths[members], row_of[word[rows]], start[rows], length[rows], token[rows]
            ),
        )


def digamma(x: float) -> float:
    """ψ(x), the derivative of ln Γ, by the library's series.

    >>> round(digamma(1.0), 6)
    -0.577216
    """
    result = 0.0
    while x < 7:
        result -= 1 / x
        x += 1
    x -= 0.5
    xx = 1 / (x * x)
    series = 1 / 24 - xx * (7 / 960 - xx * (31 / 8064 - xx * 127 / 30720))
    return result + log(x) + xx * series


def _logs(values: Ints | Singles) -> Floats:
    # The C library's logarithm: the last bit of NumPy's depends on the processor.
    return np.asarray(list(map(log, values.tolist())), np.float64)
