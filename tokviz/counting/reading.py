"""The documents of a part of a file."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tokviz.counting.errors import CountingError
from tokviz.counting.lines import (
    RECORD_ENDS,
    TEXT_ENDS,
    Cuts,
    chunks_from,
    lines_of_range,
    texts,
)
from tokviz.counting.sources import Source, Tell, bytes_from, needs_pyarrow, opened

#: Bytes of text that are taken out of Parquet at once, about.
_BATCH = 4 << 20


@dataclass(frozen=True)
class Part:
    """What one reads of a file: of text and .jsonl the lines that begin in a range of bytes, of
    Parquet the row groups of a range; to the end if `end` is None. `size` in bytes is for telling
    how far one is."""

    source: Source
    start: int = 0
    end: int | None = None
    size: int = 0


def lines_of(part: Part, tell: Tell, cuts: Cuts | None) -> Iterator[str]:
    """Of a part of a text its lines, many in one text. A long line comes in many texts if there
    are `cuts`."""
    assert part.source.kind == "text"
    with bytes_from(part.source, max(part.start - 1, 0), tell) as file:
        lines = lines_of_range(chunks_from(file), part.start, part.end, TEXT_ENDS)
        for _, text in texts(lines, part.source.name, "\n\r", cuts):
            yield text


def documents_of(part: Part, column: str, tell: Tell) -> Iterator[str]:
    """Of a part of .jsonl or Parquet its documents: one field of every record, one column. A
    record in which it is null has none."""
    return (_rows if part.source.kind == "parquet" else _records)(part, column, tell)


def _records(part: Part, field: str, tell: Tell) -> Iterator[str]:
    name = part.source.name
    with bytes_from(part.source, max(part.start - 1, 0), tell) as file:
        lines = lines_of_range(chunks_from(file), part.start, part.end, RECORD_ENDS)
        for at, text in texts(lines, name, "\n"):
            offset = 0
            for line in text.split("\n"):
                try:
                    document = None if not line or line.isspace() else _field(line, field)
                except CountingError as error:
                    byte = at + len(text[:offset].encode())
                    raise CountingError(f"the record at byte {byte} of {name} {error}") from None
                if document is not None:
                    yield document
                offset += len(line) + 1


def _field(line: str, field: str) -> str | None:
    """One field of a record. Raises CountingError that says what the record is instead."""
    try:
        record = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise CountingError(f"is no JSON ({error}).") from None
    if not isinstance(record, dict) or field not in record:
        has = ", ".join(record)[:100] if isinstance(record, dict) else "none at all"
        raise CountingError(f'has no field "{field}" but {has}; choose one with --field.')
    value = record[field]
    if value is not None and not isinstance(value, str):
        raise CountingError(f'has no text in the field "{field}"; choose another with --field.')
    return value


def parquet_groups(source: Source) -> list[int]:
    """The bytes of each row group of a Parquet file. Raises CountingError if it is none."""
    with opened(source) as file:
        meta = _parquet(file, source.name).metadata
        return [meta.row_group(i).total_byte_size for i in range(meta.num_row_groups)]


def _rows(part: Part, column: str, tell: Tell) -> Iterator[str]:
    name = part.source.name
    arrow = needs_pyarrow("Parquet")
    with opened(part.source) as file:
        table = _parquet(file, name)
        meta, schema = table.metadata, table.schema_arrow
        if column not in schema.names:
            known = ", ".join(schema.names)[:100]
            raise CountingError(
                f'{name} has no column "{column}"; it has {known}. Choose one with --field.'
            )
        kind = schema.field(column).type
        kind = kind.value_type if arrow.types.is_dictionary(kind) else kind
        if not (arrow.types.is_string(kind) or arrow.types.is_large_string(kind)):
            raise CountingError(
                f'the column "{column}" of {name} holds {kind}, not text; choose with --field.'
            )
        for group in range(meta.num_row_groups)[part.start : part.end]:
            rows, size = meta.row_group(group).num_rows, meta.row_group(group).total_byte_size
            # Few long texts or many short ones: about as many bytes.
            at_once = max(1, min(rows, _BATCH * rows // max(size, 1)))
            try:
                for batch in table.iter_batches(at_once, row_groups=[group], columns=[column]):
                    tell(size * len(batch) // max(rows, 1))
                    yield from (text for text in batch.column(0).to_pylist() if text is not None)
            except UnicodeDecodeError:
                raise CountingError(
                    f'the column "{column}" of {name} holds what is no UTF-8, in row group '
                    f"{group}; save it as UTF-8."
                ) from None
            except (arrow.ArrowException, OSError) as error:
                if getattr(error, "errno", None):
                    raise
                raise CountingError(f"{name} is damaged Parquet ({error}).") from None


def _parquet(file: Any, name: str) -> Any:
    arrow = needs_pyarrow(f"{name} is Parquet, which")
    from pyarrow import parquet

    try:
        return parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
    except (arrow.ArrowException, OSError) as error:
        if getattr(error, "errno", None):
            raise
        raise CountingError(f"{name} is no Parquet file, or it is damaged ({error}).") from None
