"""Files of what a page shows: a web page, a tokenizer for a library, tables, an animation."""

import io
import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from tokviz.basics.messages import _, current, here, message, said_by, sentences, using
from tokviz.formats.archive import archived
from tokviz.formats.exports import EXPORTS
from tokviz.formats.history_file import save
from tokviz.formats.table_files import TABLE_FORMATS, table_bytes
from tokviz.formats.tables import TABLES
from tokviz.history.base import History
from tokviz.pages.share.take_figures import as_figure
from tokviz.pages.visit.lanes import labels, lane_choice
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets import markup
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.style import note, sentence
from tokviz.pictures.animation import MOST_STEPS, drawing_of
from tokviz.pictures.animation_drawing import Drawing
from tokviz.pictures.animation_files import ANIMATIONS, check_files, gif_of, pngs_of
from tokviz.player.web_page import web_page
from tokviz.server.runs import Run, title_of

#: Words of a table, or characters of a text, that an animation shows by default; among so many
#: lines of its first so many characters.
_FIRST_WORDS, _FIRST_LINES, _FIRST_CHARACTERS, _LINE = 8, 20, 10_000, 80
#: How a course page shows a web page that is saved beside it.
FRAME = '<iframe src="{src}" title="{title}" width="100%" height="640" style="border: 0"></iframe>'


def file_name(title: str, ending: str) -> str:
    """Return a file name that every operating system accepts.

    >>> file_name("Alice's / Adventures", "html"), file_name("…", "csv")
    ('tokviz-alice-s-adventures.html', 'tokviz.csv')
    """
    words = re.findall(r"[a-z0-9]+", title.lower())
    return "-".join(["tokviz", *words])[:60] + f".{ending}"


