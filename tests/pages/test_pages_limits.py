"""The limits of a server: they are said before they are met, what is just inside works, and beyond
one there is a sentence while nothing that was typed is lost."""

import io
import os
import re
import subprocess
import sys
import tomllib
from dataclasses import replace

import pytest
from app_test import APP, html, press, take_algorithm
from helpers import PATIENCE, ROOT, visit_of
from streamlit.testing.v1 import AppTest
from test_pages_link import packed

import tokviz
from tokviz.formats.history_file import save
from tokviz.history.stop import Stop
from tokviz.lessons.lesson import bundled
from tokviz.pages.comparison.grid_run import GridRequest, grid_of, runs_of, sizes_from
from tokviz.pages.comparison.language_texts import read_texts
from tokviz.pages.form import setup
from tokviz.pages.lesson.lesson_runs import check_own
from tokviz.pages.visit.comparisons import lanes_for
from tokviz.pages.visit.link import from_link, to_link, to_links
from tokviz.pages.visit.moment_file import MomentFileError, from_file, to_file
from tokviz.pages.visit.opened_history import lane_of_file
from tokviz.pages.visit.written_run import LinkError, fields_of
from tokviz.server import limit_checks, limits, page_limits
from tokviz.server.before_training import possible_sizes
from tokviz.server.jobs import history_of
from tokviz.server.limit_checks import (
    LimitError,
    check_interventions,
    check_run,
    check_words,
    most_of,
)
from tokviz.server.runs import Corpus, HistoryFile, Run, run_of_sample
from tokviz.text.word_counts import WordCounts

COURSE = run_of_sample(tokviz.SAMPLES["course"])
MORE = "python -m tokviz train"


@pytest.fixture
def allow(monkeypatch):
    """Sets limits of a table for one test: `allow("corpus", bytes=9)`."""

    def prepare(table, **changed):
        now = limits.LIMITS
        new = replace(now, **{table: replace(getattr(now, table), **changed)})
        monkeypatch.setattr(limits, "LIMITS", new)

    return prepare


@pytest.fixture
def form():
    """The Train page with its settings open."""
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    return press(app, "Settings")


def type_in(app, text):
    return app.text_area(key="corpus_text").set_value(text).run()


def own(text, size=40, algorithm="bpe", *settings):
    return Run(Corpus("Mine", text), algorithm, size, "whitespace", (), settings)


# --- what is said beforehand ----------------------------------------------------------------------


def test_every_limit_stands_in_one_list(allow):
    """No two numbers are alike, so that each is found where it belongs."""
    allow("corpus", bytes=41_000_000, distinct_words=42_001, word_characters=43_001)
    allow("corpus", lesson_characters=44_001, language_characters=45_001)
    allow("corpus", held_out_bytes=38_000_000)
    allow("settings", vocabulary=46_001, seeds=47_001, lanes=3, pattern_seconds=48, what_ifs=49)
    allow("settings", special_tokens=39_001)
    allow("training", workers=5, queue=51, each=50, seconds=52 * 60, megabytes=53)
    allow("training", unwatched_seconds=54)
    allow("kept", histories=56, megabytes=57, session_megabytes=62)
    allow("files", history_bytes=58_000_000, moment_bytes=59_000_000, session_bytes=61_000_000)

    def list_page():
        from tokviz.pages.visit.limit_list import limit_list

        limit_list()

    app = AppTest.from_function(list_page, default_timeout=PATIENCE).run()
    assert not app.exception
    page = html(app)
    for name, value in {
        "Corpus": "41 MB",
        "Different words": "42,001",
        "A word": "43,001 characters",
        "Held-out text": "38 MB",
        "Special tokens": "39,001",
        "Your own text in a lesson": "44,001 characters",
        "All files of Languages": "45,001 characters",
        "A text on the page Encode": "20,000 characters",
        "Vocabulary size": "46,001",
        "Seed vocabulary": "47,001",
        "Lanes": "3",
        "Time of a pattern": "48 s per document, for each million characters begun",
        "What-ifs of a run": "49",
        "At the same time": "5",
        "Running or waiting": "51 of all people together; 50 of one session",
        "Time": "52 minutes",
        "Memory": "53 MB",
        "A run that no page looks at": "is cancelled after 54 seconds",
        "Kept for everybody": "56 runs, of 57 MB; older ones are trained again",
        "Kept for one page": "what it shows, and earlier runs up to 62 MB in all",
        "A file": "50 MB",
        "All files": "61 MB, until the page is reloaded",
        "A history": "58 MB unpacked",
        "A moment": "59 MB of texts unpacked",
    }.items():
        assert f"<dt>{name}</dt><dd>{value}</dd>" in page, name
    assert all(
        word in page for word in (MORE, "python -m tokviz count … --out words.tsv", "TOKVIZ_LIMITS")
    )


