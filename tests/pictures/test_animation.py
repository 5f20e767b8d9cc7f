"""Animated pictures of a stretch of a training."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from helpers import ROOT

import tokviz
from tokviz.narration import announce
from tokviz.pictures.animation import COLOURS, MOST_STEPS, animated_svg
from tokviz.pictures.animation_layout import GAP, natural_width, place_words

COURSE = tokviz.SAMPLES["course"].corpus
LINE = COURSE.split("\n")[0]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def runs():
    return {
        "bytes": tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte"),
        "wordpiece": tokviz.train(COURSE, "wordpiece", 70),
        "unigram": tokviz.train(COURSE, "unigram", 80),
        "sentencepiece": tokviz.train(COURSE, "sentencepiece-unigram", 60),
    }


def seen_in(root, state, states):
    """Groups, rectangles and texts of a picture that are seen in one of its states."""
    found = []
    for element in root:
        kind = re.fullmatch(r"s(\d+)-(\d+)", element.get("class", ""))
        if kind is None or int(kind[1]) <= state < int(kind[2]):
            found.append(element)
    assert states
    return found


def texts(element):
    return ["".join(text.itertext()) for text in element.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", ["bytes", "wordpiece", "unigram", "sentencepiece"])
def test_every_state_shows_its_tokens_and_its_sentences(runs, name):
    history = runs[name]
    last = min(12, len(history))
    root = ET.fromstring(animated_svg(history, LINE, 0, last))
    words = [
        piece.word.text
        for piece in tokviz.text.pieces.pieces(LINE, history.pretokenizer, history.special_tokens)
    ]
    for t in range(last + 1):
        groups = [e for e in seen_in(root, t, last + 1) if e.tag == f"{SVG}g"]
        *chips, said = groups
        # Chips stand in the order of words, but not of tokens: by their places they do.
        placed = sorted((float(c[0].get("y")), float(c[0].get("x")), c) for c in chips)
        tokens = [token for word in words for token in history.segmentation(word, t)]
        assert ["".join(texts(c)) for _, _, c in placed] == tokens
        light = COLOURS["light"]
        hues = [light[f"h{history.colour(token)}"] for token in tokens]
        assert [c[0].get("fill") for _, _, c in placed] == hues
        lines = " ".join(texts(said)[1:])
        assert lines == f"{history.narrate(t)} {announce(history, t)}"
        assert texts(said)[0].startswith(f"step {t} / {len(history)} · ")


def test_chips_keep_their_room_and_marks_say_what_happens(runs):
    for name, history in runs.items():
        last = min(20, len(history))
        for word in place_words(history, [LINE], 0, last):
            edges = {}
            for chip in word.chips:
                assert chip.width >= natural_width(chip.parts) - 1e-6
                edges[chip.x, chip.width] = chip
            for t in range(last + 1):
                row = sorted(c[2:4] for c in word.chips if c.since <= t < c.until)
                ends = [x + width + GAP for x, width in row]
                assert row[0][0] == 0
                assert [x for x, _ in row[1:]] == pytest.approx(ends[:-1])
                assert ends[-1] == pytest.approx(word.width + GAP)
            kinds = {mark.kind for mark in word.marks}
            assert kinds <= ({"new", "next"} if name in ("bytes", "wordpiece") else kinds)
            for mark in word.marks:
                if mark.kind == "new":
                    [born] = [c for c in word.chips if c.x == mark.x and c.width == mark.width]
                    assert mark.state in (born.since, *(c.since for c in word.chips))
    pruned = tokviz.train({"hug": 3, "hugs": 2}, "unigram", 5, "whitespace")
    marks = [m for word in place_words(pruned, ["hugs"], 0, len(pruned)) for m in word.marks]
    assert "doomed" in {mark.kind for mark in marks}
    merged = tokviz.train({"abab": 1}, "bpe", 4)
    [word] = place_words(merged, ["abab"], 0, 2)
    assert [(m.kind, m.state) for m in word.marks] == [
        *(("next", 0), ("new", 1), ("next", 0), ("new", 1), ("next", 1), ("new", 2))
    ]


def test_a_word_that_comes_back_is_seen_twice(runs):
    history = runs["unigram"]
    counted = 0
    for word in history.words.words:
        chips = place_words(history, [word], 0, len(history))[0].chips
        for t in range(len(history) + 1):
            row = [c.string for c in sorted(chips, key=lambda c: c.x) if c.since <= t < c.until]
            assert row == history.segmentation(word, t)
            counted += 1
    assert counted > 100


def test_each_line_has_a_row_of_its_own():
    history = tokviz.train({"low": 5, "lower": 2}, "bpe", 7, "whitespace")
    placed = place_words(history, ["low", "lower", "low lower\nlow", "lower"], 0, 2)
    rows = [(word.chips[-1].string, word.new_row) for word in placed]
    assert [new_row for _, new_row in rows] == [False, False, True, False, True, True], rows


def test_motion_is_all_in_the_style_and_can_be_declined(runs):
    svg = animated_svg(runs["bytes"], [LINE], 3, 9, seconds_per_step=2)
    assert "<script" not in svg
    style = ET.fromstring(svg).find(f"{SVG}style").text
    assert "@media (prefers-reduced-motion:reduce){*{animation:none!important}}" in style
    # Seven states, of which the last stays for three steps: 6 + 3 steps of 2 seconds.
    assert "animation:s0-1 18s step-end infinite" in style
    rules = re.findall(r"@keyframes s(\d+)-(\d+)\{(.*?)\}(?=@|\.)", style)
    assert len(rules) > 10
    for since, until, rule in rules:
        begins = re.search(r"([\d.]+)%\{visibility:visible\}", rule)[1]
        assert float(begins) == pytest.approx(int(since) / 9 * 100, abs=1e-3)
        ends = re.search(r"visible\}([\d.]+)%\{visibility:hidden\}", rule)
        assert (ends is None) == (until == "7")
        assert ends is None or float(ends[1]) == pytest.approx(int(until) / 9 * 100, abs=1e-3)
        assert rule.startswith("0%{visibility:hidden}" if since != "0" else "0%{visibility:visible")
    # Without motion the last state is seen.
    resting = dict(re.findall(r"\.s(\d+-\d+)\{visibility:(\w+);", style))
    assert set(resting.values()) == {"visible", "hidden"}
    for name, seen in resting.items():
        assert (seen == "visible") == name.endswith("-7")


def test_one_state_alone_does_not_move(runs):
    svg = animated_svg(runs["bytes"], LINE, 4, 4)
    assert "keyframes" not in svg
    assert "step 4 / 20" in svg


def test_the_same_run_gives_the_same_bytes(runs):
    script = (
        "import tokviz, hashlib, sys; from tokviz.pictures.animation import animated_svg; "
        "c = tokviz.SAMPLES['course'].corpus; h = tokviz.train(c, 'bpe', 50, 'gpt2', unit='byte'); "
        "sys.stdout.write(animated_svg(h, c.split(chr(10))[0], 0, 9))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, cwd=ROOT)
    assert done.stdout.decode("utf-8") == animated_svg(runs["bytes"], LINE, 0, 9)


def test_hostile_words_are_text():
    words = [
        "<script>alert(1)</script>",
        "a&b\"'",
        "\0\x1b[2J",
        "\ud800x",
        "\u202eab",
        "שלום",
        "日本",
    ]
    words += ["e\u0301", "\u0301", "]]>", "\uffff"]
    for settings in ({"unit": "byte"}, {"unit": "char"}, {"end_of_word_suffix": "</w>"}):
        history = tokviz.train(dict.fromkeys(words, 1), "bpe", 60, **settings)
        svg = animated_svg(history, words, 0, min(40, len(history)))
        root = ET.fromstring(svg)
        assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
            *("svg", "title", "style", "rect", "g", "text", "tspan")
        }
        svg.encode("utf-8")
        assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\ud800-\udfff\uffff]", svg)
        shown = "".join(root.itertext())
        assert ("⟨U+202E⟩" in shown) == ("unit" not in settings or settings["unit"] == "char")


def test_what_is_read_from_the_right_stands_from_the_right():
    history = tokviz.train({"שלום": 2, "abcd": 1}, "bpe", 9)
    root = ET.fromstring(animated_svg(history, ["שלום"], 0, 0))
    chips = [g for g in root.iter(f"{SVG}g") if len(g.findall(f"{SVG}rect"))]
    places = {texts(chip)[0]: float(chip[0].get("x")) for chip in chips}
    assert [places[char] for char in "שלום"] == sorted(places.values(), reverse=True)
    assert places["ש"] > 900
    root = ET.fromstring(animated_svg(history, ["abcd"], 0, 0))
    chips = [g for g in root.iter(f"{SVG}g") if len(g.findall(f"{SVG}rect"))]
    assert "".join(texts(c)[0] for c in sorted(chips, key=lambda c: float(c[0].get("x")))) == "abcd"


def test_the_colours_are_those_of_the_pages():
    sheets = [path.read_text("utf-8") for path in (ROOT / "tokviz").rglob("*.css")]
    [sheet] = [text for text in sheets if "--tv-h0: light-dark" in text]
    pairs = re.findall(r"--tv-(\w+): light-dark\((#\w+), (#\w+)\)", sheet)
    known = {name: {"light": light, "dark": dark} for name, light, dark in pairs}
    for theme, colours in COLOURS.items():
        for name, colour in colours.items():
            assert known[name][theme] == colour
    history = tokviz.train({"ab": 1}, "bpe", 3)
    dark = animated_svg(history, "ab", theme="dark")
    assert COLOURS["dark"]["page"] in dark
    assert COLOURS["light"]["page"] not in dark


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ((["nothing"],), ValueError, "“nothing” is not a word of this run's corpus; show words"),
        (([],), ValueError, "There is no word to show; give one"),
        ((["ab" * 30] * 7,), ValueError, "have 420 symbols, and one picture shows 400 at most"),
        (("ab", 3, 1), ValueError, "State 3 comes after state 1"),
        (("ab", 0, 99), IndexError, "t=99 is not a state of this run"),
        (("ab", 0, 1, 0), ValueError, "seconds_per_step=0 is no time"),
        (("ab", 0, 1, 1.0, "red"), ValueError, "theme='red' is not known"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_a_sentence(arguments, error, sentence):
    history = tokviz.train({"ab": 1, "ab" * 30: 1}, "bpe", 6)
    with pytest.raises(error, match=re.escape(sentence)):
        animated_svg(history, *arguments)


def test_a_long_stretch_is_refused():
    history = tokviz.train({"".join(map(chr, range(0x100, 0x150))): 1}, "bpe", 150)
    assert len(history) > MOST_STEPS
    assert animated_svg(history, history.words.words[0], len(history) - 60)
    with pytest.raises(ValueError, match=f"begin with state {len(history) - 60} or later"):
        animated_svg(history, history.words.words[0])


def test_special_tokens_of_a_line_are_whole():
    history = tokviz.train("ab <s>ab", "bpe", 5, "whitespace", special_tokens=("<s>",))
    root = ET.fromstring(animated_svg(history, "ab <s>ab", 0, 1))
    assert "<s>" in ["".join(texts(g)) for g in root.iter(f"{SVG}g")]
