"""The panel of a grid, without a browser."""

import json
from dataclasses import replace

import pytest
from effort import SAMPLE_NAMES
from helpers import PATIENCE
from here_worker import clicked
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz import SAMPLES
from tokviz.analysis.grid import Grid, GridProgress, grid
from tokviz.analysis.metrics import METRICS
from tokviz.basics.progress import Progress
from tokviz.pages.comparison.grid_chart import grid_chart
from tokviz.pages.comparison.grid_run import (
    MOST_SIZES,
    GridRequest,
    StoppedGrid,
    grid_entry,
    grid_of,
    label_of,
    runs_of,
    sizes_from,
    told_of_grid,
)
from tokviz.server.jobs import history_of
from tokviz.server.runs import run_of_sample

RUN = run_of_sample(SAMPLES["course"])
CORPUS_TOKENS = next(metric for metric in METRICS if metric.name == "corpus_tokens")


@pytest.fixture
def app():
    def draw():
        import streamlit as st

        from tokviz.pages.comparison.grid import grid_page

        st.session_state.setdefault("opened", [])
        if st.session_state.get("away"):
            return
        grid_page(st.session_state["run"], st.session_state["opened"].append)

    app = AppTest.from_function(draw, default_timeout=PATIENCE)
    app.session_state["run"] = RUN
    return app


def html(app):
    assert not app.exception
    return "\n".join(element.proto.body for element in app.get("html"))


def press(app, label):
    next(button for button in app.button if button.label == label).click()
    return app.run()


def cells(app):
    _, found = app.session_state["grid_shown"]
    return found


# --- what is asked for ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Type at least one vocabulary size"),
        (" , ", "Type at least one vocabulary size"),
        ("40, 6O", "“6O” is not a vocabulary size"),
        ("1,000", "“000” is not a vocabulary size; type whole numbers without dots or commas"),
        ("40 -50", "“-50” is not a vocabulary size"),
        ("40.5", "“40.5” is not a vocabulary size"),
        ("٤٠", "“٤٠” is not a vocabulary size"),
        ("100001", "100001 is too large; the greatest vocabulary size is 100,000"),
        ("9" * 5000, "is too large"),
        (" ".join(map(str, range(40, 54))), "These are 14 sizes; a grid takes up to 12. Leave out"),
    ],
)
def test_sizes_that_cannot_be_get_a_sentence(typed, said):
    with pytest.raises(ValueError, match=said):
        sizes_from(typed)


def test_sizes_are_taken_however_they_are_parted():
    assert sizes_from("80;40\n 60,60") == (40, 60, 80)
    assert len(sizes_from(" ".join(map(str, range(40, 40 + MOST_SIZES))))) == MOST_SIZES


def test_the_algorithm_of_the_lane_keeps_its_settings_and_others_are_as_usual():
    table = replace(
        RUN, corpus=replace(RUN.corpus, text="a,1", read_as="counts"), pretokenizer="none"
    )
    for run in (RUN, table):
        own, wordpiece, unigram = runs_of(run, ["bpe", "wordpiece", "unigram"], 90)
        assert own == replace(run, vocab_size=90)
        assert (wordpiece.pretokenizer, wordpiece.settings) == ("bert", ())
        assert unigram.settings == ()
        assert {one.corpus for one in (own, wordpiece, unigram)} == {run.corpus}


def test_unigram_has_room_to_prune():
    def seeds(greatest, *settings):
        run = replace(RUN, algorithm="unigram", settings=settings)
        (one,) = runs_of(run, ["unigram"], greatest)
        return one.settings

    assert seeds(100) == ()
    assert seeds(101, ("trim_last", False)) == (("trim_last", False), ("seed_size", 303))
    assert seeds(101, ("seed_size", 700)) == (("seed_size", 700),)
    assert seeds(100_000) == (("seed_size", 200_000),)


# --- training -------------------------------------------------------------------------------------


def test_a_grid_is_trained_once_for_everybody():
    request = GridRequest(runs_of(RUN, ["bpe", "unigram"], 70), (50, 70))
    found = grid_of(request)
    set_ups = {
        "BPE": {"algorithm": "bpe", "pretokenizer": "gpt2", "unit": "byte"},
        "Unigram": {"algorithm": "unigram"},
    }
    assert found.table.equals(grid(RUN.corpus.text, set_ups, [50, 70]).table)
    assert grid_of(request) is found
    titled = request._replace(
        runs=tuple(replace(run, corpus=replace(run.corpus, title="Mine")) for run in request.runs)
    )
    assert grid_of(titled) is found
    assert grid_of(request._replace(sizes=(50, 60))) is not found


