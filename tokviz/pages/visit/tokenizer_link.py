"""Runs of an opened tokenizer's file in an address, by the digest of the file: a reload, and a page
elsewhere, show them as long as this server keeps the file."""

from collections.abc import Iterable
from typing import Any

from tokviz.server import limits
from tokviz.server.limit_checks import check_interventions
from tokviz.server.opened.opened_files import find
from tokviz.server.runs import Corpus, Run, TokenizerFile
from tokviz.trainers.continued import Continued
from tokviz.trainers.interventions import Interventions, merges_in_order
from tokviz.trainers.replay import Replay

#: The algorithms of such runs.
OF_FILES = Replay.name, Continued.name
#: Names among the settings: of the file's digest, and of the merges that a replay was stopped at.
_FILE, _STEPS = "file", "steps"
#: The key of interventions among the settings.
INTERVENTIONS = "interventions"


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
    interventions = _told(said.pop(INTERVENTIONS, ()), algorithm)
    digest, steps = said.pop(_FILE), said.pop(_STEPS, None)
    if said or not isinstance(digest, str) or not (steps is None or type(steps) is int):
        raise TypeError
    opened = find(digest)
    if algorithm == Replay.name:
        size = len(opened.tokenizer.strings)
    source = TokenizerFile(digest, opened.name, steps)
    return Run(corpus, algorithm, size, "", interventions=interventions, source=source)


def _told(said: Any, algorithm: str) -> Interventions:
    """Return what a run is told to choose. Raises ValueError for what cannot be."""
    if not said:
        return ()
    # Checked before it is read, since an error message would quote it.
    if algorithm != Continued.name or not isinstance(said, list):
        raise TypeError
    check_interventions(len(said), limits.LIMITS.settings)
    told = merges_in_order(said)
    if any("\ud800" <= char <= "\udfff" for _step, pair in told for char in "".join(pair)):
        # A lone surrogate is no character and cannot be shown.
        raise TypeError
    return told
