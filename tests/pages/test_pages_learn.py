"""The Learn page without a browser: what the address opens, guesses, other texts, files."""

import json
from dataclasses import replace
from html import escape

import pytest
from app_test import html, press, read
from helpers import PATIENCE, components
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.basics.messages import _n, here, message, using
from tokviz.lessons.facts import plain
from tokviz.lessons.lesson import bundled, read_lesson
from tokviz.lessons.staging import stage
from tokviz.pages.lesson.lesson_parts import said
from tokviz.pages.lesson.lesson_runs import own_text_of, runs_of, staged_on
from tokviz.pages.visit import unfinished
from tokviz.pages.visit.link import to_links
from tokviz.pages.widgets.markup import text
from tokviz.player.assets import component_name
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.runs import run_of_sample

FIRST = bundled()["why-subwords"]
COURSE = run_of_sample(tokviz.SAMPLES["course"])
OWN = replace(
    COURSE, corpus=replace(COURSE.corpus, title="Mine", text="the cat and the hat and the bat")
)
MINE = b"""
format = 1
title = "**bold** <b>"
about = "mine"
minutes = 1
[corpus.words]
low = 3
lower = 2
[runs.a]
algorithm = "bpe"
vocab_size = 9
[[scenes]]
runs = ["a"]
say = "{count of low}, <script>{vocabulary}"
[[scenes]]
say = "{count of high}"
"""


def draw(language):
    from tokviz.basics.messages import using
    from tokviz.pages import learn

    with using(language):
        learn.page()


def opened(query=(), language="en", **state):
    app = AppTest.from_function(draw, default_timeout=PATIENCE, args=(language,))
    for name, value in dict(query).items():
        app.query_params[name] = value
    for name, value in state.items():
        app.session_state[name] = value
    app.run()
    assert not app.exception
    return app


def in_language(name, language):
    with using(language):
        return component_name(name).removeprefix("tokviz_")


def cue(app, language="en"):
    (data,) = components(app, in_language("player", language))
    head, _rest = read(data, b"TVZB")
    # No button of a card promises a lens that this page has not.
    assert head["lenses"] is False
    return head["cue"]


def test_the_list_has_every_lesson_and_starts_one():
    app = opened()
    labels = [button.label for button in app.button]
    assert labels == ["Join", *["Start"] * len(bundled())]
    assert "tv-scene" not in html(app)
    app.button[1].click().run()
    assert "Words or letters?" in html(app)
    assert "U+000A" not in html(app)
    assert cue(app)["position"] == 0
    press(app, "All lessons")
    assert [button.label for button in app.button[:2]] == ["Join", "Start"]


def test_a_guess_moves_the_player_and_says_what_happened():
    app = opened({"lesson": "why-subwords", "scene": "3"})
    asked = cue(app)
    assert (asked["position"], asked["veiled"]) == (0, True)
    assert "Next" not in [button.label for button in app.button]
    press(app, r"e \+ r")
    answered = cue(app)
    assert (answered["position"], answered["veiled"]) == (1, False)
    assert answered["number"] != asked["number"]
    assert "Not this one." in html(app)
    # A rerun is no new cue: it would move a player that somebody has moved since.
    assert cue(app.run())["number"] == answered["number"]
    press(app, "Show this step again")
    assert cue(app)["number"] != answered["number"]


def test_the_score_counts_what_was_guessed_right():
    app = opened({"lesson": "why-subwords", "scene": "3"})
    press(app, r"Ġ \+ t")
    while on := {"Show the answer", "Next"} & {button.label for button in app.button}:
        press(app, *on)
    # A guess that was not made is not counted.
    assert "The lesson is over. 1 of 1 guess was right." in html(app)


@pytest.mark.parametrize("language", ["en", "zh_CN"])
@pytest.mark.parametrize("name", bundled())
def test_every_lesson_is_told_to_its_end(name, language):
    """Every guess is right. What a scene says around its tokens is that of the engine, in the
    language of the page, and so are the player's place, the word and the text that it shows."""
    lesson = bundled()[name]
    app = opened({"lesson": name}, language)

    def says(*parts):
        pieces = [part for part in parts if isinstance(part, str)]
        pieces = [text(piece) for part in pieces for piece in here(part).split("\n\n")]
        shown = html(app)
        missing = [piece for piece in pieces if piece not in shown]
        assert not missing

    def shows(show, scene, position):
        if show in ("player", "vocabulary"):
            assert cue(app, language)["position"] == position
        else:
            seen = {"word": "word", "encode": "encoder"}[show]
            shown = components(app, in_language(seen, language))
            assert json.dumps(scene.text)[1:-1] in shown[0].decode("utf-8", "replace")
        if show == "vocabulary":
            drawn = html(app)
            for run in scene.scene.runs:
                history = runs[run]
                for token in history.vocab(min(position, len(history))):
                    special = token in history.special_tokens
                    shown = escape(token) if special else f'data-token="{escape(token)}"'
                    assert shown in drawn

    with using(language):
        runs = {run: history_of(asked) for run, asked in runs_of(lesson, "").items()}
        scenes = stage(lesson, runs, lesson.corpus, own=False)
        for i, scene in enumerate(scenes):
            assert f"{text(said(scene.title))} <small>{i + 1} " in html(app)
            says(*scene.say)
            shows(scene.scene.show, scene, scene.position)
            if scene.ask:
                if scene.ask.number is None:
                    app.button(key=f"option_{scene.number}_{scene.ask.right}").click().run()
                else:
                    app.number_input[0].set_value(scene.ask.number)
                    press(app, here(message("Check")))
                says(here(message("Right.")), *scene.ask.then)
                shows(scene.scene.ask.show, scene, scene.ask.reveal)
            if i < len(scenes) - 1:
                press(app, here(message("Next")))
        asked = sum(scene.ask is not None for scene in scenes)
        says(
            _n(
                "The lesson is over. {right} of {n} guess was right.",
                "The lesson is over. {right} of {n} guesses were right.",
                asked,
                right=asked,
            )
        )
        # The next lesson is one press away.
        names = [*bundled()]
        following = names[names.index(name) + 1 :][:1]
        buttons = [button.label for button in app.button]
        for other in following:
            title = here(message(bundled()[other].title))
            press(app, here(message("Next lesson: {title}", title=title)))
            assert f'class="tv-lesson-title">{text(title)}</h1>' in html(app)
        assert following or not any("lesson" in label.lower() for label in buttons[1:])
    assert not app.exception


