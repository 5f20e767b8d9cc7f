"""Counting whole blocks at once, against the words of each document one by one."""

import itertools
import random
import re
import sys
import tracemalloc
import unicodedata
from collections import Counter
from functools import cache
from unittest.mock import patch

import pytest
from effort import LONG, some
from hypothesis import example, given, settings
from hypothesis import strategies as st
from odd_texts import PIECES, SPECIAL, any_text, block_size, sizes, special_tokens

from tokviz import Cancelled
from tokviz.basics import progress
from tokviz.core.characters import KINDS, kinds_of
from tokviz.core.host import waiting
from tokviz.pretokenizers import PRETOKENIZERS, BlockPretokenizer, blocks, make_pretokenizer
from tokviz.pretokenizers.blocks import (
    END,
    JOINT,
    Block,
    decoded,
    document_blocks,
    encoded,
    text_blocks,
)
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import documents
from tokviz.text.word_counter import WordCounter

BLOCKWISE = {
    "gpt2": make_pretokenizer("gpt2"),
    "whitespace": make_pretokenizer("whitespace"),
    "metaspace": make_pretokenizer("metaspace"),
    "bert": make_pretokenizer("bert"),
    "bert, normalized": make_pretokenizer("bert", normalize=True),
}
every_blockwise = pytest.mark.parametrize("key", BLOCKWISE)


thorough = settings(max_examples=some(300))


def words_one_by_one(docs, pretokenizer, special=()):
    """The words of documents with special tokens taken out, as `words` gives them."""
    longest_first = sorted(filter(None, special), key=len, reverse=True)
    pattern = "|".join(map(re.escape, longest_first)) or r"(?!)"
    for document in docs:
        for part in re.split(pattern, document) if longest_first else [document]:
            for word in pretokenizer.words(part):
                yield word.text


def assert_counted(given, docs, pretokenizer, special=()):
    counted = count_words(given, pretokenizer, special)
    expected = Counter(words_one_by_one(docs, pretokenizer, special))
    assert list(zip(counted.words, counted.counts, strict=True)) == list(expected.items())


def block_of(docs):
    data = END.join(map(encoded, docs))
    return Block(data, len(docs), data)


def cut_words(pretokenizer, docs):
    counter = WordCounter(pretokenizer)
    numbers = counter.place(block_of(docs)).numbers.tolist()
    words = counter.words()
    return [words[number] for number in numbers]


# ---------------------------------------------------------------- the same words and counts


@every_blockwise
@thorough
@given(text=any_text, size=sizes, special=special_tokens)
@example(text="a  b\u3000\u3000c \t d\u3000'll  \n 's", size=1, special=())
@example(text="It's'll we'veer 'rer''s '\u0301", size=2, special=())
@example(text="aaaa<s>xaaa", size=1, special=("aa", "<s>", "<s>x"))
@example(text="the hug", size=1, special=("the hug",))
@example(text="a b", size=1, special=("a b",))
def test_a_text_is_counted_as_its_lines_are(key, text, size, special):
    with block_size(size):
        assert_counted(text, re.split(r"\r\n|\n|\r", text), BLOCKWISE[key], special)


@every_blockwise
@thorough
@given(docs=st.lists(any_text, max_size=6), size=sizes, special=special_tokens)
@example(docs=["a \n", " b", "", "\r"], size=1, special=())
def test_documents_are_counted_as_they_come(key, docs, size, special):
    lines = [line for text in docs for line in re.split(r"\r\n|\n|\r", text)]
    with block_size(size):
        assert_counted(iter(docs), lines, BLOCKWISE[key], special)


@pytest.mark.parametrize("key", ["regex", "none"])
@given(text=any_text, special=special_tokens)
def test_the_other_pretokenizers_are_counted_alike(key, text, special):
    docs = re.split(r"\r\n|\n|\r", text)
    assert_counted(text, docs, make_pretokenizer(key), special)
    assert_counted(iter(docs), docs, make_pretokenizer(key), special)


@every_blockwise
def test_random_texts_are_counted_alike(key):
    chance = random.Random(key)
    for round_ in range(some(150)):
        pieces = chance.sample(PIECES, chance.randrange(1, 12))
        text = "".join(chance.choices([*pieces, " ", "word"], k=chance.randrange(300)))
        with block_size(chance.choice([1, 5, 16, 100])):
            special = tuple(chance.sample(SPECIAL, round_ % 3))
            assert_counted(text, re.split(r"\r\n|\n|\r", text), BLOCKWISE[key], special)


