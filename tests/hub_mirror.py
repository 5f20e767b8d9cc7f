"""A hub of models for tests, on this computer: it answers what huggingface_hub asks."""

from collections.abc import Mapping
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import unquote

#: The one commit of every model.
COMMIT = "0123456789abcdef0123456789abcdef01234567"


class Mirror:
    """Serves files of models by "owner/name", and any other file by its path.

    A model whose files are None is gated. `asked` has the method and path of each request, `tokens`
    what was sent as Authorization; with another `status` than 200, every answer is an error.
    """

    def __init__(self, models: Mapping[str, Mapping[str, bytes] | None]) -> None:
        self.models, self.other_files = dict(models), dict[str, bytes]()
        self.asked, self.tokens = list[tuple[str, str]](), set[str | None]()
        self.status = 200
        mirror = self

        class Handler(BaseHTTPRequestHandler):
            def do_HEAD(self) -> None:
                mirror.answer(self, body=False)

            def do_GET(self) -> None:
                mirror.answer(self, body=True)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> "Mirror":
        Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: BaseHTTPRequestHandler, body: bool) -> None:
        """Answers one request, with or without the contents of the file."""
        path = unquote(request.path)
        if not path.startswith("/api/"):  # the library's own questions, not for a model's file
            self.asked.append((request.command, path))
            self.tokens.add(request.headers["Authorization"])
        status, headers, data = self._found(path)
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(data)))
        request.end_headers()
        if body:
            request.wfile.write(data)

    def _found(self, path: str) -> tuple[int, dict[str, str], bytes]:
        if self.status != 200:
            return self.status, {}, b""
        if path in self.other_files:
            return 200, {}, self.other_files[path]
        model, _, place = path.removeprefix("/").partition("/resolve/")
        revision, _, file = place.partition("/")
        if model not in self.models:
            # As the real hub, which does not tell strangers whether a model is private.
            return 401, {"X-Error-Code": "RepoNotFound"}, b""
        files = self.models[model]
        if files is None:
            return 403, {"X-Error-Code": "GatedRepo"}, b""
        if revision not in ("main", COMMIT):
            return 404, {"X-Error-Code": "RevisionNotFound"}, b""
        headers = {"X-Repo-Commit": COMMIT}
        data = files.get(file)
        if data is None:
            return 404, {**headers, "X-Error-Code": "EntryNotFound"}, b""
        return 200, {**headers, "ETag": f'"{sha256(data).hexdigest()}"'}, data
