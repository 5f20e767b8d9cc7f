"""White-space words: `str.split()`, however a text is read, cut and counted."""

import re
from collections import Counter
from functools import cache
from itertools import pairwise
from unittest.mock import patch

import pytest
from effort import some
from hypothesis import example, given, settings
from hypothesis import strategies as st
from odd_texts import block_size, odd_text, sizes, special_tokens

import tokviz
from tokviz.pretokenizers import PRETOKENIZERS, make_pretokenizer
from tokviz.pretokenizers.bert import bert_normalize
from tokviz.pretokenizers.blocks import WHITE_SPACE
from tokviz.pretokenizers.normalizer import RULE_NAMES, Normalizer
from tokviz.text import white_space
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import documents
from tokviz.text.pieces import pieces
from tokviz.text.white_space import WhiteSpaceWords, count_white_space_words

THAI = "ภาษาไทยไม่มีช่องว่าง ระหว่างคำ"
CHINESE = "中文没有空格。\n你好　世界"


@settings(max_examples=some(200))
@given(odd_text, sizes)
def test_they_are_those_of_split(text, size):
    with patch.object(white_space, "PART", size):
        assert count_white_space_words(text) == len(text.split())


@settings(max_examples=some(200))
@given(odd_text, st.lists(st.integers(0, 40)))
def test_a_text_may_be_cut_anywhere(text, cuts):
    bounds = [0, *sorted(cuts), len(text)]
    parts = [text[a:b] for a, b in pairwise(bounds)]
    seen = WhiteSpaceWords()
    for part in parts:
        seen.part(part)
    assert seen.total == len(text.split())


@pytest.mark.parametrize("name", PRETOKENIZERS)
@settings(max_examples=some(60))
@given(st.lists(odd_text, max_size=4), sizes)
def test_every_pretokenizer_counts_the_same(name, texts, size):
    cutter = make_pretokenizer(name, **({"pattern": r"\S"} if name == "regex" else {}))
    lines = list(documents("\n".join(texts)))
    # What SentencePiece does not read has no tokens either.
    read = [line for line in lines if name != "sentencepiece" or cutter.takes(line)]
    wanted = sum(len(line.split()) for line in read)
    with block_size(size):
        of_text = count_words("\n".join(texts), cutter, ("<s>",))
        assert of_text.white_space_words == wanted
        assert count_words(iter(lines), cutter).white_space_words == wanted
    if name == "whitespace":
        assert count_words(iter(lines), cutter).total == wanted


@pytest.mark.parametrize(("text", "words"), [(THAI, 2), (CHINESE, 3), ("", 0), (" \u3000\n", 0)])
def test_scripts_without_spaces_have_few(text, words):
    for name in ("gpt2", "bert", "sentencepiece"):
        assert count_words(text, make_pretokenizer(name)).white_space_words == words


def test_a_line_that_is_not_read_has_none():
    cutter = make_pretokenizer("sentencepiece", max_sentence_length=10)
    assert count_words("one two\nthree four five\nsix", cutter).white_space_words == 3


def test_a_table_has_no_such_number():
    words = count_words({"low": 2}, make_pretokenizer("gpt2"))
    assert (words.white_space_words, words.alone, words.white_space_known) == (None, None, False)


def test_a_run_keeps_the_numbers_in_its_file(tmp_path):
    path = tmp_path / "run.npz"
    for name, alone in (("bpe", 2), ("unigram", 4), ("sentencepiece-unigram", 4)):
        run = tokviz.train("don't stop, low lower", name, 20)
        assert (run.words.white_space_words, sum(run.words.alone)) == (4, alone)
        run.save(path)
        loaded = tokviz.load(path).words
        assert (loaded.white_space_words, loaded.alone) == (4, run.words.alone)
    tokviz.train({"low": 5}, "bpe", 4).save(path)
    loaded = tokviz.load(path).words
    assert (loaded.white_space_words, loaded.alone) == (None, None)


# --- words that are a white-space word by themselves ----------------------------------------------

CUTTERS = {
    **{name: make_pretokenizer(name) for name in PRETOKENIZERS},
    "bert, normalized": make_pretokenizer("bert", normalize=True),
    "letters": make_pretokenizer("regex", pattern=r"\p{L}+|\d"),
    "two words": make_pretokenizer("regex", pattern=r"\S+\s+\S+|\S+\s*"),
    **{
        rule: make_pretokenizer("sentencepiece", normalization_rule_name=rule)
        for rule in RULE_NAMES
    },
    "bare": make_pretokenizer(
        "sentencepiece", add_dummy_prefix=False, remove_extra_whitespaces=False
    ),
    "line": make_pretokenizer("sentencepiece", split_by_whitespace=False),
}
every_cutter = pytest.mark.parametrize("key", CUTTERS)


@cache
def nothing_is_left(cutter, char):
    """Whether a normalizer leaves nothing of a character, asked as if it were a text."""
    if cutter.name == "bert" and cutter.normalize:
        return not bert_normalize(char)[0]
    if cutter.name == "sentencepiece":
        return not Normalizer(cutter.normalization_rule_name, False, False).normalize(char)
    return False


