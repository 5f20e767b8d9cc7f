"""Lesson files that somebody wrote: what is wrong is said with its place, and docs/lessons.md."""

import re

import pytest
from helpers import ROOT

import tokviz
from tokviz.lessons import lesson as lesson_module
from tokviz.lessons.facts import FACTS, plain
from tokviz.lessons.lesson import LARGEST, LessonError, read_lesson
from tokviz.lessons.moments import MOMENTS, is_moment
from tokviz.lessons.reading import MOST_TEXT
from tokviz.lessons.staging import stage

DOCS = ROOT / "docs" / "lessons.md"

#: A lesson, in which one thing at a time is broken.
GOOD = """
format = 1
title = "T"
about = "A"
minutes = 3
[corpus]
text = "low lower lowest"
[runs.bpe]
algorithm = "bpe"
vocab_size = 9
[runs.other]
sample = "course"
algorithm = "bpe"
vocab_size = 40
[[scenes]]
say = "One {words}."
runs = ["bpe"]
at = "start"
[scenes.ask]
question = "Which?"
options = ["this {next pair}", "that"]
then = "So."
reveal = "next"
[[scenes]]
say = "Two."
show = "word"
text = " lower"
"""

#: Lines of it that are broken in several ways.
CORPUS, RUN, SIZE = 'text = "low lower lowest"', '[runs.bpe]\nalgorithm = "bpe"', "vocab_size = 9\n"
SAY, RUNS, OPTIONS = 'say = "One {words}."', 'runs = ["bpe"]', '"this {next pair}", "that"'

