"""The lens "A token": how a token was made, its count in all states, the words that use it, its
bytes, and the unused tokens of the vocabulary."""

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import streamlit as st

from tokviz.analysis.axis import Axis
from tokviz.basics.messages import _, _n, listed, sentences
from tokviz.basics.messages import here as said_here
from tokviz.encoding.bytes_view import byte_characters, text_characters
from tokviz.encoding.faces import drawn
from tokviz.history.base import History
from tokviz.pages.lenses.byte_table import MOST_CHARACTERS, byte_table, length_table
from tokviz.pages.lenses.charts import LIFE_MARKS, curve_chart, life_marks, life_points
from tokviz.pages.lenses.expected_table import expectation, expected_table
from tokviz.pages.lenses.loss_table import loss_table, terms_of
from tokviz.pages.lenses.token_facts import (
    State,
    TokenProfile,
    as_word,
    facts,
    find,
    paid,
    present_token,
    profile_of,
    scaffolding_said,
)
from tokviz.pages.lenses.word_sums import Sums
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.column_labels import column_labels
from tokviz.pages.widgets.keys import LENS_TOKEN, TOKEN_CURSOR, TOKEN_DRAWN
from tokviz.pages.widgets.put import keyed
from tokviz.player.chips import shown
from tokviz.server.draw_queue import in_turn
from tokviz.server.histories import kept
from tokviz.server.runs import Run

if TYPE_CHECKING:
    import pandas as pd

#: Most chips of unused tokens, most words in the table, and most in a line.
MOST_CHIPS, MOST_WORDS, MOST_IN_LINE = 100, 1000, 8
#: Presenting, a sum is what the lens is about: below it is room for so many facts, if it has so
#: many rows at most.
PRESENTED_FACTS, PRESENTED_ROWS = 3, 1


@st.fragment
@in_turn
def token_lens(run: Run, history: History, t: int, axis: Axis, position: float) -> None:
    """Draw the lens for state t, at `position` of the axis, which has this history's states
    only."""
    here = _state(run, history, t)
    with st.container(key="token_lens"):
        with st.container(key="token_about"):
            first, second, third = st.columns([1.1, 1, 1], gap="medium")
        with first:
            typed = st.text_input(
                _("Token"),
                placeholder=_("the token of this step"),
                help=_(
                    "As the page shows it (Ġt, ##ing, ▁the), or a text that only one token has."
                ),
                persist_state="session",
                **keyed(LENS_TOKEN, ""),
            )
        token, said = _choice(run, history, t, typed)
        profile = None if token is None else _profile(run, history, token)
        home = here
        if profile is not None and profile.token not in here.ids:
            home = _state(run, history, profile.life.born)
        sums = {} if profile is None else _sums(run, here, profile.token)
        with first:
            _facts(here, home, profile, said, any(each.rows for each in sums.values()))
        if profile is not None:
            with second:
                _curve(run, profile, axis, position)
            with third:
                _words(history, profile)
        # Which of them Present shows, and in which order, token_lens.css knows by these keys.
        with st.container(key="token_sums" if _has_room(sums) else "token_sums_alone"):
            for key, each in sums.items():
                with st.container(key=key):
                    st.html(each.html)
        with st.container(key="token_rest"):
            wide, narrow = st.columns([2.1, 1], gap="medium")
            with wide:
                _bytes(home, profile, typed)
            with narrow:
                _scaffolding(here)


def _has_room(sums: Mapping[str, Sums]) -> bool:
    """Return whether, presenting, there is room for more than the sums."""
    return len(sums) < 2 and all(each.rows <= PRESENTED_ROWS for each in sums.values())


# --- the cache ------------------------------------------------------------------------------------


def _state(run: Run, history: History, t: int) -> State:
    state: State = kept(run, "lens_states", 4, t, lambda: State(history, t))
    return state


def _profile(run: Run, history: History, token: str) -> TokenProfile:
    profile: TokenProfile = kept(
        run, "lens_profiles", 16, token, lambda: profile_of(history, token)
    )
    return profile


