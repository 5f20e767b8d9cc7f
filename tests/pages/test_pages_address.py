"""What an address says besides its runs: what makes sense is restored, the rest is said."""

import json
import re
from dataclasses import replace
from html import unescape

import pytest
from app_test import APP, html, player_data
from helpers import PATIENCE, components, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.pages.visit.address import PICTURES, SPEEDS, VIEWS, Query, look_in_address, where
from tokviz.pages.visit.link import to_link, to_links
from tokviz.pages.visit.moment_file import MomentFileError, from_file, to_file
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
WORDPIECE = replace(COURSE, algorithm="wordpiece", vocab_size=60, pretokenizer="bert", settings=())
HISTORY = tokviz.train("low low lower", "bpe", 8, "whitespace")


def opened(*lanes, **parts):
    """The app at an address."""
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_links(lanes)
    for name, value in parts.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def written(app):
    """The parts that the page puts into its address."""
    told = re.findall(r'data-address="(.*?)"', html(app))
    return {name: value for each in told for name, value in json.loads(unescape(each)).items()}


@pytest.mark.parametrize(
    ("parts", "found", "lost"),
    [
        ({}, (0, "step"), None),
        ({"step": "2"}, (2, "step"), None),
        ({"step": "2", "align": "share"}, (2, "share"), None),
        ({"step": "900"}, (3, "step"), "step 900 is beyond the last one, 3"),
        ({"step": "9" * 5000}, (3, "step"), "step 100,000,000 is beyond"),
        ({"step": "-1<b>"}, (0, "step"), "the step '-1<b>' is not a number"),
        ({"step": "²"}, (0, "step"), "is not a number"),
        ({"align": "diagonal"}, (0, "step"), "the alignment 'diagonal' is not known"),
    ],
)
def test_where_the_scrubber_stands(parts, found, lost):
    query = Query(parts)
    assert where(query, [HISTORY]) == found
    assert (lost is None) == (not query.lost)
    assert lost is None or lost in query.lost[0]


@pytest.mark.parametrize(
    ("parts", "found", "lost"),
    [
        ({}, {}, None),
        (
            {"view": "words", "speed": "0.5", "present": "1", "quiz": "1"},
            {"view": "words", "speed": 0.5, "present": True, "quiz": True},
            None,
        ),
        ({"view": "text"}, {"view": "text"}, None),
        ({"view": "trees"}, {"view": "trees"}, None),
        ({"token": "0..low"}, {"token": "0..low"}, None),
        ({"token": "0.1.lo"}, {"token": "0.1.lo"}, None),
        ({"token": "1..low"}, {}, "the token '1..low' is in no vocabulary"),
        ({"token": "0..none"}, {}, "the token '0..none' is in no vocabulary"),
        ({"token": "0.x.low"}, {}, "in no vocabulary"),
        ({"token": "low"}, {}, "in no vocabulary"),
        ({"view": "<b>"}, {}, "the view of the corpus '<b>' is not known"),
        ({"speed": "1e9"}, {}, "the speed '1e9' is not known"),
        ({"present": "yes"}, {}, "the way to present 'yes' is not known"),
        ({"stop": "tie", "keys": "1"}, {"stop": "tie", "keys": True}, None),
        ({"stop": "birth"}, {"stop": "birth"}, None),
        ({"stop": "size.44"}, {"stop": "size.44"}, None),
        ({"stop": "end"}, {}, "the stop 'end' is not known"),
        ({"stop": "size.0"}, {}, "the stop 'size.0' is not known"),
        ({"stop": "size.4<b>"}, {}, "the stop 'size.4<b>' is not known"),
        ({"stop": "size." + "9" * 5000}, {}, "the stop 'size.9999"),
        ({"beside": "pseudocode"}, {"beside": "pseudocode"}, None),
        ({"beside": "x"}, {}, "the panel 'x' is not known"),
        ({"picture": "curves"}, {"picture": "curves"}, None),
        ({"picture": "<b>"}, {}, "the picture '<b>' is not known"),
        (
            {"slides": "13/text,7/word/%C4%A0low,2/all"},
            {"slides": "13/text,7/word/%C4%A0low,2/all"},
            None,
        ),
        ({"slides": "7/word/low/1,8/trace//3"}, {"slides": "7/word/low/1,8/trace//3"}, None),
        ({"slides": "9/characters"}, {"slides": "9/characters"}, None),
        ({"slides": "7/word/low/4"}, {}, "cannot be read"),
        ({"slides": "13/text,"}, {}, "the slides '13/text,' cannot be read"),
        ({"slides": "13/none"}, {}, "cannot be read"),
        ({"slides": "123456789/text"}, {}, "cannot be read"),
        ({"keys": "2"}, {}, "the way to show keys '2' is not known"),
    ],
)
def test_how_the_player_looks(parts, found, lost):
    query = Query(parts)
    look = look_in_address(query, [HISTORY])
    assert look == found
    assert (lost is None) == (not query.lost)
    assert lost is None or lost in query.lost[0]


