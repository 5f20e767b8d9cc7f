"""Every use of Streamlit's undocumented parts, in one module.

Each `Part` says what it is for, the Streamlit versions it was tested with, what it needs, and what
is lost without it. If something it needs is missing, the log says so once, and the app works
without it. docs/streamlit.md has the same as a table, and how to test a new Streamlit.
"""

import asyncio
import inspect
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4
from weakref import WeakKeyDictionary

import streamlit as st
import uvicorn

from tokviz.server.script_loops import NO_LOOP

_LOG = logging.getLogger("tokviz.streamlit")
#: Prefix of upload addresses; a session and a file follow.
UPLOADS = "/_stcore/upload_file"
#: Bytes that may wait to be sent to one browser, besides those of one page.
MOST_WAITING = 20_000_000
#: Kinds of values that are no choice in a field: files, and what components tell.
_NO_FIELDS = ("file_uploader_state_value", "json_value")
#: How the id of a widget without a key ends.
_NO_KEY = "-None"
#: Session key: what its browser told last, by widget.
_TOLD = "told_last"
#: Attempts to reset a session's triggers while another thread changes its widgets.
MOST_RESETS = 10
Found = TypeVar("Found")


class Part(NamedTuple):
    """One undocumented part of Streamlit. `needs` are the names in packages that it uses."""

    name: str
    purpose: str
    seen_in: str
    needs: tuple[str, ...]
    without: str


