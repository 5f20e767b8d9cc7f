"""What if: forced merges are those of the naive loop, and a branch is the run told so at first."""

import random
from dataclasses import replace

import numpy as np
import oracles
import pytest
from effort import some
from helpers import joiner, oracle_words, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.lane_names import facts_of
from tokviz.history.merge_record import TOP
from tokviz.history.ties import TIE_BREAKS
from tokviz.narration import announce
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError
from tokviz.trainers.bpe import BPE
from tokviz.trainers.merging import record
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE
from tokviz.trainers.unigram import Unigram
from tokviz.trainers.wordpiece import WordPiece

WHITESPACE = make_pretokenizer("whitespace")
SPELLED = [
    {},
    {"unit": "byte"},
    {"end_of_word_suffix": "</w>"},
    {"continuing_subword_prefix": "##", "special_tokens": ("ab", "<s>")},
    {"min_frequency": 2},
]
HUGS = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
#: Enough words that the best 20 pairs are not all.
MANY = {
    "".join(word): 1 + i % 3
    for i, word in enumerate(zip("abcdefgh" * 5, "hgfedca" * 6, strict=False))
}
MANY |= {a + b + a: 1 for a in "abcd" for b in "efgh"}

TRAINERS = st.one_of(
    st.builds(
        lambda rule, spelled: BPE(10_000, tie_break=rule, **spelled),
        st.sampled_from(list(TIE_BREAKS)),
        st.sampled_from(SPELLED),
    ),
    st.sampled_from([WordPiece(10_000), WordPiece(10_000, score="frequency")]),
    st.just(SentencePieceBPE(10_000, character_coverage=1.0)),
)


def a_pair(history, data, step):
    """Any candidate of a state."""
    table = history.candidates(step)
    row = data.draw(st.integers(0, len(table) - 1))
    return table.left[row], table.right[row]


def drawn(history, data, choose=a_pair, most=3):
    """Some steps of a run in ascending order with other choices, and the run that they make."""
    told = {}
    for _ in range(data.draw(st.integers(1, most))):
        first = max(told, default=-1) + 1
        if first >= len(history):
            break
        step = data.draw(st.integers(first, len(history) - 1))
        choice = choose(history, data, step)
        if not choice:
            continue
        told[step] = choice
        trainer = replace(history.trainer, interventions=told)
        history = trainer.train(history.words, history.pretokenizer)
    return told, history


def assert_same(branch, whole, states=None):
    """Every question has the same answer, in every state or in some."""
    assert branch.trainer == whole.trainer
    assert (len(branch), branch.stopped) == (len(whole), whole.stopped)
    assert list(branch.steps) == list(whole.steps)
    assert branch.curve().equals(whole.curve())
    assert np.array_equal(branch.record.gaps, whole.record.gaps)
    for t in range(len(whole) + 1) if states is None else states:
        assert branch.candidates(t).equals(whole.candidates(t))
        assert branch.candidates(t, TOP).equals(whole.candidates(t, TOP))
        assert branch.vocab(t) == whole.vocab(t)
        assert branch.token_counts(t).tolist() == whole.token_counts(t).tolist()
        assert branch.narrate(t) == whole.narrate(t)


@settings(max_examples=some(200))
@given(words=word_counts(), trainer=TRAINERS, data=st.data())
def test_a_branch_is_the_run_told_so_from_the_start(words, trainer, data):
    pretokenizer = make_pretokenizer("sentencepiece") if trainer.name[0] == "s" else WHITESPACE
    plain = trainer.train(words, pretokenizer)
    told, whole = drawn(plain, data)
    branch = plain
    for step, choice in told.items():
        branch = tokviz.branch(branch, step, choice)
    assert_same(branch, whole)
    for name, column in vars(whole.record).items():
        assert np.array_equal(vars(branch.record)[name], column), name


