"""Animations as GIF and as PNG files: what every frame shows, and how long."""

import hashlib
import io
import re
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
import zipfile

import pytest
from helpers import ROOT
from PIL import Image, ImageChops

import tokviz
from tokviz.basics.errors import FileError, SettingError
from tokviz.narration import announce
from tokviz.pictures import animation_files
from tokviz.pictures.animation import animated_svg, drawing_of
from tokviz.pictures.animation_drawing import COLOURS
from tokviz.pictures.animation_files import (
    GIF_SCALE,
    MOST_PIXELS,
    PNG_SCALE,
    animated_gif,
    animation_file,
    check_files,
    gif_of,
    state_pngs,
)

COURSE = tokviz.SAMPLES["course"].corpus
LINE = COURSE.split("\n")[0]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def runs():
    return {
        "bytes": tokviz.train(COURSE, "bpe", 90, "gpt2", unit="byte"),
        "wordpiece": tokviz.train(COURSE, "wordpiece", 70),
        "unigram": tokviz.train(COURSE, "unigram", 80),
    }


@pytest.fixture(scope="module")
def frames(runs):
    """The frames of a GIF of states 2 to 9, with how long each stays."""
    found = []
    with Image.open(io.BytesIO(animated_gif(runs["bytes"], LINE, 2, 9, 0.7))) as image:
        assert image.info["loop"] == 0, "for ever"
        for k in range(image.n_frames):
            image.seek(k)
            found.append((image.convert("RGB"), image.info["duration"]))
    return found


def shown(element):
    return "".join(text for e in element.iter(f"{SVG}text") for text in e.itertext())


@pytest.mark.parametrize("name", ["bytes", "wordpiece", "unigram"])
def test_a_still_shows_the_tokens_of_its_state_and_nothing_else(runs, name):
    history = runs[name]
    last = min(12, len(history))
    drawing = drawing_of(history, LINE, 1, last)
    words = [
        piece.word.text
        for piece in tokviz.text.pieces.pieces(LINE, history.pretokenizer, history.special_tokens)
    ]
    for t in range(1, last + 1):
        root = ET.fromstring(drawing.still(t))
        *chips, said = root.findall(f"{SVG}g")
        placed = sorted((float(c[0].get("y")), float(c[0].get("x")), shown(c)) for c in chips)
        tokens = [token for word in words for token in history.segmentation(word, t)]
        assert [string for _, _, string in placed] == tokens
        head, *lines = ("".join(text.itertext()) for text in said)
        assert head.startswith(f"step {t} / {len(history)} · ")
        assert " ".join(lines) == f"{history.narrate(t)} {announce(history, t)}"
        # What makes pixels of it knows no motion, and no name of what moves.
        assert not re.search("animation|keyframes|visibility|@media", drawing.still(t))
        assert not [e for e in root.iter() if re.fullmatch(r"s\d+-\d+|done", e.get("class", ""))]
        # How far it is stands last: a line, and the part of it that is done, if any is.
        light = COLOURS["light"]
        rects = [rect for rect in [*root][-2:] if rect.get("height") == "4"]
        widths = {rect.get("fill"): float(rect.get("width")) for rect in rects}
        done = widths.get(light["accent"], 0.0) / widths[light["line"]]
        assert done == pytest.approx((t - 1) / (last - 1), abs=1e-4)


def test_stills_have_together_what_the_animation_has(runs):
    """Each shape of the animation is in the stills of its interval."""
    drawing = drawing_of(runs["unigram"], LINE, 0, 5)
    moving = ET.fromstring(drawing.animated(1.0))
    counted = [0] * 6
    for element in [*moving][3:-2]:
        kind = re.fullmatch(r"s(\d)-(\d)", element.get("class", "s0-6"))
        for k in range(int(kind[1]), int(kind[2])):
            counted[k] += 1
    for k, count in enumerate(counted):
        still = [*ET.fromstring(drawing.still(k))]
        assert len(still[3:]) == count + (2 if k else 1)


def test_a_gif_has_a_frame_for_each_state_and_the_last_one_stays(runs, frames):
    drawing = drawing_of(runs["bytes"], LINE, 2, 9)
    assert [stays for _, stays in frames] == [700] * 7 + [2100]
    size = round(drawing.width * GIF_SCALE), round(drawing.height * GIF_SCALE)
    for image, _ in frames:
        assert max(abs(a - b) for a, b in zip(image.size, size, strict=True)) <= 1


