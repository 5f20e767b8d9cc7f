"""A grid holds exactly what each of its cells would be if it were trained alone."""

from contextlib import suppress
from itertools import pairwise

import pandas as pd
import pytest
from effort import LONG, each, some
from helpers import anything, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st
from record_boundless_bpe import corpus

import tokviz
from tokviz.analysis.grid import Grid, grid, usual_sizes
from tokviz.analysis.metrics import METRICS, metrics
from tokviz.analysis.sizes import trained_to
from tokviz.history.ties import TIE_BREAKS
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import Cancelled
from tokviz.text.languages import count_for
from tokviz.text.word_counts import WordCounts

COURSE = tokviz.SAMPLES["course"].corpus
NAMES = [metric.name for metric in METRICS]
WORDS = ["words", "per_word"]
#: Every way of merging: what decides a step, what starts, what stops, what shares a string.
MERGING = [
    *(("bpe", {"tie_break": rule}) for rule in TIE_BREAKS),
    ("bpe", {"unit": "byte", "initial_alphabet": ["bytes"]}),
    ("bpe", {"end_of_word_suffix": "</w>", "tie_break": "largest-pair"}),
    ("bpe", {"end_of_word_suffix": "</w>", "suffix_glued": True, "tie_break": "smallest-ids"}),
    ("bpe", {"min_frequency": 3}),
    ("bpe", {"special_tokens": ["to", "Ġt", "en"]}),
    ("wordpiece", {}),
    ("wordpiece", {"score": "frequency", "min_frequency": 2}),
    ("wordpiece", {"special_tokens": ["[UNK]", "##to", "##en"]}),
    ("sentencepiece-bpe", {}),
    ("sentencepiece-bpe", {"byte_fallback": True, "split_digits": True}),
    ("sentencepiece-bpe", {"user_defined_symbols": ["to", "▁t"], "character_coverage": 0.98}),
    ("sentencepiece-bpe", {"pad_id": 50, "eos_id": -1}),
    ("picky-bpe", {"threshold": 0.3}),
    ("boundless-bpe", {"threshold": 0.3}),
]


def alone(corpus, algorithm, size, **more):
    """The row of a cell as its own training gives it."""
    per_word = "whitespace" if isinstance(corpus, str) else "pretokens"
    row = {"vocab_size": size, "per_word": per_word, "stopped": "", "error": ""}
    try:
        history = tokviz.train(corpus, algorithm, size, **more)
    except tokviz.SettingError as error:
        return {**row, "error": str(error)}
    last = len(history)
    (numbers,) = metrics(history, [last]).to_dict("records")
    row |= {name: numbers[name] for name in NAMES + WORDS}
    return {**row, "reached": history.vocab_size(last), "steps": last, "stopped": history.stopped}


def rows(table):
    """The rows without what is missing."""
    found = [{k: v for k, v in row.items() if not pd.isna(v)} for row in table.to_dict("records")]
    return [{k: v for k, v in row.items() if k != "algorithm"} for row in found]


# --- one training for all sizes -------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "more"), MERGING)
def test_a_smaller_vocabulary_is_a_state_of_the_larger_training(algorithm, more):
    """Vocabulary, segmentations, size, and why it ended; to sizes that no training reaches."""
    one = tokviz.train(COURSE, algorithm, 400, **more)
    sizes = each(range(20 if len(one.vocab(0)) < 200 else 240, 401, 5), 8)
    found = {
        sized.vocab_size: sized
        for sized in trained_to(sizes, algorithm, more, one.words, one.pretokenizer)
    }
    assert sorted(found) == [*sizes]
    assert any(sized.error for sized in found.values())
    assert len({id(sized.history) for sized in found.values() if sized.history}) == 1
    for size, sized in found.items():
        if sized.error:
            assert sized.error == alone(COURSE, algorithm, size, **more)["error"]
            continue
        own = tokviz.train(COURSE, algorithm, size, **more)
        last = len(own)
        assert (sized.state, sized.stopped, sized.error) == (last, own.stopped, "")
        assert sized.history.vocab(last) == own.vocab(last)
        assert sized.history.steps[:last] == [*own.steps]
        for word in own.words.words:
            assert sized.history.segmentation(word, last) == own.segmentation(word, last)