@settings(max_examples=some(100))
@given(words=word_counts(), trainer=TRAINERS.filter(lambda t: t.name[0] != "s"), data=st.data())
def test_forced_merges_are_those_of_the_naive_loop(words, trainer, data):
    plain = trainer.train(words, WHITESPACE)
    told, history = drawn(plain, data)
    spelling = history.spelling
    join = joiner(spelling)

    def forced(step, table):
        return next((pair for pair in table if pair == told.get(step)), None)

    spelled = oracle_words(words, spelling)
    if getattr(trainer, "score", "") == "likelihood":
        run = oracles.wordpiece_oracle(spelled, None, join, forced)
    else:
        compare = spelling.order if history.rule == "largest-pair" else spelling.plain
        ids = {string: i for i, string in enumerate(plain.vocab(0))}
        run = oracles.bpe_oracle(
            spelled,
            history.rule,
            None,
            trainer.min_frequency,
            ids,
            lambda shown: compare(shown.symbol),
            join,
            forced,
        )
    assert len(history) == len(run.steps)
    for step, expected in zip(history.steps, run.steps, strict=True):
        assert (step.left, step.right) == expected.pair
        assert (step.token, step.count) == (expected.token, expected.count)
        assert step.tied == expected.tied
        assert step.score == float(expected.score)
        state = [history.segmentation(word, step.index) for word in words.words]
        assert state == expected.segmentations
        rows = history.candidates(step.index)
        pairs = list(zip(rows.left, rows.right, strict=True))
        # The table keeps the order of the scores; the mark is where the merge is.
        assert rows.chosen.tolist() == [pair == expected.pair for pair in pairs]
        assert rows.score.is_monotonic_decreasing
        assert step.forced == (pairs[0] != expected.pair)
        if step.forced:
            assert told[step.index] == expected.pair
    last = [history.segmentation(word, len(history)) for word in words.words]
    assert last == run.segmentations


@settings(max_examples=some(40))
@given(words=word_counts(), trainer=TRAINERS.filter(lambda t: t.name[0] != "s"), data=st.data())
def test_to_be_told_what_would_be_chosen_anyway_changes_nothing(words, trainer, data):
    plain = trainer.train(words, WHITESPACE)
    if not len(plain):
        return
    t = data.draw(st.integers(0, len(plain) - 1))
    choice = plain.steps[t].left, plain.steps[t].right
    for same in (
        tokviz.branch(plain, t, choice),
        replace(trainer, interventions={t: choice}).train(words, WHITESPACE),
    ):
        assert same.trainer.interventions == ((t, choice),)
        assert_same(replace(same, trainer=trainer), plain)


def test_interventions_are_told_as_a_mapping_and_kept_in_order():
    told = {4: ("a", "b"), 1: ["c", "d"]}
    trainer = tokviz.make_trainer("bpe", 9, interventions=told)
    assert trainer.interventions == ((1, ("c", "d")), (4, ("a", "b")))
    assert trainer == tokviz.make_trainer("bpe", 9, interventions=list(told.items()))
    assert hash(trainer) == hash(BPE(9, interventions=trainer.interventions))


def test_a_step_says_that_it_was_forced():
    history = tokviz.train({"ab": 7, "cd": 5, "ef": 5}, "bpe", 8, interventions={0: ("c", "d")})
    step = history.steps[0]
    assert (step.forced, step.count, step.score, step.tied) == (True, 5, 5.0, 1)
    assert not history.steps[1].forced
    assert history.narrate(1) == (
        'Step 1: merged "c" + "d" into "cd" (5 times). '
        'Forced; "a" + "b" with a count of 7 would have won.'
    )
    assert announce(history, 0) == (
        'Next: "c" + "d" with a count of 5; forced: "a" + "b" with a count of 7 would win.'
    )
    assert history.curve().score.tolist()[:2] == [5.0, 7.0]


def test_a_tie_that_was_passed_over_is_told():
    history = tokviz.train({"ab": 5, "cd": 5}, "bpe", 6, interventions={0: ("c", "d")})
    assert history.steps[0].tied == 2
    assert history.narrate(1).endswith(
        'Forced; of the 2 pairs that tie at a count of 5, "a" + "b" would have won by "first-seen".'
    )


def test_likelihoods_follow_forced_merges():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    history = tokviz.train(words, "wordpiece", 10, interventions={0: ("##u", "##n")})
    assert history.steps[0].score == pytest.approx(16 / (36 * 16))
    rows = history.candidates(1)
    assert history.steps[1].score == rows.score[0]
    assert history.narrate(1).endswith(
        'Its score is 16/(36×16) = 0.02778. Forced; "##g" + "##s" with a score of '
        "5/(20×5) = 0.05 would have won."
    )