@pytest.mark.parametrize(
    ("seconds", "said"), [(1, "1 second"), (0.5, "0.5 seconds"), (90, "90 seconds")]
)
def test_a_time_of_one_second_is_in_the_singular(allow, seconds, said):
    allow("training", unwatched_seconds=seconds)

    def list_page():
        from tokviz.pages.visit.limit_list import limit_list

        limit_list()

    app = AppTest.from_function(list_page, default_timeout=PATIENCE).run()
    assert f"is cancelled after {said}</dd>" in html(app)


def test_the_list_stands_in_the_form_and_on_how_it_works(form):
    assert 'class="tv-limits"' in html(form)

    def about_page():
        from tokviz.pages.about import page

        page()

    app = AppTest.from_function(about_page, default_timeout=PATIENCE).run()
    assert "## Limits of this server" in [element.value for element in app.markdown]
    assert 'class="tv-limits"' in html(app)


def test_the_form_says_how_much_of_the_corpus_is_used_once_it_is_much(allow, form):
    said = "Up to 50 MB of text and 1,000,000 different words."
    assert f"{said}</p>" in html(form)
    allow("corpus", bytes=20_000)
    type_in(form, "low lower " * 200)
    assert "Up to 20 kB of text and 1,000,000 different words.</p>" in html(form)
    type_in(form, "low lower " * 201)
    assert "different words. This one has 2 kB.</p>" in html(form)


def test_fields_have_the_limits_as_their_ends(allow, form):
    allow("settings", vocabulary=5000, seeds=700, pattern_seconds=3)
    form.segmented_control(key="algorithm").set_value("unigram").run()
    size, seeds = form.number_input(key="vocab_size"), form.number_input(key="unigram.seed_size")
    assert (size.max, seeds.max) == (5000, 700)
    assert "up to 5,000." in size.help
    assert seeds.help.endswith("Up to 700.")
    form.selectbox(key="pretokenizer").set_value("regex").run()
    seconds = form.number_input(key="regex.timeout")
    assert (seconds.max, seconds.value) == (3, 2)
    assert seconds.help.endswith("Up to 3.0.")


def test_what_is_usual_is_no_more_than_the_limit(allow, form):
    """SentencePiece usually starts from a million seeds, and a pattern has two seconds."""
    allow("settings", seeds=400, pattern_seconds=1)
    take_algorithm(form, "sentencepiece-unigram")
    assert form.number_input(key="sentencepiece-unigram.seed_sentencepiece_size").value == 400
    form.segmented_control(key="algorithm").set_value("unigram").run()
    form.number_input(key="vocab_size").set_value(200).run()
    form.segmented_control(key="algorithm").set_value("unigram").run()
    seeds = form.number_input(key="unigram.seed_size")
    assert (seeds.value, seeds.placeholder) == (None, "400")
    assert dict(visit_of(form).held[1].settings) == {"seed_size": 400}
    form.number_input(key="vocab_size").set_value(120).run()
    assert form.number_input(key="unigram.seed_size").placeholder == "360"
    assert visit_of(form).held[1].settings == ()
    form.number_input(key="unigram.seed_size").set_value(80).run()
    assert dict(visit_of(form).held[1].settings) == {"seed_size": 80}
    form.selectbox(key="pretokenizer").set_value("regex").run()
    assert form.number_input(key="regex.timeout").value == 1
    assert not form.exception


