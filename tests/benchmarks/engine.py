"""How fast the engine is, as ratios against a peer measured in the same run.

Run by hand: `TOKVIZ_TEXTS=folder .venv/bin/python tests/benchmarks/engine.py`, where the folder
holds pg16457.txt (0.6 MB). Nothing here is a test, and no figure is asserted.
"""

import os
import random
import re
import sys
from collections import defaultdict
from pathlib import Path
from statistics import median
from time import perf_counter

sys.path.insert(0, str(Path(__file__).parents[2]))
import tokviz

MERGES, ROUNDS = 1000, 3
CLASSIC = {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}


def timed(call):
    """What a call returns and the seconds that it took."""
    start = perf_counter()
    return call(), perf_counter() - start


def published_loop(text, merges):
    """The training loop of "Byte-Pair Encoding For Beginners" (2024) and Sennrich et al. (2016):
    count all pairs, merge the best by a regular expression, again and again. Keeps no history."""
    vocab = defaultdict(int)
    for line in text.split("\n"):
        for word in line.split():
            vocab[" ".join(word) + " </w>"] += 1
    best_pairs = []
    for _ in range(merges):
        pairs = defaultdict(int)
        for word, count in vocab.items():
            symbols = word.split()
            for i in range(len(symbols) - 1):
                pairs[symbols[i], symbols[i + 1]] += count
        best = max(pairs, key=pairs.get)
        best_pairs.append((*best, pairs[best]))
        pattern = re.compile(r"(?<!\S)" + re.escape(" ".join(best)) + r"(?!\S)")
        joined = "".join(best).replace("\\", "\\\\")
        vocab = {pattern.sub(joined, word): count for word, count in vocab.items()}
    return best_pairs


def against_the_published_loop(text):
    """The same 1,000 merges, with full history against none, alternating."""
    ours, theirs = [], []
    for _ in range(ROUNDS):
        history, seconds = timed(lambda: tokviz.train(text, "bpe", 103 + MERGES, **CLASSIC))
        ours.append(seconds)
        loop, seconds = timed(lambda: published_loop(text, MERGES))
        theirs.append(seconds)
    assert [(s.left, s.right, s.count) for s in history.steps] == loop, "not the same merges"
    print(f"1,000 merges of {len(text):,} characters, </w>, first-seen; medians of {ROUNDS}")
    print(f"  tokviz, whole history     {median(ours):8.2f} s")
    print(f"  published loop, no history{median(theirs):8.2f} s")
    print(f"  ratio                     {median(theirs) / median(ours):8.0f} ×")
    return history


def questions(history):
    """How long one question at a random state takes."""
    draw = random.Random(0)
    words, last = history.words.words, len(history)
    cases = {
        "candidates(t, 20)": lambda: history.candidates(draw.randint(0, last), 20),
        "pair_counts(t), all pairs": lambda: history.pair_counts(draw.randint(0, last)),
        "candidates(t), all, ranked": lambda: history.candidates(draw.randint(0, last)),
        "segmentation(word, t)": lambda: history.segmentation(
            draw.choice(words), draw.randint(0, last)
        ),
        "vocab(t)": lambda: history.vocab(draw.randint(0, last)),
    }
    print("questions at a random state: median, 99th percentile")
    for name, call in cases.items():
        call()
        times = sorted(timed(call)[1] for _ in range(100 if "ranked" in name else 1000))
        print(
            f"  {name:27}{times[len(times) // 2] * 1e3:8.3f} ms"
            f"{times[len(times) * 99 // 100] * 1e3:8.3f} ms"
        )


def size(history):
    """Bytes of history, and how they are shared out."""
    columns = {k: v.nbytes for k, v in vars(history.record).items() if hasattr(v, "nbytes")}
    words = sum(columns[name] for name in ("symbols", "starts", "gaps"))
    steps = sum(columns.values()) - words
    print(f"history: {sum(columns.values()):,} bytes in memory")
    print(f"  the words and their gaps  {words:12,} bytes")
    print(f"  the steps                 {steps:12,} bytes, {steps / len(history):,.0f} a step")


def small_corpus():
    """The four course sentences, every algorithm."""
    course = tokviz.SAMPLES["course"].corpus
    print("four course sentences, whole history; medians of 20")
    for name, vocab_size, settings in (
        ("bpe", 70, {"unit": "byte"}),
        ("wordpiece", 70, {}),
        ("wordpiece", 90, {"score": "frequency"}),
        ("unigram", 100, {}),
    ):
        times = [
            timed(lambda n=name, v=vocab_size, s=settings: tokviz.train(course, n, v, **s))[1]
            for _ in range(20)
        ]
        print(f"  {name:10}{' '.join(settings.values()):16}{median(times) * 1e3:8.1f} ms")


def whole_book(text):
    """Every algorithm on the book, to 1,100 tokens."""
    print(f"{len(text):,} characters to 1,100 tokens, whole history; one run each")
    for name, settings in (
        ("bpe", {"unit": "byte"}),
        ("wordpiece", {}),
        ("wordpiece", {"score": "frequency"}),
        ("unigram", {"seed_size": 5000}),
    ):
        history, seconds = timed(lambda n=name, s=settings: tokviz.train(text, n, 1100, **s))
        said = " ".join(map(str, settings.values()))
        print(f"  {name:10}{said:16}{seconds:8.2f} s, {len(history):,} steps")


def main():
    small_corpus()
    if "TOKVIZ_TEXTS" not in os.environ:
        sys.exit("Set TOKVIZ_TEXTS to a folder with pg16457.txt for the other figures.")
    text = (Path(os.environ["TOKVIZ_TEXTS"]) / "pg16457.txt").read_text(encoding="utf-8")
    whole_book(text)
    history = against_the_published_loop(text)
    questions(history)
    size(history)


if __name__ == "__main__":
    main()
