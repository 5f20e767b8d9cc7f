"""Streamlit is changed while it serves, and only then."""

from served_parts import run
from starlette.formparsers import MultiPartParser
from starlette.requests import Request
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from tokviz.server.streamlit_parts.applied import applied


def test_streamlit_is_changed_only_while_it_serves():
    clear, size = ForwardMsgQueue.clear, MultiPartParser.spool_max_size

    async def while_serving():
        with applied(1):
            assert ForwardMsgQueue.clear is not clear
            assert MultiPartParser.spool_max_size > size

    run(while_serving())
    assert (ForwardMsgQueue.clear, MultiPartParser.spool_max_size) == (clear, size)


def test_an_upload_is_never_a_file_on_disk():
    body = b'--x\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n'
    body += b"low " * 2_000_000 + b"\r\n--x--\r\n"

    async def receive():
        return {"type": "http.request", "body": body}

    async def on_disk():
        kind = (b"content-type", b"multipart/form-data; boundary=x")
        async with Request({"type": "http", "headers": [kind]}, receive).form() as form:
            return form["f"].file._rolled

    async def while_serving():
        with applied(1):
            return await on_disk()

    assert run(on_disk())
    assert not run(while_serving())
