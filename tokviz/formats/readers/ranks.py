"""A tokenizer of ranks, whatever file they came in: tiktoken runs them.

tiktoken merges any two neighbours whose bytes together have a rank, the lowest first, and takes a
word at once that has one. The merges are recovered for those who want to see them one by one.

Source: openai/tiktoken, src/lib.rs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tokviz.basics.messages import message
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.formats.readers.bounded_json import MOST_ID, TokenizerFileError, brief, check_texts
from tokviz.formats.readers.given_encoders import RankEncoder, byte_symbol
from tokviz.formats.readers.hf_described import MOST_SHOWN
from tokviz.formats.readers.library import Host
from tokviz.formats.readers.opened_parts import (
    GivenTokenizer,
    OpenedPretokenizer,
    some_tokens,
)
from tokviz.text.symbols import Spelling, Symbol

#: Bytes of one token; the longest that is in use has 128.
MOST_TOKEN_BYTES = 512


@dataclass(frozen=True)
class Ranks:
    """What a file says: the rank of each byte string, which is its id, `pattern`, which cuts a text
    into words, in tiktoken's syntax, and the ids of `special` tokens.

    Raises TokenizerFileError if two tokens have the same id, or a byte has none.

    >>> single = {bytes([byte]): byte for byte in range(256)}
    >>> Ranks("a.json", single, ".", {"<s>": 256}).size
    257
    >>> Ranks("a.json", single, ".", {"<s>": 0})
    Traceback (most recent call last):
    ...
    tokviz.formats.readers.bounded_json.TokenizerFileError: Two tokens of 'a.json' have the same \
rank.
    """

    name: str
    rank_of: Mapping[bytes, int] = field(repr=False)
    pattern: str
    special: Mapping[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        ids = [*self.rank_of.values(), *self.special.values()]
        if len(set(ids)) < len(ids):
            raise TokenizerFileError.saying(
                "Two tokens of {name} have the same rank.", name=brief(self.name)
            )
        for byte in range(256):
            if bytes([byte]) not in self.rank_of:
                raise TokenizerFileError.saying(
                    "{name} has no rank for the byte {byte:02X}; every byte needs one.",
                    name=brief(self.name),
                    byte=byte,
                )
        if max(ids) > MOST_ID:
            raise TokenizerFileError.saying(
                "Ids above {most_id:,} are not possible.", most_id=MOST_ID
            )
        check_texts(message("the special tokens"), self.special)

    @property
    def size(self) -> int:
        """One more than the largest id."""
        return max([*self.rank_of.values(), *self.special.values()]) + 1


def open_ranks(ranks: Ranks, kind: str, notes: Sequence[str], host: Host) -> OpenedTokenizer:
    """The tokenizer of some ranks. `kind` is the format of their file, `notes` are what is to be
    said of it, `host` runs the library.

    Special tokens have ids and are decoded; in a text they are read as text, as `encode_ordinary`
    of tiktoken does.

    Raises TokenizerFileError if the library refuses the ranks or the pattern.
    """
    rank_of = ranks.rank_of
    library = host("tiktoken", {**rank_of}, ranks.pattern, {**ranks.special})
    tokens = [b""] * ranks.size
    for token, rank in rank_of.items():
        tokens[rank] = token
    symbols: list[Symbol | None] = [byte_symbol(token) if token else None for token in tokens]
    plain = [symbol.text if symbol else "" for symbol in symbols]
    for text, number in ranks.special.items():
        plain[number] = text
    spelling = Spelling(unit="byte")
    tokenizer = GivenTokenizer(
        plain,
        symbols,
        spelling,
        OpenedPretokenizer(library),
        (),
        RankEncoder(
            spelling,
            {byte_symbol(bytes([byte])): rank_of[bytes([byte])] for byte in range(256)},
            {},
            range(ranks.size),
            plain,
            whole=_words(rank_of),
            rank_of=rank_of,
            bytes_of=tokens,
        ),
    )
    ids = {symbol: rank for rank, symbol in enumerate(symbols) if symbol is not None}
    merges = GivenMerges(spelling, tuple(plain), ids, rank_of=ids)
    notes = [
        *notes,
        message(
            "The merges are reconstructed: each token is split into the two parts that lower "
            "ranks make of it. The autopsy counts the tokens that have no such parts."
        ),
    ]
    facts: dict[str, str] = {
        message("Vocabulary size"): f"{len(rank_of) + len(ranks.special):,}",
        message("Merges"): message("reconstructed"),
        message("Pre-tokenizer"): f"Split ({brief(ranks.pattern, MOST_SHOWN)})",
        message("Special tokens"): some_tokens([*ranks.special])
        if ranks.special
        else message("none in the file"),
    }
    # What it refuses it refuses here.
    library.about()
    return OpenedTokenizer(
        ranks.name, kind, "BPE", facts, tuple(notes), tokenizer, merges, pattern=ranks.pattern
    )


def _words(rank_of: Mapping[bytes, int]) -> dict[str, int]:
    words = {}
    for token, rank in rank_of.items():
        try:
            words[token.decode("utf-8")] = rank
        except UnicodeDecodeError:
            continue
    return words
