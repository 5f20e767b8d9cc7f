"""docs/metrics.md: what it works by hand is what comes out, and no metric is missing."""

import re

import pytest
from documents import run_blocks
from helpers import ROOT

from tokviz.analysis.comparison import PAIR_METRICS
from tokviz.analysis.metrics import METRICS
from tokviz.pictures.curves import MEASURES

PAGE = ROOT / "docs" / "metrics.md"
HEADINGS = re.findall("^### (.*)$", PAGE.read_text("utf-8"), re.MULTILINE)


def test_what_is_worked_by_hand_comes_out():
    assert len(run_blocks(PAGE)["words"]) == 3


@pytest.mark.parametrize(
    "label", [*(metric.label for metric in (*METRICS, *PAIR_METRICS)), *MEASURES.values()]
)
def test_every_metric_that_is_shown_has_its_place(label):
    bare = re.sub(r" \(.*\)$", "", label)
    assert bare.replace("Unused tokens", "Unused vocabulary") in HEADINGS


def test_those_without_words_come_first():
    assert HEADINGS[:3] == ["Characters per token", "Bytes per token", "Fertility"]


def test_every_formula_has_a_source_or_needs_none():
    """Counts and quotients are their own source."""
    parts = re.split("^### ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]
    without = {part.split("\n")[0] for part in parts if "\nSource" not in part}
    assert without == {
        *("Characters per token", "Bytes per token", "Corpus tokens", "Vocabulary size"),
        *("Unused vocabulary", "Unknown words", "Held-out fertility"),
    }
