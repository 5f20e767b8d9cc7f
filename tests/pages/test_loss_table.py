"""A loss delta worked out: what is shown adds up, and is the engine's number."""

import html
import re
from decimal import Decimal

import pytest
from effort import some
from helpers import anything
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.pages.lenses.loss_table import loss_table, terms_of
from tokviz.pages.lenses.token_facts import State
from tokviz.pages.lenses.word_sums import MOST_TERMS

COURSE = tokviz.SAMPLES["course"].corpus
CORPORA = st.dictionaries(
    st.text("abc <", min_size=1, max_size=6), st.integers(1, 900), min_size=1, max_size=12
)


def cells(table):
    """The texts of the cells of each row."""
    rows = re.findall("<tr>(.*?)</tr>", table)
    found = [re.findall("<t[dh][^>]*>(.*?)</t[dh]>", row) for row in rows]
    return [[html.unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in found]


def last_number(cell):
    return Decimal(re.findall(r"-?[\d,]+(?:\.\d+)?(?:e[+-]\d+)?", cell)[-1].replace(",", ""))


def check(history, token, t):
    """What the table says of a token is the engine's delta as others show it, and adds up."""
    terms = terms_of(history, token, t)
    assert terms == sorted(terms, key=lambda term: -term.rise)
    delta = float(history.loss_deltas(t)[history.vocab(t).index(token)])
    table = loss_table(State(history, t), token, terms).html
    if abs(delta) < 1e-9:
        assert "<table>" not in table
        return
    _head, *body, foot = cells(table)
    assert foot[-1] == f"{delta:.4g}"
    total = last_number(foot[-1])
    unit = Decimal(10) ** (total.adjusted() - 3)
    rises = []
    for row in body[:MOST_TERMS]:
        _word, count, after, before, rise = row
        times = int(count.split(" ")[0].replace(",", ""))
        rises.append(last_number(rise))
        off = abs(times * (last_number(after) - last_number(before)) - rises[-1])
        # By one where it is said.
        assert off <= (Decimal("1.5") if "off by one" in table else Decimal("0.5")) * unit
    rises += [last_number(row[-1]) for row in body[MOST_TERMS:]]
    assert sum(rises) == total
    assert len(body) == min(len(terms), MOST_TERMS + 1)


def test_every_token_of_a_sample_at_every_round():
    history = tokviz.train(COURSE, "unigram", 45)
    for t in range(0, len(history) + 1, 3):
        table = history.candidates(t)
        for token in table["token"][table["loss_delta"].notna()]:
            check(history, token, t)


@settings(max_examples=some(30))
@given(CORPORA, st.data())
def test_random_words(words, data):
    history = tokviz.train(words, "unigram", 8, "whitespace", seed_size=30, counted=anything)
    t = data.draw(st.integers(0, len(history)))
    table = history.candidates(t)
    for token in table["token"][table["loss_delta"].notna()]:
        check(history, token, t)


def test_the_terms_of_the_lecture_add_up():
    """Round 18 of the course's sentences: 2.26 + 2.26 would not be 4.53."""
    history = tokviz.train(COURSE, "unigram", 45)
    _head, *body, foot = cells(
        loss_table(State(history, 17), "s.", terms_of(history, "s.", 17)).html
    )
    assert body == [
        ["▁algorithms.", "1 × (", "▁algorithms. 40.6686 −", "▁algorithms. 38.4053 ) =", "2.264"],
        ["▁tokens.", "1 × (", "▁tokens. 11.5145 −", "▁tokens. 9.2512 ) =", "2.263"],
    ]
    assert foot == ["together: the loss delta", "4.527"]


def test_why_a_delta_is_nothing():
    history = tokviz.train(COURSE, "unigram", 45)
    unused = loss_table(State(history, 0), "Fac", terms_of(history, "Fac", 0)).html
    assert "No word uses it as the words are cut now" in unused
    words = {"ab": 2, "a": 1, "b": 1, "abab": 1}
    tied = tokviz.train(words, "unigram", 3, "whitespace")
    zeros = [
        (t, token)
        for t in range(len(tied) + 1)
        for token in tied.vocab(t)
        if terms_of(tied, token, t) and not sum(x.rise for x in terms_of(tied, token, t))
    ]
    for t, token in zeros:
        said = loss_table(State(tied, t), token, terms_of(tied, token, t)).html
        assert "another segmentation that is as good" in said


@pytest.mark.parametrize(
    ("algorithm", "token"), [("bpe", "Th"), ("wordpiece", "##s"), ("unigram", "T")]
)
def test_what_never_goes_has_none(algorithm, token):
    history = tokviz.train(COURSE, algorithm, 60)
    assert terms_of(history, token, len(history)) is None


def test_sentencepiece_has_the_exact_one():
    settings = {"exact_deltas": True, "min_expected_count": 0.0}
    history = tokviz.train(COURSE, "sentencepiece-unigram", 36, **settings)
    t = next(t for t in range(len(history)) if history.action(t) == "prune")
    table = history.candidates(t)
    found = table[table["exact_delta"].notna()]
    assert len(found) > 5
    for token, delta in zip(found["token"], found["exact_delta"], strict=True):
        assert sum(x.rise for x in terms_of(history, token, t)) == pytest.approx(delta, abs=1e-4)


def test_words_are_only_text():
    history = tokviz.train({"<b>x<b>x": 9, "<b>": 5, "x": 3}, "unigram", 9, "whitespace")
    for token in history.vocab(0):
        if terms := terms_of(history, token, 0):
            assert "<b>x" not in loss_table(State(history, 0), token, terms).html
