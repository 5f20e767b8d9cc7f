"""SentencePiece's unigram language model on its corpus: EM, pruning and the final choice.

Source: google/sentencepiece 0.2.1 and 0.2.3, src/unigram_model_trainer.cc (RunEStep, RunMStep,
PruneSentencePieces, FinalizeSentencePieces) and src/unigram_model.cc. The library computes in
single precision, and one thread's order of summands. So do we: scores are its own to the last bit.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log
from typing import TypeAlias

import numpy as np

from tokviz.encoding.viterbi_encoder import UNKNOWN_PENALTY
from tokviz.history.base import Floats, Ints
from tokviz.pretokenizers.normalizer import VERSIONS
from tokviz.trainers.pruning.corpus_lattices import CorpusLattices
from tokviz.trainers.pruning.em_lattice import Bools, Pause, Singles, WordLattices
from tokviz.trainers.pruning.seed_pieces import Seeds
from tokviz.trainers.sentencepiece_settings import Prepared

#: An expected count below this is nothing but rounding; ψ would make infinity of it.
_LEAST_COUNT = 1e-30

#: By how much each further required character that the model lost is below the one before it
#: (kMinScorePenaltyDelta). Above, in fact: the library adds it.
_MISSING_STEP = np.float32(0.0001)


#: Numbers in a library's precision.
Reals: TypeAlias = Singles | Floats


@dataclass
class Survey:
    """What a model says of its corpus. Columns are over the pieces of `UnigramEM.order`.

    `loss` is the objective: −ln P of a word, averaged over the corpus. `path` are the pieces of
    all best segmentations as (word, start, token) columns, `frequency` how often each piece is in
    them, `expected` how often it is expected over all segmentations (zeros if not asked for). In
    both, the first piece has `credited` unknown characters too: SentencePiece gives all its id.
    """

    loss: float
    path: tuple[Ints, Ints, Ints]
    frequency: Ints
    unknown: int
    credited: int
    expected: Reals


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

    def __init__(self, prepared: Prepared, seeds: Seeds, version: str, pause: Pause) -> None:
        n = len(seeds.pieces)
        #: The pieces in the library's order: ids of its model, which decide ties.
        self.order: Ints = np.arange(n)
        self.log_prob: Reals = np.zeros(n + 1, np.float32)
        #: Tokens of one character, which every lattice has.
        self._characters = np.append(np.arange(len(prepared.required)), n)
        self._lengths = np.fromiter([*map(len, seeds.pieces), 1], np.int64, n + 1)
        #: The seeds, by number.
        self.pieces = seeds.pieces
        #: What losses are shares of, if it is not the tokens of the best segmentations.
        self._sentences = prepared.total if version == VERSIONS[0] else None
        self.corpus = CorpusLattices(prepared, seeds, pause)
        self._strings: tuple[Ints, WordLattices] | None = None
        scores = seeds.scores.astype(np.float32)
        if version == VERSIONS[0]:
            log_sum = float(np.float32(log(_sum(scores) or 1.0)))
        else:
            log_sum = log(sum(scores.tolist()) or 1.0)
        self.set_scores((logs(scores) - log_sum).astype(np.float32))

    def set_scores(self, log_probs: Reals) -> None:
        """New log-probabilities for the pieces of `order`; unknown characters have the least, less
        a penalty."""
        least = log_probs.min(initial=np.float32(0.0))
        self.log_prob[self._characters] = least - np.float32(UNKNOWN_PENALTY)
        self.log_prob[self.order] = log_probs

    @property
    def _lost(self) -> Ints:
        """Characters that are no pieces."""
        return np.setdiff1d(self._characters, self.order)

    def _reduce(self, order: Ints) -> None:
        self.order = order
        alive = np.zeros(len(self.log_prob), bool)
        alive[order] = alive[self._characters] = True
        lost = self._lost
        self.corpus.keep(alive, lost)
        if self._strings:
            self._strings[1].keep(alive, lost)

    def survey(self, pause: Pause, *, expect: bool) -> Survey:
        """One pass over the corpus: the objective and the best paths, and with `expect` (the
        E-step) the expected count of every piece."""
        lost, first = self._lost, self.order[:1]
        expected = np.zeros(len(self.log_prob), np.float32)
        if expect and len(first):
            loss, expected = self.corpus.expect(self.log_prob, (int(first[0]), lost), pause)
        else:
            loss = self.corpus.loss(self.log_prob, pause)
        path, frequency = self.corpus.best(self.log_prob, pause)
        unknown = frequency[lost].sum()
        frequency[first] += unknown
        return Survey(
            loss,
            path,
            frequency[self.order],
            int(unknown),
            int(unknown),
            expected[self.order],
        )

    def maximize(self, expected: Reals, least: float) -> None:
        """The M-step: drops the pieces expected less than `least` times; the others get
        ψ(expected) − ψ(their sum) as log-probability, which is a sparse prior."""
        kept = expected >= max(least, _LEAST_COUNT)
        expected = expected[kept]
        total = np.asarray([_sum(expected)])
        log_sum = float(np.float32(digamma(total)[0])) if len(expected) else 0.0
        self._reduce(self.order[kept])
        self.set_scores((digamma(expected.astype(np.float64)) - log_sum).astype(np.float32))

    def losses(self, frequency: Ints, pause: Pause) -> Losses:
        """By how much the library's approximation says the objective rises without each piece: all
        its occurrences become the second best segmentation of its own string."""
        order, n = self.order, len(self.order)
        # 0 for unknown characters: in the library they have the id of the first piece.
        place = np.zeros(len(self.log_prob), np.int64)
        place[order] = np.arange(n)
        if self._strings is None:
            longer = order[self._lengths[order] > 1]
            self._strings = longer, self.corpus.of_strings(longer)
        strings, lattices = self._strings
        score, word, start, token = lattices.best(self.log_prob, pause)
        sorting = np.lexsort((start, word))
        word, token = word[sorting], token[sorting]
        rows = place[strings]
        split = np.zeros(n, bool)
        alive = order[rows] == strings
        split[rows[alive]] = (score > self.log_prob[strings])[alive]
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
        log_prob = (logs(own) - log_sum).astype(single)
        log_sums = logs(whole + own.astype(single) * (sizes - 1).astype(single)).astype(single)
        without = np.zeros(len(own), single)
        for k in range(int(sizes.max(initial=0))):
            rows = np.flatnonzero(sizes > k)
            added = logs(others[starts[rows] + k] + own[rows]) - log_sums[rows]
            without[rows] = (without[rows] + added).astype(single)
        of = whole if self._sentences is None else single(self._sentences)
        share = own.astype(single) / of
        return np.asarray(share * (log_prob - without))

    def exact_deltas(self, pause: Pause) -> Floats:
        """By how much the Viterbi loss of the corpus would rise without each piece of `order`; nan
        for characters, 0 for pieces that no best segmentation uses."""
        deltas = self.corpus.exact_deltas(self.log_prob.astype(np.float64), pause)
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
        self.set_scores(log_probs)

    def finalize(self, required: dict[str, int], size: int) -> list[str]:
        """The vocabulary: required characters, whatever became of them, then the best pieces, until
        there are `size`; best first. Returns the required characters that the model had lost."""
        numbers = {self.pieces[i]: i for i in self.order.tolist()}
        score = {piece: float(self.log_prob[i]) for piece, i in numbers.items()}
        least = min(score.values(), default=0.0)
        missing = [char for char in required if char not in numbers]
        final = {char: score[char] for char in required if char in numbers}
        # The library adds up what each character is given, rounding every sum.
        steps = np.zeros(len(missing), np.float32)
        steps[1:] = np.add.accumulate(np.full(len(missing), _MISSING_STEP))[:-1]
        final |= dict(zip(missing, (np.float32(least) + steps).tolist(), strict=True))
        for piece in sorted(score, key=lambda piece: (-score[piece], piece)):
            if len(final) >= size and piece not in final:
                break
            final[piece] = score[piece]
        numbers |= {char: i for i, char in enumerate(required)}
        ranked = sorted(final, key=lambda piece: (-final[piece], piece))
        self._reduce(np.asarray([numbers[piece] for piece in ranked], np.int64))
        self.set_scores(np.asarray([final[piece] for piece in ranked], np.float32))
        return missing


def logs(values: Ints | Reals) -> Floats:
    """The logarithm of each."""
    # The C library's logarithm: the last bit of NumPy's depends on the processor.
    return np.asarray(list(map(log, values.tolist())), np.float64)


def digamma(x: Floats, ln: Callable[[Floats], Floats] = logs) -> Floats:
    """ψ(x), the derivative of ln Γ, by the library's series.

    >>> digamma(np.array([1.0, 100.0])).round(6).tolist()
    [-0.577216, 4.600162]
    """
    result, x = np.zeros(len(x)), x.copy()
    while len(low := np.flatnonzero(x < 7)):
        result[low] -= 1 / x[low]
        x[low] += 1
    x -= 1 / 2
    xx = 1 / x
    xx2 = xx * xx
    xx4 = xx2 * xx2
    series = ln(x) + 1 / 24 * xx2 - 7 / 960 * xx4 + 31 / 8064 * xx4 * xx2
    return np.asarray(result + (series - 127 / 30720 * xx4 * xx4))


def _sum(values: Reals) -> float:
    """The sum, one after the other, each rounded."""
    return float(np.add.accumulate(values)[-1]) if len(values) else 0.0
