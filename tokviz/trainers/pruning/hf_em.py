"""Hugging Face's unigram language model on its corpus: EM, pruning and the final choice.

Source: huggingface/tokenizers 0.23.3, models/unigram/trainer.rs (run_e_step, run_m_step,
prune_sentence_pieces, finalize) and lattice.rs. The library computes in double precision, and goes
through the words in the order of a hash table, another one in each run; here they come in the order
in which they are met first. `docs/algorithms.md` says what follows from that.
"""

from itertools import accumulate

import numpy as np

from tokviz.encoding.viterbi_encoder import UNKNOWN_PENALTY
from tokviz.history.base import Floats, Ints
from tokviz.history.estimating.loss import approximate_loss, logs
from tokviz.trainers.pruning.corpus_lattices import CorpusLattices
from tokviz.trainers.pruning.em_lattice import Bools, Pause
from tokviz.trainers.pruning.em_model import Losses, Reals, Survey, UnigramEM, digamma
from tokviz.trainers.pruning.seed_pieces import Seeds
from tokviz.trainers.sentencepiece_settings import Prepared

#: By how much each further required character that the model lost is above the one before it
#: (min_score_penalty_delta).
_MISSING_STEP = 0.0001


class HuggingFaceEM(UnigramEM):
    """The pieces with their log-probabilities, and the lattices of all words."""

    def __init__(self, prepared: Prepared, seeds: Seeds, pause: Pause) -> None:
        n = len(seeds.pieces)
        self.order: Ints = np.flatnonzero(seeds.scores > 0)
        self.log_prob = np.zeros(n + 1)
        self._characters = np.append(np.arange(len(prepared.required)), n)
        self._lengths = np.fromiter([*map(len, seeds.pieces), 1], np.int64, n + 1)
        self.pieces, self._total = seeds.pieces, prepared.total
        self.corpus = DoubleLattices(prepared, seeds, pause)
        self._strings = None
        self._unknown = 0
        scores = seeds.scores[self.order].astype(np.int64)
        self._reduce(self.order)
        self.set_scores(logs(scores) - logs(np.asarray([int(scores.sum()) or 1])))

    def set_scores(self, log_probs: Reals) -> None:
        """New log-probabilities for the pieces of `order`; unknown characters have the least, less
        a penalty."""
        least = float(log_probs.min()) if len(log_probs) else 0.0
        self.log_prob[self._characters] = least - UNKNOWN_PENALTY
        self.log_prob[self.order] = log_probs

    def survey(self, pause: Pause, *, expect: bool) -> Survey:
        """See `UnigramEM.survey`; here unknown characters are a piece of their own."""
        expected = np.zeros(len(self.log_prob))
        if expect:
            loss, expected = self.corpus.expect(self.log_prob, (0, self._lost), pause)
        else:
            loss = self.corpus.loss(self.log_prob, pause)
        path, frequency = self.corpus.best(self.log_prob, pause)
        self._unknown = int(frequency[self._lost].sum())
        return Survey(loss, path, frequency[self.order], self._unknown, 0, expected[self.order])

    def maximize(self, expected: Reals, least: float) -> None:
        """The M-step: drops the pieces expected less than `least` times; the others get
        ψ(expected) − ψ(their sum) as log-probability."""
        kept = expected >= max(least, 1e-30)
        expected = expected[kept].astype(np.float64)
        total = [*accumulate(expected.tolist())][-1]
        log_sum = float(digamma(np.asarray([total]), logs)[0])
        self._reduce(self.order[kept])
        self.set_scores(digamma(expected, logs) - log_sum)

    def losses(self, frequency: Ints, pause: Pause) -> Losses:
        """By how much the library says the objective rises without each piece (see
        `approximate_loss`)."""
        order, n = self.order, len(self.order)
        place = np.full(len(self.log_prob), -1)
        place[order] = np.arange(n)
        at, alternative, split = self._alternatives(place, pause)
        wanted = frequency[at] > 0
        at, alternative = at[wanted], alternative[wanted]
        sizes = np.bincount(at, minlength=n)
        starts = np.concatenate([[0], np.cumsum(sizes)])
        # Unknown characters have a count of their own.
        uses = np.append(frequency, self._unknown)
        loss = np.full(n, np.nan)
        chosen = np.flatnonzero(sizes)
        loss[chosen] = approximate_loss(
            frequency[chosen],
            uses[place[alternative]],
            sizes[chosen],
            np.full(len(chosen), n + 1),
            int(uses.sum()),
            self._total,
        )
        # What agrees in single precision is equal: in double precision the order in which words
        # were added up would decide.
        single = loss.astype(np.float32)
        return Losses(single, split, alternative, starts)

    def _alternatives(self, place: Ints, pause: Pause) -> tuple[Ints, Ints, Bools]:
        """The second best segmentation of each piece whose best is the piece itself, as (row,
        token) columns in the order of the pieces; and which pieces are better split."""
        order = self.order
        if self._strings is None:
            longer = order[self._lengths[order] > 1]
            self._strings = longer, self.corpus.of_strings(longer)
        strings, lattices = self._strings
        score, word, start, token = lattices.best(self.log_prob, pause)
        rows = place[strings]
        alive = rows >= 0
        split = np.zeros(len(order), bool)
        split[rows[alive]] = (score > self.log_prob[strings])[alive]
        used = alive[word] & ~split[rows[word]]
        word, start, token = word[used], start[used], token[used]
        sorting = np.lexsort((start, rows[word]))
        return rows[word][sorting], token[sorting], split

    def prune(self, frequency: Ints, losses: Losses, size: int) -> None:
        """Keeps what has no alternative, used or not, and what is split but used; then the pieces
        of the greatest losses (the lower id first among equals) until there are `size`."""
        lengths = self._lengths[self.order]
        safe = (lengths == 1) | ((frequency > 0) & losses.split)
        candidates = np.flatnonzero(~np.isnan(losses.loss))
        best = candidates[np.argsort(-losses.loss[candidates], kind="stable")]
        rows = np.concatenate([np.flatnonzero(safe), best[: max(0, size - int(safe.sum()))]])
        log_probs = self.log_prob[self.order[rows]]
        self._reduce(self.order[rows])
        self.set_scores(log_probs)

    def finalize(self, required: dict[str, int], size: int) -> list[str]:
        """The vocabulary: required characters, whatever became of them, then the pieces in the
        order that they have, whatever their scores, until there are `size`; then best first.
        Returns the required characters that the model had lost."""
        score = {self.pieces[i]: float(self.log_prob[i]) for i in self.order.tolist()}
        least = min(score.values(), default=0.0)
        missing = [char for char in required if char not in score]
        # The library adds up what each character is given.
        steps = [0.0, *accumulate([_MISSING_STEP] * len(missing))]
        added = {char: least + step for char, step in zip(missing, steps, strict=False)}
        final = {char: score.get(char, added.get(char, 0.0)) for char in required}
        for piece, value in score.items():
            if len(final) == size:
                break
            final[piece] = value
        numbers = {self.pieces[i]: i for i in self.order.tolist()}
        numbers |= {char: i for i, char in enumerate(required)}
        ranked = sorted(final, key=lambda piece: -final[piece])
        self._reduce(np.asarray([numbers[piece] for piece in ranked], np.int64))
        self.set_scores(np.asarray([final[piece] for piece in ranked], np.float64))
        return missing


