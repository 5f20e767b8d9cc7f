"""Whether a training reached the vocabulary size asked for, and the warning where it did not."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from tokviz.basics.messages import Message, message
from tokviz.history.base import History


class TokvizWarning(UserWarning):
    """A training did what it could, and that is not all that was asked for.

    >>> import tokviz
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", TokvizWarning)
    ...     history = tokviz.train("low low", "bpe", 50, "whitespace")
    >>> caught[0].category.__name__, len(history)
    ('TokvizWarning', 2)
    """


def unreached(history: History, vocab_size: int) -> Message | None:
    """The sentence for a training that ended before the size asked for; None for one that has it,
    and for one that its caller stopped.

    >>> import tokviz
    >>> with unwarned():
    ...     history = tokviz.train("low low", "bpe", 50, "whitespace")
    >>> print(unreached(history, 50))
    vocab_size=50 was not reached. No pair is left: every word is one token. The vocabulary has 5 \
of the 50 tokens asked for.
    >>> unreached(tokviz.train("low low", "bpe", 5, "whitespace"), 5) is None
    True
    """
    if history.stop.kind in ("size", "cancelled"):
        return None
    return message(
        "vocab_size={asked} was not reached. {why}", asked=vocab_size, why=history.stopped
    )


@contextmanager
def unwarned() -> Iterator[None]:
    """Trainings inside give no such warning: whoever asked is told by other means."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TokvizWarning)
        yield
