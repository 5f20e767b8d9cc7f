"""What a notebook shows of an object is one short line, whatever the object holds."""

import re
from dataclasses import dataclass, field, fields, make_dataclass
from fractions import Fraction

import pytest

import tokviz
from tokviz.analysis.grid import grid
from tokviz.analysis.metrics import usages
from tokviz.basics.short_repr import MOST, short_repr, short_value
from tokviz.encoding.bytes_view import text_characters
from tokviz.encoding.dropout import DropoutChain
from tokviz.encoding.round_trip import round_trip
from tokviz.encoding.sampling import sample_merges, sample_unigram
from tokviz.encoding.word_trace import word_trace
from tokviz.formats.exports import EXPORTS, export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.formats.tables import TABLES
from tokviz.player.pack import pack
from tokviz.pretokenizers import make_pretokenizer

#: 20 kB: the course's sentences, words that go on for ever, what a line cannot hold, and quotes.
PIECE = 'This is the Hugging Face Course. Don\'t say "no"\t\\ é 😀 l\u200bow\r lower\u2028 '
TEXT = (PIECE * 160 + "a" * 3000 + " " + "bc" * 1500 + "\n" + "x'\"\\" * 300)[:20_000]
NAMES = [*tokviz.TRAINERS, "replay"]


@pytest.fixture(scope="module")
def runs():
    """A run of every kind, with settings that are long themselves."""
    special = {"special_tokens": [f"<special-{i}>" for i in range(100)]}
    found = {
        name: tokviz.train(
            # Its sums go through a word letter by letter: the longest would take half a minute.
            TEXT if name != "huggingface-unigram" else TEXT[:9000],
            name,
            150,
            # Without it a word is a whole line, too long to be traced.
            **({"pretokenizer": "runs"} if name == "boundless-bpe" else {}),
            **({} if name.startswith("sentencepiece") else special),
        )
        for name in tokviz.TRAINERS
    }
    file = export(tokviz.train(TEXT, "bpe", 200), "tokenizer.json")["tokenizer.json"]
    opened = open_tokenizer({f"{'long-name-' * 30}.json": file})
    found["replay"] = tokviz.replay(opened, TEXT)
    found["opened"] = opened
    return found


