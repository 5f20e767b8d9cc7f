"""The merge tree of a word: its symbols in a row at the bottom, what merges made of them above."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tokviz.basics.messages import _
from tokviz.encoding.faces import drawn, reads_from_right
from tokviz.history.merge_tree import MergeNode, MergeTree
from tokviz.history.merges import MergeHistory
from tokviz.pictures.files import points
from tokviz.pictures.picture import (
    RULE,
    STRONG,
    TOKEN,
    Parts,
    Picture,
    box,
    note,
    parts_of,
    shape,
    text,
    text_width,
    token,
    token_width,
)
from tokviz.pictures.words import check_word, shrunk
from tokviz.text.symbols import Symbol

#: Points: around all of it, inside a box, between boxes at least and at most, from level to level,
#: a box with and without what is said of its merge.
_MARGIN, _PAD, _GAP, _MOST_GAP, _LEVEL, _BOX, _LEAF = 3.0, 3.0, 3.0, 12.0, 34.0, 21.0, 13.0


class _Place(NamedTuple):
    """A node where it stands: level 0 is the row of symbols."""

    node: MergeNode
    parts: Parts
    label: str
    x: float
    width: float
    level: int

    @property
    def middle(self) -> float:
        return self.x + self.width / 2


def tree_picture(
    history: MergeHistory, word: str, t: int | None = None, width: float | str = 240
) -> Picture:
    """The merge trees of any word as of state t (the last one if None): over each token stands the
    step that made it, and the count that its pair then had. The tokens of the state have a strong
    frame; a dashed one is round a symbol that is not in the alphabet. WordPiece has a row with what
    encoding makes of the word, longest match first.

    Raises OutOfRangeError for a state that the run does not have, and SettingError for a word that
    is empty, too long, or too wide for the picture.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> "step 2 · 15×" in tree_picture(history, "hugs").svg
    True
    """
    check_word(word)
    wide, t = points(width), len(history) if t is None else t
    tree = history.merge_tree(word, t)
    return _Drawing(tree, wide).picture()


class _Drawing:
    """A tree and the places of its nodes, by the first symbol and the level of each."""

    def __init__(self, tree: MergeTree, wide: float) -> None:
        self.tree, self.history, self.wide = tree, tree.history, wide
        self.places: dict[int, _Place] = {}
        gap = _GAP
        total = self._laid(gap)
        room = wide - 2 * _MARGIN
        self.share = shrunk(total, room, 2 * _MARGIN)
        if self.share == 1 and (gaps := len(tree.symbols) - 1):
            gap = min(_MOST_GAP, gap + (room - total) / gaps)
            total = self._laid(gap)
        self.total = total
        self.levels = max(place.level for place in self.places.values())

    # --- where things stand -----------------------------------------------------------------------

    def _laid(self, gap: float) -> float:
        """Places all nodes with so much between neighbours; gives how wide that is."""
        x = 0.0
        for root in self.tree.roots:
            x += self._put(root, x, gap, self._room(root, gap)) + gap
        return x - gap

    def _room(self, node: MergeNode, gap: float) -> float:
        inside = sum(self._room(child, gap) + gap for child in node.children) - gap
        return max(self._needed(node), inside)

    def _needed(self, node: MergeNode) -> float:
        wide = max(token_width(self._parts(node)), text_width(_label(node)), TOKEN)
        return wide + 2 * _PAD

    def _put(self, node: MergeNode, left: float, gap: float, room: float) -> float:
        """A parent stands in the middle above its children, who make room if it is wider."""
        rooms = [self._room(child, gap) for child in node.children]
        x = left + (room - sum(rooms) - gap * (len(rooms) - 1)) / 2
        for child, own in zip(node.children, rooms, strict=True):
            x += self._put(child, x, gap, own) + gap
        below = [self.places[id(child)] for child in node.children]
        wide, middle = self._needed(node), left + room / 2
        if below:
            middle = (below[0].middle + below[-1].middle) / 2
        at = max(left, min(middle - wide / 2, left + room - wide))
        level = max((place.level + 1 for place in below), default=0)
        self.places[id(node)] = _Place(node, self._parts(node), _label(node), at, wide, level)
        return room

    def _parts(self, node: MergeNode) -> Parts:
        symbols = self.tree.symbols[node.start : node.end]
        return parts_of(self.history.spelling, symbols, node.token)

    def _y(self, place: _Place) -> float:
        return (self.levels - place.level) * _LEVEL

    # --- what is drawn ----------------------------------------------------------------------------

    def picture(self) -> Picture:
        self.from_right = reads_from_right(self.tree.word)
        roots = {id(root) for root in self.tree.roots}
        shapes = [line for place in self.places.values() for line in self._lines(place)]
        for key, place in self.places.items():
            shapes += self._node(place, key in roots)
        high = self.levels * _LEVEL + (_BOX if self.levels == 0 and self._made() else _LEAF)
        if self.history.trainer.default_encoder == "longest-match":
            encoded, high = self._encoded(high)
            shapes += encoded
        moved = (self.wide - self.total * self.share) / 2
        inside = f"translate({moved:.2f} {_MARGIN:g}) scale({self.share:.4f})"
        body = shape("g", "".join(shapes), transform=inside)
        said, end = self._notes(2 * _MARGIN + high * self.share)
        label = _(
            "Merge tree of “{word}” in state {t:,}", word=drawn(self.tree.word), t=self.tree.t
        )
        return Picture(label, self.wide, end + _MARGIN, body + said)

    def _x(self, place: _Place) -> float:
        return self.total - place.x - place.width if self.from_right else place.x

    def _made(self) -> bool:
        return any(place.label for place in self.places.values())

    def _node(self, place: _Place, is_root: bool) -> Iterator[str]:
        x, y = self._x(place), self._y(place)
        unknown = not place.label and self._symbol(place.node) not in self.history.symbol_numbers
        kind = "unknown" if unknown else "strong" if is_root else ""
        yield box(x, y, place.width, _BOX if place.label else _LEAF, kind)
        middle = x + place.width / 2
        yield token(place.parts, middle, y + 9.5)
        if place.label:
            yield text(place.label, middle, y + 18, text_anchor="middle")

    def _symbol(self, node: MergeNode) -> Symbol:
        return self.tree.symbols[node.start]

    def _lines(self, place: _Place) -> Iterator[str]:
        """To each child across and then down: there, nothing but the child has room."""
        x1, y1 = self._x(place) + place.width / 2, self._y(place) + _BOX
        for child in place.node.children:
            below = self.places[id(child)]
            x2, y2 = self._x(below) + below.width / 2, self._y(below)
            d = f"M{x1:.2f} {y1:.2f}V{y1 + (_LEVEL - _BOX) / 2:.2f}H{x2:.2f}V{y2:.2f}"
            yield shape("path", d=d, fill="none", stroke=RULE, stroke_width=0.75)

    def _encoded(self, y: float) -> tuple[list[str], float]:
        """What encoding makes of the word, below its symbols, and where they part."""
        history, tree = self.history, self.tree
        leaves = sorted(
            (place for place in self.places.values() if not place.node.children),
            key=lambda place: place.node.start,
        )
        y += 6
        shapes = []
        for piece in history.tokenizer(tree.t).encoder.encode(tree.word):
            covered = [p for p in leaves if piece.start <= p.node.characters[0] < piece.end]
            left = min(map(self._x, covered))
            right = max(self._x(place) + place.width for place in covered)
            symbols = tree.symbols[covered[0].node.start : covered[-1].node.end]
            parts = parts_of(history.spelling, symbols, piece.token)
            shapes.append(
                box(left, y, right - left, _LEAF, "" if piece.id is not None else "unknown")
            )
            shapes.append(token(parts, (left + right) / 2, y + 9.5))
        if tree.parts is not None:
            first = next(p for p in leaves if p.node.characters[0] >= tree.parts)
            x = self._x(first) + (first.width + _GAP / 2 if self.from_right else -_GAP / 2)
            look: dict[str, Any] = {
                "stroke": STRONG,
                "stroke_width": 1.5,
                "stroke_dasharray": "3 1.5",
            }
            shapes.append(shape("line", x1=x, x2=x, y1=y - 5, y2=y + _LEAF + 1, **look))
        return shapes, y + _LEAF

    def _notes(self, y: float) -> tuple[str, float]:
        lines = []
        if self._made():
            lines.append(
                _(
                    "Strong frames: tokens of state {t:,}. Step · count of the pair then.",
                    t=self.tree.t,
                )
            )
        if self.history.trainer.default_encoder == "longest-match":
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


def _label(node: MergeNode) -> str:
    if node.step is None or node.count is None:
        return ""
    return _("step {step} · {count}×", step=f"{node.step + 1:,}", count=f"{node.count:,}")
