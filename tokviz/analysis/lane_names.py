"""Runs by name: what each was asked for, and what tells several of them apart."""

import dataclasses
from collections.abc import Mapping, Sequence

from tokviz.basics.messages import Message, here, listed, message
from tokviz.history.base import History
from tokviz.pretokenizers import REGEX_PRESETS
from tokviz.trainers import settings_of
from tokviz.trainers.interventions import Choice, Interventions

#: Facts in the name of a lane, if they are enough.
MOST_FACTS = 2
#: What interventions are called.
INTERVENTIONS = message("What if")


def facts_of(history: History, whole: bool = False) -> dict[str, str]:
    """What a run was asked for, as labels and values for people: beyond the algorithm, the size
    and the pre-tokenizer only the settings that were changed, or all of them if `whole`.

    It does not say what the corpus was: a history does not know.

    >>> import tokviz
    >>> facts_of(tokviz.train("low lower", "bpe", 9, "whitespace", tie_break="shortest"))
    {'Algorithm': 'BPE', 'Vocabulary': '9', 'Pre-tokenizer': 'Whitespace', 'Tie-break': 'shortest'}
    """
    trainer, pretokenizer = history.trainer, history.pretokenizer
    rows: dict[str, str] = {
        message("Algorithm"): trainer.label,
        message("Vocabulary"): f"{trainer.vocab_size:,}",
        message("Pre-tokenizer"): pretokenizer.label,
    }
    for field in dataclasses.fields(pretokenizer):
        value = getattr(pretokenizer, field.name)
        if value != field.default:
            rows[field.metadata.get("label", field.name)] = shown(value)
    for setting in settings_of(trainer):
        value = getattr(trainer, setting.name)
        if whole or value != setting.usual(trainer.vocab_size):
            rows[setting.label] = shown(value)
    if interventions := getattr(trainer, "interventions", ()):
        rows[INTERVENTIONS] = interventions_said(interventions, history.merges)
    return rows


def interventions_said(interventions: Interventions, merges: bool) -> str:
    """The interventions of a run of merges, or of prunings; people count steps from 1.

    >>> interventions_said(((13, ("t", "h")), (20, ("e", "r"))), True)
    'step 14 t + h, step 21 e + r'
    >>> interventions_said(((0, ("keep", "ug", "un")),), False)
    'step 1 keep ug un'
    """
    return listed(intervention_said(step, choice, merges) for step, choice in interventions)


def intervention_said(step: int, choice: Choice, merges: bool) -> Message:
    """One of them.

    >>> intervention_said(0, ("drop", "ug"), False)
    'step 1 drop ug'
    """
    if merges:
        left, right = choice
        return message("step {step:,} {left} + {right}", step=step + 1, left=left, right=right)
    action, *tokens = choice
    names = " ".join(tokens)
    if action == "keep":
        return message("step {step:,} keep {tokens}", step=step + 1, tokens=names)
    return message("step {step:,} drop {tokens}", step=step + 1, tokens=names)


def names_of(histories: Sequence[History]) -> list[str]:
    """A name for each run: its algorithm, and where another one has the same, what differs.

    >>> import tokviz
    >>> runs = [tokviz.train("low lower", "bpe", size, "whitespace") for size in (8, 9)]
    >>> names_of(runs), names_of(runs[:1])
    (['BPE · 8', 'BPE · 9'], ['BPE'])
    """
    return told_apart([facts_of(history, whole=True) for history in histories])


def told_apart(known: Sequence[Mapping[str, str]], whole: bool = False) -> list[str]:
    """A name for each run of which `known` says the facts: its "Algorithm", and where another run
    has the same one, what differs; no more than two facts if they tell the runs apart, or all of
    them if `whole`. A run without interventions is not named by that. Runs of which all facts are
    the same are numbered. The names are in the current language.

    >>> told_apart([{"Algorithm": "BPE", "Unit": "byte"}, {"Algorithm": "BPE", "Unit": "char"}])
    ['BPE · byte', 'BPE · char']
    >>> told_apart([{"Algorithm": "BPE"}] * 2)
    ['BPE (1)', 'BPE (2)']
    >>> told_apart([{"Algorithm": "BPE"}, {"Algorithm": "BPE", "What if": "step 3 t + h"}])
    ['BPE', 'BPE · What if: step 3 t + h']
    """
    names = []
    for mine in known:
        same = [other for other in known if other["Algorithm"] == mine["Algorithm"]]
        keys = dict.fromkeys(key for other in same for key in other)
        apart = [key for key in keys if len({other.get(key, "") for other in same}) > 1]
        few = apart[:MOST_FACTS]
        if not whole and len({tuple(map(other.get, few)) for other in same}) == len(same):
            apart = few
        told = [
            _named(key, mine, {other.get(key) for other in same})
            for key in apart
            if key != INTERVENTIONS or key in mine
        ]
        names.append(" · ".join([here(mine["Algorithm"]), *told]))
    return [
        f"{name} ({names[: i + 1].count(name)})" if names.count(name) > 1 else name
        for i, name in enumerate(names)
    ]


def shown(value: object) -> str:
    """A setting's value as people read it.

    >>> shown(True), shown(("<s>", "</s>")), shown("byte")
    ('yes', '<s> </s>', 'byte')
    """
    if isinstance(value, bool):
        return message("yes") if value else message("no")
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    patterns = {pattern: name for name, pattern in REGEX_PRESETS.items()}
    return patterns.get(str(value), str(value))


def _named(key: str, mine: Mapping[str, str], values: set[str | None]) -> str:
    """A fact that tells runs apart; what says nothing by itself comes with its name. A setting of
    a pre-tokenizer that is not among the facts was not changed."""
    otherwise = shown("yes" not in values) if {"yes", "no"} & values else message("none")
    value = mine.get(key) or otherwise
    plain = key == "Vocabulary" or not value.isdigit()
    alone = plain and key != INTERVENTIONS and value not in ("none", "yes", "no")
    return here(value) if alone else f"{here(key)}: {here(value)}"
