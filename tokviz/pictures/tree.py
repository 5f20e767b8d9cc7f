"""The merge tree of a word: its symbols in a row at the top, and below it a row for each step that
joins some of them."""

from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from tokviz.basics.messages import _
from tokviz.encoding.faces import drawn, reads_from_right
from tokviz.history.merge_tree import MergeNode, MergeTree
from tokviz.history.merges import MergeHistory
from tokviz.pictures.animation_layout import rooms
from tokviz.pictures.columns import WordColumns, filled
from tokviz.pictures.files import points
from tokviz.pictures.picture import (
    LABEL,
    RULE,
    STRONG,
    TOKEN,
    Picture,
    box,
    note,
    shape,
    text,
    text_width,
    token,
    token_width,
)
from tokviz.pictures.words import Placed, check_word, shrunk

#: Points: around all of it, inside a box, between boxes, a box, from what is said of a row to it,
#: more before the row of encoding, the row of characters.
_MARGIN, _PAD, _GAP, _BOX, _BESIDE, _APART, _OVER = 3.0, 1.5, 2.5, 13.0, 5.0, 5.0, 16.0
#: From row to row at least and at most, how high all rows should be, and the most that a column is
#: widened to.
_LEAST_ROW, _MOST_ROW, _TALL, _MOST_COLUMN = 16.0, 20.0, 200.0, 25.0
#: The line of a row, lighter than those of tokens.
_FAINT = "#d0d0d0"


def tree_picture(
    history: MergeHistory, word: str, t: int | None = None, width: float | str = 240
) -> Picture:
    """The merge trees of any word as of state t (the last one if None), growing downwards: a row is
    a step, with its number and the count that its pair then had; a letter keeps its column, and a
    token spans its letters. The tokens of the state have a strong frame; a dashed one is round a
    symbol that is not in the alphabet. Characters stand over their bytes. WordPiece has a row with
    what encoding makes of the word, longest match first.

    Raises OutOfRangeError for a state that the run does not have, and SettingError for a word that
    is empty, too long, or too wide for the picture.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> "step 2 · 15×" in tree_picture(history, "hugs").svg
    True
    """
    check_word(word)
    wide, t = points(width), len(history) if t is None else t
    return _Drawing(history.merge_tree(word, t), wide).picture()


class _Box(NamedTuple):
    """A token where it stands: its symbols, how it is displayed, its row and its frame."""

    start: int
    end: int
    shown: str
    row: int
    kind: str


