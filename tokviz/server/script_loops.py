"""A session of Streamlit takes no files of its own.

Streamlit makes an event loop of asyncio for every session, three open files each, and keeps it for
two minutes after its page is gone, for scripts that wait for something by `await`. The pages of
tokviz never do.
"""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from streamlit.runtime.app_session import AppSession


class NoLoop(asyncio.AbstractEventLoop):
    """An event loop for scripts that need none: it can be set and closed, and nothing else."""

    def is_running(self) -> bool:
        return False

    def is_closed(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def run_until_complete(self, future: Any) -> None:  # type: ignore[override]
        # Streamlit ends, by it, what was begun in a session: nothing was.
        if isinstance(future, Coroutine):
            future.close()

    async def shutdown_asyncgens(self) -> None:
        pass

    async def shutdown_default_executor(self) -> None:
        pass


def without_loop(begin: Callable[..., None]) -> Callable[..., None]:
    """Begins a session, and gives back the files of its event loop."""
    none: asyncio.AbstractEventLoop = NoLoop()  # type: ignore[abstract]

    def begun(session: AppSession, *given: Any, **named: Any) -> None:
        begin(session, *given, **named)
        # Another version of Streamlit may have none.
        own = getattr(session, "_script_event_loop", None)
        if isinstance(own, asyncio.AbstractEventLoop):
            own.close()
            session._script_event_loop = none

    return begun
