"""A history in one file: a NumPy archive (.npz) of its columns and a JSON header.

The file holds no code: loading it never unpickles anything.
"""

import dataclasses
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from tokviz.basics.arguments import check_path
from tokviz.basics.read_only import Record
from tokviz.basics.whole_file import whole_file
from tokviz.formats.boundless_checks import check_across, check_uses
from tokviz.formats.choice_checks import check_choice
from tokviz.formats.earlier_histories import bring_up_to_date
from tokviz.formats.history_checks import (
    HEADER,
    MOST_BYTES,
    HistoryFileError,
    check_archive,
    check_columns,
    check_em,
    check_merges,
    check_numbers,
    check_settings,
    check_spelled,
    check_stop,
    check_strings,
    check_unigram,
    check_white_space_words,
    check_words,
    must,
    with_tuples,
)
from tokviz.formats.packed_texts import header_of, pack, packed_strings, unpack
from tokviz.formats.parity_checks import check_parity, languages_of
from tokviz.formats.picky_checks import check_picky
from tokviz.history.base import History
from tokviz.history.boundless.history import BoundlessHistory, BoundlessRecord
from tokviz.history.boundless.removals import BoundlessRemovalHistory, BoundlessRemovalRecord
from tokviz.history.crossing.history import CrossingHistory, CrossingRecord
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.em_record import EMRecord
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.history.merges import MergeHistory, MergeRecord
from tokviz.history.parity.history import ParityHistory
from tokviz.history.parity.record import ParityRecord
from tokviz.history.picking.history import PickyHistory
from tokviz.history.picking.record import PickyRecord
from tokviz.history.stop import Stop
from tokviz.history.unigram import UnigramHistory, UnigramRecord
from tokviz.pretokenizers import PRETOKENIZERS
from tokviz.text.symbols import Symbol
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import TRAINERS

__all__ = ["VERSION", "HistoryFileError", "load", "save"]

#: Settings that the format did not have at first.
_LATER = {
    "interventions",
    "library_version",
    "auto_character_coverage",
    "version",
    "boundless-bpe.threshold",
}

#: The version of all histories but those of families that programs of before do not read.
VERSION = 3
#: Theirs, and the newest of all.
VERSIONS: dict[type[History], int] = {
    PickyHistory: 4,
    ParityHistory: 5,
    CrossingHistory: 5,
    HuggingFaceUnigramHistory: 6,
    BoundlessHistory: 6,
    BoundlessRemovalHistory: 7,
}
NEWEST = max(VERSIONS.values())
_FORMAT = "tokviz history"
#: The columns that hold texts.
_TEXTS = ("words", "tokens", "development_words")


