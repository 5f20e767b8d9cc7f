"""An expected count worked out: what is shown adds up, and is the engine's number."""

import html
import re
from decimal import Decimal

import pytest
from helpers import anything
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.pages.lenses.expected_table import expectation, expected_table
from tokviz.pages.lenses.token_facts import State
from tokviz.pages.lenses.word_sums import MOST_TERMS

COURSE = tokviz.SAMPLES["course"].corpus
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
CORPORA = st.dictionaries(
    st.text("abc<", min_size=1, max_size=6), st.integers(1, 900), min_size=1, max_size=12
)


def trained(corpus, size, **more):
    return tokviz.train(
        corpus, "sentencepiece-unigram", size, counted=anything, **{"min_expected_count": 0, **more}
    )


def cells(table):
    rows = re.findall("<tr>(.*?)</tr>", table)
    found = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in rows]
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in found]


def number(text):
    return float(re.findall(r"[−-]?[\d,]+(?:\.\d+)?", text)[-1].replace(",", "").replace("−", "-"))


def exact(text):
    return Decimal(text.replace(",", ""))


def check(history, token, t):
    """What the table says of a token is the engine's count, and adds up as it is shown."""
    found = expectation(history, token, t)
    at = history.alive(t).tolist().index(history.strings.index(token))
    expected = float(history.expected_counts(t)[at])
    parts = [term.count * term.share for term in found.terms]
    # The engine adds in single precision, as the library does.
    assert sum(parts) == pytest.approx(expected, rel=2e-4, abs=2e-4)
    assert parts == sorted(parts, reverse=True)
    table = expected_table(State(history, t), token, found).html
    _head, *body, foot = cells(table)
    # As the table of candidates shows it.
    assert foot[-1] == f"{expected:.4g}"
    total = Decimal(foot[-1])
    unit = Decimal(10) ** (total.adjusted() - 3)
    shown = []
    for row in body[:MOST_TERMS]:
        _word, count, share, product = row
        shown.append(exact(product))
        times = exact(count.strip(" ×"))
        off = abs(times * exact(share.strip(" =")) - shown[-1])
        # Adjusted to the engine's sum, and a share has no more than 15 decimals.
        most = abs(Decimal(sum(parts)) - Decimal(expected)) + Decimal("1.5") * unit
        most += times / 10**15
        assert off <= (most if "off by one" in table else unit / 2)
    shown += [exact(row[-1]) for row in body[MOST_TERMS:]]
    assert sum(shown) == total
    after = history.alive(t + 1).tolist()
    piece = history.strings.index(token)
    assert found.estimate.stays == (piece in after)
    if piece in after:
        made = float(history.log_probs(t + 1)[after.index(piece)])
        said = re.search(r"= ([−\d.,]+) − ([−\d.,]+) = ([−\d.,]+);", html.unescape(table))
        one, other, both = (number(part) for part in said.groups())
        assert round(one - other, 4) == both
        assert both == pytest.approx(made, rel=1e-4, abs=2e-3)
    else:
        assert "too rarely" in table


@pytest.mark.parametrize("corpus", [HUG, COURSE], ids=["hug", "course"])
def test_every_piece_before_every_em_step(corpus):
    history = trained(corpus, 12 if corpus is HUG else 60)
    steps = [t for t in range(len(history)) if history.action(t) == "em"]
    assert steps
    for t in steps:
        for token in history.vocab(t):
            if token in history.special_tokens:
                assert expectation(history, token, t) is None
            else:
                check(history, token, t)


def test_pieces_that_are_expected_too_rarely_go():
    history = trained(COURSE, 60, min_expected_count=0.5)
    found = expectation(history, "n", 0)
    assert not found.estimate.stays
    check(history, "n", 0)


def test_other_steps_and_other_algorithms_estimate_nothing():
    history = trained(HUG, 12)
    last = len(history)
    assert history.action(last - 1) == "finalize"
    assert expectation(history, "n", last - 1) is None
    assert expectation(tokviz.train(COURSE, "unigram", 60, "gpt2"), "a", 0) is None


@settings(deadline=None, max_examples=25)
@given(CORPORA, st.integers(0, 10**6))
# The library counts what is unknown as its first piece.
@example({"<": 1, "aaaaaa": 334}, 0)
def test_any_piece_of_any_words(words, which):
    alphabet = len(set("".join(words)))
    history = trained(words, alphabet + 6)
    steps = [t for t in range(len(history)) if history.action(t) == "em"]
    t = steps[which % len(steps)]
    tokens = [token for token in history.vocab(t) if token not in history.special_tokens]
    check(history, tokens[which % len(tokens)], t)


def test_a_word_is_only_text():
    history = trained({"<script>": 3, "<b>": 2}, 12)
    table = expected_table(State(history, 0), "<", expectation(history, "<", 0)).html
    assert "<script" not in table
    assert "&lt;script&gt;" in table
