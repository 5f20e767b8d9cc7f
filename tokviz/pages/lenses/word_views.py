"""The view of a word for its lens: its merge tree, or its lattices, as JSON.

The engine computes all of it; this module writes it for the browser, which draws any state without
another request.
"""

from fractions import Fraction
from functools import reduce, singledispatch
from itertools import pairwise
from math import exp, log, prod
from operator import add
from typing import Any

from tokviz.analysis.expected_terms import flows
from tokviz.analysis.longest_matches import longest_matches
from tokviz.basics.messages import _
from tokviz.encoding.word_lattice import Segmentation, WordLattice
from tokviz.history.base import History
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.merge_tree import MergeNode, MergeTree
from tokviz.history.merges import MergeHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.piece_removal import remove_pieces
from tokviz.history.replay import ReplayHistory
from tokviz.history.unigram import UnigramHistory
from tokviz.pages.lenses.viterbi_walk import sums_view, walk_view
from tokviz.pages.widgets.markup import visible
from tokviz.pictures.written_numbers import percent, signed
from tokviz.player.columns import parts_of
from tokviz.text.symbols import Symbol

#: Most segmentations listed, most pairs that lost to a merge, and most states whose lattice is
#: sent, around the present one.
MOST_WAYS, MOST_LOST, MOST_STATES = 8, 12, 60
#: Most pieces into which a word flows in an EM step.
MOST_FLOWS = 5
#: Parts into which shares are rounded, so that count × share is as it is shown.
SHARES = 10_000
#: Most factors of a probability written as a product of counts, of which more are written only for
#: a tie; and most terms of its logarithm.
MOST_FACTORS = 4


class Faces:
    """The distinct tokens of a view, in the format of the encoder's chips: text with markers apart,
    no id, "unknown" for a token in no vocabulary, and the colour."""

    def __init__(self, history: History) -> None:
        self._history, self._spelling = history, history.spelling
        self.rows: list[tuple[str | list[str], None, str, int]] = []
        self._numbers: dict[tuple[str, str], int] = {}

    def number(self, symbol: Symbol, shown: str | None = None) -> int:
        """Return the row of a symbol; `shown` is the text in its place if it is unknown."""
        string = self._spelling.show(symbol)
        if shown is None or shown == string:
            return self._row(parts_of(self._spelling, [symbol])[0], string, "")
        return self._row(shown, shown, "unknown")

    def stranger(self, symbol: Symbol) -> int:
        """Return the row of a symbol that is in no vocabulary of the run."""
        face = parts_of(self._spelling, [symbol])[0]
        return self._row(face, self._spelling.show(symbol), "unknown")

    def unknown(self, shown: str) -> int:
        """Return the row of the unknown token."""
        return self._row(shown, shown, "unknown")

    def _row(self, face: str | list[str], string: str, kind: str) -> int:
        if (string, kind) not in self._numbers:
            self._numbers[string, kind] = len(self.rows)
            self.rows.append((face, None, kind, self._history.colour(string)))
        return self._numbers[string, kind]


# --- merges ---------------------------------------------------------------------------------------


def tree_view(history: MergeHistory, word: str) -> dict[str, Any]:
    """Return the whole merge tree of a word; state t has the nodes made before step t.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> view = tree_view(history, "hugs")
    >>> [(n["start"], n["end"], n["step"], n["count"], n["children"]) for n in view["nodes"]][2:]
    [(2, 3, None, None, []), (1, 3, 0, 20, [1, 2]), (0, 3, 1, 15, [0, 3]), (3, 4, None, None, [])]
    """
    faces = Faces(history)
    nodes, roots = _nodes(history.merge_tree(word, len(history)), faces)
    spans = history.starting_spans(word)
    return {
        "kind": "merges",
        "nodes": nodes,
        "roots": roots,
        "matches": _matches(history, word, faces),
        "leaf_of": _leaves(spans, len(word)),
        "table": faces.rows,
    }


