"""The set-up of Train that is always open: what is changed there is trained at once."""

from dataclasses import replace

import pytest
from app_test import APP, html, player_data, press, settle
from helpers import PATIENCE, labelled, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.pages.form import live
from tokviz.pages.lenses import stepper
from tokviz.pages.visit.link import links_of, to_link, to_links
from tokviz.server.pool import Job
from tokviz.server.runs import run_of_sample
from tokviz.server.waiting import TakesLong, briefly

COURSE = run_of_sample(tokviz.SAMPLES["course"])


def takes_long(*_):
    """What training a text comes to that takes longer than a visitor waits unasked."""
    raise TakesLong("This takes about 7 seconds.")


@pytest.fixture
def app():
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def lane(app):
    (run,) = visit_of(app).lanes
    return run


def type_text(app, text):
    app.text_area(key="corpus_text").input(text).run()
    assert not app.exception


def test_a_text_is_trained_as_it_is_typed_and_all_else_stays(app):
    assert app.text_area(key="corpus_text").label == "Your text"
    for text in ("low low", "low lower"):
        type_text(app, text)
        assert lane(app).corpus.text == app.text_area(key="corpus_text").value == text
        assert lane(app).corpus.title == "My own text"
        assert (lane(app).algorithm, lane(app).settings) == (COURSE.algorithm, COURSE.settings)
    assert visit_of(app).editing is None


def test_the_process_that_draws_all_pages_packs_no_text_that_is_typed(app, monkeypatch):
    monkeypatch.setattr(stepper, "packed_lane", None)
    for text in ("low low slow", "low lower slow"):
        type_text(app, text)
        assert lane(app).corpus.text == text


def test_the_set_up_keeps_its_place_after_a_training_that_was_waited_for(monkeypatch):
    """Streamlit tells elements by their number on the page: with another, the text area would be a
    new one, without focus."""
    wait = Job.wait
    monkeypatch.setattr(Job, "wait", lambda job, s, who="": s != 0.3 and wait(job, s, who))
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_link(replace(COURSE, vocab_size=281))

    def place():
        (number,) = (n for n, each in app.main.children.items() if "-setup" in str(each.proto))
        return number

    app.run()
    before = place()
    type_text(app, "low low")
    assert place() == before


def test_the_player_keeps_its_share_of_the_training(app):
    settle(app, 20, [20])
    type_text(app, "low lower lowest")
    history = tokviz.train("low lower lowest", "bpe", 50, "gpt2", unit="byte")
    assert player_data(app)[0]["start"] == len(history)
    settle(app, 0, [0])
    type_text(app, "low lower")
    assert player_data(app)[0]["start"] == 0


def test_characters_are_offered_for_a_text_that_is_mostly_not_ascii(app):
    def offered():
        return [each for each in app.segmented_control if each.label == "Start from"]

    for text in ("low lower", "a naïve café"):
        type_text(app, text)
        assert not offered()
    type_text(app, "日本語の文字。日本の文。")
    for unit in ("char", "byte"):
        [switch] = offered()
        assert switch.value != unit
        switch.set_value(unit).run()
        assert not app.exception
        assert dict(lane(app).settings).get("unit", "char") == unit
    labelled(app.segmented_control, "Algorithm").select("unigram").run()
    assert not offered(), "it has no unit"


def test_algorithm_and_size_are_trained_at_once(app):
    labelled(app.segmented_control, "Algorithm").select("unigram").run()
    assert (lane(app).algorithm, lane(app).pretokenizer) == ("unigram", "metaspace")
    app.number_input(key="vocab_size").set_value(60).run()
    assert lane(app).vocab_size == 60
    slider = labelled(app.slider, "Vocabulary")
    assert slider.proto.format == "localized", "as all numbers are"
    slider.set_value(70).run()
    assert lane(app).vocab_size == app.number_input(key="vocab_size").value == 70
    app.button(key="more_sentencepiece-bpe").click().run()
    assert lane(app).algorithm == "sentencepiece-bpe"
    assert not app.exception


