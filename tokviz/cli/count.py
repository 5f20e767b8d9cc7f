"""`tokviz count`: counts the words of many files by many processes or machines, for `train`."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from time import perf_counter
from typing import BinaryIO

import tokviz
from tokviz.basics.errors import CorpusError
from tokviz.basics.messages import counted
from tokviz.basics.whole_file import whole_file
from tokviz.cli.base import Command, UsageError
from tokviz.cli.inputs import (
    chosen_pretokenizer,
    given_settings,
    pretokenizer_options,
    setting_options,
)
from tokviz.cli.terminal import progress_bar
from tokviz.counting import ENGINES, count_files, write_table
from tokviz.counting.sources import needs_pyarrow
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.word_counts import CountedWords, WordCounts
from tokviz.text.word_table import write_word_table
from tokviz.trainers import configured

#: The settings of trainers on which the words depend.
_SETTINGS = (
    "special_tokens",
    "user_defined_symbols",
    "normalization_rule_name",
    "add_dummy_prefix",
    "remove_extra_whitespaces",
    "split_by_whitespace",
    "max_sentence_length",
    "byte_fallback",
    "unk_id",
    "bos_id",
    "eos_id",
    "pad_id",
    "library_version",
)


def arguments(parser: ArgumentParser) -> None:
    """The files, how their words are cut, who counts."""
    parser.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help="a text, .jsonl or .parquet, also as .gz, .bz2, .xz or .zst; a path, or any URL that "
        "fsspec reads; a URL may have * in it",
    )
    parser.add_argument(
        "--out",
        metavar="PATH",
        required=True,
        help="the .parquet that train takes, or a .tsv for the page too, which says less",
    )
    parser.add_argument(
        "--field", default="text", help="what of a record is its text (text if not given)"
    )
    parser.add_argument(
        "--algorithm",
        choices=list(tokviz.TRAINERS),
        default="bpe",
        help="what is to be trained: it says how words are cut if no pre-tokenizer does (bpe if "
        "not given)",
    )
    pretokenizer_options(parser)
    parser.add_argument(
        "--engine",
        choices=ENGINES,
        default="local",
        help="who counts: processes of this machine (if not given) or a Dask cluster",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="the Dask scheduler, as in tcp://host:8786; without it a cluster is started here",
    )
    parser.add_argument(
        "--workers",
        type=_positive,
        metavar="NUMBER",
        help="processes of this machine; its cores if not given",
    )
    parser.add_argument(
        "--part-size",
        type=_positive,
        metavar="MB",
        help="about how much of a file one task has; at most 256 if not given",
    )
    parser.add_argument(
        "--min-count",
        type=_positive,
        metavar="NUMBER",
        default=1,
        help="leave out words that came less often (1 if not given: none)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress on standard error")
    setting_options(parser, _SETTINGS)


def _positive(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > 9 or not int(text):
        raise ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def run(options: Namespace) -> int:
    """Counts, writes the table and says how long it took."""
    in_text = options.out.lower().endswith(".tsv")
    if not in_text and not options.out.lower().endswith(".parquet"):
        raise UsageError(
            "--out must end with .parquet, which holds every word exactly and how they were "
            "counted, or with .tsv, which the page takes too."
        )
    if options.scheduler and options.engine != "dask":
        raise UsageError("--scheduler needs --engine dask.")
    if not in_text:
        needs_pyarrow("a table of counted words")
    settings = given_settings(options, options.algorithm, _SETTINGS)
    trainer = tokviz.make_trainer(options.algorithm, **settings)
    chosen = chosen_pretokenizer(options.pretokenizer, options.pattern)
    cutter = configured(trainer, make_pretokenizer(chosen or trainer.default_pretokenizer))
    if in_text and cutter.name == "sentencepiece":
        raise UsageError(
            "--out must end with .parquet for the words of sentencepiece: how often each of them "
            "ends a line is part of the count."
        )
    begin = perf_counter()
    with whole_file(options.out) as file, progress_bar(not options.quiet) as progress:
        words = count_files(
            options.files,
            cutter,
            trainer.special_tokens,
            field=options.field,
            engine=options.engine,
            scheduler=options.scheduler,
            workers=options.workers,
            part_size=options.part_size and options.part_size << 20,
            progress=progress,
        )
        seconds = perf_counter() - begin
        if not words.words:
            raise ValueError("these files have no words; look at --field and --pretokenizer.")
        kept = _at_least(options.min_count, words)
        if in_text:
            _write_text(kept, file)
        else:
            write_table(CountedWords(kept, cutter, trainer.special_tokens, settings), file)
    print(
        f"{_words(words.total)}, {len(words):,} of them distinct, in {seconds:,.1f} s "
        f"({words.total / seconds:,.0f} a second): {options.out}"
    )
    if len(kept) < len(words):
        print(
            f"Left out, because they occur less than {options.min_count:,} times: "
            f"{len(words) - len(kept):,} of the distinct words, {_words(words.total - kept.total)} "
            "in all."
        )
    if in_text:
        print(f"Train it with the pre-tokenizer {cutter.name}: the table does not say so.")
    return 0


def _words(n: int) -> str:
    return counted("{n} word", "{n} words", n)


def _at_least(least: int, words: WordCounts) -> WordCounts:
    """The words that came so often, in their order. Of how many white-space words those are a part
    nobody knows."""
    if least == 1:
        return words
    keep = [i for i, count in enumerate(words.counts) if count >= least]
    if not keep:
        raise ValueError(
            f"no word came {least:,} times; the most frequent one came {max(words.counts):,} "
            "times. Give a smaller --min-count."
        )
    ends = words.line_ends
    return WordCounts(
        tuple(words.words[i] for i in keep),
        tuple(words.counts[i] for i in keep),
        None if ends is None else tuple(ends[i] for i in keep),
    )


def _write_text(words: WordCounts, file: BinaryIO) -> None:
    try:
        table = write_word_table(dict(zip(words.words, words.counts, strict=True)))
    except CorpusError as error:
        raise CorpusError(f"{error} Give --out a name that ends with .parquet.") from None
    # Who reads it takes one such mark off.
    file.write(table.encode("utf-8-sig" if table.startswith("\ufeff") else "utf-8"))


COMMAND = Command(
    "count",
    "count the words of many files, on all cores or a Dask cluster",
    (
        "count corpus/*.txt --out words.parquet",
        "count data.jsonl.gz more.parquet --field content --out words.parquet --pretokenizer bert",
        "count 's3://bucket/part-*.jsonl.zst' --engine dask --scheduler tcp://host:8786 "
        "--out words.parquet",
        "count corpus/*.txt --min-count 2 --out words.tsv",
        "count wiki.txt --algorithm sentencepiece-unigram --byte-fallback --out words.parquet",
    ),
    arguments,
    run,
)
