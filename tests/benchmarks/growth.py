"""How time grows: with a text and with steps, and over corpora that would find a quadratic loop."""

import random
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from time import process_time

import altair as alt
import numpy as np
import pandas as pd

import tokviz
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def long_word(n: int) -> list[str]:
    return ["".join(random.Random(1).choices(LETTERS, k=n))]


def repeated_character(n: int) -> list[str]:
    return ["a" * n]


def distinct_words(n: int) -> list[str]:
    draw, words = random.Random(1), dict[str, None]()
    while len(words) < n:
        words["".join(draw.choices(LETTERS, k=draw.randint(2, 12)))] = None
    return list(words)


def all_ties(n: int) -> list[str]:
    return [chr(0x4E00 + 2 * i) + chr(0x4E01 + 2 * i) for i in range(n)]


CORPORA: dict[str, tuple[Callable[[int], list[str]], int]] = {
    "one long word": (long_word, 100_000),
    "a repeated character": (repeated_character, 100_000),
    "distinct words": (distinct_words, 200_000),
    "all pairs tied": (all_ties, 10_000),
}
RUNS = [
    ("bpe", 2000, {}),
    ("bpe", 2000, {"tie_break": "largest-pair"}),
    ("wordpiece", 1000, {}),
    ("unigram", 200, {"seed_size": 1000, "max_token_length": 8}),
]


#: Characters and merges, each about three times the one before.
SIZES = (600_000, 1_900_000, 6_000_000, 18_000_000, 30_000_000)
STEPS = (1000, 3200, 10_000, 32_000)


def of_text(text: str, plot: Path) -> None:
    """Beginnings of a text × numbers of merges: seconds from text to whole history, the exponents
    along both, and a plot of them with logarithmic axes."""
    print("growth with a text: seconds of processor from text to whole history of byte-level BPE")
    print("  characters" + "".join(f"{steps:>9,}" for steps in STEPS) + "   exponent in steps")
    rows = []
    sizes = [size for size in SIZES if size <= len(text)]
    for size in sizes:
        times = []
        for steps in STEPS:
            start = process_time()
            tokviz.train(text[:size], "bpe", 256 + steps, unit="byte", initial_alphabet=("bytes",))
            times.append(process_time() - start)
            rows.append({"characters": size, "merges": steps, "seconds": times[-1]})
        shown = "".join(f"{seconds:>9.2f}" for seconds in times)
        print(f"  {size:>10,}{shown}   n^{exponent(STEPS, times):.2f}")
    table = pd.DataFrame(rows)
    along = [
        exponent(sizes, table[table["merges"] == steps]["seconds"].to_list()) for steps in STEPS
    ]
    print("  exponent  " + "".join(f"   n^{value:.2f}" for value in along))
    lines = alt.Chart(table).mark_line(point=True)
    log_scale = alt.Scale(type="log")
    seconds = alt.Y("seconds", scale=log_scale)
    chart = lines.encode(alt.X("characters", scale=log_scale), seconds, alt.Color("merges:O"))
    chart |= lines.encode(alt.X("merges", scale=log_scale), seconds, alt.Color("characters:O"))
    chart.save(plot)
    print(f"  plotted in {plot}")


def exponent(sizes: Sequence[int], times: Sequence[float]) -> float:
    """The slope of the line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])


def of_hard_corpora() -> None:
    """Three sizes of each corpus, and the exponent of the time between the first and the last."""
    print("growth: seconds of processor for a quarter, a half and the whole of a hard corpus")
    pretokenizer = make_pretokenizer("none")
    for name, (make, size) in CORPORA.items():
        for algorithm, extra, settings in RUNS:
            times = []
            for n in (size // 4, size // 2, size):
                words = make(n)
                counts = WordCounts(tuple(words), (1,) * len(words))
                trainer = tokviz.make_trainer(algorithm, 1, **settings)
                vocab_size = trainer.least_vocab_size(counts, pretokenizer) + extra
                trainer = tokviz.make_trainer(algorithm, vocab_size, **settings)
                start = process_time()
                try:
                    trainer.train(counts, pretokenizer)
                except SettingError:
                    break
                times.append(process_time() - start)
            said = " ".join([algorithm, *map(str, settings.values())][:2])
            if len(times) < 3:
                print(f"  {name:22}{said:22} refused: a word is too long")
                continue
            shown = "".join(f"{seconds:8.2f} s" for seconds in times)
            print(f"  {name:22}{said:22}{shown}   n^{log(times[2] / times[0], 4):.2f}")
