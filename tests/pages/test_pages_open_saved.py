"""The page that opens files, without a browser: moments and histories that tokviz saved."""

import base64
import io
import json
import zlib
from dataclasses import replace

import pytest
from app_test import html
from helpers import PATIENCE, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.formats.history_file import save
from tokviz.pages import open_file
from tokviz.pages.visit import unfinished
from tokviz.pages.visit.lanes import facts
from tokviz.pages.visit.moment_file import Moment, MomentFileError, from_file, is_moment, to_file
from tokviz.pages.visit.opened_history import lane_of_file
from tokviz.pages.visit.opened_history import run_of as lane_of
from tokviz.pages.visit.written_run import fields_of, run_of
from tokviz.server import histories, jobs, limits
from tokviz.server.histories import put_history
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.pool import Pool, work
from tokviz.server.runs import Corpus, run_of_sample, trainable
from tokviz.server.shared_cache import history_bytes
from tokviz.trainers import sentencepiece_bpe

COURSE = run_of_sample(tokviz.SAMPLES["course"])
WORDPIECE = replace(COURSE, algorithm="wordpiece", vocab_size=60, pretokenizer="bert", settings=())
UNIGRAM = replace(COURSE, corpus=replace(COURSE.corpus, text=""), algorithm="unigram", settings=())
HOSTILE = "<img/src=x/onerror=alert(1)>"


def test_a_moment_is_shown_where_it_was_saved(opened):
    lanes = (
        replace(COURSE, corpus=replace(COURSE.corpus, text="a text of my own")),
        replace(WORDPIECE, corpus=replace(WORDPIECE.corpus, text="another")),
    )
    parts = {"step": "3", "lens": "word"}
    app = opened(("moment.tokviz.json", to_file("compare", lanes, parts)))
    html(app)
    assert app.shown == [Moment("compare", lanes, parts)]


def test_lanes_of_a_moment_share_their_text():
    text = "low lower " * 5000
    lanes = tuple(
        replace(COURSE, corpus=replace(COURSE.corpus, text=text), vocab_size=size)
        for size in (40, 41, 42)
    )
    data = to_file("train", lanes, {})
    assert from_file(data).lanes == lanes
    assert len(data) < len(text) / 10


def bomb():
    packing = zlib.compressobj(9)
    data = b"".join(packing.compress(bytes(10**7)) for _ in range(7)) + packing.flush()
    return base64.b64encode(data).decode()


def moment(**changes):
    whole = json.loads(to_file("train", [COURSE], {"step": "1"}))
    return json.dumps({**whole, **changes}).encode()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "damaged, or is not a moment"),
        (b"[" * 100_000, "damaged, or is not a moment"),
        (b"[]", "is not a moment that tokviz saved"),
        (b"\xff\xfe", "damaged, or is not a moment"),
        (moment(format="other"), "is not a moment that tokviz saved"),
        (moment(version=99), "a moment of version 99; this tokviz reads versions 1 to 2"),
        (moment(lanes=[]), "damaged"),
        (moment(lanes=[[None]]), "damaged"),
        (moment(lanes=7), "damaged"),
        (
            moment(lanes=[["nothing", *fields_of(COURSE)[1:]]]),
            "The file names the sample 'nothing'",
        ),
        (moment(page="about"), "damaged"),
        (moment(address={"step": 3}), "damaged"),
        (moment(address=[]), "damaged"),
        (
            moment(lanes=[[None, "", COURSE.corpus.text, *fields_of(COURSE)[3:]]]),
            "damaged",
        ),
        (moment(lanes=[[]]), "damaged"),
        (
            moment(lanes=[["course", *fields_of(UNIGRAM)[1:-1], [["prune_fraction", 10**400]]]]),
            "damaged",
        ),
        (
            moment(lanes=[[None, "", bomb(), *fields_of(COURSE)[3:]]]),
            "more than 60,000,000 bytes of text",
        ),
        (b'{"format": "tokviz moment", "x": [' + b"1," * 300_000 + b"1]}", "damaged"),
        (b" " * 80_000_001, "has 80,000,001 bytes; a moment has at most 80,000,000"),
    ],
)
def test_a_damaged_moment_leaves_a_sentence(data, said):
    with pytest.raises(MomentFileError, match=said):
        from_file(data)


def test_a_moment_that_is_cut_short_leaves_a_sentence():
    data = to_file(
        "train", [replace(COURSE, corpus=replace(COURSE.corpus, text="é"))], {"step": "1"}
    )
    assert is_moment(data)
    for end in range(0, len(data), 7):
        with pytest.raises(MomentFileError):
            from_file(data[:end])


