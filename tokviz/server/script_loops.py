"""Give every Streamlit session the same dummy event loop, which opens no files.

Streamlit makes an asyncio event loop for every session, with three open files each, and keeps it
for two minutes after the page is closed, for scripts that use `await`. The pages of tokviz never
do.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any


class NoLoop(asyncio.AbstractEventLoop):
    """A dummy event loop: it can be set and closed, and does nothing else."""

    def is_running(self) -> bool:
        return False

    def is_closed(self) -> bool:
        return False

    def close(self) -> None:
        pass

    def run_until_complete(self, future: Any) -> None:  # type: ignore[override]
        # Streamlit shuts a session's asynchronous generators down with it; there are none.
        if isinstance(future, Coroutine):
            future.close()

    async def shutdown_asyncgens(self) -> None:
        pass

    async def shutdown_default_executor(self) -> None:
        pass


#: The dummy loop of every session.
NO_LOOP: asyncio.AbstractEventLoop = NoLoop()  # type: ignore[abstract]
