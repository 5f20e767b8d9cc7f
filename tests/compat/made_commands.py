"""The command lines and the public names of the keepsake, as they were chosen: `make.py` asks for
them once."""

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from compat import today
from helpers import ROOT

_COURSE = ["train", "--sample", "course"]
_HUG = ["train", "--sample", "hug-pug"]
_MY = ["train", "my.txt"]
_TXT, _BYTES, _UNIGRAM = "inputs/my.txt", "histories/bpe bytes gpt2.npz", "histories/unigram.npz"
_PIECES, _EM = "histories/wordpiece bert.npz", "histories/exact deltas.npz"
_B, _U, _P, _E = (Path(name).name for name in (_BYTES, _UNIGRAM, _PIECES, _EM))


def commands() -> list[dict[str, Any]]:
    """Every command: its name, its words, the files that it needs, and what is typed."""
    told: list[tuple[list[str], list[str], str]] = [
        *((words, [], "") for words in _trained()),
        *((words, [needs, *more], "") for words, needs, *more in _from_files()),
        *((["encode", *words], [*needs], typed) for words, needs, typed in _encoded()),
        *((["export", *words], [*needs], "") for words, needs in _exported()),
        *((["compare", *words], [*needs], "") for words, needs in _compared()),
        *((["count", *words], [*needs], "") for words, needs in _counted()),
        *((words, [], "") for words in _refused()),
    ]
    return [
        {"name": f"{number:03} {words[0] if words else ''}".strip(), "arguments": words}
        | {"needs": needs, "typed": typed}
        for number, (words, needs, typed) in enumerate(told)
    ]


def _trained() -> Iterator[list[str]]:
    yield _COURSE
    yield [*_COURSE, "--json"]
    yield [*_HUG, "--json", "--vocab-size", "12"]
    yield [*_HUG, "--what-if", "0", "keep", "ug"]
    yield [*_COURSE, "--what-if", "13", "i", "n", "--what-if", "0", "h", "e", "--quiet"]
    yield [*_COURSE, "--save", "run.npz", "--web-page", "run.html"]
    for algorithm in today.tokviz.TRAINERS:
        yield [*_COURSE, "--algorithm", algorithm, "--vocab-size", "70", "--save", "run.npz"]
        yield [*_COURSE, "--algorithm", algorithm, "--vocab-size", "60", "--json"]
    for preset in today.tokviz.PRESETS:
        size = "280" if preset in ("hf-bpe", "gpt2", "minbpe") else "90"
        yield [*_COURSE, "--preset", preset, "--vocab-size", size]
    for rule in ("largest-pair", "smallest-ids", "shortest"):
        yield [*_COURSE, "--tie-break", rule, "--unit", "char"]
    yield ["train", "--sample", "low-lower", "--end-of-word-suffix", "</w>", "--suffix-glued"]
    yield [*_COURSE, "--no-trim-last", "--algorithm", "unigram", "--vocab-size", "80"]
    yield [*_COURSE, "--special-tokens", "<s>", "</s>", "--vocab-size", "40"]
    yield [*_COURSE, "--pretokenizer", "regex", "--pattern", r"[a-z]+|\s+|."]


def _from_files() -> Iterator[list[Any]]:
    yield [[*_MY, "--vocab-size", "160"], _TXT]
    yield [["train", "crlf.txt", "--vocab-size", "12", "--json"], "inputs/crlf.txt"]
    for table in ("words.csv", "words.tsv"):
        yield [["train", table, "--vocab-size", "18", "--pretokenizer", "none"], f"inputs/{table}"]
    for bad in ("bad.csv", "latin1.txt", "empty.txt"):
        yield [["train", bad, "--vocab-size", "9"], f"inputs/{bad}"]
    yield [["train", "words.parquet", "--vocab-size", "150"], "inputs/words.parquet"]
    yield [[*_MY, "--vocab-size", "5"], _TXT]


