"""Gathers texts to measure on, from the documentation that a Debian machine already has.

`python tests/benchmarks/gather_texts.py FOLDER` writes docs-5.txt and docs-30.txt (millions of
characters, always the same on the same machine) and, if the package bible-kjv is there, kjv.txt.
Put pg16457.txt next to them for the published figures. The texts are not ours to pass on: never
commit them.
"""

import gzip
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCES = ("/usr/share/doc", "/usr/share/perl", "/usr/lib/python3")
SIZES = (5, 30, 40)
MOST_OF_A_FILE = 1_000_000


def texts() -> Iterator[str]:
    """What can be read as UTF-8 text below the sources, in the order of the paths."""
    for source in SOURCES:
        for path in sorted(Path(source).rglob("*")):
            if not path.is_file() or path.is_symlink():
                continue
            try:
                data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else None
                text = (data or path.read_bytes())[:MOST_OF_A_FILE].decode("utf-8")
            except (OSError, EOFError, UnicodeDecodeError):
                continue
            if "\0" not in text:
                yield text


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    found, length = [], 0
    for text in texts():
        found.append(text)
        length += len(text)
        if length >= SIZES[-1] * 1_000_000:
            break
    whole = "".join(found)
    for size in SIZES:
        cut = whole[: size * 1_000_000]
        (folder / f"docs-{size}.txt").write_text(cut, encoding="utf-8")
        print(f"docs-{size}.txt: {len(cut):,} characters")
    if shutil.which("bible"):
        said = subprocess.run(["bible", "gen1:1-rev22:21"], capture_output=True, check=True)
        (folder / "kjv.txt").write_bytes(said.stdout)
        print(f"kjv.txt: {len(said.stdout):,} bytes")


if __name__ == "__main__":
    main()
