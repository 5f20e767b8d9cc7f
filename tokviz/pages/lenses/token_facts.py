"""The texts and numbers of the lens "A token"; nothing is drawn here."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from tokviz.basics.messages import _, _n, sentences
from tokviz.basics.messages import here as said_here
from tokviz.encoding.faces import drawn
from tokviz.history.base import History
from tokviz.history.steps import MergeStep
from tokviz.history.token_life import Scaffolding, TokenLife
from tokviz.player.chips import chip

#: Most tokens that are suggested when the typed one does not exist.
MOST_OFFERED = 8


class Fact(NamedTuple):
    """A name, its value in HTML, and an explanation."""

    name: str
    value: str
    note: str


class State:
    """A state of a history, with its tokenizer and ids."""

    def __init__(self, history: History, t: int) -> None:
        self.history, self.t = history, t
        self.tokenizer = history.tokenizer(t)
        self.ids = {token: i for i, token in enumerate(self.tokenizer.strings)}

    @cached_property
    def scaffolding(self) -> Scaffolding:
        """The unused tokens of the vocabulary."""
        return self.history.scaffolding(self.t)

    def chip(self, token: str) -> str:
        """Return the HTML of a token's chip."""
        i = self.ids.get(token)
        # What it was made of may have been taken back.
        symbol = self.history.symbol_of(token) if i is None else self.tokenizer.symbols[i]
        return chip(self.tokenizer.spelling, token, symbol, self.history.colour(token))

    def text_bytes(self, token: str) -> bytes:
        """Return the bytes that a token stands for."""
        return self.tokenizer.text_bytes(self.ids[token])


@dataclass(frozen=True)
class TokenProfile:
    """A token's life, and the steps that made it. There is at most one step, except for a special
    token whose string a merge made again."""

    life: TokenLife
    makings: tuple[MergeStep, ...]
    special: bool

    @property
    def token(self) -> str:
        """The token as displayed."""
        return self.life.token

    @cached_property
    def events(self) -> dict[str, int]:
        """The states in which the token is made, falls out of use, or is removed."""
        life = self.life
        found = {"made": life.born, "out of use": life.unused_from, "gone": life.gone}
        return {what: state for what, state in found.items() if state is not None}

    @cached_property
    def peak(self) -> tuple[int, int]:
        """The token's greatest count, and the first state with it."""
        at = int(np.argmax(self.life.counts))
        return int(self.life.counts[at]), at

    @property
    def curve_said(self) -> str:
        """A description of the token's curve, in the language of the page."""
        counts, (most, at) = self.life.counts, self.peak
        said = _n(
            "The count of {token} in {n} state: {first:,} before training, at most {most:,} "
            "({when}), {last:,} at the end.",
            "The count of {token} over {n} states: {first:,} before training, at most {most:,} "
            "({when}), {last:,} at the end.",
            len(counts),
            token=drawn(self.token[:60]),
            first=int(counts[0]),
            most=most,
            when=when(at),
            last=int(counts[-1]),
        )
        happened = [
            _("{what}: {when}", what=_(what), when=when(state))
            for what, state in self.events.items()
        ]
        return (
            said_here(sentences(said, _("{events}.", events=_("; ").join(happened))))
            if happened
            else said
        )


def when(t: int) -> str:
    """Name a state by the step before it.

    >>> when(0), when(1200)
    ('before training', 'step 1,200')
    """
    return _("step {n:,}", n=t) if t else _("before training")


# --- finding a token ------------------------------------------------------------------------------


def present_token(history: History, t: int) -> str | None:
    """Return the token of a step: the one made by the step into state t (in state 0, by the next
    step); or the last one that the next round removes, or that the last round removed, or the first
    candidate. None for an empty run.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> [present_token(history, t) for t in range(3)]
    ['ug', 'ug', 'hug']
    """
    step = history.steps[max(0, t - 1)] if len(history) else None
    if isinstance(step, MergeStep):
        return step.token
    for number in (t, t - 1):
        if not 0 <= number < len(history):
            continue
        if removed := getattr(history.steps[number], "removed", ()):
            return str(removed[-1])
    candidates = history.candidates(t, 1)
    if len(candidates):
        return str(candidates["token"].iloc[0])
    return next(reversed(history.vocab(t)), None)


