"""The pseudocode that the page shows, run line by line and compared with the engine's steps."""

import re
from collections import Counter
from fractions import Fraction
from itertools import pairwise
from math import log
from operator import add

import oracles
import pytest
from helpers import anything
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.text.symbols import Symbol
from tokviz.trainers.pseudocode import FUNCTIONS, called, pseudocode

COURSE = tokviz.SAMPLES["course"].corpus
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
#: GPT-2's characters for bytes.
PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
REST = [byte for byte in range(256) if byte not in PLAIN]
BYTES = {chr(b): b for b in PLAIN} | {chr(256 + i): b for i, b in enumerate(REST)}
WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=8
)
#: Steps to be compared on a text that takes long to count anew at every step.
MOST = 12


def source(name, keep):
    """The lines as Python that keeps what a round found, as `keep` says it at the next pair."""
    lines = [line.code for line in pseudocode(name)]
    marked = next(i for i, line in enumerate(pseudocode(name)) if line.moment == "next")
    indent = lines[marked][: len(lines[marked]) - len(lines[marked].lstrip())]
    return "\n".join([*lines[: marked + 1], f"{indent}{keep}", *lines[marked + 1 :]])


def word_counts(history):
    return [*zip(history.words.words, history.words.counts, strict=True)]


def words_of(history):
    return [(history.segmentation(w, 0), n) for w, n in word_counts(history)]


def choose_by(history):
    """What takes one of tied pairs, as the oracle does."""
    ids = {token: i for i, token in enumerate(history.vocab(0))}
    bytewise = getattr(history.trainer, "unit", "char") == "byte"

    def as_text(token):
        return bytes(BYTES[char] for char in token) if bytewise else token

    def choose(tie_break, ties):
        if tie_break == "first-seen":
            return ties[0]
        if tie_break == "largest-pair":
            return max(ties, key=lambda pair: tuple(map(as_text, pair)))
        if tie_break == "smallest-ids":
            return min(ties, key=lambda pair: [ids[token] for token in pair])
        texts = {pair: as_text(pair[0]) + as_text(pair[1]) for pair in ties}
        return min(ties, key=lambda pair: (len(texts[pair]), texts[pair]))

    return choose, ids


def may_be_piece(history, token):
    known = {*"".join(history.vocab(0)[len(history.special_tokens) :])}
    return known.issuperset(token) and history.trainer.piece_rules.valid(token)


def run_merges(history):
    """The pairs that the pseudocode merges, each with the best value and how many pairs tie."""
    trainer, found = history.trainer, []
    glued = bool(getattr(trainer, "continuing_subword_prefix", "")) or trainer.name == "wordpiece"
    join = oracles.join_wordpiece if glued else add
    choose, ids = choose_by(history)

    def joined(pair):
        token = join(*pair)
        ids.setdefault(token, len(ids))
        return token

    def count(pairs_of):
        def counted(words):
            counts = Counter()
            for symbols, n in words:
                for what in pairs_of(symbols):
                    counts[what] += Fraction(n)
            return counts

        return counted

    names = {
        "corpus": history,
        "split": words_of,
        "special_tokens": history.special_tokens,
        "alphabet": lambda _words: set(history.vocab(0)) - set(history.special_tokens),
        "vocab_size": trainer.vocab_size,
        "min_frequency": max(1, getattr(trainer, "min_frequency", 1)),
        "tie_break": trainer.tie_break,
        "count_pairs": count(pairwise),
        "count_tokens": count(lambda symbols: symbols),
        "choose": choose,
        "is_piece": lambda token: may_be_piece(history, token),
        "merge": lambda pair, words: [
            (oracles.merge_pair(symbols, pair, join(*pair)), n) for symbols, n in words
        ],
        "join": joined,
        "found": found,
    }
    exec(source(trainer.pseudocode, "found.append((pair, best, len(ties)))"), names)
    return found, names["words"], names["vocabulary"]


MERGED = {
    **{
        name: (sample.corpus, dict(sample.settings))
        for name, sample in tokviz.SAMPLES.items()
        if sample.settings["algorithm"] == "bpe"
    },
    "wordpiece": (COURSE, {"algorithm": "wordpiece", "vocab_size": 70}),
    "wordpiece by frequency": (
        COURSE,
        {"algorithm": "wordpiece", "score": "frequency", "vocab_size": 80},
    ),
    "to the end": (HUG, {"algorithm": "wordpiece", "vocab_size": 99}),
    "seldom": (COURSE, {"algorithm": "bpe", "vocab_size": 90, "min_frequency": 3}),
    "special": (COURSE, {"algorithm": "bpe", "vocab_size": 60, "special_tokens": ("<s>",)}),
    "prefix": (
        HUG,
        {"algorithm": "bpe", "vocab_size": 20, "continuing_subword_prefix": "##"},
    ),
    "sentencepiece": (COURSE, {"algorithm": "sentencepiece-bpe", "vocab_size": 70}),
    "scripts": (
        tokviz.SAMPLES["udhr-ja"].corpus + tokviz.SAMPLES["udhr-en"].corpus + " a1 a1 a1",
        {"algorithm": "sentencepiece-bpe"},
    ),
    **{
        rule: (COURSE, {"algorithm": "bpe", "vocab_size": 50, "tie_break": rule})
        for rule in ("first-seen", "largest-pair", "smallest-ids", "shortest")
    },
}