def _choice(run: Run, history: History, t: int, typed: str) -> tuple[str | None, str]:
    """Return the token to show; or None, and a sentence in HTML why there is none."""
    if not typed:
        token = present_token(history, t)
        return token, "" if token is not None else _("This run has no tokens.")
    token, others = kept(run, "lens_names", 64, typed, lambda: find(history, typed))
    if token is not None:
        return token, ""
    quoted = f"<bdi>{shown(typed[:60])}{'…' if len(typed) > 60 else ''}</bdi>"
    said = _("“{token}” is in no vocabulary of this run, at any step.", token=quoted)
    if others:
        names = listed(f"<bdi>{escape(drawn(other[:60]))}</bdi>" for other in others)
        near = _("Tokens with this text, or with it inside: {names}.", names=names)
        said = said_here(sentences(said, near))
    return None, said


# --- the parts ------------------------------------------------------------------------------------


def _facts(
    here: State, home: State, profile: TokenProfile | None, said: str, beside_sum: bool
) -> None:
    if profile is None:
        st.html(f'<div class="tv-profile" role="status"><p class="tv-none">{said}</p></div>')
        return
    rows = ""
    for i, (name, value, note) in enumerate(facts(here, home, profile)):
        unpresented = ' class="tv-unpresented"' if beside_sum and i >= PRESENTED_FACTS else ""
        rows += (
            f'<div title="{escape(note, quote=True)}"{unpresented}><dt>{escape(name)}</dt>'
            f"<dd>{value}</dd></div>"
        )
    st.html(
        f'<div class="tv-profile"><h3>{_("Token {token}", token=home.chip(profile.token))}</h3>'
        f'<dl class="tv-facts">{rows}</dl></div>'
    )


def _curve(run: Run, profile: TokenProfile, axis: Axis, position: float) -> None:
    state = st.session_state
    # Sent once, with the cursor at the player's position; then the player moves the cursor.
    drawn_for = (this_visit().number, axis.align, run.key, profile.token)
    if state.get(TOKEN_DRAWN) != drawn_for:
        state[TOKEN_DRAWN], state[TOKEN_CURSOR] = drawn_for, position
    points, marks = life_points(profile.life.counts, axis), life_marks(profile.events, axis)
    with st.container(key="token_curve"):
        st.vega_lite_chart(
            curve_chart(points, _("Its count in the corpus"), axis, state[TOKEN_CURSOR], marks),
            alt=profile.curve_said,
            key="token_counts",
        )
    signs = "".join(
        f"<span>{LIFE_MARKS[what][1]} {escape(_life(what, at))}</span>"
        for what, at in profile.events.items()
    )
    st.html(f'<p class="tv-caption tv-signs">{signs}</p>')


def _life(what: str, at: int) -> str:
    """Name an event of a token, and its step."""
    when = _("step {n:,}", n=at) if at else _("from the start")
    return _("{what}: {when}", what=_(what), when=when)


def _words(history: History, profile: TokenProfile) -> None:
    words = profile.life.words
    heading = _("The words that used it first")
    st.html(f'<h3>{escape(heading)}</h3><p class="tv-note tv-said">{escape(paid(profile))}</p>')
    if words.empty:
        return
    st.html(f'<p class="tv-first-words">{_in_a_line(history, words.head(MOST_IN_LINE))}</p>')
    cut = words.head(MOST_WORDS)
    # Arrow directly: most of the time would go into a data frame.
    table = pa.table(
        {
            "word": [drawn(as_word(history, word)) for word in cut["word"]],
            "its count": cut["count"].to_numpy(),
            "times in it": cut["times"].to_numpy(),
            "together": (cut["count"] * cut["times"]).to_numpy(),
        }
    )
    # The fixed width keeps the numbers on the screen beside a long word.
    names: dict[str, Any] = {**column_labels(table.column_names)}
    columns = names | {"word": st.column_config.TextColumn(names["word"], width=130)}
    st.dataframe(table, hide_index=True, height=212, column_config=columns, alt=heading)


def _in_a_line(history: History, words: "pd.DataFrame") -> str:
    """Return the HTML of words with how often each uses the token, in all."""
    together = (words["count"] * words["times"]).tolist()
    names = [drawn(as_word(history, word)) for word in words["word"]]
    rows = zip(names, together, strict=True)
    return said_here(listed(f"<bdi>{escape(name)}</bdi> {n:,}×" for name, n in rows))


