"""Runs are trained once for everybody."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import tokviz
from tokviz import progress
from tokviz.pages.run import Run, Stopped, history_of, place_for, run_of_sample

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


def test_a_stopped_training_is_the_run_up_to_there(monkeypatch):
    """Its history is found under the size that it reached, and is the beginning of the whole."""
    run = Run("Mine", WORDS, False, "bpe", 2000, "gpt2")
    place = place_for(run)

    def train(*args, **settings):
        *most, note = args

        def clicked(report):
            if report.stage == "merges" and report.done > 10:
                place["enough"] = "stop"
            return note(report)

        return real_train(*most, clicked, **settings)

    real_train = tokviz.train
    monkeypatch.setattr(progress.Reporter.__init__, "__defaults__", (0,))
    monkeypatch.setattr(tokviz, "train", train)
    with pytest.raises(Stopped, match=r"Cancelled after \d+ merges") as stopped:
        history_of(run)
    part, history = stopped.value.run, stopped.value.history
    assert history_of(part) is history
    assert part == run._replace(vocab_size=history.vocab_size(len(history)))
    assert "history" not in place
    assert "enough" not in place
    again = real_train(WORDS, "bpe", part.vocab_size)
    assert list(again.steps) == list(history.steps)
