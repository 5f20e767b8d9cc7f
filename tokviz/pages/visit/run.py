"""One run as the page knows it: what was asked for, and its history, trained once for everybody."""

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, NamedTuple, TypeVar

import streamlit as st

import tokviz
from tokviz.basics.messages import _, here, message
from tokviz.history.base import History
from tokviz.pretokenizers import (
    REGEX_PRESETS,
    Pretokenizer,
    RegexPretokenizer,
    make_pretokenizer,
)
from tokviz.server import limits
from tokviz.server.limit_checks import check_run, check_text, check_words
from tokviz.server.limits import LIMITS
from tokviz.server.opened_files import files_of, find
from tokviz.server.pool import CANCEL, LATE, Call, Job, TrainingFailed, out_of_time, work
from tokviz.server.shared_cache import Place, Shelf, history_bytes
from tokviz.server.streamlit_patches import session
from tokviz.server.waiting import TakesLong, bar, made_once, spinner
from tokviz.text.corpus import WordCounts
from tokviz.text.samples import SAMPLES, Sample
from tokviz.trainers import TRAINERS, Trainer, configured, settings_of
from tokviz.trainers.interventions import Interventions
from tokviz.trainers.replay import Replay
from tokviz.trainers.training import make_trainer

#: How much of a text is shown.
MOST_WORDS = 4000
MOST_CHARACTERS = 20_000
MOST_FREQUENT = 2000
#: Characters whose words are counted before a worker would have begun.
MOST_COUNTED = 50_000
#: Seconds of work for what a form only wants to know beforehand.
MOST_SECONDS = 10
#: Substrings that are counted as seeds before a worker would have begun.
MOST_SUBSTRINGS = 1_000_000
#: Lanes of both desks, whose histories a session holds on to.
MOST_HELD = 8
#: What is kept in memory for each byte of a column, with what answers are made from.
_UNPACKED = 4
Made = TypeVar("Made")
#: Where the place of a run that is to go on from another one has that one's history.
_PARENT = "parent"
#: What was made of runs, and the words of corpora, for everybody.
_SHELF = Shelf(LIMITS.kept.histories, LIMITS.kept.megabytes)
_WORDS = Shelf(LIMITS.kept.histories, LIMITS.kept.megabytes / 4)


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
    """Somebody wanted no more steps, or the time of the training was over. `run` is what was
    trained until then: the same run with a vocabulary of the size that was reached, whose history
    is known. `late` says so if its time was over."""

    def __init__(self, run: Run, history: History, late: str = "") -> None:
        super().__init__(history.stopped)
        self.run, self.history, self.late = run, history, late


def history_of(run: Run) -> History:
    """The history of a run; trains with a progress bar unless somebody did before.

    Training goes on in a process of its own, so that neither a click elsewhere on the page nor a
    reload loses it. Raises ValueError with a sentence for a corpus or setting that cannot be and
    for a training that failed, Cancelled, and Stopped.
    """
    place, held = place_for(run), _held()
    if "made" not in place and run[1:] in held:
        # It was taken off the shelf while a page shows it.
        place["made"], _size = held[run[1:]]
        _weigh_history(run, place["made"])

    def finish(job: Job, made: Any) -> History:
        if is_replay(run):
            made = work.replayed(find(dict(run.settings)[_FILE]), made)
        try:
            history = _finished(run, job, made)
        except Stopped as stopped:
            place_for(stopped.run).setdefault("made", stopped.history)
            _weigh_history(stopped.run, stopped.history)
            raise
        _weigh_history(run, history)
        return history

    try:
        history = made_once(place, lambda: _call(run, place), finish, bar(f"{hash(run[1:]):x}"))
    finally:
        # Nobody weighs it.
        place.pop(_PARENT, None)
    _hold(run, history)
    return history


def put_history(run: Run, history: History) -> None:
    """Makes a history known that was trained elsewhere."""
    place_for(run)["made"] = history
    _weigh_history(run, history)


