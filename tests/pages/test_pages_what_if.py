"""What if on the Train page, without a browser: what a press trains, and what is said."""

import json
from dataclasses import replace
from html import unescape

import pytest
from app_test import APP, html, player_data, press
from helpers import PATIENCE, visit_of
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest
from test_pages_link import packed
from tokenizers import Tokenizer

import tokviz
from tokviz.formats.exports import export
from tokviz.pages.lenses.branches import offers, original_of
from tokviz.pages.visit.link import from_link, from_links, to_link, to_links
from tokviz.pages.visit.moment_file import MomentFileError, from_file, to_file
from tokviz.pages.visit.opened_history import lane_of_file
from tokviz.pages.visit.written_run import LinkError, fields_of, run_of
from tokviz.server.histories import entry_for
from tokviz.server.jobs import history_of
from tokviz.server.limits import LIMITS
from tokviz.server.runs import TokenizerFile, run_of_sample, trained_here

COURSE = run_of_sample(tokviz.SAMPLES["course"])
HUGS = run_of_sample(tokviz.SAMPLES["hug-pug"])
BRANCH = replace(COURSE, interventions=((13, ("i", "n")),))
#: As the player writes it.
CHOICE = {"id": "1", "lane": 0, "step": 13, "choice": ["i", "n"]}


@pytest.fixture
def app():
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def choose(app, **asked):
    """A press of a button in the player. Without a browser nobody calls the page back, so that what
    its callback leaves is put there."""
    found = asked_for(visit_of(app).lanes, CHOICE | asked)
    for name, value in found.items():
        setattr(visit_of(app), name, value)
    return app.run()


def asked_for(lanes, said):
    """What the callback leaves in a session with these lanes."""

    def script(lanes, said):
        import streamlit as st

        from tokviz.pages.lenses.branches import ask_for_branch
        from tokviz.pages.visit.visit import this_visit

        this_visit().lanes, st.session_state["player"] = lanes, {"what_if": said}
        ask_for_branch()

    session = AppTest.from_function(script, args=(lanes, said), default_timeout=PATIENCE).run()
    assert not session.exception
    visit = visit_of(session)
    found = {"wanted_branch": visit.wanted_branch, "refused": visit.refused}
    return {name: value for name, value in found.items() if value is not None}


def text(app):
    return unescape(html(app))


def labels(app):
    return [header["label"] for header in player_data(app)[1]]


def test_a_choice_becomes_a_lane_beside_its_original(app):
    choose(app)
    assert not app.exception
    assert visit_of(app).lanes == (COURSE, BRANCH)
    head, _ = player_data(app)
    assert head["start"] == 13, "the player stays where it was"
    assert head["what_if"] == ["", ""]
    assert labels(app) == ["BPE", "BPE · What if: step 14 i + n"]
    assert (
        "<b>BPE · What if: step 14 i + n beside BPE:</b> They part at step 14, and from step 17 "
        "on they cut every word the same way again. Both end with the same tokens."
    ) in text(app)


def test_a_branch_costs_no_more_than_the_steps_that_follow(app, monkeypatch):
    def never(*_args, **_settings):
        raise AssertionError("trained whole")

    choice = {"step": 11, "choice": ["i", "n"]}
    monkeypatch.setattr(tokviz, "train", never)
    choose(app, **choice)
    assert not app.exception
    assert len(visit_of(app).lanes) == 2
    made = history_of(visit_of(app).lanes[1])
    monkeypatch.undo()
    settings = tokviz.SAMPLES["course"].settings
    whole = tokviz.train(COURSE.corpus.text, **settings, interventions={11: ("i", "n")})
    assert list(made.steps) == list(whole.steps)


