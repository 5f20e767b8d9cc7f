"""The files of the keepsake, as they were chosen: `make.py` asks for them once.

It takes the runs and lines of the tests of exports, and the models of those of opened tokenizers.
"""

import contextlib
import gzip
import io
import itertools
import json
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import library_tokenizers
from compat import made_links, today
from export_cases import RUNS
from opened_texts import lines

import tokviz
from tokviz.counting.table_file import write_table
from tokviz.formats.exports import EXPORTS
from tokviz.formats.history_file import save
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import CountedWords, count_words
from tokviz.trainers import configured

#: A little of everything: it repeats itself, so that there is something to learn.
TEXT = "\n".join(
    [
        "Low, lower, lowest; new, newer, newest: the widest and the lowest of them.",
        "Tokenizers tokenize the tokens, and the tokens don't mind it. 1234 and 12345.",
        *(made_links.TEXTS[name] for name in ("german", "greek", "hebrew", "hindi", "japanese")),
        *(made_links.TEXTS[name] for name in ("korean", "vietnamese", "emoji", "numbers")),
    ]
)
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}


def train(
    corpus: Any,
    algorithm: str,
    steps: int,
    pretokenizer: Any = None,
    progress: Any = None,
    **told: Any,
) -> Any:
    """A run of so many merges, or with so many tokens more than the least."""
    trainer = tokviz.make_trainer(algorithm, 100_000, **told)
    cut = configured(trainer, make_pretokenizer(pretokenizer or trainer.default_pretokenizer))
    words = count_words(corpus, cut, trainer.special_tokens)
    size = trainer.least_vocab_size(words, cut) + steps
    return tokviz.train(corpus, algorithm, size, cut, progress, **told)


def histories() -> Iterator[tuple[str, bytes]]:
    """Names and history files, of every trainer and kind."""
    for name, (algorithm, settings) in RUNS.items():
        settings = dict(settings)
        if algorithm == "unigram":
            settings |= {"seed_size": 300, "prune_fraction": 0.2}
        pretokenizer = settings.pop("pretokenizer", None)
        yield f"{name}.npz", saved(train(TEXT, algorithm, 40, pretokenizer, **settings))
    for rule in ("first-seen", "largest-pair", "smallest-ids", "shortest"):
        yield f"tie {rule}.npz", saved(train(TEXT, "bpe", 25, "bert", tie_break=rule))
    plain = train(TEXT, "bpe", 25, "gpt2")
    once = tokviz.branch(plain, 3, pair(plain, 3, 2))
    twice = tokviz.branch(once, 9, pair(once, 9, 7))
    yield "told once.npz", saved(once)
    yield "told twice.npz", saved(twice)
    pieces = train(TEXT, "wordpiece", 20)
    yield "told wordpiece.npz", saved(tokviz.branch(pieces, 2, pair(pieces, 2, 1)))
    pruned = tokviz.train(HUG, "unigram", 9, whole_words=False, prune_fraction=0.2)
    rows = pruned.candidates(1)
    keeps, goes = rows[rows.chosen].token.iloc[0], rows[~rows.chosen].token.iloc[0]
    yield "told keep.npz", saved(tokviz.branch(pruned, 1, ("keep", keeps)))
    yield "told drop.npz", saved(tokviz.branch(pruned, 1, ("drop", goes)))
    for algorithm in ("bpe", "wordpiece", "unigram"):
        run = tokviz.train(HUG, algorithm, 13, None if algorithm != "bpe" else "none")
        yield f"table {algorithm}.npz", saved(run)
    for algorithm in tokviz.TRAINERS:
        yield f"cancelled {algorithm}.npz", saved(cancelled(algorithm))
    book = tokviz.SAMPLES["alice"].corpus[:6000]
    seeds = {"seed_sentencepiece_size": 500}
    yield "pruned em.npz", saved(train(book, "sentencepiece-unigram", 60, **seeds))
    exact = {**seeds, "exact_deltas": True, "shrinking_factor": 0.6, "num_sub_iterations": 1}
    yield "exact deltas.npz", saved(train(book, "sentencepiece-unigram", 40, **exact))
    cut, special = make_pretokenizer("sentencepiece"), ("<unk>", "<s>", "</s>")
    counted = CountedWords(count_words(TEXT, cut, special), cut, special)
    yield "line ends.npz", saved(tokviz.train(counted, "sentencepiece-unigram", 180))
    yield "line ends bpe.npz", saved(tokviz.train(counted, "sentencepiece-bpe", 180))
    yield "nothing left.npz", saved(tokviz.train("low low lower", "bpe", 99))
    yield "no words.npz", saved(tokviz.train("", "bpe", 99))
    yield "least frequency.npz", saved(tokviz.train(TEXT, "bpe", 999, min_frequency=4))
    strange = ["\ud800a \udfff\ud800 a", "\0a\0 a\0\0 \0", "⟨Ġ⟩ Ġa a Ġ ▁a ##a </w> a</w>"]
    yield "surrogates.npz", saved(tokviz.train(strange, "bpe", 40, unit="byte"))
    yield "surrogates unigram.npz", saved(tokviz.train(strange, "unigram", 22))
    yield (
        "large counts.npz",
        saved(tokviz.train({"hug": 2**49, "pug": 2**49 - 1, "hugs": 3}, "bpe", 7)),
    )
    yield "long.npz", saved(tokviz.train(book, "bpe", 320, unit="byte"))


