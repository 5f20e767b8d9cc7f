"""What the lens "A token" says, in words and numbers: no widgets."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tokviz.faces import drawn
from tokviz.history import History, MergeStep
from tokviz.merge_history import MergeHistory
from tokviz.player.chips import chip
from tokviz.token_life import Scaffolding, TokenLife

#: Tokens that are offered in place of one that is not there.
MOST_OFFERED = 8


class Fact(NamedTuple):
    """A name, a value in HTML, and where the value comes from."""

    name: str
    value: str
    note: str


class State:
    """One state of a history, with what all parts of the lens ask of it."""

    def __init__(self, history: History, t: int) -> None:
        self.history, self.t = history, t
        self.tokenizer = history.tokenizer(t)
        self.ids = {token: i for i, token in enumerate(self.tokenizer.strings)}

    @cached_property
    def scaffolding(self) -> Scaffolding:
        """What the vocabulary holds unused."""
        return self.history.scaffolding(self.t)

    def chip(self, token: str) -> str:
        """A token of this state as a chip."""
        symbol = self.tokenizer.symbols[self.ids[token]]
        return chip(self.tokenizer.spelling, token, symbol)

    def text_bytes(self, token: str) -> bytes:
        """The bytes that a token of this state stands for."""
        return self.tokenizer.text_bytes(self.ids[token])


@dataclass(frozen=True)
class Fate:
    """A token's life, and the steps that made it, each from another pair (at most one, but for a
    special token whose string a merge made again)."""

    life: TokenLife
    makings: tuple[MergeStep, ...]
    special: bool

    @property
    def token(self) -> str:
        """The token as displayed."""
        return self.life.token

    @cached_property
    def events(self) -> dict[str, int]:
        """The states in which something happens to it."""
        life = self.life
        found = {"made": life.born, "out of use": life.unused_from, "gone": life.gone}
        return {what: state for what, state in found.items() if state is not None}

    @cached_property
    def peak(self) -> tuple[int, int]:
        """Its greatest count, and the first state that has it."""
        at = int(np.argmax(self.life.counts))
        return int(self.life.counts[at]), at

    @cached_property
    def curve_said(self) -> str:
        """Its curve in words."""
        counts, (most, at) = self.life.counts, self.peak
        last = f"{counts[-1]:,} at the end"
        happened = "; ".join(f"{what}: {when(state)}" for what, state in self.events.items())
        return (
            f"The count of {drawn(self.token[:60])} over {len(counts):,} states: {counts[0]:,} "
            f"before training, at most {most:,} ({when(at)}), {last}. {happened}."
        )


def when(t: int) -> str:
    """A state by the step that led to it.

    >>> when(0), when(1200)
    ('before training', 'step 1,200')
    """
    return f"step {t:,}" if t else "before training"


# --- which token ----------------------------------------------------------------------------------


def present_token(history: History, t: int) -> str | None:
    """The token of a step: the one that the step into state t made, in state 0 the one that the
    next step makes; the last that it removed, or the first candidate. None for an empty run.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> [present_token(history, t) for t in range(3)]
    ['ug', 'ug', 'hug']
    """
    step = history.steps[max(0, t - 1)] if len(history) else None
    if isinstance(step, MergeStep):
        return step.token
    if t and (removed := getattr(step, "removed", ())):
        return str(removed[-1])
    candidates = history.candidates(t, 1)
    if len(candidates):
        return str(candidates["token"].iloc[0])
    return next(reversed(history.vocab(t)), None)


def find(history: History, typed: str) -> tuple[str | None, list[str]]:
    """The token that somebody means: the one so displayed, in whatever state, else the only one
    whose text that is. None if there is none, with tokens that are near.

    >>> import tokviz
    >>> history = tokviz.train("a tea at ten", "bpe", 9, "gpt2", unit="byte")
    >>> find(history, "Ġt"), find(history, " t"), find(history, "zz")
    (('Ġt', []), ('Ġt', []), (None, []))
    """
    try:
        history.present(typed)
    except KeyError:
        pass
    else:
        return typed, []
    texts: dict[str, bytes] = {}
    # Merges take no token out, and Unigram puts none in that was no seed.
    for tokenizer in map(history.tokenizer, sorted({0, len(history)})):
        texts |= {token: tokenizer.text_bytes(i) for i, token in enumerate(tokenizer.strings)}
    data = typed.encode("utf-8", "surrogatepass")
    shown = [token for token in texts if "⟨U+" in typed and drawn(token) == typed]
    same = [token for token, text in texts.items() if text == data]
    for found in (shown, same):
        if len(found) == 1:
            return found[0], []
    near = [token for token, text in texts.items() if data in text or typed in token]
    near.sort(key=lambda token: (texts[token] != data, not token.startswith(typed), len(token)))
    return None, near[:MOST_OFFERED]


def fate_of(history: History, token: str) -> Fate:
    """The fate of a token. Raises KeyError for a string that never was in the vocabulary.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> fate = fate_of(history, "ug")
    >>> [(step.left, step.right, step.count) for step in fate.makings], fate.events
    ([('u', 'g', 15)], {'made': 1})
    """
    makings: list[MergeStep] = []
    if isinstance(history, MergeHistory):
        number = history.vocab(len(history)).index(token)
        symbols = np.flatnonzero(history.symbol_ids == number) - len(history.record.alphabet)
        steps = [history.steps[t] for t in symbols.tolist() if t >= 0]
        makings = [step for step in steps if isinstance(step, MergeStep)]
    return Fate(history.life(token), tuple(makings), token in history.special_tokens)


# --- what is said ---------------------------------------------------------------------------------


def facts(here: State, home: State, fate: Fate) -> list[Fact]:
    """What is known of a token as of a state; `home` is a state that has it."""
    life, t, (most, at) = fate.life, here.t, fate.peak
    number = here.ids.get(fate.token)
    found = [
        Fact(
            "id now",
            "not in this state’s vocabulary" if number is None else f"{number:,}",
            f"Its place in the vocabulary of this state ({when(t)}), counted from 0.",
        ),
        Fact(
            "count now",
            f"{life.counts[t]:,}",
            f"How often the corpus, as cut in this state ({when(t)}), uses it.",
        ),
        *_origin(home, fate),
        Fact("there", _there(fate), "The states whose vocabulary has it."),
        Fact("in use", _in_use(fate), "Until its count falls to 0 for good."),
    ]
    peak = f"{most:,}, {'first in ' if at else ''}{when(at)}" if most else "0"
    return [
        *found,
        Fact("at most", peak, "Its greatest count in all states, and the first of them."),
    ]


def _origin(home: State, fate: Fate) -> list[Fact]:
    found = []
    for step in fate.makings:
        pair = f"{home.chip(step.left)} + {home.chip(step.right)}"
        again = "" if step.grows else ", its string was there before"
        count = f"{step.count:,}"
        if step.times != step.count:
            # aaa holds the pair a a twice, and can be joined once.
            count += f", joined {step.times:,} times where they overlap"
        found += [
            Fact("made by", f"step {step.index + 1:,} from {pair}{again}", "The step’s choice."),
            Fact(
                "pair’s count",
                count,
                f"How often the two stood side by side before step {step.index + 1:,}.",
            ),
        ]
    if found:
        return found
    said = "there from the start"
    if fate.special:
        said = "nobody: a special token"
    elif not isinstance(home.history, MergeHistory):
        said = "a seed, there from the start"
    return [Fact("made by", said, "No step made it.")]


def _there(fate: Fate) -> str:
    present = np.concatenate([[0], fate.life.present.astype(np.int8), [0]])
    bounds = np.flatnonzero(np.diff(present)).reshape(-1, 2).tolist()
    spans = []
    for first, after in bounds:
        start = f"from step {first:,}" if first else "from the start"
        end = f"until step {after:,} takes it out" if after < len(present) - 2 else "to the end"
        spans.append(f"{start} {end}")
    return ", again ".join(spans)


def _in_use(fate: Fate) -> str:
    life = fate.life
    if not fate.peak[0]:
        return "never"
    if life.unused_from is not None:
        return f"out of use from step {life.unused_from:,} on"
    return "to the end" if life.gone is None else "as long as it is there"


def paid(fate: Fate) -> str:
    """What the table of the words that paid for a token shows."""
    words, counts = fate.life.words, fate.life.counts
    if words.empty:
        return (
            "No word is ever cut into a special token."
            if fate.special
            else "No word is ever cut into it."
        )
    first = int(np.argmax(counts > 0))
    many = f"{len(words):,} words use" if len(words) > 1 else "1 word uses"
    start = f"In step {first:,}, the first with it in use" if first else "Before training"
    return f"{start}, {many} it: {counts[first]:,} in all (count × times)."


def as_word(history: History, word: str) -> str:
    """A word of the corpus as people read it, a space as its marker.

    >>> import tokviz
    >>> as_word(tokviz.train("a é", "bpe", 4, "gpt2", unit="byte"), " é")
    'Ġé'
    """
    spelling = history.spelling
    if spelling.unit == "byte":
        return word.replace("Ġ", "⟨Ġ⟩").replace(" ", "Ġ")
    return spelling.show(spelling.whole(word))


def scaffolding_said(state: State) -> tuple[str, list[str], list[str]]:
    """How much of a vocabulary is not used, in HTML; those tokens, and the special ones."""
    found, size = state.scaffolding, len(state.ids)
    special = set(found.special)
    plain = [token for token in found.tokens if token not in special]
    if not found.tokens:
        return f"All <b>{size:,}</b> tokens of this state are in some word as cut now.", [], []
    share = f"{100 * float(found.share):.1f} %"
    said = f"<b>{len(found.tokens):,} of {size:,}</b> tokens ({share}) are in no word as cut now."
    if isinstance(state.history, MergeHistory):
        said += " Merges keep what was only a part of longer tokens."
    else:
        said += " Pruning takes such tokens out first; characters stay."
    return said, plain, found.special
