"""The tab "Autopsy" of an opened tokenizer: what is dead or odd in its vocabulary."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from tokviz import Cancelled
from tokviz.analysis.autopsy import LONGEST, Autopsy, Finding
from tokviz.basics.messages import Message, _, here, message, said_by
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.keys import AUTOPSY_WANTED
from tokviz.pages.widgets.markup import visible
from tokviz.pages.widgets.style import csv_button, note, sentence
from tokviz.server.opened.autopsies import autopsy_of, is_made

#: Most rows of the list; the CSV file has all.
MOST_ROWS = 5_000

#: What each kind of finding says, by `tokviz.analysis.autopsy.KINDS`.
KINDS: Mapping[str, Message] = {
    "unreached": message("No encoding of its own text gives it"),
    "no parts": message("No merge makes it"),
    "no text": message("It is no text: its bytes are no valid UTF-8"),
    "same text": message("Another token has the same text"),
    "same normalized": message("Another token has the same text once both are normalized (NFKC)"),
    "long": message("It has {n} characters or more", n=LONGEST),
}
REASONS: Mapping[str, Message] = {
    "special": message("a special token is found in it"),
    "normalizer": message("the normalizer changes it"),
    "pre-tokenizer": message("the pre-tokenizer cuts it"),
    "model": message("the model cuts it"),
}
#: What tokens are made of, by the kinds of `kind_of_text`.
_MADE_OF: Mapping[str, Message] = {
    "letters": message("letters"),
    "digits": message("digits"),
    "white space": message("white space"),
    "signs": message("punctuation and symbols"),
    "mixed": message("mixed"),
    "bytes": message("parts of characters"),
}


def autopsy_view(key: str) -> None:
    """Draw the autopsy of the tokenizer with the digest `key`, once somebody has asked for it."""
    note(
        _(
            "Every token is examined: whether its own text, by itself or inside a word, is encoded "
            "to it, whether a merge makes it, whether it is text at all, and whether it is there "
            "twice. This says nothing of a model that was trained with it."
        )
    )
    asked = st.session_state.get(AUTOPSY_WANTED) == key or is_made(key)
    if not asked and not st.button(_("Examine the vocabulary"), key="autopsy"):
        return
    st.session_state[AUTOPSY_WANTED] = key
    try:
        found = autopsy_of(key)
    except (ValueError, Cancelled, MemoryError) as error:
        del st.session_state[AUTOPSY_WANTED]
        sentence(said_by(error) or _("This vocabulary is too large for this computer."))
        return
    _draw(found)


def _draw(found: Autopsy) -> None:
    examined = sum(found.kinds_of_text.values())
    said = _(
        "{n:,} tokens were examined, {special:,} special or added ones were not.",
        n=examined,
        special=found.special,
    )
    note(said)
    counts = [(here(KINDS[kind]), n) for kind, n in found.counts.items()]
    _frame(pd.DataFrame(counts, columns=["finding", "tokens"]))
    csv_button(_("All findings (CSV)"), "autopsy", found.table)
    if found.findings:
        rows = [_row(found, finding) for finding in found.findings[:MOST_ROWS]]
        _frame(pd.DataFrame(rows, columns=["id", "token", "finding", "reason", "instead"]))
        if len(found.findings) > MOST_ROWS:
            note(_("The first {n:,} of {all:,}.", n=MOST_ROWS, all=len(found.findings)))
    by_script = [
        (visible(script), here(_MADE_OF[kind]), n)
        for (script, kind), n in sorted(found.kinds_of_text.items(), key=lambda item: -item[1])
    ]
    _frame(pd.DataFrame(by_script, columns=["script", "made of", "tokens"]))


def _row(found: Autopsy, finding: Finding) -> tuple[int, str, str, str, str]:
    return (
        finding.token_id,
        visible(found.strings[finding.token_id]),
        here(KINDS[finding.kind]),
        here(REASONS[finding.reason]) if finding.reason else "",
        visible(" | ".join(finding.instead)),
    )


def _frame(table: pd.DataFrame) -> None:
    st.dataframe(table, hide_index=True, column_config=column_labels(table.columns))
