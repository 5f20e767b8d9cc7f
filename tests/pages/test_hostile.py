"""Whatever somebody types, uploads or sends: no page fails, and all of it stays text."""

import os
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from app_test import APP, press, read
from helpers import PATIENCE, ROOT, components, visit_of
from hypothesis import example, given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from tokviz import SAMPLES
from tokviz.pages.share.take_files import file_name
from tokviz.pages.visit.link import to_link, to_links
from tokviz.pages.visit.visit import ENTERED, VISITS
from tokviz.pages.widgets.encode_request import request_from
from tokviz.pages.widgets.markup import label
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(SAMPLES["course"])
#: A word that no page says by itself, in everything that HTML, Markdown and Streamlit's own signs
#: would make something else of.
CANARY = "cAnArY7"
MARKDOWN = [
    f"**{CANARY}", f"`{CANARY}`", f"[{CANARY}](", f"![{CANARY}](", f"${CANARY}$", f":red[{CANARY}]",
    f":material/{CANARY}:", ":streamlit:", f"https://{CANARY}", f"www.{CANARY}", f"@{CANARY}",
    "a -> b",
]  # fmt: skip
HTML = f"\"'><x-{CANARY} on{CANARY}=1></style></textarea><!-- &lt;"
SIGNS = "\u202e\x00\x1b[2J\r\n\t\u2028\ufeff👩‍🚀 مرحبا =1+1 " + "x" * 300
HOSTILE = f"{HTML} {' '.join(MARKDOWN)}x) {SIGNS}"
#: What of an element is shown as plain text, or read by our own code: everything else may be
#: Markdown.
PLAIN = {
    ("Html", "body"),
    ("TextArea", "default"), ("TextArea", "value"),
    ("TextInput", "default"), ("TextInput", "value"),
    ("Selectbox", "options"), ("Selectbox", "raw_value"), ("Selectbox", "default_value"),
    ("MultiSelect", "options"), ("MultiSelect", "raw_values"), ("MultiSelect", "default"),
    ("BidiComponent", "bytes"), ("BidiComponent", "json"),
    ("VegaLiteChart", "spec"), ("Code", "code_text"),
}  # fmt: skip


class Elements(HTMLParser):
    """Fails for an element or an attribute that a text made."""

    def handle_starttag(self, tag, attrs):
        names = [tag, *(name for name, _value in attrs)]
        assert not any(CANARY.lower() in name.lower() for name in names), names

    def handle_comment(self, data):
        assert CANARY not in data


def strings(message):
    """Every text in a message to the browser, with its kind of message and its field."""
    for field, value in message.ListFields():
        many = value if field.is_repeated else [value]
        for one in many.values() if hasattr(many, "values") else many:
            if hasattr(one, "ListFields"):
                yield from strings(one)
            elif isinstance(one, str):
                yield type(message).__name__, field.name, one


def assert_text(app):
    """Nothing failed, and what was typed is nothing but text."""
    assert not app.exception
    for node in app._tree:
        # The page itself has none.
        if (proto := getattr(node, "proto", None)) is None:
            continue
        for kind, field, said in strings(proto):
            # A line of HTML that people take along has to be as safe as the page's own.
            if kind in ("Html", "Code"):
                elements = Elements()
                elements.feed(said)
                elements.close()
            elif (kind, field) not in PLAIN:
                # Escaped, it holds none of these: a label's own signs stand between.
                found = [raw for raw in [*MARKDOWN, HTML] if CANARY in raw and raw in said]
                assert not found, (kind, field, said)


def text_fields(app):
    return [*app.text_area, *app.text_input]


def type_everywhere(app, text=HOSTILE):
    """Types into every field of the page, one after the other; the page runs after each."""
    typed = 0
    for field in text_fields(app):
        # Every run may change the fields.
        again = next((one for one in text_fields(app) if one.id == field.id), None)
        if again is not None:
            again.set_value(text[: again.proto.max_chars or None]).run()
            assert_text(app)
            typed += 1
    return typed


def opened(lanes=("course",), **query):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = list(lanes)
    for name, value in query.items():
        app.query_params[name] = value
    app.run()
    return app


def function(module, name="page"):
    """A page by itself."""
    source = f"from tokviz.pages.{module} import {name}\n{name}()"
    return AppTest.from_string(source, default_timeout=PATIENCE)


NAMED = replace(
    COURSE,
    corpus=replace(COURSE.corpus, title=HOSTILE.replace("\x00", ""), text=HOSTILE),
    vocab_size=120,
)


