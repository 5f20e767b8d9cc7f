"""The form of the tab Languages: two mixes of languages, and what is trained on each."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from tokviz import TRAINERS
from tokviz.analysis.language_costs import mixed
from tokviz.basics.messages import _, here, message, said_by
from tokviz.pages.comparison.language_texts import names_in_form, texts_fields, texts_in_form
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.markup import text
from tokviz.server import page_limits
from tokviz.server.before_training import possible_sizes
from tokviz.server.runs import Corpus, Run
from tokviz.text.languages import joined
from tokviz.trainers import settings_of

#: The first vocabulary size: small enough that even English alone is not yet all whole words.
OPENING_SIZE = 350
MOST_PARTS = 9
#: Languages that fit in the table without a scrollbar.
MOST_SEEN = 8
_UNITS = {"byte": message("bytes"), "char": message("characters")}

_ALGORITHM, _THEN, _UNIT, _SIZE, _START, _BASE, _PARTS, _MIXES = (
    f"languages_{name}"
    for name in ("algorithm", "then", "unit", "size", "start", "base", "parts", "mixes")
)
#: The algorithm after is that of before.
_SAME = ""

Parts = Mapping[str, int]


class Trial(NamedTuple):
    """Two runs that differ in their mix of languages or algorithm, the texts that both encode, the
    mixes' names, and what languages are called in the language of the page, if not as in
    `texts`."""

    title: str
    texts: tuple[tuple[str, str], ...]
    before: Run
    after: Run
    mixes: tuple[str, str]
    names: Mapping[str, str]


def make_trial(
    title: str,
    texts: Mapping[str, str],
    parts: tuple[Parts, Parts],
    algorithm: str = "bpe",
    unit: str = "byte",
    vocab_size: int = OPENING_SIZE,
    names: Mapping[str, str] = MappingProxyType({}),
    then: str = _SAME,
) -> Trial:
    """Return a trial with the default settings of an algorithm, and of the one `then` that is
    trained on the second mix. A byte vocabulary contains all 256 bytes, so that nothing is unknown.
    `names` are those of `Trial`.

    Raises ValueError for an invalid mix.

    >>> trial = make_trial("", {"English": "low", "Greek": "αβ"}, ({"English": 1}, {"Greek": 2}))
    >>> trial.after.corpus
    Corpus(title='after: only Greek', text='αβ\\nαβ', read_as='text')
    """
    if len(texts) < 2:
        raise ValueError(
            message("There is nothing to compare yet; give texts in at least two languages.")
        )
    algorithms = algorithm, then or algorithm
    mixes = mix_name(parts[0], texts, names), mix_name(parts[1], texts, names)
    if len({*algorithms}) > 1:
        first, second = (
            message("{mix}, {algorithm}", mix=mix, algorithm=TRAINERS[name].label)
            for mix, name in zip(mixes, algorithms, strict=True)
        )
        mixes = first, second
    titles = message("before: {mix}", mix=mixes[0]), message("after: {mix}", mix=mixes[1])
    before, after = (
        page_limits.with_room(
            Run(
                Corpus(when, _corpus(texts, mix, name)),
                name,
                vocab_size,
                TRAINERS[name].default_pretokenizer,
                (),
                _settings(name, unit),
            )
        )
        for when, mix, name in zip(titles, parts, algorithms, strict=True)
    )
    return Trial(title, tuple(texts.items()), before, after, mixes, names)


def _corpus(texts: Mapping[str, str], parts: Parts, algorithm: str) -> str:
    """Return the mixed texts; one algorithm is told which language each line is of."""
    lines = mixed(texts, parts)
    if algorithm != "parity-bpe":
        return "\n".join(lines)
    of_each = {
        name: "\n".join(mixed(texts, {name: parts[name]})) for name in texts if parts.get(name)
    }
    return joined(of_each)


def _settings(algorithm: str, unit: str) -> tuple[tuple[str, Any], ...]:
    """Return what is not as usual in an algorithm's settings."""
    known = {setting.name: setting.default for setting in settings_of(TRAINERS[algorithm])}
    chosen: dict[str, Any] = {}
    if unit == "byte" and "unit" in known:
        chosen = {"unit": "byte", "initial_alphabet": ("bytes",)}
    return tuple(
        (name, chosen[name])
        for name, default in known.items()
        if chosen.get(name, default) != default
    )


