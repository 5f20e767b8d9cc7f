"""What the page Encode sends to the browser, without one."""

import json
from dataclasses import replace

import pytest
from helpers import PATIENCE, ROOT, components, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.encoding.dropout import DropoutChain
from tokviz.encoding.sampling import sample_merges, sample_unigram
from tokviz.pages.lenses import text_tokens
from tokviz.pages.lenses.encoded import answer, came_back
from tokviz.pages.lenses.sampled import MOST_KEPT, MOST_ROWS
from tokviz.pages.lenses.text_tokens import EXAMPLES, LONG_TEXT, columns_of, sentence_for
from tokviz.pages.visit.link import to_links
from tokviz.pages.widgets.encode_request import (
    MOST_CHARACTERS,
    MOST_PINS,
    Chosen,
    EncodeRequest,
    Sampling,
    request_from,
)
from tokviz.server import draw_queue
from tokviz.server.runs import run_of_sample

COURSE = tokviz.SAMPLES["course"]
RUN = run_of_sample(COURSE)
HOSTILE = "<img src=x onerror=alert(1)> مرحبا 👩‍🚀 \u202e\ud800\x00"


@pytest.fixture(scope="module")
def bpe():
    return tokviz.train(COURSE.corpus, "bpe", 50, "gpt2", unit="byte")


def said(
    history, text, states=None, encoder=None, chosen=None, sampling=None, draw=True, known=None
):
    states = [len(history)] if states is None else states
    columns = [(t, "", history.tokenizer(t, encoder)) for t in states]
    request = EncodeRequest(1, text, (), chosen, sampling, draw)
    return json.loads(answer(history, columns, request, text, {}, known))


def strings(reply, numbers):
    shown = [reply["table"][number][0] for number in numbers]
    return ["".join(parts) for parts in shown]


def test_columns_are_the_encodings_of_their_states(bpe):
    text = "This is not a token."
    reply = said(bpe, text, [0, 13, 20])
    for column, t in zip(reply["columns"], (0, 13, 20), strict=True):
        encoding = bpe.tokenizer(t).encode(text)
        assert strings(reply, column["tokens"]) == encoding.tokens
        assert [reply["table"][i][1] for i in column["tokens"]] == encoding.ids
        colours = [reply["table"][i][3] for i in column["tokens"]]
        assert colours == [bpe.colour(token) for token in encoding.tokens]
        assert list(zip(column["starts"], column["ends"], strict=True)) == encoding.offsets
        assert [text[column["starts"][i] :][:1] for i in column["words"]] == list("T    .")
        assert column["back"] == "Ids back to text: exact."
    assert [column["name"] for column in reply["columns"]] == [
        "Before training",
        "After 13 merges",
        "After 20 merges",
    ]
    # Before any token is chosen, the longest word is told.
    assert reply["trace"]["word"] == " token"


@pytest.mark.parametrize("algorithm", [*tokviz.TRAINERS])
def test_every_algorithm_and_every_way_takes_a_hostile_text(algorithm):
    size = 90 if "unigram" in algorithm else 60
    history = tokviz.train(COURSE.corpus, algorithm, size)
    for way in history.encoders:
        for chosen in (None, Chosen(len(history), 30, 0), Chosen(len(history), 36, 1)):
            reply = said(history, HOSTILE, encoder=way, chosen=chosen, sampling=Sampling())
            encoding = history.tokenizer(encoder=way).encode(HOSTILE)
            column = reply["columns"][0]
            assert strings(reply, column["tokens"]) == encoding.tokens
            assert column["unknown"]
            assert reply["chosen"] is not None
            assert reply["bytes"]["rows"]
            samples = reply["samples"]
            assert samples["reason"] or sum(row[2] for row in samples["rows"]) > 0


def test_unknown_and_special_tokens_are_told_apart():
    history = tokviz.train(COURSE.corpus, **tokviz.PRESETS["course-wordpiece"].settings)
    reply = said(history, "This [SEP] [UNK] !")
    kinds = [reply["table"][i][2] for i in reply["columns"][0]["tokens"]]
    assert kinds[-3:] == ["special", "special", "unknown"]
    assert reply["columns"][0]["unknown"] == '1 unknown token: "!".'


def test_the_trace_of_the_published_unknown_word():
    history = tokviz.train(COURSE.corpus, **tokviz.PRESETS["course-wordpiece"].settings)
    text = "This is the Hugging Face course!"
    trace = said(history, text, chosen=Chosen(25, 31, 0))["trace"]
    assert trace["rows"] == [{"cells": ["!", "no", ["!"]], "ok": False}]
    assert "the whole word is [UNK]" in trace["reason"]


