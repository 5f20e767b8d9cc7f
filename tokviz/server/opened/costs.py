"""What languages cost an opened tokenizer: counted once for all visitors."""

from typing import TYPE_CHECKING

from tokviz.analysis.language_costs import declarations, encodable, language_costs
from tokviz.server.opened.opened_files import entry_of, find

if TYPE_CHECKING:
    import pandas as pd


def costs_of(key: str) -> "pd.DataFrame":
    """Return the costs of Article 1 of the Universal Declaration of Human Rights, in each language
    for which the tokenizer that `opened_files.remember` opened gives tokens.

    Raises ValueError if it is no longer cached, or gives none for any.
    """
    entry, tokenizer = entry_of(key), find(key).tokenizer
    if "costs" not in entry:
        entry["costs"] = language_costs(tokenizer, encodable(tokenizer, declarations()))
    costs: pd.DataFrame = entry["costs"]
    return costs