SESSION = Part(
    "session",
    "to know whether a thread draws a page, and for which session",
    "1.66 and 1.67",
    (
        "streamlit.runtime.scriptrunner.get_script_run_ctx",
        "streamlit.runtime.scriptrunner.ScriptRunContext.session_id",
    ),
    "st.cache_resource(scope='session') says it, 40 times slower, and the page does not say why a "
    "file was refused",
)
ROOM = Part(
    "room for uploads",
    "to count the bytes of the files that a session has uploaded",
    "1.66 and 1.67",
    (
        "streamlit.runtime.Runtime.uploaded_file_mgr",
        "streamlit.runtime.memory_uploaded_file_manager.MemoryUploadedFileManager.file_storage",
        "streamlit.runtime.memory_uploaded_file_manager.MemoryUploadedFileManager.endpoint",
    ),
    "a session may upload any number of files, each up to server.maxUploadSize",
)
REASON = Part(
    "reason for a refused upload",
    "to draw a page anew, so that it says why its file was refused",
    "1.67",
    (
        "streamlit.runtime.Runtime.get_app_session",
        "streamlit.runtime.app_session.AppSession.request_rerun",
        "streamlit.runtime.app_session.AppSession._client_state",
    ),
    "a file that has no room is refused, and the page does not say why",
)
MEMORY = Part(
    "uploads in memory",
    "to write what people upload to no disk while it arrives",
    "1.66 and 1.67 (Starlette 1.10)",
    ("starlette.formparsers.MultiPartParser.spool_max_size",),
    "uploads of more than 1 MB are in a temporary file while they arrive",
)
QUEUE = Part(
    "messages on their way",
    "to send all that was drawn, also where a fragment is drawn anew before it was sent",
    "1.66 and 1.67",
    (
        "streamlit.runtime.forward_msg_queue.ForwardMsgQueue.clear",
        "streamlit.runtime.forward_msg_queue.ForwardMsgQueue._queue",
        "streamlit.runtime.forward_msg_queue.ForwardMsgQueue._delta_index_map",
    ),
    "on a busy server, a page that is acted on while it is drawn may lack a part or turn white",
)
BATCH = Part(
    "clicks beside a fragment",
    "to draw the page where a browser tells of a click on it together with news of a fragment, and "
    "to go to the page that was clicked, though a fragment of the old one tells of itself later",
    "1.67",
    (
        "streamlit.runtime.app_session.AppSession.request_rerun",
        "streamlit.runtime.app_session.AppSession.session_state",
        "streamlit.runtime.app_session.AppSession._client_state",
        "streamlit.runtime.state.SessionState.get_widget_metadata",
        "streamlit.runtime.state.common.WidgetMetadata.fragment_id",
        "streamlit.runtime.state.SessionState._new_widget_state",
        "streamlit.runtime.state.session_state.WStates.set_widget_from_proto",
        "streamlit.runtime.state.session_state.WStates.set_widget_metadata",
    ),
    "on a busy browser, a click may be followed with the next one only, or not at all, also one on "
    "the name of another page",
)
STALE = Part(
    "values that are old",
    "to keep what Python has set where a browser that has not drawn it tells the value before",
    "1.67",
    (
        "streamlit.runtime.state.SessionState.set_widgets_from_proto",
        "streamlit.runtime.state.SessionState.get_widget_metadata",
        "streamlit.runtime.state.SessionState._new_widget_state",
        "streamlit.runtime.state.session_state.WStates.set_widget_from_proto",
        "streamlit.runtime.state.session_state.WStates.set_widget_metadata",
        "streamlit.runtime.state.common.user_key_from_element_id",
    ),
    "on a busy server, a choice is lost where another one follows before the page has drawn it",
)
WIDGETS = Part(
    "widgets of a session",
    "to go through them while a run that was stopped still draws",
    "1.67",
    (
        "streamlit.runtime.state.session_state.WStates.__iter__",
        "streamlit.runtime.state.session_state.WStates.states",
        "streamlit.runtime.state.SessionState._reset_triggers",
    ),
    "on a busy server, a click may end in an error",
)
SERVER = Part(
    "web server",
    "to send each message at once, and to stop though a browser stalls in a download",
    "1.66 and 1.67 (Uvicorn 0.54)",
    (
        "uvicorn.Server.handle_exit",
        "uvicorn.Server.started",
        "uvicorn.Server.servers",
        "uvicorn.Config.timeout_graceful_shutdown",
    ),
    "each reply takes 35 ms longer, silent connections stay, and a stalled download keeps the "
    "server from stopping",
)
CONNECTIONS = Part(
    "connections",
    "to close silent connections, so that newcomers come in (tokviz/server/connection_watch.py)",
    "1.66 and 1.67 (Uvicorn 0.54)",
    (
        "uvicorn.server.ServerState.connections",
        "uvicorn.Config.http_protocol_class",
        "uvicorn.Config.backlog",
    ),
    "silent connections stay, and lock newcomers out where they take all open files",
)
LOOP = Part(
    "event loop of a session",
    "to give back the three open files that Streamlit takes for each session",
    "1.67",
    (
        "streamlit.runtime.app_session.AppSession.__init__",
        "streamlit.runtime.app_session.AppSession._script_event_loop",
    ),
    "an open page takes four open files, and not one",
)
KEPT = Part(
    "sessions without a connection",
    "to let a browser back into a full server that keeps its session",
    "1.66 and 1.67",
    (
        "streamlit.runtime.Runtime._session_mgr",
        "streamlit.runtime.session_manager.SessionManager.get_session_info",
    ),
    "whoever loses the connection to a full server waits for a place as newcomers do",
)
COOKIE = Part(
    "cookie of a visitor",
    "to let a page be loaded anew on a full server",
    "1.66 and 1.67",
    ("streamlit.web.server.starlette.starlette_server_config.XSRF_COOKIE_NAME",),
    "whoever loads a page anew on a full server waits for a place as newcomers do",
)
PAGE = Part(
    "inline scripts",
    "to let the browser run the inline scripts of Streamlit's page, and no others",
    "1.66 and 1.67",
    ("streamlit/static/index.html",),
    "the browser runs no inline script; the one of 1.67 only tells crawlers to wait",
)
MESSAGES = Part(
    "messages",
    "to understand what the server draws, in the health check (tokviz/server/health.py)",
    "1.66 and 1.67",
    (
        "streamlit.proto.BackMsg_pb2.BackMsg.rerun_script",
        "streamlit.proto.ForwardMsg_pb2.ForwardMsg.delta",
        "streamlit.proto.ForwardMsg_pb2.ForwardMsg.script_finished",
    ),
    "the health check asks only whether the port answers, and says so",
)
READY = Part(
    "first draw",
    "to do what comes once before the first visitor waits for it: a list of emojis, and a look at "
    "who started Streamlit",
    "1.67",
    (
        "streamlit.delta_generator._use_warning_has_been_displayed",
        "streamlit.emojis.ALL_EMOJIS",
    ),
    "the first visitor of a server waits a quarter of a second longer",
)
PARTS = (
    *(SESSION, ROOM, REASON, KEPT, COOKIE, LOOP, MEMORY, QUEUE, BATCH, STALE, WIDGETS),
    *(SERVER, CONNECTIONS, PAGE, READY, MESSAGES),
)

reported_parts = set[str]()


