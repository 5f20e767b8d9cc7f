"""How fast `sentencepiece-unigram` is beside the library, which keeps no history.

Run by hand: `TOKVIZ_TEXTS=folder .venv/bin/python tests/benchmarks/sentencepiece_unigram.py
[name ...]`, with the names of texts in the folder, without .txt; `--rounds` says how often each
figure is taken. Both run alternately, the library with one thread, from text to model or to whole
history. Times are of the processor, so that a busy machine counts less. Nothing here is a test.
"""

import argparse
import io
import os
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import sentencepiece

import tokviz


def library(text: str, vocab_size: int) -> None:
    """google/sentencepiece with one thread."""
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(text.split("\n")),
        model_writer=io.BytesIO(),
        vocab_size=vocab_size,
        num_threads=1,
        minloglevel=2,
    )


def ours(text: str, vocab_size: int, **settings: Any) -> None:
    """The whole history, every state."""
    tokviz.train(text, "sentencepiece-unigram", vocab_size, **settings)


def seconds(call: Callable[[], None]) -> float:
    start = process_time()
    call()
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=["pg16457", "kjv"])
    parser.add_argument("--rounds", type=int, default=3, help="times each figure is taken")
    options = parser.parse_args()
    folder = Path(os.environ["TOKVIZ_TEXTS"])
    # The character rules are read once in a process.
    tokviz.train("½ a", "sentencepiece-unigram", 10)
    print("sentencepiece-unigram, text to whole history; medians of processor time")
    print("  text        vocabulary   library   history   ratio   exact deltas   ratio")
    for name in options.names:
        text = (folder / f"{name}.txt").read_text("utf-8")
        for size in (1000, 8000):
            calls = (
                lambda t=text, s=size: library(t, s),
                lambda t=text, s=size: ours(t, s),
                lambda t=text, s=size: ours(t, s, exact_deltas=True),
            )
            taken = [[seconds(call) for call in calls] for _ in range(options.rounds)]
            theirs, plain, exact = map(median, zip(*taken, strict=True))
            print(
                f"  {name:12}{size:9,}{theirs:8.2f} s{plain:8.2f} s{plain / theirs:8.2f}"
                f"{exact:13.2f} s{exact / theirs:8.2f}"
            )


if __name__ == "__main__":
    main()