def test_the_parting_and_the_healing_are_a_press_away(app):
    choose(app)
    press(app, "Go to step 17")
    assert player_data(app)[0]["start"] == 17
    press(app, "Go to step 14")
    assert player_data(app)[0]["start"] == 14
    assert visit_of(app).lanes == (COURSE, BRANCH)
    press(app, "Remove lane")
    assert visit_of(app).lanes == (COURSE,)
    assert "They part" not in text(app)


def test_the_player_stays_at_the_step_under_another_alignment(app):
    visit_of(app).lanes = (COURSE, replace(COURSE, vocab_size=60))
    visit_of(app).align = visit_of(app).settled_align = "size"
    choose(app, lane=1)
    head, headers = player_data(app)
    assert (head["align"], head["start"]) == ("size", 13)
    assert [header["steps"] for header in headers] == [20, 30, 30]
    assert labels(app)[2] == "BPE · 60 · What if: step 14 i + n"


def test_a_branch_of_a_branch_goes_on_from_it(app):
    choose(app)
    choose(app, lane=1, step=15, choice=["Ġ", "se"])
    lanes = visit_of(app).lanes
    assert not app.exception
    assert lanes[2].interventions == ((13, ("i", "n")), (15, ("Ġ", "se")))
    assert "What if: step 14 i + n, step 16 Ġ + se beside BPE · What if: step 14 i + n:" in text(
        app
    )
    # What later steps were told goes.
    choose(app, lane=2, step=14, choice=["Ġ", "se"])
    assert visit_of(app).lanes[3].interventions == ((13, ("i", "n")), (14, ("Ġ", "se")))
    assert offers(visit_of(app).lanes)[0].startswith("A what-if needs a lane")
    choose(app, step=1)
    assert len(visit_of(app).lanes) == 4
    assert "A what-if needs a lane, and all 4 are taken: remove one." in text(app)


def test_the_same_what_if_is_no_second_lane(app):
    choose(app)
    choose(app)
    assert visit_of(app).lanes == (COURSE, BRANCH)
    assert "That what-if is already a lane: BPE · What if: step 14 i + n." in text(app)


def test_what_cannot_be_chosen_leaves_a_sentence(app):
    choose(app, choice=["x", "y"])
    assert visit_of(app).lanes == (COURSE,)
    assert "which is no candidate in state 13" in text(app)
    choose(app, step=99)
    assert visit_of(app).lanes == (COURSE,)
    assert "it has states 0 to 20" in text(app)


@pytest.mark.parametrize(
    "said",
    [
        None,
        {},
        {**CHOICE, "lane": "0"},
        {**CHOICE, "lane": 1},
        {**CHOICE, "lane": -1},
        {**CHOICE, "step": -1},
        {**CHOICE, "step": 1.5},
        {**CHOICE, "choice": "ab"},
        {**CHOICE, "choice": ["a"]},
        {**CHOICE, "choice": ["a", 1]},
        {**CHOICE, "choice": None},
    ],
)
def test_what_makes_no_sense_is_not_asked_for(said):
    assert asked_for((COURSE,), said) == {}


def test_who_cannot_be_told_is_not_asked():
    estimated = replace(COURSE, algorithm="sentencepiece-unigram", settings=())
    replay = replace(COURSE, algorithm="replay", source=TokenizerFile("0f", "mine"))
    further = replace(replay, algorithm="continued")
    assert offers([COURSE, estimated, replay]) == ["", None, None]
    assert offers([further]) == [""]
    assert asked_for((estimated,), CHOICE) == {}
    full = replace(
        COURSE, interventions=tuple((step, ("a", "b")) for step in range(LIMITS.settings.what_ifs))
    )
    assert (
        "at 101 steps; this server takes up to 100"
        in asked_for((full,), {**CHOICE, "step": 200})["refused"]
    )