def missing(part: Part, error: BaseException) -> None:
    """Log once that a part is missing, and what is lost without it."""
    if part.name not in reported_parts:
        reported_parts.add(part.name)
        # The text is formatted here, because the log limits records with the same format string.
        _LOG.warning(
            f"Streamlit {st.__version__} lacks the part {part.name!r} ({type(error).__name__}: "
            f"{error}): {part.without}."
        )


def _found(part: Part, look: Callable[[], Found]) -> Found | None:
    """Return the result of `look`, or None with a line in the log if the part is missing."""
    try:
        return look()
    except Exception as error:
        missing(part, error)
        return None


def _expect(right: bool, what: str) -> None:
    if not right:
        raise LookupError(f"{what} is another")


# --- The session ------------------------------------------------------------------------------


def session() -> str:
    """Return the id of the session whose page this thread draws, or ""."""
    context_of = context_finder()
    if context_of is None:
        return _documented_session()
    context = context_of(suppress_warning=True)
    return context.session_id if context else ""


@cache
def context_finder() -> Callable[..., Any] | None:
    def look() -> Callable[..., Any]:
        from streamlit.runtime.scriptrunner import ScriptRunContext, get_script_run_ctx

        get_script_run_ctx(suppress_warning=True)
        _expect("session_id" in inspect.signature(ScriptRunContext).parameters, "session_id")
        return get_script_run_ctx

    return _found(SESSION, look)


def _documented_session() -> str:
    """Return an id of the session by documented means; it is not the id in upload addresses."""
    try:
        return _name_of_session()
    except st.errors.StreamlitAPIException:
        return ""


@st.cache_resource(scope="session", show_spinner=False)
def _name_of_session() -> str:
    return uuid4().hex


def is_kept(session: str) -> bool:
    """Return whether Streamlit has this session; it keeps a disconnected one for some time."""

    def look() -> bool:
        from streamlit.runtime import Runtime

        return Runtime.instance()._session_mgr.get_session_info(session) is not None

    return _found(KEPT, look) or False


@cache
def visitor_cookie() -> str:
    """Return the name of the cookie that a browser gets with its first page, or "" if unknown."""

    def look() -> str:
        from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

        return XSRF_COOKIE_NAME

    return _found(COOKIE, look) or ""


def without_loop(begin: Callable[..., None]) -> Callable[..., None]:
    """Wrap the start of a session: close its event loop, which holds files (script_loops.py)."""

    def begun(session: Any, *given: Any, **named: Any) -> None:
        begin(session, *given, **named)
        own = _found(LOOP, lambda: session._script_event_loop)
        if isinstance(own, asyncio.AbstractEventLoop):
            own.close()
            session._script_event_loop = NO_LOOP

    return begun


def _take_no_files() -> Callable[[], None]:
    """Start sessions without an event loop of their own; return a function that undoes it."""
    from streamlit.runtime.app_session import AppSession

    begin = AppSession.__init__
    AppSession.__init__ = without_loop(begin)  # type: ignore[method-assign]
    return lambda: setattr(AppSession, "__init__", begin)


# --- Uploads ----------------------------------------------------------------------------------


def uploaded(session: str, but: str = "") -> int:
    """Return the bytes of a session's uploaded files, without the file `but`, to be replaced."""

    def look() -> int:
        from streamlit.runtime import Runtime

        manager: Any = Runtime.instance().uploaded_file_mgr
        # Uploads to another address are not counted.
        _expect(manager.endpoint.endswith(UPLOADS), manager.endpoint)
        kept = manager.file_storage.get(session, {})
        return sum(len(file.data) for name, file in [*kept.items()] if name != but)

    return _found(ROOM, look) or 0


def draw_anew(session: str) -> bool:
    """Rerun the page of a session as it is, as Streamlit does when a source file changes; return
    False if there is no such session."""

    def look() -> bool:
        from streamlit.runtime import Runtime

        known = Runtime.instance().get_app_session(session)
        if known:
            known.request_rerun(known._client_state)
        return bool(known)

    return _found(REASON, look) or False


def _check_reason() -> None:
    from streamlit.runtime import Runtime
    from streamlit.runtime.app_session import AppSession

    _ = Runtime.get_app_session, AppSession.request_rerun


def _keep_uploads_in_memory() -> Callable[[], None]:
    """Raise the size above which an upload goes to a file; return a function that undoes it."""
    from starlette.formparsers import MultiPartParser

    usual = MultiPartParser.spool_max_size
    _expect(isinstance(usual, int), "spool_max_size")
    MultiPartParser.spool_max_size = (st.get_option("server.maxUploadSize") + 1) * 2**20
    return lambda: setattr(MultiPartParser, "spool_max_size", usual)


