"""docs/tutorial.md: its code runs, and prints what it shows; its commands run on what it saved."""

import re
import shlex

from documents import run_blocks
from helpers import ROOT

from tokviz.__main__ import main

PAGE = ROOT / "docs" / "tutorial.md"


def test_the_tutorial_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_blocks(PAGE)
    saved = {file.name for file in tmp_path.iterdir()}
    assert saved == {
        *("alice.npz", "alice.html", "both.html", "compression.svg", "tokens.pdf"),
        *("for-huggingface", "for-tiktoken"),
    }
    [commands] = re.findall("```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    for line in commands.splitlines():
        *python, module, rest = line.split(" ", 3)
        assert [*python, module] == ["python", "-m", "tokviz"]
        assert main(shlex.split(rest)) == 0
    made = {file.name for file in tmp_path.iterdir()} - saved
    assert made == {"merges.svg", "steps.csv"}
    assert "<svg" in (tmp_path / "merges.svg").read_text("utf-8")
    assert len((tmp_path / "steps.csv").read_text("utf-8").splitlines()) == 244 + 1


def test_it_trains_asks_compares_exports_and_draws():
    headings = re.findall("^## (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    assert headings == ["Train", "Ask", "Compare", "Export", "Draw"]