def test_a_token_is_kept_or_dropped():
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = "hug-pug"
    app.run()
    history = history_of(HUGS)
    [goes], stays = history.steps[0].removed, history.candidates(0).token[5]
    choose(app, step=0, choice=["keep", goes])
    choose(app, step=0, choice=["drop", stays])
    lanes = visit_of(app).lanes
    assert [run.interventions for run in lanes] == [
        (),
        ((0, ("drop", stays)),),
        ((0, ("keep", goes)),),
    ]
    assert labels(app)[1:] == [
        f"Unigram · What if: step 1 drop {stays}",
        f"Unigram · What if: step 1 keep {goes}",
    ]
    assert history_of(lanes[1]).steps[0].removed == (stays,)
    assert text(app).count("They part") + text(app).count("Both cut") == 2
    assert [original_of(run, lanes) for run in lanes] == [None, 0, 0]


def test_a_run_that_was_stopped_branches_to_its_own_size(app):
    stopped = replace(COURSE, corpus=replace(COURSE.corpus, title="Stopped"), vocab_size=45)
    entry_for(stopped)["made"] = tokviz.train(
        COURSE.corpus.text,
        **tokviz.SAMPLES["course"].settings,
        progress=lambda p: p.stage != "merges" or p.done < 15,
    )
    visit_of(app).lanes = (stopped,)
    choose(app)
    assert visit_of(app).lanes[1].vocab_size == 45
    assert len(history_of(visit_of(app).lanes[1]).vocab(15)) == 45


# --- the form -------------------------------------------------------------------------------------


def test_the_form_holds_what_a_lane_is_told(app):
    choose(app)
    app.button(key="settings_1").click().run()
    assert app.multiselect(key="interventions").options == ["step 14 i + n"]
    app.number_input(key="vocab_size").set_value(52).run()
    assert visit_of(app).lanes[1] == replace(BRANCH, vocab_size=52)
    app.segmented_control(key="algorithm").set_value("wordpiece").run()
    assert "interventions" not in [field.key for field in app.multiselect], "its steps are others"


def test_what_is_no_longer_possible_is_said_and_can_be_taken_out(app):
    choose(app)
    app.button(key="settings_1").click().run()
    app.number_input(key="vocab_size").set_value(40).run()
    assert "training ends before it, in state 10" in text(app)
    assert visit_of(app).lanes == (COURSE, BRANCH)
    app.multiselect(key="interventions").set_value([]).run()
    assert visit_of(app).lanes[1] == replace(COURSE, vocab_size=40)


def test_a_lane_that_is_told_nothing_has_no_such_field(app):
    press(app, "Settings")
    assert "interventions" not in [field.key for field in app.multiselect]


# --- links and files ------------------------------------------------------------------------------


def test_a_link_brings_the_lanes_and_the_step_back(app):
    choose(app)
    again = AppTest.from_file(APP, default_timeout=PATIENCE)
    again.query_params["lane"] = player_data(app)[0]["links"]
    again.query_params["step"] = "14"
    again.run()
    assert visit_of(again).lanes == (COURSE, BRANCH)
    assert player_data(again)[0]["start"] == 14
    assert "They part at step 14, and" in text(again)


CHOICES = st.tuples(st.text(max_size=4), st.text(max_size=4))


@given(st.dictionaries(st.integers(0, 10**9), CHOICES, max_size=4))
def test_every_choice_comes_back_from_links_and_moments(choices):
    run = replace(COURSE, interventions=tuple(sorted(choices.items())))
    assert from_links(to_links([COURSE, run])) == ([COURSE, run], [])
    assert from_file(to_file("train", [run], {})).lanes == (run,)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)
#: Nearly as they should be.
NEARLY = st.lists(st.tuples(JSON | st.integers(0, 20), JSON | st.lists(st.text(max_size=2))))