@settings(max_examples=some(60))
@given(
    word_counts(),
    st.sampled_from(
        [
            *(("bpe", {}), ("wordpiece", {}), ("sentencepiece-bpe", {})),
            *(("picky-bpe", {"threshold": 0.3}), ("boundless-bpe", {"threshold": 0.3})),
        ]
    ),
    st.lists(st.integers(1, 40), min_size=1, max_size=6),
)
def test_so_it_is_for_any_words(words, asked, sizes):
    pretokenizer, (algorithm, more) = make_pretokenizer("none"), asked
    for sized in trained_to(sizes, algorithm, more, words, pretokenizer):
        trainer = tokviz.make_trainer(algorithm, sized.vocab_size, **more)
        if sized.error:
            with pytest.raises(tokviz.SettingError) as raised:
                trainer.train(words, pretokenizer)
            assert sized.error == str(raised.value)
            continue
        own = trainer.train(words, pretokenizer)
        last = len(own)
        assert (sized.state, sized.stopped) == (last, own.stopped)
        assert sized.history.vocab(last) == own.vocab(last)
        for word in words.words:
            assert sized.history.segmentation(word, last) == own.segmentation(word, last)


@pytest.mark.parametrize("algorithm", ["picky-bpe", "boundless-bpe"])
@pytest.mark.parametrize("threshold", [0.3, 0.6])
def test_sizes_that_come_again(algorithm, threshold):
    """Where tokens are taken back, a size is reached when none is due to go."""
    again = 0
    for seed in range(8):
        lines = corpus(seed)[0]
        words = tokviz.train(lines, algorithm, 400, threshold=threshold, counted=anything).words
        sizes, more = each([*range(12, 60)], 3), {"threshold": threshold}
        pretokenizer = make_pretokenizer("none")
        for sized in trained_to(sizes, algorithm, more, words, pretokenizer):
            if sized.error:
                continue
            own = tokviz.make_trainer(algorithm, sized.vocab_size, **more)
            own = own.train(words, pretokenizer)
            assert (sized.state, sized.stopped) == (len(own), own.stopped)
            assert sized.history.vocab(sized.state) == own.vocab(len(own))
            sizes_before = own.sizes()[0][:-1].tolist()
            again += own.stop.kind == "size" and sized.vocab_size in sizes_before
    assert again > (20 if LONG else 6)


@pytest.mark.usefixtures("every_report")
@pytest.mark.parametrize(("algorithm", "more"), MERGING[-2:])
def test_where_training_was_cancelled_a_token_may_be_due_to_go(algorithm, more):
    whole = tokviz.train(COURSE, algorithm, 70, **more)
    ends = {size: _trained(size, algorithm, more, whole) for size in each(range(40, 71), 2)}
    told = 0
    for done in each(range(1, len(whole), 3), 2):

        def progress(_size, _sizes, report, done=done):
            return report.stage == "words" or report.done < done

        found = trained_to(ends, algorithm, more, whole.words, whole.pretokenizer, progress)
        with suppress(Cancelled):
            for sized in found:
                assert sized.state == ends[sized.vocab_size]
                told += 1
    assert told > (20 if LONG else 10)


def _trained(size, algorithm, more, like):
    """In how many steps training to a size ends."""
    trainer = tokviz.make_trainer(algorithm, size, **more)
    return len(trainer.train(like.words, like.pretokenizer))


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [*tokviz.TRAINERS])
def test_every_cell_is_what_its_own_training_gives(algorithm):
    sizes = [3, 60, 50, 90, 200_000, 140, 50]
    whole = grid(COURSE, [algorithm], sizes)
    assert not whole.cancelled
    assert rows(whole.table) == [alone(COURSE, algorithm, n) for n in (3, 50, 60, 90, 140, 200_000)]
    assert whole.table["error"].astype(bool).tolist() == [True, *[False] * 5]