def test_a_merge_tree_has_the_row_of_a_forced_pair():
    history = tokviz.train({"ab": 7, "cd": 5, "ef": 6}, "bpe", 8, interventions={0: ("c", "d")})
    [root] = history.merge_tree("cd", 2).roots
    assert (root.rank, root.count) == (3, 5)


def test_a_pair_that_is_not_among_the_best_is_chosen_all_the_same():
    history = tokviz.train(MANY, "bpe", 60)
    table = history.candidates(3)
    assert len(table) > TOP + 5
    choice = table.left[TOP + 4], table.right[TOP + 4]
    branch = tokviz.branch(history, 3, choice)
    assert branch.candidates(3).chosen.to_numpy().nonzero()[0].tolist() == [TOP + 4]
    assert not branch.candidates(3, TOP).chosen.any()
    assert branch.merged_rank(3) == TOP + 5
    assert (branch.steps[3].left, branch.steps[3].right) == choice


def test_histories_with_interventions_are_saved_and_read(tmp_path):
    words = {"a\ud800b": 2, "cd": 1, "ce": 5}
    history = tokviz.train(words, "bpe", 9, "whitespace", interventions={1: ("c", "d")})
    history.save(tmp_path / "told.npz")
    read = tokviz.load(tmp_path / "told.npz")
    assert read.trainer == history.trainer
    assert_same(read, history)
    assert_same(tokviz.branch(read, 0, ("c", "e")), tokviz.branch(history, 0, ("c", "e")))


def test_a_file_without_interventions_does_not_name_them(tmp_path):
    history = tokviz.train({"ab": 1}, "bpe", 3)
    history.save(tmp_path / "plain.npz")
    with np.load(tmp_path / "plain.npz") as file:
        assert b"interventions" not in file["header"].tobytes()


def test_a_branch_of_a_damaged_file_is_refused_in_a_sentence():
    history = tokviz.train({"ab": 2, "cd": 1}, "bpe", 6)
    history.record.left.setflags(write=True)
    history.record.left[0] = 3
    with pytest.raises(ValueError, match="its file is damaged"):
        tokviz.branch(history, 1, ("c", "d"))


