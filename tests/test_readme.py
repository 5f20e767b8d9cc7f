"""What the README shows in Python runs as it stands."""

import re
from pathlib import Path

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_in_python_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.S)
    names = {}
    for block in blocks:
        exec(block, names)
    assert {file.name for file in tmp_path.iterdir()} == {"run.npz", "run.html", "out"}
    assert names["history"].steps[0].token == "lo"
