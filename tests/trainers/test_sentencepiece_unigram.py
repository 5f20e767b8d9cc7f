"""Training and encoding agree with google/sentencepiece 0.2.1, step by step."""

import json
import math
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np
import pytest
import sentencepiece
from effort import LONG, each, some
from helpers import book
from sentencepiece_models import pieces_of, trained_processor

import tokviz
from tokviz.encoding.lattice import Lattices
from tokviz.formats.readers.sentencepiece_model import read_model
from tokviz.trainers.pruning.em_lattice import WordLattices
from tokviz.trainers.pruning.em_model import digamma

TRAIN = """
import json, sys, sentencepiece
sentencepiece.SentencePieceTrainer.train(**json.loads(sys.argv[1]))
"""


@cache
def library(text, vocab_size, **options):
    """What the library logs after each EM iteration, (size, objective), and its model."""
    with tempfile.TemporaryDirectory() as folder:
        path, prefix = Path(folder, "text.txt"), Path(folder, "model")
        path.write_text(text, "utf-8", newline="\n")
        settings = {
            "input": str(path),
            "model_prefix": str(prefix),
            "vocab_size": vocab_size,
            "num_threads": 1,
            "hard_vocab_limit": False,
            "minloglevel": 0,
            **options,
        }
        # The log goes to the file descriptor of a process of its own.
        log = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", TRAIN, json.dumps(settings)],
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        model = prefix.with_suffix(".model").read_bytes()
    iterations = [
        (int(size), float(objective))
        for size, objective in re.findall(r"EM sub_iter=\d+ size=(\d+) obj=(\S+)", log)
    ]
    return iterations, model


def processor_of(model):
    """The library's encoder, of the bytes of its model."""
    return sentencepiece.SentencePieceProcessor(model_proto=model)


@cache
def trained(text, vocab_size, **options):
    """Our history of a text."""
    return tokviz.train(text, "sentencepiece-unigram", vocab_size, **options)


@cache
def made_up():
    """A text of words made of syllables, with frequencies as Zipf's law has them, digits, other
    scripts and punctuation."""
    draw = random.Random(7)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "ou", "an")]
    syllables += ["が", "京", "ты", "на", "é", "ß"]
    words = ["".join(draw.choices(syllables, k=draw.randint(1, 5))) for _ in range(2500)]
    words += [str(draw.randrange(3000)) for _ in range(100)]
    weights = [*accumulate(1 / (rank + 3) for rank in range(len(words)))]
    lines = []
    for _ in range(2000):
        line = draw.choices(words, cum_weights=weights, k=draw.randint(1, 14))
        line[0] = line[0].capitalize()
        lines.append(" ".join(line) + draw.choice([".", "!", "", "…", " ①"]))
    return "\n".join(lines)


def assert_agrees(history, iterations, processor):
    """The sizes after every EM step are those of the library, and all pieces, in their order, with
    all bits of their scores."""
    em = [step for step in history.steps if step.action == "em"]
    special = len(history.special_tokens)
    assert [step.size_after - special for step in em] == [size for size, _ in iterations]
    for step, (_, objective) in zip(em, iterations, strict=True):
        assert step.loss_before == pytest.approx(objective, rel=3e-5)
    theirs = dict(pieces_of(processor))
    last = len(history)
    log_probs = dict(zip(history.ids(last).tolist(), history.log_probs(last).tolist(), strict=True))
    ours = {piece: log_probs.get(i, 0.0) for i, piece in enumerate(history.vocab(last))}
    assert list(ours.items()) == list(theirs.items())


def trained_alike(text, vocab_size, **options):
    """The history of a training that agrees with the library's of the same text and settings."""
    theirs = {k: ",".join(v) if isinstance(v, tuple) else v for k, v in options.items()}
    iterations, model = library(text, vocab_size, **theirs)
    history = trained(text, vocab_size, **options)
    assert_agrees(history, iterations, processor_of(model))
    return history


@pytest.mark.parametrize("vocab_size", each([1000, 500, 4000], 3))
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_the_book(vocab_size, checked):
    history = trained_alike(book()[: None if LONG else 150_000], vocab_size)
    assert history.stopped == f"The vocabulary has the {vocab_size:,} tokens asked for."
    checked()


@pytest.mark.parametrize("vocab_size", each([300, 500, 4000, 1000], 2))
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_a_made_up_text(vocab_size, checked):
    """Nearly a third of its words occur once, so that many pieces tie but for roundings."""
    trained_alike(made_up(), vocab_size)
    checked()