def objects(run, of):
    """What a person meets who looks at a run, by a name for each."""
    tokenizer, last = run.tokenizer(), len(run)
    encoding = tokenizer.encode(TEXT)
    longest = max(run.words.words, key=len)
    word = next(word for word in run.words.words if 3 <= len(word) <= 12)
    yield from {
        "history": run,
        "trainer": run.trainer,
        "pre-tokenizer": run.pretokenizer,
        "words": run.words,
        "record": run.record,
        "steps": run.steps,
        "tokenizer": tokenizer,
        "encoder": tokenizer.encoder,
        "encoding": encoding,
        "a word of an encoding": max(encoding.words, key=lambda w: len(w.text)),
        "an event": encoding.trace_of(0)[0],
        "a trace": word_trace(tokenizer, encoding, 0),
        # A run of text may be too long to be traced.
        "a row of a trace": next(
            row
            for i in range(len(encoding.words))
            for row in word_trace(tokenizer, encoding, i).rows
        ),
        "the life of a token": run.life(run.vocab(last)[-1]),
        "scaffolding": run.scaffolding(last),
        "provenance": run.provenance(run.vocab(last)[-1]),
        "a round trip": (trip := round_trip(tokenizer, TEXT, encoding)),
        "usage": next(iter(usages(run, [last]))),
        "a character": text_characters(TEXT)[-1],
        "a piece": tokenizer.encoder.encode(longest)[0],
    }.items()
    yield from ((f"step {i}", run.steps[i]) for i in {0, last // 2, last - 1})
    yield from ((f"difference {i}", found) for i, found in enumerate(trip.differences[:3]))
    if hasattr(run, "merge_tree"):
        for name, text in (("short", word), ("long", longest[:400])):
            tree = run.merge_tree(text, last)
            yield f"a {name} tree", tree
            yield f"a root of a {name} tree", tree.roots[-1]
            yield from ((f"lost of a {name} tree", pair) for pair in tree.lost(tree.roots[-1])[:1])
    if of in ("bpe", "sentencepiece-bpe"):
        chain = DropoutChain.of(tokenizer.encoder, word, Fraction(1, 3))
        yield from {"dropout": chain, "a way": chain.ways[0]}.items()
        yield "samples", sample_merges(chain, 20, 1, 3)
    if of.endswith("unigram"):
        lattice = run.lattice(word)
        yield from {"lattice": lattice, "long lattice": run.lattice(longest[:300])}.items()
        yield from {"edge": lattice.edges[0], "best": lattice.best()}.items()
        yield "samples", sample_unigram(tokenizer.encoder, word, 1.0, 20, 1, 3)


@pytest.mark.parametrize("of", NAMES)
def test_every_object_of_a_run_is_shown_in_one_short_line(runs, of):
    for name, thing in objects(runs[of], of):
        said = repr(thing)
        assert len(said) <= MOST == 200, (name, said)
        assert said.isprintable(), (name, said)
        assert type(thing).__name__ in said, (name, said)
        # More than the name alone, unless there is nothing to tell.
        assert said != f"{type(thing).__name__}()" or not fields(thing), (name, said)


def test_what_several_runs_and_files_are_asked_for_is_short(runs):
    histories = [runs[name] for name in tokviz.TRAINERS]
    names = [f"lane {'é' * 40} {name}" for name in tokviz.TRAINERS]
    comparison = tokviz.compare(histories, TEXT, names=names)
    branched = tokviz.branch(runs["bpe"], 0, ("t", "h"))
    shown = [
        comparison,
        comparison.axis,
        comparison.alignments[0, 1],
        comparison.parting(0, 1),
        tokviz.branching(runs["bpe"], branched),
        runs["opened"],
        runs["opened"].tokenizer,
        runs["opened"].merges,
        runs["opened"].tokenizer.encode(TEXT),
        runs["opened"].tokenizer.pretokenizer,
        make_pretokenizer("gpt2"),
        tokviz.pretokenizers.RegexPretokenizer("|".join(f"word{i}" for i in range(500))),
        tokviz.CountedWords(runs["bpe"].words, runs["bpe"].pretokenizer),
        grid(TEXT[:2000], ["bpe"], [100]),
        *tokviz.SAMPLES.values(),
        *tokviz.PRESETS.values(),
        *EXPORTS.values(),
        *TABLES.values(),
    ]
    for thing in shown:
        assert len(repr(thing)) <= MOST, repr(thing)
        assert repr(thing).isprintable(), repr(thing)
        assert repr(thing).startswith((type(thing).__name__, f"<{type(thing).__name__}"))


def test_facts_that_tell_something():
    history = tokviz.train("low low lower", "bpe", 10, "whitespace")
    tokenizer = history.tokenizer()
    assert repr(history) == (
        "<MergeHistory of bpe: 4 steps to a vocabulary of 9, 2 different words>"
    )
    assert repr(history.steps) == "<Steps: 4, merge 1 to merge 4>"
    assert repr(history.steps[:0]) == "[]"
    assert repr(history.trainer) == "BPE(vocab_size=10)"
    assert repr(tokenizer) == "<Tokenizer of 9 tokens: words by whitespace, tokens by MergeEncoder>"
    assert repr(tokenizer.encode("slow")) == "Encoding(tokens=['s', 'low'], ids=[None, 6])"
    long = repr(tokenizer.encode("low " * 999))
    assert re.fullmatch(
        r"Encoding\(tokens=\[('low', )+… 9\d\d more\], ids=\[(6, )+… 9\d\d more\]\)", long
    )


@dataclass
class Many:
    first: str
    second: list[int]
    third: float = 0.5
    fourth: list[int] = field(default_factory=list)
    _own: int = 0
    hidden: str = field(default="", repr=False)

    __repr__ = short_repr


def test_what_is_left_out_when_there_is_too_much():
    assert repr(Many("a", [1])) == "Many(first='a', second=[1], third=0.5, fourth=[])"
    long = repr(Many("é" * 500, [*range(500)]))
    # Defaults first, whether they are made or given; then the ends of values.
    assert re.fullmatch(r"Many\(first='é+…', second=\[0, 1, [\d, ]+… \d+ more\]\)", long)
    assert len(long) <= MOST
    assert "third=2.5, fourth=[7]" in repr(Many("é" * 500, [*range(500)], 2.5, [7]))
    # Where there are too many fields, the last.
    wide = make_dataclass("Wide", [f"number_{i}" for i in range(40)])(*range(40))
    assert re.fullmatch(r"Wide\(number_0=0, number_1=1, .*, number_1\d=1\d, …\)", short_repr(wide))
    assert len(short_repr(wide)) <= MOST


@pytest.mark.parametrize("room", [24, 40, 60, 120])
def test_a_value_keeps_to_its_room(room):
    held = ["\n" * 900, "\\" * 900, "'\"" * 400, "😀" * 900, [*range(900)], ("a" * 900,), 1 / 3]
    held += [
        dict.fromkeys(range(900), "x" * 900),
        {"a": "x" * 900},
        object(),
        [["a" * 99] * 99] * 9,
    ]
    for value in held:
        said = short_value(value, room)
        assert len(said) <= room, said
        assert said.isprintable(), said


def test_lanes_with_other_patterns_stay_apart():
    """What the player compares lanes by is told in full: not as a person is shown it."""
    patterns = [r"\w+|" + "|".join("abc" * 80) + ending for ending in ("|x", "|y")]
    told = []
    for pattern in patterns:
        cut = tokviz.pretokenizers.RegexPretokenizer(pattern)
        blob = pack(tokviz.train("a b", "bpe", 5, cut), "BPE", None, 5)
        told.append(blob[: blob.index(b'"arrays"')])
        assert pattern.replace("\\", "\\\\\\\\").encode() in told[-1]
    assert told[0] != told[1]
