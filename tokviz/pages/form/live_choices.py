"""What the browser is told so that it trains at once with another choice of the set-up, before
Python has heard of it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from tokviz.basics.messages import here
from tokviz.pages.form.setting_fields import pretokenizer_in_form, settings_in_form
from tokviz.pages.form.setup import run_in_form
from tokviz.pages.form.strip import FAMILIES, UNITS
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.keys import ALGORITHM, PRETOKENIZER, UNIT
from tokviz.player.own_text import OFFERED, kit_for
from tokviz.pretokenizers import PRETOKENIZERS
from tokviz.server.runs import Run, changed_settings, trained_here
from tokviz.trainers import TRAINERS, Setting, settings_of


class _Field(NamedTuple):
    """A field: its key, what it shows now, and the run of each choice."""

    key: str
    now: str
    choices: dict[str, Run]


def live_choices() -> list[dict[str, Any]]:
    """Return the fields that have choices, those of the only lane or of the one whose panel is
    open: the class by which the browser finds each, what it shows `now`, and for every other
    choice, as it is shown, how a run with it is trained ("retrain" is None where no browser can).
    Of several lanes it says which one that is, and what all are called then.
    """
    visit = this_visit()
    lanes, lane = visit.lanes, visit.editing if len(visit.lanes) > 1 else 0
    if (
        not lanes
        or lane is None
        or any(run.of_tokenizer or run.corpus.read_as != "text" for run in lanes)
    ):
        return []
    run = run_in_form()
    if run.interventions or replace(run, corpus=lanes[lane].corpus).key != _key(lanes[lane]):
        return []
    found = [_algorithms(run), *_settings(run, ["unit"], {"unit": UNIT})]
    if visit.editing is not None:
        found += [_pretokenizers(run), *_switches(run)]
        found += _settings(run, [each.name for each in settings_of(TRAINERS[run.algorithm])])
    return [_told(field, lanes, lane) for field in found]


def _told(field: _Field, lanes: Sequence[Run], lane: int) -> dict[str, Any]:
    kits = {shown: _kit(run) for shown, run in field.choices.items() if shown != field.now}
    if len(lanes) > 1:
        for shown, kit in kits.items():
            chosen = replace(field.choices[shown], corpus=lanes[lane].corpus)
            others = [*lanes[:lane], chosen, *lanes[lane + 1 :]]
            kits[shown] = {**kit, "lane": lane, "labels": labels(others)}
    name = re.sub("[^a-zA-Z0-9_-]", "-", field.key.strip())
    return {"field": f"st-key-{name}", "now": field.now, "choices": {field.now: {}, **kits}}


def _key(run: Run) -> object:
    return trained_here(run).key


def _kit(run: Run) -> dict[str, Any]:
    if run.algorithm not in OFFERED:
        return {"retrain": None}
    try:
        return kit_for(run.algorithm, run.pretokenizer, run.pretokenizer_settings, run.settings)
    except ValueError:
        return {"retrain": None}  # Training says what is wrong.


def _algorithms(run: Run) -> _Field:
    choices = {}
    for name in FAMILIES:
        cut = TRAINERS[name].default_pretokenizer
        choices[here(TRAINERS[name].label)] = replace(
            run,
            algorithm=name,
            settings=settings_in_form(name),
            pretokenizer=cut,
            pretokenizer_settings=pretokenizer_in_form(cut),
        )
    return _Field(ALGORITHM, here(TRAINERS[run.algorithm].label), choices)


def _settings(run: Run, names: Sequence[str], keys: Mapping[str, str] = {}) -> list[_Field]:
    """Return the fields of some settings that have choices. `keys` has those of the fields beside
    the text, which show their choices in other words."""
    found = []
    for each in settings_of(TRAINERS[run.algorithm]):
        if each.name not in names or not each.choices:
            continue
        shown = UNITS if each.name in keys else {}
        choices = {here(shown.get(value, value)): _with(run, each, value) for value in each.choices}
        now = run.trainer_settings.get(each.name, each.default)
        key = keys.get(each.name, f"{run.algorithm}.{each.name}")
        found.append(_Field(key, here(shown.get(now, now)), choices))
    return found


def _with(run: Run, setting: Setting, value: Any) -> Run:
    chosen = {**dict(run.settings), setting.name: value}
    return replace(run, settings=changed_settings(run.algorithm, chosen))


def _pretokenizers(run: Run) -> _Field:
    choices = {
        here(kind.label): replace(
            run, pretokenizer=name, pretokenizer_settings=pretokenizer_in_form(name)
        )
        for name, kind in PRETOKENIZERS.items()
    }
    return _Field(PRETOKENIZER, here(PRETOKENIZERS[run.pretokenizer].label), choices)


def _switches(run: Run) -> list[_Field]:
    """Return the switches of the pre-tokenizer; a browser knows them as on or off."""
    found = []
    own = dict(run.pretokenizer_settings)
    for each in fields(PRETOKENIZERS[run.pretokenizer]):
        if "label" not in each.metadata or not isinstance(each.default, bool):
            continue
        choices = {}
        for on in (False, True):
            changed = tuple(({**own, each.name: on}).items())
            choices["on" if on else "off"] = replace(run, pretokenizer_settings=changed)
        now = "on" if own.get(each.name, each.default) else "off"
        found.append(_Field(f"{run.pretokenizer}.{each.name}", now, choices))
    return found