@every_blockwise
@pytest.mark.parametrize(
    ("alphabet", "length"),
    [(" \t\u3000a1!'\n", 5), ("'slver ", 6), ("\x1c\x85 a中。\u0301", 5), ("'l\ud800é\u2028 ", 5)],
)
def test_every_short_text_is_cut_alike(key, alphabet, length):
    if key != "gpt2" and not LONG:
        length -= 1  # Only GPT-2's pattern looks further ahead.
    docs = ["".join(chars) for chars in itertools.product(alphabet, repeat=length)]
    if key == "bert, normalized":
        docs = docs[::7]
    assert cut_words(BLOCKWISE[key], docs) == list(words_one_by_one(docs, BLOCKWISE[key]))


@cache
def one_of_many():
    """Texts with every character; but of letters, and of code points without a meaning, there are
    many: a part of them is enough."""
    many = ("Lo", "Co", "Cn", "Cs")
    chars = [
        char
        for i, char in enumerate(map(chr, range(sys.maxunicode + 1)))
        if i % 37 == 0
        or unicodedata.category(char) not in many
        or i in (0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000)
    ]
    return [f"a{char}1{char}!{char} {char}" for char in chars]


@every_blockwise
def test_every_character_is_cut_alike(key):
    docs = one_of_many()
    assert cut_words(BLOCKWISE[key], docs) == list(words_one_by_one(docs, BLOCKWISE[key]))


@every_blockwise
def test_eight_bytes_at_once_are_cut_as_each_by_itself(key):
    """Every character of ASCII, and some others, at every place among letters."""
    chars, letters = [*map(chr, range(128)), "é", "\u3000"], "aZzA" * 5
    docs = [letters[:i] + char + letters[i:] for char in chars for i in range(len(letters))]
    assert cut_words(BLOCKWISE[key], docs) == list(words_one_by_one(docs, BLOCKWISE[key]))
    for char in chars:
        lines = [letters[:i] + char + letters[i:17] for i in range(17)]
        counter = WordCounter(BLOCKWISE[key])
        counter.add(block_of(lines))
        assert counter.white_space_words == sum(len(line.split()) for line in lines)


@every_blockwise
@thorough
@given(text=any_text)
@example(text="a\vb a\u0301!\u302e\U0001d165。\u0301x ‘1’ 2,")
def test_a_safe_cut_changes_no_word(key, text):
    pretokenizer = BLOCKWISE[key]
    whole = [word.text for word in pretokenizer.words(text)]
    for match in pretokenizer.safe_cuts.finditer(text):
        halves = text[: match.start()], text[match.start() :]
        assert list(words_one_by_one(halves, pretokenizer)) == whole


# ---------------------------------------------------------------- documents and blocks


@given(st.text("a\n\r", max_size=30), sizes)
def test_documents_are_the_lines(text, size):
    with block_size(size):
        assert list(documents(text)) == re.split(r"\r\n|\n|\r", text)


@pytest.mark.parametrize(
    ("key", "line"),
    [
        ("gpt2", "the quick brown fox "),
        ("gpt2", "日本語、日本語。"),
        ("gpt2", "1,22,333,"),
        ("gpt2", "\t\u3000x"),
        ("bert", "the quick\tbrown fox "),
        ("bert", "日本語、日本語。"),
        ("metaspace", "日本語　日本語　"),
        ("whitespace", "the quick brown fox "),
    ],
)
def test_a_line_without_an_end_comes_in_blocks_too(key, line):
    """So memory stays small, and a run can be cancelled soon."""
    text = line * 1000
    cuts = BLOCKWISE[key].safe_cuts
    with block_size(100):
        for found in (list(text_blocks(text, cuts)), list(document_blocks([text], cuts))):
            parts = [re.sub(b"[" + END + JOINT + b"]", b"", block.data) for block in found]
            assert b"".join(parts) == text.encode()
            assert max(map(len, map(decoded, parts))) < 130
            assert len(found) > len(text) / 130


def test_blocks_tell_how_much_is_done():
    cuts = BLOCKWISE["gpt2"].safe_cuts
    with block_size(3):
        assert [b.done for b in text_blocks("a b\nc d\r\ne f\r", cuts)] == [3, 4, 3, 3]
        assert sum(b.done for b in document_blocks(["a b c d e", "", "f"], cuts)) == 3


def test_many_empty_documents_are_not_kept():
    endless = itertools.repeat("")
    block = next(document_blocks(endless, BLOCKWISE["gpt2"].safe_cuts))
    assert len(block.data) < 2 * blocks.BLOCK_SIZE


# ---------------------------------------------------------------- the counter


def count_apart(batches):
    counter = WordCounter(make_pretokenizer("whitespace"))
    for words in batches:
        counter.add(block_of(words))
    assert counter.alone().tolist() == counter.counts().tolist()
    return list(zip(counter.words(), counter.counts().tolist(), strict=True))


