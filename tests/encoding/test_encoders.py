"""Each encoder against its plain loop, and what its trace tells."""

import oracles
import pytest
from effort import some
from helpers import Shown, joiner, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.encoding.encoders import Event, character_spans
from tokviz.encoding.longest_token import LongestTokenEncoder
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.symbols import Spelling, Symbol
from tokviz.trainers.bpe import BPE
from tokviz.trainers.wordpiece import WordPiece

WHITESPACE = make_pretokenizer("whitespace")


def symbols_of(spelling, word):
    return [Shown.of(spelling, symbol) for symbol in spelling.split(word)]


@settings(max_examples=some(150))
@given(
    words=word_counts(),
    other=st.text("abc#é ", max_size=12),
    unit=st.sampled_from(["char", "byte"]),
    suffix=st.sampled_from(["", "</w>"]),
    glued=st.booleans(),
    data=st.data(),
)
def test_merges_in_rank_order_are_all_merges_in_order(words, other, unit, suffix, glued, data):
    trainer = BPE(10_000, unit=unit, end_of_word_suffix=suffix, suffix_glued=glued and bool(suffix))
    history = trainer.train(words, WHITESPACE)
    t = data.draw(st.integers(0, len(history)))
    spelling, tokenizer = history.spelling, history.tokenizer(t)
    shown = [Shown.of(spelling, symbol) for symbol in history.symbols]
    record = history.record
    merges = [(shown[record.left[i]], shown[record.right[i]]) for i in range(t)]
    for word in [*words.words, other]:
        expected = oracles.bpe_encode_oracle(symbols_of(spelling, word), merges, joiner(spelling))
        pieces = tokenizer.encoder.encode(word)
        assert [piece.token for piece in pieces] == expected
        vocab = tokenizer.strings
        assert [p.id for p in pieces] == [
            vocab.index(p.token) if p.token in vocab else None for p in pieces
        ]
        trace = tokenizer.encoder.trace(word)
        assert len(spelling.split(word)) - len(trace) == len(pieces)
        for event in trace:
            made = history.steps[event.step].token
            assert (event.accepted, event.token) == (True, made)


@settings(max_examples=some(100))
@given(words=word_counts(), other=st.text("abc#", max_size=12), data=st.data())
def test_longest_match(words, other, data):
    history = WordPiece(10_000, special_tokens=("[UNK]",)).train(words, WHITESPACE)
    t = data.draw(st.integers(0, len(history)))
    spelling, tokenizer = history.spelling, history.tokenizer(t)
    known = {symbol for symbol in tokenizer.symbols if symbol is not None}
    for word in [*words.words, other]:
        expected = longest_match(word, known)
        pieces = tokenizer.encoder.encode(word)
        if expected is None:
            assert pieces == [("[UNK]", 0, 0, len(word))]
            continue
        assert [(p.start, p.end) for p in pieces] == expected
        assert [p.token for p in pieces] == [
            spelling.show(Symbol(word[start:end], start > 0)) for start, end in expected
        ]


def longest_match(word, known):
    """The bounds of the pieces, or None."""
    start, bounds = 0, []
    while start < len(word):
        ends = range(len(word), start, -1)
        found = next((e for e in ends if Symbol(word[start:e], start > 0) in known), None)
        if found is None:
            return None
        bounds.append((start, found))
        start = found
    return bounds


def test_longest_match_tells_what_it_tried():
    history = tokviz.train({"hug": 10, "hugs": 5, "pug": 3}, "wordpiece", vocab_size=7)
    encoder = history.tokenizer().encoder
    assert encoder.trace("gs") == [Event(-1, "gs", 0, 2, False), Event(-1, "g", 0, 1, False)]
    assert [(event.token, event.accepted) for event in encoder.trace("pus")] == [
        ("pus", False),
        ("pu", True),
        ("##s", True),
    ]


def test_a_word_of_more_than_100_characters_is_unknown():
    history = tokviz.train({"aa": 1}, "wordpiece", vocab_size=2)
    encode = history.tokenizer().encoder.encode
    assert len(encode("a" * 100)) == 100
    assert [(p.token, p.id, p.end) for p in encode("a" * 101)] == [("[UNK]", None, 101)]
    assert encode("") == []


TOKENS = st.lists(st.text("abc.", min_size=1, max_size=3), unique=True, max_size=8)


@settings(max_examples=some(200))
@given(
    TOKENS,
    st.lists(st.text("abc.", max_size=2), unique=True, max_size=3),
    st.text("abcd.", max_size=10),
)
def test_longest_token(plain_tokens, ending, word):
    spelling = Spelling(end_of_word_suffix="</w>")
    tokens = [Symbol(t) for t in plain_tokens] + [Symbol(t, ends_word=True) for t in ending]
    tokens.sort(key=lambda symbol: -len(symbol.text) - symbol.ends_word)
    encoder = LongestTokenEncoder(spelling, [(symbol, i) for i, symbol in enumerate(tokens)])
    shown = [spelling.show(symbol) for symbol in tokens]
    pieces = encoder.encode(word)
    expected = oracles.longest_token_oracle(word + "</w>", shown) if word else []
    found = [piece.token for piece in pieces]
    # Unknown letters and an unknown suffix next to them are one stretch in both.
    assert found == expected
    assert "".join(word[p.start : p.end] for p in pieces) == word
    assert sorted(event.start for event in encoder.trace(word)) == [p.start for p in pieces]


@pytest.mark.parametrize(
    ("spelling", "spans"),
    [
        (Spelling(), [(0, 1), (1, 2)]),
        (Spelling(unit="byte"), [(0, 1), (0, 1), (1, 2)]),
        (Spelling(end_of_word_suffix="_"), [(0, 1), (1, 2), (2, 2)]),
        (Spelling(end_of_word_suffix="_", suffix_glued=True), [(0, 1), (1, 2)]),
    ],
)
def test_bytes_and_suffixes_know_their_characters(spelling, spans):
    assert character_spans("éa", spelling.split("éa"), spelling.unit) == spans


def test_a_long_word_does_not_take_the_square_of_its_length():
    history = tokviz.train({"ab": 2, "abab": 1}, vocab_size=4)
    pieces = history.tokenizer().encoder.encode("ab" * 100_000)
    assert len(pieces) == 50_000
