"""Names of the lanes on a page and the facts that distinguish them, and the choice of a lane."""

from collections.abc import Sequence
from dataclasses import fields, replace

import streamlit as st

from tokviz import PRETOKENIZERS, TRAINERS
from tokviz.analysis.lane_names import INTERVENTIONS, interventions_said, shown, told_apart
from tokviz.basics.messages import _, message
from tokviz.pages.widgets import markup
from tokviz.pages.widgets.put import keyed
from tokviz.server import page_limits
from tokviz.server.runs import READ_AS, Run, TokenizerFile, title_of
from tokviz.trainers import settings_of


def facts(run: Run, whole: bool = False) -> dict[str, str]:
    """Return the settings of a run as labels and values: the algorithm, the size, the
    pre-tokenizer, and the settings that differ from their defaults, or all of them if `whole`.

    >>> from tokviz import SAMPLES
    >>> from tokviz.server.runs import run_of_sample
    >>> facts(run_of_sample(SAMPLES["course"]))
    {'Algorithm': 'BPE', 'Vocabulary': '50', 'Pre-tokenizer': 'GPT-2', 'Unit': 'byte'}
    """
    if isinstance(run.source, TokenizerFile):
        name = run.source.name
        size = f"{run.vocab_size:,}"
        if run.goes_on:
            kind = message("BPE from {source}", source=name)
        else:
            kind = message("Merges of {name}", name=name)
        told = interventions_said(run.interventions, True)
        return {
            message("Algorithm"): kind,
            message("Vocabulary"): size,
            message("Pre-tokenizer"): message("from the file"),
            **({INTERVENTIONS: told} if run.interventions else {}),
        }
    trainer = TRAINERS[run.algorithm]
    rows: dict[str, str] = {
        message("Algorithm"): trainer.label,
        message("Vocabulary"): f"{run.vocab_size:,}",
    }
    if not run.corpus.is_table:
        rows[message("Pre-tokenizer")] = PRETOKENIZERS[run.pretokenizer].label
        kinds = {field.name: field.metadata for field in fields(PRETOKENIZERS[run.pretokenizer])}
        for name, value in run.pretokenizer_settings:
            rows[kinds[name].get("label", name)] = shown(value)
    chosen = dict(run.settings)
    for setting in settings_of(trainer):
        if whole or setting.name in chosen:
            rows[setting.label] = shown(chosen.get(setting.name, setting.usual(run.vocab_size)))
    if run.interventions:
        rows[INTERVENTIONS] = interventions_said(run.interventions, trainer.family.merges)
    return rows


def labels(runs: Sequence[Run], whole: bool = False) -> list[str]:
    """Name each lane: its algorithm, and if another lane has the same, up to two facts that
    distinguish them, or all such facts if `whole`.

    >>> from tokviz import SAMPLES
    >>> from tokviz.server.runs import run_of_sample
    >>> run = run_of_sample(SAMPLES["course"])
    >>> labels([run, replace(run, vocab_size=60), replace(run, algorithm="unigram", settings=())])
    ['BPE · 50', 'BPE · 60', 'Unigram']
    >>> bert = replace(run, algorithm="wordpiece", pretokenizer="bert", settings=())
    >>> labels([bert, replace(bert, pretokenizer_settings=(("normalize", True),))])
    ['WordPiece · Lower-case, strip accents: no', 'WordPiece · Lower-case, strip accents: yes']
    >>> other = replace(run, vocab_size=60, pretokenizer="bert", settings=())
    >>> labels([run, other]), labels([run, other], whole=True)[1]
    (['BPE · 50 · GPT-2', 'BPE · 60 · BERT'], 'BPE · 60 · BERT · char')
    >>> of_languages = replace(run, corpus=replace(run.corpus, read_as="languages"))
    >>> labels([run, of_languages])
    ['BPE · Text', 'BPE · Languages']
    """
    known = [
        {
            message("Corpus"): title_of(run),
            **facts(run, whole=True),
            message("Read as"): READ_AS[run.corpus.read_as],
        }
        for run in runs
    ]
    return told_apart(known, whole)


def lane_choice(names: Sequence[str], key: str) -> int:
    """Draw the choice of a lane, if there are several, and return it. It may be put into the widget
    of the name `key` and the number of lanes (put.py)."""
    if len(names) == 1:
        return 0
    lane: int | None = st.segmented_control(
        _("Lane"),
        range(len(names)),
        format_func=lambda i: markup.label(names[i]),
        required=True,
        label_visibility="collapsed",
        **keyed(f"{key}_{len(names)}", 0),
    )
    return lane or 0


def pair_name(left: str, right: str) -> str:
    """Name a pair of lanes; a common beginning is not repeated.

    >>> pair_name("BPE · first-seen", "BPE · shortest"), pair_name("BPE", "Unigram")
    ('BPE · first-seen ↔ shortest', 'BPE ↔ Unigram')
    """
    first = left.partition(" · ")[0] + " · "
    return f"{left} ↔ {right.removeprefix(first)}"


def has_two_scores(run: Run) -> bool:
    """Return whether the algorithm of a run has a choice of scores, as WordPiece has."""
    kind = TRAINERS.get(run.algorithm)
    return kind is not None and any(setting.name == "score" for setting in settings_of(kind))


def _but_settings(run: Run) -> Run:
    return Run(
        replace(run.corpus, title=""),
        run.algorithm,
        run.vocab_size,
        run.pretokenizer,
        run.pretokenizer_settings,
    )


def other_score(runs: Sequence[Run]) -> Run | None:
    """Return the first lane that has two scores as a run with its other one. None if that is a lane
    already, if no lane has two, or if there is no room.

    >>> from tokviz import SAMPLES
    >>> from tokviz.server.runs import run_of_sample
    >>> run = run_of_sample(SAMPLES["course"])
    >>> run = replace(run, algorithm="wordpiece", settings=())
    >>> other_score([run]).settings
    (('score', 'frequency'),)
    >>> other_score([run, other_score([run])]) is None
    True
    """
    run = next(filter(has_two_scores, runs), None)
    if run is None or len(runs) >= page_limits.lanes():
        return None
    known = {setting.name: setting.default for setting in settings_of(TRAINERS[run.algorithm])}
    chosen = {**known, **dict(run.settings)}
    if chosen["score"] == "frequency":
        # A minimum frequency is possible only with the score "frequency".
        chosen |= {"score": "likelihood", "min_frequency": known["min_frequency"]}
    else:
        chosen["score"] = "frequency"
    changed = tuple((name, chosen[name]) for name in known if chosen[name] != known[name])
    other = replace(_but_settings(run), corpus=run.corpus, settings=changed)
    alike = (lane for lane in runs if _but_settings(lane) == _but_settings(run))
    scores = {dict(lane.settings).get("score") for lane in alike}
    return None if len(scores) > 1 else other
