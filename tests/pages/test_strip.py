"""The set-up of Train that is always open: what is changed there is trained at once."""

from dataclasses import replace

import pytest
from app_test import APP, html, player_data, press, settle
from helpers import PATIENCE, labelled, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.pages.form import strip
from tokviz.pages.visit.link import to_link
from tokviz.server.pool import Job
from tokviz.server.runs import run_of_sample
from tokviz.server.waiting import TakesLong

COURSE = run_of_sample(tokviz.SAMPLES["course"])


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """However busy the machine is."""
    monkeypatch.setattr(strip, "MOMENT", 60)


@pytest.fixture
def app():
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def lane(app):
    (run,) = visit_of(app).lanes
    return run


def type_text(app, text):
    app.text_area(key="corpus_text").input(text).run()
    assert not app.exception


def test_a_text_is_trained_as_it_is_typed_and_all_else_stays(app):
    assert app.text_area(key="corpus_text").label == "Your text"
    for text in ("low low", "low lower"):
        type_text(app, text)
        assert lane(app).corpus.text == app.text_area(key="corpus_text").value == text
        assert lane(app).corpus.title == "My own text"
        assert (lane(app).algorithm, lane(app).settings) == (COURSE.algorithm, COURSE.settings)
    assert visit_of(app).editing is None


def test_the_set_up_keeps_its_place_after_a_training_that_was_waited_for(monkeypatch):
    """Streamlit tells elements by their number on the page: with another, the text area would be a
    new one, without focus."""
    wait = Job.wait
    monkeypatch.setattr(Job, "wait", lambda job, s, who="": s != 0.3 and wait(job, s, who))
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_link(replace(COURSE, vocab_size=281))

    def place():
        (number,) = (n for n, each in app.main.children.items() if "-setup" in str(each.proto))
        return number

    app.run()
    before = place()
    type_text(app, "low low")
    assert place() == before


def test_the_player_keeps_its_share_of_the_training(app):
    settle(app, 20, [20])
    type_text(app, "low lower lowest")
    history = tokviz.train("low lower lowest", "bpe", 50, "gpt2", unit="byte")
    assert player_data(app)[0]["start"] == len(history)
    settle(app, 0, [0])
    type_text(app, "low lower")
    assert player_data(app)[0]["start"] == 0


def test_characters_are_offered_for_a_text_that_is_mostly_not_ascii(app):
    offered = "take_characters"
    for text in ("low lower", "a naïve café"):
        type_text(app, text)
        assert offered not in [button.key for button in app.button]
    type_text(app, "日本語の文字。日本の文。")
    app.button(key=offered).click().run()
    assert not app.exception
    assert dict(lane(app).settings).get("unit", "char") == "char"
    assert offered not in [button.key for button in app.button]


def test_algorithm_and_size_are_trained_at_once(app):
    labelled(app.segmented_control, "Algorithm").select("unigram").run()
    assert (lane(app).algorithm, lane(app).pretokenizer) == ("unigram", "metaspace")
    app.number_input(key="vocab_size").set_value(60).run()
    assert lane(app).vocab_size == 60
    app.slider(key="size_slider").set_value(70).run()
    assert lane(app).vocab_size == app.number_input(key="vocab_size").value == 70
    app.button(key="take_sentencepiece-bpe").click().run()
    assert lane(app).algorithm == "sentencepiece-bpe"
    assert not app.exception


def test_what_cannot_be_trained_is_said_and_the_run_stays(app):
    app.number_input(key="vocab_size").set_value(5).run()
    assert "A vocabulary size of 5 is too small: it must hold the alphabet" in html(app)
    assert lane(app) == COURSE
    app.number_input(key="vocab_size").set_value(40).run()
    assert "is too small" not in html(app)
    assert lane(app).vocab_size == 40
    type_text(app, "  ")
    assert "Type or paste a text" in html(app)
    assert lane(app).corpus == COURSE.corpus


def test_a_text_of_more_characters_raises_the_size(app):
    text = " ".join(map(chr, range(0x4E00, 0x4E00 + 80)))
    labelled(app.segmented_control, "Algorithm").select("wordpiece").run()
    type_text(app, text)
    assert lane(app).corpus.text == text
    assert lane(app).vocab_size > 80


def test_what_takes_long_waits_for_a_button(app, monkeypatch):
    def takes_long(*_):
        raise TakesLong("This takes about 7 seconds.")

    monkeypatch.setattr(strip, "history_of", takes_long)
    type_text(app, "slow slower slowest")
    assert "This takes about 7 seconds." in html(app)
    assert lane(app) == COURSE
    app.run()
    assert "This takes about 7 seconds." in html(app)
    press(app, "Train")
    assert lane(app).corpus.text == "slow slower slowest"
    assert "about 7 seconds" not in html(app)
    assert [button for button in app.button if button.label == "Train"] == []


def test_the_settings_hold_what_is_in_the_open_set_up(app):
    type_text(app, "low lower")
    press(app, "Settings")
    assert app.text_area(key="corpus_text").value == "low lower"
    labelled(app.selectbox, "Tie-break").select("shortest").run()
    press(app, "Close")
    assert ("tie_break", "shortest") in lane(app).settings


def test_what_was_typed_for_another_lane_is_there_again(app):
    press(app, "Compare side by side")
    app.text_area(key="corpus_text").input("for the second lane").run()
    press(app, "Close")
    assert lane(app) == COURSE
    assert app.text_area(key="corpus_text").value == COURSE.corpus.text
    press(app, "Compare side by side")
    assert app.text_area(key="corpus_text").value == "for the second lane"


def test_several_lanes_have_no_open_set_up(app):
    press(app, "Compare side by side")
    press(app, "Train")
    assert len(visit_of(app).lanes) == 2
    assert "size_slider" not in [slider.key for slider in app.slider]
    press(app, "Remove")
    assert app.text_area(key="corpus_text").label == "Your text"