def test_a_lane_that_has_no_room_says_why(allow):
    allow("settings", lanes=2)
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert not app.button(key="add").disabled
    press(app, "Compare side by side")
    add = app.button(key="add")
    assert add.disabled
    assert add.help == "There is room for 2 lanes: remove one to add another."
    assert app.button(key="duplicate_1").disabled
    app.button(key="remove_1").click().run()
    assert not app.button(key="add").disabled


def test_pages_that_take_files_say_how_much(allow):
    allow("files", history_bytes=58_000_000, moment_bytes=59_000_000)
    allow("corpus", language_characters=45_001, lesson_characters=44_001)

    def files():
        from tokviz.pages.comparison.language_texts import texts_fields
        from tokviz.pages.open_file import page

        page()
        texts_fields(lambda: None)

    app = AppTest.from_function(files, default_timeout=PATIENCE)
    app.session_state["languages_source"] = "My own files"
    app.run()
    assert not app.exception
    said = (
        "Up to 50 MB per file, 20 MB for a .model or .tiktoken, 48 MB for a .json; a history may "
        "unpack to "
        "58 MB, the texts of a moment to 59 MB."
    )
    assert said in html(app)
    # Both uploaders, by their help.
    helps = "".join(element.proto.help for element in app.get("file_uploader"))
    assert "Up to 40 files, of 45,001 characters in all." in helps


def test_uploads_reach_as_far_as_the_corpus_may():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text("utf-8"))
    largest = config["server"]["maxUploadSize"]
    usual = limits.read_limits((ROOT / "tokviz" / "server" / "limits.toml").read_text("utf-8"))
    assert usual.corpus.bytes == largest * 10**6, "what is said of both is the same"
    assert usual.corpus.bytes <= largest * 2**20


# --- the corpus -----------------------------------------------------------------------------------


def test_a_corpus_just_inside_is_trained_and_one_byte_more_is_not(allow, form):
    text = "é low lower lowest newest " * 4
    allow("corpus", bytes=len(text) + 4)
    type_in(form, text)
    assert visit_of(form).lanes[0].corpus.text == text
    said = (
        f"The corpus has {len(text) + 5} bytes; this server takes up to {len(text) + 4}. "
        "Give a shorter text; or, on your own computer, count its words (python -m tokviz count … "
    )
    type_in(form, text + "x")
    assert f'role="status">{said}' in html(form)
    assert form.text_area(key="corpus_text").value == text + "x"
    assert visit_of(form).lanes[0].corpus.text == text


@pytest.mark.parametrize(
    ("limit", "inside", "beyond", "said"),
    [
        (
            {"distinct_words": 3},
            "aa bb cc aa",
            "aa bb cc dd",
            "The corpus has 4 different words; this server takes up to 3. Give a shorter text, or "
            "a word-count table without the rarest words (python -m tokviz count … ",
        ),
        (
            {"word_characters": 30},
            "low " + "<b>" * 10,
            "low " + "<b>" * 10 + "!",
            "The word that begins with “<b><b><b><b><b><b><b” has 31 characters; this server takes "
            "words of up to 30. Choose a pre-tokenizer that cuts it, or shorten it;",
        ),
    ],
)
def test_words_are_looked_at_once_they_are_counted(allow, limit, inside, beyond, said):
    allow("corpus", **limit)
    assert len(history_of(own(inside)))
    for run in (
        own(beyond),
        replace(
            own(beyond),
            corpus=replace(
                own(beyond).corpus, text=beyond.replace(" ", ",1\n") + ",1", read_as="counts"
            ),
        ),
    ):
        for ask in (history_of, possible_sizes):
            with pytest.raises(LimitError) as refused:
                ask(run)
            assert str(refused.value).startswith(said)
            assert MORE in str(refused.value)


