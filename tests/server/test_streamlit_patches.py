"""Streamlit's private parts: each is tried, and taken away."""

import asyncio
import json
import logging
import re
import signal
import socket
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
import uvicorn
from app_server import Server
from effort import LONG
from helpers import ROOT
from starlette.formparsers import MultiPartParser
from starlette.requests import Request
from streamlit import config
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import WStates
from streamlit_client import Session

from tokviz import SAMPLES
from tokviz.server import lifecycle, streamlit_patches
from tokviz.server.streamlit_patches import (
    BATCH,
    CONNECTIONS,
    COOKIE,
    KEPT,
    LOOP,
    MEMORY,
    MESSAGES,
    MOST_WAITING,
    PAGE,
    PARTS,
    QUEUE,
    READY,
    REASON,
    ROOM,
    SERVER,
    SESSION,
    STALE,
    WIDGETS,
    drawing_the_page,
    losing_nothing,
    resetting_triggers,
    send_at_once,
)

#: How another release of Streamlit may lack each part that the app uses; see `other_streamlit.py`.
_QUEUES = "streamlit.runtime.forward_msg_queue"
OTHER_RELEASES = [
    (SESSION, {"streamlit": {r"\bget_script_run_ctx\b": "context_of_run"}}),
    (ROOM, {"streamlit": {r"\bfile_storage\b": "stored_files"}}),
    (REASON, {"streamlit": {r"\bget_app_session\b": "app_session"}}),
    (KEPT, {"streamlit.runtime": {r"\b_session_mgr\b": "_manager"}}),
    (COOKIE, {"streamlit.web": {r"\bXSRF_COOKIE_NAME\b": "XSRF_NAME"}}),
    (LOOP, {"streamlit.runtime.app_session": {r"\b_script_event_loop\b": "_loop"}}),
    (MEMORY, {"starlette": {r"\bspool_max_size\b": "spool_size"}}),
    (QUEUE, {_QUEUES: {r"\b_queue\b": "_waiting"}}),
    (
        BATCH,
        {"streamlit.runtime.app_session": {r"(def request_rerun\(.*)\) ->": r"\1, more=None) ->"}},
    ),
    (STALE, {"streamlit": {r"\buser_key_from_element_id\b": "key_of_element"}}),
    (WIDGETS, {"streamlit.runtime.state": {r"\bWStates\b": "ValuesOfWidgets"}}),
    (
        SERVER,
        {"uvicorn": {r"(?<=sig, )self\.handle_exit": "lambda *said: self.handle_exit(*said)"}},
    ),
    (CONNECTIONS, {"uvicorn": {r"\bserver_state\b": "state"}}),
    (PAGE, {"streamlit": {r"(?m)^__version__ = ": "__file__ = '/none'\n__version__ = "}}),
    (READY, {"streamlit": {r"\b_use_warning_has_been_displayed\b": "_is_warned"}}),
]


def run(coroutine):
    """What a coroutine gives; this thread may have a loop already, of a browser."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, coroutine).result()


async def visit(address):
    """Opens the app, trains, uploads a file, and one that has no room; the last one's status."""
    tab = Session(address)
    await tab.open()
    before = tab.head["id"]
    await tab.act("corpus_text", "low lower lowest " * 20, {"vocab_size": 30})
    assert tab.head["id"] != before
    assert tab.run["steps"] > 0
    await tab.go("open")
    assert await tab.upload("opened_files", "a.tiktoken", b"bG93 0\n" * 9_000) == 204
    status = await tab.upload("opened_files", "b.tiktoken", b"bG93 0\n" * 9_000)
    await tab.close()
    return status


def told(server):
    """What the log says of missing parts."""
    return re.findall(r"lacks the part '(.*?)'", server.said())


def served(folder, changes):
    """A server with some of its packages written otherwise, for sessions of 100 kB of files."""
    limits = folder / "limits.toml"
    limits.write_text("[files]\nsession_bytes = 100_000\n")
    start = (str(ROOT / "tests" / "other_streamlit.py"), json.dumps(changes))
    return Server(folder / "log", start, {"TOKVIZ_LIMITS": str(limits)})


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """A server with its packages as they are."""
    with served(tmp_path_factory.mktemp("plain"), {}) as server:
        yield server
    assert "Traceback" not in server.said(), server.said()


def all_changes(releases):
    """Those of several releases at once."""
    changes = {}
    for _, told_of in releases:
        for module, replaced in told_of.items():
            changes[module] = changes.get(module, {}) | replaced
    return changes


