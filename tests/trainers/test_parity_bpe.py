"""Parity-aware BPE: the merges of Hugging Face's library, and whose turn each was."""

import json
import random
from dataclasses import replace
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from app_test import read
from effort import LONG
from tokenizers import Tokenizer, models, pre_tokenizers, trainers
from trainers.test_hf_trainers import text

import tokviz
from tokviz.basics.messages import here, using
from tokviz.cli.train import table
from tokviz.formats import history_file
from tokviz.history.parity.history import ALL
from tokviz.narration import announce, narrate
from tokviz.player.packed_lane import packed_lane
from tokviz.player.web_page import excerpt_of
from tokviz.text.languages import joined
from tokviz.trainers.parity.turns import Balance, Turns

#: For as many languages as a text has. Of thirds of one text each profits from the merges of the
#: others: with other ratios one would have every turn.
RATIOS = [1.0, 1.01, 0.98, 1.5, 0.9, 1.2, 1.1, 0.6, 0.8, 2.0]
#: Both ways of balancing, in both variants.
WAYS = {
    "ratio": {"ratio": RATIOS},
    "ratio, window": {"ratio": RATIOS, "variant": "window", "window_size": 30, "alpha": 1.2},
    "development": {},
    "development, window": {"variant": "window", "window_size": 40, "alpha": 1.5},
}
#: To larger ones the library does not always come back (docs/algorithms.md).
SIZES = {
    "generated": (1_000, 2_000),
    "alice": (600, 1_000),
    "ten-languages": (600, 1_000),
    "book": (1_000, 4_000 if LONG else 2_000),
}
#: Otherwise each way is tried on two texts, each text in two ways.
RUNS = [
    (name, way)
    for i, name in enumerate(SIZES)
    for j, way in enumerate(WAYS)
    if LONG or (i + j + j // 2) % 2
]


def languages_of(name):
    """Ten languages, or a text cut into three parts of equal length; the second half of each is not
    trained on."""
    if name == "ten-languages":
        parts = tokviz.SAMPLES[name].corpus
    else:
        whole = "\n".join(text(name))
        cuts = [i * len(whole) // 3 for i in range(4)]
        parts = {f"from {a}": whole[a:b] for a, b in pairwise(cuts)}
    trained = {name: part[: len(part) // 2] for name, part in parts.items()}
    held = {name: part[len(part) // 2 :] for name, part in parts.items()}
    return trained, held


def merges_of_library(texts, held, size, **settings):
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    trainer = trainers.ParityBpeTrainer(
        num_merges=size, total_symbols=True, show_progress=False, **settings
    )
    parts = [iter([part]) for part in texts.values()]
    measured = [iter([held.get(name, "")]) for name in texts] if held else None
    trainer.train_from_iterator(theirs, parts, dev_iterators=measured)
    return [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]


def trained(texts, held, size, **settings):
    return tokviz.train(joined(texts, held), "parity-bpe", size, "whitespace", **settings)


def merges_of(history):
    return [(step.left, step.right) for step in history.steps]


@pytest.mark.checked_against("tokenizers", "trainer", "parity-bpe")
@pytest.mark.filterwarnings("ignore::tokviz.TokvizWarning")
@pytest.mark.parametrize(("name", "way"), RUNS)
def test_the_library_merges_the_same(name, way, checked):
    """A smaller vocabulary ends earlier in the same steps."""
    texts, held = languages_of(name)
    held, ways = held if way.startswith("development") else {}, dict(WAYS[way])
    if "ratio" in ways:
        ways["ratio"] = RATIOS[: len(texts)]
    history = trained(texts, held, max(SIZES[name]), **ways)
    merges = merges_of(history)
    theirs = [merges_of_library(texts, held, size, **ways) for size in SIZES[name]]
    assert len(merges) == len(theirs[-1]) > len(theirs[0]) > 100
    assert len({step.language for step in history.steps}) > 1
    for found in theirs:
        assert merges[: len(found)] == found
        checked()


def corpus(seed):
    """Random languages, a size, and settings."""
    chosen = random.Random(seed)
    n = chosen.randint(1, 5)

    def words(letters):
        known = [
            "".join(chosen.choices(letters, k=chosen.randint(1, 8)))
            for _ in range(chosen.randint(1, 12))
        ]
        return " ".join(chosen.choices(known, k=chosen.randint(1, 60)))

    letters = ["abcdefgh"[i % 3 : i % 3 + chosen.randint(1, 5)] for i in range(n)]
    texts = {f"l{i}": words(letters[i]) for i in range(n)}
    held = {f"l{i}": words(letters[i]) for i in range(n)} if chosen.random() < 0.4 else {}
    settings = {}
    if not held and chosen.random() < 0.5:
        settings["ratio"] = [round(chosen.uniform(0.3, 3), 2) for _ in range(n)]
    if chosen.random() < 0.5:
        window, alpha = chosen.randint(1, 20), chosen.choice([0.5, 1.0, 2.0, float(n)])
        settings |= {"variant": "window", "window_size": window, "alpha": alpha}
    if chosen.random() < 0.2:
        settings["global_merges"] = chosen.randint(1, 10)
    if chosen.random() < 0.3:
        settings["min_frequency"] = chosen.randint(1, 4)
    return texts, held, chosen.randint(20, 80), settings


@pytest.mark.checked_against("tokenizers", "trainer", "parity-bpe")
@pytest.mark.filterwarnings("ignore::tokviz.TokvizWarning")
def test_the_library_merges_random_languages_the_same(monkeypatch, checked):
    """But for those where it looks for a language for ever (docs/algorithms.md)."""
    endless = []
    own = Turns.beyond_the_library
    monkeypatch.setattr(
        Turns,
        "beyond_the_library",
        lambda turns, order: endless.append(order) or own(turns, order),
    )
    compared = seed = windows = 0
    while compared < (1500 if LONG else 150):
        seed += 1
        endless.clear()
        texts, held, size, settings = corpus(seed)
        history = trained(texts, held, size, **settings)
        if endless:
            continue
        assert merges_of(history) == merges_of_library(texts, held, size, **settings), seed
        checked()
        compared += 1
        windows += "variant" in settings
    assert windows > compared / 4


def test_where_the_library_would_look_for_ever_the_best_language_goes_on():
    turns = Turns(Balance("window", window_size=2, alpha=0.5), [9, 5])
    turns.exhaust(1)
    assert [turns.next([9, 5]) for _ in range(4)] == [0, 0, 0, 0]


# --- what the history says -----------------------------------------------------------------------

TEXTS = {"en": "hug hug hugs pug", "el": "αβγ αβγ αβ"}


def test_each_step_is_for_the_language_that_pays_most():
    history = tokviz.train(TEXTS, "parity-bpe", 16)
    assert history.languages == ("en", "el")
    tokens = history.language_tokens()
    for t, step in enumerate(history.steps):
        turn = history.languages.index(step.language)
        with_pairs = [i for i in range(2) if len(history.pairs_in(i, t)[0])]
        assert tokens[t, turn] == max(tokens[t, i] for i in with_pairs)
        pairs, counts = history.pairs_in(turn, t)
        assert step.count == counts.max()
        assert history.candidate_count(t) == len(pairs) == history.candidate_counts[t]
        assert step.compression == pytest.approx((tokens[0] / tokens[t]).tolist())
        assert step.overall >= step.count
    assert {step.language for step in history.steps} == {"en", "el"}


def test_the_tokens_of_languages_are_those_that_their_texts_are_cut_into():
    history = tokviz.train(TEXTS, "parity-bpe", 16, ratio=[1, 3])
    for t in range(len(history) + 1):
        cut = [len(history.tokenizer(t).encode(part)) for part in TEXTS.values()]
        assert history.language_tokens()[t].tolist() == cut


def test_development_texts_say_whose_turn_it_is_and_are_not_trained_on():
    held = {"en": "hug", "el": "αβγ αβγ ω"}
    history = tokviz.train(joined(TEXTS, held), "parity-bpe", 16)
    assert history.by_development
    assert history.record.lengths[0].tolist() == [3, 9]
    assert "ω" in history.vocab(0)
    assert not any("ω" in step.token for step in history.steps)
    last = [len(history.tokenizer().encode(part)) for part in held.values()]
    assert history.record.lengths[-1].tolist() == last


def test_candidates_are_those_of_the_language_whose_turn_it_is():
    history = tokviz.train(TEXTS, "parity-bpe", 16)
    for t, step in enumerate(history.steps):
        table = history.candidates(t)
        assert table["count"].is_monotonic_decreasing
        assert table["count"][0] == step.count
        assert bool(table["chosen"][0])
        assert history.candidates(t, 3).equals(table[:3])


def test_one_language_is_bpe():
    corpus = tokviz.SAMPLES["alice"].corpus
    own = tokviz.train(corpus, "parity-bpe", 300)
    plain = tokviz.train(corpus, "bpe", 300, tie_break="largest-pair")
    assert own.languages == ("text",)
    assert merges_of(own) == merges_of(plain)
    assert np.array_equal(own.record.gaps, plain.record.gaps)
    # Nobody else could have had the turn.
    assert [narrate(own, t) for t in (1, 9)] == [narrate(plain, t) for t in (1, 9)]
    assert announce(own, 5) == announce(plain, 5)


def test_lines_before_the_first_header_have_a_name_in_the_language_of_the_page():
    history = tokviz.train("hug hugs hug\n=== el ===\nαβ", "parity-bpe", 9)
    assert history.languages == ("text", "el")
    assert "for text, which has the pair" in narrate(history, 1)
    assert "Turn of text: it takes the most" in announce(history, 0)
    with using("zh_CN"):
        for told in (narrate(history, 1), announce(history, 0)):
            assert "文本" in here(told)
            assert "text" not in here(told)
        header = read(packed_lane(history, None, "", 1), b"TVZ1")[0]
        assert header["languages"] == ["文本", "el"]


def test_merges_before_the_turns_are_those_of_bpe():
    text = joined(TEXTS)
    words = tokviz.train(text, "parity-bpe", 16, global_merges=3)
    assert [words.language(t) for t in range(4)] == ["", "", "", words.steps[3].language]
    assert (words.record.turn[:3] == ALL).all()
    assert "The first 3 merges count all languages together." in narrate(words, 1)
    assert words.candidates(0)["count"][0] == words.steps[0].overall


@pytest.mark.parametrize("settings", [{}, {"ratio": [2, 1]}, {"variant": "window"}])
def test_a_step_says_whose_turn_it_was_and_why(settings):
    history = tokviz.train(TEXTS, "parity-bpe", 16, **settings)
    for t, step in enumerate(history.steps):
        assert f"for {step.language}, which has the pair" in narrate(history, t + 1)
        assert f"Turn of {step.language}" in announce(history, t)


def test_what_is_told_is_merged_in_the_turn_of_the_same_language():
    history = tokviz.train(TEXTS, "parity-bpe", 16)
    other = history.candidates(0).iloc[1]
    told = tokviz.branch(history, 0, (other["left"], other["right"]))
    assert told.steps[0].forced
    assert told.steps[0].language == history.steps[0].language
    assert (told.steps[0].left, told.steps[0].count) == (other["left"], other["count"])


def test_headers_are_not_shown_as_words():
    """Also where their words are some of the corpus."""
    text = "=== en ===\nlow en low === low"
    history = tokviz.train(text, "parity-bpe", 16)
    [line] = excerpt_of(history, text, 1)
    assert "".join(piece.word.text for piece in line) == "low en low === low"


def test_the_command_line_prints_whose_turn_each_step_was():
    history = tokviz.train(TEXTS, "parity-bpe", 16)
    heads, *rows = table(history)
    assert heads[0] == "language"
    assert heads[-1] == "overall"
    assert [row[0] for row in rows] == [step.language for step in history.steps]
    assert [row[-1] for row in rows] == [str(step.overall) for step in history.steps]


def test_a_file_has_it_all():
    held = {"en": "hug hugs", "el": "αβγ"}
    history = tokviz.train(joined(TEXTS, held), "parity-bpe", 16, variant="window")
    file = BytesIO()
    history_file.save(history, file)
    again = history_file.read(BytesIO(file.getvalue()), "run.npz")
    assert again == replace(history, text=None)
    assert again.words.languages == history.words.languages
    assert list(again.steps) == list(history.steps)


@pytest.mark.parametrize("ratio", ["1, x", "0, 1", "-1", "nan, 1", "inf, 1"])
def test_ratios_are_numbers_above_0(ratio):
    with pytest.raises(tokviz.SettingError, match="must be numbers above 0"):
        tokviz.train(TEXTS, "parity-bpe", 16, ratio=ratio)


def test_there_is_a_ratio_for_each_language():
    with pytest.raises(tokviz.CorpusError, match="3 ratios for 2 languages"):
        tokviz.train(TEXTS, "parity-bpe", 16, ratio="1, 2, 3")


def test_development_texts_alone_are_refused():
    with pytest.raises(tokviz.CorpusError, match="Only development texts"):
        tokviz.train("=== en, development ===\nlow", "parity-bpe", 16)
