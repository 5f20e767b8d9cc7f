"""A page without Altair has the curves that the app has: their titles, and every value."""

import json
import math

from helpers import anything, needs_node, node_passes

import tokviz
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.pages.lenses.charts import titles
from tokviz.player.pack import bundle, pack

COURSE = tokviz.SAMPLES["course"].corpus
EM = {"min_expected_count": 0.0}
CASES = {
    "bpe": [("bpe", 60, {"unit": "byte"})],
    "wordpiece": [("wordpiece", 60, {})],
    "frequency": [("wordpiece", 60, {"score": "frequency"})],
    "unigram": [("unigram", 50, {})],
    "sentencepiece-bpe": [("sentencepiece-bpe", 60, {})],
    "sentencepiece-unigram": [("sentencepiece-unigram", 40, EM)],
    "nothing": [("bpe", 30, {})],
    "lanes": [("bpe", 60, {}), ("wordpiece", 50, {}), ("unigram", 100, {})],
}


def expected(histories, align):
    curves = [history.curve() for history in histories]
    found = titles(curves, [history.algorithm for history in histories], align)
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
        histories = [
            tokviz.train(corpus, kind, size, counted=anything, **more) for kind, size, more in kinds
        ]
        aligned = ALIGNMENTS if len(histories) > 1 else ("step",)
        answers = {align: expected(histories, align) for align in aligned}
        (tmp_path / f"{name}.json").write_text(json.dumps(answers), encoding="utf-8")
        blobs = [pack(history, "", None, 9) for history in histories]
        (tmp_path / f"{name}.bundle").write_bytes(bundle({}, blobs))
    node_passes("curves", "TOKVIZ_CURVES", tmp_path, len(CASES) + 2)
