"""PickyBPE: the same events as the program of its authors, and every state as defined."""

import json
import lzma
import random
from collections import Counter

import pytest
from effort import LONG, each
from helpers import anything, book
from picky_reference import Reference, events_of
from record_picky_bpe import CORPORA, FILE, SIZES, TEXTS, THRESHOLDS, corpus, words_of
from trainers.test_hf_trainers import text

import tokviz
from tokviz.analysis.merge_parting import Side, between_merges
from tokviz.encoding.word_trace import word_trace
from tokviz.narration import announce
from tokviz.pages.lenses.token_table import Table
from tokviz.pages.lenses.traced import traced
from tokviz.pages.lenses.word_views import picky_tree_view
from tokviz.trainers import SettingError

RECORDED = json.loads(lzma.decompress(FILE.read_bytes()))
RULES = {
    "first-seen": lambda _pair, place: place,
    "largest-pair": lambda pair, _place: tuple(map(descending, pair)),
    "shortest": lambda pair, place: (len("".join(pair)), "".join(pair), place),
}


def descending(text):
    return (*(-ord(char) for char in text), 1)


def train(words, size, threshold, **settings):
    """A run on words, in which a space is written as the program writes it."""
    settings = {"threshold": threshold, "tie_break": "largest-pair", **settings}
    words = {spaced(word): count for word, count in words.items()}
    return tokviz.train(words, "picky-bpe", size, "metaspace", counted=anything, **settings)


def spaced(word):
    return word.replace("▁", " ")


def listed(history):
    """The events as they are recorded."""
    return [
        ["merge", step.left, step.right]
        if step.action == "merge"
        else ["remove", step.token, *step.parts]
        for step in history.steps
    ]


def as_theirs(history, wanted=None):
    """The events until the program stops at a size: it takes every merge for a new token, also one
    that makes a token that is there."""
    wanted = wanted or history.trainer.vocab_size
    events, size = [], history.vocab_size(0)
    for step, event in zip(history.steps, listed(history), strict=True):
        if step.action == "merge" and size >= wanted:
            break
        size += 1 if step.action == "merge" else -1
        events.append(event)
    return events


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.checked_against("picky_bpe", "trainer", "picky-bpe")
def test_the_program_on_a_text(name, checked):
    """A smaller vocabulary ends earlier in the same steps."""
    runs = [run for run in RECORDED["texts"] if run["text"] == name]
    assert sorted(run["size"] for run in runs) == SIZES
    history = train(words_of(text(name)), max(SIZES), THRESHOLDS[name])
    for run in runs:
        assert as_theirs(history, run["size"]) == run["events"]
        assert sum(event[0] == "remove" for event in run["events"]) > 20
        # Encoding does what was done until then.
        encoder = history.tokenizer(len(run["events"])).encoder
        encoded = each([*run["encoded"].items()], 3)
        for word, tokens in encoded:
            assert [piece.token for piece in encoder.encode(spaced(word))] == tokens
        assert len(run["encoded"]) > 200
        checked(texts=len(encoded))


@pytest.mark.checked_against("picky_bpe", "trainer", "picky-bpe")
def test_the_program_on_random_corpora(checked):
    removed, seeds = 0, each(range(CORPORA), 3)
    for seed in seeds:
        words, threshold, size = corpus(seed)
        history = train(words, size, threshold)
        assert as_theirs(history) == RECORDED["corpora"][seed]
        removed += int(history.removals.sum())
    assert removed > 10 * len(seeds)
    checked(len(seeds))


@pytest.mark.parametrize("rule", RULES)
def test_every_state_is_as_defined(rule):
    found = Counter()
    for seed in range(100 if LONG else 6):
        chosen = random.Random(f"{seed} {rule}")
        words, _, size = corpus(chosen.randrange(10_000))
        threshold = chosen.choice([0.0, 0.1, 0.5, 0.7, 0.9])
        history = train(words, size, threshold, tie_break=rule)
        states, defined = iter(range(len(history) + 1)), Reference(words, threshold, RULES[rule])
        size_of = history.curve().corpus_tokens.tolist()
        defined.train(
            size, lambda now, h=history, s=states, n=size_of: assert_state(h, next(s), now, n)
        )
        assert events_of(history) == defined.events
        assert next(states, None) is None
        found["removed"] += int(history.removals.sum())
        found["returns"] += sum(getattr(step, "returns", False) for step in history.steps)
    assert found["removed"] > 60
    assert found["returns"] > 5


