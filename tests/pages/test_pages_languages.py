"""The tab Languages, without a browser: what is trained, said and refused."""

from dataclasses import replace

import pandas as pd
import pytest
from app_test import html
from helpers import PATIENCE
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.analysis.language_costs import compared, declarations, language_costs, mixed
from tokviz.basics.messages import using
from tokviz.pages.comparison.language_chart import language_chart
from tokviz.pages.comparison.language_setup import make_trial
from tokviz.pages.comparison.language_texts import MOST_LANGUAGES, read_texts
from tokviz.pages.comparison.languages import finding, unknown_said
from tokviz.server.jobs import Stopped, history_of
from tokviz.server.limits import LIMITS

NAMES = list(declarations())
ALIKE = dict.fromkeys(NAMES, 1)
HOSTILE = "<img src=x onerror=alert(1)> *b* مرحبا \u202e\x00"


def script():
    import streamlit as st

    from tokviz.pages.comparison.languages import languages

    languages(lambda runs: st.session_state.__setitem__("opened", runs))


def chinese_script():
    from test_pages_languages import script

    from tokviz.basics.messages import using

    with using("zh_CN"):
        script()


@pytest.fixture
def app():
    return AppTest.from_function(script, default_timeout=PATIENCE).run()


def train(app):
    app.button(key="languages_train").click().run()
    assert not app.exception


def refused(app):
    alerts = [
        element.proto.body for element in app.get("html") if 'role="alert"' in element.proto.body
    ]
    return "\n".join(alerts)


def result(app):
    return app.dataframe[-1].value


def recounted(parts, texts, algorithm="bpe", size=350, **settings):
    """Tokens of every language, by the engine alone."""
    history = tokviz.train("\n".join(mixed(texts, parts)), algorithm, size, **settings)
    table = language_costs(history.tokenizer(), texts)
    return dict(zip(table["language"], table["tokens"], strict=True))


BYTES = {"unit": "byte", "initial_alphabet": ("bytes",)}


def assert_result(app, before, after):
    table = result(app)
    assert dict(zip(table["language"], table["tokens_before"], strict=True)) == before
    assert dict(zip(table["language"], table["tokens_after"], strict=True)) == after


def edit(app, **cells):
    """Writes into the table of the mix: language=(before, after)."""
    rows = {
        NAMES.index(name): dict(zip(("before", "after"), parts, strict=True))
        for name, parts in cells.items()
    }
    key = f"languages_mix_{app.session_state['languages_mixes']}"
    app.session_state[key] = {"edited_rows": rows, "added_rows": [], "deleted_rows": []}
    return app.run()


def give(app, *files):
    app.segmented_control(key="languages_source").set_value("files").run()
    app.file_uploader(key="languages_files").set_value(
        [(name, content, "text/plain") for name, content in files]
    ).run()
    assert not app.exception


def test_the_tab_opens_with_a_trained_result(app):
    assert not app.exception
    assert not refused(app)
    texts = declarations()
    before, after = recounted({"English": 1}, texts, **BYTES), recounted(ALIKE, texts, **BYTES)
    assert (before["Hindi"], before["English"], after["Hindi"]) == (497, 38, 235)
    assert_result(app, before, after)
    table = result(app)
    assert table["tokens_before"].tolist() == sorted(before.values(), reverse=True)
    assert table["ratio_before"].tolist()[0] == 497 / 38
    said = html(app)
    assert "<bdi>Hindi</bdi> costs 13.08 times</strong> as many tokens as" in said
    assert "<bdi>English</bdi>, the cheapest (497 and 38);" in said
    assert "2.47 times</strong> as many as <bdi>Swahili</bdi>, the cheapest then (235 and" in said
    assert "<bdi>English</bdi> itself goes from 38 to 122." in said
    assert "unknown tokens" not in said
    assert "Possible sizes: 256 to at most 380 before, 256 to at most 3,153 after." in said
    assert "not trained yet" not in said


def test_a_changed_mix_trains_only_when_asked_and_changes_the_numbers(app):
    texts, old = declarations(), result(app)
    edit(app, Thai=(0, 5), French=(2, 1))
    assert result(app).equals(old)
    assert "Changed, and not trained yet." in html(app)
    train(app)
    assert "not trained yet" not in html(app)
    before = recounted({"English": 1, "French": 2}, texts, **BYTES)
    after = recounted(ALIKE | {"Thai": 5}, texts, **BYTES)
    assert after["Thai"] == 132
    assert_result(app, before, after)
    assert "<dt>Before</dt><dd><bdi>mixed</bdi>" in html(app)


