"""`tokviz export`: tables and pictures of a saved run; `tokviz app`."""

import io
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from helpers import ROOT, said

import tokviz
from tokviz.__main__ import main
from tokviz.formats.exports import ExportError
from tokviz.formats.tables import TABLE_FORMATS, TABLES, table_bytes
from tokviz.pictures.animation import animated_svg
from tokviz.pictures.animation_files import animation_file

COURSE = tokviz.SAMPLES["course"].corpus


@pytest.fixture(scope="module")
def history():
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


@pytest.fixture
def run(history, tmp_path, monkeypatch):
    """The path of the saved run, in a folder of its own that is the working one."""
    monkeypatch.chdir(tmp_path)
    history.save("run.npz")
    return "run.npz"


@pytest.mark.parametrize("format", TABLE_FORMATS)
@pytest.mark.parametrize("name", TABLES)
def test_every_table_in_every_format(run, history, capsys, name, format):
    wanted = table_bytes(TABLES[name].frame(history, 7), format)
    assert main(["export", run, name, "--step", "7", "--as", format]) == 0
    assert Path(f"{name}.{format}").read_bytes() == wanted
    assert capsys.readouterr().out == f"{name}.{format}: {len(wanted):,} bytes\n"
    # The ending of a path says the format as well.
    assert main(["export", run, name, f"mine.{format.upper()}", "--step", "7"]) == 0
    assert Path(f"mine.{format.upper()}").read_bytes() == wanted


def test_a_table_on_standard_output_and_in_a_folder(run, history, capsysbinary):
    assert main(["export", run, "vocabulary", "-", "--as", "json"]) == 0
    out = capsysbinary.readouterr().out
    assert [row["token"] for row in json.loads(out)] == history.vocab(20)
    Path("folder").mkdir()
    assert main(["export", run, "curve", "folder"]) == 0
    read = pd.read_csv("folder/curve.csv")
    assert read["corpus_tokens"].tolist() == history.curve()["corpus_tokens"].tolist()
    assert main(["export", run, "curve", "-", "--as", "parquet"]) == 0
    out = capsysbinary.readouterr().out.split(b"bytes\n")[-1]
    assert len(pd.read_parquet(io.BytesIO(out))) == 21


def test_without_a_path_nothing_is_overwritten(run, capsys):
    Path("curve.csv").write_text("mine")
    assert main(["export", run, "curve"]) == 1
    assert "curve.csv is here already; say with PATH where to write to." in said(capsys)
    assert Path("curve.csv").read_text() == "mine"
    assert main(["export", run, "curve", "curve.csv"]) == 0
    assert Path("curve.csv").read_text() != "mine"


def test_an_animation(run, history, capsysbinary):
    assert main(["export", run, "animation", "-"]) == 0
    counts = dict(zip(history.words.words, history.words.counts, strict=True))
    by_count = sorted(counts, key=counts.get, reverse=True)
    most = [w for w in by_count if history.segmentation(w, 0) != history.segmentation(w, 20)][:6]
    assert capsysbinary.readouterr().out.decode("utf-8") == animated_svg(history, most)
    # Rounds of Unigram leave most words as they are: those that change are shown.
    unigram = tokviz.train(COURSE, "unigram", 45)
    unigram.save("unigram.npz")
    assert main(["export", "unigram.npz", "animation", "-", "--first", "17"]) == 0
    words = [" tokenizer", " algorithms.", " Hopefully,", " you", " will", " able"]
    for word in words:
        assert unigram.segmentation(word, 17) != unigram.segmentation(word, 19)
    made = animated_svg(unigram, words, 17)
    assert capsysbinary.readouterr().out.decode("utf-8") == made
    options = ["--first", "2", "--step", "5", "--seconds", "0.5", "--dark"]
    shown = ["--show", COURSE.split("\n")[0], "--show", " Hugging"]
    assert main(["export", run, "animation", "words.svg", *options, *shown]) == 0
    wanted = animated_svg(history, shown[1::2], 2, 5, 0.5, "dark")
    assert Path("words.svg").read_text("utf-8") == wanted
    for kind in ("gif", "zip"):
        assert main(["export", run, "animation", f"words.{kind.upper()}", *options, *shown]) == 0
        made = animation_file(kind, history, shown[1::2], 2, 5, 0.5, "dark")
        assert Path(f"words.{kind.upper()}").read_bytes() == made


