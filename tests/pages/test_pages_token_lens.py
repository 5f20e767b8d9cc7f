"""What the lens "A token" says, recounted from the segmentations, and its wiring."""

import html
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from contract_runs import TRAINERS, train
from effort import each, some
from helpers import ROOT, anything
from hypothesis import given, settings
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.encoding.bytes_view import UTF8_LENGTHS, text_characters, token_characters
from tokviz.pages.lenses.byte_table import byte_table, length_table
from tokviz.pages.lenses.token_facts import (
    State,
    facts,
    find,
    paid,
    present_token,
    profile_of,
    scaffolding_said,
)
from tokviz.pages.visit.link import to_link
from tokviz.player.chips import MOST_SHOWN, chip, drawn, shown
from tokviz.server.runs import Corpus, Run, run_of_sample
from tokviz.text.symbols import Spelling, Symbol
from tokviz.trainers import SettingError

APP = str(ROOT / "app.py")
COURSE = tokviz.SAMPLES["course"]
HOSTILE = "<img src=x onerror=alert(1)>"


def plain(markup):
    """The text of some HTML; fails if any of it is not escaped."""
    bare = re.sub(
        r"</?(span|b|u|bdi|table|thead|tbody|tr|th|td)( [a-z-]+=\"[^\"<>]*\")*>", "", markup
    )
    assert "<" not in bare, bare
    return html.unescape(bare)


def said(history, token, t):
    """The facts about a token by their names."""
    return told(
        State(history, t), State(history, history.life(token).born), profile_of(history, token)
    )


def told(here, home, profile):
    return {fact.name: plain(fact.value) for fact in facts(here, home, profile)}


# --- numbers, recounted ---------------------------------------------------------------------------


def spans_of(present):
    """In which states a token is there, in words."""
    spans, first = [], None
    for t, is_there in enumerate([*present, False]):
        if is_there and first is None:
            first = t
        elif not is_there and first is not None:
            until = f"until step {t} takes it out" if t < len(present) else "to the end"
            spans.append(f"from step {first} {until}")
            first = None
    return spans


