"""A real Redis, which keeps nothing on a disk."""

import shutil
import socket
import subprocess
import time

from app_server import free_port
from helpers import PATIENCE, missing


class RedisServer:
    """A Redis on a port of its own for as long as a `with` lasts; it can be killed and begun anew,
    and knows nothing of before then."""

    def __init__(self):
        self._program = shutil.which("redis-server")
        if self._program is None:
            missing("Redis is missing; install it (Debian: apt install redis-server).")
        self.port = free_port()
        self.address = f"redis://localhost:{self.port}/0"

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()

    def start(self):
        """Begins it, and waits until it answers."""
        words = ["--port", str(self.port), "--save", "", "--appendonly", "no"]
        self.process = subprocess.Popen([self._program, *words], stdout=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while not self._answers():
            assert self.process.poll() is None, "Redis did not start."
            assert time.monotonic() < end
            time.sleep(0.02)

    def say(self, command):
        """Gives a command, and returns the answer as it is written."""
        with socket.create_connection(("localhost", self.port), PATIENCE) as connection:
            connection.sendall(f"{command}\r\n".encode())
            return connection.recv(1_000_000).decode()

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def _answers(self):
        try:
            return self.say("PING") == "+PONG\r\n"
        except OSError:
            return False
