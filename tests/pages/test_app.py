"""The wiring of the app, without a browser: what a click changes."""

import json
from dataclasses import replace
from html import escape

import pytest
from app_test import APP, html, player_data, press, settle, take_algorithm
from effort import SAMPLE_NAMES
from helpers import PATIENCE, labelled, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz import SAMPLES, TRAINERS, make_trainer
from tokviz.pages.form.corpus_fields import OWN, OWN_TEXT
from tokviz.pages.visit.link import MOST_CHARACTERS, to_link, to_links
from tokviz.pretokenizers import make_pretokenizer
from tokviz.server.runs import Corpus, Run, run_of_sample
from tokviz.trainers import settings_of
from tokviz.trainers.presets import PRESETS

COURSE = SAMPLES["course"].corpus


def lanes_of_vocabulary(app):
    """The lane of each lens of the vocabulary that the player draws itself."""
    drawn = [part.proto for part in app.get("bidi_component")]
    return [json.loads(p.json)["lane"] for p in drawn if p.component_name == "tokviz_vocabulary"]


@pytest.fixture
def app():
    return AppTest.from_file(APP, default_timeout=PATIENCE).run()


def test_opens_without_an_exception_at_the_opening_step(app):
    assert not app.exception
    head, [header] = player_data(app)
    assert (head["start"], header["steps"], header["algorithm"]) == (0, 20, "bpe")
    assert (head["links"], head["lenses"]) == (["course"], True)


@pytest.fixture
def table(app):
    """How many candidates the lens of scores shows, and how many state t has."""
    app.segmented_control(key="lens").set_value("scores").run()
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    return lambda: len(app.dataframe[0].value), history.candidate_count


def test_the_lenses_follow_the_state_on_which_the_player_settled(app, table):
    shown, count = table
    assert shown() == count(0)
    settle(app, 20, [20])
    assert shown() == count(20)


def test_the_last_moment_counts_whoever_told_it(app, table):
    shown, count = table
    settle(app, 20, [20], number=2)
    settle(app, 3, [3], number=1, by="player")
    assert shown() == count(20)
    settle(app, 0, [0], number=3, by="player")
    assert shown() == count(0)


def test_what_the_player_of_another_run_said_last_is_forgotten(app, table):
    shown, count = table
    settle(app, 20, [20])
    press(app, "Settings")
    settle(app, 0, [0], number=2)
    app.number_input(key="vocab_size").set_value(45).run()
    assert shown() == count(0), "where the player stands"


def test_a_player_that_knows_all_tokens_lists_the_vocabulary_itself(app):
    assert lanes_of_vocabulary(app) == [0]
    assert not app.dataframe
    take_algorithm(app, "sentencepiece-unigram")
    settle(app, 3, [3], number=2)
    history = tokviz.train(COURSE, "sentencepiece-unigram", 50)
    assert lanes_of_vocabulary(app) == []
    assert app.dataframe[0].value["token"].tolist() == history.vocab(3)


def test_the_alignment_outlives_a_change_of_lanes(app):
    press(app, "Compare side by side")
    settle(app, 3, [3, 3], "size")
    press(app, "Add a lane")
    assert player_data(app)[0]["align"] == "size"


def test_a_single_run_has_nothing_to_be_aligned_with():
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = "course"
    app.query_params["align"] = "size"
    app.run()
    assert player_data(app)[0]["align"] == "step"


def test_a_text_too_long_for_an_address_says_so(app):
    text = " ".join(f"{i * 7919 % 100_003:x}" for i in range(6000))
    app.text_area(key="corpus_text").set_value(text).run()
    assert player_data(app)[0]["links"] == []
    assert "The text is too long for a link. Save this moment as a file instead." in html(app)


def test_lanes_with_one_text_need_room_for_it_once():
    text = " ".join(f"{i * 7919 % 100_003:x}" for i in range(1200))
    run = Run(Corpus("My own text", text), "bpe", 60, "gpt2")
    size = len(to_link(run))
    assert MOST_CHARACTERS / 2 < size < 0.9 * MOST_CHARACTERS
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_link(run)
    app.run()
    for lanes in (2, 3):
        app.button(key="add").click().run()
        assert visit_of(app).lanes[-1].corpus.text == text
        assert len(player_data(app)[0]["links"]) == lanes
    again = AppTest.from_file(APP, default_timeout=PATIENCE)
    again.query_params["lane"] = player_data(app)[0]["links"]
    again.run()
    assert visit_of(again).lanes == visit_of(app).lanes


