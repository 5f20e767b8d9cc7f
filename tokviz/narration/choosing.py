"""Which characters a vocabulary has whose trainer chooses them, and why."""

from typing import TypeGuard

from tokviz.basics.messages import counted, message
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.narration.values import number, tokens


def chooses(history: History) -> TypeGuard[MergeHistory]:
    """Whether the characters of a run were chosen."""
    return getattr(history.trainer, "auto_character_coverage", False)


def chosen(history: History) -> str:
    """How many characters were chosen, and why so many; empty if none were.

    >>> import tokviz
    >>> settings = {"library_version": "0.2.3", "byte_fallback": True}
    >>> settings |= {"auto_character_coverage": True}
    >>> history = tokviz.train("日本 日本 ab ab ab", "sentencepiece-bpe", 259 + 6, **settings)
    >>> print(*chosen(history).split(", "), sep="\\n")
    Characters chosen: 5 of 5
    which together with 1 merge save most: 21 tokens fewer than if all were spelled in bytes.
    """
    if not chooses(history):
        return ""
    choice = history.trainer.choice(history.words)
    return message(
        "Characters chosen: {chosen} of {all}, which together with {merges} save most: {saved} "
        "fewer than if all were spelled in bytes.",
        chosen=number(len(choice.characters)),
        all=number(len(choice.found)),
        merges=counted("{n} merge", "{n} merges", choice.merges),
        saved=tokens(choice.chosen.saved),
    )
