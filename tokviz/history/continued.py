"""The history of a training that goes on from a tokenizer that somebody else trained.

The vocabulary of the file is there from the first state, with its own ids, and the words are cut by
it: what merging starts from are the file's tokens. New tokens get the ids after the last one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tokviz.basics.errors import SettingError
from tokviz.basics.read_only import read_only
from tokviz.encoding.continued import ContinuedEncoder
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.base import Ints, character_bytes
from tokviz.history.merges import MergeHistory, Vocabulary
from tokviz.text.symbols import Spelling, Symbol, SymbolTable


def file_symbols(opened: OpenedTokenizer) -> list[Symbol]:
    """A symbol for every id of a file: what is no text of its own, such as an added token, is one
    that is unknown."""
    tokenizer = opened.tokenizer
    return [
        Symbol(string, unknown=True) if symbol is None else symbol
        for string, symbol in zip(tokenizer.strings, tokenizer.symbols, strict=True)
    ]


class ContinuedTable(SymbolTable):
    """Symbols by number, with the ids of a file for those of the alphabet, and new ones for merges.

    >>> table = ContinuedTable(Spelling(), [Symbol("b")], [7], ["", "", "", "", "", "", "", "b"], 9)
    >>> table.merge(0, 0), table.ids, len(table), table.strings()[7:], table.shown()
    (True, [7, 9], 10, ['b', '', 'bb'], ['b', 'bb'])
    """

    def __init__(
        self,
        spelling: Spelling,
        alphabet: Sequence[Symbol],
        ids: Sequence[int],
        strings: Sequence[str],
        next_id: int,
    ) -> None:
        super().__init__(spelling, (), ())
        self.symbols, self.ids = [*alphabet], [*ids]
        self._shown = [strings[i] for i in ids]
        self._strings = [*strings, *[""] * (next_id - len(strings))]

    def __len__(self) -> int:
        return len(self._strings)

    def merge(self, left: int, right: int) -> bool:
        """Adds what merging two symbols gives, which is new."""
        self.symbols.append(self.symbols[left] + self.symbols[right])
        self.ids.append(len(self._strings))
        self._shown.append(self.spelling.show(self.symbols[-1]))
        self._strings.append(self._shown[-1])
        return True

    def shown(self) -> list[str]:
        """Every symbol as displayed, those of the file as it displays them."""
        return self._shown

    def strings(self) -> list[str]:
        """The vocabulary in id order; "" where no token has an id."""
        return self._strings


@dataclass(frozen=True, repr=False, eq=False)
class ContinuedHistory(MergeHistory):
    """The record of a training that goes on from an opened tokenizer. See `History` for the
    questions, and `tokviz.train`.

    `vocab_size(t)` is the number of ids: one more than the greatest.
    """

    @property
    def opened(self) -> OpenedTokenizer:
        """The tokenizer that the training goes on from."""
        opened: OpenedTokenizer = self.trainer.opened
        return opened

    @cached_property
    def _replay(self) -> tuple[Vocabulary, Ints, Ints]:
        """See `MergeHistory`; the vocabulary of the file is there from the start."""
        table = start_table(self.opened, self.record.alphabet)
        first = len(table)
        for left, right in zip(self.record.left.tolist(), self.record.right.tolist(), strict=True):
            table.merge(left, right)
        births = np.concatenate([np.zeros(first, np.int64), np.arange(1, len(self) + 1)])
        return table, read_only(births), read_only(np.arange(first, len(table) + 1))

    @property
    def _settings(self) -> tuple[Any, ...]:
        # A file that is opened twice has cut words alike, by functions that are not the same.
        return (self.trainer,)

    @cached_property
    def symbol_bytes(self) -> Ints:
        """Of several tokens that spell one character the first has its bytes."""
        first, sizes = self.opened.tokenizer.encoder, list[int]()
        if self.spelling.unit == "byte":
            lengths = [len(symbol.text) for symbol in self.record.alphabet]
            return read_only(np.asarray(lengths, np.int64)[self.record.symbols])
        for word in self.words.words:
            before = np.concatenate([[0], np.cumsum(character_bytes(word))])
            pieces = [piece for piece in first.encode(word) if piece.id is not None]
            # What is left out between two tokens goes with the first one.
            starts = [0, *(piece.start for piece in pieces[1:])]
            ends = [*starts[1:], len(word)][: len(pieces)]
            sizes += [int(before[end] - before[at]) for at, end in zip(starts, ends, strict=False)]
        return read_only(np.asarray(sizes, np.int64))

    def starting_symbols(self, word: str) -> Sequence[Symbol]:
        """See `History`: the tokens of the file."""
        return self._all_merges.symbols(word)

    def starting_spans(self, word: str) -> list[tuple[int, int]]:
        """See `MergeHistory`."""
        return self._all_merges.spans(word, ())

    def vocab_symbols(self, t: int) -> list[Symbol | None]:
        new = self.symbols[len(self.record.alphabet) :][:t]
        gap = [None] * (self.vocab_size(0) - len(self.opened.tokenizer.symbols))
        return [*self.opened.tokenizer.symbols, *gap, *new]

    @property
    def encoders(self) -> list[str]:
        return ["merges"]

    def tokenizer(self, t: int | None = None, encoder: str | None = None) -> Tokenizer:
        """The file's tokenizer with the merges up to state t."""
        t = len(self) if t is None else t
        self.check_state(t)
        if encoder not in (None, "merges"):
            raise SettingError.saying(
                "encoder={encoder!r} is not for a run that goes on from a file; choose merges.",
                encoder=encoder,
            )
        merges = self.encoder_of(t)
        return self.opened.tokenizer.extended(self.vocab(t), self.vocab_symbols(t), merges)

    def encoder_of(self, t: int) -> ContinuedEncoder:
        """The encoder of the file, and then merges 1 to t. Numbers are those of the record; tokens
        of the file that it has none for come after them."""
        of_file, base = file_symbols(self.opened), len(self.record.alphabet)
        number = {symbol: i for i, symbol in enumerate(self.record.alphabet)}
        ids, shown = self.symbol_ids.tolist(), [*self.strings]
        for i, symbol in enumerate(of_file):
            if symbol not in number:
                number[symbol] = len(ids)
                ids.append(i)
                shown.append(self.opened.tokenizer.strings[i])
        sides = zip(self.record.left[:t].tolist(), self.record.right[:t].tolist(), strict=True)
        return ContinuedEncoder(
            self.spelling,
            number,
            {pair: (step, base + step) for step, pair in enumerate(sides)},
            ids,
            shown,
            first=self.opened.tokenizer.encoder,
            symbol_of=of_file,
        )

    @cached_property
    def _all_merges(self) -> ContinuedEncoder:
        return self.encoder_of(len(self))

    def save(self, _path: str | Path) -> None:
        """Raises SettingError: the file is a part of the run, and not of its history."""
        raise SettingError.saying(
            "A run that goes on from a file is not saved as a history: keep the file and the text, "
            "and train again, or export the tokenizer."
        )


def start_table(opened: OpenedTokenizer, alphabet: Sequence[Symbol]) -> ContinuedTable:
    """The symbols of an alphabet, which are tokens of the file, with their ids."""
    id_of: Mapping[Symbol, int] = {
        symbol: i for i, symbol in reversed([*enumerate(file_symbols(opened))])
    }
    strings, spelling = opened.tokenizer.strings, opened.tokenizer.spelling
    ids = [id_of[symbol] for symbol in alphabet]
    return ContinuedTable(spelling, alphabet, ids, strings, opened.next_id)
