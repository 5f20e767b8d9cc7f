"""The trainings of published programs and of the keepsake, as texts for a browser to train."""

import dataclasses
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

import numpy as np
from compat import items, today
from helpers import GOLDENS, PROGRAMS, book_bytes

import tokviz
from tokviz.history.base import History
from tokviz.player.pack import pack
from tokviz.player.retrain import retrain
from tokviz.player.web_page import MOST_FREQUENT
from tokviz.text.corpus import count_words
from tokviz.text.pieces import excerpt
from tokviz.text.word_counts import WordCounts

#: Words and characters of the excerpt that a page with one lane shows.
USUAL = {"words": 4000, "characters": 20_000}
#: A text repeats each of its words as often as it counts.
MOST_REPEATED = 10_000
ENDLESS = 900


class Recorded(NamedTuple):
    """A training of a text, and what was recorded of it."""

    name: str
    history: History
    text: str
    golden: dict[str, Any]


def is_unicode(text):
    """Whether a browser can send a text: it has no half of a character."""
    return isinstance(text, str) and not any("\ud800" <= char <= "\udfff" for char in text)


def write(folder, name, history, text, most=USUAL, golden=None):
    """Writes down what a browser has to train and what comes of it, for `same_run.mjs`."""
    name = name.replace("/", "-")
    cut, special = history.pretokenizer, history.special_tokens
    lines = excerpt(text, cut, special, most["words"], most["characters"])
    (folder / f"{name}.blob").write_bytes(pack(history, "BPE", lines, MOST_FREQUENT))
    least = history.trainer.least_vocab_size(history.words, cut)
    told = {"text": text, "most": most, "least": least, "golden": golden or {}}
    (folder / f"{name}.json").write_text(json.dumps(told), "utf-8")


# --- published programs: the settings of tests/trainers/test_goldens.py -----------------------

