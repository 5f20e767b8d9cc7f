"""What files mean that tokviz writes: exported tokenizers, tables, pages, histories.

A page is unpacked here as the player does it (`run.js`), without the code that packed it.
"""

import csv
import gzip
import io
import json
import re
from base64 import b64decode, b85decode
from html import unescape
from pathlib import PurePath
from typing import Any

import numpy as np
from compat import meaning, today

_RUNS = re.compile(r'<script type="text/plain" id="tokviz-runs">([^<]*)</script>')
_TITLE = re.compile(r"<h1[^>]*>(.*?)</h1>", re.S)
_FACT = re.compile(r"<dt>(.*?)</dt><dd><bdi>(.*?)</bdi></dd>", re.S)
#: What the header of a run says to people.
SENTENCES = (
    *("label", "stopped", "rule_help", "reasons", "narration", "announcement", "agreement"),
    "spelling",
)
_LANG = re.compile(r'<html lang="([^"]*)"')


def of_file(name: str, data: bytes) -> Any:
    """What a file means, by the ending of its name; a text is what it says."""
    ending = PurePath(name).suffix
    if ending == ".json":
        return of_json(data)
    if ending == ".model":
        return of_model(data)
    if ending == ".npz":
        return meaning.of_history(today.load(data, name))
    if ending == ".html":
        return of_page(data.decode("utf-8"))
    if ending == ".parquet":
        return of_parquet(data)
    if ending == ".csv":
        return list(csv.reader(io.StringIO(data.decode("utf-8"), newline="")))
    return data.decode("utf-8")


def of_json(data: bytes | str) -> Any:
    """JSON with its floats as bits. Lines of several objects are a list of them."""
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    hooks = {"parse_float": lambda said: meaning.whole(float(said))}
    try:
        return json.loads(text, **hooks)
    except ValueError:
        return [json.loads(line, **hooks) for line in text.splitlines()]


def of_model(data: bytes) -> Any:
    """Every field of a SentencePiece model, as the library's own format names it."""
    from sentencepiece import sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString(data)
    return _fields(model)


def _fields(message: Any) -> Any:
    if hasattr(message, "ListFields"):
        return {field.name: _fields(value) for field, value in message.ListFields()}
    if isinstance(message, float):
        return meaning.bits(message)
    if isinstance(message, bool | int | str | bytes):
        return message
    return [_fields(part) for part in message]


def of_parquet(data: bytes) -> Any:
    """The columns of a table, and what is said about it."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(io.BytesIO(data))
    said = table.schema.metadata or {}
    own = {name.decode(): value for name, value in said.items() if b"tokviz" in name}
    return {"columns": {name: _plain(table[name].to_pylist()) for name in table.column_names}} | {
        "said": own
    }


def _plain(value: Any) -> Any:
    if isinstance(value, float):
        return meaning.bits(value)
    return [_plain(item) for item in value] if isinstance(value, list) else value


def of_page(page: str) -> dict[str, Any]:
    """The runs of a web page with the player, and what stands above and below it: what it says,
    its numbers, and its floats."""
    packed = _RUNS.search(page)[1]
    # Earlier pages have it in base64, in which gzip begins so.
    decode = b64decode if packed.startswith("H4sI") else b85decode
    data = gzip.decompress(decode(packed.replace(",", "<")))
    head, rest = _headed(data, b"TVZB")
    facts = [[unescape(part) for part in fact] for fact in _FACT.findall(page)]
    about = {"title": unescape(_TITLE.search(page)[1]), "language": _LANG.search(page)[1]}
    found: dict[str, Any] = {"about": {**about, "facts": facts}, "lanes": len(head["lanes"])}
    found["opens at"] = {name: head[name] for name in ("links", "start", "align", "look")}
    for lane, (at, size) in enumerate(head["lanes"]):
        for part, values in _run(rest[at : at + size]).items():
            found[f"{part} of lane {lane}"] = values
    return found


def _headed(data: bytes, mark: bytes) -> tuple[dict[str, Any], bytes]:
    assert data[:4] == mark
    end = 8 + int.from_bytes(data[4:8], "little")
    return json.loads(data[8:end]), data[end:]


def _run(data: bytes) -> dict[str, Any]:
    header, rest = _headed(data, b"TVZ1")
    columns, floats = dict[str, Any](), dict[str, Any]()
    for name, (kind, at, size) in header.pop("arrays").items():
        values = np.frombuffer(rest, kind, size, at)
        # A column is written in the smallest kind that holds it.
        if values.dtype.kind == "f" and (values != np.trunc(values)).any():
            floats[name] = meaning.bits(values)
        else:
            columns[name] = meaning.ints(values)
    said = {name: header.pop(name) for name in SENTENCES if name in header}
    return {"sentences": said, "header": header, "columns": columns, "floats": floats}