@pytest.mark.parametrize("name", [*SAMPLE_NAMES, "ten-languages"])
def test_every_sample_trains_as_it_is_best_shown(app, name):
    labelled(app.selectbox, "Sample").select(name).run()
    assert app.text_area(key="corpus_text").value.split()
    assert not app.exception
    assert visit_of(app).lanes[0] == run_of_sample(SAMPLES[name])
    assert 'role="alert"' not in html(app)


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_the_form_has_a_field_for_every_setting(app, algorithm):
    press(app, "Settings")
    take_algorithm(app, algorithm)
    for setting in settings_of(TRAINERS[algorithm]):
        assert f"{algorithm}.{setting.name}" in app.session_state, setting.name
        assert app.session_state["pretokenizer"] == TRAINERS[algorithm].default_pretokenizer


def test_lanes_come_and_go(app):
    for _ in range(3):
        app.button(key="add").click().run()
    assert not app.exception
    head, headers = player_data(app)
    labels = [header["label"] for header in headers]
    assert labels == ["BPE", "WordPiece", "Unigram", "SentencePiece BPE"]
    assert head["start"] == 0
    assert head["links"][0] == "course"
    press(app, "Remove")
    app.button(key="settings_1").click().run()
    app.segmented_control(key="algorithm").set_value("bpe").run()
    app.number_input(key="vocab_size").set_value(61).run()
    _, headers = player_data(app)
    assert [header["label"] for header in headers] == [
        "BPE · 50 · byte",
        "BPE · 61 · char",
        "Unigram",
    ]
    app.button(key="settings_0").click().run()
    press(app, "Remove")
    _, headers = player_data(app)
    assert [header["label"] for header in headers] == ["BPE", "Unigram"]


def test_lanes_share_the_room_for_the_corpus():
    run = replace(
        run_of_sample(SAMPLES["course"]),
        corpus=replace(run_of_sample(SAMPLES["course"]).corpus, text="ab abc " * 3000),
        vocab_size=10,
    )
    shown = []
    for lanes in ((run,), (run, replace(run, vocab_size=8))):
        app = AppTest.from_file(APP, default_timeout=PATIENCE)
        app.query_params["lane"] = to_links(lanes)
        _, headers = player_data(app.run())
        shown.append([header["arrays"]["order"][2] for header in headers])
    # Words, and the end of the line.
    assert shown == [[4001], [2001, 2001]]


WORDPIECE = replace(
    run_of_sample(SAMPLES["course"]),
    algorithm="wordpiece",
    vocab_size=70,
    pretokenizer="bert",
    pretokenizer_settings=(("normalize", True),),
    settings=(),
)


@pytest.mark.parametrize(
    ("settings", "other"),
    [
        ((), (("score", "frequency"),)),
        ((("score", "frequency"), ("min_frequency", 2), ("special_tokens", ("a",))),
         (("special_tokens", ("a",)),)),
    ],
)  # fmt: skip
def test_the_other_score_of_wordpiece_is_one_click_away(settings, other):
    run = replace(WORDPIECE, settings=settings)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_link(run)
    app.run()
    said = app.button(key="compare").help
    assert said.startswith("Hugging Face’s WordPiece trainer is BPE with ##")
    score = dict(other).get("score", "likelihood")
    press(app, f"Compare with the {score} score")
    assert not app.exception
    assert visit_of(app).lanes == (run, replace(run, settings=other))
    assert not [button for button in app.button if button.label.startswith("Compare with")]
    app.button(key="settings_1").click().run()
    assert app.selectbox(key="wordpiece.score").value == score, "the panel is that lane's"


def test_the_other_score_says_why_it_cannot_be_trained():
    """By frequency every character has an id of its own, so the size may not do."""
    run = replace(WORDPIECE, vocab_size=42)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_link(run)
    app.run()
    press(app, "Compare with the frequency score")
    assert not app.exception
    assert visit_of(app).lanes == (run,)
    assert "A vocabulary size of 42 is too small: it must hold the alphabet" in html(app)


def test_there_is_no_talk_of_two_scores_without_wordpiece(app):
    assert not [button for button in app.button if button.label.startswith("Compare with")]


def test_the_lens_shows_the_lane_that_was_picked(app):
    press(app, "Compare side by side")
    app.segmented_control(key="lens_lane_2").set_value(1).run()
    assert not app.exception
    assert lanes_of_vocabulary(app) == [1]


def test_the_name_of_a_lane_is_text_for_its_control():
    run = run_of_sample(SAMPLES["course"])
    lanes = [
        replace(run, corpus=replace(run.corpus, title=t, text=run.corpus.text + t))
        for t in ("![x](http://x/y.png)", "*b*")
    ]
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = list(map(to_link, lanes))
    app.run()
    shown = [option.content for option in app.get("button_group")[-1].proto.options]
    assert shown == ["BPE · \\!\\[x\\]\\(http\\:\u2060//x/y\\.png\\)", r"BPE · \*b\*"]