class DoubleLattices(CorpusLattices):
    """The lattices of a corpus, whose sums are added up in double precision, word after word."""

    def _turns(self, prepared: Prepared) -> Ints:
        return np.arange(len(prepared.words))

    def _sums_of(self, token: Ints, time: Ints, groups: int) -> "DoubleSums":
        return DoubleSums(token, time, groups)

    def _credit(self, expected: Floats, values: Floats, unknown: tuple[int, Ints]) -> None:
        """Nothing: unknown characters are a piece of their own."""


class DoubleSums:
    """Sums over groups, as `SingleSums`, in double precision.

    >>> sums = DoubleSums(np.array([1, 0, 1, 1]), np.array([3, 0, 1, 2]), groups=2)
    >>> sums.of(np.array([1.0, 5.0, 2.0**53, -(2.0**53)])).tolist()
    [5.0, 1.0]
    """

    def __init__(self, group: Ints, time: Ints, groups: int) -> None:
        self._order = np.argsort(time, kind="stable")
        self._group, self._groups = group[self._order], groups

    def keep(self, _alive: Bools, rows: Bools) -> None:
        """Takes out numbers: `rows` says which stay."""
        kept = rows[self._order]
        self._order = (np.cumsum(rows) - 1)[self._order[kept]]
        self._group = self._group[kept]

    def first(self, groups: Ints) -> Ints:
        """Which number is the first of each of these groups, none of them empty."""
        first = np.zeros(self._groups, np.int64)
        first[self._group[::-1]] = self._order[::-1]
        return np.asarray(first[groups])

    def of(self, values: Floats) -> Floats:
        """The sum of each group."""
        return np.bincount(self._group, values[self._order], self._groups).astype(np.float64)
