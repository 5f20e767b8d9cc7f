"""Lessons as data: what a teacher writes into a file, read and checked.

A lesson is a TOML file (docs/lessons.md): a corpus, runs on it, and scenes. A scene says something,
puts runs on the screen at a moment, and may ask for a guess. Numbers do not stand in its sentences
but in braces, as facts of the run (`tokviz.lessons.facts`), so that they are those of any text.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tokviz.analysis.axis import ALIGNMENTS
from tokviz.basics.messages import Message, message, told_by
from tokviz.lessons.facts import asked_in
from tokviz.lessons.reading import LessonError as LessonError
from tokviz.lessons.reading import Table
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.samples import SAMPLES
from tokviz.trainers import TRAINERS
from tokviz.trainers.training import make_trainer

HERE = Path(__file__).parent
FORMAT = 1
#: Bytes of a lesson file, its scenes, and the lanes of a scene.
LARGEST, MOST_SCENES, MOST_LANES = 300_000, 60, 4
SHOWS = ("player", "vocabulary", "word", "encode")
#: In the place of options: the pair that is merged next, among other candidates.
CANDIDATES = "candidates"

LESSON_KEYS = {"format", "title", "about", "minutes", "corpus", "runs", "scenes"}
SCENE_KEYS = {"title", "say", "runs", "at", "align", "select", "show", "text", "sample_only", "ask"}
ASK_KEYS = {"question", "options", "answer", "then", "reveal", "show"}


@dataclass(frozen=True)
class Ask:
    """A guess. Of `options` the first one is right, whatever order they are shown in; if there are
    none, the guess is the number that the fact `answer` gives. Then the player goes to the moment
    `reveal`, and `then` is said. `show` is what is seen from then on."""

    question: str
    then: str
    options: tuple[str, ...] = ()
    answer: str = ""
    reveal: str = ""
    show: str = "player"

    @property
    def of_candidates(self) -> bool:
        """Whether the pair that is merged next is to be guessed."""
        return self.options == (CANDIDATES,)


@dataclass(frozen=True)
class Scene:
    """A step of a lesson: `runs` are the names of its lanes, `at` its moment, `select` a token that
    is highlighted. `show` says what is seen: the "player", the player below the "vocabulary", a
    "word" from the inside, or how a text is "encoded"; `text` is that word or text. `sample_only`
    scenes are left out on other texts."""

    say: str
    title: str = ""
    runs: tuple[str, ...] = ()
    at: str = "start"
    align: str = "step"
    select: str = ""
    show: str = "player"
    text: str = ""
    sample_only: bool = False
    ask: Ask | None = None


@dataclass(frozen=True)
class Lesson:
    """A lesson: `runs` are settings as `tokviz.train` takes them, by name. `sample` is the name of
    a bundled corpus, "" if the lesson brings its own `corpus`. Of `samples`, by the name of a run,
    a run trains on another bundled corpus, and stays there whatever text the lesson is told on."""

    name: str
    title: str
    about: str
    minutes: int
    sample: str
    corpus: str | Mapping[str, int] | Mapping[str, str] = field(hash=False)
    runs: Mapping[str, Mapping[str, Any]] = field(hash=False)
    scenes: tuple[Scene, ...] = ()
    samples: Mapping[str, str] = field(default_factory=dict, hash=False)

    def corpus_of(self, run: str) -> str | Mapping[str, int] | Mapping[str, str]:
        """What a run is trained on where the lesson is told on its own text."""
        return SAMPLES[self.samples[run]].corpus if run in self.samples else self.corpus

    def texts(self) -> list[str]:
        """Everything that is said, in order: what a translator translates."""
        said = [self.title, self.about]
        for scene in self.scenes:
            said += [scene.title, scene.say]
            if scene.ask:
                said += [scene.ask.question, *_words(scene.ask), scene.ask.then]
        return [text for text in dict.fromkeys(said) if text]


def _words(ask: Ask) -> Sequence[str]:
    """The options that are sentences."""
    return () if ask.of_candidates else ask.options


def bundled() -> dict[str, Lesson]:
    """The lessons that come with tokviz, by name, in the order in which they are taught.

    >>> list(bundled())[0]
    'why-subwords'
    """
    found = {}
    numbered = {int(path.stem.partition("-")[0]): path for path in HERE.glob("*.toml")}
    for _number, path in sorted(numbered.items()):
        name = path.stem.partition("-")[2]
        found[name] = read_lesson(path.read_bytes(), name)
    return found


def read_lesson(data: bytes, name: str) -> Lesson:
    """A lesson out of a file that anybody may have written.

    Raises LessonError with a sentence that says what is wrong where.

    >>> read_lesson(b"format = 9", "mine")
    Traceback (most recent call last):
    tokviz.lessons.reading.LessonError: A lesson begins with format = 1; this file has format = 9.
    """
    if len(data) > LARGEST:
        raise LessonError.saying(
            "The file has {n:,} bytes; a lesson has at most {most:,}.", n=len(data), most=LARGEST
        )
    try:
        written = tomllib.loads(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise LessonError.saying("The file is no UTF-8 text; save it as UTF-8.") from error
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise LessonError.saying("The file is no TOML: {why}.", why=error) from error
    if written.get("format") != FORMAT:
        raise LessonError.saying(
            "A lesson begins with format = {format}; this file has format = {found!r}.",
            format=FORMAT,
            found=written.get("format"),
        )
    lesson = Table(written, message("lesson"), LESSON_KEYS)
    sample, corpus = _corpus(lesson.table("corpus", {"sample", "text", "words"}))
    written_runs = lesson.raw("runs", dict)
    samples = _samples(written_runs)
    runs = _runs(written_runs)
    scenes = lesson.raw("scenes", list)
    if not 1 <= len(scenes) <= MOST_SCENES:
        raise LessonError.saying(
            "A lesson has 1 to {most} scenes; this one has {n}.", most=MOST_SCENES, n=len(scenes)
        )
    read: list[Scene] = []
    for number, scene in enumerate(scenes, 1):
        place = message("scene {number}", number=number)
        before = read[-1] if read else None
        read.append(_scene(Table(scene, place, SCENE_KEYS), runs, samples, before))
    return Lesson(
        name=name,
        title=lesson.text("title"),
        about=lesson.text("about"),
        minutes=lesson.raw("minutes", int),
        sample=sample,
        corpus=corpus,
        runs=runs,
        scenes=tuple(read),
        samples=samples,
    )


def _corpus(table: Table) -> tuple[str, str | dict[str, int] | dict[str, str]]:
    if table.has("sample"):
        sample = table.choice("sample", list(SAMPLES), "")
        return sample, SAMPLES[sample].corpus
    if table.has("words"):
        words = table.raw("words", dict)
        if not all(type(count) is int and count > 0 for count in words.values()):
            raise LessonError.saying(
                "{place} needs a whole number from 1 on for every word.", place=table.place
            )
        return "", words
    return "", table.raw("text", str)


def _runs(written: dict[str, Any]) -> dict[str, dict[str, Any]]:
    runs = {}
    for name, settings in written.items():
        place = _place(name)
        if not isinstance(settings, dict) or settings.get("algorithm") not in [*TRAINERS]:
            raise LessonError.saying(
                "{place} needs an algorithm: {known}.", place=place, known=", ".join(TRAINERS)
            )
        if type(settings.get("vocab_size")) is not int or settings["vocab_size"] < 1:
            raise LessonError.saying("{place} needs a vocab_size from 1 on.", place=place)
        # TOML has lists, settings are tuples.
        chosen = {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}
        runs[name] = {k: v for k, v in chosen.items() if k != "sample"}
        _check_settings(place, runs[name])
    return runs


def _place(run: str) -> Message:
    return message("run {name!r}", name=run[:40])


def _check_settings(place: str, settings: Mapping[str, Any]) -> None:
    """Raises LessonError for settings that no training takes."""
    others = {name: value for name, value in settings.items() if name != "pretokenizer"}
    try:
        trainer = make_trainer(**others)
        make_pretokenizer(settings.get("pretokenizer", trainer.default_pretokenizer))
        if "interventions" in settings:
            raise ValueError(message("a lesson cannot tell a run what to choose."))
    except (ValueError, TypeError, AttributeError) as error:
        raise LessonError.saying(
            "{place} cannot be trained: {why}", place=place, why=told_by(error)
        ) from error


def _samples(written: dict[str, Any]) -> dict[str, str]:
    """The bundled texts of the runs that have their own."""
    samples = {}
    for name, settings in written.items():
        if isinstance(settings, dict) and "sample" in settings:
            table = Table(settings, _place(name), set(settings))
            samples[name] = table.choice("sample", list(SAMPLES), "")
    return samples


def _scene(
    table: Table, runs: Mapping[str, Any], samples: Mapping[str, str], before: Scene | None
) -> Scene:
    lanes = tuple(table.raw("runs", list, list(before.runs) if before else []))
    if not 1 <= len(lanes) <= MOST_LANES or not all(
        isinstance(lane, str) and lane in runs for lane in lanes
    ):
        raise LessonError.saying(
            "{place} needs runs, 1 to {most} of those that the lesson has: {known}.",
            place=table.place,
            most=MOST_LANES,
            known=", ".join(runs),
        )
    if len({samples.get(lane) for lane in lanes}) > 1:
        raise LessonError.saying(
            "{place} has runs on different texts; show them one by one.", place=table.place
        )
    asks = table.has("ask")
    show = table.choice("show", SHOWS, "player")
    return Scene(
        say=table.text("say"),
        title=table.text("title", ""),
        runs=lanes,
        at=table.moment("at", "stay" if before and before.runs == lanes else "start"),
        align=table.choice("align", list(ALIGNMENTS), "step"),
        select=table.text("select", ""),
        show=show,
        text=table.exact("text", ""),
        sample_only=table.raw("sample_only", bool, False),
        ask=_ask(table.table("ask", ASK_KEYS), show) if asks else None,
    )


def _ask(table: Table, shown: str) -> Ask:
    question, then = table.text("question"), table.text("then")
    reveal = table.moment("reveal", "stay")
    show = table.choice("show", SHOWS, shown)
    if table.has("answer"):
        answer = table.text("answer")
        if len(asked_in(answer)) != 1:
            raise LessonError.saying(
                "{place} needs one fact in braces as its answer.", place=table.place
            )
        return Ask(question, then, (), answer, reveal, show)
    if table.is_("options", CANDIDATES):
        return Ask(question, then, (CANDIDATES,), "", reveal, show)
    options = table.raw("options", list)
    if len(options) < 2 or not all(isinstance(option, str) for option in options):
        raise LessonError.saying(
            "{place} needs two or more options as text, the right one first, or options = "
            '"{candidates}", or an answer.',
            place=table.place,
            candidates=CANDIDATES,
        )
    checked = [Table({"option": o}, table.place, {"option"}).text("option") for o in options]
    return Ask(question, then, tuple(checked), "", reveal, show)
