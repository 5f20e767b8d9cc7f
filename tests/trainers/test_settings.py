"""Settings describe themselves, and refuse what they cannot be."""

import dataclasses

import pytest

import tokviz
from tokviz.trainers import TRAINERS, SettingError, settings_of


@pytest.mark.parametrize("name", TRAINERS)
def test_every_setting_tells_a_form_what_to_draw(name):
    kind = TRAINERS[name]
    assert (kind.name, bool(kind.label), bool(kind.help)) == (name, True, True)
    described = settings_of(kind)
    assert [s.name for s in described] == [
        f.name for f in dataclasses.fields(kind) if f.name not in ("vocab_size", "interventions")
    ]
    for setting in described:
        assert setting.label
        assert setting.help.endswith(".")
        if setting.choices:
            assert setting.default in setting.choices
    assert settings_of(kind()) == described


@pytest.mark.parametrize("name", TRAINERS)
def test_trainers_are_frozen_and_equal_by_value(name):
    trainer = tokviz.make_trainer(name, 77)
    assert trainer == tokviz.make_trainer(name, 77)
    assert hash(trainer) == hash(tokviz.make_trainer(name, 77))
    with pytest.raises(dataclasses.FrozenInstanceError):
        trainer.vocab_size = 3


def test_lists_are_taken_for_tuples():
    assert tokviz.make_trainer("bpe", special_tokens=["<s>"]).special_tokens == ("<s>",)


def test_a_whole_number_is_a_number():
    with pytest.raises(SettingError, match=r"prune_fraction=1 is too large; the greatest is 0\.9"):
        tokviz.make_trainer("unigram", prune_fraction=1)


@pytest.mark.parametrize(
    ("algorithm", "settings", "sentence"),
    [
        ("bep", {}, "algorithm='bep' is not known; choose bpe, wordpiece, unigram"),
        ("bpe", {"seed_size": 3}, "bpe has no setting 'seed_size'; its settings are vocab_size"),
        ("unigram", {"prune_fraction": 0.0}, r"the least is 0\.001"),
        ("unigram", {"prune_fraction": "0.1"}, "must be a number"),
        ("unigram", {"prune_fraction": float("nan")}, "must be a number"),
        ("unigram", {"trim_last": 1}, "must be yes or no"),
        ("wordpiece", {"score": "likely"}, "choose one of likelihood, frequency"),
        ("wordpiece", {"special_tokens": 3}, "must be a list of texts"),
        ("bpe", {"end_of_word_suffix": 7}, "must be text"),
        ("bpe", {"end_of_word_suffix": "\ud800"}, "holds half a surrogate pair"),
        ("bpe", {"continuing_subword_prefix": "b\udc3c"}, "holds half a surrogate pair"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(algorithm, settings, sentence):
    with pytest.raises(SettingError, match=sentence):
        tokviz.make_trainer(algorithm, 50, **settings)
