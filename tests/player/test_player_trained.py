"""What the browser trains equals what Python trains and packs, column by column."""

import json
import random

import numpy as np
from contract_runs import CORPORA, EDGES, TRAINERS, train
from effort import LONG
from helpers import needs_node, node_passes
from odd_texts import PIECES
from ratios import RATIOS

from tokviz.core.logarithm import logarithms
from tokviz.player.pack import pack
from tokviz.player.retrain import retrain
from tokviz.player.web_page import MOST_FREQUENT
from tokviz.text.corpus import excerpt

#: How many random texts are trained by each trainer.
RANDOM = 60 if LONG else 6
#: Few have long words: what matters is whatever the trainers trip over.
TEXTS = CORPORA if LONG else {**EDGES, "course": CORPORA["course"], "long": "ab" * 300 + "aba " * 9}
TEXTS = {**TEXTS, "tokens before others": "low [UNK]! [UNK]s ##s.th ,<s> (a) .low er!\ra \n\r\n!\n"}
#: Settings that no trainer of the contract has.
OTHERS = {
    "bpe special": ("bpe characters", {"special_tokens": ("th", "<s>", "a", " ", "low er")}),
    "bpe bytes, ids": ("bpe bytes", {"tie_break": "smallest-ids"}),
    "bpe bytes, shortest": ("bpe bytes", {"tie_break": "shortest", "special_tokens": ("e",)}),
    "bpe bytes, largest": ("bpe bytes", {"tie_break": "largest-pair", "pretokenizer": "none"}),
    "bpe metaspace, largest": (
        "bpe characters",
        {"tie_break": "largest-pair", "pretokenizer": "metaspace"},
    ),
    "bpe rare": ("bpe characters", {"min_frequency": 3, "pretokenizer": "whitespace"}),
    "wordpiece special": ("wordpiece", {"special_tokens": ("[UNK]", "##s", "hu")}),
    "wordpiece initial": ("wordpiece frequency", {"initial_alphabet": ("z", "é")}),
    "unigram special": ("unigram", {"special_tokens": ("th", "<s>", "a", " "), "seed_size": 80}),
    "unigram strict": (
        "unigram",
        {"whole_words": False, "pretokenizer": "none", "max_token_length": 5, "trim_last": False},
    ),
    "unigram fast": ("unigram", {"prune_fraction": 0.6, "pretokenizer": "bert", "seed_size": 999}),
    "prefix and suffix": (
        "bpe ids, prefix",
        {"end_of_word_suffix": "##", "suffix_glued": True, "tie_break": "shortest"},
    ),
}


def is_unicode(text):
    """Whether a browser can send a text: it has no half of a character."""
    return isinstance(text, str) and not any("\ud800" <= char <= "\udfff" for char in text)


def odd_text(seed):
    draw = random.Random(seed)
    pieces = [piece for piece in PIECES if is_unicode(piece)]
    return "".join(draw.choices(pieces, k=draw.randint(1, 60)))


def write(folder, name, key, text, most, **settings):
    history = train(key, text, **settings)
    if retrain(history) is None:
        return
    cut, special = history.pretokenizer, history.special_tokens
    lines = excerpt(text, cut, special, most["words"], most["characters"])
    (folder / f"{name}.blob").write_bytes(pack(history, "BPE", lines, MOST_FREQUENT))
    words = history.words
    told = {"text": text, "most": most}
    told["least"] = history.trainer.least_vocab_size(words, cut)
    (folder / f"{name}.json").write_text(json.dumps(told), "utf-8")


@needs_node
def test_the_browser_trains_as_python_does(tmp_path):
    kinds = {name: (name, {}) for name in TRAINERS} | OTHERS
    usual = {"words": 4000, "characters": 20_000}
    for kind, (key, settings) in kinds.items():
        for name, text in TEXTS.items():
            if is_unicode(text):
                write(tmp_path, f"{kind} {name}".replace("/", "-"), key, text, usual, **settings)
        for seed in range(RANDOM):
            draw = random.Random(seed)
            most = {"words": draw.randint(1, 30), "characters": draw.randint(1, 100)}
            text = odd_text(f"{kind} {seed}")
            write(
                tmp_path, f"{kind} {seed}", key, text, most, extra=draw.choice([5, 300]), **settings
            )
    # Pairs of a number and its logarithm.
    pairs = np.column_stack([RATIOS, logarithms(RATIOS)])
    (tmp_path / "logarithms").write_bytes(pairs.tobytes())
    node_passes("trained", "TOKVIZ_RUNS", tmp_path, tests=3)
