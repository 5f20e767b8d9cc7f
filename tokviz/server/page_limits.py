"""The limits of this server for the pages, and limits of the screen.

They are read at each call.
"""

from dataclasses import replace

import streamlit as st

from tokviz.pretokenizers.pattern import LONGEST
from tokviz.server import limits
from tokviz.server.limit_checks import most_of
from tokviz.server.runs import Run
from tokviz.trainers import TRAINERS, settings_of

#: Most lanes that are readable on a projector.
ROOM = 4


def lanes() -> int:
    """Return how many lanes a page may have."""
    return max(1, min(ROOM, limits.LIMITS.settings.lanes))


def vocabulary() -> int:
    """Return the largest vocabulary size of any algorithm."""
    return max(most_of(name, "vocab_size", limits.LIMITS.settings) for name in TRAINERS)


def seeds(algorithm: str, name: str) -> int:
    """Return the largest number of seeds that an algorithm's setting `name` may have."""
    return most_of(algorithm, name, limits.LIMITS.settings)


def with_room(run: Run) -> Run:
    """Return the run, with the server's largest number of seeds if the default exceeds it."""
    settings = dict(run.settings)
    for setting in settings_of(TRAINERS[run.algorithm]):
        if setting.follows and not settings.get(setting.name):
            most = seeds(run.algorithm, setting.name)
            if setting.usual(run.vocab_size) > most:
                return replace(run, settings=((setting.name, most), *run.settings))
    return run


def pattern_seconds() -> float:
    """Return the longest time that a pattern may take for a document."""
    return min(LONGEST, float(limits.LIMITS.settings.pattern_seconds))


def upload_megabytes() -> int:
    """Return the largest upload in Streamlit's megabytes; the exact size is checked later."""
    needed = -(-limits.LIMITS.corpus.bytes // 10**6)
    return max(1, min(needed, int(st.get_option("server.maxUploadSize"))))


def upload_bytes() -> int:
    """Return the largest upload in bytes, or slightly less: Streamlit's megabytes are 2^20
    bytes."""
    return int(st.get_option("server.maxUploadSize")) * 10**6
