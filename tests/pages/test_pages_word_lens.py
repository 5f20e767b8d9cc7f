"""Which word the lens looks into, and how it hears of it, without a browser."""

import json
import sys
from base64 import b64decode
from dataclasses import replace

import pytest
from app_test import APP
from helpers import anything, components, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.pages.lenses import word_lens
from tokviz.pages.lenses.word_lens import (
    MOST_DRAWN,
    MOST_TYPED,
    WordRequest,
    answer,
    beside_of,
    best_form,
    first_word,
    fitting,
    forms_of,
    request_from,
)
from tokviz.server.runs import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus


@pytest.fixture(scope="module")
def gpt2():
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


def test_a_typed_word_is_taken_as_the_corpus_has_it(gpt2):
    assert best_form(gpt2, "tokens") == " tokens"
    assert best_form(gpt2, "This") == "This"
    assert best_form(gpt2, "unseen") == "unseen", "as it stands, if the corpus has neither"
    assert forms_of(gpt2, "unseen words") == ["unseen", " words"]
    assert forms_of(gpt2, "") == []


def test_what_makes_no_sense_asks_for_nothing(gpt2):
    for said in (
        {},
        {"lane": 3, "number": 0},
        {"lane": True, "number": 0},
        {"lane": 0, "number": "1"},
        {"typed": 7},
    ):
        assert request_from(said, gpt2, [gpt2]) is None
    assert request_from({"lane": 0, "number": 10**6}, gpt2, [gpt2]).word == ""
    long = request_from({"typed": "x" * 999, "form": "y" * 999}, gpt2, [gpt2])
    assert (len(long.typed), len(long.word)) == (MOST_TYPED, MOST_TYPED)
    odd = request_from({"typed": "a", "state": 2, "removed": [1, -3, True, "x", 4]}, gpt2, [gpt2])
    assert odd.removed == (1, 4)
    assert request_from({"typed": "a", "state": "2", "removed": [1]}, gpt2, [gpt2]).removed == ()


def test_a_word_of_another_lane_is_taken_as_this_one_has_it(gpt2):
    bert = tokviz.train(COURSE, "wordpiece", 60, "bert")
    number = bert.words.words.index("Face")
    assert request_from({"lane": 1, "number": number}, gpt2, [gpt2, bert]).word == " Face"
    assert request_from({"lane": 1, "number": number}, bert, [gpt2, bert]).word == "Face"


def test_another_pretokenizer_has_other_words(gpt2):
    bert = tokviz.train(COURSE, "wordpiece", 60, "bert")
    assert fitting(bert, WordRequest(" tokens", " tokens"), True).word == "tokens"
    assert fitting(gpt2, WordRequest("unseen", "unseen"), True) == WordRequest("unseen", "unseen")
    assert fitting(gpt2, WordRequest("unseen", "unseen"), False) == first_word(gpt2)
    assert fitting(gpt2, None, True).word == " tokenization"


def test_the_first_word_is_one_that_can_be_drawn():
    history = tokviz.train({"a" * 90: 3, "short": 2, "longer": 1}, "bpe", 12)
    assert first_word(history).word == "longer"
    assert first_word(tokviz.train({"b" * 90: 3, "b" * 50: 1}, "bpe", 3)).word == "b" * 50
    assert first_word(tokviz.train("", "bpe", 1, counted=anything)).word == ""


# --- on the page ----------------------------------------------------------------------------------


@pytest.fixture
def app():
    app = AppTest.from_file(APP, default_timeout=30)
    app.session_state["lens"] = "word"
    return app


def lens(app):
    assert not app.exception
    return json.loads(components(app, "word")[0])


def ask(app, **request):
    app.session_state["word_lens"] = {"asked": request}
    return lens(app.run())


def test_the_lens_opens_with_a_word_of_the_sample(app):
    reply = lens(app.run())
    assert (reply["word"], reply["count"], reply["kind"]) == (" tokenization", 1, "merges")
    assert (reply["state"], reply["last"], reply["noun"]) == (0, 20, "merge")


def test_a_typed_word_stays_until_another_one(app):
    app.run()
    assert ask(app, serial=1, typed="tokens")["word"] == " tokens"
    assert ask(app, serial=1, typed="ignored")["word"] == " tokens", "said before"
    assert ask(app, serial=2, typed="tokens", form="tokens")["word"] == "tokens"
    assert ask(app, serial=3, lane=0, number=0)["word"] == "This"
    empty = ask(app, serial=4, typed="")
    assert (empty["kind"], empty["word"]) == ("none", "")
    assert "Type a word" in empty["note"]


def test_a_word_too_long_to_draw_gets_a_sentence(app):
    app.run()
    reply = ask(app, serial=1, typed="x" * (MOST_DRAWN + 1))
    assert reply["note"] == (
        "This word has 61 characters; words of up to 60 are drawn. Type a part of it."
    )


