"""One run as the page knows it: what was asked for, and its history, trained once for everybody."""

from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import fields
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import streamlit as st

import tokviz
from tokviz import limits, make_trainer
from tokviz.corpus import Corpus, WordCounts, count_words, read_word_table
from tokviz.history import History
from tokviz.language import _, here, message
from tokviz.pages.tokenizer_files import find
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.progress import Progress, ProgressCallback
from tokviz.samples import SAMPLES, Sample
from tokviz.trainers import TRAINERS, Trainer, configured, settings_of
from tokviz.trainers.interventions import Interventions
from tokviz.trainers.replay import Replay
from tokviz.within_limits import check_run, check_text, check_words

#: How many histories are kept for everybody, how much of a text is shown.
MOST_HISTORIES = 24
MOST_WORDS = 4000
MOST_CHARACTERS = 20_000
MOST_FREQUENT = 2000
#: Where all trainings of this server run.
TRAINING = ThreadPoolExecutor(max_workers=4, thread_name_prefix="training")
_STARTING = Lock()
Made = TypeVar("Made")
#: What everybody knows of something that takes long: what it is made of, how far it is, itself.
Place = dict[str, Any]
#: Where the place of a run that is to go on from another one has that one's history.
_PARENT = "parent"


#: The settings of a run that say which file it is from, and what it was told at which steps.
_FILE, _TOLD = "file", "interventions"
_SAMPLE_TITLES = {str(sample.title): sample.title for sample in SAMPLES.values()}


class Run(NamedTuple):
    """Everything that decides a history. `corpus` is a word-count table in text if `is_table`."""

    title: str
    corpus: str
    is_table: bool
    algorithm: str
    vocab_size: int
    pretokenizer: str
    pretokenizer_settings: tuple[tuple[str, Any], ...] = ()
    settings: tuple[tuple[str, Any], ...] = ()

    def make_pretokenizer(self) -> Pretokenizer:
        """The pre-tokenizer with its settings; raises ValueError for a bad pattern."""
        return make_pretokenizer(self.pretokenizer, **dict(self.pretokenizer_settings))


def run_of_sample(sample: Sample) -> Run:
    """The run that a sample is best shown with."""
    settings = dict(sample.settings)
    algorithm, size = settings.pop("algorithm"), settings.pop("vocab_size")
    pretokenizer = settings.pop("pretokenizer")
    fields = tuple(
        (setting.name, settings[setting.name])
        for setting in settings_of(TRAINERS[algorithm])
        if settings.get(setting.name, setting.default) != setting.default
    )
    table = not isinstance(sample.corpus, str)
    return Run(sample.title, sample_text(sample), table, algorithm, size, pretokenizer, (), fields)


def title_of(run: Run) -> str:
    """What the corpus of a run is called, in the language of the page: links and files call a
    sample by its English title.

    >>> title_of(run_of_sample(SAMPLES["course"])), title_of(Run("Mine", "", False, "bpe", 9, ""))
    ('Four course sentences', 'Mine')
    """
    return here(_SAMPLE_TITLES.get(run.title, run.title))


def replay_run(base: Run, file: str) -> Run:
    """The run that replays the merges of an opened tokenizer on the corpus of another run. `file`
    is what `tokenizer_files.remember` returned."""
    opened = find(file)
    settings = ((_FILE, file), ("name", opened.name))
    of_base = (base.title, base.corpus, base.is_table)
    return Run(*of_base, Replay.name, len(opened.tokenizer.strings), "file", (), settings)


def of_file(run: Run, file: str) -> Run:
    """The run as it was read from a history file, known by its digest: it is kept apart from what
    is trained here, since anybody may have written the file."""
    return run._replace(settings=(*run.settings, (_FILE, file)))


def trained_here(run: Run) -> Run:
    """The run without what says that its history came from a file.

    >>> run = Run("", "a b", False, "bpe", 9, "gpt2", (), (("unit", "byte"),))
    >>> trained_here(of_file(run, "0f")) == run
    True
    """
    if is_replay(run):
        return run
    return run._replace(settings=tuple(pair for pair in run.settings if pair[0] != _FILE))


def can_be_told(algorithm: str) -> bool:
    """Whether a run can be told what to choose.

    >>> can_be_told("bpe"), can_be_told("sentencepiece-unigram"), can_be_told("replay")
    (True, False, False)
    """
    return _TOLD in getattr(TRAINERS.get(algorithm), "__dataclass_fields__", {})


def told(run: Run) -> Interventions:
    """What the run is told to choose at some steps, whatever its rule says.

    >>> run = Run("", "a b", False, "bpe", 9, "gpt2")
    >>> told(telling(run, ((2, ("a", "b")),)))
    ((2, ('a', 'b')),)
    """
    interventions: Interventions = dict(run.settings).get(_TOLD, ())
    return interventions


