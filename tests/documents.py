"""Documents whose Python runs as it stands, and prints what they show."""

import contextlib
import io
import re

#: A block of Python, and the block of text right after it that says what it prints.
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n(.*?)```\n)?", re.DOTALL)


def run_blocks(path):
    """Runs all Python blocks of a document one after the other, in one namespace, which it returns.
    What a block prints is what the text block after it shows, and nothing if there is none."""
    names = {}
    for code, shown in BLOCK.findall(path.read_text("utf-8")):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == shown, code
    return names
