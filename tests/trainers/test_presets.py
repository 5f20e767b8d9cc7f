"""Each preset against its own reference: the library where there is one, else published runs."""

from collections import Counter
from inspect import signature
from io import StringIO

import oracles
import pytest
from helpers import PROGRAMS
from tokenizers import (
    BertWordPieceTokenizer,
    ByteLevelBPETokenizer,
    Tokenizer,
    models,
    pre_tokenizers,
    trainers,
)

import tokviz
from tokviz.text.samples import SAMPLES
from tokviz.text.symbols import Symbol
from tokviz.trainers import WordPiece
from tokviz.trainers.presets import PRESETS

#: The presets that have a test here.
TESTED = {
    *("hf-bpe", "hf-wordpiece", "gpt2", "sennrich", "minbpe"),
    *("course-bpe", "course-wordpiece", "course-unigram"),
}


def train(name, corpus, **changes):
    return tokviz.train(corpus, **{**PRESETS[name].settings, **changes})


@pytest.fixture(params=["alice", "udhr"])
def corpus(request):
    return SAMPLES[request.param].documents


def in_id_order(vocab):
    return sorted(vocab, key=vocab.get)


def test_every_preset_is_compared_and_explained():
    assert set(PRESETS) == TESTED
    for name, preset in PRESETS.items():
        assert preset.name == name
        assert preset.source.endswith(".")
        assert preset.note.endswith(".")
        settings = dict(preset.settings)
        settings.pop("pretokenizer")
        assert tokviz.make_trainer(**settings).vocab_size == preset.settings["vocab_size"]


def test_sizes_are_the_defaults_of_the_references():
    from subword_nmt.learn_bpe import create_parser

    def default(kind):
        return signature(kind.train_from_iterator).parameters["vocab_size"].default

    assert {name: preset.settings["vocab_size"] for name, preset in PRESETS.items()} == {
        "hf-bpe": default(ByteLevelBPETokenizer),
        "hf-wordpiece": default(BertWordPieceTokenizer),
        "gpt2": 256 + 50_000 + 1,
        "sennrich": create_parser().get_default("symbols"),
        "course-bpe": 50,
        "course-wordpiece": 70,
        "course-unigram": 100,
        "minbpe": 512,
    }


@pytest.mark.checked_against("tokenizers", "trainer", "bpe")
def test_hf_bpe(corpus, checked):
    theirs = ByteLevelBPETokenizer()
    theirs.train_from_iterator(corpus, vocab_size=30_000, show_progress=False)
    ours = train("hf-bpe", corpus)
    assert ours.vocab(len(ours)) == in_id_order(theirs.get_vocab())
    for line in corpus[:100]:
        assert ours.tokenizer().encode(line).ids == theirs.encode(line).ids
    checked(texts=len(corpus[:100]))


@pytest.mark.checked_against("tokenizers", "trainer", "wordpiece")
def test_hf_wordpiece(corpus, monkeypatch, checked):
    """Under the library's numbering of the ## symbols, which differs from run to run."""
    theirs = BertWordPieceTokenizer()
    theirs.train_from_iterator(
        corpus, vocab_size=30_000, limit_alphabet=100_000, show_progress=False
    )
    strings = in_id_order(theirs.get_vocab())
    before = train("hf-wordpiece", corpus).vocab(0)
    assert set(strings[: len(before)]) == set(before)
    alphabet = [
        Symbol(string.removeprefix("##"), string.startswith("##") and len(string) > 2)
        for string in strings[5 : len(before)]
    ]
    monkeypatch.setattr(WordPiece, "alphabet", lambda *_: alphabet)
    ours = train("hf-wordpiece", corpus)
    assert ours.vocab(len(ours)) == strings
    for line in corpus[:100]:
        expected = theirs.encode(line, add_special_tokens=False)
        assert ours.tokenizer().encode(line).ids == expected.ids
    checked(texts=len(corpus[:100]))


@pytest.mark.checked_against("tokenizers", "trainer", "bpe")
def test_gpt2(corpus, checked):
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=50_257,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    theirs.train_from_iterator(corpus, trainer)
    ours = train("gpt2", corpus)
    assert ours.vocab(len(ours)) == in_id_order(theirs.get_vocab())
    checked()


@pytest.mark.checked_against("subword-nmt", "trainer", "bpe")
def test_sennrich(corpus, checked):
    from subword_nmt.learn_bpe import learn_bpe

    merges, codes = 2_000, StringIO()
    learn_bpe(StringIO("\n".join(corpus)), codes, merges, min_frequency=2)
    theirs = [tuple(line.split(" ")) for line in codes.getvalue().splitlines()[1:]]
    ours = train("sennrich", corpus)
    assert len(theirs) == min(merges, len(ours)) > 100
    assert [(step.left, step.right) for step in ours.steps[:merges]] == theirs
    checked()


def test_course_bpe_has_bytes():
    """Its words are those of GPT-2's pre-tokenizer, each byte a character."""
    text = "né né café"
    split = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str
    words = Counter(word for word, _ in split(text))
    run = oracles.bpe_oracle([(list(word), count) for word, count in words.items()])
    assert run.steps[0].token == "Ã©"
    ours = train("course-bpe", [text])
    assert [step.token for step in ours.steps] == [step.token for step in run.steps]


def test_course_unigram():
    golden = PROGRAMS["course_unigram"]
    ours = train("course-unigram", golden["corpus"])
    assert [ours.vocab_size(t) for t in range(len(ours))] == [
        row["n_before"] for row in golden["rounds"]
    ]


@pytest.mark.parametrize(
    ("name", "program"),
    [
        ("course-bpe", "course_bpe_endoftext"),
        ("course-wordpiece", "course_wordpiece_70"),
        ("course-unigram", "course_unigram"),
    ],
)
def test_the_course_ends_with_its_vocabulary_and_encodes(name, program):
    golden = PROGRAMS[program]
    ours = train(name, golden["corpus"])
    vocab = golden.get("final_vocab_in_order") or [token for token, *_ in golden["final_model"]]
    assert ours.vocab(len(ours)) == vocab
    for text, expected in golden["encodings"].items():
        assert ours.tokenizer().encode(text.removeprefix("word:")).tokens == expected, text


@pytest.mark.parametrize("text", ["aaabdaaabac", "\n".join(SAMPLES["udhr"].documents[:2])])
def test_minbpe(text):
    """minbpe is in no package index; its loop is the oracle's, over the bytes of the whole text."""
    ours = train("minbpe", [text], vocab_size=256 + 30)
    run = oracles.bpe_oracle([(list(text.encode().decode("latin-1")), 1)], n_merges=30)
    spell = ours.spelling.bytes_of
    assert [spell(symbol).decode("latin-1") for symbol in ours.symbols[256:]] == [
        step.token for step in run.steps
    ]