def assert_state(history, t, defined, corpus_tokens):
    # What was done is compared for every state (see above), what is answered for every third.
    if t % 3 and t < len(history) and not LONG:
        return
    vocab, uses = defined.vocab(), defined.uses()
    assert history.vocab(t) == vocab
    assert history.vocab_size(t) == len(vocab)
    assert history.token_counts(t).tolist() == [uses[token] for token in vocab]
    table = history.candidates(t)
    rows = zip(table.left, table.right, table["count"], strict=True)
    assert [((left, right), count) for left, right, count in rows] == defined.ranked()
    if t % 12 == 0 or LONG:
        assert history.candidates(t, 5).equals(table.head(5))
    assert corpus_tokens[t] == sum(uses.values())
    encoder = history.tokenizer(t).encoder
    for n, (word, tokens) in enumerate(zip(history.words.words, defined.words, strict=True)):
        assert history.segmentation(word, t) == tokens
        # Encoding begins anew in each state: otherwise a fourth of the words has its turn.
        if (n + t // 3) % 4 and not LONG:
            continue
        pieces = encoder.encode(word)
        assert [piece.token for piece in pieces] == tokens
        assert [vocab[piece.id] for piece in pieces] == tokens
        assert [root.token for root in history.merge_tree(word, t).roots] == tokens
        # A word that the corpus does not hold has its gaps from the encoder.
        codes = encoder.codes(word)
        assert tuple(code if code < t else len(history) for code in codes) == history.gaps(word, t)


def test_with_a_threshold_of_1_it_is_bpe():
    plain, picky = (
        tokviz.train(book()[:60_000], name, 800, **more)
        for name, more in (("bpe", {}), ("picky-bpe", {"threshold": 1.0}))
    )
    assert not picky.removals.any()
    assert [(s.left, s.right, s.count, s.tied) for s in picky.steps] == [
        (s.left, s.right, s.count, s.tied) for s in plain.steps
    ]
    assert picky.curve().equals(plain.curve())
    for t in (0, 300, len(plain)):
        assert picky.vocab(t) == plain.vocab(t)
        assert picky.candidates(t).equals(plain.candidates(t))


def test_a_threshold_is_as_it_is_written():
    """Nine of ten are not more than 0.9, and four of five not more than 0.8."""
    words = {"ab": 9, "abc": 90, "abd": 1}
    assert len(train({"xy": 1, "xyz": 9}, 5, 0.9)) == 2
    assert [step.action for step in train({"xy": 1, "xyz": 9}, 5, 0.89).steps][:3] == [
        "merge",
        "merge",
        "remove",
    ]
    assert train(words, 7, 0.9).steps[0].token == "ab"


def test_a_token_returns_with_its_place():
    history = tokviz.train({"hugs": 9, "hug": 1}, "picky-bpe", 6, threshold=0.8)
    made = [step.token for step in history.makings("hu")]
    assert made == ["hu", "hu"]
    assert [step.returns for step in history.makings("hu")] == [False, True]
    assert [step.step for step in history.takings("hu")] == [3]
    assert history.present("hu").tolist() == [False, True, True, False, False, False, True]
    assert history.births(6).tolist()[4:] == [1, 4]
    assert history.vocab(6)[4:] == ["hu", "hugs"]


def test_a_special_token_is_never_taken_back():
    words = {"abc": 9, "ab": 1}
    history = train(words, 9, 0.5, special_tokens=("ab",))
    assert "ab" in history.vocab(len(history))
    assert "ab" not in [step.token for step in history.steps if step.action == "remove"]
    assert history.vocab_size(len(history)) == len(set(history.vocab(len(history))))


def test_what_if_and_states_that_take_back():
    history = tokviz.train({"hugs": 9, "hug": 1, "us": 4}, "picky-bpe", 8, threshold=0.8)
    t = int(history.removals.argmax())
    with pytest.raises(SettingError, match=f"state {t} what to merge, and there a token is taken"):
        tokviz.branch(history, t, ("h", "u"))
    left, right = history.candidates(0)[["left", "right"]].iloc[2]
    other = tokviz.branch(history, 0, (left, right))
    assert (other.steps[0].left, other.steps[0].right) == (left, right)
    assert other.steps[0].forced
    again = tokviz.train(
        {"hugs": 9, "hug": 1, "us": 4},
        "picky-bpe",
        8,
        threshold=0.8,
        interventions={0: (left, right)},
    )
    assert other == again


@pytest.mark.parametrize("threshold", [float("nan"), -0.1, 1.1, "0.9", None])
def test_thresholds_that_are_none(threshold):
    with pytest.raises(SettingError, match="threshold="):
        tokviz.train("low low", "picky-bpe", 5, threshold=threshold)


def test_a_removal_is_said_with_its_numbers():
    history = tokviz.train({"hugs": 9, "hug": 1}, "picky-bpe", 6, threshold=0.8)
    assert history.narrate(3) == (
        'Step 3: took "hu" back; 10/(10+0) = 1 of it went into "hug", more than 0.8. It stood '
        "nowhere else."
    )
    assert announce(history, 4) == (
        'Next: "hug" is taken back; 9/(9+1) = 0.9 of it went into "hugs", more than 0.8.'
    )
    assert history.narrate(5).endswith(
        'Where it still stood (once), it came apart into "h" "u" "g".'
    )
    assert history.narrate(6).endswith("It had been taken back, and is in the vocabulary again.")


def test_what_bpe_does_otherwise_is_told():
    words = {"hugs": 9, "hug": 1}
    runs = [tokviz.train(words, "bpe", 8), tokviz.train(words, "picky-bpe", 6, threshold=0.8)]
    lanes = [Side(name, run, 3, 0) for name, run in zip(("one", "other"), runs, strict=True)]
    assert between_merges(*lanes) == (
        "taken back",
        "Taking back. After 2 merges that both made, one takes “hug” + “s” and other takes “hu” "
        "back.",
    )


def test_the_trees_of_a_word_are_those_of_every_state():
    history = tokviz.train(tokviz.SAMPLES["course"].corpus, "picky-bpe", 50, threshold=0.6)
    for word in [*history.words.words, " toto", "unseen"]:
        view = picky_tree_view(history, word)
        faces = ["".join(row[0]) for row in view["table"]]
        for t in range(len(history) + 1):
            stretch = [one for one in view["stretches"] if one["first"] <= t][-1]
            nodes = stretch["nodes"]
            there = [node for node in nodes if not node["children"] or node["step"] < t]
            inside = {child for node in there for child in node["children"]}
            tops = [node for node in there if nodes.index(node) not in inside]
            tops.sort(key=lambda node: node["start"])
            shown = [faces[node["face"]] for node in tops]
            assert shown == [root.token for root in history.merge_tree(word, t).roots], (word, t)


def test_a_trace_tells_of_removals():
    history = tokviz.train({"hugs": 9, "hug": 1}, "picky-bpe", 6, threshold=0.8)
    tokenizer = history.tokenizer(5)
    told = word_trace(tokenizer, tokenizer.encode("hug"), 0)
    assert told.kind == "events"
    assert [(row.event.step, row.event.token, row.event.accepted) for row in told.rows] == [
        (0, "hu", True),
        (1, "hug", True),
        (4, "hug", False),
    ]
    assert [(row.left, row.right) for row in told.rows] == [("h", "u"), ("hu", "g"), ("", "")]
    assert [piece.token for piece in told.rows[-1].pieces] == ["h", "u", "g"]


def test_a_trace_shows_tokens_that_are_gone_as_tokens():
    text = " hugs hugs hugs hugs hug"
    history = tokviz.train(text, "picky-bpe", 7, "gpt2", unit="byte", threshold=0.7)
    tokenizer, table = history.tokenizer(), Table(history)
    for word, unknown in ((" hugs", []), (" hugé", ["Ã", "©"])):
        view = traced(tokenizer, tokenizer.encode(word), 0, table)
        cells = [cell for row in view["rows"] for part in row["cells"] for cell in part]
        shown = {number: table.entries[number] for number in cells if isinstance(number, int)}
        assert [["", "Ġ", "hu"], None, "", history.colour("Ġhu")] in map(list, shown.values())
        assert [face for face, _, kind, _ in shown.values() if kind == "unknown"] == unknown


def test_more_steps_are_expected_than_tokens():
    """Progress does not end before the run."""
    seen = []
    history = tokviz.train(book()[:30_000], "picky-bpe", 400, threshold=0.5, progress=seen.append)
    assert len(history) > 400
    assert all(report.done <= report.total for report in seen)
