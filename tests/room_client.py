"""Browsers in a room, as far as tests of it need them: what they send, and what they hear."""

import json
from http.client import HTTPConnection

from helpers import PATIENCE


def post(port, path, said, **headers):
    """The status and what is said; `said` may be bytes."""
    connection = HTTPConnection("localhost", port, timeout=PATIENCE)
    body = said if isinstance(said, bytes) else json.dumps(said).encode()
    connection.request("POST", f"/{path}", body, headers)
    answer = connection.getresponse()
    read = answer.read()
    connection.close()
    is_json = answer.headers.get_content_type() == "application/json"
    return answer.status, json.loads(read) if is_json else read.decode()


def start(port, **shown):
    """A room: what its teacher is told of it."""
    status, room = post(port, "room", {"shown": shown})
    assert status == 200, room
    return room


class InRoom:
    """Somebody in a room; `said` is what they say of themselves."""

    def __init__(self, port, code, **said):
        self._connection = HTTPConnection("localhost", port, timeout=PATIENCE)
        self._connection.request("POST", f"/room/{code}/events", json.dumps(said).encode())
        self._answer = self._connection.getresponse()
        self.status, self.headers = self._answer.status, self._answer.headers

    def line(self):
        """The next line, "" at the end."""
        return self._answer.readline().decode()

    def hears(self):
        """The next news, None at the end."""
        while line := self.line():
            if line.startswith("data: "):
                return json.loads(line.removeprefix("data: "))
        return None

    def hears_until(self, **wanted):
        """The first news that has all of this."""
        while True:
            news = self.hears()
            assert news is not None, wanted
            if all(news.get(name) == value for name, value in wanted.items()):
                return news

    def close(self):
        self._answer.close()
        self._connection.close()
