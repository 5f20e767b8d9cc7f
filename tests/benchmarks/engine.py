"""How fast the engine is, as ratios against peers measured in the same run.

Run by hand: `TOKVIZ_TEXTS=folder .venv/bin/python tests/benchmarks/engine.py [table ...]`, with
`--texts` to choose some of the texts and `--rounds` for how often each figure is taken. The folder
holds texts (gather_texts.py makes some; pg16457.txt, 0.6 MB, is the published one). Tables: course,
bpe, wordpiece, unigram, others, loops, questions, cancel, growth, worst; all of them by default.
Peers are those of the development requirements. Nothing here is a test, and no figure is asserted.
"""

import argparse
import os
import random
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import gettempdir
from time import perf_counter
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import growth
import peers
from peers import alternating, timed

import tokviz
from tokviz.history.base import History
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words

SIZES = (1000, 10_000, 32_000)
#: Where the growth is plotted.
PLOT = Path(gettempdir()) / "tokviz-growth.html"


def counted(text: str, name: str) -> tuple[Any, Any, float]:
    """The word counts of a text, their pre-tokenizer, and the seconds that counting took."""
    pretokenizer = make_pretokenizer(name)
    words, seconds = timed(lambda: count_words(text, pretokenizer))
    return words, pretokenizer, seconds


def course(_texts: dict[str, str], rounds: int) -> None:
    """The four course sentences, every algorithm."""
    corpus = tokviz.SAMPLES["course"].corpus
    print("four course sentences, text to whole history; medians")
    for name, vocab_size, settings in (
        ("bpe", 70, {"unit": "byte"}),
        ("wordpiece", 70, {}),
        ("wordpiece", 90, {"score": "frequency"}),
        ("unigram", 100, {}),
    ):
        _, (seconds,) = alternating(
            10 * rounds, lambda n=name, v=vocab_size, s=settings: tokviz.train(corpus, n, v, **s)
        )
        print(f"  {name:10}{' '.join(settings.values()):16}{seconds * 1e3:8.1f} ms")


def bpe(texts: dict[str, str], rounds: int) -> None:
    """Byte-level BPE against tokenizers, in which counting and merging cannot be told apart."""
    print("byte-level BPE, tokviz with its whole history, tokenizers with none; medians")
    print("  text         vocabulary   counting    core   tokenizers   core ratio   whole ratio")
    for name, text in texts.items():
        words, pretokenizer, _ = counted(text, "gpt2")
        for size in SIZES:
            trainer = tokviz.make_trainer("bpe", size, unit="byte", initial_alphabet=("bytes",))
            _, (counting, core, theirs) = alternating(
                rounds,
                lambda t=text: counted(t, "gpt2"),
                lambda t=trainer, w=words, p=pretokenizer: t.train(w, p),
                lambda t=text, s=size: peers.tokenizers_bpe(t, s),
            )
            print(
                f"  {name:14}{size:9,}{counting:9.2f} s{core:6.2f} s{theirs:11.2f} s"
                f"{core / theirs:12.2f}{(core + counting) / theirs:14.2f}"
            )


def wordpiece(texts: dict[str, str], rounds: int) -> None:
    """Both scores of WordPiece, 10,000 tokens."""
    print("WordPiece, 10,000 tokens, core only; medians")
    for name, text in texts.items():
        words, pretokenizer, _ = counted(text, "bert")
        for score in ("likelihood", "frequency"):
            trainer = tokviz.make_trainer("wordpiece", 10_000, score=score)
            (history,), (seconds,) = alternating(
                rounds, lambda t=trainer, w=words, p=pretokenizer: t.train(w, p)
            )
            print(f"  {name:14}{score:12}{seconds:8.2f} s, {len(history):,} steps")


def unigram(texts: dict[str, str], rounds: int) -> None:
    """Course Unigram with exact deltas; no library does the same."""
    print("Unigram, 5,000 seeds to 1,000 tokens, core only; medians")
    for name, text in texts.items():
        words, pretokenizer, _ = counted(text, "metaspace")
        trainer = tokviz.make_trainer("unigram", 1000, seed_size=5000)
        (history,), (seconds,) = alternating(
            rounds, lambda t=trainer, w=words, p=pretokenizer: t.train(w, p)
        )
        print(f"  {name:14}{seconds:8.2f} s, {len(history):,} rounds")


def others(texts: dict[str, str], rounds: int) -> None:
    """The trainers of plain Python and numpy. A quarter of the text is a language."""
    print("text to whole history, 10,000 tokens; medians, and the slowest")
    for name, text in texts.items():
        lines = text.splitlines(keepends=True)
        quarters = {f"part {i}": "".join(lines[i::4]) for i in range(4)}
        for algorithm, settings in (
            ("parity-bpe", {}),
            ("picky-bpe", {}),
            ("super-bpe", {}),
            ("boundless-bpe", {}),
            ("boundless-bpe", {"threshold": 0.9}),
            ("huggingface-unigram", {}),
            ("sentencepiece-bpe", {"library_version": "0.2.3"}),
            ("sentencepiece-unigram", {"library_version": "0.2.3"}),
        ):
            corpus = quarters if algorithm == "parity-bpe" else text
            seconds = sorted(
                timed(lambda c=corpus, a=algorithm, s=settings: tokviz.train(c, a, 10_000, **s))[1]
                for _ in range(rounds)
            )
            print(
                f"  {name:14}{algorithm:22}{' '.join(map(str, settings.values())):6}"
                f"{median(seconds):6.2f} s, {seconds[-1]:.2f} s"
            )


