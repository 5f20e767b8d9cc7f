"""What the dialog "Take it with you" offers, without a browser."""

import io
import re
import sys
import zipfile
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import vl_convert
from app_test import APP, html, press
from helpers import PATIENCE, components, visit_of
from PIL import Image
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.formats.exports import EXPORTS
from tokviz.pages.opened_tokenizer import continued_run
from tokviz.pages.share import take_files
from tokviz.pages.share.take_along import MOST_CODED
from tokviz.pages.visit.link import to_links
from tokviz.pages.visit.moment_file import from_file
from tokviz.pages.visit.visit import RunRequest
from tokviz.server.opened.opened_files import remember
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
WORDPIECE = replace(COURSE, algorithm="wordpiece", vocab_size=60, pretokenizer="bert", settings=())
HOSTILE = "<img src=x onerror=alert(1)>"
ANIMATIONS = {"Save as animated SVG", "Save as GIF", "Save as PNG files (zip)"}


@pytest.fixture
def saved(monkeypatch):
    """What each button would save, by its label."""
    files = {}

    def button(label, data, file_name, **_):
        files[label] = (file_name, data)

    monkeypatch.setattr(take_files.st, "download_button", button)
    monkeypatch.setattr(
        take_files.st.delta_generator.DeltaGenerator,
        "download_button",
        lambda _self, label, **kwargs: button(label, **kwargs),
    )
    return files


def dialog(way, *lanes, step="7", **chosen):
    """The app with the dialog open, and what somebody chose in it."""
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_links(lanes or (COURSE,))
    app.query_params["step"] = step
    app.session_state["take_along"] = way
    app.run()
    for key, value in chosen.items():
        app.session_state[key] = value
    press(app, "Share")
    assert not app.exception
    return app


def contents(saved, label):
    name, data = saved[label]
    return name, data()


def test_the_link_is_drawn_once_the_browser_has_said_it(saved):
    app = dialog("link")
    assert components(app, "share") == [b'{"fits": true, "known": ""}']
    assert "QR code" not in html(app)
    href = "https://example.org/?lane=course&step=7"
    app.session_state["share"] = {"said": {"href": href, "parts": {"step": "7"}}}
    press(app, "Share")
    assert 'alt="QR code of the link"' in html(app)
    assert "your own computer" not in html(app)
    name, data = saved["Save this moment as a file"]
    assert (name, b'"step": "7"' in data()) == ("moment.tokviz.json", True)


def encode_page():
    from tokviz.pages import encode

    encode.page()


def test_a_visit_that_begins_on_encode_is_shared_as_one_of_the_train_page(saved):
    app = AppTest.from_function(encode_page, default_timeout=PATIENCE).run()
    press(app, "Share")
    assert not app.exception
    _, data = saved["Save this moment as a file"]
    assert from_file(data())[:2] == ("train", (COURSE,))


@pytest.mark.parametrize(
    ("href", "said"),
    [
        ("http://localhost:8501/?lane=course", "points to your own computer"),
        ("https://example.org/?lane=" + "a" * 700, "the code is dense"),
        ("https://example.org/?lane=" + "a" * MOST_CODED, "too many for a QR code"),
    ],
)
def test_what_a_code_cannot_do_is_said(saved, href, said):
    app = dialog("link")
    app.session_state["share"] = {"said": {"href": href, "parts": {}}}
    press(app, "Share")
    assert said in html(app)
    assert ("QR code of the link" in html(app)) == (len(href) <= MOST_CODED)
    assert saved


def test_a_text_too_long_for_a_link_is_saved_as_a_file(saved):
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    long = replace(COURSE, corpus=replace(COURSE.corpus, title="Long", text="low lower " * 30_000))
    visit_of(app).wanted_lane = RunRequest(0, long)
    app.run()
    app.session_state["take_along"] = "link"
    press(app, "Share")
    assert "The text is too long for a link." in html(app)
    assert components(app, "share") == [b'{"fits": false, "known": ""}']
    _, data = contents(saved, "Save this moment as a file")
    assert from_file(data).lanes == (long,)


def test_the_web_page_is_that_of_the_lanes_and_the_step(saved):
    dialog("web_page", COURSE, WORDPIECE, web_page_title=f"My {HOSTILE}")
    name, page = contents(saved, "Save as web page")
    assert name == "tokviz-my-img-src-x-onerror-alert-1.html"
    assert page.startswith(b"<!doctype html>")
    assert HOSTILE.encode() not in page
    assert b"WordPiece" in page


class Frames(HTMLParser):
    """The elements of a snippet, each with its attributes."""

    def __init__(self, snippet):
        super().__init__()
        self.found = []
        self.feed(snippet)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.found.append(data)


