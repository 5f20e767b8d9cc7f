"""Write a lesson's sentences as HTML: with tokens as chips, and quoted pieces of text."""

from collections.abc import Sequence

from tokviz.basics.messages import here
from tokviz.history.base import History
from tokviz.lessons.facts import Chip, Part, Quoted
from tokviz.pages.lenses.token_facts import State
from tokviz.pages.widgets.markup import text, visible


class Words:
    """Turn the parts of sentences about some lanes into HTML."""

    def __init__(self, histories: Sequence[History], states: Sequence[int]) -> None:
        self._histories, self._states = histories, states
        self._known: dict[Chip, str] = {}

    def html(self, parts: Sequence[Part]) -> str:
        """Return paragraphs; an empty line in a sentence starts a new one."""
        said = "".join(self._part(part) for part in parts)
        return "".join(f"<p>{paragraph}</p>" for paragraph in said.split("\n\n") if paragraph)

    def _part(self, part: Part) -> str:
        if isinstance(part, Chip):
            if part not in self._known:
                self._known[part] = self._chip(part)
            return self._known[part]
        if isinstance(part, Quoted):
            return f'<span class="tv-quoted">{text(part.text)}</span>'
        # Single line ends would be drawn as visible characters.
        return "\n\n".join(text(paragraph) for paragraph in here(part).split("\n\n"))

    def _chip(self, chip: Chip) -> str:
        """Return the chip of a token, which may be of an earlier or a later state."""
        history = self._histories[chip.lane]
        for t in (self._states[chip.lane], len(history), 0):
            state = State(history, t)
            if chip.token in state.ids:
                return state.chip(chip.token)
        return f'<span class="chip">{text(chip.token)}</span>'


def said(parts: Sequence[Part]) -> str:
    """Return the parts as plain text, in the language of the page.

    >>> said(["Next: ", Chip(0, "Ġt"), "."])
    'Next: Ġt.'
    """
    return "".join(here(part) if isinstance(part, str) else visible(part[-1]) for part in parts)
