"""Where two runs part, and why: the first position at which they cut a word differently.

What two runs do alike says little; the first step at which they do not says it all. It is a tie
that two rules break in two ways, or two scores that rank two pairs in two orders, or it was decided
before training, by another pre-tokenizer, unit or seed vocabulary.
"""

from typing import NamedTuple

from tokviz.alignment import ALWAYS, NEVER, Alignment
from tokviz.boundaries import Lane, boundaries, first_parting, parted_words
from tokviz.history import History
from tokviz.merge_history import MergeHistory
from tokviz.narration import narrate
from tokviz.overlap import token_texts
from tokviz.ties import TIE_BREAKS


class Parting(NamedTuple):
    """The first position at which two runs cut a word differently, and the states there.

    `word` is the most frequent such word, in the corpus so many `times`; `left` and `right` are its
    parts. `kind` is the reason in a word, `why` in a sentence; `left_said` and `right_said` narrate
    the steps that led there.
    """

    position: int
    left_state: int
    right_state: int
    word: str
    times: int
    left: list[str]
    right: list[str]
    kind: str
    why: str
    left_said: str
    right_said: str


def parting(found: Alignment, left: Lane, right: Lane, names: tuple[str, str]) -> Parting | None:
    """Where two runs part; None if they never do. `names` are what the sentence calls them.

    >>> import tokviz
    >>> import numpy as np
    >>> from tokviz.alignment import align
    >>> words, rules = {"ab": 2, "cd": 2}, ("first-seen", "largest-pair")
    >>> runs = [tokviz.train(words, "bpe", 5, tie_break=rule) for rule in rules]
    >>> found, states = align(runs)[0, 1], np.arange(2)
    >>> lanes = Lane(runs[0], states, found.left), Lane(runs[1], states, found.right)
    >>> where = parting(found, *lanes, rules)
    >>> where.position, where.word, where.left, where.right, where.kind
    (1, 'ab', ['ab'], ['a', 'b'], 'tie')
    >>> where.why.split(". ")[1]
    'From the start, 2 pairs are counted 2 times'
    """
    at = first_parting(boundaries(found, left, right))
    if at is None:
        return None
    word, count, mine, theirs = parted_words(found, left, right, at, 1).iloc[0].tolist()[:4]
    states = int(left.states[at]), int(right.states[at])
    kind, why = _reason(found, left, right, at, names, word, mine, theirs)
    return Parting(
        at, *states, word, count, mine, theirs, kind, why,
        narrate(left.history, states[0]), narrate(right.history, states[1]),
    )  # fmt: skip


def _reason(
    found: Alignment,
    left: Lane,
    right: Lane,
    at: int,
    names: tuple[str, str],
    word: str,
    mine: list[str],
    theirs: list[str],
) -> tuple[str, str]:
    t, u = int(left.states[at]), int(right.states[at])
    cuts = left.open(t) != right.open(u)
    unit = next(i for i in found.unit_of[cuts].tolist() if found.units[i] == word)
    place = next(i for i in range(*found.starts[unit : unit + 2].tolist()) if cuts[i])
    gaps = int(found.left[place]), int(found.right[place])
    if ALWAYS in gaps:
        cutter, other = names if gaps[0] == ALWAYS else names[::-1]
        return "words", (
            f"They read other words: the pre-tokenizer of {cutter} always cuts “{word}” there, "
            f"that of {other} does not."
        )
    if NEVER in gaps:
        chars, other = names if gaps[0] == NEVER else names[::-1]
        return "unit", (
            f"Bytes and characters: {other} starts from the bytes of “{word}”, {chars} from its "
            "characters, which it never cuts."
        )
    a, b = left.history, right.history
    if isinstance(a, MergeHistory) and isinstance(b, MergeHistory):
        return _between_merges(a, b, t, u, names)
    if isinstance(a, MergeHistory) or isinstance(b, MergeHistory):
        merging, pruning = names if isinstance(a, MergeHistory) else names[::-1]
        return "start", (
            f"They come from opposite ends: {merging} starts from single symbols and merges them, "
            f"{pruning} starts from a seed vocabulary and removes tokens."
        )
    return _between_prunings(a, b, t, u, names, (mine, theirs))


# --- two runs of merges ---------------------------------------------------------------------------


