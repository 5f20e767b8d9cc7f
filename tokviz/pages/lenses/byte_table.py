"""A table of characters and their bytes: the UTF-8 bits, and GPT-2's character for each byte."""

from collections.abc import Sequence
from html import escape

from tokviz.basics.messages import _, here, message
from tokviz.encoding.bytes_view import UTF8_LENGTHS, ByteView, CharacterView
from tokviz.player.chips import shown

#: Most characters of a text in the table.
MOST_CHARACTERS = 40

_HEAD = (
    (message("byte"), message("One byte in hexadecimal: two digits of four bits each")),
    (
        message("bits"),
        message("The same byte in bits. The leading ones, underlined, say what it is"),
    ),
    (message("it is"), message("What the leading bits mean in UTF-8")),
    (
        message("byte-level"),
        message("The character that GPT-2 and its like print for this byte"),
    ),
)


def byte_table(views: Sequence[CharacterView]) -> str:
    """Return the HTML of the table, with a group of rows for each character."""
    cells = "".join(
        f'<th scope="col" title="{escape(here(why), quote=True)}">{escape(here(name))}</th>'
        for name, why in _HEAD
    )
    groups = "".join(map(_character, views))
    return f'<table class="tv-bytes"><thead><tr>{cells}</tr></thead>{groups}</table>'


def _character(view: CharacterView) -> str:
    if view.char is None:
        sign = f'<span class="tv-glyph tv-part">{escape(_("part"))}</span>'
        said = " ".join(filter(None, (here(view.code_point), here(view.name))))
        named = f'<span class="tv-broken">{escape(_("broken"))}</span> {escape(said)}'
    else:
        sign = f'<span class="tv-glyph"><bdi>{shown(view.char)}</bdi></span>'
        named = f"<b>{view.code_point}</b> {escape(here(view.name))}"
    head = f'<tr><th colspan="4" scope="rowgroup">{sign}<span>{named}</span></th></tr>'
    return f"<tbody>{head}{''.join(map(_byte, view.bytes))}</tbody>"


def _byte(byte: ByteView) -> str:
    # A byte of an incomplete character also has the reason.
    meaning = escape(here(byte.meaning))
    if byte.role == "broken":
        meaning += f'; <span class="tv-broken">{escape(here(byte.why))}</span>'
    bits = f"<u>{byte.leading}</u>{byte.payload}"
    sign = f"<b>{escape(byte.shown)}</b> {escape(here(byte.shown_why))}"
    return (
        f'<tr><td class="n">{byte.value:02X}</td><td class="n tv-bits">{bits}</td>'
        f"<td>{meaning}</td><td>{sign}</td></tr>"
    )


def length_table() -> str:
    """Return the HTML of a folded table: how many bytes each range of code points takes."""
    rows = "".join(
        f'<tr><td class="n">{length.bytes}</td>'
        f'<td class="n">U+{length.first:04X}–U+{length.last:04X}</td>'
        f'<td class="n tv-bits">{_pattern(length.pattern)}</td></tr>'
        for length in UTF8_LENGTHS
    )
    heads = (_("bytes"), _("code points"), _("bits (x: of the code point)"))
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    said = _(
        "The leading bits are underlined. No byte can be taken for another kind, so a reader who "
        "starts anywhere finds the next character. U+D800–U+DFFF are no characters and are not "
        "used."
    )
    return (
        '<details class="tv-lengths">'
        f"<summary>{escape(_('How many bytes a character takes'))}</summary>"
        f'<table class="tv-bytes"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f'<p class="tv-note">{escape(said)}</p></details>'
    )


def _pattern(pattern: str) -> str:
    return "".join(
        f"<span><u>{byte.rstrip('x')}</u>{'x' * byte.count('x')}</span>" for byte in pattern.split()
    )
