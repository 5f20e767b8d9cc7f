"""The commands with real tokenizer files, web pages and the static site."""

import json
import re
from pathlib import Path

import pytest
import tokenizers
from helpers import said

import tokviz
from tokviz.__main__ import main
from tokviz.formats.exports import EXPORTS, export
from tokviz.formats.tables import TABLES
from tokviz.player.web_page import web_page

COURSE = tokviz.SAMPLES["course"].corpus
TEXTS = ["This is the Hugging Face Course.", "tokenization, naïve"]


@pytest.fixture(scope="module")
def histories():
    return {
        "bpe": tokviz.train(COURSE, **tokviz.SAMPLES["course"].settings),
        "wordpiece": tokviz.train(COURSE, "wordpiece", 70, special_tokens=("[UNK]",)),
        "unigram": tokviz.train(COURSE, "sentencepiece-unigram", 60),
        "bytes": tokviz.train(COURSE, "bpe", 280, unit="byte", initial_alphabet=("bytes",)),
    }


@pytest.fixture
def runs(histories, tmp_path, monkeypatch):
    """Saved runs in a folder of their own that is the working one."""
    monkeypatch.chdir(tmp_path)
    for name, history in histories.items():
        history.save(f"{name}.npz")
    return histories


def encoded(capsys, source, *options):
    assert main(["encode", source, *options, "--json", *TEXTS]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


@pytest.mark.parametrize("name", ["bpe", "wordpiece", "unigram", "bytes"])
def test_every_export_is_written_or_refused_with_its_reason(runs, capsys, name):
    history, written = runs[name], 0
    for format in EXPORTS:
        if why := EXPORTS[format].why_not(history):
            assert main(["export", f"{name}.npz", format, "folder"]) == 1
            assert f"{format} is not possible: {why}" in said(capsys)
            continue
        assert main(["export", f"{name}.npz", format, f"{format}-files/", "--step", "3"]) == 0
        files = export(history, format, 3)
        shown = capsys.readouterr().out
        for file, data in files.items():
            place = Path(f"{format}-files")
            assert (place if place.is_file() else place / file).read_bytes() == data
            assert f"{len(data):,} bytes" in shown
        written += 1
    assert written > 0


@pytest.mark.usefixtures("runs")
def test_tokenizers_of_others_encode_as_their_library_does(capsys):
    library = tokenizers.ByteLevelBPETokenizer()
    library.train_from_iterator([COURSE], 300, show_progress=False)
    library.save("tokenizer.json")
    library.save_model(".")
    for files in (["tokenizer.json"], ["vocab.json", "--with", "merges.txt"]):
        for line in encoded(capsys, *files):
            wanted = library.encode(line["text"])
            assert (line["tokens"], line["ids"]) == (wanted.tokens, wanted.ids)
    ids = [str(i) for i in library.encode(TEXTS[0]).ids]
    assert main(["encode", "tokenizer.json", "--decode", *ids]) == 0
    assert capsys.readouterr().out == TEXTS[0] + "\n"


@pytest.mark.usefixtures("runs")
def test_what_is_exported_can_be_opened_and_encodes_alike(capsys):
    wanted = encoded(capsys, "bytes.npz")
    assert main(["export", "bytes.npz", "tokenizer.json"]) == 0
    assert main(["export", "bytes.npz", "merges", "gpt2"]) == 0
    capsys.readouterr()
    for files in (["gpt2/vocab.json", "--with", "gpt2/merges.txt"], ["tokenizer.json"]):
        found = encoded(capsys, *files)
        assert [line["ids"] for line in found] == [line["ids"] for line in wanted]


def test_the_files_of_one_export_on_standard_output(runs, capsysbinary):
    assert main(["export", "bpe.npz", "tokenizer.json", "-"]) == 0
    [data] = export(runs["bpe"], "tokenizer.json").values()
    assert capsysbinary.readouterr().out == data
    assert main(["export", "bpe.npz", "merges", "-"]) == 2
    assert (
        b"vocab.json, merges.txt are several files; give a folder" in capsysbinary.readouterr().err
    )
    Path("merges.txt").write_text("mine")
    assert main(["export", "bpe.npz", "merges"]) == 1
    assert b"merges.txt is here already" in capsysbinary.readouterr().err
    assert not Path("vocab.json").exists()


def test_the_list_names_everything_and_says_why_not(runs, capsys):
    for name, history in runs.items():
        assert main(["export", f"{name}.npz", "--list"]) == 0
        possible, impossible = capsys.readouterr().out.split("\nNot possible:\n")
        for format, found in EXPORTS.items():
            why = found.why_not(history)
            lines = (impossible if why else possible).splitlines()
            [line] = [line for line in lines if line.startswith(f"{format}  ")]
            assert line.endswith(why or found.label)
        for other in (*TABLES, "web-page", "animation"):
            assert re.search(rf"^{other}  ", possible, re.MULTILINE)


@pytest.mark.usefixtures("runs")
def test_a_format_that_there_is_not(capsys):
    assert main(["export", "bpe.npz", "tokenizer.yaml"]) == 2
    err = said(capsys)
    assert "'tokenizer.yaml' is no format; choose one of tokenizer.json, " in err
    assert "curve, metrics, web-page, animation, figure." in err
    assert not set(EXPORTS) & set(TABLES)


@pytest.mark.usefixtures("runs")
def test_a_rank_file_with_its_pattern_and_what_is_no_tokenizer(capsys):
    assert main(["export", "bytes.npz", "tiktoken", "ranks"]) == 0
    capsys.readouterr()
    [ranks] = [path for path in Path("ranks").iterdir() if path.suffix == ".tiktoken"]
    letters = encoded(capsys, str(ranks), "--pattern", r"\p{L}|\P{L}")
    assert all(end - start == 1 for line in letters for start, end in line["offsets"])
    Path("none.json").write_text("{}")
    assert main(["encode", "none.json", "x"]) == 1
    assert "none.json" in said(capsys)
    assert main(["encode", "bpe.npz", "--pattern", "x", "y"]) == 2
    assert "is a saved run; leave --with and --pattern out." in said(capsys)


@pytest.mark.usefixtures("runs")
def test_web_pages_of_one_run_and_of_lanes(capsys):
    # A saved run has no text: only its words are shown.
    history, other = tokviz.load("bpe.npz"), tokviz.load("wordpiece.npz")
    assert main(["export", "bpe.npz", "web-page", "run.html", "--step", "4"]) == 0
    assert Path("run.html").read_text("utf-8") == web_page([history], position=4)
    assert main(["train", "--sample", "course", "--web-page", "train.html"]) == 0
    assert Path("train.html").read_text("utf-8") == web_page([history], texts=[COURSE])
    lanes = ["--lane", "bpe.npz", "--lane", "wordpiece.npz"]
    assert main(["compare", "--sample", "course", *lanes, "--web-page", "lanes.html"]) == 0
    names = tokviz.compare([history, other], COURSE).names
    page = web_page([history, other], labels=names, texts=[COURSE] * 2, align="share")
    assert Path("lanes.html").read_text("utf-8") == page
    capsys.readouterr()
    assert main(["train", "--sample", "hug-pug", "--web-page", "no/such/folder.html"]) == 1
    assert "no/such/folder.html cannot be used: No such file" in said(capsys)


def test_the_site_is_written_with_its_progress(monkeypatch, tmp_path, capsys):
    import tokviz.player.site

    asked = []

    def write_site(directory, progress=None):
        asked.append((directory, progress))
        return [Path(directory) / "index.html", Path(directory) / "\x1b.html"]

    monkeypatch.setattr(tokviz.player.site, "write_site", write_site)
    assert main(["site", str(tmp_path / "public")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        str(tmp_path / "public" / "index.html"),
        str(tmp_path / "public" / "\\x1b.html"),
    ]
    # There is no terminal here that would show a bar.
    assert asked == [(str(tmp_path / "public"), None)]