@pytest.mark.parametrize("scene", ["0", "-1", "x", "999999999999", "²", "２"])
def test_an_address_with_a_strange_scene_opens_the_lesson(scene):
    assert "tv-scene" in html(opened({"lesson": "why-subwords", "scene": scene}))


def test_an_address_of_a_lesson_that_is_not_here_says_so():
    app = opened({"lesson": "<b>none"})
    assert "“&lt;b&gt;none”, which does not exist here" in html(app)
    assert [button.label for button in app.button[:2]] == ["Join", "Start"]


def test_the_text_of_an_address_is_that_of_the_lesson():
    app = opened({"lesson": "why-subwords", "lane": to_links([OWN])})
    assert "8 words make" in html(app)
    press(app, "Back to the lesson’s own text")
    assert "36 words make" in html(app)
    assert own_text_of(FIRST, to_links([OWN])) == OWN.corpus.text
    assert own_text_of(FIRST, to_links([COURSE])) == ""
    assert own_text_of(FIRST, ["nonsense"]) == own_text_of(FIRST, []) == ""


def test_another_text_has_as_many_merges():
    (run,) = runs_of(
        FIRST, "a text with an alphabet of its own: ÄÖÜ äöü 123 456 789 and so on"
    ).values()
    (sample,) = runs_of(FIRST, "").values()
    assert len(history_of(run)) == len(history_of(sample)) == 20


@pytest.mark.parametrize("text", ["a", "aa", "    ", "日本語", "\0", "😀" * 40])
def test_what_a_text_does_not_have_is_left_out(text):
    scenes, _runs = staged_on(FIRST, text)
    app = opened(lesson="why-subwords", lesson_scene=0, lesson_own=text, lesson_guesses={})
    said = html(app)
    if len(scenes) < len(FIRST.scenes):
        assert "to show on this text" in said or "nothing to show" in said
    for scene in scenes:
        assert "{" not in plain(scene.say)


def test_a_lesson_of_a_file_is_text_and_names_its_scenes_that_cannot_be_told():
    lesson = read_lesson(MINE, "file")
    app = opened(
        lesson="file", lesson_scene=0, lesson_own="", lesson_guesses={}, lesson_file=lesson
    )
    said = html(app)
    assert "3 times, &lt;script&gt;" in said
    assert "**bold** &lt;b&gt;</h1>" in said
    assert "Scene 2 of this lesson is left out" in said
    # No address holds a file.
    assert "data-address" not in said or '"lesson"' not in said.replace("&quot;", '"')


@pytest.mark.parametrize("cancelled", [False, True])
def test_what_was_ended_is_not_trained_again_by_the_next_click(monkeypatch, cancelled):
    know, asked = unfinished.history_of, []
    (run,) = runs_of(FIRST, OWN.corpus.text).values()
    shorter = replace(run, vocab_size=run.vocab_size - 2)

    def end(asked_for):
        if asked_for == shorter:
            return know(shorter)
        asked.append(asked_for.vocab_size)
        if cancelled:
            raise tokviz.Cancelled("Training was cancelled.")
        raise Stopped(shorter, know(shorter), "It took too long.")

    monkeypatch.setattr(unfinished, "history_of", end)
    app = opened(
        lesson="why-subwords", lesson_scene=0, lesson_own=OWN.corpus.text, lesson_guesses={}
    )
    for _click in range(2):
        said = html(app)
        assert ("Training was cancelled." in said) == cancelled
        assert said.count("It took too long.") == (not cancelled)
        assert len(components(app, "player")) == (not cancelled)
        if not cancelled:
            (data,) = components(app, "player")
            head, blobs = read(data, b"TVZB")
            [(at, size)] = head["lanes"]
            assert read(blobs[at : at + size], b"TVZ1")[0]["steps"] == len(know(shorter))
        app.run()
    assert asked == [run.vocab_size]
    # Asked for once more it is trained once more.
    press(app, "Tell it on this text")
    assert asked == [run.vocab_size] * 2
    assert "ended_lesson" in app.session_state
    press(app, "All lessons")
    assert "ended_lesson" not in app.session_state


def test_a_lesson_on_a_part_of_a_training_is_nobody_elses(monkeypatch):
    """What is staged is kept by what was trained, and scenes on the sample alone are left out."""
    lesson = bundled()["wordpiece"]
    assert any(scene.sample_only for scene in lesson.scenes)
    whole, runs = staged_on(lesson, "")
    name, run = list(runs.items())[-1]
    shorter = replace(run, vocab_size=run.vocab_size - 2)

    def end(asked_for):
        if asked_for == run:
            raise Stopped(shorter, history_of(shorter))
        return history_of(asked_for)

    with monkeypatch.context() as patch:
        patch.setattr(unfinished, "history_of", end)
        part, runs = staged_on(lesson, "")
    unfinished.forget("lesson")
    assert runs[name] == shorter
    assert not any(staged.scene.sample_only for staged in part)
    assert staged_on(lesson, "")[0] == whole
