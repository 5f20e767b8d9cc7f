"""How soon runs of a whole book are compared, once they are trained.

Run by hand: `TOKVIZ_TEXTS=folder .venv/bin/python tests/benchmarks/compare.py`. The folder holds
pg16457.txt, 0.6 MB. Nothing here is a test, and no figure is asserted; a figure over the limit is
marked. Every figure is of runs that are compared for the first time.
"""

import os
import sys
from copy import copy
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[2]))

from peers import timed

import tokviz

LANES = (
    ("bpe", 10_000, {"unit": "byte"}),
    ("wordpiece", 10_000, {}),
    ("unigram", 1000, {"seed_size": 3000}),
)
ROUNDS, POINTS, LIMIT = 5, 500, 1.0


def fresh(history):
    """The run as it was trained: without what earlier questions left behind."""
    new = copy(history)
    for name in [*vars(new)]:
        if name not in history.__dataclass_fields__:
            del new.__dict__[name]
    return new


def figures(histories, text):
    """The seconds of every question, each asked of a new comparison."""

    def asked(question):
        comparison = tokviz.compare([*map(fresh, histories)], text, points=POINTS)
        return timed(lambda: question(comparison))[1]

    last = len(tokviz.compare(histories, text).axis.values) - 1
    yield "metrics + pairs", lambda: asked(lambda c: (c.metrics, c.pairs))
    yield "metrics", lambda: asked(lambda c: c.metrics)
    yield "pairs", lambda: asked(lambda c: c.pairs)
    yield "alignments", lambda: asked(lambda c: c.alignments)
    yield "partings", lambda: asked(lambda c: c.partings)
    yield "words, last position", lambda: asked(lambda c: c.words(last, most=200))

    def moved():
        comparison = tokviz.compare([*map(fresh, histories)], text, points=POINTS)
        _ = comparison.pairs
        return timed(lambda: comparison.words(last // 2, most=200))[1]

    yield "words, after pairs", moved


def main():
    """Trains the runs and prints the medians."""
    text = (Path(os.environ["TOKVIZ_TEXTS"]) / "pg16457.txt").read_text("utf-8")
    histories = [tokviz.train(text, name, size, **more) for name, size, more in LANES]
    lanes = ", ".join(
        f"{name} {size:,} ({len(h):,} steps)"
        for (name, size, _), h in zip(LANES, histories, strict=True)
    )
    print(f"{len(text):,} characters; {lanes}; {POINTS} points; medians of {ROUNDS}")
    for what, ask in figures(histories, text):
        seconds = median(ask() for _ in range(ROUNDS))
        print(f"  {what:24}{seconds:8.3f} s   limit {LIMIT:g} s{'  OVER' * (seconds > LIMIT)}")


if __name__ == "__main__":
    main()
