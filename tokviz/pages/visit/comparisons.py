"""Ready-made comparisons: two to four runs on one corpus that differ in one thing."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tokviz import PRESETS, SAMPLES
from tokviz.basics.messages import message
from tokviz.history.ties import TIE_BREAKS
from tokviz.pretokenizers import REGEX_PRESETS, make_pretokenizer
from tokviz.server import page_limits
from tokviz.server.before_training import possible_sizes
from tokviz.server.limit_checks import check_lanes
from tokviz.server.runs import Run, run_from, run_of_sample
from tokviz.trainers.unigram import SEEDS_EACH


class SideBySide(NamedTuple):
    """A comparison: its name, a note, and the settings of each run as in `tokviz.train`. One of
    languages has a `sample`, on which it trains unless the first lane's text is in languages."""

    label: str
    note: str
    settings: tuple[Mapping[str, Any], ...]
    needs_text: bool = False
    sample: str = ""


def _preset(name: str) -> dict[str, Any]:
    return dict(PRESETS[name].settings)


_BYTES: dict[str, Any] = {"algorithm": "bpe", "pretokenizer": "gpt2", "unit": "byte"}
_GPT4 = make_pretokenizer("regex", pattern=REGEX_PRESETS["gpt4 (cl100k)"])
#: Nothing is unknown, and no word is cut at the vowel signs of Hindi and Thai.
_ALL_BYTES: dict[str, Any] = {
    "unit": "byte",
    "initial_alphabet": ("bytes",),
    "pretokenizer": make_pretokenizer("regex", pattern=REGEX_PRESETS["gpt4o (o200k)"]),
}

#: Add a comparison here.
COMPARISONS = {
    "families": SideBySide(
        message("The three families"),
        message(
            "BPE and WordPiece merge what is frequent or likely; Unigram removes what is "
            "needed least."
        ),
        (_BYTES, {"algorithm": "wordpiece"}, {"algorithm": "unigram"}),
    ),
    "ties": SideBySide(
        message("Four tie-breaks"),
        message("The same counts, and four rules for pairs that are equally frequent."),
        tuple({**_BYTES, "tie_break": rule} for rule in TIE_BREAKS),
    ),
    "wordpieces": SideBySide(
        message("Course WordPiece and Hugging Face WordPiece"),
        message("The published score is a likelihood; the library’s trainer counts, as BPE does."),
        (_preset("course-wordpiece"), _preset("hf-wordpiece")),
    ),
    "unigrams": SideBySide(
        message("Course Unigram and SentencePiece Unigram"),
        message(
            "The course never counts again, and removes tokens by the exact loss. The library "
            "estimates anew by EM, and removes them by an approximation."
        ),
        (_preset("course-unigram"), {"algorithm": "sentencepiece-unigram"}),
    ),
    "units": SideBySide(
        message("Characters and bytes"),
        message("Bytes leave nothing unknown, and spend merges on putting characters together."),
        ({**_BYTES, "unit": "char"}, _BYTES),
    ),
    "pretokenizers": SideBySide(
        message("GPT-2 and GPT-4 pre-tokenizer"),
        message(
            "GPT-4’s pattern cuts numbers after three digits, and a word may include the "
            "punctuation mark before it."
        ),
        (_BYTES, {**_BYTES, "pretokenizer": _GPT4}),
        needs_text=True,
    ),
    "who-pays": SideBySide(
        message("Who pays, language by language"),
        message(
            "Below the lanes: what the same held-out text costs each language in each of them."
        ),
        (
            {"algorithm": "bpe", **_ALL_BYTES},
            {"algorithm": "parity-bpe", **_ALL_BYTES},
            {
                "algorithm": "sentencepiece-unigram",
                "byte_fallback": True,
                "character_coverage": 1.0,
            },
        ),
        sample="ten-languages",
    ),
}


def lanes_for(name: str, base: Run) -> tuple[Run, ...]:
    """Return the runs of a comparison on the corpus of a run, with its vocabulary size if possible.

    Raises ValueError if its corpus cannot be trained on so.

    >>> base = run_of_sample(SAMPLES["course"])
    >>> [(run.algorithm, run.vocab_size) for run in lanes_for("families", base)]
    [('bpe', 50), ('wordpiece', 50), ('unigram', 50)]
    >>> [(run.corpus.title, run.vocab_size) for run in lanes_for("who-pays", base)][:1]
    [('Human rights in ten languages', 1000)]
    """
    chosen = COMPARISONS[name]
    if chosen.sample and not base.corpus.has_languages:
        base = run_of_sample(SAMPLES[chosen.sample])
    if chosen.needs_text and base.corpus.is_table:
        raise ValueError(
            message(
                "{comparison} needs a text: the words of a table are cut already. Choose another "
                "corpus, or read it as text.",
                comparison=chosen.label,
            )
        )
    check_lanes(len(chosen.settings), page_limits.lanes())
    size = base.vocab_size
    return fitted([run_from(base.corpus, size, settings) for settings in chosen.settings])


def fitted(runs: Sequence[Run]) -> tuple[Run, ...]:
    """Return the runs with a vocabulary size that their corpus allows: if one is too small, all get
    twice the smallest size possible for every run. Raises ValueError for an invalid corpus."""
    runs = [run if run.of_tokenizer else _with_room(run) for run in runs]
    trained = [run for run in runs if not run.of_tokenizer]
    least = max((possible_sizes(run)[1] for run in trained), default=0)
    if min((run.vocab_size for run in trained), default=1) <= least:
        size = min(page_limits.vocabulary(), 2 * least)
        runs = [run if run.of_tokenizer else replace(run, vocab_size=size) for run in runs]
    return tuple(run if run.of_tokenizer else _with_room(run) for run in runs)


def _with_room(run: Run) -> Run:
    """Remove a number of seeds that leaves Unigram nothing to prune; the default is used."""
    settings = tuple(
        (name, value)
        for name, value in run.settings
        if name != "seed_size" or value >= SEEDS_EACH * run.vocab_size
    )
    return page_limits.with_room(replace(run, settings=settings))
