"""Facts: what a lesson may say of its runs, in words of the lesson, worked out where it stands.

A fact stands in braces, `{next pair}`; some need to know of what, `{cut of hugs}`, and that may be
another fact, `{cut of the longest word}`; one lane's is `{new token in lane 2}`. Facts that count
bring their noun along, so that no sentence says "1 merges". What a text does not have is Absent.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from tokviz.basics.messages import Message, counted
from tokviz.history.base import History
from tokviz.history.steps import PruneStep, Step
from tokviz.lessons.moments import Absent
from tokviz.text.languages import text_for
from tokviz.text.samples import SAMPLES


class Chip(NamedTuple):
    """A token of a lane, by its string as displayed."""

    lane: int
    token: str


class Quoted(NamedTuple):
    """A piece of somebody's text, which is shown as it is."""

    text: str


Part: TypeAlias = str | Chip | Quoted
H = TypeVar("H", bound=History)


class Scenery(NamedTuple):
    """What facts are asked of: the lanes, the state of each, and the text before it was cut."""

    histories: Sequence[History]
    states: Sequence[int]


class FactRequest(NamedTuple):
    """One lane at its state, of what the fact is asked ("" for none), and all lanes."""

    history: History
    t: int
    lane: int
    of: str
    scenery: Scenery


class Fact(NamedTuple):
    """What a fact says (`help`, for the documentation), and of what it is asked, "" for nothing."""

    of: str
    help: str
    tell: Callable[[FactRequest], Sequence[Part]]


FACTS: dict[str, Fact] = {}
_BRACES = re.compile(r"\{([^{}]+)\}")
_NAME = re.compile(r"(?P<name>[a-z -]+?)(?: of (?P<of>.+?))?(?: in lane (?P<lane>[1-4]))?", re.S)
#: Tokens that are named one by one.
MOST_NAMED = 24


def fact(
    name: str, help: str, of: str = ""
) -> Callable[..., Callable[[FactRequest], Sequence[Part]]]:
    """Registers a fact under its name."""

    def register(
        tell: Callable[[FactRequest], Sequence[Part]],
    ) -> Callable[[FactRequest], Sequence[Part]]:
        FACTS[name] = Fact(of, help, tell)
        return tell

    return register


def asked_in(text: str) -> list[str]:
    """What stands in braces in a text.

    >>> asked_in("{next pair}, {cut of the longest word}")
    ['next pair', 'cut of the longest word']
    """
    return _BRACES.findall(text)


def read_fact(request: str) -> tuple[str, str, int]:
    """The name of a fact, of what it is asked ("" for nothing), and the number of its lane.

    >>> read_fact("cut of the longest word in lane 2")
    ('cut', 'the longest word', 1)
    """
    read = _NAME.fullmatch(request)
    if read is None:
        return request, "", 0
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


def told(request: str, scenery: Scenery) -> Sequence[Part]:
    """A fact, by what stands in the braces. Raises Absent."""
    name, of, lane = read_fact(request)
    if lane >= len(scenery.histories):
        raise Absent(request)
    if of.startswith("the "):
        of = plain(told(f"{of.removeprefix('the ')} in lane {lane + 1}", scenery))
    known = FACTS[name]
    if bool(known.of) != bool(of):
        raise Absent(request)
    return known.tell(FactRequest(scenery.histories[lane], scenery.states[lane], lane, of, scenery))


def of_family(request: FactRequest, *families: type[H]) -> H:
    """The history, if it is of one of those families. Raises Absent."""
    if not isinstance(request.history, families):
        raise Absent(request.history.algorithm)
    return request.history


def plain(parts: Iterable[Part]) -> str:
    """The parts as text."""
    return "".join(part if isinstance(part, str) else part[-1] for part in parts)


# --- the corpus and the state ---------------------------------------------------------------------


@fact("words", "how many words the corpus has")
def _words(request: FactRequest) -> Sequence[Part]:
    return [counted("{n} word", "{n} words", request.history.words.total)]


@fact("different words", "how many different words the corpus has")
def _different(request: FactRequest) -> Sequence[Part]:
    return [counted("{n} different word", "{n} different words", len(request.history.words))]


@fact("count", "how often the corpus has that word", of="a word")
def _count(request: FactRequest) -> Sequence[Part]:
    return [times(request.history.count_of(corpus_word(request)))]


