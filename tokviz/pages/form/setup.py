"""The fields of a run: algorithm, vocabulary size and all settings."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import streamlit as st

from tokviz import PRETOKENIZERS, TRAINERS
from tokviz.basics.messages import _, counted, here, said_by, sentences
from tokviz.pages.form.corpus_fields import corpus_in_form, fill_corpus
from tokviz.pages.form.interventions_field import (
    fill_interventions,
    interventions_field,
    interventions_in_form,
)
from tokviz.pages.form.preset_field import forget_preset, preset_field
from tokviz.pages.form.setting_fields import (
    fill_pretokenizer,
    fill_settings,
    pretokenizer_fields,
    pretokenizer_in_form,
    settings_fields,
    settings_in_form,
)
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.choice import choice
from tokviz.pages.widgets.keys import ALGORITHM, DESCRIBED, PRETOKENIZER, VOCAB_SIZE
from tokviz.pages.widgets.style import note
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.server import limits, page_limits
from tokviz.server.before_training import possible_sizes, words_for
from tokviz.server.limit_checks import check_run
from tokviz.server.runs import Run, trainable
from tokviz.trainers import Trainer
from tokviz.trainers.training import make_trainer

#: Longest corpus, in characters, whose words are counted for a hint; more would take too long.
MOST_COUNTED = 2_000_000


def fill_form(run: Run) -> None:
    """Fill the form with a run, as if the visitor had entered it."""
    fill_corpus(run.corpus)
    fill_training(trainable(run))


def fill_what_can_be(run: Run) -> None:
    """Fill the form with what may be half finished."""
    try:
        fill_form(run)
    except ValueError:
        # The pattern was incomplete.
        fill_form(replace(run, pretokenizer_settings=()))


def fill_training(run: Run) -> None:
    """Fill everything but the corpus. Other algorithms get their defaults."""
    state = st.session_state
    state[ALGORITHM] = run.algorithm
    state[VOCAB_SIZE] = min(run.vocab_size, page_limits.vocabulary())
    fill_pretokenizer(run.make_pretokenizer())
    for algorithm in TRAINERS:
        fill_settings(algorithm, dict(run.settings) if algorithm == run.algorithm else {})
    fill_interventions(run)


def algorithm_changed() -> None:
    """Set the default pre-tokenizer of the chosen algorithm, and a size that allows training."""
    forget_preset()
    state = st.session_state
    kind = TRAINERS[state[ALGORITHM]]
    state[PRETOKENIZER] = kind.default_pretokenizer
    _fit_size(kind(), make_pretokenizer(kind.default_pretokenizer))


def run_in_form() -> Run:
    """Return the run that the fields hold, not checked yet."""
    state = st.session_state
    algorithm, pretokenizer = state[ALGORITHM], state[PRETOKENIZER]
    return page_limits.with_room(
        Run(
            corpus_in_form(),
            algorithm,
            int(state[VOCAB_SIZE]),
            pretokenizer,
            pretokenizer_in_form(pretokenizer),
            settings_in_form(algorithm),
            interventions_in_form(algorithm),
        )
    )


def give_room(run: Run) -> None:
    """Raise the vocabulary size in the form if its corpus leaves no room for training."""
    trainer = make_trainer(run.algorithm, run.vocab_size, **run.trainer_settings)
    _fit_size(trainer, run.make_pretokenizer())


def _fit_size(trainer: Trainer, pretokenizer: Pretokenizer) -> None:
    """Raise the vocabulary size in the form if the corpus leaves no room for training."""
    state = st.session_state
    corpus = corpus_in_form()
    if len(corpus.text) > MOST_COUNTED:
        return  # The form says that it is not counted yet.
    try:
        words = words_for(trainer, pretokenizer, corpus)
        least = trainer.least_vocab_size(words, pretokenizer)
    except ValueError:
        return  # The form says what is wrong with the corpus.
    if state[VOCAB_SIZE] <= least:
        state[VOCAB_SIZE] = min(page_limits.vocabulary(), 2 * least)


def algorithm_field() -> None:
    """Draw the choice of an algorithm among all."""
    st.segmented_control(
        _("Algorithm"),
        list(TRAINERS),
        format_func=lambda name: here(TRAINERS[name].label),
        key=ALGORITHM,
        required=True,
        on_change=algorithm_changed,
        persist_state="session",
        help=_explained(TRAINERS.values()),
    )


def settings_part() -> None:
    """Draw the fields of all settings but the algorithm and the size, and the sizes that are
    possible with them."""
    preset_field(_fit_size)
    choice(
        _("Pre-tokenizer"),
        list(PRETOKENIZERS),
        format_func=lambda name: here(PRETOKENIZERS[name].label),
        key=PRETOKENIZER,
        persist_state="session",
        help=_explained(PRETOKENIZERS.values()),
    )
    pretokenizer_fields(st.session_state[PRETOKENIZER])
    settings_fields(st.session_state[ALGORITHM])
    interventions_field(st.session_state[ALGORITHM])
    _size_hint(run_in_form())


def size_field() -> None:
    """Draw the vocabulary size."""
    st.number_input(
        _("Vocabulary size"),
        min_value=1,
        max_value=page_limits.vocabulary(),
        key=VOCAB_SIZE,
        persist_state="session",
        help=_(
            "How many tokens the finished vocabulary holds, special tokens included; up to "
            "{most:,}.",
            most=page_limits.vocabulary(),
        ),
    )


def set_size(size: int) -> None:
    st.session_state[VOCAB_SIZE] = size


def describes(run: Run) -> None:
    """Record what the fields hold, and that they are those of this page: a draft of it may outlive
    the session (`draft.py`)."""
    visit = this_visit()
    st.session_state[DESCRIBED], visit.held = visit.page, (visit.form_lane or 0, run)


def _size_hint(run: Run) -> None:
    """Draw the possible vocabulary sizes for this corpus, or why it cannot be trained on."""
    try:
        check_run(run, limits.LIMITS)
        if len(run.corpus.text) > MOST_COUNTED:
            note(_("This corpus is long: its words are counted once you press Train."))
            return
        words, least, greatest = possible_sizes(run)
    except ValueError as error:
        note(said_by(error))
        return
    if TRAINERS[run.algorithm].starts_full:
        ends = _(
            "For this corpus: {least:,} (only the characters) to {most:,} (all seeds, nothing "
            "removed).",
            least=least,
            most=greatest,
        )
    else:
        ends = _(
            "For this corpus: {least:,} (only the alphabet) to at most {most:,}.",
            least=least,
            most=min(greatest, page_limits.vocabulary()),
        )
    n = counted("{n} word", "{n} words", words.total)
    has = _("It has {n}, {kinds:,} of them different.", n=here(n), kinds=len(words))
    note(sentences(ends, has))


def _explained(kinds: Iterable[Any]) -> str:
    """Return a help text that explains each of some trainers or pre-tokenizers."""
    return "\n\n".join(
        _("{name}: {explanation}", name=kind.label, explanation=kind.help) for kind in kinds
    )