def test_the_corpus_and_every_setting_of_the_form():
    app = opened()
    press(app, "Settings")
    assert type_everywhere(app)
    for algorithm in ("wordpiece", "sentencepiece-bpe", "bpe"):
        app.segmented_control(key="algorithm").set_value(algorithm).run()
        for field in app.multiselect:
            app.session_state[field.key] = ["a", HOSTILE]
        app.run()
        assert_text(app)
    app.selectbox(key="pretokenizer").set_value("regex").run()
    for pattern in (HOSTILE, "(", "", "(a|a?)+$"):
        app.text_input(key="regex.pattern").set_value(pattern).run()
        assert_text(app)


@pytest.mark.parametrize("read_as", ["Text", "Word counts"])
def test_a_file_with_any_name(read_as):
    app = opened()
    press(app, "Settings")
    name = HOSTILE.replace("\x00", "") + (".csv" if read_as == "Word counts" else ".txt")
    rows = f"{HTML}\t5\n=1+1\t3\n" if read_as == "Word counts" else HOSTILE
    app.file_uploader(key="upload").set_value((name, rows.encode(), "text/plain")).run()
    assert_text(app)
    app.number_input(key="vocab_size").set_value(200).run()
    assert_text(app)
    assert visit_of(app).lanes[0].corpus.title == name
    press(app, "Compare side by side")
    assert_text(app)


def test_a_file_that_is_no_text_is_named_as_text():
    app = opened()
    press(app, "Settings")
    app.file_uploader(key="upload").set_value((f"{HTML}**{CANARY}.txt", b"\xff", "")).run()
    assert_text(app)
    assert "is not UTF-8" in "".join(node.proto.body for node in app.get("html"))


@pytest.mark.parametrize("lens", ["scores", "vocabulary", "steps", "word", "token", "encode"])
def test_lanes_with_any_name_in_every_lens(lens):
    other = replace(
        NAMED, corpus=replace(NAMED.corpus, title=f"{MARKDOWN[3]}x)", text=HOSTILE + " b")
    )
    app = opened(lanes=to_links([NAMED, other]), word=HTML, find=HOSTILE, text=HOSTILE)
    assert visit_of(app).lanes == (NAMED, other)
    assert_text(app)
    app.session_state["lens"] = lens
    app.run()
    assert_text(app)
    type_everywhere(app)


@pytest.mark.parametrize("module", ["compare", "encode", "learn", "open_file", "about"])
def test_every_other_page(module):
    app = function(module)
    app.query_params["lane"] = to_links([NAMED, replace(NAMED, algorithm="unigram", settings=())])
    for part in ("step", "align", "lens", "of", "word", "find", "text", "pins", "lesson", "scene"):
        app.query_params[part] = HOSTILE
    app.session_state["pages"] = {}
    app.run()
    assert_text(app)
    type_everywhere(app)


@pytest.mark.parametrize("way", ["link", "web_page", "tokenizer", "tables", "picture"])
def test_what_is_taken_along(way):
    app = opened(lanes=[to_link(NAMED)], step="3")
    app.session_state["take_along"] = way
    press(app, "Share")
    assert_text(app)
    type_everywhere(app)
    for node in app.get("download_button"):
        names = [text for _, field, text in strings(node.proto) if field in ("url", "file_name")]
        assert not any(CANARY in name for name in names)


def test_the_tooltip_that_names_a_what_if_is_text():
    run = replace(
        COURSE,
        corpus=replace(COURSE.corpus, text="** ** a* __"),
        pretokenizer="whitespace",
        vocab_size=9,
    )
    told = replace(run, settings=(("interventions", ((0, ("*", "*")),)),))
    app = opened(lanes=to_links([replace(run, settings=()), told]))
    assert_text(app)
    [button] = [button for button in app.button if button.label == "Remove lane"]
    assert r"\* \+ \*" in button.help


@given(st.text(st.sampled_from("/\\.:%\0\n a-Z0é\u202e\"'") | st.characters(), max_size=80))
def test_the_name_of_a_file_that_is_saved_is_plain(title):
    assert re.fullmatch(r"tokviz(-[a-z0-9]+)*-?\.csv", file_name(title, "csv"))


@given(
    st.text(st.sampled_from(":/mwh@.-<>=~ s[]*_`$\\\n\ud800\u202e") | st.characters(), max_size=20)
)
def test_a_label_leaves_nothing_to_markdown(text):
    made = label(text)
    made.encode("utf-8")
    plain = re.sub(r"\\[!-/:-@\[-`{-~]", "", made)
    assert not re.search(r"[\\`*_{}\[\]()#+\-.!:$~<>|&\n\r]", plain)
    # What Streamlit looks for after Markdown is read.
    shown = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", made)
    assert not re.search(
        r":material[/_]|:streamlit:|https?://|www\.|\w@\w|->|<-|--|[<>~]=|^ {4}", shown
    )


