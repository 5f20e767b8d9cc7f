"""Tokens in groups that cut no character, for whatever a tokenizer makes of a text."""

import library_tokenizers
import pytest
import regex
from opened_texts import lines

import tokviz
from tokviz.encoding.by_character import by_character, characters_of_bytes
from tokviz.formats.readers.opened import open_tokenizer

KINDS = ("byte_level_bpe", "llama2", "bert", "clip", "t5")
FAMILY = "👩\u200d👩\u200d👧"


@pytest.fixture(scope="module", params=KINDS)
def tokenizer(request):
    made = getattr(library_tokenizers, request.param)()
    return open_tokenizer({"tokenizer.json": made.to_str().encode()}).tokenizer


def test_groups_are_the_text_and_all_its_tokens(tokenizer):
    for text in lines(200, seed=7):
        encoding = tokenizer.encode(text)
        if encoding.untold:
            continue
        groups = list(by_character(text, encoding.offsets))
        numbers = [n for group in groups for n in range(group.first, group.end)]
        assert numbers == list(range(len(encoding)))
        assert "".join(text[group.start : group.stop] for group in groups) == text
        ends = {match.end() for match in regex.finditer(r"\X", text)}
        for group in groups:
            tokens = encoding.offsets[group.first : group.end]
            whole = group.stop in ends | {0} or text[group.stop] == "\n"
            assert whole or not tokens, (text, group)
            # Nothing is together that no character holds together.
            for stop, (start, _) in zip([end for _, end in tokens], tokens[1:], strict=False):
                assert start < stop or stop not in ends, (text, group)


def test_a_character_of_bytes_and_one_of_code_points_stay_whole():
    text = f"日é{FAMILY} स्ते\r\ne\u0301"
    tokenizer = tokviz.train(text, "bpe", 99, "none", unit="byte").tokenizer(0)
    groups = by_character(text, tokenizer.encode(text).offsets)
    read = [text[group.start : group.stop] for group in groups]
    assert read == ["日", "é", FAMILY, " ", "स्ते", "\r\n", "e\u0301"]
    # The line break is in no token; two tokens of one would stand side by side.
    assert len(list(by_character("\r\n", [(0, 1), (1, 2)]))) == 2


def test_what_a_normalizer_takes_from_a_character_is_no_gap():
    # As of one that leaves accents out.
    assert [tuple(g) for g in by_character("e\u0301 t", [(0, 1), (3, 4)])] == [
        (0, 1, 0, 2),
        (1, 1, 2, 3),
        (1, 2, 3, 4),
    ]


def test_a_token_without_a_place_stands_alone():
    assert [tuple(g) for g in by_character("é", [(0, 0), (0, 1), (0, 1)])] == [
        (0, 1, 0, 0),
        (1, 3, 0, 1),
    ]


def test_thousands_of_flags_are_read_only_as_far_as_they_are_shown():
    text = "🇩" * 200_000
    groups = by_character(text, [(i, i + 1) for i in range(len(text))])
    assert [tuple(next(groups)) for _ in range(2)] == [(0, 2, 0, 2), (2, 4, 2, 4)]


def test_bytes_are_told_of_byte_level_tokens_alone():
    assert characters_of_bytes(tokviz.train("é", "bpe", 1).tokenizer(), 0) == []
    assert characters_of_bytes(tokviz.train("é", "bpe", 3, unit="byte").tokenizer(), None) == []
    [part] = characters_of_bytes(tokviz.train("é", "bpe", 2, unit="byte").tokenizer(0), 1)
    assert part.char is None
