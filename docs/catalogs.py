"""Brings the catalogs up to date with the code: `python docs/catalogs.py` (needs Babel).

Every language in `tokviz/basics/locale/` gets the messages that are new, without a translation, and
loses those that are gone; then it is compiled. `python docs/catalogs.py fr` begins another
language. docs/translating.md tells the whole story.
"""

import ast
import io
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tokviz.basics.paragraphs import paragraphs  # noqa: E402 (wherever this is run)
from tokviz.lessons.lesson import read_lesson  # noqa: E402

LOCALE = ROOT / "tokviz" / "basics" / "locale"


def lessons(file, _keywords, _comment_tags, **_named):
    """What the bundled lessons say, as Babel takes messages."""
    lesson = read_lesson(file.read(), "")
    for text in lesson.texts():
        yield 0, "message", text, []


METHODS = [
    ("tokviz/**.py", "python"),
    ("tokviz/player/**.js", "javascript"),
    ("tokviz/lessons/**.toml", lessons),
]
PLURAL = (1, 2)
KEYWORDS = {
    **dict.fromkeys(("message", "saying", "_", "_p")),
    **dict.fromkeys(("counted", "_n", "_pn"), PLURAL),
}


#: Lines of Babel's header that say nothing here.
_UNUSED = tuple(
    f'"{name}: '
    for name in (
        *("Report-Msgid-Bugs-To", "POT-Creation-Date", "PO-Revision-Date", "Last-Translator"),
        *("Language-Team", "Generated-By"),
    )
)


def template() -> Catalog:
    """Every message in the code."""
    catalog = Catalog(project="tokviz", charset="utf-8")
    found = extract_from_dir(
        ROOT, METHODS, keywords=KEYWORDS, comment_tags=["Translators:"], strip_comment_tags=True
    )
    for name, _line, msgid, comments, _context in found:
        catalog.add(msgid, locations=[(name, 0)], auto_comments=comments)
    for file in sorted((ROOT / "tokviz").rglob("*.py")):
        for msgid in inside_f_strings(file.read_text("utf-8")):
            catalog.add(msgid, locations=[(file.relative_to(ROOT).as_posix(), 0)])
    # The page How it works is this document.
    name = "tokviz/pages/how-it-works.md"
    for paragraph in paragraphs((ROOT / name).read_text("utf-8")):
        catalog.add(paragraph, locations=[(name, 0)])
    return catalog


def inside_f_strings(code: str) -> list[str | tuple[str, ...]]:
    """The messages that are said inside of f-strings, where Babel does not look.

    >>> inside_f_strings("f'<b>{escape(_(\\"One\\"))} {n + 1}</b>'; _('Two')")
    ['One']
    """
    texts = (node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.JoinedStr))
    calls = (node for text in texts for node in ast.walk(text) if isinstance(node, ast.Call))
    found: list[str | tuple[str, ...]] = []
    for call in calls:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        said = [arg.value for arg in call.args[:2] if isinstance(arg, ast.Constant)]
        if name in KEYWORDS and said:
            found.append(said[0] if KEYWORDS[name] is None else tuple(said))
    return found


def po_file(language: str) -> Path:
    return LOCALE / language / "LC_MESSAGES" / "tokviz.po"


def languages() -> list[str]:
    return sorted(path.parents[1].name for path in LOCALE.glob("*/LC_MESSAGES/tokviz.po"))


def read(language: str) -> Catalog:
    with po_file(language).open("rb") as file:
        return read_po(file, locale=language)


def compiled(catalog: Catalog) -> bytes:
    """What gettext reads: translations that nobody has to look at again."""
    # Babel would say the singular where a plural has no translation yet.
    for message in [message for message in catalog if message.id and not all_forms(message)]:
        catalog.delete(message.id)
    # The same catalog gives the same bytes, whenever it is compiled.
    catalog.creation_date = catalog.revision_date = datetime(2026, 1, 1, tzinfo=UTC)
    file = io.BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def update(language: str) -> int:
    """Brings a language up to date; returns how many messages still have no translation."""
    path = po_file(language)
    known = read(language) if path.exists() else Catalog(locale=language, project="tokviz")
    known.update(template(), no_fuzzy_matching=True, update_header_comment=False)
    known.obsolete.clear()
    known.fuzzy = False
    known.header_comment = f"# What tokviz says, in {known.locale.english_name}."
    path.parent.mkdir(parents=True, exist_ok=True)
    # No line numbers: they would change with every line of code.
    for message in known:
        message.locations = sorted({(name, None) for name, _line in message.locations})
    text = io.BytesIO()
    write_po(text, known, sort_by_file=True, width=100, include_lineno=False)
    # The version control knows who and when.
    lines = text.getvalue().decode("utf-8").splitlines(keepends=True)
    path.write_text("".join(x for x in lines if not x.startswith(_UNUSED)), "utf-8")
    path.with_suffix(".mo").write_bytes(compiled(read(language)))
    return sum(bool(message.id) and not all_forms(message) for message in known)


def all_forms(message) -> bool:
    """Whether every form of a message is translated."""
    forms = message.string if isinstance(message.string, tuple | list) else (message.string,)
    return all(forms)


if __name__ == "__main__":
    for language in sys.argv[1:] or languages():
        print(f"{language}: messages without a translation: {update(language)}")
