"""The pictures of the word lens: Node lays them out, the engine says what they must show."""

import json
import random

from helpers import needs_node, node_passes

import tokviz
from tokviz.pages.lenses.word_views import word_view

DRAW = random.Random(7)


def random_text(letters, words):
    return " ".join("".join(DRAW.choices(letters, k=DRAW.randint(1, 9))) for _ in range(words))


COURSE = tokviz.SAMPLES["course"].corpus
ACROSS = "in the end\nin the end of it\nthe end of the day\nin the hat"
RUNS = [
    (COURSE, {"algorithm": "bpe", "vocab_size": 50}),
    (random_text("ab", 30), {"algorithm": "bpe", "vocab_size": 40, "end_of_word_suffix": "</w>"}),
    (random_text("abcd", 40), {"algorithm": "wordpiece", "vocab_size": 60}),
    (random_text("aé日👩", 20), {"algorithm": "bpe", "vocab_size": 60, "unit": "byte"}),
    (random_text("abc", 30), {"algorithm": "picky-bpe", "vocab_size": 60, "threshold": 0.3}),
]
#: Whose words are not cut at spaces.
ACROSS_RUNS = [
    (ACROSS, {"algorithm": "super-bpe", "vocab_size": 30, "transition_size": 20}),
    (ACROSS, {"algorithm": "boundless-bpe", "vocab_size": 25}),
    (ACROSS, {"algorithm": "boundless-bpe", "vocab_size": 30, "threshold": 0.6}),
]


@needs_node
def test_trees_have_room_and_every_state_its_tokens(tmp_path):
    histories = [tokviz.train(text, pretokenizer="whitespace", **kept) for text, kept in RUNS]
    histories += [tokviz.train(text, **settings) for text, settings in ACROSS_RUNS]
    trees, apart = [], 0
    for history in histories:
        for word in [*history.words.words[:8], "new" + history.words.words[0]]:
            view = word_view(history, word, 0)
            # Where tokens come apart, a stretch of states has a tree of its own.
            stretches = view.get("stretches", [view | {"first": 0}])
            apart += len(stretches) > 1
            ends = [stretch["first"] for stretch in stretches[1:]] + [len(history) + 1]
            for stretch, end in zip(stretches, ends, strict=True):
                cuts = [history.merge_tree(word, t).roots for t in range(stretch["first"], end)]
                spans = [[[root.start, root.end] for root in roots] for roots in cuts]
                trees.append({"word": word, **stretch, "segmentations": spans})
    assert apart > 3
    file = tmp_path / "trees.json"
    file.write_text(json.dumps(trees))
    node_passes("pictures", "TOKVIZ_TREES", file, 2 * len(trees) + 4)
