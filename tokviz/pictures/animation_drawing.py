"""The picture of a stretch of a training: the tokens of some words as coloured chips, and what each
step did and why.

It is drawn once, with the states in which each shape is seen. Of that come both the picture that
moves by itself and one still picture a state.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from tokviz.basics.messages import _, here
from tokviz.encoding.faces import drawn, reads_from_right
from tokviz.history.base import History
from tokviz.narration import announce
from tokviz.pictures.animation_layout import (
    CELL,
    PAD,
    SPACE,
    Chip,
    PlacedWord,
    cells,
    natural_width,
    scale,
)

#: The colours of the player, as `--tv-…` in the style sheet of the pages.
_NAMES = ("page", "panel", "ink", "dim", "line", "accent", *(f"h{i}" for i in range(8)))
COLOURS: dict[str, dict[str, str]] = {
    theme: dict(zip(_NAMES, colours.split(), strict=True))
    for theme, colours in {
        "light": "#fbfaf7 #ffffff #1d2128 #5d6470 #e4e1da #a8323e "
        "#d3e7f8 #fae3b4 #cdeadb #f6d6e4 #dfdbf5 #fbdccb #e7e9bf #d0e6e8",
        "dark": "#14161a #1b1e24 #eceef1 #a2a9b4 #2c3038 #ff8f8a "
        "#1f4460 #5a4313 #1f4e38 #5a2a43 #3d3770 #603420 #4a4d17 #1d4c50",
    }.items()
}

#: Pixels: the picture's least width and its margin, a row of chips, a chip, a line of text.
_WIDTH, _MARGIN, _ROW, _CHIP, _LINE = 920.0, 24.0, 40.0, 27.0, 24.0
#: Columns of a line of text, lines that a narration and an announcement take at most.
_COLUMNS, _MOST_LINES = 108, 4
#: How long the last state stays, in steps.
REST = 3


@dataclass(frozen=True)
class _Shape:
    """An element that is seen in the states [since, until), counted from the first one drawn."""

    since: int
    until: int
    tag: str
    rest: str


class Drawing:
    """The tokens of some words in the states `first` to `last` of a run, in the colours of the
    `theme` "light" or "dark".

    >>> import tokviz
    >>> from tokviz.pictures.animation_layout import place_words
    >>> history = tokviz.train({"low": 5, "lower": 2}, "bpe", vocab_size=7)
    >>> drawing = Drawing(history, place_words(history, ["low"], 0, 2), 0, 2, "light")
    >>> "keyframes" in drawing.animated(1.5), "keyframes" in drawing.still(2)
    (True, False)
    >>> "step 2 / 2" in drawing.still(2), "step 2 / 2" in drawing.still(1)
    (True, False)
    """

    def __init__(
        self, history: History, words: Sequence[PlacedWord], first: int, last: int, theme: str
    ) -> None:
        self.history, self.first, self.last = history, first, last
        self.frames = last - first + 1
        self.colours = COLOURS[theme]
        # Now, and not when it is saved, which may be out of reach of the visitor's language.
        self._label = escape(
            _(
                "{algorithm}, step by step: states {first:,} to {last:,}",
                algorithm=history.trainer.label,
                first=first,
                last=last,
            )
        )
        self._shapes: list[_Shape] = []
        width = max(_WIDTH, *(word.width for word in words))
        top = _MARGIN + 30
        for row in _rows(words, width):
            self._row(row, width, top)
            top += _ROW
        bottom = self._texts(top + 14)
        self.width, self.height = width + 2 * _MARGIN, bottom + _MARGIN - 8

    def animated(self, seconds_per_step: float) -> str:
        """All states one after the other, over and over, moved by CSS."""
        seconds = (self.frames - 1 + REST) * seconds_per_step
        intervals: dict[tuple[int, int], str] = {}
        shapes = []
        for shape in self._shapes:
            seen = ""
            if (shape.since, shape.until) != (0, self.frames):
                name = f"s{shape.since}-{shape.until}"
                intervals[shape.since, shape.until] = name
                seen = f' class="{name}"'
            shapes.append(f"<{shape.tag}{seen}{shape.rest}")
        moved = f' class="done" transform-origin="{_MARGIN:g} 0"'
        style = self._look() + self._motion(intervals, seconds)
        return self._whole(style, [*shapes, *self._axis(1.0, moved)])

    def still(self, state: int) -> str:
        """One state, and nothing of the others: what turns an SVG into pixels knows no motion."""
        k = state - self.first
        shapes = [f"<{s.tag}{s.rest}" for s in self._shapes if s.since <= k < s.until]
        done = k / (self.frames - 1) if self.frames > 1 else 1.0
        return self._whole(self._look(), [*shapes, *self._axis(done)])

    def _whole(self, style: str, shapes: Sequence[str]) -> str:
        size = f"{self.width:g}", f"{self.height:g}"
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
                f'width="{size[0]}" height="{size[1]}" role="img" aria-label="{self._label}">',
                f"<title>{self._label}</title>",
                f"<style>{style}</style>",
                f'<rect width="100%" height="100%" fill="{self.colours["page"]}"/>',
                *shapes,
                "</svg>\n",
            ]
        )

    # --- the style ------------------------------------------------------------------------------

    def _look(self) -> str:
        mono = '"Source Code Pro","DejaVu Sans Mono",ui-monospace,monospace'
        plain = '"Source Sans 3","Source Sans",system-ui,sans-serif'
        return (
            f"text{{font:16px {plain};fill:{self.colours['ink']}}}"
            f".t{{font:500 16.6px {mono};white-space:pre}}"
            f".m,.d{{fill:{self.colours['dim']}}}.b{{fill:{self.colours['dim']}}}.h{{font-weight:600}}"
        )

    def _share(self, state: int) -> str:
        """When a state begins, as a share of the whole animation."""
        return f"{100 * state / (self.frames - 1 + REST):.6g}%"

    def _motion(self, intervals: dict[tuple[int, int], str], seconds: float) -> str:
        """What is seen when, and how far the animation is."""
        rules = []
        for (since, until), name in intervals.items():
            stays = until == self.frames
            frames = "" if since == 0 else "0%{visibility:hidden}"
            frames += f"{self._share(since)}{{visibility:visible}}"
            frames += "" if stays else f"{self._share(until)}{{visibility:hidden}}"
            rules.append(f"@keyframes {name}{{{frames}}}")
            at_end = "visible" if stays else "hidden"
            moved = f"animation:{name} {seconds:g}s step-end infinite"
            rules.append(f".{name}{{visibility:{at_end};{moved}}}")
        if self.frames > 1:
            grown = "".join(
                f"{self._share(k)}{{transform:scaleX({k / (self.frames - 1):.6g})}}"
                for k in range(self.frames)
            )
            rules.append(f"@keyframes done{{{grown}}}")
            rules.append(f".done{{animation:done {seconds:g}s step-end infinite}}")
        rules.append("@media (prefers-reduced-motion:reduce){*{animation:none!important}}")
        return "".join(rules)

    # --- shapes ---------------------------------------------------------------------------------

    def _add(self, since: int, until: int, tag: str, rest: str) -> None:
        self._shapes.append(_Shape(since, until, tag, rest))

    def _axis(self, done: float, attributes: str = "") -> list[str]:
        """How far the animation is, as the player's scrubber shows it."""
        width = self.width - 2 * _MARGIN
        place = f'x="{_MARGIN:g}" y="{_MARGIN + 8:g}"'
        line = f'<rect {place} width="{width:g}" height="4" rx="2"'
        shapes = [f'{line} fill="{self.colours["line"]}"/>']
        if done:
            line = f'<rect {place} width="{done * width:g}" height="4" rx="2"'
            shapes.append(f'{line} fill="{self.colours["accent"]}"{attributes}/>')
        return shapes

    def _row(self, row: list[PlacedWord], width: float, top: float) -> None:
        from_right = row[0].from_right
        at = 0.0
        for word in row:
            left = _MARGIN + (width - at - word.width if from_right else at)
            for chip in word.chips:
                self._chip(chip, left + _mirrored(word, chip.x, chip.width), top)
            for mark in word.marks:
                x = left + _mirrored(word, mark.x, mark.width)
                self._mark(mark.kind, x, mark.width, top, mark.state)
            at += word.width + SPACE

    def _chip(self, chip: Chip, x: float, top: float) -> None:
        hue = self.history.colour(chip.string)
        self._add(
            chip.since,
            chip.until,
            "g",
            f'><rect x="{x:.2f}" y="{top:g}" width="{chip.width:.2f}" height="{_CHIP:g}" rx="5" '
            f'fill="{self.colours[f"h{hue}"]}"/>{_face(chip, x, top + 19)}</g>',
        )

    def _mark(self, kind: str, x: float, width: float, top: float, state: int) -> None:
        accent = self.colours["accent"]
        if kind == "new":
            self._add(
                state,
                state + 1,
                "rect",
                f' x="{x - 1:.2f}" y="{top - 1:g}" width="{width + 2:.2f}" '
                f'height="{_CHIP + 2:g}" rx="6" fill="none" stroke="{accent}" stroke-width="2"/>',
            )
            return
        y, height = (top + _CHIP + 3, 3) if kind == "next" else (top + _CHIP / 2 - 1, 2)
        self._add(
            state,
            state + 1,
            "rect",
            f' x="{x:.2f}" y="{y:g}" width="{width:.2f}" height="{height}" fill="{accent}"/>',
        )

    def _texts(self, top: float) -> float:
        """The step above the chips, what it did and what comes next below them; the end of it."""
        curve = self.history.curve()
        said = [_lines(here(self.history.narrate(t))) for t in self.states]
        next_up = [_lines(here(announce(self.history, t))) for t in self.states]
        below = top + _LINE * max(map(len, said))
        for k, t in enumerate(self.states):
            size, tokens = int(curve["vocab_size"][t]), int(curve["corpus_tokens"][t])
            head = _(
                "step {t:,} / {steps:,} · vocabulary {size:,} · corpus tokens {tokens:,}",
                t=t,
                steps=len(self.history),
                size=size,
                tokens=tokens,
            )
            lines = [_text(head, "d", _MARGIN), *_block(said[k], "", top)]
            lines += _block(next_up[k], "d", below)
            self._add(k, k + 1, "g", f">{''.join(lines)}</g>")
        return below + _LINE * max(map(len, next_up))

    @property
    def states(self) -> range:
        return range(self.first, self.last + 1)


