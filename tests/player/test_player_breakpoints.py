"""Where the player stops: the browser finds what a walk through every state of the engine finds."""

import json
import random

from helpers import needs_node, node_passes

import tokviz
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.history.merges import MergeHistory
from tokviz.player.pack import bundle, pack

_draw = random.Random(4)
#: Words of a few letters: pieces of SentencePiece's Unigram seldom tie in prose.
LETTERS = " ".join(
    "".join(_draw.choices("abcdefgh", k=_draw.randint(3, 8))) for _ in range(_draw.randint(10, 60))
)
COURSE = tokviz.SAMPLES["course"].corpus
EM = {"min_expected_count": 0.0}
LANES = {
    "bpe": [("bpe", 60, {"unit": "byte"})],
    "wordpiece": [("wordpiece", 70, {})],
    "unigram": [("unigram", 100, {})],
    "sentencepiece-unigram": [("sentencepiece-unigram", 60, EM)],
    "tied-pieces": [("sentencepiece-unigram", 14, EM)],
    "families": [("bpe", 50, {}), ("wordpiece", 60, {}), ("unigram", 130, {})],
    "special": [("bpe", 50, {"special_tokens": ("<s>",)}), ("unigram", 200, {})],
    "four": [("unigram", 150, {}), ("unigram", 90, {}), ("sentencepiece-unigram", 70, EM)],
}
TOKENS = ("is", "ab", "Ġt", "Ġtoken", "##s", "e", "▁This", "tion", "<s>", "not there")


def ties(history, t):
    """Whether the step out of state t has to choose among equals."""
    if t == len(history):
        return False
    step = history.steps[t]
    cut = getattr(step, "tied_removed", 1)
    return step.tied > 1 and (step.action == "merge" or step.tied > cut)


def first_state(history, written, token):
    """The first state that has what playing stops at; 0 and None if no step leads to it."""
    states = range(len(history) + 1)
    has = [token in history.vocab(t) for t in states]
    if written == "birth" and isinstance(history, MergeHistory):
        return next((t for t in states if has[t]), None)
    if written == "end" and not isinstance(history, MergeHistory):
        return next((t for t in states[1:] if has[t - 1] and not has[t]), None)
    if not written.startswith("size."):
        return None
    size, sizes = int(written[5:]), [len(history.vocab(t)) for t in states]
    grows = sizes[-1] >= sizes[0]
    return next((t for t in states if (sizes[t] >= size if grows else sizes[t] <= size)), None)


def places(histories, axis, written, token):
    """For every position the lanes that stop there."""
    found = [[] for _ in axis.values]
    for lane, (history, row) in enumerate(zip(histories, axis.states, strict=True)):
        states = [int(t) for t in row]
        if written == "tie":
            entered = [p for p in range(1, len(states)) if states[p] != states[p - 1]]
            stops = [p for p in entered if ties(history, states[p])]
        else:
            t = first_state(history, written, token)
            reached = [s for s in states if t and s >= t]
            stops = [states.index(min(reached))] if reached else []
        for p in stops:
            found[p].append(lane)
    return found


def cases(histories):
    merging = any(isinstance(h, MergeHistory) for h in histories)
    pruning = not all(isinstance(h, MergeHistory) for h in histories)
    sizes = {len(h.vocab(t)) for h in histories for t in (0, 1, len(h) // 2, len(h))}
    yield "tie", "e"
    for size in sorted(sizes | {size + 1 for size in sizes}):
        yield f"size.{size}", "e"
    for token in TOKENS:
        if merging:
            yield "birth", token
        if pruning:
            yield "end", token


@needs_node
def test_the_browser_stops_where_the_engine_says(tmp_path):
    seen = set()
    for name, kinds in LANES.items():
        text = LETTERS if name == "tied-pieces" else COURSE
        histories = [tokviz.train(text, kind, size, **more) for kind, size, more in kinds]
        answers = []
        for align in ALIGNMENTS if len(histories) > 1 else ("step",):
            axis = make_axis(histories, align)
            for written, token in cases(histories):
                found = places(histories, axis, written, token)
                seen |= {(name, written.partition(".")[0]) for lanes in found if lanes}
                case = {"align": align, "written": written, "token": token, "places": found}
                answers.append(case)
        (tmp_path / f"{name}.json").write_text(json.dumps(answers), encoding="utf-8")
        blobs = [pack(history, "", None, 40) for history in histories]
        (tmp_path / f"{name}.bundle").write_bytes(bundle({}, blobs))
    # The comparison would say little if nothing ever stopped.
    for name in LANES:
        assert (name, "size") in seen
    assert {("bpe", "birth"), ("wordpiece", "birth"), ("unigram", "end"), ("four", "end")} < seen
    assert {("bpe", "tie"), ("unigram", "tie"), ("tied-pieces", "tie"), ("families", "tie")} < seen
    node_passes("breakpoints", "TOKVIZ_STOPS", tmp_path, len(LANES) + 2)