#: One part after the other with `--long`; otherwise half of them at once.
ONE_BY_ONE = [[one] for one in OTHER_RELEASES]
TAKEN_AWAY = ONE_BY_ONE if LONG else [OTHER_RELEASES[n::2] for n in range(2)]


@pytest.mark.parametrize(
    "releases", TAKEN_AWAY, ids=lambda releases: ", ".join(part.name for part, _ in releases)
)
def test_without_a_part_the_app_opens_trains_uploads_and_stops(releases, tmp_path):
    parts = [part for part, _ in releases]
    with served(tmp_path, all_changes(releases)) as server:
        status = run(visit(server.address))
        begin = time.monotonic()
        server.stop()
        assert time.monotonic() - begin < lifecycle.PATIENCE
    assert status == (204 if ROOM in parts else 413)
    assert sorted(told(server)) == sorted(part.name for part in parts)
    assert "Traceback" not in server.said(), server.said()


def test_with_every_part_the_app_opens_trains_and_uploads(plain):
    assert run(visit(plain.address)) == 413
    assert told(plain) == []


def test_each_part_is_taken_away_in_turn():
    # Only the health check needs the messages: see test_health.py.
    assert [part for part, _ in OTHER_RELEASES] == [part for part in PARTS if part is not MESSAGES]


@pytest.fixture
def log(caplog, monkeypatch):
    """What the log says of missing parts."""
    monkeypatch.setattr(streamlit_patches, "reported_parts", set())
    # That of the app, where a test has drawn it before, writes few lines a minute.
    factory = logging.getLogRecordFactory()
    logging.setLogRecordFactory(logging.LogRecord)
    yield lambda: [said.getMessage() for said in caplog.records if said.name.startswith("tokviz")]
    logging.setLogRecordFactory(factory)


@pytest.mark.parametrize("change", ["_client_state", "request_rerun"])
def test_a_session_that_cannot_be_drawn_anew_is_left_as_it_is(change, log, monkeypatch):
    known = SimpleNamespace(request_rerun=lambda _state: None, _client_state="as it is")
    delattr(known, change)
    runtime = SimpleNamespace(get_app_session=lambda _name: known)
    monkeypatch.setattr("streamlit.runtime.Runtime.instance", lambda: runtime)
    assert [streamlit_patches.draw_anew("a") for _ in range(3)] == [False] * 3
    [line] = log()
    assert "'reason for a refused upload'" in line
    assert change in line
    assert line.endswith(f"{REASON.without}.")


class OtherQueue(ForwardMsgQueue):
    """A queue that is cleared otherwise."""

    def clear(self, retain_lifecycle_msgs=False, fragment_ids_this_run=None, more=None):
        """With one parameter more."""


class SlottedQueue(ForwardMsgQueue):
    """A queue that keeps its places otherwise."""

    @property
    def _delta_index_map(self):
        return {}

    @_delta_index_map.setter
    def _delta_index_map(self, places):
        pass


@pytest.mark.parametrize("other", [OtherQueue, SlottedQueue])
def test_another_queue_is_left_as_it_is(other, log, monkeypatch):
    monkeypatch.setattr("streamlit.runtime.forward_msg_queue.ForwardMsgQueue", other)
    clear = other.clear

    async def while_serving():
        with streamlit_patches.applied(1):
            assert other.clear is clear

    run(while_serving())
    assert len([line for line in log() if "'messages on their way'" in line]) == 1


def test_streamlit_is_changed_only_while_it_serves():
    clear, size = ForwardMsgQueue.clear, MultiPartParser.spool_max_size

    async def while_serving():
        with streamlit_patches.applied(1):
            assert ForwardMsgQueue.clear is not clear
            assert MultiPartParser.spool_max_size > size

    run(while_serving())
    assert (ForwardMsgQueue.clear, MultiPartParser.spool_max_size) == (clear, size)


def test_the_server_gets_a_bound_on_its_end(monkeypatch):
    server = uvicorn.Server(uvicorn.Config(None))
    monkeypatch.setattr(signal, "getsignal", lambda _number: server.handle_exit)
    assert streamlit_patches.web_server(7) is server
    assert server.config.timeout_graceful_shutdown == 7
    assert streamlit_patches.web_server(8).config.timeout_graceful_shutdown == 7, "it has one"


def test_every_message_is_sent_at_once():
    with socket.socket() as listening, socket.socket() as browser:
        listening.bind(("localhost", 0))
        listening.listen()
        server = SimpleNamespace(started=True, servers=[SimpleNamespace(sockets=[listening])])
        run(send_at_once(server))
        browser.connect(listening.getsockname())
        accepted, _address = listening.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_a_server_without_a_list_of_its_sockets_stays_as_it_is(log):
    run(send_at_once(SimpleNamespace(started=True)))
    assert "'web server'" in log()[0]


