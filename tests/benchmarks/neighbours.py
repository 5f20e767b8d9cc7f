"""How well chips that stand side by side are told apart, in segmentations drawn at random.

Run by hand: `.venv/bin/python tests/benchmarks/neighbours.py`, with `--draws` and `--seed`. Each
draw is a run of a sample, one of its states, and a line of its text (or a word of its table). Of
all pairs of neighbours in it are counted those that have one colour though they are different
tokens: by the run's colours, and by the CRC-32 of their strings, which is what tokens of no run
have. For both chips of every pair the contrasts are taken of edge and panel, and of letters and
markers on the chip, in both themes: as it is, in grey, and as people see it who lack one kind of
cones. Nothing here is a test; a contrast below its limit is marked.
"""

import argparse
import random
import sys
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parents[1] / "player"))

from test_styles import EYES, THEMES, contrast

import tokviz
from tokviz.history.colours import colour_of_stranger
from tokviz.text.given_corpus import documents
from tokviz.text.pieces import pieces

RUNS = [
    (sample, algorithm, size, settings)
    for sample, sizes in {
        "course": (60, 80),
        "low-lower": (14, 30),
        "alice": (400, 1500),
        "udhr-de": (90, 150),
        "udhr-ar": (80, 150),
        "udhr-hi": (90, 200),
        "udhr-zh": (120, 160),
    }.items()
    for algorithm, size, settings in (
        ("bpe", sizes[1], {}),
        ("bpe", sizes[1] + 100, {"unit": "byte"}),
        ("wordpiece", sizes[1], {}),
        ("unigram", sizes[0], {}),
        ("sentencepiece-bpe", sizes[1], {}),
        ("sentencepiece-unigram", sizes[0], {}),
    )
]
#: Most words of a line.
MOST_WORDS = 12


def trained():
    """All runs with their lines, as words that the corpus has."""
    for sample, algorithm, size, settings in RUNS:
        corpus = tokviz.SAMPLES[sample].corpus
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            history = tokviz.train(corpus, algorithm, size, **settings)
        if isinstance(corpus, str):
            cut = [list(pieces(line, history.pretokenizer, ())) for line in documents(corpus)]
            lines = [[piece.word.text for piece in line] for line in cut]
        else:
            lines = [[word] for word in history.words.words]
        known = [[word for word in line if history.count_of(word)] for line in lines]
        yield history, list(filter(None, known))


def drawn(runs, draws, seed):
    """The neighbours of every draw: the history, both tokens, and whether they are in one word."""
    draw = random.Random(seed)
    for _ in range(draws):
        history, lines = draw.choice(runs)
        t, line = draw.randrange(len(history) + 1), draw.choice(lines)
        first = draw.randrange(len(line))
        before = None
        for word in line[first : first + MOST_WORDS]:
            tokens = history.segmentation(word, t)
            if before is not None and tokens:
                yield history, before, tokens[0], False
            for one, other in pairwise(tokens):
                yield history, one, other, True
            before = tokens[-1] if tokens else before


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    runs = list(trained())
    different, alike, before = Counter(), Counter(), Counter()
    used: Counter = Counter()
    for history, one, other, inside in drawn(runs, args.draws, args.seed):
        pair = history.colour(one), history.colour(other)
        used.update(pair)
        if one == other:
            continue
        kind = history.algorithm if inside else "between words"
        different[kind] += 1
        alike[kind] += pair[0] == pair[1]
        before[kind] += colour_of_stranger(one) == colour_of_stranger(other)
    print(f"{args.draws:,} segmentations of {len(runs)} runs, {sum(used.values()) // 2:,} pairs\n")
    print(f"{'pairs of different tokens':<30}{'pairs':>9}{'one colour':>12}{'by CRC-32':>12}")
    for kind in [*sorted(different.keys() - {"between words"}), "between words"]:
        n = different[kind]
        print(f"{kind:<30}{n:>9,}{alike[kind] / n:>12.2%}{before[kind] / n:>12.2%}")
    print(f"\n{'least contrast over all pairs':<30}{'edge':>9}{'letters':>9}{'markers':>9}")
    for theme, colours in THEMES.items():
        for eyes, see in EYES.items():
            found = {
                "edge": [contrast(see(colours[f"e{i}"]), see(colours["panel"])) for i in used],
                "ink": [contrast(see(colours["ink"]), see(colours[f"h{i}"])) for i in used],
                "mark": [contrast(see(colours["mark"]), see(colours[f"h{i}"])) for i in used],
            }
            limits = {"edge": 3.0, "ink": 4.5, "mark": 4.5}
            told = [f"{min(v):>8.2f}{'!' if min(v) < limits[k] else ' '}" for k, v in found.items()]
            print(f"{theme + ', ' + eyes:<30}{''.join(told)}")


if __name__ == "__main__":
    main()
