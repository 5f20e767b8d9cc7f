"""Run trainings in worker processes: the server stays responsive, and any training can be ended."""

from tokviz.server.pool.job import (
    CANCEL,
    LATE,
    RESTING,
    STOP,
    WAITING,
    Job,
    TrainingFailed,
    out_of_time,
)
from tokviz.server.pool.pool import Pool, QueueFull
from tokviz.server.pool.worker import Call

__all__ = [
    "CANCEL",
    "LATE",
    "RESTING",
    "STOP",
    "WAITING",
    "Call",
    "Job",
    "Pool",
    "QueueFull",
    "TrainingFailed",
    "out_of_time",
]
