"""The trainers of the Hugging Face library `tokenizers`: the same merges, and the same ids.

With a prefix or suffix the library numbers the marked forms in the order of a hash table, another
one in each run, and its ties go by these ids. That numbering is read from what it trained and given
to our trainer; then every merge must be the same, ties included.
"""

import json
import random
from functools import cache
from itertools import accumulate

import pytest
from effort import LONG
from helpers import anything, book
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

import tokviz
from tokviz.text.given_corpus import documents
from tokviz.text.samples import SAMPLES
from tokviz.text.symbols import Symbol
from tokviz.trainers import BPE, WordPiece

TEXTS = ["generated", "alice", "udhr", "book"]
#: Most pairs tie where a small text gives a large vocabulary.
SIZES = [
    (name, size)
    for name in TEXTS
    for size in (1_000, 10_000)
    if LONG or (size == 1_000 and name != "book") or name == "generated"
]
BYTES = tuple(pre_tokenizers.ByteLevel.alphabet())


@cache
def text(name):
    """The lines of a text. Generated: words over few letters, so that pairs overlap and tie, drawn
    by Zipf's law."""
    if name == "generated":
        chosen = random.Random(5)
        words = ["".join(chosen.choices("abcdeé日", k=chosen.randint(1, 9))) for _ in range(3_000)]
        weights = [*accumulate(1 / rank for rank in range(1, len(words) + 1))]
        lines = (chosen.choices(words, cum_weights=weights, k=12) for _ in range(1_500))
        return [*map(" ".join, lines)]
    if name in SAMPLES:
        return SAMPLES[name].documents
    return list(documents(book()))


def trained(corpus, trainer, pretokenizer, model=models.BPE):
    theirs = Tokenizer(model())
    theirs.pre_tokenizer = pretokenizer
    theirs.train_from_iterator(corpus, trainer)
    return theirs


def vocabulary(theirs):
    ids = theirs.get_vocab()
    return sorted(ids, key=ids.get)


def merges(theirs):
    return [tuple(pair) for pair in json.loads(theirs.to_str())["model"]["merges"]]


def assert_same(ours, theirs):
    learned = [(step.left, step.right) for step in ours.steps]
    assert learned == merges(theirs)
    assert len(learned) > 200
    assert ours.vocab(len(ours)) == vocabulary(theirs)


@pytest.mark.parametrize(("name", "size"), SIZES)
@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ({}, {}),
        ({"special_tokens": ["<s>", "</s>"]}, {"special_tokens": ("<s>", "</s>")}),
        ({"initial_alphabet": list(BYTES)}, {"initial_alphabet": ("bytes",)}),
        ({"min_frequency": 3}, {"min_frequency": 3}),
        (
            {"min_frequency": 2, "special_tokens": ["<s>"], "initial_alphabet": list(BYTES)},
            {"min_frequency": 2, "special_tokens": ("<s>",), "initial_alphabet": ("bytes",)},
        ),
    ],
    ids=["plain", "specials", "initial alphabet", "min_frequency", "all"],
)
@pytest.mark.checked_against("tokenizers", "trainer", "bpe")
def test_bpe_on_bytes(name, size, theirs, ours, checked):
    corpus = text(name)
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **theirs)
    library = trained(corpus, trainer, pre_tokenizers.ByteLevel(add_prefix_space=False))
    history = tokviz.train(corpus, vocab_size=size, unit="byte", tie_break="smallest-ids", **ours)
    assert_same(history, library)
    lines = corpus[:50] if size == 1_000 else []
    tokenizer = history.tokenizer()
    for line in lines:
        assert tokenizer.encode(line).ids == library.encode(line).ids
    checked(texts=len(lines))


