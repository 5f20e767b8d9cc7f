"""Normalization, piece rules and coverage agree with google/sentencepiece 0.2.1."""

import random
import sys
from pathlib import Path

import pytest
from effort import LONG, some
from sentencepiece import SentencePieceNormalizer
from sentencepiece_models import pieces_of, trained_processor

from tokviz.pretokenizers import SentencePiecePretokenizer, make_pretokenizer, pieces
from tokviz.pretokenizers.normalizer import RULE_NAMES, Normalizer, rules
from tokviz.pretokenizers.pieces import PieceRules, required_characters, script_of
from tokviz.text.corpus import count_words

SWITCHES = [(True, True), (False, True), (True, False), (False, False)]


def library(rule_name, add_dummy_prefix, remove_extra_whitespaces):
    return SentencePieceNormalizer(
        rule_name=rule_name,
        escape_whitespaces=True,
        add_dummy_prefix=add_dummy_prefix,
        remove_extra_whitespaces=remove_extra_whitespaces,
    )


def code_points():
    return (chr(c) for c in range(1, sys.maxunicode + 1) if not 0xD800 <= c < 0xE000)


@pytest.mark.parametrize("rule_name", RULE_NAMES)
def test_every_code_point(rule_name):
    """Between two letters, so that no white space is taken off the ends."""
    chars = [char for char in code_points() if char != "\n"]
    if rule_name != "nmt_nfkc" or not LONG:
        # What a rule changes, and some of the rest.
        chars = sorted(rules(rule_name).keys() & set(chars)) + chars[:: 20 if LONG else 60]
    lines = [f"x{char}x" for char in chars]
    theirs = library(rule_name, False, False).Normalize(lines)
    assert Normalizer(rule_name, False, False).normalize_lines(lines) == theirs


def random_lines(rule_name, seed):
    draw = random.Random(seed)
    sources = sorted(rules(rule_name)) or ["a"]
    # What composes, what is deleted, what is white space, what becomes some.
    hard = [" ", "  ", "▁", "a", "\u0301", "\u0323", "\u1161", "\u11a8", "\x01", "é", "\t", "¨"]
    for _ in range(some(1500)):
        yield "".join(
            draw.choice([draw.choice(sources), draw.choice(hard), chr(draw.randrange(1, 0xD800))])
            for _ in range(draw.randrange(10))
        )


@pytest.mark.parametrize("rule_name", RULE_NAMES)
@pytest.mark.parametrize("switches", SWITCHES)
def test_random_lines_with_offsets(rule_name, switches):
    theirs, ours = library(rule_name, *switches), Normalizer(rule_name, *switches)
    for line in random_lines(rule_name, seed=str(switches)):
        normalized, offsets = theirs.Normalize(line, with_offsets=True)
        assert ours.normalize(line) == normalized
        again, spans = ours.aligned(line)
        assert again == normalized
        assert [start for start, _ in spans] == offsets[: len(normalized)]
        assert all(0 <= start <= end <= len(line) for start, end in spans)


def test_scripts_at_the_ends_of_all_ranges():
    table = {}
    for line in Path(pieces.__file__).with_name("scripts.txt").read_text("utf-8").splitlines():
        script, *items = line.split(" ")
        for item in items:
            first, last = (int(code, 16) for code in (item.split("-") * 2)[:2])
            table |= dict.fromkeys(range(first, last + 1), script)
    ends = {code + k for code in table for k in (-1, 1) if code + k not in table} | table.keys()
    ends = {code for code in ends if table.get(code - 1) != table.get(code) or code - 1 not in ends}
    assert len(ends) > 1000
    for code in ends - {-1, 0x30FC, 0x110000}:
        script = table.get(code, "Common")
        assert script_of(chr(code)) == ("Han" if script in ("Hiragana", "Katakana") else script)
    assert script_of("\u30fc") == "Han"


