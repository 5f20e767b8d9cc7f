"""How much a session has uploaded, and where that is while it arrives."""

from collections.abc import Callable
from typing import Any

import streamlit as st

from tokviz.server.streamlit_parts.parts import ROOM, expect, found

#: Prefix of upload addresses; a session and a file follow.
UPLOADS = "/_stcore/upload_file"


def uploaded(session: str, but: str = "") -> int:
    """Return the bytes of a session's uploaded files, without the file `but`, to be replaced."""

    def look() -> int:
        from streamlit.runtime import Runtime

        manager: Any = Runtime.instance().uploaded_file_mgr
        # Uploads to another address are not counted.
        expect(manager.endpoint.endswith(UPLOADS), manager.endpoint)
        kept = manager.file_storage.get(session, {})
        return sum(len(file.data) for name, file in [*kept.items()] if name != but)

    return found(ROOM, look) or 0


def keep_uploads_in_memory() -> Callable[[], None]:
    """Raise the size above which an upload goes to a file; return a function that undoes it."""
    from starlette.formparsers import MultiPartParser

    usual = MultiPartParser.spool_max_size
    expect(isinstance(usual, int), "spool_max_size")
    MultiPartParser.spool_max_size = (st.get_option("server.maxUploadSize") + 1) * 2**20
    return lambda: setattr(MultiPartParser, "spool_max_size", usual)
