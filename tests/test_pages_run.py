"""Runs are trained once for everybody."""

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext

import pytest
import streamlit as st

import tokviz
from tokviz import progress
from tokviz.pages.run import (
    Run,
    Stopped,
    _show_progress,
    history_of,
    place_for,
    run_of_sample,
)
from tokviz.progress import Progress

WORDS = " ".join(f"{i * 7919 % 100_003:x}" for i in range(40_000))


def test_several_people_wait_for_the_same_training():
    run = Run("Mine", WORDS, False, "bpe", 3000, "gpt2")
    with ThreadPoolExecutor(4) as people:
        found = list(people.map(history_of, [run] * 4))
    assert len(found[0]) > 1000
    assert all(history is found[0] for history in found)


def test_all_who_wait_hear_why_a_training_cannot_be():
    run = run_of_sample(tokviz.SAMPLES["course"])._replace(vocab_size=2)
    with ThreadPoolExecutor(4) as people:
        waiting = [people.submit(history_of, run) for _ in range(4)]
    for one in waiting:
        with pytest.raises(ValueError, match="vocab_size=2 is smaller"):
            one.result()


def click(monkeypatch, run, what, when):
    """Training goes on as if somebody clicked at the first report that `when` is true of."""
    place, real_train = place_for(run), tokviz.train

    def train(*args, **settings):
        *most, note = args

        def clicked(report):
            if when(report):
                place["enough"] = what
            return note(report)

        return real_train(*most, clicked, **settings)

    monkeypatch.setattr(progress.Reporter.__init__, "__defaults__", (0,))
    monkeypatch.setattr(tokviz, "train", train)
    return place


def merging(report):
    return report.stage == "merges" and report.done > 10


def test_a_stopped_training_is_the_run_up_to_there(monkeypatch):
    """Its history is found under the size that it reached, and is the beginning of the whole."""
    run = Run("Mine", WORDS, False, "bpe", 2000, "gpt2")
    with monkeypatch.context() as patch:
        place = click(patch, run, "stop", merging)
        with pytest.raises(Stopped, match=r"Cancelled after \d+ merges") as stopped:
            history_of(run)
    part, history = stopped.value.run, stopped.value.history
    assert history_of(part) is history
    assert part == run._replace(vocab_size=history.vocab_size(len(history)))
    assert place.keys() <= {"run", "progress"}
    whole = history_of(run)
    assert len(whole) > len(history) > 10
    assert whole.steps[: len(history)] == list(history.steps)


def test_a_cancelled_training_leaves_nothing(monkeypatch):
    run = Run("Mine", WORDS, False, "bpe", 1999, "gpt2")
    with monkeypatch.context() as patch:
        place = click(patch, run, "cancel", merging)
        with pytest.raises(tokviz.Cancelled, match="Training was cancelled") as cancelled:
            history_of(run)
    assert not isinstance(cancelled.value, Stopped)
    assert place.keys() <= {"run", "progress"}
    assert history_of(run).vocab_size(len(history_of(run))) == 1999


def test_a_training_stopped_before_its_first_step_is_cancelled(monkeypatch):
    run = Run("Mine", WORDS, False, "bpe", 1998, "gpt2")
    click(monkeypatch, run, "stop", lambda report: report.stage == "merges")
    with pytest.raises(tokviz.Cancelled, match="Training was cancelled") as cancelled:
        history_of(run)
    assert not isinstance(cancelled.value, Stopped)


def test_the_title_does_not_decide_a_history():
    run = run_of_sample(tokviz.SAMPLES["course"])
    assert history_of(run) is history_of(run._replace(title="Mine"))


class Bar:
    """What the page writes while it waits; the training is done once it has said something."""

    def __init__(self, training):
        self.said, self._training = [], training

    def container(self):
        return nullcontext()

    def empty(self):
        self.said.append("gone")

    def progress(self, share, text):
        self.said.append((share, text))
        self._training.set_result(None)


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (None, (0.0, "Starting …")),
        (Progress("merges", 500, 2000, 0.5), (0.25, "500 of 2,000 merges")),
        (Progress("merges", 500, 2000, 2.0), (0.25, "500 of 2,000 merges, about 6 s left")),
        (Progress("documents", 9, 3, 0.5), (1.0, "9 of 3 documents")),
        (Progress("merges", 0, 0, 0.5), (1.0, "0 of 0 merges")),
    ],
)
def test_the_bar_says_where_a_training_is(monkeypatch, report, said):
    training = Future()
    bar = Bar(training)
    monkeypatch.setattr(st, "empty", lambda: bar)
    _show_progress({"progress": report}, training, "key")
    assert bar.said == [said, "gone"]


@pytest.mark.parametrize(("label", "enough"), [("Stop here", "stop"), ("Cancel", "cancel")])
def test_either_button_says_what_was_wanted(monkeypatch, label, enough):
    place, training = {}, Future()

    def button(said, on_click, args, **_):
        if said == label:
            on_click(*args)
            training.set_result(None)

    monkeypatch.setattr(st, "button", button)
    _show_progress(place, training, "key")
    assert place == {"enough": enough}
