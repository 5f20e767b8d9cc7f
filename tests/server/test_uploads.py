"""How much a session may upload."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import pytest
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from tokviz.server import limits, uploads
from tokviz.server.uploads import Uploads


class Streamlit:
    """What is behind the layer: keeps each file that comes, once `waits` lets it."""

    def __init__(self):
        self.manager, self.reruns, self.waits = (
            MemoryUploadedFileManager("/_stcore/upload_file"),
            [],
            None,
        )
        self.uploaded_file_mgr = self.manager

    def get_app_session(self, session):
        def rerun(state):
            self.reruns.append((session, state))

        known = SimpleNamespace(request_rerun=rerun, _client_state="as it is")
        return known if session in ("mine", "yours") else None

    async def __call__(self, scope, receive, send):
        if self.waits:
            await self.waits.wait()
        if scope["method"] == "PUT":
            session, file = scope["path"].split("/")[-2:]
            data = (await receive())["body"]
            self.manager.add_file(session, UploadedFileRec(file, "f", "text/plain", data))
        await send({"type": "http.response.start", "status": 204, "headers": []})


@pytest.fixture
def behind(monkeypatch):
    files = replace(limits.LIMITS.files, session_bytes=100)
    monkeypatch.setattr(limits, "LIMITS", replace(limits.LIMITS, files=files))
    streamlit = Streamlit()
    monkeypatch.setattr("streamlit.runtime.Runtime.instance", lambda: streamlit)
    monkeypatch.setattr(uploads, "REFUSED", set())
    return streamlit


async def put(layer, file, size, session="mine", method="PUT", length=True, base=""):
    """The status of an upload."""
    status = []

    async def receive():
        return {"type": "http.request", "body": b"x" * size}

    async def send(message):
        status.append(message.get("status"))

    path = f"{base}/_stcore/upload_file/{session}/{file}"
    headers = [(b"content-length", str(size).encode())] if length else []
    scope = {"type": "http", "method": method, "path": path, "headers": headers}
    await layer(scope, receive, send)
    return status[0]


def run(coroutine):
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, coroutine).result()


def test_files_beyond_the_room_of_a_session_are_refused_and_its_page_told(behind):
    layer = Uploads(behind)
    assert [run(put(layer, name, 50)) for name in "ab"] == [204, 204]
    assert not behind.reruns
    assert run(put(layer, "c", 1)) == 413
    assert run(put(layer, "c", 1, base="/tokens")) == 413
    assert behind.reruns == [("mine", "as it is")] * 2
    assert run(put(layer, "c", 101, session="nobody")) == 413
    assert {*uploads.REFUSED} == {"mine"}, "nobody has no page to say it on"
    assert run(put(layer, "c", 100, session="yours")) == 204
    assert run(put(layer, "b", 50)) == 204, "it takes its own place"
    assert run(put(layer, "b", 51)) == 413
    behind.manager.remove_file("mine", "a")
    assert run(put(layer, "c", 50)) == 204


def test_what_else_is_asked_for_is_left_to_streamlit(behind):
    layer = Uploads(behind)
    assert run(put(layer, "a", 100)) == 204
    assert run(put(layer, "a", 1000, method="DELETE")) == 204
    assert run(put(layer, "b", 100, session="nobody")) == 204, "Streamlit knows no such session"
    asked = []

    async def app(scope, _receive, _send):
        asked.append(scope["type"])

    run(Uploads(app)({"type": "lifespan"}, None, None))
    assert asked == ["lifespan"]


def test_files_on_their_way_have_their_room_already(behind):
    async def together():
        behind.waits = asyncio.Event()
        layer = Uploads(behind)
        first = asyncio.create_task(put(layer, "a", 60))
        await asyncio.sleep(0)
        refused = await put(layer, "b", 60)
        behind.waits.set()
        return await first, refused, await put(layer, "b", 40), layer.coming

    assert run(together()) == (204, 413, 204, {})


def test_a_file_that_does_not_say_its_length_needs_room_for_the_largest(behind, monkeypatch):
    layer = Uploads(behind)
    assert run(put(layer, "a", 10, length=False)) == 413
    monkeypatch.setattr(uploads.page_limits, "upload_bytes", lambda: 100)
    assert run(put(layer, "a", 10, length=False)) == 204


def test_the_page_says_once_that_a_file_was_not_taken(behind, monkeypatch):
    said = []
    monkeypatch.setattr(uploads.st, "toast", lambda text, duration: said.append((text, duration)))
    monkeypatch.setattr(uploads, "session", lambda: "mine")
    uploads.say_refused()
    uploads.REFUSED.add("mine")
    uploads.say_refused()
    uploads.say_refused()
    assert behind.reruns == []
    [(text, duration)] = said
    assert text.startswith("The file was not taken: this page may upload 100 bytes in all.")
    assert duration == "infinite"


@pytest.mark.parametrize("said", ["", "-1", "²", "many", "9" * 5000])
def test_a_length_that_is_no_number_of_bytes_is_the_largest(said, monkeypatch):
    monkeypatch.setattr(uploads.page_limits, "upload_bytes", lambda: 100)
    assert uploads.request_size({"content-length": said}) == 100
    assert uploads.request_size({"content-length": "7"}) == 7
