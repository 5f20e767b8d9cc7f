"""What is held back, how a state does on it, and how sure the numbers are."""

import random
import re
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from effort import some
from export_cases import SENNRICH
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.held_out import BOUNDS, RESAMPLES, held_out, hold_back, hold_back_each
from tokviz.analysis.metrics import metrics
from tokviz.basics.errors import CorpusError
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words

COURSE = tokviz.SAMPLES["course"].corpus

# --- a worked example -----------------------------------------------------------------------------


def test_a_worked_example():
    """low, lower, lowest train lo and low; the text has s in "slow" and the unseen z."""
    history = tokviz.train({"low": 5, "lower": 2, "lowest": 6}, "bpe", 9, "whitespace")
    text = "low slow zoo low"
    # State 0: l o w | s l o w | z o o | l o w: 13 tokens of 4 words. z is unknown: 1 word.
    # State 2: low | s low | z o o | low: 7 tokens.
    for t, tokens in ((0, 13), (2, 7)):
        found = held_out(history, t, text)
        assert (found.words, found.tokens, found.unknown_words) == (4, tokens, 1)
        assert (found.unknown.value, found.fertility.value) == (1 / 4, tokens / 4)
        # low, twice, at the end.
        assert found.whole_words.value == t / 4


def test_a_table_counts_its_words():
    history = tokviz.train({"ab": 3}, "bpe", 3, "whitespace")
    found = held_out(history, 1, {"ab": 7, "abx": 2, "y": 1})
    # ab: 1 token × 7; ab x: 2 × 2; y: 1. Unknown are abx and y.
    assert found[:3] == (10, 12, 3)
    assert (found.unknown.value, found.fertility.value) == (0.3, 1.2)
    # y is one token as well, but none of the vocabulary.
    assert found.whole_words.value == 0.7


def test_special_tokens_are_no_words():
    history = tokviz.train("ab ab", "bpe", 4, "whitespace", special_tokens=("<s>",))
    found = held_out(history, 1, "<s>ab x<s> ab <s>")
    assert found[:3] == (4, 3, 1)
    # ab is one by itself, and one with <s> is not.
    assert found.whole_words.value == 1 / 4


@pytest.mark.parametrize(
    ("algorithm", "more", "tokens"),
    [
        # The whole word is one unknown token: b, then aéüb.
        ("wordpiece", {"special_tokens": ("[UNK]",)}, 2),
        ("wordpiece", {}, 2),
        ("unigram", {"unknown": "word", "special_tokens": ("<unk>",)}, 2),
        # One for each unknown character: b, then a é ü b; with an id for them and without.
        ("unigram", {"unknown": "character", "special_tokens": ("<unk>",)}, 5),
        ("unigram", {"unknown": "character"}, 5),
        ("bpe", {}, 5),
    ],
)
def test_an_unknown_token_makes_a_word_unknown(algorithm, more, tokens):
    history = tokviz.train("a b ab", algorithm, 9, "whitespace", **more)
    found = held_out(history, 0, "b aéüb")
    assert found[:3] == (2, tokens, 1)


def test_the_bytes_of_a_character_are_not_unknown():
    for name, size in (("sentencepiece-bpe", 330), ("sentencepiece-unigram", 330)):
        history = tokviz.train(COURSE, name, size, byte_fallback=True)
        assert held_out(history, len(history), "漢字 the").unknown_words == 0
    history = tokviz.train(COURSE, "bpe", 300, unit="byte", initial_alphabet=("bytes",))
    assert held_out(history, 0, "漢字 the").unknown_words == 0


# --- white-space words ----------------------------------------------------------------------------

CUTTERS = ("gpt2", "whitespace", "metaspace", "bert", "sentencepiece", "none")
TEXT = "don't stop, low  lower"


@cache
def by_cutter(name):
    return tokviz.train(TEXT, "bpe", 20, name, special_tokens=("<s>",))


