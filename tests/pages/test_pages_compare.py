"""The Compare page without a browser: what it trains, and what it says of the lanes."""

import html
import json
import re
from dataclasses import replace

import pytest
from app_test import read
from helpers import PATIENCE, components, visit_of
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.analysis.tokens_saved import tokens_saved
from tokviz.history.ties import TIE_BREAKS
from tokviz.pages.comparison.differences import cuts_html
from tokviz.pages.lenses import stepper
from tokviz.pages.lenses.text_tokens import MOST_READ
from tokviz.pages.visit.comparisons import COMPARISONS, fitted, lanes_for
from tokviz.pages.visit.lanes import labels
from tokviz.pages.visit.link import to_links
from tokviz.pages.visit.open_lanes import end_of
from tokviz.server import limits
from tokviz.server.jobs import history_of
from tokviz.server.runs import run_of_sample
from tokviz.text.languages import by_language

COURSE = tokviz.SAMPLES["course"]
RUN = run_of_sample(COURSE)
HOSTILE = "<img src=x onerror=alert(1)> مرحبا 👩‍🚀 \u202e\x00 **b** `c`"


@pytest.fixture
def app():
    def draw():
        from tokviz.pages.compare import page

        page()

    return AppTest.from_function(draw, default_timeout=PATIENCE)


def told(app):
    """All HTML on the page as text."""
    assert not app.exception
    bodies = " ".join(element.proto.body for element in app.get("html"))
    return html.unescape(re.sub(r"<[^>]+>", " ", bodies))


def numbers(app):
    """The rows of the tables of numbers on the page: heading → cells."""
    rows = {}
    for element in app.get("html"):
        for row in re.findall(r"<tr[^>]*>(<th scope=\"row\">.*?)</tr>", element.proto.body):
            heading, *cells = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
            rows[heading] = [re.sub(r"<[^>]+>", "", cell) for cell in cells]
    return rows


def choose(app, key, value):
    next(w for w in app.get("button_group") if w.key == key).set_value(value)
    return app.run()


def trained(lanes):
    return [history_of(run) for run in lanes]


def test_the_process_that_draws_all_pages_packs_no_lane_that_is_trained_for_it(app, monkeypatch):
    monkeypatch.setattr(stepper, "packed_lane", None)
    corpus = replace(RUN.corpus, title="My own text", text="low lower lowest newer newest wide")
    visit_of(app).lanes = lanes = lanes_for("families", replace(RUN, corpus=corpus))
    app.run()
    assert not app.exception
    assert visit_of(app).lanes == lanes
    assert len(lanes) == 3


# --- what is compared -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", COMPARISONS)
def test_every_comparison_is_trained_as_it_says(app, name):
    app.run()
    app.selectbox(key="comparison").select(name).run()
    if name == "pretokenizers":
        assert visit_of(app).lanes[1].pretokenizer == "regex"
    lanes = visit_of(app).lanes
    assert lanes == lanes_for(name, lanes[0])
    assert len(lanes) == len(COMPARISONS[name].settings) in (2, 3, 4)
    assert len({run.vocab_size for run in lanes}) == len({run.corpus.text for run in lanes}) == 1
    assert COMPARISONS[name].note in told(app)
    assert len(set(labels(lanes))) == len(lanes)
    for run, settings in zip(lanes, COMPARISONS[name].settings, strict=True):
        history = history_of(run)
        for setting, value in settings.items():
            if setting in {"algorithm", "pretokenizer", "vocab_size", "seed_size"}:
                continue
            assert getattr(history.trainer, setting) == value


def test_the_name_of_a_comparison_goes_when_its_lanes_change(app):
    app.run()
    app.selectbox(key="comparison").select("ties").run()
    assert app.selectbox(key="comparison").value == "ties"
    app.button(key="settings_3").click().run()
    app.button(key="remove_3").click().run()
    assert app.selectbox(key="comparison").value is None
    assert len(visit_of(app).lanes) == 3


def test_four_tie_breaks_are_the_four_rules(app):
    app.run()
    app.selectbox(key="comparison").select("ties").run()
    rules = [history.rule for history in trained(visit_of(app).lanes)]
    assert rules == list(TIE_BREAKS)


