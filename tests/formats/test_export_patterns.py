"""Patterns that all engines read alike: `regex`, Oniguruma and fancy-regex."""

import random
import re

import pytest
import tiktoken
from export_cases import lines
from tokenizers import Regex, pre_tokenizers

from tokviz.formats.exporters.patterns import ExportError, chars_set, portable
from tokviz.formats.exporters.words import stand_in
from tokviz.pretokenizers import REGEX_PRESETS, RegexPretokenizer
from tokviz.pretokenizers.gpt2 import PATTERN

PATTERNS = [
    PATTERN,
    *REGEX_PRESETS.values(),
    r"(?:a|b)+?c|\w+?(?=\s)|.{2,3}|\S{,4}x|[^\W\d_]{2}|\p{P}{1}",
    r"^a|z$|[]a-]+|(?i:straße|[k-m])++|(é|\.)(?!x)",
    r"\Aa+|b{2,}?|{|c{x}|d{,}f|e{1,2}+|\n\Z| ",
]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_words_are_the_same(pattern):
    found = portable(pattern)
    split = pre_tokenizers.Split(Regex(found.text), "removed", invert=True)
    draw = random.Random(1)
    texts = [
        *lines(400, 2),
        *("".join(draw.choices("abcdez{}x.]-\nKſ ", k=12)) for _ in range(600)),
    ]
    ranks = {bytes([byte]): byte for byte in range(256)}
    other = tiktoken.Encoding("x", pat_str=found.text, mergeable_ranks=ranks, special_tokens={})
    for text in texts:
        words = [word.text for word in RegexPretokenizer(pattern).words(text)]
        assert [word for word, _ in split.pre_tokenize_str(text)] == words
        assert bytes(other.encode(text)) == "".join(words).encode()


@pytest.mark.parametrize(
    ("pattern", "part"),
    [
        *(
            (r"(a)\1", r"\1"),
            (r"\ba", r"\b"),
            ("[a&&b]", "&&"),
            ("[a--b]", "--"),
            ("(?s:.)", "(?s"),
        ),
        *(("(?P<n>a)", "(?P"), (r"\Xa", r"\X"), ("(?#x)a", "(?#")),
    ],
)
def test_what_engines_read_differently_is_refused(pattern, part):
    with pytest.raises(ExportError, match=re.escape(f'tokenizer has "{part}" in it')):
        portable(pattern)


@pytest.mark.parametrize("pattern", ["a|", "(?=a)"])
def test_what_matches_nothing_between_two_characters_is_refused(pattern):
    with pytest.raises(ExportError, match="nothing between two characters"):
        portable(pattern)


def test_a_class_that_matches_nothing():
    assert portable(r"\p{Cs}|a").text == "(?!)|a"


def test_sets():
    assert chars_set("a-b^]") == r"[\x2d\x5d-\x5ea-b]"


def test_what_stands_in_for_a_mark_is_in_no_token_printable_and_as_asked_for():
    assert stand_in({"\ufffd", "¡"}) == "¢"
    # The soft hyphen is not printable.
    assert stand_in({"\ufffd", *map(chr, range(0xA1, 0xAD))}) == "®"
    assert stand_in((), str.isalpha) == "ª"
