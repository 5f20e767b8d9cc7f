"""Several runs side by side, as tables: every metric of each, and of every two how alike they are,
where they part and which words they cut differently.

All of it follows from the histories; nothing is trained or encoded again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from tokviz.analysis.alignment import Alignment, align
from tokviz.analysis.axis import Axis, checked_runs, make_axis
from tokviz.analysis.boundaries import Lane, boundaries, parted_words
from tokviz.analysis.held_out import held_out
from tokviz.analysis.language_costs import beside, language_costs
from tokviz.analysis.metrics import PerWord, metrics, words_known
from tokviz.analysis.overlap import jaccard, texts_over
from tokviz.analysis.parting import Parting, parting
from tokviz.basics.arguments import Shown, plain, whole
from tokviz.basics.errors import CorpusError, OutOfRangeError, SettingError
from tokviz.basics.messages import counted, message
from tokviz.basics.short_repr import short_value
from tokviz.history.base import History, Ints
from tokviz.text.given_corpus import Corpus, as_corpus
from tokviz.text.languages import of_languages, text_for, without_development

if TYPE_CHECKING:
    import pandas as pd

    from tokviz.pictures.print_chart import PrintChart

#: The columns of `Comparison.pairs`, and of `Comparison.partings`.
_PAIRS = ["left", "right", "position", "x", "jaccard", "boundary_f1"]
_PAIRS += ["left_boundaries", "right_boundaries", "shared_boundaries"]
_PARTS = {"left": "left_parts", "right": "right_parts"}
_PARTINGS = ["left", "right", "x", *(_PARTS.get(name, name) for name in Parting._fields)]


class PairMetric(NamedTuple):
    """A number for every two lanes: its column, what people call it, its formula and its source."""

    name: str
    label: str
    formula: str
    source: str


#: What there is to say about two lanes at a position.
PAIR_METRICS = (
    PairMetric(
        "jaccard",
        message("Vocabulary overlap"),
        message(
            "texts that tokens of both vocabularies stand for ÷ those of either, markers left out"
        ),
        "Jaccard 1901",
    ),
    PairMetric(
        "boundary_f1",
        message("Boundary F1"),
        message(
            "2 × shared boundaries ÷ (boundaries of one + boundaries of the other), inside words"
        ),
        "van Rijsbergen 1979; on boundaries as in the Morpho Challenge, Kurimo et al. 2010",
    ),
)


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Two or more runs on one axis. Made by `compare`, and computed as it is asked for.

    `position` counts the values of the axis from 0; `x` is the value: a vocabulary size, a step, or
    a percentage. Tables over positions have at most `points` of them, the first and last included.
    At the last position every run is in its own last state, whatever the axis. `per_word` says
    which words figures per word are of in every lane: "whitespace" or "pretokens".

    >>> import tokviz
    >>> words = {"low": 5, "lower": 2, "lowest": 6}
    >>> found = compare([tokviz.train(words, name, 9) for name in ("bpe", "wordpiece")])
    >>> found.end[["lane", "corpus_tokens"]].values.tolist()
    [['bpe', 35], ['wordpiece', 53]]
    >>> int(found.pairs["shared_boundaries"].iloc[-1])
    14
    """

    histories: tuple[History, ...]
    names: tuple[str, ...]
    axis: Axis
    points: int
    corpus: Corpus | None
    per_word: PerWord = "whitespace"

    def by(self, align: str) -> "Comparison":
        """The same runs on another axis; what is known of their boundaries stays known."""
        other = replace(self, axis=make_axis(self.histories, align))
        if "alignments" in self.__dict__:
            other.__dict__["alignments"] = self.alignments
        return other

    def per(self, per_word: PerWord) -> "Comparison":
        """The same runs with figures per word of others: "whitespace", where all of them know
        theirs, or "pretokens". What is known of their boundaries stays known.

        Raises SettingError for other words.
        """
        other = replace(self, per_word=words_known(self.histories, per_word))
        if "alignments" in self.__dict__:
            other.__dict__["alignments"] = self.alignments
        return other

    @cached_property
    def positions(self) -> Ints:
        """The positions that `metrics` and `pairs` have."""
        n = len(self.axis.values)
        return np.unique(np.linspace(0, n - 1, min(n, self.points)).round().astype(np.int64))

    @cached_property
    def metrics(self) -> "pd.DataFrame":
        """A row for each lane and position: lane, position, x, step, vocab_size, a column for each
        of `tokviz.analysis.metrics.METRICS`, words and per_word (what figures per word divide
        by)."""
        return self.metrics_at(self.positions)

    @cached_property
    def end(self) -> "pd.DataFrame":
        """`metrics` of each lane's own last state, whatever the axis: a row for each lane."""
        return self.metrics_at(np.asarray([len(self.axis.values) - 1]))

    def metrics_at(self, positions: Ints) -> "pd.DataFrame":
        """`metrics` at other positions."""
        import pandas as pd

        frames = []
        for history, name, all_states in zip(
            self.histories, self.names, self.axis.states, strict=True
        ):
            states = all_states[positions]
            table = metrics(history, states.tolist(), self.per_word)
            rows = table.iloc[np.searchsorted(table["step"], states)].reset_index(drop=True)
            x = self.axis.values[positions]
            where = pd.DataFrame({"lane": name, "position": positions, "x": x})
            frames.append(pd.concat([where, rows], axis=1))
        return pd.concat(frames, ignore_index=True)

    @cached_property
    def pairs(self) -> "pd.DataFrame":
        """A row for every two lanes and each position: left, right (names), position, x, a column
        for each of `PAIR_METRICS`, and the counts that the F1 is made of: left_boundaries,
        right_boundaries, shared_boundaries.

        Raises AlignmentError for runs with other words if no text was given.
        """
        return self.pairs_at(self.positions)

    def pairs_at(self, positions: Ints) -> "pd.DataFrame":
        """`pairs` at other positions."""
        import pandas as pd

        frames, numbers = [], dict[bytes, int]()
        states = [states[positions].tolist() for states in self.axis.states]
        texts = [
            texts_over(history, of_lane, numbers)
            for history, of_lane in zip(self.histories, states, strict=True)
        ]
        for i, j in self._pairs:
            found = boundaries(*self._laid(i, j, positions))
            columns = [
                self.names[i],
                self.names[j],
                positions,
                self.axis.values[positions],
                jaccard(texts[i], texts[j], states[i], states[j]),
                found.f1,
                *found,
            ]
            frames.append(pd.DataFrame(dict(zip(_PAIRS, columns, strict=True))))
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=_PAIRS)

    def parting(self, left: int = 0, right: int = 1) -> Parting | None:
        """Where two lanes, given by their numbers, first cut a word differently, and why; None if
        they never do. Raises AlignmentError as `pairs` does, and ValueError for other numbers."""
        found, mine, theirs = self._laid(left, right, np.arange(len(self.axis.values)))
        return parting(found, mine, theirs, (self.names[left], self.names[right]))

    @cached_property
    def partings(self) -> "pd.DataFrame":
        """A row for every two lanes that part: left, right (names), x, and the fields of `Parting`,
        whose parts are `left_parts` and `right_parts` here."""
        import pandas as pd

        rows = []
        for i, j in self._pairs:
            if (found := self.parting(i, j)) is not None:
                x = self.axis.values[found.position]
                rows.append([self.names[i], self.names[j], x, *found])
        return pd.DataFrame(rows, columns=_PARTINGS)

    def words(
        self, position: int, left: int = 0, right: int = 1, most: int | None = None
    ) -> "pd.DataFrame":
        """What two lanes, given by their numbers, cut differently at a position: see
        `tokviz.analysis.boundaries.parted_words`. Raises as `parting` does."""
        at = np.asarray([self._checked(position)])
        most = None if most is None else whole("most", most, 0)
        return parted_words(*self._laid(left, right, at), 0, most)

    def held_out(
        self, text: Corpus | Mapping[str, str], position: int | None = None
    ) -> "pd.DataFrame":
        """How each lane does on a text that it was not trained on, at a position (the last one if
        None): lane, step, tokens, characters_per_token, bytes_per_token, fertility (tokens a
        word), whole_words (the share of the words that are one token) and unknown (of those that
        have an unknown one), all three with the bounds of their 95 % intervals, fertility_low and
        so on, unknown_words, and what was divided by: characters, bytes, words, and which words
        these are in all lanes (`per_word`): those between white space or each lane's own, as the
        comparison has it; of a table its words. See `tokviz.analysis.held_out.held_out` for what it
        raises.

        >>> import tokviz
        >>> cut = [tokviz.train("don't", "bpe", 5, name) for name in ("gpt2", "whitespace")]
        >>> found = tokviz.compare(cut, "don't").held_out("don't, don't")
        >>> found[["words", "tokens", "characters_per_token", "fertility"]].values.tolist()
        [[2.0, 12.0, 1.0, 6.0], [2.0, 11.0, 1.0909090909090908, 5.5]]
        """
        import pandas as pd

        rows = []
        if of_languages(text):
            text = without_development(text)
        text = as_corpus(text_for(False, text))
        if not isinstance(text, str | Mapping):
            text = list(text)  # It is read once for each lane.
        at = -1 if position is None else self._checked(position)
        for history, name, states in zip(self.histories, self.names, self.axis.states, strict=True):
            t = int(states[at])
            found = held_out(history, t, text, self.per_word)
            row = {
                "lane": name,
                "step": t,
                "tokens": found.tokens,
                "characters_per_token": found.characters_per_token,
                "bytes_per_token": found.bytes_per_token,
            }
            for rate in ("fertility", "whole_words", "unknown"):
                value, low, high = getattr(found, rate)
                row |= {rate: value, f"{rate}_low": low, f"{rate}_high": high}
            for of in ("unknown_words", "characters", "bytes", "words", "per_word"):
                row[of] = getattr(found, of)
            rows.append(row)
        return pd.DataFrame(rows)

    def held_out_languages(
        self, texts: Mapping[str, str], position: int | None = None
    ) -> "pd.DataFrame":
        """What held-out texts by language cost in each lane, at a position (the last one if None):
        a row for each language and lane, the languages that are dearest in the first lane first;
        lane, number (of the lane, from 0), step, share (tokens ÷ the most of any row), and the
        columns of `tokviz.analysis.language_costs.language_costs`, which also says what it raises.
        What only measures ("Greek, development") is left out. Raises CorpusError for anything but a
        mapping from languages to texts, and where all of them only measure.

        >>> import tokviz
        >>> texts = {"English": "ab ab", "Greek": "αβ αβ"}
        >>> settings = {"pretokenizer": "gpt2", "unit": "byte", "initial_alphabet": ["bytes"]}
        >>> runs = [tokviz.train(texts, name, 258, **settings) for name in ("bpe", "parity-bpe")]
        >>> found = tokviz.compare(runs, texts).held_out_languages({"English": "ab", "Greek": "αβ"})
        >>> found[["language", "lane", "tokens", "ratio"]].values.tolist()[:2]
        [['Greek', 'bpe', 3, 3.0], ['Greek', 'parity-bpe', 2, 1.0]]
        """
        if not of_languages(texts):
            raise CorpusError.saying(
                "texts by language are a mapping of languages to their texts, and this is none; "
                "give for example English and Greek with a text (str) each."
            )
        texts = without_development(texts)
        at = -1 if position is None else self._checked(position)
        states = [int(states[at]) for states in self.axis.states]
        # Two lanes may have one name.
        costs = {
            f"{number}": language_costs(history.tokenizer(states[number]), texts)
            for number, history in enumerate(self.histories)
        }
        table = beside(costs).drop(columns="tokenizer")
        lane, step = (table["number"].map(of.__getitem__) for of in (self.names, states))
        return table.assign(lane=lane, step=step)

    def chart(
        self,
        measure: str = "characters_per_token",
        width: float | str = 240,
        height: float | str = 150,
    ) -> "PrintChart":
        """A column of `metrics` as a curve for each lane, along the axis of the comparison: an
        Altair chart for a paper, see `tokviz.pictures.curves`. Raises ValueError for other
        columns."""
        from tokviz.pictures.curves import chart

        return chart(self.metrics, measure, self.axis.align, width, height)

    @overload
    def web_page(self, path: None = None, title: str = "") -> str: ...
    @overload
    def web_page(self, path: str | Path, title: str = "") -> None: ...
    def web_page(self, path: str | Path | None = None, title: str = "") -> str | None:
        """The player with these runs as lanes, on this axis, as one HTML file that needs no server
        and no network: returns the page, or writes it to `path` if there is one and returns
        nothing.

        Raises ValueError for more lanes than a player has: see `tokviz.player.web_page.web_page`.
        """
        from tokviz.player.web_page import web_page

        return web_page(self.histories, title=title, path=path, **self._lanes)

    def _repr_html_(self) -> str:
        """How a notebook shows it: as the player, with the lanes that it has room for."""
        from tokviz.player.web_page import notebook_frame

        return notebook_frame(self.histories, **self._lanes)

    @property
    def _lanes(self) -> dict[str, Any]:
        """What a player of these runs is told besides the runs."""
        texts = [self.corpus] * len(self.histories) if isinstance(self.corpus, str) else None
        return {"labels": self.names, "texts": texts, "align": self.axis.align}

    def __repr__(self) -> str:
        """Short, whatever the runs hold."""
        return f"<Comparison of {short_value(list(self.names), 150)[1:-1]} by {self.axis.align}>"

    @cached_property
    def alignments(self) -> dict[tuple[int, int], Alignment]:
        """Every two lanes laid over each other. Raises AlignmentError as `pairs` does."""
        return align(self.histories, self.corpus)

    def _checked(self, position: int) -> int:
        """A position, counted from the end if it is negative. Raises OutOfRangeError for none."""
        n, at = len(self.axis.values), plain(position)
        if type(at) is not int or not -n <= at < n:
            raise OutOfRangeError.saying(
                "position={position!r} is not on this axis; it has positions 0 to {last}.",
                position=Shown(position),
                last=n - 1,
            )
        return at

    @property
    def _pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.histories)), 2))

    def _laid(self, i: int, j: int, at: Ints) -> tuple[Alignment, Lane, Lane]:
        """Two lanes laid over each other, and both at some positions."""
        n, i, j = len(self.histories), whole("left", i), whole("right", j)
        if i == j or not (0 <= i < n and 0 <= j < n):
            raise SettingError.saying(
                "Lanes {i} and {j} are not two lanes of this comparison; there are lanes 0 to "
                "{last}.",
                i=i,
                j=j,
                last=n - 1,
            )
        found, states = self.alignments[min(i, j), max(i, j)], self.axis.states
        if i > j:
            found = replace(found, left=found.right, right=found.left)
        return (
            found,
            Lane(self.histories[i], states[i][at], found.left),
            Lane(self.histories[j], states[j][at], found.right),
        )


