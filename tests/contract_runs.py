"""The trainers and corpora of the contract, and their runs."""

from collections.abc import Mapping
from functools import cache

from effort import LONG, SAMPLE_NAMES
from helpers import anything

import tokviz
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import documents
from tokviz.text.samples import SAMPLES

TRAINERS = {
    "bpe characters": ("bpe", {}),
    "bpe bytes": ("bpe", {"unit": "byte", "initial_alphabet": ("bytes",)}),
    "bpe largest pair, suffix": (
        "bpe",
        {"tie_break": "largest-pair", "end_of_word_suffix": "</w>", "suffix_glued": True},
    ),
    "bpe shortest, suffix apart": (
        "bpe",
        {"tie_break": "shortest", "end_of_word_suffix": "</w>", "pretokenizer": "whitespace"},
    ),
    "bpe ids, prefix": (
        "bpe",
        {"tie_break": "smallest-ids", "continuing_subword_prefix": "##", "pretokenizer": "bert"},
    ),
    "picky bpe": ("picky-bpe", {"threshold": 0.6}),
    "picky bpe bytes, ids": (
        "picky-bpe",
        {"threshold": 0.5, "unit": "byte", "tie_break": "smallest-ids"},
    ),
    "picky bpe, suffix": ("picky-bpe", {"end_of_word_suffix": "</w>", "suffix_glued": True}),
    "parity bpe": ("parity-bpe", {}),
    "parity bpe window, together": (
        "parity-bpe",
        {"variant": "window", "window_size": 5, "global_merges": 3, "unit": "byte"},
    ),
    "super bpe": ("super-bpe", {}),
    "super bpe bytes, gpt2": (
        "super-bpe",
        {"unit": "byte", "words": "gpt2", "transition_size": 1, "tie_break": "shortest"},
    ),
    "super bpe, largest pair": (
        "super-bpe",
        {"tie_break": "largest-pair", "words": "gpt4o (o200k)", "longest": 2},
    ),
    "boundless bpe": ("boundless-bpe", {}),
    "boundless bpe bytes, gpt4o": (
        "boundless-bpe",
        {"unit": "byte", "words": "gpt4o (o200k)", "pretokenizer": "runs"},
    ),
    "boundless bpe, picky": ("boundless-bpe", {"threshold": 0.6}),
    "wordpiece": ("wordpiece", {}),
    "wordpiece frequency": ("wordpiece", {"score": "frequency"}),
    "sentencepiece bpe": ("sentencepiece-bpe", {"character_coverage": 1.0}),
    "sentencepiece bpe, newer": (
        "sentencepiece-bpe",
        {"character_coverage": 1.0, "library_version": "0.2.3"},
    ),
    "sentencepiece unigram": (
        "sentencepiece-unigram",
        {
            "character_coverage": 1.0,
            "min_expected_count": 0.0,
            "shrinking_factor": 0.95,
            "exact_deltas": True,
        },
    ),
    "sentencepiece unigram, newer": (
        "sentencepiece-unigram",
        {
            "character_coverage": 1.0,
            "min_expected_count": 0.0,
            "shrinking_factor": 0.95,
            "library_version": "0.2.3",
        },
    ),
    "huggingface unigram": (
        "huggingface-unigram",
        {"min_expected_count": 0.0, "shrinking_factor": 0.95, "exact_deltas": True},
    ),
    "unigram": ("unigram", {}),
    "unigram, any words": ("unigram", {"pretokenizer": "gpt2", "trim_last": False}),
}


EDGES = {
    "empty": "",
    "empty table": {},
    "blank lines": "\n \n\t\n",
    "one character": "a",
    "one symbol": "aaaa aa a aaa",
    "table": {"hug": 10, "pug": 5},
    "large counts": {"hug": 2**49, "pug": 2**49 - 1, "hugs": 3},
    "combining marks": "e\u0301 é e\u0301\u0323 n\u0303n\u0303o",
    "emoji": "👩‍👩‍👧‍👦 👩‍👩‍👧 👩🏽‍🚀🇫🇷🇫🇷",
    "cjk": "東京都の東京 日本語日本 東京",
    "right to left": "שלום לשלום \u202bשלום\u202c مرحبا بمرحبا",
    "surrogates": ["\ud800a \udfff\ud800 a\ud800a", "\ud83d\ude00"],
    "nul": "\0a\0 a\0\0 \0",
    "markers": "Ġa a Ġ ▁a ▁▁ ##a ## a##b </w> a</w> </w>a ⟨Ġ⟩ ⟨##⟩a <unk> [UNK]",
}


CORPORA = EDGES | {name: SAMPLES[name].corpus for name in SAMPLE_NAMES}


def train(key, corpus, extra=60, progress=None, **settings):
    """A run with `extra` tokens beyond the least size (unigram: with that many left)."""
    algorithm, defaults = TRAINERS[key]
    settings = {**defaults, **settings}
    if algorithm.startswith("sentencepiece") and "special_tokens" in settings:
        # The library has its own, and takes these in addition.
        settings["user_defined_symbols"] = settings.pop("special_tokens")
    pretokenizer = settings.pop("pretokenizer", None)
    trainer = tokviz.make_trainer(algorithm, 1, **settings)
    chosen = make_pretokenizer(pretokenizer or trainer.default_pretokenizer)
    words = count_words(corpus, chosen, trainer.special_tokens)
    size = max(1, trainer.least_vocab_size(words, chosen) + extra)
    return tokviz.train(corpus, algorithm, size, chosen, progress, anything, **settings)


@cache
def trained(key, corpus):
    """The run of a corpus by its name. Exact deltas take their time: of a story, the beginning."""
    text = CORPORA[corpus]
    if corpus == "alice" and "exact_deltas" in TRAINERS[key][1] and not LONG:
        text = text[:4_000]
    return train(key, text)


def save_all(folder):
    """Saves a run of every trainer."""
    folder.mkdir()
    for i, key in enumerate(TRAINERS):
        history = train(key, SAMPLES["course"].corpus, special_tokens=("<s>",))
        history.save(folder / f"{i}.npz")


def some_states(history):
    return sorted(
        {0, 1, len(history) // 2, len(history) - 1, len(history)} & set(range(len(history) + 1))
    )


def texts_of(corpus):
    return list(corpus) if isinstance(corpus, Mapping) else list(documents(corpus))


def joined(history, t):
    """A function that gives the text that the tokens of a state stand for."""
    tokenizer, bytes_of = history.tokenizer(t), history.spelling.bytes_of
    symbols = dict(zip(tokenizer.strings, tokenizer.symbols, strict=True))
    return lambda tokens: b"".join(bytes_of(symbols[token]) for token in tokens)
