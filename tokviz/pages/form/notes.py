"""What there is to say of the lanes on the page: why a training ended early, and how their texts
are read and kept."""

from collections.abc import Sequence
from typing import NamedTuple

from tokviz.basics.messages import _, here
from tokviz.history.base import History
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.link import links_of
from tokviz.server.before_training import MOST_COUNTED
from tokviz.server.runs import Run
from tokviz.text.given_corpus import documents
from tokviz.text.languages import begins_unnamed, header
from tokviz.trainers import TRAINERS
from tokviz.trainers.reached import unreached


class LanguageLines(NamedTuple):
    """How the lanes take lines such as `=== English ===`: whether some lane reads languages there
    as its corpus says (`named`), whether for some a language begins there though it reads the text
    as one (`split`), whether some train on such lines, and whether a text begins above them."""

    named: bool
    split: bool
    trained_on: bool
    unnamed: bool


def notes(lanes: Sequence[Run], histories: Sequence[History]) -> list[str]:
    """Return a sentence for each lane whose training ended before its vocabulary size, and others
    on languages, and on texts that differ or are in no link."""
    told = []
    for run, history, name in zip(lanes, histories, labels(lanes), strict=True):
        if (run.goes_on or not run.of_tokenizer) and unreached(history, run.vocab_size):
            why = history.stopped
            told.append(why if len(lanes) == 1 else _("{lane}: {said}", lane=name, said=here(why)))
    told += _of_languages(language_lines(lanes))
    if len({run.corpus.text for run in lanes}) > 1:
        told.append(_("The lanes have different texts; this is the first lane’s."))
    elif len({run.corpus.read_as for run in lanes}) > 1:
        told.append(_("The lanes read this text in different ways; the settings say which."))
    if any(run.of_tokenizer for run in lanes):
        told.append(
            _(
                "One lane begins with a tokenizer’s file, which does not fit into a link. Save a "
                "web page instead: it has all steps in it."
            )
        )
    elif not links_of(lanes):
        told.append(_("The text is too long for a link. Save this moment as a file instead."))
    return told


def language_lines(lanes: Sequence[Run]) -> LanguageLines:
    """Return how the lanes take the lines of languages in their texts, of long ones in what comes
    first.

    >>> from tokviz.server.runs import Corpus
    >>> text = "=== English ===\\nlow lower"
    >>> language_lines([Run(Corpus("", text, "languages"), "bpe", 9, "gpt2")])
    LanguageLines(named=True, split=False, trained_on=False, unnamed=False)
    """
    trained = [run for run in lanes if not run.of_tokenizer]
    named = [run for run in trained if run.corpus.has_languages]
    split = [run for run in trained if run not in named and TRAINERS[run.algorithm].by_language]
    others = [run for run in trained if run not in named and run not in split]
    return LanguageLines(
        named=bool(named),
        split=bool(split),
        # Where no lane has languages, such a line is a line as any.
        trained_on=bool(named or split) and any(map(_has_headers, others)),
        unnamed=any(begins_unnamed(run.corpus.text) for run in named),
    )


def _has_headers(run: Run) -> bool:
    return any(map(header, documents(run.corpus.text[:MOST_COUNTED])))


def _of_languages(lines: LanguageLines) -> list[str]:
    if not lines.named:
        if not (lines.split and lines.trained_on):
            return []
        return [
            _(
                "At lines such as === English === a language begins for Parity-aware BPE, and "
                "other lanes train on them. Read as “Languages” in the settings, no lane does."
            )
        ]
    told = [
        _(
            "Lines such as === English === say which language follows. Some lanes read the "
            "text otherwise, and train on them."
        )
        if lines.trained_on
        else _("Lines such as === English === say which language follows; no lane trains on them.")
    ]
    if lines.unnamed:
        told.append(_("What stands before the first of them is a language called “text”."))
    return told
