"""Texts in pieces, and excerpts of them."""

import time

import pytest

from tokviz.pretokenizers import PRETOKENIZERS, Word, make_pretokenizer
from tokviz.text import pieces as pieces_module
from tokviz.text.corpus import count_words
from tokviz.text.pieces import LONGEST_SHOWN, Piece, excerpt, pieces


def test_the_longest_special_token_is_found_first():
    found = pieces("a<s><s>x b", make_pretokenizer("whitespace"), ("<s>", "<s>x"))
    assert [(p.word.text, p.word.start, p.special) for p in found] == [
        ("a", 0, False),
        ("<s>", 1, True),
        ("<s>x", 4, True),
        ("b", 9, False),
    ]


def shown(text, name="whitespace", special=(), most=(100, 1000), **settings):
    lines = excerpt(text, make_pretokenizer(name, **settings), special, *most)
    return [[piece.word.text for piece in line] for line in lines]


def test_an_excerpt_ends_with_its_words_its_characters_or_its_lines():
    assert shown("a b\nc d", most=(3, 1000)) == [["a", "b"], ["c"]]
    assert shown("aa bb cc dd\nee", most=(100, 5)) == [["aa", "bb", "cc"]]
    assert shown("a\n" + "\n" * 1000 + "b", most=(10, 1000)) == [["a"]] + [[]] * 9


@pytest.mark.parametrize("name", PRETOKENIZERS)
def test_of_a_line_like_a_book_no_more_is_cut_than_may_be_shown(name, monkeypatch):
    monkeypatch.setattr(pieces_module, "LONGEST_SHOWN", 50)
    book = "ab cd " * 10_000
    whole = [word.text for word in make_pretokenizer(name).words(book)]
    cut = []
    kind = type(make_pretokenizer(name))
    words = kind.words
    monkeypatch.setattr(
        kind, "words", lambda self, text: cut.append(len(text)) or words(self, text)
    )
    [found] = shown(book, name, most=(1000, 1000))
    assert cut == [62]
    assert found == whole[: len(found)]
    assert len(found) > 15 or name in ("none", "runs"), "these have one word, which is too long"


def test_a_word_that_is_too_long_to_be_shown_ends_its_line():
    long = "x" * (LONGEST_SHOWN + 1)
    assert shown(f"a {long} b\nc d", most=(100, 10**6)) == [["a"], ["c", "d"]]


def test_a_slow_pattern_ends_an_excerpt(monkeypatch):
    monkeypatch.setattr(pieces_module, "EXCERPT_SECONDS", 0.3)
    lines = "ab cd\n" + "\n".join(["a" * 40 + "c"] * 1000)
    begin = time.monotonic()
    assert shown(lines, "regex", pattern=r"(a|a?)+$|\w+", timeout=60.0)[0] == ["ab", "cd"]
    assert time.monotonic() - begin < 30


def test_many_special_tokens_are_made_ready_once():
    special = tuple(f"<{i}-of-many>" for i in range(500))
    before = pieces_module.any_of.cache_info().misses
    counted = count_words("a <3-of-many> b\n" * 50, make_pretokenizer("none"), special)
    assert counted.words == ("a ", " b")
    assert pieces_module.any_of.cache_info().misses == before + 1


def test_a_piece_is_shown_short():
    shown = repr(Piece(Word("a" * 5000, 0, 5000), False))
    assert shown.startswith("Piece(word=Word(text='aaa")
    assert len(shown) < 300
