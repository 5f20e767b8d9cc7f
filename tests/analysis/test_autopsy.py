"""What is dead or odd in a vocabulary, counted again without the program's own ways."""

import itertools
import json
import random
import unicodedata

import pytest
import tokenizers
from sentencepiece_models import trained_model
from tokenizers import models, pre_tokenizers

import tokviz
from tokviz.analysis.autopsy import KINDS, autopsy
from tokviz.basics.progress import Interrupted
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer


def bpe_file(vocab, merges):
    """A tokenizer.json whose words are whole texts."""
    library = tokenizers.Tokenizer(models.BPE(vocab, merges))
    library.pre_tokenizer = pre_tokenizers.Split(tokenizers.Regex(r"\s+"), "removed")
    return library


def ids_of(found, kind):
    return [finding.token_id for finding in found.findings if finding.kind == kind]


@pytest.mark.parametrize("seed", range(8))
def test_unreached_tokens_are_those_that_no_text_at_all_gives(seed):
    """Of random merges, every text of up to seven letters is encoded by the library."""
    chance = random.Random(seed)
    tokens, merges = ["a", "b"], []
    while len(tokens) < 9:
        left, right = chance.choice(tokens), chance.choice(tokens)
        if len(left + right) <= 5 and left + right not in tokens:
            tokens.append(left + right)
            merges.append((left, right))
    chance.shuffle(merges)
    vocab = {token: i for i, token in enumerate([*tokens, "abba", "bbbbb"])}
    library = bpe_file(vocab, merges)
    texts = ("".join(t) for n in range(1, 8) for t in itertools.product("ab", repeat=n))
    given = {i for encoding in library.encode_batch([*texts]) for i in encoding.ids}
    opened = open_tokenizer({"tokenizer.json": library.to_str().encode()})
    found = autopsy(opened.tokenizer, opened.merges)
    assert ids_of(found, "unreached") == sorted({*vocab.values()} - given)
    made = {left + right for left, right in merges}
    parts = [i for token, i in vocab.items() if len(token) > 1 and token not in made]
    assert ids_of(found, "no parts") == parts
    unreached = [f for f in found.findings if f.kind == "unreached"]
    for finding in unreached:
        own = library.encode(found.strings[finding.token_id])
        assert (finding.instead, finding.reason) == (tuple(own.tokens), "model")


@pytest.mark.parametrize("seed", range(8))
def test_unreached_tokens_of_wordpiece_are_those_that_no_text_at_all_gives(seed):
    chance = random.Random(seed)
    letters = "ab" if seed % 2 else "abc"
    tokens = [*letters, *(f"##{letter}" for letter in letters)]
    while len(tokens) < 18:
        token = "".join(chance.choices(letters, k=chance.randint(1, 4)))
        token = chance.choice(("", "##")) + token
        tokens += [token] if token not in tokens else []
    vocab = {token: i for i, token in enumerate(["[UNK]", *tokens])}
    library = tokenizers.Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.Split(tokenizers.Regex(r"\s+"), "removed")
    texts = ("".join(t) for n in range(1, 9) for t in itertools.product(letters, repeat=n))
    given = {i for encoding in library.encode_batch([*texts]) for i in encoding.ids}
    opened = open_tokenizer({"tokenizer.json": library.to_str().encode()})
    found = ids_of(autopsy(opened.tokenizer), "unreached")
    assert found == sorted({*vocab.values()} - given - {0})


def test_what_a_word_begins_with_hides_no_token_within_words():
    """`as` is a token, and so is `at`: behind other letters `##s` and `##t` are given."""
    lines = tokviz.SAMPLES["alice"].documents
    library = tokenizers.Tokenizer(models.WordPiece(unk_token="[UNK]"))
    library.normalizer = tokenizers.normalizers.BertNormalizer()
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=900, special_tokens=["[UNK]"], show_progress=False
    )
    library.train_from_iterator(lines, trainer)
    assert library.encode("as").tokens == ["as"]
    opened = open_tokenizer({"tokenizer.json": library.to_str().encode()})
    unreached = ids_of(autopsy(opened.tokenizer), "unreached")
    given = {i for line in lines for i in library.encode(line).ids}
    assert not given & {*unreached}


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_no_piece_that_a_text_gives_is_unreached(model_type):
    lines = tokviz.SAMPLES["alice"].documents
    data = trained_model(lines, model_type=model_type, vocab_size=900)
    opened = open_tokenizer({"alice.model": data})
    given = {i for line in lines for i in opened.tokenizer.encode(line).ids}
    unreached = ids_of(autopsy(opened.tokenizer, opened.merges), "unreached")
    assert not given & {*unreached}


