"""Every text that people read on the pages is said in their language: here in one of capitals and
brackets, so that what is not in brackets was not translated."""

import json
import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
import streamlit as st
from app_test import APP
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz import PRESETS, PRETOKENIZERS, TRAINERS
from tokviz.analysis.comparison import PAIR_METRICS
from tokviz.analysis.metrics import METRICS
from tokviz.formats.exports import EXPORTS, export
from tokviz.pages import open_file
from tokviz.pages.comparison.comparer import LENSES as COMPARE_LENSES
from tokviz.pages.form.corpus_fields import OWN
from tokviz.pages.lenses.stepper import LENSES
from tokviz.pages.share.take_along import WAYS
from tokviz.pages.visit.link import to_links
from tokviz.pretokenizers import REGEX_PRESETS
from tokviz.server.runs import run_of_sample
from tokviz.trainers import settings_of

COURSE = run_of_sample(tokviz.SAMPLES["course"])
LETTERS = re.compile("[A-Za-z]{2}")
#: Names of algorithms, of their settings' values, and of other languages.
NAMES = (
    *(kind.label for kind in (*TRAINERS.values(), *PRETOKENIZERS.values())),
    *(choice for kind in TRAINERS.values() for s in settings_of(kind) for choice in s.choices),
    *(metric.source for metric in (*METRICS, *PAIR_METRICS) if metric.source),
    *(preset.source for preset in PRESETS.values()),
    *REGEX_PRESETS,
    "English",
)
#: Names of files, code points and their names, bytes, special tokens, parts of a tokenizer.
FILES = r"[\w-]+\.(?:csv|json|model|npz|parquet|txt)"
BYTES = r"U\+[0-9A-F]+|LATIN [A-Z ]+|\bx+\b|\b[0-9A-F]{2}\b"
PARTS = r"</?\w+>|BertPreTokenizer|Fuse|nmt_nfkc"
#: Fields of Streamlit's elements that people read.
SHOWN = ("label", "help", "placeholder", "alt", "content", "caption", "title", "options", "text")