# --- Messages on their way --------------------------------------------------------------------


def losing_nothing(clear: Callable[..., None]) -> Callable[..., None]:
    """Wrap `ForwardMsgQueue.clear`, so that redrawing a fragment of a page loses no message:
    Streamlit drops what that fragment has drawn and not yet sent, but sends what stands inside or
    after it; the browser then shows a white page. If too much waits, for a browser that does not
    read, the queue is cleared as usual."""

    def cleared(
        queue: Any,
        retain_lifecycle_msgs: bool = False,
        fragment_ids_this_run: list[str] | None = None,
    ) -> None:
        waiting = sum(message.ByteSize() for message in queue._queue)
        if fragment_ids_this_run is None or waiting > MOST_WAITING:
            clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)
        else:
            # New messages are appended, and do not replace waiting ones.
            queue._delta_index_map = {}

    return cleared


def _lose_nothing() -> Callable[[], None]:
    """Replace `ForwardMsgQueue.clear`, after a test; return a function that undoes it."""
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

    clear = ForwardMsgQueue.clear
    named = [*inspect.signature(clear).parameters][1:]
    _expect(named == ["retain_lifecycle_msgs", "fragment_ids_this_run"], "clear")
    cleared, queue, drawn = losing_nothing(clear), ForwardMsgQueue(), ForwardMsg()
    drawn.delta.fragment_id = "a"
    for n in (1, 2):
        queue.enqueue(drawn)
        _expect(bool(queue._delta_index_map), "_delta_index_map")
        cleared(queue, True, ["a"])
        _expect(len(queue._queue) == len(queue) == n, "_queue")
    cleared(queue, True)
    _expect(queue.is_empty(), "clear")
    ForwardMsgQueue.clear = cleared  # type: ignore[method-assign]
    return lambda: setattr(ForwardMsgQueue, "clear", clear)


# --- Clicks -----------------------------------------------------------------------------------


def drawing_the_page(ask: Callable[..., None]) -> Callable[..., None]:
    """Wrap `request_rerun`: rerun the whole page if the request has news of a widget outside its
    fragment. A busy browser puts simultaneous events into one message with one fragment: a click,
    and the player's step. Streamlit would redraw only that fragment, or nothing if it is gone.

    A request for a fragment of the page that was left reruns the new page instead: until the
    browser has heard of that, it names the old one, and Streamlit would go back there."""
    known = WeakKeyDictionary[Any, dict[str, int]]()
    places = WeakKeyDictionary[Any, _Place]()

    def asked(session: Any, client_state: Any) -> None:
        if client_state is not None:
            place = places.setdefault(session, _Place())
            # A browser does not name the page that it opens.
            place.page = place.page or session._client_state.page_script_hash
            if place.is_left(client_state):
                client_state = _redirected(client_state, place)
            else:
                place.note(client_state)
            widgets = client_state.widget_states.widgets
            now = {widget.id: hash(widget.SerializeToString()) for widget in widgets}
            before = known.get(session, {})
            known[session] = now
            if (fragment := client_state.fragment_id) and any(
                _is_news(widget, before.get(widget.id) == now[widget.id], session, fragment)
                for widget in widgets
            ):
                whole = type(client_state)()
                whole.CopyFrom(client_state)
                whole.ClearField("fragment_id")
                client_state = whole
        ask(session, client_state)

    return asked


@dataclass
class _Place:
    """The page that a browser asked for last, by its hash, with its query; and the page that it
    left for that one, None as soon as it has heard of the new one."""

    page: str = ""
    query: str = ""
    left: str | None = None

    def is_left(self, client_state: Any) -> bool:
        """Return whether a request is for a fragment of the page that was left."""
        page = client_state.page_script_hash
        return bool(client_state.fragment_id and page != self.page and page == self.left)

    def note(self, client_state: Any) -> None:
        """Take over what a request says."""
        page = client_state.page_script_hash
        moves = page != self.page and not client_state.fragment_id
        self.left = self.page if moves else None
        self.page, self.query = page, client_state.query_string


def _redirected(client_state: Any, place: _Place) -> Any:
    """Return the request for the whole page at this place, with the widgets that it tells of."""
    other = type(client_state)()
    other.CopyFrom(client_state)
    other.ClearField("fragment_id")
    other.page_script_hash, other.query_string = place.page, place.query
    return other