@fact("longest word", "the longest word of the corpus, the first one among equals")
def _longest_word(request: FactRequest) -> Sequence[Part]:
    return [Quoted(max(request.history.words.words, key=len, default="") or _none("word"))]


@fact("frequent word", "the most frequent word with more than one character")
def _frequent(request: FactRequest) -> Sequence[Part]:
    words = zip(request.history.words.words, request.history.words.counts, strict=True)
    word, _n = max((w for w in words if len(w[0].strip()) > 1), key=lambda w: w[1], default=("", 0))
    return [Quoted(word or _none("word"))]


@fact("alphabet", "how many symbols training starts from")
def _alphabet(request: FactRequest) -> Sequence[Part]:
    n = request.history.vocab_size(0) - len(request.history.special_tokens)
    return [counted("{n} symbol", "{n} symbols", n)]


@fact("vocabulary", "how many tokens the vocabulary has here")
def _vocabulary(request: FactRequest) -> Sequence[Part]:
    return [tokens(request.history.vocab_size(request.t))]


@fact("last vocabulary", "how many tokens the vocabulary has at the end")
def _last_vocabulary(request: FactRequest) -> Sequence[Part]:
    return [tokens(request.history.vocab_size(len(request.history)))]


@fact("corpus tokens", "how many tokens the corpus is cut into here")
def _corpus_tokens(request: FactRequest) -> Sequence[Part]:
    return [tokens(_at(request, request.t))]


@fact("first corpus tokens", "how many tokens the corpus is cut into before training")
def _first_tokens(request: FactRequest) -> Sequence[Part]:
    return [tokens(_at(request, 0))]


@fact("last corpus tokens", "how many tokens the corpus is cut into at the end")
def _last_tokens(request: FactRequest) -> Sequence[Part]:
    return [tokens(_at(request, len(request.history)))]


@fact("saved tokens", "how many tokens fewer the corpus is cut into here than before training")
def _saved(request: FactRequest) -> Sequence[Part]:
    return [tokens(_at(request, 0) - _at(request, request.t))]


@fact("steps", "how many steps the training has")
def _steps(request: FactRequest) -> Sequence[Part]:
    noun, n = request.history.step_noun, len(request.history)
    if noun == "merge":
        return [counted("{n} merge", "{n} merges", n)]
    if noun == "round":
        return [counted("{n} round", "{n} rounds", n)]
    return [counted("{n} step", "{n} steps", n)]


@fact("step", "the number of the step that led here")
def _step_number(request: FactRequest) -> Sequence[Part]:
    return [f"{request.t:,}"]


@fact("longest token", "the longest token of the last vocabulary, the first one among equals")
def _longest_token(request: FactRequest) -> Sequence[Part]:
    vocabulary = request.history.vocab(len(request.history))
    special = set(request.history.special_tokens)
    longest = max((v for v in vocabulary if v not in special), key=len, default="")
    return [Chip(request.lane, longest or _none("token"))]


@fact("narration", "what the last step did, as the player says it")
def _narration(request: FactRequest) -> Sequence[Part]:
    return [request.history.narrate(request.t)]


# --- words and texts ------------------------------------------------------------------------------


@fact("cut", "a word of the corpus in tokens, as it is cut here", of="a word")
def _cut(request: FactRequest) -> Sequence[Part]:
    return chips(request.lane, request.history.segmentation(corpus_word(request), request.t))


@fact("encoding", "any text in tokens, as the tokenizer of this state encodes it", of="a text")
def _encoding(request: FactRequest) -> Sequence[Part]:
    return chips(request.lane, request.history.tokenizer(request.t).encode(request.of).tokens)


@fact("tokens", "how many tokens the tokenizer of this state cuts a text into", of="a text")
def _tokens_of(request: FactRequest) -> Sequence[Part]:
    return [tokens(len(request.history.tokenizer(request.t).encode(_text(request.of))))]


@fact("bytes", "how many bytes of UTF-8 a text has", of="a text")
def _bytes(request: FactRequest) -> Sequence[Part]:
    n = len(_text(request.of).encode("utf-8", "surrogatepass"))
    return [counted("{n} byte", "{n} bytes", n)]


@fact("characters", "how many characters a text has", of="a text")
def _characters(request: FactRequest) -> Sequence[Part]:
    return [counted("{n} character", "{n} characters", len(_text(request.of)))]


