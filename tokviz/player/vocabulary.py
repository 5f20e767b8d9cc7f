"""The lens "Vocabulary": a place on the page in which the player draws, at each of its steps."""

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import streamlit as st

from tokviz.history.base import History
from tokviz.history.continued import ContinuedHistory
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.replay import ReplayHistory
from tokviz.player.assets import component_name, script, style


@singledispatch
def knows_all_tokens(_history: History) -> bool:
    """Return whether the player gets every token of a run, and can list the vocabulary itself.

    >>> import tokviz
    >>> knows_all_tokens(tokviz.train({"ab": 3}, "bpe", 3))
    True
    """
    return True


@knows_all_tokens.register(SentencePieceUnigramHistory)
def _shown_seeds_only(_history: SentencePieceUnigramHistory) -> bool:
    return False


@knows_all_tokens.register(ReplayHistory)
@knows_all_tokens.register(ContinuedHistory)
def _merged_tokens_only(_history: History) -> bool:
    # A tokenizer may have tokens that no merge makes, and has all of them from the start.
    return False


@st.cache_resource(show_spinner=False)
def _component(name: str) -> Callable[..., Any]:
    return st.components.v2.component(
        name,
        html='<div class="tv-player"></div>',
        css=style("vocabulary"),
        js=script("vocabulary_lens"),
        isolate_styles=False,
    )


def vocabulary_lens(lane: int) -> None:
    """Draw the place for the vocabulary of a lane of the page's player."""
    _component(component_name("vocabulary"))(data={"lane": lane}, key="vocabulary_lens")
