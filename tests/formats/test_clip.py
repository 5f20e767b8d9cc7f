"""CLIP's merges are encoded with as its tokenizers do."""

import gzip
import json
from itertools import pairwise

import pytest
import regex
from effort import some
from opened_texts import DOCUMENTS, lines
from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)

from tokviz.formats.readers.opened import TokenizerFileError, open_tokenizer
from tokviz.pretokenizers import BYTE_TO_CHAR

PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d|[\p{L}]+|[\p{N}]|[^\s\p{L}\p{N}]+"
SPECIAL = ("<|startoftext|>", "<|endoftext|>")


@pytest.fixture(scope="module")
def made():
    """A small CLIP of the library, as Hugging Face's converter sets it up."""
    made = Tokenizer(models.BPE(unk_token=SPECIAL[1], end_of_word_suffix="</w>"))
    made.normalizer = normalizers.Sequence(
        [normalizers.NFC(), normalizers.Replace(Regex(r"\s+"), " "), normalizers.Lowercase()]
    )
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), behavior="removed", invert=True),
            pre_tokenizers.ByteLevel(add_prefix_space=False),
        ]
    )
    made.decoder = decoders.ByteLevel()
    special = [AddedToken(token, normalized=True, special=True) for token in SPECIAL]
    alphabet = [*BYTE_TO_CHAR.values()]
    trainer = trainers.BpeTrainer(
        vocab_size=1400,
        special_tokens=special,
        initial_alphabet=alphabet,
        end_of_word_suffix="</w>",
        show_progress=False,
    )
    made.train_from_iterator(DOCUMENTS, trainer)
    return made


def files_of(made):
    model = json.loads(made.to_str())["model"]
    merges = "\n".join(["#version: 0.2", *(" ".join(pair) for pair in model["merges"]), ""])
    return {"vocab.json": json.dumps(model["vocab"]).encode(), "merges.txt": merges.encode()}


def test_vocab_and_merges_are_encoded_with_as_by_the_library(made):
    mine = open_tokenizer(files_of(made))
    assert mine.format == "CLIP’s merges"
    for line in [*lines(some(1000), seed=8), "A <|endoftext|> b", "<|STARTOFTEXT|>é e\u0301"]:
        ids = made.encode(line, add_special_tokens=False).ids
        assert mine.tokenizer.encode(line).ids == ids, line
        assert mine.tokenizer.decode(ids) == made.decode(ids, skip_special_tokens=False)


def ids_of_clip(line, merges):
    """What CLIP's own tokenizer does with a line without special tokens, and without its clean-up:
    `encode` and `bpe` of clip/simple_tokenizer.py."""
    characters = sorted(BYTE_TO_CHAR.values())
    vocab = [*characters, *(char + "</w>" for char in characters), *map("".join, merges)]
    number = {token: i for i, token in enumerate([*vocab, *SPECIAL])}
    rank = {pair: i for i, pair in enumerate(merges)}
    ids = []
    for found in regex.findall(PATTERN, regex.sub(r"\s+", " ", line).lower()):
        word = [BYTE_TO_CHAR[byte] for byte in found.encode()]
        word[-1] += "</w>"
        while len(word) > 1:
            pairs = list(pairwise(word))
            first = min(pairs, key=lambda pair: rank.get(pair, len(rank)))
            if first not in rank:
                break
            made, at = [], 0
            while at < len(word):
                joins = tuple(word[at : at + 2]) == first
                made.append("".join(word[at : at + 1 + joins]))
                at += 1 + joins
            word = made
        ids += [number[token] for token in word]
    return ids


def test_merges_alone_have_the_ids_that_clip_gives_them(made):
    model = json.loads(made.to_str())["model"]
    merges = [tuple(pair) for pair in model["merges"]]
    rows = ['"bpe_simple_vocab_16e6.txt#version: 0.2', *map(" ".join, merges), ""]
    mine = open_tokenizer({"bpe.txt.gz": gzip.compress("\n".join(rows).encode())})
    assert mine.tokenizer.strings[-2:] == [*SPECIAL]
    assert len(mine.tokenizer.strings) == 512 + len(merges) + 2
    for line in DOCUMENTS:
        assert mine.tokenizer.encode(line).ids == ids_of_clip(line, merges), line
    # Of a longer list CLIP takes the first.
    more = [*rows[:-1], *("a b" for _ in range(50_000))]
    longer = open_tokenizer({"merges.txt": "\n".join(more).encode()})
    assert len(longer.tokenizer.strings) == 49_408
    assert longer.facts["Merges"] == "48,894"


def test_damaged_files_are_refused(made):
    files = files_of(made)
    for changed, said in [
        ({"merges.txt": b"#version: 0.2\nl o</w>\nlo w</w> x"}, "Merge 2 is not two tokens"),
        ({"vocab.json": b'{"a": 0}'}, "no vocabulary of bytes|needs"),
        ({"vocab.json": b'{"<|startoftext|>": 0}'}, "has no token"),
        (
            {"vocab.json": b'{"a": 0, "<|startoftext|>": 1, "<|endoftext|>": 2}'},
            "out of vocabulary",
        ),
    ]:
        with pytest.raises(TokenizerFileError, match=said):
            open_tokenizer(files | changed)
    packed = gzip.compress(files["merges.txt"])
    for data in (packed[:40], packed[:10] + b"\0" + packed[11:]):
        with pytest.raises(TokenizerFileError, match="packed by gzip, and damaged"):
            open_tokenizer({"a.gz": data})
