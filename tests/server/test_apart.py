"""Libraries in a worker process: strangers' files end nothing but that."""

import json
import os
import signal
import time
from threading import Thread

import pytest
import tokenizers
from helpers import PATIENCE
from hostile_files import BPE, bytes_of
from library_tokenizers import KINDS, split_by
from opened_texts import lines
from tokenizers import models

from tokviz.formats.readers.opened import TokenizerFileError, open_tokenizer
from tokviz.server.pool import apart
from tokviz.server.pool.apart import Apart
from tokviz.server.pool.process import WorkerProcess


@pytest.fixture(scope="module")
def place():
    made = Apart(seconds=PATIENCE)
    yield made
    made.close()


def test_what_comes_from_there_is_what_comes_from_here(place):
    made = KINDS["bert"]()
    file = {"tokenizer.json": made.to_str().encode()}
    here, there = open_tokenizer(file).tokenizer, open_tokenizer(file, host=place.host).tokenizer
    for line in ["\ud83d\ude00 \ud800", *lines(300)]:
        a, b = here.encode(line), there.encode(line)
        assert (a.ids, a.offsets, a.words) == (b.ids, b.offsets, b.words)
        assert here.decode(a.ids) == there.decode(b.ids)


def test_a_file_that_the_worker_has_forgotten_is_told_anew(place):
    files = []
    for number in range(apart.MOST_KEPT + 2):
        made = tokenizers.Tokenizer(models.BPE({"a": number}, []))
        files.append(open_tokenizer({"t.json": made.to_str().encode()}, host=place.host))
    for number, opened in enumerate(files):
        assert opened.tokenizer.encode("a").ids == [number]


def test_errors_come_back_as_sentences(place):
    with pytest.raises(TokenizerFileError, match="untagged enum"):
        open_tokenizer({"t.json": bytes_of({**BPE, "decoder": {"type": "x"}})}, host=place.host)
    made = tokenizers.Tokenizer(models.BPE({"a": 0}, []))
    file = {**json.loads(made.to_str()), "pre_tokenizer": split_by("(a|aa)+(?=b)")}
    slow = open_tokenizer({"t.json": bytes_of(file)}, host=place.host).tokenizer
    with pytest.raises(TokenizerFileError, match="retry-limit-in-match over"):
        slow.encode("a" * 60)
    with pytest.raises(IndexError):
        slow.decode([7])
    assert slow.encode("b").ids == made.encode("b").ids


def test_an_answer_that_takes_too_long_is_stopped_and_the_next_one_comes():
    place = Apart(seconds=1.0)
    made = KINDS["gpt2"]()
    opened = open_tokenizer({"t.json": made.to_str().encode()}, host=place.host).tokenizer
    begun = time.monotonic()
    with pytest.raises(TokenizerFileError, match="was stopped after 1 s; try a shorter text"):
        opened.encode("low lower " * 2_000_000)
    assert time.monotonic() - begun < PATIENCE
    assert opened.encode("low").ids == made.encode("low").ids
    place.close()


def test_a_crash_is_a_sentence_and_the_next_answer_comes(place):
    opened = open_tokenizer({"t.json": bytes_of(BPE)}, host=place.host).tokenizer
    expected = opened.encode("ab").ids
    os.kill(place.worker.pid, signal.SIGSEGV)
    place.worker.process.wait()
    assert opened.encode("ab").ids == expected
    pid = place.worker.pid

    def crash():
        time.sleep(0.3)
        os.kill(pid, signal.SIGSEGV)

    Thread(target=crash, daemon=True).start()
    with pytest.raises(TokenizerFileError, match="crashed, or took more memory"):
        opened.encode("ab " * 3_000_000)
    assert opened.encode("ab").ids == expected


def test_what_takes_more_memory_than_is_allowed_is_a_sentence():
    place = Apart(seconds=PATIENCE, start=lambda: WorkerProcess(100, quiet=True))
    opened = open_tokenizer({"t.json": bytes_of(BPE)}, host=place.host).tokenizer
    with pytest.raises(TokenizerFileError, match="crashed, or took more memory"):
        opened.encode("ab " * 3_000_000)
    assert opened.encode("ab").ids == [2]
    place.close()
