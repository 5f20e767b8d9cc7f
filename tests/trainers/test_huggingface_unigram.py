"""Hugging Face's Unigram against its library, whose scores differ in their last digits from run to
run."""

import json
import math
import random
from functools import cache

import numpy as np
import pytest
from effort import LONG
from helpers import book_bytes
from tokenizers import Tokenizer, models, pre_tokenizers
from tokenizers.trainers import UnigramTrainer

import tokviz
from tokviz.encoding.lattice import Lattices
from tokviz.narration import announce
from tokviz.text.samples import SAMPLES

ALGORITHM = "huggingface-unigram"


def library(text, vocab_size, special=("<unk>",), **settings):
    """What the library's vocabulary is: tokens with their scores."""
    tokenizer = Tokenizer(models.Unigram())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()]
    )
    trainer = UnigramTrainer(
        vocab_size=vocab_size,
        special_tokens=[*special],
        unk_token="<unk>",
        show_progress=False,
        **settings,
    )
    tokenizer.train_from_iterator(text.splitlines(), trainer)
    return [tuple(row) for row in json.loads(tokenizer.to_str())["model"]["vocab"]]


def same(history, wanted):
    """Whether the last state is the library's: the tokens, their scores but for the last digits,
    and their order but for equals. Characters that the model lost get, in the library, the scores
    that are left for them in the order of a hash table."""
    n = len(history)
    special = len(history.special_tokens)
    scores = [0.0] * special + history.log_probs(n).tolist()
    tokens = history.vocab(n)
    known = {history.strings[i] for i in history.alive(n - 1).tolist()}
    assert sorted(tokens) == sorted(token for token, _ in wanted)
    assert all(
        math.isclose(ours, theirs, rel_tol=1e-10)
        for ours, (_, theirs) in zip(scores, wanted, strict=True)
    )
    by_token = dict(wanted)
    assert all(
        math.isclose(score, by_token[token], rel_tol=1e-10)
        for token, score in zip(tokens, scores, strict=True)
        if token in known
    )


@cache
def text(name):
    """A text: a part of a novel, another part, a story, or all languages."""
    if name == "alice":
        return SAMPLES["alice"].corpus
    if name == "languages":
        return "\n".join(sample.corpus for key, sample in SAMPLES.items() if key.startswith("udhr"))
    whole = book_bytes().decode().replace("\r", "")
    length = 200_000 if LONG else 50_000
    return whole[:length] if name == "beginning" else whole[-length:]


#: Texts with a size each, and with the other one in the long run.
TEXTS = [("beginning", 700), ("end", 2000), ("alice", 700), ("languages", 2000)]
TEXTS += [(name, 2700 - size) for name, size in TEXTS] * LONG


@pytest.mark.checked_against("tokenizers", "trainer", "huggingface-unigram")
@pytest.mark.parametrize(("name", "size"), TEXTS)
def test_texts(name, size, checked):
    corpus = text(name)
    same(tokviz.train(corpus, ALGORITHM, size), library(corpus, size))
    checked()


def corpora(seed, n):
    draw = random.Random(seed)
    for _ in range(n):
        letters = "abcdefghij"[: draw.randint(2, 10)]
        words = [
            "".join(draw.choice(letters) for _ in range(draw.randint(1, 7)))
            for _ in range(draw.randint(2, 40))
        ]
        corpus = " ".join(draw.choice(words) for _ in range(draw.randint(5, 300)))
        yield corpus, len({*corpus} | {" "}) + 2 + draw.randint(0, 40)


@pytest.mark.checked_against("tokenizers", "trainer", "huggingface-unigram")
def test_random_corpora(checked):
    for corpus, size in corpora(5, 300 if LONG else 25):
        same(tokviz.train(corpus, ALGORITHM, size), library(corpus, size))
        checked()


@pytest.mark.checked_against("tokenizers", "trainer", "huggingface-unigram")
@pytest.mark.parametrize(
    "settings",
    [
        {"shrinking_factor": 0.9},
        {"n_sub_iterations": 4},
        {"max_piece_length": 3},
        {"initial_alphabet": ["é", "a", "ü"]},
    ],
)
def test_settings(settings, checked):
    for corpus, size in [*corpora(6, 10), (text("alice")[: None if LONG else 8_000], 500)]:
        size += 2
        same(tokviz.train(corpus, ALGORITHM, size, **settings), library(corpus, size, **settings))
        checked()


def test_special_tokens():
    corpus = text("alice")[:15_000]
    history = tokviz.train(corpus, ALGORITHM, 500, special_tokens=["<s>", "</s>"])
    assert history.vocab(len(history))[:3] == ["<unk>", "<s>", "</s>"]
    same(history, library(corpus, 500, ["<s>", "</s>"]))


@cache
def alice():
    return tokviz.train(text("alice"), ALGORITHM, 300)


def prunings(history):
    return [t for t in range(len(history)) if history.action(t) == "prune"]


