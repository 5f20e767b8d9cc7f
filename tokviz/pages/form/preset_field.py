"""The form's presets: all settings as a library or a publication has them."""

from collections.abc import Callable

import streamlit as st

from tokviz.basics.messages import _, here
from tokviz.pages.form.setting_fields import fill_pretokenizer, fill_settings
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.keys import ALGORITHM
from tokviz.pages.widgets.markup import text
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.trainers import TRAINERS, Trainer
from tokviz.trainers.presets import PRESETS, Preset

_KEY = "preset"


def preset_field(fit_size: Callable[[Trainer, Pretokenizer], None]) -> None:
    """Draw the choice of a preset, and its source. The vocabulary size stays, unless `fit_size`
    finds it too small for the corpus."""
    choice(
        _("Preset"),
        list(PRESETS),
        index=None,
        format_func=lambda name: here(PRESETS[name].label),
        placeholder=_("Train as …"),
        key=_KEY,
        on_change=_apply,
        args=(fit_size,),
        persist_state="session",
        help=_(
            "Sets everything below as a library or a published text does; change what you like."
        ),
    )
    name = st.session_state.get(_KEY)
    if name:
        preset = PRESETS[name]
        st.html(f'<p class="tv-note">{text(here(preset.note))}<br>{text(here(preset.source))}</p>')


def forget_preset() -> None:
    """Clear the choice, because the visitor chose another algorithm."""
    st.session_state[_KEY] = None


def _apply(fit_size: Callable[[Trainer, Pretokenizer], None]) -> None:
    name = st.session_state[_KEY]
    if name:
        fit_size(*_fill(PRESETS[name]))


def _fill(preset: Preset) -> tuple[Trainer, Pretokenizer]:
    settings = dict(preset.settings)
    algorithm, chosen = settings.pop("algorithm"), settings.pop("pretokenizer")
    del settings["vocab_size"]
    pretokenizer = make_pretokenizer(chosen) if isinstance(chosen, str) else chosen
    st.session_state[ALGORITHM] = algorithm
    fill_pretokenizer(pretokenizer)
    fill_settings(algorithm, settings)
    return TRAINERS[algorithm](**settings), pretokenizer