def test_algorithms_with_settings_of_their_own_keep_their_order():
    set_ups = {
        "by bytes": {"algorithm": "bpe", "pretokenizer": "whitespace", "unit": "byte"},
        "unigram": {"seed_size": 80, "special_tokens": ["<s>"]},
        "BPE": {"algorithm": "bpe", "pretokenizer": make_pretokenizer("bert")},
    }
    table = grid(COURSE.splitlines(), set_ups, [60, 45]).table
    assert [*zip(table["algorithm"], table["vocab_size"], strict=True)] == [
        (label, size) for label in set_ups for size in (45, 60)
    ]
    expected = [
        alone(COURSE, size=size, **{"algorithm": label, **more})
        for label, more in set_ups.items()
        for size in (45, 60)
    ]
    assert rows(table) == expected


def test_documents_that_come_only_once_do_for_all_algorithms():
    once = (line for line in COURSE.splitlines())
    again = grid(COURSE.splitlines(), ["bpe", "wordpiece"], [60])
    assert grid(once, ["bpe", "wordpiece"], [60]).table.equals(again.table)


def test_words_are_counted_once_for_a_pretokenizer(monkeypatch):
    counted = []

    def count(*args):
        counted.append(args[2].name)
        return count_for(*args)

    monkeypatch.setattr("tokviz.analysis.grid.count_for", count)
    grid(COURSE, ["bpe", "wordpiece", "sentencepiece-bpe", "sentencepiece-unigram"], [60, 70])
    assert counted == ["gpt2", "bert", "sentencepiece"]


def test_whole_numbers_stay_whole_and_missing_ones_are_missing():
    table = grid(COURSE, ["bpe"], [3, 60]).table
    assert table.loc[0, ["reached", "steps", *NAMES]].isna().all()
    for name in ("vocab_size", "reached", "steps", "corpus_tokens"):
        assert pd.api.types.is_integer_dtype(table[name])
    header, _, row = table.to_csv(index=False).splitlines()
    assert header.split(",")[:5] == ["algorithm", "vocab_size", "reached", "steps", NAMES[0]]
    assert row.startswith("bpe,60,60,30,")


def test_every_cell_divides_by_the_same_words():
    set_ups = {
        name: {"algorithm": "bpe", "pretokenizer": name} for name in ("gpt2", "bert", "whitespace")
    }
    table = grid("don't stop, low lower", set_ups, [30]).table
    assert table["words"].tolist() == [4, 4, 4]
    assert (table["fertility"] * 4 == table["corpus_tokens"]).all()
    table = grid("don't stop, low lower", set_ups, [30], per_word="pretokens").table
    # don 't stop , low lower, and bert: don ' t stop , low lower.
    assert table["words"].tolist() == [6, 7, 4]
    assert set(table["per_word"]) == {"pretokens"}
    assert grid({"low": 2}, ["bpe"], [4]).table["per_word"].tolist() == ["pretokens"]
    with pytest.raises(tokviz.SettingError, match="per_word='lines' is not known; choose whitesp"):
        grid(COURSE, ["bpe"], [60], per_word="lines")


def test_a_grid_without_cells_has_its_columns():
    for empty in (grid(COURSE, [], [60]), grid(COURSE, ["bpe"], [])):
        assert len(empty.table) == 0
        assert [*empty.table] == [*grid(COURSE, ["bpe"], [60]).table]


def test_an_empty_corpus_can_be_a_grid():
    table = grid("", ["bpe", "wordpiece"], [1, 5]).table
    assert table["reached"].tolist() == [0, 0, 0, 0]
    assert set(table["stopped"]) == {"The corpus has no words: there is nothing to merge."}


