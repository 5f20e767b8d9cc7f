"""Counted words as Parquet: a row a word, in first-seen order.

    word        count   alone   line_ends   word_bytes
    " the"      13721   13698   41          null

`alone` is how often the word is a white-space word by itself (if they were counted, and if no words
were left out), `line_ends` is there for SentencePiece's pre-tokenizer only, `word_bytes` only where
a word has half of a surrogate pair, which `word` cannot hold: it is UTF-8 that has it as three
bytes. The file's metadata say under `tokviz` how the words were counted, and beside `alone` how
many white-space words the text has.
"""

import dataclasses
import json
import re
from typing import Any, BinaryIO

from tokviz.counting.errors import CountingError
from tokviz.counting.sources import needs_pyarrow
from tokviz.formats.history_checks import (
    check_settings,
    check_white_space_words,
    check_words,
    with_tuples,
)
from tokviz.pretokenizers import PRETOKENIZERS
from tokviz.pretokenizers.blocks import decoded, encoded
from tokviz.pretokenizers.normalizer import VERSIONS
from tokviz.text.given_corpus import MAX_TOTAL
from tokviz.text.word_counts import CountedWords, WordCounts

_KEY, _FORMAT, _VERSION = b"tokviz", "tokviz word counts", 1
_HALF = re.compile("[\ud800-\udfff]")
#: Rows that are written at once.
ROWS = 1 << 18


def write_table(counted: CountedWords, file: str | BinaryIO) -> None:
    """Writes counted words, to a path or a file. Raises CountingError if pyarrow is missing."""
    arrow = needs_pyarrow("writing Parquet")
    from pyarrow import parquet

    words = counted.words
    halves = any(map(_has_half, words.words))
    columns = [("word", arrow.string()), ("count", arrow.int64())]
    numbers = {"alone": words.alone, "line_ends": words.line_ends}
    known = {name: column for name, column in numbers.items() if column is not None}
    columns += [(name, arrow.int64()) for name in known]
    if halves:
        columns.append(("word_bytes", arrow.binary()))
    schema = arrow.schema(columns, {_KEY: json.dumps(_described(counted)).encode()})
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        for start in range(0, len(words), ROWS):
            rows = slice(start, start + ROWS)
            some = words.words[rows]
            values: list[Any] = [[_shown(word) for word in some] if halves else some]
            values.append(words.counts[rows])
            values += [column[rows] for column in known.values()]
            if halves:
                values.append([encoded(word) if _has_half(word) else None for word in some])
            writer.write_table(arrow.table(dict(zip(schema.names, values, strict=True)), schema))


def _described(counted: CountedWords) -> dict[str, Any]:
    cutter, white_space_words = counted.pretokenizer, counted.words.white_space_words
    known = {} if white_space_words is None else {"white_space_words": white_space_words}
    settings = dataclasses.asdict(cutter)
    if settings.get("version") == VERSIONS[0]:
        # So that earlier programs read the table.
        del settings["version"]
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "pretokenizer": {"name": cutter.name, **settings},
        "special_tokens": counted.special_tokens,
        "settings": dict(counted.settings),
        **known,
    }


def _has_half(word: str) -> bool:
    return _HALF.search(word) is not None


def _shown(word: str) -> str:
    return word.encode("utf-8", "replace").decode() if _has_half(word) else word


def read_table(path: str) -> CountedWords:
    """Reads what `write_table` wrote. Raises CountingError for anything else, and OSError if the
    file cannot be read."""
    arrow = needs_pyarrow(f"{path} is Parquet, which")
    from pyarrow import parquet

    try:
        with open(path, "rb") as file:
            table = parquet.ParquetFile(file)
            described = (table.schema_arrow.metadata or {}).get(_KEY)
            if described is None:
                raise CountingError(
                    f"{path} is no table of counted words; if it holds texts, count them first: "
                    f"python -m tokviz count {path} --out words.parquet."
                )
            return _counted(json.loads(described), table.read())
    except CountingError:
        raise
    except OSError as error:
        if error.errno:
            raise
        raise _damaged(path, error) from None
    except (
        *(arrow.ArrowException, ValueError, KeyError),
        *(TypeError, AttributeError, RecursionError),
    ) as error:
        raise _damaged(path, error) from None


def _damaged(path: str, error: Exception) -> CountingError:
    return CountingError(f"{path} is no table of counted words, or it is damaged ({error}).")


def _counted(described: dict[str, Any], table: Any) -> CountedWords:
    if described["format"] != _FORMAT or described["version"] != _VERSION:
        raise ValueError(f"{described['format']} of version {described['version']}")
    if not isinstance(described["settings"], dict):
        raise TypeError("the settings")
    made = with_tuples(described["pretokenizer"])
    cutter = PRETOKENIZERS[made.pop("name")](**made)
    check_settings(cutter)
    words: list[Any] = table.column("word").to_pylist()
    if "word_bytes" in table.column_names:
        exact = table.column("word_bytes").to_pylist()
        words = [w if b is None else decoded(b) for w, b in zip(words, exact, strict=True)]
    counts = table.column("count").to_pylist()
    ends, alone = (
        tuple(table.column(name).to_pylist()) if name in table.column_names else None
        for name in ("line_ends", "alone")
    )
    if not all(type(number) is int for number in [*counts, *(ends or ()), *(alone or ())]):
        raise ValueError("counts that are no whole numbers")
    check_words(len(words), counts, ends)
    if not all(isinstance(word, str) and word for word in words) or len(set(words)) < len(words):
        raise ValueError("a word that is empty, missing or there twice")
    if sum(len(word) * count for word, count in zip(words, counts, strict=True)) > MAX_TOTAL:
        raise ValueError("more than 2**53 characters")
    special = described["special_tokens"]
    if not isinstance(special, list) or not all(isinstance(token, str) for token in special):
        raise ValueError("the special tokens")
    white_space_words = described.get("white_space_words")
    check_white_space_words(white_space_words, counts, alone)
    return CountedWords(
        WordCounts(
            tuple(words), tuple(counts), ends, white_space_words=white_space_words, alone=alone
        ),
        cutter,
        tuple(special),
        with_tuples(described["settings"]),
    )
