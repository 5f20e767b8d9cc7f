"""Counting files, by the engine that was chosen."""

import os
from collections.abc import Sequence

from tokviz.basics.progress import ProgressCallback, Reporter
from tokviz.counting.cluster import count_on_cluster
from tokviz.counting.errors import CountingError
from tokviz.counting.local import count_locally
from tokviz.counting.merging import Merger
from tokviz.counting.sources import sources
from tokviz.counting.tasks import Job, tasks_of
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import Cancelled
from tokviz.text.given_corpus import MAX_TOTAL
from tokviz.text.word_counts import WordCounts

ENGINES = ("local", "dask")

#: The most bytes of a task, as far as a file can be read in parts.
DEFAULT_PART = 256 << 20
#: Tasks that each worker should get, so that all of them end at about the same time.
_EACH = 4
#: The least bytes of a task: sending and merging its table has a price.
_LEAST = 4 << 20


def count_files(
    names: Sequence[str],
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str] = (),
    *,
    field: str = "text",
    engine: str = "local",
    scheduler: str | None = None,
    workers: int | None = None,
    part_size: int | None = None,
    progress: ProgressCallback | None = None,
) -> WordCounts:
    """Counts the words of files, here or behind URLs that fsspec reads, as if one process read
    them in this order: `count_words` of all their documents gives the same.

    Documents are the lines of a text, one `field` of each record of .jsonl, one column of Parquet.
    Texts and .jsonl may be compressed (.gz, .bz2, .xz, .zst). `workers` is the number of processes
    of this machine (its cores if it is not given); `scheduler` the address of a Dask scheduler.
    `part_size` is about how many bytes one task has.

    Raises CountingError with a sentence that says what to change, OSError for a file that cannot
    be read, and Cancelled if the progress callback asked to stop.
    """
    if engine not in ENGINES:
        raise CountingError(f"engine={engine!r} is not known; choose {' or '.join(ENGINES)}.")
    if scheduler is not None and engine != "dask":
        raise CountingError("a scheduler needs the Dask engine; add --engine dask.")
    processes = workers or os.cpu_count() or 1
    files = list(sources(names, part_size or _LEAST))
    total = sum(source.size or 0 for source in files)
    if part_size is None:
        part_size = min(max(total // (_EACH * processes), _LEAST), DEFAULT_PART)
    job = Job(pretokenizer, tuple(special_tokens), field)
    tasks = list(tasks_of(files, part_size))
    reporter, read = Reporter("bytes", total, progress), 0

    def tell(more: int) -> None:
        nonlocal read
        # Ranges are read a little beyond their ends.
        read = min(read + more, total)
        if reporter.cancelled(read):
            raise Cancelled("Cancelled while counting words.")

    tell(0)
    merger = Merger()
    tables = (
        count_locally(job, tasks, tell, processes)
        if engine == "local"
        else count_on_cluster(job, tasks, tell, scheduler, processes)
    )
    for number, table in tables:
        merger.add(number, table)
    return _checked(merger.result())


def _checked(words: WordCounts) -> WordCounts:
    """Raises CountingError for more characters than the trainers' 64-bit sums can hold."""
    counted = zip(words.words, words.counts, strict=True)
    if sum(len(word) * count for word, count in counted) > MAX_TOTAL:
        raise CountingError("the words have more than 2**53 characters; count fewer files.")
    return words
