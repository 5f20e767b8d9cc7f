"""Facts of runs whose characters the library chose: how the room of the vocabulary is shared."""

from collections.abc import Sequence

from tokviz.basics.messages import counted
from tokviz.history.merges import MergeHistory
from tokviz.lessons.facts import FactRequest, Part, fact, of_family, tokens
from tokviz.lessons.moments import Absent
from tokviz.trainers.merging.character_choice import CharacterChoice, Saving


def _choice(request: FactRequest) -> CharacterChoice:
    """What was chosen. Raises Absent where nothing was."""
    history = of_family(request, MergeHistory)
    if not getattr(history.trainer, "auto_character_coverage", False):
        raise Absent("choice of characters")
    choice: CharacterChoice = history.trainer.choice(history.words)
    return choice


def _saving(request: FactRequest) -> Saving:
    """The character that saves most of those that merges do not need. Raises Absent."""
    for saving in _choice(request).savings():
        if saving.kind == "alone":
            return saving
    raise Absent("character")


def _characters(n: int) -> Sequence[Part]:
    return [counted("{n} character", "{n} characters", n)]


@fact("chosen characters", "how many characters the library chose for the vocabulary")
def _chosen(request: FactRequest) -> Sequence[Part]:
    return _characters(len(_choice(request).characters))


@fact("spelled characters", "how many characters of the corpus are spelled in bytes")
def _spelled(request: FactRequest) -> Sequence[Part]:
    choice = _choice(request)
    return _characters(len(choice.found) - len(choice.characters))


@fact("shared room", "how many tokens merges and characters may be together")
def _room(request: FactRequest) -> Sequence[Part]:
    return [tokens(_choice(request).room)]


@fact("saved by choice", "how many tokens the choice saves, beside the corpus spelled in bytes")
def _saved(request: FactRequest) -> Sequence[Part]:
    return [tokens(_choice(request).chosen.saved)]


@fact("saved by other merges", "how many it would save with one merge more, if it could have that")
def _other(request: FactRequest) -> Sequence[Part]:
    choice = _choice(request)
    if choice.merges + 1 >= len(choice.saved):
        raise Absent("merge")
    return [tokens(int(choice.saved[choice.merges + 1]))]


@fact("saving character", "the character that saves most by itself, without a merge")
def _character(request: FactRequest) -> Sequence[Part]:
    return [_saving(request).character]


@fact("saving character saves", "how many tokens that character saves")
def _character_saves(request: FactRequest) -> Sequence[Part]:
    return [tokens(_saving(request).saved)]


@fact("saving character times", "how often the corpus has that character")
def _character_times(request: FactRequest) -> Sequence[Part]:
    return [counted("{n} time", "{n} times", _saving(request).times)]


@fact("saving character bytes", "how many bytes that character has")
def _character_bytes(request: FactRequest) -> Sequence[Part]:
    return [counted("{n} byte", "{n} bytes", _saving(request).bytes)]
