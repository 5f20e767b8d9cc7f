"""The lens of the characters that SentencePiece 0.2.3 chooses: its numbers, chart and tables."""

import html as markup

import pytest
from app_test import APP, html, player_data, press, take_algorithm
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.pages.lenses.character_lens import LINES, curve_table, saving_chart, savings_table
from tokviz.pages.lenses.charts import MARKED, MOST_POINTS
from tokviz.pages.visit.link import to_links
from tokviz.server.runs import Run, run_of_sample, sample_corpus
from tokviz.trainers.sentencepiece_bpe import character_choice

HINDI = tokviz.SAMPLES["udhr-hi"].corpus
CHOSEN = {"library_version": "0.2.3", "byte_fallback": True, "auto_character_coverage": True}
SIZE = 259 + 60
RUN = Run(
    *(sample_corpus(tokviz.SAMPLES["udhr-hi"]), "sentencepiece-bpe", SIZE, "sentencepiece", ()),
    settings=tuple(CHOSEN.items()),
)


@pytest.fixture(scope="module")
def history():
    return tokviz.train(HINDI, "sentencepiece-bpe", SIZE, **CHOSEN)


@pytest.fixture(scope="module")
def choice(history):
    return history.trainer.choice(history.words)


def test_the_table_is_the_librarys_curve(history):
    table, curve = curve_table(history), character_choice(history)
    assert table["tokens saved"].tolist() == curve.saved.tolist()
    assert table["saved by merges"].tolist() == curve.saved_by_merges.tolist()
    assert table["saved by characters"].tolist() == curve.saved_by_characters.tolist()
    [chosen] = table[table.chosen].itertuples(index=False)
    assert chosen.merges == len(history) == 31
    # Nothing but these two saves anything.
    both = table["saved by merges"] + table["saved by characters"]
    assert both.tolist() == table["tokens saved"].tolist()


def test_the_characters_save_what_the_curve_says(history, choice):
    table = savings_table(choice)
    assert (table["count"] * (table["bytes"] - 1)).tolist() == table["tokens saved"].tolist()
    assert table["count"].sum() == sum(
        len(word) * n for word, n in zip(history.words.words, history.words.counts, strict=True)
    )
    taken = table[table["reason"] != "left out: it stays bytes"]
    at_top = curve_table(history).iloc[choice.merges]
    assert taken["tokens saved"].sum() == at_top["saved by characters"]
    assert (taken["reason"] == "a merge needs it").sum() == at_top["characters in merges"]
    assert 0 < len(taken) < len(table)


def test_the_chart_has_the_three_lines_and_marks_the_choice(history, choice):
    table = curve_table(history)
    chart = saving_chart(table, choice.merges)
    [points] = chart["datasets"].values()
    for column, label in LINES.items():
        line = points[points.line == str(label)]
        assert line.value.tolist() == table[column].tolist()
    *_, dot, text = chart["layer"]
    assert dot["encoding"] == {"x": {"datum": 31}, "y": {"datum": 442}}
    assert text["mark"]["text"] == "chosen: 31 merges, 442 tokens saved"
    # As the curves of other lenses mark the present step.
    assert {layer["mark"]["color"] for layer in chart["layer"][1:]} == {MARKED}


def test_a_long_curve_keeps_the_point_that_was_chosen():
    text = "\n".join(f"{chr(0x3041 + i % 80)}{chr(0x4E00 + i)}" for i in range(1500))
    history = tokviz.train(text, "sentencepiece-bpe", 259 + 4000, **CHOSEN)
    table = curve_table(history)
    for merges in range(400, 420):
        [points] = saving_chart(table, merges)["datasets"].values()
        assert len(points) <= 3 * (MOST_POINTS + 1) < 3 * len(table)
        assert merges in points.x.tolist()


def opened(*lanes, **parts):
    app = AppTest.from_file(APP, default_timeout=PATIENCE)
    app.query_params["v"], app.query_params["lane"] = "2", to_links(lanes)
    for name, value in parts.items():
        app.query_params[name] = value
    return app.run()


def lens_of(app):
    return app.segmented_control(key="lens")


def test_the_page_shows_the_curve_the_sentence_and_the_lines():
    app = opened(RUN, lens="characters")
    assert lens_of(app).value == "characters"
    said = markup.unescape(html(app))
    assert "Of 36 characters 29 were chosen: 23 for 31 merges, and 6 for the bytes" in said
    assert "Together this saves 442 tokens: the corpus has so many fewer than if" in said
    assert "319 − 259 = 60 tokens" in said
    assert "Of the special tokens 256 are bytes; <unk> is another" in said
    curve, characters = (frame.value for frame in app.dataframe)
    # The criterion is seen: the chosen row is the first, with the greatest saving.
    assert curve.iloc[0][["merges", "tokens saved", "chosen"]].tolist() == [31, 442, True]
    assert len(characters) == 36
    [chart] = app.get("vega_lite_chart")
    assert "442, with 31" in chart.proto.alt
    _head, [header] = player_data(app)
    assert header["chosen_characters"]["said"] == (
        "Characters chosen: 29 of 36, which together with 31 merges save most: 442 tokens fewer "
        "than if all were spelled in bytes."
    )
    assert any("characters_with" in code for code, _names, _moment in header["pseudocode"])


def test_other_runs_have_no_such_lens():
    app = opened(run_of_sample(tokviz.SAMPLES["course"]), lens="characters")
    assert not app.exception
    assert lens_of(app).value == "vocabulary"
    assert "Characters" not in lens_of(app).options
    assert "chosen_characters" not in player_data(app)[1][0]


def test_the_settings_are_chosen_in_the_form():
    app = opened(run_of_sample(tokviz.SAMPLES["udhr-hi"]))
    take_algorithm(app, "sentencepiece-bpe")
    press(app, "Settings")
    of = "sentencepiece-bpe"
    app.selectbox(key=f"{of}.library_version").set_value("0.2.3").run()
    app.toggle(key=f"{of}.byte_fallback").set_value(True).run()
    app.toggle(key=f"{of}.auto_character_coverage").set_value(True).run()
    app.number_input(key="vocab_size").set_value(SIZE).run()
    assert not app.exception
    assert player_data(app)[1][0]["chosen_characters"]["characters"] == 29
    lens_of(app).set_value("characters").run()
    assert len(app.dataframe) == 2
