"""How a tokenizer does on text that it was not trained on, and how sure such a number is.

A sample of text gives a sample of the number. The bootstrap (Efron 1979) draws the words of the
sample again, with replacement, a thousand times: the middle 95 % of what comes out is the interval.
Words stand for themselves here; a text with few topics says less than its interval seems to.
"""

import re
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tokviz.corpus import Corpus, count_words, documents
from tokviz.errors import CorpusError
from tokviz.history import Floats, History
from tokviz.language import counted, message

#: How often the words are drawn again, and the percentiles that bound the interval.
RESAMPLES = 1000
BOUNDS = (2.5, 97.5)


class Estimate(NamedTuple):
    """A number of a sample, and the 95 % interval that the bootstrap gives it."""

    value: float
    low: float
    high: float


class HeldOut(NamedTuple):
    """A text as a state cuts it: its words and tokens, words with an unknown token, and the two
    rates: `unknown` words ÷ words, `fertility` tokens ÷ words."""

    words: int
    tokens: int
    unknown_words: int
    unknown: Estimate
    fertility: Estimate


def hold_back(text: str) -> tuple[str, str]:
    r"""Splits a text into what is trained on and a tenth that is not: every tenth line, blank ones
    not counted, or of fewer than ten lines the last tenth of the words.

    Raises ValueError for a text of fewer than ten words.

    >>> hold_back("\n".join("abcdefghijkl"))
    ('a\nb\nc\nd\ne\nf\ng\nh\ni\nk\nl', 'j')
    >>> hold_back("one two three four five six seven eight nine ten")
    ('one two three four five six seven eight nine', 'ten')
    """
    lines = list(documents(text))
    held = [i for i, line in enumerate(lines) if line.strip()][9::10]
    if held:
        kept = sorted({*range(len(lines))} - {*held})
        return "\n".join(lines[i] for i in kept), "\n".join(lines[i] for i in held)
    words = [match.start() for match in re.finditer(r"\S+", text)]
    if len(words) < 10:
        raise CorpusError(
            counted(
                "A text of {n} word has no tenth to hold back; use one of ten words or more.",
                "A text of {n} words has no tenth to hold back; use one of ten words or more.",
                len(words),
            )
        )
    cut = words[-(len(words) // 10)]
    return text[:cut].rstrip(), text[cut:]


def held_out(history: History, t: int, text: Corpus) -> HeldOut:
    """Encodes a text with the tokenizer of state t. The same text and state give the same
    intervals, on every machine.

    Raises IndexError for a state that the run does not have, CorpusError for a bad corpus, and
    ValueError for a text without words.

    >>> import tokviz
    >>> found = held_out(tokviz.train("low low", "bpe", 6), 2, "low slow")
    >>> found.words, found.tokens, found.unknown_words, found.unknown.value
    (2, 4, 1, 0.5)
    """
    tokenizer = history.tokenizer(t)
    words = count_words(text, history.pretokenizer, history.special_tokens)
    if not words.total:
        raise CorpusError(message("The held-out text has no words; give one that has some."))
    missing = {None, getattr(tokenizer.encoder, "unknown_id", None)}
    kinds: Counter[tuple[int, bool]] = Counter()
    for word, count in zip(words.words, words.counts, strict=True):
        pieces = tokenizer.encoder.encode(word)
        kinds[len(pieces), any(piece.id in missing for piece in pieces)] += count
    return _estimated(kinds)


def _estimated(kinds: Mapping[tuple[int, bool], int]) -> HeldOut:
    """Words that have as many tokens, and an unknown one or not, are all the same to the bootstrap:
    a resample is one draw of how many there are of each kind."""
    order = sorted(kinds)
    counts = np.asarray([kinds[kind] for kind in order], np.int64)
    tokens, unknown = np.asarray(order, np.int64).T
    n = int(counts.sum())
    draws = np.random.Generator(np.random.PCG64(0)).multinomial(n, counts / n, RESAMPLES)
    all_tokens, all_unknown = int(counts @ tokens), int(counts @ unknown)
    return HeldOut(
        n,
        all_tokens,
        all_unknown,
        _estimate(all_unknown / n, draws @ unknown / n),
        _estimate(all_tokens / n, draws @ tokens / n),
    )


def _estimate(value: float, drawn: Floats) -> Estimate:
    low, high = np.percentile(drawn, BOUNDS).tolist()
    return Estimate(value, low, high)