def _rows(words: Iterable[PlacedWord], width: float) -> list[list[PlacedWord]]:
    """Words in rows no longer than the picture."""
    rows: list[list[PlacedWord]] = []
    used = 0.0
    for word in words:
        if not rows or word.new_row or used + word.width > width:
            rows.append([])
            used = 0.0
        rows[-1].append(word)
        used += word.width + SPACE
    return rows


def _mirrored(word: PlacedWord, x: float, width: float) -> float:
    """The place of a part of a word from the left, whichever way the word is read."""
    return word.width - x - width if word.from_right else x


def _face(chip: Chip, x: float, y: float) -> str:
    """The text of a chip. Letters share the room that it has, so that a merge leaves them about
    where they were; letters that join each other stand close together in the middle."""
    plain = "".join(text for kind, text in chip.parts if not kind)
    if not plain or not all(map(_stands_alone, plain)):
        inside = "".join(_span(kind, text) for kind, text in chip.parts)
        way = ' direction="rtl"' if reads_from_right(plain) else ""
        middle = f'x="{x + chip.width / 2:.2f}" y="{y:g}" text-anchor="middle"{way}'
        return f'<text class="t" {middle}>{inside}</text>'
    each = (chip.width - natural_width(chip.parts)) / len(drawn(plain))
    at, texts = x + PAD, []
    for kind, text in chip.parts:
        more = 0.0 if kind else each
        room = CELL * cells(text) * scale(kind, text) + more * (len(drawn(text)) - 1)
        texts.append(
            f'<text class="t" x="{at + more / 2:.2f}" y="{y:g}" textLength="{room:.2f}">'
            f"{_span(kind, text)}</text>"
        )
        at += room + more
    return "".join(texts)


