"""Tables as files: CSV that no spreadsheet takes for formulas, Parquet, and JSON.

Text is written as it is, with these exceptions, whatever the format:

- A lone surrogate, for which UTF-8 has no bytes, is written as its number: `⟨D800⟩`.
- In CSV, NUL is written `⟨0000⟩`, since many readers end a cell there.
- In CSV, text that a spreadsheet could take for a formula begins with an apostrophe: see `defused`.
"""

import io
import json
import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from tokviz.basics.errors import SettingError

if TYPE_CHECKING:
    import pandas as pd

#: The formats that tables are written in, and their media types.
TABLE_FORMATS: dict[str, str] = {
    "csv": "text/csv",
    "parquet": "application/vnd.apache.parquet",
    "json": "application/json",
}

_SURROGATE = re.compile("[\ud800-\udfff]")
#: What spreadsheets may skip at the start of a cell: white space, and what cannot be seen.
_SKIPPED = (
    r"[\s\x00-\x20\x7f-\xa0\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202f\u205f-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)
#: The signs that begin a formula, in their wide and small forms as well.
_FORMULA = re.compile(rf"'*(?:[\t\r\n]|{_SKIPPED}*[=+\-@＝＋－＠﹢﹣﹦﹫])")
_QUOTED = re.compile('[",\r\n]')


def table_bytes(frame: "pd.DataFrame", format: str) -> bytes:
    """A table as the bytes of a file in one of `TABLE_FORMATS`. The index is left out.

    CSV has a header, UTF-8, and LF at the end of each line; a cell without a value is empty, a list
    is written as JSON. JSON is a list of records, one a line, with integers as integers and null
    for what has no value. Numbers are written so that they read back the same.

    Raises ValueError for another format, and for Parquet if pyarrow, which writes it, is missing.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"token": ["a,b", "=1"], "count": [2, 1], "loss": [0.5, None]})
    >>> print(table_bytes(frame, "csv").decode(), end="")
    token,count,loss
    "a,b",2,0.5
    '=1,1,
    >>> print(table_bytes(frame, "json").decode(), end="")
    [
    {"token": "a,b", "count": 2, "loss": 0.5},
    {"token": "=1", "count": 1, "loss": null}
    ]
    """
    if format == "csv":
        return _csv(frame)
    if format == "parquet":
        return _parquet(frame)
    if format == "json":
        return _json(frame)
    raise SettingError.saying(
        "format={format!r} is not known; choose one of {choices}.",
        format=format,
        choices=", ".join(TABLE_FORMATS),
    )


def defused(text: str) -> str:
    """A text as no spreadsheet takes it for a formula: with an apostrophe before it if it begins,
    after white space and what cannot be seen, with = + - or @ (wide and small forms included), or
    right away with a tab or a line end.

    So is such a text with apostrophes before it. That makes the way back certain: a cell that this
    function would change has been changed, and its first apostrophe is not its own. Numbers are no
    text and stay as they are.

    Source: OWASP, CSV Injection.

    >>> defused("=1+1"), defused(" @x"), defused("'-"), defused("a=b"), defused("'tis")
    ("'=1+1", "' @x", "''-", 'a=b', "'tis")
    """
    return f"'{text}" if _FORMULA.match(text) else text


def _csv(frame: "pd.DataFrame") -> bytes:
    columns = [[_cell(value) for value in values] for values in _columns(frame)]
    header = [_cell(str(name)) for name in frame.columns]
    lines = [header, *zip(*columns, strict=True)]
    return "".join(",".join(line) + "\n" for line in lines).encode("utf-8")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, list):
        value = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, str):
        return str(value)
    text = defused(value.replace("\0", "⟨0000⟩"))
    return '"' + text.replace('"', '""') + '"' if _QUOTED.search(text) else text


def _json(frame: "pd.DataFrame") -> bytes:
    names = [str(name) for name in frame.columns]
    rows = zip(*_columns(frame), strict=True)
    records = (json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False) for row in rows)
    return ("[\n" + ",\n".join(records) + "\n]\n").encode("utf-8")


def _parquet(frame: "pd.DataFrame") -> bytes:
    import pandas as pd

    written = pd.DataFrame(
        {
            str(name): column if _is_number(column) else pd.Series(values, dtype=object)
            for (name, column), values in zip(
                frame.reset_index(drop=True).items(), _columns(frame), strict=True
            )
        }
    )
    file = io.BytesIO()
    try:
        written.to_parquet(file, engine="pyarrow", index=False)
    except ImportError:
        raise SettingError.saying(
            "Parquet needs the package pyarrow; install it with: pip install pyarrow, or choose "
            "csv or json."
        ) from None
    return file.getvalue()


def _is_number(column: "pd.Series[Any]") -> bool:
    import pandas as pd

    return pd.api.types.is_numeric_dtype(column.dtype)


def _columns(frame: "pd.DataFrame") -> list[list[Any]]:
    """The values of every column as Python's own: None where there is no value, lists for what
    holds several, text that UTF-8 can hold."""
    return [_values(frame.iloc[:, i].tolist()) for i in range(len(frame.columns))]


def _values(values: Iterable[Any]) -> list[Any]:
    return [_value(value) for value in values]


def _value(value: Any) -> Any:
    import pandas as pd

    if isinstance(value, str):
        return _SURROGATE.sub(lambda found: f"⟨{ord(found[0]):X}⟩", value)
    if isinstance(value, list | tuple | np.ndarray):
        return _values(value)
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or value is pd.NA or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value