def picky_tree_view(history: PickyHistory, word: str) -> dict[str, Any]:
    """Return the merge trees of a word: a stretch of states, from its `first` on, in which none of
    its tokens comes apart has one.

    >>> import tokviz
    >>> history = tokviz.train({"hugs": 9, "hug": 1}, "picky-bpe", vocab_size=6, threshold=0.8)
    >>> [(s["first"], len(s["nodes"])) for s in picky_tree_view(history, "hug")["stretches"]]
    [(0, 5), (5, 4)]
    """
    faces = Faces(history)
    firsts = [0, *history.openings(word)]
    stretches = []
    for first, end in pairwise([*firsts, len(history) + 1]):
        nodes, roots = _nodes(history.merge_tree(word, end - 1), faces)
        stretches.append({"first": first, "nodes": nodes, "roots": roots})
    return {
        "kind": "merges",
        **stretches[0],
        "stretches": stretches,
        "matches": [],
        "leaf_of": _leaves(history.starting_spans(word), len(word)),
        "table": faces.rows,
    }


def _nodes(tree: MergeTree, faces: Faces) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the nodes of a tree, each after its children, and the places of its roots."""
    history = tree.history
    nodes: list[dict[str, Any]] = []

    def note(node: MergeNode) -> int:
        children = [note(child) for child in node.children]
        symbol = reduce(add, tree.symbols[node.start : node.end])
        known = node.children or symbol in history.symbol_numbers
        nodes.append(
            {
                "face": faces.number(symbol, node.token) if known else faces.stranger(symbol),
                "start": node.start,
                "end": node.end,
                "step": node.step,
                "count": node.count,
                "rank": node.rank,
                "tied": node.tied,
                "score": _score(history, node.step),
                "children": children,
                **_lost(tree, node, faces),
            }
        )
        return len(nodes) - 1

    return nodes, [note(root) for root in tree.roots]


def _score(history: MergeHistory, step: int | None) -> str | None:
    """Return the score of a merge, or None if merges are chosen by their counts."""
    if step is None or not history.likelihood:
        return None
    return f"{history.steps[step].score:.4g}"


def _lost(tree: MergeTree, node: MergeNode, faces: Faces) -> dict[str, Any]:
    """Return the word's pairs that lost to a merge: left, right, count, row in the score table."""
    if node.step is None:
        return {"lost": [], "lost_more": 0}
    gaps = tree.history.gaps(tree.word, node.step)
    starts = [at for at, gap in enumerate(gaps) if gap >= node.step]
    bounds = [*starts, len(tree.symbols)]
    shown = []
    lost = tree.lost(node)
    for pair in lost[:MOST_LOST]:
        k = starts.index(pair.starts[0])
        a, b, c = bounds[k : k + 3]
        left = faces.number(reduce(add, tree.symbols[a:b]), pair.left)
        right = faces.number(reduce(add, tree.symbols[b:c]), pair.right)
        shown.append([left, right, pair.count, pair.rank])
    return {"lost": shown, "lost_more": len(lost) - len(shown)}


def _leaves(spans: list[tuple[int, int]], characters: int) -> list[int]:
    """Return for every character of a word, and its end, the first symbol that covers it."""
    firsts = [
        next(i for i, (start, end) in enumerate(spans) if start <= at < end)
        for at in range(characters)
    ]
    return [*firsts, len(spans)]


def _matches(history: MergeHistory, word: str, faces: Faces) -> list[dict[str, Any]]:
    """Return WordPiece's segmentations of the word, each with the first state that has it."""
    if history.default_encoder != "longest-match":
        return []
    shown = []
    for match in longest_matches(history, word):
        bounds = [*match.starts, len(word)]
        tokens = []
        for token, start, end in zip(match.tokens, bounds, bounds[1:], strict=False):
            symbol = Symbol(word[start:end], start > 0)
            face = faces.unknown(token) if match.unknown else faces.number(symbol)
            tokens.append([face, start, end])
        shown.append({"first": match.first, "tokens": tokens, "unknown": match.unknown})
    return shown


# --- Unigram --------------------------------------------------------------------------------------