def compare(
    histories: Iterable[History],
    corpus: Corpus | Mapping[str, str] | None = None,
    align: str = "share",
    names: Sequence[str] | None = None,
    points: int = 500,
    per_word: PerWord = "whitespace",
) -> Comparison:
    """Compares runs: their metrics, overlaps and boundaries over their training, where they part,
    and the words that they cut differently, as tables of pandas.

    `corpus` is the text, or the texts by language, that they were trained on; it is needed only
    where their pre-tokenizers differ. `align` is "share" (of each run's own training), "size" or
    "step" (see `tokviz.analysis.axis.make_axis`); `names` are those of the algorithms if None.
    `per_word` says which words fertility and the words kept whole are of in every lane:
    "whitespace", those of the text between white space, the same whatever cuts it, or "pretokens",
    each lane's own. Where a run does not know the white-space words of its text (see
    `tokviz.analysis.metrics.metrics`), all lanes have their own, and `Comparison.per_word` says
    so.

    Raises SettingError for no history or what is none, another alignment, names that are not one
    for each run, fewer than two points, and other words.

    >>> import tokviz
    >>> text = "low lower lowest low low lower"
    >>> runs = [tokviz.train(text, name, 12) for name in ("bpe", "wordpiece")]
    >>> comparison = tokviz.compare(runs, text)
    >>> comparison.metrics[["lane", "x", "step", "corpus_tokens"]].iloc[[0, -1]].values.tolist()
    [['bpe', 0.0, 0, 30], ['wordpiece', 100.0, 5, 9]]
    >>> comparison.end[["lane", "vocab_size", "corpus_tokens"]].values.tolist()
    [['bpe', 12, 10], ['wordpiece', 12, 9]]

    "don't" is one word, whatever it is cut into before: gpt2 makes it "don" and "'t", whitespace
    leaves it whole. Cut into its 5 characters it has 5 tokens a word, not 2.5 and 5:

    >>> cut = [tokviz.train("don't", "bpe", 5, name) for name in ("gpt2", "whitespace")]
    >>> comparison = tokviz.compare(cut, "don't")
    >>> comparison.end["fertility"].tolist()
    [5.0, 5.0]
    >>> comparison.per("pretokens").end["fertility"].tolist()
    [2.5, 5.0]
    """
    histories = checked_runs(histories)
    kinds = [history.algorithm for history in histories]
    if names is None:
        names = [
            kind if kinds.count(kind) == 1 else f"{kind} {kinds[: i + 1].count(kind)}"
            for i, kind in enumerate(kinds)
        ]
    listed = isinstance(names, Iterable) and not isinstance(names, str)
    if not listed or not all(isinstance(name, str) for name in names):
        raise SettingError.saying(
            "names={names!r} must be a list of texts, one for each run.", names=Shown(names)
        )
    if len(names) != len(histories):
        raise SettingError.saying(
            "{names} for {runs}; give one for each.",
            names=counted("{n} name", "{n} names", len(names)),
            runs=counted("{n} run", "{n} runs", len(histories)),
        )
    points = whole("points", points)
    if points < 2:
        raise SettingError.saying(
            "points={points} has no room for the first and last position; give 2 or more.",
            points=points,
        )
    axis = make_axis(histories, align)
    given = None if corpus is None else as_corpus(text_for(False, corpus))
    known = words_known(histories, per_word)
    return Comparison(histories, tuple(names), axis, points, given, known)
