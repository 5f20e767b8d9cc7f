"""The command line: `python -m tokviz train FILE --algorithm bpe --vocab-size 100`.

Exit status: 0 fine, 1 the input cannot be used, 2 the options cannot be, 130 interrupted.
"""

import sys
from argparse import SUPPRESS, Action, ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

import tokviz
from tokviz.cli.app import COMMAND as APP
from tokviz.cli.base import Command, UsageError
from tokviz.cli.compare import COMMAND as COMPARE
from tokviz.cli.completion import COMMAND as COMPLETION
from tokviz.cli.count import COMMAND as COUNT
from tokviz.cli.encode import COMMAND as ENCODE
from tokviz.cli.export import COMMAND as EXPORT
from tokviz.cli.site import COMMAND as SITE
from tokviz.cli.terminal import complain, drop_output, printable, use_utf8
from tokviz.cli.train import COMMAND as TRAIN

#: As it was called: by the command that is installed with the package, or as a module.
PROGRAM = "tokviz" if Path(sys.argv[0]).stem == "tokviz" else "python -m tokviz"

#: All commands by name, in the order in which --help lists them.
COMMANDS: dict[str, Command] = {
    c.name: c for c in (TRAIN, COUNT, ENCODE, COMPARE, EXPORT, SITE, APP, COMPLETION)
}


class _Formatter(RawDescriptionHelpFormatter):
    """Help in which a value is a TEXT or a NUMBER, where nothing better is said."""

    def _get_default_metavar_for_optional(self, action: Action) -> str:
        return "TEXT" if action.type in (None, str) else "NUMBER"


class _Parser(ArgumentParser):
    """A parser whose errors are one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"tokviz: {printable(message)}; `{self.prog} --help` says more.\n")


def parser() -> ArgumentParser:
    """What lists the commands, and refuses what is none."""
    listed = "".join(f"\n  {c.name:<11} {c.help}" for c in COMMANDS.values())
    top = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} COMMAND …",
        description="Train tokenizers step by step, count, encode, compare, export.\n\n"
        f"commands:{listed}",
        epilog=f"`{PROGRAM} COMMAND --help` lists a command's options, with examples.",
        formatter_class=RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"tokviz {tokviz.__version__}")
    top.add_argument("command", metavar="COMMAND", choices=list(COMMANDS), help=SUPPRESS)
    return top


def command_parser(command: Command) -> ArgumentParser:
    """One command's options, with its examples."""
    examples = "".join(f"\n  {PROGRAM} {example}" for example in command.examples)
    made = _Parser(
        prog=f"{PROGRAM} {command.name}",
        description=f"{command.help[0].upper()}{command.help[1:]}.",
        epilog=f"examples:{examples}",
        formatter_class=_Formatter,
    )
    command.arguments(made)
    made.usage = _usage(made)
    return made


def _usage(made: ArgumentParser) -> str:
    """What has to be given, in one line; the options are listed below it."""
    words = [made.prog]
    for action in made._actions:
        name = str(action.metavar)
        if action.option_strings and action.required:
            words.append(f"{action.option_strings[0]} {name}")
    words.append("[options]")
    ways: dict[str | int | None, str] = {
        None: "{0}",
        "?": "[{0}]",
        "*": "[{0} …]",
        "+": "{0} [{0} …]",
    }
    given = [action for action in made._actions if not action.option_strings]
    words += [ways[action.nargs].format(action.metavar) for action in given]
    return " ".join(words)


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command; the exit status. Bad input ends in one sentence, never in a traceback.

    Raises SystemExit, as argparse does, after --help and for options that it refuses.
    """
    words = sys.argv[1:] if arguments is None else list(arguments)
    name = parser().parse_args(words[:1]).command
    command = COMMANDS[name]
    # Files and texts may stand on both sides of options.
    options = command_parser(command).parse_intermixed_args(words[1:])
    use_utf8()
    try:
        status = command.run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has read enough.
        drop_output()
        return 0
    except KeyboardInterrupt:
        complain("interrupted.")
        return 130
    except UsageError as error:
        complain(f"{error} `{PROGRAM} {name} --help` says more.")
        return 2
    except OSError as error:
        complain(f"{error.filename or 'the file'} cannot be used: {error.strerror or error}.")
        return 1
    except (ValueError, tokviz.Cancelled) as error:
        complain(str(error))
        return 1
    return status


if __name__ == "__main__":
    sys.exit(main())
