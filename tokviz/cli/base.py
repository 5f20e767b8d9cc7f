"""What a command is, and how it says that it cannot do what was asked."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Command:
    """One command: its name, a line of help, examples (the rest of the line after
    `python -m tokviz`), what adds its options to a parser, and what does it.

    `run` returns the exit status. It raises ValueError or OSError where the input cannot be used,
    and UsageError where the options cannot be.
    """

    name: str
    help: str
    examples: tuple[str, ...]
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], int]


class UsageError(Exception):
    """Options that do not go together; the message says what to change."""
