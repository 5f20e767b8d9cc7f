"""A word in columns: which letters of a token stand apart, and in which columns."""

import pytest

from tokviz.encoding.encoders import character_spans
from tokviz.pictures.columns import WordColumns, filled
from tokviz.text.symbols import Spelling

CHARACTERS, BYTES = Spelling(), Spelling(unit="byte")


def columns_of(spelling, word):
    symbols = spelling.split(word)
    return WordColumns(spelling, word, symbols, character_spans(word, symbols, spelling.unit))


def apart(spelling, word, start=0, end=None):
    columns = columns_of(spelling, word)
    end = len(columns.symbols) if end is None else end
    symbol = columns.symbols[start]
    for more in columns.symbols[start + 1 : end]:
        symbol += more
    found = columns.letters(start, end, spelling.show(symbol))
    return [("".join(text for _, text in p.parts), p.start, p.end) for p in found]


@pytest.mark.parametrize(
    ("word", "together"),
    [
        ("abc", ["a", "b", "c"]),
        ("e\u0301te", ["e\u0301", "t", "e"]),
        ("שלום", ["ש", "ל", "ו", "ם"]),
        # Letters that have another shape alone.
        ("سلام", ["سلام"]),
        ("aسل", ["a", "سل"]),
        ("क्षत", ["क्ष", "त"]),
        ("\u1112\u1161\u11ab", ["\u1112\u1161\u11ab"]),
        # One sign of several characters.
        ("a👩\u200d🚀b", ["a", "👩\u200d🚀", "b"]),
        ("👩🏽a", ["👩🏽", "a"]),
        ("🇩🇪a", ["🇩🇪", "a"]),
        ("x\ufe0fy", ["x\ufe0f", "y"]),
    ],
)
@pytest.mark.parametrize("spelling", [CHARACTERS, BYTES], ids=["characters", "bytes"])
def test_letters_stand_apart_unless_that_changes_them(spelling, word, together):
    found = apart(spelling, word)
    assert [text for text, *_ in found] == together
    sizes = [len(text if spelling is CHARACTERS else text.encode()) for text in together]
    assert [end - start for _, start, end in found] == sizes
    assert found[0][1] == 0


def test_a_part_of_a_character_is_bytes_in_their_own_columns():
    assert apart(BYTES, "日本", 0, 5) == [("日", 0, 3), ("E6", 3, 4), ("9C", 4, 5)]
    assert apart(BYTES, "日本", 2, 4) == [("A5", 2, 3), ("E6", 3, 4)]
    # The letter before a part of one keeps its own shape.
    assert apart(BYTES, "سل", 0, 3) == [("س", 0, 2), ("D9", 2, 3)]


def test_marks_of_a_word_stand_once():
    wordpiece = Spelling(continuing_subword_prefix="##")
    assert apart(wordpiece, "abc", 1) == [("##b", 1, 2), ("c", 2, 3)]
    assert apart(wordpiece, "abc") == [("a", 0, 1), ("b", 1, 2), ("c", 2, 3)]
    suffix = Spelling(end_of_word_suffix="</w>")
    assert apart(suffix, "ab") == [("a", 0, 1), ("b", 1, 2), ("</w>", 2, 3)]


def test_what_is_displayed_in_another_way_is_whole():
    columns = columns_of(CHARACTERS, "ab")
    [whole] = columns.letters(0, 2, "[UNK]")
    assert (whole.parts, whole.start, whole.end) == ([("", "[UNK]")], 0, 2)


@pytest.mark.parametrize(
    ("word", "signs"),
    [
        ("a日", [("日", 1, 4)]),
        ("سل", [("س", 0, 2), ("ل", 2, 4)]),
        ("👩\u200d🚀", [("👩\u200d🚀", 0, 11)]),
        ("plain", []),
        # Half of a pair is drawn by its code point.
        ("\ud800", [("\ud800", 0, 3)]),
    ],
)
def test_signs_over_their_bytes(word, signs):
    found = columns_of(BYTES, word).characters()
    assert [("".join(text for _, text in p.parts), p.start, p.end) for p in found] == signs
    assert not columns_of(CHARACTERS, word).characters()


def test_columns_are_alike_as_far_as_there_is_room():
    assert filled([10, 10, 10], 60, 25) == [20, 20, 20]
    assert filled([10, 10, 10], 90, 25) == [25, 25, 25]
    assert filled([10, 30, 12], 70, 25) == [20, 30, 20]
    assert filled([10, 30, 12], 56, 25) == [13, 30, 13]
    assert filled([10, 30, 12], 53, 25) == [11, 30, 12]
    assert filled([30, 10], 90, 25) == [30, 25]
    assert filled([5], 5, 25) == [5]
