"""A training that is under way is found again after a reload, or from a second tab.

The address has a token for it that nobody can guess; the server knows what was asked for, until
somebody has waited for its end, or others have asked for much. Nothing is written down: a server
that starts anew knows no token.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from tokviz.player.address import in_address, write_address
from tokviz.server.limits import LIMITS
from tokviz.server.shared_cache import Shelf, size_of

#: What names a training, in the address and in the session's state.
_TOKEN = "training"
#: More cannot be under way; of those that were left, the last ones are known for a while.
_REACHABLE = Shelf(LIMITS.training.queue, LIMITS.kept.megabytes / 4)


@contextmanager
def reachable(asked: Any) -> Iterator[None]:
    """What is waited for meanwhile, as `asked` describes it, is found again by what `say_where`
    puts in the address."""
    state = st.session_state
    # One for what is wanted, however often the page is drawn until it is there.
    token = state.setdefault(_TOKEN, secrets.token_urlsafe(12))
    _REACHABLE.place(token)["asked"] = asked
    _REACHABLE.weigh(token, "asked", size_of(asked))
    left = True
    try:
        yield
        left = False
    except Exception:
        left = False
        raise
    finally:
        # If the page was left, it is asked for again, or somebody else waits for it.
        if not left:
            del state[_TOKEN]
            _REACHABLE.remove(token)


def say_where() -> None:
    """Names the training that this page waits for in its address, if it can be found again."""
    if token := st.session_state.get(_TOKEN):
        in_address({_TOKEN: token})
        write_address()


def names_training() -> bool:
    """Whether the address names a training as under way."""
    return bool(st.query_params.get(_TOKEN))


def asked_there() -> Any:
    """What was asked for in the training that the address names; None if it is not known here."""
    return (_REACHABLE.get(st.query_params.get(_TOKEN)) or {}).get("asked")
