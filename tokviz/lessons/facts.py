"""Facts: what a lesson may say of its runs, in words of the lesson, worked out where it stands.

A fact stands in braces, `{next pair}`; some need to know of what, `{cut of hugs}`, and that may be
another fact, `{cut of the longest word}`; one lane's is `{new token in lane 2}`. Facts that count
bring their noun along, so that no sentence says "1 merges". What a text does not have is Absent.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias

from tokviz.history import History, MergeStep, PruneStep, Step
from tokviz.language import Message, counted, message
from tokviz.lessons.moments import Absent
from tokviz.merge_history import MergeHistory
from tokviz.samples import SAMPLES
from tokviz.unigram_history import UnigramHistory


class Chip(NamedTuple):
    """A token of a lane, by its string as displayed."""

    lane: int
    token: str


class Quoted(NamedTuple):
    """A piece of somebody's text, which is shown as it is."""

    text: str


Part: TypeAlias = str | Chip | Quoted


class Scenery(NamedTuple):
    """What facts are asked of: the lanes, the state of each, and the text before it was cut."""

    histories: Sequence[History]
    states: Sequence[int]


class Asked(NamedTuple):
    """One lane at its state, and of what the fact is asked ("" for none)."""

    history: History
    t: int
    lane: int
    of: str


class Fact(NamedTuple):
    """What a fact says (`help`, for the documentation), and of what it is asked, "" for nothing."""

    of: str
    help: str
    tell: Callable[[Asked], Sequence[Part]]


FACTS: dict[str, Fact] = {}
_BRACES = re.compile(r"\{([^{}]+)\}")
_NAME = re.compile(r"(?P<name>[a-z -]+?)(?: of (?P<of>.+?))?(?: in lane (?P<lane>[1-4]))?", re.S)
#: Tokens that are named one by one.
MOST_NAMED = 24


def fact(name: str, help: str, of: str = "") -> Callable[..., Callable[[Asked], Sequence[Part]]]:
    """Registers a fact under its name."""

    def register(tell: Callable[[Asked], Sequence[Part]]) -> Callable[[Asked], Sequence[Part]]:
        FACTS[name] = Fact(of, help, tell)
        return tell

    return register


def names_in(text: str) -> list[str]:
    """The facts that a text asks for, by name.

    >>> names_in("{next pair} in lane 2: {cut of hugs in lane 2}, {cut of the longest word}")
    ['next pair', 'cut', 'cut', 'longest word']
    """
    found = []
    for asked in _BRACES.findall(text):
        name, of, _lane = _read(asked)
        found.append(name)
        if of.startswith("the "):
            found.append(of.removeprefix("the "))
    return found


def _read(asked: str) -> tuple[str, str, int]:
    read = _NAME.fullmatch(asked)
    if read is None:
        return asked, "", 0
    return read["name"], read["of"] or "", int(read["lane"] or 1) - 1


def filled(text: str, scenery: Scenery) -> list[Part]:
    """A sentence with its facts told. Raises Absent if this run has not got one of them.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5, "hugs": 5}, "bpe", vocab_size=7)
    >>> filled("Next: {next pair}, {next times}.", Scenery([history], [0]))
    ['Next: ', Chip(lane=0, token='u'), ' + ', Chip(lane=0, token='g'), ', ', '20 times', '.']
    """
    parts: list[Part] = []
    for i, said in enumerate(_BRACES.split(text)):
        if i % 2:
            parts += told(said, scenery)
        elif said:
            parts.append(said)
    return parts


def told(asked: str, scenery: Scenery) -> Sequence[Part]:
    """A fact, by what stands in the braces. Raises Absent."""
    name, of, lane = _read(asked)
    if lane >= len(scenery.histories):
        raise Absent(asked)
    if of.startswith("the "):
        of = plain(told(f"{of.removeprefix('the ')} in lane {lane + 1}", scenery))
    known = FACTS[name]
    if bool(known.of) != bool(of):
        raise Absent(asked)
    return known.tell(Asked(scenery.histories[lane], scenery.states[lane], lane, of))


