"""One scene of a lesson: what it says, its guess, and the player, word or text that it is about."""

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import streamlit as st

from tokviz.analysis.axis import make_axis
from tokviz.basics.messages import _, _n
from tokviz.history.base import History
from tokviz.lessons.lesson import Lesson
from tokviz.lessons.staging import Question, Staged
from tokviz.pages.lenses.stepper import curves, links_of, seat
from tokviz.pages.lenses.text_tokens import asked_key, text_in_tokens
from tokviz.pages.lenses.word_lens import word_page
from tokviz.pages.lesson.lesson_parts import Words, said
from tokviz.pages.visit import open_lanes
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.visit import this_visit
from tokviz.pages.widgets.encode_request import asked_from
from tokviz.pages.widgets.keys import CUES, LESSON_INSIDE, LOOKED, WORD_ASKED
from tokviz.pages.widgets.markup import label, text
from tokviz.player.address import write_address
from tokviz.player.unseen import focus_on
from tokviz.server.draw_queue import in_turn
from tokviz.server.runs import Run

#: A guess: the number of the option, or the number that was typed; None for "show me".
Guess = int | None
#: The greatest number that may be guessed.
GREATEST = 10**9


def scene_page(
    lesson: Lesson,
    scenes: Sequence[Staged],
    runs: Mapping[str, Run],
    index: int,
    guesses: MutableMapping[int, Guess],
    go: Callable[[int], None],
    own: bool,
) -> None:
    """Draws a scene. `guesses` are those made until now, by the number of their scene; `go` opens
    another one."""
    scene = scenes[index]
    lanes, histories = open_lanes.shown([runs[name] for name in scene.scene.runs])
    open_ = scene.ask is not None and scene.number not in guesses
    position = scene.ask.reveal if scene.ask and not open_ else scene.position
    axis = make_axis(histories, scene.scene.align)
    states = [int(of_lane[position]) for of_lane in axis.states]
    with st.container(border=True, key="lesson_panel"):
        _panel(scene, scenes, index, Words(histories, states), guesses, go)
    # Of the scene and of whether it is answered: a rerun shows nothing anew.
    moment = (lesson.name, own, scene.number, open_)
    answered = scene.ask is not None and not open_
    focus_on(".tv-answer" if answered else ".tv-scene h2", str(moment))
    with st.container(key="lesson_show"):
        if scene.scene.show == "player":
            _stand(lanes, scene, position, open_)
            # The curves would tell what comes. The span is there in any case: what stands behind it
            # stays in its place.
            st.html(f'<span class="{"tv-guessing" if open_ else "tv-guessed"}" hidden></span>')
            _player(histories, lanes)
        else:
            _inside(scene, lanes, histories, states, moment)


# --- what is said ---------------------------------------------------------------------------------


def _panel(
    scene: Staged,
    scenes: Sequence[Staged],
    index: int,
    words: Words,
    guesses: MutableMapping[int, Guess],
    go: Callable[[int], None],
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
    _ways(scene, scenes, index, guesses, go, open_)


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
        st.container(horizontal=True, vertical_alignment="bottom"),
    ):
        typed = st.number_input(
            _("Your guess"), min_value=0, max_value=GREATEST, value=None, step=1, width=160
        )
        if st.form_submit_button(_("Check")) and typed is not None:
            guesses[scene.number] = int(typed)
            st.rerun()


def _answer(ask: Question, words: Words, guess: Guess) -> None:
    """The options with their marks, not by colour alone, and what is said afterwards."""
    rows = ""
    for i, option in enumerate(ask.options):
        kind = "right" if i == ask.right else "wrong" if i == guess else ""
        mark = {"right": "✓", "wrong": "✗"}.get(kind, "")
        rows += f'<li class="{kind}"><b>{mark}</b> {words.html(option)}</li>'
    listed = f'<ul class="tv-guesses">{rows}</ul>' if rows else ""
    st.html(
        f'<div class="tv-answer" tabindex="-1"><p><b>{text(_verdict(ask, guess))}</b></p>{listed}'
        f"{words.html(ask.then)}</div>"
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
    """Whether a guess is the right one."""
    return guess is not None and guess == (ask.right if ask.number is None else ask.number)


def _ways(
    scene: Staged,
    scenes: Sequence[Staged],
    index: int,
    guesses: MutableMapping[int, Guess],
    go: Callable[[int], None],
    open_: bool,
) -> None:
    """The buttons that lead on, and at the end how many guesses were right."""
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
        if scene.scene.show == "player":
            st.button(
                _("Show this step again"),
                key="lesson_again",
                on_click=_again,
                type="tertiary",
                help=_("Puts the scrubber back to where the lesson is."),
            )
        if last and not open_:
            _score(scenes, guesses)


def _score(scenes: Sequence[Staged], guesses: Mapping[int, Guess]) -> None:
    asks = {scene.number: scene.ask for scene in scenes if scene.ask}
    if not asks:
        return
    right = sum(is_right(ask, guesses.get(number)) for number, ask in asks.items())
    st.html(
        '<p class="tv-score">'
        + text(
            _n(
                "The lesson is over. {right} of {n} guess was right.",
                "The lesson is over. {right} of {n} guesses were right.",
                len(asks),
                right=right,
            )
        )
        + "</p>"
    )


# --- what is shown --------------------------------------------------------------------------------


def _stand(lanes: tuple[Run, ...], scene: Staged, position: int, veiled: bool) -> None:
    """Puts the lanes on the page and the player at the position of the scene. A player that is on
    the page stays there and moves."""
    visit = this_visit()
    align = scene.scene.align
    if visit.lanes != lanes or visit.align != align:
        visit.align = align
        open_lanes.show(lanes, align)
        visit.start = position
    token = f"0..{scene.token}" if scene.token else ""
    cue = {"position": position, "align": align, "token": token, "veiled": veiled}
    known = visit.cue or {}
    if cue != {name: known.get(name) for name in cue}:
        visit.cue = {**cue, "number": _number()}


def _again() -> None:
    visit = this_visit()
    visit.cue = {**(visit.cue or {}), "number": _number()}


def _number() -> int:
    state = st.session_state
    state[CUES] = state.get(CUES, 0) + 1
    number: int = state[CUES]
    return number


@st.fragment
@in_turn
def _player(histories: Sequence[History], lanes: Sequence[Run]) -> None:
    axis, position = seat(histories, lanes)
    curves(histories, labels(lanes), axis, position)


def _inside(
    scene: Staged,
    lanes: Sequence[Run],
    histories: Sequence[History],
    states: list[int],
    moment: tuple[Any, ...],
) -> None:
    """A word from the inside, or a text in tokens, of the first lane."""
    visit = this_visit()
    state, run, history = st.session_state, lanes[0], histories[0]
    visit.states = states
    shown = (*moment, scene.text, run.corpus)
    new = state.get(LESSON_INSIDE) != shown
    state[LESSON_INSIDE] = shown
    if scene.scene.show == "word":
        # Another page may have looked into another word since.
        if new or state.get(WORD_ASKED, (None,))[0] != visit.number:
            state[LOOKED] = {"typed": scene.text, "form": scene.text}
        word_page(history, run, 0, states[0], histories)
    else:
        key = f"lesson_encoder_{moment[0]}_{scene.number}"
        if new:
            state[asked_key(key)] = asked_from({"text": scene.text, "pins": []})
        way = str(history.trainer.default_encoder)
        text_in_tokens(run, history, 0, way, lambda _said: None, key)
    write_address(links_of(lanes))
