"""Word-count tables as text: what is read, what is refused, and what is written reads the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tokviz.basics.errors import CorpusError
from tokviz.text.word_table import read_word_table, write_word_table


def test_word_tables():
    assert read_word_table("low\t5\n\nlower\t2\r\nlow\t1\n") == {"low": 6, "lower": 2}
    assert read_word_table('word,count\n"a,b",3\nnaïve,1') == {"a,b": 3, "naïve": 1}
    assert read_word_table("3,4\n") == {"3": 4}
    assert read_word_table("a,0\nb,1") == {"b": 1}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "has no words"),
        ("word,count\n", "has no words"),
        ("a,1\nb", "line 2 of the word table is 'b'"),
        ("a,1\nb,x", "line 2 .* is 'b,x'; each line is one word and one whole number"),
        ("a,1\nb,-2", "line 2"),
        ("a,1\nb,1.5", "line 2"),
        ("a,1\nb,²", "line 2"),
        ("a,1\nb," + "9" * 400, "line 2"),
    ],
)
def test_what_is_no_word_table_is_refused_with_its_line(text, sentence):
    with pytest.raises(CorpusError, match=sentence):
        read_word_table(text)


WORDS = st.text(st.sampled_from('ab"\t, \x85\u2028é日0') | st.characters(codec="utf-8"), min_size=1)


@given(st.dictionaries(WORDS, st.integers(1, 10**16 - 1), min_size=1))
def test_what_is_written_reads_the_same_in_the_same_order(words):
    breaks = [word for word in words if "\n" in word or "\r" in word]
    if breaks:
        with pytest.raises(CorpusError, match="cannot hold the word"):
            write_word_table(words)
    else:
        assert list(read_word_table(write_word_table(words)).items()) == list(words.items())


@pytest.mark.parametrize(
    ("word", "n", "shown"),
    [
        ("a\nb", 1, "a⟨U+000A⟩b"),
        ("\r", 2, "⟨U+000D⟩"),
        ("x\ud800", 3, "x⟨U+D800⟩"),
        ("often", 10**16, "often"),
    ],
)
def test_a_word_that_no_table_can_hold_is_named(word, n, shown):
    with pytest.raises(
        CorpusError, match=re.escape(f"cannot hold the word “{shown}” ({n:,} times)")
    ):
        write_word_table({"fine": 1, word: n})