def test_a_moment_opens_on_its_page():
    """In the place of what was on the desk."""
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {"step": "5", "view": "words"})
    app.run()
    assert not app.exception
    assert visit_of(app).lanes == (WORDPIECE,)
    assert (visit_of(app).start, visit_of(app).look) == (5, {"view": "words"})
    broken = Moment("train", (replace(WORDPIECE, vocab_size=3),), {})
    app.session_state["opened"] = broken
    app.run()
    assert "This file could not be opened: A vocabulary size of 3" in html(app)


def test_a_moment_that_cannot_be_trained_leaves_the_desk_as_it_was():
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {})
    app.run()
    app.session_state["opened"] = Moment("train", (replace(WORDPIECE, vocab_size=3),), {})
    app.run()
    assert "This file could not be opened: A vocabulary size of 3" in html(app)
    assert visit_of(app).lanes == (WORDPIECE,)


def test_a_moment_outlives_a_click_while_its_lanes_are_trained(monkeypatch):
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    train = unfinished.history_of

    def interrupted(_run):
        monkeypatch.setattr(unfinished, "history_of", train)
        open_file.st.stop()

    monkeypatch.setattr(unfinished, "history_of", interrupted)
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {"step": "5"})
    app.run()
    assert visit_of(app).lanes == (COURSE,)
    app.run()
    assert visit_of(app).lanes == (WORDPIECE,)
    assert visit_of(app).start == 5


def test_a_moment_waits_for_the_page_that_it_is_of():
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    app.session_state["opened"] = Moment("compare", (WORDPIECE,), {})
    app.run()
    assert visit_of(app).lanes == (COURSE,)


def test_training_a_moment_can_be_stopped_where_it_is(monkeypatch):
    from app_test import APP

    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    train, shorter = unfinished.history_of, replace(WORDPIECE, vocab_size=58)

    def stopped(_run):
        monkeypatch.setattr(unfinished, "history_of", train)
        raise Stopped(shorter, train(shorter))

    monkeypatch.setattr(unfinished, "history_of", stopped)
    app.session_state["opened"] = Moment("train", (WORDPIECE,), {})
    app.run()
    assert not app.exception
    assert visit_of(app).lanes == (shorter,)


def test_a_moment_opens_on_a_desk_that_had_no_lanes_yet():
    def compare_page():
        from dataclasses import replace

        import streamlit as st

        from tokviz import SAMPLES
        from tokviz.pages import compare
        from tokviz.pages.visit.moment_file import Moment
        from tokviz.pages.visit.visit import lanes_of
        from tokviz.server.runs import run_of_sample

        run = run_of_sample(SAMPLES["course"])
        if not lanes_of("compare"):
            st.session_state["opened"] = Moment("compare", (run, replace(run, vocab_size=60)), {})
        compare.page()

    app = AppTest.from_function(compare_page, default_timeout=PATIENCE).run()
    assert not app.exception
    assert [run.vocab_size for run in visit_of(app).lanes] == [50, 60]


def test_a_history_is_a_lane_with_its_own_steps(opened):
    history = tokviz.train("low low lower", "bpe", 8, "whitespace", tie_break="shortest")
    file = io.BytesIO()
    save(history, file)
    app = opened(("lower.npz", file.getvalue()))
    html(app)
    [shown] = app.shown
    [run] = shown.lanes
    assert facts(run)["Tie-break"] == "shortest"
    assert run.corpus == Corpus("lower", "low\t2\nlower\t1", read_as="counts")
    assert [s.token for s in history_of(run).steps] == [s.token for s in history.steps]


def test_a_history_that_was_cancelled_is_in_nobodys_way(opened):
    words = {"newest": 6, "widest": 3, "lowest": 2}
    cancelled = tokviz.train(words, "bpe", 16, "whitespace", lambda told: told.stage != "merges")
    assert cancelled.stopped.startswith("Cancelled")
    file = io.BytesIO()
    save(cancelled, file)
    app = opened(("part.npz", file.getvalue()))
    [run] = app.shown[0].lanes
    assert len(history_of(run)) == len(cancelled)
    assert len(history_of(replace(run, vocab_size=16))) > len(cancelled)


def test_a_history_with_half_a_character_leaves_a_sentence(opened):
    file = io.BytesIO()
    save(tokviz.train({"a\ud800": 2}, "bpe", 5, "whitespace"), file)
    app = opened(("half.npz", file.getvalue()))
    assert "half a surrogate pair" in html(app)
    assert not app.shown


def test_a_history_beyond_a_limit_leaves_a_sentence(opened, monkeypatch):
    few = replace(limits.LIMITS, settings=replace(limits.LIMITS.settings, vocabulary=7))
    monkeypatch.setattr(limits, "LIMITS", few)
    file = io.BytesIO()
    save(tokviz.train("low low lower", "bpe", 8, "whitespace"), file)
    app = opened(("lower.npz", file.getvalue()))
    assert "this server trains up to 7. Open the file in Python with tokviz.load" in html(app)
    assert not app.shown


