"""Counting files in parts, however they are cut, against one process that reads all of them."""

import bz2
import errno
import gzip
import http.server
import io
import itertools
import json
import lzma
import random
import re
import sys
import threading
import tracemalloc
from contextlib import contextmanager, nullcontext
from unittest.mock import patch

import fsspec
import pyarrow
import pytest
from effort import some
from hypothesis import example, given, settings
from hypothesis import strategies as st
from odd_texts import PIECES, SPECIAL
from pyarrow import parquet

from tokviz import Cancelled
from tokviz.basics import progress
from tokviz.counting import CountingError, count, count_files, lines, sources
from tokviz.counting.lines import TEXT_ENDS, chunks_from, lines_of_range
from tokviz.counting.local import count_here
from tokviz.pretokenizers import PRETOKENIZERS, blocks, make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.trainers.sentencepiece_settings import SentencePieceSettings

WHITESPACE = make_pretokenizer("whitespace")
LINES = ["one two", "", "two  three ", "naïve Ⅷ"]

every_pretokenizer = pytest.mark.parametrize("name", PRETOKENIZERS)
thorough = settings(max_examples=some(120))
#: A file of text holds no halves of surrogate pairs.
whole_pieces = [piece for piece in PIECES if not re.search("[\ud800-\udfff]", piece)]
any_text = (
    st.lists(st.sampled_from(whole_pieces), max_size=40).map("".join)
    | st.text("a \n\r", max_size=20)
    | st.text(st.characters(codec="utf-8"), max_size=40)
)
any_documents = st.lists(st.lists(st.sampled_from(PIECES), max_size=15).map("".join), max_size=6)
sizes = st.sampled_from([1, 2, 3, 5, 17, 100])
special_tokens = st.lists(st.sampled_from(SPECIAL), max_size=3, unique=True).map(tuple)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("texts")


@contextmanager
def small(size, order):
    """Chunks and blocks of `size`; and tasks that are done in another order."""

    def in_order(job, tasks, tell, _workers):
        done = list(count_here(job, tasks, tell))
        order.shuffle(done)
        return iter(done)

    with (
        patch.object(lines, "CHUNK", size),
        patch.object(blocks, "BLOCK_SIZE", size),
        patch.object(count, "count_locally", in_order),
    ):
        yield


def as_one(documents, cutter, special=()):
    return count_words(documents, cutter, tuple(special))


def same(found, expected):
    """Whether all is the same; the white-space words are no part of what makes words equal."""
    white_space = (found.white_space_words, found.alone)
    return found == expected and white_space == (expected.white_space_words, expected.alone)


# ---------------------------------------------------------------- however it is cut


@every_pretokenizer
@thorough
@given(text=any_text, part=sizes, size=sizes, special=special_tokens, order=st.randoms())
@example("a\r\nb\r\rc\n\r\n", 1, 1, (), random.Random(1))
@example("\ufeffa b\ufeff", 2, 1, (), random.Random(1))
@example("one <s>x two <s> three" * 3, 5, 3, ("<s>", "<s>x", "x two"), random.Random(1))
@example("aa aa aa aa aa", 100, 1, ("aa aa", " a"), random.Random(1))
@example("a,b a,b 中。文 a,b", 100, 1, (), random.Random(1))
def test_a_text_in_parts_is_counted_as_one(folder, name, text, part, size, special, order):
    path = folder / "text.txt"
    path.write_bytes(text.encode())
    cutter = make_pretokenizer(name)
    # No trainer has an empty special token.
    special = tuple(filter(None, special))
    with small(size, order):
        found = count_files([str(path)], cutter, special, part_size=part)
    assert same(found, as_one(text.removeprefix("\ufeff"), cutter, special))


@every_pretokenizer
@settings(max_examples=some(60))
@given(any_documents, sizes, sizes, special_tokens, st.randoms(), st.booleans())
def test_records_in_parts_are_counted_as_one(
    folder, name, documents, part, size, special, order, escaped
):
    path = folder / "records.jsonl"
    ends = itertools.cycle(["\n", "\r\n", "\n\n \n"])
    # What JSON does not escape must be UTF-8.
    escaped = escaped or any(re.search("[\ud800-\udfff]", text) for text in documents)
    records = (json.dumps({"id": 1, "body": text}, ensure_ascii=escaped) for text in documents)
    path.write_bytes("".join(map("".join, zip(records, ends, strict=False))).encode())
    # JSON joins the halves of a pair that stand side by side.
    documents = [json.loads(json.dumps(text)) for text in documents]
    cutter = make_pretokenizer(name)
    special = tuple(filter(None, special))
    with small(size, order):
        found = count_files([str(path)], cutter, special, field="body", part_size=part)
    assert same(found, as_one(documents, cutter, special))


