"""What the ending of a file's name promises, and which files of an export it may stand for."""

import re
from collections.abc import Sequence
from pathlib import Path

from tokviz.formats.exporters.strings import ExportError

#: Endings that mean the same kind of file as the usual one.
_ALSO = {"bpe": ("codes", "txt"), "html": ("htm",)}

#: Endings that everybody, or some program here, takes for a kind of file. Any other ending promises
#: nothing: a folder may be called v1.2.
_KNOWN = re.compile(
    "[ct]sv|parquet|jsonl?|npz|xlsx?|ods|txt|md|html?|svg|jpe?g|gif|webp|pdf|eps|docx|ya?ml|xml|"
    "a?png|mp4|m4v|mov|webm|avi|mkv|py|bpe|codes|model|vocab|tiktoken|zip|gz|bz2|xz|zst|tar|tgz"
)


def check_ending(path: str | Path, format: str, endings: Sequence[str]) -> None:
    """Raises ExportError if the name of a file promises another kind than a format is: one with
    one of the `endings`, or where there are none, several files in a folder. What is a folder
    already may be called anything.

    >>> check_ending("out/curve.CSV", "curve", ["csv", "json"])
    >>> check_ending("curve.svg", "curve", ["csv", "json"])
    Traceback (most recent call last):
    tokviz.formats.exporters.strings.ExportError: curve.svg would be another kind of file: curve \
is written with the ending .csv or .json; give the file one of these, or none.
    >>> check_ending("gpt2.zip", "merges", [])
    Traceback (most recent call last):
    tokviz.formats.exporters.strings.ExportError: gpt2.zip is the name of a file, but merges is \
written into a folder; give the name of a folder.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    allowed = {*endings, *(other for usual in endings for other in _ALSO.get(usual, ()))}
    if not _KNOWN.fullmatch(ending) or ending in allowed or Path(path).is_dir():
        return
    if not endings:
        raise ExportError.saying(
            "{path} is the name of a file, but {format} is written into a folder; give the name of "
            "a folder.",
            path=str(path),
            format=format,
        )
    if len(endings) == 1:
        raise ExportError.saying(
            "{path} would be another kind of file: {format} is written with the ending .{ending}; "
            "give the file this one, or none.",
            path=str(path),
            format=format,
            ending=endings[0],
        )
    raise ExportError.saying(
        "{path} would be another kind of file: {format} is written with the ending {endings} or "
        ".{last}; give the file one of these, or none.",
        path=str(path),
        format=format,
        endings=", ".join(f".{ending}" for ending in endings[:-1]),
        last=endings[-1],
    )