@pytest.mark.parametrize(
    ("algorithm", "size", "extra"),
    [
        ("bpe", 90, {}),
        ("bpe", 90, {"tie_break": "smallest-ids"}),
        ("wordpiece", 90, {}),
        ("wordpiece", 120, {"score": "frequency"}),
        ("sentencepiece-bpe", 90, {"character_coverage": 1.0}),
    ],
)
def test_branches_of_runs_with_long_tables(algorithm, size, extra):
    """Longer than the best rows that are kept, with pairs that died, and where a letter beside a
    digit may not be merged."""
    corpus = {**MANY, "a1b2c": 3, "ab1ab1ab": 2, "1a": 7}
    plain = tokviz.train(corpus, algorithm, size, "whitespace", **extra)
    for step in (0, 7, len(plain) // 2, len(plain) - 1):
        table = plain.candidates(step)
        row = min(TOP + 3, len(table) - 1)
        choice = table.left[row], table.right[row]
        told = tokviz.train(
            corpus, algorithm, size, "whitespace", interventions={step: choice}, **extra
        )
        branch = tokviz.branch(plain, step, choice)
        # Before it, at it, after it, and on the way to the end.
        near = range(max(step - 1, 0), min(step + 4, len(told)))
        assert_same(branch, told, sorted({*near, *range(0, len(told), 9), len(told)}))
        for name, column in vars(told.record).items():
            assert np.array_equal(vars(branch.record)[name], column), name


def test_a_branch_has_the_keyframes_of_the_run_told_so(monkeypatch):
    monkeypatch.setattr(record, "changes_until_next", lambda live: max(5, 3 * live))
    letters = random.Random(1)
    words = {"".join(letters.choices("abc", k=14)): n for n in range(1, 60)}
    plain = tokviz.train(words, "bpe", 120)
    rows = plain.candidates(60)
    choice = rows.left[2], rows.right[2]
    told = tokviz.train(words, "bpe", 120, interventions={60: choice})
    frames = told.record.keyframe_states
    assert (frames < 60).sum() > 1
    assert (frames > 60).any()
    branch = tokviz.branch(plain, 60, choice)
    for name, column in vars(told.record).items():
        assert np.array_equal(vars(branch.record)[name], column), name


def test_lanes_are_told_apart_by_what_they_were_told():
    history = tokviz.train({"ab": 7, "cd": 5}, "bpe", 6)
    branch = tokviz.branch(history, 0, ("c", "d"))
    assert facts_of(branch)["What if"] == "step 1 c + d"
    assert "What if" not in facts_of(history)
    hugs = tokviz.train(HUGS, "unigram", 12, interventions={0: ("keep", "hugs", "ug")})
    assert facts_of(hugs)["What if"] == "step 1 keep hugs ug"


def test_a_branch_forgets_what_later_steps_were_told():
    told = {0: ("c", "d"), 2: ("e", "f")}
    history = tokviz.train({"ab": 7, "cd": 5, "ef": 5}, "bpe", 9, interventions=told)
    branch = tokviz.branch(history, 1, ("e", "f"))
    assert branch.trainer.interventions == ((0, ("c", "d")), (1, ("e", "f")))


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        (
            {0: ("x", "y")},
            r'state 0 to merge "x" \+ "y", which is no candidate in state 0. .*"a" \+',
        ),
        ({0: ("b", "a")}, "is no candidate"),
        ({9: ("a", "b")}, "training ends before it, in state 1. The vocabulary has the 5 tokens"),
        ({0: ("a",)}, "name two tokens"),
        ({-1: ("a", "b")}, "must map states"),
        ({"0": ("a", "b")}, "must map states"),
        ({True: ("a", "b")}, "must map states"),
        ({0: "ab"}, "must map states"),
        ({0: (1, 2)}, "must map states"),
        (7, "must map states"),
        ([(0, ("a", "b")), (0, ("c", "d"))], "tells a state twice"),
    ],
)
def test_what_cannot_be_told_is_refused_in_a_sentence(told, sentence):
    with pytest.raises(SettingError, match=sentence):
        tokviz.train({"ab": 2, "cd": 1}, "bpe", 5, interventions=told)


@pytest.mark.parametrize("step", [-1, 2, "0", True])
def test_a_step_that_is_none_is_refused(step):
    history = tokviz.train({"ab": 2, "cd": 1}, "bpe", 5)
    with pytest.raises(SettingError, match="it has states 0 to 1"):
        tokviz.branch(history, step, ("a", "b"))


def test_a_cancelled_run_is_no_error():
    words = WordCounts(("ab", "cd"), (2, 1))
    trainer = BPE(6, interventions={1: ("c", "d")})
    asked = []
    told = trainer.train(words, WHITESPACE, lambda p: asked.append(p) or p.stage == "words")
    assert told.stopped == "Cancelled after 0 merges."
    more = tokviz.branch(told, 0, ("c", "d"))
    assert [step.token for step in more.steps] == ["cd", "ab"]


def test_two_runs_say_that_they_part_by_what_one_was_told():
    history = tokviz.train({"ab": 7, "cd": 5}, "bpe", 6)
    branch = tokviz.branch(history, 0, ("c", "d"))
    [where] = tokviz.compare([history, branch]).partings.to_dict("records")
    assert where["kind"] == "what if"


@settings(max_examples=some(80))
@given(words=word_counts(), trainer=TRAINERS, data=st.data())
def test_where_a_branch_parts_and_heals_is_what_a_look_at_every_state_finds(words, trainer, data):
    pretokenizer = make_pretokenizer("sentencepiece") if trainer.name[0] == "s" else WHITESPACE
    plain = trainer.train(words, pretokenizer)
    _, other = drawn(plain, data, most=2)
    found = tokviz.branching(plain, other)
    states = range(max(len(plain), len(other)) + 1)
    differ = [
        {
            word
            for word in words.words
            if plain.segmentation(word, min(t, len(plain)))
            != other.segmentation(word, min(t, len(other)))
        }
        for t in states
    ]
    assert [bool(apart) for apart in found.apart] == list(map(bool, differ))
    parted = next((t for t in states if differ[t]), None)
    assert found.parted == parted
    after = [t for t in states if not any(differ[t:])]
    assert found.healed == (None if parted is None or not after else after[0])
    assert len(found.words) == len(differ[-1])
    ends = [run.vocab(len(run)) for run in (plain, other)]
    assert found.left == [token for token in ends[0] if token not in ends[1]]
    assert found.right == [token for token in ends[1] if token not in ends[0]]
    assert len(ends[0]) - len(found.left) == len(ends[1]) - len(found.right)
    assert ("same" in found.vocabularies_said) == (sorted(ends[0]) == sorted(ends[1]))
    assert (found.healed is None) == (f"{found.healed} on" not in found.said)


