"""What a shell completes, asked of bash itself."""

import subprocess

import pytest
from helpers import said

from tokviz.__main__ import COMMANDS, main
from tokviz.cli import completion
from tokviz.cli.completion import SHELLS


def printed(shell, capsys):
    assert main(["completion", shell]) == 0
    return capsys.readouterr().out


def completed(script, *words, place):
    """What bash offers for the last word."""
    asks = (
        'source "$1"; shift; COMP_WORDS=(tokviz "$@"); COMP_CWORD=$#; _shtab_tokviz; '
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", asks, "bash", str(script), *words],
        cwd=place,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ([""], list(COMMANDS)),
        (["co"], ["count", "compare", "completion"]),
        (["train", "--sav"], ["--save"]),
        (["train", "--algorithm", "senten"], ["sentencepiece-bpe", "sentencepiece-unigram"]),
        (["train", "--save", "ru"], ["run.npz"]),
        (["train", "my"], ["my.txt"]),
        (["encode", "r"], ["run.npz"]),
        (["export", "run.npz", "token"], ["tokenizer.json"]),
        (["export", "run.npz", "web"], ["web-page"]),
        (["site", ""], ["folder"]),
        (["completion", ""], list(SHELLS)),
    ],
    ids=" ".join,
)
def test_bash_completes_commands_options_values_and_files(words, offered, tmp_path, capsys):
    script = tmp_path / "script"
    script.write_text(printed("bash", capsys), "utf-8")
    place = tmp_path / "place"
    (place / "folder").mkdir(parents=True)
    for name in ("my.txt", "run.npz"):
        (place / name).touch()
    assert sorted(completed(script, *words, place=place)) == sorted(offered)


@pytest.mark.parametrize("shell", SHELLS)
def test_a_script_for_each_shell_has_all_commands(shell, capsys):
    script = printed(shell, capsys)
    for name in COMMANDS:
        assert name in script
    assert "vocab-size" in script
    assert "whitespace" in script


def test_without_shtab_a_sentence_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr(completion, "find_spec", lambda _name: None)
    assert main(["completion", "bash"]) == 1
    assert "Completion needs the package shtab; install it with: pip install" in said(capsys)
