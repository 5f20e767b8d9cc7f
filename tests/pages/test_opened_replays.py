"""Lanes that replay the merges of an opened tokenizer, and for how long that is kept."""

import json

import pytest
from here_worker import clicked

import tokviz
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.pages.opened_tokenizer import replay_run
from tokviz.pages.visit.lanes import facts
from tokviz.pages.visit.link import LinkError, fields_of, run_of, to_link
from tokviz.server.histories import entry_for
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.limits import LIMITS
from tokviz.server.opened import opened_files
from tokviz.server.opened.opened_files import find, remember
from tokviz.server.runs import Run, run_of_sample, trainable
from tokviz.server.shared_cache import SharedCache

COURSE = run_of_sample(tokviz.SAMPLES["course"])


def test_a_replay_is_in_no_link_and_has_a_training_in_its_place(merges):
    run = replay_run(COURSE.corpus, remember({"mine.json": merges}))
    with pytest.raises(LinkError, match="which no link can hold"):
        run_of(json.loads(json.dumps(fields_of(run))))
    assert to_link(run).startswith("~")
    assert trainable(run) == Run(COURSE.corpus, "bpe", 50, "gpt2")
    assert trainable(COURSE) == COURSE


@pytest.mark.parametrize("enough", ["stop", "cancel"])
def test_a_replay_that_is_stopped_shows_what_it_has(merges, enough, monkeypatch):
    run = replay_run(COURSE.corpus, remember({"mine.json": merges}))
    entry_for(run).clear()
    with monkeypatch.context() as patch:
        clicked(patch, enough, lambda report: report.stage == "merges" and report.done)
        with pytest.raises(tokviz.Cancelled) as caught:
            history_of(run)
    assert isinstance(caught.value, Stopped) == (enough == "stop")
    if enough == "stop":
        assert 0 < len(caught.value.history) < len(history_of(run))
        assert facts(caught.value.run) == facts(run)
        assert caught.value.run != run


def test_a_tokenizer_that_is_not_kept_any_more_leaves_a_sentence():
    with pytest.raises(ValueError, match="open its file again"):
        find("nothing")


def test_asking_for_those_that_are_gone_takes_nobodys_room(merges):
    key = remember({"kept.json": merges})
    for number in range(LIMITS.kept.histories + 1):
        with pytest.raises(ValueError, match="open its file again"):
            find(f"gone {number}")
        with pytest.raises(TokenizerFileError):
            remember({"none.json": f"[{number}]".encode()})
    assert find(key).name == "kept.json"


def test_opened_tokenizers_are_kept_by_what_they_take(merges, monkeypatch):
    monkeypatch.setattr(opened_files, "OPENED", SharedCache(9, 40 * len(merges) / 1e6))
    first, second = (remember({f"{name}.json": merges}) for name in "ab")
    assert find(first).name == "a.json"
    third = remember({"c.json": merges})
    assert (find(first).name, find(third).name) == ("a.json", "c.json")
    with pytest.raises(ValueError, match="open its file again"):
        find(second)


def test_the_same_files_are_opened_once(merges):
    key = remember({"mine.json": merges})
    assert remember({"mine.json": merges}) == key
    assert find(key) is find(key)
    assert remember({"other.json": merges}) != key
