"""The libraries that tokviz was compared with, and the results: `checked_against.json`, which
tests/check_against.py writes when it runs the comparing tests."""

import json
from pathlib import Path
from typing import Any, NamedTuple

from tokviz.basics.messages import _, _n, here, message

FILE = Path(__file__).with_name("checked_against.json")

#: The kinds of comparisons.
KINDS = {
    "trainer": message("Trainer"),
    "encoder": message("Encoder of an opened file"),
    "export": message("Export"),
    "metrics": message("Metrics"),
}

#: Notes on the rows of a library and a kind.
NOTES = (
    (
        "boundlessbpe",
        "trainer",
        message(
            "boundlessbpe never joins a token of twice the same, which its source has as something "
            "to work out, and joins words that it has taken back, where its own encoder finds "
            "bytes. It was run with these two branches changed, and what it did is recorded."
        ),
    ),
    (
        "picky_bpe",
        "trainer",
        message(
            "picky_bpe breaks ties by the order of a hash table, which differs in each run. It was "
            "run once with ties by the alphabet, and what it did is recorded; it counts every "
            "merge as a new token, and events are equal until it stops."
        ),
    ),
    (
        "tokenizers",
        "trainer",
        message(
            "With a prefix or a suffix, tokenizers numbers the alphabet in the order of a hash "
            "table, which differs in each run, and ties go by these numbers: they are taken "
            "from the library."
        ),
    ),
    (
        "tokenizers",
        "export",
        message(
            "The normalizer that reads a vocab.txt knows an older Unicode; its texts have no "
            "characters beyond U+05FF."
        ),
    ),
    (
        "sentencepiece",
        "trainer",
        message(
            "Where more than a thousand pairs share the best count, SentencePiece's BPE takes one "
            "that its hash table has kept; up to there the pieces are equal."
        ),
    ),
    (
        "sentencepiece",
        "export",
        message(
            "SentencePiece adds up the scores of a line in single precision and tokviz those of a "
            "word; texts differ where two segmentations are equally probable to six digits."
        ),
    ),
)


class Row(NamedTuple):
    """One comparison with one version of a library: the number of runs (trainings, or tokenizers in
    one state), the number of texts that both encoded, how many of them differ, the tests, and
    their date, if that is not the date of the others."""

    library: str
    kind: str
    what: str
    version: str
    runs: int
    texts: int
    different_runs: int
    different_texts: int
    tests: list[str]
    date: str = ""


class Checked(NamedTuple):
    """All rows, the date of the tests, and the Python that ran them."""

    date: str
    python: str
    rows: list[Row]


def read() -> Checked:
    """Read the results of the last tests.

    >>> sorted({row.library for row in read().rows})
    ['boundlessbpe', 'picky_bpe', 'sentencepiece', 'sentencepiece, newer', 'subword-nmt', \
'tiktoken', 'tokenization-scorer', 'tokenizers', 'tokenizers-superbpe']
    """
    found: dict[str, Any] = json.loads(FILE.read_text("utf-8"))
    return Checked(found["date"], found["python"], [Row(**row) for row in found["rows"]])


def result(row: Row) -> str:
    """Return the result of a row in words.

    >>> row = Row("tokenizers", "trainer", "bpe", "1.0", 20, 900, 0, 0, [])
    >>> result(row), result(row._replace(different_texts=3))
    ('all equal', '3 of 900 texts differ')
    """
    said = []
    if n := row.different_runs:
        said.append(
            _n("{n} of {all} runs differs", "{n} of {all} runs differ", n, all=f"{row.runs:,}")
        )
    if n := row.different_texts:
        said.append(
            _n("{n} of {all} texts differs", "{n} of {all} texts differ", n, all=f"{row.texts:,}")
        )
    return "; ".join(said) or _("all equal")


def table(checked: Checked) -> str:
    """Return the rows as a table in Markdown, with notes on some of them."""
    head = (
        *(_("Library"), _("Version"), _("What was compared"), _("Runs"), _("Texts")),
        _("Result"),
    )
    lines = [head, ("---", "---", "---", "---:", "---:", "---")]
    for row in checked.rows:
        what = f"{here(KINDS[row.kind])}: `{row.what}`"
        texts = f"{row.texts:,}" if row.texts else "–"
        lines.append((row.library, row.version, what, f"{row.runs:,}", texts, result(row)))
    kinds = {(row.library, row.kind) for row in checked.rows}
    notes = [f"- {here(note)}" for library, kind, note in NOTES if (library, kind) in kinds]
    for library, date in sorted({(row.library, row.date) for row in checked.rows if row.date}):
        notes.append("- " + _("{library} was compared on {date}.", library=library, date=date))
    return "\n".join([*(f"| {' | '.join(line)} |" for line in lines), "", *notes])


def intro(checked: Checked) -> str:
    """Return a paragraph that explains the numbers, with their date."""
    return _(
        "On {date} the tests trained, encoded and exported with tokviz and with these libraries, "
        "and compared merges, pieces, scores, ids and texts. A run is a training, or a tokenizer "
        "in one state; a text was encoded by both.",
        date=checked.date,
    )


def page(checked: Checked) -> str:
    """Return the text of docs/checked-against.md."""
    tests = []
    for row in checked.rows:
        files = dict.fromkeys(name.partition("::")[0] for name in row.tests)
        tests.append(
            f"- {row.library}, {row.kind}, `{row.what}`: " + ", ".join(f"`{x}`" for x in files)
        )
    return _PAGE.format(
        intro=intro(checked),
        table=table(checked),
        python=checked.python,
        tests="\n".join(tests),
    )


_PAGE = """\
# Checked against

{intro}

{table}

## How it is made

The tests that compare with a library count what they compare. This runs them all, which takes some
twenty minutes on two cores, with Python {python} the last time, and writes their numbers to
`tokviz/pages/checked_against.json`, which names every test, and to this page. It writes nothing if
one of them fails.

```sh
.venv/bin/python tests/check_against.py
```

{tests}
"""
