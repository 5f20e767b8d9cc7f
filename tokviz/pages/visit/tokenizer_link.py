"""Runs of an opened tokenizer's file in an address, by the digest of the file: a reload, and a page
elsewhere, show them as long as this server keeps the file."""

from collections.abc import Iterable
from typing import Any

from tokviz.server.opened.opened_files import find
from tokviz.server.runs import Corpus, Run, TokenizerFile
from tokviz.trainers.continued import Continued
from tokviz.trainers.replay import Replay

#: The algorithms of such runs.
OF_FILES = Replay.name, Continued.name
#: Names among the settings: of the file's digest, and of the merges that a replay was stopped at.
_FILE, _STEPS = "file", "steps"


def written_source(source: TokenizerFile) -> list[tuple[str, Any]]:
    """Return what an address says of a file, as settings.

    >>> written_source(TokenizerFile("0f", "mine")), written_source(TokenizerFile("0f", "mine", 3))
    ([('file', '0f')], [('file', '0f'), ('steps', 3)])
    """
    steps = [] if source.steps is None else [(_STEPS, source.steps)]
    return [(_FILE, source.digest), *steps]


def names_file(settings: Iterable[Any]) -> bool:
    """Return whether settings that may have been tampered with name a file."""
    return any(name == _FILE for name, _value in settings)


def run_of_file(corpus: Corpus, algorithm: str, size: int, settings: Iterable[Any]) -> Run:
    """Return the run of `OF_FILES` that an address describes; it may have been tampered with.

    Raises ValueError if the file is not kept any more, and TypeError for what is no address.
    """
    said = dict(settings)
    digest, steps = said.pop(_FILE), said.pop(_STEPS, None)
    if said or not isinstance(digest, str) or not (steps is None or type(steps) is int):
        raise TypeError
    opened = find(digest)
    if algorithm == Replay.name:
        size = len(opened.tokenizer.strings)
    return Run(corpus, algorithm, size, "", source=TokenizerFile(digest, opened.name, steps))
