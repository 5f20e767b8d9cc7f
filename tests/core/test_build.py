"""The committed module is what the committed source makes."""

import shutil
import subprocess

import pytest
from helpers import missing

from tokviz.core import MODULE
from tokviz.core.build import CLANG, HEADERS, SOURCE, build


@pytest.fixture(scope="module")
def clang():
    """What clang says of itself first."""
    if not (shutil.which("clang") and shutil.which("wasm-ld")):
        missing("clang or lld is missing; install them (Debian: apt install clang lld).")
    said = subprocess.run(["clang", "--version"], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()[0]


@pytest.mark.parametrize("name", HEADERS)
def test_tables_are_what_python_says_of_characters_and_numbers(name):
    assert (SOURCE / name).read_text("utf-8") == HEADERS[name]()


def test_the_module_is_made_of_the_source(tmp_path, clang):
    build(tmp_path / "core.wasm")
    made = (tmp_path / "core.wasm").read_bytes()
    # Another version makes other bytes.
    assert made == MODULE.read_bytes() or clang != CLANG
