"""The player's plain files as a page takes them in: one script, one style sheet, no build step."""

import json
import re
from functools import cache
from pathlib import Path

from tokviz.basics.messages import ENGLISH, catalog, current

_HERE = Path(__file__).parent
#: The scripts and style sheets of the player.
JS, CSS = _HERE / "js", _HERE / "css"

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.M)
_EXPORT = re.compile(r"^export (?!default)", re.M)
#: A message in a script: one string literal, right behind the name of the function.
_MESSAGE = re.compile(r'\b_(n|p|pn)?\(\s*("(?:[^"\\\n]|\\.)*")(?:,\s*("(?:[^"\\\n]|\\.)*"))?')


def script(module: str) -> str:
    """A module as one script with all that it imports from, behind the catalog of the current
    language: a component, or a page, is a single file."""
    return _script(module, current())


@cache
def modules_of(module: str) -> tuple[str, ...]:
    """A module and all that it imports from, each behind those that it imports from itself.

    >>> modules_of("address")
    ('shared', 'tokens', 'dom', 'address')
    """
    before = [name for other in _IMPORT.findall(_code(module)) for name in modules_of(other)]
    return (*dict.fromkeys([*before, module]),)


@cache
def _code(module: str) -> str:
    return (JS / f"{module}.js").read_text(encoding="utf-8")


@cache
def _script(module: str, language: str) -> str:
    parts = [_code(name) for name in modules_of(module)]
    code = _EXPORT.sub("", _IMPORT.sub("", "\n".join(parts)))
    return code if language == ENGLISH else f"{_catalog(code, language)}\n{code}"


def messages_of(code: str) -> dict[str, str]:
    """The messages of a script, and their plural forms ("" if they have none).

    >>> messages_of('_("Close"); _n("{n} token", "{n} tokens", 3)')
    {'Close': '', '{n} token': '{n} tokens'}
    """
    found = {}
    for kind, one, many in _MESSAGE.findall(code):
        found[json.loads(one)] = json.loads(many) if kind in ("n", "pn") else ""
    return found


def _catalog(code: str, language: str) -> str:
    """What the script says, in a language, as i18n.js reads it."""
    known = catalog(language)
    # A number that needs each form: from a hundred on they repeat.
    forms = [known.ngettext("{n} token", "{n} tokens", n) for n in range(200)]
    different = [*dict.fromkeys(forms)]
    examples = [forms.index(form) for form in different]
    messages = {
        one: [known.ngettext(one, many, n) for n in examples] if many else known.gettext(one)
        for one, many in messages_of(code).items()
    }
    plural = "".join(str(different.index(form)) for form in forms)
    said = {"language": language, "messages": messages, "plural": plural}
    # Inside a page "</" would end the script.
    return f"const CATALOG = {json.dumps(said).replace('<', chr(92) + 'u003c')};"


def component_name(name: str) -> str:
    """What Streamlit knows a component by: its script is another one in every language."""
    return f"tokviz_{name}" if current() == ENGLISH else f"tokviz_{name}_{current()}"


@cache
def style(*sheets: str) -> str:
    """The style sheets as one, in that order."""
    return "\n".join((CSS / f"{name}.css").read_text(encoding="utf-8") for name in sheets)
