"""Find a running training again after a reload, or from a second tab.

The address holds a random token, and the server remembers the request that belongs to it until a
page has waited for its end, or until newer ones need the room. A restarted server knows none.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import streamlit as st

from tokviz.player.address import in_address, write_address
from tokviz.server.limits import LIMITS
from tokviz.server.shared_cache import SharedCache, size_of

#: Key of the token, in the address and in the session state.
_TOKEN = "training"
#: Requests by token: as many as there can be trainings. Those of pages that were left stay a while.
_REACHABLE = SharedCache(LIMITS.training.queue, LIMITS.kept.megabytes / 4)


@contextmanager
def reachable(asked: Any) -> Iterator[None]:
    """Let `asked`, the request that the body waits for, be found by the token that `say_where` puts
    in the address."""
    state = st.session_state
    # The token stays the same when the page is drawn again before the training has ended.
    token = state.setdefault(_TOKEN, secrets.token_urlsafe(12))
    _REACHABLE.entry(token)["asked"] = asked
    _REACHABLE.weigh(token, "asked", size_of(asked))
    left = True
    try:
        yield
        left = False
    except Exception:
        left = False
        raise
    finally:
        # If the visitor left the page, it will be requested again, or another visitor waits for it.
        if not left:
            del state[_TOKEN]
            _REACHABLE.remove(token)


def say_where(key: str) -> None:
    """Put the token of the training that this page waits for in the address, if it has one. A page
    that waits for one training after the other gives each its own `key`."""
    if token := st.session_state.get(_TOKEN):
        in_address({_TOKEN: token})
        write_address(key=f"address_{key}")


def names_training() -> bool:
    """Return whether the address has the token of a training."""
    return bool(st.query_params.get(_TOKEN))


def asked_there() -> Any:
    """Return the request that belongs to the token in the address, or None if it is unknown."""
    return (_REACHABLE.get(st.query_params.get(_TOKEN)) or {}).get("asked")
