"""The page Learn: lessons with the live player, bundled or from a teacher's file, on their own text
or on the visitor's."""

from functools import partial

import streamlit as st

from tokviz import Cancelled
from tokviz.basics.messages import _, _n, here, message, said_by, sentences, told_by
from tokviz.lessons.lesson import LARGEST, Lesson, LessonError, bundled, read_lesson
from tokviz.pages.lesson.lesson_runs import PURPOSE, check_own, own_text_of, staged_on
from tokviz.pages.lesson.lesson_scene import Following, scene_page
from tokviz.pages.share.class_room import join_here
from tokviz.pages.visit.opening import arrive, went
from tokviz.pages.visit.unfinished import forget, time_out_sentences
from tokviz.pages.visit.visit import enter
from tokviz.pages.widgets.keys import (
    LESSON_AT,
    LESSON_FILE_REFUSED,
    LESSON_REFUSED,
    LESSON_TYPED,
    LESSON_UPLOAD_FILE,
)
from tokviz.pages.widgets.markup import label, text
from tokviz.pages.widgets.style import note, sentence
from tokviz.player.address import in_address, write_address
from tokviz.player.unseen import focus_on
from tokviz.server import limits
from tokviz.server.limit_checks import LimitError, size_said

#: Session keys: the lesson's name, "" for the list; the index of its scene among those shown; the
#: visitor's own text, "" for the lesson's; an uploaded lesson; guesses by scene; why a text was
#: refused.
_LESSON, _SCENE, _OWN, _FILE, _GUESSES, _REFUSED = (
    *("lesson", "lesson_scene", "lesson_own", "lesson_file", "lesson_guesses"),
    "lesson_own_refused",
)
#: The name of an uploaded lesson; no address contains it.
FROM_FILE = "file"


def page() -> None:
    """Draw the list of lessons, or the open lesson. A visit that starts here opens the lesson in
    the address."""
    enter("learn")
    state = st.session_state
    known = known_lessons()
    if _LESSON not in state:
        restore(known)
    elif went():
        _go_there(known)
    arrive()
    lesson = known.get(state[_LESSON])
    if lesson is None:
        _list(known)
    else:
        _lesson_page(lesson)


def known_lessons() -> dict[str, Lesson]:
    known = dict(_bundled())
    if opened := st.session_state.get(_FILE):
        known[FROM_FILE] = opened
    return known


@st.cache_resource(show_spinner=False)
def _bundled() -> dict[str, Lesson]:
    return bundled()


def restore(known: dict[str, Lesson]) -> None:
    """Open the lesson, the scene and the text of the address, if they exist."""
    state, query = st.session_state, st.query_params
    name, number = query.get("lesson", ""), query.get("scene", "1")
    state[_LESSON] = name if name in known else ""
    if name and name not in known:
        said = _(
            "This address names the lesson “{name}”, which does not exist here.", name=name[:40]
        )
        state[LESSON_REFUSED] = said
    # By its number in the lesson: with another text, some scenes may be left out.
    state[_SCENE], state[LESSON_AT] = 0, _scene_of(number)
    state[_OWN], state[_GUESSES] = "", {}
    if state[_LESSON]:
        _take_own(own_text_of(known[name], query.get_all("lane")))


def _scene_of(number: str) -> int:
    whole = number.isascii() and number.isdigit()
    return max(1, int(number[:4])) - 1 if whole else 0


def _go_there(known: dict[str, Lesson]) -> None:
    """Open the scene of the address to which the visitor went; in the open lesson, the guesses
    stay."""
    state, query = st.session_state, st.query_params
    name = query.get("lesson", "")
    if (
        name != state[_LESSON]
        or name not in known
        or own_text_of(known[name], query.get_all("lane")) != state[_OWN]
    ):
        restore(known)
    else:
        state[LESSON_AT] = _scene_of(query.get("scene", "1"))


def _take_own(own: str) -> None:
    """Start the lesson on a text, or set a sentence why it is refused."""
    state = st.session_state
    state.pop(_REFUSED, None)
    try:
        check_own(own)
    except LimitError as error:
        state[_REFUSED] = told_by(error)
    else:
        state[_OWN], state[_SCENE], state[_GUESSES] = own, 0, {}
        forget(PURPOSE)


def _open(name: str) -> None:
    state = st.session_state
    state[_LESSON], state[_SCENE], state[_OWN], state[_GUESSES] = name, 0, "", {}
    for gone in (LESSON_FILE_REFUSED, _REFUSED, LESSON_TYPED):
        state.pop(gone, None)
    forget(PURPOSE)


# --- the list -------------------------------------------------------------------------------------


def _list(known: dict[str, Lesson]) -> None:
    state = st.session_state
    title = text(_("Lessons"))
    about = text(_("Short stories on the live player. Guess first, then see what happens."))
    st.html(f'<div class="tv-lessons"><h1 tabindex="-1">{title}</h1><p>{about}</p></div>')
    join_here()
    if refused := state.pop(LESSON_REFUSED, None):
        sentence(refused)
    with st.container(key="lesson_list"):
        for number, (name, lesson) in enumerate(known.items(), 1):
            _card(number, name, lesson)
    with st.expander(_("Open a lesson from a file"), key="lesson_upload"):
        st.file_uploader(
            _("A lesson as a TOML file, up to {size}", size=size_said(LARGEST)),
            type="toml",
            key=LESSON_UPLOAD_FILE,
            on_change=_read_upload,
            help=_("docs/lessons.md explains how to write one."),
        )
        if refused := state.get(LESSON_FILE_REFUSED):
            sentence(refused)
    focus_on(".tv-lessons h1", "list")
    # The list has no runs, so another page's address is cleared.
    in_address({})
    write_address([])


