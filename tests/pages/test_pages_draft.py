"""What the browser kept of a session before comes back into the form, whoever wrote it."""

import json
from dataclasses import replace
from zlib import crc32

import pytest
from app_test import APP, html
from helpers import PATIENCE, labelled, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.pages.form.corpus_fields import LARGEST_EDITED
from tokviz.pages.form.draft import read_draft, shown_text
from tokviz.pages.visit.written_run import fields_of
from tokviz.server import limits
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
OWN = replace(
    COURSE,
    corpus=replace(COURSE.corpus, title="My own text", text="a rose is a rose"),
    algorithm="wordpiece",
)
OWN = replace(OWN, vocab_size=33, settings=())
FORM = {
    "desk": "train",
    "lane": 0,
    "fields": fields_of(OWN, [OWN]),
    "own": True,
    "file": False,
    "text": OWN.corpus.text,
}


LOST = "The settings that you had here are back, but not their text"


def opened(**changes):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.session_state["draft_found"] = {**FORM, **changes}
    app.run()
    assert not app.exception
    return app


def told(app):
    """What the browser is told to keep."""
    parts = app.get("bidi_component")
    (said,) = [p.proto.json for p in parts if p.proto.component_name == "tokviz_draft"]
    return json.loads(said)


def corpus(app):
    return [area.value for area in app.text_area if area.key == "corpus_text"]


def test_text_and_settings_are_there_again_and_trained():
    app = opened()
    assert corpus(app) == [OWN.corpus.text]
    assert visit_of(app).lanes == (OWN,)


def test_what_is_trained_already_is_no_draft():
    app = opened(fields=fields_of(COURSE, [COURSE]), own=False)
    assert corpus(app) == [COURSE.corpus.text]
    assert visit_of(app).lanes == (COURSE,)


def test_a_draft_of_another_page_waits_for_it():
    app = opened(desk="compare")
    assert corpus(app) == [COURSE.corpus.text]
    assert "draft_found" in app.session_state


def test_a_text_that_was_not_kept_is_asked_for():
    app = opened(text=None, file=True)
    assert LOST in html(app)
    assert app.session_state["vocab_size"] == 33
    assert corpus(app) == [COURSE.corpus.text]
    # Also where the settings are those that the page begins with.
    base = replace(COURSE, corpus=OWN.corpus)
    assert LOST in html(opened(text=None, fields=fields_of(base, [base])))
    assert LOST not in html(opened())


def test_a_text_of_any_length_that_was_typed_is_back_in_its_field():
    text = "a rose is " * (LARGEST_EDITED // 10 + 1)
    app = opened(text=text)
    assert corpus(app) == [text]
    said = told(app)
    assert (said["form"]["file"], said["known"]) == (False, crc32(text.encode()))
    # Other pages share the field, and fill it for themselves.
    app.session_state["entered"] = "compare"
    app.run()
    assert corpus(app) == [text]


def test_one_s_own_text_is_there_behind_a_sample():
    other = run_of_sample(tokviz.SAMPLES["hug-pug"])
    app = opened(fields=fields_of(other, [other]), own=False)
    assert corpus(app) == [other.corpus.text]
    labelled(app.selectbox, "Sample").select("My own text").run()
    assert corpus(app) == [OWN.corpus.text]


def test_a_draft_is_told_to_be_kept_until_it_is_taken_back():
    assert told(opened(desk="compare"))["drop"] is False
    # The text is the browser's.
    bad = replace(OWN, settings=(("min_frequency", 2),))
    changes = {"fields": fields_of(bad, [bad])}
    form = json.loads(json.dumps({**FORM, **changes}))
    app = opened(**changes)
    assert visit_of(app).lanes == (COURSE,)
    assert {**told(app)["form"], "text": OWN.corpus.text} == form
    # What a first visit shows is in the address; what is typed next is kept with its settings.
    said = told(opened(fields=None, text=None))
    assert said["drop"] is True
    assert said["known"] == crc32(COURSE.corpus.text.encode())
    assert said["base"]["fields"] == json.loads(json.dumps(fields_of(COURSE, [COURSE])))


@pytest.mark.parametrize(
    "changes",
    [
        *({"lane": lane} for lane in ("0", 99, True, 10**30, None)),
        *({"desk": desk} for desk in (["train"], None, "nothing")),
        {"fields": None, "own": False},
        {"fields": None, "text": None},
        {"fields": None, "text": 5},
    ],
)
def test_what_makes_no_sense_is_let_go(changes):
    app = opened(**changes)
    assert corpus(app) == [COURSE.corpus.text]


@pytest.mark.parametrize(
    "fields",
    [
        *(None, "course", [], [0], {"0": 1}),
        [5, *FORM["fields"][1:]],
        ["nothing", *FORM["fields"][1:]],
        [*FORM["fields"][:4], "replay", *FORM["fields"][5:]],
        [*FORM["fields"][:5], 10**9, *FORM["fields"][6:]],
        [*FORM["fields"][:8], [["unknown", 1]]],
        [*FORM["fields"][:8], [["score", {"a": 1}]]],
    ],
)
def test_settings_that_cannot_be_lose_no_text(fields):
    app = opened(fields=fields)
    assert corpus(app) == [OWN.corpus.text]
    assert app.session_state["algorithm"] == COURSE.algorithm
    assert app.session_state["corpus_read_as"] == "text"


def test_a_text_in_languages_beyond_a_limit_stays_one():
    text = "=== English ===\na rose is a rose\n=== German ===\nrose ist rose"
    own = replace(OWN, corpus=replace(OWN.corpus, text=text, read_as="languages"))
    fields = json.loads(json.dumps(fields_of(replace(own, vocab_size=10**9), [own])))
    app = opened(fields=fields, text=text)
    assert corpus(app) == [text]
    assert app.session_state["corpus_read_as"] == "languages"
    assert visit_of(app).lanes[0].corpus.read_as == "languages"


def test_a_hostile_text_is_only_text():
    hostile = "<script>alert(1)</script> {x} $x^2$ \ud83d \x00 **bold**"
    app = opened(text=hostile, fields=[0, "<b>title</b>", *FORM["fields"][2:]])
    assert "<script>" not in html(app)
    assert corpus(app)[0].startswith("<script>alert(1)</script> {x}")


def test_only_texts_of_a_length_are_taken(monkeypatch):
    monkeypatch.setattr(
        limits, "LIMITS", replace(limits.LIMITS, corpus=replace(limits.LIMITS.corpus, bytes=1000))
    )
    assert shown_text(5) is None
    assert len(shown_text("x" * 1001)) == 1000
    shown_text("\ud83d").encode("utf-8")


@pytest.mark.parametrize("said", [None, 5, "x", {}, {"typed": 5, "form": 5, "session": None}])
def test_any_answer_of_the_browser_is_heard(monkeypatch, said):
    state = {"draft": {"found": said}}
    monkeypatch.setattr("tokviz.pages.form.draft.st.session_state", state)
    read_draft()
    assert "draft_found" not in state
