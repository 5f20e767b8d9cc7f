"""Runs are trained once for everybody."""

from concurrent.futures import ThreadPoolExecutor

import pytest

import tokviz
from tokviz.pages.run import Run, history_of, run_of_sample

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
