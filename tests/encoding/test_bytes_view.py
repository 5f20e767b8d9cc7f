"""Characters, bytes and bits."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.encoding.bytes_view import (
    UTF8_LENGTHS,
    byte_characters,
    text_characters,
    token_characters,
)
from tokviz.pretokenizers import byte_level

#: Bytes that make and break characters, so that all kinds meet.
NEAR_TEXT = st.lists(
    st.sampled_from([b"a", b"\x80", b"\xbf", b"\xc3", b"\xe0", b"\xed", b"\xa0", b"\xf0", b"\xf4"])
    | st.integers(0, 255).map(lambda byte: bytes([byte])),
    max_size=12,
).map(b"".join)


@given(st.text(st.characters() | st.characters(categories=["Cs"])))
def test_payload_bits_are_the_code_point(text):
    views = text_characters(text)
    assert "".join(view.char for view in views) == text
    for view in views:
        number = int("".join(byte.payload for byte in view.bytes), 2)
        assert view.code_point == f"U+{number:04X}" == f"U+{ord(view.char):04X}"
        assert view.name == unicodedata.name(view.char, view.name)
        assert "".join(byte.shown for byte in view.bytes) == byte_level(view.char)
        assert [byte.role for byte in view.bytes] == ["starts"] + ["continues"] * (
            len(view.bytes) - 1
        )
        [length] = [u for u in UTF8_LENGTHS if u.first <= number <= u.last]
        assert len(view.bytes) == length.bytes
        pattern = [byte.leading + "x" * len(byte.payload) for byte in view.bytes]
        assert " ".join(pattern) == length.pattern


def test_every_code_point_has_one_length():
    firsts, lasts = zip(*((length.first, length.last) for length in UTF8_LENGTHS), strict=True)
    assert firsts == (0, *(last + 1 for last in lasts[:-1]))
    assert lasts[-1] == sys.maxunicode


@given(st.binary(max_size=12) | NEAR_TEXT)
def test_broken_bytes_are_told_apart_as_decoders_do(data):
    views = byte_characters(data)
    assert bytes(byte.value for view in views for byte in view.bytes) == data
    for view in views:
        for byte in view.bytes:
            assert byte.leading + byte.payload == f"{byte.value:08b}"
            assert (byte.role == "broken") == bool(byte.why)
        assert (view.char is None) == (view.bytes[0].role == "broken")
        assert not any(byte.role != "continues" for byte in view.bytes[1:])
    surrogates = any("\ud800" <= (view.char or "") <= "\udfff" for view in views)
    half = b"\xed" in data
    if not half:
        text = "".join(view.char or "\ufffd" for view in views)
        assert text == data.decode("utf-8", "replace")
    if all(view.char for view in views):
        assert "".join(view.char for view in views) == data.decode("utf-8", "surrogatepass")
    else:
        with pytest.raises(UnicodeDecodeError):
            data.decode("utf-8", "surrogatepass")
    assert half or not surrogates


@given(st.characters(min_codepoint=0x80, codec="utf-8"))
def test_the_start_of_a_character_leaves_it_open(char):
    data = char.encode()
    for n in range(1, len(data)):
        [part] = byte_characters(data[:n])
        first, last = (int(place[2:], 16) for place in part.code_point.split(" to "))
        assert first <= ord(char) <= last
        ends = (chr(first), chr(last))
        assert all(c.encode("utf-8", "surrogatepass")[:n] == data[:n] for c in ends)
        others = byte_characters(data[n:])
        assert [o.bytes[0].why for o in others] == ["a continuation without a start"] * len(others)


@pytest.mark.parametrize(
    ("data", "roles", "reasons"),
    [
        (b"\xc0\xaf", ["broken", "broken"], ["fits into one byte", "without a start"]),
        (b"\xf5a", ["broken", "starts"], ["beyond U+10FFFF", ""]),
        (b"\xff", ["broken"], ["never uses"]),
        (b"\xe2\x82a", ["broken", "continues", "starts"], ["without all", "", ""]),
        (b"\xe0\x80", ["broken", "broken"], ["without its", "without a start"]),
        (b"\xf4\x90", ["broken", "broken"], ["without its", "without a start"]),
        (b"\xed\xa0\x80", ["starts", "continues", "continues"], ["", "", ""]),
    ],
)
def test_what_is_broken_and_why(data, roles, reasons):
    found = [byte for view in byte_characters(data) for byte in view.bytes]
    assert [byte.role for byte in found] == roles
    assert all(reason in byte.why for reason, byte in zip(reasons, found, strict=True))


@pytest.mark.parametrize(
    ("char", "said"),
    [
        ("\n", "a control character"),
        ("\ue000", "private use"),
        ("\ud800", "a lone surrogate"),
        ("\uffff", "a noncharacter"),
        ("\ufdd0", "a noncharacter"),
        ("\U0010fffe", "a noncharacter"),
        ("\U000e0080", "not assigned in Unicode"),
        ("\ufffd", "REPLACEMENT CHARACTER"),
    ],
)
def test_a_character_without_a_name_has_a_sentence(char, said):
    [view] = text_characters(char)
    assert said in view.name


def test_why_a_byte_is_shown_so():
    shown = {byte.value: byte for view in text_characters(" a\xad") for byte in view.bytes}
    assert (shown[0x20].shown, shown[0x20].shown_why) == (
        "Ġ",
        "not printable, so shown as U+0120 (256 + 32)",
    )
    assert shown[ord("a")].shown_why == "printable, so shown as itself"
    [e] = text_characters("é")
    assert [byte.shown_why for byte in e.bytes] == [
        "shown as U+00C3, the same number",
        "shown as U+00A9, the same number",
    ]
    assert shown[0xAD].shown_why == "not printable, so shown as U+0143 (256 + 67)"


def test_tokens_of_every_kind():
    fallback = tokviz.train("low", "sentencepiece-bpe", 264, byte_fallback=True).tokenizer()
    [part] = token_characters(fallback, fallback.strings.index("<0xC3>"))
    assert (part.char, part.code_point) == (None, "U+00C0 to U+00FF")
    assert [view.char for view in token_characters(fallback, fallback.strings.index("<s>"))] == [
        *"<s>"
    ]
    pieces = tokviz.train("low low", "wordpiece", 6).tokenizer()
    [o] = token_characters(pieces, pieces.strings.index("##o"))
    assert o.char == "o"
    with pytest.raises(IndexError, match="id 99 is not in the vocabulary"):
        token_characters(pieces, 99)