def _is_news(widget: Any, is_known: bool, session: Any, fragment: str) -> bool:
    """Return whether a request has news of a widget outside the fragment: it is pressed, has files,
    or has another value than in the session."""
    metadata = session.session_state.get_widget_metadata(widget.id)
    if metadata is None or metadata.fragment_id == fragment:
        return False
    # An empty widget state has no kind.
    kind = widget.WhichOneof("value") or ""
    if "trigger" in kind or is_known:
        return "trigger" in kind
    if kind == "file_uploader_state_value":
        # Only a rerun finds the files.
        return bool(widget.file_uploader_state_value.uploaded_file_info)
    return _differs(widget, metadata, session.session_state)


def _differs(widget: Any, metadata: Any, state: Any) -> bool:
    """Return whether a session has another value of a widget than a browser tells, or none."""
    told = type(state._new_widget_state)()
    told.set_widget_from_proto(widget)
    told.set_widget_metadata(metadata)
    try:
        return bool(told[widget.id] != state[widget.id])
    except KeyError:
        return True


def keeping_what_was_set(take: Callable[..., None]) -> Callable[..., None]:
    """Wrap `set_widgets_from_proto`: in a message that has a choice of the visitor, fields that it
    tells as the message before did keep what Python has set since, and the browser is told so.
    Nobody makes two choices at once; Streamlit would take the old values for choices, too."""

    from streamlit.runtime.state.common import user_key_from_element_id

    def taken(state: Any, widget_states: Any) -> None:
        # A session's state is no mapping: it has no `get`.
        [before] = [state[key] for key in (_TOLD,) if key in state] or [{}]
        told = {each.id: hash(each.SerializeToString()) for each in widget_states.widgets}
        state[_TOLD] = told
        new = [each for each in widget_states.widgets if before.get(each.id) != told[each.id]]
        stale = set[str]()
        if any(_is_choice(each, state) for each in new):
            same = (each for each in widget_states.widgets if before.get(each.id) == told[each.id])
            stale = {each.id for each in same if _is_field(each) and _is_other(each, state)}
        if stale:
            all_told, widget_states = widget_states, type(widget_states)()
            widget_states.widgets.extend(each for each in all_told.widgets if each.id not in stale)
        take(state, widget_states)
        for id in stale:
            # Streamlit tells a browser what was set by a key.
            state[user_key_from_element_id(id)] = state[id]

    return taken


def _is_choice(widget: Any, state: Any) -> bool:
    """Return whether what a browser tells anew of a widget comes from the visitor: it is pressed,
    is a component, has files, or has another value than in the session."""
    if widget.HasField("file_uploader_state_value"):
        return bool(widget.file_uploader_state_value.uploaded_file_info)
    return _is_other(widget, state) if _is_field(widget) else bool(widget.WhichOneof("value"))


def _is_field(widget: Any) -> bool:
    """Return whether a widget is a field with a key: no button, no files and no component."""
    kind = widget.WhichOneof("value") or ""
    is_other = "trigger" in kind or kind in ("", *_NO_FIELDS)
    return not is_other and not widget.id.endswith(_NO_KEY)


def _is_other(widget: Any, state: Any) -> bool:
    """Return whether a session has a field, and another value of it than a browser tells."""
    metadata = state.get_widget_metadata(widget.id) if widget.id in state else None
    return metadata is not None and _differs(widget, metadata, state)


def _keep_what_was_set() -> Callable[[], None]:
    """Replace `set_widgets_from_proto`; return a function that undoes it."""
    from streamlit.runtime.state import SessionState

    take = SessionState.set_widgets_from_proto
    _expect([*inspect.signature(take).parameters] == ["self", "widget_states"], "the taking")
    _expect(callable(SessionState.get_widget_metadata), "get_widget_metadata")
    SessionState.set_widgets_from_proto = keeping_what_was_set(take)  # type: ignore[method-assign]
    return lambda: setattr(SessionState, "set_widgets_from_proto", take)


def _draw_the_page() -> Callable[[], None]:
    """Replace `request_rerun`; return a function that undoes it."""
    from streamlit.runtime.app_session import AppSession
    from streamlit.runtime.state import SessionState
    from streamlit.runtime.state.common import WidgetMetadata

    ask = AppSession.request_rerun
    _expect([*inspect.signature(ask).parameters] == ["self", "client_state"], "request_rerun")
    _expect(isinstance(AppSession.session_state, property), "session_state")
    _expect(callable(SessionState.get_widget_metadata), "get_widget_metadata")
    _expect("fragment_id" in WidgetMetadata.__dataclass_fields__, "fragment_id")
    AppSession.request_rerun = drawing_the_page(ask)  # type: ignore[method-assign]
    return lambda: setattr(AppSession, "request_rerun", ask)