def _encoded() -> Iterator[tuple[list[str], list[str], str]]:
    yield [_B, "low lowest", "日本 <b>"], [_BYTES], ""
    yield [_B, "low lowest", "--tokens", "--ids", "--offsets"], [_BYTES], ""
    yield [_B, "--step", "3", "--json", "low lowest"], [_BYTES], ""
    yield [_B], [_BYTES], "low\nlowest\n\n don't\n"
    yield [_B, "-", "--ids"], [_BYTES], "\ufefflow\r\nlow\r\n"
    yield [_B, "--ids"], [_BYTES], "l\udcf6we\n"
    yield [_B, "low lower lowest", "--dropout", "0.5", "--seed", "7"], [_BYTES], ""
    yield [_B, "--decode", "17", "4,9", "260"], [_BYTES], ""
    yield [_B, "--decode", "99999"], [_BYTES], ""
    yield [_B, "--decode", "x"], [_BYTES], ""
    yield [_B, "--decode", "--json"], [_BYTES], "[1, 2]\n3\n"
    yield [_B, "low", "--nbest", "3"], [_BYTES], ""
    yield [_B, "low", "--step", "9999"], [_BYTES], ""
    yield [_U, "lower tokens", "--nbest", "4"], [_UNIGRAM], ""
    yield [_U, "lower", "tokens", "--nbest", "2", "--json"], [_UNIGRAM], ""
    yield [_U, "lower ✂", "--ids", "--tokens"], [_UNIGRAM], ""
    yield [_E, "the lowest tokens", "--tokens", "--ids"], [_EM], ""
    yield [_P, "the lowest ✂ tokens", "--tokens", "--ids", "--offsets"], [_PIECES], ""
    for folder, texts in (
        ("tokenizers bert/tokenizer.json", ["Human rights", "ñandú"]),
        ("tokenizers t5/tokenizer.json", ["Human rights"]),
        ("sentencepiece unigram/unigram.model", ["Human rights 日本"]),
    ):
        file = f"opened/{folder}"
        yield [Path(file).name, *texts, "--tokens", "--ids", "--offsets"], [file], ""
    merges = [f"opened/bpe bytes gpt2, merges/{name}" for name in ("vocab.json", "merges.txt")]
    yield ["vocab.json", "--with", "merges.txt", "low lowest", "--json"], merges, ""
    yield ["vocab.json", "low"], merges, ""
    yield ["tokenizer.json", "low", "--step", "3"], ["opened/tokenizers bert/tokenizer.json"], ""
    yield ["damaged.npz", "low"], ["inputs/damaged.npz"], ""
    yield ["nothing.npz", "low"], [], ""


def _exported() -> Iterator[tuple[list[str], list[str]]]:
    for name, path in ((_B, _BYTES), (_U, _UNIGRAM), (_P, _PIECES), (_E, _EM)):
        yield [name, "--list"], [path]
        for table in ("candidates", "vocabulary", "segmentations", "steps", "curve", "metrics"):
            yield [name, table, "-"], [path]
        yield [name, "web-page", "page.html", "--step", "1"], [path]
        yield [name, "animation", "steps.svg", "--first", "0", "--step", "2"], [path]
        yield [name, "tokenizer.json"], [path]
    yield [_B, "vocabulary", "table.json", "--step", "4"], [_BYTES]
    yield [_B, "steps", "table.parquet"], [_BYTES]
    yield [_B, "candidates", "table", "--as", "json", "--step", "0"], [_BYTES]
    yield [_B, "merges", "folder", "--step", "9"], [_BYTES]
    yield [_B, "tiktoken"], [_BYTES]
    yield [_B, "animation", "-", "--show", "low <b>", "--seconds", "0.5", "--dark"], [_BYTES]
    yield [_B, "vocab.txt"], [_BYTES]
    yield [_B, "subword-nmt", "codes"], [_BYTES]
    yield [_P, "vocab.txt", "vocab.txt", "--step", "3"], [_PIECES]
    yield [_B, "no-format"], [_BYTES]
    yield [_B], [_BYTES]
    yield [_B, "merges", "--as", "csv"], [_BYTES]
    yield [_B, "curve", "--step", "-1"], [_BYTES]


def _compared() -> Iterator[tuple[list[str], list[str]]]:
    bpe, pieces = "bpe vocab_size=60", "wordpiece vocab_size=60"
    ties = [f"bpe vocab_size=60 tie_break={rule}" for rule in ("first-seen", "largest-pair")]
    course = ["--sample", "course"]
    for more in ([], ["--json"], ["--csv"], ["--align", "step"], ["--align", "share"]):
        yield [*course, "--lane", bpe, "--lane", pieces, *more], []
    yield [*course, "--lane", ties[0], "--lane", ties[1], "--web-page", "two.html"], []
    yield [*course, "--lane", "unigram vocab_size=60", "--lane", "preset=course-bpe", "--csv"], []
    yield ["--lane", _B, "--lane", _U], [_BYTES, _UNIGRAM]
    yield ["my.txt", "--lane", _B, "--lane", "bpe vocab_size=200 unit=byte"], [_BYTES, _TXT]
    same = ["histories/tie first-seen.npz", "histories/tie shortest.npz"]
    yield ["--lane", "tie first-seen.npz", "--lane", "tie shortest.npz"], same
    for lane in ("bpe", "none vocab_size=9", "bpe vocab_size=x", "bpe size=9", "preset=none", "'"):
        yield [*course, "--lane", bpe, "--lane", lane], []
    yield ["--lane", bpe, "--lane", pieces], []
    yield [*course, "--lane", bpe], []


