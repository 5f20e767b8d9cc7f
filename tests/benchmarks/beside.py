"""How time grows with the text, beside other trainers of byte-level BPE, as a picture.

    .venv/bin/python tests/benchmarks/beside.py TEXT PICTURE.svg [--rust PYTHON] [--before FOLDER]

Beginnings of a text (gather_texts.py makes docs-40.txt), 32,000 tokens, each trainer in a process
of its own, one after the other: seconds from the text to what was trained, medians of three; of
texts from 10 MB on it is one run. The picture has seconds of the processor, of all its cores, since
other programs change these least. tokviz keeps the whole history, the others keep none. PYTHON has
the package rustbpe (which the development requirements have not), FOLDER the package tokviz of
another version. A trainer that takes a minute is given no longer text. Nothing here is a test, and
no figure is asserted.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

import altair as alt
import pandas as pd

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
SIZES = (600_000, 1_900_000, 6_000_000, 18_000_000, 40_000_000)
TOKENS = 32_000
SECONDS = "seconds of the processor"
MEGABYTES, TICKS = [0.6, 2, 6, 18, 40], [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
ROUNDS, ONCE_FROM = 3, 10_000_000
PATIENCE = 60  # seconds of the size before, after which a trainer is not given a longer text

BEGIN = f"""
import json, sys, time
text, memory, tokens = open(sys.argv[1], encoding="utf-8", newline="").read(), [], {TOKENS}
lines = text.splitlines(keepends=True)
def train():
"""
END = """
wall, processor = time.perf_counter(), time.process_time()
train()
wall, processor = time.perf_counter() - wall, time.process_time() - processor
print(json.dumps([wall, processor, max(memory, default=0)]))
"""
TOKVIZ = """
    import tokviz
    tokviz.train(text, "bpe", tokens, "gpt2", unit="byte", initial_alphabet=("bytes",))
import tokviz
tokviz.train("low lower", "bpe", 260, "gpt2", unit="byte", initial_alphabet=("bytes",))
"""
#: Notes the memory of the module, which goes with whoever trained.
MEMORY = """
from tokviz.core import host
give_back = host._give_back
def noted(instance):
    memory.append(instance.memory.data_len(instance.store))
    give_back(instance)
host._give_back = noted
"""
HUGGING_FACE = """
    import peers
    peers.tokenizers_bpe(text, tokens)
import tokenizers
"""
RUSTBPE = """
    import rustbpe
    rustbpe.Tokenizer().train_from_iterator(lines, tokens, pattern=pattern)
import rustbpe
pattern = r"'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"
"""
# Of whole lines, without a normalizer, so that nothing is left out; its symbols are characters.
SENTENCEPIECE = """
    import io, sentencepiece
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=io.BytesIO(), vocab_size=tokens,
        model_type="bpe", normalization_rule_name="identity", byte_fallback=True,
        max_sentence_length=1_000_000, minloglevel=2, hard_vocab_limit=False)
import sentencepiece
"""


def trainers(rust, before):
    """The name of each, the Python that runs it, its script, and where that looks for packages."""
    yield "tokviz, whole history", sys.executable, BEGIN + TOKVIZ + MEMORY + END, ROOT
    if before:
        yield "tokviz before, whole history", sys.executable, BEGIN + TOKVIZ + END, before
    yield "Hugging Face tokenizers", sys.executable, BEGIN + HUGGING_FACE + END, HERE
    if rust:
        yield "rustbpe", rust, BEGIN + RUSTBPE + END, HERE
    yield "SentencePiece", sys.executable, BEGIN + SENTENCEPIECE + END, HERE


def run(python, script, place, path):
    """Seconds, seconds of the processor, and bytes of the module's memory."""
    command = [python, "-c", script, str(path)]
    # Python looks for packages where it is, and then where it is told.
    told = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=place, env={"PYTHONPATH": place}
    )
    return json.loads(told.stdout.splitlines()[-1])


def measured(text, sizes, rust, before):
    """A row for each trainer and size."""
    slow = set()
    with tempfile.TemporaryDirectory() as folder:
        for size in (size for size in sizes if size <= len(text)):
            path = Path(folder, "text")
            path.write_text(text[:size], "utf-8", newline="")
            taken = {}
            for _ in range(1 if size >= ONCE_FROM else ROUNDS):
                for name, *how in trainers(rust, before):
                    if name not in slow:
                        taken.setdefault(name, []).append(run(*how, path))
            for name, rows in taken.items():
                wall, processor, memory = map(median, zip(*rows, strict=True))
                slow |= {name} if wall > PATIENCE else set()
                print(
                    f"{size / 1e6:5.1f} MB  {name:29}{wall:8.2f} s, processor {processor:7.2f} s"
                    + (f", module {memory / 1e6:.0f} MB" if memory else ""),
                    flush=True,
                )
                yield {"million characters": size / 1e6, "trainer": name, SECONDS: processor}


def drawn(table, path):
    """Both axes logarithmic: a straight line of slope 1 is time in proportion to the text."""
    names = list(dict.fromkeys(table["trainer"]))
    kind = alt.Color("trainer", sort=names, title=f"byte-level BPE, {TOKENS:,} tokens")
    line = alt.Chart(table).mark_line(point=True)
    line = line.encode(_axis("million characters", MEGABYTES), _axis(SECONDS, TICKS), kind)
    line.properties(width=480, height=320, background="white").save(path)


def _axis(name, ticks):
    axis = alt.X if ticks is MEGABYTES else alt.Y
    scale = alt.Scale(type="log", domain=[ticks[0] * 0.9, ticks[-1] * 1.1], nice=False)
    return axis(name, scale=scale, axis=alt.Axis(values=ticks))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("text", type=Path)
    parser.add_argument("picture", type=Path)
    parser.add_argument("--sizes", type=int, nargs="*", default=SIZES, help="characters")
    parser.add_argument("--rust", help="a Python that has rustbpe")
    parser.add_argument("--before", help="a folder with another version of tokviz")
    asked = parser.parse_args()
    with asked.text.open(encoding="utf-8", newline="") as file:
        text = file.read()
    drawn(pd.DataFrame(measured(text, asked.sizes, asked.rust, asked.before)), asked.picture)


if __name__ == "__main__":
    main()
