"""History files may come from anybody: what is not as a run would have written it is refused."""

import io
import zipfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields
from math import prod
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from tokviz.basics.errors import FileError
from tokviz.formats.packed_texts import STRING_BYTES
from tokviz.history.em_record import ACTIONS, EMRecord
from tokviz.history.merge_record import TOP, MergeRecord
from tokviz.history.stop import Stop
from tokviz.history.unigram import UnigramRecord
from tokviz.narration.stops import why_ended
from tokviz.text.given_corpus import MAX_TOTAL

#: The column that says which version wrote the file, and what it is of.
HEADER = "header"

#: Bytes that all columns may have when they are unpacked.
MOST_BYTES = 2_000_000_000

#: Up to so many bytes no more is asked; above it columns may be so many times the file.
FREE_BYTES, MOST_TIMES = 50_000_000, 100


class HistoryFileError(FileError):
    """A file that is no history; the message says what it is instead, as far as can be told.

    >>> import io
    >>> from tokviz.formats.history_file import read
    >>> read(io.BytesIO(b"a text"), "notes.txt")
    Traceback (most recent call last):
    tokviz.formats.history_checks.HistoryFileError: notes.txt is not a tokviz history, or \
it is damaged (BadZipFile).
    """


def check_archive(file: BinaryIO, name: str, most: int = MOST_BYTES) -> None:
    """Refuses an archive before anything of it is unpacked: too large, unpacked to far more than
    its size, a header that is no column. Leaves the file where it begins.

    Raises HistoryFileError, or zipfile.BadZipFile for what is no archive.
    """
    size = file.seek(0, io.SEEK_END)
    _check_members(file, name, size, most)
    file.seek(0)


def _check_members(whole: BinaryIO, name: str, size: int, most: int) -> None:
    with zipfile.ZipFile(whole) as archive:
        members = archive.infolist()
        unpacked = sum(member.file_size for member in members)
        if len(members) > 100 or len({member.filename for member in members}) < len(members):
            raise HistoryFileError.saying(
                "{name} is not a tokviz history: it holds too many parts.", name=name
            )
        if unpacked > most:
            raise HistoryFileError.saying(
                "{name} would unpack to {unpacked:,} bytes; at most {most:,} are opened here.",
                name=name,
                unpacked=unpacked,
                most=most,
            )
        if unpacked > max(FREE_BYTES, MOST_TIMES * size):
            raise HistoryFileError.saying(
                "{name} would unpack to {unpacked:,} bytes from {size:,}, which no history does.",
                name=name,
                unpacked=unpacked,
                size=size,
            )
        _check_column(archive, archive.getinfo(f"{HEADER}.npy"), name)


def check_columns(whole: BinaryIO, name: str) -> None:
    """Refuses an archive with a column that is not what its own header says. Leaves the file where
    it was."""
    at = whole.tell()
    with zipfile.ZipFile(whole) as archive:
        for member in archive.infolist():
            _check_column(archive, member, name)
    whole.seek(at)


def _check_column(archive: zipfile.ZipFile, member: zipfile.ZipInfo, name: str) -> None:
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, _, dtype = read(file)
        held = member.file_size - file.tell()
        plain = dtype.kind in "iufb" and len(shape) <= 2
        if not plain or prod(shape) * dtype.itemsize != held:
            raise HistoryFileError.saying(
                "{name} is damaged: {part} is no column.", name=name, part=member.filename
            )


def check_strings(strings: int, name: str, most: int) -> None:
    """Raises HistoryFileError for so many strings that memory would hold more than `most` bytes of
    them, however short they are."""
    if strings * STRING_BYTES > most:
        raise HistoryFileError.saying(
            "{name} would unpack to {unpacked:,} bytes; at most {most:,} are opened here.",
            name=name,
            unpacked=strings * STRING_BYTES,
            most=most,
        )


def check_numbers(strings: int, *columns: npt.NDArray[Any] | None) -> None:
    """Raises ValueError for columns that are not one whole number a string."""
    for column in columns:
        if column is not None:
            fits = column.dtype.kind in "iu" and column.shape == (strings,)
            must(fits, "the numbers of words")


