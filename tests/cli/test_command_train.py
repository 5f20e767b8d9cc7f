"""`tokviz train`: what a sample and a preset bring, and what the terminal shows meanwhile."""

import io
import json
import re
import sys

import pytest
from helpers import said

import tokviz
from tokviz.__main__ import COMMANDS, PROGRAM, command_parser, main
from tokviz.cli.inputs import setting_names
from tokviz.cli.terminal import bar_line, progress_bar
from tokviz.formats import tables

COURSE = tokviz.SAMPLES["course"].corpus


class Terminal(io.StringIO):
    """What looks like a terminal."""

    def isatty(self):
        return True


def vocab(capsys):
    return json.loads(capsys.readouterr().out.splitlines()[-1])["vocab"]


def test_a_sample_brings_its_text_and_settings(capsys):
    assert main(["train", "--sample", "course", "--json"]) == 0
    sample = tokviz.SAMPLES["course"]
    assert vocab(capsys) == tokviz.train(sample.corpus, **sample.settings).vocab(20)
    assert main(["train", "--sample", "hug-pug", "--json", "--vocab-size", "15"]) == 0
    assert len(vocab(capsys)) == 15


def test_a_text_in_languages_is_trained_on_without_their_lines(tmp_path, capsys):
    text = tmp_path / "texts.txt"
    text.write_text("=== en ===\nhug pug hugs\n=== el ===\nαβ αβγ", encoding="utf-8")
    by = ["train", str(text), "--vocab-size", "14", "--json", "--quiet"]
    assert main([*by, "--languages"]) == 0
    shown = capsys.readouterr().out
    plain = tmp_path / "plain.txt"
    plain.write_text("hug pug hugs\nαβ αβγ", encoding="utf-8")
    assert main(["train", str(plain), *by[2:]]) == 0
    assert capsys.readouterr().out == shown
    assert main(by) == 0
    assert capsys.readouterr().out != shown, "a line as any other"


def test_options_change_a_sample_and_another_algorithm_takes_its_text_only(capsys):
    arguments = ["train", "--sample", "course", "--json", "--unit", "char", "--vocab-size", "40"]
    assert main(arguments) == 0
    found = vocab(capsys)
    assert found == tokviz.train(COURSE, "bpe", 40, "gpt2", unit="char").vocab(10)
    arguments = ["train", "--sample", "course", "--algorithm", "wordpiece", "--json"]
    assert main([*arguments, "--vocab-size", "60"]) == 0
    history = tokviz.train(COURSE, "wordpiece", 60)
    assert vocab(capsys) == history.vocab(len(history))
    assert main(arguments) == 2
    assert "say how large the vocabulary should become: --vocab-size" in said(capsys)


def test_a_preset_sets_everything_and_options_change_it(tmp_path, capsys):
    path = tmp_path / "course.txt"
    path.write_text(COURSE, encoding="utf-8")
    arguments = ["train", str(path), "--preset", "hf-wordpiece", "--json", "--vocab-size", "80"]
    assert main([*arguments, "--min-frequency", "1"]) == 0
    settings = {**tokviz.PRESETS["hf-wordpiece"].settings, "vocab_size": 80, "min_frequency": 1}
    history = tokviz.train(COURSE, **settings)
    assert vocab(capsys) == history.vocab(len(history))
    assert main([*arguments, "--algorithm", "bpe"]) == 2
    assert "--preset hf-wordpiece trains wordpiece; leave --algorithm out." in said(capsys)
    # A sample's own settings are not mixed with those of a preset.
    assert main(["train", "--sample", "low-lower", "--preset", "sennrich", "--json"]) == 0
    sennrich = tokviz.train(
        tokviz.SAMPLES["low-lower"].corpus, **tokviz.PRESETS["sennrich"].settings
    )
    assert vocab(capsys) == sennrich.vocab(len(sennrich))