def test_a_choice_outlives_an_edit_before_its_end_and_another_lane(bpe):
    chosen = Chosen(20, 13, 0)
    first = said(bpe, "This is not a token.", chosen=chosen)
    assert first["chosen"] == [0, 7]
    # The token that covers the place now, and the last column where the state is not shown.
    assert said(bpe, "This is not a to", [0], chosen=Chosen(20, 14, 0))["chosen"] == [0, 14]
    assert said(bpe, "This", chosen=chosen)["chosen"] is None
    byte = said(bpe, "é", chosen=Chosen(20, 0, 1))
    assert byte["chosen"] == [0, 1], "the second byte of a character"


def test_what_the_browser_says_is_checked():
    text = "x" * (MOST_CHARACTERS + 1)
    request = request_from(
        {"serial": "1", "text": text, "pins": [3, True, "4", 3, -1], "chosen": [1]}
    )
    assert request == EncodeRequest(0, text[:-1], (3,), None)
    assert request_from({"text": 5, "chosen": [1, 2, 3]}) == EncodeRequest(
        0, None, (), Chosen(1, 2, 3)
    )


def test_the_sampling_that_the_browser_asks_for_is_checked():
    assert request_from({"sampling": [5, 2, 100, 7], "draw": True}) == EncodeRequest(
        sampling=Sampling(5, 2, 100, 7), draw=True
    )
    for wrong in ([21, 2, 100, 1], [5, 21, 100, 1], [5, 2, 99, 1], [5, 2, 100, 10**9], [5], "x"):
        assert request_from({"sampling": wrong, "draw": 1}) == EncodeRequest()


def test_a_word_is_drawn_with_its_exact_probabilities(bpe):
    text, request = "This is not a token.", Sampling(dropout=10, draws=1_000, seed=3)
    samples = said(bpe, text, sampling=request)["samples"]
    expected = sample_merges(
        DropoutChain.of(bpe.tokenizer().encoder, " token", 0.5), 1_000, 3, MOST_ROWS
    )
    assert [row[1:] for row in samples["rows"]] == [[r.probability, r.times] for r in expected.rows]
    assert samples["count"] == f"{expected.segmentations:,}"
    assert samples["entropy"] == expected.entropy
    reply = said(bpe, text, sampling=request)
    for row, drawn in zip(samples["rows"], expected.rows, strict=True):
        assert strings(reply, row[0]) == [piece.token for piece in drawn.pieces]
    unigram = tokviz.train(COURSE.corpus, "unigram", 100)
    reply = said(unigram, text, sampling=Sampling(alpha=20, seed=3))
    samples, word = reply["samples"], reply["trace"]["word"]
    expected = sample_unigram(unigram.tokenizer().encoder, word, 2.0, 1_000, 3, MOST_ROWS)
    assert [row[1:] for row in samples["rows"]] == [[r.probability, r.times] for r in expected.rows]


def test_rows_that_are_not_shown_stand_in_one():
    history = tokviz.train({"a" * 16: 1}, "bpe", 5)
    reply = said(history, "a" * 12, sampling=Sampling(dropout=10))
    samples = reply["samples"]
    n = int(samples["count"].replace(",", ""))
    others, probability, times = samples["others"]
    assert others == f"{n - MOST_ROWS:,} others"
    assert probability + sum(row[1] for row in samples["rows"]) == pytest.approx(1)
    assert times + sum(row[2] for row in samples["rows"]) == 1_000


def test_nothing_is_drawn_while_somebody_types(bpe):
    known = {}
    assert said(bpe, "token", sampling=Sampling(), draw=False, known=known)["samples"] is None
    drawn = said(bpe, "token", sampling=Sampling(), known=known)["samples"]
    # What is known already stays where it is, and another state or word is another question.
    assert said(bpe, "a token", sampling=Sampling(), draw=False, known=known)["samples"] is None
    assert said(bpe, "token", sampling=Sampling(), draw=False, known=known)["samples"] == drawn
    assert said(bpe, "token", [3], None, None, Sampling(), False, known)["samples"] is None
    assert said(bpe, "token")["samples"] is None
    for seed in range(40):
        said(bpe, "token", sampling=Sampling(seed=seed), known=known)
    assert len(known) <= MOST_KEPT