def test_what_never_parts_and_what_never_heals_is_said():
    history = tokviz.train({"abc": 7, "ef": 1}, "bpe", 7)
    assert (
        tokviz.branching(history, history).said == "Both cut every word the same way at every step."
    )
    other = tokviz.train({"abc": 7, "ef": 1}, "bpe", 6, interventions={0: ("b", "c")})
    assert tokviz.branching(history, other).said == (
        "They part at step 1; at the end they cut 1 word differently."
    )


def test_what_each_vocabulary_has_for_itself_is_said():
    words = {"abc": 7, "ef": 1}
    history = tokviz.train(words, "bpe", 6)
    other = tokviz.branch(history, 0, ("b", "c"))
    found = tokviz.branching(history, other)
    assert (found.left, found.right) == (["ab"], ["bc"])
    assert found.vocabularies_said == "Each ends with 1 token that the other does not have."
    more = tokviz.branching(tokviz.train(words, "bpe", 8), other)
    assert (more.left, more.right) == (["ab", "abc", "ef"], ["bc"])
    assert more.vocabularies_said == (
        "At the end 3 tokens are only in the original’s vocabulary, and 1 only in the branch’s."
    )


# --- Unigram --------------------------------------------------------------------------------------

UNIGRAMS = st.builds(
    lambda size, fraction, trim, special: Unigram(
        size + len(special), 40, fraction, trim, special_tokens=special
    ),
    st.integers(6, 14),
    st.sampled_from([0.1, 0.3, 0.6]),
    st.booleans(),
    st.sampled_from([(), ("<s>",)]),
)


def a_pruning(history, data, step):
    """What a round of Unigram may be told; None if nothing."""
    rows = history.candidates(step)
    free = rows.token[rows.loss_delta.notna()].tolist()
    action = data.draw(st.sampled_from(["keep", "drop"]))
    most = len(free) - 1 if action == "keep" else len(history.steps[step].removed)
    if not most:
        return None
    some = st.lists(st.sampled_from(free), min_size=1, max_size=min(3, most), unique=True)
    return action, *data.draw(some)


@settings(max_examples=some(80))
@given(words=word_counts(max_length=7), trainer=UNIGRAMS, data=st.data())
def test_prunings_are_the_naive_loops_and_a_branch_is_the_run_told_so(words, trainer, data):
    plain = trainer_of(trainer, words).train(words, WHITESPACE)
    told, history = drawn(plain, data, a_pruning)
    show = dict(zip(history.record.tokens, history.strings, strict=True))

    def forced(number, cheapest, n):
        action, *tokens = told.get(number, ("",))
        named = [token for token in cheapest if show[token] in tokens]
        others = [token for token in cheapest if token not in named]
        if action == "keep":
            return others[:n]
        return [token for token in cheapest if token in named + others[: n - len(named)]]

    trainer = history.trainer
    rounds = oracles.unigram_oracle(
        list(zip(words.words, words.counts, strict=True)),
        trainer.seed_size,
        trainer.vocab_size - len(trainer.special_tokens),
        trainer.prune_fraction,
        start_score=1,
        trim_last=trainer.trim_last,
        forced=forced,
    )
    assert len(history) == len(rounds) - 1
    for t, state in enumerate(rounds):
        assert [history.record.tokens[i] for i in history.alive(t)] == list(state.model)
        assert [history.segmentation(word, t) for word in words.words] == [
            [show[token] for token in tokens] for tokens in state.segmentations
        ]
        if t < len(history):
            step = history.steps[t]
            assert list(step.removed) == [show[token] for token in state.removed]
            rows = history.candidates(t)
            assert set(rows.token[rows.chosen]) == set(step.removed)
            assert set(step.forced[1:]) <= set(told.get(t, ()))
            cheapest = sorted(state.deltas, key=state.deltas.get)[: len(state.removed)]
            if not step.forced:
                assert [show[token] for token in cheapest] == list(step.removed)
            elif step.forced[0] == "drop":
                assert set(step.forced[1:]) <= set(step.removed)
            else:
                assert not set(step.forced[1:]) & set(step.removed)
            assert ("Forced" in history.narrate(t + 1)) == bool(step.forced)
    branch = plain
    for step, choice in told.items():
        branch = tokviz.branch(branch, step, choice)
    assert (branch.trainer, branch.stopped) == (history.trainer, history.stopped)
    for name, column in vars(history.record).items():
        mine = vars(branch.record)[name]
        assert np.array_equal(mine, column, equal_nan=name == "delta"), name
    assert branch.curve().equals(history.curve())


