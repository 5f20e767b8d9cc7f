"""Draw and fill form fields that are generated from the fields of trainers and pre-tokenizers."""

import dataclasses
from collections.abc import Mapping
from typing import Any

import streamlit as st

from tokviz import PRETOKENIZERS, TRAINERS
from tokviz.basics.messages import _, here, message, sentences
from tokviz.pages.widgets.keys import PRETOKENIZER, VOCAB_SIZE
from tokviz.pretokenizers import Pretokenizer
from tokviz.server import page_limits
from tokviz.server.limit_checks import SEEDS
from tokviz.trainers import Setting, settings_of


def fill_pretokenizer(pretokenizer: Pretokenizer) -> None:
    """Choose a pre-tokenizer in the form, with its settings."""
    state = st.session_state
    state[PRETOKENIZER] = pretokenizer.name
    for field in dataclasses.fields(PRETOKENIZERS[pretokenizer.name]):
        if "label" in field.metadata:
            state[f"{pretokenizer.name}.{field.name}"] = getattr(pretokenizer, field.name)


def fill_settings(algorithm: str, settings: Mapping[str, Any]) -> None:
    """Put an algorithm's settings into its fields; those not given get their defaults."""
    for setting in settings_of(TRAINERS[algorithm]):
        value = settings.get(setting.name, setting.default)
        st.session_state[f"{algorithm}.{setting.name}"] = field_value(setting, value)


def field_value(setting: Setting, value: Any) -> Any:
    """Return a setting's value for its field: None where it depends on the vocabulary size."""
    if setting.follows and value == setting.default:
        return None
    return list(value) if isinstance(value, tuple) else value


def pretokenizer_fields(name: str) -> None:
    """Draw the settings of a pre-tokenizer."""
    for field in dataclasses.fields(PRETOKENIZERS[name]):
        notes, key = field.metadata, f"{name}.{field.name}"
        if "label" not in notes:
            continue
        presets = notes.get("presets")
        if presets:
            _pattern_field(key, presets)
        if isinstance(field.default, bool):
            st.toggle(
                here(notes["label"]), key=key, help=here(notes["help"]), persist_state="session"
            )
        elif isinstance(field.default, int | float):
            most = page_limits.pattern_seconds()
            # A link may have a larger or a whole number.
            st.session_state[key] = min(most, float(st.session_state.get(key, field.default)))
            st.number_input(
                here(notes["label"]),
                min_value=0.1,
                max_value=most,
                key=key,
                help=_help(notes["help"], most),
                persist_state="session",
            )
        else:
            st.session_state.setdefault(key, field.default)
            st.text_input(
                here(notes["label"]), key=key, help=here(notes["help"]), persist_state="session"
            )


def _pattern_field(key: str, presets: dict[str, str]) -> None:
    def take() -> None:
        if picked := st.session_state[f"{key}.preset"]:
            st.session_state[key] = presets[picked]

    st.pills(_("Presets"), list(presets), key=f"{key}.preset", on_change=take)


def pretokenizer_in_form(name: str) -> tuple[tuple[str, Any], ...]:
    """Return the settings of a pre-tokenizer in its fields that differ from their defaults."""
    state = st.session_state
    return tuple(
        (field.name, state[f"{name}.{field.name}"])
        for field in dataclasses.fields(PRETOKENIZERS[name])
        if "label" in field.metadata
        and state.get(f"{name}.{field.name}", field.default) != field.default
    )


def settings_in_form(algorithm: str) -> tuple[tuple[str, Any], ...]:
    """Return the settings of an algorithm in its fields that differ from their defaults."""
    chosen = []
    for setting in settings_of(TRAINERS[algorithm]):
        value = st.session_state.get(f"{algorithm}.{setting.name}")
        if isinstance(value, list):
            value = tuple(value)
        if value is not None and value != setting.default:
            chosen.append((setting.name, value))
    return tuple(chosen)


def settings_fields(algorithm: str) -> None:
    """Draw a trainer's settings, the advanced ones folded."""
    settings = settings_of(TRAINERS[algorithm])
    for setting in settings:
        if not setting.advanced:
            _field(algorithm, setting)
    with st.expander(_("More settings")):
        for setting in settings:
            if setting.advanced:
                _field(algorithm, setting)


def _field(algorithm: str, setting: Setting) -> None:
    key = f"{algorithm}.{setting.name}"
    st.session_state.setdefault(key, field_value(setting, setting.default))
    common: dict[str, Any] = {"key": key, "help": here(setting.help), "persist_state": "session"}
    if setting.choices:
        st.selectbox(here(setting.label), setting.choices, **common)
    elif isinstance(setting.default, bool):
        st.toggle(here(setting.label), **common)
    elif isinstance(setting.default, tuple):
        st.multiselect(
            here(setting.label),
            st.session_state[key],
            accept_new_options=True,
            placeholder=_("Type one, then Enter"),
            **common,
        )
    elif isinstance(setting.default, str):
        st.text_input(here(setting.label), **common)
    else:
        _number_field(algorithm, setting, common)


def _number_field(algorithm: str, setting: Setting, common: dict[str, Any]) -> None:
    key = common["key"]
    kind, greatest = type(setting.default), setting.greatest
    if setting.name in SEEDS:
        greatest = page_limits.seeds(algorithm, setting.name)
        common["help"] = _help(setting.help, greatest)
        if st.session_state[key] is not None:
            st.session_state[key] = min(greatest, st.session_state[key])
        if setting.follows:
            usual = min(greatest, setting.usual(st.session_state[VOCAB_SIZE]))
            common |= {"value": None, "placeholder": f"{usual:,}"}
    decimals = max(3, len(str(setting.default).partition(".")[2])) if kind is float else 0
    st.number_input(
        here(setting.label),
        step=1 if kind is int else 0.01 if decimals == 3 else 10.0**-decimals,
        format=f"%.{decimals}f" if kind is float else "%d",
        min_value=None if setting.least is None else kind(setting.least),
        max_value=None if greatest is None else kind(greatest),
        **common,
    )


def _help(said: str, most: float) -> str:
    """Return the help text of a field with its maximum."""
    return here(sentences(said, message("Up to {most:,}.", most=most)))
