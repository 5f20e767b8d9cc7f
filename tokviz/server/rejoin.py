"""A training that is under way is found again after a reload, or from a second tab.

The address has a token for it that nobody can guess; the server knows what was asked for, until
somebody has waited for its end, or others have asked for much. Nothing is written down: a server
that starts anew knows no token.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from tokviz.basics.messages import _
from tokviz.player.address import in_address, write_address
from tokviz.server.limits import LIMITS
from tokviz.server.shared_cache import Shelf, size_of

#: What a desk is asked for, and what it shows meanwhile.
_ASKED = ("wanted", "wanted_branch", "wanted_lanes", "lanes", "desk")
_TOKEN = "training"
#: More cannot be under way; of those that were left, the last ones are known for a while.
_REACHABLE = Shelf(LIMITS.training.queue, LIMITS.kept.megabytes / 4)


@contextmanager
def reachable() -> Iterator[None]:
    """Whatever the desk waits for meanwhile is found again by what `say_where` puts in the
    address."""
    state = st.session_state
    # One for what is wanted, however often the page is drawn until it is there.
    token = state.setdefault(_TOKEN, secrets.token_urlsafe(12))
    asked = {key: state[key] for key in _ASKED if key in state}
    # Where the player stands now, the page opens again.
    asked["start"] = state.get("position", state.get("start", 0))
    asked["align"] = state.get("settled_align", state.get("align", "step"))
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


def take_up() -> bool:
    """Has the desk ask for what the address names as under way, if it is known here."""
    state, token = st.session_state, st.query_params.get(_TOKEN)
    if not token:
        return False
    asked = (_REACHABLE.get(token) or {}).get("asked")
    if asked is None or asked.get("desk") != state.get("desk"):
        state["link_refused"] = _(
            "The training that this address names is not under way here any more."
        )
        return False
    state.update(asked)
    return True