def test_too_many_words_leave_a_sentence_and_the_text(allow, form):
    allow("corpus", word_characters=30)
    form.selectbox(key="pretokenizer").set_value("whitespace").run()
    type_in(form, "low " + "<b>" * 11)
    start = "&lt;b&gt;" * 6
    assert f'role="status">The word that begins with “{start}' in html(form)
    assert form.text_area(key="corpus_text").value == "low " + "<b>" * 11
    assert visit_of(form).lanes[0].corpus == COURSE.corpus


def test_a_file_that_is_too_large_leaves_what_was_typed(allow, form):
    type_in(form, "my own text")
    allow("corpus", bytes=100)
    form.file_uploader(key="upload").set_value(("a.txt", b"x " * 50, "text/plain")).run()
    assert form.text_area(key="corpus_text").value == "x " * 50
    form.file_uploader(key="upload").set_value(("b.txt", b"x " * 50 + b"x", "text/plain")).run()
    assert "The corpus has 101 bytes; this server takes up to 100." in html(form)
    assert form.text_area(key="corpus_text").value == "x " * 50
    assert form.session_state["own"].title == "a.txt"


def test_too_little_memory_to_count_is_a_sentence_in_the_form(form, monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("tokviz.server.before_training.compute_once", full)
    type_in(form, "a text that is too large")
    form.segmented_control(key="algorithm").set_value("unigram").run()
    assert not form.exception
    assert "The corpus is too large for this computer; train on a shorter text." in html(form)
    assert form.text_area(key="corpus_text").value == "a text that is too large"


def test_half_a_character_counts_too():
    check_run(own("\ud800" * 3), limits.LIMITS)
    small = replace(limits.LIMITS, corpus=replace(limits.LIMITS.corpus, bytes=8))
    with pytest.raises(LimitError, match="has 9 bytes"):
        check_run(own("\ud800" * 3), small)


def test_a_grid_and_a_comparison_meet_the_same_limits(allow):
    run = own("low lower lowest newest " * 3)
    allow("corpus", distinct_words=3)
    with pytest.raises(LimitError, match="has 4 different words"):
        grid_of(GridRequest(runs_of(run, ["bpe"], 20), (15, 20)))
    with pytest.raises(LimitError, match="has 6 different words"):
        lanes_for("families", replace(run, vocab_size=20))
    allow("corpus", bytes=20, distinct_words=10)
    with pytest.raises(LimitError, match="has 72 bytes"):
        grid_of(GridRequest(runs_of(run, ["bpe"], 20), (15, 20)))
    allow("settings", vocabulary=60)
    assert sizes_from("60") == (60,)
    with pytest.raises(ValueError, match="61 is too large; the greatest vocabulary size is 60"):
        sizes_from("61")


def test_a_comparison_needs_room_for_its_lanes(allow):
    allow("settings", lanes=3)
    assert len(lanes_for("families", COURSE)) == 3
    with pytest.raises(LimitError, match="4 lanes are asked for, and there is room for 3"):
        lanes_for("ties", COURSE)


def test_lanes_that_other_views_open_need_room_too(allow):
    """The grid and the languages ask for lanes in this way."""
    allow("settings", lanes=1)
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    visit_of(app).wanted_lanes = (COURSE, replace(COURSE, vocab_size=40))
    app.run()
    assert visit_of(app).lanes == (COURSE,)
    assert "2 lanes are asked for, and there is room for 1; leave some out." in html(app)


def test_a_long_corpus_is_not_counted_before_it_is_trained(allow, form, monkeypatch):
    monkeypatch.setattr(setup, "MOST_COUNTED", 30)
    allow("corpus", bytes=40)
    type_in(form, "low lower lowest newest wides")
    assert "It has 5 words" in html(form)
    type_in(form, "low lower lowest newest widest!")
    said = "This corpus is long: its words are counted once you press Train."
    assert said in html(form)
    form.segmented_control(key="algorithm").set_value("wordpiece").run()
    assert said in html(form)
    type_in(form, "low lower lowest newest widest!".ljust(41, "!"))
    assert "has 41 bytes; this server takes up to 40" in html(form)
    assert said not in html(form)


def test_other_texts_have_limits_of_their_own(allow):
    allow("corpus", lesson_characters=10, language_characters=10)
    check_own("x" * 10)
    with pytest.raises(LimitError, match=r"has 11 characters; a lesson takes up to 10\. Give"):
        check_own("x" * 11)
    assert read_texts([("a.txt", b"12345"), ("b.txt", b"67890")])
    with pytest.raises(ValueError, match="have 11 characters; give at most 10 in all"):
        read_texts([("a.txt", b"12345"), ("b.txt", b"678901")])


def learn_page():
    from tokviz.pages.learn import page

    page()


def test_a_text_too_long_for_a_lesson_stays_in_its_field(allow):
    name = next(iter(bundled()))
    app = AppTest.from_function(learn_page, default_timeout=PATIENCE)
    app.query_params["lesson"] = name
    app.run()
    allow("corpus", lesson_characters=40)
    long = "low lower lowest newest widest low low low"
    app.text_area(key="lesson_typed").set_value(long)
    press(app, "Tell it on this text")
    assert "has 42 characters; a lesson takes up to 40." in html(app)
    assert app.text_area(key="lesson_typed").value == long
    assert app.session_state["lesson_own"] == ""
    app.text_area(key="lesson_typed").set_value(long[:38])
    press(app, "Tell it on this text")
    assert app.session_state["lesson_own"] == long[:38]
    assert "a lesson takes up to" not in html(app)


def test_the_address_of_a_lesson_with_too_long_a_text_says_so(allow):
    allow("corpus", lesson_characters=10)
    app = AppTest.from_function(learn_page, default_timeout=PATIENCE)
    app.query_params["lesson"] = next(iter(bundled()))
    app.query_params["lane"] = to_links([own("low lower lowest")])
    app.run()
    assert "has 16 characters; a lesson takes up to 10." in html(app)
    assert app.session_state["lesson_own"] == ""


def test_a_held_out_text_has_a_limit_of_its_own(allow):
    def held_out():
        import streamlit as st

        from tokviz import SAMPLES, compare
        from tokviz.pages.comparison.held_out_view import held_out_view
        from tokviz.server.jobs import history_of
        from tokviz.server.runs import run_of_sample

        run = run_of_sample(SAMPLES["course"])
        st.session_state.setdefault("held_out_text", "this is a text")
        held_out_view(compare([history_of(run)], run.corpus.text), [run], 3)

    allow("corpus", held_out_bytes=14)
    app = AppTest.from_function(held_out, default_timeout=PATIENCE).run()
    assert not app.exception
    assert "The held-out text has" not in html(app)
    app.text_area(key="held_out_text").set_value("this is a text!").run()
    assert "The held-out text has 15 bytes; this server takes up to 14." in html(app)
    assert app.text_area(key="held_out_text").value == "this is a text!"

    app.button(key="hold_back").click().run()
    assert not app.exception
    assert re.search(r"held-out text has [\d,]+ bytes; this server takes up to 14", html(app))
    assert not visit_of(app).wanted_lanes
    assert app.text_area(key="held_out_text").value == "this is a text!"


# --- settings -------------------------------------------------------------------------------------

#: A run just beyond a limit of one, the limit, and what is said.
BEYOND = [
    (
        own("low lower", 61),
        {"vocabulary": 60},
        "A vocabulary size of 61 is asked for; this server trains up to 60. Ask for less; or",
    ),
    (
        own("low lower", 10, "unigram", ("seed_size", 71)),
        {"seeds": 70},
        "A seed vocabulary of 71 is asked for; this server takes up to 70. Ask for less; or",
    ),
    (
        own("low lower", 10, "sentencepiece-unigram", ("seed_sentencepiece_size", 71)),
        {"seeds": 70},
        "A seed vocabulary of 71 is asked for; this server takes up to 70. Ask for less; or",
    ),
    (
        replace(
            own("low lower", 9), pretokenizer="regex", pretokenizer_settings=(("timeout", 5.5),)
        ),
        {"pattern_seconds": 5},
        "The pattern may take up to 5.5 s per document; this server allows 5. Ask for less; or",
    ),
    (
        replace(own("low lower", 9), interventions=((0, ("l", "o")), (1, ("lo", "w")))),
        {"what_ifs": 1},
        "The run was told what to choose at 2 steps; this server takes up to 1. Take some out; or",
    ),
    (
        own("low lower", 9, "bpe", ("special_tokens", ("<a>", "<b>"))),
        {"special_tokens": 1},
        "2 special tokens are asked for; this server takes up to 1. Ask for less; or",
    ),
    (
        own("low lower", 11, "sentencepiece-bpe", ("user_defined_symbols", ("<a>", "<b>"))),
        {"special_tokens": 1},
        "2 special tokens are asked for; this server takes up to 1. Ask for less; or",
    ),
]


@pytest.mark.parametrize(("run", "limit", "said"), BEYOND)
def test_settings_beyond_a_limit_are_refused_wherever_they_come_from(allow, run, limit, said):
    link, moment = to_link(run), to_file("train", [run], {})
    allow("settings", **{name: most + 1 for name, most in limit.items()})
    assert from_link(link) == run
    assert from_file(moment).lanes == (run,)
    check_run(run, limits.LIMITS)
    allow("settings", **limit)
    for ask, error in (
        (lambda: from_link(link), LinkError),
        (lambda: from_file(moment), MomentFileError),
        (lambda: history_of(run), LimitError),
        (lambda: possible_sizes(run), LimitError),
    ):
        with pytest.raises(error) as refused:
            ask()
        assert str(refused.value).startswith(said)
        assert MORE in str(refused.value)


def saved(history):
    file = io.BytesIO()
    save(history, file)
    return file.getvalue()


def opened_again(run):
    """The run, trained here, saved and opened."""
    return lane_of_file("mine.npz", saved(history_of(run)))


IN_PYTHON = "Open the file in Python with tokviz.load, which has no limits."


@pytest.mark.parametrize(("run", "limit", "said"), BEYOND)
def test_a_history_of_such_settings_is_refused_as_well(allow, run, limit, said):
    allow("settings", **{name: most + 1 for name, most in limit.items()})
    assert opened_again(run).algorithm == run.algorithm
    file = saved(history_of(run))
    allow("settings", **limit)
    with pytest.raises(LimitError) as refused:
        lane_of_file("mine.npz", file)
    assert str(refused.value) == f"{said.partition('. ')[0]}. {IN_PYTHON}"


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ({"bytes": 11}, "The corpus has 12 bytes; this server takes up to 11."),
        ({"distinct_words": 2}, "The corpus has 3 different words; this server takes up to 2."),
        (
            {"word_characters": 5},
            "The word that begins with “lowest” has 6 characters; this server takes words of up "
            "to 5.",
        ),
    ],
)
def test_a_history_of_too_many_words_is_refused(allow, limit, said):
    run = own("low new lowest", 12)
    allow("corpus", **{name: most + 3 for name, most in limit.items()})
    file = saved(tokviz.train(run.corpus.text, "bpe", 12, "whitespace"))
    lane_of_file("mine.npz", file)
    allow("corpus", **limit)
    with pytest.raises(LimitError) as refused:
        lane_of_file("mine.npz", file)
    assert str(refused.value) == f"{said} {IN_PYTHON}"