@pytest.mark.parametrize(
    "options",
    [
        {"split_by_unicode_script": False, "split_by_number": False},
        {"split_digits": True, "byte_fallback": True},
        {"character_coverage": 0.98, "shrinking_factor": 0.9, "num_sub_iterations": 3},
        {"max_sentencepiece_length": 4, "seed_sentencepiece_size": 1500},
        {"normalization_rule_name": "nfkc_cf", "add_dummy_prefix": False},
        {"user_defined_symbols": ("ba", "2"), "pad_id": 3, "bos_id": -1},
        {"remove_extra_whitespaces": False},
    ],
    ids=str,
)
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_settings(options, checked):
    trained_alike(made_up(), 700, **options)
    checked()


@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_whole_lines(checked):
    """The library goes through the lines as they stand, a line that repeats each time anew."""
    lines = made_up().split("\n")[: None if LONG else 400]
    text = "\n".join([*lines, *random.Random(1).choices(lines, k=300)])
    trained_alike(text, 700, split_by_whitespace=False)
    checked()


def test_whole_lines_of_a_table():
    """Nobody knows how its lines stood: the same pieces but for the last digits of scores."""
    options = {"split_by_whitespace": False}
    text = "\n".join(made_up().split("\n")[: 500 if LONG else 250])
    history = trained(text, 500, **options)
    table = dict(zip(history.words.words, history.words.counts, strict=True))
    other = tokviz.train(table, "sentencepiece-unigram", 500, **options)
    last = len(history)
    assert {*other.vocab(last)} == {*history.vocab(last)}
    one, two = (
        {h.vocab(last)[i]: p for i, p in zip(h.ids(last), h.log_probs(last), strict=True)}
        for h in (history, other)
    )
    assert one == pytest.approx(two, abs=1e-3)


@pytest.mark.parametrize("seed", range(some(60)))
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_random_texts_of_whole_lines(seed, checked):
    """Lines that repeat, and empty ones, in whose place the library puts the last line."""
    draw = random.Random(seed)
    letters = draw.choice(["ab ", "aabbc  ", "abcde   ", "ab1 。  ", "abé ñ" + "ab " * 20])
    most, n = draw.choice([8, 20, 40]), draw.choice([3, 10, 30, 60])
    lines = ["".join(draw.choices(letters, k=draw.randrange(most))) for _ in range(n)]
    lines += draw.choices([*lines, " ", "  ", "▅", "<s>"], k=draw.choice([0, n]))
    lines = draw.sample([*lines, "a"], len(lines) + 1)
    options = {"split_by_whitespace": False, "vocab_size": draw.randint(14, 60)}
    for name, values in (
        ("add_dummy_prefix", (True, False)),
        ("remove_extra_whitespaces", (True, False)),
        ("character_coverage", (0.98, 1.0)),
        ("max_sentencepiece_length", (2, 5, 8)),
        ("user_defined_symbols", (("a b",), ("b▁", "a1"))),
    ):
        if draw.random() < 0.4:
            options[name] = draw.choice(values)
    processor = trained_processor(lines, hard_vocab_limit=False, **options)
    history = tokviz.train("\n".join(lines), "sentencepiece-unigram", **options)
    last = len(history)
    scores = dict(zip(history.ids(last).tolist(), history.log_probs(last).tolist(), strict=True))
    ours = [(piece, scores.get(i, 0.0)) for i, piece in enumerate(history.vocab(last))]
    assert ours == pieces_of(processor)
    checked()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_random_texts(seed, checked):
    """Few letters and few words, so that nearly everything ties."""
    draw = random.Random(seed)
    words = ["".join(draw.choices("abcde", k=draw.randint(1, 7))) for _ in range(60)]
    lines = (" ".join(draw.choices(words, k=8)) for _ in range(80))
    text = "\n".join(lines)
    trained_alike(text, 40, shrinking_factor=draw.choice([0.75, 0.9]))
    checked()


@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_a_small_vocabulary_loses_characters_and_takes_them_back(checked):
    text = "\n".join(["the quick brown fox", "jumps over the lazy dog"] * 30)
    trained_alike(text, 60)
    checked()


@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
def test_thousands_of_characters_are_lost_and_come_back(checked):
    """Each is a little more probable than the one before it, by a sum that rounds at every step."""
    draw = random.Random(3)
    characters = [chr(0x4E00 + i) for i in range(3000)]
    draw.shuffle(characters)
    words = ["".join(characters[i : i + 2]) for i in range(0, 3000, 2)]
    text = "\n".join("".join(draw.choices(words, k=6)) for _ in range(2500))
    history = trained_alike(text, 4000, character_coverage=1.0)
    last = len(history)
    assert len({*history.alive(last)} - {*history.alive(last - 1)}) > 2900
    checked()


# ---- encoding with the library's models ----


