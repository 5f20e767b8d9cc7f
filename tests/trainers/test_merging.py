"""The pair index stays exact under any merges, not only those that a trainer would choose."""

from collections import Counter

import oracles
import pytest
from helpers import joiner, oracle_words, word_counts
from hypothesis import given
from hypothesis import strategies as st

from tokviz.text.symbols import Spelling
from tokviz.trainers.merging import pairs
from tokviz.trainers.merging.loop import Start

SPELLING = Spelling(end_of_word_suffix="</w>")


@pytest.mark.parametrize("long", [0, 3, 10**9])
@given(words=word_counts(), data=st.data())
def test_counts_places_and_words_are_those_of_a_recount(long, words, data):
    """Also when every word is looked after as a long one."""
    saved, pairs._LONG = pairs._LONG, long
    try:
        check(words, data)
    finally:
        pairs._LONG = saved


def check(words, data):
    spelled = oracle_words(words, SPELLING)
    alphabet = sorted({shown.symbol for symbols, _ in spelled for shown in symbols})
    index = Start.of(words, SPELLING, alphabet).index()
    names = [SPELLING.show(symbol) for symbol in alphabet]
    symbols, counts = [s for s, _ in spelled], list(words.counts)
    sizes = dict.fromkeys(names, 1)
    join = joiner(SPELLING)
    while True:
        table = oracles.pair_table(symbols, counts)
        live = {names[ord(index.pairs[p][0])] + "\n" + names[ord(index.pairs[p][1])]: p
                for p, count in enumerate(index.counts) if count}  # fmt: skip
        assert {key: index.counts[p] for key, p in live.items()} == {
            "\n".join(pair): count for pair, count in table.items()
        }
        assert [[names[ord(s)] for s in word] for word in index.words] == symbols
        used = Counter()
        for tokens, count in zip(symbols, counts, strict=True):
            used.update(dict.fromkeys(tokens, 0))
            for token in tokens:
                used[token] += count
        assert {n: c for n, c in zip(names, index.symbol_counts, strict=True) if c} == used
        places = [index.first_seen(live["\n".join(pair)]) for pair in table]
        assert places == first_places(symbols, sizes)
        if not table:
            return
        pair = data.draw(st.sampled_from(list(table)))
        number, before = live["\n".join(pair)], list(index.counts)
        changed = index.merge(number)
        assert changed[0] == number
        assert len(set(changed)) == len(changed)
        differing = [p for p, count in enumerate(index.counts[: len(before)]) if count != before[p]]
        assert set(differing) <= set(changed)
        assert set(range(len(before), len(index.counts))) <= set(changed)
        token = join(*pair)
        # A string that two merges spell is two symbols here; the oracle is told so by a suffix.
        token = type(token)(f"{token}\t{len(names)}")
        token.symbol = pair[0].symbol + pair[1].symbol
        names.append(token)
        sizes[token] = sizes[pair[0]] + sizes[pair[1]]
        symbols = [oracles.merge_pair(s, pair, token) for s in symbols]


def first_places(symbols, sizes):
    """Where each pair is first met, in starting symbols, in the order in which they are met."""
    places, at = {}, 0
    for tokens in symbols:
        for i, token in enumerate(tokens):
            if i + 1 < len(tokens):
                places.setdefault((token, tokens[i + 1]), at)
            at += sizes[token]
    return list(places.values())
