"""Write a run as JSON values, for links, moments and drafts, and read it.

A run is written without settings that have their defaults. Defaults may change between versions of
tokviz, so addresses and moments have a version: an old one is read with the defaults of its time,
one without a version is version 1. History files contain all settings, and have their own version
(`formats/history_file.py`).

    1   Unigram starts from 300 seeds, whatever the vocabulary size; lanes are aligned by step
    2   Unigram's seeds follow the vocabulary size (`tokviz.trainers.unigram.usual_seeds`)

In both, lanes without an alignment are aligned by step, and steps are counted from 0.
"""

import dataclasses
import math
from collections.abc import Mapping, Sequence
from typing import Any

from tokviz import PRETOKENIZERS, SAMPLES, TRAINERS, make_trainer
from tokviz.basics.messages import Message, message, told_by
from tokviz.pages.visit.tokenizer_link import (
    INTERVENTIONS,
    OF_FILES,
    names_file,
    run_of_file,
    written_source,
)
from tokviz.server import limits
from tokviz.server.limit_checks import check_interventions, check_run
from tokviz.server.runs import (
    Corpus,
    Run,
    TokenizerFile,
    sample_corpus,
    sample_of,
    takes_interventions,
)
from tokviz.trainers import settings_of
from tokviz.trainers.interventions import Interventions
from tokviz.trainers.unigram import LEAST_SEEDS, usual_seeds

#: The version that is written (`v` in an address).
VERSION = 2
#: How links have the ways to read a text; the first two are those of the first links.
_WRITTEN: Mapping[str, bool | str] = {"text": False, "counts": True, "languages": "languages"}

#: What messages call the link.
LINK = message("the link")


class LinkError(ValueError):
    """A link that cannot be read; the message says why."""

    def in_file(self) -> Message:
        """Return the message for a file instead of a link."""
        said: Message = self.args[0]
        of_file = {**said.values, "link": message("The file")}
        return Message(said.msgid, said.many, said.n, of_file)


def fields_of(run: Run, before: Sequence[Run] = ()) -> list[Any]:
    """Return a run as JSON values: the place of its text, and its fields. `run_of` reads them.

    >>> from tokviz.server.runs import run_of_sample
    >>> run = dataclasses.replace(run_of_sample(SAMPLES["course"]), vocab_size=60)
    >>> fields_of(run)[:6]
    ['course', '', '', False, 'bpe', 60]
    """
    # A link contains no history file, so the run is trained again.
    corpus, named = run.corpus, sample_of(run.corpus)
    texts = [other.corpus.text for other in before]
    settings = run.settings
    if run.interventions:
        settings = (*settings, (INTERVENTIONS, run.interventions))
    if isinstance(run.source, TokenizerFile):
        settings = (*settings, *written_source(run.source))
    asked = (run.algorithm, run.vocab_size, run.pretokenizer, run.pretokenizer_settings, settings)
    read_as = _WRITTEN[corpus.read_as]
    if named is not None:
        return [named, "", "", read_as, *asked]
    if corpus.text in texts:
        return [texts.index(corpus.text), corpus.title, "", read_as, *asked]
    return [None, corpus.title, corpus.text, read_as, *asked]


def no_sample(name: Any) -> Message:
    """Return why a sample's name cannot be read."""
    said = repr(str(name)[:40])
    return message(
        "{link} names the sample {name}, which does not exist here.", link=LINK, name=said
    )


