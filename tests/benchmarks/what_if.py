"""What a branch costs, against the training from the start that it equals.

Run by hand: `.venv/bin/python tests/benchmarks/what_if.py text ...`. Each text is trained to some
merges; a branch takes the tenth candidate at half of them. Counting words is in neither figure.
Nothing here is a test, and no figure is asserted.
"""

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from peers import alternating

import tokviz

STEPS, ROUNDS = 2000, 3


def measure(text: str, algorithm: str) -> tuple[float, float, float]:
    """Seconds of the plain training, of the same told one merge, and of the branch; medians."""
    plain = tokviz.train(text, algorithm, STEPS + 100)
    half = len(plain) // 2
    row = plain.candidates(half, 10).iloc[-1]
    choice = row["left"], row["right"]
    trainer = replace(plain.trainer, interventions=((half, choice),))
    results, times = alternating(
        ROUNDS,
        lambda: plain.trainer.train(plain.words, plain.pretokenizer),
        lambda: trainer.train(plain.words, plain.pretokenizer),
        lambda: tokviz.branch(plain, half, choice),
    )
    assert list(results[1].steps) == list(results[2].steps)
    whole, told, branch = times
    return whole, told, branch


def main() -> None:
    print(f"a branch at half of about {STEPS:,} merges; medians of {ROUNDS}")
    print("  text             algorithm    plain     told   branch   branch ÷ told")
    for path in map(Path, sys.argv[1:]):
        text = path.read_text("utf-8", "replace")
        for algorithm in ("bpe", "wordpiece"):
            whole, told, branch = measure(text, algorithm)
            print(
                f"  {path.name:16} {algorithm:10}{whole:6.2f} s {told:6.2f} s {branch:6.2f} s"
                f"{branch / told:12.2f}"
            )


if __name__ == "__main__":
    main()