def test_whatever_is_trained_here_is_opened_here(allow):
    """The table of its words is longer than the text, and a run of Unigram that was stopped has
    more tokens than it was asked for."""
    run = own("ab cd ef gh", 9)
    allow("corpus", bytes=11, distinct_words=4, word_characters=2)
    allow("settings", vocabulary=9)
    assert len(opened_again(run).corpus.text) > 11
    whole = tokviz.train("low lower lowest", "unigram", 20)
    asked = replace(whole.trainer, vocab_size=9)
    cancelled = replace(whole, trainer=asked, stop=Stop("cancelled", values={"rounds": 1}))
    allow("corpus", bytes=99, word_characters=9)
    run = lane_of_file("stopped.npz", saved(cancelled))
    assert run.vocab_size == cancelled.vocab_size(len(cancelled)) > 9


@pytest.mark.parametrize(
    ("algorithm", "most"), [("bpe", {"MERGES": 0}), ("unigram", {"ROUNDS": 1})]
)
def test_a_history_of_more_steps_than_any_run_has_is_refused(algorithm, most, monkeypatch):
    file = saved(tokviz.train("low lower lowest newest", algorithm, 14))
    lane_of_file("mine.npz", file)
    for name, value in most.items():
        monkeypatch.setattr(limit_checks, name, value)
    with pytest.raises(LimitError, match=r"The history has .* steps; this server opens up to"):
        lane_of_file("mine.npz", file)


