"""How well a vocabulary cuts its own corpus, at every step of its training.

Everything follows from the history: how often the corpus uses each token in a state, and which of
its words are one token there. Nothing is trained or encoded again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log2
from operator import mul
from typing import NamedTuple

import numpy as np
import pandas as pd

from tokviz.blocks import encoded
from tokviz.history import Floats, History, Ints
from tokviz.language import message
from tokviz.short_repr import short_repr

#: The order of the Rényi entropy by which Zouhar et al. rank tokenizers.
ALPHA = 2.5


@dataclass(frozen=True)
class Usage:
    """How a corpus is cut in one state. `counts` are those of the tokens that it uses, `unused` is
    how many tokens of the vocabulary it does not use, special ones left out; `whole` counts the
    words that are one token. Made by `usages`."""

    __repr__ = short_repr

    counts: Ints
    unused: int
    vocab_size: int
    whole: int
    words: int
    characters: int
    bytes: int

    @cached_property
    def tokens(self) -> int:
        """The tokens of the corpus."""
        return int(self.counts.sum())

    @cached_property
    def shares(self) -> Floats:
        """The share of the corpus's tokens that each token in use has."""
        shares: Floats = self.counts / max(1, self.tokens)
        return shares


def _per(amount: float, of: float) -> float:
    return amount / of if of else 0.0


def entropy(shares: Floats) -> float:
    """Shannon's entropy of a distribution, in bits.

    >>> entropy(np.array([0.5, 0.25, 0.25]))
    1.5
    """
    inside = shares[shares > 0]
    return float(-(inside * np.log2(inside)).sum()) + 0.0


def renyi_entropy(shares: Floats, alpha: float = ALPHA) -> float:
    """Rényi's entropy of order `alpha`, in bits: log2(Σ p^alpha) / (1 − alpha).

    >>> renyi_entropy(np.array([0.25] * 4)), round(renyi_entropy(np.array([0.5, 0.25, 0.25])), 4)
    (2.0, 1.3755)
    """
    if alpha == 1 or not len(shares):
        return entropy(shares)
    return log2(float((shares**alpha).sum())) / (1 - alpha) + 0.0


def renyi_efficiency(shares: Floats, alpha: float = ALPHA) -> float:
    """Rényi's entropy as a share of the greatest that so many tokens can have, log2 of their
    number; 0 for fewer than two tokens.

    >>> renyi_efficiency(np.array([0.25] * 4)), renyi_efficiency(np.array([1.0]))
    (1.0, 0.0)
    """
    if len(shares) < 2:
        return 0.0
    return renyi_entropy(shares, alpha) / log2(len(shares))


class Metric(NamedTuple):
    """A number for every state: its column, what people call it, its formula, where it is from, and
    how to compute it. `better` is "more", "less", or "" where neither is better."""

    name: str
    label: str
    formula: str
    source: str
    better: str
    value: Callable[[Usage], float]


#: A new metric is one line here. All are of the training corpus, as cut in the state.
METRICS = (
    Metric(
        "corpus_tokens",
        message("Corpus tokens"),
        message("tokens of the corpus"),
        "",
        "less",
        lambda u: u.tokens,
    ),
    Metric(
        "characters_per_token",
        message("Characters per token"),
        message("code points of all words ÷ tokens"),
        "",
        "more",
        lambda u: _per(u.characters, u.tokens),
    ),
    Metric(
        "bytes_per_token",
        message("Bytes per token"),
        message("UTF-8 bytes of all words ÷ tokens"),
        "",
        "more",
        lambda u: _per(u.bytes, u.tokens),
    ),
    Metric(
        "fertility",
        message("Fertility"),
        message("tokens ÷ words of the pre-tokenizer"),
        "Ács 2019; Rust et al. 2021, How Good is Your Tokenizer?",
        "less",
        lambda u: _per(u.tokens, u.words),
    ),
    Metric(
        "whole_words",
        message("Words kept whole"),
        message("occurrences of words that are one token ÷ words"),
        "Rust et al. 2021: 1 − the proportion of continued words",
        "more",
        lambda u: _per(u.whole, u.words),
    ),
    Metric(
        "unused",
        message("Unused vocabulary"),
        message("tokens that the corpus does not use, special ones left out ÷ vocabulary"),
        "",
        "less",
        lambda u: _per(u.unused, u.vocab_size),
    ),
    Metric(
        "entropy",
        message("Entropy (bits)"),
        message("−Σ p log2 p, p the share of each token in the corpus's tokens"),
        "Shannon 1948",
        "",
        lambda u: entropy(u.shares),
    ),
    Metric(
        "renyi_efficiency",
        message("Rényi efficiency"),
        message("log2(Σ p^α) ÷ (1 − α) ÷ log2(tokens in use), α = {alpha}", alpha=ALPHA),
        "Zouhar et al. 2023, Tokenization and the Noiseless Channel",
        "more",
        lambda u: renyi_efficiency(u.shares),
    ),
)


def metrics(history: History, states: Sequence[int] | None = None) -> pd.DataFrame:
    """Every metric in some states (all if None), a row each, in ascending order: step, vocab_size,
    and a column for each of `METRICS`.

    Raises IndexError for a state that the run does not have.

    >>> import tokviz
    >>> table = metrics(tokviz.train({"low": 5, "lower": 2, "lowest": 6}, "bpe", 9), [0, 2])
    >>> table[["step", "corpus_tokens", "whole_words", "fertility"]].round(3).values.tolist()
    [[0.0, 61.0, 0.0, 4.692], [2.0, 35.0, 0.385, 2.692]]
    """
    wanted = range(len(history) + 1) if states is None else sorted(set(states))
    rows = [
        [t, usage.vocab_size, *(metric.value(usage) for metric in METRICS)]
        for t, usage in zip(wanted, usages(history, wanted), strict=True)
    ]
    columns = ["step", "vocab_size", *(metric.name for metric in METRICS)]
    return pd.DataFrame(rows, columns=columns)


def usages(history: History, states: Iterable[int]) -> Iterator[Usage]:
    """How the corpus is cut in each of some ascending states.

    Raises IndexError for a state that the run does not have.
    """
    words, wanted = history.words, list(states)
    for t in wanted:
        history.check_state(t)
    n_bytes = sum(map(mul, map(len, map(encoded, words.words)), words.counts))
    special = set(history.special_tokens)
    states_of = zip(wanted, history.counts_over(wanted), history.whole_over(wanted), strict=True)
    for t, counts, whole in states_of:
        idle = np.flatnonzero(counts == 0)
        if special:
            vocab = history.vocab(t)
            idle = np.asarray([i for i in idle.tolist() if vocab[i] not in special], np.int64)
        yield Usage(
            counts=counts[counts > 0],
            unused=len(idle),
            vocab_size=len(counts),
            whole=whole,
            words=words.total,
            characters=history.characters,
            bytes=n_bytes,
        )