def _sums(run: Run, here: State, token: str) -> dict[str, Sums]:
    """Return, by the keys of their containers, what the expected count and the loss
    delta of a token are made of, if this state has them for it."""
    sums: dict[str, Sums] = {}
    if token not in here.ids:
        return sums
    t = here.t
    found = kept(run, "expectation", 16, (token, t), lambda: expectation(here.history, token, t))
    if found is not None:
        sums["expected_count"] = expected_table(here, token, found)
    terms = kept(run, "loss_terms", 16, (token, t), lambda: terms_of(here.history, token, t))
    if terms is not None:
        sums["loss_delta"] = loss_table(here, token, terms)
    return sums


def _bytes(home: State, profile: TokenProfile | None, typed: str) -> None:
    left, right = st.columns([1, 1], gap="medium", vertical_alignment="bottom")
    with right:
        characters = st.text_input(
            _("Any character or text"),
            key="lens_characters",
            max_chars=24,
            placeholder="é, 日, 👩‍🚀 …",
            persist_state="session",
            live=True,
            help=_("Shows the bytes of this text in place of the token’s."),
        )
    more = 0
    if characters or profile is None:
        text = (characters or typed)[:MOST_CHARACTERS]
        views, title = text_characters(text), f"“<bdi>{shown(text)}</bdi>”"
    else:
        # A character has at most four bytes, so none is cut in the middle.
        data = home.text_bytes(profile.token)
        views = byte_characters(data[: 4 * MOST_CHARACTERS])[:MOST_CHARACTERS]
        more = len(data) - sum(len(view.bytes) for view in views)
        title = home.chip(profile.token)
    size, broken = sum(len(view.bytes) for view in views), sum(view.char is None for view in views)
    found = [
        _n("{n} character", "{n} characters", len(views) - broken),
        _n("{n} byte", "{n} bytes", size),
    ]
    count = said_here(listed(found))
    if broken:
        parts = _n("{n} incomplete character", "{n} incomplete characters", broken)
        count = _("{whole}; {parts}", whole=count, parts=parts)
    with left:
        heading = _("Bytes of {text}", text=title)
        st.html(f'<h3>{heading}</h3><p class="tv-note">{escape(count)}</p>')
    unseen = _n("{n} more byte is not shown.", "{n} more bytes are not shown.", more)
    marker = _("It has no text: it is a marker.")
    rest = f'<p class="tv-note">{escape(unseen)}</p>' if more else ""
    empty = f'<p class="tv-note">{escape(marker)}</p>' if not views else ""
    table = byte_table(views) if views else ""
    st.html(
        '<div class="tv-scroll" tabindex="0" role="region" '
        f'aria-label="{escape(_("Characters and bytes"))}">'
        f"{table}{empty}{rest}</div>"
    )
    st.html(length_table())


def _scaffolding(here: State) -> None:
    said, plain, special = scaffolding_said(here)
    chips = "".join(here.chip(token) for token in plain[:MOST_CHIPS])
    if len(plain) > MOST_CHIPS:
        chips += _more(len(plain) - MOST_CHIPS)
    named = ""
    if special:
        many = len(special) - MOST_CHIPS
        named = (
            f'<p class="tv-note">{escape(_("Special tokens, which the corpus never counts:"))}</p>'
            f'<p class="tv-chips">{"".join(here.chip(token) for token in special[:MOST_CHIPS])}'
            + (f"{_more(many)}</p>" if many > 0 else "</p>")
        )
    st.html(
        f'<h3>{escape(_("Scaffolding"))}</h3><p class="tv-note tv-said">{said}</p>'
        '<div class="tv-scroll" tabindex="0" role="region" '
        f'aria-label="{escape(_("Tokens that are not used"))}">'
        f'<p class="tv-chips">{chips}</p>{named}</div>'
    )


def _more(n: int) -> str:
    return f'<span class="tv-note">{escape(_("and {n:,} more", n=n))}</span>'
