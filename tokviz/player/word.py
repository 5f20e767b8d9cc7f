"""The lens that looks inside one word, as a Streamlit component."""

from tokviz.player.answers import draw_answer


def word_lens(data: bytes, key: str) -> None:
    """Draws an answer of `tokviz.pages.lenses.word_lens.answer`."""
    draw_answer("word", "tv-inside", data, key)
