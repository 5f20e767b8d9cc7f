"""A text cut by the merges of an opened tokenizer, one merge after the other."""

import dataclasses

from tokviz.basics.arguments import Shown, check_callable
from tokviz.basics.errors import SettingError
from tokviz.basics.progress import ProgressCallback
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.history.replay import ReplayHistory
from tokviz.text.given_corpus import Corpus, as_corpus
from tokviz.text.pieces import opening
from tokviz.trainers.replay import replay as replay_merges
from tokviz.trainers.training import MOST_KEPT


def replay(
    opened: OpenedTokenizer, corpus: Corpus, progress: ProgressCallback | None = None
) -> ReplayHistory:
    """Applies the merges of an opened tokenizer to a text, the lowest rank first, and returns the
    whole history: what changes is how the text is cut, not the vocabulary.

    `corpus` is as `train` takes it, and may be empty. Raises SettingError for what is no opened
    tokenizer and for one that has no merges, and as `tokviz.trainers.replay.replay` does.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}'}
    >>> opened = open_tokenizer({**files, "merges.txt": b"l o\\nlo w"})
    >>> [step.token for step in replay(opened, {"slow": 2}).steps]
    ['lo', 'low']
    """
    check_callable("progress", progress)
    if not isinstance(opened, OpenedTokenizer):
        raise SettingError.saying(
            "opened={opened!r} is no opened tokenizer; pass what tokviz.open_tokenizer gives.",
            opened=Shown(opened),
        )
    corpus = as_corpus(corpus)
    if opened.merges is None:
        raise SettingError.saying(
            "{name} is a {model} tokenizer, which has no merges; encode with its tokenizer "
            "instead.",
            name=opened.name,
            model=opened.model,
        )
    history = replay_merges(opened.name, opened.merges, opened.tokenizer, corpus, progress)
    return dataclasses.replace(history, text=opening(corpus, MOST_KEPT))
