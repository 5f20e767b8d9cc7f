"""The text field of the page Encode with what becomes of its text, as a Streamlit component."""

from tokviz.player.answers import draw_answer

#: Shared with the player, and its own; each after those that it imports from.
MODULES = (
    "shared",
    "tokens",
    "packed",
    "dom",
    "tab",
    "answers",
    "column",
    "trace",
    "sampling",
    "word_panel",
    "bytes",
    "encoder",
)


def encoder(data: bytes, key: str) -> None:
    """Draws an answer of `tokviz.pages.lenses.encoded.answer`."""
    draw_answer("encoder", "tv-encoder", MODULES, data, key)