@every_pretokenizer
@settings(max_examples=some(40))
@given(st.lists(st.none() | any_text, max_size=6), sizes, st.integers(1, 4), sizes, st.randoms())
def test_columns_in_parts_are_counted_as_one(folder, name, documents, part, rows, size, order):
    path = folder / "column.parquet"
    table = pyarrow.table({"id": range(len(documents)), "text": pyarrow.array(documents, "string")})
    parquet.write_table(table, path, row_group_size=rows)
    cutter = make_pretokenizer(name)
    with small(size, order):
        found = count_files([str(path)], cutter, part_size=part)
    assert same(found, as_one([text for text in documents if text is not None], cutter))


@thorough
@given(st.text("a\n\r", max_size=12), st.lists(st.integers(0, 12)), st.integers(1, 5))
def test_every_line_is_in_the_one_range_in_which_it_begins(text, cuts, size):
    data = text.encode()
    cuts = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    starts = [0, *(match.end() for match in TEXT_ENDS.finditer(data))]
    with patch.object(lines, "CHUNK", size):
        for start, end in itertools.pairwise(cuts):
            file = io.BytesIO(data)
            file.seek(max(0, start - 1))
            found = list(lines_of_range(chunks_from(file), start, end, TEXT_ENDS))
            begun = [at for at in starts if start <= at < end]
            ended = next((at for at in starts if at >= end), len(data))
            expected = data[begun[0] : ended] if begun else b""
            assert b"".join(chunk for _, chunk in found) == expected
            assert not expected or found[0][0] == begun[0]


def test_line_ends_and_special_pieces_are_those_of_sentencepiece(folder):
    text = "a <s>b\r\nb c\nb\n" * 7
    path = folder / "lines.txt"
    path.write_bytes(text.encode())
    cutter, special = make_pretokenizer("sentencepiece"), SentencePieceSettings().special_tokens
    found = count_files([str(path)], cutter, special, part_size=5, workers=1)
    assert same(found, as_one(text, cutter, special))
    assert found.line_ends is not None
    assert sum(found.line_ends) == 21