@pytest.mark.parametrize("way", ["longest-match", "longest-token"])
def test_ways_without_chance_say_so(way):
    history = tokviz.train(COURSE.corpus, "wordpiece", 60)
    samples = said(history, "token", encoder=way, sampling=Sampling())["samples"]
    assert "draws nothing at random" in samples["reason"]
    assert "“Merges in order” can skip merges" in samples["reason"]
    assert samples["rows"] == []


def test_the_bytes_of_the_chosen_token(bpe):
    spelled = said(bpe, "aé日", chosen=Chosen(20, 1, 1))["bytes"]
    assert [row["bytes"] for row in spelled["rows"]] == [[["A9", "10", "101001", "©"]]]
    assert spelled["rows"][0]["why"] == "a continuation without a start"
    japanese = tokviz.train("日本 日本", "bpe", 20, unit="byte")
    spelled = said(japanese, "日本")["bytes"]
    assert [(row["char"], row["point"]) for row in spelled["rows"]] == [
        ("日", "U+65E5"),
        ("本", "U+672C"),
    ]
    assert [byte[1] for byte in spelled["rows"][0]["bytes"]] == ["1110", "10", "10"]
    long = said(tokviz.train({"a" * 64: 9}, "bpe", 9), "a" * 64)
    assert (len(long["columns"][0]["tokens"]), long["bytes"]["more"]) == (1, 16)
    wordpiece = tokviz.train(COURSE.corpus, **tokviz.PRESETS["course-wordpiece"].settings)
    unknown = said(wordpiece, "té")["bytes"]
    assert [row["char"] for row in unknown["rows"]] == ["t", "é"]


def test_the_columns_stand_in_the_order_of_training(bpe):
    assert columns_of(bpe, 13, [15, 2, 13, 99]) == [(2, ""), (13, "here"), (15, ""), (20, "end")]
    assert columns_of(bpe, 20, []) == [(20, "both")]
    assert columns_of(bpe, 99, []) == [(20, "both")]
    assert len(columns_of(bpe, 0, range(1, 19))) == MOST_PINS + 2


def test_a_sentence_fits_the_run():
    assert sentence_for(RUN) == EXAMPLES[0]
    assert sentence_for(replace(RUN, algorithm="wordpiece")) == EXAMPLES[1]
    assert (
        sentence_for(replace(RUN, corpus=replace(RUN.corpus, text="\n  my text \n more")))
        == "my text"
    )
    assert sentence_for(replace(RUN, corpus=replace(RUN.corpus, text="\n"))) == EXAMPLES[0]
    of_languages = replace(RUN.corpus, text="=== en ===\nlow\n" * 9, read_as="languages")
    assert sentence_for(replace(RUN, corpus=of_languages)) == "low"


def test_what_comes_back_names_the_first_difference_and_their_number():
    tokenizer = tokviz.train("low lower", "wordpiece", 12).tokenizer()

    def back(text):
        return came_back(tokenizer, tokenizer.encode(text), text)

    assert back("low lower") == "Ids back to text: exact."
    assert back(" low  low ") == (
        'Ids back to text: differs in 3 places, first at 0: " " became nothing '
        "(white space dropped)."
    )
    assert back("low x") == (
        'Ids back to text: differs in 2 places, first at 3: " " became nothing '
        "(white space dropped). Tokens without an id are left out."
    )


# --- the page -------------------------------------------------------------------------------------


@pytest.fixture
def app():
    def draw():
        from tokviz.pages import encode

        encode.page()

    return AppTest.from_function(draw, default_timeout=PATIENCE)


def shown(app):
    assert not app.exception
    return json.loads(components(app, "encoder")[0])


def test_without_runs_the_opening_sample_is_encoded(app):
    reply = shown(app.run())
    assert (reply["text"], reply["typed"]) == ("This is not a token.", False)
    assert [column["name"] for column in reply["columns"]] == ["Before training", "After 20 merges"]
    assert [column["tag"] for column in reply["columns"]] == ["here", "end"]


def test_a_text_and_pins_are_kept_when_the_reader_comes_back(app):
    app.session_state["encoder"] = {"asked": {"serial": 4, "text": "a token", "pins": [5]}}
    reply = shown(app.run())
    assert (reply["serial"], reply["text"], reply["typed"]) == (4, "a token", True)
    del app.session_state["encoder"]
    again = shown(app.run())
    assert again["text"] == "a token"
    assert [column["state"] for column in again["columns"]] == [0, 5, 20]