def check(history):
    last = len(history)
    words = dict(zip(history.words.words, history.words.counts, strict=True))
    cut = [{word: history.segmentation(word, t) for word in words} for t in range(last + 1)]
    vocabularies = [history.vocab(t) for t in range(last + 1)]
    states = {t: State(history, t) for t in (0, last // 2, last)}
    made = {}
    for step in history.steps:
        if step.action == "merge":
            made.setdefault(step.token, []).append(step)
    for token in each(sorted(set().union(*vocabularies)), 2):
        counts = [
            sum(words[word] * tokens.count(token) for word, tokens in state.items())
            for state in cut
        ]
        present = [token in vocabulary for vocabulary in vocabularies]
        profile = profile_of(history, token)
        for t in (0, last // 2, last):
            home = next((s for s in states.values() if present[s.t]), None)
            facts_now = told(states[t], home or State(history, present.index(True)), profile)
            assert facts_now["count now"] == f"{counts[t]:,}"
            place = f"{vocabularies[t].index(token):,}" if present[t] else None
            assert facts_now["id now"] == (place or "not in this state’s vocabulary")
        assert [step.index for step in profile.makings] == [s.index for s in made.get(token, ())]
        if profile.makings:
            step = profile.makings[-1]
            pairs = sum(
                words[word] * list(pairwise(tokens)).count((step.left, step.right))
                for word, tokens in cut[step.index].items()
            )
            if history.algorithm == "boundless-bpe":
                # It counts what it would merge: within words or across them, without overlaps.
                pairs = counts[step.index + 1]
            if token not in history.special_tokens:
                assert facts_now["pair’s count"].split(",")[0] == f"{pairs}"
                assert counts[step.index + 1] == step.times
                assert facts_now["made by"].startswith(f"step {step.index + 1} from ")
                assert facts_now["in the vocabulary"] == ", again ".join(spans_of(present))
        idle = [t for t in range(last + 1) if present[t] and not any(counts[t:])]
        wanted = {"made": present.index(True)}
        wanted |= {"out of use": idle[0]} if idle else {}
        ends = [t for t in range(last + 1) if not any(present[t:])]
        wanted |= {"gone": ends[0]} if ends else {}
        assert profile.events == wanted
        if not any(counts):
            assert facts_now["in use"] == "never"
        elif idle:
            assert facts_now["in use"] == f"out of use from step {idle[0]} on"
        else:
            assert facts_now["in use"] == ("as long as it is there" if ends else "to the end")
        assert profile.peak == (max(counts), counts.index(max(counts)))
        if any(counts):
            first = next(t for t in range(last + 1) if counts[t])
            together = (profile.life.words["count"] * profile.life.words.times).sum()
            assert together == counts[first]
            assert f"it: {together:,} in all" in paid(profile)
    for t, state in states.items():
        unused = set(vocabularies[t]) - {token for tokens in cut[t].values() for token in tokens}
        sentence, usual, special = scaffolding_said(state)
        assert {*usual, *special} == unused
        assert set(special) == unused & set(history.special_tokens)
        if unused:
            size = len(vocabularies[t])
            share = f"{100 * len(unused) / size:.1f} %"
            assert f"{len(unused):,} of {size:,} tokens ({share})" in plain(sentence)


@pytest.mark.parametrize("key", TRAINERS)
def test_the_numbers_are_those_of_the_segmentations(key):
    extra = 3 if key == "sentencepiece unigram" else 30
    check(train(key, COURSE.corpus + "\naaaa 日本 naïve", extra, special_tokens=("<s>x",)))


@settings(max_examples=some(15))
@given(
    st.sampled_from(sorted(TRAINERS)),
    st.text("abé日 #Ġ▁", max_size=24),
    st.sampled_from([0, 2, 30]),
)
def test_the_numbers_of_any_text(key, text, extra):
    try:
        history = train(key, text, extra, special_tokens=("ab",))
    except SettingError:
        return
    check(history)


def test_overlapping_pairs_are_told_from_what_was_joined():
    history = tokviz.train({"aaa": 5, "b": 1}, "bpe", vocab_size=3)
    assert said(history, "aa", 1)["pair’s count"] == "10, joined 5 times where they overlap"


def test_a_special_token_that_a_merge_makes_again():
    history = tokviz.train({"hugs": 3}, "bpe", vocab_size=8, special_tokens=("hu",))
    made = said(history, "hu", len(history))
    assert made["made by"].endswith("a token with this text was there before")
    assert made["in the vocabulary"] == "from the start to the end"


def test_what_unigram_takes_out_says_so():
    history = tokviz.train(COURSE.corpus, "unigram", 100)
    gone = next(iter(history.steps[0].removed))
    assert said(history, gone, 1)["in the vocabulary"] == "from the start until step 1 takes it out"
    assert said(history, gone, 1)["made by"] == "a seed, there from the start"


# --- which token ----------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
def test_the_token_of_a_step(algorithm):
    history = tokviz.train(COURSE.corpus, algorithm, 100 if "unigram" in algorithm else 60)
    for t in range(len(history) + 1):
        token = present_token(history, t)
        history.present(token)
        step = history.steps[max(0, t - 1)]
        nearest = [history.steps[s] for s in (t, t - 1) if 0 <= s < len(history)]
        if step.action == "merge":
            assert token == step.token
        elif gone := next(filter(None, (getattr(s, "removed", ()) for s in nearest)), ()):
            assert token == gone[-1]
        else:
            assert token == history.candidates(t, 1).token[0]


def test_a_run_without_steps_or_tokens():
    history = tokviz.train({"a": 1}, "bpe", vocab_size=1)
    assert present_token(history, 0) == "a"
    assert present_token(tokviz.train("", "bpe", vocab_size=1, counted=anything), 0) is None


@pytest.mark.parametrize(
    ("algorithm", "typed", "token"),
    [
        ("bpe", "Ġt", "Ġt"),
        ("bpe", " t", "Ġt"),
        ("bpe", "é", "Ã©"),
        ("bpe", "<s>", "<s>"),
        ("wordpiece", "##h", "##h"),
        ("wordpiece", "é", "##é"),
        ("unigram", " the", "▁the"),
        ("unigram", "▁the", "▁the"),
    ],
)
def test_what_people_type_is_understood(algorithm, typed, token):
    settings = {"unit": "byte"} if algorithm == "bpe" else {}
    text = "the tea at ten, the thé at té café "
    history = tokviz.train(text * 3, algorithm, 40, special_tokens=("<s>",), **settings)
    assert find(history, typed) == (token, [])


def test_what_several_tokens_spell_offers_them():
    markers = {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>"}
    history = tokviz.train({"agg": 3}, "bpe", vocab_size=3, suffix_glued=True, **markers)
    assert find(history, "g") == (None, ["##g", "##g</w>"])
    assert find(history, HOSTILE) == (None, [])
    control = tokviz.train({"a\0": 3}, "bpe", vocab_size=3)
    assert find(control, "a⟨U+0000⟩") == ("a\0", [])


def test_a_token_that_was_taken_back_is_found_by_its_text():
    history = tokviz.train(
        " hugs hugs hugs hugs hug", "picky-bpe", 7, "gpt2", unit="byte", threshold=0.7
    )
    gone = "Ġhu"
    assert gone not in {*history.vocab(0), *history.vocab(len(history))}
    assert find(history, " hu") == (gone, [])
    assert gone in find(history, "hu")[1]


@pytest.mark.parametrize(
    ("algorithm", "settings", "why", "some_are_left"),
    [
        ("bpe", {}, "Merging keeps tokens", True),
        ("picky-bpe", {"threshold": 0.7}, "PickyBPE takes back tokens", False),
        ("picky-bpe", {"threshold": 1.0}, "Merging keeps tokens", True),
    ],
)
def test_why_tokens_are_in_no_word(algorithm, settings, why, some_are_left):
    history = tokviz.train(COURSE.corpus, algorithm, 50, **settings)
    sentence, unused, _ = scaffolding_said(State(history, len(history)))
    assert why in sentence
    assert any(len(token) > 1 for token in unused) == some_are_left


# --- chips and bytes ------------------------------------------------------------------------------


@given(st.text(st.sampled_from("<>&\"'Ġ▁#\x00\ud800\u202e\u200dé日\u0301א ") | st.characters()))
def test_chips_hold_text_and_nothing_else(text):
    for unit in ("char", "byte"):
        spelling = Spelling(unit=unit, continuing_subword_prefix="##", space_mark="▁")
        symbol = Symbol(spelling.whole(text).text, continuing=True)
        made = chip(spelling, spelling.show(symbol), symbol, 3)
        made.encode("utf-8")
        assert not re.search(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e]", plain(made))
        if unit == "char" and len(text) <= MOST_SHOWN and text.isascii() and text.isprintable():
            assert plain(made) == "##" + text.replace("##", "##").replace(" ", "▁")
    plain(chip(Spelling(), text, None, 0)).encode("utf-8")
    assert plain(shown(text)).replace("␣", " ").removeprefix("◌") in drawn("x" + text)


@pytest.mark.parametrize(
    "text",
    [HOSTILE, "é", "日", "👩‍🚀", "\u0301", "\x00\x7f", "\u202e", "\ud800", "א", " ", "\U000e0041"],
)
def test_every_character_is_drawn_with_its_bytes(text):
    table = byte_table(text_characters(text))
    read = plain(table)
    for view in text_characters(text):
        assert view.code_point in read
        assert view.name in read
        for byte in view.bytes:
            row = f"{byte.value:02X}{byte.leading}{byte.payload}{byte.meaning}{byte.shown} "
            assert row + byte.shown_why in read
            assert f"<u>{byte.leading}</u>{byte.payload}" in table
    table.encode("utf-8")


def test_the_space_of_a_byte_level_token_says_why_it_is_shown_so():
    history = tokviz.train("a tea at ten", "bpe", 9, "gpt2", unit="byte")
    state = State(history, len(history))
    read = plain(byte_table(token_characters(state.tokenizer, state.ids["Ġt"])))
    assert "U+0020 SPACE" in read
    assert "Ġ not printable, so shown as U+0120 (256 + 32)" in read


def test_a_part_of_a_character_says_what_it_lacks():
    history = tokviz.train("日本 日 日", "bpe", 8, unit="byte")
    state = State(history, 0)
    read = plain(byte_table(token_characters(state.tokenizer, state.ids["æ"])))
    assert "partbroken U+6000 to U+6FFF (the start of a character" in read
    assert "a start without its continuations" in read


def test_the_lengths_are_those_of_the_standard():
    read = re.sub("<[^>]*>", " ", length_table())
    for length in UTF8_LENGTHS:
        assert f"U+{length.first:04X}–U+{length.last:04X}" in read
        assert length.pattern.replace(" ", "") in re.sub(r"\s", "", read)


# --- wiring ---------------------------------------------------------------------------------------


def opened(run=None, step=None):
    app = AppTest.from_file(APP, default_timeout=30)
    if run is not None:
        app.query_params["lane"] = to_link(run)
    if step is not None:
        app.query_params["step"] = str(step)
    app.run()
    app.segmented_control(key="lens").set_value("token").run()
    assert not app.exception
    return app


def page(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def test_the_lens_follows_the_step_until_a_token_is_typed():
    history = tokviz.train(COURSE.corpus, "bpe", 50, "gpt2", unit="byte")
    for t in (0, 5, 20):
        app = opened(run_of_sample(COURSE), t)
        assert f'data-token="{history.steps[max(0, t - 1)].token}"' in page(app)
    app.text_input(key="lens_token").set_value(" t").run()
    assert "<h3>Token <span" in page(app)
    assert 'data-token="Ġt"' in page(app)
    assert app.dataframe[0].value["together"].sum() == history.life("Ġt").counts.max()


def test_what_is_no_token_leaves_a_sentence_and_the_rest():
    app = opened()
    for typed in ("Ġ**", "![x](y)", "{{7*7}}", "\u202e", "a" * 3000, HOSTILE):
        app.text_input(key="lens_token").set_value(typed).run()
        app.text_input(key="lens_characters").set_value(typed[:20]).run()
        assert not app.exception
        assert "is in no vocabulary of this run" in page(app)
        assert f"U+{ord(typed[0]):04X}" in page(app)
    app.text_input(key="lens_characters").set_value("").run()
    assert HOSTILE not in page(app)
    assert html.escape(HOSTILE).replace(" ", '<span class="m">␣</span>') in page(app)
    assert "<h3>Scaffolding</h3>" in page(app)


def test_what_was_typed_is_there_again():
    app = opened()
    app.text_input(key="lens_token").set_value("Ġtoken").run()
    app.text_input(key="lens_characters").set_value("é").run()
    app.segmented_control(key="lens").set_value("steps").run()
    app.segmented_control(key="lens").set_value("token").run()
    assert app.text_input(key="lens_token").value == "Ġtoken"
    assert "LATIN SMALL LETTER E WITH ACUTE" in page(app)


def test_another_part_of_the_page_may_choose_the_token():
    app = AppTest.from_file(APP, default_timeout=30).run()
    app.session_state["lens_token"] = "Ġtok"
    app.segmented_control(key="lens").set_value("token").run()
    assert "out of use from step 12 on" in page(app)
    app.session_state["lens_token"] = "T"
    app.run()
    assert not app.exception
    assert app.text_input(key="lens_token").value == "T"
    colour = tokviz.train(COURSE.corpus, **COURSE.settings).colour("T")
    assert f'<h3>Token <span class="chip h{colour}" data-token="T">' in page(app)


@pytest.mark.parametrize("algorithm", tokviz.TRAINERS)
def test_every_algorithm_has_the_lens_in_every_state(algorithm):
    text = f"{COURSE.corpus}\n{HOSTILE} é日本 مرحبا 👩‍🚀 e\u0301 \u202e"
    size = 160 if "unigram" in algorithm else 90
    kind = tokviz.TRAINERS[algorithm]
    run = Run(Corpus("Mine", text), algorithm, size, kind.default_pretokenizer)
    last = len(tokviz.train(text, algorithm, size))
    for step in (0, 1, last):
        assert "<h3>Token " in page(opened(run, step))


def test_the_lens_shows_the_lane_that_was_picked():
    run = run_of_sample(COURSE)
    other = replace(run, algorithm="wordpiece", vocab_size=70, pretokenizer="bert", settings=())
    app = AppTest.from_file(APP, default_timeout=30)
    app.query_params["lane"] = [to_link(run), to_link(other)]
    app.query_params["align"] = "size"
    app.run()
    app.segmented_control(key="lens").set_value("token").run()
    app.segmented_control(key="lens_lane_2").set_value(1).run()
    app.text_input(key="lens_token").set_value("##s").run()
    assert not app.exception
    assert "<h3>Token " in page(app)
