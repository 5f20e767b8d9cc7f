"""Lanes that replay the merges of an opened tokenizer, and for how long that is kept."""

import json
from dataclasses import replace

import pytest
from app_test import APP, html
from helpers import PATIENCE
from here_worker import clicked
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.analysis.tokens_saved import tokens_saved
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.pages.opened_tokenizer import continued_run, replay_run
from tokviz.pages.visit.lanes import facts
from tokviz.pages.visit.link import address_of, from_links, links_of, to_link
from tokviz.pages.visit.written_run import LinkError, fields_of, run_of
from tokviz.server.histories import entry_for
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.limits import LIMITS
from tokviz.server.opened import opened_files
from tokviz.server.opened.opened_files import find, remember
from tokviz.server.runs import Run, TokenizerFile, run_of_sample, trainable
from tokviz.server.shared_cache import SharedCache

COURSE = run_of_sample(tokviz.SAMPLES["course"])


def read_again(fields):
    return run_of(json.loads(json.dumps(fields)))


@pytest.mark.parametrize("make", [replay_run, lambda *given: continued_run(*given, 30)])
def test_a_run_of_a_file_is_in_no_link_and_in_the_address_of_this_server(merges, make):
    run = make(COURSE.corpus, remember({"mine.json": merges}))
    stopped = replace(run, source=replace(run.source, steps=3))
    for one in (run, stopped):
        assert read_again(fields_of(one)) == one
        assert from_links(address_of([one, COURSE])) == ([one, COURSE], [])
    assert links_of([run]) == links_of([COURSE, run]) == []
    assert trainable(run) == Run(COURSE.corpus, "bpe", 50, "gpt2")
    assert trainable(COURSE) == COURSE


def test_an_address_of_a_file_that_is_not_kept_or_of_none_says_so(merges):
    fields = fields_of(replay_run(COURSE.corpus, remember({"mine.json": merges})))
    *same, settings = fields
    assert settings == (("file", remember({"mine.json": merges})),)
    with pytest.raises(LinkError, match="is not kept any more; open its file again"):
        read_again([*same, [["file", "0f"]]])
    with pytest.raises(LinkError, match="which no link can hold"):
        read_again([*same, []])
    for bad in ([["file", 3]], [*settings, ["steps", "3"]], [*settings, ["unit", "byte"]]):
        with pytest.raises(TypeError):
            read_again([*same, bad])


def test_a_reload_shows_a_lane_that_goes_on_from_a_file(merges):
    run = continued_run(COURSE.corpus, remember({"mine.json": merges}), 30)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"], app.query_params["v"] = address_of([run])[0], "2"
    app.run()
    assert not app.exception
    assert app.session_state["visits"]["train"].lanes == (run,)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_link(replace(run, source=TokenizerFile("0f", "mine.json")))
    app.run()
    assert "This address could not be opened" in html(app)
    assert "open its file again" in html(app)


def test_a_lane_that_goes_on_is_told_otherwise_beside_itself(merges):
    run = continued_run(COURSE.corpus, remember({"mine.json": merges}), 9)
    found = history_of(run).candidates(3)
    pair = found.left.iloc[-1], found.right.iloc[-1]
    other = replace(run, interventions=((3, pair),))
    assert from_links(address_of([run, other])) == ([run, other], [])
    assert facts(other)["What if"] == f"step 4 {pair[0]} + {pair[1]}"
    branch = history_of(other)
    assert branch == tokviz.branch(history_of(run), 3, pair)
    step = branch.steps[3]
    assert (step.left, step.right) == pair
    told = ["interventions", [[3, [*pair]]]]
    *same, settings = fields_of(run)
    assert read_again([*same, [*settings, told]]) == other
    for bad, error in (
        ([[3, ["a"]]], LinkError),
        ([[3, "ab"]], LinkError),
        ([[3, ["a", "\ud800"]]], TypeError),
        ({"3": ["a", "b"]}, TypeError),
        ([[n, ["a", "b"]] for n in range(999)], LinkError),
    ):
        with pytest.raises(error):
            read_again([*same, [*settings, ["interventions", bad]]])
    *same, settings = fields_of(replay_run(COURSE.corpus, run.source.digest))
    with pytest.raises(TypeError):
        read_again([*same, [*settings, told]])


def saved_table(app):
    [found] = [each for each in app.dataframe if "saved here" in each.value]
    return found


def test_the_panel_of_a_lane_that_goes_on_tells_what_its_tokens_save(merges):
    run = continued_run(COURSE.corpus, remember({"mine.json": merges}), 30)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"], app.query_params["v"] = address_of([run])[0], "2"
    app.run()
    app.button(key="settings_0").click().run()
    saved = tokens_saved(history_of(run), "a token, tokens")
    table = saved_table(app)
    assert [*table.value] == ["token", "saved here"]
    assert table.value["saved here"].tolist() == saved["saved"].tolist()
    app.text_area(key="held_out_text").set_value("a token, tokens").run()
    table = saved_table(app)
    assert [*table.value] == ["token", "saved here", "saved in held-out text"]
    assert table.value["saved in held-out text"].tolist() == saved["saved_held_out"].tolist()
    app.text_area(key="held_out_text").set_value("a" * 5_000_000).run()
    assert "The held-out text has 5,000,000 bytes" in html(app)
    assert not app.exception


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
