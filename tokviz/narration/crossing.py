"""What a step of SuperBPE will do: a merge, and what becomes of the borders of words.

The player says the same (player/js/crossing.js) with the same messages.
"""

from tokviz.basics.messages import message, sentences
from tokviz.history.crossing.history import CrossingHistory
from tokviz.narration.merges import announced


def announced_crossing(history: CrossingHistory, t: int) -> str:
    said = announced(history, t)
    if t != history.border:
        return said
    return sentences(message("The borders of words fall."), said)
