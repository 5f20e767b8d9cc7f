"""`tokviz encode`: texts and lines in, tokens out, and back."""

import io
import json
import os
import signal
import subprocess
import sys
import threading

import pytest
from helpers import PATIENCE

import tokviz
from tokviz.__main__ import main

COURSE = tokviz.SAMPLES["course"].corpus
#: As a shell may have it: output in another encoding, and kept back until there is much of it.
ENVIRONMENT = {**os.environ, "PYTHONIOENCODING": "latin-1", "PYTHONUNBUFFERED": ""}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Histories and the files that they are saved in."""
    folder = tmp_path_factory.mktemp("runs")
    histories = {
        "bpe": tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte"),
        "char": tokviz.train(COURSE, "bpe", 50, "whitespace", special_tokens=("<a b>",)),
        "unigram": tokviz.train(COURSE, "unigram", 80),
        "sentencepiece": tokviz.train(COURSE, "sentencepiece-unigram", 60),
    }
    paths = {}
    for name, history in histories.items():
        paths[name] = str(folder / f"{name}.npz")
        history.save(paths[name])
    return histories, paths


def give(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="latin-1"))


def said(capsys):
    out, err = capsys.readouterr()
    assert err.startswith("tokviz: ")
    assert err.count("\n") == 1
    return out, err


def test_texts_as_tokens_ids_and_offsets(runs, capsys):
    histories, paths = runs
    texts = ["This is the course", "naïve\ttokens"]
    assert main(["encode", paths["bpe"], *texts, "--tokens", "--ids", "--offsets"]) == 0
    for line, text in zip(capsys.readouterr().out.splitlines(), texts, strict=True):
        encoding = histories["bpe"].tokenizer().encode(text)
        tokens, ids, offsets = line.split("\t")
        assert tokens.split(" ") == encoding.tokens
        assert ids.split(" ") == ["?" if i is None else str(i) for i in encoding.ids]
        spans = [tuple(map(int, span.split("-"))) for span in offsets.split(" ")]
        assert spans == encoding.offsets
    for options, line in (([], "This"), (["--ids"], "37"), (["--offsets"], "0-4")):
        assert main(["encode", paths["bpe"], *options, "This"]) == 0
        assert capsys.readouterr().out == f"{line}\n"


def test_json_holds_everything_and_a_step_may_be_chosen(runs, capsys):
    histories, paths = runs
    hostile = 'Hugging\0 "\x1b[2J\u202e日'
    assert main(["encode", "--json", paths["bpe"], "--step", "3", hostile]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    encoding = histories["bpe"].tokenizer(3).encode(hostile)
    assert json.loads(out) == {
        "text": hostile,
        "tokens": encoding.tokens,
        "ids": encoding.ids,
        "offsets": [list(span) for span in encoding.offsets],
    }
    assert main(["encode", "--json", "--ids", paths["bpe"], "a"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "text": "a",
        "ids": histories["bpe"].tokenizer().encode("a").ids,
    }


def test_a_terminal_takes_no_orders_and_tokens_stay_apart(runs, capsys):
    _, paths = runs
    assert main(["encode", paths["char"], "a \x1b[2J\u202e <a b>"]) == 0
    assert capsys.readouterr().out == "a \\x1b [ 2 J \\u202e <a\\x20b>\n"


@pytest.mark.parametrize("texts", [[], ["-"]])
def test_lines_of_standard_input(runs, capsys, monkeypatch, texts):
    _, paths = runs
    give(monkeypatch, "\ufeffThis is\r\n\nthe naïve token".encode())
    assert main(["encode", paths["bpe"], "--json", *texts]) == 0
    read = [json.loads(line)["text"] for line in capsys.readouterr().out.splitlines()]
    assert read == ["This is", "", "the naïve token"]
    give(monkeypatch, b"fine\n\xff\n")
    assert main(["encode", paths["bpe"], *texts]) == 1
    out, err = said(capsys)
    assert out.count("\n") == 1
    assert "line 2 is not UTF-8 (byte 0 of it); save it as UTF-8." in err


@pytest.mark.parametrize("name", ["bpe", "unigram", "sentencepiece"])
def test_ids_are_decoded(runs, capsys, monkeypatch, name):
    histories, paths = runs
    tokenizer = histories[name].tokenizer()
    ids = tokenizer.encode("This is the course").ids
    assert main(["encode", paths[name], "--decode", *map(str, ids)]) == 0
    assert capsys.readouterr().out == tokenizer.decode(ids) + "\n"
    give(monkeypatch, f"{ids}\n\n{ids[0]}, {ids[1]}\n".encode())
    assert main(["encode", "--decode", paths[name], "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    wanted = [ids, [], ids[:2]]
    assert lines == [{"ids": some, "text": tokenizer.decode(some)} for some in wanted]


def test_dropout_draws_the_same_for_the_same_seed(runs, capsys):
    histories, paths = runs
    text = "This is about tokenization"
    assert main(["encode", paths["bpe"], text, text, "--dropout", "0.5", "--seed", "7"]) == 0
    tokenizer = histories["bpe"].tokenizer()
    drawn = [" ".join(tokenizer.encode(text, 0.5, seed).tokens) for seed in (7, 8)]
    assert capsys.readouterr().out.splitlines() == drawn
    assert drawn[0] != drawn[1]


def test_nbest_with_their_probabilities(runs, capsys):
    histories, paths = runs
    ways = histories["unigram"].tokenizer().nbest("This is", 3)
    assert main(["encode", paths["unigram"], "This is", "x", "--nbest", "3", "--ids"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[3] == ""
    for line, (way, log_prob) in zip(lines, ways, strict=False):
        shown, ids = line.split("\t")
        assert float(shown) == pytest.approx(log_prob, abs=1e-6)
        assert ids.split(" ") == [str(i) for i in way.ids]
    assert main(["encode", paths["unigram"], "This is", "--nbest", "3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["nbest"]
    assert [(way["tokens"], way["log_prob"]) for way in found] == [(w.tokens, p) for w, p in ways]


@pytest.mark.parametrize(
    ("options", "status", "sentence"),
    [
        (["--step", "99", "x"], 1, "--step 99 is not possible: t=99 is not a state of this run"),
        (["--step", "-1", "x"], 1, "--step -1 is not possible"),
        (["--dropout", "2", "x"], 1, "dropout=2.0 is not possible; give a number from 0 to 1."),
        (["--nbest", "2", "x"], 1, "nbest needs the probabilities of unigram"),
        (["--decode", "99"], 1, "id 99 is not in the vocabulary (0 to 49)."),
        (["--decode", "a\x1b"], 1, "'a\\x1b' is no id; ids are whole numbers"),
        (["--decode", "--ids", "1"], 2, "--decode shows text and nothing else"),
        (["--dropout", "0.1", "--nbest", "2", "x"], 2, "choose one"),
        (["--with", "merges.txt", "x"], 2, "is a saved run; leave --with and --pattern out."),
    ],
)
def test_what_cannot_be_is_one_sentence(runs, capsys, options, status, sentence):
    assert main(["encode", runs[1]["bpe"], *options]) == status
    out, err = said(capsys)
    assert out == ""
    assert sentence in err


def test_the_line_of_a_bad_id_is_named(runs, capsys, monkeypatch):
    give(monkeypatch, b"1 2\n3 x\n")
    assert main(["encode", runs[1]["bpe"], "--decode"]) == 1
    assert "line 2: 'x' is no id" in said(capsys)[1]
    give(monkeypatch, b"1 2\n3 50\n")
    assert main(["encode", runs[1]["bpe"], "--decode"]) == 1
    assert "line 2: id 50 is not in the vocabulary" in said(capsys)[1]


def test_what_is_no_run(tmp_path, capsys):
    assert main(["encode", str(tmp_path / "none.npz"), "x"]) == 1
    assert "none.npz cannot be used: No such file or directory." in said(capsys)[1]
    import zipfile

    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("a", "b")
    assert main(["encode", str(other), "x"]) == 1
    assert "is not a tokviz history" in said(capsys)[1]
    text = tmp_path / "text.txt"
    text.write_text("x")
    assert main(["encode", str(text), "--step", "1", "x"]) == 2
    assert "--step needs a saved run, and" in said(capsys)[1]


def test_as_a_program_it_answers_line_by_line_until_it_is_interrupted(runs):
    """A reader may wait for an answer before it sends more; Ctrl-C ends it with a sentence."""
    program = subprocess.Popen(
        [sys.executable, "-m", "tokviz", "encode", runs[1]["bpe"], "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        # Whoever runs the tests in the background may ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    # If it keeps its answer back, both would wait forever.
    watch = threading.Timer(PATIENCE, program.kill)
    watch.start()
    with program:
        for text in ("This is\n", "naïve 日\n"):
            program.stdin.write(text.encode())
            program.stdin.flush()
            tokens = runs[0]["bpe"].tokenizer().encode(text.strip()).tokens
            assert program.stdout.readline().decode("utf-8").rstrip("\n").split(" ") == tokens
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=PATIENCE)
    watch.cancel()
    assert (program.returncode, out, err) == (130, b"", b"tokviz: interrupted.\n")


def test_as_a_program_it_is_quiet_when_nobody_reads_on():
    command = [sys.executable, "-m", "tokviz", "train", "--sample", "alice", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": ENVIRONMENT}
    with subprocess.Popen(command, **pipes) as program:
        assert b'"step": 1' in program.stdout.readline()
        program.stdout.close()
        assert program.stderr.read() == b""
        assert program.wait(60) == 0


def test_as_a_program_it_is_quiet_when_nobody_reads_at_all():
    """What is little is written at the end only, and nothing is left over for Python to say."""
    read, write = os.pipe()
    os.close(read)
    command = [sys.executable, "-m", "tokviz", "train", "--sample", "course"]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, env=ENVIRONMENT)
    os.close(write)
    assert (done.returncode, done.stderr) == (0, b"")