def test_tokens_end_only_where_they_are_pruned():
    pruned = tokviz.train("low low lower", "unigram", 8)
    for histories, stop, known in [
        ([pruned], "end", True),
        ([pruned], "birth", False),
        ([pruned, HISTORY], "birth", True),
        ([HISTORY, pruned], "end", True),
    ]:
        query = Query({"stop": stop})
        assert look_in_address(query, histories) == ({"stop": stop} if known else {})
        assert bool(query.lost) == (not known)


def test_speeds_views_and_pictures_are_those_of_the_player():
    from tokviz.player.assets import JS

    views = ", ".join(f'{view}: _("{view}")' for view in VIEWS)
    assert f"VIEWS = {{ {views} }};" in (JS / "views.js").read_text("utf-8")
    assert f"SPEEDS = {list(SPEEDS)};" in (JS / "transport.js").read_text("utf-8")
    pictures = re.findall(r"^  (\w+): \{ key:", (JS / "stage.js").read_text("utf-8"), re.M)
    assert tuple(pictures) == PICTURES


def test_a_damaged_lane_leaves_the_others_and_a_sentence():
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = [
        "nothing",
        "nothing",
        to_link(WORDPIECE),
        to_link(replace(COURSE, vocab_size=3)),
    ]
    app.query_params["step"] = "5000"
    app.run()
    assert visit_of(app).lanes == (WORDPIECE,)
    said = html(app)
    assert "A part of this address could not be restored: the link names" in said
    assert (
        "the sample &#x27;nothing&#x27;, which does not exist here; A vocabulary size of 3" in said
    )
    assert "; step 5,000 is beyond the last one, " in said
    assert said.count("which does not exist here") == 1
    assert player_data(app)[0]["start"] > 10


def test_more_lanes_than_there_is_room_for():
    app = opened(*[replace(COURSE, vocab_size=40 + i) for i in range(5)])
    assert len(visit_of(app).lanes) == 4
    assert "there is room for 4 lanes" in html(app).lower()


def test_the_player_opens_as_it_looked():
    app = opened(COURSE, step="7", view="words", speed="15", token="0.3.is")
    head, _ = player_data(app)
    assert head["look"] == {"view": "words", "speed": 15, "token": "0.3.is"}
    assert "could not be restored" not in html(app)


def test_the_lens_its_lane_and_its_word_come_back():
    parts = {"lens": "word", "of": "1", "word": "tokens"}
    app = opened(COURSE, WORDPIECE, **parts)
    assert (app.session_state["lens"], app.session_state["lens_lane_2"]) == ("word", 1)
    assert json.loads(components(app, "word")[0])["word"] == "tokens"
    assert written(app) == parts


def test_a_token_of_the_lens_comes_back():
    app = opened(COURSE, lens="token", find="Ġt")
    assert app.text_input(key="lens_token").value == "Ġt"
    assert written(app) == {"lens": "token", "find": "Ġt"}


def test_what_is_as_usual_is_not_in_the_address():
    assert written(opened(COURSE)) == {}


