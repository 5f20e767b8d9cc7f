"""Check requests against the server's limits: each error names the limit, and what to do.

    check_run      before anything is counted: the corpus in bytes, and the settings
    check_words    once it is counted: how many different words, and how long they are
    check_opened   the same of a history from a file

The engine, Python and the command line have none of these limits; only the pages ask for them.
"""

from dataclasses import fields
from typing import Any

from tokviz.basics.errors import TokvizError
from tokviz.basics.markup import visible
from tokviz.basics.messages import Message, counted, message, sentences
from tokviz.history.base import History
from tokviz.pretokenizers import PRETOKENIZERS
from tokviz.pretokenizers.pattern import LONGEST
from tokviz.server.limits import Limits, OfCorpus, Settings
from tokviz.server.runs import Run
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import TRAINERS, settings_of

#: Settings for the number of seeds, and for the seconds that a pattern may take.
SEEDS, PATTERN_TIME = ("seed_size", "seed_sentencepiece_size"), "timeout"
#: Most seeds of the exact Unigram, whatever limits.toml allows: every round visits all of them.
MOST_EXACT_SEEDS = 200_000

#: Settings with tokens that the trainer does not choose.
SPECIALS = ("special_tokens", "user_defined_symbols")

#: Merges that an opened history may have for each token of the largest vocabulary: a merge whose
#: string exists already adds no token, and few merges are like that.
MERGES = 2
#: Prunings and EM steps that an opened history may have; trainings here hardly reach it.
ROUNDS = 10_000

_SHORTER = message(
    "Give a shorter text; or, on your own computer, count its words (python -m tokviz count … "
    "--out words.tsv) and give that file, or train there (python -m tokviz train), which has no "
    "limits."
)
_RARER = message(
    "Give a shorter text, or a word-count table without the rarest words (python -m tokviz count … "
    "--min-count 2 --out words.tsv); or train on your own computer (python -m tokviz train), which "
    "has no limits."
)
_CUT = message(
    "Choose a pre-tokenizer that cuts it, or shorten it; or train on your own computer (python -m "
    "tokviz train), which has no limits."
)
_LESS = message(
    "Ask for less; or train on your own computer (python -m tokviz train), which allows more."
)
_LESS_HERE = message("Ask for less.")
_FEWER = message(
    "Take some out; or train on your own computer (python -m tokviz train --what-if), which has no "
    "limits."
)
_IN_PYTHON = message("Open the file in Python with tokviz.load, which has no limits.")


class LimitError(TokvizError):
    """A request beyond a limit; the message says what was asked, what is allowed, and what to do.
    `said` is the message without what to do.

    >>> str(LimitError("9 are too many.", "Ask for less.")), LimitError("9 are too many.").said
    ('9 are too many. Ask for less.', '9 are too many.')
    """

    def __init__(self, said: str, to_do: str = "") -> None:
        super().__init__(sentences(said, to_do))
        self.said = said


def check_run(run: Run, limits: Limits) -> None:
    """Raise LimitError for a run whose corpus or settings are beyond a limit.

    `check_words` checks what is known only after counting. A replay has no settings to check.
    """
    check_text(run.corpus.text, limits.corpus)
    if run.algorithm in TRAINERS:
        _check_settings(run, run.vocab_size, limits.settings)


def check_opened(run: Run, history: History, limits: Limits) -> None:
    """Raise LimitError for an opened history beyond a limit; `run` is the run that it belongs to.
    What can be trained here can be opened here, up to `ROUNDS` steps.

    The bytes of its distinct words count, not those of the run's corpus: that is a word-count
    table, which may be longer than the text. The vocabulary size is the one that was asked for: a
    Unigram run that was stopped early has more tokens.
    """
    steps, most = len(history), MERGES * limits.settings.vocabulary if history.merges else ROUNDS
    try:
        check_words(history.words, limits.corpus)
        check_bytes(bytes_of("".join(history.words.words)), limits.corpus)
        _check_settings(run, history.trainer.vocab_size, limits.settings)
    except LimitError as error:
        said = error.said
        raise LimitError(said, _IN_PYTHON) from None
    if steps > most:
        said = message(
            "The history has {n:,} steps; this server opens up to {most:,}.", n=steps, most=most
        )
        raise LimitError(said, _IN_PYTHON)


def check_text(text: str, limits: OfCorpus) -> None:
    """Raise LimitError for a text or word-count table with too many bytes."""
    check_bytes(bytes_of(text), limits)


def check_bytes(n: int, limits: OfCorpus) -> None:
    """Raise LimitError if a corpus of `n` bytes is too large."""
    if n > limits.bytes:
        said = message(
            "The corpus has {n:,} bytes; this server takes up to {most:,}.", n=n, most=limits.bytes
        )
        raise LimitError(said, _SHORTER)


def check_held_out(text: str, limits: OfCorpus) -> None:
    """Raise LimitError for a held-out text with too many bytes."""
    if (n := bytes_of(text)) > limits.held_out_bytes:
        raise LimitError(
            message(
                "The held-out text has {n:,} bytes; this server takes up to {most:,}. Give a "
                "shorter one; or take the tokenizers along (Share) and encode it on your own "
                "computer (python -m tokviz encode).",
                n=n,
                most=limits.held_out_bytes,
            )
        )