def test_frames_are_the_pngs_but_for_a_shade(runs, frames):
    """Only what changes is in a frame, and still each is whole; letters keep their colours."""
    pngs = state_pngs(runs["bytes"], LINE, 2, 9)
    assert [*pngs] == [f"step-{t:04}.png" for t in range(2, 10)]
    light = {name: tuple(bytes.fromhex(c[1:])) for name, c in COLOURS["light"].items()}
    for (image, _), png in zip(frames, pngs.values(), strict=True):
        exact = Image.open(io.BytesIO(png)).convert("RGB").resize(image.size, Image.Resampling.BOX)
        difference = ImageChops.difference(image, exact).convert("L")
        # Another size has its letters at other fractions of a pixel: hardly any is elsewhere.
        far = sum(difference.histogram()[100:])
        assert far < 0.002 * image.width * image.height
        seen = {colour for _, colour in image.getcolors(1 << 20)}
        assert seen >= {light[name] for name in ("page", "ink", "dim")}
        assert len(seen) > 60, "letters have smooth edges"


@pytest.mark.parametrize(("theme", "last"), [("light", 3), ("dark", 1)])
def test_what_a_frame_leaves_to_those_before_it_is_right(runs, theme, last):
    """A frame has only what changes; on top of the others it has every pixel of its still."""
    drawing = drawing_of(runs["wordpiece"], COURSE.split("\n"), 0, last, theme)
    palette = Image.new("P", (1, 1))
    palette.putpalette(animation_files.palette_of(COLOURS[theme]))
    with Image.open(io.BytesIO(gif_of(drawing, 1.0))) as image:
        assert image.n_frames == last + 1
        for t in range(last + 1):
            image.seek(t)
            png = io.BytesIO(animation_files.png_of(drawing, t, GIF_SCALE))
            exact = Image.open(png).convert("RGB")
            still = exact.quantize(palette=palette, dither=Image.Dither.NONE).convert("RGB")
            assert ImageChops.difference(image.convert("RGB"), still).getbbox() is None
            # And the palette is so close to what was drawn that nobody sees it.
            far = ImageChops.difference(still, exact).convert("L").histogram()
            assert sum(far[24:]) == 0
            assert sum(far[12:]) < 0.002 * still.width * still.height


def test_pngs_are_large_and_sort(runs):
    pngs = state_pngs(runs["unigram"], LINE, 0, 3, "dark")
    drawing = drawing_of(runs["unigram"], LINE, 0, 3)
    for png in pngs.values():
        with Image.open(io.BytesIO(png)) as image:
            assert image.width == round(drawing.width * PNG_SCALE)
            assert image.convert("RGB").getpixel((1, 1)) == (0x14, 0x16, 0x1A)
    history = tokviz.train({"".join(map(chr, range(0x100, 0x150))): 1}, "bpe", 150)
    names = [*state_pngs(history, history.words.words[0], 7, 11)]
    assert names == sorted(names) == [f"step-{t:04}.png" for t in range(7, 12)]


def test_the_kinds_of_files(runs):
    history = runs["unigram"]
    svg = animation_file("svg", history, LINE, 0, 3, 2, "dark").decode("utf-8")
    assert svg == animated_svg(history, LINE, 0, 3, 2, "dark")
    gif = animation_file("gif", history, LINE, 0, 3, 2, "dark")
    assert gif == animated_gif(history, LINE, 0, 3, 2, "dark")
    packed = animation_file("zip", history, LINE, 0, 3, 2, "dark")
    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    assert files == state_pngs(history, LINE, 0, 3, "dark")
    with pytest.raises(FileError, match="kind='webp' is not known; an animation is saved as svg,"):
        animation_file("webp", history, LINE)


def test_one_state_alone_is_one_frame(runs):
    with Image.open(io.BytesIO(animated_gif(runs["bytes"], LINE, 4, 4))) as image:
        assert image.n_frames == 1
    assert [*state_pngs(runs["bytes"], LINE, 4, 4)] == ["step-0004.png"]


def test_the_same_run_gives_the_same_bytes(runs):
    script = (
        "import tokviz, hashlib; from tokviz.pictures.animation_files import animation_file; "
        "c = tokviz.SAMPLES['course'].corpus; h = tokviz.train(c, 'bpe', 90, 'gpt2', unit='byte'); "
        "made = [animation_file(k, h, c.split(chr(10))[0], 0, 3) for k in ('gif', 'zip')]; "
        "print(*(hashlib.sha256(data).hexdigest() for data in made))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, cwd=ROOT, text=True
    )
    made = [animation_file(kind, runs["bytes"], LINE, 0, 3) for kind in ("gif", "zip")]
    assert done.stdout.split() == [hashlib.sha256(data).hexdigest() for data in made]


