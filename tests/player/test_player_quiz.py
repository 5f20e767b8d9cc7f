"""The quiz asks what the engine did: the marked answer is the chosen step, and no other option is.

The questions are made in JavaScript and asked of Node; this test packs the runs and writes down
what the engine chose in every state, and what each candidate was worth.
"""

import json
import math

from effort import LONG, SAMPLE_NAMES, each
from helpers import anything, needs_node, node_passes
from test_player_run import RUNS, trained

import tokviz
from tokviz.history.merges import MergeHistory
from tokviz.player.pack import pack

ALICE = "\n".join(tokviz.SAMPLES["alice"].documents[:30])
MORE = {
    "alice-unigram": (ALICE, "unigram", 150, {"seed_size": 900, "prune_fraction": 0.3}),
    "alice-em": (ALICE, "sentencepiece-unigram", 120, {}),
    "alice-wordpiece": (ALICE, "wordpiece", 400, {}),
}


WANTED = ("left", "right", "count", "left_count", "right_count")


def histories():
    for name in RUNS:
        yield name, trained(name)
    for name, (corpus, algorithm, size, settings) in MORE.items():
        yield name, tokviz.train(corpus, algorithm, size, counted=anything, **settings)
    for name in each(SAMPLE_NAMES, 2):
        sample = tokviz.SAMPLES[name]
        yield f"sample {name}", tokviz.train(sample.corpus, **sample.settings)


def asked_states(history):
    """All states; of a long run without `--long` the first and the last ones, and every fourth."""
    n = len(history) + 1
    return [t for t in range(n) if LONG or n <= 100 or t < 60 or t % 4 == 0 or t > n - 5]


def merge_facts(history, t):
    """What step t merges, and the exact score of each of the best candidates: a fraction."""
    table = history.candidates(t, 21)
    # Only what is asked for: pandas takes its time for each of the many columns of each state.
    rows = {name: table[name].tolist() for name in WANTED if name in table}
    count = rows["count"]
    below = [1] * len(count)
    if "left_count" in rows:
        factors = zip(rows["left_count"], rows["right_count"], strict=True)
        below = [int(left) * int(right) for left, right in factors]
    pairs = zip(rows["left"], rows["right"], strict=True)
    facts = {
        "action": "merge" if t < len(history) else "over",
        "scores": [
            [[*pair], str(n), str(d)] for pair, n, d in zip(pairs, count, below, strict=True)
        ],
    }
    if t < len(history):
        step = history.steps[t]
        if step.action == "remove":
            return facts | {"action": "remove"}
        facts |= {"chosen": [step.left, step.right], "tied": int(step.tied)}
        facts["forced"] = t in history.record.forced
    return facts


def prune_facts(history, t):
    """What step t removes, and the loss delta of each token; None where there is none."""
    if t == len(history):
        return {"action": "over"}
    table, step = history.candidates(t), history.steps[t]
    deltas = [None if math.isnan(delta) else delta for delta in table["loss_delta"].tolist()]
    forced = history.algorithm == "unigram" and bool(history.forced(t))
    return {
        "action": step.action,
        "forced": forced,
        "removed": [*step.removed],
        "deltas": dict(zip(table["token"], deltas, strict=True)),
    }


@needs_node
def test_the_marked_answer_is_the_engine_s_choice(tmp_path):
    n = 0
    for name, history in histories():
        of = merge_facts if isinstance(history, MergeHistory) else prune_facts
        states = [{"t": t, **of(history, t)} for t in asked_states(history)]
        (tmp_path / f"{name}.blob").write_bytes(pack(history, "lane", None, 30))
        (tmp_path / f"{name}.json").write_text(json.dumps(states))
        n += 1
    node_passes("quiz", "TOKVIZ_RUNS", tmp_path, n + 5)
