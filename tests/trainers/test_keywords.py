"""What an editor completes is what the trainers take."""

from dataclasses import fields
from typing import Literal, get_args, get_origin, get_overloads, get_type_hints

import pytest

import tokviz
from tokviz.trainers import settings_of
from tokviz.trainers.keywords import Interventions, Texts

TYPED = {
    get_args(hints["algorithm"])[0]: hints
    for hints in map(get_type_hints, get_overloads(tokviz.train))
    if get_origin(hints["algorithm"]) is Literal
}


def test_every_typed_algorithm_is_there():
    """One that nobody typed is trained as well; editors then complete no settings of it."""
    assert len(TYPED) >= 5
    assert TYPED.keys() <= tokviz.TRAINERS.keys()


@pytest.mark.parametrize("algorithm", TYPED)
def test_the_names_and_types_are_those_of_the_trainer(algorithm):
    trainer = tokviz.TRAINERS[algorithm]
    (typed,) = get_args(TYPED[algorithm]["settings"])
    keywords, given = get_type_hints(typed), get_type_hints(trainer)
    names = [field.name for field in fields(trainer) if field.init and field.name != "vocab_size"]
    assert sorted(keywords) == sorted(names)
    choices = {setting.name: setting.choices for setting in settings_of(trainer)}
    for name, kind in keywords.items():
        if choices.get(name):
            assert get_args(kind) == choices[name]
        elif name == "interventions":
            assert kind == Interventions
        elif get_origin(given[name]) is tuple:
            assert kind == Texts
        else:
            assert kind is given[name]


@pytest.mark.parametrize("algorithm", TYPED)
def test_the_history_is_of_the_kind_that_is_said(algorithm):
    history = tokviz.train("hug hugs pug pugs " * 9, algorithm, 12)
    assert type(history) is TYPED[algorithm]["return"]
