"""The compiled trainer in Python: what it refuses, and what it lets others do meanwhile."""

import gc
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from helpers import ROOT

import tokviz
from tokviz.core import MODULE
from tokviz.core.host import MOST_KEPT, Core, CoreError, compiled, waiting


class Host:
    """Who asks for a training."""

    def __init__(self):
        self.core = Core("To train on two words", self.id_of)

    def id_of(self, _left, _right, _number):
        return -1


def core():
    return Host().core


def files():
    return {p: p.stat().st_mtime_ns for p in MODULE.parent.iterdir() if p.is_file()}


def run(script):
    """What a script prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_the_module_is_compiled_once_and_leaves_no_file():
    before = files()
    assert [tokviz.train("low lower", "bpe", 7, "whitespace").vocab(1)[-1] for _ in range(2)] == (
        ["lo", "lo"]
    )
    assert compiled.cache_info().misses == 1
    assert files() == before


def test_a_column_comes_back_as_it_was_given():
    one = core()
    one.give("symbols", np.arange(70_000))
    one.give_counts([2**53 - 1, 1])
    assert one.ints("symbols").tolist() == list(range(70_000))
    assert one.counts("word_counts").tolist() == [2**53 - 1, 1]


def test_what_fails_is_named():
    with pytest.raises(CoreError, match="To train on two words: the compiled trainer failed"):
        core().call("ints", 2**28)


@pytest.mark.parametrize(
    ("stops", "algorithm", "text", "asked"),
    [
        ("go_on", "bpe", "low lower", "To train to 7 tokens on 2 different words"),
        ("go_on_unigram", "unigram", "hug hugs", "To train from 300 tokens on 2 different words"),
        ("count_block", "bpe", "low lower " * 1000, "To count words"),
    ],
)
def test_a_training_that_the_module_fails_in_is_named_and_the_next_one_works(
    monkeypatch, stops, algorithm, text, asked
):
    number = Core.number

    def stopping(self, name, *values):
        # No column has that number: the module is trapped.
        return number(self, "ints", 2**28) if name == stops else number(self, name, *values)

    expected = tokviz.train(text, algorithm, 7)
    with monkeypatch.context() as patch:
        patch.setattr(Core, "number", stopping)
        with pytest.raises(CoreError, match=f"(?s)^{asked}: the compiled trainer failed. .*trap"):
            tokviz.train(text, algorithm, 7)
    assert tokviz.train(text, algorithm, 7).steps[-1] == expected.steps[-1]


def test_more_than_4_gb_is_a_sentence():
    with pytest.raises(tokviz.CorpusError, match="To train on two words takes more than 4 GB"):
        core().call("room_for", 0, 2**30)


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
@pytest.mark.parametrize("limit", ["RLIMIT_AS", "RLIMIT_DATA"])
def test_a_machine_that_gives_no_more_memory(limit):
    """It starts with little address space; what is refused is a MemoryError, and the next training
    works."""
    assert run(
        "import resource, tokviz\n"
        "from tokviz import CorpusError\n"
        "from tokviz.core.host import Core\n"
        "tokviz.train('low lower', 'bpe', 7, 'whitespace')\n"
        "pages = [int(n) for n in open('/proc/self/statm').read().split()]\n"
        f"used = 4096 * pages[0 if '{limit}' == 'RLIMIT_AS' else 5]\n"
        f"resource.setrlimit(resource.{limit}, (used + 200_000_000,) * 2)\n"
        "try:\n"
        "    Core('To train', CorpusError.saying).call('room_for', 0, 100_000_000)\n"
        "except MemoryError as error:\n"
        "    print(error)\n"
        "print(len(tokviz.train('low lower', 'bpe', 8, 'whitespace')))\n"
    ) == ("To train: no memory is left for that.\n3")


def test_memory_is_given_back():
    gc.collect()
    before = instances()
    for _ in range(3):
        tokviz.train("low lower", "bpe", 7, "whitespace", special_tokens=("lo",))
    assert instances() == before


def test_memory_is_kept_for_the_next_training_unless_it_is_large_or_one_failed():
    words = {f"{a * b:x}{a}": 1 for a in range(1, 150) for b in range(1, 40)}
    history = tokviz.train(words, "bpe", 300, "whitespace")
    [kept] = waiting
    size = kept.memory.data_len(kept.store)
    one = core()
    assert not waiting, "somebody trains with it"
    del one
    again = tokviz.train(words, "bpe", 300, "whitespace")
    assert [*waiting] == [kept]
    assert kept.memory.data_len(kept.store) == size, "it asks for no more"
    assert [step.token for step in again.steps] == [step.token for step in history.steps]
    with pytest.raises(CoreError):
        core().call("ints", 2**28)
    assert not waiting
    core().call("room_for", 0, MOST_KEPT // 4)
    assert not waiting


def instances():
    return sum(isinstance(thing, Core) for thing in gc.get_objects())


def test_other_threads_go_on_while_it_trains():
    """The thread that counts has its turns although all merges are made in one call."""
    words = {f"{a * b:x}{a}": 1 for a in range(1, 150) for b in range(1, 40)}
    turns, done = 0, threading.Event()

    def train():
        tokviz.train(words, "wordpiece", 3000, "whitespace")
        done.set()

    trainer = threading.Thread(target=train)
    trainer.start()
    while not done.is_set():
        time.sleep(0)
        turns += 1
    trainer.join()
    assert turns > 100


def test_two_train_side_by_side():
    texts = ["low lower lowest " * 9, "hug pug pun bun hugs " * 9]
    alone = [tokviz.train(text, "bpe", 30, "whitespace").vocab(5) for text in texts]
    found = [None, None]

    def train(i):
        for _ in range(20):
            found[i] = tokviz.train(texts[i], "bpe", 30, "whitespace").vocab(5)

    threads = [threading.Thread(target=train, args=(i,)) for i in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == alone
