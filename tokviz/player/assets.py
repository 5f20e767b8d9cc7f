"""Combine the player's scripts and style sheets for a page, without a build step."""

import json
import re
from base64 import b85encode
from collections.abc import Mapping
from functools import cache
from gzip import compress
from hashlib import sha256
from pathlib import Path
from typing import Any

from tokviz.basics.glossary import GLOSSARY, meaning
from tokviz.basics.messages import ENGLISH, catalog, current, using
from tokviz.core import MODULE

_HERE = Path(__file__).parent
#: Folders of the scripts and style sheets.
JS, CSS = _HERE / "js", _HERE / "css"
#: The style sheets of a player: each may change what those before it say.
STAGE_SHEETS = ("bar", "lanes", "corpus", "candidates", "overlays", "present", "curves")
PLAYER_SHEETS = ("chips", *STAGE_SHEETS, "narrow", "quiz", "glossary")

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.M)
_EXPORT = re.compile(r"^export (?!default)", re.M)
#: Comments that have lines of their own or end one, and what lines begin with: a quarter of the
#: scripts, of no use in a browser.
_UNUSED = re.compile(r"^ *(?://[^\n]*|/\*\*.*?\*/)\n|^ +|(?<=[;,{])[ ]+//[ ][^\n]*$", re.M | re.S)
#: The same of style sheets, and spaces beside their braces, semicolons, commas and colons.
_UNUSED_IN_STYLE = re.compile(
    r"^ */\*(?:(?!\*/).)*\*/\n|^ +|\s+(?=[{}])|(?<=[{};,:])\s+", re.M | re.S
)
#: A message in a script: a string literal directly after the function's name.
MESSAGE = re.compile(r'\b_(n|p|pn)?\(\s*("(?:[^"\\\n]|\\.)*")(?:,\s*("(?:[^"\\\n]|\\.)*"))?')


def script(module: str) -> str:
    """Return a module and its imports as one script, with the translations of the current
    language."""
    return _script(module, current())


def script_name(module: str) -> str:
    """Return the name under which a server has a script, which changes with what is in it.

    >>> script_name("focus")[:16], script_name("focus")[-3:]
    ('tokviz-focus-en.', '.js')
    """
    digest = sha256(script(module).encode()).hexdigest()[:16]
    return f"tokviz-{module}-{current()}.{digest}.js"


def script_of_server(module: str) -> str:
    """Return the script of a component that takes what it draws from the server, beside Streamlit's
    own scripts: a browser has that before Streamlit has begun, keeps it, and compiles it once."""
    return (
        "const streamlit = document.querySelector(\"script[src*='static/js/']\").src;\n"
        f'const {{ default: draw }} = await import(new URL("{script_name(module)}", streamlit));\n'
        "export default draw;\n"
    )


@cache
def modules_of(module: str) -> tuple[str, ...]:
    """Return the names of a module and of all its imports, each after its own imports.

    >>> modules_of("address")
    ('shared', 'entries', 'tokens', 'dom', 'address')
    """
    before = [name for other in _IMPORT.findall(_code(module)) for name in modules_of(other)]
    return (*dict.fromkeys([*before, module]),)


@cache
def _code(module: str) -> str:
    return _UNUSED.sub("", (JS / f"{module}.js").read_text(encoding="utf-8"))


@cache
def _script(module: str, language: str) -> str:
    modules = modules_of(module)
    of_worker = modules_of("worker") if "trainer" in modules else ()
    parts = []
    for name in (*modules, *of_worker[-1:]):
        # A worker has a script of its own. What of it is here as well stands beside it, since near
        # copies take little room where the page is compressed.
        if name in of_worker:
            parts.append(f"WORKER.push({_literal(_joined(name))});")
        if name in modules:
            parts.append(_joined(name))
    code = "\n".join(parts)
    before = [] if language == ENGLISH else [catalog_script(code, language)]
    if of_worker:
        catalog = "" if language == ENGLISH else "`const CATALOG = ${JSON.stringify(CATALOG)};\\n`"
        before.append(f"const WORKER = [{catalog}];")
    if "core_bytes" in modules:
        before.append(f'const CORE = "{_core()}";')
    if "glossary" in modules:
        with using(language):
            meanings = {name: meaning(name) for name in GLOSSARY}
        before.append(_constant("GLOSSARY", meanings))
    return "\n".join([*before, code])


@cache
def _joined(module: str) -> str:
    """Return a module as a part of a script, in which all names are known."""
    return _EXPORT.sub("", _IMPORT.sub("", _code(module)))


def packed(data: bytes) -> str:
    """Return bytes as base 85 of gzip, which js/gzip.js reads: a sixteenth shorter than base64. A
    comma stands in for "<", which begins a tag in a page.

    >>> packed(b"low low low")[:8]
    'ABzY8000'
    """
    return b85encode(compress(data, 9, mtime=0)).decode("ascii").replace("<", ",")


@cache
def _core() -> str:
    return packed(MODULE.read_bytes())


def messages_of(code: str) -> dict[str, str]:
    """Return the messages of a script, and their plural forms ("" if they have none).

    >>> messages_of('_("Close"); _n("{n} token", "{n} tokens", 3)')
    {'Close': '', '{n} token': '{n} tokens'}
    """
    found = {}
    for kind, one, many in MESSAGE.findall(code):
        found[json.loads(one)] = json.loads(many) if kind in ("n", "pn") else ""
    return found


def catalog_script(code: str, language: str) -> str:
    """Return the translations of a script's messages as code for i18n.js."""
    known = catalog(language)
    # One example number for each plural form; from 200 on the forms repeat.
    forms = [known.ngettext("{n} token", "{n} tokens", n) for n in range(200)]
    different = [*dict.fromkeys(forms)]
    examples = [forms.index(form) for form in different]
    messages = {
        one: [known.ngettext(one, many, n) for n in examples] if many else known.gettext(one)
        for one, many in messages_of(code).items()
    }
    plural = "".join(str(different.index(form)) for form in forms)
    said = {"language": language, "messages": messages, "plural": plural}
    return _constant("CATALOG", said)


def _constant(name: str, value: Mapping[str, Any] | str) -> str:
    """Return a constant of a script."""
    return f"const {name} = {_literal(value)};"


def _literal(value: Mapping[str, Any] | str) -> str:
    # Inside a page, "</" would end the script.
    return json.dumps(value, ensure_ascii=False).replace("<", chr(92) + "u003c")


def component_name(name: str) -> str:
    """Return a component's name for Streamlit, one for each language, since their scripts
    differ."""
    return f"tokviz_{name}" if current() == ENGLISH else f"tokviz_{name}_{current()}"


@cache
def style(*sheets: str) -> str:
    """Return some style sheets joined into one, without comments.

    >>> style("glossary").strip()[:32]
    '.tv-player .tv-term{display:inli'
    """
    texts = ((CSS / f"{name}.css").read_text(encoding="utf-8") for name in sheets)
    # Streamlit takes a single line for the path of a file.
    return "\n".join(_UNUSED_IN_STYLE.sub("", text) for text in texts).replace("}", "}\n", 1)