def test_a_size_that_is_too_small_for_one_lane_is_raised_for_all():
    lanes = lanes_for("families", replace(RUN, vocab_size=40))
    assert {run.vocab_size for run in lanes} == {80}, "WordPiece has 40 symbols already"
    assert dict(lanes[2].settings) == {}
    lanes = lanes_for("families", replace(RUN, vocab_size=150))
    assert {run.vocab_size for run in lanes} == {150}
    assert dict(lanes[2].settings) == {}, "its seeds follow the size"
    assert fitted(lanes) == lanes
    named = [replace(lanes[2], settings=(("seed_size", size),)) for size in (449, 450)]
    assert fitted(named) == (lanes[2], named[1])


def test_seeds_are_named_where_the_usual_ones_would_be_too_many(monkeypatch):
    most = replace(limits.LIMITS, settings=replace(limits.LIMITS.settings, seeds=400))
    monkeypatch.setattr(limits, "LIMITS", most)
    lanes = lanes_for("families", replace(RUN, vocab_size=150))
    assert dict(lanes[2].settings) == {"seed_size": 400}


def test_a_table_of_words_has_no_pre_tokenizers_to_compare(app):
    run = run_of_sample(tokviz.SAMPLES["hug-pug"])
    app.query_params["lane"] = to_links([run])
    app.run()
    app.selectbox(key="comparison").select("pretokenizers").run()
    assert "needs a text" in told(app)
    assert visit_of(app).lanes == (run,)
    app.selectbox(key="comparison").select("families").run()
    assert "needs a text" not in told(app)
    assert [run.algorithm for run in visit_of(app).lanes] == ["bpe", "wordpiece", "unigram"]


# --- how it opens ---------------------------------------------------------------------------------


def test_the_first_visit_shows_each_of_the_three_families_at_its_own_end(app):
    app.run()
    lanes = visit_of(app).lanes
    assert [run.algorithm for run in lanes] == ["bpe", "wordpiece", "unigram"]
    histories = trained(lanes)
    assert visit_of(app).states == [len(history) for history in histories]
    assert [history.vocab_size(len(history)) for history in histories] == [50, 50, 50]
    assert (visit_of(app).align, visit_of(app).start) == ("share", 20)
    assert end_of(histories, "share") == visit_of(app).position


@pytest.mark.parametrize("parts", [{}, {"step": "7"}, {"step": "7", "align": "size"}])
def test_an_address_of_before_means_what_it_meant(app, parts):
    """Without an alignment it is by step, from the start on."""
    app.query_params["lane"] = to_links((RUN, replace(RUN, vocab_size=60)))
    for name, value in parts.items():
        app.query_params[name] = value
    app.run()
    found = visit_of(app).align, visit_of(app).position
    assert found == (parts.get("align", "step"), int(parts.get("step", 0)))


def test_a_comparison_that_is_chosen_is_shown_at_the_end_of_both(app):
    app.run()
    app.selectbox(key="comparison").select("unigrams").run()
    histories, states = trained(visit_of(app).lanes), visit_of(app).states
    assert states == [len(history) for history in histories]


def test_the_address_names_lanes_step_and_alignment(app):
    lanes = (RUN, replace(RUN, vocab_size=60))
    app.query_params["lane"] = to_links(lanes)
    app.query_params["step"], app.query_params["align"] = "7", "step"
    app.run()
    assert visit_of(app).lanes == lanes
    assert (visit_of(app).position, visit_of(app).align) == (7, "step")


@pytest.fixture
def pages():
    """The Train and the Compare page in one session: `to` names the one that is open."""

    def draw():
        import streamlit as st

        from tokviz.pages import compare, train

        (compare if st.session_state["to"] == "compare" else train).page()

    app = AppTest.from_function(draw, default_timeout=PATIENCE)
    app.session_state["to"] = "train"
    return app


def go(app, page):
    app.session_state["to"] = page
    app.run()
    assert not app.exception
    return visit_of(app).lanes, visit_of(app).number


def test_each_page_keeps_lanes_of_its_own(pages):
    train, compared = go(pages, "train"), go(pages, "compare")
    assert train == ((RUN,), 0)
    assert (len(compared[0]), compared[1]) == (3, 1)
    assert go(pages, "train") == train
    assert go(pages, "compare") == compared


