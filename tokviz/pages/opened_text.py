"""The tab "Encode" of the page Open: a text in tokens, as an opened tokenizer cuts it."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import Message, _, counted, here, listed, message, said_by
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.encoding.tokenizer import Encoding
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.pages.lenses.text_tokens import EXAMPLES
from tokviz.pages.visit.lanes import labels
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.keys import OPENED_TEXT
from tokviz.pages.widgets.markup import visible
from tokviz.pages.widgets.style import chip_style, note, sentence
from tokviz.player.text_chips import text_chips
from tokviz.pretokenizers import PatternError
from tokviz.server.draw_queue import in_turn
from tokviz.server.jobs import history_of
from tokviz.server.runs import Run, title_of
from tokviz.text.symbols import Spelling

#: Most characters of the text, and most of its tokens that are drawn as chips.
MOST_CHARACTERS, MOST_CHIPS = 20_000, 2_000
#: Most tokens that the comparison shows for each tokenizer.
MOST_TOKENS = 60

#: What stands among chips, by `TextChips.kinds`.
LEGEND: Mapping[str, Message] = {
    "space": message("{sign} is a space"),
    "goes on": message("{sign} goes on inside a word"),
    "ends": message("{sign} ends a word"),
    "bytes": message("hexadecimal below characters: the bytes of those that have several"),
    "cut": message("a character above a line: cut into the tokens below it"),
    "special": message("dashed: a special token"),
    "unknown": message("dashed below its text: an unknown token"),
    "left out": message("struck out: in no token"),
}


@st.fragment
@in_turn
def text_view(opened: OpenedTokenizer, lanes: tuple[Run, ...]) -> None:
    """Draw the text and its tokens, with the opened tokenizer and with the lanes."""
    chip_style()
    # Not a default value, because a text from before a reload may be restored.
    st.session_state.setdefault(OPENED_TEXT, EXAMPLES[-1])
    typed = st.text_area(_("Text"), key=OPENED_TEXT, max_chars=MOST_CHARACTERS, height=100)
    try:
        encoding = opened.tokenizer.encode(typed)
    except (PatternError, TokenizerFileError) as error:
        sentence(said_by(error))
        return
    length = counted("{n} character", "{n} characters", len(typed))
    note(here(listed([counted("{n} token", "{n} tokens", len(encoding)), length])))
    _chips(opened, encoding, typed)
    with st.expander(_("As a table")):
        _table(encoding, typed)
    note(_("The same text, cut by the lanes of the Train page at their last step:"))
    _beside(opened, encoding, typed, lanes)


def _chips(opened: OpenedTokenizer, encoding: Encoding, typed: str) -> None:
    """Draw the first tokens as chips, and say what stands there."""
    drawn = text_chips(opened.tokenizer, encoding, typed, MOST_CHIPS)
    st.html(drawn.html)
    signs = signs_of(opened.tokenizer.spelling)
    told = [_("below each token: its id")]
    told += [_(LEGEND[kind], sign=signs.get(kind, "")) for kind in LEGEND if kind in drawn.kinds]
    note(" · ".join(told))
    if drawn.tokens < len(encoding):
        note(_("The first {n:,} of {all:,} tokens.", n=drawn.tokens, all=len(encoding)))


def signs_of(spelling: Spelling) -> dict[str, str]:
    """Return the signs that tokens have, by the kinds of `LEGEND`.

    >>> signs_of(Spelling(unit="byte"))["space"], signs_of(Spelling())["space"]
    ('Ġ', '␣')
    """
    mark = "Ġ" if spelling.unit == "byte" else spelling.space_mark.replace(" ", "␣")
    return {
        "space": mark,
        "goes on": spelling.continuing_subword_prefix,
        "ends": spelling.end_of_word_suffix,
    }


def _table(encoding: Encoding, typed: str) -> None:
    table = pd.DataFrame(
        {
            "token": [visible(token) for token in encoding.tokens],
            "id": pd.array(encoding.ids, dtype="Int64"),
            "text": [visible(typed[start:end]) for start, end in encoding.offsets],
            "from": [start for start, _ in encoding.offsets],
            "to": [end for _, end in encoding.offsets],
        }
    )
    st.dataframe(table, hide_index=True, height=320, column_config=column_labels(table.columns))


def _beside(
    opened: OpenedTokenizer, encoding: Encoding, typed: str, lanes: tuple[Run, ...]
) -> None:
    """Draw how the lanes cut the text, in a table."""
    cut = {opened.name: encoding.tokens}
    for name, run in zip(labels(lanes), lanes, strict=True):
        if run.of_tokenizer and not run.goes_on:
            continue
        try:
            tokens = history_of(run).tokenizer().encode(typed).tokens
        except (ValueError, Cancelled, MemoryError) as error:
            sentence(said_by(error) or _("This run is too large for this computer."))
            continue
        cut[f"{name}, {title_of(run)}"] = tokens
    rows = [
        (visible(name), len(tokens), len(typed) / max(1, len(tokens)), visible(_joined(tokens)))
        for name, tokens in cut.items()
    ]
    columns = ["tokenizer", "tokens", "characters per token", "cut"]
    st.dataframe(
        pd.DataFrame(rows, columns=columns), hide_index=True, column_config=column_labels(columns)
    )


def _joined(tokens: list[str]) -> str:
    return " | ".join(tokens[:MOST_TOKENS]) + (" | …" if len(tokens) > MOST_TOKENS else "")
