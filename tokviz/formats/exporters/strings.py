"""The vocabulary of a state as a library holds it: one string an id, and no two alike.

tokviz tells a marker from the same characters typed in a text; a library has strings only. What
would be written alike, or be found by a library where tokviz does not find it, is refused here.
"""

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from tokviz.basics.errors import FileError
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.text.symbols import Spelling, Symbol
from tokviz.trainers.bpe import MergeTrainer
from tokviz.trainers.wordpiece import WordPiece

#: What the unknown token is called where a run has several to choose from.
UNKNOWN_NAMES = ("<unk>", "[UNK]")


class ExportError(FileError):
    """A run that cannot be written exactly in a format; the message says why and what to change."""


def merges_by(history: History, trainer: type[MergeTrainer]) -> MergeHistory | None:
    """The history, if it is one of merges that such a trainer made."""
    if isinstance(history, MergeHistory) and isinstance(history.trainer, trainer):
        return history
    return None


class Unknown(NamedTuple):
    """The token for what the vocabulary lacks: its string, and whether it is a token of the run.
    If not, it gets the first id that is free."""

    string: str
    own: bool


def plain_strings(history: MergeHistory, t: int) -> dict[str, int]:
    """The strings of state t with their ids, in the order of the ids.

    >>> import tokviz
    >>> plain_strings(tokviz.train("low low", "bpe", 5, special_tokens=["<s>"]), 0)
    {'<s>': 0, 'l': 1, 'o': 2, 'w': 3, 'Ġ': 4}
    """
    n = len(history.record.alphabet) + t
    ids = history.symbol_ids[:n].tolist()
    found = {string: i for i, string in enumerate(history.special_tokens)}
    for symbol, i in zip(history.symbols[:n], ids, strict=True):
        if not symbol.unknown:
            found[history.spelling.plain(symbol)] = i
    return dict(sorted(found.items(), key=lambda item: item[1]))


def merge_pairs(history: MergeHistory, t: int) -> Iterator[tuple[str, str]]:
    """The two strings that each merge up to state t joins."""
    plain, symbols = history.spelling.plain, history.symbols
    record = history.record
    for left, right in zip(record.left[:t].tolist(), record.right[:t].tolist(), strict=True):
        yield plain(symbols[left]), plain(symbols[right])


def unknown_of(history: MergeHistory) -> Unknown | None:
    """The unknown token; None for a run that has every byte.

    >>> import tokviz
    >>> unknown_of(tokviz.train("low", "bpe", 4))
    Unknown(string='<unk>', own=False)
    """
    if has_every_byte(history):
        return None
    names = ("[UNK]",) if isinstance(history.trainer, WordPiece) else UNKNOWN_NAMES
    own = [name for name in names if name in history.special_tokens]
    return Unknown(own[0] if own else names[0], bool(own))


def has_every_byte(history: MergeHistory) -> bool:
    """Whether the alphabet is that of bytes, and whole."""
    bare = {s for s in history.record.alphabet if not s.continuing and not s.ends_word}
    spelling = history.spelling
    marked = spelling.continuing_subword_prefix or spelling.end_of_word_suffix
    return spelling.unit == "byte" and not marked and len(bare) == 256


def check_text(texts: Iterable[str]) -> None:
    """Raises ExportError if a token cannot be written as UTF-8."""
    for text in texts:
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise ExportError.saying(
                "The corpus holds a lone surrogate (half a character), which no file of this "
                "format can; take it out, or train on bytes."
            )


def check_learned(pieces: Iterable[str]) -> None:
    """Raises ExportError if there are none: a library loads no Unigram model that is empty."""
    if not any(pieces):
        raise ExportError.saying(
            "The run has no piece besides special ones, and no library loads such a Unigram model; "
            "train on a text with at least one word."
        )


def check_strings(history: MergeHistory) -> None:
    """Raises ExportError if a library that knows strings only would mix up two tokens of the run.

    The last state is looked at, which holds the tokens of all others.
    """
    spelling, special = history.spelling, history.special_tokens
    if spelling.end_of_word_suffix and not spelling.suffix_glued:
        raise ExportError.saying(
            'The end-of-word suffix "{suffix}" is a symbol of its own here; in this format it is a '
            "part of a word's last symbol. Train with suffix_glued=True.",
            suffix=spelling.end_of_word_suffix,
        )
    symbols = [symbol for symbol in history.symbols if not symbol.unknown]
    check_text(symbol.text for symbol in symbols)
    _check_mark(spelling, symbols)
    ids = {string: i for i, string in enumerate(special)}
    by_symbol = dict(zip(history.symbols, history.symbol_ids.tolist(), strict=True))
    for symbol in symbols:
        string, i = spelling.plain(symbol), by_symbol[symbol]
        if ids.setdefault(string, i) != i or (i < len(special) and special[i] != string):
            raise ExportError.saying(
                'Two tokens would both be written "{string}": one is typed in the corpus, in the '
                "other it is a marker or a special token. Take it out of the corpus, choose "
                "another marker, or train on bytes.",
                string=string,
            )
    unknown = unknown_of(history)
    if unknown and unknown.string in map(spelling.plain, symbols):
        raise ExportError.saying(
            'The run learned a token "{token}", which is what the unknown one is called in this '
            "format; take it out of the corpus.",
            token=unknown.string,
        )
    for string, i in ids.items():
        for read in _readings(history, string):
            if by_symbol.get(read) != i:
                raise ExportError.saying(
                    'The token "{string}" can be read in two ways, as text and as a marker with '
                    "text, and the library would take the one that the run does not have. Take it "
                    "out of the corpus or the special tokens, or choose another marker.",
                    string=string,
                )


def _check_mark(spelling: Spelling, symbols: Iterable[Symbol]) -> None:
    mark = spelling.space_mark
    typed = spelling.unit == "char" and mark != " "
    if typed and any(mark in symbol.text for symbol in symbols):
        raise ExportError.saying(
            'The corpus holds "{mark}" itself, which stands for a space in this format. Take it '
            "out of the corpus, or train on bytes.",
            mark=mark,
        )


def _readings(history: MergeHistory, string: str) -> Iterator[Symbol]:
    """The symbols as which a library may look the string up: in BPE single characters with their
    markers, in WordPiece any string."""
    spelling, wordpiece = history.spelling, isinstance(history.trainer, WordPiece)
    prefix, suffix = spelling.continuing_subword_prefix, spelling.end_of_word_suffix
    for inside, ends in product(
        [False, True][: 1 + bool(prefix)], [False, True][: 1 + bool(suffix)]
    ):
        if (inside and not string.startswith(prefix)) or (ends and not string.endswith(suffix)):
            continue
        text = string[len(prefix) * inside : len(string) - len(suffix) * ends]
        if wordpiece and not inside and string.startswith(prefix):
            continue  # no text spells the prefix by the time that it is looked up
        spaced = spelling.space_mark != " " and spelling.space_mark in text
        if not text or (len(text) > 1 and not (wordpiece and (inside or spaced))):
            continue
        typed = spelling.unit == "char" and not (inside or ends or spaced)
        if typed and string in history.special_tokens:
            # A special token is cut out of a text before its characters are looked at.
            continue
        if spelling.unit == "char":
            text = text.replace(spelling.space_mark, " ")
        yield Symbol(text, inside, ends)


def run_ends(history: History, t: int | None) -> int:
    """The state that is meant. Raises IndexError for one that the run does not have."""
    t = len(history) if t is None else t
    history.check_state(t)
    return t