@pytest.mark.parametrize("switches", SWITCHES, ids=str)
def test_lines_are_normalized_together_as_each_alone(switches):
    ours = Normalizer("nmt_nfkc", *switches)
    lines = list(random_lines("nmt_nfkc", seed=2))
    # The signs that would go between them; the letter that a rule composes with the next one.
    lines += ["\ue000", "a\ue001", "", "\u0301", "e", "\u0301 ", "  ", "\U000f0000x"]
    assert ours.normalize_lines(lines) == [ours.normalize(line) for line in lines]
    assert ours.normalize_lines([]) == []


def test_what_is_kept_is_not_normalized():
    assert Normalizer(kept=("①",)).normalize("①②") == "▁①2"


def test_the_pretokenizer_cuts_where_training_does():
    pretokenizer = SentencePiecePretokenizer()
    for line in random_lines("nmt_nfkc", seed=1):
        words = list(pretokenizer.words(line))
        assert [word.text for word in words] == next(pretokenizer.training_words([line]))
        for word in words:
            assert len(word.spans) == len(word.text)
            assert 0 <= word.start <= word.end <= len(line)


@pytest.mark.parametrize("line", ["a" * 4193, "é" * 2097, "a▅b", "", " \t "])
def test_lines_that_nothing_is_learned_from(line):
    assert list(SentencePiecePretokenizer().training_words([line, "a"])) == [[], [" a"]]


def test_lines_are_counted_with_their_ends():
    words = count_words("a b\nb <s>a\n\nb", make_pretokenizer("sentencepiece"), ("<s>",))
    assert words.words == (" a", " b", " \ta")
    assert words.counts == (1, 3, 1)
    assert words.line_ends == (0, 2, 1)


def merged_pairs(pairs):
    """Which of the pairs the library merges when each is a line of its own."""
    processor = trained_processor(
        [pair for pair in pairs for _ in range(2)],
        model_type="bpe",
        vocab_size=400_000,
        hard_vocab_limit=False,
        character_coverage=1.0,
        normalization_rule_name="identity",
        add_dummy_prefix=False,
    )
    vocabulary = {piece for piece, _score in pieces_of(processor)}
    return {pair for pair in pairs if pair in vocabulary}


def test_the_script_of_every_character():
    """One character of every script before each other character: only those of one script merge,
    and those that inherit theirs."""
    first_of = {}
    for char in code_points():
        first_of.setdefault(script_of(char), char)
    # The white space and the reserved characters are never in a pair.
    chars = [char for char in code_points() if char not in "\t\n\r \x00▁▅" and char != "\x85"]
    draw = random.Random(0)
    pairs = []
    for char in draw.sample(chars, some(10_000)):
        same = first_of[script_of(char)]
        other = first_of[draw.choice(sorted(first_of))]
        pairs += [same + char, other + char]
    pairs = sorted({pair for pair in pairs if not set(pair) & set("\t\n\r \x00▁▅")})
    valid = PieceRules().valid
    assert merged_pairs(pairs) == {pair for pair in pairs if valid(pair)}


def test_coverage():
    """The library logs its alphabet; here it is what is left when every piece is required."""
    words = ["▁aaaa", "▁bb", "▁c", "▁d"]
    assert required_characters(words, [500, 100, 1, 1], 1.0) == {
        "a": 2000, "▁": 602, "b": 200, "c": 1, "d": 1,
    }  # fmt: skip
    assert list(required_characters(words, [500, 100, 1, 1], 0.9995)) == ["a", "▁", "b", "c"]
    assert list(required_characters(["\0\ud800\udfff\t▁"], [1], 1.0)) == ["▁"]


@pytest.mark.parametrize("split", [True, False])
def test_a_line_of_nothing_has_no_words(split):
    pretokenizer = SentencePiecePretokenizer(split_by_whitespace=split)
    for line in ("", " ", "\u200b"):
        assert list(pretokenizer.words(line)) == []
