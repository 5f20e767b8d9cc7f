"""Scripts, style sheets and pages use what all our browsers have, or have a tested fallback.

tests/browser_features/targets.json lists these browsers and the fallbacks. What a browser has is
told by MDN's browser compatibility data, which npm installs once beside that file.
"""

import ast
import json
import os
import re
import shutil
import subprocess
from fcntl import LOCK_EX, flock
from hashlib import sha256
from typing import NamedTuple

import pytest
from helpers import PATIENCE, ROOT

import tokviz
from tokviz.pictures.animation import animated_svg
from tokviz.player import site
from tokviz.player.web_page import web_page

HERE = ROOT / "tests" / "browser_features"
TARGETS = json.loads((HERE / "targets.json").read_text("utf-8"))
PROBE = sorted((HERE / "probe").iterdir())
SHIPPED = sorted([*ROOT.glob("tokviz/**/*.js"), *ROOT.glob("tokviz/**/*.css")])
BAR = (ROOT / "tokviz" / "player" / "css" / "bar.css").read_text("utf-8")


class Found(NamedTuple):
    """A feature that some browsers lack, as a file uses it."""

    file: str
    line: int
    name: str
    feature: str
    lacking: list[str]

    def __str__(self):
        browsers = ", ".join(self.lacking)
        return f"{self.file}:{self.line}: {self.name} ({self.feature}) is not in {browsers}"


@pytest.fixture(scope="session")
def node():
    """Node, with what the check needs installed."""
    found = shutil.which("node"), shutil.which("npm")
    why = None if all(found) else "needs Node and npm (Debian: apt install nodejs npm)"
    why = why or install(found[1])
    if why and os.environ.get("TOKVIZ_REQUIRE_BROWSER"):
        pytest.fail(f"{why}, and TOKVIZ_REQUIRE_BROWSER asks for it.")
    if why:
        pytest.skip(why)
    return found[0]


def install(npm):
    """Installs what package-lock.json pins, unless it is there; returns what went wrong."""
    pinned = sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    # The tests run in several processes, of which one installs.
    with (HERE / "node_modules.lock").open("w") as lock:
        flock(lock, LOCK_EX)
        stamp = HERE / "node_modules" / "installed"
        if stamp.exists() and stamp.read_text() == pinned:
            return None
        quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        done = subprocess.run([npm, "ci", *quiet], cwd=HERE, capture_output=True, text=True)
        if done.returncode:
            return f"npm could not install what {HERE} needs: {done.stderr.strip()[-300:]}"
        stamp.write_text(pinned)
    return None


def lacking(node, files, ours=(), targets=TARGETS):
    """What the files use and some of the browsers lack."""
    done = subprocess.run(
        [node, HERE / "check.mjs", *files],
        input=json.dumps({**targets, "ours": sorted(ours)}),
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["unknown"] == []
    return [Found(**use) for use in answer["found"]]


def names_of_data():
    """The names that Python gives to what scripts read: no browser knows them."""
    files = [*ROOT.glob("tokviz/player/*.py"), *ROOT.glob("tokviz/pages/**/*.py")]
    for file in files:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            keys = node.keys if isinstance(node, ast.Dict) else []
            keys = [node.slice] if isinstance(node, ast.Subscript) else keys
            yield from (
                key.value
                for key in keys
                if isinstance(key, ast.Constant) and isinstance(key.value, str)
            )


@pytest.fixture
def pages(tmp_path, monkeypatch):
    """What is written by Python as a whole: a page, the gallery, a picture."""
    sample = tokviz.SAMPLES["course"]
    history = tokviz.train(sample.corpus, **sample.settings)
    web_page([history, history], path=tmp_path / "page.html")
    (tmp_path / "picture.svg").write_text(animated_svg(history, "This is", 0, 5), "utf-8")
    monkeypatch.setattr(site, "SAMPLES", {"course": sample})
    monkeypatch.setattr(site, "SIDE_BY_SIDE", ())
    site.write_site(tmp_path / "site")
    return [tmp_path / "page.html", tmp_path / "site" / "index.html", tmp_path / "picture.svg"]


def test_what_is_shipped_needs_nothing_that_a_browser_lacks(node, pages):
    fallbacks = {name for fallback in TARGETS["fallbacks"] for name in fallback["features"]}
    found = lacking(node, [*SHIPPED, *pages], names_of_data())
    assert [str(use) for use in found if use.feature not in fallbacks] == []
    assert fallbacks - {use.feature for use in found} == set(), "Nothing needs these fallbacks."


def test_every_line_of_the_probe_is_named(node):
    """Each line of its files, but the first, has something that a browser lacks."""
    named = {(use.file, use.line) for use in lacking(node, PROBE)}
    expected = {
        (str(file), line)
        for file in PROBE
        for line in range(2, len(file.read_text("utf-8").splitlines()) + 1)
    }
    assert named == expected


def test_newer_javascript_is_named(node, tmp_path):
    files = [tmp_path / "using.js", tmp_path / "group.js"]
    files[0].write_text("let open;\n{ using file = open(); }\n", "utf-8")
    files[1].write_text("let text;\n\n/(?i:a)b/.test(text);\n", "utf-8")
    found = {use.file: (use.line, use.feature) for use in lacking(node, files)}
    assert found == {str(files[0]): (2, "syntax"), str(files[1]): (3, "syntax")}


def test_what_is_named_depends_on_the_browsers(node):
    """Chrome has had most of the probe by the end of 2025, idle callbacks among it."""
    chrome = {**TARGETS, "browsers": {"chrome": "143"}, "phones": {}}
    left = {use.name for use in lacking(node, PROBE, targets=chrome)}
    assert "ariaNotify" not in left
    assert "requestIdleCallback" not in left
    assert "text-box-trim: trim-both" not in left
    assert "DecompressionStream(zstd)" in left


def test_every_fallback_has_a_test():
    for fallback in TARGETS["fallbacks"]:
        file, _, name = fallback["test"].partition("::")
        assert f"\ndef {name}(" in (ROOT / file).read_text("utf-8"), fallback


def rule(selector):
    """The declarations of a rule of the bar's style sheet."""
    [block] = re.findall(rf"^{re.escape(selector)} \{{(.*?)\}}", BAR, re.M | re.S)
    return dict(re.findall(r"([\w-]+): ([^;]+);", block))


def test_a_slider_looks_the_same_in_both_spellings():
    slider = ".tv-scrub input::"
    track, done = rule(f"{slider}-moz-range-track"), rule(f"{slider}-moz-range-progress")
    both = rule(f"{slider}-webkit-slider-runnable-track")
    assert both["height"] == track["height"] == done["height"]
    assert both["border-radius"] == track["border-radius"] == done["border-radius"]
    assert done["background"] in both["background"]
    assert track["background"] in both["background"]
    thumb, other = rule(f"{slider}-webkit-slider-thumb"), rule(f"{slider}-moz-range-thumb")
    for name in ("border-radius", "background", "border"):
        assert thumb[name] == other[name]


def test_number_fields_hide_their_arrows_in_both_spellings():
    assert rule(".tv-position input")["appearance"] == "textfield"
    assert rule(".tv-position input::-webkit-inner-spin-button")["display"] == "none"