_END = {"end_of_word_suffix": "</w>"}
_SPECIAL = {
    "<|endoftext|>": {"special_tokens": ("<|endoftext|>",), "unit": "byte"},
    "bert": {"special_tokens": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")},
}


def golden_runs() -> Iterator[Recorded]:
    """Every program: `golden` holds its merges (each with its parts, its token, its count, and how
    many pairs tied if that is recorded), what its rounds removed, its first deltas, or how long it
    is, or how many tokens it ends with."""

    def made(name, text, algorithm, size, cut, golden, **settings):
        return Recorded(name, tokviz.train(text, algorithm, size, cut, **settings), text, golden)

    edges = GOLDENS["edge_behaviour"]
    clean = merges(PROGRAMS["course_bpe"]["clean_variant"]["steps"])
    yield made("course bpe", _lines("course_bpe"), "bpe", 50, "gpt2", clean, unit="byte")
    name, text, how = "course_bpe_endoftext", _lines("course_bpe"), _SPECIAL["<|endoftext|>"]
    yield made(name, text, "bpe", 50, "gpt2", merges(PROGRAMS[name]["steps"]), **how)
    whole = {"length": edges[f"{name}, merges until no pair is left"]}
    yield made(f"{name} whole", text, "bpe", ENDLESS, "gpt2", whole, **how)
    name, how = "cs336_bytes", {"unit": "byte", "tie_break": "largest-pair"}
    for size, kept in ((16, "steps"), (ENDLESS, "steps_until_exhausted")):
        golden = merges(PROGRAMS[name][kept], "_latin1")
        yield made(f"{name} {size}", _lines(name), "bpe", size, "whitespace", golden, **how)
    golden = merges(PROGRAMS["classic_toy"]["steps_until_exhausted"])
    toy = {word.partition(" </w>")[0].replace(" ", ""): n for word, n in _words("classic_toy")}
    yield made("classic toy", _repeated(toy), "bpe", ENDLESS, "whitespace", golden, **_END)
    for case in PROGRAMS["overlaps"]["cases"]:
        word = case["word"]
        joins = {"counts": [case["pair_count_counted"], case["actual_merges"]]}
        yield made(f"overlaps {word}", word, "bpe", 2, "whitespace", joins)
    text = book_bytes().decode("utf-8")
    alphabet = tokviz.train(text, "bpe", 10_000, "whitespace", **_END).vocab_size(0)
    golden = merges(PROGRAMS["classic_pg16457"]["steps"])
    yield made("novel", text, "bpe", alphabet + 1000, "whitespace", golden, **_END)

    first, *others = PROGRAMS["course_wordpiece_50"]["steps"]
    golden = merges([{**first, "token": "ab"}, *others])
    yield made("wordpiece 50", _lines("course_wordpiece_50"), "wordpiece", 50, "bert", golden)
    name, how = "course_wordpiece_70", _SPECIAL["bert"]
    golden = merges(PROGRAMS[name]["steps"])
    yield made(name, _lines(name), "wordpiece", 70, "bert", golden, **how)
    whole = {"length": edges[f"{name}, merges until no pair is left"]}
    yield made(f"{name} whole", _lines(name), "wordpiece", ENDLESS, "bert", whole)
    hugs = _repeated(dict(_words("hug_unigram")))
    yield made("hug wordpiece", hugs, "wordpiece", 10, "bert", {"made": ["##gs", "hu", "hugs"]})

    for name in ("course_unigram", "course_unigram_mathlog"):
        text, rounds = _lines(name), [each["removed"] for each in PROGRAMS[name]["rounds"]]
        how = {"seed_size": 300, "unknown": "word"}
        for trim in (False, True):
            golden = {"removed": [*rounds[:-1], rounds[-1][: 108 - 100]] if trim else rounds}
            kind = f"{name} {trim}"
            yield made(kind, text, "unigram", 100, "metaspace", golden, trim_last=trim, **how)
    text = _lines("course_unigram")
    for target, size in edges["course_unigram, final size by target (30 characters)"].items():
        kind, golden = f"unigram to {target}", {"size": size}
        yield made(kind, text, "unigram", int(target), "metaspace", golden, trim_last=False)
    golden = {"deltas": PROGRAMS["hug_unigram"]["deltas"]}
    yield made("hug unigram", hugs, "unigram", 13, "whitespace", golden, whole_words=False)


def merges(steps, suffix=""):
    """Recorded merges, as rows."""
    return {
        "merges": [
            [
                *step["pair" + suffix],
                step["token" + suffix],
                step.get("freq", step.get("pair_freq")),
                step.get("n_ties"),
            ]
            for step in steps
        ]
    }


def _lines(name):
    return "\n".join(PROGRAMS[name]["corpus"])


def _words(name):
    return PROGRAMS[name]["words"]


def _repeated(words, between=" "):
    return between.join(word for word, n in words.items() for _ in range(n))


# --- the keepsake ----------------------------------------------------------------------------


def kept_runs() -> tuple[list[Recorded], Counter[str]]:
    """What a browser can train of the keepsake's links, moments and history files, each once; and
    how many others there are for each reason why it cannot."""
    found, others = list[Recorded](), Counter[str]()
    for name, history, text in _kept():
        if reason := why_not(history):
            others[reason] += 1
            continue
        if text is None:
            text = text_with(history)
            if text is None:
                others["no text has such words"] += 1
                continue
            words = count_words(text, history.pretokenizer, history.special_tokens)
            again = history.trainer.train(words, history.pretokenizer, None)
            assert_same_record(again, history, name)
            history = again
        found.append(Recorded(name, history, text, {}))
    return found, others


def _kept():
    links = items.kept_json("links")
    wanted = []
    for link in links:
        parts = urlsplit(link["address"])
        wanted.append((parts.path.strip("/") or "train", parse_qs(parts.query), b""))
    moments = items.of_folder("moments")
    wanted += [("", {}, data) for data in moments.values()]
    names = [*(link["name"] for link in links), *moments]
    seen = set()
    for name, visit in zip(names, today.visits(wanted), strict=True):
        for lane, run in enumerate(visit.lanes):
            if run.key not in seen:
                seen.add(run.key)
                text, read_as = run.corpus.key
                yield f"{name} {lane}", today.trained(run), None if read_as == "counts" else text
    for name, data in items.of_folder("histories").items():
        yield name, today.load(data, name), None


def why_not(history):
    """Why no browser trains as a history was trained; empty where it does."""
    trainer, cut = history.trainer, history.pretokenizer
    if history.stop.kind == "cancelled":
        return "called off"
    if not all(map(is_unicode, history.words.words)):
        return "halves of characters"
    if retrain(history) is not None:
        return ""
    if trainer.name.startswith("sentencepiece") or cut.name == "sentencepiece":
        return "SentencePiece"
    if trainer.interventions:
        return "interventions"
    if cut.name == "regex":
        return "a typed pattern"
    return "Unicode normalization" if getattr(cut, "normalize", False) else "?"


def text_with(history):
    """A text that has exactly the words of a history, each as often, in their order; None if there
    is none, or none that is short."""
    words: WordCounts = history.words
    if words.total > MOST_REPEATED:
        return None
    table = dict(zip(words.words, words.counts, strict=True))
    for between in ("\n", " ", ""):
        text = _repeated(table, between)
        if count_words(text, history.pretokenizer, history.special_tokens) == words:
            return text
    return None


def assert_same_record(one, other, name):
    """All columns of two records are equal."""
    for field in dataclasses.fields(other.record):
        column, expected = getattr(one.record, field.name), getattr(other.record, field.name)
        np.testing.assert_array_equal(column, expected, f"{name}: {field.name}")