def test_another_mix_to_begin_with_forgets_what_was_edited(app):
    edit(app, Thai=(9, 9))
    app.selectbox(key="languages_start").select_index(1).run()
    train(app)
    before = recounted(ALIKE | {"English": 9}, declarations(), **BYTES)
    assert_result(app, before, recounted(ALIKE, declarations(), **BYTES))
    app.selectbox(key="languages_start").select_index(2).run()
    train(app)
    after = recounted(ALIKE | {"Korean": 5}, declarations(), **BYTES)
    assert_result(app, recounted(ALIKE, declarations(), **BYTES), after)


def test_what_was_edited_is_there_again_when_the_table_is(app):
    edit(app, Thai=(2, 3))
    key = f"languages_mix_{app.session_state['languages_mixes']}"
    del app.session_state[key]
    app.run()
    table = app.data_editor[0].value.set_index("language")
    assert table.loc["Thai"].tolist() == [2, 3]
    assert table.loc["English"].tolist() == [1, 1]


def test_a_mix_of_nothing_is_refused_and_the_result_stays(app):
    old = result(app)
    edit(app, English=(0, 1))
    assert "No language has a part in the corpus" in html(app)
    train(app)
    assert "No language has a part in the corpus; give at least one" in refused(app)
    assert result(app).equals(old)
    edit(app, English=(None, 1), Thai=(10**9, -1))
    train(app)
    assert not refused(app), "a cell that is empty is no part"
    assert_result(
        app,
        recounted({"Thai": 9}, declarations(), **BYTES),
        recounted(ALIKE | {"Thai": 0}, declarations(), **BYTES),
    )


def test_a_size_that_cannot_be_is_a_sentence(app):
    old = result(app)
    app.number_input(key="languages_size").set_value(255).run()
    train(app)
    assert refused(app).endswith(
        "Before: A vocabulary size of 255 is too small: it must hold the alphabet (256 "
        "characters), so "
        "ask for at least 256.</div>"
    )
    assert result(app).equals(old)
    app.number_input(key="languages_size").set_value(300).run()
    train(app)
    assert not refused(app)
    texts = declarations()
    assert_result(
        app,
        recounted({"English": 1}, texts, size=300, **BYTES),
        recounted(ALIKE, texts, size=300, **BYTES),
    )


def test_a_training_that_ends_early_is_told(app):
    app.number_input(key="languages_size").set_value(600).run()
    train(app)
    assert "<dt>Vocabulary</dt><dd><bdi>356 before, 600 after</bdi>" in html(app)
    assert "Before: No pair is left: every word is one token." in html(app)


@pytest.mark.parametrize(
    ("algorithm", "told"),
    [
        ("bpe", "<bdi>Greek</bdi> 166 of 194"),
        ("unigram", "<bdi>Greek</bdi> 166 of 195"),
        # Where the cheapest language is only unknown tokens, it is the one that is named.
        ("wordpiece", "<bdi>Thai</bdi> 3 of 3"),
        ("sentencepiece-bpe", "<bdi>Chinese</bdi> 1 of 2"),
        ("sentencepiece-unigram", "<bdi>Chinese</bdi> 1 of 2"),
    ],
)
def test_every_algorithm_has_a_size_and_tells_unknown_tokens(app, algorithm, told):
    app.selectbox(key="languages_algorithm").set_value(algorithm).run()
    if algorithm == "bpe":
        app.selectbox(key="languages_unit").set_value("char").run()
    assert [box.key for box in app.selectbox].count("languages_unit") == (algorithm == "bpe")
    train(app)
    assert not refused(app)
    texts, size = declarations(), app.session_state["languages_size"]
    before = recounted({"English": 1}, texts, algorithm, size)
    assert_result(app, before, recounted(ALIKE, texts, algorithm, size))
    assert f"Before, 15 languages have unknown tokens: {told}. An unknown token may hide" in html(
        app
    )
    assert "looks cheaper than it is" in html(app)