def find(history: History, typed: str) -> tuple[str | None, list[str]]:
    """Return the token that a typed text means: the one displayed so in any state, or the only one
    with that text. If there is none, return None and similar tokens.

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
    # Merges remove no token, and Unigram adds none that was not a seed.
    for tokenizer in map(history.tokenizer, sorted({0, len(history)})):
        texts |= {token: tokenizer.text_bytes(i) for i, token in enumerate(tokenizer.strings)}
    # What was taken back may be in neither.
    for token, symbol in history.taken_back.items():
        texts.setdefault(token, history.spelling.bytes_of(symbol))
    data = typed.encode("utf-8", "surrogatepass")
    shown = [token for token in texts if "⟨U+" in typed and drawn(token) == typed]
    same = [token for token, text in texts.items() if text == data]
    for found in (shown, same):
        if len(found) == 1:
            return found[0], []
    near = [token for token, text in texts.items() if data in text or typed in token]
    near.sort(key=lambda token: (texts[token] != data, not token.startswith(typed), len(token)))
    return None, near[:MOST_OFFERED]


def profile_of(history: History, token: str) -> TokenProfile:
    """Return what is known of a token. Raises KeyError if it never was in the vocabulary.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> profile = profile_of(history, "ug")
    >>> [(step.left, step.right, step.count) for step in profile.makings], profile.events
    ([('u', 'g', 15)], {'made': 1})
    """
    makings = tuple(history.makings(token))
    return TokenProfile(history.life(token), makings, token in history.special_tokens)


# --- texts ----------------------------------------------------------------------------------------


def facts(here: State, home: State, profile: TokenProfile) -> list[Fact]:
    """Return the facts about a token in state `here`; `home` is a state whose vocabulary has it."""
    life, t, (most, at) = profile.life, here.t, profile.peak
    number = here.ids.get(profile.token)
    peak = "0"
    if most:
        peak = (
            _("{count:,}, first in {when}", count=most, when=when(at))
            if at
            else _("{count:,}, {when}", count=most, when=when(at))
        )
    return [
        Fact(
            _("id now"),
            _("not in this state’s vocabulary") if number is None else f"{number:,}",
            _("Its place in the vocabulary of this state ({when}), counted from 0.", when=when(t)),
        ),
        Fact(
            _("count now"),
            f"{life.counts[t]:,}",
            _("How often the corpus, as cut in this state ({when}), uses it.", when=when(t)),
        ),
        *_origin(home, profile),
        Fact(_("in the vocabulary"), _there(profile), _("The states whose vocabulary has it.")),
        Fact(_("in use"), _in_use(profile), _("Until its count falls to 0 for good.")),
        Fact(_("at most"), peak, _("Its greatest count in all states, and the first of them.")),
    ]


def _origin(home: State, profile: TokenProfile) -> list[Fact]:
    found = []
    for step in profile.makings:
        n, pair = step.step, f"{home.chip(step.left)} + {home.chip(step.right)}"
        made = (
            _("step {n:,} from {pair}", n=n, pair=pair)
            if step.grows
            else _(
                "step {n:,} from {pair}; a token with this text was there before", n=n, pair=pair
            )
        )
        count = f"{step.count:,}"
        if step.times != step.count:
            # aaa contains the pair a a twice, but only one can be merged.
            count = _n(
                "{count}, joined once where they overlap",
                "{count}, joined {n} times where they overlap",
                step.times,
                count=f"{step.count:,}",
            )
        beside = _("How often the two stood side by side before step {n:,}.", n=n)
        found += [
            Fact(_("made by"), made, _("The step’s choice.")),
            Fact(_("pair’s count"), count, beside),
        ]
    if found:
        return found
    said = _("there from the start")
    if profile.special:
        said = _("no step: it is a special token")
    elif not home.history.merges:
        said = _("a seed, there from the start")
    return [Fact(_("made by"), said, _("No step made it."))]


def _there(profile: TokenProfile) -> str:
    present = np.concatenate([[0], profile.life.present.astype(np.int8), [0]])
    bounds = np.flatnonzero(np.diff(present)).reshape(-1, 2).tolist()
    spans = [_span(first, after, len(present) - 2) for first, after in bounds]
    return _(", again ").join(spans)


def _span(first: int, after: int, last: int) -> str:
    """Describe the states from `first` to the one before `after`."""
    if after < last:
        if first:
            return _("from step {first:,} until step {n:,} takes it out", first=first, n=after)
        return _("from the start until step {n:,} takes it out", n=after)
    return _("from step {n:,} to the end", n=first) if first else _("from the start to the end")


def _in_use(profile: TokenProfile) -> str:
    life = profile.life
    if not profile.peak[0]:
        return _("never")
    if life.unused_from is not None:
        return _("out of use from step {n:,} on", n=life.unused_from)
    return _("to the end") if life.gone is None else _("as long as it is there")


def paid(profile: TokenProfile) -> str:
    """Return the caption of the table of words that use a token."""
    words, counts = profile.life.words, profile.life.counts
    if words.empty:
        return (
            _("No word ever uses a special token.")
            if profile.special
            else _("No word ever uses it.")
        )
    first = int(np.argmax(counts > 0))
    used = int(counts[first])
    if first:
        return _n(
            "In step {step:,}, the first in which it is used, {n} word uses it: {count:,} in "
            "all (count × times).",
            "In step {step:,}, the first in which it is used, {n} words use it: {count:,} in "
            "all (count × times).",
            len(words),
            step=first,
            count=used,
        )
    return _n(
        "Before training, {n} word uses it: {count:,} in all (count × times).",
        "Before training, {n} words use it: {count:,} in all (count × times).",
        len(words),
        count=used,
    )


def as_word(history: History, word: str) -> str:
    """Return a word of the corpus as it is displayed, with the marker in place of a space.

    >>> import tokviz
    >>> as_word(tokviz.train("a é", "bpe", 4, "gpt2", unit="byte"), " é")
    'Ġé'
    """
    spelling = history.spelling
    if spelling.unit == "byte":
        return word.replace("Ġ", "⟨Ġ⟩").replace(" ", "Ġ")
    return spelling.show(spelling.whole(word))


def scaffolding_said(state: State) -> tuple[str, list[str], list[str]]:
    """Return a sentence in HTML about the unused tokens of a vocabulary, those tokens, and the
    unused special tokens."""
    found, size = state.scaffolding, len(state.ids)
    special = set(found.special)
    plain = [token for token in found.tokens if token not in special]
    if not found.tokens:
        return (
            _n(
                "The only token of this state is in some word as the words are cut now.",
                "All <b>{n}</b> tokens of this state are in some word as the words are cut now.",
                size,
            ),
            [],
            [],
        )
    said = _n(
        "<b>{n} of {all:,}</b> tokens ({share:.1f} %) is in no word as the words are cut now.",
        "<b>{n} of {all:,}</b> tokens ({share:.1f} %) are in no word as the words are cut now.",
        len(found.tokens),
        all=size,
        share=100 * float(found.share),
    )
    # `here` is a state in this module, so the function has another name.
    return said_here(sentences(said, _why_unused(state.history))), plain, found.special


def _why_unused(history: History) -> str:
    """Return a sentence on what training does with tokens that no word uses."""
    if history.removals.any():
        return _(
            "{algorithm} takes back tokens that were only needed to make longer ones; characters "
            "stay.",
            algorithm=history.trainer.label,
        )
    if history.merges:
        return _("Merging keeps tokens that were only needed to make longer ones.")
    return _("Pruning removes such tokens first; characters stay.")
