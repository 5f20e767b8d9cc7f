"""What several test files share: recorded programs, random corpora, spelling for the oracles."""

import asyncio
import gettext
import json
import lzma
import os
import re
import string
import subprocess
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import pytest
from hypothesis import strategies as st

from tokviz.pages.visit.visit import ENTERED, VISITS, Visit
from tokviz.text.samples import SAMPLES
from tokviz.text.symbols import Symbol
from tokviz.text.word_counts import WordCounts

#: Seconds until a test gives up waiting for anything. Slow and busy machines need far less, too.
PATIENCE = 60

ROOT = Path(__file__).parents[1]


def visit_of(app):
    """What the visitor of a page that is tested has open."""
    state = app.session_state
    for key, value in {ENTERED: "train", VISITS: {}}.items():
        if key not in state:
            state[key] = value
    return state[VISITS].setdefault(state[ENTERED], Visit(state[ENTERED]))


def anything(_words):
    """What `tokviz.train` asks of counted words where a corpus without any is one, as on pages."""


def missing(sentence):
    """Skips what wants a program that is not installed; where everything has to be, fails."""
    if os.environ.get("TOKVIZ_REQUIRE_BROWSER"):
        pytest.fail(f"{sentence} TOKVIZ_REQUIRE_BROWSER asks for it.")
    pytest.skip(sentence)


def needs_node(test):
    """Marks a test that runs scripts of the player in Node."""
    return pytest.mark.usefixtures("node")(test)


def node_passes(name, variable="", place="", tests=1, patience=PATIENCE):
    """Runs the player's own tests of that name; all of them must pass, and be so many. Those that
    compare with something find in an environment variable where it is."""
    done = subprocess.run(
        ["node", "--test", str(Path(__file__).parent / "player" / f"{name}.test.mjs")],
        env={**os.environ, **({variable: str(place)} if variable else {})},
        capture_output=True,
        text=True,
        timeout=patience,
    )
    failed = max(done.stdout.find("not ok"), 0)
    assert done.returncode == 0, done.stdout[failed:][:6000] + done.stderr[-2000:]
    assert f"pass {tests}" in done.stdout


class Loud(gettext.NullTranslations):
    """A language of capitals in brackets, whose plural is always the other form."""

    def gettext(self, message):
        return f"[{self.loud(message)}]"

    def ngettext(self, one, many, n):
        return f"[{self.loud(one if n != 1 else many)}]"

    @staticmethod
    def loud(text):
        parts = string.Formatter().parse(text)
        return "".join(
            said.upper() + (f"{{{name}{':' + spec if spec else ''}}}" if name is not None else "")
            for said, name, spec, _conversion in parts
        )


def said(capsys):
    """The one sentence that a command left on standard error."""
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("tokviz: ")
    assert err.count("\n") == 1
    return err


def labelled(widgets, label):
    """The one of some widgets that a page shows under a label."""
    (widget,) = (widget for widget in widgets if widget.label == label)
    return widget


def components(app, name):
    """What the page sent to its components of that name."""
    drawn = app.get("bidi_component")
    return [part.proto.bytes for part in drawn if part.proto.component_name == f"tokviz_{name}"]


@cache
def book_bytes():
    """*All Around the Moon* by Jules Verne, as Project Gutenberg has it (its number 16457)."""
    return lzma.decompress((ROOT / "tests" / "data" / "pg16457.txt.xz").read_bytes())


def book():
    """The text of that book; its lines end in a line feed."""
    return book_bytes().decode("utf-8").replace("\r\n", "\n")


GOLDENS = json.loads((Path(__file__).parent / "data" / "goldens.json").read_text("utf-8"))
PROGRAMS = GOLDENS["programs"]

#: Small alphabets, so that pairs repeat, overlap and tie; the later ones hold what looks like a
#: marker, and what is hard to encode.
ALPHABETS = [
    "ab",
    "abc",
    "a#",
    "a Ġ",
    " ▁a",
    "a</w>",
    "⟨⟩# a",
    "aé日",
    "a\0\ud800",
    "e\u0301👩\u200d",
]


@st.composite
def word_counts(draw, max_words=6, max_length=9, max_count=3):
    """A small table of distinct words, from one alphabet."""
    alphabet = draw(st.sampled_from(ALPHABETS))
    words = st.text(alphabet, min_size=1, max_size=max_length)
    table = draw(st.dictionaries(words, st.integers(1, max_count), max_size=max_words))
    return WordCounts(tuple(table), tuple(table.values()))


class Shown(str):
    """A displayed symbol, as the oracles take it, that still knows its parts."""

    symbol: Symbol

    @classmethod
    def of(cls, spelling, symbol):
        shown = cls(spelling.show(symbol))
        shown.symbol = symbol
        return shown


def oracle_words(words, spelling):
    """Words as the oracles take them: lists of displayed symbols, with counts."""
    return [
        ([Shown.of(spelling, symbol) for symbol in spelling.split(word)], count)
        for word, count in zip(words.words, words.counts, strict=True)
    ]


def joiner(spelling):
    """How two displayed symbols become one."""
    return lambda left, right: Shown.of(spelling, left.symbol + right.symbol)


def sample_words(name):
    """The words of a bundled corpus as it is best shown, and its pre-tokenizer."""
    from tokviz.pretokenizers import make_pretokenizer
    from tokviz.text.corpus import count_words

    sample = SAMPLES[name]
    pretokenizer = make_pretokenizer(sample.settings["pretokenizer"])
    return count_words(sample.corpus, pretokenizer), pretokenizer


class Backwards(gettext.NullTranslations):
    """A language of capitals that puts the values of a sentence in the opposite order, and has
    plurals of its own."""

    def gettext(self, message):
        parts = re.findall(r"\{[^{}]*\}|[^{}]+", message)
        return "‹" + "".join(x if x[0] == "{" else x.upper() for x in reversed(parts)) + "›"

    def ngettext(self, one, many, n):
        said = self.gettext(one if n % 10 == 1 else many)
        return f"{said}~" if 2 <= n % 10 <= 4 else said


def run(coroutine):
    """What a coroutine gives; this thread may have a loop already, of a browser. One that never
    ends is cancelled, so that the test says where it stood."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, asyncio.wait_for(coroutine, 4 * PATIENCE)).result()