def pair(history: Any, step: int, row: int) -> tuple[str, str]:
    """A pair that a step could have merged."""
    found = history.candidates(step).iloc[row]
    return found.left, found.right


def saved(history: Any) -> bytes:
    """The file of a history."""
    file = io.BytesIO()
    save(history, file)
    return file.getvalue()


def cancelled(algorithm: str) -> Any:
    """A run that somebody stopped half-way."""
    last = {"unigram": "tokens", "sentencepiece-unigram": "steps"}.get(algorithm, "merges")
    for most in (2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000, 4000):
        seen: list[str] = []

        def go_on(progress: Any, seen: list[str] = seen, most: int = most) -> bool:
            seen.append(progress.stage)
            return seen.count(last) < most

        # At every look a second has gone by, so that every turn of a loop reports.
        with (
            patch.object(tokviz.basics.progress, "perf_counter", itertools.count().__next__),
            contextlib.suppress(tokviz.Cancelled),
        ):
            run = train(TEXT * 3, algorithm, 60, progress=go_on)
            if len(run) > 1 and run.stopped.startswith("Cancelled"):
                return run
    raise RuntimeError(algorithm)


def exports(folder: dict[str, bytes]) -> list[list[Any]]:
    """Which history can be written as what, in which states: the last one, and of some runs the
    first and the middle one."""
    some = ("bpe bytes gpt2", "wordpiece bert", "unigram", "sp-bpe bytes", "sp-unigram bytes")
    all_states = {f"{name}.npz" for name in some}
    found: list[list[Any]] = []
    for name in (f"{run}.npz" for run in RUNS):
        history = today.load(folder[name], name)
        for format, export in EXPORTS.items():
            if export.why_not(history) is None:
                states = (0, len(history) // 2, len(history)) if name in all_states else ()
                found += [[name, format, t] for t in states or (len(history),)]
    return found


def exported(folder: dict[str, bytes], wanted: list[list[Any]]) -> Iterator[tuple[str, bytes]]:
    """The files of tokenizers that can be opened again: the last state of every run."""
    for name, format, t in wanted:
        history = today.load(folder[name], name)
        if format in ("vocab.txt", "subword-nmt") or t != len(history):
            continue
        for file, data in today.export(history, format, t).items():
            if not file.endswith((".py", ".vocab")):
                yield f"opened/{name.removesuffix('.npz')}, {format}/{file}", data


def libraries() -> Iterator[tuple[str, bytes]]:
    """Tokenizers that libraries trained, small."""
    kinds = {name: kind for name, kind in library_tokenizers.KINDS.items() if name != "t5"}
    kinds["t5"] = lambda: library_tokenizers.t5(precompiled=False)
    for name, kind in kinds.items():
        yield f"opened/tokenizers {name}/tokenizer.json", smaller(kind().to_str()).encode()
    for kind in ("bpe", "unigram"):
        model = library_tokenizers.sentencepiece_model(
            vocab_size=700, model_type=kind, normalization_rule_name="identity", byte_fallback=True
        )
        yield f"opened/sentencepiece {kind}/{kind}.model", model


def smaller(text: str) -> str:
    """The same file without what makes it easy to read."""
    return json.dumps(json.loads(text), ensure_ascii=False, separators=(",", ":"))


def pages(folder: dict[str, bytes]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Names of pages, and what they are made of."""
    text = {"texts": [TEXT]}
    yield "bpe", {"histories": ["told twice.npz"], "options": {**text, "title": "A <b>page</b>"}}
    yield "unigram", {"histories": ["told drop.npz"], "options": {"position": 1}}
    yield "em", {"histories": ["exact deltas.npz"], "options": {**text, "language": "zh_CN"}}
    lanes = ["bpe bytes gpt2.npz", "wordpiece bert.npz", "unigram.npz", "sp-unigram.npz"]
    options = {"texts": [TEXT] * 4, "align": "size", "position": 9, "about": {"Source": "<mine>"}}
    yield "lanes", {"histories": lanes, "options": options}
    yield "table", {"histories": ["table wordpiece.npz"], "options": {"labels": ["</script>"]}}
    assert all(name in folder for name in lanes)


def replays() -> dict[str, list[str]]:
    """Names of replays: a folder of opened files, and a text."""
    return {
        "gpt2": ["opened/tokenizers gpt2", TEXT],
        "llama2": ["opened/tokenizers llama2", "Tokens are tokens. 日本 low"],
        "clip": ["opened/tokenizers clip", "Tokens are tokens, the lowest"],
        "tiktoken": ["opened/bpe bytes gpt4, tiktoken", TEXT],
        "merges": ["opened/bpe bytes gpt2, merges", "lower and lowest and slow"],
        "sentencepiece": ["opened/sentencepiece bpe", "All human beings are born free"],
    }


def texts() -> list[str]:
    """What opened tokenizers encode."""
    return [*TEXT.split("\n")[:2], *made_links.TEXTS.values(), *lines(16, seed=11)]


def inputs() -> dict[str, bytes]:
    """What commands read."""
    documents = [{"text": line, "n": 1.5} for line in TEXT.split("\n")]
    jsonl = "\n".join(json.dumps(document) for document in documents).encode()
    return {
        "inputs/my.txt": TEXT.encode(),
        "inputs/crlf.txt": b"\xef\xbb\xbfone two\r\ntwo three\r\n",
        "inputs/latin1.txt": "löwe".encode("latin-1"),
        "inputs/words.csv": made_links.TABLES["quoted"].encode(),
        "inputs/words.tsv": made_links.TABLES["tabs"].encode(),
        "inputs/bad.csv": b"low,many\n",
        "inputs/lines.jsonl": jsonl,
        "inputs/lines.jsonl.gz": gzip.compress(jsonl, mtime=0),
        "inputs/empty.txt": b"",
        "inputs/damaged.npz": b"PK\x03\x04 no archive",
    }


def counted() -> bytes:
    """A table of counted words."""
    cut = make_pretokenizer("gpt2")
    file = io.BytesIO()
    write_table(CountedWords(count_words(TEXT, cut), cut, (), {"unit": "byte"}), file)
    return file.getvalue()


#: How a text is cut before the ranks of a .tiktoken file are asked, where that is told.
PATTERNS = {"opened/bpe bytes whitespace, tiktoken": r"\S+"}