def test_lanes_of_the_train_page_are_compared_as_they_are(pages):
    lanes = (RUN, replace(RUN, vocab_size=40))
    pages.query_params["lane"] = to_links(lanes)
    go(pages, "train")
    del pages.query_params["lane"]
    assert go(pages, "compare")[0] == lanes
    assert visit_of(pages).align == "share"


# --- lanes ----------------------------------------------------------------------------------------


def test_a_lane_is_duplicated_and_one_thing_is_changed(app):
    app.run()
    lanes = visit_of(app).lanes
    app.button(key="settings_0").click().run()
    app.button(key="duplicate_0").click().run()
    assert app.number_input(key="vocab_size").value == 50
    app.selectbox(key="bpe.tie_break").select("shortest").run()
    assert visit_of(app).lanes == (
        *lanes,
        replace(lanes[0], settings=(*lanes[0].settings, ("tie_break", "shortest"))),
    )
    assert app.button(key="duplicate_3").disabled, "four lanes are the most"


def test_the_corpus_of_all_lanes_is_changed_at_once(app):
    app.run()
    lanes = visit_of(app).lanes
    app.text_area(key="corpus_text").set_value("a different text of mine " * 3).run()
    changed = visit_of(app).lanes
    assert {run.corpus.text for run in changed} == {"a different text of mine " * 3}
    assert [run.algorithm for run in changed] == [run.algorithm for run in lanes]
    app.button(key="settings_0").click().run()
    choose(app, "corpus_read_as", "counts")
    assert visit_of(app).lanes == changed
    assert "each line is one word and one whole number" in told(app)
    assert app.text_area(key="corpus_text").value == "a different text of mine " * 3


# --- where they part ------------------------------------------------------------------------------


def test_first_seen_and_smallest_ids_part_at_the_second_step_of_the_course(app):
    """Published: first-seen merges i + s second (5 times, as often as e + r and Ġ + a)."""
    rules = (("unit", "byte"),), (("unit", "byte"), ("tie_break", "smallest-ids"))
    lanes = tuple(replace(RUN, settings=settings) for settings in rules)
    app.query_params["lane"] = to_links(lanes)
    app.query_params["align"] = "step"
    app.run()
    said = told(app)
    assert "They first part at step 2" in said
    assert "A tie. After one merge that both made, 3 pairs are counted 5 times." in said
    assert "takes “i” + “s”" in said
    assert "takes “e” + “r”" in said
    app.button(key="go_there").click().run()
    assert (visit_of(app).position, visit_of(app).states) == (2, [2, 2])
    histories = trained(lanes)
    words = [
        word
        for word in histories[0].words.words
        if histories[0].segmentation(word, 2) != histories[1].segmentation(word, 2)
    ]
    assert f"they cut {len(words)} different words differently" in told(app)


def test_going_there_does_not_bring_back_how_the_address_looked(app):
    """Somebody who left presenting would otherwise present again."""
    app.query_params["lane"] = to_links([RUN, replace(RUN, vocab_size=45)])
    app.query_params["present"] = "1"
    app.query_params["align"] = "share"
    app.run()
    assert read(components(app, "player")[0], b"TVZB")[0]["look"] == {"present": True}
    app.button(key="go_there").click().run()
    assert read(components(app, "player")[0], b"TVZB")[0]["look"] == {}


def test_lanes_that_never_part_are_said_to(app):
    app.query_params["lane"] = to_links([RUN, RUN])
    app.run()
    assert "These two lanes cut every word the same way, at every position." in told(app)


def test_one_lane_has_nothing_to_part_from(app):
    app.query_params["lane"] = to_links([RUN])
    app.run()
    assert "A single lane has nothing to be compared with." in told(app)


def test_lanes_without_a_common_text_say_so(app):
    other = run_of_sample(tokviz.SAMPLES["hug-pug"])
    app.query_params["lane"] = to_links(
        [other, replace(other, corpus=replace(other.corpus, text="ab,3\nabc,2"))]
    )
    app.run()
    assert "have different words and no common text" in told(app)
    choose(app, "compare_lens", "metrics")
    assert numbers(app)["Corpus tokens"][:2] != []