def both(vocab_size, **options):
    """The encoders of the library and of ours, by one model that the library made."""
    _, model = library(made_up(), vocab_size, **options)
    return processor_of(model), read_model(model).tokenizer()


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.checked_against("sentencepiece", "encoder", ".model")
def test_encodings(byte_fallback, checked):
    options = {"byte_fallback": True} if byte_fallback else {}
    (processor, tokenizer), draw = both(600, **options), random.Random(0)
    for line in draw.sample(made_up().split("\n"), 1000):
        line += draw.choice(["", " ñx", " \u0301", " €€ ", "漢字", "<s>"])
        assert tokenizer.encode(line).ids == processor.encode(line)
    checked(texts=1000)


def test_a_model_of_our_own_encodes_like_the_librarys():
    """The same lines by the models that either trained: the same pieces but for the few that only
    one of them has."""
    processor, _ = both(500)
    tokenizer = trained(made_up(), 500).tokenizer()
    lines = made_up().split("\n")[:500]
    # In any order: the library sums up whole lines, so ties of `. ..` and `.. .` fall otherwise.
    same = sum(
        sorted(tokenizer.encode(line).tokens) == sorted(processor.encode(line, out_type=str))
        for line in lines
    )
    assert same > 475


def test_n_best():
    """The same scores; and the same segmentations wherever no two have the same score."""
    processor, tokenizer = both(600)
    for line in made_up().split("\n")[:200]:
        theirs = processor.nbest_encode_as_immutable_proto(line, nbest_size=5)
        ours = tokenizer.nbest(line, 5)
        assert [score for _, score in ours] == pytest.approx(
            [best.score for best in theirs.nbests], rel=1e-5
        )
        scores = [round(score, 3) for _, score in tokenizer.nbest(line, 6)]
        if len(set(scores)) == len(scores):
            found = [[piece.id for piece in best.pieces] for best in theirs.nbests]
            assert [encoding.ids for encoding, _ in ours] == found


def test_sampling():
    """Draws of a word come as near to the model's distribution, in total variation, as so many can:
    20,000 within 0.01."""
    draws = some(20_000)
    _, tokenizer = both(300)
    word = max(made_up().split()[:400], key=lambda word: (len(word) == 5, word))
    for alpha in (0.2, 1.0):
        nbest = tokenizer.nbest(word, 200)
        weights = {tuple(e.tokens): math.exp(alpha * score) for e, score in nbest}
        total = sum(weights.values())
        drawn = Counter(tuple(tokenizer.sample(word, alpha, seed).tokens) for seed in range(draws))
        assert drawn.keys() <= weights.keys()
        # What is drawn too rarely to be compared counts together.
        frequent = [path for path, weight in weights.items() if weight > 0.02 * total]
        apart = [abs(drawn[path] / draws - weights[path] / total) for path in frequent]
        assert sum(apart) / 2 < 0.01 * (20_000 / draws) ** 0.5


# ---- what the library does not tell ----


def test_toy_corpora_keep_their_show():
    history = tokviz.train(
        tokviz.SAMPLES["course"].corpus,
        "sentencepiece-unigram",
        33,
        min_expected_count=0,
        shrinking_factor=0.95,
    )
    assert [step.action for step in history.steps].count("prune") >= 5
    assert history.steps[-1].action == "finalize"


def test_candidates_tell_what_each_step_does():
    history = trained(made_up(), 400, exact_deltas=True)
    assert {step.action for step in history.steps} == {"em", "prune", "finalize"}
    for t, step in enumerate(history.steps):
        table = history.candidates(t)
        gone = table[table.chosen]
        assert tuple(gone.token) == step.removed
        assert step.size_before - step.size_after == len(gone) - len(getattr(step, "added", ()))
        assert set(gone.reason) <= {"rare", "unused", "split", "loss", "size"}
        if step.action == "em":
            assert (gone["count"] < 0.5).all()
            assert (table[~table.chosen]["count"] >= 0.5).all()
        if step.action == "prune":
            assert (gone.reason == "unused").sum() == step.unused
            assert (gone.reason == "split").sum() == step.split
            by_loss = gone[gone.reason == "loss"]
            assert by_loss.loss_delta.is_monotonic_increasing
            assert by_loss.loss_delta.max() <= table[~table.chosen].loss_delta.min()
            assert 0.5 < history.rank_correlation(t) < 1
        else:
            assert math.isnan(history.rank_correlation(t))
    column = history.candidates(len(history)).columns
    assert {"token", "count", "log_prob", "loss_delta", "exact_delta", "alternative"} <= set(column)


