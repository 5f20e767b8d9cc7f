"""The Train page: one run, from its set-up to its last step."""

import streamlit as st

from tokviz import PRETOKENIZERS, SAMPLES, TRAINERS, Cancelled
from tokviz.history import History
from tokviz.pages.markup import text
from tokviz.pages.run import Run, history_of
from tokviz.pages.setup import form, run_of_sample, start_form
from tokviz.pages.stepper import stepper
from tokviz.pages.style import sentence

#: The sample that a visitor meets, and the state that it opens at.
OPENING, OPENING_STEP = "course", 13


def page() -> None:
    """Draws the page. The first visit shows a trained sample at once."""
    if "run" not in st.session_state:
        st.session_state["run"] = run_of_sample(SAMPLES[OPENING])
        st.session_state["step"] = OPENING_STEP
        st.session_state["editing"] = False
    start_form(SAMPLES[OPENING])
    if "step" not in st.session_state:
        st.session_state["step"] = 0
    bar, button = st.columns([6, 1], vertical_alignment="center")
    if st.session_state["editing"]:
        with st.container(border=True):
            wanted = form()
            if wanted is not None:
                _train(wanted)
    run = st.session_state["run"]
    history = _trained(run)
    with bar:
        _summary(run, history)
    with button:
        label = "Close" if st.session_state["editing"] else "Change"
        st.button(label, on_click=_toggle, key="change", width="stretch")
    if history is not None:
        stepper(history, run)


def _toggle() -> None:
    st.session_state["editing"] = not st.session_state["editing"]


def _train(wanted: Run) -> None:
    """Trains what the form describes; on success it becomes the run on the page."""
    if _trained(wanted) is None:
        return
    st.session_state["run"] = wanted
    st.session_state["step"] = 0
    st.session_state["editing"] = False
    st.rerun()


def _trained(run: Run) -> History | None:
    """The history of a run; a run that cannot be leaves a sentence on the page instead."""
    try:
        return history_of(run)
    except (ValueError, Cancelled) as error:
        sentence(str(error))
    except MemoryError:
        sentence("The corpus is too large for this computer; train on a shorter text.")
    return None


def _summary(run: Run, history: History | None) -> None:
    words = f" · {history.words.total:,} words" if history else ""
    kind = TRAINERS[run.algorithm]
    rows = {
        "Corpus": run.title + words,
        "Algorithm": kind.label,
        "Words": PRETOKENIZERS[run.pretokenizer].label,
        "Vocabulary": f"{run.vocab_size:,}",
    }
    labels = {f.name: f.metadata["label"] for f in kind.__dataclass_fields__.values() if f.metadata}
    rows |= {labels[name]: _shown(value) for name, value in run.settings}
    cells = "".join(f"<div><dt>{k}</dt><dd>{text(v)}</dd></div>" for k, v in rows.items())
    st.html(f'<h1 class="tv-unseen">How a tokenizer learns</h1><dl class="tv-setup">{cells}</dl>')


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
