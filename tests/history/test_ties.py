"""What each tie-break rule prefers, on pairs alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokviz.history.ties import TIE_BREAKS
from tokviz.text.symbols import Spelling, Symbol

TEXTS = st.text("abz\0é", min_size=1, max_size=3)


def winner(rule, pairs):
    key = TIE_BREAKS[rule].key(Spelling())
    return min(pairs, key=lambda pair: key(Symbol(pair[0]), Symbol(pair[1]), *pair[2:]))[:2]


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_largest_pair_is_the_greatest_tuple(pairs):
    assert winner("largest-pair", [(*pair, 0, 0) for pair in pairs]) == max(pairs)


@given(st.lists(st.tuples(TEXTS, TEXTS, st.integers(0, 5), st.integers(0, 5)), min_size=1))
def test_smallest_ids(pairs):
    assert winner("smallest-ids", pairs) == min(pairs, key=lambda pair: pair[2:])[:2]


@given(st.lists(st.tuples(TEXTS, TEXTS), min_size=1))
def test_shortest_then_first_by_utf_8(pairs):
    found = winner("shortest", [(*pair, 0, 0) for pair in pairs])
    assert "".join(found) == min(("".join(p) for p in pairs), key=lambda s: (len(s), s.encode()))


def test_first_seen_asks_the_corpus():
    assert TIE_BREAKS["first-seen"].key is None


@pytest.mark.parametrize("rule", TIE_BREAKS.values(), ids=lambda rule: rule.name)
def test_every_rule_says_what_it_does_and_whose_it_is(rule):
    assert TIE_BREAKS[rule.name] is rule
    assert rule.help
    assert rule.source