def plain(parts: Iterable[Part]) -> str:
    """The parts as text."""
    return "".join(part if isinstance(part, str) else part[-1] for part in parts)


# --- the corpus and the state ---------------------------------------------------------------------


@fact("words", "how many words the corpus has")
def _words(asked: Asked) -> Sequence[Part]:
    return [counted("{n} word", "{n} words", asked.history.words.total)]


@fact("different words", "how many different words the corpus has")
def _different(asked: Asked) -> Sequence[Part]:
    return [counted("{n} different word", "{n} different words", len(asked.history.words))]


@fact("count", "how often the corpus has that word", of="a word")
def _count(asked: Asked) -> Sequence[Part]:
    count = asked.history.count_of(asked.of)
    if not count:
        raise Absent(asked.of)
    return [_times(count)]


@fact("longest word", "the longest word of the corpus, the first one among equals")
def _longest_word(asked: Asked) -> Sequence[Part]:
    return [Quoted(max(asked.history.words.words, key=len, default="") or _none("word"))]


@fact("frequent word", "the most frequent word with more than one character")
def _frequent(asked: Asked) -> Sequence[Part]:
    words = zip(asked.history.words.words, asked.history.words.counts, strict=True)
    word, _n = max((w for w in words if len(w[0].strip()) > 1), key=lambda w: w[1], default=("", 0))
    return [Quoted(word or _none("word"))]


@fact("alphabet", "how many symbols training starts from")
def _alphabet(asked: Asked) -> Sequence[Part]:
    n = asked.history.vocab_size(0) - len(asked.history.special_tokens)
    return [counted("{n} symbol", "{n} symbols", n)]


@fact("vocabulary", "how many tokens the vocabulary has here")
def _vocabulary(asked: Asked) -> Sequence[Part]:
    return [_tokens(asked.history.vocab_size(asked.t))]


@fact("last vocabulary", "how many tokens the vocabulary has at the end")
def _last_vocabulary(asked: Asked) -> Sequence[Part]:
    return [_tokens(asked.history.vocab_size(len(asked.history)))]


@fact("corpus tokens", "how many tokens the corpus is cut into here")
def _corpus_tokens(asked: Asked) -> Sequence[Part]:
    return [_tokens(_at(asked, asked.t))]


@fact("first corpus tokens", "how many tokens the corpus is cut into before training")
def _first_tokens(asked: Asked) -> Sequence[Part]:
    return [_tokens(_at(asked, 0))]


@fact("last corpus tokens", "how many tokens the corpus is cut into at the end")
def _last_tokens(asked: Asked) -> Sequence[Part]:
    return [_tokens(_at(asked, len(asked.history)))]


@fact("saved tokens", "how many tokens fewer the corpus is cut into here than before training")
def _saved(asked: Asked) -> Sequence[Part]:
    return [_tokens(_at(asked, 0) - _at(asked, asked.t))]


@fact("steps", "how many steps the training has")
def _steps(asked: Asked) -> Sequence[Part]:
    history = asked.history
    if isinstance(history, MergeHistory):
        return [counted("{n} merge", "{n} merges", len(history))]
    if isinstance(history, UnigramHistory):
        return [counted("{n} round", "{n} rounds", len(history))]
    return [counted("{n} step", "{n} steps", len(history))]


@fact("step", "the number of the step that led here")
def _step_number(asked: Asked) -> Sequence[Part]:
    return [f"{asked.t:,}"]


@fact("longest token", "the longest token of the last vocabulary, the first one among equals")
def _longest_token(asked: Asked) -> Sequence[Part]:
    vocabulary = asked.history.vocab(len(asked.history))
    special = set(asked.history.special_tokens)
    longest = max((v for v in vocabulary if v not in special), key=len, default="")
    return [Chip(asked.lane, longest or _none("token"))]


@fact("merge ties", "how many of the merges a tie-break decided")
def _merge_ties(asked: Asked) -> Sequence[Part]:
    tied = sum(isinstance(step, MergeStep) and step.tied > 1 for step in asked.history.steps)
    return [counted("{n} merge", "{n} merges", tied)]