def test_the_right_loss_by_hand():
    """From the counts of the best segmentations, as SentencePiece defines it."""
    history, differ = alice(), 0
    for t in prunings(history):
        alive = [history.strings[i] for i in history.alive(t).tolist()]
        uses = dict(zip(alive, history.frequencies(t).tolist(), strict=True))
        uses["<unk>"] = int(history.record.unknown[t])
        total, words = sum(uses.values()), sum(history.words.counts)
        right, wrong = history.right_losses(t), history.approximate_deltas(t)
        for row, token in enumerate(alive):
            parts, own = history.alternative(t, row), uses[token]
            assert bool(parts) == (not np.isnan(right[row])) == (not np.isnan(wrong[row]))
            for n, said in ((len(parts), right[row]), (len(alive) + 1, wrong[row])):
                if parts:
                    new = math.log(total + own * (n - 1))
                    replaced = sum(math.log(uses[part] + own) - new for part in parts)
                    loss = own / words * (math.log(own) - math.log(total) - replaced)
                    assert said == pytest.approx(loss, rel=1e-6)
        differ += len(history.slip(t).lost)
    assert differ


def test_what_the_flaw_changes():
    history = alice()
    for t in prunings(history):
        slip, goes, right = history.slip(t), history.goes(t), history.right_losses(t)
        assert len(slip.kept) == len(slip.lost)
        assert goes[slip.lost].all()
        assert not goes[slip.kept].any()
        if len(slip.lost):
            assert right[slip.lost].min() >= right[slip.kept].max()
        frame = history.candidates(t)
        assert (frame.right_goes != frame.chosen).sum() == 2 * len(slip.lost)
        said = history.narrate(t + 1)
        assert "known flaw" in said
        coming = announce(history, t)
        assert ("same tokens" in said) == ("same tokens" in coming) == (not len(slip.lost))
        for row in (*slip.lost[:1], *slip.kept[-1:]):
            assert f'"{history.strings[history.alive(t)[row]]}" has ' in coming
            assert f"where {right[row]:.4g} is right" in coming
    assert not np.isfinite(history.right_losses(0)).any()
    assert "flaw" not in history.narrate(1)


def test_the_exported_file_gives_the_same_ids(tmp_path):
    history = alice()
    history.export("tokenizer.json", tmp_path)
    theirs = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    ours = history.tokenizer()
    for line in [*text("alice").splitlines()[:300], "naïve 日本語日 x ▁odd a▁b", "", "QQQ zzz"]:
        assert ours.encode(line).ids == theirs.encode(line).ids


def test_a_file_keeps_double_precision(tmp_path):
    history = alice()
    history.save(tmp_path / "run.npz")
    again = tokviz.load(tmp_path / "run.npz")
    n = len(history)
    assert again.log_probs(n).tolist() == history.log_probs(n).tolist()
    assert again.narrate(n) == history.narrate(n)


def test_what_is_refused():
    with pytest.raises(tokviz.TokvizError, match=r"1 special tokens, the characters \(4\) and one"):
        tokviz.train("abc", ALGORITHM, 5)
    with pytest.raises(tokviz.TokvizError, match="<UNK>"):
        tokviz.train("a <UNK> b", ALGORITHM, 20)
    with pytest.raises(tokviz.TokvizError, match="unk_token is empty"):
        tokviz.train("abc", ALGORITHM, 20, unk_token="")


def test_the_library_passes_a_size_that_has_room_for_characters_only():
    corpus = text("alice")[:20_000]
    size = len({*"".join(corpus.split()), "▁"}) + 1
    assert len(library(corpus, size)) > size
    with pytest.raises(tokviz.TokvizError, match=f"at least {size + 1}"):
        tokviz.train(corpus, ALGORITHM, size)
    same(tokviz.train(corpus, ALGORITHM, size + 1), library(corpus, size + 1))


def test_nul_is_no_piece_but_has_an_id():
    history = tokviz.train("ab\0ab abab ab", ALGORITHM, 10, min_expected_count=0.0)
    pieces = [history.strings[i] for i in history.alive(len(history)).tolist()]
    assert sum("\0" in history.record.tokens[i] for i in history.alive(len(history)).tolist()) == 1
    assert "ab" in pieces


def test_exact_deltas_are_those_of_training_without_the_piece():
    """Viterbi of every word without the piece, less Viterbi with it."""
    history = tokviz.train(
        SAMPLES["course"].corpus, ALGORITHM, 36, min_expected_count=0.2, exact_deltas=True
    )
    t = prunings(history)[0]
    tokens = [history.record.tokens[i] for i in history.alive(t)]
    cost = dict(zip(tokens, (-history.log_probs(t)).tolist(), strict=True))

    def loss(without):
        left = {token: c for token, c in cost.items() if token != without}
        characters = {char for word in history.words.words for char in word}
        left |= dict.fromkeys(characters - left.keys(), max(cost.values()) + 10)
        lattices = Lattices.of(history.words.words, {token: i for i, token in enumerate(left)})
        best = lattices.least_costs(np.fromiter(left.values(), float))
        return float(best @ np.asarray(history.words.counts, float))

    whole, longer = loss(None), 0
    for token, exact in zip(tokens, history.exact_deltas(t).tolist(), strict=True):
        if len(token) > 1:
            assert exact == pytest.approx(loss(token) - whole, abs=1e-9)
            longer += exact > 0
        else:
            assert math.isnan(exact)
    assert longer