class Texts(HTMLParser):
    """The text of some HTML in one piece, without tokens, and the texts of its attributes."""

    def __init__(self, html):
        super().__init__()
        self.text, self.attributes, self.skipping = "", [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        known = dict(attrs)
        # A picture of a word is heard as its tokens.
        names = ("title", "aria-label", "alt") if known.get("role") != "img" else ()
        self.attributes += [known[name] for name in names if known.get(name)]
        # Words of a corpus are isolated from the text around them.
        if self.skipping or tag == "bdi" or "chip" in (known.get("class") or "").split():
            self.skipping += tag not in ("br", "img", "i")

    def handle_endtag(self, tag):
        if self.skipping:
            self.skipping -= tag not in ("br", "img", "i")

    def handle_data(self, data):
        if not self.skipping:
            self.text += data + " "


def outside(text):
    """What of a text is in no brackets.

    >>> outside("[A [b] C] d")
    ' d'
    """
    while (less := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = less
    return text


def texts_of(app):
    """Every text that the app shows, as (where it is, text)."""
    found = []
    for node in app._tree:
        proto = getattr(node, "proto", None)
        if proto is not None:
            found += texts_in(proto, type(proto).__name__)
    return found


def texts_in(proto, where):
    found = []
    for field, value in proto.ListFields():
        name = f"{where}.{field.name}"
        values = value if field.is_repeated else [value]
        for one in values if not hasattr(values, "items") else ():
            if hasattr(one, "ListFields"):
                found += texts_in(one, name)
            elif isinstance(one, str) and one:
                if field.name == "body" and "<style" not in one:
                    html = Texts(one)
                    found += [(name, text) for text in (html.text, *html.attributes)]
                elif field.name == "columns":
                    found += [(name, text) for text in said_in(json.loads(one), ("label", "help"))]
                elif field.name == "spec":
                    found += [(name, text) for text in said_in(json.loads(one), ("title", "text"))]
                elif field.name in SHOWN:
                    found.append((name, one))
    return found


def said_in(written, keys):
    """The strings under some keys, at any depth."""
    found = []
    if isinstance(written, dict):
        found += [value for key, value in written.items() if key in keys and isinstance(value, str)]
        written = list(written.values())
    if isinstance(written, list):
        found += [text for part in written for text in said_in(part, keys)]
    return found


def check(app, *more):
    """Everything that the app shows is said, but for names."""
    assert not app.exception
    found = texts_of(app)
    assert found
    names = sorted(map(re.escape, (*NAMES, *more)), key=len, reverse=True)
    known = re.compile("|".join([FILES, BYTES, *names, PARTS]))
    left = [(where, text) for where, text in found if LETTERS.search(known.sub("", outside(text)))]
    assert not left


def drawn(page):
    """A page by itself."""
    app = AppTest.from_function(page, default_timeout=PATIENCE)
    return app.run()


@pytest.fixture(autouse=True)
def _new(loud):  # noqa: ARG001 (everything is said loud)
    st.cache_resource.clear()
    yield
    # What was made in capitals is nobody else's.
    st.cache_resource.clear()


def test_what_is_not_said_is_found():
    assert Texts('<p title="Why">One <span class="chip">a<b>b</b></span> two</p>').text.split() == [
        "One",
        "two",
    ]
    assert Texts('<p title="Why">One</p>').attributes == ["Why"]
    assert outside("[A [b] C] d") == " d"
    assert said_in({"a": [{"title": "x"}], "title": {"text": "y"}}, ("title", "text")) == ["x", "y"]


@pytest.mark.parametrize("lens", LENSES)
def test_the_train_page_with_its_lenses(lens):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.session_state["lens"] = lens
    app.query_params["lane"], app.query_params["step"] = "course", "13"
    app.run()
    check(app)
    kinds = {where.partition(".")[2] for where, _text in texts_of(app)}
    charts = {"spec"} if lens == "token" else set()
    assert {"label", "help", "body", *charts} <= kinds


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_the_form(algorithm):
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.button(key="settings_0").click().run()
    app.session_state["algorithm"] = algorithm
    app.run()
    check(app)


def test_the_form_with_a_preset_and_a_text_of_ones_own():
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.button(key="add").click().run()
    app.session_state["preset"] = next(iter(PRESETS))
    app.session_state["pretokenizer"] = "regex"
    app.session_state["sample"] = OWN
    app.run()
    check(app)


def test_several_lanes_and_the_settings_of_one():
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_links(
        [COURSE, replace(COURSE, algorithm="wordpiece", settings=())]
    )
    app.run()
    check(app)
    app.button(key="settings_1").click().run()
    check(app)


@pytest.mark.parametrize("way", WAYS)
def test_what_can_be_taken_along(way):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.session_state["take_along"] = way
    app.run()
    app.button(key="share_button").click().run()
    check(app, *EXPORTS)


def compare_page():
    from tokviz.pages import compare

    compare.page()


@pytest.mark.parametrize("lens", COMPARE_LENSES)
def test_the_compare_page_side_by_side(lens):
    app = AppTest.from_function(compare_page, default_timeout=PATIENCE)
    app.session_state["compare_lens"] = lens
    app.session_state["held_out_text"] = "a new text"
    app.run()
    check(app)


@pytest.mark.parametrize("view", ["languages", "grid"])
def test_the_other_views_of_the_compare_page(view):
    app = AppTest.from_function(compare_page, default_timeout=PATIENCE)
    app.session_state["compare_view"] = view
    app.run()
    check(app)


def encode_page():
    from tokviz.pages import encode

    encode.page()


def open_page():
    from tokviz.pages import open_file

    open_file.page()


def about_page():
    from tokviz.pages import about

    about.page()


def learn_page():
    from tokviz.pages import learn

    learn.page()


def test_the_page_learn():
    check(drawn(learn_page))


def test_the_page_encode():
    check(drawn(encode_page))


def test_the_page_how_it_works():
    app = drawn(about_page)
    title, document, checked, heading = app.markdown
    # The table below has the names of libraries and of files.
    said, table = checked.value.split("\n\n|", 1)
    assert not LETTERS.search(outside(title.value.replace("(#glossary)", "") + document.value))
    assert not LETTERS.search(outside(said + heading.value))
    assert not LETTERS.search(outside(table.splitlines()[0]))
    for drawn_html in app.get("html")[-2:]:
        shown = re.sub(r"<[^>]+>", " ", drawn_html.proto.body)
        assert not LETTERS.search(outside(shown)), shown


class File:
    """What the uploader gives."""

    def __init__(self, name, data):
        self.name, self.data = name, data

    def getvalue(self):
        return self.data


@pytest.mark.parametrize("name", ["tokenizer.json", "spm.model", "moment.tokviz.json"])
def test_the_page_that_opens_files(name, monkeypatch):
    check(drawn(open_page))
    # Not BPE, whose pattern is written out in the file.
    run = tokviz.train(COURSE.corpus.text, "wordpiece", 60, "bert")
    pieces = tokviz.train(COURSE.corpus.text, "sentencepiece-bpe", 60, "sentencepiece")
    files = {
        "tokenizer.json": lambda: export(run, "tokenizer.json")["tokenizer.json"],
        "spm.model": lambda: next(iter(export(pieces, "sentencepiece").values())),
        "moment.tokviz.json": lambda: b'{"format": "tokviz moment", "version": 0}',
    }
    chosen = [File(name, files[name]())]
    monkeypatch.setattr(open_file.st, "file_uploader", lambda *_args, **_kwargs: chosen)
    check(drawn(open_page))