def test_sixty_steps_are_no_more_than_a_page_takes(runs):
    assert len(runs["bytes"]) == 60
    assert len(animated_gif(runs["bytes"], LINE)) < 1_500_000


def test_a_long_word_is_drawn_smaller():
    history = tokviz.train({"\u202e" * 100 + "ab": 1}, "bpe", 4)
    drawing = drawing_of(history, history.words.words[0], 0, 1)
    assert drawing.width * drawing.height * PNG_SCALE**2 > MOST_PIXELS
    for png in (*state_pngs(history, history.words.words[0], 0, 1).values(), gif_of(drawing, 1.0)):
        with Image.open(io.BytesIO(png)) as image:
            assert 0.95 * MOST_PIXELS < image.width * image.height < 1.05 * MOST_PIXELS


def test_hostile_words_are_drawn():
    words = ["<script>alert(1)</script>", "a&b\"'", "\0\x1b[2J", "\ud800x", "\u202eab", "שלום"]
    words += ["日本", "e\u0301", "\u0301", "]]>", "\uffff", "👩‍🚀"]
    history = tokviz.train(dict.fromkeys(words, 1), "bpe", 60)
    drawing = drawing_of(history, words, 0, 3)
    check_files(drawing)
    for t in range(4):
        tags = {element.tag for element in ET.fromstring(drawing.still(t)).iter()}
        known = ("svg", "title", "style", "rect", "g", "text", "tspan")
        assert tags <= {f"{SVG}{tag}" for tag in known}
    with Image.open(io.BytesIO(gif_of(drawing, 1.0))) as image:
        assert image.n_frames == 4


@pytest.mark.parametrize("seconds", [0, 0.01, 201, float("inf"), float("nan")])
def test_times_that_no_gif_has(runs, seconds):
    with pytest.raises(SettingError, match=r"is not possible in a GIF; give 0\.02 to 200"):
        animated_gif(runs["bytes"], LINE, 0, 1, seconds)


@pytest.mark.parametrize("seconds", [0.02, 200])
def test_times_that_a_gif_just_has(runs, seconds):
    with Image.open(io.BytesIO(animated_gif(runs["bytes"], LINE, 0, 1, seconds))) as image:
        assert image.info["duration"] == seconds * 1000
        image.seek(1)
        assert image.info["duration"] == seconds * 3000


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (("nothing",), ValueError, "“nothing” is not a word of this run's corpus"),
        ((LINE, 3, 1), ValueError, "State 3 comes after state 1"),
        ((LINE, 0, 99), IndexError, "t=99 is not a state of this run"),
    ],
)
def test_what_cannot_be_drawn_is_said_as_for_the_svg(runs, arguments, error, sentence):
    for make in (animated_gif, state_pngs):
        with pytest.raises(error, match=re.escape(sentence)):
            make(runs["bytes"], *arguments)


@pytest.mark.parametrize("missing", ["vl_convert", "PIL"])
def test_without_the_packages_there_is_a_sentence(runs, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    sentence = r'vl-convert-python and Pillow: pip install "tokviz\[figures\]"'
    with pytest.raises(FileError, match=sentence):
        animated_gif(runs["bytes"], LINE, 0, 1)
    with pytest.raises(FileError, match=sentence):
        check_files(drawing_of(runs["bytes"], LINE, 0, 1))
    assert animation_file("svg", runs["bytes"], LINE, 0, 1).startswith(b"<svg")


def test_a_text_that_the_package_cannot_draw_is_a_sentence(runs, monkeypatch):
    class Panics:
        @staticmethod
        def svg_to_png(_svg, scale):
            raise RuntimeError(f"Err(Any {{ .. }}) at {scale}")

    monkeypatch.setitem(sys.modules, "vl_convert", Panics)
    for make in (animated_gif, state_pngs):
        with pytest.raises(FileError, match=r"neither GIF nor PNG of it; save it as \.svg"):
            make(runs["bytes"], LINE, 0, 1)


def test_extras_allow_what_is_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = (ROOT / "tests" / "requirements.txt").read_text("utf-8").splitlines()
    assert {*project["optional-dependencies"]["figures"]} <= {*asked}
