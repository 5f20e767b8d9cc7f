"""What the browser trains equals what Python trains and packs, column by column."""

import random

import numpy as np
from contract_runs import CORPORA, EDGES, TRAINERS, train
from effort import LONG
from helpers import needs_node, node_passes
from odd_texts import PIECES
from ratios import RATIOS
from recorded_runs import assert_same_record, golden_runs, is_unicode, kept_runs, write

from tokviz.core.logarithm import logarithms
from tokviz.player.retrain import retrain
from tokviz.trainers import unigram
from tokviz.trainers.merging import loop

#: How many random texts are trained by each trainer.
RANDOM = 60 if LONG else 3
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

#: Trainings of the keepsake that no browser does, by the reason.
NOT_IN_BROWSERS = {
    # It computes as the library does, in Python.
    "SentencePiece": 60,
    "interventions": 17,
    "a typed pattern": 16,
    "Unicode normalization": 5,
    # They ended in the middle: their files are kept.
    "called off": 5,
    # Tables of words with counts: two with many counts, three with words that are none in a text.
    "no text has such words": 5,
    # Lone surrogates, which no browser puts into UTF-8.
    "halves of characters": 2,
}
#: Steps times letters of what the plain trainers train again here: they count anew after each step.
MOST_PLAIN = 10_000_000 if LONG else 3000


def odd_text(seed):
    draw = random.Random(seed)
    pieces = [piece for piece in PIECES if is_unicode(piece)]
    return "".join(draw.choices(pieces, k=draw.randint(1, 60)))


def browsers_train(key, settings):
    return retrain(train(key, "low lower", **settings)) is not None


@needs_node
def test_the_browser_trains_as_python_does(tmp_path):
    kinds = {name: (name, {}) for name in TRAINERS} | OTHERS
    kinds = {kind: asked for kind, asked in kinds.items() if browsers_train(*asked)}
    assert len(kinds) > len(OTHERS) + 5
    for kind, (key, settings) in kinds.items():
        for name, text in TEXTS.items():
            if is_unicode(text):
                write(tmp_path, f"{kind} {name}", train(key, text, **settings), text)
        for seed in range(RANDOM):
            draw = random.Random(seed)
            most = {"words": draw.randint(1, 30), "characters": draw.randint(1, 100)}
            text, extra = odd_text(f"{kind} {seed}"), draw.choice([5, 300])
            history = train(key, text, extra=extra, **settings)
            write(tmp_path, f"{kind} {seed}", history, text, most)
    # Pairs of a number and its logarithm.
    pairs = np.column_stack([RATIOS, logarithms(RATIOS)])
    (tmp_path / "logarithms").write_bytes(pairs.tobytes())
    node_passes("trained", "TOKVIZ_RUNS", tmp_path, tests=3)


@needs_node
def test_the_browser_trains_what_programs_published_and_what_is_kept(tmp_path, monkeypatch):
    """What was recorded of the programs is compared by the browser's script itself; of the
    keepsake's trainings `test_compat.py` says that Python's are what they were. The plain trainers
    write the same columns."""
    recorded = list(golden_runs())
    kept, others = kept_runs()
    assert (len(recorded), len(kept)) == (24, 213)
    assert others == NOT_IN_BROWSERS
    plain = 0
    for i, (name, history, text, golden) in enumerate([*recorded, *kept]):
        write(tmp_path, f"{i:03} {name}", history, text, golden=golden)
        if len(history) * sum(map(len, history.words.words)) > MOST_PLAIN:
            continue
        plain += 1
        with monkeypatch.context() as patch:
            for module in (unigram, loop):
                patch.setattr(module, "runs_compiled", lambda: False)
            again = history.trainer.train(history.words, history.pretokenizer, None)
        assert_same_record(again, history, name)
    assert plain > 130
    node_passes("recorded", "TOKVIZ_RUNS", tmp_path)