def test_a_line_without_an_end_takes_no_more_memory_than_others(folder):
    """Where the pre-tokenizer knows places for cuts."""
    path = folder / "long.txt"
    path.write_text("some words to count " * 1_000_000)
    cutter = make_pretokenizer("gpt2")
    tracemalloc.start()
    found = count_files([str(path)], cutter, ("<s>",), workers=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found.total == 4_000_001
    assert peak < 16_000_000


# ---------------------------------------------------------------- many files of many kinds


def write_all(folder):
    """The same lines in files of every kind."""
    text = "\n".join(LINES).encode()
    records = "\n".join(json.dumps({"text": line}) for line in LINES).encode()
    (folder / "plain").write_bytes(text)
    (folder / "a.txt.gz").write_bytes(gzip.compress(text[:9]) + gzip.compress(text[9:]))
    (folder / "b.jsonl.bz2").write_bytes(bz2.compress(records))
    (folder / "c.ndjson").write_bytes(records)
    (folder / "d.txt.xz").write_bytes(lzma.compress(text))
    with pyarrow.CompressedOutputStream(str(folder / "e.txt.zst"), "zstd") as file:
        file.write(text)
    strings = pyarrow.array(LINES).dictionary_encode()
    parquet.write_table(pyarrow.table({"text": strings}), folder / "f.parquet")
    return sorted(path for path in folder.iterdir() if path.is_file())


def test_files_of_every_kind_are_counted_one_after_the_other(tmp_path):
    files = write_all(tmp_path)
    assert len(files) == 7
    one = tmp_path / "one"
    one.write_text("three first\n")
    names = [str(one), *map(str, files)]
    for part in (1, 40, None):
        found = count_files(names, WHITESPACE, workers=1, part_size=part)
        assert same(found, as_one(["three first", *LINES * 7], WHITESPACE))
    assert found.words[:3] == ("three", "first", "one")


def test_urls_are_read_and_may_have_a_star():
    memory = fsspec.filesystem("memory")
    for name, text in (("b.txt", "two\r\none two"), ("a.txt", "one")):
        memory.pipe(f"/counting/{name}", text.encode())
    memory.pipe("/counting/c.txt.gz", gzip.compress(b"three"))
    for part in (1, None):
        found = count_files(
            ["memory://counting/*.txt", "memory://counting/c.txt.gz"],
            WHITESPACE,
            workers=1,
            part_size=part,
        )
        assert same(found, as_one(["one", "two", "one two", "three"], WHITESPACE))


def test_names_may_have_a_star(tmp_path):
    for name in ("b.txt", "a.txt", "[c]*.txt"):
        (tmp_path / name).write_text(name)
    found = count_files([str(tmp_path / "?.txt*")], WHITESPACE, workers=1)
    assert found.words == ("a.txt", "b.txt")
    found = count_files([str(tmp_path / "[c]*.txt")], WHITESPACE, workers=1)
    assert found.words == ("[c]*.txt",)


@pytest.mark.parametrize(("ranges", "sized"), [(True, True), (False, True), (False, False)])
def test_web_servers_are_read_with_and_without_ranges_and_sizes(ranges, sized):
    text = b"one two\n" * 30_000
    asked = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self):
            self.answer()

        def do_GET(self):
            self.answer()

        def answer(self):
            wanted = re.match(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
            first, last = map(int, wanted.groups()) if wanted and ranges else (0, len(text))
            body = text[first : last + 1]
            asked.append((self.command, first))
            self.send_response(206 if wanted and ranges else 200)
            if sized:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        url = f"http://127.0.0.1:{server.server_port}/a.txt"
        found = count_files([url], WHITESPACE, workers=1, part_size=100_000)
    finally:
        server.shutdown()
    assert same(found, as_one(["one two"] * 30_000, WHITESPACE))
    assert any(command == "GET" and first > 0 for command, first in asked) == ranges


# ---------------------------------------------------------------- what cannot be counted


def compressed(data):
    return gzip.compress(data * 1000, mtime=0)[:-9]


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.txt", b"ab\xff", "a.txt is not UTF-8 (byte 2)"),
        ("a.txt", b"\xef\xbb\xbf" + b"abcd\n" * 9 + b"e\xe2\x82", "a.txt is not UTF-8 (byte 49)"),
        ("a.jsonl", b'{"text": "a"}\n{"text": "\xc3"}', "not UTF-8 (byte 24)"),
        ("a.jsonl", b'{"text": "a"}\n \n{"te', "the record at byte 16 of"),
        ("a.jsonl", b'{"id": "a", "body": 1}', 'no field "text" but id, body; choose one with'),
        ("a.jsonl", b"[" * 100_000, "is no JSON"),
        ("a.jsonl", b"[1]", 'has no field "text" but none at all'),
        ("a.jsonl", b'{"text": ["a"]}', 'has no text in the field "text"'),
        ("a.jsonl", b'{"text": ' + b"9" * 5000 + b"}", "is no JSON"),
        ("a.txt.gz", b"no gzip", "cannot be unpacked as gzip"),
        ("a.txt.gz", compressed(b"a b c"), "cannot be unpacked as gzip"),
        ("a.txt.bz2", b"no bz2", "cannot be unpacked as bz2"),
        ("a.txt.xz", b"no xz", "cannot be unpacked as xz"),
        ("a.txt.zst", b"no zst", "cannot be unpacked as zstd"),
        ("a.parquet", b"PAR1 or so", "is no Parquet file, or it is damaged"),
        ("a.parquet.gz", b"", "compressed once more; unpack it"),
        ("a.csv", b"", "train takes it as a word-count table"),
        ("a.tar.gz", b"", "(.tar): unpack it."),
    ],
)
def test_what_cannot_be_counted_is_a_sentence(tmp_path, name, content, sentence):
    path = tmp_path / name
    path.write_bytes(content)
    for part in (3, None):
        with pytest.raises(CountingError, match=re.escape(sentence)):
            count_files([str(path)], WHITESPACE, workers=1, part_size=part)