def lattice_view(history: History, word: str, here: int) -> dict[str, Any]:
    """Return the lattices of a word in the states around the present one.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
    >>> frame = lattice_view(history, "pug", 0)["frames"]["0"]
    >>> [(edge["start"], edge["end"], edge["log_prob"], edge["share"]) for edge in frame["edges"]]
    [(0, 1, '−2.51', '53.9 %'), (0, 2, '−2.51', '46.1 %'), (1, 2, '−1.76', '7.9 %'), \
(1, 3, '−2.35', '46.1 %'), (2, 3, '−2.35', '53.9 %')]
    >>> [(way["edges"], way["exact"], way["tied"]) for way in frame["ways"][:2]]
    [((0, 3), '17 × 20 / 210²', True), ((1, 4), '17 × 20 / 210²', True)]
    """
    faces = Faces(history)
    first = max(0, min(here - MOST_STATES // 2, len(history) + 1 - MOST_STATES))
    states = range(first, min(len(history) + 1, first + MOST_STATES))
    frames = {str(t): _frame(history, word, t, faces) for t in states}
    return {"kind": "lattice", "frames": frames, "table": faces.rows, "text": [*word]}


#: The view of a word in a state; families without lattices register another function.
word_view = singledispatch(lattice_view)


@word_view.register
def _tree(history: MergeHistory, word: str, _here: int) -> dict[str, Any]:
    return tree_view(history, word)


@word_view.register
def _trees(history: PickyHistory, word: str, _here: int) -> dict[str, Any]:
    return picky_tree_view(history, word)


@word_view.register
def _tree_of_file(history: ReplayHistory, word: str, _here: int) -> dict[str, Any]:
    cuts = history.cut_otherwise(word)
    if cuts is None:
        return tree_view(history, word)
    # A tree with other leaves than the tokenizer's own tokens would be wrong.
    mine, theirs = (" | ".join(map(visible, cut)) for cut in cuts)
    note = _(
        "The file’s tokenizer cuts this word into {theirs}, but its merges alone give {mine}, "
        "so their tree is not drawn.",
        theirs=theirs,
        mine=mine,
    )
    return {"kind": "none", "note": note}


def _frame(history: History, word: str, t: int, faces: Faces) -> dict[str, Any]:
    lattice = history.lattice(word, t)
    ways, posteriors = _segmentations(lattice), lattice.posteriors()
    on_best = set(ways[0].edges) if ways else set()
    exact = [_exact(history, lattice, way, t) for way in ways]
    shown = [
        _exact_part(found, exact[0], len(way.edges)) for way, found in zip(ways, exact, strict=True)
    ]
    sums = sums_view(lattice, ways, [part["tied"] for part in shown], MOST_FACTORS)
    log_total = lattice.log_total()
    bits = lattice.entropy() / log(2)
    return {
        "edges": [
            {
                "face": _edge_face(history, lattice, i, faces),
                "start": edge.start,
                "end": edge.end,
                "log_prob": signed(edge.log_prob, 2),
                "log_prob_exact": signed(edge.log_prob, 6),
                "posterior": round(posteriors[i], 4),
                "share": percent(posteriors[i]),
                "best": i in on_best,
            }
            for i, edge in enumerate(lattice.edges)
        ],
        "ways": [
            {
                "edges": way.edges,
                "terms": terms,
                "sum": total,
                "share": percent(exp(way.log_prob - log_total)),
                **part,
            }
            for way, part, (terms, total) in zip(ways, shown, sums, strict=True)
        ],
        "walk": walk_view(lattice),
        "flows": _flows(history, lattice, t, faces),
        "segmentations": f"{lattice.segmentations:,}",
        "entropy": f"{bits:.3f}",
    }


@singledispatch
def _flows(
    _history: History, _lattice: WordLattice, _t: int, _faces: Faces
) -> list[dict[str, Any]]:
    """Return what the word gives to the pieces in the next step, if that is an EM step: for each
    piece count × share = part, as it is shown, the expected count, and both probabilities."""
    return []


@_flows.register
def _of_em(
    history: SentencePieceUnigramHistory, lattice: WordLattice, t: int, faces: Faces
) -> list[dict[str, Any]]:
    found = flows(history, lattice, t)
    dearest = max((max(flow.before, flow.after) for flow in found), default=1.0) or 1.0
    return [
        {
            "face": faces.number(Symbol(history.record.tokens[history.strings.index(flow.token)])),
            "count": f"{flow.times:,}",
            "share": f"{round(flow.share * SHARES) / SHARES:.4f}",
            "part": f"{flow.times * round(flow.share * SHARES) / SHARES:,.4f}",
            "expected": f"{flow.expected:.4g}",
            "before": f"{flow.before:.4g}",
            "after": f"{flow.after:.4g}",
            # How long the bars are.
            "wide": [
                round(100 * part, 1)
                for part in (min(1.0, flow.share), flow.before / dearest, flow.after / dearest)
            ],
        }
        for flow in found[:MOST_FLOWS]
    ]


def _segmentations(lattice: WordLattice) -> list[Segmentation]:
    """Return the best segmentations, the one the encoder takes first."""
    chosen = lattice.chosen()
    if chosen is None:
        return []
    others = [way for way in lattice.n_best(MOST_WAYS) if way.edges != chosen.edges]
    return [chosen, *others][:MOST_WAYS]


def _edge_face(history: History, lattice: WordLattice, i: int, faces: Faces) -> int:
    edge = lattice.edges[i]
    symbol = Symbol(lattice.word[edge.start : edge.end])
    return (
        faces.number(symbol)
        if edge.token == history.spelling.show(symbol)
        else faces.unknown(edge.token)
    )


@singledispatch
def _exact(
    _history: History, _lattice: WordLattice, _way: Segmentation, _t: int
) -> tuple[str, Fraction] | None:
    """Return the probability of a segmentation as a product of counts, if the family has counts."""
    return None


@_exact.register
def _of_counts(
    history: UnigramHistory, lattice: WordLattice, way: Segmentation, t: int
) -> tuple[str, Fraction] | None:
    counts, total = [], 1
    for i in way.edges:
        edge = lattice.edges[i]
        text = lattice.word[edge.start : edge.end]
        if edge.token != history.spelling.show(Symbol(text)):
            return None
        count, total = history.share(text, t)
        counts.append(count)
    if not counts:
        return None
    powers = str(len(counts)).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    shown = " × ".join(f"{count:,}" for count in counts)
    power = powers if len(counts) > 1 else ""
    return f"{shown} / {total:,}{power}", Fraction(prod(counts), total ** len(counts))


def _exact_part(
    found: tuple[str, Fraction] | None, best: tuple[str, Fraction] | None, pieces: int
) -> dict[str, Any]:
    """Return whether a segmentation is as probable as the best one, and its product if it is
    short."""
    if found is None or best is None:
        return {"tied": False, "exact": ""}
    tied = found[1] == best[1]
    return {"tied": tied, "exact": found[0] if tied or pieces <= MOST_FACTORS else ""}


def removal_view(history: History, word: str, t: int, removed: list[int]) -> dict[str, Any]:
    """Return a word's segmentation in state t without the tokens of some edges, and the cost."""
    lattice = history.lattice(word, t)
    tokens = {lattice.edges[i].token for i in removed if i < len(lattice.edges)}
    gone = [i for i, edge in enumerate(lattice.edges) if edge.token in tokens]
    removal = remove_pieces(history, word, tokens, t)
    number = {(edge.start, edge.end): i for i, edge in enumerate(lattice.edges)}
    after = None
    if removal.after is not None:
        kept = [removal.lattice.edges[i] for i in removal.after.edges]
        after = [number[edge.start, edge.end] for edge in kept]
    view: dict[str, Any] = {"state": t, "edges": gone, "after": after, "loss": "", "corpus": ""}
    if removal.before is not None and removal.after is not None and removal.change is not None:
        old, new = -removal.before.log_prob, -removal.after.log_prob
        view["loss"] = _(
            "{new:.4f} instead of {old:.4f} (+{change:.4f})",
            new=new,
            old=old,
            change=removal.change,
        )
        if removal.count:
            cost = removal.count * removal.change
            view["corpus"] = _("{n:,} times that, +{cost:.4f},", n=removal.count, cost=cost)
    return view