def test_files_are_texts_and_their_names_are_languages(app):
    texts = {"One": "low lower low", "Two": "ニワニワ\nトリ", HOSTILE.strip("\0"): "a<b>c</b>"}
    give(app, *((f"{name}.txt", text.encode()) for name, text in texts.items()))
    train(app)
    assert not refused(app)
    name = HOSTILE.strip("\0").replace("\u202e", "⟨U+202E⟩")
    texts = {"One": texts["One"], "Two": texts["Two"], name: "a<b>c</b>"}
    before = recounted({"One": 1}, texts, **BYTES)
    assert_result(app, before, recounted(dict.fromkeys(texts, 1), texts, **BYTES))
    assert "<img" not in html(app)
    assert "&lt;img src=x onerror=alert(1)&gt; *b*" in html(app)
    app.button(key="languages_open").click().run()
    assert [run.corpus.title for run in app.session_state["opened"]] == [
        "before: only One",
        "after: all equally",
    ]


def test_names_of_files_are_never_translated():
    with using("zh_CN"):
        app = AppTest.from_function(chinese_script, default_timeout=PATIENCE).run()
        assert {"德语", "英语"} < {*result(app)["language"]}
        give(app, ("German.txt", b"Alle Menschen"), ("English.txt", b"All human beings"))
        train(app)
        assert {*result(app)["language"]} == {"German", "English"}
        mixed_table = app.data_editor[0].value["language"].tolist()
        assert mixed_table == ["German", "English"]
        assert "<bdi>German</bdi>" in html(app)
        assert "只有 German" in html(app)
        for said in (html(app), *app.selectbox(key="languages_start").options):
            assert "德语" not in said
            assert "英语" not in said


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([("a.txt", b"ok"), ("b.txt", b"\xff\xfe")], "b.txt is not UTF-8 (byte 0); save it as"),
        ([("a.txt", b"ok"), ("<b>.txt", b" \n")], "&lt;b&gt;.txt is empty; give a text in every"),
        ([("a.txt", b"ok"), ("a.TXT", b"ok")], "Two files are called a.TXT; give one for each"),
    ],
)
def test_files_that_cannot_be_read(app, files, said):
    old = result(app)
    give(app, *files)
    assert said in refused(app)
    train(app)
    assert "Add files in at least two languages: one text and its translations." in refused(app)
    assert result(app).equals(old)


def test_one_file_is_nothing_to_compare(app):
    give(app, ("a.txt", b"ok"))
    assert "Add files in at least two languages: one text and its translations." in html(app)
    give(app)
    assert not app.exception


def test_limits_of_files():
    with pytest.raises(ValueError, match="These are 41 files; give at most 40"):
        read_texts([(f"{i}.txt", b"a") for i in range(MOST_LANGUAGES + 1)])
    with pytest.raises(ValueError, match="have 1,000,001 characters; give at most 1,000,000"):
        read_texts([("a.txt", b"a" * LIMITS.corpus.language_characters), ("b.txt", b"b")])
    # A name that is only an ending, a mark of the byte order, and what no screen can show.
    texts = read_texts([(".txt", "\ufeffa".encode()), ("b\x00.txt", b"b")])
    assert texts == {".txt": "a", "b⟨U+0000⟩": "b"}


def test_a_text_without_tokens_is_refused(app):
    app.selectbox(key="languages_algorithm").set_value("sentencepiece-bpe").run()
    give(app, ("a.txt", b"low lower"), ("b.txt", "\u200b".encode()))
    train(app)
    assert "The text in b has no tokens; give one that has words." in refused(app)


def test_what_was_cancelled_is_a_sentence_and_the_next_training_is_another(app, monkeypatch):
    old = result(app)

    def cancelled(run):
        if run.vocab_size == 301:
            raise tokviz.Cancelled("Training was cancelled.")
        return history_of(run)

    monkeypatch.setattr("tokviz.pages.visit.unfinished.history_of", cancelled)
    app.number_input(key="languages_size").set_value(301).run()
    train(app)
    assert "Before: Training was cancelled." in refused(app)
    assert result(app).equals(old)
    app.run()
    assert "languages_wanted" not in app.session_state


def test_what_was_stopped_is_shown_as_far_as_it_went(app, monkeypatch):
    def stopped(run):
        if run.vocab_size == 302:
            shorter = replace(run, vocab_size=290)
            raise Stopped(shorter, history_of(shorter))
        return history_of(run)

    monkeypatch.setattr("tokviz.pages.visit.unfinished.history_of", stopped)
    app.number_input(key="languages_size").set_value(302).run()
    train(app)
    assert not refused(app)
    assert_result(
        app,
        recounted({"English": 1}, declarations(), size=290, **BYTES),
        recounted(ALIKE, declarations(), size=290, **BYTES),
    )


