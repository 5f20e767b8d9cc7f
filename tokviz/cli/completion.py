"""`tokviz completion`: prints the script with which a shell completes commands and options."""

from argparse import ArgumentParser, Namespace
from importlib.util import find_spec

from tokviz.cli.base import Command
from tokviz.cli.export import formats

#: Those of the shells that shtab knows that people use most.
SHELLS = ("bash", "zsh", "fish")
#: What stands for a file in --help.
_PATHS = {"FILE", "PATH", "RUN", "RUN_OR_TOKENIZER", "LANE"}


def arguments(parser: ArgumentParser) -> None:
    """The shell, and nothing else."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help="bash, zsh or fish")


def run(options: Namespace) -> int:
    """Prints the script."""
    if find_spec("shtab") is None:
        raise ValueError(
            'Completion needs the package shtab; install it with: pip install "shtab>=1.7.2,<2"'
        )
    import shtab

    print(shtab.complete(whole_parser(), options.shell))
    return 0


def whole_parser() -> ArgumentParser:
    """All commands and their options in one parser, as the installed command `tokviz` has them;
    what is a file, a folder or a format says so to shtab."""
    import shtab

    from tokviz.__main__ import COMMANDS

    top = ArgumentParser("tokviz")
    top.add_argument("--version", action="version", help="print the version and exit")
    commands = top.add_subparsers()
    for command in COMMANDS.values():
        made = commands.add_parser(command.name, help=command.help)
        command.arguments(made)
        for action in made._actions:
            if action.metavar in _PATHS:
                action.complete = shtab.FILE  # type: ignore[attr-defined]
            elif action.metavar == "DIR":
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
            elif action.metavar == "FORMAT":
                action.choices = formats()
    return top


COMMAND = Command(
    "completion",
    "print a script with which bash, zsh or fish completes these commands",
    (
        "completion bash >> ~/.bashrc",
        "completion zsh > ~/.zfunc/_tokviz",
        "completion fish > ~/.config/fish/completions/tokviz.fish",
    ),
    arguments,
    run,
)