def _held() -> OrderedDict[Any, tuple[History, float]]:
    """The histories that this session holds on to, whatever becomes of the shelf, and the bytes of
    each."""
    if not session():
        return OrderedDict()
    held: OrderedDict[Any, tuple[History, float]]
    held = st.session_state.setdefault("held", OrderedDict())
    return held


def _hold(run: Run, history: History) -> None:
    """Has the session hold on to a history. Beyond its bounds, it lets go of those used longest
    ago; never of what its page shows or waits for."""
    held, most = _held(), limits.LIMITS.kept.session_megabytes * 1e6
    if held.get(run[1:], (None,))[0] is not history:
        held[run[1:]] = history, _bytes_of(history)
    held.move_to_end(run[1:])
    needed = {run[1:], *(lane[1:] for lane in _on_page())}
    for key in [key for key in held if key not in needed]:
        if len(held) <= MOST_HELD and sum(size for _history, size in held.values()) <= most:
            return
        del held[key]


def _on_page() -> tuple[Run, ...]:
    """The lanes that the page of this session shows, and those that it waits for."""
    if not session():
        return ()
    state = st.session_state
    return (*state.get("lanes", ()), *state.get("wanted_lanes", ()))


def _call(run: Run, place: Place) -> Call:
    """What a worker does for a run."""
    check_run(run, limits.LIMITS)
    of_corpus = (run.corpus, run.is_table)
    if is_replay(run):
        return Call(work.replay, (files_of(dict(run.settings)[_FILE]), *of_corpus))
    if _PARENT in place:
        return Call(work.go_on, (place[_PARENT], *told(run)[-1]))
    settings = dict(trained_here(run).settings)
    asked = (run.algorithm, run.vocab_size, run.make_pretokenizer(), settings)
    return Call(work.train, (*of_corpus, *asked, limits.LIMITS.corpus))


def _finished(run: Run, job: Job, history: History) -> History:
    """The history that a job made, if it is whole. Raises Stopped or Cancelled if not."""
    steps = len(history)
    if history.stop.kind != "cancelled":
        # It was done before it heard that it was enough.
        return history
    if job.enough == LATE and not steps:
        raise out_of_time(LIMITS.training.seconds)
    if not steps or job.enough in (CANCEL, None):
        raise tokviz.Cancelled(message("Training was cancelled."))
    late = ""
    if job.enough == LATE:
        late = message(
            "The training took more than the {seconds:,.0f} seconds that this server allows. You "
            "see what was trained until then; for all of it, use a shorter text, or your own "
            "computer with python -m tokviz train.",
            seconds=LIMITS.training.seconds,
        )
    if is_replay(run):
        raise Stopped(run._replace(settings=(*run.settings, ("steps", steps))), history, late)
    raise Stopped(run._replace(vocab_size=history.vocab_size(steps)), history, late)


def goes_on_from(run: Run, history: History) -> None:
    """Has a run that is told something made out of the one that was told the same but for the last
    time, at the cost of the steps that follow."""
    # A run that was stopped would go on to the size that it was meant to have.
    if history.trainer.vocab_size == run.vocab_size:
        place_for(run)[_PARENT] = history


def place_for(run: Run) -> Place:
    """Where everything that was made of a run is kept for everybody."""
    # The title does not decide the history.
    return _SHELF.place(run[1:])


def _weigh(run: Run, what: str, size: float) -> None:
    _SHELF.weigh(run[1:], what, size)


def _weigh_history(run: Run, history: History) -> None:
    _weigh(run, "made", _bytes_of(history))


def _bytes_of(history: History) -> float:
    """What a history takes in memory."""
    columns, texts = history_bytes(history)
    return _UNPACKED * columns + texts


def kept(run: Run, what: str, most: int, key: Any, make: Callable[[], Made]) -> Made:
    """What was made of a run for everybody; only the last few are kept."""
    place = place_for(run)
    known: dict[Any, Made] = place.setdefault(what, {})
    # Another session may take it out at the same time.
    if (made := known.pop(key, None)) is None:
        made = make()
    known[key] = made
    for old in list(known)[:-most]:
        known.pop(old, None)
    _weigh(run, what, sum(_weight(value, place) for value in list(known.values())))
    return made


