"""The limits of this server as the pages ask for them.

They are looked up whenever they are needed; what only the screen limits is here as well.
"""

from dataclasses import replace

import streamlit as st

from tokviz.pretokenizers.pattern import LONGEST
from tokviz.server import limits
from tokviz.server.limit_checks import most_of
from tokviz.server.runs import Run
from tokviz.trainers import TRAINERS, settings_of

#: Lanes; more cannot be read on a projector.
ROOM = 4


def lanes() -> int:
    """How many lanes there may be."""
    return max(1, min(ROOM, limits.LIMITS.settings.lanes))


def vocabulary() -> int:
    """The greatest vocabulary size that any algorithm can be asked for."""
    return max(most_of(name, "vocab_size", limits.LIMITS.settings) for name in TRAINERS)


def seeds(algorithm: str, name: str) -> int:
    """The most seeds that an algorithm can start from, whose setting has that name."""
    return most_of(algorithm, name, limits.LIMITS.settings)


def with_room(run: Run) -> Run:
    """The run, which names its seeds where as many as usual would be more than the server takes."""
    settings = dict(run.settings)
    for setting in settings_of(TRAINERS[run.algorithm]):
        if setting.follows and not settings.get(setting.name):
            most = seeds(run.algorithm, setting.name)
            if setting.usual(run.vocab_size) > most:
                return replace(run, settings=((setting.name, most), *run.settings))
    return run


def pattern_seconds() -> float:
    """The longest that a pattern may take for a document."""
    return min(LONGEST, float(limits.LIMITS.settings.pattern_seconds))


def upload_megabytes() -> int:
    """The largest text that is uploaded, as Streamlit counts: exactly it is checked once it is
    there."""
    needed = -(-limits.LIMITS.corpus.bytes // 10**6)
    return max(1, min(needed, int(st.get_option("server.maxUploadSize"))))


def upload_bytes() -> int:
    """The largest file that reaches the server at all, or a little less: Streamlit's own MB are of
    1,024 × 1,024 bytes."""
    return int(st.get_option("server.maxUploadSize")) * 10**6
