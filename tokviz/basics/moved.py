"""Modules that scripts import by the names they had before they moved into packages.

`import tokviz.metrics` gives `tokviz.analysis.metrics`, the same module under both names.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from types import ModuleType

#: Those that the documentation named: the name in `tokviz` once, and where it is today.
MOVED = {
    "alignment": "analysis.alignment",
    "axis": "analysis.axis",
    "boundaries": "analysis.boundaries",
    "bytes_view": "encoding.bytes_view",
    "cut_uses": "history.cut_uses",
    "dropout": "encoding.dropout",
    "formats.opened": "formats.readers.opened",
    "grid": "analysis.grid",
    "held_out": "analysis.held_out",
    "languages": "analysis.language_costs",
    "lattice": "encoding.lattice",
    "limits": "server.limits",
    "merge_tree": "history.merge_tree",
    "metrics": "analysis.metrics",
    "parting": "analysis.parting",
    "pool": "server.pool",
    "samples": "text.samples",
    "token_life": "history.token_life",
    "whole_file": "basics.whole_file",
    "word_lattice": "encoding.word_lattice",
    "word_trace": "encoding.word_trace",
}


class _Finder(MetaPathFinder, Loader):
    def find_spec(
        self,
        name: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        package, _, module = name.partition(".")
        moved = package == "tokviz" and module in MOVED
        return spec_from_loader(name, self) if moved else None

    def exec_module(self, module: ModuleType) -> None:
        name = module.__name__
        # What is there at the end is what gets imported.
        sys.modules[name] = importlib.import_module(f"tokviz.{MOVED[name.removeprefix('tokviz.')]}")


def find_moved_modules() -> None:
    """Lets `import` find every module of `MOVED`; more than once is as good as once.

    >>> from tokviz.dropout import DropoutChain
    >>> DropoutChain.__module__
    'tokviz.encoding.dropout'
    """
    if not any(isinstance(finder, _Finder) for finder in sys.meta_path):
        # First: a folder that an older checkout left behind would pass for the package.
        sys.meta_path.insert(0, _Finder())
