"""The scrubber of several runs: Python's positions are the browser's, and both find what a search
through every position finds."""

import json
import random

import numpy as np
import pytest
from helpers import anything, needs_node, node_passes

import tokviz
from tokviz.analysis.axis import ALIGNMENTS, make_axis
from tokviz.history.merges import MergeHistory
from tokviz.player.pack import bundle, pack
from tokviz.text.pieces import excerpt
from tokviz.text.symbols import Symbol

COURSE = tokviz.SAMPLES["course"].corpus
THREE = [("bpe", 60, {}), ("wordpiece", 70, {}), ("unigram", 100, {})]


def random_lanes(seed):
    draw = random.Random(seed)
    text = "\n".join("".join(draw.choices("abc  é", k=30)) for _ in range(6))
    kinds = [("bpe", 20, {}), ("bpe", 14, {"tie_break": "largest-pair"}), ("wordpiece", 25, {})]
    kinds += [("unigram", 8, {}), ("bpe", 16, {"end_of_word_suffix": "</w>"})]
    return text, draw.sample(kinds, draw.choice((2, 3)))


LANES = {
    "families": (COURSE, THREE),
    "ties": (COURSE, [("bpe", 80, {"tie_break": t}) for t in ("first-seen", "shortest")]),
    "same": (COURSE, [("bpe", 50, {}), ("bpe", 50, {})]),
    "nothing": ("", [("bpe", 5, {}), ("wordpiece", 5, {})]),
    "back": (COURSE, [(a, 60, {"threshold": 0.4}) for a in ("picky-bpe", "boundless-bpe")]),
    "one": (COURSE, [("wordpiece", 50, {})]),
    **{f"random-{i}": random_lanes(i) for i in range(20)},
}


def trained(text, kinds):
    return [
        tokviz.train(text, algorithm, size, counted=anything, **settings)
        for algorithm, size, settings in kinds
    ]


def tokens_as_bytes(history, word, t):
    number = history.words.words.index(word)
    if isinstance(history, MergeHistory):
        symbols = [history.symbols[n] for n in history.word_symbols(number, t)]
    else:
        symbols = [Symbol(history.record.tokens[n]) for n, _ in history.word_numbers(number, t)]
    return [history.spelling.bytes_of(symbol) for symbol in symbols]


def cuts(history, word, t, whole):
    """Where a word is cut, in bytes; without the space before it unless `whole`."""
    tokens = tokens_as_bytes(history, word, t)
    text = b"".join(tokens)
    ends = np.cumsum([0, *map(len, tokens)])[1:-1].tolist()
    if whole:
        return ends
    lead = len(text) - len(text.lstrip(b" "))
    return [end - lead for end in ends if lead < end < len(text)]


def differences(histories, words, axis):
    """The first position at which two lanes cut a word differently, and all such words there."""
    for p in range(len(axis.values)):
        found = []
        for i in range(len(histories)):
            for j in range(i + 1, len(histories)):
                one, two = histories[i], histories[j]
                whole = one.spelling == two.spelling and one.pretokenizer == two.pretokenizer
                for v in words[i]:
                    for w in words[j]:
                        if v != w if whole else v.lstrip(" ") != w.lstrip(" "):
                            continue
                        here = cuts(one, v, int(axis.states[i][p]), whole)
                        if here != cuts(two, w, int(axis.states[j][p]), whole):
                            found.append([[i, j], v, w])
        if found:
            return {"position": p, "words": found}
    return None


@needs_node
def test_the_browser_aligns_lanes_as_python_does(tmp_path):
    for name, (text, kinds) in LANES.items():
        histories = [
            tokviz.train(text, a, size, counted=anything, **settings) for a, size, settings in kinds
        ]
        lines = [excerpt(text, h.pretokenizer, (), 40) for h in histories]
        packed = [pack(h, "lane", shown, 0) for h, shown in zip(histories, lines, strict=True)]
        words = [[piece.word.text for line in shown for piece in line] for shown in lines]
        words = [list(dict.fromkeys(found)) for found in words]
        expected = {}
        for align in ALIGNMENTS:
            axis = make_axis(histories, align)
            expected[align] = {
                "values": axis.values.tolist(),
                "states": [states.tolist() for states in axis.states],
                "difference": differences(histories, words, axis),
            }
        (tmp_path / f"{name}.json").write_text(json.dumps(expected))
        (tmp_path / f"{name}.bundle").write_bytes(bundle({"id": f"{name}.json"}, packed))
    node_passes("axis", "TOKVIZ_LANES", tmp_path, 2 * len(LANES) + 3)


def test_the_lanes_do_differ_somewhere():
    """The comparison above would say little if no two lanes ever differed."""
    found = 0
    for name in ("families", "ties", "random-1", "random-2"):
        text, kinds = LANES[name]
        histories = [
            tokviz.train(text, a, size, counted=anything, **settings) for a, size, settings in kinds
        ]
        words = [list(h.words.words)[:10] for h in histories]
        found += differences(histories, words, make_axis(histories, "step")) is not None
    assert found >= 3


@pytest.mark.parametrize("align", ALIGNMENTS)
@pytest.mark.parametrize("name", LANES)
def test_at_the_last_position_every_run_is_in_its_own_last_state(name, align):
    text, kinds = LANES[name]
    histories = [
        tokviz.train(text, a, size, counted=anything, **settings) for a, size, settings in kinds
    ]
    axis = make_axis(histories, align)
    assert [int(states[-1]) for states in axis.states] == [len(history) for history in histories]
    assert (np.diff(axis.values) > 0).all()
    last = len(axis.values) - 1
    assert not any(axis.is_beyond(position) for position in range(last))
    assert axis.is_beyond(last) == axis.beyond


def test_an_axis_of_sizes_keeps_every_size_beside_the_end():
    """BPE ends at 60, Unigram begins with more and ends at 100."""
    histories = [tokviz.train(COURSE, a, size) for a, size, _ in (THREE[0], THREE[2])]
    axis = make_axis(histories, "size")
    merges, prunes = ([h.vocab_size(t) for t in range(len(h) + 1)] for h in histories)
    assert axis.values.tolist() == [*sorted({*merges, *prunes}), max(prunes) + 1]
    for value, t in zip(axis.values[:-1].tolist(), axis.states[1].tolist(), strict=False):
        assert prunes[t] == value or (value < prunes[-1] and t == len(prunes) - 1)
    assert axis.states[1][-2:].tolist() == [0, len(prunes) - 1]
    # Runs that only grow end at the largest size, and need no position beyond it.
    assert not make_axis(histories[:1] * 2, "size").beyond
    assert not make_axis(histories, "share").beyond


def test_by_size_a_run_that_takes_tokens_back_is_where_it_first_passes_it():
    axis = make_axis(runs := trained(*LANES["back"]), "size")
    for history, states in zip(runs, axis.states, strict=True):
        sizes = [history.vocab_size(t) for t in range(len(history) + 1)]
        assert sizes != sorted(sizes)
        for value, state in zip(axis.values.tolist(), states.tolist(), strict=True):
            later = [t for t, size in enumerate(sizes) if size > value]
            assert state == max(0, min(later, default=len(sizes)) - 1)


def test_an_unknown_alignment_says_so():
    with pytest.raises(ValueError, match="choose one of step, size, share"):
        make_axis([tokviz.train(COURSE, "bpe", 50)], "time")