def _between_merges(
    a: MergeHistory, b: MergeHistory, t: int, u: int, names: tuple[str, str]
) -> tuple[str, str]:
    made, others = _merges(a, t), _merges(b, u)
    same = next((i for i, (x, y) in enumerate(zip(made, others, strict=False)) if x != y), None)
    if same is None:
        return _one_is_ahead(a, b, t, u, names)
    before = {0: "From the start", 1: "After one merge that both made"}.get(
        same, f"After {same:,} merges that both made"
    )
    mine, theirs = _pair(a, same), _pair(b, same)
    counts = _count_in(a, same, b), _count_in(b, same, a)
    if None in counts:
        return "pairs", (
            f"{before} they see other pairs: {names[0]} takes {mine}, {_by(a)}, and {names[1]} "
            f"takes {theirs}, {_by(b)}."
        )
    own, their = int(a.record.top_count[same, 0]), int(b.record.top_count[same, 0])
    if a.likelihood != b.likelihood:
        return "score", (
            f"Two scores. {before}, {mine} is counted {_times(own)} and {theirs} {_times(their)}: "
            f"{names[0]} takes {mine}, {_by(a)}, and {names[1]} takes {theirs}, {_by(b)}."
        )
    if own == their and a.rule != b.rule:
        tied = int(a.record.tied[same])
        return "tie", (
            f"A tie. {before}, {tied:,} pairs are counted {_times(own)}. "
            f"{_chosen(a, same, names[0])}; {_chosen(b, same, names[1])}."
        )
    return "pairs", (
        f"{before} {names[0]} takes {mine}, counted {_times(own)}, and {names[1]} takes {theirs}, "
        f"counted {_times(their)}."
    )


def _merges(history: MergeHistory, t: int) -> list[tuple[object, object]]:
    symbols, record = history.symbols, history.record
    pairs = zip(record.left[:t].tolist(), record.right[:t].tolist(), strict=True)
    return [(symbols[left], symbols[right]) for left, right in pairs]


def _one_is_ahead(
    a: MergeHistory, b: MergeHistory, t: int, u: int, names: tuple[str, str]
) -> tuple[str, str]:
    ahead, behind = names if t > u else names[::-1]
    history, state = (b, u) if t > u else (a, t)
    if state == len(history):
        return "over", f"The training of {behind} is over: {history.stopped}"
    return "pace", (
        f"{ahead} is ahead: at this position it has made {_merges_in(max(t, u))}, {behind} "
        f"{_merges_in(min(t, u))}."
    )


def _merges_in(state: int) -> str:
    return {0: "none", 1: "1 merge"}.get(state, f"{state:,} merges")


def _pair(history: MergeHistory, step: int) -> str:
    record, strings = history.record, history.strings
    return f"“{strings[record.left[step]]}” + “{strings[record.right[step]]}”"


def _count_in(history: MergeHistory, t: int, other: MergeHistory) -> int | None:
    """How often a run counts, in state t, the pair that the other one merges next; None if it does
    not know that pair."""
    record = other.record
    wanted = tuple(other.symbols[side[t]] for side in (record.left, record.right))
    pairs, counts = history.pair_counts(t)
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        sides = (history.record.pair_left[pair], history.record.pair_right[pair])
        if tuple(history.symbols[side] for side in sides) == wanted:
            return int(count)
    return None


def _by(history: MergeHistory) -> str:
    return "of the greatest likelihood" if history.likelihood else "the most frequent"


def _chosen(history: MergeHistory, step: int, name: str) -> str:
    said = f"“{history.rule}” ({name}) takes {_pair(history, step)}, "
    if TIE_BREAKS[history.rule].key is None:
        return f"{said}met first in “{history.met_in(step)}”"
    return said + TIE_BREAKS[history.rule].help


def _times(n: int) -> str:
    return "once" if n == 1 else f"{n:,} times"


# --- two runs of prunings -------------------------------------------------------------------------


def _between_prunings(
    a: History,
    b: History,
    t: int,
    u: int,
    names: tuple[str, str],
    parts: tuple[list[str], list[str]],
) -> tuple[str, str]:
    texts = [set(token_texts(history, state)) for history, state in ((a, t), (b, u))]
    for name, other, missing, used in (
        (names[0], names[1], texts[1], parts[0]),
        (names[1], names[0], texts[0], parts[1]),
    ):
        for part in used:
            if part.encode("utf-8", "surrogatepass") not in missing:
                what = "Other seeds" if t == u == 0 else "Other tokens are left"
                return ("seeds" if t == u == 0 else "prune"), (
                    f"{what}: “{part}” is a token of {name} here, and not of {other}."
                )
    return "probabilities", (
        "Both have all these tokens here; the probabilities that they give them differ."
    )