def test_the_lanes_of_the_session_can_be_chosen(app):
    unigram = replace(RUN, algorithm="unigram", vocab_size=100, settings=())
    visit_of(app).lanes = (RUN, unigram)
    visit_of(app).states, visit_of(app).position = [7, 2], 7
    visit_of(app).number, visit_of(app).align = 0, "step"
    assert [column["state"] for column in shown(app.run())["columns"]] == [7, 20]
    app.get("button_group")[0].set_value(1).run()
    reply = shown(app)
    assert reply["columns"][0]["name"] == "After 2 rounds"
    assert reply["noun"] == "round"


def test_the_address_names_runs_and_step_for_a_visit_that_begins_here(app):
    app.query_params["lane"] = to_links([RUN, replace(RUN, vocab_size=40)])
    app.query_params["step"] = "9"
    reply = shown(app.run())
    assert [column["state"] for column in reply["columns"]] == [9, 20]
    assert reply["address"] == [to_links([RUN, replace(RUN, vocab_size=40)]), 9, "step"]
    app.session_state["encoder"] = {"asked": {"serial": 1, "text": "a"}}
    assert shown(app.run())["address"] is None


def test_a_damaged_address_opens_the_sample_and_says_so(app):
    app.query_params["lane"] = "~nothing"
    app.run()
    assert "could not be opened" in app.get("html")[0].proto.body
    assert shown(app)["text"] == "This is not a token."


def test_a_later_moment_of_the_player_is_heard(app):
    app.run()
    moment = {"id": "0/abc", "align": "step", "position": 8, "states": [8]}
    for wrong in (
        {**moment, "id": "1/abc"},
        {**moment, "states": [8, 8]},
        {**moment, "states": ["8"]},
        {**moment, "position": -1},
        {**moment, "align": "none"},
        "here",
    ):
        app.session_state["encoder"] = {"asked": {"serial": 1, "moment": wrong}}
        reply = shown(app.run())
        assert [column["state"] for column in reply["columns"]] == [0, 20]
        assert reply["address"] is None
    app.session_state["encoder"] = {"asked": {"serial": 2, "moment": moment}}
    reply = shown(app.run())
    assert [column["state"] for column in reply["columns"]] == [8, 20]
    assert reply["address"] == [["course"], 8, "step"]


def test_a_run_that_cannot_be_leaves_a_sentence(app):
    visit_of(app).lanes = (replace(RUN, vocab_size=3),)
    app.run()
    assert not app.exception
    assert 'role="alert"' in app.get("html")[0].proto.body


def test_the_page_is_between_train_and_open():
    pages = (ROOT / "tokviz" / "pages" / "app.py").read_text("utf-8")
    places = [pages.index(f'title=_("{title}")') for title in ("Train", "Encode", "Open")]
    assert places == sorted(places)


def test_a_pattern_that_takes_too_long_leaves_a_sentence():
    slow = (("pattern", "(?:a|aa|aaa)+$|b"), ("timeout", 0.1))
    run = replace(
        RUN,
        corpus=replace(RUN.corpus, text="b bb"),
        pretokenizer="regex",
        pretokenizer_settings=slow,
    )

    def draw():
        from tokviz.pages import encode

        encode.page()

    app = AppTest.from_function(draw, default_timeout=PATIENCE)
    app.query_params["lane"] = to_links([run])
    app.run()
    chosen = [1, 0, 0]
    request = {"serial": 3, "text": "a" * 60 + "b", "pins": [], "chosen": chosen, "ids": ""}
    app.session_state["encoder"] = {"asked": request}
    app.run()
    assert not app.exception
    assert "was stopped after 0.1 s" in app.get("html")[-1].proto.body
    [data] = components(app, "encoder")
    assert json.loads(data)["serial"] == 3


@pytest.mark.parametrize("length", [LONG_TEXT, LONG_TEXT + 1])
def test_other_pages_are_drawn_while_a_long_text_is_encoded(app, monkeypatch, length):
    free = []

    def answered(*given):
        own = draw_queue.TURNS.take(0)
        if own:
            draw_queue.TURNS.give_back(own)
        free.append(own is not None)
        return answer(*given)

    monkeypatch.setattr(draw_queue, "LONG", PATIENCE)
    monkeypatch.setattr(text_tokens, "answer", answered)
    request = {"serial": 1, "text": "a" * length, "pins": []}
    app.session_state["encoder"] = {"asked": request}
    assert shown(app.run())["text"] == "a" * length
    assert free == [length > LONG_TEXT]
