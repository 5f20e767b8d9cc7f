"""Messages on their way: none is lost, and few wait."""

import pytest
from served_parts import run
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from tokviz.server.streamlit_parts.applied import applied
from tokviz.server.streamlit_parts.outgoing import MOST_WAITING, losing_nothing


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
        with applied(1):
            assert other.clear is clear

    run(while_serving())
    assert len([line for line in log() if "'messages on their way'" in line]) == 1


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
