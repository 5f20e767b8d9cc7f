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
        st.session_state["start"] = OPENING_STEP
        st.session_state["visit"] = 0
        st.session_state["editing"] = False
    start_form(SAMPLES[OPENING])
    if "wanted" in st.session_state:
        _train(st.session_state["wanted"])
    bar, button = st.columns([6, 1], vertical_alignment="center")
    if st.session_state["editing"]:
        with st.container(border=True):
            wanted = form()
            if "refused" in st.session_state:
                sentence(st.session_state["refused"])
            if wanted is not None:
                st.session_state["wanted"] = wanted
                st.rerun()
    run = st.session_state["run"]
    history = history_of(run)
    with bar:
        _summary(run, history)
    with button:
        label = "Close" if st.session_state["editing"] else "Change"
        st.button(label, on_click=_toggle, key="change", width="stretch")
    stepper(history, run)


def _toggle() -> None:
    st.session_state["editing"] = not st.session_state["editing"]
    st.session_state.pop("refused", None)


def _train(wanted: Run) -> None:
    """Trains what the form described; on success it becomes the run on the page, else a sentence
    says why not."""
    st.session_state.pop("refused", None)
    try:
        history_of(wanted)
    except (ValueError, Cancelled) as error:
        st.session_state["refused"] = str(error)
    except MemoryError:
        st.session_state["refused"] = (
            "The corpus is too large for this computer; train on a shorter text."
        )
    else:
        st.session_state["run"] = wanted
        st.session_state["start"] = 0
        st.session_state["visit"] += 1
        st.session_state["editing"] = False
    del st.session_state["wanted"]


def _summary(run: Run, history: History) -> None:
    kind = TRAINERS[run.algorithm]
    rows = {
        "Corpus": run.title,
        "Size": _counted(history.words.total, "word"),
        "Algorithm": kind.label,
        "Vocabulary": f"{run.vocab_size:,}",
    }
    if not run.is_table:
        rows["Words"] = PRETOKENIZERS[run.pretokenizer].label
        rows |= {name: _shown(value) for name, value in run.pretokenizer_settings}
    labels = {f.name: f.metadata["label"] for f in kind.__dataclass_fields__.values() if f.metadata}
    rows |= {labels[name]: _shown(value) for name, value in run.settings}
    cells = "".join(
        f"<div><dt>{k}</dt><dd><bdi>{text(v)}</bdi></dd></div>" for k, v in rows.items()
    )
    st.html(f'<h1 class="tv-unseen">How a tokenizer learns</h1><dl class="tv-setup">{cells}</dl>')


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _counted(n: int, what: str) -> str:
    return f"1 {what}" if n == 1 else f"{n:,} {what}s"