def run_of(written: Any, before: Sequence[Run | None] = (), version: int = VERSION) -> Run:
    """Return the run of the JSON values that `fields_of` makes; they may have been tampered with.
    The first value is None for a text among them, a sample's name, or the number of an earlier
    lane. Missing settings get the defaults of `version`. Raises LinkError, LimitError, TypeError,
    ValueError.

    >>> import json
    >>> from tokviz.server.runs import run_of_sample
    >>> run = dataclasses.replace(run_of_sample(SAMPLES["course"]), vocab_size=60)
    >>> run_of(json.loads(json.dumps(fields_of(run)))) == run
    True
    """
    source, *fields = written
    title, text, read_as, algorithm, size, pretokenizer, pre_settings, settings = fields
    if type(source) is int:
        other = before[source] if 0 <= source < len(before) else None
        if other is None:
            raise LinkError(
                message(
                    "{link} has a lane that shares the text of one that does not come before it.",
                    link=LINK,
                )
            )
        text = other.corpus.text
    elif source is not None:
        if source not in SAMPLES:
            raise LinkError(no_sample(source))
        sample = sample_corpus(SAMPLES[source])
        title, text = sample.title, sample.text
    of_file = algorithm in OF_FILES
    if of_file and not names_file(settings):
        raise LinkError(
            message(
                "{link} shows the merges of a tokenizer's file, which no link can hold; open the "
                "file again.",
                link=LINK,
            )
        )
    if not of_file and (algorithm not in TRAINERS or pretokenizer not in PRETOKENIZERS):
        raise LinkError(
            message(
                "{link} asks for an algorithm or pre-tokenizer that does not exist here.",
                link=LINK,
            )
        )
    way = _way(read_as)
    if not (isinstance(title, str) and isinstance(text, str) and way):
        raise TypeError
    # A lone surrogate is no character and cannot be shown.
    (title + text).encode("utf-8")
    if not isinstance(size, int) or size < 1:
        raise LinkError(
            message(
                "{link} asks for a vocabulary size that is not a whole number of 1 or more.",
                link=LINK,
            )
        )
    corpus = Corpus(title, text, way)
    if of_file:
        run = _of_file(corpus, algorithm, size, settings)
        check_run(run, limits.LIMITS)
        return run
    names = {setting.name: setting.default for setting in settings_of(TRAINERS[algorithm])}
    interventions, settings = _interventions(settings, algorithm)
    of_words = {f.name: f.default for f in dataclasses.fields(PRETOKENIZERS[pretokenizer])}
    run = Run(
        corpus,
        algorithm,
        size,
        pretokenizer,
        _settings(pre_settings, of_words),
        _settings(settings, names),
        interventions,
    )
    if version == 1 and "seed_size" in names:
        run = _with_old_seeds(run)
    check_run(run, limits.LIMITS)
    return run


def _way(written: Any) -> str | None:
    """Return how a text is read, as links have it; None for anything else."""
    # 0 equals False.
    same = (name for name, way in _WRITTEN.items() if (type(way), way) == (type(written), written))
    return next(same, None)


def read_as_of(written: Any) -> str:
    """Return how the text of the values that `fields_of` makes is read, whatever the others are;
    "text" if they do not say so.

    >>> read_as_of([None, "", "", "languages", "bpe", 10**9]), read_as_of("~")
    ('languages', 'text')
    """
    try:
        _source, _title, _text, read_as, *_others = written
    except (TypeError, ValueError):
        return "text"
    return _way(read_as) or "text"


def _of_file(corpus: Corpus, algorithm: str, size: int, settings: Any) -> Run:
    try:
        return run_of_file(corpus, algorithm, size, settings)
    except ValueError as error:
        raise LinkError(told_by(error)) from error


def _with_old_seeds(run: Run) -> Run:
    """Return a run of a version 1 link with the number of seeds that was the default then.

    >>> _with_old_seeds(Run(Corpus("", "low"), "unigram", 4000, "metaspace")).settings
    (('seed_size', 300),)
    """
    if "seed_size" in dict(run.settings) or usual_seeds(run.vocab_size) == LEAST_SEEDS:
        return run
    return dataclasses.replace(run, settings=(("seed_size", LEAST_SEEDS), *run.settings))


def _interventions(pairs: Any, algorithm: str) -> tuple[Interventions, list[Any]]:
    """Return the interventions among settings, and the other settings. The trainer checks whether
    the interventions are possible."""
    settings = [(name, value) for name, value in pairs]
    found = [value for name, value in settings if name == INTERVENTIONS]
    others = [pair for pair in settings if pair[0] != INTERVENTIONS]
    if not found:
        return (), others
    if not takes_interventions(algorithm) or len(found) > 1:
        raise LinkError(
            message(
                "{link} tells {algorithm} what to choose, which this algorithm does not allow.",
                link=LINK,
                algorithm=algorithm,
            )
        )
    # Checked before it is read, since an error message would quote it.
    if not isinstance(found[0], list):
        raise TypeError
    check_interventions(len(found[0]), limits.LIMITS.settings)
    trainer: Any = make_trainer(algorithm, interventions=found[0])
    interventions: Interventions = trainer.interventions
    # A lone surrogate raises an error here, as in a corpus.
    "".join(text for _step, choice in interventions for text in choice).encode("utf-8")
    return interventions, others


def _settings(pairs: Any, known: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return settings by name, of the same types as the known defaults. The trainer checks their
    values, as it does those of a form."""
    settings = []
    for name, value in pairs:
        if name not in known:
            named = repr(str(name)[:40])
            raise LinkError(
                message("{link} has an unknown setting: {name}.", link=LINK, name=named)
            )
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            value = tuple(value)
        # A lone surrogate raises an error here, as in a corpus.
        texts = value if isinstance(value, tuple) else (value,)
        "".join(text for text in texts if isinstance(text, str)).encode("utf-8")
        kind = type(known[name])
        finite = type(value) in (int, float) and math.isfinite(value)
        if not (finite if kind is float else type(value) is kind):
            raise TypeError
        settings.append((name, value))
    return tuple(settings)
