"""Where two runs part, and why: the first position at which they cut a word differently.

What two runs do alike says little; the first step at which they do not says it all. It is a tie
that two rules break in two ways, or two scores that rank two pairs in two orders, or it was decided
before training, by another pre-tokenizer, unit or seed vocabulary.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tokviz.analysis.alignment import ALWAYS, NEVER, Alignment
from tokviz.analysis.boundaries import Lane, boundaries, first_parting, parted_words, parts
from tokviz.analysis.merge_parting import Side, between_merges, other_words
from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.narration import narrate
from tokviz.text.symbols import Symbol


class Parting(NamedTuple):
    """The first position at which two runs cut a word differently, and the states there.

    `word` is the most frequent such word, in the corpus so many `times`; `left` and `right` are its
    parts. `kind` is the reason in a word, `why` in sentences; `left_said` and `right_said` narrate
    the steps that led there. Kinds: words, unit, start; of two runs of merges tie, score, pairs,
    over, pace, what if, taken back; of two others seeds, prune, probabilities.
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

    def __repr__(self) -> str:
        return short_repr(self)


def parting(found: Alignment, left: Lane, right: Lane, names: tuple[str, str]) -> Parting | None:
    """Where two runs part; None if they never do. `names` are what the sentence calls them.

    >>> import tokviz
    >>> import numpy as np
    >>> from tokviz.analysis.alignment import align
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
    t, u = int(left.states[at]), int(right.states[at])
    place = place_of(found, left.open(t), right.open(u), word, [mine, theirs])
    a = Side(names[0], left.history, t, int(found.left[place]))
    b = Side(names[1], right.history, u, int(found.right[place]))
    kind, why = _reason(a, b, word, int(found.offsets[place]))
    said = narrate(left.history, t), narrate(right.history, u)
    return Parting(at, t, u, word, int(count), mine, theirs, kind, why, *said)


def place_of(
    found: Alignment,
    mine: npt.NDArray[np.bool_],
    theirs: npt.NDArray[np.bool_],
    word: str,
    cut_so: list[list[str]],
) -> int:
    """The first place that only one run cuts, in a unit of this text that they cut so."""
    for unit in np.unique(found.unit_of[mine != theirs]).tolist():
        if found.units[unit] == word:
            places = slice(*found.starts[unit : unit + 2].tolist())
            offsets = found.offsets[places]
            cuts = (tuple(offsets[cut[places]].tolist()) for cut in (mine, theirs))
            if [parts(word, at) for at in cuts] == cut_so:
                return int(places.start + np.argmax(mine[places] != theirs[places]))
    raise SettingError.saying("No unit {word!r} is cut into {cut_so}.", word=word, cut_so=cut_so)


def _reason(a: Side[History], b: Side[History], word: str, offset: int) -> tuple[str, str]:
    if ALWAYS in (a.gap, b.gap):
        cutter, other = (a, b) if a.gap == ALWAYS else (b, a)
        return "words", message(
            "They read different words: for {cutter} a word always ends after “{part}” in "
            "“{word}”; for {other} it does not.",
            cutter=cutter.name,
            part=parts(word, (offset,))[0],
            word=word,
            other=other.name,
        )
    if NEVER in (a.gap, b.gap):
        chars, other = (a, b) if a.gap == NEVER else (b, a)
        return "unit", message(
            "Bytes and characters: {other} starts from the bytes of “{word}”, {chars} from its "
            "characters, which it never cuts.",
            other=other.name,
            word=word,
            chars=chars.name,
        )
    if a.history.merges != b.history.merges:
        merger, pruner = (a, b) if a.history.merges else (b, a)
        return "start", message(
            "They come from opposite ends: {merger} starts from single symbols and merges them, "
            "{pruner} starts from a seed vocabulary and removes tokens.",
            merger=merger.name,
            pruner=pruner.name,
        )
    left, right = a.history, b.history
    if isinstance(left, MergeHistory) and isinstance(right, MergeHistory):
        sides = Side(a.name, left, a.state, a.gap), Side(b.name, right, b.state, b.gap)
        return between_merges(*sides)
    return between_prunings(a, b)


def between_prunings(a: Side[History], b: Side[History]) -> tuple[str, str]:
    """The kind of the reason and the sentence, for two runs that remove tokens."""
    texts = [_texts(side) for side in (a, b)]
    for side, other, missing in ((a, b, texts[1]), (b, a, texts[0])):
        for text in _used(side):
            if text not in missing:
                kind, what = "prune", message("Different tokens are left")
                if a.state == b.state == 0:
                    kind, what = "seeds", message("Different seeds")
                return kind, message(
                    "{what}: “{token}” is a token of {name} here, and not of {other}.",
                    what=what,
                    token=side.history.spelling.show(Symbol(text)),
                    name=side.name,
                    other=other.name,
                )
    mine, theirs = ({s.history.words.words[i] for i in s.words()} for s in (a, b))
    if mine.isdisjoint(theirs):
        return other_words(a, b)
    return "probabilities", message(
        "Both have all of these tokens here, but give them different probabilities."
    )


def _texts(side: Side[History]) -> set[str]:
    """The texts of the vocabulary, spaces included."""
    symbols = side.history.vocab_symbols(side.state)
    return {symbol.text for symbol in symbols if symbol is not None}


def _used(side: Side[History]) -> list[str]:
    """The tokens of the word that has the gap, those next to it first. Unknown characters are
    none."""
    history, number = side.history, side.words()[0]
    first = int(history.gap_spans[0][number])
    word, own = history.words.words[number], _texts(side)
    cuts = np.flatnonzero(history.open_gaps(side.state)[first : first + len(word)]).tolist()
    at = side.gap - first
    spans = sorted(pairwise([*cuts, len(word)]), key=lambda s: max(s[0] - at, at - s[1], 0))
    return [word[start:end] for start, end in spans if word[start:end] in own]