def bytes_of(text: str) -> int:
    """Return the length of a text in UTF-8 bytes; a lone surrogate counts as three.

    >>> bytes_of("ab"), bytes_of("é"), bytes_of("\\ud800")
    (2, 2, 3)
    """
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def check_words(words: WordCounts, limits: OfCorpus) -> None:
    """Raise LimitError for too many distinct words, or too long a word."""
    if len(words) > limits.distinct_words:
        said = message(
            "The corpus has {n:,} different words; this server takes up to {most:,}.",
            n=len(words),
            most=limits.distinct_words,
        )
        raise LimitError(said, _RARER)
    longest = max(words.words, key=len, default="")
    if len(longest) > limits.word_characters:
        said = message(
            "The word that begins with “{start}” has {n:,} characters; this server takes words of "
            "up to {most:,}.",
            start=visible(longest[:20]),
            n=len(longest),
            most=limits.word_characters,
        )
        raise LimitError(said, _CUT)


def check_lanes(n: int, most: int) -> None:
    """Raise LimitError for more lanes than allowed."""
    if n > most:
        raise LimitError(
            message(
                "{n} lanes are asked for, and there is room for {most}; leave some out.",
                n=n,
                most=most,
            )
        )


def check_interventions(n: int, limits: Settings) -> None:
    """Raise LimitError for a run with too many interventions."""
    if n > limits.what_ifs:
        said = message(
            "The run was told what to choose at {n:,} steps; this server takes up to {most}.",
            n=n,
            most=limits.what_ifs,
        )
        raise LimitError(said, _FEWER)


def most_of(algorithm: str, name: str, limits: Settings) -> int:
    """Return the largest vocabulary size ("vocab_size") or number of seeds that this server allows
    for an algorithm.

    >>> from tokviz.server.limits import LIMITS
    >>> most_of("unigram", "seed_size", LIMITS.settings)
    200000
    """
    if name == "vocab_size":
        return limits.vocabulary
    return min(limits.seeds, _range(algorithm, name) or MOST_EXACT_SEEDS)


def _range(algorithm: str, name: str) -> int | None:
    """Return the largest value that the trainer itself allows for a setting, or None if any."""
    settings = settings_of(TRAINERS[algorithm])
    found = next((setting.greatest for setting in settings if setting.name == name), None)
    return None if found is None else int(found)


def _check_settings(run: Run, vocab_size: int, limits: Settings) -> None:
    usual = {
        setting.name: setting.usual(vocab_size)
        for setting in settings_of(TRAINERS[run.algorithm])
        if setting.name in SEEDS
    }
    for name, value in ({"vocab_size": vocab_size} | usual | dict(run.settings)).items():
        if name == "vocab_size" or name in SEEDS:
            _check_size(run.algorithm, name, value or usual.get(name, 0), limits)
    check_interventions(len(run.interventions), limits)
    for name in SPECIALS:
        _check_specials(len(dict(run.settings).get(name, ())), limits)
    times: dict[str, Any] = {f.name: f.default for f in fields(PRETOKENIZERS[run.pretokenizer])}
    times |= dict(run.pretokenizer_settings)
    if PATTERN_TIME in times:
        _check_time(times[PATTERN_TIME], limits)


def check_new_tokens(n: int, limits: Settings) -> None:
    """Raise LimitError if a tokenizer file is to get `n` more tokens than a training may have."""
    most = most_of("bpe", "vocab_size", limits)
    if n > most:
        said = message(
            "{n:,} new tokens are asked for; this server trains up to {most:,}.", n=n, most=most
        )
        raise LimitError(said, _LESS)


def _check_size(algorithm: str, name: str, n: int, limits: Settings) -> None:
    most = most_of(algorithm, name, limits)
    if n <= most:
        return
    said = (
        message(
            "A vocabulary size of {n} is asked for; this server trains up to {most:,}.",
            n=_written(n),
            most=most,
        )
        if name == "vocab_size"
        else message(
            "A seed vocabulary of {n} is asked for; this server takes up to {most:,}.",
            n=_written(n),
            most=most,
        )
    )
    greatest = _range(algorithm, name)
    to_do = _LESS if greatest is None or n <= greatest else _LESS_HERE
    raise LimitError(said, to_do)


def _check_specials(n: int, limits: Settings) -> None:
    if n > limits.special_tokens:
        said = message(
            "{n:,} special tokens are asked for; this server takes up to {most:,}.",
            n=n,
            most=limits.special_tokens,
        )
        raise LimitError(said, _LESS)


def _check_time(seconds: float, limits: Settings) -> None:
    most = min(LONGEST, limits.pattern_seconds)
    if not seconds <= most:
        said = message(
            "The pattern may take up to {n} s per document; this server allows {most:g}.",
            n=_written(seconds),
            most=most,
        )
        to_do = _LESS if seconds <= LONGEST else _LESS_HERE
        raise LimitError(said, to_do)


def _written(n: float) -> str:
    """Format a number for a sentence; of a very long one, only its beginning.

    >>> _written(1200), _written(2.5), _written(10**400)
    ('1,200', '2.5', '1000000000000000…')
    """
    return f"{n:,}" if n < 10**15 else f"{n}"[:16] + "…"


def size_said(n: int) -> Message:
    """Format a number of bytes, rounded down: a limit must not look larger than it is.

    >>> size_said(3_000_000_000), size_said(50_000_000), size_said(2_560_000), size_said(70)
    ('3 GB', '50 MB', '2.5 MB', '70 bytes')
    """
    if n >= 10**9:
        return message("{n:g} GB", n=n // 10**8 / 10)
    if n >= 10**6:
        return message("{n:g} MB", n=n // 10**5 / 10)
    if n >= 1000:
        return message("{n} kB", n=n // 1000)
    return counted("{n} byte", "{n} bytes", n)
