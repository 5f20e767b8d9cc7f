"""A server some of whose packages are written otherwise, and what a tab of a browser does there."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

from app_server import Server
from helpers import ROOT


def run(coroutine):
    """What a coroutine gives; this thread may have a loop already, of a browser."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, coroutine).result()


def served(folder, changes):
    """A server with some of its packages written otherwise, for sessions of 100 kB of files."""
    limits = folder / "limits.toml"
    limits.write_text("[files]\nsession_bytes = 100_000\n")
    start = (str(ROOT / "tests" / "other_streamlit.py"), json.dumps(changes))
    return Server(folder / "log", start, {"TOKVIZ_LIMITS": str(limits)})


def moment(tab, number):
    """That the player rests at a step."""
    told = {"id": tab.head["id"], "number": number, "align": "step"}
    return "settled", {"moment": {**told, "position": number, "states": [number] * 2}}