# --- the last step and the next one ---------------------------------------------------------------


@fact("new token", "the token that the last merge made")
def _new(asked: Asked) -> Sequence[Part]:
    return [Chip(asked.lane, _merge(asked, asked.t - 1).token)]


@fact("merged pair", "the pair that was merged last")
def _merged(asked: Asked) -> Sequence[Part]:
    return _pair(asked, _merge(asked, asked.t - 1))


@fact("merged times", "how often the last merge was made")
def _merged_times(asked: Asked) -> Sequence[Part]:
    return [_times(_merge(asked, asked.t - 1).times)]


@fact("next pair", "the pair that is merged next")
def _next(asked: Asked) -> Sequence[Part]:
    return _pair(asked, _merge(asked, asked.t))


@fact("next token", "the token that the next merge makes")
def _next_token(asked: Asked) -> Sequence[Part]:
    return [Chip(asked.lane, _merge(asked, asked.t).token)]


@fact("next times", "how often the pair that is merged next stands in the corpus")
def _next_times(asked: Asked) -> Sequence[Part]:
    return [_times(_merge(asked, asked.t).count)]


@fact("next score", "the score of the next merge: its count, or WordPiece's fraction")
def _next_score(asked: Asked) -> Sequence[Part]:
    return [_score(asked, 0)]


@fact("runner-up", "the best pair that scores less than the one merged next")
def _runner_up(asked: Asked) -> Sequence[Part]:
    table = asked.history.candidates(asked.t)
    row = table.iloc[_second(asked)]
    return [Chip(asked.lane, str(row.left)), " + ", Chip(asked.lane, str(row.right))]


@fact("runner-up score", "the score of the runner-up")
def _runner_up_score(asked: Asked) -> Sequence[Part]:
    return [_score(asked, _second(asked))]


@fact("frequent pair", "the most frequent pair here, if another one is merged next")
def _frequent_pair(asked: Asked) -> Sequence[Part]:
    row = asked.history.candidates(asked.t).iloc[_most_frequent(asked)]
    return [Chip(asked.lane, str(row.left)), " + ", Chip(asked.lane, str(row.right))]


@fact("frequent pair score", "the score of the most frequent pair")
def _frequent_pair_score(asked: Asked) -> Sequence[Part]:
    return [_score(asked, _most_frequent(asked))]


@fact("tied pairs", "how many pairs tie for the next merge, if more than one")
def _tied(asked: Asked) -> Sequence[Part]:
    tied = _merge(asked, asked.t).tied
    if tied < 2:
        raise Absent("tie")
    return [counted("{n} pair", "{n} pairs", tied)]


@fact("met in", "the word in which the pair that is merged next is met first")
def _met_in(asked: Asked) -> Sequence[Part]:
    if not isinstance(asked.history, MergeHistory):
        raise Absent("pair")
    _merge(asked, asked.t)
    return [Quoted(asked.history.met_in(asked.t))]


@fact("narration", "what the last step did, as the player says it")
def _narration(asked: Asked) -> Sequence[Part]:
    return [asked.history.narrate(asked.t)]


# --- tokens, words and texts ----------------------------------------------------------------------


@fact("birth", "the number of the step that makes that token", of="a token")
def _birth(asked: Asked) -> Sequence[Part]:
    made = (step.index + 1 for step in _merges(asked.history) if step.token == asked.of)
    number = next(made, None)
    return [f"{number:,}" if number else _none("birth")]


@fact("parents", "the two tokens that a token was merged from", of="a token")
def _parents(asked: Asked) -> Sequence[Part]:
    step = next((step for step in _merges(asked.history) if step.token == asked.of), None)
    if step is None:
        raise Absent(asked.of)
    return _pair(asked, step)


@fact("cut", "a word of the corpus in tokens, as it is cut here", of="a word")
def _cut(asked: Asked) -> Sequence[Part]:
    if not asked.history.count_of(asked.of):
        raise Absent(asked.of)
    return chips(asked.lane, asked.history.segmentation(asked.of, asked.t))


