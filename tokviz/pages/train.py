"""The Train page: one to three runs under one scrubber, from their set-up to their last step."""

import streamlit as st

from tokviz import SAMPLES, Cancelled
from tokviz.axis import ALIGNMENTS
from tokviz.history import History
from tokviz.pages.lanes import MOST_LANES, facts, labels, other_score
from tokviz.pages.link import LinkError, from_links
from tokviz.pages.markup import text
from tokviz.pages.run import Run, Stopped, history_of, run_of_sample
from tokviz.pages.setup import another_algorithm, fill_form, form
from tokviz.pages.stepper import links_of, stepper
from tokviz.pages.style import sentence

#: The sample that a visitor meets, and the state that it opens at.
OPENING, OPENING_STEP = "course", 13


def page() -> None:
    """Draws the page. The first visit shows a trained sample at once, or what the address names."""
    state = st.session_state
    if "lanes" not in state:
        open_session()
    if "wanted" in state:
        _train(*state["wanted"])
    lanes: tuple[Run, ...] = state["lanes"]
    bar = st.container(key="setup")
    if state["editing"] is not None:
        with st.container(border=True, key="form"):
            wanted = form()
            if "refused" in state:
                sentence(state["refused"])
            if wanted is not None:
                state["wanted"] = (state["editing"], wanted)
                st.rerun()
    elif "refused" in state:
        sentence(state["refused"])
    if "link_refused" in state:
        sentence(state["link_refused"])
    histories = [history_of(run) for run in lanes]
    with bar:
        _bar(lanes, histories)
        if state["editing"] is None and any(run.algorithm == "wordpiece" for run in lanes):
            _two_scores(other_score(lanes), len(lanes))
    stepper(histories, lanes)


def open_session() -> None:
    """Sets up a session with the runs and the moment that the address names."""
    state, query = st.session_state, st.query_params
    lanes: tuple[Run, ...] = (run_of_sample(SAMPLES[OPENING]),)
    step, start, align = query.get("step", ""), OPENING_STEP, "step"
    if links := query.get_all("lane")[:MOST_LANES]:
        try:
            asked = tuple(from_links(links))
            for run in asked:
                history_of(run)
            lanes = asked
            start = min(int(step[:9]), 10**8) if step.isascii() and step.isdigit() else 0
            align = query.get("align", align)
        except (LinkError, ValueError, Cancelled) as error:
            state["link_refused"] = f"This address could not be opened: {error}"
        except (TypeError, OverflowError, MemoryError):
            state["link_refused"] = "This address could not be opened: it is damaged or too large."
    state["visit"], state["editing"], state["form_lane"] = 0, None, None
    state["start"], state["align"] = start, align if align in ALIGNMENTS else "step"
    state["lanes"] = lanes


def _train(lane: int, wanted: Run) -> None:
    """Trains what was asked for; on success it becomes that lane's run, else a sentence says why
    not."""
    state = st.session_state
    state.pop("refused", None)
    # The form holds the run if it described it.
    described = state["editing"]
    try:
        history_of(wanted)
    except Stopped as stopped:
        _show((*state["lanes"][:lane], stopped.run, *state["lanes"][lane + 1 :]))
        state["form_lane"] = described
    except (ValueError, Cancelled) as error:
        state["refused"] = str(error)
    except MemoryError:
        state["refused"] = "The corpus is too large for this computer; train on a shorter text."
    else:
        _show((*state["lanes"][:lane], wanted, *state["lanes"][lane + 1 :]))
        state["form_lane"] = described
    del state["wanted"]


def _show(lanes: tuple[Run, ...]) -> None:
    """Puts other lanes on the page, at their first step."""
    state = st.session_state
    state["lanes"], state["start"] = lanes, 0
    state["align"] = state.get("settled_align", state["align"])
    state["visit"] += 1
    state.pop("states", None)
    state["editing"] = state["form_lane"] = None
    state.pop("link_refused", None)


def _remove(lane: int) -> None:
    lanes = st.session_state["lanes"]
    _show((*lanes[:lane], *lanes[lane + 1 :]))


def _edit(lane: int) -> None:
    """Opens the form for a lane; what was typed there and not trained yet is still in it."""
    state = st.session_state
    if state["form_lane"] != lane:
        if lane < len(state["lanes"]):
            fill_form(state["lanes"][lane])
        else:
            another_algorithm(state["lanes"])
        state["form_lane"] = lane
    state["editing"] = lane


def _close() -> None:
    st.session_state["editing"] = None
    st.session_state.pop("refused", None)


def _bar(lanes: tuple[Run, ...], histories: list[History]) -> None:
    """What is on the page, and the buttons that change it."""
    editing, full = st.session_state["editing"] is not None, len(lanes) == MOST_LANES
    summary, *places = st.columns(
        [10, 1.5] if editing or full else [8.5, 1.5, 1.5], vertical_alignment="center"
    )
    with summary:
        _summary(lanes, histories)
    if editing:
        places[0].button("Close", on_click=_close, key="change", width="stretch")
        return
    if not full:
        places[0].button(
            "Add a lane",
            on_click=_edit,
            args=(len(lanes),),
            key="add",
            width="stretch",
            help="Train another algorithm or setting beside this one.",
        )
    if len(lanes) == 1:
        places[-1].button("Change", on_click=_edit, args=(0,), key="change", width="stretch")
        return
    with places[-1].popover("Lanes", width="stretch"):
        for i, name in enumerate(labels(lanes)):
            st.html(f'<p class="tv-caption">{text(name)}</p>')
            left, right = st.columns(2)
            left.button("Change", on_click=_edit, args=(i,), key=f"change_{i}", width="stretch")
            right.button("Remove", on_click=_remove, args=(i,), key=f"remove_{i}", width="stretch")


def _two_scores(other: Run | None, lane: int) -> None:
    """Says which of its two scores WordPiece is trained with where, and trains the other one."""
    with st.container(horizontal=True, vertical_alignment="center", key="two_scores"):
        st.html(
            '<p class="tv-note">Hugging Face’s WordPiece trainer is BPE with ##: it merges the '
            "most frequent pair, not the one of greatest likelihood.</p>",
            width="content",
        )
        if other is not None:
            score = dict(other.settings).get("score", "likelihood")
            st.button(
                f"Compare with the {score} score",
                on_click=st.session_state.__setitem__,
                args=("wanted", (lane, other)),
                key="compare",
                type="tertiary",
                help="Train the other score as a second lane, on the same corpus and settings.",
            )


def _summary(lanes: tuple[Run, ...], histories: list[History]) -> None:
    first = histories[0]
    rows = {"Corpus": lanes[0].title, "Size": _counted(first.words.total, "word")}
    if len(lanes) == 1:
        rows |= facts(lanes[0])
    else:
        corpora = {run.corpus for run in lanes}
        if len(corpora) > 1:
            rows = {"Corpus": "one for each lane"}
        rows["Vocabulary"] = " · ".join(f"{run.vocab_size:,}" for run in lanes)
        words = [facts(run).get("Words", "word counts") for run in lanes]
        rows["Words"] = " · ".join(dict.fromkeys(words))
    if not links_of(lanes):
        rows["Link"] = "none: the text is too long, so a reload starts anew"
    cells = "".join(
        f"<div><dt>{k}</dt><dd><bdi>{text(v)}</bdi></dd></div>" for k, v in rows.items()
    )
    st.html(f'<h1 class="tv-unseen">How a tokenizer learns</h1><dl class="tv-setup">{cells}</dl>')


def _counted(n: int, what: str) -> str:
    return f"1 {what}" if n == 1 else f"{n:,} {what}s"