def as_web_page(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    """Offer the player with its lanes as one HTML file."""
    visit = this_visit()
    note(
        _(
            "One file with the player, the lanes and the whole training in it. It opens from disk, "
            "needs no server and no network, and fits into a course page as an iframe."
        )
    )
    title = st.text_input(_("Title"), value=title_of(lanes[0]), key="web_page_title", max_chars=200)

    # `page` runs at the download, outside the session, so the session is read now.
    align = visit.aligned if len(lanes) > 1 else "step"
    position = visit.position or 0
    language, names, corpus = current(), labels(lanes), title_of(lanes[0])

    def page() -> bytes:
        texts = [None if run.corpus.is_table else run.corpus.plain for run in lanes]
        with using(language):
            made = web_page(
                histories,
                labels=names,
                texts=texts,
                align=align,
                position=position,
                title=title,
                about={_("Corpus"): corpus},
            )
        return made.encode("utf-8")

    name = file_name(title, "html")
    _save(_("Save as web page"), "Save as web page", page, name, "text/html", primary=True)
    note(
        _(
            "For a course page, put the saved file beside it, in the same folder, and this line "
            "into the page:"
        )
    )
    # Whoever wrote the title, in the page of somebody else it is only a title.
    snippet = FRAME.format(src=name, title=markup.text(title or corpus))
    st.code(snippet, language="html", wrap_lines=True)


def as_tokenizer(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    """Offer the tokenizer of a lane in the formats of libraries."""
    lane = lane_choice(labels(lanes), "take_lane")
    history = histories[lane]
    if lanes[lane].of_tokenizer and not lanes[lane].goes_on:
        note(_("These merges come from a file: use that file."))
        return
    step = _as_of(history, this_visit().states[lane])
    impossible = {}
    for name, export in EXPORTS.items():
        if (why_not := export.why_not(history)) is not None:
            impossible[export.label] = why_not
            continue
        said, button = st.columns([4, 1], vertical_alignment="center", gap="medium")
        with said:
            st.html(
                f'<p class="tv-note"><b>{markup.text(here(export.label))}</b><br>'
                f"{markup.text(here(export.help))}</p>"
            )
        files = partial(export.files, history, step)
        title = f"{lanes[lane].corpus.title} {lanes[lane].algorithm} {step}"
        button.download_button(
            _("Save {name}", name=name),
            data=partial(_packed, files),
            file_name=file_name(title, export.ending),
            on_click="ignore",
            key=f"save_{name}",
            width="stretch",
        )
    with st.expander(_("Not for this run ({n})", n=len(impossible))):
        for label, why_not in impossible.items():
            why = markup.text(here(why_not))
            st.html(f'<p class="tv-note"><b>{markup.text(here(label))}</b><br>{why}</p>')


def as_tables(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    """Offer the tables of a lane, and its history file."""
    lane = lane_choice(labels(lanes), "take_lane")
    history, t, run = histories[lane], this_visit().states[lane], lanes[lane]
    name = choice(
        _("Table"),
        list(TABLES),
        format_func=lambda name: here(TABLES[name].label),
        key="table_name",
    )
    table = TABLES[name]
    if table.at_state:
        note(table.help)
        t = _as_of(history, t)
    else:
        note(sentences(table.help, _("All steps.")))
    with st.container(horizontal=True):
        for ending, kind in TABLE_FORMATS.items():
            _save(
                f"{name}.{ending}",
                f"{name}.{ending}",
                partial(_table, history, name, t, ending),
                file_name(f"{run.corpus.title} {name}", ending),
                kind,
            )
    note(_("CSV: a cell that a spreadsheet would take for a formula begins with an apostrophe."))
    if run.of_tokenizer:
        note(
            _(
                "A history file does not hold the tokenizer’s file that this lane begins with, so "
                "there is none of it: “Web page” saves all steps."
            )
        )
    else:
        note(_("The whole history, for tokviz.load in Python and for the page “Open”:"))
        _save(
            "history.npz",
            "history.npz",
            partial(_history, history),
            file_name(run.corpus.title, "npz"),
            "application/octet-stream",
        )


def as_picture(lanes: Sequence[Run], histories: Sequence[History]) -> None:
    """Offer figures for a paper, and an animation of some steps for slides."""
    note(
        _(
            "A figure for a paper, on white, as history.chart() and other functions give it in "
            "Python."
        )
    )
    as_figure(lanes, histories, file_name)
    st.divider()
    lane = lane_choice(labels(lanes), "take_lane")
    history, t = histories[lane], this_visit().states[lane]
    last = len(history)
    note(
        _(
            "Some steps as an animation: an SVG for web pages, sharp at any size; a GIF for "
            "slides, documents and wherever else pictures go; or a PNG file of each step. GIF and "
            "PNG have the letters of the fonts that this server has."
        )
    )
    typed = st.text_input(
        _("Words or a line of the corpus"),
        value=_default_text(lanes[lane], history),
        key=f"picture_words_{lane}",
        max_chars=300,
    )
    if not last:
        sentence(_("This run has no step to show."))
        return
    begin = max(0, min(t, last - MOST_STEPS))
    first, end = st.slider(
        _("Steps"),
        0,
        last,
        (0 if last <= MOST_STEPS else begin, min(last, begin + MOST_STEPS)),
        key=f"picture_steps_{lane}_{last}",
    )
    seconds = st.slider(_("Seconds per step"), 0.5, 5.0, 1.5, 0.5, key="picture_seconds")
    try:
        texts = typed.split() if lanes[lane].corpus.is_table else [typed]
        drawing = drawing_of(history, texts, first, end)
    except ValueError as error:
        sentence(said_by(error))
        return
    svg = drawing.animated(seconds).encode("utf-8")
    data = b64encode(svg).decode("ascii")
    alt = markup.text(_("The picture, from step to step"))
    st.html(f'<img class="tv-preview" src="data:image/svg+xml;base64,{data}" alt="{alt}">')
    _animation_files(drawing, svg, seconds, f"{lanes[lane].corpus.title} {first} {end}")


def _animation_files(drawing: Drawing, svg: bytes, seconds: float, title: str) -> None:
    """Draw the buttons that save an animation, or why there is only one."""
    makes: dict[str, Callable[[], bytes]] = {"svg": lambda: svg}
    said = {
        "svg": _("Save as animated SVG"),
        "gif": _("Save as GIF"),
        "zip": _("Save as PNG files (zip)"),
    }
    why_not = ""
    try:
        check_files(drawing)
    except ValueError as error:
        why_not = said_by(error)
    else:
        # Dozens of pictures are made at the download, not whenever the dialog is drawn.
        makes["gif"] = partial(gif_of, drawing, seconds)
        makes["zip"] = lambda: archived(pngs_of(drawing))
    with st.container(horizontal=True):
        for kind, make in makes.items():
            _save(
                said[kind],
                f"animation_{kind}",
                make,
                file_name(title, kind),
                ANIMATIONS[kind],
                primary=kind == "svg",
            )
    if why_not:
        sentence(why_not)


def _as_of(history: History, t: int) -> int:
    """Draw the choice of a state: the end of the run, or the present state t; return it."""
    states = {"end": len(history), "now": t}
    said = {"end": message("the last step ({n:,})"), "now": message("this step ({n:,})")}
    choice = st.radio(
        _("As of"),
        list(states),
        format_func=lambda name: _(said[name], n=states[name]),
        key="take_state",
        horizontal=True,
    )
    return states[choice]


def _default_text(run: Run, history: History) -> str:
    """Return an animation's default text: the first line of the corpus that training cuts in
    another way, if one of the first does; or the first words of a table."""
    words = history.words.words
    if run.corpus.is_table:
        return " ".join(words[:_FIRST_WORDS])
    begin, end = (history.pieces_per_word(t).tolist() for t in (0, len(history)))
    cut_anew = {word.strip() for word, n, m in zip(words, begin, end, strict=True) if n != m}
    first = map(str.strip, run.corpus.beginning(_FIRST_CHARACTERS).splitlines())
    lines = list(filter(None, first))[:_FIRST_LINES]
    # Whole words: of "tokenization" it says nothing that "to" is cut in another way.
    changes = (line for line in lines if cut_anew.intersection(re.findall(r"\w+|[^\w\s]+", line)))
    line = next(changes, lines[0] if lines else "")
    return line if len(line) <= _LINE else line[:_LINE].rpartition(" ")[0] or line[:_LINE]


def _save(
    label: str, key: str, data: Callable[[], bytes], name: str, kind: str, primary: bool = False
) -> None:
    st.download_button(
        label,
        data=data,
        file_name=name,
        mime=kind,
        on_click="ignore",
        key=f"take_{key}",
        type="primary" if primary else "secondary",
    )


def _table(history: History, name: str, t: int, ending: str) -> bytes:
    return table_bytes(TABLES[name].frame(history, t), ending)


def _history(history: History) -> bytes:
    file = io.BytesIO()
    save(history, file)
    return file.getvalue()


def _packed(files: Callable[[], Mapping[str, bytes]]) -> bytes:
    """Return the only file, or a zip archive of all."""
    made = files()
    return next(iter(made.values())) if len(made) == 1 else archived(made)