def test_a_word_is_drawn_under_itself_and_stays_text():
    row = {
        "word": "<b>&\u202eü",
        "left": ["<", "b>&\u202eü"],
        "right": ["<b>&\u202e", "\\xc3", "\\xbc"],
    }
    ends = len("<b>&\u202e".encode())
    drawn = cuts_html(row | {"left_cuts": (1,), "right_cuts": (1, ends, ends + 1)}, ("A", "B"))
    assert "<b>" not in drawn
    assert "&lt;" in drawn
    assert "U+202E" in drawn
    above, below = drawn.split('<div class="tv-cut"')[1:]
    assert above.count("both") == below.count("both") == 1
    assert (above.count("own"), below.count("own")) == (0, 1)
    assert (above.count("inside"), below.count("inside")) == (0, 1)


def test_a_hostile_corpus_is_only_text(app):
    lanes = tuple(
        replace(RUN, corpus=replace(RUN.corpus, title=HOSTILE, text=HOSTILE * 3), vocab_size=size)
        for size in (60, 90)
    )
    app.query_params["lane"] = to_links(lanes)
    app.run()
    assert visit_of(app).lanes == lanes
    for lens in ("metrics", "held-out", "parted"):
        choose(app, "compare_lens", lens)
        assert not app.exception
        assert "<img" not in " ".join(element.proto.body for element in app.get("html"))


# --- numbers --------------------------------------------------------------------------------------


def test_the_metrics_of_the_position_are_those_of_the_histories(app):
    app.run()
    choose(app, "compare_lens", "metrics")
    histories, states = trained(visit_of(app).lanes), visit_of(app).states
    rows = numbers(app)
    tables = [
        tokviz.analysis.metrics.metrics(h, [t]).iloc[0]
        for h, t in zip(histories, states, strict=True)
    ]
    assert rows["Corpus tokens"][:3] == [f"{table['corpus_tokens']:,.0f}" for table in tables]
    fertility = "Fertility (tokens per white-space word)"
    assert rows[fertility][:3] == [f"{table['fertility']:.4g}" for table in tables]
    words = str(len(COURSE.corpus.split()))
    assert rows["White-space words"][:3] == [words] * 3
    whole = [f"{100 * table['whole_words']:.1f} %" for table in tables]
    assert rows["White-space words kept whole"][:3] == whole
    assert [*rows][2:5] == ["Characters per token", "Bytes per token", fertility]
    comparison = tokviz.compare(histories, COURSE.corpus)
    pairs = comparison.pairs_at(comparison.positions[[visit_of(app).position]])
    assert rows["Shared boundaries"] == [*map(str, pairs["shared_boundaries"]), " "]
    assert rows["Boundary F1"][:3] == [f"{value:.4g}" for value in pairs["boundary_f1"]]


def test_fertility_is_divided_by_the_words_that_somebody_chose(app):
    app.run()
    assert "per_word" not in {w.key for w in app.get("button_group")}
    app.multiselect(key="curves").set_value(["fertility"]).run()
    choose(app, "per_word", "pretokens")
    choose(app, "compare_lens", "metrics")
    histories, states = trained(visit_of(app).lanes), visit_of(app).states
    rows = numbers(app)
    table = [
        tokviz.analysis.metrics.metrics(h, [t], "pretokens").iloc[0]
        for h, t in zip(histories, states, strict=True)
    ]
    said = [f"{row['fertility']:.4g}" for row in table]
    assert rows["Fertility (tokens per own pre-token)"][:3] == said
    assert rows["Each lane’s own pre-tokens"][:3] == [str(row["words"]) for row in table]
    (drawn,) = (json.loads(e.proto.spec) for e in app.get("vega_lite_chart"))
    assert drawn["title"]["text"] == "Fertility (tokens per own pre-token)"
    whole = [f"{100 * row['whole_words']:.1f} %" for row in table]
    assert rows["Pre-tokens kept whole"][:3] == whole
    choose(app, "per_word", "whitespace")
    assert "Fertility (tokens per white-space word)" in numbers(app)
    assert numbers(app)["White-space words kept whole"][:3] != whole
    # The choice is there as long as something shown depends on it.
    choose(app, "compare_lens", "Where they part")
    for curve, there in (("fertility", True), ("whole_words", True), ("entropy", False)):
        app.multiselect(key="curves").set_value([curve]).run()
        assert ("per_word" in {w.key for w in app.get("button_group")}) == there