def test_steps_choose_what_they_are_told(capsys):
    told = ["--what-if", "14", "i", "n", "--what-if", "1", "h", "e"]
    assert main(["train", "--sample", "course", "--json", *told]) == 0
    history = tokviz.train(
        COURSE,
        **tokviz.SAMPLES["course"].settings,
        interventions={0: ("h", "e"), 13: ("i", "n")},
    )
    assert vocab(capsys) == history.vocab(20)
    arguments = ["train", "--sample", "hug-pug", "--json", "--what-if", "1", "keep", "ug", "pu"]
    assert main(arguments) == 0
    sample = tokviz.SAMPLES["hug-pug"]
    plain = tokviz.train(sample.corpus, **sample.settings)
    told = tokviz.branch(plain, 0, ("keep", "ug", "pu"))
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first["removed"] == list(told.steps[0].removed) != list(plain.steps[0].removed)


def test_a_step_has_one_number_wherever_it_is_printed_or_typed(capsys):
    arguments = ["train", "--sample", "course", "--quiet"]
    assert main(arguments) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert main([*arguments, "--json", "--what-if", "14", "i", "n"]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    history = tokviz.train(COURSE, **tokviz.SAMPLES["course"].settings)
    table = tables.steps(history)
    for n, step in enumerate(history.steps, 1):
        assert rows[n][0] == str(n)
        assert told[n - 1]["step"] == step.step == table["step"][n - 1] == n
        assert step == history.steps[step.index]
        assert history.narrate(n).startswith(f"Step {n}: ")
        assert history.provenance(step.token).born == n
    assert [n for n, step in enumerate(told[:-1], 1) if step["forced"]] == [14]
    assert repr(history.steps) == f"<Steps: {len(history)}, merge 1 to merge {len(history)}>"


@pytest.mark.parametrize(
    ("told", "status", "sentence"),
    [
        (["x", "t", "h"], 2, "--what-if x names no step"),
        (["-1", "t", "h"], 2, "--what-if"),
        (["0", "t", "h"], 2, "--what-if 0 names no step; give its number, counted from 1"),
        (["3"], 1, "name two tokens"),
        (["4", "q", "q"], 1, "which is no candidate in state 3"),
        (["1", "t", "h", "--what-if", "1", "i", "n"], 1, "tells a state twice"),
        (["99", "t", "h"], 1, "training ends before it"),
        (["1", "keep", "t", "--algorithm", "sentencepiece-unigram"], 1, "has no --what-if"),
    ],
)
def test_what_no_step_can_choose_is_one_sentence(told, status, sentence, capsys):
    arguments = ["train", "--sample", "course", "--quiet", "--vocab-size", "50", "--what-if", *told]
    assert main(arguments) == status
    assert sentence in said(capsys)


def test_training_goes_on_from_files_and_writes_them(tmp_path, capsys):
    text, vocab, merges = (tmp_path / name for name in ("my.txt", "vocab.json", "merges.txt"))
    text.write_text("low low lower")
    vocab.write_text('{"l": 0, "o": 1, "w": 2, "lo": 3}')
    merges.write_text("l o")
    told = [str(text), "--continue-from", str(vocab), str(merges), "--vocab-size", "5", "--quiet"]
    assert main(["train", *told, "--export", "merges", str(tmp_path / "out")]) == 0
    assert "The vocabulary has the 5 tokens asked for." in capsys.readouterr().out
    assert (tmp_path / "out" / "merges.txt").read_text() == "#version: 0.2\nl o\nlo w\n"
    vocab.write_text('{"l": 0, "o": 1, "w": 2, "lo": 3, "e": 4, "r": 5}')
    told[-2] = "7"
    assert (
        main(["train", *told, "--what-if", "1", "e", "r", "--export", "merges", str(tmp_path)]) == 0
    )
    assert merges.read_text() == "#version: 0.2\nl o\ne r\n"
    capsys.readouterr()
    assert main(["train", *told, "--algorithm", "wordpiece"]) == 1
    assert "algorithm='wordpiece' is decided by the file" in said(capsys)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["train", "--vocab-size", "9"], "give either FILE (- is standard input) or --sample"),
        (["train", "x", "--sample", "course"], "give either FILE"),
        (["train", "x"], "--vocab-size NUMBER"),
        (
            ["train", "x", "--vocab-size", "9", "--export", "gpt", "."],
            "--export gpt: choose one of",
        ),
        (["train", "x", "--continue-from", "y", "--save", "z"], "--save; use --export"),
    ],
)
def test_options_that_do_not_go_together(arguments, sentence, capsys):
    assert main(arguments) == 2
    err = said(capsys)
    assert sentence in err
    assert f"`{PROGRAM} train --help` says more." in err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "the following arguments are required: COMMAND"),
        (["fly"], "invalid choice: 'fly'"),
        (["\x1b[2J"], "invalid choice: '\\x1b[2J'"),
        (["train", "x", "--vocab-size", "many"], "invalid int value: 'many'"),
        (["train", "x", "--colour\x1b"], "unrecognized arguments: --colour\\x1b"),
        (["train", "--sample", "nothing"], "invalid choice: 'nothing'"),
        (["app", "--port", "70000"], "'70000' is no port; ports are 1 to 65535"),
    ],
)
def test_what_argparse_refuses_is_one_sentence_too(arguments, sentence, capsys):
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert sentence in said(capsys)


