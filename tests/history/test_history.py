"""A history is never changed once it is made, and two of the same training are equal."""

import copy
import pickle
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest

import tokviz
from tokviz.basics.read_only import Record, read_only
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.history.stop import Stop

TEXT = "the cat sat on the mat and the bat sat too\n" * 4
KINDS = [*tokviz.TRAINERS, "replay"]


def run_of(kind, text=TEXT, size=30, **settings):
    if kind != "replay":
        return tokviz.train(text, kind, size, **settings)
    files = export(tokviz.train(TEXT, "bpe", size, **settings), "tokenizer.json")
    return tokviz.replay(open_tokenizer(files), text)


@pytest.fixture(scope="module")
def runs():
    return {kind: run_of(kind) for kind in KINDS}


@pytest.mark.parametrize("kind", KINDS)
def test_attributes_cannot_be_assigned_to(runs, kind):
    history = runs[kind]
    for name in [field.name for field in fields(history)] + ["algorithm", "steps", "mine"]:
        with pytest.raises((FrozenInstanceError, AttributeError)):
            setattr(history, name, None)
    with pytest.raises(FrozenInstanceError):
        del history.text
    for field in fields(history.record):
        with pytest.raises(FrozenInstanceError):
            setattr(history.record, field.name, None)
    with pytest.raises(FrozenInstanceError):
        history.steps[0].action = "other"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["made", "pickled", "copied", "replaced"])
def test_arrays_that_are_kept_are_read_only(runs, kind, way):
    history = runs[kind]
    if way == "pickled":
        history = pickle.loads(pickle.dumps(history.record))
    elif way != "made":
        history = copy.deepcopy(history) if way == "copied" else replace(history, text=None)
    record = history if isinstance(history, Record) else history.record
    columns = [column for column in vars(record).values() if isinstance(column, np.ndarray)]
    assert len(columns) >= 6
    for column in columns:
        with pytest.raises(ValueError, match="read-only"):
            column[...] = 0


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "sentencepiece-bpe", "replay"])
def test_arrays_that_are_handed_out_are_read_only(runs, kind):
    history = runs[kind]
    handed_out = [
        history.births(2), history.times, history.symbol_ids, history.symbol_bytes,
        history.merged_counts, history.closings, *history.gaps_by_step, *history.gap_spans,
    ]  # fmt: skip
    if kind == "replay":
        handed_out += [history.ranks, history.pair_ranks]
    for array in handed_out:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
    # What is made anew at every question is the asker's own.
    history.token_counts(1)[:] = 0
    assert history.token_counts(1).any()


@pytest.mark.parametrize("kind", KINDS)
def test_equal_trainings_are_equal(runs, kind, tmp_path):
    history, again = runs[kind], run_of(kind)
    assert history == again
    assert hash(history) == hash(again)
    assert {history: 1}[again] == 1
    assert history == replace(again, text=None, stop=Stop("unknown", values={"said": "so"}))
    assert history != len(history)
    assert history != history.trainer
    if kind != "replay":
        assert pickle.loads(pickle.dumps(history)) == history == copy.deepcopy(history)
        history.save(tmp_path / "run.npz")
        assert tokviz.load(tmp_path / "run.npz") == history


@pytest.mark.parametrize("kind", KINDS)
def test_other_trainings_are_not_equal(runs, kind):
    history = runs[kind]
    others = [runs[other] for other in KINDS if other != kind]
    others += [run_of(kind, size=29), run_of(kind, TEXT + "the")]
    if kind == "bpe":
        others += [run_of(kind, tie_break="smallest-ids"), run_of(kind, special_tokens=["<s>"])]
        others += [run_of(kind, pretokenizer="whitespace"), tokviz.branch(history, 3, ("Ġ", "c"))]
    for other in others:
        assert history != other


def test_one_number_in_any_column_tells_two_apart():
    """Where settings, words and the number of steps are the same."""
    for kind in ("bpe", "unigram", "sentencepiece-unigram"):
        history = run_of(kind)
        for name, column in vars(history.record).items():
            if not any(column is taken for taken in history.step_columns) or isinstance(
                column, list
            ):
                continue
            changed = column.copy()
            changed[0] += 1
            other = replace(history, record=replace(history.record, **{name: changed}))
            assert other != history, (kind, name)
            same = replace(history.record, **{name: column.astype(np.float64)})
            assert replace(history, record=same) == history, "whatever their type"


def test_what_is_worked_out_is_kept(runs):
    history = runs["bpe"]
    assert history.times is history.times
    assert history.steps[1] == history.steps[1]
    assert read_only(array := np.arange(3)) is array