def telling(run: Run, interventions: Interventions) -> Run:
    """The run that is told other things, or nothing, and is otherwise the same. One of a file stays
    apart from what is trained here.

    >>> run = of_file(Run("", "a b", False, "bpe", 9, "gpt2"), "0f")
    >>> telling(run, ((2, ("a", "b")),)).settings
    (('interventions', ((2, ('a', 'b')),)), ('file', '0f'))
    >>> telling(telling(run, ((2, ("a", "b")),)), ()) == run
    True
    """
    own = [pair for pair in run.settings if pair[0] not in (_TOLD, _FILE)]
    file = [pair for pair in run.settings if pair[0] == _FILE]
    new = [(_TOLD, interventions)] if interventions else []
    return run._replace(settings=(*own, *new, *file))


def is_replay(run: Run) -> bool:
    """Whether the run replays the merges of a file, and trains nothing."""
    return run.algorithm == Replay.name


def trainable(run: Run) -> Run:
    """The run, or in the place of a replay the usual training on its corpus.

    >>> trainable(Run("", "a b", False, "replay", 9, "file"))[3:6]
    ('bpe', 50, 'gpt2')
    """
    return Run(*run[:3], "bpe", 50, "gpt2") if is_replay(run) else trained_here(run)


def run_from(base: Run, title: str, vocab_size: int, settings: Mapping[str, Any]) -> Run:
    """A run on the corpus of another one, as `tokviz.train` takes its `settings`: "algorithm",
    "pretokenizer" (a name or an instance) and the trainer's fields. "vocab_size" is left out."""
    chosen = dict(settings)
    kind = TRAINERS[chosen.pop("algorithm")]
    pretokenizer = make_pretokenizer(chosen.pop("pretokenizer", kind.default_pretokenizer))
    changed = tuple(
        (field.name, getattr(pretokenizer, field.name))
        for field in fields(pretokenizer)
        if getattr(pretokenizer, field.name) != field.default
    )
    own = tuple(
        (setting.name, chosen[setting.name])
        for setting in settings_of(kind)
        if chosen.get(setting.name, setting.default) != setting.default
    )
    of_base = (title, base.corpus, base.is_table, kind.name, vocab_size)
    return Run(*of_base, pretokenizer.name, changed, own)


def sample_text(sample: Sample) -> str:
    """A sample as the corpus field shows it: its text, or one "word,count" a line."""
    corpus = sample.corpus
    if isinstance(corpus, str):
        return corpus
    return "\n".join(f"{word},{count}" for word, count in corpus.items())


class Stopped(tokviz.Cancelled):
    """Somebody wanted no more steps. `run` is what was trained until then: the same run with a
    vocabulary of the size that was reached, whose history is known."""

    def __init__(self, run: Run, history: History) -> None:
        super().__init__(history.stopped)
        self.run, self.history = run, history


def history_of(run: Run) -> History:
    """The history of a run; trains with a progress bar unless somebody did before.

    Training goes on in a thread of its own, so that a click elsewhere on the page does not lose
    it. Raises ValueError with a sentence for a corpus or setting that cannot be, Cancelled, and
    Stopped.
    """
    place = place_for(run)
    try:
        return made_once(place, lambda: _train(run, place), f"{hash(run[1:]):x}")
    except Stopped as stopped:
        place_for(stopped.run).setdefault("made", stopped.history)
        raise


def told_of_training(progress: Progress) -> tuple[float, str]:
    """The share of a training that is done, and where it is in words."""
    done: dict[str, Any] = {
        "done": progress.done,
        "total": progress.total,
        "stage": progress.stage,
    }
    if progress.seconds > 1:
        left = f"{progress.seconds_left:.0f}"
        said = _("{done:,} of {total:,} {stage}, about {seconds} s left", **done, seconds=left)
    else:
        said = _("{done:,} of {total:,} {stage}", **done)
    return min(1.0, progress.done / progress.total) if progress.total else 1.0, said


def made_once(
    place: Place,
    make: Callable[[], Made],
    key: str,
    told: Callable[[Any], tuple[float, str]] = told_of_training,
) -> Made:
    """What a training makes, kept in its place for everybody; with a progress bar, unless somebody
    made it before.

    Training goes on in a thread of its own. It says how far it is in `place["progress"]`, and
    `told` makes a share and words of that; it ends early if `place` has "enough", "stop" or
    "cancel". Raises whatever the training raises, and then nothing is kept.
    """
    if "made" not in place:
        # Several people may ask for the same at once: one training serves them all.
        with _STARTING:
            if "made" not in place and "training" not in place:
                place["training"] = TRAINING.submit(make)
            training: Future[Made] | None = place.get("training")
        if training is not None:
            _show_progress(place, training, key, told)
            try:
                place["made"] = training.result()
            finally:
                with _STARTING:
                    if place.get("training") is training:
                        del place["training"]
                        place.pop("enough", None)
    made: Made = place["made"]
    return made


def _train(run: Run, place: Place) -> History:
    def note(progress: Progress) -> bool:
        place["progress"] = progress
        return "enough" not in place

    check_run(run, limits.LIMITS)
    corpus = read_word_table(run.corpus) if run.is_table else run.corpus
    if is_replay(run):
        return _replayed(run, corpus, place, note)
    history = (
        _gone_on(run, place.pop(_PARENT), note)
        if _PARENT in place
        else tokviz.train(
            corpus,
            run.algorithm,
            run.vocab_size,
            run.make_pretokenizer(),
            note,
            counted=check_counted,
            **dict(trained_here(run).settings),
        )
    )
    enough, steps = place.get("enough"), len(history)
    if enough == "stop" and steps:
        raise Stopped(run._replace(vocab_size=history.vocab_size(steps)), history)
    if enough:
        raise tokviz.Cancelled(message("Training was cancelled."))
    return history


