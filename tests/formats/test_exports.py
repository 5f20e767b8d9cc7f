"""What is exported as tokenizer.json, and how formats are refused: judged by `tokenizers`."""

import json
import math
import random
import re

import pytest
from export_cases import (
    BYTES,
    FORMATS,
    RUNS,
    SENNRICH,
    encoder,
    lines,
    lines_of,
    run,
    runs_of,
    states,
)
from helpers import anything
from tokenizers import Tokenizer

import tokviz
from tokviz.formats.exporters.strings import unknown_of
from tokviz.formats.exporters.unigram import json_number
from tokviz.formats.exports import EXPORTS, ExportError, export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import BertPretokenizer, RegexPretokenizer

WITH_JSON = runs_of("tokenizer.json")


def loaded(history, t):
    data = export(history, "tokenizer.json", t)["tokenizer.json"]
    return Tokenizer.from_str(data.decode())


def unknown_id(history, library):
    if isinstance(history, MergeHistory):
        unknown = unknown_of(history)
        return library.token_to_id(unknown.string) if unknown else None
    return library.token_to_id("<unk>")


def assert_encodes_alike(history, t, library, texts):
    ids_of, unknown = encoder(history, t), unknown_id(history, library)
    theirs = library.encode_batch(texts, add_special_tokens=False)
    for text, encoding in zip(texts, theirs, strict=True):
        ours = [unknown if i is None else i for i in ids_of(text)]
        assert encoding.ids == ours, (text, encoding.tokens)


def plain(tokenizer):
    """The strings that a user of the library expects, by id."""
    spelling, special = tokenizer.spelling, tokenizer.strings
    return [
        special[i] if symbol is None else spelling.plain(symbol)
        for i, symbol in enumerate(tokenizer.symbols)
    ]


@pytest.mark.parametrize("name", WITH_JSON)
@pytest.mark.checked_against("tokenizers", "export", "tokenizer.json")
def test_tokenizer_json(name, checked):
    history = run(name)
    for t in states(history):
        library, tokenizer = loaded(history, t), history.tokenizer(t)
        strings = plain(tokenizer)
        assert [library.id_to_token(i) for i in range(len(strings))] == strings
        assert_encodes_alike(history, t, library, lines_of(history, t))
        checked(texts=len(lines_of(history, t)))


@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("pretokenizer", ["gpt2", "none", "regex", "bert", "metaspace"])
@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece"])
def test_line_breaks_are_between_documents_there_too(algorithm, pretokenizer, unit):
    settings = {"unit": unit} if algorithm == "bpe" else {}
    history = tokviz.train("low lower\nnew wide", algorithm, 24, pretokenizer, **settings)
    library = loaded(history, 3)
    texts = ["low\nlower", "\n\nlow \r\n new\r", "lo\nw", "xlow\nlow", " \n ", "new\n\n  wide"]
    assert_encodes_alike(history, 3, library, texts)
    assert library.encode("low\nnew").ids == library.encode("low").ids + library.encode("new").ids
    opened = open_tokenizer(export(history, "tokenizer.json", 3)).tokenizer
    assert [opened.encode(text).ids for text in texts] == [library.encode(t).ids for t in texts]


def test_numbers_are_read_exactly():
    """Nearly all; the others are one bit off."""
    draw = random.Random(0)
    numbers = [-draw.uniform(0.1, 25) for _ in range(2000)]
    pieces = ", ".join(f'["{i}", {json_number(x)}]' for i, x in enumerate(numbers))
    model = f'{{"type": "Unigram", "unk_id": null, "vocab": [{pieces}]}}'
    found = json.loads(Tokenizer.from_str(f'{{"model": {model}}}').to_str())["model"]["vocab"]
    pairs = [(x, read) for x, (_, read) in zip(numbers, found, strict=True)]
    assert sum(x != read for x, read in pairs) < 100
    assert all(abs(x - read) <= math.ulp(x) for x, read in pairs)