def test_usual_settings_meet_the_limits_too():
    run = own("low lower", 10, "sentencepiece-unigram")
    few = replace(limits.LIMITS, settings=replace(limits.LIMITS.settings, seeds=10))
    with pytest.raises(LimitError, match="seed vocabulary of 1,000,000"):
        check_run(run, few)
    pattern = replace(own("low lower"), pretokenizer="regex")
    short = replace(limits.LIMITS, settings=replace(limits.LIMITS.settings, pattern_seconds=1))
    with pytest.raises(LimitError, match=r"up to 2\.0 s per document; this server allows 1"):
        check_run(pattern, short)


@pytest.mark.parametrize("value", [100_001, 10**9, 10**60])
def test_who_wants_more_is_sent_to_a_computer_that_allows_more(value):
    """The command line takes any vocabulary size, and SentencePiece so many seeds as it does."""
    with pytest.raises(LinkError, match=r"this server trains up to 100,000\. Ask for less; or"):
        from_link(packed(fields_of(own("low lower", value))))
    with pytest.raises(LinkError, match=r"takes up to 200,000\. Ask for less; or"):
        from_link(packed(fields_of(own("low lower", 10, "unigram", ("seed_size", value + 10**5)))))
    seeds = ("seed_sentencepiece_size", value + 10**8)
    with pytest.raises(LinkError, match=r"takes up to 1,000,000\. Ask for less\.$"):
        from_link(packed(fields_of(own("low lower", 10, "sentencepiece-unigram", seeds))))


