"""Makes the API pages out of the docstrings: `python docs/api.py FOLDER` (needs pdoc).

FOLDER/index.html is the first page; all of them work without a server.
"""

import sys
from pathlib import Path

import pdoc

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

#: What has a page: the package, whose names are stable, and the modules that the documents name.
MODULES = (
    "tokviz",
    "tokviz.history.base",
    "tokviz.history.steps",
    "tokviz.history.provenance",
    "tokviz.history.merges",
    "tokviz.history.unigram",
    "tokviz.encoding.tokenizer",
    "tokviz.analysis.metrics",
    "tokviz.analysis.held_out",
    "tokviz.analysis.language_costs",
    "tokviz.analysis.grid",
    "tokviz.encoding.dropout",
    "tokviz.encoding.sampling",
    "tokviz.pictures.curves",
    "tokviz.pages.checked_against",
    "tokviz.formats.exports",
    "tokviz.formats.tables",
    "tokviz.trainers.presets",
    "tokviz.text.samples",
)


def build(folder: Path) -> None:
    """Writes all pages into a folder; those of before are replaced."""
    pdoc.render.configure(docformat="markdown", show_source=False, footer_text="tokviz")
    pdoc.pdoc(*MODULES, output_directory=folder)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Say where to write the pages: python docs/api.py FOLDER")
    build(Path(sys.argv[1]))