@given(JSON | NEARLY, st.sampled_from(["bpe", "unigram", "sentencepiece-unigram"]))
def test_what_anybody_writes_there_is_a_run_or_a_sentence(value, algorithm):
    written = [*fields_of(replace(COURSE, algorithm=algorithm))[:-1], [["interventions", value]]]
    try:
        run = from_link(packed(written))
    except LinkError:
        return
    assert hash(run) is not None
    assert from_link(to_link(run)) == run
    steps = [step for step, _ in run.interventions]
    assert steps == sorted(set(steps))
    assert all(type(step) is int and step >= 0 for step in steps)
    assert all(type(text) is str for _, choice in run.interventions for text in choice)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([[1, ["a", "b"]], [1, ["a", "c"]]], "damaged"),
        ([[1, ["a"]]], "damaged"),
        ([[1, ["a", "\ud800"]]], "damaged"),
        ([[True, ["a", "b"]]], "damaged"),
        ([[1, "ab"]], "damaged"),
        ("ab", "damaged"),
        ([[n, ["a", "b"]] for n in range(101)], "at 101 steps; this server takes up to 100"),
    ],
)
def test_what_is_no_choice_is_refused(value, said):
    fields = [*fields_of(COURSE)[:-1], [["interventions", value]]]
    with pytest.raises(LinkError, match=said):
        from_link(packed(fields))


def test_choices_are_said_once_and_to_whom_can_be_told():
    twice = [["interventions", []], ["interventions", []]]
    with pytest.raises(LinkError, match="does not allow"):
        run_of([*fields_of(COURSE)[:-1], twice])
    estimated = [*fields_of(replace(COURSE, algorithm="sentencepiece-unigram"))[:-1], twice[:1]]
    with pytest.raises(LinkError, match="does not allow"):
        run_of(estimated)
    moment = json.loads(to_file("train", [COURSE], {}))
    moment["lanes"][0][-1] = twice
    with pytest.raises(MomentFileError, match=r"^The file tells bpe"):
        from_file(json.dumps(moment).encode())
    nothing = [*fields_of(COURSE)[:-1], [["unit", "byte"], ["interventions", []]]]
    assert run_of(nothing) == COURSE
    assert json.loads(json.dumps(fields_of(BRANCH)))[-1][-1] == [
        "interventions",
        [[13, ["i", "n"]]],
    ]


def test_a_history_file_of_a_branch_is_a_lane_that_can_be_told_more(app, tmp_path):
    history = tokviz.branch(history_of(COURSE), 13, ("i", "n"))
    path = tmp_path / "branch.npz"
    history.save(path)
    run = lane_of_file("branch.npz", path.read_bytes())
    assert run.interventions == ((13, ("i", "n")),)
    assert trained_here(run).interventions == run.interventions
    assert list(history_of(run).steps) == list(history.steps)
    visit_of(app).lanes = (run,)
    visit_of(app).forget()
    choose(app, step=15, choice=["Ġ", "se"])
    assert not app.exception
    branch = visit_of(app).lanes[1]
    assert branch.interventions == ((13, ("i", "n")), (15, ("Ġ", "se")))
    assert branch.source == run.source, "it stays apart from what is trained here"


@pytest.mark.parametrize("name", ["tokenizer.json", "merges"])
def test_files_of_a_branch_are_those_of_the_run_that_was_told_so(name):
    branch = tokviz.branch(history_of(COURSE), 13, ("i", "n"))
    whole = tokviz.train(
        COURSE.corpus.text, **tokviz.SAMPLES["course"].settings, interventions={13: ("i", "n")}
    )
    assert export(branch, name, 15) == export(whole, name, 15)
    assert export(branch, name, 15) != export(history_of(COURSE), name, 15)


def test_another_library_encodes_as_a_branch_does():
    branch = tokviz.branch(history_of(COURSE), 13, ("i", "n"))
    written = export(branch, "tokenizer.json", 15)["tokenizer.json"]
    read = Tokenizer.from_buffer(written)
    mine = branch.tokenizer(15)
    assert "in" in mine.encode(COURSE.corpus.text).tokens
    for line in COURSE.corpus.text.split("\n"):
        assert read.encode(line).tokens == mine.encode(line).tokens
