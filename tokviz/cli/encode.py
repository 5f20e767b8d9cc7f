"""`tokviz encode`: cuts texts with a trained or opened tokenizer, line by line as they come."""

import json
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import Any

import tokviz
from tokviz.cli.base import Command, UsageError
from tokviz.cli.inputs import input_lines, is_run, state_of
from tokviz.cli.terminal import complain, printable
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.formats.named.by_name import is_name

#: What is shown of each token, in the order of the columns.
_SHOWN = ("tokens", "ids", "offsets")


def arguments(parser: ArgumentParser) -> None:
    """What to encode with, what to encode, and what to show of it."""
    parser.add_argument(
        "source",
        metavar="RUN_OR_TOKENIZER",
        help="a saved run; a tokenizer.json, .tiktoken, .model or vocab.json file; or a name, as "
        "o200k_base or Qwen/Qwen3-8B, which is looked up in the network",
    )
    parser.add_argument(
        "texts",
        metavar="TEXT",
        nargs="*",
        default=[],
        help="texts, each encoded by itself; lines of standard input if there is none, or -",
    )
    parser.add_argument(
        "--with",
        dest="parts",
        metavar="FILE",
        action="append",
        default=[],
        help="another file of the same tokenizer, as merges.txt beside vocab.json",
    )
    parser.add_argument(
        "--pattern",
        help="the pattern of a .tiktoken file, which does not say how a text is cut into words, or "
        "a name: gpt2, cl100k_base, o200k_base, llama3, qwen",
    )
    parser.add_argument(
        "--step", type=int, metavar="T", help="a run's state; the last if not given"
    )
    parser.add_argument(
        "--tokens", action="store_true", help="show the tokens (if nothing is chosen)"
    )
    parser.add_argument("--ids", action="store_true", help="show the ids; ? has none")
    parser.add_argument(
        "--offsets", action="store_true", help="show the code points of the text, start-end"
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object a text, for machines"
    )
    parser.add_argument("--decode", action="store_true", help="take ids and show their text")
    parser.add_argument(
        "--dropout", type=float, default=0.0, metavar="P", help="BPE-dropout: skip merges so often"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="of --dropout for the first text, one more for each after it; 0 if not given",
    )
    parser.add_argument(
        "--nbest", type=_count, metavar="N", help="the N most probable ways, with their ln P"
    )


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not int(text):
        raise ArgumentTypeError(f"{text!r} is no number from 1 on")
    return int(text)


def run(options: Namespace) -> int:
    """Encodes or decodes each text as it comes."""
    chosen = [name for name in _SHOWN if getattr(options, name)]
    if options.decode and (chosen or options.dropout or options.nbest):
        raise UsageError("--decode shows text and nothing else; leave the other options out.")
    if options.dropout and options.nbest:
        raise UsageError("--dropout draws one way and --nbest shows several; choose one.")
    tokenizer = _tokenizer(options)
    if options.decode:
        _decode_all(tokenizer, options)
        return 0
    for number, text in enumerate(_texts(options)):
        if options.nbest:
            _print_nbest(tokenizer, text, chosen, number, options)
            continue
        encoding = tokenizer.encode(text, options.dropout, options.seed + number)
        if options.json:
            _print_json({"text": text, **_fields(encoding, chosen or _SHOWN)})
        else:
            # At once: whoever reads may wait for the answer before it sends the next line.
            print(_line(encoding, chosen or ["tokens"]), flush=True)
    return 0


def _tokenizer(options: Namespace) -> Tokenizer:
    if not is_name(options.source) and is_run(options.source):
        if options.parts or options.pattern:
            raise UsageError(f"{options.source} is a saved run; leave --with and --pattern out.")
        history = tokviz.load(options.source)
        return history.tokenizer(state_of(history, options.step))
    if options.step is not None:
        raise UsageError(f"--step needs a saved run, and {options.source} is none.")
    opened = tokviz.open_tokenizer(options.source, *options.parts, pattern=options.pattern)
    if sys.stderr.isatty():
        for note in opened.notes:
            complain(note)
    tokenizer: Tokenizer = opened.tokenizer
    return tokenizer


def _texts(options: Namespace) -> Iterator[str]:
    return input_lines() if options.texts in ([], ["-"]) else iter(options.texts)


def _fields(encoding: Encoding, names: Any) -> dict[str, Any]:
    return {name: getattr(encoding, name) for name in names}


def _print_json(record: dict[str, Any]) -> None:
    print(json.dumps(record), flush=True)


def _line(encoding: Encoding, names: list[str]) -> str:
    """The chosen columns with a tab between them, what is inside them with spaces."""
    cells = {
        "tokens": (printable(token).replace(" ", r"\x20") for token in encoding.tokens),
        "ids": ("?" if i is None else str(i) for i in encoding.ids),
        "offsets": (f"{start}-{end}" for start, end in encoding.offsets),
    }
    return "\t".join(" ".join(cells[name]) for name in names)


def _print_nbest(
    tokenizer: Tokenizer, text: str, chosen: list[str], number: int, options: Namespace
) -> None:
    """Every way in a line of its own; an empty line between texts."""
    ways = tokenizer.nbest(text, options.nbest)
    if options.json:
        fields = [{"log_prob": p, **_fields(way, chosen or _SHOWN)} for way, p in ways]
        _print_json({"text": text, "nbest": fields})
        return
    if number:
        print()
    for way, log_prob in ways:
        print(f"{log_prob:.6f}\t{_line(way, chosen or ['tokens'])}", flush=True)


def _decode_all(tokenizer: Tokenizer, options: Namespace) -> None:
    typed = options.texts not in ([], ["-"])
    lines = iter([" ".join(options.texts)]) if typed else input_lines()
    for number, line in enumerate(lines, start=1):
        where = "" if typed else f"line {number}: "
        ids = [_id(word, where) for word in re.split(r"[\s,\[\]]+", line) if word]
        try:
            text = tokenizer.decode(ids)
        except IndexError as error:
            raise ValueError(f"{where}{error}") from None
        if options.json:
            _print_json({"ids": ids, "text": text})
        else:
            print(printable(text) if sys.stdout.isatty() else text, flush=True)


def _id(word: str, where: str) -> int:
    if not word.isascii() or not word.isdigit():
        raise ValueError(
            f"{where}{word!r} is no id; ids are whole numbers with spaces or commas between them."
        )
    return int(word)


COMMAND = Command(
    "encode",
    "encode texts with a saved run or a tokenizer file, or decode ids",
    (
        'encode run.npz "some text" --tokens --ids',
        "encode run.npz --step 20 --json < my.txt",
        "encode tokenizer.json -",
        "encode vocab.json --with merges.txt --ids -",
        r'encode ranks.tiktoken --pattern "\p{L}+|\s+" "some text"',
        "encode run.npz --decode 17 4 9",
        'encode run.npz "low lower" --dropout 0.1 --seed 7',
        "encode unigram.npz lower --nbest 5",
    ),
    arguments,
    run,
)
