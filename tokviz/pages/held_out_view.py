"""How the lanes do on text that they were not trained on."""

from collections.abc import Sequence
from typing import Any

import streamlit as st

from tokviz.comparison import Comparison
from tokviz.held_out import RESAMPLES, hold_back
from tokviz.pages.markup import text
from tokviz.pages.run import Run, kept
from tokviz.pages.style import sentence

_TEXT = "held_out_text"
_NOTE = (
    "Unknown words: words with a token that the vocabulary does not hold ÷ words. A vocabulary has "
    "its alphabet from the start, so the step does not change it; only SentencePiece’s Unigram may "
    "lose rare characters before its last step. Fertility: tokens ÷ words. In brackets the 95 % "
    f"interval of {RESAMPLES:,} bootstrap resamples of the words (Efron 1979)."
)


def held_out_view(comparison: Comparison, lanes: Sequence[Run], position: int) -> None:
    """Draws the text, the way to hold a tenth of the corpus back, and the numbers of each lane."""
    state = st.session_state
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.text_area(
            "Held-out text",
            key=_TEXT,
            height=150,
            placeholder="Paste a text that the lanes were not trained on.",
            persist_state="session",
        )
        if lanes[0].corpus == state.get("trained_on"):
            st.html('<p class="tv-note">A tenth of the corpus was held back for this.</p>')
        elif not any(run.is_table for run in lanes) and len({run.corpus for run in lanes}) == 1:
            st.button(
                "Hold back a tenth of the corpus",
                on_click=_hold_back,
                args=(tuple(lanes),),
                key="hold_back",
                help="Every tenth line is the held-out text, and all lanes are trained anew on the "
                "others. Of a corpus of fewer than ten lines it is the last tenth of the words.",
            )
        if "hold_back_refused" in state:
            sentence(state["hold_back_refused"])
    held: str = state.get(_TEXT) or ""
    with right:
        if not held.strip():
            st.html('<p class="tv-note">There is no held-out text yet.</p>')
            return
        try:
            rows = kept(
                lanes[0],
                "held_out",
                8,
                (tuple(lanes[1:]), comparison.axis.align, position, held),
                lambda: comparison.held_out(held, position).to_dict("records"),
            )
        except ValueError as error:
            sentence(str(error))
            return
        st.html(_html(rows))
        st.html(f'<p class="tv-note">{text(_NOTE)}</p>')


def _hold_back(lanes: tuple[Run, ...]) -> None:
    state = st.session_state
    state.pop("hold_back_refused", None)
    try:
        trained_on, held = hold_back(lanes[0].corpus)
    except ValueError as error:
        state["hold_back_refused"] = str(error)
        return
    state[_TEXT], state["trained_on"] = held, trained_on
    state["wanted_lanes"] = tuple(
        run._replace(title=f"Nine tenths of {run.title}", corpus=trained_on) for run in lanes
    )


def _html(rows: list[dict[Any, Any]]) -> str:
    body = "".join(
        f'<tr><th scope="row">{text(row["lane"])}</th><td>{row["words"]:,}</td>'
        f"<td>{row['tokens']:,}</td>"
        f"<td>{_percent(row['unknown'])} <small>({_percent(row['unknown_low'])} to "
        f"{_percent(row['unknown_high'])})"
        f"</small></td><td>{row['fertility']:.3f} <small>({row['fertility_low']:.3f} to "
        f"{row['fertility_high']:.3f})</small></td></tr>"
        for row in rows
    )
    heads = ("Lane", "Words", "Tokens", "Unknown words", "Fertility")
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    return (
        '<div class="tv-numbers" tabindex="0" role="region" aria-label="Held-out text"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.2f} %"
