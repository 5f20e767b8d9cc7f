"""History files of earlier versions.

Versions 1 and 2 say why the run ended in a sentence, and version 1 gives a gap that no merge closes
the greatest number of 32 bits.
"""

import dataclasses
import re
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from tokviz.history.stop import Stop, StopKind

#: Every sentence of those days: what it says, and how. Its numbers are called as in a `Stop`.
_SENTENCES: tuple[tuple[StopKind, str], ...] = (
    ("size", "The vocabulary has the {asked} tokens asked for."),
    ("cancelled", "Cancelled after {merges} merges."),
    ("cancelled", "Cancelled after {rounds} rounds."),
    ("cancelled", "Cancelled after {steps} steps."),
    ("no_words", "The corpus has no words: there is nothing to merge."),
    (
        "no_pair",
        "No pair is left: every word is one token. The vocabulary has {reached} of the {asked} "
        "tokens asked for.",
    ),
    (
        "no_valid_pair",
        "No pair is left: what could still be merged spells no valid piece. The vocabulary has "
        "{reached} of the {asked} tokens asked for.",
    ),
    (
        "min_frequency",
        "The best pair occurs {count} times, less than min_frequency={least}. The vocabulary has "
        "{reached} of the {asked} tokens asked for.",
    ),
    (
        "few_seeds",
        "There are only {reached} seed tokens, fewer than the {asked} asked for; nothing to "
        "remove. Raise seed_size, or use a longer text.",
    ),
    ("overshot", "The last cut overshot: {reached} tokens are left of the {asked} asked for."),
    ("characters", "Only single characters are left, and they are never removed."),
    (
        "few_pieces",
        "Only {reached} pieces are left, fewer than the {asked} asked for besides {special} "
        "special ones. Use a longer text, or lower min_expected_count.",
    ),
)
#: What may stand before it.
_EM_ENDED = {
    "": "",
    "great": "An expected count is too great for a number; EM ended. ",
    "rare": "No piece was expected {expected} times; EM ended. ",
}
_NUMBER = "[0-9]{1,15}(?:[.][0-9]{1,20})?(?:e-[0-9]{1,3})?"


def bring_up_to_date(header: dict[str, Any], columns: dict[str, npt.NDArray[Any]]) -> None:
    """Changes what an earlier version wrote into what is written today.

    >>> header = {"version": 2, "stopped": "Cancelled after 7 merges."}
    >>> bring_up_to_date(header, {})
    >>> header["stop"]
    {'kind': 'cancelled', 'asked': 0, 'reached': 0, 'values': {'merges': 7}}
    """
    if header["version"] < 3:
        header["stop"] = dataclasses.asdict(stop_of_sentence(header["stopped"]))
    if header["version"] < 2 and "gaps" in columns:
        steps = len(columns["left"])
        small = np.int16 if steps < 1 << 15 else np.int32
        columns["gaps"] = np.minimum(columns["gaps"], steps).astype(small)


def stop_of_sentence(said: str) -> Stop:
    """What a sentence of those days says; of any other text nothing is known but itself.

    >>> stop_of_sentence("Cancelled after 7 merges.")
    Stop(kind='cancelled', asked=0, reached=0, values={'merges': 7})
    >>> stop_of_sentence("It was late.")
    Stop(kind='unknown', asked=0, reached=0, values={'said': 'It was late.'})
    """
    for (em, before), (kind, sentence) in product(_EM_ENDED.items(), _SENTENCES):
        pattern = re.sub(r"\\{(\w+)\\}", rf"(?P<\1>{_NUMBER})", re.escape(before + sentence))
        if found := re.fullmatch(pattern, said):
            values: dict[str, Any] = {
                name: int(number) if number.isdigit() else float(number)
                for name, number in found.groupdict().items()
            }
            counted = {name: values.pop(name, 0) for name in ("asked", "reached")}
            return Stop(kind, **counted, values={"em": em, **values} if em else values)
    return Stop("unknown", values={"said": said})