def _stands_alone(char: str) -> bool:
    """Whether a letter may stand apart from its neighbours: not so in Arabic, say, or in Hindi."""
    return ord(char) < 0x300 or "\u0370" <= char < "\u0590" or cells(char) == 2


def _span(kind: str, text: str) -> str:
    if not kind:
        shown = f"◌{text}" if cells(text[:1]) == 0 else text
        return '<tspan class="m">␣</tspan>'.join(map(escape, drawn(shown).split(" ")))
    small = f' font-size="{16.6 * scale(kind, text):g}px"' if scale(kind, text) < 1 else ""
    return f'<tspan class="{kind}"{small}>{escape(drawn(text))}</tspan>'


def _text(text: str, kind: str, y: float) -> str:
    mark = f' class="{kind}"' if kind else ""
    return f'<text x="{_MARGIN:g}" y="{y:g}"{mark}>{escape(text)}</text>'


def _block(lines: Sequence[str], kind: str, top: float) -> list[str]:
    return [_text(line, kind, top + _LINE * (i + 0.7)) for i, line in enumerate(lines)]


def _lines(text: str) -> list[str]:
    """A sentence in lines, no more than a few; words that are longer than a line are cut.

    >>> _lines("a " * 60)[1]
    'a a a a a a'
    """
    lines, used = [""], 0
    for word in drawn(text).split(" "):
        for start in range(0, len(word), _COLUMNS // 2):
            part = word[start : start + _COLUMNS // 2]
            if used + cells(part) > _COLUMNS and lines[-1]:
                lines.append("")
                used = 0
            lines[-1] += part
            used += cells(part)
        lines[-1] += " "
        used += 1
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1].rstrip()} …"]
    return [line.rstrip() for line in lines]