def in_words(history, t, text):
    """Tokens, and whether one is unknown, of every white-space word, and of the white space at the
    end of every document: by the offsets of the encoding."""
    tokenizer, found = history.tokenizer(t), []
    for line in re.split("\r\n|\r|\n", text):
        encoding = tokenizer.encode(line)
        ends = [match.end() for match in re.finditer(r"\S+", line)]
        units = [[] for _ in (*ends, None)]
        tokens = zip(encoding.ids, encoding.offsets, encoding.word_ids, strict=True)
        for i, (start, _), word in tokens:
            if word is not None:
                units[sum(end <= start for end in ends)].append(i is None)
        found += [(len(unit), any(unit), True) for unit in units[:-1]]
        found += [(len(unit), any(unit), False) for unit in units[-1:] if unit]
    return found


def whole_in(history, t, text):
    """How many words between white space are a pre-token that is one known token."""
    tokenizer, found = history.tokenizer(t), 0
    for line in re.split("\r\n|\r|\n", text):
        whole = [match.span() for match in re.finditer(r"\S+", line)]
        for word, special in tokenizer.cut(line):
            ids = [piece.id for piece in tokenizer.encoder.encode(word.text)]
            source = line[word.start : word.end]
            start = word.end - len(source.lstrip())
            one = (start, start + len(source.strip())) in whole
            found += one and not special and len(ids) == 1 and ids != [None]
    return found


@pytest.mark.parametrize("name", CUTTERS)
@settings(max_examples=some(150))
@given(
    st.lists(
        st.sampled_from(
            ["don't", "low", "er", "zoo", " ", "  ", "\t", "\n", "<s>", ",", "漢字", "é"]
        ),
        max_size=12,
    ).map("".join)
)
def test_every_token_is_of_one_white_space_word(name, text):
    history = by_cutter(name)
    kinds = in_words(history, 2, text)
    if not text.split():
        with pytest.raises(CorpusError, match="has no words"):
            held_out(history, 2, text)
        return
    found = held_out(history, 2, text)
    assert (found.words, found.per_word) == (len(text.split()), "whitespace")
    assert found.tokens == sum(tokens for tokens, _, _ in kinds)
    assert found.unknown_words == sum(unknown and is_word for _, unknown, is_word in kinds)
    assert found.fertility.value == found.tokens / found.words
    last = len(history)
    end = held_out(history, last, text)
    assert end.whole_words.value == whole_in(history, last, text) / found.words
    lines = re.split("\r\n|\r|\n", text)
    assert found.characters == sum(map(len, lines))
    assert found.bytes == sum(len(line.encode()) for line in lines)
    # As documents, and in any order of the lines.
    assert held_out(history, 2, iter(lines)) == held_out(history, 2, lines[::-1]) == found


@pytest.mark.parametrize(
    ("text", "words", "characters", "in_bytes"),
    [
        (TEXT, 4, 22, 22),
        ("ภาษาไทย ไทย", 2, 11, 31),
        ("中文没有空格。", 1, 7, 21),
    ],
)
def test_lanes_of_any_pretokenizer_have_one_denominator(text, words, characters, in_bytes):
    rows = [held_out(history, 0, text) for history in map(by_cutter, CUTTERS)]
    assert {(row.words, row.characters, row.bytes) for row in rows} == {
        (words, characters, in_bytes)
    }
    for row in rows:
        assert row.fertility.value == row.tokens / words
        assert row.characters_per_token == characters / row.tokens
        assert row.bytes_per_token == in_bytes / row.tokens
    own = [held_out(history, 0, text, "pretokens") for history in map(by_cutter, CUTTERS)]
    assert len({row.words for row in own}) > 1
    assert {row.per_word for row in own} == {"pretokens"}


