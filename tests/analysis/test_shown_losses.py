"""A loss delta worked out: on every sample and on random runs, what is shown adds up to the
engine's number as it is shown elsewhere, and no term is a unit of its last digit off."""

import math
import random
from decimal import Decimal

import pytest
from effort import SAMPLE_NAMES, some
from helpers import anything

import tokviz
from tokviz.analysis.added_up import added_up, shared
from tokviz.analysis.shown_losses import shown_loss

MOST = 8
#: Tokens of a state that are worked out, and the words at most that a token is used by.
MOST_TOKENS, MOST_USERS = 12, 300


def number(written):
    return Decimal(written.replace(",", ""))


def check(history, t):
    """The dearest, the cheapest and some other tokens of a state; returns how many."""
    table = history.candidates(t)
    table = table[table.loss_delta > 0]
    seen = 0
    for i in sorted({round(i * (len(table) - 1) / MOST_TOKENS) for i in range(MOST_TOKENS + 1)}):
        if not len(table):
            break
        token, delta = table.token.iloc[i], float(table.loss_delta.iloc[i])
        if len(history.users(token, t)) > MOST_USERS:
            continue
        terms = history.loss_terms(token, t)
        shown = shown_loss(terms, delta, MOST)
        assert shown.total == f"{delta:.4g}"
        if not shown.rows:
            # What floats make of nothing, or nearly nothing, beside the counts of the corpus.
            assert delta < 1e-13 * sum(history.words.counts)
            continue
        rises = [number(rise) for _after, _before, rise in shown.rows]
        assert sum(rises) + number(shown.rest) == number(shown.total)
        unit = Decimal(10) ** (number(f"{delta:.3e}").adjusted() - 3)
        exact = [Decimal(term.rise) for term in terms]
        parts = [*zip(rises, exact[:MOST], strict=True)]
        parts += [(number(shown.rest), sum(exact[MOST:]))] if len(terms) > MOST else []
        # Where floats know the engine's number less well than to its last digit, by that more.
        unsure = abs(sum(exact) - Decimal(delta)) + unit / 10**6
        assert max(abs(rise - right) for rise, right in parts) < unit + unsure
        off = any(abs(rise - right) > unit * Decimal("0.5001") for rise, right in parts)
        assert shown.adjusted or not off
        for term, (after, before, rise) in zip(terms, shown.rows, strict=False):
            product = term.count * (number(after) - number(before))
            assert abs(product - number(rise)) <= unit * (Decimal("1.5") if shown.adjusted else 1)
        seen += 1
    return seen


@pytest.mark.parametrize("name", [*SAMPLE_NAMES, "ten-languages"])
def test_every_sample(name):
    sample = tokviz.SAMPLES[name]
    corpus = sample.corpus
    texts = corpus.values() if sample.held_out else corpus
    alphabet = len(set("".join(texts)))
    history = tokviz.train(corpus, "unigram", alphabet + 40, counted=anything)
    last = len(history)
    seen = sum(check(history, t) for t in sorted({0, last // 2, max(0, last - 1), last}))
    assert seen


def test_random_runs():
    draw, seen = random.Random(23), 0
    for _ in range(some(200)):
        words = {
            "".join(draw.choices("abcé", k=draw.randint(1, 7))): draw.choice([1, 2, 9, 900, 10**6])
            for _ in range(draw.randint(1, 12))
        }
        history = tokviz.train(words, "unigram", 8, "whitespace", seed_size=30, counted=anything)
        seen += check(history, draw.randint(0, len(history)))
    assert seen > some(500)


def test_shares_of_a_whole_number():
    draw = random.Random(7)
    for _ in range(300):
        values = [draw.random() * 10 ** draw.randint(-3, 4) for _ in range(draw.randint(1, 9))]
        total = round(sum(values))
        units = shared(values, total)
        assert sum(units) == total
        assert all(abs(unit - value) < 1 for unit, value in zip(units, values, strict=True))
    # Equal terms differ only where they must, and the first one goes up.
    assert shared([0.5, 0.5, 0.5], 2) == [1, 1, 0]
    assert shared([3.0, 4.0], 7) == [3, 4]
    assert math.isclose(sum(added_up([1e9, 2.5e9], 3.5e9).terms), 3500)