def test_why_a_token_is_not_reached():
    vocab = {"a": 0, "b": 1, "A": 2, "ab": 3, "a b": 4, "<x>": 5, "a<x>": 6, "b<": 7}
    library = bpe_file(vocab, [("a", "b")])
    library.normalizer = tokenizers.normalizers.Lowercase()
    library.add_special_tokens(["<x>"])
    opened = open_tokenizer({"tokenizer.json": library.to_str().encode()})
    found = autopsy(opened.tokenizer, opened.merges)
    reasons = {found.strings[f.token_id]: f.reason for f in found.findings if f.kind == "unreached"}
    assert reasons == {"A": "normalizer", "a b": "pre-tokenizer", "a<x>": "special", "b<": "model"}
    assert found.special == 1
    assert sum(found.kinds_of_text.values()) == len(vocab) - 1


def test_byte_tokens_that_are_no_text_twice_there_and_long():
    history = tokviz.train("é é éa", "bpe", 262, unit="byte", initial_alphabet=["bytes"])
    whole = json.loads(export(history, "tokenizer.json")["tokenizer.json"])
    vocab = whole["model"]["vocab"]
    for token in ("Ã", "ï¼¡", "Ġ" * 20):  # a byte, a wide A, a run of spaces
        vocab.setdefault(token, len(vocab))
    opened = open_tokenizer({"tokenizer.json": json.dumps(whole).encode()})
    found = autopsy(opened.tokenizer, opened.merges)
    decoded = {i: opened.tokenizer.text_bytes(i) for i in vocab.values()}
    broken, texts, twice = [], {}, []
    for i, data in sorted(decoded.items()):
        try:
            text = unicodedata.normalize("NFKC", data.decode())
        except UnicodeDecodeError:
            broken.append(i)
            continue
        twice += [i] if text in texts else []
        texts.setdefault(text, i)
    assert ids_of(found, "no text") == broken
    assert ids_of(found, "same normalized") == twice == [vocab["ï¼¡"]]
    assert ids_of(found, "long") == [vocab["Ġ" * 20]]
    assert found.kinds_of_text["Common", "bytes"] == len(broken)
    assert [*found.counts] == [*KINDS]
    assert found.counts["no parts"] == 2


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram", "sentencepiece-bpe"])
def test_what_is_trained_here_reaches_all_its_tokens_or_is_told_why(algorithm):
    sample = tokviz.SAMPLES["course"]
    history = tokviz.train(sample.documents, algorithm, 70)
    tokenizer = history.tokenizer()
    found = autopsy(tokenizer)
    for finding in found.findings:
        if finding.kind == "unreached":
            text = tokenizer.text_bytes(finding.token_id).decode()
            assert finding.token_id not in tokenizer.encode(text).ids
            assert list(finding.instead) == tokenizer.encode(text).tokens
    assert len(found.table()) == len(found.findings)


def test_bert_never_gives_a_sign_within_a_word():
    """Its pre-tokenizer makes a word of every sign: `##,` is in no word."""
    library = tokenizers.Tokenizer(
        models.WordPiece({"[UNK]": 0, "a": 1, "##a": 2, ",": 3, "##,": 4}, unk_token="[UNK]")
    )
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    opened = open_tokenizer({"tokenizer.json": library.to_str().encode()})
    found = autopsy(opened.tokenizer)
    assert ids_of(found, "unreached") == [4]
    assert found.counts["same text"] == 0, "within a word and at its start are two things"


def test_a_token_is_tried_behind_a_letter_before_one_twice_and_without_its_space():
    within = models.WordPiece({"[UNK]": 0, "a": 1, "b": 2, "##b": 3}, unk_token="[UNK]")
    before = models.BPE({"a</w>": 0, "b": 1, "b</w>": 2}, [], end_of_word_suffix="</w>")
    vocab = {"▁": 0, "b": 1, "▁▁": 2, "▁b": 3}
    spaced = models.BPE(vocab, [("▁", "▁"), ("▁", "b")])
    dead = models.BPE({"a": 0, "b": 1, "ab": 2, "bb": 3}, [("a", "b")])
    for model, letters, expected in (
        *((within, "ab", []), (before, "ab", []), (spaced, " b", []), (dead, "ab", [3])),
    ):
        library = tokenizers.Tokenizer(model)
        if model is spaced:
            parts = tokenizers.normalizers.Prepend("▁"), tokenizers.normalizers.Replace(" ", "▁")
            library.normalizer = tokenizers.normalizers.Sequence([*parts])
        opened = open_tokenizer({"tokenizer.json": library.to_str().encode()})
        assert ids_of(autopsy(opened.tokenizer), "unreached") == expected
        texts = ("".join(t) for n in range(1, 6) for t in itertools.product(letters, repeat=n))
        given = {i for encoding in library.encode_batch([*texts]) for i in encoding.ids}
        assert not given & {*expected}


def test_it_can_be_stopped_and_tells_how_far_it_is():
    tokenizer = tokviz.train("low lower", "bpe", 9).tokenizer()
    seen = []
    autopsy(tokenizer, progress=seen.append)
    assert (seen[0].stage, seen[0].total) == ("tokens", len(tokenizer.strings))
    with pytest.raises(Interrupted):
        autopsy(tokenizer, progress=lambda _: False)