def check_words(words: int, counts: Iterable[int], line_ends: Iterable[int] | None) -> None:
    """Raises ValueError for counts that are not one positive number a word.

    >>> check_words(2, [1, 3], None)
    """
    counts = list(counts)
    must(len(counts) == words and all(count > 0 for count in counts), "the counts of words")
    if line_ends is not None:
        ends = list(line_ends)
        must(len(ends) == words and all(end >= 0 for end in ends), "the line ends")


def check_white_space_words(
    number: Any, counts: Sequence[int] = (), alone: Sequence[int] | None = None
) -> None:
    """Raises ValueError for what is no number of words; None is that of a file without one. And for
    words that are `alone` more often than they occur, or together more often than that number.

    >>> check_white_space_words(3, [2, 5], [2, 1])
    """
    known = type(number) is int and 0 <= number <= MAX_TOTAL
    must(number is None or known, "the white-space words")
    if alone is not None:
        fits = known and len(alone) == len(counts) and sum(alone) <= number
        fits = fits and all(0 <= n <= count for n, count in zip(alone, counts, strict=True))
        must(fits, "the words that are white-space words by themselves")


def with_tuples(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings from JSON: what it made lists of were tuples.

    >>> with_tuples({"unit": "byte", "special_tokens": ["<s>"]})
    {'unit': 'byte', 'special_tokens': ('<s>',)}
    """
    return {k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()}


def check_settings(settings: Any) -> None:
    """Raises ValueError for a trainer or pre-tokenizer whose settings are not of the kind of their
    defaults.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> check_settings(make_pretokenizer("bert", normalize=True))
    """
    for field in fields(settings):
        value, kind = getattr(settings, field.name), type(field.default)
        fits = type(value) is kind or (kind is float and type(value) is int)
        # What runs were told to do they have checked themselves.
        if kind is tuple and field.name != "interventions":
            fits = fits and all(isinstance(item, str) for item in value)
        must(fits, f"the setting {field.name}")


def check_stop(stop: Stop) -> None:
    """Raises any error for a reason that no sentence can be made of, or only one with something
    else in it than numbers and texts.

    >>> check_stop(Stop("size", 60))
    """
    counted = type(stop.asked) is int and type(stop.reached) is int
    plain = all(type(value) in (int, float, str) for value in stop.values.values())
    must(counted and plain, "why it ended")
    why_ended(stop)


def check_merges(record: MergeRecord, texts: Sequence[str], told: Collection[int]) -> None:
    """Raises ValueError for a record of merges whose columns do not fit each other or the words.
    `told` are the steps that were told what to merge: no other may merge what is not the best."""
    r, steps, alphabet = record, len(record.left), len(record.alphabet)
    check_integers(vars(r))
    check_size("the steps", steps, r.right)
    for column in (r.left, r.right):
        must(bool((column >= 0).all() and (column < alphabet + np.arange(steps)).all()), "a merge")
    check_tables(r, texts)
    must(bool((r.log_starts[1:] > r.log_starts[:-1]).all()), "the log")
    check_merged(r, r.merged, r.left, r.right, told)


def check_merged(
    record: MergeRecord,
    merged: npt.NDArray[Any],
    left: npt.NDArray[Any],
    right: npt.NDArray[Any],
    told: Collection[int],
) -> None:
    """Raises ValueError unless the merges of a record are of these pairs, and the best ones but for
    those that were told."""
    same = (record.pair_left[merged] == left) & (record.pair_right[merged] == right)
    must(bool(same.all()), "the pairs that were merged")
    # Each asks for a whole score table.
    must({*record.forced.tolist()} <= {*told}, "the steps that were told what to merge")


def check_tables(record: MergeRecord, texts: Sequence[str]) -> None:
    """Raises ValueError unless the pairs, the states, the log and the words of a record fit each
    other and the texts of the words."""
    r, steps, alphabet = record, len(record.left), len(record.alphabet)
    states, pairs, symbols = steps + 1, len(record.pair_left), alphabet + steps
    words = len(texts)
    # The many numbers that each state has bound the number of states.
    must(r.top_pair.shape == r.top_count.shape == (states, TOP), "the best rows")
    check_size("the ties", states, r.tied)
    check_size("the pairs", pairs, r.pair_right)
    check_within("the pairs", symbols, r.pair_left, r.pair_right)
    check_size("the log", len(r.log_pair), r.log_count)
    check_within("the log", pairs, r.log_pair)
    check_size("the states", states, r.log_starts, r.known)
    check_rising("the log", r.log_starts, 0, len(r.log_pair))
    check_rising("the pairs that are known", r.known, 0, pairs)
    frames = len(r.keyframe_states)
    must(frames > 0 and int(r.keyframe_states[0]) == 0, "the keyframes")
    check_rising("the keyframes", r.keyframe_states, 0, states)
    check_size("the keyframes", frames + 1, r.keyframe_starts)
    _starts("the keyframes", r.keyframe_starts, len(r.keyframe_pair))
    check_size("the keyframes", len(r.keyframe_pair), r.keyframe_count)
    check_within("the keyframes", pairs, r.keyframe_pair)
    must(not r.top_pair.size or -1 <= r.top_pair.min() <= r.top_pair.max() < pairs, "a best row")
    check_size("the words", words + 1, r.starts)
    _starts("the words", r.starts, len(r.symbols))
    check_size("the gaps", len(r.symbols), r.gaps)
    check_within("the words", alphabet, r.symbols)
    check_within("the gaps", steps + 1, r.gaps)
    first = r.gaps[r.starts[:-1][np.diff(r.starts) > 0]]
    must(bool((first == steps).all()), "the gaps")


def check_spelled(record: MergeRecord, name: str, most: int) -> None:
    """Raises HistoryFileError if the symbols of a record are spelled with more than `most`
    characters in all: thirty merges, each of a symbol with itself, make a billion of one."""
    lengths, total = [len(symbol.text) for symbol in record.alphabet], 0
    for left, right in zip(record.left.tolist(), record.right.tolist(), strict=True):
        # What is taken back has nothing on its right.
        lengths.append(lengths[left] + (lengths[right] if right >= 0 else 0))
        total += lengths[-1]
        if total > most:
            raise HistoryFileError.saying(
                "{name} would unpack to {unpacked:,} bytes; at most {most:,} are opened here.",
                name=name,
                unpacked=total,
                most=most,
            )


def check_unigram(record: UnigramRecord, texts: Sequence[str], seeds: int) -> None:
    """Raises ValueError for a record of Unigram whose columns do not fit each other, the words or
    the number of seeds that was asked for."""
    r, states, tokens = record, len(record.loss), len(record.tokens)
    must(tokens <= max(seeds, len(set().union(*texts))), "the tokens")
    # A round removes a token at least.
    must(states <= tokens + 1, "the states")
    must(states > 0 and isinstance(r.tied_seeds, int), "the states")
    must(len(set(r.tokens)) == tokens and all(r.tokens), "the tokens")
    check_integers(
        {name: vars(r)[name] for name in ("counts", "removed_at", "delta_starts", "starts")}
    )
    check_size("the tokens", tokens, r.counts, r.removed_at)
    must(not tokens or r.removed_at.min() >= 0, "the tokens")
    # A token that never occurs has no probability.
    counts = r.counts.tolist()
    must(all(count > 0 for count in counts) and sum(counts) < 2**63, "the counts of tokens")
    check_size("the deltas", states + 1, r.delta_starts)
    _starts("the deltas", r.delta_starts, len(r.delta))
    removed = np.minimum(r.removed_at, states - 1).astype(np.int64)
    gone = np.bincount(removed, minlength=states)[: states - 1]
    must(bool((gone > 0).all()), "the rounds")
    alive = tokens - np.concatenate([[0], np.cumsum(gone)])
    must(bool((np.diff(r.delta_starts) == alive).all()), "the deltas")
    _cuts(r.cuts, r.starts, states, texts)


def check_em(record: EMRecord, texts: Sequence[str], iterations: int) -> None:
    """Raises ValueError for a record of SentencePiece's Unigram whose columns do not fit each
    other, the words as they were trained, or the number of EM steps in a round."""
    r, states, tokens = record, len(record.loss), len(record.tokens)
    rows, pruned = len(record.token), len(record.prune_loss)
    must(len(set(r.tokens)) == tokens and all(r.tokens), "the tokens")
    names = ("actions", "state_starts", "token", "frequency", "unknown", "prune_starts")
    check_integers({name: vars(r)[name] for name in (*names, "alternative", "alternative_starts")})
    check_size("the steps", states - 1, r.actions)
    check_within("the steps", len(ACTIONS), r.actions)
    check_size("the states", states + 1, r.state_starts)
    check_size("the states", states, r.unknown)
    _starts("the states", r.state_starts, rows)
    check_size("the pieces", rows, r.log_prob, r.count, r.frequency)
    check_within("the pieces", tokens, r.token)
    _em_steps(r, iterations)
    prunings = np.flatnonzero(r.actions == ACTIONS.index("prune"))
    check_size("the prunings", len(prunings) + 1, r.prune_starts)
    _starts("the prunings", r.prune_starts, pruned)
    sizes = np.diff(r.state_starts)[prunings]
    must(bool((np.diff(r.prune_starts) == sizes).all()), "the prunings")
    check_size("the prunings", pruned, r.prune_split)
    must(len(r.exact_delta) in (0, pruned), "the exact deltas")
    check_size("the alternatives", pruned + 1, r.alternative_starts)
    _starts("the alternatives", r.alternative_starts, len(r.alternative))
    check_within("the alternatives", tokens, r.alternative)
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    _cuts(r.cuts, starts, states, texts)


def _em_steps(record: EMRecord, iterations: int) -> None:
    """A run has so many EM steps in a round at most, and no piece comes back but in the end."""
    final = record.actions == ACTIONS.index("finalize")
    must(not final[:-1].any(), "the steps")
    others = np.flatnonzero(record.actions != ACTIONS.index("em"))
    bounds = np.concatenate([[-1], others, [len(final)]])
    must(bool((np.diff(bounds) <= iterations + 1).all()), "the EM steps")
    # The library prunes nothing if all pieces are safe.
    grows = np.diff(np.diff(record.state_starts).astype(np.int64))
    must(bool((grows[~final] <= 0).all()), "the pieces")


def _cuts(
    cuts: npt.NDArray[Any], starts: npt.NDArray[Any], states: int, texts: Sequence[str]
) -> None:
    lengths = [len(text) for text in texts]
    check_size("the words", len(texts) + 1, starts)
    must(np.diff(starts).tolist() == lengths and int(starts[0]) == 0, "the words")
    wanted = (states, (sum(lengths) + 7) // 8)
    must(cuts.dtype == np.uint8 and cuts.shape == wanted, "the cuts")


def must(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(f"{what} do not fit the rest")


def check_integers(columns: dict[str, Any]) -> None:
    for name, column in columns.items():
        if isinstance(column, np.ndarray):
            must(column.dtype.kind in "iu" and column.ndim >= 1, f"the numbers of {name}")


def check_size(what: str, size: int, *columns: npt.NDArray[Any]) -> None:
    must(all(len(column) == size for column in columns), what)


def check_within(what: str, end: int, *columns: npt.NDArray[Any]) -> None:
    for column in columns:
        must(not column.size or (column.min() >= 0 and column.max() < end), what)


def check_rising(what: str, column: npt.NDArray[Any], first: int, last: int) -> None:
    # Not by differences, which would take eight bytes of memory for each byte of the file.
    fits = column.ndim == 1 and (not column.size or (column[0] >= first and column[-1] <= last))
    must(bool(fits and (column[1:] >= column[:-1]).all()), what)


def _starts(what: str, column: npt.NDArray[Any], end: int) -> None:
    check_rising(what, column, 0, end)
    must(int(column[0]) == 0 and int(column[-1]) == end, what)