def test_columns_that_are_no_text_are_refused(tmp_path):
    path = tmp_path / "a.parquet"
    bad = pyarrow.Array.from_buffers(
        pyarrow.string(),
        1,
        [None, pyarrow.py_buffer(b"\0\0\0\0\1\0\0\0"), pyarrow.py_buffer(b"\xff")],
    )
    parquet.write_table(pyarrow.table({"id": [1], "bad": bad}), path)
    for field, sentence in (
        ("text", 'has no column "text"; it has id, bad.'),
        ("id", "holds int64, not text"),
        ("bad", "holds what is no UTF-8, in row group 0"),
    ):
        with pytest.raises(CountingError, match=re.escape(sentence)):
            count_files([str(path)], WHITESPACE, field=field, workers=1)
    data = bytearray(path.read_bytes())
    pages = slice(4, -8 - int.from_bytes(data[-8:-4], "little"))
    data[pages] = b"\xff" * len(data[pages])
    path.write_bytes(data)
    with pytest.raises(CountingError, match="damaged Parquet"):
        count_files([str(path)], WHITESPACE, field="bad", workers=1)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("nope://a.txt", "nope://a.txt cannot be read: Protocol not known: nope."),
        ("memory://none/a.txt", "there is no file memory://none/a.txt."),
        ("memory://none/*.txt", "no file is named memory://none/*.txt."),
        ("none/*.txt", "no file is named none/*.txt."),
    ],
)
def test_names_of_nothing(name, sentence):
    with pytest.raises(CountingError, match=re.escape(sentence)):
        count_files([name], WHITESPACE)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(FileNotFoundError) as error:
        count_files([str(tmp_path / "none.txt")], WHITESPACE)
    assert error.value.filename.endswith("none.txt")


@pytest.mark.parametrize(
    ("package", "name", "sentence"),
    [
        ("fsspec.core", "memory://a.txt", "pip install fsspec"),
        ("pyarrow", "a.parquet", "pip install pyarrow"),
        ("pyarrow", "a.txt.zst", "pip install pyarrow"),
    ],
)
def test_a_missing_package_is_named(tmp_path, monkeypatch, package, name, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name.rpartition("/")[2]).write_bytes(b"")
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(CountingError, match=re.escape(sentence)):
        count_files([name], WHITESPACE, workers=1)


def test_progress_is_told_in_bytes_and_can_stop_it(tmp_path, monkeypatch):
    clock = itertools.count()
    monkeypatch.setattr(progress, "perf_counter", lambda: next(clock))
    path = tmp_path / "a.txt"
    path.write_bytes(b"one two\n" * 100_000)
    seen = []
    count_files([str(path)], WHITESPACE, workers=1, progress=seen.append)
    assert {(report.stage, report.total) for report in seen} == {("bytes", 800_000)}
    done = [report.done for report in seen]
    assert done[0] == 0
    assert done[-1] == 800_000
    assert done == sorted(done)
    assert len(done) > 3
    with pytest.raises(Cancelled):
        count_files([str(path)], WHITESPACE, workers=1, progress=lambda report: report.done < 9)


def test_engines_that_are_not_known_are_refused():
    with pytest.raises(CountingError, match="choose local or dask"):
        count_files(["a.txt"], WHITESPACE, engine="spark")
    with pytest.raises(CountingError, match="add --engine dask"):
        count_files(["a.txt"], WHITESPACE, scheduler="tcp://host:8786")


def test_a_file_that_cannot_be_read_to_its_end_is_named(tmp_path, monkeypatch):
    """Not the file that is written meanwhile: an error in the middle of a file names none."""
    path = tmp_path / "text.txt"
    path.write_bytes(b"some words")

    def fails(_file, _buffer):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(sources.CountedReads, "readinto", fails)
    with pytest.raises(OSError, match="Input/output error") as error:
        count_files([str(path)], WHITESPACE, workers=1)
    assert (error.value.errno, error.value.filename) == (errno.EIO, str(path))


@pytest.mark.parametrize(("most", "fits"), [(5, True), (4, False)])
def test_as_many_characters_as_sums_can_hold_are_counted(most, fits, tmp_path, monkeypatch):
    monkeypatch.setattr(count, "MAX_TOTAL", most)
    (tmp_path / "a.txt").write_text("ab abc\n")
    with nullcontext() if fits else pytest.raises(CountingError, match=r"more than 2\*\*53 char"):
        assert count_files([str(tmp_path / "a.txt")], WHITESPACE, workers=1).total == 2
