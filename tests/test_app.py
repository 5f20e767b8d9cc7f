"""The wiring of the app, without a browser: what a click changes."""

import json
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tokviz import SAMPLES, TRAINERS
from tokviz.pages.setup import OWN_TEXT, run_of_sample
from tokviz.trainers import settings_of

APP = str(Path(__file__).parents[1] / "app.py")


@pytest.fixture
def app():
    return AppTest.from_file(APP, default_timeout=30).run()


def html(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def press(app, label):
    next(button for button in app.button if button.label == label).click()
    return app.run()


def player_header(app):
    """What the page sent to the player: the state to open at, and the header of the run."""
    data = app.get("bidi_component")[0].proto.bytes
    length = int.from_bytes(data[20:24], "little")
    return int.from_bytes(data[:4], "little"), json.loads(data[24 : 24 + length])


def test_opens_without_an_exception_at_the_opening_step(app):
    assert not app.exception
    start, header = player_header(app)
    assert (start, header["steps"], header["algorithm"]) == (13, 20, "bpe")


def test_the_lenses_follow_the_state_on_which_the_player_settled(app):
    assert "49" not in app.dataframe[0].value["id"].astype(str).tolist()
    app.session_state["player"] = {"step": 20}
    app.run()
    assert len(app.dataframe[0].value) == 50


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_trains_as_it_is_best_shown(app, name):
    press(app, "Change")
    app.selectbox(key="sample").select(name).run()
    assert app.text_area(key="corpus_text").value.split()
    press(app, "Train")
    assert not app.exception
    assert app.session_state["run"] == run_of_sample(SAMPLES[name])
    assert 'role="alert"' not in html(app)
    assert len(app.text_area) == 0, "the editor is gone after training"


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_the_form_has_a_field_for_every_setting(app, algorithm):
    press(app, "Change")
    app.segmented_control(key="algorithm").set_value(algorithm).run()
    for setting in settings_of(TRAINERS[algorithm]):
        assert f"{algorithm}.{setting.name}" in app.session_state, setting.name
        assert app.session_state["pretokenizer"] == TRAINERS[algorithm].default_pretokenizer


def test_a_setting_reaches_the_trainer(app):
    press(app, "Change")
    app.selectbox(key="bpe.tie_break").select("largest-pair").run()
    press(app, "Train")
    assert dict(app.session_state["run"].settings)["tie_break"] == "largest-pair"


def test_editing_makes_the_text_ones_own(app):
    press(app, "Change")
    app.text_area(key="corpus_text").set_value("a b c").run()
    assert app.session_state["sample"] == OWN_TEXT
    press(app, "Train")
    assert app.session_state["run"].title == OWN_TEXT


def test_training_starts_at_step_0(app):
    press(app, "Change")
    app.number_input(key="vocab_size").set_value(40).run()
    press(app, "Train")
    start, header = player_header(app)
    assert (start, header["steps"]) == (0, 10)


def test_sizes_that_make_sense_are_shown(app):
    press(app, "Change")
    assert "For this corpus: 30 (only the alphabet) to at most 184." in html(app)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("hug,10\npug;5", "line 2 of the word table is &#x27;pug;5&#x27;"),
        ("", "the word table has no words"),
        ("hug,99999999999999999", "line 1"),
    ],
)
def test_a_bad_word_table_leaves_a_sentence(app, table, said):
    press(app, "Change")
    app.text_area(key="corpus_text").set_value(table).run()
    app.segmented_control(key="corpus_is_table").set_value("Word counts").run()
    press(app, "Train")
    assert not app.exception
    assert 'role="alert"' in html(app)
    assert said in html(app)
    assert app.text_area(key="corpus_text").value == table
