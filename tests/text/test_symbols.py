"""Symbols, and that no two of them are ever shown alike."""

from itertools import product

import pytest
from effort import some
from helpers import ALPHABETS, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st

from tokviz.pretokenizers import byte_level
from tokviz.text.symbols import Spelling, Symbol, SymbolTable

SPELLINGS = [
    Spelling(unit, suffix, bool(suffix) and glued, prefix, mark)
    for unit in ("char", "byte")
    for suffix in ("", "</w>", "#")
    for glued in (False, True)
    for prefix in ("", "##")
    for mark in (" ", "Ġ", "▁")
]
STRANGE = "".join(sorted(set("".join(ALPHABETS) + "⟨⟩#Ġ▁<w/>")))


@st.composite
def symbols(draw, spelling):
    text = draw(st.text(STRANGE, max_size=6))
    text = byte_level(text) if spelling.unit == "byte" else text
    ends = bool(spelling.end_of_word_suffix) and draw(st.booleans())
    continuing = bool(text and spelling.continuing_subword_prefix) and draw(st.booleans())
    return Symbol(text, continuing, ends)


@settings(max_examples=some(600))
@given(st.sampled_from(SPELLINGS), st.data())
def test_two_symbols_are_never_shown_alike(spelling, data):
    one, other = data.draw(symbols(spelling)), data.draw(symbols(spelling))
    if one != other:
        assert spelling.show(one) != spelling.show(other)
    assert "".join(part for part, _ in spelling.parts(one)) == spelling.show(one)
    spelling.show(one).encode("utf-8")


@pytest.mark.parametrize(
    ("spelling", "one", "shown"),
    [
        (Spelling(space_mark="Ġ"), Symbol("Ġ a"), "⟨Ġ⟩Ġa"),
        (Spelling(space_mark="Ġ"), Symbol("⟨ ⟩"), "⟨⟨⟩Ġ⟩"),
        (Spelling(space_mark="▁"), Symbol(" Ġ▁"), "▁Ġ⟨▁⟩"),
        (Spelling(), Symbol(" Ġ▁##</w>"), " Ġ▁##</w>"),
        (Spelling(), Symbol("a\ud800"), "a⟨D800⟩"),
        (Spelling("byte"), Symbol(byte_level(" Ġ")), "ĠÄł"),
        (Spelling(continuing_subword_prefix="##"), Symbol("##a"), "⟨##⟩a"),
        (Spelling(continuing_subword_prefix="##"), Symbol("##a", True), "####a"),
        (Spelling(end_of_word_suffix="</w>"), Symbol("a</w>"), "a⟨</w>⟩"),
        (Spelling(end_of_word_suffix="</w>"), Symbol("a</w>", ends_word=True), "a</w></w>"),
        (Spelling(end_of_word_suffix="</w>"), Symbol("", ends_word=True), "</w>"),
    ],
)
def test_look_alikes_are_in_brackets(spelling, one, shown):
    assert spelling.show(one) == shown


def test_what_is_shown_is_its_parts_in_a_row():
    texts = [
        "",
        "a",
        "##a",
        "##",
        "#",
        "a</w>",
        "a#b",
        " a ",
        "Ġ",
        "▁a",
        "⟨",
        "⟩",
        "日本",
        "a\ud800",
    ]
    for spelling, text, flags in product(SPELLINGS, texts, product((False, True), repeat=3)):
        symbol = Symbol(byte_level(text) if spelling.unit == "byte" else text, *flags)
        parts = "".join(part for part, _ in spelling.parts(symbol))
        assert spelling.show(symbol) == parts, (spelling, symbol)


def test_parts_tell_markers_from_text():
    spelling = Spelling("char", "</w>", True, "##", "▁")
    assert spelling.parts(Symbol("a b", True, True)) == [
        ("##", True),
        ("a", False),
        ("▁", True),
        ("b", False),
        ("</w>", True),
    ]


@given(st.sampled_from(SPELLINGS), word_counts())
def test_all_words_at_once_are_split_as_one_by_one(spelling, words):
    split = [spelling.split(word) for word in words.words]
    alphabet = sorted(spelling.symbols_of(words.words))
    assert alphabet == sorted({symbol for symbols in split for symbol in symbols})
    numbers, lengths = spelling.numbered(["", *words.words, ""], alphabet)
    assert [alphabet[number] for number in numbers.tolist()] == [s for its in split for s in its]
    assert lengths.tolist() == [0, *map(len, split), 0]
    for word, its in zip(words.words, split, strict=True):
        whole = its[0]
        for symbol in its[1:]:
            whole = whole + symbol
        assert spelling.bytes_of(whole) == word.encode("utf-8", "surrogatepass")
        assert whole._replace(ends_word=False) == spelling.whole(word)


def test_an_empty_word_has_no_symbols():
    assert all(spelling.split("") == [] for spelling in SPELLINGS)


def test_order_compares_bytes_as_bytes_and_characters_as_shown():
    by_byte = Spelling("byte", "</w>", True, "##")
    space, tilde = Symbol(byte_level(" "), True), Symbol("~", ends_word=True)
    assert (by_byte.order(space), by_byte.order(tilde)) == ("## ", "~</w>")
    assert Spelling(space_mark="Ġ").order(Symbol(" a")) == "Ġa"


def test_a_string_that_is_known_keeps_its_id():
    table = SymbolTable(Spelling(), ["ab"], [Symbol("a"), Symbol("b"), Symbol("c")])
    assert [table.merge(0, 1), table.merge(1, 2), table.merge(3, 2), table.merge(0, 4)] == [
        False,
        True,
        True,
        False,
    ]
    assert table.strings() == ["ab", "a", "b", "c", "bc", "abc"]
    assert table.ids == [1, 2, 3, 0, 4, 5, 5]
    assert table.shown()[-1] == "abc"