def test_what_cannot_be_trained_is_said_and_the_run_stays(app):
    app.number_input(key="vocab_size").set_value(5).run()
    assert "A vocabulary size of 5 is too small: it must hold the alphabet" in html(app)
    assert lane(app) == COURSE
    app.number_input(key="vocab_size").set_value(40).run()
    assert "is too small" not in html(app)
    assert lane(app).vocab_size == 40
    type_text(app, "  ")
    assert "Type or paste a text" in html(app)
    assert lane(app).corpus == COURSE.corpus


def test_a_text_of_more_characters_raises_the_size(app):
    text = " ".join(map(chr, range(0x4E00, 0x4E00 + 80)))
    labelled(app.segmented_control, "Algorithm").select("wordpiece").run()
    type_text(app, text)
    assert lane(app).corpus.text == text
    assert lane(app).vocab_size > 80


def test_what_takes_long_waits_for_a_button(app, monkeypatch):
    monkeypatch.setattr(live, "history_of", takes_long)
    type_text(app, "slow slower slowest")
    assert "This takes about 7 seconds." in html(app)
    assert lane(app) == COURSE
    app.run()
    assert "This takes about 7 seconds." in html(app)
    press(app, "Train")
    assert lane(app).corpus.text == "slow slower slowest"
    assert "about 7 seconds" not in html(app)
    assert [button for button in app.button if button.label == "Train"] == []


def test_the_button_trains_what_was_given_up(app, monkeypatch):
    """Unigram, for a merge trainer has read such a text before anybody could look at the clock."""
    labelled(app.segmented_control, "Algorithm").select("unigram").run()
    before = lane(app)
    monkeypatch.setattr(live, "MOMENT", -1)
    text = " ".join(f"{i * 7919 % 100_003:x}" for i in range(20_000))
    type_text(app, text)
    assert lane(app) == before
    press(app, "Train")
    assert 'role="alert"' not in html(app)
    assert lane(app).corpus.text == text


def test_a_little_text_is_waited_for_on_a_busy_machine_and_a_longer_one_gets_a_button(
    app, monkeypatch
):
    given = []
    monkeypatch.setattr(live, "MOMENT", 50)
    monkeypatch.setattr(live, "briefly", lambda seconds: given.append(seconds) or briefly(60))
    for text in ("slow slower slowest " * 1500, "slow slower slowest " * 1501):
        type_text(app, text)
        assert lane(app).corpus.text == text
    assert given == [live.PATIENCE, 50]


def test_the_panel_has_the_other_settings_and_each_is_trained_at_once(app):
    type_text(app, "low lower")
    settle(app, 3, [3])
    press(app, "Settings")
    labelled(app.selectbox, "Tie-break").select("shortest").run()
    assert ("tie_break", "shortest") in lane(app).settings
    assert player_data(app)[0]["start"] == 3
    app.selectbox(key="pretokenizer").set_value("regex").run()
    assert lane(app).pretokenizer == "regex"
    app.text_input(key="regex.pattern").set_value("(a").run()
    assert "pattern" in html(app).lower()
    assert dict(lane(app).pretokenizer_settings).get("pattern") != "(a", "the run stays"
    app.text_input(key="regex.pattern").set_value("low").run()
    assert dict(lane(app).pretokenizer_settings) == {"pattern": "low"}
    assert visit_of(app).editing == 0, "the panel stays open"
    press(app, "Close")
    assert "Tie-break" not in [each.label for each in app.selectbox]
    assert lane(app).pretokenizer == "regex"


