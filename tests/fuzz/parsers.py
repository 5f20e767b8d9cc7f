"""Links, addresses and files from anybody: each is refused with a sentence, or it works."""

import base64
import json
import zlib
from dataclasses import replace
from pathlib import Path

from hostile_files import ALL, refused_or_works

import tokviz
from tokviz import SAMPLES
from tokviz.formats.exports import EXPORTS, ExportError
from tokviz.lessons.lesson import LessonError, bundled, read_lesson
from tokviz.pages.visit.address import Query, look_in_address, where
from tokviz.pages.visit.lanes import facts, labels
from tokviz.pages.visit.link import from_link, from_links, to_links
from tokviz.pages.visit.moment_file import MomentFileError, from_file, is_moment, to_file
from tokviz.pages.visit.written_run import LinkError, fields_of
from tokviz.server.before_training import possible_sizes
from tokviz.server.limits import LIMITS, read_limits
from tokviz.server.runs import run_of_sample

BASE = run_of_sample(SAMPLES["course"])
RUNS = [
    BASE,
    replace(
        BASE, corpus=replace(BASE.corpus, title="Mine", text="a text of my own"), vocab_size=60
    ),
    replace(
        BASE,
        corpus=replace(BASE.corpus, text="hug,10\npug,5", read_as="counts"),
        algorithm="unigram",
        settings=(),
        interventions=((0, ("keep", "u")),),
    ),
    replace(
        BASE,
        algorithm="wordpiece",
        pretokenizer="regex",
        pretokenizer_settings=(("pattern", "a+"), ("timeout", 1.5)),
        settings=(("special_tokens", ("<s>",)),),
    ),
]
HISTORIES = [tokviz.train("low lower", "bpe", 9), tokviz.train("low lower", "unigram", 30)]


def said(error):
    text = str(error)
    assert text
    assert "\n" not in text, "a sentence is one line"
    assert len(text) < 1000
    text.encode("utf-8")


def used(run):
    """What a page makes of a run before it trains."""
    labels([run, BASE])
    facts(run, whole=True)
    try:
        possible_sizes(run)
    except ValueError as error:
        assert str(error)
    assert from_links(to_links([run, run])) == ([run, run], [])
    assert from_file(to_file("train", (run, run), {})).lanes == (run, run)


def link(data):
    """Half of the inputs are the address as it is typed, the others what is packed in it."""
    if data[:1] == b"[":
        packed = base64.urlsafe_b64encode(zlib.compress(data)).rstrip(b"=")
        text = "~" + packed.decode()
    else:
        text = data.decode("utf-8", "surrogateescape")
    try:
        run = from_link(text, [BASE, None])
    except LinkError as error:
        said(error)
    else:
        used(run)


def links():
    runs = [json.dumps(fields_of(run)).encode() for run in RUNS]
    return [*runs, *(one.encode() for one in to_links(RUNS)), b"course", b"~", b"[0, 1]"]


def address(data):
    """Every part of an address is understood or left out, and a sentence says so."""
    try:
        written = json.loads(data)
    except (ValueError, RecursionError):
        written = None
    parts = written if isinstance(written, dict) else {"token": data.decode("utf-8", "replace")}
    query = Query({str(name): str(value) for name, value in parts.items()})
    at, align = where(query, HISTORIES)
    look = look_in_address(query, HISTORIES)
    assert at >= 0
    assert align in ("step", "size", "share")
    json.dumps(look)
    assert all(isinstance(line, str) and len(line) < 300 for line in query.lost)


def addresses():
    parts = {"step": "3", "align": "size", "view": "words", "speed": "0.5", "stop": "size.9"}
    more = {"token": "0.1.lo", "present": "1", "quiz": "1", "keys": "1", "stop": "birth"}
    return [json.dumps(one).encode() for one in (parts, more)] + [b"0..low", b"1.0.\xe2\x96\x81l"]


def moment(data):
    is_moment(data)
    try:
        found = from_file(data)
    except MomentFileError as error:
        said(error)
        return
    for run in found.lanes:
        used(run)
    Query(found.parts)


def moments():
    whole = to_file("compare", RUNS, {"step": "3", "align": "size"})
    return [whole, *(to_file("train", (run,), {}) for run in RUNS)]


KINDS = ("tokenizer.json", "m.model", "r.tiktoken", "vocab.txt", "vocab.json")


def tokenizer(data):
    """The first byte says what the file is called; a NUL parts vocab.json from merges.txt."""
    name, data = KINDS[data[0] % len(KINDS) if data else 0], data[1:]
    if name == "vocab.json":
        vocab, _, merges = data.partition(b"\0")
        refused_or_works({name: vocab, "merges.txt": merges})
    else:
        refused_or_works({name: data})


def tokenizers():
    seeds = [b"\0" + json.dumps(file).encode() for file in ALL]
    text = SAMPLES["course"].corpus[:300]
    for algorithm in tokviz.TRAINERS:
        history = tokviz.train(
            text, algorithm, 60, **({"unit": "byte"} if algorithm == "bpe" else {})
        )
        for export in EXPORTS.values():
            try:
                files = export.files(history)
            except ExportError:
                continue
            if "vocab.json" in files:
                seeds.append(b"\4" + files["vocab.json"] + b"\0" + files["merges.txt"])
            for name, content in files.items():
                kind = [k for k in KINDS[:4] if name.endswith(k[1:])]
                seeds += [bytes([KINDS.index(k)]) + content for k in kind]
    return seeds


def lesson(data):
    try:
        found = read_lesson(data, "mine")
    except LessonError as error:
        text = str(error)
        assert text
        text.encode("utf-8")
        return
    assert found.scenes
    assert all(isinstance(said, str) for said in found.texts())


def lessons():
    folder = Path(tokviz.__file__).parent / "lessons"
    assert bundled()
    small = b"""format = 1
title = "t"
about = "a"
minutes = 1
[corpus]
words = {hug = 10, pug = 5}
[runs.a]
algorithm = "bpe"
vocab_size = 9
[[scenes]]
runs = ["a"]
say = "{vocab}"
at = "step 1"
[scenes.ask]
question = "q"
options = ["x", "y"]
then = "z"
"""
    return [small, *(path.read_bytes() for path in sorted(folder.glob("*.toml")))]


def limits(data):
    try:
        read_limits(data.decode("utf-8", "replace"), LIMITS)
    except ValueError as error:
        assert str(error)


def limit_files():
    whole = (Path(tokviz.__file__).parent / "server" / "limits.toml").read_bytes()
    return [whole, b"[kept]\nhistories = 8", b"[corpus]\nbytes = 1e9", b"training = 3"]