def trainer_of(trainer, words):
    """A trainer whose size is not smaller than the alphabet."""
    least = trainer.least_vocab_size(words, WHITESPACE)
    return replace(trainer, vocab_size=max(trainer.vocab_size, least))


def test_a_kept_token_makes_room_for_the_next_and_a_dropped_one_takes_a_place():
    plain = tokviz.train(HUGS, "unigram", 9, whole_words=False, prune_fraction=0.2)
    first = plain.steps[0]
    cheapest = plain.candidates(0).token.tolist()
    assert list(first.removed) == cheapest[:3]
    kept = tokviz.branch(plain, 0, ("keep", cheapest[0]))
    assert list(kept.steps[0].removed) == cheapest[1:4]
    assert kept.steps[0].forced == ("keep", cheapest[0])
    assert kept.narrate(1).endswith(f' Forced: "{cheapest[0]}" stayed.')
    assert announce(kept, 0).endswith(f' Forced: "{cheapest[0]}" will stay.')
    dropped = tokviz.branch(plain, 0, ("drop", cheapest[5]))
    assert list(dropped.steps[0].removed) == [*cheapest[:2], cheapest[5]]
    # The cut is that of the tokens that went by the rule.
    assert dropped.steps[0].score == dropped.candidates(0).loss_delta[1]
    assert dropped.narrate(1).endswith(f' Forced: "{cheapest[5]}" went.')


def test_interventions_of_unigram_are_saved_and_read(tmp_path):
    history = tokviz.train(HUGS, "unigram", 12, interventions={0: ("keep", "hugs", "ug")})
    history.save(tmp_path / "told.npz")
    read = tokviz.load(tmp_path / "told.npz")
    assert read.trainer == history.trainer
    assert list(read.steps) == list(history.steps)


@pytest.mark.parametrize(
    ("told", "sentence"),
    [
        ({0: ("keep", "h")}, '"h", which is a single character, or went'),
        ({0: ("drop", "xyz")}, '"xyz", which is in no vocabulary of this run'),
        ({0: ("drop", "ug", "un", "hu", "gs")}, "to drop 4 tokens, and it removes 1"),
        ({0: ("keep",)}, 'say "keep" or "drop"'),
        ({0: ("merge", "ug")}, 'say "keep" or "drop"'),
        ({0: ("keep", "ug", "ug")}, "each once"),
        ({99: ("keep", "ug")}, "training ends before it"),
    ],
)
def test_what_rounds_cannot_be_told_is_refused_in_a_sentence(told, sentence):
    with pytest.raises(SettingError, match=sentence):
        tokviz.train(HUGS, "unigram", 12, interventions=told)


def test_to_keep_all_that_could_go_is_refused():
    with pytest.raises(SettingError, match="keep all tokens that could go"):
        tokviz.train({"ab": 2}, "unigram", 2, interventions={0: ("keep", "ab")})


def test_other_runs_have_no_branches():
    words = {" hug": 10, " pug": 5, " hugs": 5}
    history = tokviz.train(words, "sentencepiece-unigram", 9, min_expected_count=0.0)
    with pytest.raises(SettingError, match="choose the algorithm unigram"):
        tokviz.branch(history, 0, ("keep", "ug"))