def test_an_animation_of_pixels_needs_the_extra(run, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    for kind in ("gif", "zip"):
        assert main(["export", run, "animation", f"words.{kind}", "--step", "1"]) == 1
        assert 'Pillow: pip install "tokviz[figures]".' in said(capsys)
        assert not Path(f"words.{kind}").exists()
    assert main(["export", run, "animation", "words.svg", "--step", "1"]) == 0


@pytest.mark.parametrize(
    ("asked", "drawn"),
    [
        ([], lambda history: history.chart()),
        (["--measure", "vocab_size"], lambda history: history.chart("vocab_size")),
        (["--word", " tokens", "--step", "9"], lambda history: history.word_chart(" tokens", 9)),
        (
            ["--segmentation", " tokens", "--step", "9"],
            lambda history: history.segmentation_chart(" tokens", 0, 9),
        ),
        (["--rows", "5", "--step", "9"], lambda history: history.candidates_chart(9, 5)),
    ],
)
def test_a_figure_is_the_one_that_python_gives(run, history, asked, drawn):
    assert main(["export", run, "figure", "f.svg", *asked]) == 0
    assert Path("f.svg").read_bytes() == drawn(history).file("svg")
    assert main(["export", run, "figure", "f.PNG", "--ppi", "150", *asked]) == 0
    assert Path("f.PNG").read_bytes() == drawn(history).file("png", 150)


def test_a_figure_has_the_width_that_was_asked_for(run):
    assert main(["export", run, "figure", "f.pdf", "--word", " tokens", "--width", "85mm"]) == 0
    assert b"/MediaBox [0 0 240.94" in Path("f.pdf").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["figure", "--word", "a", "--rows", "3"], 2, "give only one of --word, --rows"),
        (["figure", "--width", "85"], 1, "width='85' is no length; give points, or text such as"),
        (["figure", "--measure", "loss"], 1, "There is no curve of 'loss' here; choose"),
        (["curve", "--step", "21"], 1, "--step 21 is not possible: t=21 is not a state of this"),
        (["animation", "--as", "csv"], 2, "--as is for tables; animation has a format of its own"),
        (["animation", "a.mp4"], 1, "animation is written with the ending .svg, .gif or .zip"),
        (["animation", "--show", "nothing"], 1, "is not a word of this run's corpus"),
        (["animation", "--first", "9", "--step", "3"], 1, "State 9 comes after state 3"),
        (["animation", "--first", "-1"], 1, "--first -1 is not possible: t=-1 is not"),
        (["curve", "no/such/folder/x.csv"], 1, "no/such/folder/x.csv cannot be used: No such"),
        ([], 2, "give either FORMAT or --list."),
        (["curve", "--list"], 2, "give either FORMAT or --list."),
    ],
)
def test_what_cannot_be_is_one_sentence(run, capsys, arguments, status, sentence):
    assert main(["export", run, *arguments]) == status
    assert sentence in said(capsys)


ENDINGS = {
    **{name: {"csv", "parquet", "json"} for name in TABLES},
    "web-page": {"html", "htm"},
    "animation": {"svg", "gif", "zip"},
    "figure": {"svg", "pdf", "png"},
    "tokenizer.json": {"json"},
    "subword-nmt": {"bpe", "codes", "txt"},
}


