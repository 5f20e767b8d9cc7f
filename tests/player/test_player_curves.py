"""The player has the curves of the history, at every value and under their titles."""

import json
import math

from helpers import anything, needs_node, node_passes

import tokviz
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.history.parity.history import ParityHistory
from tokviz.player.pack import bundle, pack
from tokviz.text.languages import joined

COURSE = tokviz.SAMPLES["course"].corpus
EM = {"min_expected_count": 0.0}
CASES = {
    "bpe": [("bpe", 60, {"unit": "byte"})],
    "wordpiece": [("wordpiece", 60, {})],
    "frequency": [("wordpiece", 60, {"score": "frequency"})],
    "unigram": [("unigram", 50, {})],
    "parity-bpe": [("parity-bpe", 60, {})],
    "sentencepiece-bpe": [("sentencepiece-bpe", 60, {})],
    "sentencepiece-unigram": [("sentencepiece-unigram", 40, EM)],
    "nothing": [("bpe", 30, {})],
    "given": [],
    "lanes": [("bpe", 60, {}), ("wordpiece", 50, {}), ("unigram", 100, {})],
}
TOKENS, CHARACTERS = "Corpus tokens", "Characters per token"
#: The columns that are drawn of a history, with their titles.
ALONE = {
    "bpe": {"score": "Count of the next pair", "characters_per_token": CHARACTERS},
    "wordpiece": {"score": "Score of the next pair", "characters_per_token": CHARACTERS},
    "unigram": {"score": "Loss delta at the next cut", "loss": "Loss"},
    "parity-bpe": {"score": "Count of the next pair", "characters_per_token": CHARACTERS},
    "sentencepiece-bpe": {"score": "Count of the next pair", "characters_per_token": CHARACTERS},
    # It changes its criterion from step to step, so it has no score.
    "sentencepiece-unigram": {
        "vocab_size": "Vocabulary size",
        "loss": "−ln P per word (the objective)",
    },
    "replay": {"score": "Rank of the next merge", "characters_per_token": CHARACTERS},
}
#: Lanes share what has one unit in all of them.
BY = {"step": "", "size": " by vocabulary size", "share": " by share of training, in percent"}


def given():
    """The merges of a tokenizer, replayed."""
    files = export(tokviz.train(COURSE, "bpe", 60, unit="byte"), "tokenizer.json")
    return tokviz.replay(open_tokenizer(files), COURSE)


def titles(histories, align):
    if len(histories) == 1:
        [history] = histories
        languages = getattr(history, "languages", ())
        own = {i: f"Compression of {language}" for i, language in enumerate(languages)}
        return {**own, "corpus_tokens": TOKENS, **ALONE[history.algorithm]}
    third = {"step": "Step or round"} if align == "size" else {"vocab_size": "Vocabulary size"}
    all_of_them = {"corpus_tokens": TOKENS, **third, "characters_per_token": CHARACTERS}
    return {name: title + BY[align] for name, title in all_of_them.items()}


def expected(histories, align):
    curves = [history.curve() for history in histories]
    for history, curve in zip(histories, curves, strict=True):
        if isinstance(history, ParityHistory):
            curve[[*range(len(history.languages))]] = history.compression()
    found = titles(histories, align)
    axis = make_axis(histories, align)
    return {
        "titles": [*found.items()],
        "lanes": [
            {
                name: [None if math.isnan(v) else v for v in curve[name].to_numpy(float)[states]]
                for name in found
            }
            for curve, states in zip(curves, axis.states, strict=True)
        ],
    }


@needs_node
def test_curves(tmp_path):
    for name, kinds in CASES.items():
        corpus = "" if name == "nothing" else COURSE
        if name == "parity-bpe":
            corpus = joined({"a": COURSE, "b": "αβγ αβγδ αβ " * 9})
        histories = [
            tokviz.train(corpus, kind, size, counted=anything, **more) for kind, size, more in kinds
        ] or [given()]
        aligned = ALIGNMENTS if len(histories) > 1 else ("step",)
        answers = {align: expected(histories, align) for align in aligned}
        (tmp_path / f"{name}.json").write_text(json.dumps(answers), encoding="utf-8")
        blobs = [pack(history, "", None, 9) for history in histories]
        (tmp_path / f"{name}.bundle").write_bytes(bundle({}, blobs))
    node_passes("curves", "TOKVIZ_CURVES", tmp_path, len(CASES) + 2)