@pytest.mark.parametrize(
    ("title", "shown"),
    [
        ("Mine", "Mine"),
        ("", "Four course sentences"),
        (f'"></iframe>{HOSTILE}<iframe title="', None),
        ("a' onload='alert(1)", None),
        ("a\n\u202eb", "a⟨U+000A⟩⟨U+202E⟩b"),
    ],
)
def test_a_line_shows_the_saved_page_on_a_course_page(saved, title, shown):
    app = dialog("web_page", web_page_title=title)
    [code] = app.code
    assert code.language == "html"
    name, _ = saved["Save as web page"]
    frame = {"src": name, "title": title if shown is None else shown, "width": "100%"}
    frame |= {"height": "640", "style": "border: 0"}
    assert Frames(code.value).found == [("iframe", frame)]
    assert "put the saved file beside it" in html(app)


def test_a_tokenizer_is_saved_as_of_the_last_step_or_this_one(saved):
    app = dialog("tokenizer", take_state="now")
    history = tokviz.train(COURSE.corpus.text, "bpe", 50, "gpt2", unit="byte")
    name, data = contents(saved, "Save tokenizer.json")
    assert name == "tokviz-four-course-sentences-bpe-7.json"
    assert data == EXPORTS["tokenizer.json"].files(history, 7)["tokenizer.json"]
    name, data = contents(saved, "Save merges")
    assert name.endswith(".zip")
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == ["vocab.json", "merges.txt"]
    assert data == contents(saved, "Save merges")[1]
    why_not = EXPORTS["vocab.txt"].why_not(history)
    assert why_not in html(app)
    assert "Save vocab.txt" not in saved
    dialog("tokenizer")
    name, data = contents(saved, "Save tokenizer.json")
    assert name == "tokviz-four-course-sentences-bpe-20.json"
    assert data == EXPORTS["tokenizer.json"].files(history)["tokenizer.json"]


def test_after_training_each_lane_is_saved_as_of_its_own_end(saved):
    """Though the player stands at its first step, where Unigram has its seeds."""
    unigram = replace(COURSE, algorithm="unigram", pretokenizer="metaspace", settings=())
    app = dialog("tokenizer", COURSE, unigram, step="0", take_lane_2=1)
    assert app.radio(key="take_state").value == "end"
    history = tokviz.train(COURSE.corpus.text, "unigram", 50)
    name, data = contents(saved, "Save tokenizer.json")
    assert name == f"tokviz-four-course-sentences-unigram-{len(history)}.json"
    assert data == EXPORTS["tokenizer.json"].files(history)["tokenizer.json"]
    dialog("tables", COURSE, unigram, step="0", take_lane_2=1, table_name="vocabulary")
    _, data = contents(saved, "vocabulary.csv")
    assert len(data.decode().splitlines()) == 50 + 1
    app = dialog("tables", COURSE, unigram, step="0", take_lane_2=1, table_name="steps")
    assert not app.radio, "all steps are in it"


def test_the_tables_of_a_lane(saved):
    dialog("tables", COURSE, WORDPIECE, take_lane_2=1, table_name="vocabulary", take_state="now")
    name, data = contents(saved, "vocabulary.csv")
    assert name == "tokviz-four-course-sentences-vocabulary.csv"
    history = tokviz.train(COURSE.corpus.text, "wordpiece", 60)
    assert len(data.decode().splitlines()) == history.vocab_size(7) + 1
    assert contents(saved, "vocabulary.parquet")[1][:4] == b"PAR1"
    assert contents(saved, "history.npz")[1][:2] == b"PK"


def test_a_lane_of_a_tokenizer_file_has_no_history_file_and_no_link(saved, merges):
    lane = continued_run(COURSE.corpus, remember({"mine.json": merges}), 30)
    app = dialog("tables", lane, take_state="now", step="0")
    assert "A history file does not hold the tokenizer’s file" in html(app)
    assert "history.npz" not in saved
    app = dialog("link", lane, step="0")
    assert "which does not fit into a link. Save a web page instead" in html(app)
    assert not components(app, "share")


@pytest.mark.parametrize(
    ("kind", "drawn"),
    [
        ("curve", lambda history: history.chart("corpus_tokens", "85mm")),
        ("word", lambda history: history.word_chart(" tokenization", 7, "85mm")),
        ("segmentation", lambda h: h.segmentation_chart(" tokenization", 0, 7, "85mm")),
        ("candidates", lambda history: history.candidates_chart(7, 10, "85mm")),
    ],
)
def test_a_figure_is_the_one_that_python_gives(saved, kind, drawn):
    dialog("picture", figure_kind=kind)
    settings = dict(COURSE.settings)
    history = tokviz.train(
        COURSE.corpus.text, "bpe", COURSE.vocab_size, COURSE.pretokenizer, **settings
    )
    figure = drawn(history)
    for ending in ("svg", "png"):
        name, data = contents(saved, f"Save as {ending.upper()}")
        assert name == f"tokviz-four-course-sentences-{kind}-7.{ending}"
        # A name of a lane is that of the page.
        if kind != "curve":
            assert data == figure.file(ending, 300)
    assert contents(saved, "Save as PDF")[1].startswith(b"%PDF")