DAMAGED = [
    ("format = 1", "format = 2", "begins with format = 1; this file has format = 2"),
    ("format = 1", "", "this file has format = None"),
    ("format = 1", "format = 1\nformat = 1", "The file is no TOML"),
    ("format = 1", "format = 1\ncolour = 2", "lesson has 'colour', which is not known"),
    ('title = "T"', "", "lesson needs title as text"),
    ('title = "T"', "title = 5", "lesson needs title as text"),
    ('about = "A"', 'about = "{nonsense}"', "lesson asks in about for the fact {nonsense}"),
    ("minutes = 3", 'minutes = "3"', "lesson needs minutes as a whole number"),
    ("minutes = 3", "minutes = true", "lesson needs minutes as a whole number"),
    ('[corpus]\ntext = "low lower lowest"', "", "lesson needs corpus as a table"),
    ('[corpus]\ntext = "low lower lowest"', "corpus = 1", "lesson needs corpus as a table"),
    (CORPUS, "", "lesson, corpus needs text as text"),
    (CORPUS, 'file = "x"', "lesson, corpus has 'file'"),
    (CORPUS, 'sample = "x"', "lesson, corpus has sample = 'x'; it may be co"),
    (CORPUS, "words = {a = 0}", "needs a whole number from 1 on for every"),
    (CORPUS, 'words = {a = "1"}', "needs a whole number from 1 on"),
    ('reveal = "next"', 'show = "x"', "scene 1, ask has show = 'x'; it may be player, vocab"),
    (RUN, "[runs.bpe]", "run 'bpe' needs an algorithm: bpe, wordpiece"),
    (RUN, '[runs.bpe]\nalgorithm = "x"', "run 'bpe' needs an algorithm"),
    (SIZE, "", "run 'bpe' needs a vocab_size from 1 on"),
    (SIZE, 'vocab_size = "9"\n', "run 'bpe' needs a vocab_size from 1 on"),
    (SIZE, "vocab_size = 9\nx = 1\n", "run 'bpe' cannot be trained: bpe has no sett"),
    (SIZE, 'vocab_size = 9\nunit = "x"\n', "run 'bpe' cannot be trained: unit="),
    (SIZE, 'vocab_size = 9\npretokenizer = "x"\n', "run 'bpe' cannot be trained: "),
    (SIZE, "vocab_size = 9\npretokenizer = 3\n", "run 'bpe' cannot be trained: "),
    (SIZE, "vocab_size = 9\ninterventions = 3\n", "run 'bpe' cannot be trained: "),
    ('sample = "course"', 'sample = "x"', "run 'other' has sample = 'x'; it may be course"),
    (SAY, "", "scene 1 needs say as text"),
    (SAY, 'say = "{words of low}"', "scene 1 asks in say for {words} of somethi"),
    (SAY, 'say = "{cut}"', "say for the fact {cut}, but not of what: write {cut of"),
    (SAY, 'say = "{cut of the cat}"', "scene 1 asks in say for the fact {cat}"),
    (SAY, f'say = "{"x" * (MOST_TEXT + 1)}"', "20,001 characters in say; 20,000"),
    (SAY, 'say = "x"\nsound = "y"', "scene 1 has 'sound', which is not known"),
    (RUNS, "", "scene 1 needs runs, 1 to 4 of those that the lesson has: bpe, other"),
    (RUNS, 'runs = ["x"]', "scene 1 needs runs, 1 to 4"),
    (RUNS, "runs = [[1]]", "scene 1 needs runs, 1 to 4"),
    (RUNS, 'runs = "bpe"', "scene 1 needs runs as a list"),
    (RUNS, f"runs = {['bpe'] * 5}", "scene 1 needs runs, 1 to 4"),
    (RUNS, 'runs = ["bpe", "other"]', "scene 1 has runs on different texts"),
    ('at = "start"', 'at = "later"', "scene 1 has at = 'later', which is no moment"),
    ('at = "start"', 'at = "birth of {x}"', "scene 1 asks in at for the fact {x}"),
    ('at = "start"', 'align = "x"', "scene 1 has align = 'x'; it may be step"),
    (
        'show = "word"',
        'show = "x"',
        "scene 2 has show = 'x'; it may be player, vocab",
    ),
    ('text = " lower"', 'text = "{x}"', "scene 2 asks in text for the fact {x}"),
    ('text = " lower"', 'select = "{x}"', "scene 2 asks in select for the fact {x}"),
    ('text = " lower"', "sample_only = 1", "scene 2 needs sample_only as true or false"),
    ('text = " lower"', "ask = 1", "scene 2 needs ask as a table"),
    ('question = "Which?"', "", "scene 1, ask needs question as text"),
    ('then = "So."', "", "scene 1, ask needs then as text"),
    ('reveal = "next"', 'reveal = "x"', "scene 1, ask has reveal = 'x', which is no moment"),
    ('options = ["this {next pair}", "that"]', "", "scene 1, ask needs options as a list"),
    (OPTIONS, '"that"', "scene 1, ask needs two or more options"),
    (OPTIONS, '"that", 3', "scene 1, ask needs two or more options"),
    (OPTIONS, '"{x}", "y"', "scene 1, ask asks in option for the fact {x}"),
    ('options = ["this {next pair}", "that"]', 'answer = "5"', "scene 1, ask needs one fact in br"),
    ('options = ["this', 'answer = "{words} {words}"\noptions = ["this', "ask needs one fact in"),
]


def test_the_lesson_that_is_broken_below_is_one():
    lesson = read_lesson(GOOD.encode(), "mine")
    assert lesson.samples == {"other": "course"}
    assert lesson.scenes[1].text == " lower"
    runs = {n: tokviz.train(lesson.corpus_of(n), **s) for n, s in lesson.runs.items()}
    assert len(stage(lesson, runs, lesson.corpus, own=False)) == 2


@pytest.mark.parametrize(("old", "new", "says"), DAMAGED, ids=range(len(DAMAGED)))
def test_a_file_that_is_no_lesson_says_what_to_change(old, new, says):
    assert old in GOOD
    with pytest.raises(LessonError, match=re.escape(says)):
        read_lesson(GOOD.replace(old, new, 1).encode(), "mine")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "this file has format = None"),
        (b"format = ", "The file is no TOML"),
        (b"\xff\xfe", "The file is no UTF-8 text"),
        (b"x" * (LARGEST + 1), "The file has 300,001 bytes; a lesson has at most 300,000"),
        (b"a = " + b"[" * 50_000, "The file is no TOML"),
        (GOOD.partition("[[scenes]]")[0].encode(), "lesson needs scenes as a list"),
        (GOOD.replace("[[scenes]]", "[[scenes]]\n" * 61, 1).encode(), "1 to 60 scenes"),
    ],
    ids=range(7),
)
def test_a_file_that_cannot_be_read_says_why(data, says):
    with pytest.raises(LessonError, match=re.escape(says)):
        read_lesson(data, "mine")