@pytest.mark.parametrize(
    ("corpus", "set_ups", "said"),
    [
        (COURSE, ["bpa"], "algorithm='bpa' is not known; choose bpe"),
        (COURSE, {"bpe": {"score": "x"}}, "bpe has no setting 'score'"),
        (COURSE, {"unigram": {"seed_size": -1}}, "seed_size=-1 is too small"),
        ({"a": 0}, ["bpe"], "the count of 'a' is 0"),
    ],
)
def test_what_no_cell_can_be_trained_with_is_raised(corpus, set_ups, said):
    with pytest.raises(ValueError, match=said):
        grid(corpus, set_ups, [60])


# --- progress -------------------------------------------------------------------------------------


@pytest.fixture
def every_report(monkeypatch):
    monkeypatch.setattr(tokviz.basics.progress.Reporter.__init__, "__defaults__", (0,))


@pytest.mark.usefixtures("every_report")
def test_reports_say_how_much_of_the_grid_is_done():
    seen = []
    grid(COURSE, ["bpe", "unigram"], [3, 50, 60], seen.append)
    shares = [report.share for report in seen]
    assert shares == sorted(shares)
    assert 0 == shares[0] < shares[-1] <= 1
    assert {report.cells for report in seen} == {6}
    merging = [report for report in seen if report.inner.stage == "merges"]
    assert {(r.algorithm, r.vocab_size, r.done, r.at_once) for r in merging} == {("bpe", 60, 1, 2)}
    pruning = [report for report in seen if report.inner.stage == "tokens"]
    assert {(r.algorithm, r.vocab_size, r.done, r.at_once) for r in pruning} == {
        ("unigram", 50, 4, 1),
        ("unigram", 60, 5, 1),
    }


@pytest.mark.usefixtures("every_report")
@pytest.mark.parametrize(
    ("algorithm", "done", "kept"),
    [
        ("bpe", 5, 1),  # only what cannot be trained
        ("bpe", 25, 2),
        ("bpe", 35, 3),
        ("unigram", 1, 4 + 1),
        ("sentencepiece-unigram", 2, 8 + 1),
    ],
)
def test_what_is_finished_is_kept(algorithm, done, kept):
    """Merging finishes its sizes one after the other; what Unigram had begun is lost."""
    names, sizes = ["bpe", "unigram", "sentencepiece-unigram"], [3, 50, 60, 100]

    def progress(report):
        begun = report.inner.stage in ("merges", "tokens", "steps") and report.inner.done >= done
        return not (report.algorithm == algorithm and begun)

    part, whole = grid(COURSE, names, sizes, progress), grid(COURSE, names, sizes)
    assert part.cancelled
    assert len(part.table) == kept
    known = [*zip(part.table["algorithm"], part.table["vocab_size"], strict=True)]
    cells = whole.table.set_index(["algorithm", "vocab_size"]).loc[known].reset_index()
    assert part.table.equals(cells[[*part.table]])


def test_a_grid_can_be_cancelled_at_once():
    nothing = grid(COURSE, ["bpe", "unigram"], [60], lambda _: False)
    assert isinstance(nothing, Grid)
    assert nothing.cancelled
    assert len(nothing.table) == 0


@given(st.integers(1, 10**5), st.integers(0, 10) | st.integers(0, 10**5))
def test_usual_sizes_are_a_few_round_ones_in_between(least, more):
    sizes = usual_sizes(least, least + more)
    assert 1 <= len(sizes) <= 9
    assert all(least <= size <= least + more for size in sizes)
    assert len({b - a for a, b in pairwise(sizes)}) <= 1
    if more <= 8:
        assert sizes == [*range(least, least + more + 1)]


def test_words_may_be_a_table():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    assert rows(grid(words, ["bpe"], [9]).table) == [alone(words, "bpe", 9)]
    counts = WordCounts(tuple(words), tuple(words.values()))
    (sized,) = trained_to([9], "bpe", {}, counts, make_pretokenizer("gpt2"))
    assert sized.history.vocab(2) == tokviz.train(words, "bpe", 9).vocab(2)