def test_equally_probable_segmentations_fall_alike():
    """Whole-number counts tie all the time; the last bit of the sums decides."""
    letters = "abc"
    draw = random.Random(3)
    words = [" " + "".join(draw.choices(letters, k=draw.randint(1, 9))) for _ in range(60)]
    history = tokviz.train(dict.fromkeys(words, 1), "unigram", 40, seed_size=80)
    texts = ["".join(draw.choices(letters + "é", k=draw.randint(5, 30))) for _ in range(3000)]
    library = loaded(history, 0)
    assert_encodes_alike(history, 0, library, texts)
    # With scores that are the log-probabilities alone, some would fall otherwise.
    document = json.loads(library.to_str())
    for piece in document["model"]["vocab"]:
        piece[1] += piece[0].startswith("▁")
    plain_scores = Tokenizer.from_str(json.dumps(document))
    with pytest.raises(AssertionError):
        assert_encodes_alike(history, 0, plain_scores, texts)


@pytest.mark.parametrize("name", WITH_JSON)
def test_decoding(name):
    """The library gives back what tokviz does, where all is known and nothing is special."""
    history = run(name)
    spelling = history.spelling
    library, tokenizer = loaded(history, len(history)), history.tokenizer()
    ids_of, done = encoder(history, len(history)), 0
    for line in lines(300, 1):
        ids = ids_of(line)
        if None in ids or any(i < len(history.special_tokens) for i in ids) or not ids:
            continue
        done += 1
        if spelling.continuing_subword_prefix and spelling.end_of_word_suffix:
            continue  # no decoder knows both
        assert library.decode(ids) == tokenizer.decode(ids)
    assert done > 20


PREFIX = {"continuing_subword_prefix": "##", "pretokenizer": "whitespace"}
BERT = ["[UNK]", "[CLS]", "[SEP]"]
UNCASED, METASPACE = {"pretokenizer": BertPretokenizer(True)}, {"pretokenizer": "metaspace"}
WORDPIECE, UNIGRAM = {"algorithm": "wordpiece"}, {"algorithm": "unigram"}
SP_BPE, SP_UNIGRAM = {"algorithm": "sentencepiece-bpe"}, {"algorithm": "sentencepiece-unigram"}


@pytest.mark.parametrize("name", RUNS)
def test_each_run_has_its_formats(name):
    history = run(name)
    assert {one for one in EXPORTS if EXPORTS[one].why_not(history) is None} == FORMATS[name]
    for one in FORMATS[name]:
        files = list(EXPORTS[one].files(history))
        ending = files[0].rpartition(".")[2] if len(files) == 1 else "zip"
        assert EXPORTS[one].ending == ending