alike_words = st.integers(1, 45).map(lambda n: "abcdefghijk"[:n].ljust(n, "\0"))
short_words = st.text("ab\0é", min_size=1, max_size=25)


@given(st.lists(st.lists(alike_words | short_words, max_size=20), max_size=5))
def test_equal_words_and_only_those_are_one(batches):
    """Words that differ in their length or one byte."""
    expected = Counter(itertools.chain.from_iterable(batches))
    assert count_apart(batches) == list(expected.items())


def test_words_that_differ_in_one_byte_are_two():
    letters = "abcdefgh" * 4
    words = [
        letters[:i] + char + letters[i + 1 : length]
        for length in range(1, 33)
        for i in range(length)
        for char in (letters[i], "X")
    ]
    assert count_apart([words]) == list(Counter(words).items())


def test_the_table_grows():
    words = [str(i % 5000) for i in range(20_000)]
    batches = [words[i : i + 700] for i in range(0, len(words), 700)]
    assert count_apart(batches) == list(Counter(words).items())


def test_places_are_those_of_the_block():
    counter = WordCounter(BLOCKWISE["metaspace"])
    places = counter.place(block_of(["é a", "", " a"]))
    assert counter.words() == [" é", " a"]
    assert [column.tolist() for column in places] == [[0, 1, 1], [0, 3, 7], [2, 4, 8]]


def test_a_newer_unicode_than_the_modules_is_asked():
    """U+1FAE8 is a letter here, as one of a later release may be."""

    def forget():
        kinds_of.cache_clear()
        waiting.clear()

    with patch.dict(KINDS, LETTER=re.compile("[a-z\U0001fae8]").match):
        forget()
        assert cut_words(BLOCKWISE["gpt2"], ["a\U0001fae8b \U0001faf8"]) == [
            "a\U0001fae8b",
            " \U0001faf8",
        ]
    forget()
    assert cut_words(BLOCKWISE["gpt2"], ["a\U0001fae8b"]) == ["a", "\U0001fae8", "b"]


# ---------------------------------------------------------------- time and memory


@pytest.fixture
def every_report(monkeypatch):
    clock = iter(range(10**9))
    monkeypatch.setattr(progress, "perf_counter", lambda: next(clock))


@pytest.mark.usefixtures("every_report")
@every_blockwise
def test_one_long_line_reports_often_and_can_be_cancelled(key):
    text = "word and another\t" * 50_000
    seen = []

    def stop_at_third(report):
        seen.append(report)
        return len(seen) < 3

    with pytest.raises(Cancelled, match="while counting words"):
        count_words(text, BLOCKWISE[key], progress=stop_at_third)
    done = [report.done for report in seen]
    assert done[0] == 0 < done[1] < done[2] < len(text)
    assert {report.total for report in seen} == {len(text)}


@pytest.mark.usefixtures("every_report")
@pytest.mark.parametrize("name", PRETOKENIZERS)
def test_endless_documents_are_streamed(name):
    seen = []

    def stop_later(report):
        seen.append(report)
        return report.done < 1000

    with pytest.raises(Cancelled, match="while counting words"):
        count_words(itertools.repeat("some words"), make_pretokenizer(name), progress=stop_later)
    assert all(report.done <= report.total and report.seconds_left == 0 for report in seen)


@pytest.mark.usefixtures("every_report")
def test_lists_know_their_total():
    seen = []
    count_words(["a b"] * 100_000, BLOCKWISE["gpt2"], progress=seen.append)
    assert {report.total for report in seen} == {100_000}
    assert [report.done for report in seen] == sorted({report.done for report in seen})


@every_blockwise
@pytest.mark.parametrize("separator", ["\n", " ", "。 "])
def test_memory_depends_on_the_distinct_words_only(key, separator):
    text = separator.join(["some words to count"] * 150_000)
    tracemalloc.start()
    count_words(text, BLOCKWISE[key])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 14_000_000


def test_every_pretokenizer_that_can_counts_blocks():
    fast = {name for name, kind in PRETOKENIZERS.items() if issubclass(kind, BlockPretokenizer)}
    assert fast == {"gpt2", "whitespace", "metaspace", "bert"}


def test_where_no_module_runs_words_are_counted_alike(monkeypatch):
    text = "low lower lowest, " * 200 + "don't\n中文 " * 3
    counted = count_words(text, BLOCKWISE["gpt2"])
    monkeypatch.setattr("tokviz.text.corpus.is_there", lambda: False)
    monkeypatch.setattr("tokviz.text.corpus.WordCounter", None)
    plain = count_words(text, BLOCKWISE["gpt2"])
    assert plain == counted
    assert (plain.alone, plain.white_space_words) == (counted.alone, counted.white_space_words)
