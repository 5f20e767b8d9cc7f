"""`tokviz export`: a saved run as a real tokenizer's files, as tables, pages and pictures."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

import tokviz
from tokviz.cli.base import Command, UsageError
from tokviz.cli.inputs import state_of
from tokviz.cli.terminal import columns, printable, write_file
from tokviz.formats.endings import check_ending
from tokviz.formats.tables import TABLE_FORMATS, TABLES, table_bytes
from tokviz.history.base import History
from tokviz.pictures.animation import MOST_STEPS
from tokviz.pictures.animation_files import ANIMATIONS, animation_file
from tokviz.pictures.files import KINDS, PPI

if TYPE_CHECKING:
    from tokviz.pictures.picture import Picture
    from tokviz.pictures.print_chart import PrintChart

#: What is neither a tokenizer nor a table, and the endings of its file, the usual one first.
_OTHERS = {"web-page": ["html"], "animation": [*ANIMATIONS], "figure": [*KINDS]}
#: Words that an animation shows if none are asked for, and among how many it looks for them.
_WORDS, _LOOKED_AT = 6, 300


def arguments(parser: ArgumentParser) -> None:
    """The run, what to make of it, and where to."""
    parser.add_argument("run", metavar="RUN", help="a saved run (train --save)")
    parser.add_argument("format", metavar="FORMAT", nargs="?", help="what to write; see --list")
    parser.add_argument(
        "path",
        metavar="PATH",
        nargs="?",
        help="a file, a folder if there are several files, or - for standard output; without it "
        "files get their usual names here, and none is overwritten",
    )
    parser.add_argument("--list", action="store_true", help="say what this run can be exported as")
    parser.add_argument("--step", type=int, metavar="T", help="the state; the last if not given")
    parser.add_argument(
        "--as",
        dest="table_format",
        choices=list(TABLE_FORMATS),
        help="the kind of file of a table; by the ending of PATH, or csv, if not given",
    )
    group = parser.add_argument_group("of a figure, a file for a paper: .svg, .pdf or .png")
    group.add_argument(
        "--measure",
        metavar="NAME",
        help="a curve of it over the steps; corpus_tokens if nothing else is asked for",
    )
    group.add_argument("--word", metavar="TEXT", help="its merge tree or lattice, as of --step")
    group.add_argument(
        "--segmentation", metavar="TEXT", help="the tokens of a word in every state up to --step"
    )
    group.add_argument(
        "--rows", type=int, metavar="K", help="the best K candidates of the state --step"
    )
    group.add_argument("--width", default="240pt", help="mm, cm, in or pt; 240pt if not given")
    group.add_argument(
        "--ppi", type=int, default=PPI, help=f"dots to the inch of a PNG; {PPI} if not given"
    )
    group = parser.add_argument_group(
        "of an animation, which ends at --step: .svg, .gif, or .zip with a PNG of each state"
    )
    group.add_argument(
        "--first",
        type=int,
        metavar="T",
        help=f"the state that it begins with; {MOST_STEPS} steps earlier, if there are so many",
    )
    group.add_argument(
        "--show",
        action="append",
        metavar="TEXT",
        help=f"a word or a line to show, as often as there are; the {_WORDS} most frequent words "
        "if not given",
    )
    group.add_argument(
        "--seconds", type=_seconds, default=1.5, help="for each step; 1.5 if not given"
    )
    group.add_argument("--dark", action="store_true", help="in the dark colours")


def formats() -> list[str]:
    """The name of everything that some run can be written as."""
    from tokviz.formats.exports import EXPORTS

    return [*EXPORTS, *TABLES, *_OTHERS]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0.1 <= seconds <= 60:
        raise ArgumentTypeError(f"{text!r} is no time; give 0.1 to 60 seconds")
    return seconds


def run(options: Namespace) -> int:
    """Writes the files, or says what there is to write."""
    if options.list == bool(options.format):
        raise UsageError("give either FORMAT or --list.")
    history = tokviz.load(options.run)
    if options.list:
        for line in _listed(history):
            print(printable(line))
        return 0
    t = state_of(history, options.step)
    if options.table_format and options.format not in TABLES:
        raise UsageError(f"--as is for tables; {options.format} has a format of its own.")
    if options.path not in (None, "-") and (endings := _endings(options)) is not None:
        check_ending(options.path, options.format, endings)
    _write(_files(history, t, options), options.path)
    return 0


def _endings(options: Namespace) -> list[str] | None:
    """The endings that a file of the format may have, none if it is a folder of several; None for
    a format that there is not."""
    from tokviz.formats.exports import EXPORTS

    if options.format in TABLES:
        return [options.table_format] if options.table_format else [*TABLE_FORMATS]
    if options.format in _OTHERS:
        return _OTHERS[options.format]
    if options.format not in EXPORTS:
        return None
    ending = EXPORTS[options.format].ending
    return [] if ending == "zip" else [ending]


def _files(history: History, t: int, options: Namespace) -> dict[str, bytes]:
    """The contents of all files, by their usual names."""
    name = options.format
    if name in TABLES:
        ending = _ending(options.path)
        format = options.table_format or (ending if ending in TABLE_FORMATS else "csv")
        return {f"{name}.{format}": table_bytes(TABLES[name].frame(history, t), format)}
    if name == "web-page":
        from tokviz.player.web_page import web_page

        return {"tokviz.html": web_page([history], position=t).encode("utf-8")}
    if name == "animation":
        kind = _kind(options)
        return {f"tokviz.{kind}": _animation(kind, history, t, options)}
    if name == "figure":
        kind = _kind(options)
        return {f"tokviz.{kind}": _figure(history, t, options).file(kind, options.ppi)}
    from tokviz.formats.exports import EXPORTS, export

    if name not in EXPORTS:
        raise UsageError(f"{name!r} is no format; choose one of {', '.join(formats())}.")
    if said := EXPORTS[name].why_not(history):
        raise ValueError(f"{name} is not possible: {said}")
    files: dict[str, bytes] = export(history, name, t)
    return files


def _ending(path: str | None) -> str:
    """The ending of a file's name, if there is one."""
    return Path(path or "").suffix.lower().removeprefix(".")


