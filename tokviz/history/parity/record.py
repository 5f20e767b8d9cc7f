"""What a run of parity-aware BPE writes down: a `MergeRecord` whose best rows are those of the
language whose turn it is, and whose log counts all languages together."""

from dataclasses import dataclass

from tokviz.basics.short_repr import short_repr
from tokviz.history.base import Ints
from tokviz.history.merge_record import MergeRecord


@dataclass(frozen=True, eq=False)
class ParityRecord(MergeRecord):
    """The columns of a run of parity-aware BPE."""

    __repr__ = short_repr

    turn: Ints  # per state: the language whose turn it is; −1 where all are counted together
    live: Ints  # per state: how many pairs that language has
    overall: Ints  # per step: the count of its pair in all languages
    lengths: Ints  # per state and language: the tokens by which languages are compared
