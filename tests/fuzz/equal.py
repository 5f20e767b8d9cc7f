"""Trains texts and settings by chance, and compares: python tests/fuzz/equal.py --inputs 5000

The compiled trainer and the plain one, which is its definition, must write the same columns of the
same types. With `--before FOLDER`, which has the package tokviz of an earlier version, what that
writes is compared, too: columns of merges must be equal, of Unigram all but losses and their
deltas; it is told how many of these differ by how many floats.
"""

import argparse
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLOATS = ("loss", "delta")

#: Trains what is in a file, with the package that is found, and writes the columns of the records.
TRAIN = """
import dataclasses, json, pickle, sys, warnings
import tokviz
if sys.argv[3] == "plain":
    from tokviz.trainers import unigram
    from tokviz.trainers.merging import loop
    unigram.runs_compiled = loop.runs_compiled = lambda: False
warnings.simplefilter("ignore")
found = []
for algorithm, cut, settings, text, size in json.load(open(sys.argv[1], encoding="utf-8")):
    try:
        history = tokviz.train(text, algorithm, size, cut, **settings)
    except ValueError as error:
        found.append(type(error).__name__)
        continue
    record = {f.name: getattr(history.record, f.name) for f in dataclasses.fields(history.record)}
    words = {"words": history.words.words, "counts": history.words.counts}
    found.append({"stop": history.stop} | words | record)
with open(sys.argv[2], "wb") as file:
    pickle.dump(found, file)
"""


def inputs(n, seed):
    """So many trainings by chance."""
    sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(HERE)]
    from core import settings
    from odd_texts import PIECES

    known, draw = [*settings()], random.Random(seed)
    pieces = [piece for piece in PIECES if not any("\ud800" <= char <= "\udfff" for char in piece)]
    for i in range(n):
        letters = draw.choices("abcdeéあ語 \n", k=draw.randint(2, 6))
        some = draw.choice([pieces, letters, pieces + letters])
        text = "".join(draw.choices(some, k=draw.randint(1, 80))) * draw.choice([1, 1, 1, 1, 30])
        yield *known[i % len(known)], text, draw.choice([30, 80, 300, 600])


def trained(told, how, place, folder):
    """What each of the inputs has written, or the error that refused it."""
    script, out = folder / f"{how}.py", folder / how
    script.write_text(TRAIN, "utf-8")
    environment = {**os.environ, "PYTHONPATH": str(place)}
    subprocess.run([sys.executable, script, told, out, how], check=True, env=environment)
    return pickle.loads(out.read_bytes())


def apart(one, other):
    """By how many floats two numbers differ."""
    bits = [np.asarray(column, np.float64).view(np.int64) for column in (one, other)]
    return np.abs(bits[0] - bits[1])


def compare(known, ours, theirs, is_before):
    """Ends where two runs differ; returns how many floats are how far apart."""
    floats = Counter()
    for told, one, other in zip(known, ours, theirs, strict=True):
        if isinstance(one, str) or isinstance(other, str):
            if one != other:
                sys.exit(f"FOUND {one if isinstance(one, str) else 'trained'}, {other}: {told}")
            continue
        for name in one if not is_before else one.keys() & other.keys():
            columns = one[name], other[name]
            if is_before and name in FLOATS:
                far = apart(*columns)[~np.isnan(columns[0])]
                floats.update((name, ulps) for ulps in far.tolist())
            elif not isinstance(columns[0], np.ndarray):
                if columns[0] != columns[1]:
                    sys.exit(f"FOUND another {name}: {told}")
            elif not np.array_equal(*columns, equal_nan=columns[0].dtype.kind == "f"):
                sys.exit(f"FOUND another {name}: {told}")
            elif not is_before and columns[0].dtype != columns[1].dtype:
                sys.exit(f"FOUND {name} of another type: {told}")
    return floats


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--inputs", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--before", help="a folder with another version of tokviz")
    asked = parser.parse_args()
    known = [*inputs(asked.inputs, asked.seed)]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        told = folder / "inputs"
        told.write_text(json.dumps(known), "utf-8")
        ours = trained(told, "compiled", ROOT, folder)
        compare(known, ours, trained(told, "plain", ROOT, folder), False)
        refused = sum(isinstance(each, str) for each in ours)
        print(f"{len(known):,} trainings, {refused:,} of them refused: compiled = plain")
        if asked.before:
            before = trained(told, "before", asked.before, folder)
            floats = compare(known, ours, before, True)
            print("before: the same, but for so many that differ by so many floats:")
            for (name, ulps), n in sorted(floats.items()):
                print(f"  {name:8}{n:10,} by {ulps}")


if __name__ == "__main__":
    main()
