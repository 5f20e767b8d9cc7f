"""A select box whose browser is one language behind."""

import pytest
from app_test import APP
from streamlit.testing.v1 import AppTest

from tests.helpers import PATIENCE


def page():
    """Two boxes, the first with a callback, in the language of the session."""
    import streamlit as st

    from tokviz.pages.widgets.choice import choice

    labels = st.session_state.get("labels", {"a": "first", "b": "second"})
    calls = st.session_state.setdefault("calls", [])
    look = {"format_func": labels.__getitem__}
    choice("Loud", list(labels), key="loud", on_change=calls.append, args=("called",), **look)
    choice("Quiet", list(labels), key="quiet", index=None, **look)


class Behind(list):
    """The options of a box that shows another label than it should."""

    def index(self, _label):
        return 0


def send_stale(box, label):
    """Let a box send a label that it shows no more, as a browser does that lags behind."""
    box.options = Behind([label])


@pytest.fixture
def app():
    """Both boxes, with a choice made in each."""
    app = AppTest.from_function(page, default_timeout=PATIENCE).run()
    app.selectbox("loud").select("b")
    app.selectbox("quiet").select("b").run()
    assert app.session_state["calls"] == ["called"]
    return app


def test_a_label_of_the_last_language_changes_nothing(app):
    app.session_state["labels"] = {"a": "erstes", "b": "zweites"}
    app.run()
    for key in ("loud", "quiet"):
        send_stale(app.selectbox(key), "second")
    app.run()
    assert not app.exception
    assert app.session_state["calls"] == ["called"]
    assert [app.selectbox(key).value for key in ("loud", "quiet")] == ["b", "b"]
    assert [app.session_state[key] for key in ("loud", "quiet")] == ["b", "b"]


def test_a_choice_of_this_language_and_none_at_all_are_taken(app):
    app.selectbox("loud").select("a")
    app.selectbox("quiet").set_value(None).run()
    assert app.session_state["calls"] == ["called", "called"]
    assert (app.selectbox("loud").value, app.selectbox("quiet").value) == ("a", None)


def test_typing_right_after_a_switch_of_language_keeps_the_sample():
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    (box,) = [box for box in app.selectbox if box.label == "Sample"]
    chosen = box.value
    send_stale(box, "维基百科上的 BPE 例子")
    app.run()
    assert not app.exception
    (box,) = [box for box in app.selectbox if box.label == "Sample"]
    assert box.value == chosen
