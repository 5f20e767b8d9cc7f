"""Counting by several processes: real ones, and a real Dask cluster that loses a worker."""

import logging
import os
import random
import signal
import sys

import pool_calls
import pytest
from distributed import Client, LocalCluster
from helpers import PATIENCE

from tokviz import Cancelled
from tokviz.counting import CountingError, count_files, merging
from tokviz.counting import local as local_engine
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.trainers.sentencepiece_settings import SentencePieceSettings

LETTERS = "abcdefghijklmnop éß中"


def some_text(lines):
    draw = random.Random(lines)
    return "\r\n".join("".join(draw.choices(LETTERS, k=60)) for _ in range(lines))


@pytest.fixture(scope="module")
def text():
    return some_text(4000)


@pytest.fixture(scope="module")
def path(text, tmp_path_factory):
    path = tmp_path_factory.mktemp("texts") / "text.txt"
    path.write_bytes(text.encode())
    return str(path)


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each a process of its own."""
    with LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=":0", silence_logs=logging.CRITICAL
    ) as cluster:
        yield cluster


def pids(client):
    """The processes of the workers."""
    return set(client.run(os.getpid).values())


# ---------------------------------------------------------------- processes of this machine


@pytest.mark.parametrize("name", ["gpt2", "sentencepiece"])
def test_processes_count_as_one_does(name, path, text):
    cutter = make_pretokenizer(name)
    special = SentencePieceSettings().special_tokens if name == "sentencepiece" else ("abc",)
    found = count_files([path], cutter, special, workers=2, part_size=20_000)
    assert found == count_words(text, cutter, special)


def test_what_a_process_cannot_count_and_who_stops_it_is_told_here(path, tmp_path):
    cutter = make_pretokenizer("gpt2")
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"a\n" * 50_000 + b"\xff")
    with pytest.raises(CountingError, match=r"bad\.txt is not UTF-8 \(byte 100000\)"):
        count_files([path, str(bad)], cutter, workers=2, part_size=30_000)
    with pytest.raises(Cancelled):
        count_files(
            [path], cutter, workers=2, part_size=10_000, progress=lambda report: report.done == 0
        )


def test_a_process_that_is_killed_is_told(path, monkeypatch):
    monkeypatch.setattr(local_engine, "begin_in_process", pool_calls.end_at_once)
    with pytest.raises(CountingError, match="was killed, maybe because memory ran out"):
        count_files([path], make_pretokenizer("gpt2"), workers=2, part_size=10_000)


# ---------------------------------------------------------------- a Dask cluster


def test_a_cluster_that_loses_a_worker_half_way_counts_as_one_process_does(cluster, path, text):
    cutter, special = make_pretokenizer("sentencepiece"), SentencePieceSettings().special_tokens
    killed = []
    with Client(cluster) as client:
        before = pids(client)

        def kill_half_way(report):
            if report.done > report.total / 2 and not killed:
                killed.append(min(before))
                # At this moment every worker has tasks, and tables that nobody has fetched.
                os.kill(killed[0], signal.SIGKILL)

        found = count_files(
            ["file://" + path],
            cutter,
            special,
            engine="dask",
            scheduler=cluster.scheduler_address,
            part_size=4000,
            progress=kill_half_way,
        )
        assert found == count_words(text, cutter, special)
        client.wait_for_workers(2, timeout=PATIENCE)
        after = pids(client)
    assert len(killed) == 1
    assert killed[0] in before - after
    assert len(before & after) == 1


def test_workers_that_join_a_cluster_later_are_used_too(path, text, monkeypatch):
    cutter, waiting = make_pretokenizer("gpt2"), []
    submit = Client.submit
    # Its workers are threads of this process: a process each would take seconds to begin.
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    ) as one:

        def noted(client, *given, **more):
            future = submit(client, *given, **more)
            waiting.append(sum(not known.done() for known in futures) + 1)
            futures.append(future)
            return future

        def joins(report):
            if not report.done or len(one.workers) > 1:
                return
            one.scale(4)
            with Client(one) as client:
                client.wait_for_workers(4, timeout=PATIENCE)

        futures = []
        monkeypatch.setattr(Client, "submit", noted)
        found = count_files(
            [path],
            cutter,
            engine="dask",
            scheduler=one.scheduler_address,
            part_size=2000,
            progress=joins,
        )
    assert found == count_words(text, cutter)
    assert max(waiting[:3]) <= 3
    assert max(waiting) > 3


def test_what_a_worker_cannot_count_is_told_here(cluster, path, tmp_path):
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"a\xff")
    arguments = {"engine": "dask", "scheduler": cluster.scheduler_address}
    with pytest.raises(CountingError, match="is not UTF-8"):
        count_files([path, str(bad)], make_pretokenizer("gpt2"), **arguments)
    # The cluster goes on.
    assert count_files([path], make_pretokenizer("none"), **arguments).total == 4000


def test_a_task_that_kills_its_workers_is_told(cluster, path, monkeypatch):
    # Else it has to kill four.
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 0)

    class Deadly(type(make_pretokenizer("none"))):
        def words(self, _text):
            os.kill(os.getpid(), signal.SIGKILL)

    with Client(cluster) as client:
        with pytest.raises(CountingError, match="several workers were lost"):
            count_files([path], Deadly(), engine="dask", scheduler=cluster.scheduler_address)
        client.wait_for_workers(2, timeout=PATIENCE)


def test_a_scheduler_that_does_not_answer_is_told(path, monkeypatch):
    from tokviz.counting import cluster

    monkeypatch.setattr(cluster, "PATIENCE", 0.5)
    arguments = {"engine": "dask", "scheduler": "tcp://127.0.0.1:1"}
    with pytest.raises(CountingError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:1"):
        count_files([path], make_pretokenizer("gpt2"), **arguments)
    with LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=logging.CRITICAL) as empty:
        arguments["scheduler"] = empty.scheduler_address
        with pytest.raises(CountingError, match="has no workers; start some with: dask worker"):
            count_files([path], make_pretokenizer("gpt2"), **arguments)


def test_without_dask_it_is_said_what_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(CountingError, match=r'pip install "dask\[distributed\]"'):
        count_files([path], make_pretokenizer("gpt2"), engine="dask")


def test_workers_that_would_cut_words_otherwise_are_refused(path, monkeypatch):
    monkeypatch.setattr(merging, "made_with", lambda: ("Python 2.7",))
    with pytest.raises(CountingError, match=r"but this process has Python 2\.7"):
        count_files([path], make_pretokenizer("gpt2"), workers=1)
