"""`tokviz app`: starts the pages in the browser."""

import signal
import subprocess
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from importlib.util import find_spec
from pathlib import Path

from tokviz.cli.base import Command

#: Streamlit finds its settings beside it, wherever it is started.
SCRIPT = Path(__file__).parents[1] / "pages" / "start" / "app.py"
#: How long the server may take to stop after Ctrl-C, in seconds.
_PATIENCE = 10


def arguments(parser: ArgumentParser) -> None:
    """Where the server listens, and whether it opens a browser."""
    parser.add_argument(
        "--port",
        type=_port,
        help="the port that the server listens on; 8501, or the next free one, if not given",
    )
    parser.add_argument("--headless", action="store_true", help="open no browser window")


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise ArgumentTypeError(f"{text!r} is no port; ports are 1 to 65535")
    return int(text)


def run(options: Namespace) -> int:
    """Starts Streamlit and waits until it ends; Ctrl-C and SIGTERM end both."""
    if find_spec("streamlit") is None:
        raise ValueError(
            "The app needs Streamlit; install it with: pip install -r requirements.txt"
        )
    server = subprocess.Popen(command(SCRIPT, options.port, options.headless))
    before = signal.signal(signal.SIGTERM, lambda _number, _frame: server.terminate())
    try:
        return 0 if server.wait() in (0, -signal.SIGTERM) else 1
    except KeyboardInterrupt:
        server.wait(_PATIENCE)
        raise
    finally:
        signal.signal(signal.SIGTERM, before)


def command(app: Path, port: int | None, headless: bool) -> list[str]:
    """What starts Streamlit.

    >>> command(Path("app.py"), 8600, True)[1:]
    ['-m', 'streamlit', 'run', 'app.py', '--server.port', '8600', '--server.headless', 'true']
    """
    words = [sys.executable, "-m", "streamlit", "run", str(app)]
    if port is not None:
        words += ["--server.port", str(port)]
    return [*words, "--server.headless", "true"] if headless else words


COMMAND = Command(
    "app",
    "open the pages in the browser",
    ("app", "app --port 8600 --headless"),
    arguments,
    run,
)