def numbered_as(monkeypatch, kind, spelling, library, n_special):
    """Lets our trainer number the alphabet as the library did: all that it has before the first
    merge, read from its vocabulary. Ours must be the same set."""
    prefix, suffix = spelling.continuing_subword_prefix, spelling.end_of_word_suffix
    makes = kind.alphabet

    def symbol(string):
        ends = bool(suffix) and string.endswith(suffix) and len(string) > len(suffix)
        string = string.removesuffix(suffix) if ends else string
        inside = bool(prefix) and string.startswith(prefix) and len(string) > len(prefix)
        return Symbol(string.removeprefix(prefix) if inside else string, inside, ends)

    def alphabet(self, words, spelling):
        ours = makes(self, words, spelling)
        theirs = [symbol(string) for string in vocabulary(library)[n_special:][: len(ours)]]
        assert set(theirs) == set(ours)
        bare = [s for s in ours if not s.continuing and not s.ends_word]
        assert theirs[: len(bare)] == ours[: len(bare)] == bare
        return theirs

    monkeypatch.setattr(kind, "alphabet", alphabet)


@pytest.mark.parametrize(("name", "size"), SIZES)
@pytest.mark.parametrize(
    "markers",
    [
        {"continuing_subword_prefix": "##"},
        {"end_of_word_suffix": "</w>"},
        {"continuing_subword_prefix": "##", "end_of_word_suffix": "</w>", "min_frequency": 2},
        {"continuing_subword_prefix": "@", "special_tokens": ["<s>"], "initial_alphabet": ["§"]},
    ],
    ids=["prefix", "suffix", "both, min_frequency", "specials, initial alphabet"],
)
@pytest.mark.checked_against("tokenizers", "trainer", "bpe")
def test_bpe_with_markers(name, size, markers, monkeypatch, checked):
    corpus = text(name)
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, **markers)
    # The library names the markers twice; those of the model are for encoding.
    model = {key: value for key, value in markers.items() if key.endswith(("prefix", "suffix"))}
    library = trained(
        corpus, trainer, pre_tokenizers.WhitespaceSplit(), lambda: models.BPE(**model)
    )
    settings = {
        "pretokenizer": "whitespace",
        "tie_break": "smallest-ids",
        "suffix_glued": "end_of_word_suffix" in markers,
        **markers,
    }
    spelling = tokviz.train({}, vocab_size=5, counted=anything, **settings).spelling
    numbered_as(monkeypatch, BPE, spelling, library, len(markers.get("special_tokens", ())))
    assert_same(tokviz.train(corpus, vocab_size=size, **settings), library)
    checked()


@pytest.mark.parametrize(("name", "size"), SIZES)
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"special_tokens": ["[PAD]", "[UNK]"], "initial_alphabet": ["§", "e"]},
        {"min_frequency": 2, "special_tokens": ["[UNK]"]},
    ],
    ids=["plain", "specials, initial alphabet", "min_frequency"],
)
@pytest.mark.checked_against("tokenizers", "trainer", "wordpiece")
def test_wordpiece_by_frequency(name, size, options, monkeypatch, checked):
    corpus = text(name)
    trainer = trainers.WordPieceTrainer(vocab_size=size, show_progress=False, **options)
    library = trained(
        corpus,
        trainer,
        pre_tokenizers.BertPreTokenizer(),
        lambda: models.WordPiece(unk_token="[UNK]"),
    )
    settings = {"score": "frequency", **options}
    spelling = tokviz.train({}, "wordpiece", 5, counted=anything, **settings).spelling
    numbered_as(monkeypatch, WordPiece, spelling, library, len(options.get("special_tokens", ())))
    history = tokviz.train(corpus, "wordpiece", size, **settings)
    # It keeps no merges, only the vocabulary, in the order in which they made it.
    assert history.vocab(len(history)) == vocabulary(library)
    assert len(history) > 200
    tokenizer = history.tokenizer()
    for line in corpus[:50]:
        assert tokenizer.encode(line).tokens == library.encode(line).tokens
    checked(texts=len(corpus[:50]))
