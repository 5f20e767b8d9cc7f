"""The committed module is what the committed source makes."""

import re
import shutil
import subprocess

import pytest
from effort import LONG
from helpers import missing

from tokviz.core import MODULE
from tokviz.core import build as making
from tokviz.core.build import CLANG, HEADERS, SOURCE, build
from tokviz.core.characters import kinds_of


@pytest.fixture(scope="module")
def clang():
    """What clang says of itself first."""
    if not (shutil.which("clang") and shutil.which("wasm-ld")):
        missing("clang or lld is missing; install them (Debian: apt install clang lld).")
    said = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()[0]


def asked_of_few(text):
    """What `kinds_of` says where a run of the committed table begins and ends, and of every tenth
    character; what the table says of the others."""
    found, length, shift = [], 0, 0
    numbers = map(int, re.findall(r"\d+", text.partition("CHARACTERS[] = {")[2]))
    for number in numbers:
        length, shift = length | (number & 0x7F) << shift, shift + 7
        if number <= 0x7F:
            kinds = next(numbers)
            found += [None, *[kinds] * (length - 2), None][:length]
            length = shift = 0
    found[::10] = [None] * len(found[::10])

    def kinds(char):
        known = found[ord(char)]
        return kinds_of(char) if known is None else known

    return kinds


@pytest.mark.parametrize("name", HEADERS)
def test_tables_are_what_python_says_of_characters_and_numbers(name, monkeypatch):
    if name == "characters.h" and not LONG:
        text = (SOURCE / name).read_text("utf-8")
        monkeypatch.setattr(making, "kinds_of", asked_of_few(text))
    assert (SOURCE / name).read_text("utf-8") == HEADERS[name]()


def test_the_module_is_made_of_the_source(tmp_path, clang):
    build(tmp_path / "core.wasm")
    made = (tmp_path / "core.wasm").read_bytes()
    # Another version makes other bytes.
    assert made == MODULE.read_bytes() or clang != CLANG
