"""How well a vocabulary cuts its own corpus, at every step of its training.

Everything follows from the history: how often the corpus uses each token in a state, and which of
its words are one token there. Nothing is trained or encoded again.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import fsum, log2
from operator import mul
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np

from tokviz.basics.arguments import Shown
from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Floats, History, Ints
from tokviz.pretokenizers.blocks import encoded

if TYPE_CHECKING:
    import pandas as pd

#: What figures per word divide by: words between white space, the same for every lane, or the words
#: of each lane's own pre-tokenizer.
PerWord: TypeAlias = Literal["whitespace", "pretokens"]
PER_WORD: dict[PerWord, str] = {
    "whitespace": message("White-space words"),
    "pretokens": message("Each lane’s own pre-tokens"),
}

#: The order of the Rényi entropy by which Zouhar et al. rank tokenizers.
ALPHA = 2.5


@dataclass(frozen=True)
class Usage:
    """How a corpus is cut in one state. `counts` are those of the tokens that it uses, `unused` is
    how many tokens of the vocabulary it does not use, special ones left out; `words` is how many
    words figures per word divide by, and `whole` how many of these are one token. Made by
    `usages`."""

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
    return _sum_of(lambda share: -share * log2(share), shares[shares > 0]) + 0.0


def renyi_entropy(shares: Floats, alpha: float = ALPHA) -> float:
    """Rényi's entropy of order `alpha`, in bits: log2(Σ p^alpha) / (1 − alpha).

    >>> renyi_entropy(np.array([0.25] * 4)), round(renyi_entropy(np.array([0.5, 0.25, 0.25])), 4)
    (2.0, 1.3755)
    """
    if alpha == 1 or not len(shares):
        return entropy(shares)
    return log2(_sum_of(lambda share: share**alpha, shares)) / (1 - alpha) + 0.0


def _sum_of(function: Callable[[float], float], shares: Floats) -> float:
    """Return the sum of a function over some shares, the same on every processor: NumPy's own
    logarithms and powers have another last bit where a processor has wider registers."""
    values, times = np.unique(shares, return_counts=True)
    parts = zip(values.tolist(), times.tolist(), strict=True)
    return fsum(n * function(share) for share, n in parts)


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
        "characters_per_token",
        message("Characters per token"),
        message("code points of all pre-tokens ÷ tokens"),
        "",
        "more",
        lambda u: _per(u.characters, u.tokens),
    ),
    Metric(
        "bytes_per_token",
        message("Bytes per token"),
        message("UTF-8 bytes of all pre-tokens ÷ tokens"),
        "",
        "more",
        lambda u: _per(u.bytes, u.tokens),
    ),
    Metric(
        "fertility",
        message("Fertility (tokens per white-space word)"),
        message("tokens ÷ words of the corpus between white space, the same for every lane"),
        "Ács 2019; Rust et al. 2021, How Good is Your Tokenizer?",
        "less",
        lambda u: _per(u.tokens, u.words),
    ),
    Metric(
        "whole_words",
        message("White-space words kept whole"),
        message(
            "white-space words of the corpus that are one token each ÷ white-space words, the same "
            "for every lane"
        ),
        "Rust et al. 2021: 1 − the proportion of continued words",
        "more",
        lambda u: _per(u.whole, u.words),
    ),
    Metric(
        "corpus_tokens",
        message("Corpus tokens"),
        message("tokens of the corpus"),
        "",
        "less",
        lambda u: u.tokens,
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


def metrics_of(per_word: PerWord) -> tuple[Metric, ...]:
    """`METRICS`, with figures per word named after the words that they are of.

    >>> [metric.label for metric in metrics_of("whitespace")][2:4]
    ['Fertility (tokens per white-space word)', 'White-space words kept whole']
    >>> [metric.label for metric in metrics_of("pretokens")][2:4]
    ['Fertility (tokens per own pre-token)', 'Pre-tokens kept whole']
    """
    if per_word == "whitespace":
        return METRICS
    own = {
        "fertility": (
            message("Fertility (tokens per own pre-token)"),
            message(
                "tokens ÷ words of the lane’s own pre-tokenizer (of a word-count table: its words)"
            ),
        ),
        "whole_words": (
            message("Pre-tokens kept whole"),
            message("pre-tokens of the corpus that are one token ÷ pre-tokens, the lane’s own"),
        ),
    }
    return tuple(
        metric._replace(label=own[metric.name][0], formula=own[metric.name][1])
        if metric.name in own
        else metric
        for metric in METRICS
    )


def words_known(histories: Iterable[History], per_word: PerWord) -> PerWord:
    """The words that figures of all these runs can be divided by: those asked for, or "pretokens"
    where one of the runs does not know the white-space words of its text. Those are runs of a
    word-count table, which has no other words than its own, and from files that were written before
    white-space words were counted.

    Raises SettingError for other words.

    >>> import tokviz
    >>> text, table = (tokviz.train(c, "bpe", 9) for c in ("low lower", {"low": 1, "lower": 1}))
    >>> words_known([text], "whitespace"), words_known([text, table], "whitespace")
    ('whitespace', 'pretokens')
    """
    if not isinstance(per_word, str) or per_word not in PER_WORD:
        raise SettingError.saying(
            "per_word={per_word!r} is not known; choose {choices}.",
            per_word=Shown(per_word),
            choices=" or ".join(PER_WORD),
        )
    known = all(history.words.white_space_known for history in histories)
    return per_word if known else "pretokens"


def metrics(
    history: History, states: Sequence[int] | None = None, per_word: PerWord = "whitespace"
) -> "pd.DataFrame":
    """Every metric in some states (all if None), a row each, in ascending order: step, vocab_size,
    a column for each of `METRICS`, and what figures per word were divided by: `words`, how many,
    and `per_word`, which ("whitespace" or "pretokens").

    With h tokens of the corpus in a state:

    - characters_per_token = code points of all pre-tokens ÷ h; bytes_per_token the same in UTF-8.
      They come first, because many scripts have no white space, and need no words.
    - fertility = h ÷ words. White-space words are those of the text itself, `str.split()` of each
      document: the same number whatever the pre-tokenizer, so that fertilities of lanes can be
      compared. Chinese and Thai have few of them, and a fertility that says little.
      With `per_word` "pretokens" they are the words of the run's own pre-tokenizer.
    - whole_words = words that are one token ÷ words, the same ones. A white-space word is one token
      where a pre-token is that word, with no more than white space beside it, and is one token: a
      word that a pre-tokenizer cuts is never whole. A special token in the text makes no word
      whole.

    A run of a word-count table, and one from a file that was written before white-space words were
    counted, does not know them: `per_word` is "pretokens" in its rows, whatever was asked for. The
    pre-tokens of a table are its words.

    Raises IndexError for a state that the run does not have, SettingError for other words.

    Here "low lower" is cut into "lo", "w", "lo", "w", "e", "r": 6 tokens of 2 words.

    >>> import tokviz
    >>> table = metrics(tokviz.train("low lower", "bpe", 6, "whitespace"), [1])
    >>> table[["characters_per_token", "fertility", "words", "per_word"]].round(3).values.tolist()
    [[1.333, 3.0, 2, 'whitespace']]

    "don't" is one word between white space and two pre-tokens, "don" and "'t", of 5 characters. At
    the end each of the two is a token, and the word is not:

    >>> run = tokviz.train("don't", "bpe", 8, "gpt2")
    >>> columns = ["fertility", "whole_words", "words"]
    >>> for per_word in ("whitespace", "pretokens"):
    ...     metrics(run, [0, len(run)], per_word)[columns].values.tolist()
    [[5.0, 0.0, 1.0], [2.0, 0.0, 1.0]]
    [[2.5, 0.0, 2.0], [1.0, 1.0, 2.0]]
    """
    import pandas as pd

    wanted = range(len(history) + 1) if states is None else sorted(set(states))
    known = words_known([history], per_word)
    rows = [
        [t, usage.vocab_size, *(metric.value(usage) for metric in METRICS), usage.words, known]
        for t, usage in zip(wanted, usages(history, wanted, known), strict=True)
    ]
    columns = ["step", "vocab_size", *(metric.name for metric in METRICS), "words", "per_word"]
    return pd.DataFrame(rows, columns=columns)


def usages(
    history: History, states: Iterable[int], per_word: PerWord = "whitespace"
) -> Iterator[Usage]:
    """How the corpus is cut in each of some ascending states; words are its own pre-tokens where
    the run knows no others.

    Raises IndexError for a state that the run does not have.
    """
    words, wanted = history.words, list(states)
    for t in wanted:
        history.check_state(t)
    n_bytes = sum(map(mul, map(len, map(encoded, words.words)), words.counts))
    of_words, alone = words.total, None
    if per_word == "whitespace" and words.white_space_words is not None and words.alone is not None:
        of_words, alone = words.white_space_words, words.alone
    special = set(history.special_tokens)
    whole_over = history.whole_over(wanted, alone)
    states_of = zip(wanted, history.counts_over(wanted), whole_over, strict=True)
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
            words=of_words,
            characters=history.characters,
            bytes=n_bytes,
        )