def test_a_cell_is_what_its_lane_shows():
    request = GridRequest(runs_of(RUN, [*tokviz.TRAINERS], 70), (50, 70))
    table = grid_of(request).table.set_index(["algorithm", "vocab_size"])
    for run in request.runs:
        for size in request.sizes:
            history = history_of(replace(run, vocab_size=size))
            row = table.loc[label_of(run), size]
            assert row["steps"] == len(history)
            assert row["stopped"] == history.stopped
            assert row["corpus_tokens"] == history.curve()["corpus_tokens"].iloc[-1]


def test_the_bar_says_which_cell_is_trained():
    inner = Progress("merges", 500, 2000, 2.0)
    report = GridProgress("BPE", 4000, done=2, cells=8, at_once=4, inner=inner)
    said = "2 of 8 cells done. BPE to 4,000 tokens: 500 of 2,000 merges, about 6 s left"
    assert told_of_grid(report) == (3 / 8, said)


def pruning(report):
    return report.algorithm == "Unigram" and report.inner.stage == "tokens"


def test_stop_keeps_what_is_finished_for_who_asked_only(monkeypatch):
    request = GridRequest(runs_of(RUN, ["bpe", "unigram"], 71), (51, 71))
    with monkeypatch.context() as patch:
        clicked(patch, "stop", pruning)
        with pytest.raises(StoppedGrid) as stopped:
            grid_of(request)
    part = stopped.value.grid
    assert part.cancelled
    assert part.table["algorithm"].tolist() == ["BPE", "BPE"]
    assert len(grid_of(request).table) == 4


@pytest.mark.parametrize(
    ("what", "when"), [("cancel", pruning), ("stop", lambda _: True)], ids=["cancel", "at once"]
)
def test_cancelled_or_stopped_before_any_cell_leaves_nothing(monkeypatch, what, when):
    request = GridRequest(runs_of(RUN, ["bpe", "unigram"], 72), (52, 72))
    clicked(monkeypatch, what, when)
    with pytest.raises(tokviz.Cancelled, match="Training was cancelled") as cancelled:
        grid_of(request)
    assert not isinstance(cancelled.value, StoppedGrid)
    assert not grid_entry(request)


# --- the chart ------------------------------------------------------------------------------------


def test_an_algorithm_looks_the_same_in_every_grid():
    def looks(algorithms):
        table = grid_of(GridRequest(runs_of(RUN, algorithms, 70), (3, 50, 70))).table
        line, points = json.loads(grid_chart(table, METRICS[0]).to_json())["layer"]
        found = {}
        for channel, layer in (("color", line), ("strokeDash", line), ("shape", points)):
            scale = layer["encoding"][channel]["scale"]
            for name, look in zip(scale["domain"], scale["range"], strict=True):
                found.setdefault(name, []).append(str(look))
        return found

    every = looks([*tokviz.TRAINERS])
    for looked in zip(*every.values(), strict=True):
        assert len(set(looked)) == len(tokviz.TRAINERS)
    some = looks(["wordpiece", "unigram"])
    assert some == {name: every[name] for name in ("WordPiece", "Unigram")}


def test_only_trained_cells_are_drawn_where_training_ended():
    table = grid_of(GridRequest(runs_of(RUN, ["bpe"], 900), (3, 60, 900))).table
    (values,) = json.loads(grid_chart(table, CORPUS_TOKENS).to_json())["datasets"].values()
    assert [(v["vocab_size"], v["reached"], v["corpus_tokens"]) for v in values] == [
        (60, 60, 116),
        (900, 140, 36),
    ]


# --- the panel ------------------------------------------------------------------------------------


def test_a_short_corpus_is_trained_on_at_once(app):
    app.run()
    said = html(app)
    assert "Metaspace, Seed vocabulary 480" in said
    assert "= code points of all pre-tokens ÷ tokens. More is better." in said
    assert isinstance(cells(app), Grid)
    assert [*cells(app).table["algorithm"].unique()] == ["BPE", "WordPiece", "Unigram"]
    assert (cells(app).table["error"] == "").all()
    assert app.text_input(key="grid_sizes").value == "40, 60, 80, 100, 120, 140, 160"
    assert app.get("vega_lite_chart") or app.get("arrow_vega_lite_chart")
    assert len(app.dataframe[0].value) == 21


@pytest.mark.parametrize("name", SAMPLE_NAMES)
def test_every_sample_opens_with_a_grid_or_an_invitation(app, name):
    app.session_state["run"] = run = run_of_sample(SAMPLES[name])
    said = html(app.run())
    if len(run.corpus.text) > 20_000:
        assert "training waits for you" in said
        assert app.text_input(key="grid_sizes").value.startswith("600, 800, 1000")
    else:
        assert (cells(app).table["error"] == "").all()


def test_any_metric_can_be_drawn(app):
    app.run()
    app.selectbox(key="grid_metric").set_value("renyi_efficiency").run()
    assert "Zouhar et al. 2023" in html(app)


