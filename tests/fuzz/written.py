"""Texts and names that reach pages, pictures and tables: they stay text there."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import atheris
from training import corpus_of

import tokviz
from tokviz import TRAINERS
from tokviz.formats.exports import EXPORTS, ExportError
from tokviz.formats.table_files import table_bytes
from tokviz.formats.tables import TABLES
from tokviz.pages.widgets.markup import label
from tokviz.pictures.animation import animated_svg
from tokviz.player.web_page import web_page

#: What a spreadsheet, or OWASP's list, takes for the beginning of a formula.
FORMULA = re.compile(r"\s*[=+\-@\t\r]")
HOSTILE = "</script><img src=x onerror=\"alert(1)\"> '=1+1' -->]]>&amp;<![CDATA["


class Elements(HTMLParser):
    """The names of a page's elements and their attributes."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))

    def handle_comment(self, data):
        self.found.append(("comment", data))


def page_of(history, name, title):
    return Elements(
        web_page([history], labels=[name], texts=[None], title=title, about={name: title})
    ).found


def exports(data):
    given = atheris.FuzzedDataProvider(data)
    algorithm = sorted(TRAINERS)[given.ConsumeIntInRange(0, len(TRAINERS) - 1)]
    name, title = given.ConsumeUnicode(30), given.ConsumeUnicode(30)
    if given.ConsumeBool():
        name, title = HOSTILE + name, title + HOSTILE
    try:
        history = tokviz.train(corpus_of(given), algorithm, 60)
    except (ValueError, tokviz.Cancelled):
        return
    assert page_of(history, name, title) == page_of(history, "name", "title" if title else "")
    try:
        drawn = animated_svg(history, name or "a", 0, min(3, len(history)))
    except ValueError as error:
        assert str(error)
    else:
        root = ET.fromstring(drawn)
        tags = {element.tag.rpartition("}")[2] for element in root.iter()}
        assert tags <= {"svg", "title", "style", "rect", "g", "text", "tspan"}
        names = {key for element in root.iter() for key in element.attrib}
        assert not any(key.startswith("on") or "href" in key for key in names)
    for table in TABLES.values():
        frame = table.frame(history, len(history) // 2)
        json.loads(table_bytes(frame, "json"))
        rows = csv.reader(io.StringIO(table_bytes(frame, "csv").decode("utf-8"), newline=""))
        header = next(rows)
        assert header == list(frame.columns)
        text = [kind.kind == "O" for kind in frame.dtypes]
        for row in rows:
            assert len(row) == len(header)
            for cell, is_text in zip(row, text, strict=True):
                assert not (is_text and FORMULA.match(cell)) or number(cell), cell
    for export in EXPORTS.values():
        try:
            files = export.files(history)
        except ExportError as error:
            assert str(error)
            continue
        assert all(re.fullmatch(r"[\w.-]+", file) for file in files)
    assert "\n" not in label(name)


def number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def texts():
    return [bytes((i * 41 + k * 7) % 256 for k in range(200)) for i in range(15)] + [
        (HOSTILE * 3).encode()
    ]
