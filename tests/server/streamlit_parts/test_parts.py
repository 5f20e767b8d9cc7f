"""Streamlit's private parts: each is taken away from a real server, and told in the docs."""

import re
import time
import tomllib

import pytest
from effort import LONG
from helpers import ROOT
from served_parts import run, served
from streamlit import config
from streamlit_client import Session

from tokviz.server import lifecycle
from tokviz.server.streamlit_parts.parts import (
    BATCH,
    CONNECTIONS,
    COOKIE,
    KEPT,
    LOOP,
    MEMORY,
    MESSAGES,
    OVERTAKING,
    PAGE,
    PARTS,
    QUEUE,
    READY,
    REASON,
    ROOM,
    SERVER,
    SESSION,
    STALE,
    WATCHER,
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
    (WATCHER, {"streamlit": {r"\bregister_file_watchers\b": "watch_files"}}),
    (MEMORY, {"starlette": {r"\bspool_max_size\b": "spool_size"}}),
    (QUEUE, {_QUEUES: {r"\b_queue\b": "_waiting"}}),
    (
        BATCH,
        {"streamlit.runtime.app_session": {r"(def request_rerun\(.*)\) ->": r"\1, more=None) ->"}},
    ),
    (STALE, {"streamlit": {r"\buser_key_from_element_id\b": "key_of_element"}}),
    (OVERTAKING, {"streamlit.runtime": {r"\b_coalesce_widget_states\b": "_joined"}}),
    (
        SERVER,
        {"uvicorn": {r"(?<=sig, )self\.handle_exit": "lambda *said: self.handle_exit(*said)"}},
    ),
    (CONNECTIONS, {"uvicorn": {r"\bserver_state\b": "state"}}),
    (PAGE, {"streamlit": {r"(?m)^__version__ = ": "__file__ = '/none'\n__version__ = "}}),
    (READY, {"streamlit": {r"\b_use_warning_has_been_displayed\b": "_is_warned"}}),
]


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


def test_nothing_else_reaches_into_streamlit():
    """What starts with an underscore, or stands in a module of Streamlit's inside, is asked for in
    one place."""
    public = r"streamlit(\.(typing|errors|testing\.v1|components\.v2))?"
    for file in [ROOT / "app.py", *(ROOT / "tokviz").rglob("*.py")]:
        code = file.read_text("utf-8")
        if file.parent.name == "streamlit_parts" or file.match("server/health.py"):
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


def test_no_run_is_begun_beside_another_one_of_its_session():
    configured = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    assert configured["runner"]["fastReruns"] is False
    assert config.get_option("runner.fastReruns") is not None, "Streamlit knows it"


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