# --- what components say --------------------------------------------------------------------------

#: What a page's component may say if somebody writes it by hand: their names with any value.
NAMES = st.sampled_from(
    [
        *("id", "align", "position", "states", "what", "word", "token", "lane", "number", "typed"),
        *("form", "serial", "text", "pins", "chosen", "sampling", "draw", "ids", "moment"),
        *("removed", "state", "step", "choice", "x"),
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 2**60) | st.just("step") | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=6),
    max_leaves=8,
)
SAID = st.dictionaries(NAMES, VALUES, max_size=8) | VALUES


@given(SAID)
def test_any_question_is_read(said):
    assert request_from(said).serial >= 0


@pytest.fixture(scope="module")
def train_page():
    app = opened(lanes=to_links([COURSE, replace(COURSE, vocab_size=45)]))
    head, _ = read(components(app, "player")[0], b"TVZB")
    return app, head["id"]


FAR = {"align": "size", "position": 2**60, "states": [2**60, 0]}
STRANGE = {"align": "<b>", "position": 1, "states": [1, 1]}


@settings(max_examples=12)
@example("x", {"what": "token", "token": "\ud800"}, ["x"], "x", "word")
@example(FAR, {"what": "word", "typed": "\ud800"}, {}, [1], "word")
@example(STRANGE, {"what": "token", "lane": []}, {"lane": 0, "step": -1, "choice": []}, 5, "encode")
@example([1], {"what": []}, 5, {"pins": 5}, "encode")
@example([1], "x", 5, {"pins": 5, "text": "\ud800", "chosen": [2**60] * 3}, "encode")
@given(SAID, SAID, SAID, SAID, st.sampled_from(["word", "encode"]))
def test_whatever_the_player_says_the_page_stands(train_page, moment, look, what_if, asked, lens):
    app, known = train_page
    if isinstance(moment, dict):
        moment = {**moment, "id": known}
    app.session_state["player"] = {"moment": moment, "look": look, "what_if": what_if}
    app.session_state["settled"] = {"moment": moment}
    app.session_state["word_lens"] = app.session_state["encoder"] = {"asked": asked}
    app.session_state["lens"] = lens
    app.run()
    assert not app.exception, app.exception
    # What the browser calls, and AppTest does not.
    from_script = (
        "from tokviz.pages.lenses import branches, stepper\n"
        "stepper.open_clicked()\nbranches.ask_for_branch()"
    )
    heard = AppTest.from_string(from_script, default_timeout=PATIENCE)
    for name in ("player", VISITS, ENTERED):
        heard.session_state[name] = app.session_state[name]
    heard.run()
    assert not heard.exception, heard.exception
    if "lens_token" in heard.session_state:
        app.session_state["lens"] = "token"
        app.session_state["lens_token"] = heard.session_state["lens_token"]
        app.run()
        assert not app.exception, app.exception


@pytest.mark.parametrize("asked", ["x", [1], {"moment": "x"}, {"moment": FAR}, {"pins": 5}])
def test_whatever_the_encoder_asks_the_page_stands(asked):
    app = function("encode").run()
    app.session_state["encoder"] = {"asked": asked}
    app.run()
    assert not app.exception


# --- logs and files -------------------------------------------------------------------------------

_VISIT = """
import sys
sys.path[:0] = [{tests!r}, {tests!r} + "/pages"]
from test_hostile import *
app = opened()
press(app, "Settings")
type_everywhere(app)
opened(lanes=[to_link(NAMED)], step=HOSTILE, word=HOSTILE)
opened(lanes=["~" + HOSTILE])
app = function("encode")
app.query_params["text"] = HOSTILE
app.run()
# Streamlit fails of such a file's name, and logs its error.
app = opened()
press(app, "Settings")
app.file_uploader(key="upload").set_value((HOSTILE.replace(chr(0), ""), b"x", "")).run()
print("done")
"""


def test_nothing_typed_reaches_logs_or_disk(tmp_path):
    tests = ROOT / "tests"
    home = {name: str(tmp_path) for name in ("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_CONFIG_HOME")}
    done = subprocess.run(
        [sys.executable, "-c", _VISIT.format(tests=str(tests))],
        env={**os.environ, **home, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path,
        capture_output=True,
        timeout=PATIENCE,
    )
    assert b"done" in done.stdout, done.stderr.decode()[-3000:]
    # The error is logged, without its message.
    assert b"StreamlitAPIException (its message is not logged)" in done.stderr
    assert CANARY.encode() not in done.stdout + done.stderr
    for path in tmp_path.rglob("*"):
        assert not (path.is_file() and CANARY.encode() in path.read_bytes()), path
