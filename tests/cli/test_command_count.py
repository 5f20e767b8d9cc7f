"""`tokviz count`, the table that it writes, and training on that."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import psutil
import pyarrow
import pytest
from helpers import PATIENCE, ROOT, said
from pyarrow import parquet
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.__main__ import main
from tokviz.cli.inputs import read_corpus
from tokviz.counting import CountingError, read_table, write_table
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.word_counts import CountedWords, WordCounts
from tokviz.text.word_table import read_word_table

COURSE = tokviz.SAMPLES["course"].corpus
TEXT = COURSE + "\r\n<s> naïve Ⅷ <sep>x \r" + COURSE


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_bytes(TEXT.encode())
    return str(path)


@pytest.fixture
def table(tmp_path):
    return str(tmp_path / "words.parquet")


# ---------------------------------------------------------------- training on a table


@pytest.mark.parametrize(
    ("counted", "trained"),
    [
        ([], ["--vocab-size", "60"]),
        (["--special-tokens", "<s>", "<sep>"], ["--vocab-size", "60"]),
        (["--pretokenizer", "bert"], ["--algorithm", "wordpiece", "--vocab-size", "90"]),
        (["--pattern", r"\p{L}+|\S"], ["--algorithm", "unigram", "--vocab-size", "80"]),
        (
            [
                *("--algorithm", "sentencepiece-unigram", "--user-defined-symbols", "<sep>"),
                *("--normalization-rule-name", "nfkc_cf", "--no-add-dummy-prefix"),
            ],
            ["--algorithm", "sentencepiece-unigram", "--vocab-size", "60"],
        ),
        (
            ["--algorithm", "sentencepiece-bpe", "--byte-fallback", "--no-split-by-whitespace"],
            ["--algorithm", "sentencepiece-bpe", "--vocab-size", "330"],
        ),
    ],
)
def test_a_table_trains_as_its_text_does(counted, trained, text, table, tmp_path, capsys):
    assert main(["count", text, "--out", table, "--workers", "1", *counted]) == 0
    assert main(["train", table, "--save", str(tmp_path / "a.npz"), *trained]) == 0
    # An algorithm that was named twice is the same one.
    told = [*trained, *(counted[2:] if "--algorithm" in counted else counted)]
    assert main(["train", text, "--save", str(tmp_path / "b.npz"), *told]) == 0
    capsys.readouterr()
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_what_is_told_counts_more_than_the_table(text, table, capsys):
    assert main(["count", text, "--out", table, "--workers", "1", "--special-tokens", "<s>"]) == 0
    counted = read_table(table)
    history = tokviz.train(counted, "bpe", 60, "whitespace", special_tokens=("<pad>",))
    assert history.pretokenizer == make_pretokenizer("whitespace")
    assert history.words == counted.words
    assert history.vocab(0)[0] == "<pad>"
    assert tokviz.train(counted, "wordpiece", 90).pretokenizer == make_pretokenizer("gpt2")
    assert history.text is None
    capsys.readouterr()


@pytest.mark.parametrize(
    ("counted", "trained", "sentence"),
    [
        ([], ["--normalization-rule-name", "nfkc"], "were counted with normalization_rule_name="),
        ([], ["--pad-id", "3"], "special pieces <unk> <s> </s>, but are to be trained with <unk>"),
        (["--algorithm", "bpe"], [], "were counted with the special pieces none, but"),
    ],
)
def test_sentencepiece_cannot_be_trained_on_lines_that_became_words_otherwise(
    counted, trained, sentence, text, table, capsys
):
    kind = ["--algorithm", "sentencepiece-bpe"]
    how = ["--pretokenizer", "sentencepiece", *(counted or kind)]
    assert main(["count", text, "--out", table, "--workers", "1", *how]) == 0
    capsys.readouterr()
    assert main(["train", table, "--vocab-size", "60", *kind, *trained]) == 1
    assert sentence in said(capsys)


def test_compare_takes_a_table(text, table, capsys):
    lanes = ["--lane", "bpe vocab_size=40", "--lane", "wordpiece vocab_size=40 pretokenizer=gpt2"]
    assert main(["count", text, "--out", table, "--workers", "1"]) == 0
    capsys.readouterr()
    found = []
    for file in (table, text):
        assert main(["compare", file, *lanes, "--json"]) == 0
        found.append(json.loads(capsys.readouterr().out))
    assert found[0] == found[1]


# ---------------------------------------------------------------- the command


def test_it_says_how_many_words_it_counted(text, table, tmp_path, capsys):
    more = tmp_path / "more.jsonl.gz"
    more.write_bytes(gzip.compress(b'{"body": "one\\ntwo one"}\n'))
    assert main(["count", text, str(more), "--field", "body", "--out", table]) == 0
    out, err = capsys.readouterr()
    words = count_words(
        [*TEXT.replace("\r\n", "\n").replace("\r", "\n").split("\n"), "one\ntwo one"],
        make_pretokenizer("gpt2"),
    )
    assert out.startswith(f"{words.total:,} words, {len(words):,} of them distinct, in ")
    assert out.endswith(f" a second): {table}\n")
    assert err == ""
    assert read_table(table).words == words


@pytest.mark.parametrize(
    ("arguments", "status", "sentence"),
    [
        (["--out", "words.csv"], 2, "--out must end with .parquet"),
        (["--out", "w.tsv", "--algorithm", "sentencepiece-bpe"], 2, "must end with .parquet for"),
        (["--out", "w.tsv", "--min-count", "99"], 1, "no word came 99 times; the most frequent"),
        (["--out", "w.parquet", "--scheduler", "tcp://a:1"], 2, "--scheduler needs --engine dask"),
        (["--out", "no/such/w.parquet"], 1, "cannot be used"),
        (["--out", "w.parquet", "--pattern", "("], 1, "cannot be used"),
        (["--out", "w.parquet", "--byte-fallback"], 1, "bpe has no --byte-fallback; leave it out"),
        (["--out", "w.parquet", "--pattern", "Q"], 1, "these files have no words"),
        (["none.txt", "--out", "w.parquet"], 1, "none.txt cannot be used: No such file"),
    ],
)
def test_what_cannot_be_is_one_sentence_and_leaves_no_file(
    arguments, status, sentence, text, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    assert main(["count", text, *arguments]) == status
    assert sentence in said(capsys)
    assert [path.name for path in tmp_path.iterdir()] == ["text.txt"]


def test_a_table_in_text_is_what_train_and_the_page_read(tmp_path, capsys):
    text, table = str(tmp_path / "text.txt"), str(tmp_path / "words.tsv")
    corpus = '\ufeffb "a" b ,\n' + COURSE
    (tmp_path / "text.txt").write_text(corpus, "utf-8-sig")
    assert main(["count", text, "--out", table, "--pretokenizer", "whitespace"]) == 0
    assert "with the pre-tokenizer whitespace: the table does not" in capsys.readouterr().out
    counted = count_words(corpus, make_pretokenizer("whitespace"))
    pairs = list(zip(counted.words, counted.counts, strict=True))
    assert list(read_corpus(table).items()) == pairs
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
    next(button for button in app.button if button.label == "Settings").click().run()
    app.file_uploader(key="upload").set_value(("words.tsv", Path(table).read_bytes(), "")).run()
    assert not app.exception
    assert app.session_state["corpus_read_as"] == "counts"
    assert list(read_word_table(app.session_state["corpus_text"]).items()) == pairs


def test_rare_words_can_be_left_out(tmp_path, capsys):
    text, table = tmp_path / "text.txt", str(tmp_path / "words.tsv")
    text.write_text("c a b a\nb d a")
    how = ["--pretokenizer", "whitespace", "--min-count", "2", "--out"]
    assert main(["count", str(text), *how, table]) == 0
    assert read_corpus(table) == {"a": 3, "b": 2}
    said = capsys.readouterr().out
    assert said.startswith("7 words, 4 of them distinct")
    assert "occur less than 2 times: 2 of the distinct words, 2 words in all." in said
    how = ["--algorithm", "sentencepiece-bpe", "--min-count", "2", "--out"]
    assert main(["count", str(text), *how, str(tmp_path / "words.parquet")]) == 0
    words = read_table(str(tmp_path / "words.parquet")).words
    assert (words.words, words.counts, words.line_ends) == ((" a", " b"), (3, 2), (2, 0))
    # How many white-space words the others were a part of is not known.
    assert (words.white_space_words, words.alone) == (None, None)


def test_a_word_that_no_table_in_text_holds_is_named_and_no_file_left(tmp_path, capsys):
    (tmp_path / "records.jsonl").write_text(r'{"text": "one \ud800"}')
    arguments = ["count", str(tmp_path / "records.jsonl"), "--out", str(tmp_path / "w.tsv")]
    assert main(arguments) == 1
    assert "“ ⟨U+D800⟩” (1 times): it has a line break or half" in (told := said(capsys))
    assert told.endswith("Give --out a name that ends with .parquet.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["records.jsonl"]


def test_workers_are_a_number(text, capsys):
    for number in ("0", "-1", "many", "9" * 5000):
        with pytest.raises(SystemExit):
            main(["count", text, "--out", "w.parquet", "--workers", number])
        assert "is no whole number of at least 1" in capsys.readouterr().err


#: Seconds of a processor after which a process that counts has surely begun: twice what its imports
#: take.
BEGINNING = 0.7


def at_work(process):
    """How many processes below this one have worked longer than it takes to begin."""
    worked = 0
    for below in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            worked += below.cpu_times().user > BEGINNING
    return worked


@pytest.mark.parametrize("engine", ["local", "dask"])
def test_ctrl_c_leaves_one_sentence(engine, tmp_path):
    path = tmp_path / "long.txt"
    path.write_text("some words to count\n" * 200_000)
    # Slow, so that it is still counting.
    arguments = ["--pretokenizer", "regex", "--pattern", r"(?:\w\B)*\w|\s", "--part-size", "1"]
    arguments += ["--workers", "2", "--engine", engine, "--out", str(tmp_path / "w.parquet")]
    done = subprocess.Popen(
        [sys.executable, "-m", "tokviz", "count", *([str(path)] * 40), *arguments],
        stderr=subprocess.PIPE,
        start_new_session=True,
        # Where the tests run in the background, nothing that they start would hear of Ctrl-C.
        preexec_fn=partial(signal.signal, signal.SIGINT, signal.SIG_DFL),
    )
    until = time.monotonic() + PATIENCE
    while at_work(psutil.Process(done.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    assert list(tmp_path.glob(".tokviz-*.part"))
    # As a terminal does: to the whole group.
    os.killpg(done.pid, signal.SIGINT)
    _, err = done.communicate(timeout=PATIENCE)
    assert err.decode() == "tokviz: interrupted.\n"
    assert done.returncode == 130
    assert [path.name for path in tmp_path.iterdir()] == ["long.txt"]


# ---------------------------------------------------------------- the table as a file


def a_table(words, **more):
    return CountedWords(words, make_pretokenizer("gpt2"), **more)


def test_every_word_survives_in_the_file(table):
    words = ("a", "\ud800", "\udc00x\ud83d", "nul\0", "\n\r", '"', "⟨D800⟩", "�", " ", "👍")
    kept = a_table(
        WordCounts(
            words,
            tuple(range(1, 11)),
            (0,) * 10,
            white_space_words=7,
            alone=(1, 0, 0, 4, 0, 0, 0, 2, 0, 0),
        ),
        special_tokens=("<s>", "\ud800"),
        settings={"special_tokens": ("<s>", "\ud800")},
    )
    write_table(kept, table)
    read = read_table(table)
    assert (read.words, read.pretokenizer) == (kept.words, kept.pretokenizer)
    assert (read.words.white_space_words, read.words.alone) == (7, kept.words.alone)
    assert (read.special_tokens, read.settings) == (kept.special_tokens, kept.settings)
    # Others read it too.
    frame = parquet.read_table(table).to_pandas()
    assert frame["word"].tolist()[:2] == ["a", "?"]
    assert frame["count"].tolist() == list(range(1, 11))
    assert dict(read) == dict(zip(words, range(1, 11), strict=True))


def test_many_words_are_written_in_parts(table, monkeypatch):
    from tokviz.counting import table_file

    monkeypatch.setattr(table_file, "ROWS", 7)
    words = WordCounts(tuple(map(str, range(100))), (1,) * 100)
    write_table(a_table(words), table)
    assert read_table(table).words == words
    assert parquet.ParquetFile(table).metadata.num_row_groups == 15


@pytest.mark.parametrize(
    "change",
    [
        {"word": ["a", "a"]},
        {"word": ["a", ""]},
        {"word": ["a", None]},
        {"word": [1, 2]},
        {"count": [1, 0]},
        {"count": [1, None]},
        {"count": [1.5, 1]},
        {"count": [1, 2**62]},
        {"line_ends": [1, -1]},
        {"alone": [1, -1]},
        {"alone": [2, 0]},
        {"alone": [1, 2]},
        {"alone": [1, None]},
        {"alone": [0.5, 0.5]},
        {"word_bytes": [b"\xff", None]},
        {"word_bytes": [b"b", None]},
    ],
)
def test_a_table_that_was_changed_is_refused(change, table):
    words = WordCounts(("a", "b"), (1, 2), white_space_words=2, alone=(1, 0))
    write_table(a_table(words), table)
    assert read_table(table).words.alone == (1, 0)
    written = parquet.read_table(table)
    columns = {name: written.column(name) for name in written.column_names} | change
    changed = pyarrow.table(columns).replace_schema_metadata(written.schema.metadata)
    parquet.write_table(changed, table)
    with pytest.raises(CountingError, match="no table of counted words, or it is damaged"):
        read_table(table)


@pytest.mark.parametrize(
    "described",
    [
        b"{",
        b"[]",
        b"{}",
        b'{"format": "tokviz word counts", "version": 2}',
        b'{"format": "tokviz word counts", "version": 1, "pretokenizer": {"name": "gpt3"}}',
        b'{"format": "tokviz word counts", "version": 1, "pretokenizer": [], "settings": {}}',
        b'{"format": "tokviz word counts", "version": 1, "pretokenizer": "gpt2", "settings": {}}',
        b'{"format": "tokviz word counts", "version": 1, "pretokenizer": {"name": "bert",'
        b' "normalize": "yes"}, "special_tokens": [], "settings": {}}',
        b'{"format": "tokviz word counts", "version": 1, "pretokenizer": {"name": "gpt2"},'
        b' "special_tokens": [1], "settings": {}}',
        b'{"format": "tokviz word counts", "version": 1, "pretokenizer": {"name": "gpt2"},'
        b' "special_tokens": [], "settings": []}',
        b'{"format": "tokviz word counts", "version": 1, "pretokenizer": {"name": "gpt2"},'
        b' "special_tokens": [], "settings": {}, "white_space_words": -1}',
    ],
)
def test_a_table_that_says_it_otherwise_is_refused(described, table):
    columns = pyarrow.table({"word": ["a"], "count": [1]})
    parquet.write_table(columns.replace_schema_metadata({b"tokviz": described}), table)
    with pytest.raises(CountingError, match="no table of counted words, or it is damaged"):
        read_table(table)


def test_other_files_are_refused(table, capsys):
    parquet.write_table(pyarrow.table({"text": ["a b"]}), table)
    assert main(["train", table, "--vocab-size", "9"]) == 1
    assert "if it holds texts, count them first: python -m tokviz count" in said(capsys)
    with open(table, "wb") as file:
        file.write(b"PAR1")
    assert main(["train", table, "--vocab-size", "9"]) == 1
    assert "is no table of counted words, or it is damaged" in said(capsys)
