"""What a step of SuperBPE did and why: a merge, and what becomes of the borders of words.

The player says the same (player/js/crossing.js) with the same messages.
"""

from tokviz.basics.messages import message, sentences
from tokviz.history.crossing.history import CrossingHistory
from tokviz.narration.merges import announced, merged


def crossed(history: CrossingHistory, t: int) -> str:
    said = merged(history, t)
    if history.crosses[t]:
        said = sentences(said, message("It reaches across a border between words."))
    if t + 1 == history.border:
        said = sentences(said, _fallen())
    return said


def announced_crossing(history: CrossingHistory, t: int) -> str:
    said = announced(history, t)
    if t == history.border:
        return sentences(_fallen(), said)
    if history.crosses[t]:
        return sentences(said, message("It will reach across a border between words."))
    return said


def _fallen() -> str:
    return message("The borders of words have fallen: pairs are counted across them.")
