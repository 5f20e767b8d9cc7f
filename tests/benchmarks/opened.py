"""How long large tokenizer files take to open, and hostile ones to be refused, with their memory.

    python tests/benchmarks/opened.py [FILE …]

Without files, each is made here, opened in a process of its own, and told in a line: what came of
it, the seconds that opening took, and the most memory that the process had, beside what it had
before.

With files, each is opened in five processes, one after the other, and told in a line of medians:
the seconds of the processor for importing the package, for opening the file and encoding a first
short text with it, for the same once more in the same process, for encoding a long text (600,000
characters of English), for its offsets and words, which are worked out when they are asked for,
and what its library alone takes for the long text. All of it uses one
core, and other programs change these seconds least.
"""

import base64
import json
import random
import statistics
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[2]

CHILD = """
import sys, time
sys.path.insert(0, sys.argv[1])
import tokviz
from tokviz.formats.history_file import load
def most():
    status = open("/proc/self/status").read()
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
before, started = most(), time.perf_counter()
try:
    if sys.argv[2].endswith(".npz"):
        told = f"a history of {len(load(sys.argv[2]))} steps"
    else:
        opened = tokviz.open_tokenizer(*sys.argv[2:])
        told = f"opened: {opened.facts['Vocabulary size']} tokens"
except ValueError as error:
    told = str(error)
seconds = time.perf_counter() - started
print(f"{seconds:6.2f} s  {most() - before:6.0f} MB over {before:.0f}  {told[:110]}")
"""

#: Of a file: all that is told of it, in the order of `REAL`.
FIRST = """
import json, sys, time
at = [time.process_time()]
def since():
    at.append(time.process_time())
    return at[-1] - at[-2]
sys.path.insert(0, sys.argv[1])
import tokviz
told = [since()]
for _ in range(2):
    tokenizer = tokviz.open_tokenizer(sys.argv[2]).tokenizer
    tokenizer.encode("Hello world, नमस्ते दुनिया")
    told.append(since())
alice = tokviz.SAMPLES["alice"].corpus
text = (alice * (600_000 // len(alice) + 1))[:600_000]
since()
encoding = tokenizer.encode(text)
ids = encoding.ids
told.append(since())
assert len(encoding.offsets) == len(ids)
told.append(since())
library = vars(tokenizer.pretokenizer.library)
if "_encoding" in library:
    same = library["_encoding"].encode_ordinary(text)
elif "_whole" in library:
    same = library["_whole"].encode(text, add_special_tokens=False).ids
else:
    same = library["_model"].encode(text)
told.append(since())
assert ids == same
print(json.dumps(told))
"""
REAL = ("import", "first text", "once more", "long text", "offsets", "library")


def vocabulary(size: int) -> tuple[dict[str, int], list[list[str]]]:
    """A byte-level vocabulary as large as the largest in use, with a merge for each token."""
    from tokviz.pretokenizers import BYTE_TO_CHAR

    draw = random.Random(0)
    tokens = {char: i for i, char in enumerate(BYTE_TO_CHAR.values())}
    known, merges = list(tokens), []
    while len(tokens) < size:
        left, right = draw.choice(known), draw.choice(known)
        if left + right not in tokens and len(left + right) < 12:
            tokens[left + right] = len(tokens)
            known.append(left + right)
            merges.append([left, right])
    return tokens, merges


def tokenizer_json(size: int, more_merges: int) -> bytes:
    vocab, merges = vocabulary(size)
    merges += merges[:more_merges]
    byte_level = {"add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return json.dumps(
        {
            "version": "1.0",
            "added_tokens": [],
            "normalizer": None,
            "pre_tokenizer": {"type": "ByteLevel", **byte_level},
            "decoder": {"type": "ByteLevel", **byte_level},
            "model": {"type": "BPE", "vocab": vocab, "merges": merges},
        },
        indent=2,
        ensure_ascii=False,
    ).encode()


def rank_file(size: int) -> bytes:
    from tokviz.pretokenizers import from_byte_level

    ranked = [bytes([byte]) for byte in range(256)]
    ranked += [token for token in map(from_byte_level, vocabulary(size)[0]) if len(token) > 1]
    return b"".join(base64.b64encode(token) + b" %d\n" % i for i, token in enumerate(ranked))


def bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.npy", bytes(1_000_000_000))


def child(script: str, path: str) -> str:
    command = [sys.executable, "-c", script, str(ROOT), path]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.rstrip()


def real(paths: list[str]) -> None:
    print("".join(f"{name:>12}" for name in REAL), "  seconds of the processor")
    for path in paths:
        times = [json.loads(child(FIRST, path)) for _ in range(5)]
        row = [statistics.median(column) for column in zip(*times, strict=True)]
        print("".join(f"{seconds:12.2f}" for seconds in row), f"  {path}", flush=True)


def main() -> None:
    if len(sys.argv) > 1:
        real(sys.argv[1:])
        return
    sys.path.insert(0, str(ROOT))
    keys = ",".join(f'"{i}é":{i}' for i in range(1_990_000))
    files = {
        "tokenizer.json of 128,000 tokens": ("tokenizer.json", tokenizer_json(128_000, 0)),
        "tokenizer.json of 262,000 tokens": ("tokenizer.json", tokenizer_json(262_000, 250_000)),
        "rank file of 200,000 tokens": ("o.tiktoken", rank_file(200_000)),
        "100 MB of JSON": ("tokenizer.json", b'{"model": "' + b"a" * 100_000_000 + b'"}'),
        "40 MB of lists": ("tokenizer.json", b'{"model": [' + b"[]," * 13_000_000),
        "40 MB of brackets": ("tokenizer.json", b'{"model": ' + b"[" * 40_000_000),
        "as many numbers as may be": ("tokenizer.json", b'{"model": {' + keys.encode() + b"}}"),
        "100 MB of ranks": ("x.tiktoken", b"YQ== 0\n" * 14_000_000),
        "20 MB of the same rank": ("x.tiktoken", b"YQ== 0\n" * 2_800_000),
        "100 MB of zeros": ("x.model", bytes(100_000_000)),
        "20 MB of empty pieces": ("x.model", b"\x0a\x00" * 10_000_000),
        "1 GB in a history file": ("x.npz", None),
    }
    with tempfile.TemporaryDirectory() as folder:
        for what, (name, data) in files.items():
            path = Path(folder, name)
            if data is None:
                bomb(path)
            else:
                path.write_bytes(data)
            told = child(CHILD, str(path))
            print(f"{what} ({path.stat().st_size / 1e6:.0f} MB)", told, sep="\n")


if __name__ == "__main__":
    main()