def test_the_player_keeps_its_place_beside_the_panel(app):
    def path(block, name, at=()):
        if f"-{name}" in str(getattr(block, "proto", "")):
            return at
        children = getattr(block, "children", {}).items()
        found = (path(child, name, (*at, number)) for number, child in children)
        return next(filter(None, found), None)

    places = []
    for button in ("Settings", "Close", "Settings", "Settings"):
        press(app, button)
        places.append((path(app.main, "shown"), visit_of(app).editing))
    assert places[0][0]
    assert places == [(places[0][0], editing) for editing in (0, None, 0, None)]


def test_a_lane_is_added_at_once_and_its_settings_are_open(app):
    for n, algorithm in enumerate(("wordpiece", "unigram", "sentencepiece-bpe"), 1):
        app.button(key="add").click().run()
        assert not app.exception
        assert visit_of(app).editing == n
        assert visit_of(app).lanes[n].algorithm == algorithm
        assert app.segmented_control(key="algorithm").value == algorithm
    assert app.button(key="add").disabled
    assert visit_of(app).lanes[0] == COURSE


def test_text_and_size_are_those_of_all_lanes_and_the_panel_has_one(app):
    app.button(key="add").click().run()
    assert app.text_area(key="corpus_text").label == "Your text"
    type_text(app, "low lower lowest")
    settle(app, 5, [5, 5])
    app.slider(key="size_slider").set_value(18).run()
    assert [run.vocab_size for run in visit_of(app).lanes] == [18, 18]
    app.number_input(key="size_of_all").set_value(20).run()
    assert [run.vocab_size for run in visit_of(app).lanes] == [20, 20]
    assert visit_of(app).editing == 1, "the panel stays open"
    app.number_input(key="vocab_size").set_value(17).run()
    assert [run.vocab_size for run in visit_of(app).lanes] == [20, 17]
    app.selectbox(key="wordpiece.score").select("frequency").run()
    app.button(key="settings_0").click().run()
    assert app.segmented_control(key="algorithm").value == "bpe"
    app.selectbox(key="bpe.tie_break").select("shortest").run()
    first, second = visit_of(app).lanes
    assert first.settings == (*COURSE.settings, ("tie_break", "shortest"))
    assert second.settings == (("score", "frequency"),)
    assert {run.corpus.text for run in (first, second)} == {"low lower lowest"}
    assert not app.exception


def test_a_new_text_has_room_in_every_lane(app):
    app.button(key="add").click().run()
    text = " ".join(map(chr, range(0x4E00, 0x4E00 + 80)))
    type_text(app, text)
    assert {run.corpus.text for run in visit_of(app).lanes} == {text}
    assert len({run.vocab_size for run in visit_of(app).lanes}) == 1


def test_what_cannot_be_trained_is_said_with_its_lane(app):
    app.button(key="add").click().run()
    app.number_input(key="size_of_all").set_value(35).run()
    assert "WordPiece: A vocabulary size of 35 is too small: it must hold the alphabet" in html(app)
    assert [run.vocab_size for run in visit_of(app).lanes] == [50, 50]