def test_an_address_opens_its_runs_at_its_step():
    run = run_of_sample(SAMPLES["course"])
    wordpiece = replace(run, algorithm="wordpiece", vocab_size=60, pretokenizer="bert", settings=())
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = ["course", to_link(wordpiece)]
    app.query_params["step"] = "7"
    app.query_params["align"] = "size"
    app.run()
    assert not app.exception
    head, headers = player_data(app)
    assert (head["start"], head["align"]) == (7, "size")
    assert [header["algorithm"] for header in headers] == ["bpe", "wordpiece"]
    assert visit_of(app).lanes == (run, wordpiece)


@pytest.mark.parametrize("lane", ["nothing", "~", "~AAAA", "<script>", "~" + "A" * 5000])
def test_a_damaged_address_leaves_a_sentence_and_the_opening_sample(lane):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = lane
    app.query_params["step"] = "-1<b>"
    app.query_params["align"] = "<b>"
    app.run()
    assert not app.exception
    assert "This address could not be opened" in html(app)
    assert player_data(app)[0]["links"] == ["course"]


def test_an_address_whose_run_cannot_be_trained_leaves_a_sentence():
    run = replace(run_of_sample(SAMPLES["course"]), vocab_size=3)
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["lane"] = to_link(run)
    app.run()
    assert not app.exception
    assert "A vocabulary size of 3 is too small: it must hold the alphabet" in html(app)


def test_a_run_that_did_not_reach_its_size_says_why():
    short = replace(
        run_of_sample(SAMPLES["course"]),
        corpus=replace(run_of_sample(SAMPLES["course"]).corpus, text="low low lower"),
        vocab_size=60,
    )
    why = "No pair is left: every word is one token. The vocabulary has 11 of the 60 tokens asked"
    for lanes, said in (((short,), why), ((short, replace(short, vocab_size=9)), f": {why}")):
        app = AppTest.from_file(APP, default_timeout=PATIENCE)
        app.query_params["lane"] = to_links(lanes)
        app.run()
        assert html(app).count(why) == html(app).count(said) == 1
    enough = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    assert "tokens asked" not in html(enough)


def test_a_setting_reaches_the_trainer(app):
    press(app, "Settings")
    app.selectbox(key="bpe.tie_break").select("largest-pair").run()
    assert dict(visit_of(app).lanes[0].settings)["tie_break"] == "largest-pair"


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_everything_but_the_size(app, name):
    press(app, "Settings")
    app.segmented_control(key="algorithm").set_value("wordpiece").run()
    app.selectbox(key="wordpiece.score").set_value("frequency").run()
    app.selectbox(key="preset").set_value(name).run()
    preset = PRESETS[name]
    assert escape(preset.note) in html(app)
    assert "is too small" not in html(app)
    app.number_input(key="vocab_size").set_value(400).run()
    run = visit_of(app).lanes[0]
    wanted = {**preset.settings, "vocab_size": 400}
    algorithm, pretokenizer = wanted.pop("algorithm"), wanted.pop("pretokenizer")
    if isinstance(pretokenizer, str):
        pretokenizer = make_pretokenizer(pretokenizer)
    assert run.make_pretokenizer() == pretokenizer
    assert make_trainer(run.algorithm, 400, **dict(run.settings)) == make_trainer(
        algorithm, **wanted
    )


def test_another_algorithm_ends_a_preset(app):
    press(app, "Settings")
    app.selectbox(key="preset").set_value("minbpe").run()
    app.segmented_control(key="algorithm").set_value("unigram").run()
    assert app.selectbox(key="preset").value is None


def test_editing_makes_the_text_ones_own(app):
    app.text_area(key="corpus_text").set_value("a b c").run()
    assert app.session_state["sample"] == OWN
    assert visit_of(app).lanes[0].corpus.title == OWN_TEXT


def test_sizes_that_make_sense_are_shown(app):
    press(app, "Settings")
    assert "For this corpus: 30 (only the alphabet) to at most 184." in html(app)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("hug,10\npug;5", "line 2 of the word table is &#x27;pug;5&#x27;"),
        ("", "Type or paste a text"),
        ("hug,99999999999999999", "line 1"),
    ],
)
def test_a_bad_word_table_leaves_a_sentence(app, table, said):
    press(app, "Settings")
    app.text_area(key="corpus_text").set_value(table).run()
    app.segmented_control(key="corpus_read_as").set_value("counts").run()
    assert not app.exception
    assert f'role="status">{said}' in html(app)
    assert app.text_area(key="corpus_text").value == table


def test_a_large_file_is_read_another_way_and_not_lost(app):
    press(app, "Settings")
    rows = "\n".join(f"word{i},{i + 1}" for i in range(20_000))
    app.file_uploader(key="upload").set_value(("counts.txt", rows.encode(), "text/plain")).run()
    assert "The corpus is the file counts.txt" in html(app)
    app.segmented_control(key="corpus_read_as").set_value("counts").run()
    assert "The corpus is the file counts.txt" in html(app)
    [run] = visit_of(app).lanes
    assert run.corpus == Corpus("counts.txt", rows, "counts")