PICKY = {"algorithm": "picky-bpe"}
REFUSED = {
    "picky-bpe": [
        ("ab", METASPACE, "train with picky-bpe"),
        ("ab", PICKY, "train with metaspace"),
        ("ab", PICKY | METASPACE | {"unit": "byte"}, "characters that have no markers"),
        ("ab", PICKY | METASPACE | {"end_of_word_suffix": "</w>"}, "characters that have no mark"),
        ("a\ud800", PICKY | METASPACE, "lone surrogate"),
        ("a▁", PICKY | METASPACE, "holds a typed ▁"),
    ],
    "tokenizer.json": [
        ("ab", PICKY, "nothing that takes a token back"),
        ("aa", {"end_of_word_suffix": "</w>", "pretokenizer": "whitespace"}, "symbol of its own"),
        ("a\ud800", {}, "lone surrogate"),
        ("aĠ", {}, 'holds "Ġ" itself'),
        ("a▁", METASPACE, 'holds "▁" itself'),
        ({"##a": 2, "ba": 2}, PREFIX, "would both be written"),
        ({"##": 2}, PREFIX | {"special_tokens": ["⟨##⟩"]}, "would both be written"),
        ({"<unk>": 3}, {}, "is what the unknown one is called"),
        ("ab", {"special_tokens": ["Ġ"]}, "read in two ways"),
        ("ab", {"unit": "byte", "special_tokens": ["c"]}, "read in two ways"),
        ("ab", WORDPIECE | METASPACE | {"special_tokens": ["▁b"]}, "read in two ways"),
        ("ab", {"pretokenizer": RegexPretokenizer(r"(\w)\1*")}, r'has "\\1" in it'),
        ("ab", {"pretokenizer": RegexPretokenizer(r"[[a]b]+")}, r'has "\[a" in it'),
        ("ab", {"pretokenizer": RegexPretokenizer(r"(?<x>a)")}, r'has "\(\?<" in it'),
        ("ab", {"pretokenizer": RegexPretokenizer("a*")}, "may match nothing"),
        ("ab", {"pretokenizer": "sentencepiece"}, "rules nmt_nfkc"),
        ("ab", UNCASED | {"unit": "byte"}, "which bytes would show"),
        ("a\u1734", UNCASED, r"holds U\+1734"),
        ("a#", WORDPIECE | {"pretokenizer": "whitespace"}, 'begins with "##"'),
        ("a[", WORDPIECE | {"pretokenizer": "whitespace"}, r'begins with "\[UNK\]"'),
        ("ab", WORDPIECE | UNCASED | {"special_tokens": ["unk"]}, "when they are lower-cased"),
        ("ab", SP_BPE, "rules nmt_nfkc"),
        ("ab", SP_BPE | METASPACE | {"byte_fallback": True}, "becomes bytes"),
        ("ab ab", SP_UNIGRAM | {"vocab_size": 6}, "single precision"),
        ("ab", UNIGRAM | {"pretokenizer": "whitespace"}, "last bit of sums"),
        ({"ab": 1}, UNIGRAM, "do not begin with a space"),
        ("a▁", UNIGRAM, 'holds "▁" itself'),
        ("a\ud800", UNIGRAM, "lone surrogate"),
        ("<unk >", UNIGRAM | {"special_tokens": ["<unk>"]}, "every character of"),
        ("ab", UNIGRAM | {"special_tokens": ["▁a"]}, "spelled like a piece"),
    ],
    "vocab.txt": [
        ("ab", {}, "train with the algorithm wordpiece"),
        ("ab", WORDPIECE | {"pretokenizer": "gpt2"}, "train with bert"),
        ("ab", WORDPIECE, r"need the token \[UNK\]"),
        ("ab", WORDPIECE | {"special_tokens": [*BERT, "<s>"]}, '"<s>" is a special'),
        ("a\ud800", WORDPIECE | {"special_tokens": BERT}, "lone surrogate"),
    ],
    "merges": [
        ("ab", WORDPIECE, "train with the algorithm bpe"),
        ({"a\nb": 2}, {"pretokenizer": "none"}, "other lines of a merges.txt"),
        ({"#version ": 2}, {"pretokenizer": "none"}, "other lines of a merges.txt"),
        ("aĠ", {}, 'holds "Ġ" itself'),
    ],
    "subword-nmt": [
        ("ab", {}, "the preset sennrich"),
        ("ab", SENNRICH | {"unit": "byte"}, "the preset sennrich"),
        ("ab", SENNRICH | {"continuing_subword_prefix": "@"}, "the preset sennrich"),
        ("ab", SENNRICH | {"special_tokens": ["<s>"]}, "knows no special tokens"),
        ({"a</w>b": 2, "a": 1}, SENNRICH, "would both be written"),
    ],
    "tiktoken": [
        ("ab", WORDPIECE, "knows BPE only"),
        ("ab", {"unit": "byte"}, "needs all 256 bytes"),
        ("ab", BYTES | {"continuing_subword_prefix": "##"}, "needs all 256 bytes"),
        ({"ab": 2}, BYTES | {"special_tokens": ["ab"]}, "shares its id"),
        ("ab", BYTES | {"special_tokens": ["<s>", "<s>a"]}, '"<s>" is the beginning of "<s>a"'),
        ("ab", BYTES | METASPACE, "not how the pre-tokenizer metaspace"),
        ("ab", BYTES | {"pretokenizer": RegexPretokenizer("a?")}, "may match nothing"),
    ],
    "sentencepiece": [
        ("ab", {}, "train with sentencepiece-bpe or"),
        ("ab", SP_BPE | {"pretokenizer": "none"}, "train with sentence"),
        ("ab", SP_BPE | {"user_defined_symbols": ["x"]}, "same line"),
        (
            {" ab": 9, " a": 1},
            SP_UNIGRAM | {"user_defined_symbols": ["a"], "vocab_size": 8},
            "spelled like one that was learned",
        ),
    ],
}  # fmt: skip
CASES = [(name, *case) for name, cases in REFUSED.items() for case in cases]