@pytest.mark.parametrize("name", MERGED)
def test_pairs_are_merged_as_the_lines_say(name):
    corpus, settings = MERGED[name]
    if len(str(corpus)) > 2000:
        start = tokviz.train(corpus, **{**settings, "vocab_size": 300}).vocab_size(0)
        settings = {**settings, "vocab_size": start + MOST}
    history = tokviz.train(corpus, **settings)
    found, words, vocabulary = run_merges(history)
    # Scores are compared exactly by both; a step has its score as the nearest float.
    assert [(pair, float(best), tied) for pair, best, tied in found] == [
        ((s.left, s.right), s.score or s.count, s.tied) for s in history.steps
    ]
    last = len(history)
    assert [symbols for symbols, _n in words] == [
        history.segmentation(w, last) for w in history.words.words
    ]
    assert vocabulary == set(history.vocab(last))


@given(WORDS, st.sampled_from(["bpe", "wordpiece", "sentencepiece-bpe"]), st.integers(12, 30))
def test_any_words_are_merged_as_the_lines_say(words, algorithm, size):
    history = tokviz.train(words, algorithm, size, counted=anything)
    found, _words, vocabulary = run_merges(history)
    assert [(pair, float(best), tied) for pair, best, tied in found] == [
        ((s.left, s.right), s.score or s.count, s.tied) for s in history.steps
    ]
    assert vocabulary == set(history.vocab(len(history)))


PRUNED = {
    "hug": (HUG, {"vocab_size": 13, "pretokenizer": "whitespace", "whole_words": False}),
    "course": (COURSE, {"vocab_size": 45, "pretokenizer": "gpt2"}),
    "overshooting": (COURSE, {"vocab_size": 100, "trim_last": False}),
    "special": (HUG, {"vocab_size": 12, "special_tokens": ("<s>", "<unk>")}),
    "fast": (COURSE, {"vocab_size": 60, "prune_fraction": 0.5, "seed_size": 120}),
}


@pytest.mark.parametrize("name", PRUNED)
def test_tokens_are_pruned_as_the_lines_say(name):
    corpus, settings = PRUNED[name]
    history = tokviz.train(corpus, "unigram", **settings)
    trainer, found = history.trainer, []
    names = {
        "corpus": history,
        "split": lambda history: word_counts(history),
        "special_tokens": history.special_tokens,
        "vocab_size": trainer.vocab_size,
        "seed_size": trainer.seed_size,
        "prune_fraction": trainer.prune_fraction,
        "trim_last": trainer.trim_last,
        "seeds": lambda words, n: oracles.unigram_seeds(words, n, trainer.whole_words),
        "log": log,
        # The published loop starts at 1, which decides how sums are rounded.
        "loss_of": lambda words, log_prob: oracles.unigram_loss(
            words, {token: -value for token, value in log_prob.items()}, 1
        ),
        "without": lambda token, log_prob: {t: p for t, p in log_prob.items() if t != token},
        "found": found,
    }
    exec(source("unigram", "found.append((cheapest, loss))"), names)
    total = history.words.total
    shown = [[history.spelling.show(Symbol(t)) for t in gone] for gone, _l in found]
    assert [gone for gone in shown if gone] == [[*step.removed] for step in history.steps]
    losses = [loss - total for (gone, loss) in found if gone]
    assert losses == pytest.approx([*history.curve()["loss"]][: len(history)])


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
def test_lines_are_few_and_say_what_they_call(algorithm):
    lines = pseudocode(tokviz.train(COURSE, algorithm, 60).trainer.pseudocode)
    assert bool(lines) == (algorithm != "sentencepiece-unigram")
    if not lines:
        return
    assert len(lines) <= 15
    assert [*dict.fromkeys(line.moment for line in lines if line.moment)] == [
        *("start", "end", "next", "done")
    ]
    assert all(len(line.code) <= 92 for line in lines)
    built_in = {"set", "len", "max", "sum", "log", "int", "min", "sorted", "values"}
    names = {found for line in lines for found in re.findall(r"(\w+)\(", line.code)}
    assert names - built_in == {*called(lines)} <= {*FUNCTIONS}