def test_one_that_was_stopped_is_not_trained_again_by_a_click_while_the_other_is(app, monkeypatch):
    """Stopped twice, both are there; nobody changed anything since they were asked for."""
    asked = []

    def stopped(run):
        if run.vocab_size != 303:
            return history_of(run)
        asked.append(run.corpus.title.split(":")[0])
        if asked == ["before", "after"]:
            raise RerunException(RerunData())
        shorter = replace(run, vocab_size=290)
        raise Stopped(shorter, history_of(shorter))

    monkeypatch.setattr("tokviz.pages.visit.unfinished.history_of", stopped)
    app.number_input(key="languages_size").set_value(303).run()
    train(app)
    assert asked == ["before", "after", "after"]
    assert not refused(app)
    assert "not trained yet" not in html(app)
    assert "<dt>Vocabulary</dt><dd><bdi>290</bdi>" in html(app)
    app.number_input(key="languages_size").set_value(304).run()
    assert "Changed, and not trained yet." in html(app)
    app.number_input(key="languages_size").set_value(303).run()
    assert "not trained yet" not in html(app)
    # Asked for once more they are trained once more.
    asked[2:] = []
    train(app)
    assert asked == ["before", "after", "before", "after"]


def test_a_first_result_is_not_trained_again_by_a_click_either(monkeypatch):
    asked = []

    def stopped(run):
        shorter = replace(run, vocab_size=290)
        if run.vocab_size != shorter.vocab_size:
            asked.append(run.corpus.title.split(":")[0])
            if len(asked) == 2:
                raise RerunException(RerunData())
            raise Stopped(shorter, history_of(shorter))
        return history_of(run)

    monkeypatch.setattr("tokviz.pages.visit.unfinished.history_of", stopped)
    app = AppTest.from_function(script, default_timeout=PATIENCE).run()
    assert asked == ["before", "after", "after"]
    app.run()
    assert asked == ["before", "after", "after"]
    assert "not trained yet" not in html(app)


def test_one_whose_time_was_over_is_shown_with_a_sentence(app, monkeypatch):
    def late(run):
        if run.vocab_size != 305:
            return history_of(run)
        shorter = replace(run, vocab_size=290)
        raise Stopped(shorter, history_of(shorter), "It took too long.")

    monkeypatch.setattr("tokviz.pages.visit.unfinished.history_of", late)
    app.number_input(key="languages_size").set_value(305).run()
    train(app)
    assert refused(app).count("It took too long.") == 1
    assert "<dt>Vocabulary</dt><dd><bdi>290</bdi>" in html(app)
    app.run()
    assert "It took too long." in refused(app)


def test_a_result_that_is_lost_and_cancelled_then_is_not_trained_by_every_click(app, monkeypatch):
    asked = []

    def cancelled(run):
        asked.append(run)
        raise tokviz.Cancelled("Training was cancelled.")

    monkeypatch.setattr("tokviz.pages.visit.unfinished.history_of", cancelled)
    app.run()
    app.run()
    assert "Before: Training was cancelled." in refused(app)
    assert len(asked) == 1


def test_too_little_memory_is_a_sentence(app, monkeypatch):
    def full(_run):
        raise MemoryError

    monkeypatch.setattr("tokviz.pages.visit.unfinished.history_of", full)
    train(app)
    assert "The texts are too large for this computer; shorten them." in refused(app)