def _card(number: int, name: str, lesson: Lesson) -> None:
    title, about = _translated(lesson, lesson.title), _translated(lesson, lesson.about)
    minutes = _n("about {n} minute", "about {n} minutes", lesson.minutes)
    with st.container(border=True, key=f"lesson_card_{name}"):
        st.html(
            f'<div class="tv-lesson-card"><h2><span>{number}</span> {text(title)}</h2>'
            f"<p>{text(about)}</p><p><small>{text(minutes)}</small></p></div>"
        )
        st.button(
            _("Start"),
            key=f"start_{name}",
            on_click=_open,
            args=(name,),
            help=label(_("Start the lesson “{title}”", title=title)),
        )


def _translated(lesson: Lesson, said: str) -> str:
    """Return a bundled lesson's text in the language of the page, an uploaded one's as it is."""
    return said if lesson.name == FROM_FILE else here(message(said))


def _read_upload() -> None:
    """Open the lesson that was just uploaded."""
    state = st.session_state
    state.pop(LESSON_FILE_REFUSED, None)
    file = state.get(LESSON_UPLOAD_FILE)
    if file is None:
        return
    try:
        state[_FILE] = read_lesson(file.getvalue()[: LARGEST + 1], FROM_FILE)
    except LessonError as error:
        state[LESSON_FILE_REFUSED] = told_by(error)
        return
    _open(FROM_FILE)


# --- one lesson -----------------------------------------------------------------------------------


def _lesson_page(lesson: Lesson) -> None:
    state = st.session_state
    if _REFUSED in state:
        sentence(state[_REFUSED])
    try:
        scenes, runs = staged_on(lesson, state[_OWN])
    except (ValueError, Cancelled, MemoryError) as error:
        sentence(said_by(error) or _("This text is too large for this computer."))
        _own_text(lesson)
        st.button(_("All lessons"), on_click=_open, args=("",), key="lesson_close")
        return
    for said in time_out_sentences(PURPOSE):
        sentence(said)
    if not scenes:
        sentence(_("This text is too short for the lesson: there is nothing to show."))
        _own_text(lesson)
        st.button(_("All lessons"), on_click=_open, args=("",), key="lesson_close")
        return
    if (at := state.pop(LESSON_AT, None)) is not None:
        later = (i for i, scene in enumerate(scenes) if scene.number >= at)
        state[_SCENE] = next(later, len(scenes) - 1)
    state[_SCENE] = min(state[_SCENE], len(scenes) - 1)
    with st.container(horizontal=True, vertical_alignment="center", key="lesson_top"):
        st.button(
            _("All lessons"),
            key="lesson_close",
            on_click=_open,
            args=("",),
            icon=":material/arrow_back:",
            type="tertiary",
        )
        st.html(f'<h1 class="tv-lesson-title">{text(_translated(lesson, lesson.title))}</h1>')
        with st.popover(_("Another text"), key="lesson_text"):
            _own_text(lesson)
    own, following = bool(state[_OWN]), _following(lesson)
    scene_page(lesson, scenes, runs, state[_SCENE], state[_GUESSES], _go, own, following)
    told = {scene.number for scene in scenes}
    if left_out := [f"{i + 1}" for i in range(len(lesson.scenes)) if i not in told]:
        note(
            _n(
                "Scene {numbers} of this lesson is left out: it has nothing to show on this text.",
                "Scenes {numbers} of this lesson are left out: they have nothing to show on this "
                "text.",
                len(left_out),
                numbers=", ".join(left_out),
            )
        )
    parts = {"lesson": lesson.name, "scene": f"{scenes[state[_SCENE]].number + 1}"}
    in_address({} if lesson.name == FROM_FILE else parts)


def _following(lesson: Lesson) -> Following | None:
    """Return the bundled lesson that comes after this one."""
    names = list(_bundled())
    if lesson.name not in names[:-1]:
        return None
    name = names[names.index(lesson.name) + 1]
    return Following(here(message(_bundled()[name].title)), partial(_open, name))


def _go(scene: int) -> None:
    st.session_state[_SCENE] = scene


def _own_text(lesson: Lesson) -> None:
    """Draw the form for another text of the lesson."""
    state, most = st.session_state, limits.LIMITS.corpus.lesson_characters
    told = message(
        "The lesson can be told on your own text, too: every number is worked out from it."
    )
    note(sentences(told, message("Up to {most:,} characters.", most=most)))
    # Not a default value, because a text from before a reload may be restored.
    state.setdefault(LESSON_TYPED, state[_OWN])
    with st.form("lesson_own_form", border=False):
        typed = st.text_area(
            _("Your own text"),
            height=160,
            key=LESSON_TYPED,
        )
        if st.form_submit_button(_("Tell it on this text"), type="primary"):
            _take_own((typed or "").strip())
            st.rerun()
    if state[_OWN]:
        st.button(
            _("Back to the lesson’s own text"),
            key="lesson_sample",
            on_click=_open,
            args=(lesson.name,),
        )
