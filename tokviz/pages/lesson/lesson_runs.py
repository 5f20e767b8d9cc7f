"""The runs of a lesson: on the text that it brings, and on any other one."""

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
from tokviz.pages.visit.unfinished import reached
from tokviz.server import limits
from tokviz.server.before_training import possible_sizes
from tokviz.server.histories import kept
from tokviz.server.limit_checks import LimitError
from tokviz.server.runs import Corpus, Run, run_from, sample_corpus
from tokviz.text.word_table import read_word_table

#: Languages in which what a lesson says of a run is kept.
MOST_STAGED = 8
#: What is ended while a lesson is open on a text.
WISH = "lesson"


def own_text_of(lesson: Lesson, links: Sequence[str]) -> str:
    """The text that the runs of an address have, if it is not the lesson's; else "".

    >>> from tokviz.lessons.lesson import bundled
    >>> own_text_of(bundled()["why-subwords"], ["course", "nonsense"])
    ''
    """
    known = {_corpus(lesson, name).text for name in lesson.runs}
    for run in from_links(links[:1])[0]:
        if run and not run.corpus.is_table and run.corpus.text not in known:
            return run.corpus.text
    return ""


def check_own(text: str) -> None:
    """Raises LimitError for a text that is too long for a lesson, where a class waits."""
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
    """The lesson's runs, by name, on one's own text if there is one. Raises ValueError for settings
    or a text that cannot be."""
    runs = {}
    for name, settings in lesson.runs.items():
        chosen = {**settings}
        run = run_from(_corpus(lesson, name), chosen.pop("vocab_size"), chosen)
        runs[name] = _on(run, own) if own and name not in lesson.samples else run
    return runs


def _on(run: Run, own: str) -> Run:
    """The same training on another text, with as many steps as that allows."""
    other = replace(run, corpus=Corpus(OWN_TEXT, own))
    (_words, least, _most), (_own, own_least, most) = possible_sizes(run), possible_sizes(other)
    return replace(other, vocab_size=fitting_size(run.vocab_size, least, own_least, most))


def _corpus(lesson: Lesson, run: str = "") -> Corpus:
    """The lesson's text, or that of one of its runs."""
    if name := lesson.samples.get(run, lesson.sample):
        return sample_corpus(SAMPLES[name])
    if isinstance(lesson.corpus, str):
        return Corpus(lesson.title, lesson.corpus)
    words = "\n".join(f"{word},{count}" for word, count in lesson.corpus.items())
    return Corpus(lesson.title, words, is_table=True)


def staged_on(lesson: Lesson, own: str) -> tuple[list[Staged], dict[str, Run]]:
    """The scenes of a lesson on a text, in the language of the page, and its runs, those that were
    stopped as far as they came. Trains what nobody has trained before; raises as `history_of` does
    otherwise. How a run ended is known until `WISH` is forgotten."""
    runs, histories, whole = dict[str, Run](), dict[str, History](), True
    for name, run in runs_of(lesson, own).items():
        runs[name], histories[name] = reached(run, WISH)
        whole = whole and runs[name] == run
    on_text = (run for name, run in runs.items() if name not in lesson.samples)
    base = next(on_text, Run(_corpus(lesson), "bpe", 1, "gpt2"))
    text = base.corpus.text
    corpus = read_word_table(text) if base.corpus.is_table else text

    def make() -> list[Staged]:
        # What is only said of the sample may not be true of a part of its training.
        return stage(lesson, histories, corpus, bool(own) or not whole)

    # A lesson of a file is somebody's own, in its own language; two may have one name.
    if lesson.name == "file":
        with using(ENGLISH):
            return make(), runs
    key = (lesson.name, bool(own), current(), tuple(run.key for run in runs.values()))
    return kept(base, "staged", MOST_STAGED, key, make), runs