class _Drawing:
    """A tree and where its columns and rows are."""

    def __init__(self, tree: MergeTree, wide: float) -> None:
        self.tree, self.history, self.wide = tree, tree.history, wide
        spans = tree.history.starting_spans(tree.word)
        self.columns = WordColumns(tree.history.spelling, tree.word, tree.symbols, spans)
        self.from_right = reads_from_right(tree.word)
        self.over = self.columns.characters()
        self.nodes = _all(tree)
        self.starts = [node.characters[0] for node in self.nodes if node.step is None]
        counts = {node.step: node.count for node in self.nodes if node.step is not None}
        self.rows = {step: row for row, step in enumerate([None, *sorted(counts)])}
        said = [_("step {step} · {count}×", step=f"{step + 1:,}", count=f"{counts[step]:,}")
                for step in sorted(counts)]  # fmt: skip
        self.labels = [_("start"), *said]
        is_longest_match = self.history.default_encoder == "longest-match"
        self.encoded = [*self._encoded()] if is_longest_match else []
        self.boxes = [*map(self._box_of, self.nodes), *self.encoded]
        self._lay_out()

    def _box_of(self, node: MergeNode) -> _Box:
        is_token = (node.start, node.end) in {(root.start, root.end) for root in self.tree.roots}
        symbol = self.columns.symbols[node.start]
        is_unknown = node.step is None and symbol not in self.history.symbol_numbers
        kind = "unknown" if is_unknown else "strong" if is_token else ""
        return _Box(node.start, node.end, node.token, self.rows[node.step], kind)

    def _encoded(self) -> Iterator[_Box]:
        """What encoding makes of the word."""
        for piece in self.history.tokenizer(self.tree.t).encoder.encode(self.tree.word):
            covered = [i for i, at in enumerate(self.starts) if piece.start <= at < piece.end]
            kind = "unknown" if piece.id is None else ""
            yield _Box(covered[0], covered[-1] + 1, piece.token, len(self.labels), kind)

    # --- where things stand -----------------------------------------------------------------------

    def _lay_out(self) -> None:
        """Gives columns and rows their places, all of them smaller if need be."""
        faces = [(start, end, self.columns.face(start, end, shown))
                 for start, end, shown, *_more in self.boxes]  # fmt: skip
        faces += [(sign.start, sign.end, sign.parts) for sign in self.over]
        widths: dict[tuple[int, int], float] = {}
        for start, end, parts in faces:
            needed = token_width(parts) + 2 * _PAD
            widths[start, end] = max(needed, widths.get((start, end), 0.0))
        least = rooms(len(self.columns.symbols), widths, _GAP)
        beside = max(map(text_width, self.labels)) + _BESIDE
        room = self.wide - 2 * _MARGIN - beside
        self.share = shrunk(sum(least) - _GAP, room, self.wide - room)
        self.gap, self.high = _GAP * self.share, _BOX * self.share
        across = filled([own * self.share for own in least], room + self.gap, _MOST_COLUMN)
        self.edges = [0.0, *accumulate(across)]
        self.right = self.wide - _MARGIN - (room + self.gap - self.edges[-1]) / 2
        self.left = self.right + self.gap - self.edges[-1]
        self.row = self.share * max(_LEAST_ROW, min(_MOST_ROW, _TALL / len(self.labels)))
        self.top = _MARGIN + (_OVER * self.share if self.over else 0)

    def _span(self, start: int, end: int) -> tuple[float, float]:
        """The left edge of some columns, and how wide they are without the gap after them."""
        x = self.edges[-1] - self.edges[end] if self.from_right else self.edges[start]
        return self.left + x, self.edges[end] - self.edges[start] - self.gap

    def _middle(self, start: int, end: int) -> float:
        x, across = self._span(start, end)
        return x + across / 2

    def _y(self, row: int) -> float:
        apart = _APART if row == len(self.labels) else 0
        return self.top + row * self.row + apart

    # --- what is drawn ----------------------------------------------------------------------------

    def picture(self) -> Picture:
        shapes = [mark for row, label in enumerate(self.labels) for mark in self._mark(row, label)]
        shapes += [line for node in self.nodes for line in self._lines(node)]
        shapes += map(self._token, self.boxes)
        shapes += [mark for placed in self.over for mark in self._sign(placed)]
        if self.encoded and self.tree.parts is not None:
            shapes.append(self._parting(self.tree.parts))
        low = max(self._y(own.row) for own in self.boxes) + self.high
        said, end = self._notes(low + _MARGIN)
        label = _(
            "Merge tree of “{word}” in state {t:,}", word=drawn(self.tree.word), t=self.tree.t
        )
        return Picture(label, self.wide, end + _MARGIN, "".join(shapes) + said)

    def _mark(self, row: int, label: str) -> Iterator[str]:
        """What is said of a row, and its line."""
        y = self._y(row) + self.high / 2
        look: dict[str, Any] = {"stroke": _FAINT, "stroke_width": 0.5}
        yield shape("line", x1=self.left, x2=self.right, y1=y, y2=y, **look)
        yield text(label, self.left - _BESIDE, y + 0.35 * LABEL, text_anchor="end")

    def _lines(self, node: MergeNode) -> Iterator[str]:
        """From each child straight down to what it became a part of."""
        end = self._y(self.rows[node.step])
        for child in node.children:
            x, y = self._middle(child.start, child.end), self._y(self.rows[child.step]) + self.high
            d = f"M{x:.2f} {y:.2f}V{end:.2f}"
            yield shape("path", d=d, fill="none", stroke=RULE)

    def _token(self, drawn_box: _Box) -> str:
        """A frame with its letters, each in its column."""
        start, end, shown, row, kind = drawn_box
        (x, across), y = self._span(start, end), self._y(row)
        letters = [
            token(
                letter.parts,
                self._middle(letter.start, letter.end),
                y + 0.73 * self.high,
                TOKEN * self.share,
            )
            for letter in self.columns.letters(start, end, shown)
        ]
        return shape("g", box(x, y, across, self.high, kind) + "".join(letters))

    def _sign(self, placed: Placed) -> Iterator[str]:
        """A character over its bytes, with a bracket."""
        x, across = self._span(placed.start, placed.end)
        y, tick, size = self.top - 2 * self.share, 1.5 * self.share, TOKEN * self.share
        yield token(placed.parts, x + across / 2, y - 0.65 * size, size)
        d = f"M{x:.2f} {y:.2f}v{-tick:.2f}h{across:.2f}v{tick:.2f}"
        yield shape("path", d=d, fill="none", stroke=RULE, stroke_width=0.5)

    def _parting(self, character: int) -> str:
        """A line before the first character from which on encoding and training cut differently."""
        start = next(i for i, at in enumerate(self.starts) if at >= character)
        x, across = self._span(start, start + 1)
        x += across + self.gap / 2 if self.from_right else -self.gap / 2
        y = self._y(len(self.labels))
        look: dict[str, Any] = {"stroke": STRONG, "stroke_width": 1.5, "stroke_dasharray": "3 1.5"}
        return shape("line", x1=x, x2=x, y1=y - 5, y2=y + self.high + 1, **look)

    def _notes(self, y: float) -> tuple[str, float]:
        """What is said below, and where it ends."""
        lines = []
        if len(self.labels) > 1:
            lines.append(
                _("Strong frames: tokens of state {t:,}. Step · count of the pair then, in the "
                  "language that had the turn.", t=self.tree.t)
                if self.history.trainer.by_language
                else _("Strong frames: tokens of state {t:,}. Step · count of the pair then.",
                       t=self.tree.t)
            )  # fmt: skip
        if self.encoded:
            lines.append(
                _("Last row: encoding, longest match first: the same cut.")
                if self.tree.parts is None
                else _(
                    "Last row: encoding, longest match first: a different cut from the "
                    "dashed line on."
                )
            )
        written = ""
        for line in lines:
            said, y = note(line, _MARGIN, y, self.wide - 2 * _MARGIN)
            written += said
        return written, y


def _all(tree: MergeTree) -> list[MergeNode]:
    """The nodes of a tree, first its symbols as they are read."""
    found, todo = list[MergeNode](), [*tree.roots]
    while todo:
        node = todo.pop()
        found.append(node)
        todo += node.children
    return sorted(found, key=lambda node: (-1 if node.step is None else node.step, node.start))
