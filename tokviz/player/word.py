"""The lens that looks inside one word, as a Streamlit component."""

from tokviz.player.answers import draw_answer

#: Shared with the player, and its own; each after those that it imports from.
MODULES = (
    "shared",
    "tokens",
    "packed",
    "dom",
    "answers",
    "column",
    "picture",
    "tree",
    "arcs",
    "merged_word",
    "lattice_word",
    "word",
)


def word_lens(data: bytes, key: str) -> None:
    """Draws an answer of `tokviz.pages.lenses.word_lens.answer`."""
    draw_answer("word", "tv-inside", MODULES, data, key)