def resetting_triggers(reset: Callable[[Any], None]) -> Callable[[Any], None]:
    """Wrap the reset of a session's triggers: repeat it if another thread changes its widgets."""

    def done(state: Any) -> None:
        for _ in range(MOST_RESETS - 1):
            try:
                reset(state)
            except RuntimeError:
                continue
            return
        reset(state)

    return done


def _go_through_widgets() -> Callable[[], None]:
    """Let a session's widgets change while they are iterated; return a function that undoes it. A
    script that was stopped runs on to its next element, beside the one that replaced it."""
    from streamlit.runtime.state import SessionState
    from streamlit.runtime.state.session_state import WStates

    usual, reset = WStates.__iter__, SessionState._reset_triggers
    _expect([*WStates().states] == [], "states")
    WStates.__iter__ = lambda widgets: iter([*widgets.states])  # type: ignore[method-assign]
    SessionState._reset_triggers = resetting_triggers(reset)  # type: ignore[assignment, method-assign]

    def put_back() -> None:
        WStates.__iter__ = usual  # type: ignore[method-assign]
        SessionState._reset_triggers = reset  # type: ignore[method-assign]

    return put_back


# --- The web server ---------------------------------------------------------------------------


def web_server(patience: int) -> uvicorn.Server:
    """Return the Uvicorn server, with a time limit for its shutdown. Streamlit makes it, and has no
    setting for this; it is found as the handler of SIGTERM."""
    server = getattr(signal.getsignal(signal.SIGTERM), "__self__", None)
    if not isinstance(server, uvicorn.Server):
        raise LookupError("another one listens to SIGTERM")
    if server.config.timeout_graceful_shutdown is None:
        server.config.timeout_graceful_shutdown = patience
    return server


async def send_at_once(server: uvicorn.Server) -> None:
    """Send each message without delay (TCP_NODELAY). A reply consists of several small messages,
    and TCP holds the second back until the browser confirms the first, up to 40 ms later. asyncio
    sets this only for sockets with a protocol number, and Streamlit makes its own without one;
    accepted sockets inherit the option."""
    try:
        while not server.started:
            await asyncio.sleep(0.01)
        for listening in server.servers:
            for sock in listening.sockets:
                if sock.family in (socket.AF_INET, socket.AF_INET6):
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except AttributeError as error:
        missing(SERVER, error)


def static_files() -> Path:
    """Return the folder of the files that Streamlit sends to browsers."""
    return Path(st.__file__).with_name("static")


def inline_page() -> str:
    """Return the HTML of Streamlit's page, for the hashes of its inline scripts, or ""."""
    file = static_files() / "index.html"
    return _found(PAGE, lambda: file.read_text("utf-8")) or ""


def get_ready() -> None:
    """Do before the first draw of all what Streamlit would do then."""
    _found(READY, _get_ready)


def _get_ready() -> None:
    generator: Any = import_module("streamlit.delta_generator")
    shown = generator._use_warning_has_been_displayed
    _expect(isinstance(shown, bool), "the warning for whoever runs no server")
    # This is a server: nobody is to be warned.
    generator._use_warning_has_been_displayed = True
    _expect(bool(import_module("streamlit.emojis").ALL_EMOJIS), "the list of emojis")


@contextmanager
def applied(patience: int) -> Iterator[uvicorn.Server | None]:
    """Apply all patches while a server runs, and undo them afterwards; yield the server, or None if
    it is not found. It then stops within `patience` seconds. Missing parts are logged at the
    start."""
    session()
    uploaded("")
    is_kept("")
    visitor_cookie()
    _found(REASON, _check_reason)
    changed = [_found(MEMORY, _keep_uploads_in_memory), _found(QUEUE, _lose_nothing)]
    changed += [_found(BATCH, _draw_the_page), _found(STALE, _keep_what_was_set)]
    changed += [_found(WIDGETS, _go_through_widgets), _found(LOOP, _take_no_files)]
    server = _found(SERVER, lambda: web_server(patience))
    sending = asyncio.create_task(send_at_once(server)) if server else None
    yield server
    if sending:
        sending.cancel()
    for put_back in filter(None, changed):
        put_back()