def test_lanes_of_a_table_say_that_they_have_no_other_words(app):
    run = replace(
        RUN, corpus=replace(RUN.corpus, text="low,5\nlower,2", read_as="counts"), vocab_size=6
    )
    app.query_params["lane"] = to_links([run, replace(run, vocab_size=7)])
    app.run()
    choose(app, "compare_lens", "metrics")
    assert "does not know the white-space words of its text" in told(app)
    assert "per_word" not in {w.key for w in app.get("button_group")}
    assert numbers(app)["Each lane’s own pre-tokens"][:2] == ["7", "7"]


def test_curves_are_chosen_and_kept(app):
    app.run()
    assert len(app.get("vega_lite_chart")) == 3
    app.multiselect(key="curves").set_value(["fertility", "jaccard"]).run()
    assert not app.exception
    assert len(app.get("vega_lite_chart")) == 2


def test_held_out_text_is_counted_with_its_interval(app):
    app.run()
    choose(app, "compare_lens", "held-out")
    assert "There is no held-out text yet." in told(app)
    app.text_area(key="held_out_text").set_value("This zebra 漢").run()
    rows = numbers(app)
    histories, states = trained(visit_of(app).lanes), visit_of(app).states
    for name, history, t in zip(rows, histories, states, strict=True):
        found = tokviz.analysis.held_out.held_out(history, t, "This zebra 漢")
        assert rows[name][:2] == [
            f"{found.characters_per_token:.3f}",
            f"{found.bytes_per_token:.3f}",
        ]
        assert rows[name][2].startswith(f"{found.fertility.value:.3f} (")
        low, high = (f"{100 * bound:.2f} %" for bound in found.unknown[1:])
        assert rows[name][3].startswith(f"{100 * found.whole_words.value:.2f} % (")
        assert rows[name][4] == f"{100 * found.unknown.value:.2f} % ({low} to {high})"
        assert rows[name][5:] == [str(found.tokens), "3"]
    choose(app, "per_word", "pretokens")
    for name, history, t in zip(numbers(app), histories, states, strict=True):
        found = tokviz.analysis.held_out.held_out(history, t, "This zebra 漢", "pretokens")
        assert numbers(app)[name][6] == str(found.words)


def test_what_each_merge_saves_on_held_out_text(app):
    app.run()
    choose(app, "compare_lens", "held-out")
    app.text_area(key="held_out_text").set_value("This is a token of tokens").run()
    lanes = visit_of(app).lanes
    history = next(h for h in trained(lanes) if h.trainer.default_encoder == "merges")
    found = tokens_saved(history, "This is a token of tokens")
    [table] = [frame.value for frame in app.dataframe if "saved here" in frame.value]
    assert table["saved here"].tolist() == found["saved"].tolist()
    assert table["saved in held-out text"].tolist() == found["saved_held_out"].tolist()
    assert sum(table["saved in held-out text"]) > 0
    assert table["id"].tolist() == found["id"].tolist()


def test_a_tenth_is_held_back_and_all_lanes_are_trained_on_the_rest(app):
    app.run()
    lines = [f"line {i} of a longer text" for i in range(20)]
    app.text_area(key="corpus_text").set_value("\n".join(lines)).run()
    choose(app, "compare_lens", "held-out")
    app.button(key="hold_back").click().run()
    assert app.text_area(key="held_out_text").value == f"{lines[9]}\n{lines[19]}"
    lanes = visit_of(app).lanes
    assert {run.corpus.text for run in lanes} == {"\n".join(lines[:9] + lines[10:19])}
    assert all(run.corpus.title.startswith("Nine tenths of") for run in lanes)
    assert "A tenth of the corpus was held back for this." in told(app)
    assert "hold_back" not in {button.key for button in app.button}


def test_a_text_too_short_to_hold_back_a_tenth_says_so(app):
    run = replace(RUN, corpus=replace(RUN.corpus, text="so few words"), vocab_size=20)
    app.query_params["lane"] = to_links([run, replace(run, vocab_size=15)])
    app.run()
    choose(app, "compare_lens", "held-out")
    app.button(key="hold_back").click().run()
    assert "has no tenth to hold back" in told(app)
    assert visit_of(app).lanes[0] == run


# --- other views ----------------------------------------------------------------------------------


