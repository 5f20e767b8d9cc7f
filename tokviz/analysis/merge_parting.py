"""Why two runs of merges part: the first merge that they do not share.

Symbols of two runs are the same if they are the same letter with the same markers, or what the same
step of both made. So a space that one run spells as a byte is that of the other, and `##s` is not
`s`.
"""

from fractions import Fraction
from functools import reduce
from operator import add
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from tokviz.basics.messages import Message, counted, listed, message
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.history.ties import RULES
from tokviz.narration.merges import LONGEST_WORD, ratio

#: A letter: its bytes and whether it continues and ends a word; or the step that made a symbol.
_Identity: TypeAlias = tuple[bytes, bool, bool] | int
Kind = TypeVar("Kind", bound=History, covariant=True)


class Side(NamedTuple, Generic[Kind]):
    """One of two runs: what a sentence calls it, its state where they part, and its gap at the
    place that only one of them cuts."""

    name: str
    history: Kind
    state: int
    gap: int

    def cuts(self, t: int) -> bool:
        """Whether state t cuts there."""
        return bool(self.history.open_gaps(t)[self.gap])

    def words(self) -> list[int]:
        """The numbers of the words that have the gap: several where only unknown characters tell
        them apart."""
        first, end = self.history.gap_spans
        numbers: list[int] = np.flatnonzero((first <= self.gap) & (self.gap < end)).tolist()
        return numbers


def other_words(a: Side[History], b: Side[History]) -> tuple[str, str]:
    """Where the same text is a part of different words."""
    mine, theirs = (_shown(s.history, s.history.words.words[s.words()[0]]) for s in (a, b))
    return "words", message(
        "They read different words: “{mine}” in {a} is “{theirs}” in {b}.",
        mine=mine,
        a=a.name,
        theirs=theirs,
        b=b.name,
    )


def between_merges(a: Side[MergeHistory], b: Side[MergeHistory]) -> tuple[str, str]:
    """The kind of the reason and the sentence, for two runs of merges.

    >>> import tokviz
    >>> run = tokviz.train({"ab": 3, "cd": 2}, "bpe", 5)
    >>> between_merges(Side("one", run, 0, 1), Side("other", run, 1, 1))
    ('pace', 'A different pace. At this position other has made 1 merge, and one has made none.')
    """
    left, right = a.history, b.history
    t = _shared(left, right, min(a.state, b.state))
    if a.cuts(t) != b.cuts(t):
        # The same merges cut the same word in the same way.
        return other_words(a, b)
    merges = t - int(left.removals[:t].sum())
    before = {
        0: message("From the start"),
        1: message("After one merge that both made"),
    }.get(merges, message("After {t:,} merges that both made", t=merges))
    if t == min(a.state, b.state):
        return _ahead(a, b, before) if a.state > b.state else _ahead(b, a, before)
    if left.removals[t] or right.removals[t]:
        return "taken back", message(
            "Taking back. {before}, {mine} and {theirs}.",
            before=before,
            mine=_does(a.name, left, t),
            theirs=_does(b.name, right, t),
        )
    if left.by_rank or right.by_rank:
        return "file", message(
            "Merges of a file. {before}, {a} takes {mine} and {b} takes {theirs}. A file's "
            "merges come in the order of their ranks, whatever the counts in this text are.",
            before=before,
            a=a.name,
            mine=_pair(left, t),
            b=b.name,
            theirs=_pair(right, t),
        )
    first_a, first_b = _score(left, t, left), _score(right, t, right)
    other_a, other_b = _score(left, t, right), _score(right, t, left)
    assert first_a
    assert first_b
    forced_a, forced_b = left.merged_rank(t) > 1, right.merged_rank(t) > 1
    if forced_a or forced_b:
        return "what if", message(
            "What if. {before}, {mine} and {theirs}.",
            before=before,
            mine=_takes(a.name, first_a, forced_a),
            theirs=_takes(b.name, first_b, forced_b),
        )
    if other_a is None or other_b is None:
        lacking = [(a.name, first_b.pair)] * (other_a is None)
        lacking += [(b.name, first_a.pair)] * (other_b is None)
        return "pairs", message(
            "Different pairs. {before}, {mine}, and {theirs}; {missing}.",
            before=before,
            mine=_takes(a.name, first_a),
            theirs=_takes(b.name, first_b),
            missing=listed(
                message("{name} has no {pair}", name=name, pair=pair) for name, pair in lacking
            ),
        )
    if first_a.value == other_a.value and first_b.value == other_b.value:
        tied = int(left.record.tied[t])
        tie = counted(
            "{tied} pairs are counted once",
            "{tied} pairs are counted {n} times",
            int(left.record.top_count[t, 0]),
            tied=f"{tied:,}",
        )
        if left.likelihood or first_a.value != first_b.value or tied != right.record.tied[t]:
            tie = message(
                "{mine} and {theirs} tie, {a} has {first} and {b} {second}",
                mine=first_a.pair,
                theirs=first_b.pair,
                a=a.name,
                first=first_a.written,
                b=b.name,
                second=first_b.written,
            )
        return "tie", message(
            "A tie. {before}, {tie}. {mine}; {theirs}.",
            before=before,
            tie=tie,
            mine=_chosen(left, t, a.name),
            theirs=_chosen(right, t, b.name),
        )
    kind, what = "pairs", message("Different counts")
    if left.likelihood != right.likelihood:
        kind, what = "score", message("Different scores")
    return kind, message(
        "{what}. {before}, {mine} over {second} with {count}, and {theirs} over {other} with "
        "{other_count}.",
        what=what,
        before=before,
        mine=_takes(a.name, first_a),
        second=other_a.pair,
        count=other_a.written,
        theirs=_takes(b.name, first_b),
        other=other_b.pair,
        other_count=other_b.written,
    )


