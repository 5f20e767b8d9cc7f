"""What there is to do, and doing one task: the table of some parts."""

import platform
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import NamedTuple, TypeAlias

import numpy as np
import regex

from tokviz.core.host import is_there
from tokviz.counting.lines import Cuts
from tokviz.counting.reading import Part, documents_of, lines_of, parquet_groups
from tokviz.counting.sources import Source, Tell
from tokviz.history.base import Ints
from tokviz.pretokenizers import BlockPretokenizer, Pretokenizer
from tokviz.pretokenizers.blocks import Block, document_blocks, text_blocks
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import documents
from tokviz.text.white_space import with_neighbours
from tokviz.text.word_counter import WordCounter

#: Parts that one worker counts one after the other: small files together, a large one by itself.
Task: TypeAlias = tuple[Part, ...]


@dataclass(frozen=True)
class Job:
    """How every task is counted: how texts are cut into words, what is no word, and which field of
    a record, or which column, is the text."""

    pretokenizer: Pretokenizer
    special_tokens: tuple[str, ...] = ()
    field: str = "text"


class Table(NamedTuple):
    """The words of a task in first-seen order, with what `WordCounts` has; `made_with` is what
    decides how a text is cut besides the pre-tokenizer: releases of Unicode."""

    words: list[str]
    counts: Ints
    line_ends: Ints | None
    white_space_words: int
    alone: Ints
    made_with: tuple[str, ...]


def made_with() -> tuple[str, ...]:
    """What must be the same wherever words of one table are counted."""
    unicode, package = unicodedata.unidata_version, getattr(regex, "__version__", "")
    python = ".".join(platform.python_version_tuple()[:2])
    return f"Python {python}", f"Unicode {unicode}", f"regex {package}"


def tasks_of(sources: Iterable[Source], part_size: int) -> Iterator[Task]:
    """All parts of files, in order, in tasks of about `part_size` bytes; one is more only where a
    file cannot be read in parts."""
    task: list[Part] = []
    size = 0
    for part in chain.from_iterable(_parts(source, part_size) for source in sources):
        if task and size + part.size > part_size:
            yield tuple(task)
            task, size = [], 0
        task.append(part)
        size += part.size
    if task:
        yield tuple(task)


def _parts(source: Source, part_size: int) -> Iterator[Part]:
    size = source.size or 0
    if not source.has_ranges or size <= part_size:
        yield Part(source, size=size)
    elif source.kind == "parquet":
        groups = parquet_groups(source)
        for number in range(len(groups)):
            # What Parquet unpacks to is not what the file has.
            share = size * groups[number] // max(sum(groups), 1)
            yield Part(source, number, number + 1, share)
    else:
        for start in range(0, size, part_size):
            end = min(start + part_size, size)
            yield Part(source, start, end, end - start)


def count_task(job: Job, task: Task, tell: Tell | None = None) -> Table:
    """Counts the words of a task. The same task always gives the same table.

    Needs memory for its distinct words and about a megabyte of text; where the pre-tokenizer knows
    no places for cuts (regex, none, sentencepiece) and in records, for the longest document too.
    """
    job = _kept(job)
    told = tell or (lambda _: None)
    cutter, special = job.pretokenizer, job.special_tokens
    if not (isinstance(cutter, BlockPretokenizer) and is_there()):
        counted = count_words(_documents(job, task, told), cutter, special)
        assert counted.white_space_words is not None
        line_ends = None if counted.line_ends is None else np.asarray(counted.line_ends, np.int64)
        return Table(
            list(counted.words),
            np.asarray(counted.counts, np.int64),
            line_ends,
            counted.white_space_words,
            np.asarray(counted.alone, np.int64),
            made_with(),
        )
    counter = WordCounter(cutter)
    for block in _blocks(job, task, cutter, told):
        counter.add(block)
    return Table(
        counter.words(),
        counter.counts(),
        None,
        counter.white_space_words,
        counter.alone(),
        made_with(),
    )


@cache
def _kept(job: Job) -> Job:
    """The first job that was equal: a pre-tokenizer keeps tables that it makes at first use."""
    return job


def _documents(job: Job, task: Task, tell: Tell) -> Iterator[str]:
    for part in task:
        if part.source.kind == "text":
            for text in lines_of(part, tell, None):
                yield from documents(text)
        else:
            yield from documents_of(part, job.field, tell)


def _blocks(job: Job, task: Task, cutter: BlockPretokenizer, tell: Tell) -> Iterator[Block]:
    cuts = Cuts(cutter.safe_cuts, job.special_tokens)
    for part in task:
        if part.source.kind == "text":
            # A long line comes in many texts, which may be cut inside a white-space word.
            for text, *neighbours in with_neighbours(lines_of(part, tell, cuts)):
                yield from text_blocks(text, cutter.safe_cuts, job.special_tokens, *neighbours)
        else:
            texts = documents(documents_of(part, job.field, tell))
            yield from document_blocks(texts, cutter.safe_cuts, job.special_tokens)
