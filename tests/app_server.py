"""The app as a process of its own, as the README starts it."""

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).parents[1]
#: Seconds until a server that is not healthy will not become so. It takes one or two.
PATIENCE = 180


def free_port():
    """A port that nobody listens on."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return free.getsockname()[1]


def healthy(port):
    """Whether a server on this port says that it is well."""
    try:
        with urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=5) as said:
            return said.read() == b"ok"
    except OSError:
        return False


class Server:
    """The app, served from this checkout on a port of its own, for as long as a `with` lasts; it
    can be killed and begun anew. What it says goes to the file `log`.

    `start` is what Python runs Streamlit by, `environment` is added to that of this process, and
    `before` is called in the server's process before it begins.
    """

    def __init__(self, log, start=("-m", "streamlit"), environment=None, before=None):
        self.port, self.log = free_port(), log
        self.address = f"http://localhost:{self.port}"
        self._command = [sys.executable, *start, "run", "app.py", "--server.headless=true"]
        self._command.append(f"--server.port={self.port}")
        self._environment, self._before = {**os.environ, **(environment or {})}, before

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """Begins it, and waits until it is healthy."""
        self.process = subprocess.Popen(
            self._command,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=self._environment,
            preexec_fn=self._before,
        )
        # Not its own file: it may not be able to write any.
        self._keeps = threading.Thread(target=self._keep, args=(self.process.stdout,), daemon=True)
        self._keeps.start()
        end = time.monotonic() + PATIENCE
        while not healthy(self.port):
            if self.process.poll() is not None or time.monotonic() > end:
                self.kill()
                raise AssertionError(f"The server did not start: {self.said()}")
            time.sleep(0.05)

    def _keep(self, lines):
        with lines, self.log.open("ab") as file:
            for line in lines:
                file.write(line)
                file.flush()

    def said(self):
        """All that it has said until now."""
        return self.log.read_text("utf-8", "replace")

    def kill(self):
        """Ends it as the system would: it is told nothing."""
        self.process.kill()
        self._ended()

    def stop(self):
        self.process.terminate()
        self._ended()

    def _ended(self):
        self.process.wait(PATIENCE)
        # A child process that outlives it holds on to the pipe.
        self._keeps.join(5)
