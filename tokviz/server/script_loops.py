"""A session of Streamlit takes no files of its own.

Streamlit makes an event loop of asyncio for every session, three open files each, and keeps it for
two minutes after its page is gone, for scripts that wait for something by `await`. The pages of
tokviz never do.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any


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


#: The one of every session.
NO_LOOP: asyncio.AbstractEventLoop = NoLoop()  # type: ignore[abstract]