def test_help_lists_the_commands_and_their_examples_can_be_parsed(capsys):
    import shlex

    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    assert ended.value.code == 0
    listed = capsys.readouterr().out
    for name, command in COMMANDS.items():
        assert f"\n  {name} " in listed
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        shown = capsys.readouterr().out
        assert command.examples
        for example in command.examples:
            assert f"\n  {PROGRAM} {example}" in shown
            first, *words = shlex.split(re.split(" [<>]", example)[0])
            assert first == name
            command_parser(command).parse_intermixed_args(words)


def test_the_bar_is_for_terminals_and_leaves_nothing_behind(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    with progress_bar(label="lane 1 of 2: ") as progress:
        progress(tokviz.Progress("merges", 5, 20, 3.0))
        progress(tokviz.Progress("merges", 20, 20, 9.0))
    drawings = terminal.getvalue().split("\r\x1b[K")[1:]
    # The last thing that happens is that the line is cleared.
    assert drawings[-1] == ""
    assert drawings[0] == "lane 1 of 2: merges [#####............."[:39]
    assert all(len(drawing) < 40 for drawing in drawings)
    assert bar_line(tokviz.Progress("merges", 5, 20, 3.0)).endswith(" 25 %, 5 of 20, 9 s left")
    assert "100 %" in bar_line(tokviz.Progress("documents", 9, 7, 1.0))
    with progress_bar(wanted=False) as progress:
        assert progress is None
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    with progress_bar() as progress:
        assert progress is None
    assert sys.stderr.getvalue() == ""


def test_a_training_draws_its_bar_unless_it_is_quiet(monkeypatch, capsys):
    arguments = ["train", "--sample", "course", "--json"]
    for quiet in (False, True):
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert main([*arguments, *(["--quiet"] if quiet else [])]) == 0
        assert ("merges [" in sys.stderr.getvalue()) != quiet
    capsys.readouterr()


def test_a_bar_that_is_interrupted_is_taken_away_and_said(monkeypatch):
    def interrupted(_corpus, progress, **_settings):
        progress(tokviz.Progress("merges", 1, 2, 1.0))
        raise KeyboardInterrupt

    monkeypatch.setattr(tokviz, "train", interrupted)
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["train", "--sample", "course"]) == 130
    assert sys.stderr.getvalue().endswith("left\r\x1b[Ktokviz: interrupted.\n")


def test_help_begins_with_what_is_needed_and_says_every_default(capsys):
    """In one line; the settings stand below the algorithms that have them."""
    needed = {
        "train": "train [options] [FILE]",
        "count": "count --out PATH [options] FILE [FILE …]",
        "encode": "encode [options] RUN_OR_TOKENIZER [TEXT …]",
        "export": "export [options] RUN [FORMAT] [PATH]",
        "app": "app [options]",
    }
    for name, usage in needed.items():
        with pytest.raises(SystemExit):
            main([name, "--help"])
        assert capsys.readouterr().out.startswith(f"usage: {PROGRAM} {usage}\n")
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    # Lines are broken where the terminal ends.
    settings = " ".join(capsys.readouterr().out.split())
    assert settings.count("Default: ") == len(setting_names())
    assert re.search("settings of bpe, wordpiece[a-z, -]+: --special-tokens", settings)
    default = tokviz.TRAINERS["unigram"]().prune_fraction
    assert f"each round removes. Default: {default}." in settings


def test_every_option_has_help():
    for command in COMMANDS.values():
        for action in command_parser(command)._actions:
            assert action.help, (command.name, action)