def test_a_text_that_waits_for_its_button_outlives_a_new_lane(app, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(live, "history_of", takes_long)
        text = "slow slower slowest"
        type_text(app, text)
        app.button(key="add").click().run()
        assert visit_of(app).lanes[1].corpus.text == text
        assert app.text_area(key="corpus_text").value == text
    press(app, "Train")
    assert {run.corpus.text for run in visit_of(app).lanes} == {text}
    assert visit_of(app).editing == 1


def test_a_lane_is_duplicated_and_removed_in_its_panel(app):
    app.button(key="settings_0").click().run()
    assert "duplicate_0" not in [button.key for button in app.button], "there is one only"
    app.button(key="add").click().run()
    press(app, "Duplicate")
    assert [run.algorithm for run in visit_of(app).lanes] == ["bpe", "wordpiece", "wordpiece"]
    assert visit_of(app).editing == 2
    press(app, "Remove")
    assert [run.algorithm for run in visit_of(app).lanes] == ["bpe", "wordpiece"]
    assert visit_of(app).editing is None


def test_lanes_of_different_texts_say_whose_text_is_shown():
    other = replace(COURSE, corpus=replace(COURSE.corpus, title="Mine", text="low lower lowest"))
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = list(map(to_link, (COURSE, other)))
    app.run()
    assert app.text_area(key="corpus_text").value == COURSE.corpus.text
    assert "The lanes have different texts; this is the first lane’s." in html(app)
    app.button(key="settings_1").click().run()
    assert visit_of(app).lanes == (COURSE, other)
    type_text(app, "a rose is a rose")
    assert {run.corpus.text for run in visit_of(app).lanes} == {"a rose is a rose"}


def test_one_text_that_lanes_read_in_two_ways_is_not_two_texts():
    text = "=== English ===\nlow low\n=== Greek ===\nαβ αβ"
    own = replace(COURSE, corpus=replace(COURSE.corpus, title="Mine", text=text))
    told = replace(own, corpus=replace(own.corpus, read_as="languages"))
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_links([own, told])
    app.run()
    said = html(app)
    assert "The lanes have different texts" not in said
    assert "The lanes read this text in different ways; the settings say which." in said
    assert "Some lanes read the text otherwise, and train on them." in said
    lanes = player_data(app)[1]
    assert [lane["label"] for lane in lanes] == ["BPE · Text", "BPE · Languages"]
    parity = replace(own, algorithm="parity-bpe", settings=())
    unnamed = "What stands before the first of them is a language called “text”."
    assert unnamed not in said
    first = replace(told, corpus=replace(told.corpus, text=f"low\n{text}"))
    go(app, "1", first)
    assert unnamed in html(app)
    go(app, "2", told, parity)
    assert "no lane trains on them" in html(app)


def go(app, went, *lanes):
    """Goes to an entry of the browser's history."""
    app.query_params["lane"] = to_links(lanes)
    app.query_params["went"] = went
    app.run()
    assert not app.exception


def test_back_and_forward_show_the_runs_of_the_address(app):
    type_text(app, "low lower lowest")
    typed = lane(app)
    app.query_params["lane"] = to_links([COURSE])
    app.run()
    assert lane(app) == typed, "an address that nobody went to is only late"
    go(app, "1", COURSE)
    assert lane(app) == COURSE
    assert app.text_area(key="corpus_text").value == COURSE.corpus.text
    assert player_data(app)[0]["went"] == "1"
    type_text(app, "low lower")
    assert lane(app).corpus.text == "low lower", "it went there once"
    go(app, "2", typed)
    assert lane(app) == typed

    text = "".join(map(chr, range(0x4E00, 0x4E00 + 6000)))
    type_text(app, text)
    unlinked = lane(app)
    assert links_of([unlinked]) == []
    go(app, "3", typed)
    assert lane(app) == typed
    go(app, "4")
    assert lane(app) == unlinked
    assert app.text_area(key="corpus_text").value == text


def test_what_is_not_trained_stays_when_somebody_goes_back(app, monkeypatch):
    app.number_input(key="vocab_size").set_value(44).run()
    press(app, "Settings")
    with monkeypatch.context() as patch:
        patch.setattr(live, "history_of", takes_long)
        type_text(app, "slow slower slowest")
        go(app, "1", COURSE)
        assert lane(app) == COURSE
        assert app.text_area(key="corpus_text").value == "slow slower slowest"
        assert "This takes about 7 seconds." in html(app)
        assert visit_of(app).editing == 0, "the panel stays open"
    press(app, "Train")
    assert lane(app).corpus.text == "slow slower slowest"
    go(app, "2", COURSE)
    assert lane(app) == COURSE
    assert app.text_area(key="corpus_text").value == COURSE.corpus.text
    app.query_params["lane"] = ["~damaged"]
    app.query_params["went"] = "3"
    app.run()
    assert lane(app) == COURSE
    assert "could not be opened" in html(app)
