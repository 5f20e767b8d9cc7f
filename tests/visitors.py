"""Browsers that come to a server, as far as tests of its limits need them."""

import urllib.error
import urllib.request
from contextlib import ExitStack

import pytest
from helpers import PATIENCE
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect

#: Limits that are soon reached.
SMALL = "[visits]\npages = 10\nrequest_seconds = 1\nfirst_message_seconds = 1\n"


class Page:
    """A page that is open as long as a `with` lasts, and what is drawn of it."""

    def __init__(self, served, session=None, speaks=True):
        names = ["streamlit"] if session is None else ["streamlit", "token", session]
        self._open = ExitStack()
        self._socket = self._open.enter_context(
            connect(
                f"ws://localhost:{served.port}/_stcore/stream",
                subprotocols=names,
                open_timeout=PATIENCE,
                max_size=None,
            )
        )
        if speaks:
            message = BackMsg()
            message.rerun_script.query_string = ""
            self._socket.send(message.SerializeToString())
            self.session = self._heard("new_session").new_session.initialize.session_id
            # What nobody reads would hold up its pings.
            drawn = self._heard("script_finished").script_finished
            self.is_drawn = drawn == ForwardMsg.FINISHED_SUCCESSFULLY

    def _heard(self, kind):
        while True:
            message = ForwardMsg.FromString(self._socket.recv(PATIENCE))
            if message.WhichOneof("type") == kind:
                return message

    @property
    def is_open(self):
        return self._socket.ping().wait(PATIENCE)

    def closed(self):
        """Waits until the server closes it; the code that it does so with."""
        with pytest.raises(ConnectionClosed) as end:
            self._socket.recv(PATIENCE)
        return end.value.rcvd.code

    def close(self):
        self._open.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def ask(served, path="/", **headers):
    """The status, the headers and the text of an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    request = urllib.request.Request(f"{served.address}{path}", headers=named)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()
