"""The text field of the page Encode with what becomes of its text, as a Streamlit component."""

from tokviz.player.answers import draw_answer


def encoder(data: bytes, key: str) -> None:
    """Draws an answer of `tokviz.pages.lenses.encoded.answer`."""
    draw_answer("encoder", "tv-encoder", data, key)
