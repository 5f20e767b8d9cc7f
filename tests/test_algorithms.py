"""docs/algorithms.md: its examples run, and nothing that can be chosen is missing."""

import re
from dataclasses import fields

import pytest
from documents import run_blocks
from helpers import ROOT

from tokviz.history.ties import RULES
from tokviz.pretokenizers import PRETOKENIZERS
from tokviz.trainers import TRAINERS
from tokviz.trainers.sentencepiece_settings import SentencePieceSettings

PAGE = (ROOT / "docs" / "algorithms.md").read_text("utf-8")
#: What stands below each heading of the second level, by the heading.
SECTIONS = dict(part.split("\n", 1) for part in re.split("^## ", PAGE, flags=re.MULTILINE)[1:])
HEADINGS = re.findall("^##+ (.*)$", PAGE, re.MULTILINE)
SHARED = "What SentencePiece's two share"


def anchor(heading):
    """The name by which GitHub links to a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def section(algorithm):
    """What the page says of an algorithm."""
    [found] = [text for heading, text in SECTIONS.items() if f"(`{algorithm}`)" in heading]
    shared = issubclass(TRAINERS[algorithm], SentencePieceSettings)
    return found + SECTIONS[SHARED] if shared else found


def test_the_examples_run():
    assert len(run_blocks(ROOT / "docs" / "algorithms.md")["history"].words) == 1


def test_links_lead_to_headings():
    anchors = [anchor(heading) for heading in HEADINGS]
    links = re.findall(r"\]\(#(.*?)\)", PAGE)
    assert set(links) <= set(anchors)
    # The contents name all sections in their order.
    contents = PAGE.split("\n## ")[0]
    rows = re.findall(r"^\| \[.*?\]\(#(.*?)\)", contents, re.MULTILINE)
    assert rows == [anchor(heading) for heading in SECTIONS]


def test_files_that_are_named_are_there():
    named = set(re.findall(r"`((?:tests|tokviz)/[\w./-]+)`", PAGE))
    named |= {f"docs/{name}" for name in re.findall(r"\]\(([\w-]+\.md)", PAGE)}
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


def shown(value):
    """A setting's usual value, as the page writes it."""
    if isinstance(value, bool):
        return {"on", "yes"} if value else {"off", "no"}
    if isinstance(value, tuple | str):
        return {"".join(value) or "none"}
    return {f"{value:,}", f"{value:g}".replace("-", "−")}


@pytest.mark.parametrize("algorithm", TRAINERS)
def test_every_setting_is_named_with_its_usual_value(algorithm):
    usual = {field.name: field.default for field in fields(TRAINERS[algorithm])}
    said = section(algorithm)
    assert [name for name in usual if f"`{name}`" not in said] == []
    values = re.findall(r"`(\w+)` \(`?(.*?)`?(?:[;:)]|, )", said)
    told = {name: value for name, value in values if name in usual}
    assert len(told) > 1
    # What follows the vocabulary size is told in words.
    assert told.pop("transition_size", "four fifths of it") == "four fifths of it"
    assert told == {name: value for name, value in told.items() if value in shown(usual[name])}


def test_every_pretokenizer_and_rule_has_its_row():
    rows = re.findall(r"^\| `([\w-]+)` \|", SECTIONS["Words first"], re.MULTILINE)
    assert rows == list(PRETOKENIZERS)
    ties = PAGE.split("\n### Ties\n")[1].split("\n### ")[0]
    header, *rules = re.findall(r"^\| `([\w-]+)` \|", ties, re.MULTILINE)
    assert (header, rules) == ("tie_break", list(RULES))
