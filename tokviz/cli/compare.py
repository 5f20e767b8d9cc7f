"""`tokviz compare`: trains or loads lanes, says where they part and why, and measures them."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tokviz
from tokviz.analysis.axis import ALIGNMENTS
from tokviz.analysis.comparison import PAIR_METRICS, Comparison
from tokviz.analysis.metrics import PER_WORD, metrics_of
from tokviz.analysis.parting import Parting
from tokviz.basics.messages import counted
from tokviz.cli.base import Command, UsageError
from tokviz.cli.inputs import is_table, lane_settings, languages_option, read_corpus, trained
from tokviz.cli.terminal import columns, printable, write_file
from tokviz.formats.table_files import table_bytes
from tokviz.history.base import History
from tokviz.text.languages import of_languages

if TYPE_CHECKING:
    import pandas as pd


def arguments(parser: ArgumentParser) -> None:
    """The text, the lanes, and what to write."""
    parser.add_argument(
        "file",
        metavar="FILE",
        nargs="?",
        help="the text, word-count table or counted words of all lanes, or - for standard input; "
        "saved runs with the same words do without",
    )
    parser.add_argument(
        "--sample", choices=list(tokviz.SAMPLES), metavar="NAME", help="a bundled text as FILE"
    )
    languages_option(parser)
    parser.add_argument(
        "--lane",
        dest="lanes",
        action="append",
        default=[],
        metavar="LANE",
        help="a saved run, or an algorithm (or preset=NAME) and its settings as name=value; "
        "vocab_size is one of them. Two or more lanes are compared",
    )
    parser.add_argument(
        "--align",
        choices=ALIGNMENTS,
        default="share",
        help="what the lanes share on the way: the share of training (if not given), vocabulary "
        "size or step. At the end each is in its own last state",
    )
    parser.add_argument(
        "--per-word",
        choices=list(PER_WORD),
        default="whitespace",
        help="what figures per word divide by: words between white space, the same for every lane "
        "(if not given), or each lane's own pre-tokens",
    )
    parser.add_argument(
        "--held-out",
        metavar="FILE",
        help="a text that the lanes were not trained on, to measure them on, too, or - for "
        "standard input; in --languages what it costs in each. A sample by language has one",
    )
    written = parser.add_mutually_exclusive_group()
    written.add_argument("--json", action="store_true", help="all tables as one JSON object")
    written.add_argument("--csv", action="store_true", help="the metrics of every position as CSV")
    parser.add_argument(
        "--web-page", metavar="PATH", help="write the player with these lanes as one web page"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")


def run(options: Namespace) -> int:
    """Compares and prints."""
    if len(options.lanes) < 2:
        raise UsageError("give --lane twice or more; there is nothing to compare otherwise.")
    if options.file is not None and options.sample:
        raise UsageError("give FILE or --sample NAME, not both.")
    if options.held_out is not None and options.csv:
        raise UsageError("--csv has the metrics of the training; take --json for held-out text.")
    if options.held_out == options.file == "-":
        raise UsageError("standard input is one text; give FILE or --held-out another name.")
    sample = tokviz.SAMPLES[options.sample] if options.sample else None
    corpus = sample.corpus if sample else None
    if options.file is not None:
        corpus = read_corpus(options.file, options.languages)
    histories = [
        _history(lane, f"lane {number} of {len(options.lanes)}: ", corpus, options.quiet)
        for number, lane in enumerate(options.lanes, start=1)
    ]
    comparison = tokviz.compare(histories, corpus, options.align, per_word=options.per_word)
    held: Any = sample.held_out or None if sample else None
    if options.held_out is not None:
        told = of_languages(corpus) and not is_table(options.held_out)
        held = read_corpus(options.held_out, options.languages or told)
    held_out = None if held is None else comparison.held_out(held)
    costs = comparison.held_out_languages(held) if of_languages(held) else None
    if options.web_page:
        from tokviz.player.web_page import web_page

        text = comparison.corpus
        texts = [text] * len(histories) if isinstance(text, str) else None
        page = web_page(histories, labels=comparison.names, texts=texts, align=options.align)
        write_file(options.web_page, page.encode("utf-8"))
    if options.csv:
        write_file("-", table_bytes(comparison.metrics, "csv"))
    elif options.json:
        tables = {"held_out": held_out, "held_out_languages": costs}
        print(json.dumps(_record(comparison, options.lanes, tables)))
    else:
        for line in _report(comparison, options.lanes):
            print(line)
        if comparison.per_word != options.per_word:
            print(
                "A lane of a word-count table or of an old file does not know the white-space "
                "words of its text, so figures per word divide by each lane's own pre-tokens."
            )
        for line in [] if held_out is None else _held_out_lines(held_out):
            print(line)
        for line in [] if costs is None else _cost_lines(costs, comparison.names):
            print(line)
    return 0


def _history(lane: str, label: str, corpus: Any, quiet: bool) -> History:
    if Path(lane).is_file():
        return tokviz.load(lane)
    settings = lane_settings(lane)
    if corpus is None:
        raise UsageError(f"the lane {lane!r} is trained here, so give the text: FILE or --sample.")
    return trained(corpus, quiet, label, **settings)


def _report(comparison: Comparison, lanes: Sequence[str]) -> list[str]:
    """What the page Compare shows, in lines of text."""
    rows = [
        [
            name,
            counted("{n} token", "{n} tokens", history.vocab_size(len(history))),
            counted("{n} step", "{n} steps", len(history)),
            lane,
        ]
        for name, history, lane in zip(comparison.names, comparison.histories, lanes, strict=True)
    ]
    lines = columns([[printable(cell) for cell in row] for row in rows])
    numbers = range(len(lanes))
    for i, j in ((i, j) for i in numbers for j in numbers if i < j):
        lines += ["", *_parting(comparison, comparison.parting(i, j), i, j)]
    return [*lines, "", *_metric_lines(comparison)]


def _parting(comparison: Comparison, found: Parting | None, i: int, j: int) -> list[str]:
    a, b = (printable(comparison.names[lane]) for lane in (i, j))
    if found is None:
        return [f"{a} and {b} cut every word alike all the time."]
    left, right = (printable(" | ".join(parts)) for parts in (found.left, found.right))
    times = "once" if found.times == 1 else f"{found.times:,} times"
    where = lane_parting_at(comparison, found.position)
    return [
        f"{a} and {b} part at {where}: “{printable(found.word)}” "
        f"({times}) is {left} for {a} and {right} for {b}.",
        printable(found.why),
        f"  {a}: {printable(found.left_said)}",
        f"  {b}: {printable(found.right_said)}",
    ]


def lane_parting_at(comparison: Comparison, position: int) -> str:
    if comparison.axis.is_beyond(position):
        return "the end of every lane"
    x = f"{comparison.axis.values[position]:,g}"
    return {"size": f"a vocabulary of {x}", "step": f"step {x}", "share": f"{x} % of training"}[
        comparison.axis.align
    ]


def _metric_lines(comparison: Comparison) -> list[str]:
    """Every metric of each lane's own last state, a column for each; then those of every two."""
    shown = [(metric.name, str(metric.label)) for metric in metrics_of(comparison.per_word)]
    shown.append(("words", str(PER_WORD[comparison.per_word])))
    rows = [[label, *map(_number, comparison.end[name])] for name, label in shown]
    lines = columns([["at the end", *map(printable, comparison.names)], *rows])
    for pair in comparison.pairs_at(comparison.positions[-1:]).to_dict("records"):
        said = ", ".join(f"{m.label} {pair[m.name]:.4g}" for m in PAIR_METRICS)
        lines.append(printable(f"{pair['left']} and {pair['right']}: {said}"))
    return lines