def test_a_figure_of_several_runs_has_a_curve_for_each(saved):
    dialog("picture", COURSE, WORDPIECE, figure_width="60 mm")
    svg = contents(saved, "Save as SVG")[1].decode("utf-8")
    assert re.search(r'width="170\.\d+pt"', svg)
    assert {"BPE", "WordPiece"} <= {*re.findall(r">([^<>]+)</text>", svg)}


def test_a_figure_that_cannot_be_is_a_sentence(saved):
    app = dialog("picture", figure_kind="word", figure_width="3 light years")
    assert "is no length; give points" in html(app)
    assert "Save as SVG" not in saved
    app = dialog("picture", figure_kind="word", figure_word=HOSTILE, figure_width="100mm")
    assert HOSTILE not in html(app)


def test_without_the_extra_there_is_what_the_browser_can_draw(saved, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    app = dialog("picture", figure_kind="word")
    assert "vl-convert-python" in html(app)
    assert contents(saved, "Save as SVG")[1].startswith(b"<svg")
    assert not {"Save as PDF", "Save as PNG"} & {*saved}
    saved.clear()
    app = dialog("picture")
    assert "as they look now" in html(app)
    assert "Save as SVG" not in saved


def test_some_steps_are_a_picture(saved):
    # Unigram leaves the first two lines as they are: the third one is cut in another way.
    unigram = replace(COURSE, algorithm="unigram", vocab_size=45, settings=())
    shown = dialog("picture", unigram).text_input(key="picture_words_0").value
    assert shown == "This section shows several tokenizer algorithms."
    app = dialog("picture", picture_seconds=2.5)
    assert app.text_input(key="picture_words_0").value == "This is the Hugging Face Course."
    name, data = contents(saved, "Save as animated SVG")
    assert name == "tokviz-four-course-sentences-0-20.svg"
    assert data.startswith(b"<svg")
    assert "data:image/svg+xml;base64," in html(app)
    name, data = contents(saved, "Save as GIF")
    assert name == "tokviz-four-course-sentences-0-20.gif"
    with Image.open(io.BytesIO(data)) as image:
        assert (image.n_frames, image.info["duration"], image.info["loop"]) == (21, 2500, 0)
    name, data = contents(saved, "Save as PNG files (zip)")
    assert name == "tokviz-four-course-sentences-0-20.zip"
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == [f"step-{t:04}.png" for t in range(21)]
        assert archive.read("step-0020.png")[1:4] == b"PNG"
    saved.clear()
    app = dialog("picture", picture_words_0=HOSTILE)
    assert "is not a word of this run" in html(app)
    assert HOSTILE not in html(app)
    assert not ANIMATIONS & {*saved}


def test_frames_are_made_at_the_download_only(saved, monkeypatch):
    drawn = []

    class Counts:
        @staticmethod
        def svg_to_png(svg, scale):
            drawn.append(scale)
            return vl_convert.svg_to_png(svg, scale=scale)

    monkeypatch.setitem(sys.modules, "vl_convert", Counts)
    dialog("picture")
    assert {*saved} >= ANIMATIONS
    assert {*drawn} == {0.1}, "one small state, to see whether it can be done"
    assert len(drawn) <= 3, "in each run of the page"
    before = len(drawn)
    contents(saved, "Save as GIF")
    assert len(drawn) == before + 21


def test_an_animation_that_cannot_be_pixels_is_a_sentence(saved, monkeypatch):
    class Panics:
        @staticmethod
        def svg_to_png(_svg, scale):
            raise RuntimeError(f"Err(Any {{ .. }}) at {scale}")

    monkeypatch.setitem(sys.modules, "vl_convert", Panics)
    app = dialog("picture")
    assert "cannot draw the text of this animation" in html(app)
    assert ANIMATIONS & {*saved} == {"Save as animated SVG"}
    saved.clear()
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    app = dialog("picture")
    assert "needs the packages vl-convert-python and Pillow" in html(app)
    assert ANIMATIONS & {*saved} == {"Save as animated SVG"}


def test_words_of_a_table_are_a_picture(saved):
    run = run_of_sample(tokviz.SAMPLES["hug-pug"])
    app = dialog("picture", run, step="1")
    assert app.text_input(key="picture_words_0").value == "hug pug pun bun hugs"
    assert contents(saved, "Save as animated SVG")[1].startswith(b"<svg")
    assert contents(saved, "Save as GIF")[1].startswith(b"GIF89a")
