"""Draw lanes side by side: the player, the curves of metrics, and a lens at the player's
position."""

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import streamlit as st

import tokviz
from tokviz.analysis.alignment import AlignmentError
from tokviz.analysis.comparison import PAIR_METRICS, Comparison
from tokviz.analysis.metrics import METRICS, PER_WORD, metrics_of
from tokviz.basics.messages import _, current, here, message
from tokviz.history.base import History
from tokviz.pages.comparison.differences import parted, parted_note
from tokviz.pages.comparison.held_out_view import held_out_view
from tokviz.pages.comparison.metric_table import metric_table
from tokviz.pages.lenses.charts import LANES, PAIRS, curve_chart, legend, table_points
from tokviz.pages.lenses.stepper import draw_player
from tokviz.pages.visit.address import Query
from tokviz.pages.visit.lanes import labels as lane_labels
from tokviz.pages.visit.lanes import pair_name
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.keys import COMPARE_LENS, CURVES, FERTILITY_WORDS
from tokviz.pages.widgets.style import note, sentence
from tokviz.player.address import in_address
from tokviz.server.draw_queue import in_turn
from tokviz.server.histories import kept
from tokviz.server.runs import Run
from tokviz.server.waiting import beside

#: Metrics that divide by words.
_OF_WORDS = ("fertility", "whole_words")
_NAMES = [metric.name for metric in (*METRICS, *PAIR_METRICS)]
#: More curves do not fit side by side.
MOST_CURVES = 3
_USUAL = ["corpus_tokens", "renyi_efficiency", "boundary_f1"]
#: The lenses by their names in the session and the address; the first is the default.
LENSES = {
    "parted": message("Where they part"),
    "metrics": message("Metrics"),
    "held-out": message("Held-out text"),
}


@st.fragment
@in_turn
def comparer(histories: Sequence[History], lanes: tuple[Run, ...]) -> None:
    """Draw the player, the curves, and the chosen lens at the position where the player stopped."""
    if this_visit().wanted_lanes:
        st.rerun()
    axis, position = draw_player(histories, lanes, curves=False, set_up=True)
    # Lane names depend on the language of the page.
    of_lanes = (lanes[1:], current())
    comparison = kept(lanes[0], "comparisons", 4, of_lanes, lambda: _compared(histories, lanes))
    # Aligning different words of a long text takes a while.
    with st.spinner(_("Comparing the lanes …")), suppress(AlignmentError):
        beside(lambda: comparison.alignments)  # They are kept.
    if comparison.axis.align != axis.align:
        of_axis = (*of_lanes, axis.align)
        comparison = kept(
            lanes[0], "comparisons_by", 4, of_axis, partial(comparison.by, axis.align)
        )
    known = comparison.per_word
    request = st.session_state.setdefault(FERTILITY_WORDS, "whitespace")
    if request != known == "whitespace":
        of_words = (*of_lanes, axis.align, request)
        comparison = kept(
            lanes[0], "comparisons_per", 4, of_words, partial(comparison.per, request)
        )
    curves(comparison, float(axis.values[position]), len(lanes))
    with st.container(key="lenses"):
        st.session_state.setdefault(COMPARE_LENS, "parted")
        lens = st.segmented_control(
            _("Lens"),
            list(LENSES),
            format_func=lambda name: here(LENSES[name]),
            key=COMPARE_LENS,
            required=True,
            label_visibility="collapsed",
            persist_state="session",
        )
        if lens in ("held-out", "metrics") or {*_OF_WORDS} & {*st.session_state[CURVES]}:
            _choose_words(known == "whitespace")
        if lens == "held-out":
            held_out_view(comparison, lanes, position)
        elif lens == "metrics":
            metric_table(comparison, position)
        elif len(lanes) < 2:
            parted_note(
                _(
                    "A single lane has nothing to be compared with. Choose a comparison, or add a "
                    "lane."
                )
            )
        else:
            try:
                parted(comparison, position)
            except AlignmentError:
                sentence(
                    _(
                        "These lanes have different words and no common text, so their boundaries "
                        "cannot be compared. Train them on the same text."
                    )
                )

    _address()


