"""Whatever the browser side shows is a message: no English stands in the scripts beside them."""

import re

import pytest

from tokviz.player.assets import JS, MESSAGE

LITERAL = r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`'
#: A literal that is shown or read aloud: as an attribute, as the text or the child of an element.
ATTRIBUTES = ("aria-label", "aria-valuetext", "placeholder", "title")
SHOWN = [
    re.compile(rf'\b(?:{"|".join(ATTRIBUTES)}|textContent)"?(?: =|:|,) ({LITERAL})'),
    re.compile(rf"\bmake\(\s*\"\w+\", \{{[^{{}}]*\}}, ({LITERAL})"),
    re.compile(rf"\b(?:button|new Option|Error)\(({LITERAL})"),
]
#: Two words, or one with a capital letter: what people read looks so, wherever it stands.
READ = re.compile(r"[A-Za-z]{2,} [a-z]{2,}|^[A-Z][a-z]+(?:[ .:]|$)")
#: Names of keys, of measurements and classes of elements look so as well.
NOT_SHOWN = {
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"),
    *("Enter", "Escape"),
    *("tokviz mount", "tokviz answer", "tokviz word", "auto em", "auto rem", "px px"),
    # Streamlit's, that is looked for.
    "Connection error",
    *("chip special", "rule tv-term", "label numbers", "label start", "label end"),
    *("line later", "mark later", "mark new", "note tie"),
}
SCRIPTS = sorted(JS.glob("*.js"))


def without_comments(code):
    return re.sub(r"^\s*(?://|/\*\*?|\*).*$|\s// .*$", "", code, flags=re.M)


def own_text(literal):
    """What a literal says by itself: without the values that are put into it."""
    inside = literal[1:-1]
    if literal[0] == "`":
        inside = re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", "", inside)
    return inside.strip()


def texts_beside_messages(code):
    """Literals that people read, and that no translation knows."""
    code = MESSAGE.sub("", without_comments(code))
    shown = [literal for pattern in SHOWN for literal in pattern.findall(code)]
    found = [literal for literal in shown if re.search(r"[A-Za-z]{2}", own_text(literal))]
    for literal in re.findall(LITERAL, code):
        text = own_text(literal)
        classes = text.startswith("tv-") or re.search(r"[({\[]", text)
        if READ.search(text) and text not in NOT_SHOWN and not classes:
            found.append(literal)
    return [literal for literal in found if own_text(literal) not in ATTRIBUTES]


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_all_that_a_script_shows_is_a_message(path):
    assert texts_beside_messages(path.read_text("utf-8")) == []


@pytest.mark.parametrize(
    "code",
    [
        'make("p", { class: "tv-note" }, "tokens")',
        'make("section", { "aria-label": "tokens" })',
        'element.setAttribute("aria-label", "tokens")',
        "note.textContent = `${n} tokens`",
        'button("Play", "play", go)',
        'new Option("fast", 8)',
        'return tied ? "vocabulary order" : ""',
        'const known = { a: "Loss" }',
        "said = `after ${number(n)} steps of ${last}`",
        'made.title = "later"',
    ],
)
def test_a_text_that_is_no_message_is_found(code):
    assert texts_beside_messages(code)


@pytest.mark.parametrize(
    "code",
    [
        'make("p", { class: "tv-note more" }, _("tokens"))',
        '_n("{n} token goes", "{n} tokens go", n)',
        '// "Some words"',
        "run.setAttribute(`aria-pressed`, on)",
    ],
)
def test_what_nobody_reads_needs_no_message(code):
    assert not texts_beside_messages(code)