def _weight(value: object, place: Place) -> int:
    """The bytes that something takes: counted, or guessed to be those of the history's words."""
    if isinstance(value, bytes):
        return len(value)
    history: History | None = place.get("made")
    return 0 if history is None else 8 * len(history.words)


def possible_sizes(run: Run) -> tuple[WordCounts, int, int]:
    """The words that a run is trained on, and the least and the greatest vocabulary size that it
    can be asked for. Raises ValueError if its corpus or settings cannot be."""
    check_run(run, limits.LIMITS)
    # Seeds may follow the size: it can be as large as the largest that this server trains.
    most = limits.LIMITS.settings.vocabulary
    trainer = make_trainer(run.algorithm, most, **dict(trained_here(run).settings))
    chosen = configured(trainer, run.make_pretokenizer())
    words = words_for(trainer, chosen, run.corpus, run.is_table)
    place = _WORDS.place((run.corpus, run.is_table, chosen, trainer))
    if "made" not in place and _has_few_seeds(trainer, words):
        place["made"] = work.sizes(words, trainer, chosen, None)
    call = Call(work.sizes, (words, trainer, chosen))
    return words, *_made_soon(place, call, lambda _job, made: made)


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


def words_of(
    corpus: str,
    is_table: bool,
    pretokenizer: str,
    pretokenizer_settings: tuple[tuple[str, Any], ...],
    special_tokens: tuple[str, ...],
) -> WordCounts:
    """The distinct words of a corpus, for the sizes that make sense for it."""
    key = (corpus, is_table, pretokenizer, pretokenizer_settings, special_tokens)
    place = _WORDS.place(key)
    chosen = make_pretokenizer(pretokenizer, **dict(pretokenizer_settings))
    asked = (corpus, is_table, chosen, special_tokens)
    if "made" not in place and _is_short(corpus, chosen):
        place["made"] = work.count(*asked, None)

    def finish(job: Job, words: WordCounts) -> WordCounts:
        _WORDS.weigh(key, "made", _UNPACKED * job.bytes)
        return words

    return _made_soon(place, Call(work.count, asked), finish)


def _made_soon(place: Place, call: Call, finish: Callable[[Job, Made], Made]) -> Made:
    """What a worker makes within some seconds. Raises TakesLong if it does not, from then on at
    once, and TrainingFailed if it has too little memory."""
    if "slow" in place:
        raise TakesLong(place["slow"])

    def made() -> Made:
        return made_once(
            place, lambda: call, finish, spinner(_("Counting the words …"), MOST_SECONDS)
        )

    try:
        try:
            return made()
        except tokviz.Cancelled:
            # Nobody looked at it for a while. Now somebody does.
            return made()
    except TakesLong as error:
        place["slow"] = error.args[0]
        raise
    except MemoryError:
        raise TrainingFailed(
            message("The corpus is too large for this computer; train on a shorter text.")
        ) from None


def _is_short(corpus: str, pretokenizer: Pretokenizer) -> bool:
    """Whether the words of a corpus are counted so fast that no worker need be asked. How long a
    pattern of one's own takes, nobody knows."""
    return len(corpus) <= MOST_COUNTED and not is_own_pattern(pretokenizer)


def is_own_pattern(pretokenizer: Pretokenizer) -> bool:
    """Whether somebody may have written the pattern that cuts the text."""
    return (
        isinstance(pretokenizer, RegexPretokenizer)
        and pretokenizer.pattern not in REGEX_PRESETS.values()
    )


def _has_few_seeds(trainer: Trainer, words: WordCounts) -> bool:
    """Whether the words are short enough, and what may be a seed is little enough, for this
    process."""
    longest = getattr(trainer, "max_token_length", MOST_SUBSTRINGS // MOST_COUNTED)
    return sum(min(len(word), longest) * len(word) for word in words.words) <= MOST_SUBSTRINGS
