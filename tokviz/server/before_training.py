"""What is known of a run before it is trained: its words, and which sizes make sense for them."""

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
from tokviz.server.shared_cache import Place, Shelf
from tokviz.server.waiting import TakesLong, made_once, spinner
from tokviz.text.corpus import Cancelled, WordCounts
from tokviz.trainers import Trainer, configured
from tokviz.trainers.training import make_trainer

#: Characters whose words are counted before a worker would have begun.
MOST_COUNTED = 50_000
#: Seconds of work for what a form only wants to know beforehand.
MOST_SECONDS = 10
#: Substrings that are counted as seeds before a worker would have begun.
MOST_SUBSTRINGS = 1_000_000
Made = TypeVar("Made")
_WORDS = Shelf(LIMITS.kept.histories, LIMITS.kept.megabytes / 4)


def possible_sizes(run: Run) -> tuple[WordCounts, int, int]:
    """The words that a run is trained on, and the least and the greatest vocabulary size that it
    can be asked for. Raises ValueError if its corpus or settings cannot be."""
    check_run(run, limits.LIMITS)
    # Seeds may follow the size: it can be as large as the largest that this server trains.
    most = limits.LIMITS.settings.vocabulary
    trainer = make_trainer(run.algorithm, most, **run.trainer_settings)
    chosen = configured(trainer, run.make_pretokenizer())
    words = words_for(trainer, chosen, run.corpus)
    place = _WORDS.place((run.corpus.key, chosen, trainer))
    if "made" not in place and _has_few_seeds(trainer, words):
        place["made"] = work.sizes(words, trainer, chosen, None)
    call = Call(work.sizes, (words, trainer, chosen))
    return words, *_made_soon(place, call, lambda _job, made: made)


def words_for(trainer: Trainer, pretokenizer: Pretokenizer, corpus: Corpus) -> WordCounts:
    """The distinct words that a trainer will see, for the sizes that make sense for them. Raises
    ValueError if the corpus cannot be read."""
    check_text(corpus.text, limits.LIMITS.corpus)
    chosen = configured(trainer, pretokenizer)
    asked = (*corpus.key, chosen, trainer.special_tokens)
    place = _WORDS.place(asked)
    if "made" not in place and _is_short(corpus, chosen):
        place["made"] = work.count(*asked, None)

    def finish(job: Job, words: WordCounts) -> WordCounts:
        _WORDS.weigh(asked, "made", UNPACKED * job.bytes)
        return words

    words = _made_soon(place, Call(work.count, asked), finish)
    check_words(words, limits.LIMITS.corpus)
    return words


def _made_soon(place: Place, call: Call, finish: Callable[[Job, Made], Made]) -> Made:
    """What a worker makes within some seconds. Raises TakesLong if it does not, from then on at
    once, and TrainingFailed if it has too little memory."""
    if "slow" in place:
        raise TakesLong(place["slow"])

    def made() -> Made:
        return made_once(
            place, lambda: call, finish, spinner(_("Counting the words …"), MOST_SECONDS)
        )

    try:
        try:
            return made()
        except Cancelled:
            # Nobody looked at it for a while. Now somebody does.
            return made()
    except TakesLong as error:
        place["slow"] = error.args[0]
        raise
    except MemoryError:
        raise TrainingFailed(
            message("The corpus is too large for this computer; train on a shorter text.")
        ) from None


def _is_short(corpus: Corpus, pretokenizer: Pretokenizer) -> bool:
    """Whether the words of a corpus are counted so fast that no worker need be asked. How long a
    pattern of one's own takes, nobody knows."""
    return len(corpus.text) <= MOST_COUNTED and not is_own_pattern(pretokenizer)


def is_own_pattern(pretokenizer: Pretokenizer) -> bool:
    """Whether somebody may have written the pattern that cuts the text."""
    return (
        isinstance(pretokenizer, RegexPretokenizer)
        and pretokenizer.pattern not in REGEX_PRESETS.values()
    )


def _has_few_seeds(trainer: Trainer, words: WordCounts) -> bool:
    """Whether the words are short enough, and what may be a seed is little enough, for this
    process."""
    longest = getattr(trainer, "max_token_length", MOST_SUBSTRINGS // MOST_COUNTED)
    return sum(min(len(word), longest) * len(word) for word in words.words) <= MOST_SUBSTRINGS