@pytest.mark.parametrize(
    "name",
    [*CUTTERS, "bert, normalized", "two words", "sentencepiece-bpe", "sentencepiece-unigram"],
)
def test_the_text_of_the_training_keeps_as_many_words_whole(name):
    """In every state, whether they are counted from the history or encoded anew."""
    odd = "L'été <s> low<s>low é\u0301 low\fer \tlow  \né <s>\n<s>\né\n你好 你 low"
    text = "\n".join([TEXT * 3, odd, *["low"] * 9, COURSE])
    cutter, more = name, {"special_tokens": ("<s>",)}
    if name == "bert, normalized":
        cutter = make_pretokenizer("bert", normalize=True)
    elif name == "two words":
        cutter = make_pretokenizer("regex", pattern=r"\S+\s+\S+|\S+\s*")
    algorithm = "bpe"
    if name.startswith("sentencepiece-"):
        algorithm, cutter = name, None
        more = {"user_defined_symbols": ("é",), "add_dummy_prefix": False}
    run = tokviz.train(text, algorithm, 59 if "unigram" in name else 140, cutter, **more)
    table = metrics(run)
    assert table["whole_words"].iloc[-1] > 0
    for t in range(0, len(run) + 1, 7):
        assert held_out(run, t, text).whole_words.value == table["whole_words"][t]


def test_white_space_at_the_end_has_tokens_and_is_no_word():
    """By hand: gpt2 cuts "low" and two spaces, of which it was trained on one."""
    history = tokviz.train("low low", "bpe", 4, "gpt2")
    found = held_out(history, 0, "low  ")
    assert (found.words, found.tokens, found.fertility.value) == (1, 5, 5.0)
    # A resample without the word has none to divide by.
    assert found.fertility.low <= 5 <= found.fertility.high


def test_other_words_are_refused():
    with pytest.raises(tokviz.SettingError, match="per_word='lines' is not known; choose white"):
        held_out(by_cutter("gpt2"), 0, "low", "lines")


# --- the unknown rate over the states -------------------------------------------------------------

RUNS = {
    "bpe": ("bpe", 60, {}),
    "bytes": ("bpe", 60, {"unit": "byte"}),
    "suffix": ("bpe", 60, {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}),
    "glued": ("bpe", 70, SENNRICH),
    "wordpiece": ("wordpiece", 70, {"special_tokens": ("[UNK]",)}),
    "frequency": ("wordpiece", 70, {"score": "frequency"}),
    "unigram": ("unigram", 60, {}),
    "any words": ("unigram", 60, {"unknown": "character"}),
    "sentencepiece-bpe": ("sentencepiece-bpe", 60, {}),
}
UNSEEN = "Thisq the tokenizer zoo. Courses, Wow! é the 漢字 hugs; is this a Thhh?"


@pytest.mark.parametrize("run", RUNS)
def test_the_unknown_rate_is_that_of_the_alphabet_in_every_state(run):
    """Whether a word can be spelled depends on its characters, and the characters of the training
    text are there from the start and never leave."""
    algorithm, size, more = RUNS[run]
    history = tokviz.train(COURSE, algorithm, size, **more)
    words = count_words(UNSEEN, history.pretokenizer, history.special_tokens)
    alphabet = set(history.vocab(0))
    known = history.spelling
    expected = 0
    for word, count in zip(words.words, words.counts, strict=True):
        symbols = {known.show(symbol) for symbol in known.split(word)}
        expected += count * (not symbols <= alphabet)
    assert 0 < expected < words.total
    for t in range(len(history) + 1):
        found = held_out(history, t, UNSEEN, "pretokens")
        assert (found.words, found.unknown_words) == (words.total, expected)
        assert found.unknown.value == expected / words.total


def test_characters_may_leave_sentencepiece_unigram_and_come_back():
    """The exception: expectation–maximization removes rare characters as it removes any piece; the
    last step puts them back."""
    history = tokviz.train(COURSE, "sentencepiece-unigram", 60)
    rates = [held_out(history, t, UNSEEN).unknown_words for t in range(len(history) + 1)]
    single = [{token for token in history.vocab(t) if len(token) == 1} for t in range(len(rates))]
    assert rates[0] == rates[-1] == min(rates) < max(rates)
    assert single[0] == single[-1] > min(single, key=len)
    for (before, after), (mine, then) in zip(pairwise(rates), pairwise(single), strict=True):
        assert (after >= before) if then <= mine else (after <= before)


