"""The tab "Languages" of the page Open: what one text costs each opened tokenizer."""

import json
import re
from html import unescape

import library_tokenizers
from app_test import html
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

from tokviz.analysis.language_costs import DECLARED, declarations
from tokviz.basics.messages import here, using
from tokviz.server.opened.costs import costs_of
from tokviz.server.opened.opened_files import find, remember

HOSTILE = "<b>&lt;"
ROW = re.compile(r"<tr>(.*?)</tr>")
CELL = re.compile(r"<t[dh][^>]*>(.*?)</t[dh]>")


def key_of(kind):
    return remember({"tokenizer.json": getattr(library_tokenizers, kind)().to_str().encode()})


def page(names, language="en"):
    def draw(names, language):
        from tokviz.basics.messages import using
        from tokviz.pages.opened_costs import costs_view

        with using(language):
            costs_view(names)

    app = AppTest.from_function(draw, default_timeout=PATIENCE, args=(names, language)).run()
    assert not app.exception
    return app


def rows(app):
    found = [CELL.findall(row) for row in ROW.findall(html(app))]
    return [[unescape(re.sub("<[^>]*>", "", cell)) for cell in row] for row in found]


def test_each_language_has_a_row_with_what_the_library_counts():
    key = key_of("byte_level_bpe")
    head, *body = rows(page({key: "mine"}))
    assert head[:3] == ["Language", "Tokens", "Times the cheapest"]
    library = library_tokenizers.byte_level_bpe()
    for language, tokens, ratio, per_character, per_byte, per_word in body:
        text = declarations()[language]
        n = sum(len(library.encode(line).ids) for line in text.splitlines())
        size = sum(map(len, text.splitlines()))
        assert (int(tokens), per_character) == (n, f"{n / size:.3f}")
        assert float(per_byte) <= float(per_character) <= float(per_word)
        assert float(ratio) >= 1
    assert len(body) == len(declarations())
    counts = [int(row[1]) for row in body]
    assert counts == sorted(counts, reverse=True)


def test_several_are_named_and_unknown_tokens_are_told():
    model = {"type": "WordPiece", "vocab": {"[UNK]": 0, "the": 1}, "unk_token": "[UNK]"}
    model |= {"continuing_subword_prefix": "##", "max_input_chars_per_word": 100}
    file = {"model": model, "pre_tokenizer": {"type": "BertPreTokenizer"}}
    words = remember({"tokenizer.json": json.dumps(file).encode()})
    app = page({key_of("byte_level_bpe"): HOSTILE, words: "words"})
    head, *body = rows(app)
    assert (head[1], head[-1]) == ("Tokenizer", "Unknown")
    assert [row[1] for row in body[:4]] == [HOSTILE, "words"] * 2
    assert "looks cheaper than it is" in html(app)
    assert HOSTILE not in html(app)


def test_languages_without_a_token_are_named_and_what_is_gone_is_a_sentence():
    letters = {letter: number for number, letter in enumerate("abcdefghijklmnopqrstuvwxyz")}
    model = {"type": "BPE", "vocab": letters, "merges": []}
    latin = remember({"tokenizer.json": json.dumps({"model": model}).encode()})
    app = page({latin: "latin", "0" * 32: "gone"})
    assert "latin gives no tokens for: " in html(app)
    assert "Greek" in html(app).split("gives no tokens for")[1]
    assert "gone: " in html(app)
    assert "Greek" not in [row[0] for row in rows(app)]
    assert not page({"0" * 32: "gone"}).button


def test_languages_have_their_names_in_the_language_of_the_page():
    body = rows(page({key_of("byte_level_bpe"): "mine"}, "zh_CN"))[1:]
    with using("zh_CN"):
        named = {here(DECLARED[language]) for language in declarations()}
    assert {row[0] for row in body} == named
    assert {"英语", "希腊语", "中文"} < named
    assert not any(name.isascii() for name in named)


def test_costs_are_counted_once():
    key = key_of("byte_level_bpe")
    assert costs_of(key) is costs_of(key)
    assert find(key).tokenizer.encode("a")
