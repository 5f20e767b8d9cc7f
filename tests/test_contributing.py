"""CONTRIBUTING.md names what is there, and its examples do what it shows."""

import re
import shlex

import pytest
from helpers import ROOT

import tokviz
from tokviz.__main__ import main
from tokviz.formats.exports import EXPORTS, Export

TEXT = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
#: What each example makes: the path that stands before its code.
MADE = dict(re.findall(r"`([\w/]+\.py)`:\n\n```python\n(.*?)```", TEXT, re.DOTALL))


def shown(command):
    """A command of the document, and what it shows that this prints."""
    [(lines, printed)] = re.findall(
        rf"```sh\n((?:(?!```)[^\n]*\n)*?[^\n]*{re.escape(command)}[^\n]*\n)```\n\n```text\n(.*?)```",
        TEXT,
        re.DOTALL,
    )
    return lines.splitlines(), printed


def printed_by(lines, capsys):
    for line in lines:
        _python, option, *words = shlex.split(line)
        if option == "-c":
            exec(words[0])
        else:
            assert main(words[1:]) == 0
    return capsys.readouterr().out


def test_every_path_is_there_or_made():
    paths = {*re.findall(r"\b(?:docs|tests|tokviz)/[\w./-]*\w", TEXT)}
    french = "tokviz/basics/locale/fr/LC_MESSAGES/tokviz.po"
    gone = {path for path in paths if not (ROOT / path).exists()} - MADE.keys() - {french}
    assert gone == {"tokviz/ROOM/MODULE.py", "tests/ROOM"}
    assert len(paths) > 40


def test_the_commands_are_those_of_the_readme():
    commands = re.findall(r"(?m)^python3 -m venv .*$", (ROOT / "README.md").read_text("utf-8"))
    assert re.findall(r"(?m)^python3 -m venv .*$", TEXT) == commands


@pytest.mark.parametrize(
    ("path", "name", "table", "command"),
    [
        ("trainers/short_bpe", "ShortBPE", tokviz.TRAINERS, "--algorithm short-bpe"),
        ("pretokenizers/hyphens", "HyphenPretokenizer", tokviz.PRETOKENIZERS, '"hyphens"'),
        ("formats/exporters/id_table", "files", EXPORTS, "ids.csv"),
    ],
)
def test_an_example_runs(path, name, table, command, capsys, monkeypatch, tmp_path):
    names = {"__name__": "tokviz.example"}
    exec(MADE[f"tokviz/{path}.py"], names)
    made = names[name]
    if table is EXPORTS:
        made = Export("ids.csv", "", "", "", "csv", names["check"], names["files"])
    monkeypatch.setitem(table, made.name, made)
    monkeypatch.chdir(tmp_path)
    lines, printed = shown(command)
    assert printed_by(lines, capsys) == printed
