"""Files of parity-aware BPE may come from anybody, too."""

from collections.abc import Collection
from typing import Any

import numpy as np
import numpy.typing as npt

from tokviz.formats.history_checks import check_merges, check_size, must
from tokviz.formats.packed_texts import unpack
from tokviz.history.parity.record import ParityRecord
from tokviz.text.word_counts import Languages, WordCounts


def languages_of(header: dict[str, Any], columns: dict[str, Any]) -> Languages | None:
    """The languages that a file tells of, which it then has no columns of any more."""
    if "languages" not in header:
        return None
    names, counts = header["languages"], columns.pop("language_counts")
    words = unpack(columns.pop("development_words"))
    measured = columns.pop("development_counts")
    must(len({*names}) == len(names) > 0, "the languages")
    must(all(type(name) is str and name for name in names), "the languages")
    _check_counts(counts, len(names))
    must(not words or measured.ndim == 2, "the development texts")
    if len(measured):
        _check_counts(measured, len(names))
        must(measured.shape[1] == len(words) == len({*words}), "the development texts")
        must(all(words), "the development texts")
    return Languages(
        tuple(names),
        tuple(map(tuple, counts.tolist())),
        tuple(words),
        tuple(map(tuple, measured.tolist())),
    )


def _check_counts(counts: npt.NDArray[Any], languages: int) -> None:
    must(counts.dtype == np.int64 and counts.ndim == 2, "the counts of languages")
    must(len(counts) == languages and not (counts < 0).any(), "the counts of languages")


def check_parity(record: ParityRecord, words: WordCounts, told: Collection[int]) -> None:
    """Raises ValueError for a record of parity-aware BPE whose columns do not fit each other or the
    words. `told` is as in `check_merges`."""
    r, steps = record, len(record.left)
    names = words.languages.names if words.languages else ()
    if words.languages:
        counts = np.asarray(words.languages.counts, np.int64)
        must(counts.sum(axis=0).tolist() == [*words.counts], "the counts of languages")
    must(r.lengths.ndim == 2 and r.lengths.shape[0] == steps + 1, "the lengths")
    must(not len(words) or r.lengths.shape[1] == len(names), "the lengths")
    must(not (r.lengths < 0).any(), "the lengths")
    check_size("the turns", steps + 1, r.turn, r.live)
    check_size("the turns", steps, r.overall)
    must(not len(r.turn) or -1 <= r.turn.min() <= r.turn.max() < max(1, len(names)), "the turns")
    check_merges(r, words.words, told)
