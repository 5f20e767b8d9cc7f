"""The Dask engine: the workers of a cluster, which may be one of this machine.

A worker that is lost loses nothing but time: the scheduler gives its tasks, and the tables that
nobody had fetched from it yet, to the others.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

from tokviz.counting.errors import CountingError
from tokviz.counting.local import unheard
from tokviz.counting.sources import Tell
from tokviz.counting.tasks import Job, Table, Task, count_task

#: Seconds until a scheduler must have answered and have a worker.
PATIENCE = 30


def count_on_cluster(
    job: Job, tasks: Sequence[Task], tell: Tell, scheduler: str | None, workers: int
) -> Iterator[tuple[int, Table]]:
    """Every task's number and table as it is done, by the workers of the scheduler at that address,
    or, without one, by a cluster of so many processes of this machine, which ends with this.

    Raises CountingError if the package is missing, nobody answers, workers cannot import this one,
    or a task has killed several workers.
    """
    try:
        import distributed
    except ImportError:
        raise CountingError(
            "the Dask engine needs the package distributed; install it with: pip install "
            '"dask[distributed]".'
        ) from None
    with _client(distributed, scheduler, workers) as client:
        waiting = iter(enumerate(tasks))
        done = distributed.as_completed(loop=client.loop)
        numbers: dict[Any, int] = {}

        def submit_some() -> None:
            # Few wait with their tables, which take memory of the workers; and these may become
            # more or fewer meanwhile.
            room = max(1, 3 * sum(client.nthreads().values()))
            for number, task in islice(waiting, max(0, room - len(numbers))):
                future = client.submit(count_task, job, task, pure=False)
                numbers[future] = number
                done.add(future)

        submit_some()
        try:
            for future in done:
                number = numbers.pop(future)
                table = future.result()
                submit_some()
                tell(sum(part.size for part in tasks[number]))
                yield number, table
                del future, table
        except distributed.scheduler.KilledWorker as error:
            raise CountingError(
                "several workers were lost while they did the same task, maybe because memory ran "
                f"out; give them more, or ask for smaller parts ({error})."
            ) from None
        except ModuleNotFoundError as error:
            raise CountingError(
                f"a worker cannot import {error.name}; every worker needs tokviz and what its "
                "requirements name."
            ) from None
        except (distributed.CancelledError, distributed.comm.CommClosedError):
            raise CountingError(
                "the connection to the Dask scheduler was lost; start again when it answers."
            ) from None
        finally:
            client.cancel(list(numbers))


@contextmanager
def _client(distributed: Any, scheduler: str | None, workers: int) -> Iterator[Any]:
    import logging

    if scheduler is None:
        with unheard():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            )
        with cluster, distributed.Client(cluster, set_as_default=False) as client:
            yield client
        return
    try:
        client = distributed.Client(scheduler, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise CountingError(f"no Dask scheduler answers at {scheduler} ({error}).") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise CountingError(
                f"the Dask scheduler at {scheduler} has no workers; start some with: dask worker "
                f"{scheduler}."
            ) from None
        yield client
