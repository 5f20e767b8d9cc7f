"""The page Encode's text field and its tokens, as a Streamlit component."""

from tokviz.player.answers import draw_answer


def encoder(data: bytes, key: str) -> None:
    """Draw an answer of `tokviz.pages.lenses.encoded.answer`."""
    draw_answer("encoder", "tv-encoder", data, key)
