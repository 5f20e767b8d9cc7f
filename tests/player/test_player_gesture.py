"""What is seen of a step: which tokens become which, and the line to what comes next."""

from helpers import needs_node, node_passes

import tokviz
from tokviz.player.pack import pack

COURSE = tokviz.SAMPLES["course"].corpus
RUNS = {
    "bpe": ("bpe", 70, {"unit": "byte"}),
    "suffix": ("bpe", 120, {"end_of_word_suffix": "</w>"}),
    "wordpiece": ("wordpiece", 90, {}),
    "sentencepiece-bpe": ("sentencepiece-bpe", 60, {}),
    "unigram": ("unigram", 40, {}),
    "sentencepiece-unigram": ("sentencepiece-unigram", 40, {"min_expected_count": 0.0}),
}


@needs_node
def test_a_step_is_one_gesture(tmp_path):
    for name, (algorithm, size, settings) in RUNS.items():
        history = tokviz.train(COURSE, algorithm, size, **settings)
        (tmp_path / name).write_bytes(pack(history, name, None, 40))
    node_passes("gesture", "TOKVIZ_RUNS", tmp_path, len(RUNS) + 3)
