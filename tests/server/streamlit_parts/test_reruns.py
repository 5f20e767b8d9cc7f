"""What is drawn where a busy browser tells several things at once, or late."""

from types import SimpleNamespace

import pytest
from served_parts import moment, run
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import WStates
from streamlit_client import Session

from tokviz.server.streamlit_parts.reruns import drawing_the_page


def test_a_click_that_comes_with_the_place_of_the_scrubber_is_followed(plain):
    """A busy browser tells both at once, and asks for the fragment of the lenses only."""

    async def click(address):
        tab = Session(address)
        await tab.open()
        await tab.act("settings_0", beside="settled")
        drawn = tab.has("close_0"), tab.has("pretokenizer")
        await tab.act("vocab_size", 40, beside="settled")
        steps = tab.run["steps"]
        await tab.close()
        return drawn, steps

    assert run(click(plain.address)) == ((True, True), 10)


@pytest.mark.parametrize("heard", [False, True])
def test_another_page_that_was_clicked_stays_where_the_player_tells_its_step_late(plain, heard):
    """The browser names the page that it shows until it has heard of the new one."""

    async def visit(address):
        tab = Session(address)
        await tab.open()
        await tab.go_before_telling("how-it-works", moment(tab, 2), heard)
        assert tab.page == tab.pages["how-it-works"]
        assert not tab.has("player")
        await tab.go("")
        assert tab.has("player")
        await tab.act(*moment(tab, 3))
        assert tab.page == tab.pages[""]
        await tab.close()

    run(visit(plain.address))


def test_a_page_that_the_server_went_to_is_not_taken_for_one_that_was_left():
    drawn = []
    session = SimpleNamespace(_client_state=ClientState(page_script_hash="open"))
    session.session_state = SimpleNamespace(get_widget_metadata=lambda _id: None)

    class Known(SimpleNamespace):
        __hash__ = object.__hash__

    known = Known(**vars(session))
    ask = drawing_the_page(lambda _session, state: drawn.append(state.page_script_hash))
    for page, fragment in [
        ("", ""),
        # A press there; the server switches to Train.
        ("open", ""),
        ("train", "F"),
        ("encode", ""),
        # Late news of Train, of its query too; then Encode's own, and back by a click.
        ("train", "F"),
        ("encode", "G"),
        ("train", ""),
        ("encode", "G"),
        ("train", "F"),
    ]:
        ask(known, ClientState(page_script_hash=page, fragment_id=fragment))
    # A field of the page that is left tells its text after the click, in a request for a page.
    ask(known, told("encode", language="en"))
    ask(known, told("train", language="en", text="low"))
    ask(known, told("train", language="en"))
    assert drawn == [
        "",
        "open",
        "train",
        "encode",
        "encode",
        "encode",
        "train",
        "train",
        "train",
        "encode",
        "encode",
        "train",
    ]


def asked_for(fragment, *messages):
    """The fragment that is drawn for the last of some messages that all name one fragment."""
    drawn = []
    places = {"inside": "F", "beside": None, "other": "G"}

    class State(dict):
        _new_widget_state = WStates()

        def get_widget_metadata(self, id):
            if id not in places:
                return None
            return WidgetMetadata(id, str, str, "string_value", fragment_id=places[id])

    class Known:
        _client_state = ClientState()
        # What is drawn; the browser tells of it with its next message.
        session_state = State(inside="a", beside="b", other="c")

    ask = drawing_the_page(lambda _session, state: drawn.append(state.fragment_id))
    known = Known()
    for widgets in messages:
        state = ClientState(fragment_id=fragment)
        for id, value in widgets.items():
            kind = "trigger_value" if value is True else "string_value"
            state.widget_states.widgets.add(id=id, **({} if value is None else {kind: value}))
        ask(known, state)
    return drawn[-1]


@pytest.mark.parametrize(
    ("messages", "drawn"),
    [
        ([{"inside": True}], "F"),
        ([{"beside": True}], ""),
        ([{"inside": True, "other": True}], ""),
        ([{"inside": "a", "beside": "b"}, {"inside": "c", "beside": "b"}], "F"),
        ([{"inside": "a", "beside": "b"}, {"inside": "c", "beside": "d"}], ""),
        # What is there for the first time, as it was drawn and changed already.
        ([{"inside": "a"}, {"inside": "d", "beside": "b"}], "F"),
        ([{"inside": "a"}, {"inside": "d", "beside": "e"}], ""),
        ([{"beside": "b"}], "F"),
        ([{"beside": "e"}], ""),
        ([{"gone": True}], "F"),
        # A field that was emptied.
        ([{"inside": "a", "beside": "b"}, {"beside": None}, {"inside": "c", "beside": None}], "F"),
        ([{"inside": "a", "beside": "b"}, {"inside": "c", "beside": None}], ""),
        # Pressed again.
        ([{"beside": True}, {"beside": True}], ""),
    ],
)
def test_the_page_is_drawn_for_what_is_not_in_the_fragment(messages, drawn):
    assert asked_for("F", *messages) == drawn


def test_the_page_is_drawn_for_a_file(plain):
    async def upload(address):
        tab = Session(address)
        await tab.open()
        await tab.upload("upload", "own.txt", b"a text of one's own", beside="settled")
        corpus = tab.value("corpus_text")
        await tab.close()
        return corpus

    assert run(upload(plain.address)) == "a text of one's own"


def test_a_page_that_is_asked_for_is_drawn():
    assert asked_for("", {"beside": True}) == ""
    asked = []
    drawing_the_page(lambda *given: asked.append(given))("session", None)
    assert asked == [("session", None)]


def told(page, **widgets):
    """A request for a page with the texts of some widgets."""
    state = ClientState(page_script_hash=page)
    for id, value in widgets.items():
        state.widget_states.widgets.add(id=id, string_value=value)
    return state