def test_a_look_from_the_player_opens_the_lens(app):
    app.session_state["lens"] = "vocabulary"
    app.run()
    assert not components(app, "word")
    app.session_state["looked"] = {"what": "word", "lane": 0, "number": 2}
    app.session_state["lens"] = "word"
    assert lens(app.run())["word"] == tokviz.train(COURSE, "bpe", 50, "gpt2").words.words[2]


def test_a_piece_is_removed_only_in_its_state(app):
    visit_of(app).lanes = (run_of_sample(tokviz.SAMPLES["hug-pug"]),)
    visit_of(app).number = visit_of(app).start = 0
    visit_of(app).align = "step"
    assert lens(app.run())["word"] == "pug"
    there = ask(app, serial=1, typed="pug", form="pug", state=0, removed=[0])
    assert there["removal"]["after"] is not None
    nothing = ask(app, serial=3, typed="pug", form="pug", state=0, removed=[99])
    assert "removal" not in nothing
    elsewhere = ask(app, serial=4, typed="pug", form="pug", state=1, removed=[0])
    assert "removal" not in elsewhere


def test_a_figure_is_the_one_that_python_gives_and_stays_until_the_next_request(app):
    app.run()
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    for serial, kind in enumerate(("svg", "png"), 1):
        request = {"typed": "tokens", "form": " tokens", "state": 5, "removed": []}
        figure = ask(app, serial=serial, **request, figure=kind)["figure"]
        assert figure["kind"] == kind
        assert b64decode(figure["data"]) == history.word_chart(" tokens", 5).file(kind)
        again = ask(app, serial=serial, **request, figure=kind)
        assert (again["figure"], again["serial"]) == (figure, serial)
    assert "figure" not in ask(app, serial=7, **request)
    last = ask(app, serial=8, **{**request, "state": len(history)}, figure="svg")
    assert last["figure"]["kind"] == "svg"
    assert "figure" not in ask(app, serial=9, **{**request, "state": 99}, figure="svg")
    assert "figure" not in ask(app, serial=10, **request, figure="exe")


def test_without_the_extra_a_figure_is_svg(app, monkeypatch):
    assert lens(app.run())["kinds"] == ["svg", "pdf", "png"]
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    request = {"typed": "tokens", "form": " tokens", "state": 5, "removed": []}
    reply = ask(app, serial=1, **request, figure="png")
    assert (reply["kinds"], "figure" in reply) == (["svg"], False)
    assert ask(app, serial=2, **request, figure="svg")["figure"]["kind"] == "svg"


def test_a_word_that_the_file_cuts_otherwise_gets_a_sentence_for_a_tree(monkeypatch):
    """It is in the vocabulary, and taken at once; its merges lead elsewhere."""
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "aba": 3}, "merges": ["a b"]}
    file = {"version": "1.0", "added_tokens": [], "model": {**model, "ignore_merges": True}}
    opened = open_tokenizer({"tokenizer.json": json.dumps(file).encode()})
    history = tokviz.replay(opened, {"aba": 2, "abb": 1})
    assert opened.tokenizer.encode("aba").tokens == ["aba"]
    monkeypatch.setattr(word_lens, "entry_for", lambda _run: {})
    monkeypatch.setattr(word_lens.st, "session_state", {})
    said = json.loads(answer(history, None, 0, 1, WordRequest("aba", "aba")))
    assert said["kind"] == "none"
    assert said["note"].startswith("The file’s tokenizer cuts this word into aba, but its merges")
    assert "ab | a" in said["note"]
    drawn = json.loads(answer(history, None, 0, 1, WordRequest("abb", "abb")))
    assert (drawn["kind"], len(drawn["roots"])) == ("merges", 2)


def test_a_lattice_stands_beside_a_tree(monkeypatch):
    run = run_of_sample(tokviz.SAMPLES["hug-pug"])
    runs = [replace(run, algorithm="bpe", settings=(), vocab_size=size) for size in (7, 9)] + [run]
    histories = [tokviz.train({"hug": 10, "pug": 5}, "bpe", size) for size in (5, 7)]
    histories.append(tokviz.train("a hug pug hug", "unigram", 9, "gpt2"))
    monkeypatch.setattr(word_lens, "entry_for", lambda _run: {})
    monkeypatch.setattr(word_lens.st, "session_state", {})
    states = [1, 2, 0]
    # The first lane of the other kind, with the form that the word has there.
    found = [beside_of(lane, histories, runs, states) for lane in range(3)]
    assert [beside.lane for beside in found] == [2, 2, 0]
    assert found[0].names == ("BPE · 7", "Unigram")
    said = json.loads(answer(histories[0], None, 0, 1, WordRequest("hug", "hug"), found[0]))
    assert (said["kind"], said["name"]) == ("merges", "BPE · 7")
    beside = said["beside"]
    kept = [beside[key] for key in ("kind", "name", "lane", "state", "word")]
    assert kept == ["lattice", "Unigram", 2, 0, " hug"]
    assert beside_of(0, histories[:2], runs, states) is None