def test_a_thread_that_draws_no_page_has_no_session(monkeypatch):
    assert streamlit_patches.session() == ""
    monkeypatch.setattr(streamlit_patches, "context_finder", lambda: None)
    assert streamlit_patches.session() == ""


def test_an_upload_is_never_a_file_on_disk():
    body = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    body += b"low " * 2_000_000 + b"\r\n--x--\r\n"

    async def receive():
        return {"type": "http.request", "body": body}

    async def on_disk():
        kind = (b"content-type", b"multipart/form-data; boundary=x")
        async with Request({"type": "http", "headers": [kind]}, receive).form() as form:
            return form["f"].file._rolled

    async def while_serving():
        with streamlit_patches.applied(1):
            return await on_disk()

    assert run(on_disk())
    assert not run(while_serving())


def drawn(body, path, fragment):
    message = ForwardMsg()
    message.metadata.delta_path.extend(path)
    message.delta.new_element.html.body = body
    message.delta.fragment_id = fragment
    return message


def test_nothing_that_is_drawn_is_lost_when_a_part_of_it_is_drawn_anew():
    def waiting(clear):
        """What a browser gets if the second part is drawn anew, then the whole page."""
        queue = ForwardMsgQueue()
        for message in (
            drawn("a", [0, 0], ""),
            drawn("b", [0, 1], "B"),
            drawn("c", [0, 1, 0], "C"),
        ):
            queue.enqueue(message)
        clear(queue, True, ["B"])
        queue.enqueue(drawn("new b", [0, 1], "B"))
        sent = [message.delta.new_element.html.body for message in queue._queue]
        clear(queue, True)
        return sent, len(queue)

    # Without its place, the browser cannot draw what stands inside of it.
    assert waiting(ForwardMsgQueue.clear) == (["a", "c", "new b"], 0)
    kept = losing_nothing(ForwardMsgQueue.clear)
    assert waiting(kept) == (["a", "b", "c", "new b"], 0)


