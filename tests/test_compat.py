"""Links and files of the day on which the keepsake was made still open, and mean what they meant.

`tests/compat/README.md` says what the keepsake is, and what to do when this fails on purpose.
"""

import hashlib
import logging

import pytest
from compat import items
from compat.changes import CHANGES, Change, complaints, differences, read_changes

#: The digest of all kept files. It changes only if somebody changes what was kept.
KEPT = "232c8f6251e38079711f12b16e7fa357aec78145d0b36442c94d5c63ae738a7e"
MOST_BYTES = 2_000_000


def entries(kind):
    """What was changed on purpose in items of a kind."""
    return [c for c in read_changes(CHANGES.read_text("utf-8")) if c.items.split("/")[0] == kind]


@pytest.mark.parametrize("kind", items.KINDS)
def test_what_was_kept_means_what_it_meant(kind, caplog):
    # That no browser is there is known.
    caplog.set_level(logging.ERROR, logger="streamlit")
    now = dict(items.KINDS[kind]())
    found = differences(items.kept_json("meaning")[kind], now)
    if said := complaints(found, entries(kind)):
        pytest.fail("\n".join(said), pytrace=False)


def test_every_entry_names_a_kind():
    for change in read_changes(CHANGES.read_text("utf-8")):
        assert change.items.partition("/")[0] in items.KINDS, change


def test_the_keepsake_is_never_made_anew():
    files = sorted(path for path in items.KEPT.rglob("*") if path.is_file())
    named = [f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()}" for path in files]
    assert hashlib.sha256("\n".join(named).encode()).hexdigest() == KEPT
    whole = [path for path in items.KEPT.parent.rglob("*.*") if path.suffix != ".pyc"]
    assert sum(path.stat().st_size for path in whole) <= MOST_BYTES


def test_what_the_keepsake_has():
    meant = items.kept_json("meaning")
    assert len(items.kept_json("links")) == 300
    assert {kind: len(found) for kind, found in meant.items()} == {
        "link": 304,
        "moment": 12,
        "history": 65,
        "replay": 6,
        "page": 10,
        "export": 82,
        "opened": 71,
        "command": 170,
        "options": 7,
        "import": 188,
    }
    assert not any("failed" in parts for found in meant.values() for parts in found.values())


# --- how differences are told, and changed on purpose ------------------------------------------

#: Two items of a made-up keepsake, and the same later: b has other steps.
WAS = {"link/a": {"steps": "1", "ties": "1"}, "link/b": {"steps": "2", "ties": "2"}}
IS = {"link/a": {"steps": "1", "ties": "1"}, "link/b": {"steps": "3", "ties": "2"}}


def told(now, *changes):
    return complaints(differences(WAS, now), changes)


def change(**others):
    """An entry that fits, but for some of what it says."""
    now = told(IS)[-1].partition('now = "')[2].rstrip('".')
    fits = {"items": "link/*", "parts": ("steps",), "size": 1, "now": now, "reason": "a new rule"}
    return Change(**(fits | others))


def test_a_difference_that_no_entry_tells_of_is_named():
    first, last = told(IS)
    assert first == "link/b: steps differs: it was '2', and is '3'"
    assert last.startswith('In all 1 items differ; now = "')


def test_an_entry_with_its_size_lets_a_change_be():
    assert told(WAS) == []
    assert told(IS, change()) == []
    assert told(IS, change(items="link/b", parts=("st*",))) == []


@pytest.mark.parametrize(
    ("others", "said"),
    [
        ({"size": 2}, "1 items differ, not 2"),
        ({"now": "0"}, "what is there now is not what was entered"),
        ({"items": "link/a"}, "nothing differs there; take the entry out"),
        ({"items": "link/a"}, "link/b: steps differs"),
        ({"parts": ("ties",)}, "nothing differs there; take the entry out"),
        ({"parts": ("steps", "ties")}, "nothing differs there; take the entry out"),
    ],
)
def test_an_entry_that_does_not_fit_is_named(others, said):
    assert any(said in line for line in told(IS, change(**others)))


def test_an_entry_lets_nothing_else_be():
    more = {**IS, "link/a": {"steps": "1", "ties": "9"}}
    assert "link/a: ties differs: it was '1', and is '9'" in told(more, change())
    other = {**IS, "link/b": {"steps": "4", "ties": "2"}}
    assert "what is there now is not what was entered" in told(other, change())[0]
    assert "nothing differs there" in told(WAS, change())[0]
    assert "another entry tells of some" in told(IS, change(), change())[0]


def test_what_is_gone_and_what_comes_is_told():
    assert (
        told({"link/a": WAS["link/a"]})[0] == "link/b: steps differs: it was '2', and is 'nothing'"
    )
    broken = {**WAS, "link/b": {"failed": "TypeError: no"}}
    assert "link/b: failed differs: it was 'nothing', and is 'TypeError: no'" in told(broken)


def test_a_name_that_comes_later_is_no_difference():
    kept = {"import/x": {"call": {"a": [0, ""], "must be given": ["a"]}}}
    more = {"import/x": {"call": {"a": [0, ""], "b": [1, "None"], "must be given": ["a"]}}}
    less = {"import/x": {"call": {"must be given": []}}}
    assert differences(kept, more) == {}
    assert differences(kept, less)


def test_a_text_of_many_lines_is_told_by_the_first_that_differs():
    found = differences({"command/x": {"output": "a\nb\nc"}}, {"command/x": {"output": "a\nd\nc"}})
    assert "output differs: line 2: it was 'b', and is 'd'" in complaints(found, [])[0]
    texts = ("a" * 99 + "b", "a" * 99 + "c")
    found = differences(*({"command/x": {"output": text}} for text in texts))
    assert complaints(found, [])[0].endswith(f"it was …{'a' * 40}b', and is …{'a' * 40}c'")


def test_parts_that_are_kept_as_digests_are_told_by_their_names():
    was, now = (dict.fromkeys(("steps", "ties"), digit * 32) for digit in "12")
    found = differences({"link/x": {**was, "status": 0}}, {"link/x": {**now, "status": 1}})
    assert complaints(found, [])[:2] == [
        "link/x: steps, ties differ",
        "link/x: status differs: it was 0, and is 1",
    ]


def test_an_entry_needs_a_reason():
    text = '[[change]]\nitems = "link/*"\nparts = ["steps"]\nsize = 1\nnow = "0"\nreason = "{}"\n'
    assert read_changes(text.format("new"))[0].reason == "new"
    with pytest.raises(ValueError, match="needs items, parts"):
        read_changes(text.format(" "))
