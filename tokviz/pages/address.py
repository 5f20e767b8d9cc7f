"""What a page's address says besides its runs: where the scrubber stands, and how the page looks.

Anybody may write anything there. What makes no sense is left out, and a sentence says so.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tokviz.axis import ALIGNMENTS, make_axis
from tokviz.history import History
    stops = {name: name for name in _stops(query, histories)}
    if stop := query.choice("stop", message("stop"), stops):
        look["stop"] = stop
    if query.choice("present", message("way to present"), {"1": True}):
        look["present"] = True
    if query.choice("keys", message("way to show keys"), {"1": True}):
        look["keys"] = True
    if token := query.text("token"):
        lane, _dot, rest = token.partition(".")
        word, dot, string = rest.partition(".")
        lanes = {str(i): history for i, history in enumerate(histories)}
        if dot and lane in lanes and (not word or word.isdecimal()) and _has(lanes[lane], string):
            look["token"] = token
        else:
            said = repr(token[:40])
            query.lost.append(_("the token {token} is in no vocabulary of these runs", token=said))
    return look


def _stops(query: Query, histories: Sequence[History]) -> list[str]:
    """What these runs can stop at, as in breakpoints.js: tokens are born where runs merge, and end
    where they prune."""
    said, merges = query.text("stop"), [isinstance(h, MergeHistory) for h in histories]
    sizes = [said] if _SIZE.fullmatch(said) else []
    return ["tie", *sizes, *["birth"] * any(merges), *["end"] * (not all(merges))]


def _has(history: History, token: str) -> bool:
    try:
        history.present(token)
    except KeyError:
        return False
    return True
