"""Texts and tables from anybody: what the pre-tokenizers and the counting make of them."""

from collections import Counter

import atheris

import tokviz
from tokviz.basics.errors import CorpusError
from tokviz.pretokenizers import PRETOKENIZERS, REGEX_PRESETS, PatternError, make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import documents
from tokviz.text.pieces import pieces
from tokviz.text.word_table import read_word_table, write_word_table

#: Pre-tokenizers whose words are the whole document.
WHOLE = ("gpt2", "none")
STRANGE = "a  b\u00a0\u3000c\r\n\u2028d's 12٣ é e\u0301 日本。 👩‍🚀\x00\ud800\u202e ▁Ġ##</w>"


def word_table(data):
    """A table is read or refused; what is read is counted or refused, and written it reads the
    same."""
    text = data.decode("utf-8", "surrogateescape")
    try:
        table = read_word_table(text)
        counted = count_words(table, make_pretokenizer("none"))
    except CorpusError as error:
        assert str(error)
        assert "\n" not in str(error), "a sentence is one line"
        return
    assert dict(zip(counted.words, counted.counts, strict=True)) == table
    assert "" not in table
    assert all(type(count) is int and count > 0 for count in table.values())
    try:
        written = write_word_table(table)
    except CorpusError as error:
        assert "cannot hold the word" in str(error)
    else:
        assert list(read_word_table(written).items()) == list(table.items())


def tables():
    return [
        b"hug,10\npug,5",
        b'word\tcount\n"a,b"\t3\n""""\t2',
        b'\xef\xbb\xbf"x",1\r\n,2',
        b"\0a,1",
    ]


def words(data):
    """Words are in text order and inside it, the whole text where that is promised, and the same
    whether they are counted one by one or in blocks."""
    given = atheris.FuzzedDataProvider(data)
    kind = sorted(PRETOKENIZERS)[given.ConsumeIntInRange(0, len(PRETOKENIZERS) - 1)]
    special = ("<s>", "a b") if given.ConsumeBool() else ()
    text = given.ConsumeUnicode(10_000) if given.ConsumeBool() else rest(given)
    pretokenizer = make_pretokenizer(kind, **settings_of(kind, given))
    found = list(pretokenizer.words(text))
    for word in found:
        assert word.text
        assert 0 <= word.start <= word.end <= len(text)
        if word.spans is None:
            assert text[word.start : word.end] == word.text
        else:
            assert len(word.spans) == len(word.text)
            assert all(word.start <= a <= b <= word.end for a, b in word.spans)
    assert [word.start for word in found] == sorted(word.start for word in found)
    if kind in WHOLE:
        assert "".join(word.text for word in found) == text
    counted = count_words(text, pretokenizer, special)
    one_by_one = Counter(
        piece.word.text
        for document in documents(text)
        for piece in pieces(document, pretokenizer, special)
        if not piece.special
    )
    # SentencePiece trains on other words than it encodes with.
    if kind != "sentencepiece":
        assert dict(zip(counted.words, counted.counts, strict=True)) == one_by_one
        assert counted.words == tuple(one_by_one)


def settings_of(kind, given):
    if kind == "bert":
        return {"normalize": given.ConsumeBool()}
    if kind == "regex":
        presets = list(REGEX_PRESETS.values())
        return {"pattern": presets[given.ConsumeIntInRange(0, len(presets) - 1)]}
    return {}


def rest(given):
    return given.ConsumeBytes(given.remaining_bytes()).decode("utf-8", "replace")


def samples():
    heads = [bytes([i, i % 2, 1]) for i in range(8)]
    given = [
        STRANGE.encode("utf-8", "surrogatepass"),
        tokviz.SAMPLES["course"].corpus.encode()[:500],
    ]
    # What FuzzedDataProvider takes for numbers stands at the end.
    return [text + head for text in given for head in heads]


def pattern(data):
    """A pattern is used or refused within its time, whatever it and the text are."""
    cut = data.find(b"\n")
    written = data[: cut if cut >= 0 else len(data)].decode("utf-8", "replace")
    text = data[cut + 1 :].decode("utf-8", "replace") if cut >= 0 else STRANGE
    try:
        pretokenizer = make_pretokenizer("regex", pattern=written, timeout=0.5)
        # Texts are read line by line, and each line has its time.
        for word in pretokenizer.words(text):
            assert text[word.start : word.end] == word.text
    except PatternError as error:
        assert str(error)


def patterns():
    bombs = [
        r"(a+)+$",
        r"(?:a|a?)+b",
        r"(.*a){20}",
        r"(?:a{1000}){1000}",
        r"(?<=a*)b",
        r"((a)|b)*\2",
    ]
    own = [r"\p{L}+|\d", r"(?i)ß|\X", r"[[a-z]--[aeiou]]+", r"(?e)(?:cat){e<=2}", r"(?P<x>a)(?P=x)"]
    found = [*bombs, *own, *REGEX_PRESETS.values()]
    return [f"{one}\n{'a' * 60}c cat {STRANGE}".encode("utf-8", "replace") for one in found]
