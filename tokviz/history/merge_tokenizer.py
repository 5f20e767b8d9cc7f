"""The tokenizer of any state of a run of merges, with one of three ways to encode."""

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from tokviz.basics.errors import SettingError
from tokviz.encoding.encoders import LongestMatchEncoder, MergeEncoder, WordEncoder
from tokviz.encoding.longest_token import LongestTokenEncoder
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.base import Ints
from tokviz.text.symbols import Symbol

if TYPE_CHECKING:
    from tokviz.history.merges import MergeHistory


def tokenizer_of(history: "MergeHistory", t: int, encoder: str) -> Tokenizer:
    """The tokenizer of state t; `encoder` is merges, longest-match or longest-token.

    Raises ValueError for an encoder that the run cannot have.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> tokenizer_of(history, 1, "merges").encode("hug").tokens
    ['h', 'ug']
    """
    return Tokenizer(
        history.vocab(t),
        symbols_by_id(history, t),
        history.spelling,
        history.pretokenizer,
        history.special_tokens,
        _encoder(history, t, encoder),
        {i: bytes([byte]) for byte, i in enumerate(_byte_ids(history))},
    )


def symbols_by_id(history: "MergeHistory", t: int) -> list[Symbol | None]:
    """The symbol of every token of state t; None for special tokens."""
    symbols: list[Symbol | None] = [None] * history.vocab_size(t)
    numbered = zip(history.symbols, history.symbol_ids.tolist(), strict=True)
    known = [*islice(numbered, len(history.record.alphabet) + t)]
    # A merge that reused the id of a special token is what encoding makes of that id.
    for symbol, i in reversed(known):
        if not symbol.unknown:
            symbols[i] = symbol
    return symbols


def _encoder(history: "MergeHistory", t: int, name: str) -> WordEncoder:
    if name == "merges":
        return history.merge_encoder(t)
    n_base = len(history.record.alphabet)
    ids = history.symbol_ids[: n_base + t].tolist()
    if name == "longest-match" and history.spelling.continuing_subword_prefix:
        unknown = "[UNK]"
        id_of = dict(zip(history.symbols[: n_base + t], ids, strict=True))
        special = unknown in history.special_tokens
        return LongestMatchEncoder(
            history.spelling, id_of, history.special_tokens.index(unknown) if special else None
        )
    if name == "longest-token":
        return LongestTokenEncoder(history.spelling, longest_first(history, t, history.symbol_ids))
    raise SettingError.saying(
        "encoder={name!r} is not for this {algorithm}; choose merges, longest-token, or "
        "longest-match (which needs a continuing-subword prefix).",
        name=name,
        algorithm=history.algorithm,
    )


def merges_of(history: "MergeHistory", t: int) -> MergeEncoder:
    """The encoder that applies merges 1 to t by rank.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6)
    >>> merges_of(history, 2).gaps("hugs")
    [None, 1, 0, None]
    """
    n_base = len(history.record.alphabet)
    pairs = zip(history.record.left[:t].tolist(), history.record.right[:t].tolist(), strict=True)
    return MergeEncoder(
        history.spelling,
        history.symbol_numbers,
        {pair: (step, n_base + step) for step, pair in enumerate(pairs)},
        history.symbol_ids[: n_base + t].tolist(),
        history.strings,
        _unknown_id(history),
        _byte_ids(history),
    )


def _unknown_id(history: "MergeHistory") -> int | None:
    """The id of what the vocabulary leaves out, for trainers that leave something out."""
    unknown = getattr(history.trainer, "unknown", None)
    return None if unknown is None else history.special_tokens.index(unknown)


def _byte_ids(history: "MergeHistory") -> list[int]:
    """The ids of the 256 bytes that unknown characters become, if they do."""
    if not getattr(history.trainer, "byte_fallback", False):
        return []
    return [history.special_tokens.index(f"<0x{byte:02X}>") for byte in range(256)]


def longest_first(history: "MergeHistory", t: int, ids: Ints) -> list[tuple[Symbol, int]]:
    """The tokens in use, the longest first (a suffix counts as one), then the most frequent,
    then the one met first."""
    in_use, first = np.unique(history.record.state_symbols(t)[0], return_index=True)
    counts, symbols = history.symbol_counts(t), history.symbols
    met = in_use[np.argsort(first)].tolist()
    met.sort(key=lambda s: (-len(symbols[s].text) - symbols[s].ends_word, -counts[s]))
    return [(symbols[s], int(ids[s])) for s in met]
