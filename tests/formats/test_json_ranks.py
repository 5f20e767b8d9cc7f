"""Ranks in JSON are encoded with as mistral-common and js-tiktoken do."""

import base64
import json
import subprocess
from itertools import groupby

import pytest
import tiktoken
from effort import some
from library_tokenizers import byte_ranks
from opened_texts import lines

from tokviz.formats.readers.opened import TokenizerFileError, open_tokenizer
from tokviz.pretokenizers import REGEX_PRESETS

PATTERN = REGEX_PRESETS["gpt4o (o200k)"]
HARD = ["a\ufeffb \x85c \ufeff d", " a\ufeff\ufeff\n x", "<s>[INST] hi</s>", "\ud83d\ude00 \ud83d"]


@pytest.fixture
def ranks():
    return byte_ranks()


def in_base64(token):
    return base64.b64encode(token).decode()


def tekken(ranks, more=0, special=None, **config):
    """A tekken file of some ranks, with `more` tokens than its default size takes."""
    tokens = sorted(ranks, key=ranks.get)
    vocab = [
        {
            "rank": rank,
            "token_bytes": in_base64(token),
            "token_str": token.decode("utf-8", "ignore"),
        }
        for rank, token in enumerate([*tokens, *(b"zz%d" % n for n in range(more))])
    ]
    size = {"default_vocab_size": len(tokens) + 25, "default_num_special_tokens": 25}
    # A token of this name is no field of the file.
    vocab[-1]["token_str"] = "model"
    file = {"config": {"pattern": PATTERN, **size, **config}, "vocab": vocab}
    return file if special is None else {**file, "special_tokens": special}


def opened(file):
    return open_tokenizer({"some.json": json.dumps(file).encode()})


def test_lines_are_encoded_as_by_mistral_common(ranks):
    """It gives tiktoken the ranks, and adds the number of special tokens to each id."""
    theirs = tiktoken.Encoding("x", pat_str=PATTERN, mergeable_ranks=ranks, special_tokens={})
    mine = opened(tekken(ranks, more=3))
    assert mine.format == "tekken.json"
    for line in [*lines(some(1000), seed=5), *HARD]:
        encoding = mine.tokenizer.encode(line)
        assert encoding.ids == [25 + rank for rank in theirs.encode_ordinary(line)], line
        assert mine.tokenizer.decode(encoding.ids) == theirs.decode(theirs.encode_ordinary(line))
    strings = mine.tokenizer.strings
    assert strings[:4] == ["<unk>", "<s>", "</s>", "[INST]"]
    assert strings[19:25] == ["[TOOL_CONTENT]", *(f"<SPECIAL_{n}>" for n in range(20, 25))]
    assert mine.tokenizer.decode([1, 25 + ord("a"), 24]) == "<s>a<SPECIAL_24>"
    assert len(strings) == len(ranks) + 25
    assert any("takes the first" in note for note in mine.notes)
    made = [mine.merges.ids[left + right] for left, right in mine.merges.pairs]
    assert made == sorted(made)
    assert min(made) >= 25 + 256
    named = [{"rank": 24, "token_str": "<end>", "is_control": True}]
    assert opened(tekken(ranks, special=named)).tokenizer.strings[24] == "<end>"


def js_ranks(ranks, pattern, special, per_line=300):
    """The same ranks as js-tiktoken packs them."""
    tokens = sorted(ranks, key=ranks.get)
    blocks = groupby(enumerate(tokens), key=lambda item: item[0] // per_line)
    rows = [
        " ".join(["!", str(n * per_line), *(in_base64(token) for _, token in block)])
        for n, block in blocks
    ]
    return {"pat_str": pattern, "special_tokens": special, "bpe_ranks": "\n".join(rows)}


#: Cuts each line of a file into words as js-tiktoken does.
CUT = """
const [pattern, lines] = JSON.parse(require("fs").readFileSync(0));
const cut = (line) => Array.from(line.matchAll(new RegExp(pattern, "ug")), ([word]) => word);
console.log(JSON.stringify(lines.map(cut)));
"""


def test_lines_are_encoded_as_by_js_tiktoken(ranks, node):
    """A word that JavaScript cuts is encoded alone as in Python."""
    # Without inner flags, as its patterns are.
    pattern = PATTERN.replace("(?i:", "(?:")
    asked = [*lines(some(1000), seed=6), *HARD]
    asked = [line.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for line in asked]
    told = json.dumps([pattern, asked])
    cut = subprocess.run([node, "-e", CUT], input=told, capture_output=True, text=True, check=True)
    whole = tiktoken.Encoding("x", pat_str="(?s:.+)", mergeable_ranks=ranks, special_tokens={})
    special = {"<|end|>": len(ranks) + 7}
    mine = opened(js_ranks(ranks, pattern, special))
    assert mine.format == "js-tiktoken ranks"
    for line, words in zip(asked, json.loads(cut.stdout), strict=True):
        ids = [number for word in words for number in whole.encode_ordinary(word)]
        assert mine.tokenizer.encode(line).ids == ids, line
    assert mine.tokenizer.decode([ord("a"), len(ranks) + 7]) == "a<|end|>"
    assert mine.facts["Special tokens"] == "<|end|>"


def test_damaged_files_are_refused(ranks):
    whole, js = tekken(ranks), js_ranks(ranks, PATTERN, {})
    first, *others = whole["vocab"]
    two = [{"rank": n, "token_str": "<s>", "is_control": True} for n in range(2)]
    for file, said in [
        ({**whole, "vocab": [{**first, "rank": 1}, *others]}, "Token 0 of"),
        ({**whole, "vocab": [{**first, "token_bytes": "?"}, *others]}, "in base64"),
        ({**whole, "vocab": [{**first, "token_bytes": in_base64(b"b")}, *others]}, "Token 0 of"),
        ({**whole, "vocab": [first, *others[:-1], {**others[-1], "token_bytes": "YQ=="}]}, "again"),
        ({**whole, "vocab": [1]}, "says that it has"),
        ({**whole, "vocab": [1] * 2000}, "token 0"),
        ({**whole, "config": {**whole["config"], "pattern": "("}}, "pattern"),
        ({**whole, "config": {}}, "default_num_special_tokens"),
        ({**whole, "special_tokens": two}, "25 different ones"),
        ({**whole, "special_tokens": [{**two[0], "rank": 30}]}, "25 different ones"),
        ({**js, "bpe_ranks": "! x YQ=="}, "which rank"),
        ({**js, "bpe_ranks": "!"}, "which rank"),
        ({**js, "bpe_ranks": "! 0 YQ==\n! 0 Yg=="}, "same rank"),
        ({**js, "bpe_ranks": "! 0 YQ=="}, "no rank for the byte 00"),
        ({**js, "bpe_ranks": "! 1999999 YQ== Yg=="}, "Ids above|no rank"),
        ({**js, "special_tokens": {"a": 3}}, "same rank"),
        ({**js, "special_tokens": {"a": -3}}, "whole number"),
        ({**js, "pat_str": 3}, "should be a text"),
    ]:
        with pytest.raises(TokenizerFileError, match=said):
            opened(file)