def _choose_words(known: bool) -> None:
    """Draw the choice of words that metrics divide by, if all lanes know both kinds."""
    if not known:
        note(
            _(
                "A lane from a word-count table, or from an older file, does not know the "
                "white-space words of its text, so figures per word divide by each lane’s own "
                "pre-tokens here."
            )
        )
        return
    st.segmented_control(
        _("Figures per word divide by"),
        list(PER_WORD),
        format_func=lambda name: here(PER_WORD[name]),
        key=FERTILITY_WORDS,
        required=True,
        persist_state="session",
        help=_(
            "White-space words are the words of the text itself, the same for every lane. "
            "Chinese and Thai, for example, have few of them: look at characters and bytes per "
            "token there."
        ),
    )


def _address() -> None:
    state, parts = st.session_state, {}
    if state[COMPARE_LENS] != "parted":
        parts["lens"] = state[COMPARE_LENS]
    if state[FERTILITY_WORDS] != "whitespace":
        parts["per_word"] = state[FERTILITY_WORDS]
    if state[CURVES] != _USUAL:
        parts["curves"] = ".".join(state[CURVES])
    in_address(parts)


def restore_comparer(query: Query, _histories: Sequence[History]) -> None:
    """Set the lens, the kind of words and the curves from an address."""
    state = st.session_state
    if lens := query.choice("lens", message("lens"), {name: name for name in LENSES}):
        state[COMPARE_LENS] = lens
    if per_word := query.choice("per_word", message("words"), {name: name for name in PER_WORD}):
        state[FERTILITY_WORDS] = per_word
    if curves := query.text("curves"):
        known = [name for name in dict.fromkeys(curves.split(".")) if name in _NAMES]
        if len(known) < len(curves.split(".")):
            said = repr(curves[:80])
            query.lost.append(_("not all of the curves {curves} are known", curves=said))
        state[CURVES] = known[:MOST_CURVES]


def _compared(histories: Sequence[History], lanes: tuple[Run, ...]) -> Comparison:
    corpus = None if lanes[0].corpus.is_table else lanes[0].corpus.plain
    return tokviz.compare(histories, corpus, names=lane_labels(lanes))


def curves(comparison: Comparison, value: float, lanes: int) -> None:
    visit = this_visit()
    state, axis = st.session_state, comparison.axis
    drawn = (visit.number, axis.align)
    if visit.drawn != drawn:
        visit.drawn, visit.cursor = drawn, value
    options = [name for name in _NAMES if lanes > 1 or name not in _pair_names()]
    labels = {metric.name: metric.label for metric in metrics_of(comparison.per_word)}
    labels |= {metric.name: metric.label for metric in PAIR_METRICS}
    state.setdefault(CURVES, _USUAL)
    state[CURVES] = [name for name in state[CURVES] if name in options]
    chosen = st.multiselect(
        _("Curves"),
        options,
        key=CURVES,
        format_func=lambda name: here(labels[name]),
        max_selections=MOST_CURVES,
        placeholder=_("Choose up to three curves"),
        label_visibility="collapsed",
        persist_state="session",
    )
    columns = st.columns(MOST_CURVES)
    for column, name in zip(columns, chosen, strict=False):
        of_pairs = name in _pair_names()
        try:
            table = comparison.pairs if of_pairs else comparison.metrics
        except AlignmentError:
            continue  # The lens below says why.
        if of_pairs:
            both = zip(table["left"], table["right"], strict=True)
            table = table.assign(lane=[pair_name(*pair) for pair in both])
        title = here(labels[name])
        with column:
            st.vega_lite_chart(
                curve_chart(
                    table_points(table, "lane", name),
                    title,
                    axis,
                    visit.cursor,
                    colours=PAIRS if of_pairs else LANES,
                ),
                alt=_("{title}, with a cursor where the scrubber stands.", title=title),
                key=f"curve_{name}",
            )
            if of_pairs and lanes > 2:
                names = table["lane"].unique().tolist()
                st.html(f'<p class="tv-legend">{legend(names, PAIRS)}</p>')


def _pair_names() -> list[str]:
    return [metric.name for metric in PAIR_METRICS]
