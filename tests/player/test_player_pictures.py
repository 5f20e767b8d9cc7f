"""The pictures of the word lens: Node lays them out, the engine says what they must show."""

import json
import random

from helpers import needs_node, node_passes

import tokviz
from tokviz.pages.lenses.word_views import tree_view

DRAW = random.Random(7)


def random_text(letters, words):
    return " ".join("".join(DRAW.choices(letters, k=DRAW.randint(1, 9))) for _ in range(words))


RUNS = [
    (tokviz.SAMPLES["course"].corpus, {"algorithm": "bpe", "vocab_size": 50}),
    (random_text("ab", 30), {"algorithm": "bpe", "vocab_size": 40, "end_of_word_suffix": "</w>"}),
    (random_text("abcd", 40), {"algorithm": "wordpiece", "vocab_size": 60}),
    (random_text("aé日👩", 20), {"algorithm": "bpe", "vocab_size": 60, "unit": "byte"}),
]


@needs_node
def test_trees_have_room_and_every_state_its_tokens(tmp_path):
    trees = []
    for text, settings in RUNS:
        history = tokviz.train(text, pretokenizer="whitespace", **settings)
        for word in [*history.words.words[:8], "new" + history.words.words[0]]:
            view = tree_view(history, word)
            states = range(len(history) + 1)
            cuts = [history.merge_tree(word, t).roots for t in states]
            spans = [[[root.start, root.end] for root in roots] for roots in cuts]
            trees.append({"word": word, **view, "segmentations": spans})
    file = tmp_path / "trees.json"
    file.write_text(json.dumps(trees))
    node_passes("pictures", "TOKVIZ_TREES", file, 2 * len(trees) + 4)
