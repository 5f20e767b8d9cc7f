"""Fuzzes the compiled trainer: python tests/fuzz/core.py --inputs 1000000

Node trains texts and settings by chance and looks at what must hold of every run (`core.mjs`). A
sample of them is trained by Python, too, and compared column by column.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from itertools import product
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
from odd_texts import PIECES  # noqa: E402

import tokviz  # noqa: E402
from tokviz.player.own_text import kit_for  # noqa: E402
from tokviz.player.pack import pack  # noqa: E402
from tokviz.player.web_page import MOST_FREQUENT  # noqa: E402
from tokviz.text.pieces import excerpt  # noqa: E402

HERE = Path(__file__).parent
CUTS = ("gpt2", "bert", "metaspace", "whitespace", "none")
#: Words and characters of an excerpt, as a page of one lane has them.
MOST = {"words": 4000, "characters": 20_000}


def settings():
    """All kinds of settings that a browser trains with: (algorithm, pre-tokenizer, settings)."""
    ties = ("first-seen", "largest-pair", "smallest-ids", "shortest")
    for cut, unit, tie in product(CUTS, ("char", "byte"), ties):
        yield "bpe", cut, {"unit": unit, "tie_break": tie}
    for tie, glued in product(ties, (False, True)):
        suffix = {"end_of_word_suffix": "</w>", "suffix_glued": glued, "tie_break": tie}
        yield "bpe", "whitespace", suffix
    for tie in ties:
        yield "bpe", "gpt2", {"tie_break": tie, "special_tokens": ("<s>", "a", " ", "th")}
    yield "bpe", "bert", {"min_frequency": 3, "special_tokens": ("e",)}
    for cut, score in product(CUTS, ("likelihood", "frequency")):
        yield "wordpiece", cut, {"score": score}
        yield "wordpiece", cut, {"score": score, "special_tokens": ("[UNK]", "##s", "hu")}
    yield "wordpiece", "bert", {"initial_alphabet": ("z", "é"), "score": "frequency"}
    for cut, whole in product(CUTS[1:], (False, True)):
        yield "unigram", cut, {"whole_words": whole}
    yield "unigram", "metaspace", {"special_tokens": ("<s>", "a"), "prune_fraction": 0.05}
    yield "unigram", "gpt2", {"seed_size": 20, "max_token_length": 3, "trim_last": False}


def compare(known, sample, folder):
    """Has Python train the sample, and Node compare."""
    for i, told in enumerate(sample):
        algorithm, cut, chosen = known[told["kit"]]
        text = told["text"]
        history = tokviz.train(text, algorithm, told["asked"], cut, counted=anything, **chosen)
        words, special = history.words, history.special_tokens
        lines = excerpt(text, history.pretokenizer, special, *MOST.values())
        (folder / f"{i}.blob").write_bytes(pack(history, "BPE", lines, MOST_FREQUENT))
        least = history.trainer.least_vocab_size(words, history.pretokenizer)
        what = {"text": text, "most": MOST, "least": least}
        (folder / f"{i}.json").write_text(json.dumps(what), "utf-8")
    test = ROOT / "tests" / "player" / "trained.test.mjs"
    environment = {**os.environ, "TOKVIZ_RUNS": str(folder)}
    done = subprocess.run(
        ["node", "--test", "--test-name-pattern=every run", test],
        env=environment,
        capture_output=True,
        text=True,
    )
    if done.returncode:
        sys.exit(f"FOUND what Python trains otherwise:\n{done.stdout}")
    print(f"{len(sample)} of them equal Python's, column by column.")


def anything(_words: object) -> None:
    """Whatever the words are, they are trained."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sample", type=int, default=300, help="inputs that Python trains, too")
    asked = parser.parse_args()
    warnings.simplefilter("ignore", tokviz.TokvizWarning)
    known = [*settings()]
    kits = [kit_for(name, cut, (), tuple(chosen.items())) for name, cut, chosen in known]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "kits").write_text(json.dumps(kits), "utf-8")
        pieces = [piece for piece in PIECES if not any("\ud800" <= c <= "\udfff" for c in piece)]
        (folder / "pieces").write_text(json.dumps(pieces), "utf-8")
        told = [folder / "kits", folder / "pieces", asked.inputs, asked.seed, folder / "sample"]
        command = ["node", HERE / "core.mjs", *told, asked.sample]
        subprocess.run([*map(str, command)], check=True)
        runs = folder / "runs"
        runs.mkdir()
        compare(known, json.loads((folder / "sample").read_text("utf-8")), runs)


if __name__ == "__main__":
    main()
