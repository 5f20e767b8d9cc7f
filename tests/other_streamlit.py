"""Streamlit as another release might be: `python tests/other_streamlit.py CHANGES run app.py`.

CHANGES is JSON: for the beginning of modules' names, what to write for what in their sources. So a
name is another one throughout Streamlit, which works as before: only who knew the name is lost.
"""

import json
import re
import sys
from importlib.machinery import PathFinder, SourceFileLoader


class Rewritten(SourceFileLoader):
    """Loads a module from its source with some of it written otherwise."""

    def get_code(self, fullname):
        source = written = self.get_source(fullname)
        for module, changes in CHANGES.items():
            if fullname.startswith(module):
                for pattern, other in changes.items():
                    written = re.sub(pattern, other, written)
        if written == source:
            return super().get_code(fullname)
        return compile(written, self.path, "exec")


class Finder:
    @staticmethod
    def find_spec(fullname, path=None, target=None):
        if not fullname.startswith(tuple(CHANGES)):
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = Rewritten(fullname, spec.loader.path)
        return spec


if __name__ == "__main__":
    CHANGES = json.loads(sys.argv.pop(1))
    sys.path.pop(0)
    sys.meta_path.insert(0, Finder)
    from streamlit.web import cli

    cli.main(prog_name="streamlit")
