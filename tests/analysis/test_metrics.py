"""The metrics of every state, worked by hand, and counted anew from the segmentations."""

import re
from collections import Counter
from dataclasses import replace
from math import fsum, isclose, log2

import numpy as np
import pytest
import tokenization_scorer
from effort import some
from helpers import ROOT, anything
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.metrics import (
    ALPHA,
    METRICS,
    entropy,
    metrics,
    metrics_of,
    renyi_efficiency,
    renyi_entropy,
    words_known,
)
from tokviz.text.pieces import pieces

COURSE = tokviz.SAMPLES["course"].corpus
RUNS = [
    ("bpe", 50, {"pretokenizer": "gpt2", "unit": "byte"}),
    ("bpe", 60, {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}),
    ("bpe", 50, {"pretokenizer": "gpt2", "special_tokens": ("<s>", "</s>")}),
    ("wordpiece", 70, {"pretokenizer": "bert", "special_tokens": ("[UNK]",)}),
    ("unigram", 60, {"pretokenizer": "gpt2"}),
    ("sentencepiece-bpe", 60, {"pretokenizer": "sentencepiece"}),
    ("sentencepiece-unigram", 60, {"pretokenizer": "sentencepiece"}),
]


def whole_words(history, t, line):
    """How many words of the line between white space are a pre-token that is one token, besides
    white space: by the offsets."""
    whole = [match.span() for match in re.finditer(r"\S+", line)]
    found = 0
    for piece in pieces(line, history.pretokenizer, history.special_tokens):
        source = line[piece.word.start : piece.word.end]
        start = piece.word.end - len(source.lstrip())
        one = (start, start + len(source.strip())) in whole and not piece.special
        found += one and len(history.segmentation(piece.word.text, t)) == 1
    return found


def recounted(history, t):
    """All metrics from the segmentations alone, written down as in a textbook."""
    words = list(zip(history.words.words, history.words.counts, strict=True))
    cut = [(history.segmentation(word, t), count) for word, count in words]
    between = len(COURSE.split())
    used = Counter()
    for tokens, count in cut:
        for token in tokens:
            used[token] += count
    n = sum(used.values())
    p = [count / n for count in used.values()]
    vocab = history.vocab(t)
    trained = [token for token in vocab if token not in history.special_tokens]
    renyi = log2(sum(x**2.5 for x in p)) / (1 - 2.5)
    return {
        "corpus_tokens": n,
        "characters_per_token": sum(len(word) * count for word, count in words) / n,
        "bytes_per_token": sum(len(word.encode()) * count for word, count in words) / n,
        "fertility": n / between,
        "whole_words": sum(whole_words(history, t, line) for line in COURSE.split("\n")) / between,
        "unused": sum(token not in used for token in trained) / len(vocab),
        "entropy": -sum(x * log2(x) for x in p),
        "renyi_efficiency": renyi / log2(len(p)),
    }


@pytest.mark.parametrize(("algorithm", "size", "more"), RUNS)
def test_every_metric_in_every_state_is_what_the_segmentations_give(algorithm, size, more):
    history = tokviz.train(COURSE, algorithm, size, **more)
    table = metrics(history)
    assert table["step"].tolist() == [*range(len(history) + 1)]
    assert table["vocab_size"].tolist() == [len(history.vocab(t)) for t in table["step"]]
    assert len(table) > 1
    for t, row in enumerate(table.to_dict("records")):
        expected = recounted(history, t)
        assert row.keys() - {"step", "vocab_size", "words", "per_word"} == expected.keys()
        assert (row["words"], row["per_word"]) == (len(COURSE.split()), "whitespace")
        for name, value in expected.items():
            assert isclose(row[name], value, rel_tol=1e-12, abs_tol=1e-12), (t, name)