def test_the_grid_has_the_settings_of_the_first_lane_and_languages_open_as_lanes(app, monkeypatch):
    app.run()
    first, *_others = visit_of(app).lanes
    given = []
    with monkeypatch.context() as patch:
        patch.setattr("tokviz.pages.compare.grid_page", lambda run, _open: given.append(run))
        choose(app, "compare_view", "grid")
    assert given == [first]
    choose(app, "compare_view", "languages")
    assert "What the same text costs in each language" in told(app)
    app.button(key="languages_open").click().run()
    assert app.session_state["compare_view"] == "lanes"
    before, after = visit_of(app).lanes
    assert [run.corpus.title.split(":")[0] for run in (before, after)] == ["before", "after"]
    assert "They first part" in told(app)


# --- who pays -------------------------------------------------------------------------------------

TEN = tokviz.SAMPLES["ten-languages"]


def press_who_pays(app):
    app.run()
    box = next(w for w in app.selectbox if w.key == "comparison")
    box.set_value("who-pays").run()
    assert not app.exception
    return app


def recounted_costs(lanes):
    """Language → (tokens, times the cheapest's) in each lane, by the engine alone."""
    found = []
    for history in trained(lanes):
        tokenizer = history.tokenizer()
        tokens = {
            language: sum(len(tokenizer.encode(line)) for line in text.split("\n"))
            for language, text in TEN.held_out.items()
        }
        found.append({name: (n, n / min(tokens.values())) for name, n in tokens.items()})
    return found


def test_one_press_shows_who_pays_in_each_lane(app):
    press_who_pays(app)
    lanes = visit_of(app).lanes
    assert [run.algorithm for run in lanes] == ["bpe", "parity-bpe", "sentencepiece-unigram"]
    assert {(run.corpus.read_as, run.vocab_size) for run in lanes} == {("languages", 1000)}
    costs = recounted_costs(lanes)
    rows = numbers(app)
    for language, cells in {name: rows[f"<bdi>{name}</bdi>"] for name in TEN.held_out}.items():
        said = [cell.split(" ×")[0].split() for cell in cells]
        assert said == [[f"{n:,}", f"{ratio:.2f}"] for n, ratio in (of[language] for of in costs)]
    page = " ".join(told(app).split())
    for lane, of in zip(labels(lanes), costs, strict=True):
        dearest = max(of, key=of.get)
        cheapest = min(of, key=of.get)
        assert (
            f"{lane}: {dearest} pays most, {of[dearest][1]:.2f} times as many tokens as {cheapest} "
            f"({of[dearest][0]:,} and {of[cheapest][0]:,}); all languages together "
            f"{sum(n for n, _ratio in of.values()):,}."
        ) in page
        assert rows[lane][5] == f"{sum(n for n, _ratio in of.values()):,}", "without headers"
    assert "no lane trains on them" in page


def test_the_lanes_of_who_pays_have_no_word_of_a_header(app):
    press_who_pays(app)
    words = [history.words.words for history in trained(visit_of(app).lanes)]
    assert words[0] == words[1]
    for of_lane in words:
        assert not any("=" in word or "English" in word for word in of_lane)


def test_a_link_to_who_pays_shows_the_same(app):
    links = to_links(lanes_for("who-pays", RUN))
    assert sum(map(len, links)) < 900
    app.query_params["lane"] = links
    app.query_params["lens"] = "held-out"
    app.query_params["v"] = "2"
    app.run()
    assert [run.corpus.read_as for run in visit_of(app).lanes] == ["languages"] * 3
    assert "pays most" in told(app)
    assert app.text_area(key="held_out_text").value.startswith("=== English ===\nEveryone charged")


def test_texts_of_ones_own_by_language_are_compared_as_they_are(app):
    own = replace(
        RUN.corpus, title="Mine", text="=== a ===\nlow low\n=== b ===\nαβ αβ", read_as="languages"
    )
    lanes = lanes_for("who-pays", replace(RUN, corpus=own, vocab_size=300))
    assert {run.corpus for run in lanes} == {own}
    visit_of(app).lanes = lanes_for("families", replace(RUN, corpus=own, vocab_size=300))
    app.run()
    choose(app, "compare_lens", "held-out")
    assert "To see who pays, give a held-out text" in told(app)
    app.text_area(key="held_out_text").set_value("=== a ===\nlow\n=== b ===\nαβαβ").run()
    assert re.search(r"BPE:\s+b\s+pays most", told(app))
    app.text_area(key="held_out_text").set_value("low\n=== b ===\nαβαβ").run()
    assert re.search(r"as many tokens as\s+text", told(app))
    # A name is said as it was given, also where it is that of a language.
    app.text_area(key="held_out_text").set_value(f"=== {HOSTILE} ===\nlow\n=== b ===\nα").run()
    assert not app.exception
    assert "<img" not in " ".join(element.proto.body for element in app.get("html"))


