"""One scene of a lesson: its text, its question, and the player, word or text it is about."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from tokviz.analysis.axis import make_axis
from tokviz.basics.messages import _, _n
from tokviz.history.base import History
from tokviz.lessons.lesson import Lesson
from tokviz.lessons.staging import Question, Staged
from tokviz.pages.lenses.stepper import clicked, draw_lens, draw_player
from tokviz.pages.lenses.text_tokens import request_key, text_in_tokens
from tokviz.pages.lenses.token_facts import State
from tokviz.pages.lenses.word_lens import word_page
from tokviz.pages.lesson.lesson_parts import Words, said
from tokviz.pages.visit import open_lanes
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.encode_request import request_from
from tokviz.pages.widgets.keys import CUES, LESSON_INSIDE, LESSON_LOOK, LOOKED, WORD_REQUEST
from tokviz.pages.widgets.markup import label, text
from tokviz.pages.widgets.put import value_of
from tokviz.player.address import in_address
from tokviz.player.unseen import focus_on
from tokviz.server.draw_queue import in_turn
from tokviz.server.runs import Run


class Following(NamedTuple):
    """The lesson that comes next: its title, and what opens it."""

    title: str
    open: Callable[[], None]


#: A guess: the number of an option, or a typed number; None if the visitor asked for the answer.
Guess = int | None
#: The largest number that may be typed.
GREATEST = 10**9


def scene_page(
    lesson: Lesson,
    scenes: Sequence[Staged],
    runs: Mapping[str, Run],
    index: int,
    guesses: MutableMapping[int, Guess],
    go: Callable[[int], None],
    own: bool,
    following: Following | None,
) -> None:
    """Draw a scene. `guesses` has the guesses so far, by scene number; `go` opens another scene. At
    the end the lesson that comes next is offered, if there is one."""
    scene = scenes[index]
    lanes, histories = open_lanes.shown([runs[name] for name in scene.scene.runs])
    open_ = scene.ask is not None and scene.number not in guesses
    position = scene.ask.reveal if scene.ask and not open_ else scene.position
    axis = make_axis(histories, scene.scene.align)
    states = [int(of_lane[position]) for of_lane in axis.states]
    show = scene.scene.ask.show if scene.scene.ask and not open_ else scene.scene.show
    # Changes with the scene and with its answer, so that a rerun moves no focus.
    moment = (lesson.name, own, scene.number, open_)
    with st.container(key="lesson"):
        with st.container(border=True, key="lesson_panel"):
            _panel(scene, scenes, index, Words(histories, states), guesses, go, following)
        answered = scene.ask is not None and not open_
        focus_on(".tv-answer" if answered else ".tv-scene h2", str(moment))
        with st.container(key="lesson_show"):
            _place_player(lanes, scene, position, open_, "" if show == "player" else show)
            _shown(histories, lanes, scene, states, moment)


# --- the panel ------------------------------------------------------------------------------------


def _panel(
    scene: Staged,
    scenes: Sequence[Staged],
    index: int,
    words: Words,
    guesses: MutableMapping[int, Guess],
    go: Callable[[int], None],
    following: Following | None,
) -> None:
    place = _("{n} of {all}", n=index + 1, all=len(scenes))
    st.html(
        f'<div class="tv-scene"><h2 tabindex="-1">{text(said(scene.title))} '
        f"<small>{text(place)}</small></h2>"
        f"{words.html(scene.say)}</div>"
    )
    open_ = False
    if scene.ask:
        open_ = scene.number not in guesses
        if open_:
            _ask(scene, scene.ask, words, guesses)
        else:
            _answer(scene.ask, words, guesses[scene.number])
    _buttons(scene, scenes, index, guesses, go, open_, following)


def _ask(scene: Staged, ask: Question, words: Words, guesses: MutableMapping[int, Guess]) -> None:
    st.html(f'<div class="tv-question">{words.html(ask.question)}</div>')
    if ask.number is None:
        with st.container(horizontal=True, key="lesson_options"):
            for i, option in enumerate(ask.options):
                st.button(
                    label(said(option)),
                    key=f"option_{scene.number}_{i}",
                    on_click=guesses.__setitem__,
                    args=(scene.number, i),
                )
        return
    with (
        st.form("lesson_number", border=False),
        st.container(horizontal=True, vertical_alignment="bottom", key="lesson_guess"),
    ):
        typed = st.number_input(
            _("Your guess"), min_value=0, max_value=GREATEST, value=None, step=1, width=160
        )
        if st.form_submit_button(_("Check"), key="lesson_check") and typed is not None:
            guesses[scene.number] = int(typed)
            st.rerun()


def _answer(ask: Question, words: Words, guess: Guess) -> None:
    """Draw the options, with marks besides the colours, and the explanation."""
    rows = ""
    for i, option in enumerate(ask.options):
        kind = "right" if i == ask.right else "wrong" if i == guess else ""
        mark = {"right": "✓", "wrong": "✗"}.get(kind, "")
        rows += f'<li class="{kind}"><b>{mark}</b> {words.html(option)}</li>'
    listed = f'<ul class="tv-guesses">{rows}</ul>' if rows else ""
    # A class that is in a room sees what it voted for beside what is right.
    right = "" if ask.number is None else f' data-right="{ask.number}"'
    st.html(
        f'<div class="tv-answer" tabindex="-1"{right}>'
        f"<p><b>{text(_verdict(ask, guess))}</b></p>{listed}{words.html(ask.then)}</div>"
    )


def _verdict(ask: Question, guess: Guess) -> str:
    if guess is None:
        return _("This is what happens.")
    if is_right(ask, guess):
        return _("Right.")
    if ask.number is None:
        return _("Not this one.")
    return _("It is {right:,}; you said {guess:,}.", right=ask.number, guess=guess)


def is_right(ask: Question, guess: Guess) -> bool:
    """Return whether a guess is right."""
    return guess is not None and guess == (ask.right if ask.number is None else ask.number)


def _buttons(
    scene: Staged,
    scenes: Sequence[Staged],
    index: int,
    guesses: MutableMapping[int, Guess],
    go: Callable[[int], None],
    open_: bool,
    following: Following | None,
) -> None:
    """Draw the buttons to other scenes; at the end the next lesson, and how many guesses were
    right."""
    last = index == len(scenes) - 1
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_ways"):
        st.button(_("Back"), key="lesson_back", on_click=go, args=(index - 1,), disabled=not index)
        if open_:
            st.button(
                _("Show the answer"),
                key="lesson_reveal",
                on_click=guesses.__setitem__,
                args=(scene.number, None),
            )
        elif not last:
            st.button(_("Next"), key="lesson_next", on_click=go, args=(index + 1,), type="primary")
        if scene.scene.show in ("player", "vocabulary"):
            st.button(
                _("Show this step again"),
                key="lesson_again",
                on_click=_move_back,
                type="tertiary",
                help=_("Puts the scrubber back to where the lesson is."),
            )
        if last and not open_:
            if following:
                st.button(
                    _("Next lesson: {title}", title=following.title),
                    key="lesson_following",
                    on_click=following.open,
                    type="primary",
                )
            _score(scenes, guesses)


def _score(scenes: Sequence[Staged], guesses: Mapping[int, Guess]) -> None:
    made = [
        (scene.ask, guess)
        for scene in scenes
        if scene.ask and (guess := guesses.get(scene.number)) is not None
    ]
    if not made:
        return
    said = _n(
        "The lesson is over. {right} of {n} guess was right.",
        "The lesson is over. {right} of {n} guesses were right.",
        len(made),
        right=sum(is_right(ask, guess) for ask, guess in made),
    )
    st.html(f'<p class="tv-score">{text(said)}</p>')


# --- the player and the lenses --------------------------------------------------------------------


def _place_player(
    lanes: tuple[Run, ...], scene: Staged, position: int, veiled: bool, lens: str
) -> None:
    """Put the lanes on the page and the player at the scene's position; a player with the same
    lanes stays and moves. A scene may show a `lens`: with the vocabulary, else in its place."""
    visit = this_visit()
    align = scene.scene.align
    if visit.lanes != lanes or visit.align != align:
        visit.align = align
        open_lanes.show(lanes, align)
        visit.start = position
    token = f"0..{scene.token}" if scene.token else ""
    cue = {"position": position, "align": align, "token": token, "veiled": veiled, "lens": lens}
    cue |= {"asks": scene.ask is not None, "scene": scene.number}
    known = visit.cue or {}
    if cue != {name: known.get(name) for name in cue}:
        visit.cue = {**cue, "number": _number()}


def _move_back() -> None:
    visit = this_visit()
    visit.cue = {**(visit.cue or {}), "number": _number()}


def _number() -> int:
    state = st.session_state
    state[CUES] = state.get(CUES, 0) + 1
    number: int = state[CUES]
    return number


@st.fragment
@in_turn
def _shown(
    histories: Sequence[History],
    lanes: Sequence[Run],
    scene: Staged,
    states: list[int],
    moment: tuple[Any, ...],
) -> None:
    """Draw the player and the lens of the scene, or that which somebody asks for who presents.
    Only then there is a player beside a lens, but for that of the vocabulary."""
    state, visit = st.session_state, this_visit()
    own = str((visit.cue or {})["lens"])

    def look() -> None:
        state[LESSON_LOOK] = moment, clicked() or own

    asked_at, asked = state.get(LESSON_LOOK, (None, ""))
    lens = asked if asked_at == moment else own
    place = st.container(key="lenses")
    axis, position = draw_player(histories, lanes, look, presented=True)
    with place:
        in_address({"lens": lens} if lens else {})
        if lens and lens == own:
            _own_lens(lens, scene, lanes, histories, states, moment)
        elif lens:
            lane = value_of(f"lens_lane_{len(lanes)}", 0)
            draw_lens(lens, histories, lanes, lane, visit.states[lane], axis, position)


def _vocabularies(
    lanes: Sequence[Run], histories: Sequence[History], states: Sequence[int]
) -> None:
    """Draw the tokens of each lane in its state."""
    columns = st.columns(len(lanes), gap="medium")
    for column, name, history, t in zip(columns, labels(lanes), histories, states, strict=True):
        state = State(history, t)
        title = _n(
            "Vocabulary of {lane}: {n} token",
            "Vocabulary of {lane}: {n} tokens",
            len(state.ids),
            lane=name,
        )
        chips = "".join(state.chip(token) for token in state.ids)
        column.html(
            f'<section class="tv-lesson-vocabulary"><h3>{text(title)}</h3>'
            f'<p class="tv-chips">{chips}</p></section>'
        )


def _own_lens(
    show: str,
    scene: Staged,
    lanes: Sequence[Run],
    histories: Sequence[History],
    states: list[int],
    moment: tuple[Any, ...],
) -> None:
    """Draw the vocabularies of all lanes; or the lens of a word, or the tokens of a text, for the
    first lane."""
    if show == "vocabulary":
        _vocabularies(lanes, histories, states)
        return
    visit = this_visit()
    state, run, history = st.session_state, lanes[0], histories[0]
    visit.states = states
    shown = (*moment, scene.text, run.corpus)
    new = state.get(LESSON_INSIDE) != shown
    state[LESSON_INSIDE] = shown
    if show == "word":
        # Another page may have shown another word since.
        if new or state.get(WORD_REQUEST, (None,))[0] != visit.number:
            state[LOOKED] = {"typed": scene.text, "form": scene.text}
        word_page(history, run, 0, states[0], histories)
    else:
        key = f"lesson_encoder_{moment[0]}_{scene.number}"
        if new:
            state[request_key(key)] = request_from({"text": scene.text, "pins": []})
        way = str(history.default_encoder)
        text_in_tokens(run, history, 0, way, lambda _said: None, key)
