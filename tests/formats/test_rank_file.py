"""Rank files are encoded with as tiktoken does, and merges are recovered from them."""

import base64
import random
import re
import runpy
from pathlib import Path

import export_cases
import pytest
import tiktoken
from effort import some
from library_tokenizers import byte_ranks
from opened_texts import lines
from tiktoken_ext import openai_public

import tokviz
from tokviz.analysis.autopsy import autopsy
from tokviz.encoding.word_trace import word_trace
from tokviz.formats.readers import rank_file
from tokviz.formats.readers.opened import TokenizerFileError, open_tokenizer
from tokviz.formats.readers.rank_file import PATTERNS, PatternNeededError, digest
from tokviz.pretokenizers import REGEX_PRESETS, RegexPretokenizer


@pytest.fixture
def ranks():
    return byte_ranks()


def file_of(ranks):
    return b"".join(base64.b64encode(token) + b" %d\n" % rank for token, rank in ranks.items())


@pytest.mark.parametrize("name", ["gpt2", *REGEX_PRESETS])
@pytest.mark.checked_against("tiktoken", "encoder", ".tiktoken")
def test_lines_are_encoded_as_by_tiktoken(ranks, name, checked):
    pattern = REGEX_PRESETS.get(name, PATTERNS["gpt2"])
    theirs = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    mine = open_tokenizer({"some.tiktoken": file_of(ranks)}, pattern=pattern).tokenizer
    for line in [*lines(some(1000), seed=3), "\ud83d\ude00 \ud83d", " zqx中国", "a\r\n \n"]:
        encoding = mine.encode(line)
        assert encoding.ids == theirs.encode_ordinary(line), line
        assert mine.decode(encoding.ids) == theirs.decode(encoding.ids)
        text = "".join(line[start:end] for word in encoding.words for start, end in [word[1:3]])
        assert text == line
    checked(texts=some(1000) + 3)


@pytest.mark.checked_against("tiktoken", "encoder", ".tiktoken")
def test_random_ranks_without_order(checked):
    random_ = random.Random(0)
    for _ in range(some(60)):
        tokens = {bytes(random_.choices(b"ab c", k=random_.randrange(2, 6))) for _ in range(25)}
        ranks = {bytes([byte]): byte for byte in range(256)}
        ranks |= {
            token: 256 + i for i, token in enumerate(random_.sample(sorted(tokens), len(tokens)))
        }
        theirs = tiktoken.Encoding("x", pat_str=r"\S+", mergeable_ranks=ranks, special_tokens={})
        mine = open_tokenizer({"x.tiktoken": file_of(ranks)}, pattern=r"\S+").tokenizer
        for _ in range(20):
            line = "".join(random_.choices("ab c", k=random_.randrange(15)))
            encoding = mine.encode(line)
            assert encoding.ids == theirs.encode_ordinary(line)
            for number in range(len(encoding.words)):
                word_trace(mine, encoding, number)
    checked(runs=60, texts=60 * 20)


def test_merges_are_recovered_where_there_are_any(ranks):
    opened = open_tokenizer({"x.tiktoken": file_of(ranks)}, pattern="qwen")
    merges = opened.merges
    assert merges.reconstructed
    # To open a large file and to encode with it takes a third of the time that they take.
    opened.tokenizer.encode("low lower")
    assert "pairs" not in vars(merges)
    made = [merges.ids[left + right] for left, right in merges.pairs]
    assert made == sorted(made)
    lost = set(ranks.values()) - set(made) - set(range(256))
    assert lost == {ranks[b" zqx"], ranks["中国".encode()], ranks[b"qxz"]}
    found = autopsy(opened.tokenizer, merges).findings
    assert {finding.token_id for finding in found if finding.kind == "no parts"} == lost