def lanes_of(texts):
    """The families on texts by language."""
    text = "\n".join(f"=== {language} ===\n{said}" for language, said in texts.items())
    own = replace(RUN.corpus, title="Mine", text=text, read_as="languages")
    return lanes_for("families", replace(RUN, corpus=own, vocab_size=400))


def test_a_tenth_of_each_language_is_held_back(app):
    two = {name: TEN.corpus[name] for name in ("English", "Greek")}
    visit_of(app).lanes = lanes_of(two)
    app.run()
    choose(app, "compare_lens", "held-out")
    app.button(key="hold_back").click().run()
    assert not app.exception
    held = app.text_area(key="held_out_text").value
    assert held.split("\n") == [
        *("=== English ===", two["English"].split("\n")[9]),
        *("=== Greek ===", two["Greek"].split("\n")[9]),
    ]
    corpus = visit_of(app).lanes[1].corpus
    assert (corpus.title, corpus.read_as) == ("Nine tenths of Mine", "languages")
    assert not {*held.split("\n")} & set(corpus.plain.split("\n"))
    assert "pays most" in told(app)


def test_a_long_text_is_not_parted_anew_with_every_click(app, monkeypatch):
    visit_of(app).lanes = lanes_of(
        {name: f"{TEN.corpus[name]}\n" * 5 for name in ("English", "Greek")}
    )
    app.run()
    parted = []
    with monkeypatch.context() as patch:
        patch.setattr(
            "tokviz.server.runs.by_language",
            lambda text: parted.append(len(text)) or by_language(text),
        )
        choose(app, "compare_lens", "metrics")
    assert "Characters per token" in told(app)
    assert len(visit_of(app).lanes[0].corpus.text) > MOST_READ
    assert all(size <= MOST_READ for size in parted)


def test_no_tenth_is_held_back_where_it_would_not_say_the_same(app):
    press_who_pays(app)
    before = app.text_area(key="held_out_text").value
    app.button(key="hold_back").click().run()
    assert "English has 11 lines, and Thai has 10: what is held back would not say" in told(app)
    assert app.text_area(key="held_out_text").value == before


def test_a_held_out_text_that_was_typed_stays_and_an_emptied_field_is_empty(app):
    typed = "=== a ===\nlow\n=== b ===\nαβ"
    visit_of(app).lanes = lanes_for("families", RUN)
    app.run()
    choose(app, "compare_lens", "held-out")
    app.text_area(key="held_out_text").set_value(typed).run()
    press_who_pays(app)
    assert app.text_area(key="held_out_text").value == typed
    app.text_area(key="held_out_text").set_value("").run()
    assert app.text_area(key="held_out_text").value == ""


def test_more_languages_than_a_chart_can_tell_apart_are_refused(app):
    visit_of(app).lanes = lanes_of({"a": "low low", "b": "αβ αβ"})
    app.run()
    choose(app, "compare_lens", "held-out")
    many = "\n".join(f"=== {n} ===\nlow" for n in range(41))
    app.text_area(key="held_out_text").set_value(many).run()
    assert "These are 41 languages; give at most 40." in told(app)
    assert "pays" not in told(app).replace("who pays", "")


def test_lanes_that_read_headers_as_text_are_told_how_not_to(app):
    text = "=== a ===\nlow lower\n=== b ===\nαβ αβγ"
    own = replace(RUN, corpus=replace(RUN.corpus, title="Mine", text=text), vocab_size=60)
    parity = replace(own, algorithm="parity-bpe")
    visit_of(app).lanes = (own, parity)
    app.run()
    assert "other lanes train on them" in told(app)
    visit_of(app).lanes = (own, replace(own, vocab_size=50))
    app.run()
    assert "other lanes train on them" not in told(app)