def test_seeds_that_follow_the_size_have_a_limit_too(allow):
    allow("settings", seeds=400)
    assert check_run(own("low lower", 133, "unigram"), limits.LIMITS) is None
    for settings in ([], [("seed_size", 0)]):
        with pytest.raises(LimitError, match=r"seed vocabulary of 402 is asked for; .* up to 400"):
            check_run(own("low lower", 134, "unigram", *settings), limits.LIMITS)


def test_a_limit_above_the_engine_allows_no_more_than_the_engine(allow):
    allow("settings", vocabulary=10**7, seeds=10**9, lanes=9, pattern_seconds=10**6)
    assert page_limits.vocabulary() == 10**7
    assert page_limits.seeds("unigram", "seed_size") == 200_000
    assert page_limits.lanes() == 4
    assert page_limits.pattern_seconds() == 60
    assert page_limits.seeds("sentencepiece-unigram", "seed_sentencepiece_size") == 10**7
    assert most_of("bpe", "vocab_size", limits.LIMITS.settings) == 10**7


def test_a_corpus_in_a_link_or_a_moment_meets_its_limit(allow):
    run = own("low lower lowest newest")
    link, moment = to_link(run), to_file("train", [run], {})
    allow("corpus", bytes=len(run.corpus.text))
    assert from_link(link) == run
    allow("corpus", bytes=len(run.corpus.text) - 1)
    with pytest.raises(LinkError, match="has 23 bytes; this server takes up to 22"):
        from_link(link)
    with pytest.raises(MomentFileError, match="has 23 bytes; this server takes up to 22"):
        from_file(moment)


