"""A lesson on a text: every scene with its moment, its sentences and its guess worked out.

The same lesson is told on its own sample and on any other text. What that text does not have (a
tie, a token, a word) has no sentence: such scenes are left out, and counted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

from tokviz.analysis.alignment import AlignmentError, align
from tokviz.analysis.axis import Axis, make_axis
from tokviz.analysis.boundaries import Lane, boundaries, first_parting
from tokviz.basics.messages import Message, here, message
from tokviz.history.base import History
from tokviz.history.steps import MergeStep, PruneStep
from tokviz.lessons.facts import Chip, Part, Scenery, filled, plain
from tokviz.lessons.lesson import Ask, Lesson, Scene
from tokviz.lessons.moments import Absent, position_of
from tokviz.text.given_corpus import Corpus

#: Options beside the right one, where the candidates are the options.
MOST_WRONG = 3


@dataclass(frozen=True)
class Question:
    """A guess as it is asked: options in the order in which they stand, of which `right` is right,
    or without options the `number`. `then` is said afterwards, at the position `reveal`."""

    question: list[Part]
    options: list[list[Part]]
    right: int
    number: int | None
    then: list[Part]
    reveal: int


@dataclass(frozen=True)
class Staged:
    """A scene on a text. `number` is its place in the lesson, from 0 on; `position` its place on
    the axis of its lanes, `states` theirs; `token` is highlighted, "" for none. `text` is the word
    or text that is looked into."""

    number: int
    scene: Scene
    position: int
    states: tuple[int, ...]
    title: list[Part]
    say: list[Part]
    token: str
    text: str
    ask: Question | None = None


def stage(
    lesson: Lesson, histories: Mapping[str, History], corpus: Corpus, own: bool
) -> list[Staged]:
    """The scenes of a lesson that can be told on a text. `histories` are its runs by name, trained
    on `corpus`; `own` says that it is not the lesson's own one.

    >>> import tokviz
    >>> from tokviz.lessons.lesson import bundled
    >>> lesson = bundled()["why-subwords"]
    >>> text = "low lower lowest"
    >>> runs = {name: tokviz.train(text, "bpe", 10) for name in lesson.runs}
    >>> plain(stage(lesson, runs, text, own=True)[0].say)[:21]
    'A language model read'
    """
    staged: list[Staged] = []
    stand, before = 0, None
    for number, scene in enumerate(lesson.scenes):
        if own and scene.sample_only:
            continue
        lanes = [histories[name] for name in scene.runs]
        axis = make_axis(lanes, scene.align)
        text = lesson.corpus_of(scene.runs[0]) if scene.runs[0] in lesson.samples else corpus
        here_now = (scene.runs, scene.align)
        stand = stand if here_now == before else 0
        try:
            made = _staged(number, scene, lanes, axis, stand, text)
        except Absent:
            continue
        staged.append(made)
        stand, before = made.ask.reveal if made.ask else made.position, here_now
    return staged


def _staged(
    number: int,
    scene: Scene,
    lanes: Sequence[History],
    axis: Axis,
    stand: int,
    corpus: Corpus,
) -> Staged:
    parting = _parting(lanes, axis, corpus) if _needs_parting(scene) else None

    def place(moment: str, at: int) -> int:
        # A moment may name a token by a fact: "birth of {longest token}".
        written = plain(filled(moment, scenery_at(at)))
        return position_of(written, lanes, axis, at, parting)

    def scenery_at(position: int) -> Scenery:
        return Scenery(lanes, [int(states[position]) for states in axis.states])

    position = place(scene.at, stand)
    scenery = scenery_at(position)
    staged = Staged(
        number=number,
        scene=scene,
        position=position,
        states=tuple(scenery.states),
        title=_said(scene.title, scenery),
        say=_said(scene.say, scenery),
        token=plain(filled(scene.select, scenery)),
        text=plain(filled(scene.text, scenery)),
    )
    if scene.ask is None:
        return staged
    reveal = place(scene.ask.reveal, position)
    ask = _question(scene.ask, scenery, scenery_at(reveal), reveal)
    return replace(staged, ask=ask)


def _said(text: str, scenery: Scenery) -> list[Part]:
    """A sentence of the lesson in the current language, with its facts."""
    return filled(here(message(text)), scenery) if text else []


def _needs_parting(scene: Scene) -> bool:
    return "parting" in (scene.at, scene.ask.reveal if scene.ask else "")


def _parting(lanes: Sequence[History], axis: Axis, corpus: Corpus) -> int | None:
    if len(lanes) < 2:
        return None
    try:
        found = align(lanes[:2], corpus)[0, 1]
    except AlignmentError:
        return None
    left = Lane(lanes[0], axis.states[0], found.left)
    right = Lane(lanes[1], axis.states[1], found.right)
    return first_parting(boundaries(found, left, right))


def _question(ask: Ask, scenery: Scenery, revealed: Scenery, reveal: int) -> Question:
    """Raises Absent if this text leaves nothing to guess."""
    question, then = _said(ask.question, scenery), _said(ask.then, revealed)
    if ask.answer:
        number = _whole(filled(ask.answer, revealed))
        return Question(question, [], 0, number, then, reveal)
    if ask.of_candidates:
        options = _candidates(scenery)
        keys = [plain(option) for option in options]
    else:
        options = [_said(option, scenery) for option in ask.options]
        # In English: a guess is kept by its place, and the page may go to another language.
        keys = [plain(filled(option, scenery)) for option in ask.options]
    different: dict[str, list[Part]] = {}
    for key, option in zip(keys, options, strict=True):
        different.setdefault(key, option)
    if len(different) < 2:
        raise Absent(ask.question)
    # Not by their place in the file: the first one is right.
    right = next(iter(different))
    order = sorted(different, key=lambda key: crc32(key.encode("utf-8", "replace")))
    shown = [different[key] for key in order]
    return Question(question, shown, order.index(right), None, then, reveal)


def _whole(parts: Sequence[Part]) -> int:
    """The whole number that a fact says. Raises Absent if it says none."""
    for part in parts:
        if isinstance(part, Message) and part.many:
            return part.n
        if isinstance(part, str) and part.replace(",", "").isdecimal():
            return int(part.replace(",", ""))
    raise Absent("number")


def _candidates(scenery: Scenery) -> list[list[Part]]:
    """The next choice of the first lane, then candidates that are worse for certain."""
    history, t = scenery.histories[0], scenery.states[0]
    if t >= len(history):
        raise Absent("step")
    table, step = history.candidates(t), history.steps[t]
    if isinstance(step, PruneStep):
        dearer = table[~table.chosen & (table.loss_delta > step.score)]
        tokens = [step.removed[0], *dearer.token[:MOST_WRONG]]
        return [[Chip(0, str(token))] for token in tokens]
    if not isinstance(step, MergeStep):
        raise Absent("candidates")
    # The first rows tie; where frequency does not decide, the most frequent pair is tempting.
    rows = [0, *range(step.tied, step.tied + MOST_WRONG)]
    most = int(table["count"].argmax())
    if most >= step.tied:
        rows.insert(1, most)
    rows = [row for row in dict.fromkeys(rows) if row < len(table)][: MOST_WRONG + 1]
    pairs = zip(table.left, table.right, strict=True)
    listed = list(pairs)
    return [[Chip(0, listed[row][0]), " + ", Chip(0, listed[row][1])] for row in rows]