def test_runs_of_another_sample_part_on_its_text():
    more = """
[runs.last]
sample = "course"
algorithm = "bpe"
vocab_size = 40
pretokenizer = "bert"
[[scenes]]
say = "Step {step}."
runs = ["other", "last"]
at = "parting"
"""
    lesson = read_lesson((GOOD + more).encode(), "mine")
    runs = {n: tokviz.train(lesson.corpus_of(n), **s) for n, s in lesson.runs.items()}
    # Their words are cut by different rules, so the text is needed to lay them side by side.
    said = [
        plain(stage(lesson, runs, text, own=True)[-1].say)
        for text in (tokviz.SAMPLES["course"].corpus, "quite another text")
    ]
    assert said[0] == said[1] != "Two."


def test_markup_in_a_file_stays_text():
    hostile = "<script>alert(1)</script> <img src=x onerror=y> [a](b) $x$ <b>"
    written = GOOD.replace("One", hostile).replace("low lower lowest", f"low {hostile}")
    lesson = read_lesson(written.replace('"this', f'"{hostile}').encode(), hostile)
    runs = {n: tokviz.train(lesson.corpus_of(n), **s) for n, s in _sized(lesson).items()}
    scenes = stage(lesson, runs, lesson.corpus, own=False)
    # Nothing is taken away or added, and what a fact tells is a part of its own.
    assert scenes[0].say[0] == f"{hostile} "
    assert plain(scenes[0].ask.options[scenes[0].ask.right]).startswith(hostile)


def _sized(lesson):
    return {name: {**chosen, "vocab_size": 60} for name, chosen in lesson.runs.items()}


# --- docs/lessons.md ------------------------------------------------------------------------------


def tables():
    """The rows of the tables in the document, by the heading of their first column and what stands
    above."""
    found, rows = [], None
    for line in DOCS.read_text("utf-8").splitlines():
        if not line.startswith("|"):
            rows = None
        elif rows is None:
            rows = []
            found.append(rows)
        else:
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return [[row for row in rows if set(row[0]) - set("-")] for rows in found]


def test_the_document_has_every_key_moment_and_fact():
    lesson, scene, ask, moments, facts = tables()
    assert {row[0].strip("`") for row in lesson} == lesson_module.LESSON_KEYS
    assert {row[0].strip("`") for row in scene} == lesson_module.SCENE_KEYS
    assert {row[0].strip("`") for row in ask} == lesson_module.ASK_KEYS
    assert [(row[0].strip("`"), row[1]) for row in moments] == list(MOMENTS.items())
    assert {row[0].strip("`"): (row[1], row[2]) for row in facts} == {
        name: (fact.of, fact.help) for name, fact in FACTS.items()
    }


def test_the_lesson_in_the_document_is_told():
    example = re.search(r"```toml\n(.*?)```", DOCS.read_text("utf-8"), re.S)
    lesson = read_lesson(example[1].encode(), "example")
    runs = {name: tokviz.train(lesson.corpus, **chosen) for name, chosen in lesson.runs.items()}
    scenes = stage(lesson, runs, lesson.corpus, own=False)
    assert len(scenes) == 3
    # th and at stand there four times each; the is met first.
    assert plain(scenes[1].ask.options[scenes[1].ask.right]) == "t + h"


def test_moments_are_known_by_how_they_are_written():
    assert all(map(is_moment, MOMENTS))
    assert not any(map(is_moment, ("", "step", "step x", "birth of", "Start", "end of")))
