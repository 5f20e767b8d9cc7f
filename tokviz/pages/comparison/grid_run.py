"""Request a grid of trainings, and train its cells once for all visitors."""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from tokviz import TRAINERS, Cancelled
from tokviz.analysis.grid import Grid, GridProgress
from tokviz.basics.messages import _, message
from tokviz.server import limits, page_limits
from tokviz.server.limit_checks import check_run
from tokviz.server.limits import LIMITS
from tokviz.server.pool import CANCEL, LATE, Call, Job, out_of_time, work
from tokviz.server.runs import Run
from tokviz.server.shared_cache import CacheEntry, SharedCache
from tokviz.server.waiting import bar, compute_once, training_progress
from tokviz.trainers import settings_of

#: Most sizes of a grid; a chart of more is hard to read.
MOST_SIZES = 12
MOST_GRIDS = 12
_GRIDS = SharedCache(MOST_GRIDS, LIMITS.kept.megabytes / 10)


class GridRequest(NamedTuple):
    """A requested grid: a run for each algorithm, and the vocabulary sizes."""

    runs: tuple[Run, ...]
    sizes: tuple[int, ...]


class StoppedGrid(Cancelled):
    """The visitor stopped the grid; `grid` has the finished cells."""

    def __init__(self, stopped: Grid) -> None:
        super().__init__(message("The grid was stopped."))
        self.grid = stopped


def runs_of(run: Run, algorithms: Sequence[str], greatest: int) -> tuple[Run, ...]:
    """Return a run for each algorithm on the corpus of `run`: its own algorithm with its settings,
    the others with defaults. Unigram gets enough seeds for the largest size, at all sizes.

    >>> from tokviz import SAMPLES
    >>> from tokviz.server.runs import run_of_sample
    >>> run = run_of_sample(SAMPLES["course"])
    >>> [(r.pretokenizer, r.settings) for r in runs_of(run, ["bpe", "unigram"], 200)]
    [('gpt2', (('unit', 'byte'),)), ('metaspace', (('seed_size', 600),))]
    """
    runs = []
    for name in algorithms:
        kind = TRAINERS[name]
        own = Run(run.corpus, name, greatest, kind.default_pretokenizer)
        if name == run.algorithm:
            own = replace(run, vocab_size=greatest)
        for seeds in settings_of(kind):
            if seeds.follows:
                enough = min(seeds.usual(greatest), page_limits.seeds(name, seeds.name))
                chosen = dict(own.settings)
                chosen[seeds.name] = max(chosen.get(seeds.name, 0), enough)
                # The default number of seeds need not be named.
                if chosen[seeds.name] != seeds.usual(1):
                    own = replace(own, settings=tuple(chosen.items()))
        runs.append(own)
    return tuple(runs)


def sizes_from(typed: str) -> tuple[int, ...]:
    """Return the sizes in a typed text, sorted, each once.

    Raises ValueError with a sentence that says what to change.

    >>> sizes_from("80, 40 60;60")
    (40, 60, 80)
    """
    sizes = set()
    for part in filter(None, re.split(r"[\s,;]+", typed)):
        if not (part.isascii() and part.isdigit()) or part.startswith("0"):
            raise ValueError(
                message(
                    "“{typed}” is not a vocabulary size; type whole numbers without dots or commas "
                    "inside them, for example 500, 1000, 2000.",
                    typed=part,
                )
            )
        if len(part) > 9 or int(part) > page_limits.vocabulary():
            raise ValueError(
                message(
                    "{typed} is too large; the greatest vocabulary size is {most:,}.",
                    typed=part,
                    most=page_limits.vocabulary(),
                )
            )
        sizes.add(int(part))
    if not sizes:
        raise ValueError(message("Type at least one vocabulary size, for example 40, 60, 80."))
    if len(sizes) > MOST_SIZES:
        raise ValueError(
            message(
                "These are {n} sizes; a grid takes up to {most}. Leave out {more}.",
                n=len(sizes),
                most=MOST_SIZES,
                more=len(sizes) - MOST_SIZES,
            )
        )
    return tuple(sorted(sizes))


def grid_of(request: GridRequest) -> Grid:
    """Return a requested grid: from the cache, or trained with a progress bar.

    Raises ValueError for an invalid corpus or setting, Cancelled, and StoppedGrid.
    """
    entry = grid_entry(request)
    show = bar(f"grid_{id(entry):x}", told_of_grid)
    return compute_once(entry, lambda: _call(request), _finished, show)


def _call(request: GridRequest) -> Call:
    for run in request.runs:
        check_run(run, limits.LIMITS)
    first = request.runs[0]
    set_ups: dict[str, dict[str, Any]] = {
        label_of(run): {
            "algorithm": run.algorithm,
            "pretokenizer": run.make_pretokenizer(),
            **run.trainer_settings,
        }
        for run in request.runs
    }
    told = (*first.corpus.key, set_ups, request.sizes, limits.LIMITS.corpus)
    return Call(work.make_grid, told)


def _finished(job: Job, made: Grid) -> Grid:
    if made.cancelled:
        if job.enough != CANCEL and len(made.table):
            raise StoppedGrid(made)
        if job.enough == LATE:
            raise out_of_time(LIMITS.training.seconds)
        raise Cancelled(message("Training was cancelled."))
    return made


def told_of_grid(progress: GridProgress) -> tuple[float, str]:
    """Return how much of a grid is done, as a share and as a sentence."""
    inner = training_progress(progress.inner)[1]
    return progress.share, _(
        "{done} of {cells} cells done. {algorithm} to {size:,} tokens: {inner}",
        done=progress.done,
        cells=progress.cells,
        algorithm=progress.algorithm,
        size=progress.vocab_size,
        inner=inner,
    )


def label_of(run: Run) -> str:
    """Return the name of a run's algorithm in a grid."""
    return TRAINERS[run.algorithm].label


def grid_entry(request: GridRequest) -> CacheEntry:
    """Return the cache entry of a grid; the title of its corpus does not matter."""
    return _GRIDS.entry((request.sizes, *(run.key for run in request.runs)))
