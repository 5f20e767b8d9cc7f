"""Presets in the form: everything as a library or a published text sets it, at one choice."""

import dataclasses

import streamlit as st

from tokviz.pages.markup import text
from tokviz.presets import PRESETS, Preset
from tokviz.pretokenizers import PRETOKENIZERS, make_pretokenizer
from tokviz.trainers import TRAINERS, settings_of

_KEY = "preset"


def preset_field() -> None:
    """The choice of a preset, and whose it is. The vocabulary size stays as it is: it goes with the
    corpus."""
    st.selectbox(
        "Preset",
        list(PRESETS),
        index=None,
        format_func=lambda name: PRESETS[name].label,
        placeholder="Train as …",
        key=_KEY,
        on_change=_take,
        persist_state="session",
        help="Sets everything below as a library or a published text does; change what you like.",
    )
    name = st.session_state.get(_KEY)
    if name:
        preset = PRESETS[name]
        st.html(f'<p class="tv-note">{text(preset.note)}<br>{text(preset.source)}</p>')


def forget_preset() -> None:
    """Another algorithm was chosen by hand."""
    st.session_state[_KEY] = None


def _take() -> None:
    name = st.session_state[_KEY]
    if name:
        _fill(PRESETS[name])


def _fill(preset: Preset) -> None:
    state, settings = st.session_state, dict(preset.settings)
    algorithm, chosen = settings.pop("algorithm"), settings.pop("pretokenizer")
    pretokenizer = make_pretokenizer(chosen) if isinstance(chosen, str) else chosen
    state["algorithm"], state["pretokenizer"] = algorithm, pretokenizer.name
    for field in dataclasses.fields(PRETOKENIZERS[pretokenizer.name]):
        if "label" in field.metadata:
            state[f"{pretokenizer.name}.{field.name}"] = getattr(pretokenizer, field.name)
    for setting in settings_of(TRAINERS[algorithm]):
        value = settings.get(setting.name, setting.default)
        state[f"{algorithm}.{setting.name}"] = list(value) if isinstance(value, tuple) else value
