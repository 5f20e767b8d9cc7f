"""What tokviz uses of Streamlit's undocumented parts, as data.

Each `Part` says what it is for, the Streamlit versions it was tested with, what it needs, and what
is lost without it. If something it needs is missing, the log says so once, and the app works
without it. docs/streamlit.md has the same as a table, and how to test a new Streamlit.
"""

import logging
from collections.abc import Callable
from typing import NamedTuple, TypeVar

import streamlit as st

_LOG = logging.getLogger("tokviz.streamlit")
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
        "streamlit.runtime.state.SessionState.reset_state_value",
        "streamlit.runtime.state.SessionState.get_widget_metadata",
        "streamlit.runtime.state.SessionState._new_widget_state",
        "streamlit.runtime.state.session_state.WStates.set_widget_from_proto",
        "streamlit.runtime.state.session_state.WStates.set_widget_metadata",
        "streamlit.runtime.state.common.user_key_from_element_id",
    ),
    "on a busy server, a choice is lost where another one follows before the page has drawn it",
)
OVERTAKING = Part(
    "requests that overtake",
    "to follow a choice or a press though the next one comes before its run has begun",
    "1.67",
    (
        "streamlit.runtime.scriptrunner.ScriptRunner._maybe_handle_execution_control_request",
        "streamlit.runtime.scriptrunner_utils.script_requests._coalesce_widget_states",
        "streamlit.runtime.state.SafeSessionState.on_script_will_rerun",
    ),
    "on a busy server, the first of two quick presses may be forgotten, or a text typed before one",
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
WATCHER = Part(
    "files of a session",
    "to look for no source files for a session whose browser is back, where none are watched",
    "1.67",
    ("streamlit.runtime.app_session.AppSession.register_file_watchers",),
    "each browser that is back after an outage holds the server up for a third of a second",
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
    "to do what comes once before the first visitor waits for it: a list of emojis, the library of "
    "images, and a look at who started Streamlit",
    "1.67",
    (
        "streamlit.delta_generator._use_warning_has_been_displayed",
        "streamlit.emojis.ALL_EMOJIS",
    ),
    "the first visitor of a server waits a quarter of a second longer",
)
PARTS = (
    *(SESSION, ROOM, REASON, KEPT, COOKIE, LOOP, WATCHER, MEMORY, QUEUE, BATCH, STALE),
    *(OVERTAKING, SERVER, CONNECTIONS, PAGE, READY, MESSAGES),
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


def found(part: Part, look: Callable[[], Found]) -> Found | None:
    """Return the result of `look`, or None with a line in the log if the part is missing."""
    try:
        return look()
    except Exception as error:
        missing(part, error)
        return None


def expect(right: bool, what: str) -> None:
    if not right:
        raise LookupError(f"{what} is another")