def words_by_themselves(lines, cutter, special=()):
    """How often each word is one by itself: its characters, white space and what a normalizer
    leaves nothing of left out, are those of one white-space word, and all of that."""
    found = Counter()
    for line in lines:
        if cutter.name == "sentencepiece" and not cutter.takes(line):
            continue
        found_in_line = list(pieces(line, cutter, special))
        # A normalizer never sees a special token.
        whole_tokens = {i for word, is_one in found_in_line if is_one for i in range(*word[1:3])}
        kept = [
            i
            for i, char in enumerate(line)
            if i in whole_tokens or not nothing_is_left(cutter, char)
        ]
        text = "".join(line[i] for i in kept)
        whole = [set(kept[m.start() : m.end()]) for m in re.finditer(r"\S+", text)]
        for word, is_special in found_in_line:
            spans = [(word.start, word.end)] if word.spans is None else word.spans
            covered = {i for start, end in spans for i in range(start, end)} & {*kept}
            own = {i for i in covered if not line[i].isspace()}
            found[word.text] += not is_special and own in whole
    return found


def assert_alone(counted, expected):
    assert dict(zip(counted.words, counted.alone, strict=True)) == {
        word: expected[word] for word in counted.words
    }
    assert sum(counted.alone) <= counted.white_space_words


def test_the_white_space_is_that_of_python():
    assert {*WHITE_SPACE} == {char for char in map(chr, range(0x110000)) if char.isspace()}


@every_cutter
@settings(max_examples=some(150))
@given(st.lists(odd_text, max_size=4), sizes)
@example(["low, (low) low", "don't 你好 你 好\u3000a\x1cb a\fb \f\u3000c"], 1)
@example(["\ufeffa e\u0301 \u0301 中\u302e 你\x00", "a\u200bb x \u200bb\t´ c▁d"], 3)
@example(["a\x85b c\xa0d"], 1)
def test_words_by_themselves_are_those_of_the_offsets(key, texts, size):
    cutter = CUTTERS[key]
    lines = list(documents("\n".join(texts)))
    expected = words_by_themselves(lines, cutter)
    with block_size(size):
        assert_alone(count_words("\n".join(texts), cutter), expected)
        assert_alone(count_words(iter(lines), cutter), expected)


@pytest.mark.parametrize("key", [key for key in CUTTERS if CUTTERS[key].name != "sentencepiece"])
@settings(max_examples=some(150))
@given(st.lists(odd_text, max_size=4), sizes, special_tokens)
@example(["low<s> <s> <s>low low", "a<s>x b"], 1, ("<s>",))
@example(["low a", "a b"], 1, (" a", "b "))
@example(["low a", "b low"], 1 << 17, (" a", "b "))
@example(["你<s>好 你"], 1, ("<s>",))
def test_a_word_beside_a_special_token_is_none_by_itself(key, texts, size, special):
    cutter, text = CUTTERS[key], "\n".join(texts)
    expected = words_by_themselves(documents(text), cutter, special)
    with block_size(size):
        assert_alone(count_words(text, cutter, special), expected)
        assert_alone(count_words(iter(documents(text)), cutter, special), expected)


@pytest.mark.parametrize(
    ("text", "symbols", "alone"),
    [
        # A word with a symbol in it is none; what stands beside it is.
        ("low<s> <s> b<s>c low", ("<s>",), {" low": 1}),
        # A symbol may hold the space, and then there is one word.
        ("a b c", ("▁b",), {" c": 1}),
        ("a b c", ("<s>",), {" a": 1, " b": 1, " c": 1}),
        # An acute accent becomes a space and a mark: the last word is still one by itself.
        ("a´ a ´a", ("<s>",), {" a": 1, " \u0301a": 1}),
    ],
)
def test_words_of_sentencepiece_beside_symbols(text, symbols, alone):
    counted = count_words([text, text], CUTTERS["sentencepiece"], symbols)
    found = dict(zip(counted.words, counted.alone, strict=True))
    assert {word: n for word, n in found.items() if n} == {w: 2 * n for w, n in alone.items()}


@settings(max_examples=some(150))
@given(st.lists(odd_text, max_size=4), st.sampled_from(RULE_NAMES), st.booleans())
def test_the_slow_way_and_the_fast_one_of_sentencepiece_agree(texts, rule, split):
    cutter = make_pretokenizer(
        "sentencepiece", normalization_rule_name=rule, split_by_whitespace=split
    )
    lines = list(documents("\n".join(texts)))
    fast = count_words(iter(lines), cutter, ("<s>",))
    with patch.object(type(cutter), "keeps_white_space", return_value=False):
        slow = count_words(iter(lines), cutter, ("<s>",))
    assert (slow, slow.alone) == (fast, fast.alone)


def test_what_a_normalizer_leaves_out_is_as_if_it_were_not_there():
    """BERT drops form feeds, format characters and accents; so "a" and "b" are one word there."""
    counted = count_words("a\fb \u200bc e\u0301 \f d", CUTTERS["bert, normalized"])
    assert (counted.words, counted.alone) == (("ab", "c", "e", "d"), (1, 1, 1, 1))
    assert counted.white_space_words == 5
    # The spaces around Chinese characters are none of the text.
    counted = count_words("你好 你", CUTTERS["bert, normalized"])
    assert (counted.words, counted.alone) == (("你", "好"), (1, 0))
