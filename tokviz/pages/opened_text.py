"""The tab "Encode" of the page Open: a text in tokens, as each opened tokenizer cuts it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import pandas as pd
import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.side_by_side import CutText, side_by_side
from tokviz.basics.messages import Message, _, counted, here, listed, message, said_by
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.pages.lenses.text_tokens import EXAMPLES
from tokviz.pages.visit.lanes import labels
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.keys import OPENED_TEXT
from tokviz.pages.widgets.markup import text, visible
from tokviz.pages.widgets.style import chip_style, note, sentence
from tokviz.player.text_chips import text_chips
from tokviz.server.draw_queue import in_turn
from tokviz.server.jobs import history_of
from tokviz.server.opened.opened_files import entry_of, find
from tokviz.server.runs import Run, title_of
from tokviz.text.symbols import Spelling

#: Most characters of the text; most of its tokens that are drawn as chips, by all opened tokenizers
#: together and by each lane of the page Train.
MOST_CHARACTERS, MOST_CHIPS, MOST_OF_LANES = 20_000, 2_000, 200

#: The key of what holds the table: in the session state, whether it is open.
TABLE = "opened_table"

#: What stands among chips, by `TextChips.kinds`.
LEGEND: Mapping[str, Message] = {
    "space": message("{sign} is a space"),
    "goes on": message("{sign} goes on inside a word"),
    "ends": message("{sign} ends a word"),
    "bytes": message("hexadecimal below characters: the bytes of those that have several"),
    "cut": message("a character above a line: cut into the tokens below it"),
    "apart": message("a bar: a cut that not all of these tokenizers make"),
    "special": message("dashed: a special token"),
    "unknown": message("dashed below its text: an unknown token"),
    "left out": message("struck out: in no token"),
}


@st.fragment
@in_turn
def text_view(names: Mapping[str, str], key: str, lanes: tuple[Run, ...]) -> None:
    """Draw a text and its tokens, of the tokenizers of some digests by their names, and of the
    lanes. The table is that of the tokenizer `key`."""
    chip_style()
    # Not a default value, because a text from before a reload may be restored.
    st.session_state.setdefault(OPENED_TEXT, EXAMPLES[-1])
    typed = st.text_area(_("Text"), key=OPENED_TEXT, max_chars=MOST_CHARACTERS, height=100)
    length = counted("{n} character", "{n} characters", len(typed))
    cut = dict[str, tuple[Tokenizer, Encoding]]()
    for each, name in names.items():
        try:
            cut[each] = find(each).tokenizer, _encoded(each, typed)
        except ValueError as error:
            sentence(said_by(error) if len(names) == 1 else f"{name}: {said_by(error)}")
    kinds = set[str]()
    for each, found in zip(cut, side_by_side(typed, [*cut.values()]), strict=True):
        tokens = counted("{n} token", "{n} tokens", len(found.encoding))
        if len(cut) == 1:
            note(here(listed([tokens, length])))
        else:
            _heading(names[each], found, True)
        kinds |= _chips(found, typed, MOST_CHIPS // len(cut))
    if cut:
        note(" · ".join(legend(kinds, [found[0].spelling for found in cut.values()])))
    if key in cut:
        with st.expander(_("As a table"), key=TABLE, on_change="rerun") as table:
            if table.open:
                _table(cut[key][1], typed)
    _trained(typed, lanes)


def _encoded(key: str, typed: str) -> Encoding:
    """Return what the tokenizer with a digest makes of a text. An example, which everybody begins
    with, is asked of its library once for all."""
    if typed not in EXAMPLES:
        return find(key).tokenizer.encode(typed)
    kept: dict[str, Encoding] = entry_of(key).setdefault("examples", {})
    if typed not in kept:
        kept[typed] = find(key).tokenizer.encode(typed)
    return kept[typed]


def _heading(name: str, found: CutText, has_others: bool) -> None:
    """Draw what a tokenizer is called, and how it cuts the text; if it has others beside it, how
    many of its cuts not all of them make."""
    tokens = counted("{n} token", "{n} tokens", len(found.encoding))
    per = message("{value:.2f} characters per token", value=found.characters_per_token)
    facts: list[str] = [tokens, per]
    if has_others:
        facts.append(
            counted(
                "{n} of its {all:,} cuts is lit",
                "{n} of its {all:,} cuts are lit",
                len(found.apart),
                all=found.cuts,
            )
        )
    told = here(listed(facts))
    st.html(f'<p class="tv-cut-by"><b>{text(name)}</b> {text(told)}</p>')


def _chips(found: CutText, typed: str, most: int) -> frozenset[str]:
    """Draw the first tokens as chips, and return what stands there."""
    drawn = text_chips(found.tokenizer, found.encoding, typed, most, found.apart)
    st.html(drawn.html)
    if drawn.tokens < len(found.encoding):
        note(_("The first {n:,} of {all:,} tokens.", n=drawn.tokens, all=len(found.encoding)))
    return drawn.kinds | ({"apart"} if found.apart else set())


def legend(kinds: Collection[str], spellings: Iterable[Spelling]) -> list[str]:
    """Return what is said of chips, by the kinds of `LEGEND` that are among them.

    >>> legend({"space", "special"}, [Spelling(unit="byte"), Spelling(space_mark="▁")])[1:]
    ['Ġ ▁ is a space', 'dashed: a special token']
    """
    signs = dict[str, dict[str, None]]()
    for spelling in spellings:
        for kind, sign in _signs(spelling).items():
            signs.setdefault(kind, {})[sign] = None
    told = [_("below each token: its id")]
    for kind, said in LEGEND.items():
        if kind in kinds:
            told.append(_(said, sign=" ".join(filter(None, signs.get(kind, ())))))
    return told


def _signs(spelling: Spelling) -> dict[str, str]:
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


def _trained(typed: str, lanes: Sequence[Run]) -> None:
    """Draw how the lanes of the page Train cut the text."""
    note(_("The same text, cut by the lanes of the Train page at their last step:"))
    for name, run in zip(labels(lanes), lanes, strict=True):
        if run.of_tokenizer and not run.goes_on:
            continue
        try:
            tokenizer = history_of(run).tokenizer()
            encoding = tokenizer.encode(typed)
        except (ValueError, Cancelled, MemoryError) as error:
            sentence(said_by(error) or _("This run is too large for this computer."))
            continue
        [alone] = side_by_side(typed, [(tokenizer, encoding)])
        _heading(f"{here(name)}, {title_of(run)}", alone, False)
        _chips(alone, typed, MOST_OF_LANES)