def loops(texts: dict[str, str], rounds: int) -> None:
    """The pure Python trainers that people learn from, on the smallest text."""
    text = min(texts.values(), key=len)
    classic = {"pretokenizer": "whitespace", "end_of_word_suffix": "</w>"}
    print(f"against pure Python that keeps no history, {len(text):,} characters; medians")

    def ours(algorithm: str, merges: int, **settings: Any) -> Callable[[], History]:
        words = count_words(text, make_pretokenizer(settings["pretokenizer"]))
        trainer_settings = {k: v for k, v in settings.items() if k != "pretokenizer"}
        trainer = tokviz.make_trainer(algorithm, 1, **trainer_settings)
        pretokenizer = make_pretokenizer(settings["pretokenizer"])
        size = trainer.least_vocab_size(words, pretokenizer) + merges
        return lambda: tokviz.train(text, algorithm, size, **settings)

    rows: list[tuple[str, int, Callable[[], History], Callable[[], Any]]] = [
        (
            "published loop",
            1000,
            ours("bpe", 1000, **classic),
            lambda: peers.published_loop(text, 1000),
        ),
        (
            "subword-nmt",
            1000,
            ours("bpe", 1000, **classic, suffix_glued=True, tie_break="largest-pair"),
            lambda: peers.subword_nmt(text, 1000),
        ),
        (
            "tiktoken educational",
            20,
            ours("bpe", 20, pretokenizer="gpt2", unit="byte", initial_alphabet=("bytes",)),
            lambda: peers.tiktoken_educational(text, 20),
        ),
    ]
    for name, merges, mine, theirs in rows:
        (history, result), (seconds, other) = alternating(rounds, mine, theirs)
        if name == "published loop":
            assert [(s.left, s.right, s.count) for s in history.steps] == result
        print(
            f"  {name:22}{merges:6,} merges{other:9.2f} s, tokviz{seconds:6.2f} s:"
            f"{other / seconds:6.0f} ×"
        )


def questions(texts: dict[str, str], _rounds: int) -> None:
    """How long one question at a random state takes, and how large the history is."""
    for name, text in texts.items():
        words, pretokenizer, _ = counted(text, "gpt2")
        trainer = tokviz.make_trainer("bpe", 10_256, unit="byte", initial_alphabet=("bytes",))
        history = trainer.train(words, pretokenizer)
        size = sum(v.nbytes for v in vars(history.record).values() if hasattr(v, "nbytes"))
        print(f"{name}: {len(history):,} merges, {size / 1e6:.1f} MB; questions at random states")
        print("                              median   99th percentile")
        ask_all(history)


def ask_all(history: History) -> None:
    """The times of each question, a thousand times."""
    draw, last, words = random.Random(0), len(history), history.words.words
    cases: dict[str, Callable[[int], Any]] = {
        "candidates(t, 20)": lambda t: history.candidates(t, 20),
        "candidates(t), all": history.candidates,
        "vocab(t)": history.vocab,
        "segmentation(word, t)": lambda t: history.segmentation(draw.choice(words), t),
    }
    for question, ask in cases.items():
        ask(0)
        states = [draw.randint(0, last) for _ in range(1000)]
        times = sorted(timed(lambda a=ask, t=t: a(t))[1] for t in states)
        print(f"  {question:24}{times[500] * 1e3:9.3f} ms{times[990] * 1e3:11.3f} ms")


def cancel(texts: dict[str, str], _rounds: int) -> None:
    """The longest time between two looks at the progress callback, after counting."""
    print("the longest wait for the progress callback; it is to come ten times a second")
    for name, text in texts.items():
        for algorithm, size, settings in (
            ("bpe", 10_000, {"unit": "byte"}),
            ("wordpiece", 10_000, {}),
            ("unigram", 3000, {"seed_size": 5000}),
        ):
            words, pretokenizer, _ = counted(text, "gpt2")
            reports = [perf_counter()]
            tokviz.make_trainer(algorithm, size, **settings).train(
                words, pretokenizer, lambda _, r=reports: r.append(perf_counter())
            )
            reports.append(perf_counter())
            waits = [b - a for a, b in pairwise(reports)]
            print(
                f"  {name:14}{algorithm:10} longest{max(waits) * 1e3:7.0f} ms, "
                f"median{median(waits) * 1e3:5.0f} ms"
            )


TABLES = {
    "course": course,
    "bpe": bpe,
    "wordpiece": wordpiece,
    "unigram": unigram,
    "others": others,
    "loops": loops,
    "questions": questions,
    "cancel": cancel,
    "growth": lambda texts, _rounds: growth.of_text(max(texts.values(), key=len), PLOT),
    "worst": lambda _texts, _rounds: growth.of_hard_corpora(),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("table", nargs="*", help=", ".join(TABLES) + "; all by default")
    parser.add_argument("--texts", nargs="*", help="names in the folder, without .txt")
    parser.add_argument("--rounds", type=int, default=3, help="times each figure is taken")
    options = parser.parse_args()
    chosen = options.table or list(TABLES)
    if unknown := set(chosen) - set(TABLES):
        parser.error(f"no table {', '.join(sorted(unknown))}; there are {', '.join(TABLES)}")
    texts: dict[str, str] = {}
    if folder := os.environ.get("TOKVIZ_TEXTS"):
        paths = sorted(Path(folder).glob("*.txt"), key=lambda path: path.stat().st_size)
        named = [p for p in paths if options.texts is None or p.stem in options.texts]
        texts = {path.stem: path.read_text(encoding="utf-8") for path in named}
    for name in chosen:
        if texts or name in ("course", "worst"):
            TABLES[name](texts, options.rounds)
        else:
            print(f"{name}: set TOKVIZ_TEXTS to a folder with texts (see gather_texts.py)")


if __name__ == "__main__":
    main()
