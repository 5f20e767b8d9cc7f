"""Figures of what a page shows, for a paper: the same that the Python API makes, as files."""

from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from tokviz.basics.messages import _, here, message, said_by
from tokviz.history.base import History
from tokviz.pages.lenses.word_lens import MOST_TYPED, best_form, first_word
from tokviz.pages.visit.lanes import labels, lane_choice
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets import markup
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.style import note, sentence
from tokviz.pictures.curves import MEASURES, curves_chart, measures
from tokviz.pictures.files import KINDS, NEEDED, PPI, can_convert
from tokviz.pictures.picture import Picture
from tokviz.player.share import chart_files
from tokviz.server.runs import Run

if TYPE_CHECKING:
    from tokviz.pictures.print_chart import PrintChart

#: The kinds of figures.
_CURVE = "curve"
_FIGURES = {
    _CURVE: message("A curve"),
    "word": message("A word"),
    "segmentation": message("A word through the steps"),
    "candidates": message("Candidates"),
}
#: The width of a column in a two-column paper.
_WIDTH = "85mm"


def as_figure(
    lanes: Sequence[Run],
    histories: Sequence[History],
    name_of: Callable[[str, str], str],
) -> None:
    """Draw the choice of a figure of the lanes, or of one lane; `name_of` makes a file name from a
    title and an extension."""
    names = labels(lanes)
    kind = st.segmented_control(
        _("Figure"),
        list(_FIGURES),
        format_func=lambda name: here(_FIGURES[name]),
        key="figure_kind",
        default=_CURVE,
        required=True,
    )
    lane = 0 if kind == _CURVE else lane_choice(names, "figure_lane")
    history, t = histories[lane], this_visit().states[lane]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        draw = _figure_by_width(str(kind), histories, names, history, t)
        width = st.text_input(_("Width"), _WIDTH, max_chars=20, key="figure_width")
        ppi = st.number_input(_("Dots per inch"), 72, 1200, PPI, key="figure_ppi")
    try:
        figure = draw(width)
    except ValueError as error:
        sentence(said_by(error))
        return
    if isinstance(figure, Picture):
        data = b64encode(figure.file("svg")).decode("ascii")
        label = markup.text(figure.label)
        st.html(f'<img class="tv-preview" src="data:image/svg+xml;base64,{data}" alt="{label}">')
    convertible = can_convert()
    with st.container(horizontal=True):
        for ending in KINDS:
            if convertible or (ending == "svg" and isinstance(figure, Picture)):
                st.download_button(
                    _("Save as {kind}", kind=ending.upper()),
                    data=partial(figure.file, ending, ppi),
                    file_name=name_of(f"{lanes[lane].corpus.title} {kind} {t}", ending),
                    mime=KINDS[ending],
                    on_click="ignore",
                    key=f"take_figure_{ending}",
                )
    if not convertible:
        note(NEEDED)
        if kind == _CURVE:
            note(_("The charts, as they look now:"))
            chart_files()


def _figure_by_width(
    kind: str, histories: Sequence[History], names: Sequence[str], history: History, t: int
) -> "Callable[[str], Picture | PrintChart]":
    """Draw the options of a kind of figure; return the figure as a function of its width."""
    if kind == _CURVE:
        curves = [of_run.curve() for of_run in histories]
        # Only measures that all lanes have.
        shared = [name for name in measures(curves[0]) if all(name in measures(c) for c in curves)]
        measure = choice(
            _("Curve"), shared, format_func=lambda name: here(MEASURES[name]), key="figure_measure"
        )
        align = this_visit().aligned if len(histories) > 1 else "step"
        return partial(curves_chart, histories, names, str(measure), align)
    if kind == "candidates":
        return partial(history.candidates_chart, t, 10)
    typed = st.text_input(
        _("Word"), first_word(history).word, max_chars=MOST_TYPED, key="figure_word"
    )
    word = typed if history.count_of(typed) else best_form(history, typed.strip())
    if kind == "word":
        return partial(history.word_chart, word, t)
    return partial(history.segmentation_chart, word, 0, t)
