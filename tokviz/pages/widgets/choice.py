"""A select box whose labels are translated."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

T = TypeVar("T")
#: What each box had chosen when it was last drawn, by its key.
_CHOSEN = "chosen"


def choice(
    label: str,
    options: Sequence[T],
    *,
    key: str,
    format_func: Callable[[T], str],
    on_change: Callable[..., None] | None = None,
    args: tuple[Any, ...] = (),
    **look: Any,
) -> T:
    """Draw a select box as `st.selectbox` does, and return what is chosen.

    A browser names the chosen option by its label. One that has not drawn a new language yet sends
    a label of the old one, which Streamlit takes for a new choice; here the choice stays.
    (Streamlit itself sees to it for `st.segmented_control`, not for `st.selectbox`.)
    """
    chosen: T = st.selectbox(
        label,
        options,
        format_func=format_func,
        key=key,
        on_change=_take,
        args=(key, tuple(options), on_change, args),
        **look,
    )
    st.session_state.setdefault(_CHOSEN, {})[key] = chosen
    return chosen


def _take(
    key: str,
    options: tuple[Any, ...],
    on_change: Callable[..., None] | None,
    args: tuple[Any, ...],
) -> None:
    state = st.session_state
    if state[key] is not None and state[key] not in options:
        state[key] = state[_CHOSEN][key]
    elif on_change:
        on_change(*args)