@pytest.mark.parametrize("name", ["lens", "of"])
def test_an_unknown_lens_or_lane_is_said(name):
    app = opened(COURSE, **{name: "<b>"})
    what = {"lens": "lens", "of": "lane"}[name]
    assert f"the {what} &#x27;&lt;b&gt;&#x27; is not known." in html(app)


def at_compare(**parts):
    app = AppTest.from_function(compare_page, default_timeout=PATIENCE)
    app.query_params["lane"] = to_links([COURSE, WORDPIECE])
    for name, value in parts.items():
        app.query_params[name] = value
    app.run()
    assert not app.exception
    return app


def compare_page():
    from tokviz.pages import compare

    compare.page()


def test_compare_comes_back_with_its_lens_and_curves():
    parts = {"lens": "metrics", "curves": "fertility.entropy", "per_word": "pretokens"}
    app = at_compare(**parts)
    assert app.session_state["per_word"] == "pretokens"
    assert app.session_state["compare_lens"] == "metrics"
    assert app.multiselect(key="curves").value == ["fertility", "entropy"]
    assert written(app) == parts
    assert not components(app, "address")
    assert "could not be restored" not in html(app)


def test_compare_says_which_parts_it_does_not_know():
    app = at_compare(side="<i>", lens="numbers", curves="entropy.beauty")
    said = html(app)
    assert "the view &#x27;&lt;i&gt;&#x27; is not known;" in said
    assert " the lens &#x27;numbers&#x27; is not known;" in said
    assert "not all of the curves &#x27;entropy.beauty&#x27; are known." in said
    assert app.multiselect(key="curves").value == ["entropy"]


def test_a_view_of_compare_comes_back():
    app = at_compare(side="grid")
    assert app.session_state["compare_view"] == "grid"
    assert written(app) == {"side": "grid"}
    assert len(components(app, "address")) == 1


def encode_page():
    from tokviz.pages import encode

    encode.page()


def test_the_text_on_encode_comes_back_with_its_columns():
    app = AppTest.from_function(encode_page, default_timeout=PATIENCE)
    app.query_params["lane"] = "course"
    app.query_params["text"] = "tokens <b>"
    app.query_params["pins"] = "3.x.99999999999.5"
    app.run()
    assert not app.exception
    reply = json.loads(components(app, "encoder")[0])
    assert (reply["text"], reply["typed"], reply["pins"]) == ("tokens <b>", True, [3, 5])


# --- versions -------------------------------------------------------------------------------------

UNIGRAM = replace(
    COURSE, algorithm="unigram", vocab_size=120, pretokenizer="metaspace", settings=()
)


@pytest.mark.parametrize(
    ("parts", "seeds"), [({}, 300), ({"v": "1"}, 300), ({"v": "2"}, 360), ({"v": ""}, 300)]
)
def test_an_address_means_what_it_meant_in_its_day(parts, seeds):
    app = opened(UNIGRAM, **parts)
    (lane,) = visit_of(app).lanes
    assert dict(lane.settings).get("seed_size", 360) == seeds
    assert len(app.session_state["held"][lane.key][0].strings) == seeds


@pytest.mark.parametrize("version", ["3", "x", "0"])
def test_an_address_of_another_tokviz_is_a_sentence(version):
    app = opened(WORDPIECE, v=version, step="3")
    assert visit_of(app).lanes[0].corpus.text == COURSE.corpus.text
    said = f"This address could not be opened: the link has version {version}; this tokviz reads"
    assert said in html(app)


def test_a_moment_means_what_it_meant_in_its_day():
    new = to_file("train", [UNIGRAM], {})
    assert from_file(new).lanes == (UNIGRAM,)
    told = json.loads(new)
    assert told.pop("version") == 2
    for old in (told, {**told, "version": 1}):
        (lane,) = from_file(json.dumps(old).encode()).lanes
        assert lane == replace(UNIGRAM, settings=(("seed_size", 300),))
    for unknown in (3, 0, "2", None, True, 2.0):
        with pytest.raises(MomentFileError, match=r"of version .*; this tokviz reads versions 1"):
            from_file(json.dumps({**told, "version": unknown}).encode())
