"""`tokviz site`: writes the static site, which needs no server."""

from argparse import ArgumentParser, Namespace

from tokviz.cli.base import Command
from tokviz.cli.terminal import printable, progress_bar


def arguments(parser: ArgumentParser) -> None:
    """The folder, and nothing else."""
    parser.add_argument("directory", metavar="DIR", help="the folder to write; made if missing")


def run(options: Namespace) -> int:
    """Writes the site and lists its files."""
    from tokviz.player.site import write_site

    with progress_bar() as progress:
        paths = write_site(options.directory, progress)
    for path in paths:
        print(printable(str(path)))
    return 0


COMMAND = Command(
    "site",
    "write pages with trained samples that open without a server",
    ("site public",),
    arguments,
    run,
)
