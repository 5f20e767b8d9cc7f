"""`tokviz train`: trains on a text, prints every step, saves the history."""

import dataclasses
import json
import sys
from argparse import ArgumentParser, Namespace
from functools import singledispatch
from typing import Any, TextIO

import tokviz
from tokviz.cli.base import Command, UsageError
from tokviz.cli.inputs import (
    chosen_pretokenizer,
    given_settings,
    languages_option,
    pretokenizer_options,
    read_corpus,
    setting_names,
    setting_options,
    trained,
)
from tokviz.cli.terminal import columns, printable, write_file
from tokviz.history.base import History
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.merges import MergeHistory
from tokviz.history.parity.history import ParityHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.steps import MergeStep, PruneStep, RemovalStep
from tokviz.history.unigram import UnigramHistory
from tokviz.text.languages import text_for


def arguments(parser: ArgumentParser) -> None:
    """The options; every setting of every trainer is one, made from the trainers' fields."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="a UTF-8 text, a .csv/.tsv word-count table, a .parquet of counted words (see count), "
        "or - for standard input",
    )
    parser.add_argument(
        "--sample",
        choices=list(tokviz.SAMPLES),
        metavar="NAME",
        help="train on a bundled text, with its settings where no others are given: "
        + ", ".join(tokviz.SAMPLES),
    )
    parser.add_argument(
        "--preset",
        choices=list(tokviz.PRESETS),
        metavar="NAME",
        help="train as a library or text does: " + ", ".join(tokviz.PRESETS),
    )
    parser.add_argument(
        "--algorithm", choices=list(tokviz.TRAINERS), help="how it is trained; bpe if not given"
    )
    parser.add_argument(
        "--vocab-size",
        type=int,
        help="how many tokens the vocabulary should get; required without a sample or preset",
    )
    languages_option(parser)
    pretokenizer_options(parser)
    parser.add_argument(
        "--continue-from",
        metavar="TOKENIZER",
        nargs="+",
        help="go on from a BPE tokenizer that somebody else trained: its files (see encode) or its "
        "name; --vocab-size is then how many ids there are to be in all, its own included, and "
        "--pattern that of a .tiktoken file; behind FILE",
    )
    parser.add_argument(
        "--export",
        metavar=("FORMAT", "FOLDER"),
        nargs=2,
        help="write the tokenizer of the last step into a folder, as one of the formats of export",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object a step, for machines"
    )
    parser.add_argument("--save", metavar="PATH", help="write the whole history to this file")
    parser.add_argument(
        "--web-page", metavar="PATH", help="write the player with this run as one web page"
    )
    parser.add_argument(
        "--what-if",
        metavar=("STEP", "CHOICE"),
        nargs="+",
        action="append",
        help="what step STEP, with its number in the table, chooses whatever its rule says: the "
        "LEFT and RIGHT tokens that it merges, for unigram keep or drop and the TOKENS; behind "
        "FILE, many times if need be",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    setting_options(parser, setting_names())


def run(options: Namespace) -> int:
    """Trains and prints."""
    given = _given(options)
    if options.export:
        from tokviz.formats.exports import EXPORTS

        if options.export[0] not in EXPORTS:
            raise UsageError(f"--export {options.export[0]}: choose one of {', '.join(EXPORTS)}.")
    sample = tokviz.SAMPLES[options.sample] if options.sample else None
    corpus = sample.corpus if sample else read_corpus(options.file, options.languages)
    history = trained(corpus, options.quiet, **given)
    if options.save:
        history.save(options.save)
    if options.export:
        history.export(*options.export)
    if options.web_page:
        from tokviz.player.web_page import web_page

        text = text_for(False, corpus)
        texts = [text] if isinstance(text, str) else None
        write_file(options.web_page, web_page([history], texts=texts).encode("utf-8"))
    (print_json if options.json else print_table)(history, sys.stdout)
    return 0


def _given(options: Namespace) -> dict[str, Any]:
    """What `tokviz.train` is told: by the options, else by the preset, else by the sample."""
    if (options.file is None) == (options.sample is None):
        raise UsageError("give either FILE (- is standard input) or --sample NAME.")
    if options.continue_from:
        return _continued(options)
    given: dict[str, Any] = {}
    if options.preset:
        given = dict(tokviz.PRESETS[options.preset].settings)
        if options.algorithm not in (None, given["algorithm"]):
            raise UsageError(
                f"--preset {options.preset} trains {given['algorithm']}; leave --algorithm out."
            )
    elif options.sample:
        sample = dict(tokviz.SAMPLES[options.sample].settings)
        if options.algorithm in (None, sample["algorithm"]):
            given = sample
    given.setdefault("algorithm", options.algorithm or "bpe")
    if options.vocab_size is not None:
        given["vocab_size"] = options.vocab_size
    if "vocab_size" not in given:
        raise UsageError("say how large the vocabulary should become: --vocab-size NUMBER.")
    pretokenizer = chosen_pretokenizer(options.pretokenizer, options.pattern)
    if pretokenizer is not None:
        given["pretokenizer"] = pretokenizer
    algorithm = given["algorithm"]
    given |= given_settings(options, algorithm, setting_names())
    if options.what_if:
        if "interventions" not in tokviz.TRAINERS[algorithm].__dataclass_fields__:
            raise ValueError(f"{algorithm} has no --what-if; leave it out.")
        given["interventions"] = [_told(*words) for words in options.what_if]
    return given


def _continued(options: Namespace) -> dict[str, Any]:
    """What it is told where it goes on from a tokenizer, whose file decides all the rest."""
    if options.preset or options.save:
        raise UsageError("--continue-from goes without --preset and --save; use --export.")
    opened = tokviz.open_tokenizer(*options.continue_from, pattern=options.pattern)
    given = {name: getattr(options, name) for name in ("algorithm", "pretokenizer", "vocab_size")}
    given |= {name: getattr(options, name) for name in setting_names()}
    if options.what_if:
        given["interventions"] = [_told(*words) for words in options.what_if]
    told = {name: value for name, value in given.items() if value is not None}
    return {"algorithm": "bpe", **told, "continue_from": opened}


def _told(step: str, *choice: str) -> tuple[int, tuple[str, ...]]:
    """A step and what is chosen there, as it was typed."""
    number = int(step) if step.isascii() and step.isdigit() and len(step) <= 9 else 0
    if not number:
        raise UsageError(
            f"--what-if {printable(step)} names no step; give its number, counted from 1, and then "
            "what is chosen there, as in --what-if 3 t h."
        )
    return number - 1, choice


def print_json(history: History, out: TextIO) -> None:
    """One line a step, then one with the reason for stopping and the vocabulary."""
    kinds = [{"across": is_so} for is_so in _across(history)] or [{}] * len(history)
    for step, kind in zip(history.steps, kinds, strict=True):
        print(json.dumps(dataclasses.asdict(step) | kind), file=out)
    last = {"stopped": history.stopped, "vocab": history.vocab(len(history))}
    print(json.dumps(last), file=out)


def _across(history: History) -> list[bool]:
    """For every step whether it merges across words; nothing of a run in which none does."""
    found = [*map(history.reaches_across, range(len(history)))]
    return found if any(found) else []


def print_table(history: History, out: TextIO) -> None:
    """One line a step, in columns."""
    curve = history.curve()
    heads, *cells = table(history)
    if across := _across(history):
        heads = [*heads, "across"]
        cells = [[*row, "words" * is_so] for row, is_so in zip(cells, across, strict=True)]
    rows = [
        [str(t), *row, f"{curve.vocab_size[t]:,}", f"{curve.corpus_tokens[t]:,}"]
        for t, row in enumerate(cells, start=1)
    ]
    for line in columns([["step", *heads, "vocabulary", "tokens"], *rows]):
        print(line, file=out)
    print(history.stopped, file=out)


@singledispatch
def table(history: History) -> list[list[str]]:
    """What is printed of the steps of a family: the heads, and a row a step."""
    return [["action"], *([step.action] for step in history.steps)]


@table.register
def _merges(history: MergeHistory) -> list[list[str]]:
    rows = [["left", "right", "token", "count", "score", "tied"]]
    for step in history.steps:
        texts = [printable(text) for text in (step.left, step.right, step.token)]
        rows.append([*texts, f"{step.count:,}", f"{step.score:.6g}", f"{step.tied:,}"])
    return rows


@table.register
def _turns(history: ParityHistory) -> list[list[str]]:
    heads, *rows = _merges(history)
    steps = zip(history.steps, rows, strict=True)
    cells = ([printable(step.language) or "–", *row, f"{step.overall:,}"] for step, row in steps)
    return [["language", *heads, "overall"], *cells]


@table.register
def _pickings(history: PickyHistory) -> list[list[str]]:
    rows = [["action", "left", "right", "token", "count", "score", "tied"]]
    for step in history.steps:
        score = f"{step.score:.6g}"
        if isinstance(step, MergeStep):
            texts = [printable(text) for text in (step.left, step.right, step.token)]
            rows.append([step.action, *texts, f"{step.count:,}", score, f"{step.tied:,}"])
        elif isinstance(step, RemovalStep):
            rows.append([step.action, "", "", printable(step.token), "", score, ""])
    return rows


@table.register
def _prunings(history: UnigramHistory | SentencePieceUnigramHistory) -> list[list[str]]:
    rows = [["removed", "cut", "tied", "loss before", "loss after"]]
    for step in history.steps:
        cut = ["", ""]
        if isinstance(step, PruneStep):
            cut = [f"{step.score:.6g}", f"{step.tied:,}"]
        losses = [f"{step.loss_before:,.4f}", f"{step.loss_after:,.4f}"]
        rows.append([f"{len(step.removed):,}", *cut, *losses])
    return rows


@table.register
def _estimations(history: SentencePieceUnigramHistory) -> list[list[str]]:
    actions = ["action", *(step.action for step in history.steps)]
    return [[action, *row] for action, row in zip(actions, _prunings(history), strict=True)]


COMMAND = Command(
    "train",
    "train on a file, print the steps, save the history",
    (
        "train my.txt --vocab-size 500",
        "train my.txt --algorithm wordpiece --vocab-size 500 --save run.npz",
        "train words.csv --algorithm unigram --vocab-size 100 --json",
        "train words.parquet --vocab-size 32000 --save run.npz --quiet",
        "train --sample course",
        "train my.txt --preset gpt2 --vocab-size 1000 --quiet",
        "train --sample course --what-if 14 i n",
        "train --sample hug-pug --what-if 1 keep ug",
        "train my.txt --continue-from tokenizer.json --vocab-size 33000 --export tokenizer.json .",
        "train my.txt --continue-from o200k_base --vocab-size 202000 --export tiktoken out",
    ),
    arguments,
    run,
)