def test_a_history_is_weighed_by_what_it_takes_and_not_by_its_file():
    history = tokviz.train({"a" * 300_000: 1}, "bpe", 3, "whitespace")
    file = io.BytesIO()
    save(history, file)
    columns, texts = history_bytes(history)
    assert texts > 300_000
    assert columns > 600_000 > 50 * len(file.getvalue())
    histories.HISTORIES.clear()
    lane_of_file("long.npz", file.getvalue())
    opened = histories.HISTORIES.bytes
    assert opened > columns + texts
    # As much as one that is trained here, but for the names of their places.
    histories.HISTORIES.clear()
    put_history(lane_of(history, "long"), history)
    assert abs(opened - histories.HISTORIES.bytes) < 1000


def test_a_history_that_was_changed_is_nobody_elses(opened):
    """Only the shape of its numbers can be checked."""
    history = tokviz.train("low low lower", "bpe", 8, "whitespace")
    history.record.top_count.setflags(write=True)
    history.record.top_count[0, 0] = 999
    file = io.BytesIO()
    save(history, file)
    html(opened(("lower.npz", file.getvalue())))
    [run] = opened(("lower.npz", file.getvalue())).shown[-1].lanes
    assert history_of(run).steps[0].count == 999, "as the file says"
    honest = lane_of(history, "lower")
    assert history_of(honest).steps[0].count == 3
    assert facts(run) == facts(honest)
    assert run_of(json.loads(json.dumps(fields_of(run)))) == honest
    assert trainable(run) == honest


def test_words_in_quotes_come_back_and_others_are_refused():
    words = {'"a"': 2, 'a"b': 1, "\t": 3, " x ": 4, ",": 5}
    run = lane_of(tokviz.train(words, "bpe", 12), "quotes")
    again = history_of(run)
    assert dict(zip(again.words.words, again.words.counts, strict=True)) == words
    with pytest.raises(tokviz.CorpusError, match="line break"):
        lane_of(tokviz.train({"a\nb": 2}, "bpe", 12), "lines")


def chosen_file(**changes):
    """A file of a run that chose its characters; `changes` are of its trainer's settings."""
    settings = {"library_version": "0.2.3", "byte_fallback": True, "auto_character_coverage": True}
    history = tokviz.train("日本 日本 ab ab ab", "sentencepiece-bpe", 259 + 6, **settings)
    history = replace(history, trainer=replace(history.trainer, **changes))
    file = io.BytesIO()
    save(history, file)
    return file.getvalue()


def test_the_choice_of_a_file_is_checked_by_a_worker_and_once(monkeypatch):
    data, calls, submit = chosen_file(), [], Pool.submit

    def counted(pool, call, who=""):
        calls.append(call.function)
        return submit(pool, call, who)

    monkeypatch.setattr(Pool, "submit", counted)
    # It takes as long as a training: the page itself must not wait for it.
    monkeypatch.setattr(
        sentencepiece_bpe, "choose_characters", lambda *_given: pytest.fail("on the page")
    )
    run = lane_of_file("mine.npz", data)
    assert lane_of_file("again.npz", data).source == run.source
    assert calls == [work.with_choice]
    assert history_of(run).narrate(0).endswith("than if all were spelled in bytes.")
    # As no others are checked.
    file = io.BytesIO()
    save(tokviz.train("low low lower", "bpe", 8), file)
    lane_of_file("plain.npz", file.getvalue())
    assert len(calls) == 1


def test_characters_that_nobody_chose_are_refused_by_the_name_of_the_file(opened, monkeypatch):
    said = "mine.npz is damaged: its characters are not those that its settings choose."
    for size in (259 + 5, 259 + 3):
        with pytest.raises(tokviz.HistoryFileError) as refused:
            lane_of_file("mine.npz", chosen_file(vocab_size=size))
        assert str(refused.value) == said
    # Once for all who open it, under whatever name.
    with monkeypatch.context() as patched:
        patched.setattr(Pool, "submit", lambda *_given: pytest.fail("it is known already"))
        with pytest.raises(tokviz.HistoryFileError, match=r"yours\.npz is damaged"):
            lane_of_file("yours.npz", chosen_file(vocab_size=259 + 3))
    app = opened(("mine.npz", chosen_file(vocab_size=259 + 5)))
    assert said in html(app)
    assert not app.shown


def test_a_check_that_was_cancelled_leaves_a_sentence(opened, monkeypatch):
    def cancelled(*_given):
        raise tokviz.Cancelled("Training was cancelled.")

    monkeypatch.setattr(jobs, "compute_once", cancelled)
    app = opened(("mine.npz", chosen_file()))
    assert "Training was cancelled." in html(app)
    assert not app.shown
