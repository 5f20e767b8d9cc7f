"""One word drawn many times: how often each segmentation came, beside how probable it is.

Unigram draws a path through the lattice with probability P^α / Σ P^α; merges are drawn by
BPE-dropout. The other ways to cut a word draw nothing.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, log
from random import Random
from typing import NamedTuple

from tokviz.basics.messages import Message, message, told_by
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.dropout import DropoutChain, Way, entropy
from tokviz.encoding.encoders import Piece
from tokviz.encoding.lattice import PathSampler
from tokviz.encoding.viterbi_encoder import ViterbiEncoder

#: Characters, and symbols that merges start from; a longer word is not drawn. Longer ones
#: are drawn less often, so that no draws take much more than half a second.
MOST_CHARACTERS = 100
MOST_DRAWS = ((30, 10_000), (60, 1_000), (MOST_CHARACTERS, 100))


class Drawn(NamedTuple):
    """A segmentation: its probability (None: not known) and how often it was drawn."""

    pieces: tuple[Piece, ...]
    probability: float | None
    times: int

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True)
class Samples:
    """The most probable segmentations of a word, best first, and how often each was drawn in
    `draws` passes (fewer than asked for if the word is long).

    `segmentations` is how many have a probability above 0; those that are not among `rows` have
    `other_probability` together and were drawn `other_times`. `entropy` is in bits. Where exact
    probabilities would take too long, they are None with a `reason`, and the rows are those drawn
    most often.
    """

    __repr__ = short_repr

    rows: list[Drawn]
    draws: int
    segmentations: int | None
    entropy: float | None
    other_probability: float | None
    other_times: int
    reason: str = ""


def sample_unigram(
    encoder: ViterbiEncoder, word: str, alpha: float, draws: int, seed: int, rows: int
) -> Samples:
    """Draws of a word by Unigram, each ∝ P^alpha, as `Tokenizer.sample` draws them.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
    >>> samples = sample_unigram(history.tokenizer().encoder, "pug", 1.0, 1000, seed=1, rows=2)
    >>> [([p.token for p in pieces], round(q, 3), times) for pieces, q, times in samples.rows]
    [(['p', 'ug'], 0.461, 466), (['pu', 'g'], 0.461, 451)]
    >>> samples.segmentations, round(samples.other_probability, 3), samples.other_times
    (3, 0.079, 83)
    """
    if len(word) > MOST_CHARACTERS:
        reason = _too_many_characters(len(word))
        return Samples([], 0, None, None, None, 0, reason)
    draws = _possible(draws, len(word))
    if not encoder.path(word):
        only = Drawn(tuple(encoder.pieces(word, [])), 1.0, draws)
        reason = message(
            "No path leads through the lattice of this word: it is unknown in every draw."
        )
        return Samples([only], draws, 1, 0.0, 0.0, 0, reason)
    edges, lattice = encoder.edges(word), encoder.lattice(word)
    sampler, random = PathSampler(len(word), edges, alpha), Random(seed).random
    paths = Counter(tuple(sampler.draw(random)) for _ in range(draws))
    times: Counter[tuple[Piece, ...]] = Counter()
    for path, n in paths.items():
        times[tuple(encoder.pieces(word, list(path)))] += n
    total, found = lattice.log_total(alpha), []
    for pieces, log_prob in encoder.n_best(word, rows):
        probability = min(1.0, exp(alpha * log_prob - total))
        found.append(Drawn(tuple(pieces), probability, times[tuple(pieces)]))
    all_ways = lattice.segmentations
    rest = max(0.0, 1 - fsum(row.probability or 0 for row in found))
    return Samples(
        found,
        draws,
        all_ways,
        lattice.entropy(alpha) / log(2),
        rest if all_ways > len(found) else 0.0,
        draws - sum(row.times for row in found),
    )


def sample_merges(chain: DropoutChain, draws: int, seed: int, rows: int) -> Samples:
    """Draws of a word by BPE-dropout, merge by merge as `MergeEncoder.sample` makes them.

    >>> import tokviz
    >>> abc = tokviz.train({"ab": 4, "bc": 3, "abc": 1}, vocab_size=6, pretokenizer="whitespace")
    >>> chain = DropoutChain.of(abc.tokenizer().encoder, "abc", 0.1)
    >>> samples = sample_merges(chain, 1000, seed=1, rows=2)
    >>> [([p.token for p in pieces], q, times) for pieces, q, times in samples.rows]
    [(['abc'], 0.81, 815), (['ab', 'c'], 0.09, 85)]
    """
    if len(chain.word) > MOST_CHARACTERS:
        return Samples([], 0, None, None, None, 0, _too_many_characters(len(chain.word)))
    if len(chain.start) > MOST_CHARACTERS:
        reason = message(
            "This word has {n:,} bytes; only words of up to {most} are drawn.",
            n=len(chain.start),
            most=MOST_CHARACTERS,
        )
        return Samples([], 0, None, None, None, 0, reason)
    draws, random = _possible(draws, len(chain.start)), Random(seed).random
    states = Counter(chain.draw(random) for _ in range(draws))
    times: Counter[tuple[Piece, ...]] = Counter()
    for state, n in states.items():
        times[chain.pieces(state)] += n
    try:
        ways: list[Way] = chain.ways
    except ValueError as error:
        common = [Drawn(pieces, None, n) for pieces, n in times.most_common(rows)]
        others = draws - sum(row.times for row in common)
        return Samples(common, draws, None, None, None, others, told_by(error))
    found = [Drawn(way.pieces, float(way.probability), times[way.pieces]) for way in ways[:rows]]
    return Samples(
        found,
        draws,
        len(ways),
        entropy(ways),
        float(sum((way.probability for way in ways[rows:]), Fraction())),
        draws - sum(row.times for row in found),
    )


def _too_many_characters(n: int) -> Message:
    return message(
        "This word has {n:,} characters; only words of up to {most} are drawn.",
        n=n,
        most=MOST_CHARACTERS,
    )


def _possible(draws: int, length: int) -> int:
    return min(draws, next(most for longest, most in MOST_DRAWS if length <= longest))