def _counted() -> Iterator[tuple[list[str], list[str]]]:
    one = ["--workers", "1"]
    yield ["my.txt", "--out", "words.parquet", *one], [_TXT]
    yield ["my.txt", "crlf.txt", "--out", "words.tsv", *one], [_TXT, "inputs/crlf.txt"]
    yield (
        ["my.txt", "--out", "words.tsv", "--min-count", "2", "--pretokenizer", "bert", *one],
        [_TXT],
    )
    yield ["lines.jsonl", "--out", "words.tsv", *one], ["inputs/lines.jsonl"]
    yield ["lines.jsonl.gz", "--out", "words.parquet", *one], ["inputs/lines.jsonl.gz"]
    for algorithm in ("sentencepiece-unigram", "wordpiece"):
        yield ["my.txt", "--algorithm", algorithm, "--out", "words.parquet", *one], [_TXT]
    yield ["my.txt", "--pattern", r"\w+|\s", "--out", "words.tsv", *one], [_TXT]
    yield ["lines.jsonl", "--field", "n", "--out", "words.tsv", *one], ["inputs/lines.jsonl"]
    yield ["latin1.txt", "--out", "words.tsv", *one], ["inputs/latin1.txt"]
    yield ["empty.txt", "--out", "words.tsv", *one], ["inputs/empty.txt"]
    yield ["my.txt", "--min-count", "999", "--out", "words.tsv", *one], [_TXT]
    yield ["my.txt", "--out", "words.doc"], [_TXT]
    yield ["no.txt", "--out", "words.tsv"], []
    yield ["my.txt", "--out", "words.tsv", "--scheduler", "tcp://here"], [_TXT]


def _refused() -> Iterator[list[str]]:
    yield []
    yield ["no-command"]
    yield ["train"]
    yield ["train", "no.txt", "--vocab-size", "9"]
    yield [*_COURSE, "--vocab-size", "nine"]
    yield [*_COURSE, "--vocab-size", "10"]
    yield [*_COURSE, "--score", "likelihood"]
    yield [*_COURSE, "--tie-break", "none"]
    yield [*_COURSE, "--min-frequency", "0"]
    yield [*_COURSE, "--what-if", "x", "a", "b"]
    yield [*_COURSE, "--what-if", "0", "q", "q"]
    yield [*_COURSE, "--pattern", "(", "--pretokenizer", "regex"]
    yield [*_COURSE, "--pattern", "a", "--pretokenizer", "bert"]
    yield [*_COURSE, "--preset", "gpt2", "--algorithm", "unigram"]
    yield [*_COURSE, "my.txt"]
    yield [*_COURSE, "--no-such-option"]
    yield [*_COURSE, "--save", "no/such/folder/run.npz"]
    yield ["app", "--port", "0"]


def imports() -> dict[str, list[str]]:
    """The modules that the documentation names, with all of their public names."""
    found = {"tokviz": sorted(today.tokviz.__all__)}
    texts = [path.read_text("utf-8") for path in sorted((ROOT / "docs").glob("*.md"))]
    texts += [(ROOT / name).read_text("utf-8") for name in ("README.md", "docs/tokviz.ipynb")]
    # The example in the notebook and every public docstring may name a module, too.
    texts += [str(getattr(today.tokviz, name).__doc__) for name in found["tokviz"]]
    named = {name for text in texts for name in re.findall(r"\btokviz(?:[./]\w+)+", text)}
    for name in sorted(named):
        words = re.split(r"[./]", name)
        for end in range(len(words), 1, -1):
            module = ".".join(words[:end])
            if (ROOT / module.replace(".", "/")).with_suffix(".py").is_file() or (
                ROOT / module.replace(".", "/") / "__init__.py"
            ).is_file():
                found[module] = _public(module)
                break
    return found


def _public(module: str) -> list[str]:
    """What a module has under names without a leading _: its own, and what it lists."""
    made = importlib.import_module(module)
    if hasattr(made, "__all__"):
        return sorted(made.__all__)
    own = [
        name
        for name, value in vars(made).items()
        if name[0] != "_"
        and not re.match(r"<module|typing\.", repr(value))
        and getattr(value, "__module__", module) == module
    ]
    return sorted(own)


def options() -> list[str]:
    """The commands whose options are kept."""
    return list(today.COMMANDS)