def test_whoever_asks_and_never_reads_has_the_server_keep_little():
    queue, kept = ForwardMsgQueue(), losing_nothing(ForwardMsgQueue.clear)
    most = 0
    for _ in range(30):
        kept(queue, True, ["B"])
        queue.enqueue(drawn("b" * (MOST_WAITING // 10), [0, 1], "B"))
        most = max(most, len(queue))
    assert 10 <= most <= 12


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


def moment(tab, number):
    """That the player rests at a step."""
    told = {"id": tab.head["id"], "number": number, "align": "step"}
    return "settled", {"moment": {**told, "position": number, "states": [number] * 2}}


def test_a_typed_size_stays_where_the_browser_tells_that_of_the_slider_before(plain):
    async def visit(address):
        tab = Session(f"{address}/")
        await tab.open()
        await tab.act("vocab_size", 40)
        await tab.act_before_drawing(("vocab_size", 60), ("settings_0", None))
        assert tab.run["asked"] == 60
        await tab.close()

    run(visit(plain.address))


def test_a_lens_that_python_opened_stays_where_the_browser_tells_the_old_one(plain):
    """The player tells its step before the page has drawn the token that was looked into."""

    def look(token, lane):
        said = {"id": token, "what": "token", "token": token, "lane": lane, "number": None}
        return "player", {"look": said}

    async def visit(address):
        tab = Session(f"{address}/")
        await tab.open()
        await tab.act("add")
        assert tab.chosen("lens") == ["Vocabulary"]
        first = tab.chosen("lens_lane_2")
        await tab.act_before_hearing(look("Ġto", 1), moment(tab, 1), moment(tab, 2))
        assert tab.drew("lens_token")
        assert tab.chosen("lens-1") == ["A token"]
        assert tab.chosen("lens_lane_2-1") != first
        await tab.act_before_hearing(look("in", 0), moment(tab, 3))
        assert tab.value("lens_token-1") == "in"
        assert tab.chosen("lens_lane_2-2") == first
        # What is chosen on the page before it has heard is a choice, and the last one stays.
        word = "player", {"look": {"id": "word", "what": "word", "typed": "in", "lane": 0}}
        await tab.act_before_hearing(word, ("lens-1", ["Steps"]), moment(tab, 4))
        assert not tab.drew("word_lens")
        assert tab.chosen("lens-3") == ["Steps"]
        await tab.close()

    run(visit(plain.address))


def test_a_choice_stays_where_another_follows_before_the_page_has_drawn_it(plain):
    """The second message has what the page had before in the fields that Python has set."""

    async def visit(address):
        tab = Session(f"{address}/")
        await tab.open()
        # The slider sets the number, whose old value comes with a step of the player.
        await tab.act_before_hearing((slider(tab), [40.0]), moment(tab, 1))
        assert tab.run["asked"] == 40
        await tab.act("vocab_size", 45)
        await tab.act("vocab_size", 40)
        assert tab.run["asked"] == 40
        await tab.act_before_hearing(("take_sentencepiece-unigram", None), ("settings_0", None))
        assert tab.chosen("algorithm") == ["SentencePiece Unigram"]
        assert tab.drew("sentencepiece-unigram.shrinking_factor")
        before, other = tab.value("corpus_text"), SAMPLES["aaabdaaabac"]
        [sample] = (key for key in tab.ids if key.startswith("sample_"))
        await tab.act_before_hearing((sample, other.title), ("close_0", None))
        assert tab.value("corpus_text") == other.corpus != before
        # What is chosen again is a choice, though the page told the same the last time.
        await tab.act("algorithm", ["BPE"])
        assert tab.chosen("algorithm") == ["BPE"]
        await tab.close()

    run(visit(plain.address))


def slider(tab):
    """The key of the slider of sizes, as it is now."""
    [key] = (key for key in tab.ids if key.startswith("size_slider"))
    return key


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
    assert drawn == ["", "open", "train", "encode", "encode", "encode", "train", "train", "train"]


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


def test_widgets_may_come_while_they_are_gone_through():
    widgets = WStates()

    def gone_through():
        for n, _widget in enumerate(widgets):
            widgets.states[f"new {n}"] = None

    async def while_serving():
        with streamlit_patches.applied(1):
            gone_through()

    widgets.states["first"] = None
    run(while_serving())
    assert [*widgets] == ["first", "new 0"]
    with pytest.raises(RuntimeError, match="changed size"):
        gone_through()


def test_triggers_are_set_back_while_another_thread_changes_what_there_is():
    asked = []

    def reset(state):
        asked.append(state)
        if len(asked) < 3:
            raise RuntimeError("dictionary changed size during iteration")

    resetting_triggers(reset)("state")
    assert asked == ["state"] * 3

    def never(_state):
        raise RuntimeError("dictionary changed size during iteration")

    with pytest.raises(RuntimeError):
        resetting_triggers(never)("state")


def test_nothing_else_reaches_into_streamlit():
    """What starts with an underscore, or stands in a module of Streamlit's inside, is asked for in
    one place."""
    public = r"streamlit(\.(typing|errors|testing\.v1|components\.v2))?"
    for file in [ROOT / "app.py", *(ROOT / "tokviz").rglob("*.py")]:
        code = file.read_text("utf-8")
        if file.parent.name == "server" and file.stem in ("streamlit_patches", "health"):
            continue
        for module in re.findall(r"(?m)^\s*(?:from|import) (streamlit[\w.]*)", code):
            assert re.fullmatch(public, module), f"{file}: {module}"
        assert "__file__" not in code or "st.__file__" not in code, file


def page_names():
    """The names of Streamlit's own elements that style sheets and scripts look for."""
    for kind in ("*.css", "*.js"):
        for file in (ROOT / "tokviz").rglob(kind):
            code = file.read_text("utf-8")
            yield from re.findall(r"\.(st[A-Z]\w+)", code)
            yield from re.findall(r"""data-testid\^?=["']?([\w-]+)""", code)


def rows_of(heading):
    """The cells of the table below a heading of the page about Streamlit."""
    text = (ROOT / "docs" / "streamlit.md").read_text("utf-8").partition(heading)[2]
    table = re.search(r"(?m)(^\|.*\n)+", text)[0].splitlines()[2:]
    return [tuple(row.strip("| ").split(" | ")) for row in table]


def test_a_browser_keeps_messages_longer_than_two_runs_that_overlap():
    configured = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert configured["global"]["maxCachedMessageAge"] >= 5 * 2
    assert config.get_option("global.maxCachedMessageAge") is not None, "Streamlit knows it"


def test_the_names_that_are_looked_for_in_the_page_are_listed():
    names = [name.strip("`") for name, _what in rows_of("### Names in Streamlit's page")]
    assert names == sorted({*page_names()})


def test_the_page_about_streamlit_shows_every_part_as_it_is():
    assert rows_of("## Parts that Streamlit does not document") == [
        (
            *(part.name, part.purpose, part.seen_in),
            ", ".join(f"`{need}`" for need in part.needs),
            part.without,
        )
        for part in PARTS
    ]