def _held_out_lines(table: "pd.DataFrame") -> list[str]:
    """How every lane does on the held-out text, with 95 % intervals in brackets."""
    (per_word,) = {*table["per_word"]}
    labels = {metric.name: metric.label for metric in metrics_of(per_word)}
    rows = [["held-out text", *map(printable, table["lane"])]]
    for name, label in (
        ("characters_per_token", "Characters per token"),
        ("bytes_per_token", "Bytes per token"),
        ("fertility", labels["fertility"]),
        ("whole_words", f"{labels['whole_words']} (share)"),
        ("unknown", "Words with an unknown token (share)"),
        ("tokens", "Tokens"),
        ("words", str(PER_WORD[per_word])),
        ("characters", "Characters"),
        ("bytes", "Bytes"),
    ):
        cells = [*map(_number, table[name])]
        if f"{name}_low" in table:
            bounds = zip(table[f"{name}_low"], table[f"{name}_high"], strict=True)
            between = [f" ({_number(low)} to {_number(high)})" for low, high in bounds]
            cells = [*map(str.__add__, cells, between)]
        rows.append([label, *cells])
    return ["", *columns(rows)]


def _cost_lines(table: "pd.DataFrame", names: Sequence[str]) -> list[str]:
    """The tokens of the held-out text in each language, and how many times the cheapest's."""
    rows = [["held-out tokens (times the cheapest)", *map(printable, names)]]
    for language in table["language"].unique():
        one = table[table["language"] == language]
        cells = zip(one["tokens"], one["ratio"], strict=True)
        rows.append([printable(language), *(f"{n:,} ({ratio:.2f})" for n, ratio in cells)])
    return ["", *columns(rows)]


def _number(value: float) -> str:
    return f"{int(value):,}" if value == int(value) else f"{value:.4g}"


def _record(
    comparison: Comparison, lanes: Sequence[str], held_out: "Mapping[str, pd.DataFrame | None]"
) -> dict[str, Any]:
    """Every table of the comparison, as `table_bytes` writes it."""
    tables = {
        "partings": comparison.partings,
        "end": comparison.end,
        "metrics": comparison.metrics,
        "pairs": comparison.pairs,
        **{name: table for name, table in held_out.items() if table is not None},
    }
    named = [
        {"name": name, "lane": lane} for name, lane in zip(comparison.names, lanes, strict=True)
    ]
    records = {name: json.loads(table_bytes(frame, "json")) for name, frame in tables.items()}
    return {"lanes": named, "align": comparison.axis.align, **records}


COMMAND = Command(
    "compare",
    "say where lanes part and why, and measure them",
    (
        'compare my.txt --lane "bpe vocab_size=60" --lane "wordpiece vocab_size=60"',
        'compare --sample course --lane "bpe vocab_size=60 tie_break=first-seen" '
        '--lane "bpe vocab_size=60 tie_break=largest-pair"',
        'compare my.txt --lane "preset=hf-bpe vocab_size=500" --lane run.npz --json',
        "compare --lane a.npz --lane b.npz --csv",
        'compare my.txt --lane "bpe vocab_size=500" --lane run.npz --held-out other.txt',
        'compare --sample ten-languages --lane "bpe vocab_size=1000 unit=byte '
        'initial_alphabet=bytes" --lane "parity-bpe vocab_size=1000 unit=byte '
        'initial_alphabet=bytes"',
    ),
    arguments,
    run,
)