def test_a_moment_of_too_much_text_says_so(allow):
    lanes = [own("low lower lowest"), own("newest widest")]
    moment = to_file("train", lanes, {})
    allow("files", moment_bytes=29)
    assert from_file(moment).lanes == tuple(lanes)
    allow("files", moment_bytes=28)
    with pytest.raises(MomentFileError, match="more than 28 bytes of text"):
        from_file(moment)


def test_a_moment_of_too_many_lanes_opens_those_that_fit():
    lanes = [replace(COURSE, vocab_size=40 + n) for n in range(9)]
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.session_state["opened"] = from_file(to_file("train", lanes, {}))
    app.run()
    assert visit_of(app).lanes == tuple(lanes[:4])
    assert "there is room for 4 lanes, and the file has more" in html(app).replace("There", "there")


def test_an_address_beyond_a_limit_leaves_a_sentence_and_a_usable_page(allow):
    allow("settings", vocabulary=60)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = ["course", packed(fields_of(replace(COURSE, vocab_size=10**9)))]
    app.run()
    assert visit_of(app).lanes == (COURSE,)
    assert "A vocabulary size of 1,000,000,000 is asked for; this server trains up to 60" in html(
        app
    )


def test_a_history_beyond_a_limit_is_shown_and_its_form_is_not_lost(allow):
    """It is not trained here; what its form asks for is."""
    allow("settings", vocabulary=45)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    from tokviz.server.histories import entry_for

    run = replace(COURSE, source=HistoryFile("0f" * 16))
    entry_for(run)["made"] = tokviz.train(COURSE.corpus.text, "bpe", 50, "gpt2", unit="byte")
    visit_of(app).lanes, visit_of(app).number = (run,), 0
    app.run()
    assert not app.exception
    press(app, "Settings")
    assert not app.exception
    assert app.number_input(key="vocab_size").value == 45


def test_a_run_may_be_told_as_often_as_it_is_allowed():
    check_interventions(100, limits.LIMITS.settings)
    with pytest.raises(LimitError, match="at 101 steps"):
        check_interventions(101, limits.LIMITS.settings)


# --- who has no limits ----------------------------------------------------------------------------


def test_python_and_the_command_line_have_none(tmp_path):
    own_limits = tmp_path / "own.toml"
    own_limits.write_text(
        "[corpus]\nbytes = 5\ndistinct_words = 1\nword_characters = 1\n"
        "[settings]\nvocabulary = 3\nseeds = 1\npattern_seconds = 0.1\n",
        "utf-8",
    )
    env = {**os.environ, "TOKVIZ_LIMITS": str(own_limits)}
    text = tmp_path / "my.txt"
    text.write_text("low lower lowest", "utf-8")
    train = [sys.executable, "-m", "tokviz", "train", str(text), "--vocab-size", "12"]
    done = subprocess.run(train, cwd=ROOT, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    program = (
        "import tokviz\n"
        "print(len(tokviz.train('low lower lowest', 'unigram', 12, seed_size=40)))\n"
        "from tokviz import limits\n"
        "from tokviz.server.before_training import possible_sizes\n"
        "from tokviz.server.runs import Corpus, Run\n"
        "try:\n"
        "    possible_sizes(Run(Corpus('', 'low lower'), 'bpe', 12, 'gpt2'))\n"
        "except ValueError as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, env=env, capture_output=True, text=True
    )
    steps, said = done.stdout.strip().split("\n", 1)
    assert int(steps) >= 0
    assert said.startswith("The corpus has 9 bytes; this server takes up to 5.")


def test_words_that_are_none_are_within_every_limit():
    check_words(WordCounts((), ()), replace(limits.LIMITS.corpus, distinct_words=0))