def mix_name(
    parts: Parts, texts: Mapping[str, str], names: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Describe a mix of languages in a word or two.

    >>> mix_name({"English": 2}, {"English": "", "Greek": ""})
    'only English'
    >>> mix_name({"English": 2, "Greek": 2}, {"English": "", "Greek": ""})
    'all equally'
    """
    held = {language: n for language, n in parts.items() if n}
    if len(held) == 1:
        [language] = held
        return message("only {language}", language=names.get(language, language))
    alike = len(held) == len(texts) and len({*held.values()}) == 1
    return message("all equally") if alike else message("mixed")


# --- the form -------------------------------------------------------------------------------------


def language_setup() -> Trial | str:
    """Draw the form. Returns the trial that it describes, or a sentence why there is none."""
    state = st.session_state
    for key, value in (
        (_ALGORITHM, "bpe"),
        (_THEN, _SAME),
        (_UNIT, "byte"),
        (_SIZE, OPENING_SIZE),
    ):
        state.setdefault(key, value)
    title, texts = texts_fields(_other_texts)
    with st.container(horizontal=True, key="languages_trainer"):
        algorithm = choice(
            _("Algorithm"),
            list(TRAINERS),
            format_func=lambda name: here(TRAINERS[name].label),
            key=_ALGORITHM,
            on_change=_fit_size,
            persist_state="session",
            width=170,
            help=_("With its usual pre-tokenizer."),
        )
        then = choice(
            _("Algorithm after"),
            [_SAME, *TRAINERS],
            format_func=lambda name: here(TRAINERS[name].label) if name else _("The same"),
            key=_THEN,
            on_change=_fit_size,
            persist_state="session",
            width=190,
            help=_(
                "Parity-aware BPE is told of which language each line is, and gives every merge to "
                "the language that pays most."
            ),
        )
        kinds = [TRAINERS[algorithm], TRAINERS[then or algorithm]]
        if any(setting.name == "unit" for kind in kinds for setting in settings_of(kind)):
            choice(
                _("Unit"),
                list(_UNITS),
                format_func=lambda unit: _(_UNITS[unit]),
                key=_UNIT,
                on_change=_fit_size,
                persist_state="session",
                width=120,
                help=_(
                    "With bytes nothing is unknown: all 256 are in the vocabulary. With "
                    "characters, those that the corpus does not contain are unknown."
                ),
            )
        size = st.number_input(
            _("Vocabulary size"),
            min_value=1,
            max_value=page_limits.vocabulary(),
            key=_SIZE,
            persist_state="session",
            width=140,
            help=_("The same for both trainings; up to {most:,}.", most=page_limits.vocabulary()),
        )
    if len(texts) < 2:
        asked: Trial | str = _(
            "Add files in at least two languages: one text and its translations."
        )
    else:
        parts = _mix_fields(texts)
        try:
            asked = make_trial(
                title, texts, parts, algorithm, state[_UNIT], int(size), names_in_form(), then
            )
        except ValueError as error:
            asked = said_by(error)
    said = asked if isinstance(asked, str) else _size_hint(asked)
    st.html(f'<p class="tv-note">{text(said)}</p>')
    return asked


def _mix_fields(texts: Mapping[str, str]) -> tuple[Parts, Parts]:
    """Draw the mixes as an editable table, and return them."""
    state = st.session_state
    names = list(texts)
    shown = [here(names_in_form().get(name, name)) for name in names]
    choice(
        _("Mix to begin with"),
        range(4),
        format_func=[
            _("Only {language}, then all equally", language=shown[0]),
            _(
                "{n} parts {language} to 1 of each other, then all equally",
                n=MOST_PARTS,
                language=shown[0],
            ),
            _("All equally, then 5 parts {language}", language=shown[-1]),
            _("All equally, before and after"),
        ].__getitem__,
        key=_START,
        on_change=_other_mix,
        persist_state="session",
        help=_("Fills the table below, in which every number can be changed."),
    )
    key = f"languages_mix_{state.setdefault(_MIXES, 0)}"
    if key not in state:
        # The table editor loses its edits when it leaves the page, so it starts from them again.
        known = state.get(_PARTS)
        state[_BASE] = known if known and list(known[0]) == names else _mix(names)
    before, after = state[_BASE]
    column = st.column_config.NumberColumn
    edited = st.data_editor(
        pd.DataFrame({"language": shown, "before": before.values(), "after": after.values()}),
        key=key,
        hide_index=True,
        height="content" if len(names) < MOST_SEEN else 290,
        alt=_("Parts of each language in the training corpus, before and after"),
        column_config={
            "language": st.column_config.TextColumn(_("Language"), disabled=True),
            **{
                name: column(
                    label,
                    min_value=0,
                    max_value=MOST_PARTS,
                    step=1,
                    required=True,
                    help=told,
                )
                for name, label, told in (
                    (
                        "before",
                        _("Before"),
                        _("How often the text is in the training corpus before."),
                    ),
                    ("after", _("After"), _("How often the text is in the training corpus after.")),
                )
            },
        },
    )
    parts = tuple(
        # An emptied cell counts as 0; only the browser enforces the range.
        {
            name: int(n)
            for name, n in zip(names, edited[column].fillna(0).clip(0, MOST_PARTS), strict=True)
        }
        for column in ("before", "after")
    )
    state[_PARTS] = parts
    return parts[0], parts[1]


def _mix(names: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the mixes that the table starts with."""
    alike = dict.fromkeys(names, 1)
    return (
        ({**dict.fromkeys(names, 0), names[0]: 1}, alike),
        ({**alike, names[0]: MOST_PARTS}, alike),
        (alike, {**alike, names[-1]: 5}),
        (alike, alike),
    )[st.session_state[_START]]


def _other_mix() -> None:
    """Start a new table: the edits belong to the table in which they were made."""
    state = st.session_state
    state.pop(_PARTS, None)
    state[_MIXES] += 1


def _other_texts() -> None:
    _other_mix()
    _fit_size()


def _fit_size() -> None:
    """Set a vocabulary size that leaves room for training on both mixes."""
    state = st.session_state
    texts = texts_in_form()
    if len(texts) < 2:
        return  # The form says what is missing.
    parts = state.get(_PARTS) or _mix(list(texts))
    try:
        trial = make_trial("", texts, parts, state[_ALGORITHM], state[_UNIT], then=state[_THEN])
        least = max(possible_sizes(run)[1] for run in (trial.before, trial.after))
    except ValueError:
        return  # The form says what is wrong with the mix.
    state[_SIZE] = (
        OPENING_SIZE if least < OPENING_SIZE else min(page_limits.vocabulary(), 2 * least)
    )


def _size_hint(trial: Trial) -> str:
    """Return the possible vocabulary sizes of both corpora, or why one cannot be trained on."""
    try:
        ends = [possible_sizes(run)[1:] for run in (trial.before, trial.after)]
    except ValueError as error:
        return said_by(error)
    (least, most), (least_after, most_after) = ends
    return _(
        "Possible sizes: {least:,} to at most {most:,} before, {least_after:,} to at most "
        "{most_after:,} after.",
        least=least,
        most=most,
        least_after=least_after,
        most_after=most_after,
    )