@pytest.mark.parametrize("name", ENDINGS)
def test_an_ending_promises_what_the_file_is(run, capsys, name):
    fits = ENDINGS[name]
    for ending in [
        "csv",
        "parquet",
        "json",
        "svg",
        "HTML",
        "htm",
        "txt",
        "bpe",
        "xlsx",
        "zip",
        "gif",
    ]:
        path = Path(f"{name.partition('.')[0]}-of-mine.{ending}")
        status = main(["export", run, name, str(path)])
        sentence = capsys.readouterr().err
        if ending.lower() in fits or "not possible" in sentence:
            assert status == (1 if "not possible" in sentence else 0)
            continue
        assert (status, path.exists()) == (1, False), "nothing is written"
        assert f"{path} would be another kind of file: {name} is written with the" in sentence
        assert any(f".{fitting}" in sentence for fitting in fits)
    # Other endings promise nothing.
    if name in TABLES:
        assert main(["export", run, name, "v1.2"]) == 0


def test_an_ending_that_is_not_the_asked_kind_of_table(run, capsys):
    assert main(["export", run, "curve", "c.json", "--as", "csv"]) == 1
    assert "written with the ending .csv; give the file this one, or none." in said(capsys)
    assert not Path("c.json").exists()
    # A folder may be called anything.
    Path("old.svg").mkdir()
    assert main(["export", run, "curve", "old.svg"]) == 0
    assert Path("old.svg/curve.csv").exists()


@pytest.mark.parametrize("path", ["gpt2.zip", "merges.txt", "out/vocab.json"])
def test_several_files_are_no_file(run, history, capsys, path):
    sentence = f"{path} is the name of a file, but merges is written into a folder"
    assert main(["export", run, "merges", path]) == 1
    assert sentence in said(capsys)
    with pytest.raises(ExportError, match=sentence):
        history.export("merges", path)
    assert not Path(path).exists()
    Path(path).mkdir(parents=True)
    assert len(history.export("merges", path)) == 2


def test_a_file_that_is_no_run(tmp_path, capsys):
    text = tmp_path / "text.txt"
    text.write_text("x")
    assert main(["export", str(text), "curve"]) == 1
    assert "text.txt is not a tokviz history, or it is damaged" in said(capsys)


@pytest.mark.parametrize("seconds", ["0", "nan", "inf", "soon", "-1"])
def test_seconds_that_are_none(run, capsys, seconds):
    with pytest.raises(SystemExit) as ended:
        main(["export", run, "animation", f"--seconds={seconds}"])
    assert ended.value.code == 2
    assert f"'{seconds}' is no time; give 0.1 to 60 seconds" in said(capsys)


class Server:
    """Stands for the process of Streamlit."""

    started: list

    def __init__(self, command):
        Server.started = [command, 0]

    def wait(self, timeout=None):
        Server.started[1] += 1
        if Server.ends == "interrupted" and timeout is None:
            raise KeyboardInterrupt
        return Server.ends


def test_the_app_is_started_with_its_settings_beside_it(monkeypatch, capsys):
    monkeypatch.setattr(subprocess, "Popen", Server)
    Server.ends = 0
    assert main(["app", "--port", "8600", "--headless"]) == 0
    command, _ = Server.started
    script = ROOT / "tokviz" / "pages" / "start" / "app.py"
    assert command[:4] == [sys.executable, "-m", "streamlit", "run"]
    assert command[4:] == [*(str(script), "--server.port", "8600", "--server.headless", "true")]
    settings = script.parent / ".streamlit" / "config.toml"
    assert settings.read_bytes() == (ROOT / ".streamlit" / "config.toml").read_bytes()
    Server.ends = 3
    assert main(["app"]) == 1
    assert Server.started[0][5:] == []
    Server.ends = "interrupted"
    assert main(["app"]) == 130
    # Once for its end, and once more after Ctrl-C.
    assert Server.started[1] == 2
    assert "tokviz: interrupted." in capsys.readouterr().err


def test_the_app_needs_streamlit(monkeypatch, capsys):
    import importlib.util

    monkeypatch.setattr("tokviz.cli.app.find_spec", lambda _name: None)
    assert importlib.util.find_spec("streamlit") is not None
    assert main(["app"]) == 1
    assert "The app needs Streamlit; install it with: pip install" in said(capsys)
