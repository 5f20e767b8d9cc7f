"""Read the parameters of a page's address besides its runs: the player's position and settings.

An address may contain anything. Invalid parts are ignored, and a sentence says so.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.basics.messages import _, message
from tokviz.history.base import History

Kept = TypeVar("Kept")
#: Views of the corpus, as in views.js.
VIEWS = "text", "words", "trees", "vocabulary", "candidates", "pseudocode"
#: Steps a second, as in transport.js; most characters read.
SPEEDS = (0.5, 1, 2, 4, 8, 15, 30, 60)
#: Panels beside the corpus, as in beside.js; pictures of a presentation, as in stage.js.
PANELS = "scores", "token", "delta", "curves", "pseudocode"
PICTURES = (
    *("all", "text", "candidates", "vocabulary", "word", "token"),
    *("trace", "characters", "scores", "pseudocode", "curves", "question"),
)
MOST_READ = 1000
_LAST = 10**8
#: Slides, as in slides.js: a position, a picture, the word or the token that it is about, and of
#: which lane but the first.
_SLIDE = rf"[0-9]{{1,8}}/(?:{'|'.join(PICTURES)})(?:/[^,/]+|/[^,/]*/[1-3])?"
_SLIDES = re.compile(rf"{_SLIDE}(?:,{_SLIDE})*")
_SIZE = re.compile(r"size\.[1-9][0-9]{0,8}")


class Query:
    """The parameters of an address; `lost` has a phrase for each part that could not be restored.

    >>> query = Query({"align": "size", "step": "x", "view": "words"})
    >>> query.choice("align", "alignment", {name: name for name in ALIGNMENTS})
    'size'
    >>> query.number("step", "step"), query.lost
    (None, ["the step 'x' is not a number"])
    """

    def __init__(self, parts: Mapping[str, str]) -> None:
        self._parts = parts
        self.lost: list[str] = []

    def choice(self, name: str, what: str, options: Mapping[str, Kept]) -> Kept | None:
        """Return the option that a parameter names, or None."""
        said = self._parts.get(name, "")
        if said and said not in options:
            self.lost.append(_("the {what} {said} is not known", what=what, said=repr(said[:40])))
        return options.get(said)

    def number(self, name: str, what: str) -> int | None:
        """Return a whole number of at least 0, at most 10^8, or None."""
        said = self._parts.get(name, "")
        if not said:
            return None
        if not (said.isascii() and said.isdigit()):
            self.lost.append(
                _("the {what} {said} is not a number", what=what, said=repr(said[:40]))
            )
            return None
        return min(int(said[:9]), _LAST)

    def text(self, name: str) -> str:
        """Return the first `MOST_READ` characters of a parameter, or ""."""
        return self._parts.get(name, "")[:MOST_READ]


def where(query: Query, histories: Sequence[History]) -> tuple[int, str]:
    """Return the position and the alignment in an address, limited to the steps of the runs.

    >>> import tokviz
    >>> query = Query({"step": "9"})
    >>> where(query, [tokviz.train("low low", "bpe", 5, "whitespace")]), query.lost
    ((2, 'step'), ['step 9 is beyond the last one, 2'])
    """
    align = query.choice("align", message("alignment"), {name: name for name in ALIGNMENTS})
    align = align or "step"
    step = query.number("step", message("step")) or 0
    last = len(make_axis(histories, align).values) - 1
    if step > last:
        said = _("step {step:,} is beyond the last one, {last:,}", step=step, last=last)
        query.lost.append(said)
    return min(step, last), align


def look_in_address(query: Query, histories: Sequence[History]) -> dict[str, Any]:
    """Return the player's settings in an address; those not given are left out."""
    look: dict[str, Any] = {}
    if view := query.choice("view", message("view of the corpus"), {name: name for name in VIEWS}):
        look["view"] = view
    if beside := query.choice("beside", message("panel"), {name: name for name in PANELS}):
        look["beside"] = beside
    if speed := query.choice("speed", message("speed"), {f"{speed:g}": speed for speed in SPEEDS}):
        look["speed"] = speed
    stops = {name: name for name in _stops(query, histories)}
    if stop := query.choice("stop", message("stop"), stops):
        look["stop"] = stop
    if query.choice("present", message("way to present"), {"1": True}):
        look["present"] = True
    pictures = {name: name for name in PICTURES}
    if picture := query.choice("picture", message("picture"), pictures):
        look["picture"] = picture
    if slides := query.text("slides"):
        if _SLIDES.fullmatch(slides):
            look["slides"] = slides
        else:
            query.lost.append(_("the slides {slides} cannot be read", slides=repr(slides[:40])))
    if query.choice("quiz", message("way to ask"), {"1": True}):
        look["quiz"] = True
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
    """Return the stops of these runs, as in breakpoints.js: merges make tokens, pruning removes
    them."""
    said, merges = query.text("stop"), [history.merges for history in histories]
    sizes = [said] if _SIZE.fullmatch(said) else []
    return ["tie", *sizes, *["birth"] * any(merges), *["end"] * (not all(merges))]


def _has(history: History, token: str) -> bool:
    try:
        history.present(token)
    except KeyError:
        return False
    return True
