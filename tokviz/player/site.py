"""A gallery of recorded trainings for any static host: the bundled samples, each as a page that
plays, some of them side by side, and an index. No page needs a server or the network.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import tokviz
from tokviz.analysis.axis import make_axis
from tokviz.analysis.lane_names import facts_of, names_of
from tokviz.basics.markup import text as escaped
from tokviz.basics.messages import _, _n, counted, current, here, joined, message
from tokviz.basics.progress import ProgressCallback, Reporter
from tokviz.basics.whole_file import write_whole
from tokviz.history.base import History
from tokviz.history.ties import TIE_BREAKS
from tokviz.player.assets import STAGE_SHEETS, style
from tokviz.player.chips import chip
from tokviz.player.web_page import ICON, web_page
from tokviz.text.corpus import Cancelled
from tokviz.text.languages import text_for
from tokviz.text.samples import SAMPLES, Sample

#: The sample whose page opens with the fields for a text of one's own.
FIRST = "course"
#: Most characters of a corpus on a card, and most words of a table.
MOST_SHOWN, MOST_WORDS = 110, 6

_BYTES: dict[str, Any] = {"algorithm": "bpe", "pretokenizer": "gpt2", "unit": "byte"}


class SideBySide(NamedTuple):
    """Several runs on one sample: the settings of each, as in `tokviz.train`."""

    name: str
    title: str
    note: str
    sample: str
    settings: tuple[Mapping[str, Any], ...]


#: Add a comparison here.
SIDE_BY_SIDE = (
    SideBySide(
        "families",
        message("The three families"),
        message(
            "BPE and WordPiece merge what is frequent or likely; Unigram removes what is "
            "needed least."
        ),
        "course",
        tuple(
            {"vocab_size": 50, **kind}
            for kind in (_BYTES, {"algorithm": "wordpiece"}, {"algorithm": "unigram"})
        ),
    ),
    SideBySide(
        "ties",
        message("Four tie-breaks"),
        message("The same counts, and four rules for pairs that are equally frequent."),
        "course",
        tuple({**_BYTES, "vocab_size": 70, "tie_break": rule} for rule in TIE_BREAKS),
    ),
    SideBySide(
        "wordpieces",
        message("Two scores of WordPiece"),
        message("The published score is a likelihood; Hugging Face’s trainer counts, as BPE does."),
        "course",
        tuple(
            {"algorithm": "wordpiece", "vocab_size": 90, "score": score}
            for score in ("likelihood", "frequency")
        ),
    ),
    SideBySide(
        "units",
        message("Characters and bytes"),
        message("Bytes leave nothing unknown, and spend merges on putting characters together."),
        "udhr",
        tuple({**_BYTES, "vocab_size": 600, "unit": unit} for unit in ("char", "byte")),
    ),
    SideBySide(
        "libraries",
        message("BPE and SentencePiece’s Unigram"),
        message(
            "On the same three chapters: one builds tokens up, the other starts with thousands of "
            "pieces and keeps the likeliest."
        ),
        "alice",
        ({**_BYTES, "vocab_size": 500}, {"algorithm": "sentencepiece-unigram", "vocab_size": 500}),
    ),
)


class _Page(NamedTuple):
    """A page of the gallery, and the text of its card."""

    name: str
    title: str
    note: str
    sample: Sample
    histories: list[History]

    def card(self) -> str:
        file, names = escaped(f"{self.name}.html"), names_of(self.histories)
        lines = "".join(map(self._line, range(len(names)), names))
        first = "" if len(names) > 1 else _first_tokens(self.histories[0], self.sample)
        source = f"{escaped(self.sample.source)} {escaped(self.sample.licence)}."
        summary = escaped(_("Source and licence"))
        return (
            f'<li><h3><a href="{file}">{escaped(here(self.title))}</a></h3>{lines}{first}'
            f'<p class="tv-note">{escaped(here(self.note))}</p>'
            f"<details><summary>{summary}</summary><p>{source}</p></details></li>"
        )

    def _line(self, lane: int, name: str) -> str:
        history = self.histories[lane]
        if len(self.histories) == 1:
            facts = facts_of(history)
            steps = counted("{n} step", "{n} steps", len(history))
            said = here(joined([facts["Algorithm"], " · ", facts["Pre-tokenizer"], " · ", steps]))
            return f'<p class="tv-runs">{escaped(said)}</p>'
        look = ("solid", "dashed", "dotted", "double")[lane]
        line = f'<i style="border-top: 3px {look} var(--tv-lane{lane})"></i>'
        said = _n("{name}, {n} step", "{name}, {n} steps", len(history), name=name)
        return f'<p class="tv-runs">{line}{escaped(said)}</p>'

    def write(self, directory: Path) -> Path:
        path = directory / f"{self.name}.html"
        about: dict[str, str] = {
            message("Corpus"): self.sample.title,
            message("Source"): self.sample.source,
            message("Licence"): self.sample.licence,
            message("Note"): self.note,
        }
        align = "share" if len(self.histories) > 1 else "step"
        # A position with many tokens, and steps left to see.
        position = (len(make_axis(self.histories, align).values) - 1) * 2 // 3
        web_page(
            self.histories,
            align=align,
            position=position,
            title=self.title,
            about=about,
            path=path,
        )
        return path


def write_site(directory: str | Path, progress: ProgressCallback | None = None) -> list[Path]:
    """Writes the gallery into a directory, which is made if it is not there; returns the files,
    `index.html` first. Files of the same names are replaced, others are left alone.

    The same version of tokviz writes the same bytes with the same zlib. `progress` is told of
    "pages"; if it returns False, Cancelled is raised, and the pages until then stay.

    Raises OSError if the directory cannot be written.
    """
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    reporter = Reporter("pages", len(SAMPLES) + len(SIDE_BY_SIDE), progress)
    cards, paths = {}, []
    for done, page in enumerate(_pages()):
        if reporter.cancelled(done):
            raise Cancelled(
                counted("Cancelled after {n} page.", "Cancelled after {n} pages.", done)
            )
        paths.append(page.write(directory))
        cards[page.name] = page.card()
    index = directory / "index.html"
    write_whole(index, _index(cards).encode("utf-8"))
    return [index, *paths]


def _pages() -> Iterator[_Page]:
    for sample in SAMPLES.values():
        history = tokviz.train(sample.corpus, **sample.settings)
        yield _Page(sample.name, sample.title, sample.note, sample, [history])
    for name, title, note, sample_name, settings in SIDE_BY_SIDE:
        sample = SAMPLES[sample_name]
        histories = [tokviz.train(sample.corpus, **kind) for kind in settings]
        yield _Page(f"compare-{name}", title, note, sample, histories)


def _first_tokens(history: History, sample: Sample) -> str:
    """Return the HTML of a corpus's first tokens, by the finished tokenizer."""
    tokenizer = history.tokenizer()
    if isinstance(corpus := text_for(False, sample.corpus), str):
        start = corpus[:MOST_SHOWN]
        if start != corpus:
            start = start.rpartition(" ")[0] or start
        texts = start.split("\n")
    else:
        texts = [*corpus][:MOST_WORDS]
    words: list[list[str]] = []
    for text in texts:
        encoding = tokenizer.encode(text)
        of_words: dict[int | None, list[str]] = {}
        for token, number, word in zip(
            encoding.tokens, encoding.ids, encoding.word_ids, strict=True
        ):
            symbol = None if number is None else tokenizer.symbols[number]
            shown = chip(tokenizer.spelling, token, symbol, history.colour(token))
            of_words.setdefault(word, []).append(shown)
        words += of_words.values()
    inside = " ".join(f'<span class="tv-word">{"".join(word)}</span>' for word in words)
    return f'<p class="tv-first" dir="auto" lang="{escaped(sample.language)}">{inside}</p>'


