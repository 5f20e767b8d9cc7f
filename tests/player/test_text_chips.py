"""A text in chips: whatever it holds is text, and characters stay readable."""

import json
import re
from html import unescape

import library_tokenizers

import tokviz
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.player.text_chips import text_chips

HOSTILE = '<img/src=x onerror=alert(1)>"&lt;'
CELL = re.compile(r'<span class="tv-id">([^<]*)</span>')


def opened(kind):
    file = getattr(library_tokenizers, kind)().to_str().encode()
    return open_tokenizer({"tokenizer.json": file}).tokenizer


def drawn(tokenizer, text, most=1000, lit=()):
    return text_chips(tokenizer, tokenizer.encode(text), text, most, lit)


def readable(html):
    return unescape(re.sub("<[^>]*>", " ", html))


def test_each_token_stands_above_its_id():
    tokenizer = opened("byte_level_bpe")
    text = "The naïve 日本語 <|endoftext|>"
    chips = drawn(tokenizer, text)
    assert CELL.findall(chips.html) == [str(i) for i in tokenizer.encode(text).ids]
    assert chips.tokens == len(tokenizer.encode(text))
    assert chips.kinds >= {"space", "cut", "special"}
    assert 'class="chip special" data-token="&lt;|endoftext|&gt;"' in chips.html


def test_byte_letters_are_never_read():
    text = "日é👩\u200d👧ñ"
    for tokenizer in (tokviz.train(text, "bpe", 9_999, unit="byte").tokenizer(t) for t in (0, 4)):
        html = drawn(tokenizer, text).html
        read = readable(html)
        assert not set("æãĹ¥Ã©ðŁĳâĢį") & set(read)
        assert "日" in read
        assert "👩\u200d👧" in read
        assert "E6" in read


def test_bytes_that_the_vocabulary_lacks_are_hexadecimal_too():
    html = drawn(tokviz.train("ab", "bpe", 2, unit="byte").tokenizer(), "aéc").html
    assert '<span class="chip special unknown"><span class="b">C3</span></span>' in html
    assert '<span class="chip special unknown">c</span>' in html


def test_bytes_stand_below_whole_characters_that_have_several():
    tokenizer = tokviz.train("né né", "bpe", 6, unit="byte").tokenizer()
    chips = drawn(tokenizer, "né")
    assert chips.kinds == {"bytes"}
    assert '<span class="tv-cell-bytes"><bdi>C3 A9</bdi></span>' in chips.html
    right = tokviz.train("שלום " * 9, "bpe", 99, unit="byte").tokenizer()
    assert '<span class="tv-cell-bytes" dir="rtl"><bdi>D7 A9</bdi>' in drawn(right, "שלום").html


def test_unknown_tokens_and_names_of_bytes_stand_below_what_they_are_for():
    unknown = drawn(opened("bert"), "a ☃ b")
    assert "unknown" in unknown.kinds
    assert '<bdi>☃</bdi><span class="tv-under"><span class="tv-cell">' in unknown.html
    assert '<span class="tv-space"> </span>' in unknown.html
    named = drawn(opened("llama2"), "[")
    assert '<bdi>[</bdi><span class="tv-under">' in named.html
    assert '<span class="b">5B</span>' in named.html
    assert "unknown" not in named.kinds


def test_what_no_token_has_is_struck_out():
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}
    file = json.dumps({"model": model}).encode()
    tokenizer = open_tokenizer({"tokenizer.json": file}).tokenizer
    chips = drawn(tokenizer, "a<i>b")
    assert chips.kinds == {"left out"}
    assert '<bdi class="tv-left-out">&lt;i&gt;</bdi>' in chips.html
    # What has no id has a dash for it.
    assert CELL.findall(drawn(tokviz.train("ab", "bpe", 2).tokenizer(), "axb").html)[1] == "–"


def test_texts_are_text():
    tokenizer = opened("byte_level_bpe")
    html = drawn(tokenizer, HOSTILE + "\0\u202e\ud800").html
    assert "<img" not in html
    assert "\u202e" not in html
    assert "\0" not in html
    assert "<im" not in drawn(opened("bert"), HOSTILE).html


def test_only_so_many_tokens_are_drawn():
    tokenizer = tokviz.train("abc", "bpe", 3).tokenizer()
    assert drawn(tokenizer, "a" * 50, 7).html.count("tv-id") == 7
    signs = tokviz.train("日", "bpe", 3, unit="byte").tokenizer(0)
    assert drawn(signs, "日日日", 3).html.count("tv-stack") == 1
    long = "a" + "\u0301" * 50
    tokenizer = tokviz.train(long, "bpe", 2).tokenizer(0)
    chips = drawn(tokenizer, long, 7)
    assert (chips.tokens, chips.html.count("tv-id")) == (7, 7)


def test_marks_stand_before_the_tokens_that_are_told():
    tokenizer = tokviz.train("abc", "bpe", 3).tokenizer()
    assert drawn(tokenizer, "abc", lit={1}).html.count("tv-cell apart") == 1


def test_words_that_are_read_the_other_way_than_the_line_are_in_a_row_of_their_own():
    tokenizer = tokviz.train("ab", "bpe", 256, unit="byte", initial_alphabet=["bytes"]).tokenizer()
    html = drawn(tokenizer, "a שלום, מה b").html
    [(before, row), *others] = re.findall(r'^(.*?)<span class="tv-run" dir="rtl">(.*)', html)
    assert not others
    assert "<bdi>ש</bdi>" not in before
    # The comma and the space between both words, in the order of the text.
    letters = re.findall(r"<bdi>(.)</bdi>", row)
    assert letters == [*"שלוםמה"]
    assert 'dir="ltr"' in html.partition(">")[0]
    html = drawn(tokenizer, "שלום 12 ab").html
    assert 'dir="rtl"' in html.partition(">")[0]
    assert html.count('<span class="tv-run" dir="ltr">') == 1
