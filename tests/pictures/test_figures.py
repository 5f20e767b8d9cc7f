"""Charts for a paper: what is written on them, and their sizes as files."""

import re

import pytest
from helpers import ROOT

import tokviz
from tokviz.pictures.curves import COLOURS, DASHES, MEASURES

TEXT = tokviz.SAMPLES["course"].corpus
RUNS = [
    tokviz.train(TEXT, name, 50, **more)
    for name, more in (("bpe", {}), ("wordpiece", {}), ("unigram", {}))
]
BOTH = tokviz.compare(RUNS, TEXT)


def titles(chart):
    encoding = chart.to_dict()["encoding"]
    return encoding["x"]["title"], encoding["y"]["title"]


def test_the_curve_of_a_run():
    chart = RUNS[0].chart()
    assert titles(chart) == ("Step", "Corpus tokens")
    curve = RUNS[0].curve()
    assert [*chart.data["x"]] == [*curve["step"]]
    assert [*chart.data["corpus_tokens"]] == [*curve["corpus_tokens"]]
    assert chart.to_dict()["encoding"]["color"]["legend"] is None


def test_the_curves_of_a_comparison():
    chart = BOTH.chart("fertility")
    encoding = chart.to_dict()["encoding"]
    assert encoding["color"]["scale"]["domain"] == ["bpe", "wordpiece", "unigram"]
    assert encoding["strokeDash"]["scale"]["range"] == DASHES[:3]
    assert len({*encoding["color"]["scale"]["range"]}) == 3
    assert titles(chart)[1] == "Fertility (tokens per white-space word)"
    own = BOTH.per("pretokens").chart("fertility")
    assert titles(own)[1] == "Fertility (tokens per own pre-token)"
    for which, label in ((BOTH, "White-space words"), (BOTH.per("pretokens"), "Pre-tokens")):
        assert titles(which.chart("whole_words"))[1] == f"{label} kept whole (share)"
    end = chart.data.groupby("lane")["fertility"].last()
    assert end["bpe"] == BOTH.metrics.groupby("lane")["fertility"].last()["bpe"]


@pytest.mark.parametrize("align", ["step", "size", "share"])
def test_what_the_states_are_counted_by(align):
    said = {"step": "Step", "size": "Vocabulary size (tokens)", "share": "Share of training (%)"}
    assert titles(tokviz.compare(RUNS, TEXT, align).chart())[0] == said[align]


def test_a_measure_that_is_not_there_names_those_that_are():
    with pytest.raises(ValueError, match="no curve of 'loss' here; choose corpus_tokens, char"):
        RUNS[0].chart("loss")
    assert titles(RUNS[2].chart("loss"))[1] == "Loss (−ln P, nats)"
    with pytest.raises(ValueError, match="no curve of 'speed' here"):
        BOTH.chart("speed")


def test_more_lanes_than_colours_begin_anew():
    runs = tokviz.compare([RUNS[0]] * (len(COLOURS) + 1), TEXT)
    used = runs.chart().to_dict()["encoding"]["color"]["scale"]["range"]
    assert used == [*COLOURS, COLOURS[0]]


def test_every_measure_of_a_comparison_has_a_title():
    of_lanes = {"lane", "position", "x", "step", "words", "per_word"}
    assert {*BOTH.metrics.columns} - of_lanes <= {*MEASURES}


def test_a_figure_has_the_size_that_was_asked_for(tmp_path):
    chart = BOTH.chart(width=180, height=120)
    for name in ("c.svg", "c.pdf", "c.png"):
        chart.save(tmp_path / name, ppi=300)
    svg = (tmp_path / "c.svg").read_text("utf-8")
    assert re.search(r'<svg[^>]* width="180pt" height="120pt"', svg)
    assert '<rect width="180" height="120" fill="white"/>' in svg
    assert b"/MediaBox [0 0 180 120]" in (tmp_path / "c.pdf").read_bytes()
    # The size of a PNG stands in its first chunk.
    png = (tmp_path / "c.png").read_bytes()
    width, height = (int.from_bytes(png[at : at + 4], "big") for at in (16, 20))
    # 300 to the inch, 72 points to the inch; the library rounds down.
    assert abs(width - 750) <= 1
    assert abs(height - 500) <= 1


def test_the_page_about_figures_does_what_it_says(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "figures.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], {})
    saved = {file.name for file in tmp_path.iterdir()}
    shown = re.findall(r'<img src="([^"]+)"', page)
    assert saved == {*shown}
    assert len(shown) == 6
    for name in shown:
        # As large as it is in the paper: 85 mm at 300 dots to the inch.
        for folder in (tmp_path, ROOT / "docs"):
            width = int.from_bytes((folder / name).read_bytes()[16:20], "big")
            assert abs(width - 1004) <= 1, name


def test_the_animations_of_the_page_are_made(tmp_path, monkeypatch):
    page = (ROOT / "docs" / "figures.md").read_text("utf-8")
    monkeypatch.chdir(tmp_path)
    exec(re.findall(r"```python\n(.*?)```", page, re.DOTALL)[1], {})
    begins = {file.name: file.read_bytes()[:4] for file in tmp_path.iterdir()}
    assert begins == {"course.svg": b"<svg", "course.gif": b"GIF8", "course.zip": b"PK\x03\x04"}


def test_a_lane_s_name_is_text_and_nothing_else(tmp_path):
    hostile = tokviz.compare(RUNS[:2], TEXT, names=["<b>&", "datum.x = '"])
    chart = hostile.chart()
    chart.save(tmp_path / "c.svg")
    svg = (tmp_path / "c.svg").read_text("utf-8")
    assert "&lt;b&gt;&amp;" in svg
    assert "<b>" not in svg
