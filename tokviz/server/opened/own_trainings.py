"""Train with the words of opened tokenizers on visitors' texts: each once for all, in a worker
process."""

from tokviz.basics.messages import message
from tokviz.history.merges import MergeHistory
from tokviz.server import limits
from tokviz.server.histories import bytes_of
from tokviz.server.limit_checks import check_text
from tokviz.server.limits import LIMITS
from tokviz.server.opened.opened_files import files_of, find
from tokviz.server.pool import CANCEL, LATE, Call, Job, out_of_time, work
from tokviz.server.runs import Corpus
from tokviz.server.shared_cache import SharedCache
from tokviz.server.waiting import bar, compute_once
from tokviz.text.corpus import Cancelled

_TRAININGS = SharedCache(LIMITS.kept.histories, LIMITS.kept.megabytes / 10)


def training_of(key: str, corpus: Corpus, merges: int) -> MergeHistory:
    """Return the history of a training on a corpus, for at most so many merges, with the words of
    the tokenizer that `opened_files.remember` opened: from the cache, or trained with a progress
    bar. One that took too long ends where it was.

    Raises ValueError if the tokenizer is no longer cached and for an invalid corpus, and Cancelled.
    """
    check_text(corpus.text, limits.LIMITS.corpus)
    asked = key, *corpus.key, merges
    call = Call(work.train_alike, (files_of(key), *asked[1:], limits.LIMITS.corpus))

    def finish(job: Job, made: work.Alike) -> MergeHistory:
        history = work.alike_of(find(key), made)
        if made.stop.kind == "cancelled":
            if job.enough == LATE and not len(history):
                raise out_of_time(LIMITS.training.seconds)
            if job.enough in (CANCEL, None):
                raise Cancelled(message("Training was cancelled."))
        _TRAININGS.weigh(asked, "made", bytes_of(history))
        return history

    name = f"own_{hash(asked):x}"
    return compute_once(_TRAININGS.entry(asked), lambda: call, finish, bar(name))


def is_trained(key: str, corpus: Corpus, merges: int) -> bool:
    """Return whether a training is cached."""
    return "made" in (_TRAININGS.get((key, *corpus.key, merges)) or {})
