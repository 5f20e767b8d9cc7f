"""What is said to have been compared with libraries is what tests compare, and where it is said."""

import ast
import datetime
from types import SimpleNamespace

import pytest
from check_against import PAGE, RECORDED, Recorder, marked_tests
from helpers import PATIENCE, ROOT
from packaging.requirements import Requirement
from streamlit.testing.v1 import AppTest

from tokviz.basics.messages import using
from tokviz.pages.checked_against import KINDS, NOTES, page, read, table

CHECKED = read()
WANTED = {
    (wanted := Requirement(line)).name: wanted.specifier
    for line in (ROOT / "tests" / "requirements.txt").read_text("utf-8").splitlines()
    if line[:1].isalpha()
}


def test_each_row_is_made_by_the_tests_that_are_marked_for_it():
    """If not: python tests/check_against.py."""
    found = {(row.library, row.kind, row.what): row.tests for row in CHECKED.rows}
    assert found == marked_tests()
    assert len(found) == len(CHECKED.rows)


def test_every_marked_test_counts():
    """The fixture reads the mark, and the mark means nothing without the fixture."""
    for path in (ROOT / "tests").rglob("test_*.py"):
        text = path.read_text("utf-8")
        # Both have this word in their names.
        for node in ast.parse(text).body if "checked" in text else ():
            if isinstance(node, ast.FunctionDef):
                marks = [m for m in node.decorator_list if "checked_against" in ast.unparse(m)]
                fixture = "checked" in {argument.arg for argument in node.args.args}
                assert bool(marks) == fixture, node.name


@pytest.mark.parametrize("row", CHECKED.rows, ids=lambda row: f"{row.library} {row.what}")
def test_a_row_is_of_a_version_that_the_tests_ask_for(row):
    if row.library in RECORDED:
        assert row.version == RECORDED[row.library]
    else:
        assert row.version in WANTED[row.library]
    assert row.kind in KINDS
    assert row.runs >= len(row.tests)
    assert 0 <= row.different_runs <= row.runs
    assert 0 <= row.different_texts <= row.texts


def test_differences_and_notes_belong_together():
    noted = {(library, kind) for library, kind, _ in NOTES}
    assert noted <= {(row.library, row.kind) for row in CHECKED.rows}
    for row in CHECKED.rows:
        if row.different_runs or row.different_texts:
            assert (row.library, row.kind) in noted


def test_the_page_is_made_of_the_file():
    """If not: python tests/check_against.py page."""
    assert PAGE.read_text("utf-8") == page(CHECKED)
    assert datetime.date.fromisoformat(CHECKED.date)
    for row in CHECKED.rows:
        assert not row.date or datetime.date.fromisoformat(row.date)


def test_a_row_made_later_says_when():
    first, *others = CHECKED.rows
    later = CHECKED._replace(rows=[first._replace(date="2030-01-02"), *others])
    assert f"- {first.library} was compared on 2030-01-02." in table(later)
    assert "2030" not in table(CHECKED)


def test_the_recorder_adds_up_what_passes_and_names_what_says_nothing():
    recorder = Recorder()

    def report(name, *counts, when="call", passed=True, skipped=False):
        said = [("checked", ("lib", "trainer", "bpe", *each)) for each in counts]
        told = {"nodeid": name, "when": when, "passed": passed, "skipped": skipped}
        recorder.pytest_runtest_logreport(SimpleNamespace(user_properties=said, **told))

    report("a", (1, 50, 0, 0), (1, 7, 0, 2), when="call")
    report("a", (1, 50, 0, 0), when="teardown")
    report("b", (3, 0, 1, 0))
    assert dict(recorder.rows) == {("lib", "trainer", "bpe"): [5, 57, 1, 2]}
    assert recorder.silent == []
    report("silent")
    report("failed", (1, 1, 0, 0), passed=False)
    report("skipped", when="setup", passed=False, skipped=True)
    assert recorder.silent == ["silent", "failed", "skipped"]
    assert recorder.rows["lib", "trainer", "bpe"] == [5, 57, 1, 2]


def about_page():
    from tokviz.pages.about import page

    page()


def test_it_stands_on_how_it_works():
    app = AppTest.from_function(about_page, default_timeout=PATIENCE).run()
    [shown] = [e.value for e in app.markdown if e.value.startswith("## Checked against")]
    assert table(CHECKED) in shown
    assert CHECKED.date in shown


def test_it_is_translated():
    english = table(CHECKED)
    with using("zh_CN"):
        chinese = table(CHECKED)
    assert chinese.count("\n") == english.count("\n")
    assert "differ" not in chinese
    assert "sentencepiece-unigram" in chinese