def goes_on_from(run: Run, history: History) -> None:
    """Has a run that is told something made out of the one that was told the same but for the last
    time, at the cost of the steps that follow."""
    # A run that was stopped would go on to the size that it was meant to have.
    if history.trainer.vocab_size == run.vocab_size:
        place_for(run)[_PARENT] = history


def _gone_on(run: Run, history: History, note: ProgressCallback) -> History:
    step, choice = told(run)[-1]
    return tokviz.branch(history, step, choice, note)


def _replayed(run: Run, corpus: Corpus, place: Place, note: ProgressCallback) -> History:
    opened = find(dict(run.settings)[_FILE])
    history = tokviz.replay(opened, corpus, note)
    enough = place.get("enough")
    if enough == "stop" and len(history):
        raise Stopped(run._replace(settings=(*run.settings, ("steps", len(history)))), history)
    if enough:
        raise tokviz.Cancelled(message("The replay was cancelled."))
    return history


def _show_progress(
    place: Place,
    training: Future[Any],
    key: str,
    told: Callable[[Any], tuple[float, str]] = told_of_training,
) -> None:
    """Waits for the training, with a bar and a way out once it takes a while."""
    wait([training], timeout=0.3)
    if training.done():
        return
    area = st.empty()
    with area.container():
        bar = st.empty()
        # A click runs the page anew; it finds the training in its place and waits for it again.
        with st.container(horizontal=True):
            for label, enough, effect in (
                (_("Stop here"), "stop", _("Show what has been trained until now.")),
                (_("Cancel"), "cancel", _("Train nothing, and keep what is on the page.")),
            ):
                st.button(
                    label,
                    on_click=place.__setitem__,
                    args=("enough", enough),
                    key=f"{enough}_{key}",
                    help=effect,
                )
    while not training.done():
        progress = place.get("progress")
        bar.progress(*((0.0, _("Starting …")) if progress is None else told(progress)))
        wait([training], timeout=0.1)
    area.empty()


def place_for(run: Run) -> Place:
    """Where everything that was made of a run is kept for everybody."""
    # The title does not decide the history.
    place: Place = _place_for(*run[1:])
    return place


@st.cache_resource(max_entries=MOST_HISTORIES, show_spinner=False)
def _place_for(*run: Any) -> Place:
    """Where the history of a run is kept for everybody: empty until it is trained, since a cached
    function cannot move a progress bar."""
    return {"run": run}


def kept(run: Run, what: str, most: int, key: Any, make: Callable[[], Made]) -> Made:
    """What was made of a run for everybody; only the last few are kept."""
    known: dict[Any, Made] = place_for(run).setdefault(what, {})
    # Another session may take it out at the same time.
    if (made := known.pop(key, None)) is None:
        made = make()
    known[key] = made
    for old in list(known)[:-most]:
        known.pop(old, None)
    return made


def possible_sizes(run: Run) -> tuple[WordCounts, int, int]:
    """The words that a run is trained on, and the least and the greatest vocabulary size that it
    can be asked for. Raises ValueError if its corpus or settings cannot be."""
    check_run(run, limits.LIMITS)
    trainer = make_trainer(run.algorithm, **dict(trained_here(run).settings))
    chosen = configured(trainer, run.make_pretokenizer())
    words = words_for(trainer, chosen, run.corpus, run.is_table)
    return (
        words,
        trainer.least_vocab_size(words, chosen),
        trainer.greatest_vocab_size(words, chosen),
    )


def words_for(
    trainer: Trainer, pretokenizer: Pretokenizer, corpus: str, is_table: bool
) -> WordCounts:
    """The words that a trainer will see. Raises ValueError if the corpus cannot be read."""
    check_text(corpus, limits.LIMITS.corpus)
    chosen = configured(trainer, pretokenizer)
    decided = tuple((f.name, getattr(chosen, f.name)) for f in fields(chosen))
    words = words_of(corpus, is_table, chosen.name, decided, trainer.special_tokens)
    check_counted(words)
    return words


def check_counted(words: WordCounts) -> None:
    """Raises LimitError for words that are beyond the limits of this server."""
    check_words(words, limits.LIMITS.corpus)


@st.cache_resource(max_entries=MOST_HISTORIES, show_spinner=False)
def words_of(
    corpus: str,
    is_table: bool,
    pretokenizer: str,
    pretokenizer_settings: tuple[tuple[str, Any], ...],
    special_tokens: tuple[str, ...],
) -> WordCounts:
    """The distinct words of a corpus, for the sizes that make sense for it."""
    chosen = make_pretokenizer(pretokenizer, **dict(pretokenizer_settings))
    return count_words(read_word_table(corpus) if is_table else corpus, chosen, special_tokens)
