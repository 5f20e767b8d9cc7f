"""The player's plain files as a page takes them in: one script, one style sheet, no build step."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent
#: Each after those that it imports from.
MODULES = (
    "run",
    "say",
    "axis",
    "dom",
    "corpus",
    "table",
    "card",
    "selection",
    "transport",
    "lane",
    "finder",
    "player",
)

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./\w+\.js";\n', re.M)
_EXPORT = re.compile(r"^export (?!default)", re.M)


@cache
def script(modules: Sequence[str] = MODULES) -> str:
    """The modules as one: a component, or a page, is a single file."""
    parts = [(HERE / f"{name}.js").read_text(encoding="utf-8") for name in modules]
    return _EXPORT.sub("", _IMPORT.sub("", "\n".join(parts)))


@cache
def style(*sheets: str) -> str:
    """The style sheets as one, in that order."""
    return "\n".join((HERE / f"{name}.css").read_text(encoding="utf-8") for name in sheets)
