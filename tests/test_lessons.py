"""Lessons: every bundled one on its sample and on other texts, and files that are no lessons."""

import pytest

import tokviz
from tokviz.lessons.facts import plain
from tokviz.lessons.lesson import LessonError, bundled, read_lesson
from tokviz.lessons.staging import stage

LESSONS = bundled()


def staged(lesson, corpus=None):
    text = lesson.corpus if corpus is None else corpus
    runs = {name: tokviz.train(text, **settings) for name, settings in lesson.runs.items()}
    return stage(lesson, runs, text, own=corpus is not None), runs


@pytest.mark.parametrize("name", LESSONS)
def test_every_scene_can_be_told_on_its_sample(name):
    scenes, _runs = staged(LESSONS[name])
    assert [scene.number for scene in scenes] == list(range(len(LESSONS[name].scenes)))
    for scene in scenes:
        assert plain(scene.say)


def test_a_file_that_is_no_lesson_says_what_to_change():
    with pytest.raises(LessonError, match="no TOML"):
        read_lesson(b"format = ", "mine")
