"""Count the words of a run before it is trained, and find the vocabulary sizes it can have."""

from collections.abc import Callable
from typing import TypeVar

from tokviz.basics.messages import _, message
from tokviz.pretokenizers import REGEX_PRESETS, Pretokenizer, RegexPretokenizer
from tokviz.server import limits
from tokviz.server.histories import UNPACKED
from tokviz.server.limit_checks import check_run, check_text, check_words
from tokviz.server.limits import LIMITS
from tokviz.server.pool import Call, Job, TrainingFailed, work
from tokviz.server.runs import Corpus, Run
from tokviz.server.shared_cache import CacheEntry, SharedCache
from tokviz.server.waiting import TakesLong, compute_once, spinner
from tokviz.text.corpus import Cancelled
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import Trainer, configured
from tokviz.trainers.training import make_trainer

#: Longest corpus, in characters, that is counted in this process: that is faster than a worker.
MOST_COUNTED = 50_000
#: Seconds that a worker may count for a form that shows the possible sizes.
MOST_SECONDS = 10
#: Most substrings that are counted as seeds in this process: that is faster than a worker.
MOST_SUBSTRINGS = 1_000_000
Made = TypeVar("Made")
_WORDS = SharedCache(LIMITS.kept.histories, LIMITS.kept.megabytes / 4)


def possible_sizes(run: Run) -> tuple[WordCounts, int, int]:
    """Return the words of a run, and the smallest and largest vocabulary size it can have. Raises
    ValueError if the corpus or a setting is invalid."""
    check_run(run, limits.LIMITS)
    # The number of seeds may depend on the size, so the largest size of this server is taken.
    most = limits.LIMITS.settings.vocabulary
    trainer = make_trainer(run.algorithm, most, **run.trainer_settings)
    chosen = configured(trainer, run.make_pretokenizer())
    words = words_for(trainer, chosen, run.corpus)
    entry = _WORDS.entry((run.corpus.key, chosen, trainer))
    if "made" not in entry and _has_few_seeds(trainer, words):
        entry["made"] = work.sizes(words, trainer, chosen, None)
    call = Call(work.sizes, (words, trainer, chosen))
    return words, *_made_soon(entry, call, lambda _job, made: made)


def words_for(trainer: Trainer, pretokenizer: Pretokenizer, corpus: Corpus) -> WordCounts:
    """Return the distinct words that a trainer gets. Raises ValueError for an unreadable corpus."""
    check_text(corpus.text, limits.LIMITS.corpus)
    chosen = configured(trainer, pretokenizer)
    asked = (*corpus.key, chosen, trainer.special_tokens, trainer.by_language)
    entry = _WORDS.entry(asked)
    if "made" not in entry and _is_short(corpus, chosen):
        entry["made"] = work.count(*asked, None)

    def finish(job: Job, words: WordCounts) -> WordCounts:
        _WORDS.weigh(asked, "made", UNPACKED * job.bytes)
        return words

    words = _made_soon(entry, Call(work.count, asked), finish)
    check_words(words, limits.LIMITS.corpus)
    return words


def _made_soon(entry: CacheEntry, call: Call, finish: Callable[[Job, Made], Made]) -> Made:
    """Return what a worker makes within a few seconds. Raises TakesLong if it needs longer, also
    for every later request, and TrainingFailed if it runs out of memory."""
    if "slow" in entry:
        raise TakesLong(entry["slow"])

    def made() -> Made:
        return compute_once(
            entry, lambda: call, finish, spinner(_("Counting the words …"), MOST_SECONDS)
        )

    try:
        try:
            return made()
        except Cancelled:
            # The job was cancelled because no page waited for it; this page does.
            return made()
    except TakesLong as error:
        entry["slow"] = error.args[0]
        raise
    except MemoryError:
        raise TrainingFailed(
            message("The corpus is too large for this computer; train on a shorter text.")
        ) from None


def _is_short(corpus: Corpus, pretokenizer: Pretokenizer) -> bool:
    """Return whether this process counts the words of a corpus faster than a worker would. A custom
    pattern may take any time, so it never does."""
    return len(corpus.text) <= MOST_COUNTED and not is_own_pattern(pretokenizer)


def is_own_pattern(pretokenizer: Pretokenizer) -> bool:
    """Return whether the pre-tokenizer has a custom pattern."""
    return (
        isinstance(pretokenizer, RegexPretokenizer)
        and pretokenizer.pattern not in REGEX_PRESETS.values()
    )


def _has_few_seeds(trainer: Trainer, words: WordCounts) -> bool:
    """Return whether the seeds of these words are few enough to be counted in this process."""
    longest = getattr(trainer, "max_token_length", MOST_SUBSTRINGS // MOST_COUNTED)
    return sum(min(len(word), longest) * len(word) for word in words.words) <= MOST_SUBSTRINGS
