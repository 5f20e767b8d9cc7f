"""The command line: `python -m tokviz train FILE --algorithm bpe --vocab-size 100`."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

import tokviz
from tokviz.corpus import read_word_table
from tokviz.history import (
    ApproximatePruneStep,
    EMStep,
    FinalizeStep,
    History,
    MergeStep,
    PruneStep,
    Step,
)
from tokviz.pretokenizers import make_pretokenizer
from tokviz.trainers import settings_of


def parser() -> argparse.ArgumentParser:
    """The options; every setting of every trainer is one, made from the trainers' fields."""
    top = argparse.ArgumentParser(
        prog="python -m tokviz", description="Train a tokenizer, step by step."
    )
    commands = top.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train on a file, print the steps, save the history")
    train.add_argument(
        "file", help="a UTF-8 text, a .csv/.tsv word-count table, or - for standard input"
    )
    train.add_argument("--algorithm", default="bpe", choices=list(tokviz.TRAINERS))
    train.add_argument("--vocab-size", type=int, required=True)
    train.add_argument("--pretokenizer", choices=list(tokviz.PRETOKENIZERS))
    train.add_argument("--pattern", help="the pattern of the regex pre-tokenizer")
    train.add_argument("--json", action="store_true", help="one JSON object a line, for machines")
    train.add_argument("--save", metavar="PATH", help="write the whole history to this file")
    train.add_argument("--quiet", action="store_true", help="no progress on standard error")
    settings = {s.name: s for kind in tokviz.TRAINERS.values() for s in settings_of(kind)}
    for setting in settings.values():
        option = "--" + setting.name.replace("_", "-")
        if isinstance(setting.default, bool):
            train.add_argument(option, action=argparse.BooleanOptionalAction, help=setting.help)
        elif isinstance(setting.default, tuple):
            train.add_argument(option, nargs="*", help=setting.help)
        else:
            train.add_argument(
                option,
                type=type(setting.default),
                choices=setting.choices or None,
                help=setting.help,
            )
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status. Bad input ends in one sentence, never in a traceback."""
    options = vars(parser().parse_args(arguments))
    settings = {
        s.name: options[s.name]
        for s in settings_of(tokviz.TRAINERS[options["algorithm"]])
        if options[s.name] is not None
    }
    every = {s.name for kind in tokviz.TRAINERS.values() for s in settings_of(kind)}
    try:
        for name in every - settings.keys():
            if options[name] is not None:
                algorithm, option = options["algorithm"], name.replace("_", "-")
                raise ValueError(f"{algorithm} has no --{option}; leave it out.")
        history = tokviz.train(
            _read(options["file"]),
            options["algorithm"],
            options["vocab_size"],
            _pretokenizer(options),
            progress=None if options["quiet"] else _report,
            **settings,
        )
        if options["save"]:
            history.save(options["save"])
    except OSError as error:
        name = error.filename or "The file"
        print(f"tokviz: {name} cannot be used: {error.strerror or error}.", file=sys.stderr)
        return 1
    except (ValueError, tokviz.Cancelled) as error:
        print(f"tokviz: {error}", file=sys.stderr)
        return 1
    try:
        (print_json if options["json"] else print_table)(history, sys.stdout)
    except BrokenPipeError:
        sys.stderr.close()
    return 0


def _read(name: str) -> Any:
    data = sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8 (byte {error.start}); save it as UTF-8.") from None
    return read_word_table(text) if name.lower().endswith((".csv", ".tsv")) else text


def _pretokenizer(options: dict[str, Any]) -> Any:
    if options["pattern"] is None:
        return options["pretokenizer"]
    if options["pretokenizer"] not in (None, "regex"):
        raise ValueError("--pattern needs --pretokenizer regex.")
    return make_pretokenizer("regex", pattern=options["pattern"])


def _report(progress: tokviz.Progress) -> None:
    if sys.stderr.isatty():
        print(
            f"\r{progress.done:,} of {progress.total:,} {progress.stage}, "
            f"{progress.seconds_left:.0f} s left   ",
            end="",
            file=sys.stderr,
        )


def print_json(history: History, out: TextIO) -> None:
    """One line a step, then one with the reason for stopping and the vocabulary."""
    for step in history.steps:
        print(json.dumps(dataclasses.asdict(step)), file=out)
    last = {"stopped": history.stopped, "vocab": history.vocab(len(history))}
    print(json.dumps(last), file=out)


def print_table(history: History, out: TextIO) -> None:
    """One line a step, in columns."""
    rows = [_row(step) for step in history.steps]
    curve = history.curve()
    header = [
        "step",
        *_HEADERS.get(history.algorithm, _MERGE),
        "vocabulary",
        "tokens",
    ]
    table = [header] + [
        [str(i + 1), *row, f"{curve.vocab_size[i + 1]:,}", f"{curve.corpus_tokens[i + 1]:,}"]
        for i, row in enumerate(rows)
    ]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for line in table:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip(),
            file=out,
        )
    print(history.stopped, file=out)


_MERGE = ["left", "right", "token", "count", "score", "tied"]
_PRUNE = ["removed", "cut", "tied", "loss before", "loss after"]
_HEADERS = {"unigram": _PRUNE, "sentencepiece-unigram": ["action", *_PRUNE]}


def _row(step: Step) -> list[str]:
    if isinstance(step, EMStep | ApproximatePruneStep | FinalizeStep):
        pruning = isinstance(step, PruneStep)
        cut = [f"{step.score:.6g}", f"{step.tied:,}"] if pruning else ["", ""]
        losses = [f"{step.loss_before:,.4f}", f"{step.loss_after:,.4f}"]
        return [step.action, f"{len(step.removed):,}", *cut, *losses]
    if isinstance(step, PruneStep):
        losses = [f"{step.loss_before:,.4f}", f"{step.loss_after:,.4f}"]
        return [f"{len(step.removed):,}", f"{step.score:.6g}", f"{step.tied:,}", *losses]
    assert isinstance(step, MergeStep)
    texts = [_printable(text) for text in (step.left, step.right, step.token)]
    return [*texts, f"{step.count:,}", f"{step.score:.6g}", f"{step.tied:,}"]


def _printable(text: str) -> str:
    """Control characters and lone surrogates escaped, so that a terminal takes no orders."""
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in text)


if __name__ == "__main__":
    sys.exit(main())
