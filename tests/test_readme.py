"""What the README shows in Python runs as it stands."""

from documents import run_blocks
from helpers import ROOT


def test_the_examples_in_python_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = run_blocks(ROOT / "README.md")
    assert {file.name for file in tmp_path.iterdir()} == {"run.npz", "run.html", "out"}
    assert names["history"].steps[0].token == "lo"
