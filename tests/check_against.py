"""Runs the tests that compare tokviz with other libraries, and writes down what they compared:
`python tests/check_against.py` makes tokviz/pages/checked_against.json and docs/checked-against.md.
`python tests/check_against.py only LIBRARY` makes the rows of one library anew, with their date.
`python tests/check_against.py page` makes the page anew, of the numbers that are there.

It tries all there is (`--long`), and writes nothing if a test fails.
"""

import ast
import json
import platform
import sys
from collections import defaultdict
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest
import record_boundless_bpe
import record_picky_bpe
import record_sentencepiece
import record_super_bpe

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tokviz.pages.checked_against import FILE, Checked, Row, page, read  # noqa: E402 (wherever this is run)

PAGE = ROOT / "docs" / "checked-against.md"
#: Programs that are no packages, and a version beside the installed one: what they did is recorded.
RECORDED = {
    "boundlessbpe": record_boundless_bpe.COMMIT,
    "picky_bpe": record_picky_bpe.COMMIT,
    "sentencepiece, newer": record_sentencepiece.NEWER,
    "tokenizers-superbpe": record_super_bpe.COMMIT,
}


class Recorder:
    """Adds up what the tests have compared."""

    def __init__(self):
        self.rows = defaultdict(lambda: [0, 0, 0, 0])
        self.silent = []

    def pytest_runtest_logreport(self, report):
        if report.when != "call" and not report.skipped:
            return
        found = [value for name, value in report.user_properties if name == "checked"]
        if not (found and report.passed):
            self.silent.append(report.nodeid)
            return
        for library, kind, what, *counts in found:
            row = self.rows[library, kind, what]
            row[:] = map(sum, zip(row, counts, strict=True))


def marked_tests():
    """The tests that compare with a library: (library, kind, what) and their names, as the source
    has them."""
    found = defaultdict(list)
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        text = path.read_text("utf-8")
        for node in ast.parse(text).body if "mark.checked_against" in text else ():
            for mark in getattr(node, "decorator_list", []):
                if "mark.checked_against" in ast.unparse(mark):
                    key = tuple(argument.value for argument in mark.args)
                    found[key].append(f"{path.relative_to(ROOT).as_posix()}::{node.name}")
    return dict(found)


def main(only=None):
    """0 if all tests have passed (or all of one library) and the two files are written."""
    recorder, tests = Recorder(), marked_tests()
    tests = {key: names for key, names in tests.items() if only in (None, key[0])}
    files = sorted({name.partition("::")[0] for names in tests.values() for name in names})
    words = ["-m", "checked_against", "--long", "-q", "--rootdir", str(ROOT)]
    status = pytest.main([*words, *(str(ROOT / name) for name in files)], plugins=[recorder])
    if status or recorder.silent:
        print("Nothing is written: not every test has passed and counted what it compared.")
        print(*recorder.silent, sep="\n")
        return 1
    rows = [
        Row(*key, RECORDED.get(key[0]) or version(key[0]), *recorder.rows[key], names)
        for key, names in sorted(tests.items())
    ]
    found = Checked(datetime.now(UTC).date().isoformat(), platform.python_version(), rows)
    if only:
        before, rows = read(), [row._replace(date=found.date) for row in rows]
        rows += [row for row in before.rows if row.library != only]
        found = before._replace(rows=sorted(rows))
    found = found._asdict() | {"rows": [row._asdict() for row in found.rows]}
    FILE.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return write_page()


def write_page():
    """0, once the page holds what the file does."""
    PAGE.write_text(page(read()), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(write_page() if sys.argv[1:] == ["page"] else main(*sys.argv[2:]))
