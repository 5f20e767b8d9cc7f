"""Examine the vocabularies of opened tokenizers: each once for all, in a worker process."""

from tokviz.analysis.autopsy import Autopsy
from tokviz.basics.messages import message
from tokviz.server.limits import LIMITS
from tokviz.server.opened.opened_files import files_of
from tokviz.server.pool import LATE, Call, Job, out_of_time, work
from tokviz.server.shared_cache import SharedCache
from tokviz.server.waiting import bar, compute_once
from tokviz.text.corpus import Cancelled

_AUTOPSIES = SharedCache(12, LIMITS.kept.megabytes / 10)


def autopsy_of(key: str) -> Autopsy:
    """Return the autopsy of the tokenizer that `opened_files.remember` opened: from the cache, or
    made with a progress bar.

    Raises ValueError if the tokenizer is no longer cached or its library fails, and Cancelled.
    """
    call = Call(work.examine, (files_of(key),))
    return compute_once(_AUTOPSIES.entry(key), lambda: call, _finished, bar(f"autopsy_{key}"))


def is_made(key: str) -> bool:
    """Return whether a tokenizer's autopsy is cached."""
    return "made" in (_AUTOPSIES.get(key) or {})


def _finished(job: Job, made: Autopsy | None) -> Autopsy:
    if made is not None:
        return made
    if job.enough == LATE:
        raise out_of_time(LIMITS.training.seconds)
    raise Cancelled(message("The autopsy was cancelled."))