# --- the intervals --------------------------------------------------------------------------------


def slow_bootstrap(rows, resamples, seed):
    """Draws words one by one, with replacement; rows are (tokens, is unknown, is whole) of every
    word."""
    draw = random.Random(seed)
    rates = []
    for _ in range(resamples):
        sample = [rows[draw.randrange(len(rows))] for _ in rows]
        n = len(sample)
        rates.append([sum(column) / n for column in zip(*sample, strict=True)])
    return np.percentile(np.asarray(rates), BOUNDS, axis=0).T


def test_intervals_are_those_of_drawing_words_one_by_one():
    """A percentile of B draws has a standard error of sqrt(p(1−p)/B) ÷ the density there. Of a
    nearly normal rate with the deviation s, the density at its 2.5th percentile is 0.0584 ÷ s, so
    the error is 0.0845 s for B = 1,000, for theirs and for ours: 0.12 s between the two. Allowed
    are five of these, and a word more or less, since a rate of n words moves in steps of 1/n."""
    assert (RESAMPLES, BOUNDS) == (1000, (2.5, 97.5))
    text = " ".join(tokviz.SAMPLES["alice"].corpus.split()[:300])
    history = tokviz.train(COURSE, "bpe", 60, "whitespace")
    tokenizer = history.tokenizer()
    encodings = [tokenizer.encode(word) for word in text.split()]
    rows = [
        (len(ids), None in ids, len(ids) == 1 and None not in ids)
        for ids in (encoding.ids for encoding in encodings)
    ]
    found = held_out(history, len(history), text)
    n = len(rows)
    assert found.words == n == 300
    assert found.tokens == sum(tokens for tokens, _, _ in rows)
    assert 0.1 < found.unknown.value < 0.9
    assert 0.05 < found.whole_words.value < 0.9
    slow = slow_bootstrap(rows, 1000, 1)
    for column, estimate, bounds in zip(
        zip(*rows, strict=True),
        (found.fertility, found.unknown, found.whole_words),
        slow,
        strict=True,
    ):
        s = np.std(column) / n**0.5
        assert np.allclose((estimate.low, estimate.high), bounds, rtol=0, atol=0.6 * s + 1 / n)
        # The normal approximation: value ± 1.96 s.
        assert abs(estimate.high - estimate.low - 3.92 * s) < 0.6 * s
        assert estimate.low < estimate.value < estimate.high


def test_intervals_are_the_same_every_time():
    history = tokviz.train(COURSE, "bpe", 60)
    found = [held_out(history, 9, UNSEEN) for _ in range(3)]
    assert found[0] == found[1] == found[2]
    # In any order of the words.
    words = {"ab": 30, "xy": 20, "t": 40, "these": 25, "x": 7}
    turned = dict(reversed(words.items()))
    assert held_out(history, 9, words) == held_out(history, 9, turned)


@given(
    st.dictionaries(
        st.text("abx", min_size=1, max_size=5), st.integers(1, 30), min_size=1, max_size=8
    )
)
def test_an_interval_contains_its_value(words):
    found = held_out(AB, 1, words)
    for estimate in (found.unknown, found.fertility, found.whole_words):
        assert estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12
    assert 0 <= found.unknown.low <= found.unknown.high <= 1
    assert found.fertility.low >= 1
    assert found.words == sum(words.values())
    assert found.unknown_words == sum(count for word, count in words.items() if "x" in word)


AB = tokviz.train({"ab": 3}, "bpe", 3, "whitespace")


