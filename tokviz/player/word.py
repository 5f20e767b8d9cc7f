"""The lens "A word", as a Streamlit component."""

from tokviz.player.answers import draw_answer


def word_lens(data: bytes, key: str) -> None:
    """Draw an answer of `tokviz.pages.lenses.word_lens.answer`."""
    draw_answer("word", "tv-inside", data, key)