def _identities(history: MergeHistory, t: int) -> list[_Identity]:
    """What every symbol of state t is, whichever run spells it."""
    letters = [
        (history.spelling.bytes_of(symbol), symbol.continuing, symbol.ends_word)
        for symbol in history.record.alphabet
    ]
    return [*letters, *range(t)]


def _shared(a: MergeHistory, b: MergeHistory, t: int) -> int:
    """How many of the first t merges both runs have, up to the first that differs."""
    merges = []
    for history in (a, b):
        same, record = _identities(history, t), history.record
        pairs = zip(record.left[:t].tolist(), record.right[:t].tolist(), strict=True)
        merges.append([(same[left], right >= 0 and same[right]) for left, right in pairs])
    differ = (i for i, (mine, theirs) in enumerate(zip(*merges, strict=True)) if mine != theirs)
    return next(differ, t)


def _does(name: str, history: MergeHistory, t: int) -> Message:
    """What a run does in state t, which may be to take a token back."""
    if not history.removals[t]:
        return message("{name} takes {pair}", name=name, pair=_pair(history, t))
    token = f"“{history.strings[history.record.left[t]]}”"
    return message("{name} takes {token} back", name=name, token=token)


def _ahead(ahead: Side[History], behind: Side[History], before: str) -> tuple[str, str]:
    if behind.state == len(behind.history):
        return "over", message(
            "{before}, the training of {name} is over. {stopped}",
            before=before,
            name=behind.name,
            stopped=behind.history.stopped,
        )
    less = message("{name} has made none", name=behind.name)
    if behind.state:
        less = message("{name} has made {n:,} of them", name=behind.name, n=behind.state)
    made = {
        "ahead": ahead.name,
        "merges": counted("{n} merge", "{n} merges", ahead.state),
        "less": less,
    }
    began = [side.history.vocab_size(0) for side in (ahead, behind)]
    if began[0] == began[1]:
        return "pace", message(
            "A different pace. At this position {ahead} has made {merges}, and {less}.",
            **made,
        )
    return "pace", message(
        "A different pace. At this position {ahead} has made {merges}, and {less}: {ahead} "
        "began with {first:,} tokens, {behind} with {second:,}.",
        **made,
        behind=behind.name,
        first=began[0],
        second=began[1],
    )


def _pair(history: MergeHistory, t: int) -> str:
    record, strings = history.record, history.strings
    return f"“{strings[record.left[t]]}” + “{strings[record.right[t]]}”"


class _Score(NamedTuple):
    """What a run gives a pair: the pair as the run displays it, the score as it is compared, and as
    it is made."""

    pair: str
    value: Fraction
    written: str


def _score(history: MergeHistory, t: int, other: MergeHistory) -> _Score | None:
    """What a run gives, in state t, the pair that the other one merges next; None if that is no
    candidate. Both have made the same t merges."""
    number = {identity: i for i, identity in enumerate(_identities(history, t))}
    theirs, record = _identities(other, t), history.record
    left, right = (
        number.get(theirs[side[t]], -1) for side in (other.record.left, other.record.right)
    )
    pairs, counts = history.pair_counts(t)
    row = np.flatnonzero((record.pair_left[pairs] == left) & (record.pair_right[pairs] == right))
    if not len(row):
        return None
    count = int(counts[row[0]])
    pair = f"“{history.strings[left]}” + “{history.strings[right]}”"
    if not history.likelihood:
        return _Score(pair, Fraction(count), f"{count:,}")
    of = history.symbol_counts(t)
    sides = int(of[left]), int(of[right])
    return _Score(pair, Fraction(count, sides[0] * sides[1]), ratio(count, *sides))


def _takes(name: str, score: _Score, forced: bool = False) -> Message:
    taken = {"name": name, "pair": score.pair, "score": score.written}
    if forced:
        return message("{name} was told to take {pair} with {score}", **taken)
    return message("{name} takes {pair} with {score}", **taken)


def _chosen(history: MergeHistory, t: int, name: str) -> Message:
    # A name that says the rule needs no more than that.
    by = name
    if name == history.rule:
        by = message("“{rule}”", rule=history.rule)
    elif history.rule not in name:
        by = message("“{rule}” ({name})", rule=history.rule, name=name)
    rule = RULES[history.rule]
    if rule.key is None:
        return message(
            "{by} takes {pair}, met first in “{word}”",
            by=by,
            pair=_pair(history, t),
            word=_shown(history, history.met_in(t)),
        )
    return message("{by} takes {pair}, {rule}", by=by, pair=_pair(history, t), rule=rule.help)


def _shown(history: History, word: str) -> str:
    """A word as its run displays it, markers included."""
    whole = reduce(add, history.spelling.split(word[:LONGEST_WORD]))
    return history.spelling.show(whole) + "…" * (len(word) > LONGEST_WORD)
