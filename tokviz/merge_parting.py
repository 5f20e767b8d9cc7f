"""Why two runs of merges part: the first merge that they do not share.

Symbols of two runs are the same if they are the same letter with the same markers, or what the same
step of both made. So a space that one run spells as a byte is that of the other, and `##s` is not
`s`.
"""

from fractions import Fraction
from functools import reduce
from operator import add
from typing import NamedTuple, TypeAlias

import numpy as np

from tokviz.history import History
from tokviz.merge_history import MergeHistory
from tokviz.narration.merges import LONGEST_WORD, ratio
from tokviz.replay_history import ReplayHistory
from tokviz.ties import TIE_BREAKS

#: A letter: its bytes and whether it continues and ends a word; or the step that made a symbol.
_Identity: TypeAlias = tuple[bytes, bool, bool] | int


class Side(NamedTuple):
    """One of two runs: what a sentence calls it, its state where they part, and its gap at the
    place that only one of them cuts."""

    name: str
    history: History
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


def other_words(a: Side, b: Side) -> tuple[str, str]:
    """Where the same text is a part of different words."""
    mine, theirs = (_shown(s.history, s.history.words.words[s.words()[0]]) for s in (a, b))
    return "words", (
        f"They read other words: what is “{mine}” to {a.name} is “{theirs}” to {b.name}."
    )


def between_merges(a: Side, b: Side) -> tuple[str, str]:
    """The kind of the reason and the sentence, for two runs of merges.

    >>> import tokviz
    >>> run = tokviz.train({"ab": 3, "cd": 2}, "bpe", 5)
    >>> between_merges(Side("one", run, 0, 1), Side("other", run, 1, 1))
    ('pace', 'Another pace. At this position other has made 1 merge, and one has made none.')
    """
    left, right = a.history, b.history
    assert isinstance(left, MergeHistory)
    assert isinstance(right, MergeHistory)
    t = _shared(left, right, min(a.state, b.state))
    if a.cuts(t) != b.cuts(t):
        # The same merges cut the same word in the same way.
        return other_words(a, b)
    before = {0: "From the start", 1: "After one merge that both made"}.get(
        t, f"After {t:,} merges that both made"
    )
    if t == min(a.state, b.state):
        return _ahead(a, b, before) if a.state > b.state else _ahead(b, a, before)
    if isinstance(left, ReplayHistory) or isinstance(right, ReplayHistory):
        taken = (f"{s.name} takes {_pair(h, t)}" for s, h in ((a, left), (b, right)))
        return "file", (
            f"Merges of a file. {before}, {' and '.join(taken)}. A file's merges come in the order "
            "of their ranks, whatever this text counts."
        )
    first_a, first_b = _score(left, t, left), _score(right, t, right)
    other_a, other_b = _score(left, t, right), _score(right, t, left)
    assert first_a
    assert first_b
    forced_a, forced_b = left.merged_rank(t) > 1, right.merged_rank(t) > 1
    if forced_a or forced_b:
        taken = (
            f"{side.name} {'was told to take' if forced else 'takes'} {first.pair} with "
            f"{first.written}"
            for side, forced, first in ((a, forced_a, first_a), (b, forced_b, first_b))
        )
        return "what if", f"What if. {before}, {' and '.join(taken)}."
    takes_a = f"{a.name} takes {first_a.pair} with {first_a.written}"
    takes_b = f"{b.name} takes {first_b.pair} with {first_b.written}"
    if other_a is None or other_b is None:
        missing = [f"{a.name} has no {first_b.pair}"] * (other_a is None)
        missing += [f"{b.name} has no {first_a.pair}"] * (other_b is None)
        return "pairs", f"Other pairs. {before}, {takes_a}, and {takes_b}; {', '.join(missing)}."
    if first_a.value == other_a.value and first_b.value == other_b.value:
        tied = int(left.record.tied[t])
        tie = f"{tied:,} pairs are counted {_times(int(left.record.top_count[t, 0]))}"
        if left.likelihood or first_a.value != first_b.value or tied != right.record.tied[t]:
            tie = f"{first_a.pair} and {first_b.pair} tie"
            tie += f", {a.name} has {first_a.written} and {b.name} {first_b.written}"
        chosen = f"{_chosen(left, t, a.name)}; {_chosen(right, t, b.name)}"
        return "tie", f"A tie. {before}, {tie}. {chosen}."
    kind, what = "pairs", "Other counts"
    if left.likelihood != right.likelihood:
        kind, what = "score", "Two scores"
    return kind, (
        f"{what}. {before}, {takes_a} over {other_a.pair} with {other_a.written}, and {takes_b} "
        f"over {other_b.pair} with {other_b.written}."
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
        merges.append([(same[left], same[right]) for left, right in pairs])
    differ = (i for i, (mine, theirs) in enumerate(zip(*merges, strict=True)) if mine != theirs)
    return next(differ, t)


def _ahead(ahead: Side, behind: Side, before: str) -> tuple[str, str]:
    if behind.state == len(behind.history):
        return "over", f"{before}, the training of {behind.name} is over. {behind.history.stopped}"
    merges = "1 merge" if ahead.state == 1 else f"{ahead.state:,} merges"
    of_them = f"{behind.state:,} of them" if behind.state else "none"
    began = [side.history.vocab_size(0) for side in (ahead, behind)]
    why = ""
    if began[0] != began[1]:
        why = f": {ahead.name} began with {began[0]:,} tokens, {behind.name} with {began[1]:,}"
    return "pace", (
        f"Another pace. At this position {ahead.name} has made {merges}, and {behind.name} has "
        f"made {of_them}{why}."
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


def _chosen(history: MergeHistory, t: int, name: str) -> str:
    # A name that says the rule needs no more than that.
    by = name if history.rule in name else f"“{history.rule}” ({name})"
    if name == history.rule:
        by = f"“{name}”"
    rule = TIE_BREAKS[history.rule]
    if rule.key is None:
        return (
            f"{by} takes {_pair(history, t)}, met first in “{_shown(history, history.met_in(t))}”"
        )
    return f"{by} takes {_pair(history, t)}, {rule.help}"


def _shown(history: History, word: str) -> str:
    """A word as its run displays it, markers included."""
    whole = reduce(add, history.spelling.split(word[:LONGEST_WORD]))
    return history.spelling.show(whole) + "…" * (len(word) > LONGEST_WORD)


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"