def test_what_is_typed_wrong_stays_and_so_does_what_is_shown(app):
    app.run()
    before = cells(app)
    app.text_input(key="grid_sizes").set_value("50, <b>")
    press(app, "Train the grid")
    assert "“&lt;b&gt;” is not a vocabulary size" in html(app)
    assert app.text_input(key="grid_sizes").value == "50, <b>"
    assert cells(app) is before
    app.text_input(key="grid_sizes").set_value("50 70")
    press(app, "Train the grid")
    assert 'role="alert"' not in html(app)
    assert cells(app).table["vocab_size"].unique().tolist() == [50, 70]
    app.session_state["grid_algorithms"] = []
    press(app, "Train the grid")
    assert "Choose at least one algorithm." in html(app)


def test_a_cell_that_cannot_be_says_why(app):
    app.run()
    app.text_input(key="grid_sizes").set_value("3 35")
    press(app, "Train the grid")
    assert "4 cells could not be trained; the last column of the table says why." in html(app)
    ended = app.dataframe[0].value["stopped"].tolist()
    assert ended[2].startswith("A vocabulary size of 3 is too small: it must hold the alphabet")
    app.text_input(key="grid_sizes").set_value("3")
    press(app, "Train the grid")
    assert not app.get("vega_lite_chart")
    assert not app.get("arrow_vega_lite_chart")


def select(app, *rows):
    visit = app.session_state["grid_visit"]
    chosen = {"selection": {"rows": [*rows], "columns": [], "cells": []}}
    app.session_state[f"grid_cells_{visit}"] = chosen
    return app.run()


def test_cells_open_as_lanes(app):
    app.run()
    assert "Select 1 to 4 rows of the table" in html(app)
    assert app.button(key="grid_open").disabled
    select(app, 1, 7, 20)
    assert "Select 1 to 4" not in html(app)
    press(app, "Open as lanes")
    bpe, wordpiece, unigram = runs_of(RUN, ["bpe", "wordpiece", "unigram"], 160)
    expected = (
        replace(bpe, vocab_size=60),
        replace(wordpiece, vocab_size=40),
        replace(unigram, vocab_size=160),
    )
    assert app.session_state["opened"] == [expected]
    select(app, 0, 1, 2, 3, 4)
    assert "5 rows are selected; select up to 4" in html(app)
    assert app.button(key="grid_open").disabled


def test_a_cell_that_could_not_be_trained_opens_no_lane(app):
    app.run()
    app.text_input(key="grid_sizes").set_value("3 50")
    press(app, "Train the grid")
    select(app, 0, 1)
    assert "cannot be opened as a lane; deselect it" in html(app)
    assert app.button(key="grid_open").disabled


def test_stop_here_keeps_finished_cells(app, monkeypatch):
    app.run()
    app.text_input(key="grid_sizes").set_value("53 73")
    clicked(monkeypatch, "stop", pruning)
    press(app, "Train the grid")
    assert "Stopped: 4 of 6 cells were finished." in html(app)
    assert len(app.dataframe[0].value) == 4


def test_cancel_keeps_what_was_shown(app, monkeypatch):
    app.run()
    before = cells(app)
    app.text_input(key="grid_sizes").set_value("54 74")
    clicked(monkeypatch, "cancel", pruning)
    press(app, "Train the grid")
    assert "Training was cancelled." in html(app)
    assert cells(app) is before


def test_another_corpus_has_its_own_sizes_unless_some_were_typed(app):
    app.run()
    app.session_state["run"] = run_of_sample(SAMPLES["hug-pug"])
    app.run()
    assert app.text_input(key="grid_sizes").value == "8, 10, 12, 14, 16, 18"
    assert "word counts" in html(app)
    app.text_input(key="grid_sizes").set_value("9, 50")
    press(app, "Train the grid")
    app.session_state["run"] = RUN
    app.run()
    assert app.text_input(key="grid_sizes").value == "9, 50"
    assert cells(app).table["vocab_size"].unique().tolist() == [9, 50]


def test_everything_is_there_when_the_reader_comes_back(app):
    app.run()
    app.session_state["grid_algorithms"] = ["wordpiece"]
    app.text_input(key="grid_sizes").set_value("60, 70")
    press(app, "Train the grid")
    app.selectbox(key="grid_metric").set_value("unused").run()
    before = cells(app)
    for away in (True, False):
        app.session_state["away"] = away
        app.run()
    assert cells(app) is before
    assert app.text_input(key="grid_sizes").value == "60, 70"
    assert app.session_state["grid_algorithms"] == ["wordpiece"]
    assert app.selectbox(key="grid_metric").value == "unused"


def test_a_corpus_that_cannot_be_read_gets_a_sentence(app):
    app.session_state["run"] = replace(
        RUN, corpus=replace(RUN.corpus, text="no table, 3, here", read_as="counts")
    )
    said = html(app.run())
    assert "line 1 of the word table" in said
    assert "grid_shown" not in app.session_state
