"""What an expected count is made of, word by word, and what EM makes of it."""

from collections import defaultdict
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np

from tokviz.encoding.word_lattice import WordLattice
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.trainers.pruning.em_model import digamma


@dataclass(frozen=True)
class ExpectedTerm:
    """A word with its count, and how often a piece is expected in it: the sum of the posteriors of
    the piece's edges in the word's lattice."""

    word: str
    count: int
    share: float


class Estimate(NamedTuple):
    """What the EM step out of a state makes of a piece: its expected count, the sum of the expected
    counts of all pieces that stay, and ψ of both, the digamma function. The new log-probability is
    their difference; a piece that goes has none, and 0 for both."""

    expected: float
    total: float
    psi: float
    psi_of_total: float
    stays: bool


def words_with(history: SentencePieceUnigramHistory, token: str, t: int) -> list[tuple[str, int]]:
    """Return the words of the corpus in which a piece of state t fits somewhere, with their counts;
    for the first piece also those with unknown characters, which the library counts as that piece.
    """
    number, alive = history.strings.index(token), history.alive(t)
    text = history.record.tokens[number]
    known = {history.record.tokens[i] for i in alive.tolist()} if number == alive[0] else None
    pairs = zip(history.words.words, history.words.counts, strict=True)
    return [
        (word, count)
        for word, count in pairs
        if text in word or (known is not None and not known.issuperset(word))
    ]


def expected_terms(history: SentencePieceUnigramHistory, token: str, t: int) -> list[ExpectedTerm]:
    """Return what the expected count of a piece of state t is the sum of, the greatest part first.
    Unknown characters are counted as the first piece, as in the library.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> settings = {"vocab_size": 12, "min_expected_count": 0.0}
    >>> history = tokviz.train(words, "sentencepiece-unigram", **settings)
    >>> [(term.word, term.count, round(term.share, 3)) for term in expected_terms(history, "ug", 0)]
    [('pug', 5, 0.481), ('hug', 10, 0.054), ('hugs', 5, 0.054)]
    """
    terms, known = [], set(history.vocab(t)) - set(history.special_tokens)
    is_first = history.strings.index(token) == history.alive(t)[0]
    for word, count in words_with(history, token, t):
        lattice = history.lattice(word, t)
        share = sum(
            posterior
            for edge, posterior in zip(lattice.edges, lattice.posteriors(), strict=True)
            if edge.token == token or (is_first and edge.token not in known)
        )
        terms.append(ExpectedTerm(word, count, share))
    return sorted(terms, key=lambda term: -term.count * term.share)


def estimate(history: SentencePieceUnigramHistory, token: str, t: int) -> Estimate:
    """Return what the EM step out of state t makes of a piece.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> settings = {"vocab_size": 12, "min_expected_count": 0.0}
    >>> history = tokviz.train(words, "sentencepiece-unigram", **settings)
    >>> made = estimate(history, "n", 0)
    >>> made.expected, round(made.total, 2), round(made.psi - made.psi_of_total, 4)
    (16.0, 67.99, -1.471)
    """
    alive = history.alive(t)
    kept = np.isin(alive, history.alive(t + 1))
    counts = history.expected_counts(t)
    at = alive.tolist().index(history.strings.index(token))
    expected, total = float(counts[at]), float(counts[kept].sum())
    stays = bool(kept[at])
    psi, psi_of_total = digamma(np.array([expected, total])).tolist() if stays else (0.0, 0.0)
    return Estimate(expected, total, psi, psi_of_total, stays)


class Flow(NamedTuple):
    """What a word gives to a piece in an EM step: its count, `times`, by the `share` of its
    segmentations that use the piece. All words together make `expected`, of which the step makes
    the probability `after` (0 if the piece goes) instead of `before`."""

    token: str
    times: int
    share: float
    expected: float
    before: float
    after: float


def flows(history: SentencePieceUnigramHistory, lattice: WordLattice, t: int) -> list[Flow]:
    """Return what a word gives to each piece of its lattice in state t, most first; nothing unless
    the step out of the state is an EM step. Unknown characters are no piece.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> settings = {"vocab_size": 12, "min_expected_count": 0.0}
    >>> history = tokviz.train(words, "sentencepiece-unigram", **settings)
    >>> found = flows(history, history.lattice("pug", 0), 0)
    >>> [(flow.token, flow.times, round(flow.share, 3), round(flow.expected, 2)) for flow in found]
    [('p', 5, 0.519, 3.46), ('g', 5, 0.519, 2.66), ('pu', 5, 0.481, 13.54), \
('ug', 5, 0.481, 3.22), ('u', 5, 0.037, 5.11)]
    """
    if history.action(t) != "em":
        return []
    shares: defaultdict[str, float] = defaultdict(float)
    count = history.count_of(lattice.word)
    for edge, posterior in zip(lattice.edges, lattice.posteriors(), strict=True):
        shares[edge.token] += posterior
    numbers = {history.strings[i]: row for row, i in enumerate(history.alive(t).tolist())}
    later = dict(zip(history.alive(t + 1).tolist(), history.log_probs(t + 1), strict=True))
    now, expected, alive = history.log_probs(t), history.expected_counts(t), history.alive(t)
    found = [
        Flow(
            token,
            count,
            share,
            float(expected[row]),
            exp(now[row]),
            exp(later[alive[row]]) if alive[row] in later else 0.0,
        )
        for token, share in shares.items()
        if (row := numbers.get(token)) is not None
    ]
    return sorted(found, key=lambda flow: -flow.share)