def test_exact_deltas_are_those_of_training_without_the_piece():
    """Viterbi of every word without the piece, less Viterbi with it."""
    history = tokviz.train(
        tokviz.SAMPLES["course"].corpus,
        "sentencepiece-unigram",
        36,
        min_expected_count=0.2,
        exact_deltas=True,
    )
    t = [step.action for step in history.steps].index("prune")
    tokens = [history.record.tokens[i] for i in history.alive(t)]
    cost = dict(zip(tokens, (-history.log_probs(t)).tolist(), strict=True))
    unknown = float(np.float32(max(cost.values())) + np.float32(10))

    def loss(without):
        left = {token: c for token, c in cost.items() if token != without}
        left |= {char: unknown for word in history.words.words for char in word if char not in left}
        numbers = {token: i for i, token in enumerate(left)}
        lattices = Lattices.of(history.words.words, numbers)
        best = lattices.least_costs(np.fromiter(left.values(), float))
        return float(best @ np.asarray(history.words.counts, float))

    whole = loss(None)
    for token, exact in zip(tokens, history.exact_deltas(t).tolist(), strict=True):
        if len(token) > 1:
            assert exact == pytest.approx(loss(token) - whole, abs=1e-6)
        else:
            assert math.isnan(exact)


def test_an_exact_rank_is_the_row_that_the_exact_delta_would_give():
    history = trained(made_up(), 400, exact_deltas=True)
    for t, step in enumerate(history.steps):
        table = history.candidates(t)
        assert history.candidates(t, 9).equals(table.head(9))
        both = table.loss_delta.notna() & table.exact_delta.notna()
        assert both.any() == (step.action == "prune")
        assert table.exact_rank.notna().equals(both)
        rows = both.to_numpy().nonzero()[0] + 1
        moved = table[both].sort_values("exact_delta", kind="stable")
        assert moved.exact_rank.tolist() == rows.tolist()
    plain = trained(made_up(), 400)
    assert not {"exact_delta", "exact_rank"} & set(plain.candidates(2).columns)


def test_digamma():
    found = digamma(np.array([0.5, 100.0]))
    assert found.tolist() == pytest.approx([-1.9635100260214235, 4.600161852738087])


def populate_marginal(length, edges, log_prob, lost):
    """PopulateMarginal of unigram_model.cc for one word, line by line. Edges are (start, length,
    token), and of one start by length."""
    single = np.float32

    def log_sum_exp(x, y, first):
        if first:
            return y
        low, high = min(x, y), max(x, y)
        if high > low + single(50):
            return high
        return single(float(high) + math.log(math.exp(float(low - high)) + 1.0))

    # Nodes of unknown characters are inserted after the others.
    begin = [[e for e in edges if e[0] == at] for at in range(length + 1)]
    begin = [[e for e in b if e[2] not in lost] + [e for e in b if e[2] in lost] for b in begin]
    end = [[e for b in begin for e in b if e[0] + e[1] == at] for at in range(length + 1)]
    alpha, beta = [single(0)] * (length + 1), [single(0)] * (length + 1)
    for at in range(length + 1):
        for e in end[at]:
            more = log_prob[e[2]] + alpha[e[0]]
            alpha[at] = log_sum_exp(alpha[at], more, e is end[at][0])
    for at in reversed(range(length + 1)):
        for e in begin[at]:
            more = log_prob[e[2]] + beta[at + e[1]]
            beta[at] = log_sum_exp(beta[at], more, e is begin[at][0])
    posterior = {
        e: math.exp(float(alpha[e[0]] + log_prob[e[2]] + beta[e[0] + e[1]] - alpha[length]))
        for e in edges
    }
    return alpha[length], posterior


@pytest.mark.parametrize("length", [1, 2, 7, 30, 400])
def test_every_sum_is_rounded_as_in_the_library(length):
    draw = random.Random(length)
    edges = [
        (start, n, draw.randrange(3) if n == 1 else draw.randrange(3, 9))  # three characters
        for start in range(length)
        for n in range(1, 1 + min(5, length - start))
        if n == 1 or draw.random() < 0.6
    ]
    log_prob = np.log(np.array([draw.random() for _ in range(9)])).astype(np.float32)
    start, n, token = np.array(edges).T
    lattices = WordLattices(np.array([length]), np.zeros_like(start), start, n, token)
    for lost in (set(), {1}, {0, 2}):
        lattices.keep(np.ones(9, bool), np.array(sorted(lost), int))
        logs, posteriors = lattices.expect(log_prob, lambda: None)
        columns = np.stack([lattices.start, lattices.length, lattices.token], axis=1)
        ours = zip(map(tuple, columns.tolist()), posteriors.tolist(), strict=True)
        total, theirs = populate_marginal(length, edges, log_prob, lost)
        assert logs[0] == total
        assert dict(ours) == pytest.approx(theirs, rel=1e-14)