def _index(cards: Mapping[str, str]) -> str:
    languages = [name for name in SAMPLES if SAMPLES[name].line is not None]
    sections = (
        (_("Samples"), [name for name in SAMPLES if name not in languages]),
        (_("Side by side"), [f"compare-{page.name}" for page in SIDE_BY_SIDE]),
        (_("One text in many languages"), languages),
    )
    title = _("tokviz: how a subword tokenizer learns")
    heading = _("How a subword tokenizer learns")
    made = _("Made with tokviz.")
    about = _(
        "Each page is the whole record of a training: play it, scrub through it, and see\n"
        "what every step chose from and why. Every page stands alone and can be saved."
    )
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{escaped(current().replace("_", "-"))}">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta http-equiv="Content-Security-Policy" content="'
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
            "form-action 'none'\">",
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<link rel="icon" href="{ICON}">',
            f"<title>{escaped(title)}</title>",
            f"<style>{style('base', *STAGE_SHEETS, 'narrow', 'standalone', 'gallery')}</style>",
            "</head>",
            "<body>",
            f'<header class="tv-page-head"><h1>{escaped(heading)}</h1>',
            f"<p>{escaped(about)}</p>",
            f'<p><a href="{FIRST}.html#own">{escaped(_("Train a text of your own"))}</a></p>',
            "</header>",
            "<main>",
            *(_section(title, [cards[name] for name in names]) for title, names in sections),
            "</main>",
            f'<footer class="tv-page-foot"><p>{escaped(made)}</p></footer>',
            "</body>",
            "</html>",
            "",
        ]
    )


def _section(title: str, cards: Sequence[str]) -> str:
    listed = "\n".join(cards)
    return f'<section><h2>{escaped(title)}</h2>\n<ul class="tv-cards">\n{listed}\n</ul></section>'
