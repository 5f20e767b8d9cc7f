"""The runs of a lesson, on its own text or on the visitor's."""

from collections.abc import Sequence
from dataclasses import replace

from tokviz import SAMPLES
from tokviz.basics.messages import ENGLISH, current, message, using
from tokviz.history.base import History
from tokviz.lessons.lesson import Lesson
from tokviz.lessons.sizes import fitting_size
from tokviz.lessons.staging import Staged, stage
from tokviz.pages.form.corpus_fields import OWN_TEXT
from tokviz.pages.visit.link import from_links
from tokviz.pages.visit.unfinished import run_with_history
from tokviz.server import limits
from tokviz.server.before_training import possible_sizes
from tokviz.server.histories import kept
from tokviz.server.limit_checks import LimitError
from tokviz.server.runs import Corpus, Run, read_corpus, run_from, sample_corpus
from tokviz.text.languages import text_for

#: Most entries cached for a run's scenes, by language.
MOST_STAGED = 8
#: The name under which `reached` remembers a stopped run while a lesson is open on a text.
PURPOSE = "lesson"


def own_text_of(lesson: Lesson, links: Sequence[str]) -> str:
    """Return the text of the runs in an address, or "" if it is the lesson's own.

    >>> from tokviz.lessons.lesson import bundled
    >>> own_text_of(bundled()["why-subwords"], ["course", "nonsense"])
    ''
    """
    known = {_corpus(lesson, name).text for name in lesson.runs}
    for run in from_links(links[:1])[0]:
        if run and run.corpus.read_as == "text" and run.corpus.text not in known:
            return run.corpus.text
    return ""


def check_own(text: str) -> None:
    """Raise LimitError for a text that is too long for a lesson."""
    most = limits.LIMITS.corpus.lesson_characters
    if len(text) > most:
        raise LimitError(
            message(
                "The text has {n:,} characters; a lesson takes up to {most:,}. Give a shorter one, "
                "or train on it on the page Train.",
                n=len(text),
                most=most,
            )
        )


def runs_of(lesson: Lesson, own: str) -> dict[str, Run]:
    """Return the lesson's runs by name, on the visitor's text `own` if there is one. Raises
    ValueError for an invalid setting or text."""
    runs = {}
    for name, settings in lesson.runs.items():
        chosen = {**settings}
        run = run_from(_corpus(lesson, name), chosen.pop("vocab_size"), chosen)
        runs[name] = _on(run, own) if own and name not in lesson.samples else run
    return runs


def _on(run: Run, own: str) -> Run:
    """Return the run on another text, with as many steps as that allows."""
    other = replace(run, corpus=Corpus(OWN_TEXT, own))
    (_words, least, _most), (_own, own_least, most) = possible_sizes(run), possible_sizes(other)
    return replace(other, vocab_size=fitting_size(run.vocab_size, least, own_least, most))


def _corpus(lesson: Lesson, run: str = "") -> Corpus:
    """Return the corpus of a lesson, or of one of its runs."""
    if name := lesson.samples.get(run, lesson.sample):
        return sample_corpus(SAMPLES[name])
    if isinstance(lesson.corpus, str):
        return Corpus(lesson.title, lesson.corpus)
    words = "\n".join(f"{word},{count}" for word, count in lesson.corpus.items())
    return Corpus(lesson.title, words, "counts")


def staged_on(lesson: Lesson, own: str) -> tuple[list[Staged], dict[str, Run]]:
    """Return the scenes of a lesson on a text, in the language of the page, and its runs (stopped
    ones with the size they reached). Trains runs that are not cached; raises as `history_of` does.
    Stopped runs are remembered until `PURPOSE` is forgotten."""
    runs, histories, whole = dict[str, Run](), dict[str, History](), True
    for name, run in runs_of(lesson, own).items():
        runs[name], histories[name] = run_with_history(run, PURPOSE)
        whole = whole and runs[name] == run
    on_text = (run for name, run in runs.items() if name not in lesson.samples)
    base = next(on_text, Run(_corpus(lesson), "bpe", 1, "gpt2"))
    corpus = text_for(False, read_corpus(*base.corpus.key))

    def make() -> list[Staged]:
        # Statements about the sample may be wrong for a training that was stopped.
        return stage(lesson, histories, corpus, bool(own) or not whole)

    # An uploaded lesson is private and in its own language; two may have the same name.
    if lesson.name == "file":
        with using(ENGLISH):
            return make(), runs
    key = (lesson.name, bool(own), current(), tuple(run.key for run in runs.values()))
    return kept(base, "staged", MOST_STAGED, key, make), runs
