"""All changes of Streamlit, while a server runs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from tokviz.server.streamlit_parts.outgoing import lose_nothing
from tokviz.server.streamlit_parts.overtaking import follow_both
from tokviz.server.streamlit_parts.parts import (
    BATCH,
    LOOP,
    MEMORY,
    OVERTAKING,
    QUEUE,
    REASON,
    SERVER,
    STALE,
    WATCHER,
    found,
)
from tokviz.server.streamlit_parts.reruns import draw_the_page
from tokviz.server.streamlit_parts.sessions import (
    check_reason,
    is_kept,
    session,
    take_no_files,
    visitor_cookie,
    watch_no_files,
)
from tokviz.server.streamlit_parts.uploaded import keep_uploads_in_memory, uploaded
from tokviz.server.streamlit_parts.values import keep_what_was_set
from tokviz.server.streamlit_parts.web_server import send_at_once, web_server


@contextmanager
def applied(patience: int) -> Iterator[uvicorn.Server | None]:
    """Apply all patches while a server runs, and undo them afterwards; yield the server, or None if
    it is not found. It then stops within `patience` seconds. Missing parts are logged at the
    start."""
    session()
    uploaded("")
    is_kept("")
    visitor_cookie()
    found(REASON, check_reason)
    changed = [found(MEMORY, keep_uploads_in_memory), found(QUEUE, lose_nothing)]
    changed += [found(BATCH, draw_the_page), found(STALE, keep_what_was_set)]
    changed += [found(OVERTAKING, follow_both), found(LOOP, take_no_files)]
    changed.append(found(WATCHER, watch_no_files))
    server = found(SERVER, lambda: web_server(patience))
    sending = asyncio.create_task(send_at_once(server)) if server else None
    yield server
    if sending:
        sending.cancel()
    for put_back in filter(None, changed):
        put_back()