@pytest.mark.parametrize(("name", "corpus", "settings", "sentence"), CASES)
def test_what_cannot_be_exact_is_refused(name, corpus, settings, sentence, tmp_path):
    settings = {"vocab_size": 300, **settings}
    history = tokviz.train(corpus, counted=anything, **settings)
    why = EXPORTS[name].why_not(history)
    assert re.search(sentence, why)
    assert why.endswith(".")
    with pytest.raises(ExportError, match=re.escape(why)):
        history.export(name, tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_format_that_there_is_not():
    with pytest.raises(ExportError, match=r'no format "json"; choose tokenizer\.json, vocab\.txt,'):
        export(run("bpe gpt2"), "json")


def test_states_that_there_are_not():
    with pytest.raises(IndexError, match="states 0 to"):
        export(run("bpe gpt2"), "tokenizer.json", 121)


def test_history_export_writes_the_files(tmp_path):
    history = run("bpe bytes gpt2")
    paths = history.export("merges", tmp_path / "a" / "b", 3)
    assert [path.name for path in paths] == ["vocab.json", "merges.txt"]
    found = {path.name: path.read_bytes() for path in paths}
    assert found == export(history, "merges", 3)
    assert len(found["merges.txt"].splitlines()) == 4


@pytest.mark.parametrize("name", EXPORTS)
def test_the_same_run_gives_the_same_bytes(name):
    history = run(runs_of(name)[0])
    assert export(history, name) == export(history, name, len(history))
    assert EXPORTS[name].name == name


def replayed(model, word):
    """The tokens of a word by the model file of PickyBPE: all its events, in their order."""
    tokens = list(word)
    events = sorted(model["merges"] + model["splits"], key=lambda event: event["id"])
    for event in events:
        after = []
        for token in tokens:
            if "split" in event and token == event["token"]["str"]:
                after += [part["str"] for part in event["split"]]
            elif "pair" in event and [*after[-1:], token] == [t["str"] for t in event["pair"]]:
                after[-1] = event["new_token"]["str"]
            else:
                after.append(token)
        tokens = after
    return tokens


@pytest.mark.parametrize("back", [0, 40])
def test_the_model_file_of_picky_bpe_is_the_run(back):
    history = run("picky metaspace")
    t = len(history) - back
    model = json.loads(export(history, "picky-bpe", t)["model.json"])
    known = {token["id"]: token for token in model["tokens"]}
    ids = {known[int(i)]["str"]: place for i, place in model["id2int"].items()}
    assert {str(i): int(place) for place, i in model["int2id"].items()} == model["id2int"]
    vocab = history.vocab(t)
    assert list(ids) == [*vocab, "<UNK>"]
    assert list(ids.values()) == [*range(len(vocab) + 1)]
    counts = dict(zip(vocab, history.token_counts(t).tolist(), strict=True))
    for token in known.values():
        assert token["present"] == (token["str"] in ids)
        assert token["freq"] == counts.get(token["str"], 0)
        assert "".join(known[i]["str"] for i in token["split"]) == token["str"]
        if token["left"] is not None:
            sides = known[token["left"]]["str"], known[token["right"]]["str"]
            assert "".join(sides) == token["str"]
    for word in history.words.words[:300]:
        assert replayed(model, word.replace(" ", "▁")) == history.segmentation(word, t)