def save(history: History, path: str | Path | BinaryIO) -> None:
    """Writes a history; the same history gives the same bytes. A file that cannot be written as a
    whole, because the disk is full, is not there; OSError says why."""
    if isinstance(path, str | Path):
        with whole_file(path) as file:
            save(history, file)
        return
    if type(history) not in RECORDS:
        raise HistoryFileError.saying(
            "A history of {algorithm} has no file.", algorithm=history.algorithm
        )
    header: dict[str, Any] = {
        "format": _FORMAT,
        "version": VERSIONS.get(type(history), VERSION),
        "trainer": {"name": history.algorithm, **_settings(history.trainer)},
        "pretokenizer": {
            "name": history.pretokenizer.name,
            **_settings(history.pretokenizer),
        },
        "stop": dataclasses.asdict(history.stop),
    }
    if history.words.white_space_words is not None:
        header["white_space_words"] = history.words.white_space_words
    columns = {
        "words": pack(history.words.words),
        "word_counts": np.asarray(history.words.counts, np.int64),
    }
    if (languages := history.words.languages) is not None:
        header["languages"] = languages.names
        columns["language_counts"] = np.asarray(languages.counts, np.int64)
        columns["development_words"] = pack(languages.development_words)
        columns["development_counts"] = np.asarray(languages.development, np.int64)
    for name in ("line_ends", "alone"):
        if (numbers := getattr(history.words, name)) is not None:
            columns[name] = np.asarray(numbers, np.int64)
    for name, value in vars(history.record).items():
        if isinstance(value, np.ndarray):
            columns[name] = value
        elif name == "tokens":
            columns["tokens"] = pack(value)
        else:
            header[name] = value
    columns[HEADER] = pack([json.dumps(header, ensure_ascii=False)])
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, column in columns.items():
            # A fixed date keeps the bytes the same from run to run.
            info = zipfile.ZipInfo(f"{name}.npy", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(info, "w") as file:
                np.lib.format.write_array(file, np.ascontiguousarray(column), allow_pickle=False)


def load(path: str | Path) -> History:
    """Reads a history that `History.save` wrote.

    Raises HistoryFileError (a FileError) for anything else, among it an archive that would unpack
    to far more than its size, FileError for what is no path, and OSError if the file cannot be
    read.

    >>> import tempfile, tokviz
    >>> history = tokviz.train("low lower", "bpe", 6, "whitespace")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     history.save(Path(folder, "run.npz"))
    ...     load(Path(folder, "run.npz")) == history
    True
    """
    check_path(path)
    with open(path, "rb") as file:
        history = read(file, str(path))
    check_choice(history, str(path))
    return history


def read(file: BinaryIO, name: str, most: int = MOST_BYTES) -> History:
    """The same from an open file, which errors call by `name` and whose columns may have `most`
    bytes.

    >>> import io, tokviz
    >>> saved = io.BytesIO()
    >>> save(tokviz.train("low lower", "bpe", 8), saved)
    >>> len(read(saved, "low.npz").steps)
    2
    """
    try:
        check_archive(file, name, most)
        with np.load(file, allow_pickle=False) as archive:
            header = header_of(archive[f"{HEADER}.npy"])
            _check_version(header, name)
            check_columns(file, name)
            columns = {key: archive[key] for key in archive.files if key != HEADER}
            texts = [columns[key] for key in _TEXTS if key in columns]
            check_strings(sum(map(packed_strings, texts)), name, most)
            bring_up_to_date(header, columns)
            return _history(header, columns, name, most)
    except OSError:
        raise
    except HistoryFileError:
        raise
    except Exception as error:
        raise HistoryFileError.saying(
            "{name} is not a tokviz history, or it is damaged ({error}).",
            name=name,
            error=type(error).__name__,
        ) from error


def _check_version(header: dict[str, Any], name: str) -> None:
    """Refuses what a newer version wrote, before anything else of it is looked at: its columns may
    be others."""
    if header["format"] != _FORMAT:
        raise HistoryFileError.saying("{name} is not a tokviz history.", name=name)
    version = header["version"]
    if type(version) is not int or version < 1:
        raise TypeError
    if version > NEWEST:
        raise HistoryFileError.saying(
            "{name} is a tokviz history of version {version}; this tokviz reads version {reads}. A "
            "newer tokviz wrote it: update this one, or train again.",
            name=name,
            version=version,
            reads=NEWEST,
        )


def _history(
    header: dict[str, Any], columns: dict[str, npt.NDArray[Any]], name: str, most: int
) -> History:
    trainer = dict(header["trainer"])
    kind: Any = TRAINERS[trainer.pop("name")]
    pretokenizer = dict(header["pretokenizer"])
    line_ends, counts = columns.pop("line_ends", None), columns.pop("word_counts")
    alone = columns.pop("alone", None)
    check_numbers(packed_strings(columns["words"]), counts, line_ends, alone)
    words = WordCounts(
        tuple(unpack(columns.pop("words"))),
        tuple(counts.tolist()),
        None if line_ends is None else tuple(line_ends.tolist()),
        white_space_words=header.get("white_space_words"),
        alone=None if alone is None else tuple(alone.tolist()),
        languages=languages_of(header, columns),
    )
    check_white_space_words(words.white_space_words, words.counts, words.alone)
    check_words(len(words), words.counts, words.line_ends)
    made = kind(**with_tuples(trainer))
    cut = PRETOKENIZERS[pretokenizer.pop("name")](**with_tuples(pretokenizer))
    check_settings(made)
    check_settings(cut)
    stop = Stop(**header["stop"])
    check_stop(stop)
    if "tokens" in columns:
        header["tokens"] = unpack(columns.pop("tokens"))
    record = RECORDS[made.makes](Saved(header, columns, made, words, name, most))
    history: History = made.makes(made, cut, words, stop, record)
    return history


class Saved(NamedTuple):
    """What a file says of a record: the header, the columns that are no words, the trainer and the
    words; and what errors call the file, of which `most` bytes may be in memory."""

    header: dict[str, Any]
    columns: dict[str, Any]
    trainer: Any
    words: WordCounts
    name: str
    most: int


def _merges(saved: Saved) -> MergeRecord:
    alphabet = [Symbol(*symbol) for symbol in saved.header["alphabet"]]
    record = MergeRecord(alphabet=alphabet, **saved.columns)
    check_merges(record, saved.words.words, {step for step, _ in saved.trainer.interventions})
    check_spelled(record, saved.name, saved.most)
    return record


def _picky(saved: Saved) -> PickyRecord:
    alphabet = [Symbol(*symbol) for symbol in saved.header["alphabet"]]
    record = PickyRecord(alphabet=alphabet, **saved.columns)
    told = {step for step, _ in saved.trainer.interventions}
    check_picky(record, saved.words.words, told, saved.most)
    check_spelled(record, saved.name, saved.most)
    return record


def _parity(saved: Saved) -> ParityRecord:
    alphabet = [Symbol(*symbol) for symbol in saved.header["alphabet"]]
    record = ParityRecord(alphabet=alphabet, **saved.columns)
    check_parity(record, saved.words, {step for step, _ in saved.trainer.interventions})
    check_spelled(record, saved.name, saved.most)
    return record


def _crossing(saved: Saved) -> CrossingRecord:
    record, border = _merges(saved), saved.header["border"]
    must(type(border) is int and -1 <= border <= len(record.left), "the border")
    return CrossingRecord(**vars(record), border=border)


def _boundless(saved: Saved) -> BoundlessRecord:
    columns = dict(saved.columns)
    kinds = {name: columns.pop(name) for name in ("across", "pair_across")}
    record = BoundlessRecord(**vars(_merges(saved._replace(columns=columns))), **kinds)
    check_across(record)
    return record


def _boundless_removals(saved: Saved) -> BoundlessRemovalRecord:
    columns = dict(saved.columns)
    more = {name: columns.pop(name) for name in ("across", "pair_across", "uses")}
    record = BoundlessRemovalRecord(**vars(_picky(saved._replace(columns=columns))), **more)
    check_across(record)
    check_uses(record)
    return record


def _unigram(saved: Saved) -> UnigramRecord:
    tokens, tied_seeds = saved.header["tokens"], saved.header["tied_seeds"]
    record = UnigramRecord(tokens=tokens, tied_seeds=tied_seeds, **saved.columns)
    check_unigram(record, saved.words.words, saved.trainer.seed_size)
    return record


def _em(saved: Saved) -> EMRecord:
    record = EMRecord(tokens=saved.header["tokens"], **saved.columns)
    # Words that are the same but for how a space is written were trained as one.
    check_em(record, saved.trainer.prepared(saved.words).words, saved.trainer.em_steps)
    return record


#: How the record of a family is made of what its file says, and checked.
RECORDS: dict[type[History], Callable[[Saved], Record]] = {
    MergeHistory: _merges,
    PickyHistory: _picky,
    ParityHistory: _parity,
    CrossingHistory: _crossing,
    BoundlessHistory: _boundless,
    BoundlessRemovalHistory: _boundless_removals,
    UnigramHistory: _unigram,
    SentencePieceUnigramHistory: _em,
    HuggingFaceUnigramHistory: _em,
}


def _settings(part: Any) -> dict[str, Any]:
    """The settings of a trainer or a pre-tokenizer; those of `_LATER` only where they are not the
    usual ones, so that earlier programs read the file."""
    settings = dataclasses.asdict(part)
    for field in dataclasses.fields(part):
        names = {field.name, f"{part.name}.{field.name}"}
        if names & _LATER and settings[field.name] == field.default:
            del settings[field.name]
    return settings
