"""A chart for paper: an Altair chart whose unit is the point."""

import io
from pathlib import Path
from typing import Any

import altair as alt

from tokviz.basics.whole_file import write_whole
from tokviz.pictures.files import KINDS, PPI, checked, converter, made


class PrintChart(alt.Chart):
    """An `altair.Chart` in every other way, which is saved as large as it was asked for: the SVG
    says points, where Altair's own says pixels.

    >>> import tokviz
    >>> tokviz.train("low lower", "bpe", 8).chart(width=120).file("svg")[:4]
    b'<svg'
    """

    def file(self, kind: str, ppi: int = PPI) -> bytes:
        """The chart as a file: "svg", "pdf" or "png", the last with `ppi` dots to the inch.

        Raises FileError for another kind, and where the extra `figures` is not installed.
        """
        checked(kind)
        converter()
        svg = io.StringIO()
        super().save(svg, format="svg")
        return made(svg.getvalue(), kind, ppi)

    def save(self, fp: Any, *more: Any, **named: Any) -> None:
        """Writes the chart to a file, whose ending says the kind: .svg, .pdf or .png, the last with
        `ppi` dots to the inch (300). Other kinds and arguments are those of `altair.Chart.save`.

        Raises as `file` does, and OSError if the file cannot be written.
        """
        kind = Path(fp).suffix.lower().removeprefix(".") if isinstance(fp, str | Path) else ""
        if more or kind not in KINDS or named.keys() - {"ppi"}:
            super().save(fp, *more, **named)
        else:
            write_whole(fp, self.file(kind, **named))
