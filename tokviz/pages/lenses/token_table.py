"""The table of distinct tokens in an answer of the page Encode, so that each is sent once."""

from collections.abc import Sequence
from functools import lru_cache

from tokviz.encoding.encoders import Piece
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.history.base import History
from tokviz.player.columns import parts_of
from tokviz.text.symbols import Spelling, Symbol


@lru_cache(maxsize=20_000)
def _shown(spelling: Spelling, symbol: Symbol) -> str | list[str]:
    return parts_of(spelling, [symbol])[0]


class Table:
    """Distinct tokens of an answer: text with markers apart, id, kind, and colour, which is that of
    `history`."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.entries: list[tuple[str | list[str], int | None, str, int]] = []
        self._numbers: dict[tuple[str, int | None, str], int] = {}

    def number(self, tokenizer: Tokenizer, token: str, token_id: int | None, covered: str) -> int:
        """Return the row of a token that covers a text; add it if it is new."""
        if (known := self._numbers.get((token, token_id, ""))) is not None:
            return known
        # A trace may have some that the vocabulary has no more.
        gone = self._history.taken_back.get(token)
        symbol = gone if token_id is None else tokenizer.symbols[token_id]
        kind = "" if symbol else _kind(tokenizer, token, token_id, covered)
        if (known := self._numbers.get((token, token_id, kind))) is not None:
            return known
        shown = _shown(tokenizer.spelling, symbol) if symbol else token
        self.entries.append((shown, token_id, kind, self._history.colour(token)))
        return self._numbers.setdefault((token, token_id, kind), len(self.entries) - 1)

    def numbers(self, tokenizer: Tokenizer, encoding: Encoding, text: str) -> list[int]:
        """Return the rows of all tokens of an encoding."""
        known, found = self._numbers, []
        for token, token_id, (start, end) in zip(
            encoding.tokens, encoding.ids, encoding.offsets, strict=True
        ):
            number = known.get((token, token_id, ""))
            if number is None:
                number = self.number(tokenizer, token, token_id, text[start:end])
            found.append(number)
        return found

    def is_unknown(self, number: int) -> bool:
        """Return whether a row is an unknown token."""
        return self.entries[number][2] == "unknown"


def _kind(tokenizer: Tokenizer, token: str, token_id: int | None, covered: str) -> str:
    """Return "unknown" for an unknown token, "special" for a special one."""
    known = token_id is not None and (covered == token or token_id in tokenizer.bytes_of)
    return "special" if known else "unknown"


def cells_of(
    table: Table, tokenizer: Tokenizer, word: str, pieces: Sequence[Piece]
) -> list[str | int]:
    """Return a segmented word: the rows of its tokens, and the text between them."""
    shown: list[str | int] = []
    at = 0
    for piece in pieces:
        if piece.start > at:
            shown.append(word[at : piece.start])
        shown.append(table.number(tokenizer, piece.token, piece.id, word[piece.start : piece.end]))
        at = max(at, piece.end)
    return [*shown, word[at:]] if at < len(word) else shown