def test_too_little_memory_to_count_is_a_sentence_in_the_form(app, monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr("tokviz.server.before_training.compute_once", full)
    app.number_input(key="languages_size").set_value(301).run()
    assert not app.exception
    assert "The corpus is too large for this computer; train on a shorter text." in html(app)


def costs(*trainings, unknown=0):
    """A comparison of languages A, B, … with so many tokens before and after."""
    return compared(
        *(
            pd.DataFrame(
                {
                    "language": list("ABCDE")[: len(tokens)],
                    "characters": 1,
                    "bytes": 1,
                    "tokens": tokens,
                    "unknown": unknown,
                    "ratio": [n / min(tokens) for n in tokens],
                    "cheapest": [n == min(tokens) for n in tokens],
                }
            )
            for tokens in trainings
        )
    )


def plain(said):
    for tag in ("<bdi>", "</bdi>", "<strong>", "</strong>"):
        said = said.replace(tag, "")
    return said


def test_the_finding_in_words():
    assert plain(finding(costs([2, 2, 6], [2, 3, 1]))) == (
        "Before, C costs 3.00 times as many tokens as A, one of the cheapest (6 and 2); "
        "after, C is then the cheapest itself, with 1."
    )
    assert plain(finding(costs([4, 4], [5, 5]))) == (
        "Before, all languages cost the same, 4 tokens; after, all cost the same, 5."
    )
    assert plain(finding(costs([2, 3, 6], [2, 3, 2]))) == (
        "Before, C costs 3.00 times as many tokens as A, the cheapest (6 and 2); "
        "after, C is then one of the cheapest itself, with 2."
    )
    assert plain(finding(costs([4, 4], [6, 5]))) == (
        "Before, all languages cost the same, 4 tokens; "
        "after, A costs 1.20 times as many as B, the cheapest then (6 and 5)."
    )
    assert plain(finding(costs([2, 5], [2, 4]))) == (
        "Before, B costs 2.50 times as many tokens as A, the cheapest (5 and 2); "
        "after, 2.00 times as many as A, the cheapest then (4 and 2)."
    )


def test_unknown_tokens_in_words():
    assert unknown_said(costs([2, 5], [2, 4])) == []
    before, after = unknown_said(costs([2, 5], [2, 4], unknown=[0, 3]))
    assert plain(before).startswith("Before, 1 language has unknown tokens: B 3 of 5.")
    assert plain(after).startswith("After, 1 language has unknown tokens: B 3 of 4.")


def test_the_chart_has_every_language_in_the_order_of_the_table():
    table = costs([2, 2, 6], [2, 3, 1])
    spec = language_chart(table).to_dict()
    line, marks = spec["layer"]
    assert marks["encoding"]["y"]["sort"] == ["C", "A", "B"]
    assert marks["encoding"]["x"]["scale"]["domain"] == [1, 3]
    rows = spec["datasets"][spec["data"]["name"]]
    assert [(row["language"], row["training"], row["ratio"]) for row in rows] == [
        ("C", "before", 3.0),
        ("A", "before", 1.0),
        ("B", "before", 1.0),
        ("C", "after", 1.0),
        ("A", "after", 2.0),
        ("B", "after", 3.0),
    ]
    ends = (line["encoding"][end] for end in ("x", "x2"))
    assert [(end["aggregate"], end["field"]) for end in ends] == [
        ("min", "ratio"),
        ("max", "ratio"),
    ]


def test_parity_aware_bpe_repairs_what_plain_bpe_does(app):
    """On the same mix; it alone is told which lines are of which language."""
    app.selectbox(key="languages_start").set_value(3).run()
    app.selectbox(key="languages_then").set_value("parity-bpe").run()
    app.number_input(key="languages_size").set_value(900).run()
    train(app)
    assert not refused(app)
    texts = declarations()
    parity = tokviz.train(texts, "parity-bpe", 900, **BYTES)
    costs = language_costs(parity.tokenizer(), texts)
    after = dict(zip(costs["language"], costs["tokens"], strict=True))
    before = recounted(ALIKE, texts, size=900, **BYTES)
    assert_result(app, before, after)
    dearest = max(before, key=before.get)
    assert max(after.values()) / min(after.values()) < max(before.values()) / min(before.values())
    assert after[dearest] < before[dearest]
    said = html(app)
    assert "Algorithm after" in said
    assert "all equally, Parity-aware BPE" in said
    app.button(key="languages_open").click().run()
    runs = app.session_state["opened"]
    assert [run.algorithm for run in runs] == ["bpe", "parity-bpe"]
    assert runs[1].corpus.text.startswith("=== English ===\n")


def test_a_trial_has_what_the_algorithm_is_usually_used_with():
    texts = {"A": "low", "B": "new"}
    trial = make_trial("", texts, ({"A": 1}, {"A": 1, "B": 2}), "unigram", "byte", 400)
    assert trial.before.pretokenizer == "metaspace"
    assert trial.before.settings == ()
    many = make_trial("", texts, ({"A": 1}, {"A": 1, "B": 2}), "unigram", "byte", 100_000)
    assert many.after.settings == (("seed_size", 200_000),), "as many as the page takes"
    assert (trial.before.corpus.title, trial.after.corpus.title) == (
        "before: only A",
        "after: mixed",
    )
    assert make_trial("", texts, ({"A": 1}, {"B": 1}), "wordpiece").before.settings == ()
    with pytest.raises(ValueError, match="give texts in at least two languages"):
        make_trial("", {"A": "low"}, ({"A": 1}, {"A": 1}))