@fact("tokens per character", "how many tokens a character of a text costs", of="a text")
def _per_character(request: FactRequest) -> Sequence[Part]:
    text = _text(request.of)
    return [f"{len(request.history.tokenizer(request.t).encode(text)) / len(text):.2f}"]


@fact("unknown", "what the tokenizer of this state does not know of a text", of="a text")
def _unknown(request: FactRequest) -> Sequence[Part]:
    tokenizer = request.history.tokenizer(request.t)
    encoding, special = tokenizer.encode(request.of), set(request.history.special_tokens)
    found = dict.fromkeys(
        request.of[start:end]
        for token, number, (start, end) in zip(
            encoding.tokens, encoding.ids, encoding.offsets, strict=True
        )
        if number is None or token in special
    )
    if not found:
        raise Absent(request.of)
    parts: list[Part] = []
    for text in [*found][:MOST_NAMED]:
        parts += [", ", Quoted(text)] if parts else [Quoted(text)]
    return parts


@fact("new word", "that word, if the corpus does not hold it", of="a word")
def _new_word(request: FactRequest) -> Sequence[Part]:
    if any(word.strip() == request.of for word in request.history.words.words):
        raise Absent(request.of)
    return [Quoted(request.of)]


@fact("common tokens", "how many tokens the vocabularies of all lanes have in common here")
def _common(request: FactRequest) -> Sequence[Part]:
    return [tokens(len(set.intersection(*map(set, _vocabularies(request)))))]


@fact("own tokens", "the tokens that only the vocabulary of this lane has here")
def _own(request: FactRequest) -> Sequence[Part]:
    own, *others = _vocabularies(request)
    elsewhere = set().union(*others)
    found = [token for token in own if token not in elsewhere]
    if not others or not found:
        raise Absent("own tokens")
    return chips(request.lane, found)


def _vocabularies(request: FactRequest) -> list[list[str]]:
    """The vocabulary of this lane, then those of the others."""
    lanes = list(zip(request.scenery.histories, request.scenery.states, strict=True))
    own = lanes.pop(request.lane)
    return [history.vocab(t) for history, t in (own, *lanes)]


def _text(of: str) -> str:
    """A text, or that of a bundled sample, "sample udhr-hi"."""
    sample = SAMPLES.get(of.removeprefix("sample ")) if of.startswith("sample ") else None
    if sample is None:
        return of
    corpus = text_for(False, sample.corpus)
    return corpus if isinstance(corpus, str) else " ".join(corpus)


# --- what several facts share ---------------------------------------------------------------------


def chips(lane: int, tokens: Sequence[str]) -> list[Part]:
    """Tokens one after another, with spaces between."""
    parts: list[Part] = []
    for token in tokens[:MOST_NAMED]:
        parts += [" ", Chip(lane, token)] if parts else [Chip(lane, token)]
    return [*parts, " …"] if len(tokens) > MOST_NAMED else parts


def with_space(request: FactRequest) -> str:
    """The word of which a fact is asked: a leading Ġ or ▁ stands for the space before it."""
    mark = request.history.spelling.space_mark
    if mark and mark != " " and request.of.startswith(mark):
        return " " + request.of[len(mark) :]
    return request.of


def corpus_word(request: FactRequest) -> str:
    """The same, if it is a word of the corpus. Raises Absent."""
    for word in (request.of, with_space(request)):
        if request.history.count_of(word):
            return word
    raise Absent(request.of)


def step_at(request: FactRequest, at: int) -> Step:
    """A step by its number from 0 on. Raises Absent beyond the ends."""
    if not 0 <= at < len(request.history):
        raise Absent("step")
    return request.history.steps[at]


def pruning(request: FactRequest, at: int) -> PruneStep:
    """The same for a pruning."""
    step = step_at(request, at)
    if not isinstance(step, PruneStep):
        raise Absent("pruning")
    return step


def _at(request: FactRequest, t: int) -> int:
    return int(request.history.curve()["corpus_tokens"].iloc[t])


def tokens(n: int) -> Message:
    """So many tokens."""
    return counted("{n} token", "{n} tokens", n)


def times(n: int) -> Message:
    """So often."""
    return counted("once", "{n} times", n)


def _none(what: str) -> str:
    raise Absent(what)
