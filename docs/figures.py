"""Makes the pictures of docs/figures.md by what it says itself: `python docs/figures.py`."""

import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent))


def main() -> None:
    """Runs the code of the page where its pictures belong."""
    page = (DOCS / "figures.md").read_text("utf-8")
    os.chdir(DOCS)
    # The other one makes animations, which the page does not show.
    code = re.findall(r"```python\n(.*?)```", page, re.DOTALL)[0]
    exec(code, {})


if __name__ == "__main__":
    main()