def test_where_all_words_are_alike_there_is_no_doubt():
    assert held_out(AB, 1, "x x x").unknown == (1, 1, 1)
    assert held_out(AB, 1, "x x x").fertility == (1, 1, 1)
    assert held_out(AB, 1, "ab ab").unknown == (0, 0, 0)
    assert held_out(AB, 0, "ab").fertility == (2, 2, 2)


def test_more_words_are_surer():
    few, many = (held_out(AB, 1, {"ab": 5 * n, "x": 5 * n}).unknown for n in (1, 100))
    assert few.value == many.value == 0.5
    # The deviation is sqrt(0.25/n): 0.158 of 10 words, 0.0158 of 1,000, so ±0.31 and ±0.031.
    assert few.high - few.low == pytest.approx(0.62, abs=0.11)
    assert many.high - many.low == pytest.approx(0.062, abs=0.008)


def test_what_cannot_be_estimated_says_why():
    for text in ("", " \n ", {}):
        with pytest.raises(ValueError, match="The held-out text has no words; give one that has"):
            held_out(AB, 1, text)
    with pytest.raises(IndexError, match="t=2 is not a state of this run; it has states 0 to 1"):
        held_out(AB, 2, "ab")
    with pytest.raises(CorpusError):
        held_out(AB, 1, {"ab": -1})


# --- what is held back ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [10, 11, 19, 20, 21, 100])
def test_every_tenth_line_is_held_back(n):
    lines = [f"line {i}" for i in range(1, n + 1)]
    kept, held = hold_back("\n".join(lines))
    assert held.split("\n") == [f"line {i}" for i in range(10, n + 1, 10)]
    assert kept.split("\n") == [line for line in lines if line not in held.split("\n")]


@given(st.lists(st.text("ab ", max_size=4), min_size=10, max_size=45))
def test_every_line_is_in_one_part(lines):
    if sum(bool(line.strip()) for line in lines) < 10:
        return
    kept, held = (iter(part.split("\n")) for part in hold_back("\n".join(lines)))
    number = 0
    for line in lines:
        number += bool(line.strip())
        assert next(held if line.strip() and number % 10 == 0 else kept) == line
    assert not [*kept, *held]


def test_blank_lines_are_not_what_is_held_back():
    """With a blank line after each paragraph every tenth line is blank."""
    text = "\n\n".join(f"paragraph {i}" for i in range(1, 21))
    kept, held = hold_back(text)
    assert held == "paragraph 10\nparagraph 20"
    assert kept.split() == [w for i in range(1, 20) if i != 10 for w in ("paragraph", str(i))]


@pytest.mark.parametrize(("n", "held_words"), [(10, 1), (19, 1), (20, 2), (35, 3)])
def test_of_few_lines_the_last_words_are_held_back(n, held_words):
    words = [f"w{i}" for i in range(n)]
    for text in (
        " ".join(words),
        "  ".join(words) + " ",
        "\n".join(words[:8]) + " " + " ".join(words[8:]),
    ):
        kept, held = hold_back(text)
        assert held.split() == words[-held_words:]
        assert kept.split() == words[:-held_words]
        assert text.startswith(kept)
        assert text.endswith(held)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "0 words"),
        ("\n" * 20, "0 words"),
        ("one", "1 word"),
        ("a b c d e f g h  i ", "9 words"),
    ],
)
def test_a_text_too_short_says_so(text, words):
    with pytest.raises(ValueError, match=f"A text of {words} has no tenth to hold back; use one"):
        hold_back(text)


def test_the_same_lines_of_each_language_are_held_back_or_none():
    ten = {"a": "\n".join("0123456789"), "b": "\n".join("αβγδεζηθικ"), "a, development": "x"}
    kept, held = hold_back_each(ten)
    assert held == {"a": "9", "b": "κ"}
    assert kept["a, development"] == "x"
    with pytest.raises(ValueError, match="a has 11 lines, and b has 10: what is held back would"):
        hold_back_each({**ten, "a": "\n".join("01234567890")})
