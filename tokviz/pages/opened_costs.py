"""The tab "Languages" of the page Open: what one text costs in each language."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from tokviz.analysis.language_costs import DECLARED, beside
from tokviz.basics.messages import Message, _, here, listed, message, said_by
from tokviz.pages.widgets.markup import text
from tokviz.pages.widgets.style import csv_button, note, sentence
from tokviz.server.draw_queue import others_first
from tokviz.server.opened.costs import costs_of

#: Columns of numbers, with their headings, and how they are written.
_NUMBERS: Mapping[str, tuple[Message, str]] = {
    "tokens": (message("Tokens"), "{:,}"),
    "ratio": (message("Times the cheapest"), "{:.2f}"),
    "tokens_per_character": (message("Per character"), "{:.3f}"),
    "tokens_per_byte": (message("Per byte"), "{:.3f}"),
    "tokens_per_word": (message("Per word (fertility)"), "{:.2f}"),
    "unknown": (message("Unknown"), "{:,}"),
}


def costs_view(names: Mapping[str, str]) -> None:
    """Draw the costs of the tokenizers of some digests, by their names."""
    note(
        _(
            "Article 1 of the Universal Declaration of Human Rights, the same in each language: "
            "its tokens, and these ÷ the tokens of the language that costs the same tokenizer "
            "least, ÷ its characters, its bytes (UTF-8), and its words. Words are those between "
            "white space, which Thai, Chinese and Japanese hardly have. Sources: Petrov, La Malfa, "
            "Torr and Bibi 2023; Ahia et al. 2023; Rust et al. 2021."
        )
    )
    costs = dict[str, pd.DataFrame]()
    for key, name in names.items():
        try:
            with others_first():
                costs[name] = costs_of(key)
        except ValueError as error:
            sentence(_("{name}: {why}", name=name, why=said_by(error)))
    if not costs:
        return
    for name, one in costs.items():
        missing = [called for each, called in DECLARED.items() if each not in {*one["language"]}]
        if missing:
            note(
                _("{name} gives no tokens for: {languages}.", name=name, languages=listed(missing))
            )
    table = beside(costs)
    st.html(_html(table, len(costs) > 1))
    if table["unknown"].any():
        note(
            _(
                "An unknown token may hide a whole word, so such a language looks cheaper "
                "than it is."
            )
        )
    csv_button(_("Download CSV"), "costs", lambda: table.drop(columns=["number", "share"]))


def _html(table: pd.DataFrame, several: bool) -> str:
    """Return the HTML of the table: a row for each language and tokenizer, with a bar for its
    tokens. Tokenizers are named if there are `several`."""
    numbers = [name for name in _NUMBERS if name != "unknown" or table["unknown"].any()]
    heads = [_("Language"), *([_("Tokenizer")] if several else ())]
    heads += [_(_NUMBERS[name][0]) for name in numbers]
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    body, before = "", None
    for row in table.to_dict("records"):
        language, name = row["language"], row["tokenizer"]
        first = (
            f'<th scope="row"><bdi>{text(here(DECLARED[language]))}</bdi></th>'
            if language != before
            else "<td></td>"
        )
        who = f"<td><bdi>{text(name)}</bdi></td>" if several else ""
        filled = f"width:{100 * row['share']:.1f}%"
        bar = f'<span class="tv-share-bar"><span style="{filled}"></span></span>'
        written = [_NUMBERS[number][1].format(row[number]) for number in numbers]
        cells = "".join(f'<td class="n">{each}</td>' for each in [bar + written[0], *written[1:]])
        body += f"<tr>{first}{who}{cells}</tr>"
        before = language
    return (
        '<div class="tv-numbers" tabindex="0" role="region" '
        f'aria-label="{text(_("Tokens in each language"))}"><table>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )
