"""Pack a lane as the app shows it: its history with the beginning of its text."""

from tokviz.history.base import History
from tokviz.player.pack import pack
from tokviz.player.web_page import MOST_CHARACTERS, MOST_FREQUENT, MOST_WORDS
from tokviz.text.languages import without_headers
from tokviz.text.pieces import excerpt


def packed_lane(history: History, text: str | None, label: str, lanes: int) -> bytes:
    """Return a packed history with texts in the current language; without a `text`, it is one of a
    word-count table. Lanes share the number of corpus words drawn, so that several lanes are drawn
    as fast as one."""
    lines = None
    if text is not None:
        most = MOST_WORDS // lanes, MOST_CHARACTERS // lanes
        lines = excerpt(
            without_headers(text, history.words),
            history.pretokenizer,
            history.special_tokens,
            *most,
        )
    return pack(history, label, lines, MOST_FREQUENT)
