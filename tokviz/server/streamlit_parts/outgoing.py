"""Messages on their way to a browser."""

import inspect
from collections.abc import Callable
from typing import Any

from tokviz.server.streamlit_parts.parts import expect

#: Bytes that may wait to be sent to one browser, besides those of one page.
MOST_WAITING = 20_000_000


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


def lose_nothing() -> Callable[[], None]:
    """Replace `ForwardMsgQueue.clear`, after a test; return a function that undoes it."""
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
    from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

    clear = ForwardMsgQueue.clear
    named = [*inspect.signature(clear).parameters][1:]
    expect(named == ["retain_lifecycle_msgs", "fragment_ids_this_run"], "clear")
    cleared, queue, drawn = losing_nothing(clear), ForwardMsgQueue(), ForwardMsg()
    drawn.delta.fragment_id = "a"
    for n in (1, 2):
        queue.enqueue(drawn)
        expect(bool(queue._delta_index_map), "_delta_index_map")
        cleared(queue, True, ["a"])
        expect(len(queue._queue) == len(queue) == n, "_queue")
    cleared(queue, True)
    expect(queue.is_empty(), "clear")
    ForwardMsgQueue.clear = cleared  # type: ignore[method-assign]
    return lambda: setattr(ForwardMsgQueue, "clear", clear)