@fact("encoding", "any text in tokens, as the tokenizer of this state encodes it", of="a text")
def _encoding(asked: Asked) -> Sequence[Part]:
    return chips(asked.lane, asked.history.tokenizer(asked.t).encode(asked.of).tokens)


@fact("tokens", "how many tokens the tokenizer of this state cuts a text into", of="a text")
def _tokens_of(asked: Asked) -> Sequence[Part]:
    return [_tokens(len(asked.history.tokenizer(asked.t).encode(_text(asked.of))))]


@fact("bytes", "how many bytes of UTF-8 a text has", of="a text")
def _bytes(asked: Asked) -> Sequence[Part]:
    n = len(_text(asked.of).encode("utf-8", "surrogatepass"))
    return [counted("{n} byte", "{n} bytes", n)]


@fact("characters", "how many characters a text has", of="a text")
def _characters(asked: Asked) -> Sequence[Part]:
    return [counted("{n} character", "{n} characters", len(_text(asked.of)))]


def _text(of: str) -> str:
    """A text, or that of a bundled sample, "sample udhr-hi"."""
    sample = SAMPLES.get(of.removeprefix("sample ")) if of.startswith("sample ") else None
    if sample is None:
        return of
    return sample.corpus if isinstance(sample.corpus, str) else " ".join(sample.corpus)


# --- what several facts share ---------------------------------------------------------------------


def chips(lane: int, tokens: Sequence[str]) -> list[Part]:
    """Tokens one after another, with spaces between."""
    parts: list[Part] = []
    for token in tokens[:MOST_NAMED]:
        parts += [" ", Chip(lane, token)] if parts else [Chip(lane, token)]
    return [*parts, " …"] if len(tokens) > MOST_NAMED else parts


def step_at(asked: Asked, at: int) -> Step:
    """A step by its number from 0 on. Raises Absent beyond the ends."""
    if not 0 <= at < len(asked.history):
        raise Absent("step")
    return asked.history.steps[at]


def pruning(asked: Asked, at: int) -> PruneStep:
    """The same for a pruning."""
    step = step_at(asked, at)
    if not isinstance(step, PruneStep):
        raise Absent("pruning")
    return step


def _merge(asked: Asked, at: int) -> MergeStep:
    step = step_at(asked, at)
    if not isinstance(step, MergeStep):
        raise Absent("merge")
    return step


def _merges(history: History) -> Iterable[MergeStep]:
    return (step for step in history.steps if isinstance(step, MergeStep))


def _pair(asked: Asked, step: MergeStep) -> Sequence[Part]:
    return [Chip(asked.lane, step.left), " + ", Chip(asked.lane, step.right)]


def _second(asked: Asked) -> int:
    """The row of the best pair that scores less. Raises Absent if all tie."""
    merge, table = _merge(asked, asked.t), asked.history.candidates(asked.t)
    if len(table) <= merge.tied:
        raise Absent("runner-up")
    return merge.tied


def _most_frequent(asked: Asked) -> int:
    """The row of the most frequent pair. Raises Absent if the next merge is as frequent."""
    table = asked.history.candidates(asked.t)
    if table["count"].max() <= _merge(asked, asked.t).count:
        raise Absent("frequent pair")
    return int(table["count"].argmax())


def _score(asked: Asked, row: int) -> str:
    table = asked.history.candidates(asked.t)
    if row >= len(table):
        raise Absent("score")
    chosen = table.iloc[row]
    if "left_count" not in table:
        return f"{chosen['count']:,}"
    return f"{chosen['count']:,}/({chosen.left_count:,}×{chosen.right_count:,})"


def _at(asked: Asked, t: int) -> int:
    return int(asked.history.curve()["corpus_tokens"].iloc[t])


def _tokens(n: int) -> Message:
    return counted("{n} token", "{n} tokens", n)


def _times(n: int) -> Message:
    return message("once") if n == 1 else counted("{n} time", "{n} times", n)


def _none(what: str) -> str:
    raise Absent(what)