def test_a_pattern_is_asked_for_and_never_guessed(ranks, monkeypatch):
    data, line = file_of(ranks), "I've 1234 words\r\n \n"
    with pytest.raises(PatternNeededError, match="give its pattern, or the name of one: gpt2, "):
        open_tokenizer({"x.tiktoken": data})
    for name, pattern in PATTERNS.items():
        theirs = tiktoken.Encoding("x", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
        beside = {"x.tiktoken": data, "pattern.txt": f"{pattern}\n".encode()}
        for mine in (open_tokenizer({"x.tiktoken": data}, name), open_tokenizer(beside)):
            assert mine.tokenizer.encode(line).ids == theirs.encode_ordinary(line)
            assert mine.name == "x.tiktoken"
    # A known file is known by what it holds, in whatever order.
    monkeypatch.setitem(rank_file.KNOWN, digest(ranks), rank_file.Known("Mine", "llama3", 400))
    lines = data.splitlines(keepends=True)
    for known in (data, b"".join(lines[::-1])):
        opened = open_tokenizer({"x.tiktoken": known})
        assert opened.facts["Pre-tokenizer"].startswith("Split (\"(?i:'s|")
        assert any("known to be Mine" in note for note in opened.notes)


def test_the_known_files_of_openai_are_those_that_tiktoken_asks_for():
    source = Path(openai_public.__file__).read_text("utf-8")
    asked = re.findall(r'/(\w+)\.tiktoken",\s*expected_hash="([0-9a-f]{64})"', source)
    assert {name for name, _ in asked} == {"r50k_base", "p50k_base", "cl100k_base", "o200k_base"}
    for name, sha in asked:
        assert rank_file.KNOWN[sha][0] == name


@pytest.mark.parametrize(
    ("data", "named"),
    [
        (b"YQ== 0\nYQ== 1\n", "a token again"),
        (b"YQ== 0\nYg== 0\n", "same rank"),
        (b"YQ== -1\n", "Line 1 "),
        (b"YQ== 99999999999999999999999999\n", "Line 1 "),
        (b"YQ== " + b"9" * 5000, "Line 1 "),
        (b"YQ==\n", "Line 1 "),
        (b"?? 0\n", "Line 1 "),
        (base64.b64encode(b"a" * 600) + b" 0", "Line 1 "),
        (b"YQ== 0\n", "no rank for the byte 00"),
    ],
)
def test_damaged_files_are_refused(data, named):
    with pytest.raises(TokenizerFileError, match=named):
        open_tokenizer({"x.tiktoken": data}, "gpt2")


#: Letters and digits that have come with Unicode 17, after the tables of tiktoken.
NEWER = ["ab\ua7ced", "\U00016ebb'll 1\U00011de09", "\U000323b0\U000323b1 a", " \U0001e6c0 \u088fa"]

#: Patterns to train with besides the presets: what ends a text, and what ignores case.
OWN_PATTERNS = [
    *REGEX_PRESETS.values(),
    r"^\w+|\w+$|\s+\Z|.|\n",
    r"(?i:ſtk|é)+|[^\d\s]+|\s|\d{1,2}+",
]


def assert_reopens(history, folder):
    """Exported and opened again with the pattern that was written, a text has the ids and offsets
    of the run, and those that tiktoken gives it by the same files. Special tokens are in neither:
    a rank file has none."""
    ranks, loader = history.export("tiktoken", folder)
    library = runpy.run_path(str(loader))["encoding"]
    mine = tokviz.open_tokenizer(ranks, pattern=library._pat_str).tokenizer
    run, compared = history.tokenizer(), 0
    for line in [*export_cases.lines(), *NEWER]:
        encoding = mine.encode(line)
        assert encoding.ids == library.encode_ordinary(line), line
        if not any(token in line for token in history.special_tokens):
            theirs = run.encode(line)
            assert (encoding.ids, encoding.offsets) == (theirs.ids, theirs.offsets), line
            assert [word[1:3] for word in encoding.words] == [word[1:3] for word in theirs.words]
            compared += 1
    assert compared > some(950)


@pytest.mark.parametrize("name", export_cases.runs_of("tiktoken"))
def test_exports_reopen_with_their_own_pattern(name, tmp_path):
    assert_reopens(export_cases.run(name), tmp_path)


@pytest.mark.parametrize("pattern", OWN_PATTERNS)
def test_exports_of_patterns_reopen(pattern, tmp_path):
    chosen, bytes_ = RegexPretokenizer(pattern), {"unit": "byte", "initial_alphabet": ("bytes",)}
    assert_reopens(tokviz.train(export_cases.corpus(), "bpe", 400, chosen, **bytes_), tmp_path)


@pytest.mark.parametrize("pattern", [r"\x{110000}", r"\x{d800}", r"\x{", r"\x{}"])
def test_numbers_that_are_no_characters_are_refused(ranks, pattern):
    with pytest.raises(TokenizerFileError, match="cannot be used"):
        open_tokenizer({"x.tiktoken": file_of(ranks)}, pattern=pattern)


@pytest.mark.parametrize("pattern", ["", "(a", "(" * 5000])
def test_patterns_that_are_none_are_refused(ranks, pattern):
    with pytest.raises(TokenizerFileError):
        open_tokenizer({"x.tiktoken": file_of(ranks)}, pattern=pattern)