def _kind(options: Namespace) -> str:
    """The kind of a figure or an animation that a file's name asks for, or the usual one."""
    ending, kinds = _ending(options.path), _OTHERS[options.format]
    return ending if ending in kinds else kinds[0]


def _figure(history: History, t: int, options: Namespace) -> "Picture | PrintChart":
    """What is asked for, as Python gives it."""
    asked = {name: getattr(options, name) for name in ("measure", "word", "segmentation", "rows")}
    given = [name for name, value in asked.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"a figure is of one thing; give only one of --{', --'.join(given)}.")
    if options.word is not None:
        return history.word_chart(options.word, t, options.width)
    if options.segmentation is not None:
        return history.segmentation_chart(options.segmentation, 0, t, options.width)
    if options.rows is not None:
        return history.candidates_chart(t, options.rows, options.width)
    return history.chart(options.measure or "corpus_tokens", options.width)


def _animation(kind: str, history: History, t: int, options: Namespace) -> bytes:
    theme = "dark" if options.dark else "light"
    early = max(0, t - MOST_STEPS) if options.first is None else options.first
    first = state_of(history, early, "--first")
    shown = options.show or _frequent(history, first, t)
    return animation_file(kind, history, shown, first, t, options.seconds, theme)


def _frequent(history: History, first: int, last: int) -> list[str]:
    """The most frequent words that are cut in another way after a stretch; others if too few."""

    def stays(word: str) -> bool:
        return history.segmentation(word, first) == history.segmentation(word, last)

    counted = zip(history.words.counts, history.words.words, strict=True)
    by_count = [word for _, word in sorted(counted, key=lambda one: -one[0])]
    return sorted(by_count[:_LOOKED_AT], key=stays)[:_WORDS]


def _write(files: dict[str, bytes], path: str | None) -> None:
    """One file goes where the path says; several go into it as a folder."""
    if path == "-" and len(files) > 1:
        raise UsageError(f"{', '.join(files)} are several files; give a folder as PATH.")
    if path is None:
        for name in files:
            if Path(name).exists():
                raise ValueError(f"{name} is here already; say with PATH where to write to.")
    into_folder = path not in (None, "-") and (len(files) > 1 or Path(str(path)).is_dir())
    if into_folder:
        Path(str(path)).mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        place = str(Path(str(path)) / name) if into_folder else path or name
        write_file(place, data)
        if place != "-":
            print(printable(f"{place}: {len(data):,} bytes"))


def _listed(history: History) -> list[str]:
    """What the run can be exported as, and why not as the rest."""
    from tokviz.formats.exports import EXPORTS

    rows, impossible = [], []
    for name, found in EXPORTS.items():
        if said := found.why_not(history):
            impossible.append([name, said])
        else:
            rows.append([name, found.label])
    rows += [[name, f"table: {table.help}"] for name, table in TABLES.items()]
    rows += [
        ["web-page", "The player with this run as one HTML file."],
        ["figure", "A curve, a word or candidates for a paper, as SVG, PDF or PNG."],
        ["animation", f"Up to {MOST_STEPS} steps of some words as animated SVG or GIF, or as PNG."],
    ]
    lines = columns(rows)
    return [*lines, "", "Not possible:", *columns(impossible)] if impossible else lines


COMMAND = Command(
    "export",
    "write a saved run as a tokenizer's files, as tables, a page or a picture",
    (
        "export run.npz --list",
        "export run.npz tokenizer.json",
        "export run.npz vocabulary --step 20 -",
        "export run.npz steps steps.parquet",
        "export run.npz web-page training.html",
        "export run.npz figure loss.pdf --measure loss --width 85mm",
        "export run.npz animation words.gif --step 40",
        'export run.npz animation words.svg --first 0 --step 30 --show low --show "a lower one"',
    ),
    arguments,
    run,
)
