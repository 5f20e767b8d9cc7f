"""The command line."""

import json
import subprocess
import sys

import pytest
from helpers import said

import tokviz
from tokviz.__main__ import main

COURSE = tokviz.SAMPLES["course"].corpus


@pytest.fixture
def course(tmp_path):
    path = tmp_path / "course.txt"
    path.write_text(COURSE, encoding="utf-8")
    return str(path)


def test_a_table_of_steps(course, capsys):
    assert main(["train", course, "--vocab-size", "50", "--unit", "byte"]) == 0
    out, err = capsys.readouterr()
    lines = out.splitlines()
    assert lines[0].split() == [
        *("step", "left", "right", "token", "count", "score", "tied", "vocabulary", "tokens")
    ]
    assert lines[1].split() == ["1", "Ġ", "t", "Ġt", "7", "7", "1", "31", "191"]
    assert len(lines) == 22
    assert lines[-1] == "The vocabulary has the 50 tokens asked for."
    assert err == ""


def test_merges_across_words_are_told_apart(tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("by the way\nby the way\nby the sea", encoding="utf-8")
    arguments = ["train", str(path), "--algorithm", "boundless-bpe", "--vocab-size", "14"]
    for more in ([], ["--threshold", "1"]):
        assert main([*arguments, *more]) == 0
        heads, *lines = capsys.readouterr().out.splitlines()
        assert heads.split()[-3:] == ["across", "vocabulary", "tokens"]
        assert ["words" in line for line in lines[:-1]] == ["by▁the" in line for line in lines[:-1]]
    assert main([*arguments, "--json"]) == 0
    *steps, _ = map(json.loads, capsys.readouterr().out.splitlines())
    assert [step["across"] for step in steps] == [step["token"] == "by▁the" for step in steps]


def test_unigram_has_its_own_columns(course, capsys):
    assert main(["train", course, "--algorithm", "unigram", "--vocab-size", "98"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[:4] == ["step", "removed", "cut", "tied"]
    assert lines[1].split()[:3] == ["1", "30", "0"]
    assert "382.1038" in lines[1]


def test_json_and_a_saved_history(course, capsys, tmp_path):
    path = tmp_path / "run.npz"
    arguments = ["train", course, "--vocab-size", "50", "--json", "--save", str(path), "--quiet"]
    assert main([*arguments, "--special-tokens", "<s>", "</s>"]) == 0
    *steps, last = map(json.loads, capsys.readouterr().out.splitlines())
    assert (steps[0]["left"], steps[0]["right"], steps[0]["count"]) == ("Ġ", "t", 7)
    assert last["vocab"][:2] == ["<s>", "</s>"]
    loaded = tokviz.load(path)
    assert len(loaded) == len(steps)
    assert loaded.stopped == last["stopped"]


@pytest.mark.parametrize("name", tokviz.TRAINERS)
def test_every_setting_is_an_option(name, course, capsys):
    for setting in tokviz.trainers.settings_of(tokviz.TRAINERS[name]):
        if isinstance(setting.default, str | int | float) and setting.default != "":
            option = "--" + setting.name.replace("_", "-")
            value = [] if isinstance(setting.default, bool) else [str(setting.default)]
            if setting.name == "suffix_glued":
                value = ["--end-of-word-suffix", "</w>"]
            if setting.name == "auto_character_coverage":
                value = ["--library-version", "0.2.3", "--byte-fallback"]
            arguments = ["train", course, "--algorithm", name, "--vocab-size", "400"]
            assert main([*arguments, option, *value]) == 0
            assert capsys.readouterr().out


def test_word_tables_and_patterns(tmp_path, capsys):
    table = tmp_path / "words.csv"
    table.write_text("\ufeffword,count\nlow,5\nlower,2\n", encoding="utf-8")
    assert main(["train", str(table), "--vocab-size", "6"]) == 0
    assert "lo " in capsys.readouterr().out
    text = tmp_path / "text.txt"
    text.write_text("ab12", encoding="utf-8")
    arguments = ["train", str(text), "--vocab-size", "9", "--json"]
    assert main([*arguments, "--pattern", r"\p{L}+"]) == 0
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["vocab"] == ["a", "b", "ab"]
    assert main([*arguments, "--pattern", "a", "--pretokenizer", "gpt2"]) == 1
    assert "--pattern needs --pretokenizer regex" in capsys.readouterr().err


def test_a_terminal_takes_no_orders(tmp_path, capsys):
    path = tmp_path / "text.txt"
    path.write_text("\x1b[2J\x1b[2J\u202e", encoding="utf-8")
    assert main(["train", str(path), "--vocab-size", "7", "--pretokenizer", "none"]) == 0
    out = capsys.readouterr().out
    assert "\\x1b" in out
    assert not {"\x1b", "\u202e"} & set(out)


@pytest.mark.parametrize(
    ("content", "arguments", "sentence"),
    [
        (b"abc", ["--vocab-size", "2"], "ask for at least 3"),
        (b"\xff\xfe", ["--vocab-size", "20"], "is not UTF-8 (byte 0); save it as UTF-8."),
        (b"abc", ["--vocab-size", "9", "--min-frequency", "0"], "the least is 1"),
        (b"abc", ["--vocab-size", "9", "--pattern", "("], "cannot be used"),
        (b"abc", ["--vocab-size", "5", "--save", "no/such/folder/x"], "cannot be used"),
    ],
)
def test_bad_input_ends_in_one_sentence(tmp_path, capsys, content, arguments, sentence):
    path = tmp_path / "text.txt"
    path.write_bytes(content)
    assert main(["train", str(path), *arguments]) == 1
    assert sentence in said(capsys)


def test_a_missing_file_and_a_bad_table(tmp_path, capsys):
    assert main(["train", str(tmp_path / "none.txt"), "--vocab-size", "9"]) == 1
    assert "none.txt" in capsys.readouterr().err
    table = tmp_path / "bad.tsv"
    table.write_text("a\t1\nb\n", encoding="utf-8")
    assert main(["train", str(table), "--vocab-size", "9"]) == 1
    assert "line 2 of the word table" in capsys.readouterr().err


def test_as_a_program_from_standard_input():
    done = subprocess.run(
        [sys.executable, "-m", "tokviz", "train", "-", "--vocab-size", "7"],
        input=b"low lower\n",
        capture_output=True,
        check=True,
    )
    assert done.stdout.decode("utf-8").splitlines()[1].split()[:4] == ["1", "l", "o", "lo"]
    assert done.stderr == b""