@pytest.mark.parametrize(("algorithm", "size", "more"), RUNS)
def test_some_states_have_the_rows_of_all(algorithm, size, more):
    history = tokviz.train(COURSE, algorithm, size, **more)
    last = len(history)
    some = metrics(history, [last, 1, 1, last // 2])
    assert some["step"].tolist() == sorted({1, last // 2, last})
    assert some.equals(metrics(history).iloc[some["step"]].reset_index(drop=True))
    for t in range(last + 1):
        words = history.words.words
        expected = [len(history.segmentation(word, t)) for word in words]
        assert history.pieces_per_word(t).tolist() == expected
    counts = [list(c) for c in history.counts_over([0, 1, last])]
    assert counts == [list(history.token_counts(t)) for t in (0, 1, last)]


def test_a_worked_example():
    """low lower lowest after lo and low: l,o,w,e,r | low e r | ..., by hand."""
    history = tokviz.train({"low": 5, "lower": 2, "lowest": 6}, "bpe", 9)
    row = metrics(history, [2]).iloc[0]
    # low ×13, e ×8, r ×2, s ×6, t ×6 are the 35 tokens; l, o, w and lo are scaffolding.
    assert row["corpus_tokens"] == 13 + 8 + 2 + 6 + 6
    assert row["unused"] == 4 / 9
    assert row["whole_words"] == 5 / 13
    # A table has no words but its own.
    assert (row["fertility"], row["words"], row["per_word"]) == (35 / 13, 13, "pretokens")
    assert row["characters_per_token"] == row["bytes_per_token"] == (15 + 10 + 36) / 35
    p = np.array([13, 8, 2, 6, 6]) / 35
    assert isclose(row["entropy"], -(p * np.log2(p)).sum())
    assert isclose(row["renyi_efficiency"], np.log2((p**2.5).sum()) / -1.5 / np.log2(5))


@pytest.mark.parametrize(("algorithm", "size", "more"), RUNS)
@pytest.mark.checked_against("tokenization-scorer", "metrics", "entropy, renyi_efficiency")
def test_the_program_of_zouhar_et_al_gives_the_same(algorithm, size, more, capsys, checked):
    """tokenization-scorer reads a text whose tokens have spaces between them.

    It divides by log2 of how many different tokens the text has, as we do: unused tokens of the
    vocabulary do not count. Its own default is the power 3; the paper recommends 2.5.
    """
    history = tokviz.train(COURSE, algorithm, size, **more)
    table = metrics(history)
    states = {0, 1, len(history) // 2, len(history)}
    for t in states:
        ids = {token: str(i) for i, token in enumerate(history.vocab(t))}
        lines = [
            " ".join(ids[token] for token in history.segmentation(word, t))
            for word, count in zip(history.words.words, history.words.counts, strict=True)
            for _ in range(count)
        ]

        def scored(metric, lines=lines, **settings):
            return tokenization_scorer.score(lines, metric=metric, **settings)

        def close(a, b):
            return isclose(a, b, rel_tol=1e-12)

        row = table.loc[t]
        assert close(row["renyi_efficiency"], scored("renyi", power=ALPHA))
        assert close(row["entropy"], scored("shannon_entropy"))
        shares = np.unique(" ".join(lines).split(), return_counts=True)[1] / row["corpus_tokens"]
        assert close(renyi_entropy(shares), scored("renyi_entropy", power=ALPHA))
        assert close(renyi_efficiency(shares, 1), scored("shannon_efficiency"))
        # It gives lengths as negative numbers, so that more is always better.
        assert -row["corpus_tokens"] == scored("seq_len") * len(lines)
    capsys.readouterr()  # it says which vocabulary size it found
    checked(runs=len(states))


def test_entropies_of_distributions_that_are_known():
    uniform, certain = np.full(8, 1 / 8), np.array([1.0])
    assert entropy(uniform) == 3
    assert entropy(certain) == 0
    assert renyi_entropy(uniform) == 3
    assert renyi_entropy(np.array([0.5, 0.25, 0.25]), 1) == 1.5
    # Collision entropy: −log2 Σ p².
    assert isclose(renyi_entropy(np.array([0.5, 0.25, 0.25]), 2), -log2(0.375))
    assert renyi_efficiency(uniform) == 1
    assert renyi_efficiency(certain) == 0
    assert renyi_efficiency(np.array([])) == 0


@given(st.lists(st.integers(1, 1000), min_size=2, max_size=40), st.floats(1.5, 6))
def test_renyi_is_between_its_bounds(counts, alpha):
    shares = np.asarray(counts) / sum(counts)
    assert renyi_entropy(shares, alpha) <= entropy(shares) + 1e-9
    assert -1e-9 <= renyi_efficiency(shares, alpha) <= 1 + 1e-9


def test_entropies_have_the_same_last_digit_on_every_processor():
    """What Python's own functions give: NumPy's depend on how wide a processor's registers are."""
    shares = np.arange(1, 400) / np.arange(1, 400).sum()
    assert entropy(shares) == -fsum(share * log2(share) for share in shares.tolist())
    powers = fsum(share**2.5 for share in shares.tolist())
    assert renyi_entropy(shares) == log2(powers) / -1.5


@settings(max_examples=some(30))
@given(
    st.dictionaries(
        st.text("abc", min_size=1, max_size=6), st.integers(1, 5), min_size=1, max_size=6
    )
)
def test_any_corpus_has_metrics(words):
    table = metrics(tokviz.train(words, "bpe", 30))
    for metric in METRICS:
        assert table[metric.name].notna().all()
    assert table["corpus_tokens"].is_monotonic_decreasing
    assert table["whole_words"].is_monotonic_increasing


def test_an_empty_corpus_divides_by_nothing():
    row = metrics(tokviz.train("", "bpe", 1, counted=anything)).iloc[0]
    assert row.drop(["step", "vocab_size", "per_word"]).tolist() == [0] * (len(METRICS) + 1)


# --- what figures per word are of -----------------------------------------------------------------

#: A text, its words between white space, and its characters without white space.
SCRIPTS = {
    "English": ("don't stop, low lower", 4, 18),
    "Thai": ("ภาษาไทยไม่มีช่องว่าง ระหว่างคำ", 2, 29),
    "Chinese": ("中文没有空格。你好　世界", 2, 11),
}


@pytest.mark.parametrize("script", SCRIPTS)
def test_lanes_of_any_pretokenizer_have_one_denominator(script):
    """By hand: in state 0 every character is a token; gpt2 and none cut the space as well."""
    text, words, characters = SCRIPTS[script]
    spaces = sum(map(str.isspace, text))
    pretokens = set()
    for name, tokens in (
        *(("whitespace", characters), ("bert", characters)),
        *(("gpt2", characters + spaces), ("none", characters + spaces)),
    ):
        run = tokviz.train(text, "bpe", 200, name)
        row = metrics(run, [0]).iloc[0]
        assert (row["words"], row["per_word"]) == (words, "whitespace")
        assert row["fertility"] == tokens / words
        # What stands first is a character a token, in every script.
        assert row["characters_per_token"] == 1
        own = metrics(run, [0], "pretokens").iloc[0]
        assert (own["words"], own["per_word"]) == (run.words.total, "pretokens")
        assert own["fertility"] == tokens / run.words.total
        pretokens.add(run.words.total)
    assert len(pretokens) > 1


WHOLE = "low lower (low) low, don't don't"


@pytest.mark.parametrize(
    ("name", "white_space", "own"),
    [
        # low and lower.
        ("gpt2", 2, 11),
        ("bert", 2, 13),
        ("whitespace", 6, 6),
        ("metaspace", 6, 6),
        ("sentencepiece", 6, 6),
        # A pattern that leaves punctuation out makes no word of the rest.
        ("letters", 2, 8),
        # A line is no word where it has several.
        ("none", 0, 1),
    ],
)
def test_words_kept_whole_are_the_same_words_in_every_lane(name, white_space, own):
    """By hand: trained until nothing is left to merge, every pre-token is one token."""
    letters = tokviz.pretokenizers.make_pretokenizer("regex", pattern=r"\p{L}+")
    run = tokviz.train(WHOLE, "bpe", 99, letters if name == "letters" else name)
    row = metrics(run, [len(run)]).iloc[0]
    assert (row["whole_words"], row["words"]) == (white_space / 6, 6)
    row = metrics(run, [len(run)], "pretokens").iloc[0]
    assert (row["whole_words"], row["words"]) == (1, own)


def test_figures_per_word_say_what_they_are_of():
    labels = {
        "whitespace": ["Fertility (tokens per white-space word)", "White-space words kept whole"],
        "pretokens": ["Fertility (tokens per own pre-token)", "Pre-tokens kept whole"],
    }
    formulas = {
        "whitespace": ["words of the corpus between white", "÷ white-space words, the same for"],
        "pretokens": ["words of the lane’s own pre-tokenizer", "÷ pre-tokens, the lane’s own"],
    }
    for per_word in labels:
        found = metrics_of(per_word)[2:4]
        assert [metric.label for metric in found] == labels[per_word]
        for metric, formula in zip(found, formulas[per_word], strict=True):
            assert formula in metric.formula
        assert [metric.value for metric in found] == [metric.value for metric in METRICS[2:4]]
    names = [metric.name for metric in METRICS]
    assert names[:3] == ["characters_per_token", "bytes_per_token", "fertility"]
    assert [metric.name for metric in metrics_of("pretokens")] == names


@pytest.mark.parametrize("kind", ["merges", "unigram", "em"])
def test_a_file_from_before_white_space_words_were_counted_has_its_own(kind):
    (path,) = (ROOT / "tests/data").glob(f"history-v2-{kind}.npz")
    run = tokviz.load(path)
    row = metrics(run, [len(run)]).iloc[0]
    assert (row["words"], row["per_word"]) == (run.words.total, "pretokens")
    assert row["fertility"] == row["corpus_tokens"] / run.words.total
    (whole,) = run.whole_over([len(run)])
    assert row["whole_words"] == whole / run.words.total
    newer = tokviz.train("low low lower newest", "bpe", 20)
    assert words_known([newer], "whitespace") == "whitespace"
    assert words_known([newer, run], "whitespace") == "pretokens"


def test_a_file_that_knows_half_has_its_own(tmp_path):
    """Files of a few days have the number of white-space words, and not which are alone."""
    run = tokviz.train(WHOLE, "bpe", 30)
    half = replace(run.words, alone=None)
    assert (run.words.white_space_known, half.white_space_known) == (True, False)
    run = replace(run, words=half)
    run.save(tmp_path / "half.npz")
    loaded = tokviz.load(tmp_path / "half.npz")
    assert (loaded.words.white_space_words, loaded.words.alone) == (6, None)
    row = metrics(loaded, [3]).iloc[0]
    assert row.equals(metrics(loaded, [3], "pretokens").iloc[0])
    assert (row["words"], row["per_word"]) == (11, "pretokens")


def test_other_words_are_refused():
    run = tokviz.train(COURSE, "bpe", 50)
    for per_word in ("lines", None, ["whitespace"]):
        with pytest.raises(tokviz.SettingError, match="is not known; choose whitespace or pretok"):
            metrics(run, [0], per_word)


def test_a_state_that_is_not_there_says_so():
    with pytest.raises(IndexError, match="it has states 0 to"):
        metrics(tokviz.train(COURSE, "bpe", 50), [999])
