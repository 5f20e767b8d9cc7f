"""The player with its runs as one HTML file, for a lesson, a mail or a notebook.

The file holds everything: the player's own modules and style sheets, and the packed runs as base 85
of gzip. It asks no server and no network for anything, and its content-security policy forbids it
to. What comes from a corpus is in the packed runs, which the player shows as text, or escaped.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, overload
from urllib.parse import quote

from tokviz.analysis.axis import ALIGNMENTS
from tokviz.analysis.lane_names import facts_of, names_of
from tokviz.basics.arguments import Shown, check_kind, check_path
from tokviz.basics.errors import SettingError
from tokviz.basics.markup import text as escaped
from tokviz.basics.messages import (
    _,
    counted,
    current,
    here,
    languages,
    listed,
    message,
    sentences,
    using,
)
from tokviz.basics.whole_file import write_whole
from tokviz.history.base import History
from tokviz.player.assets import PLAYER_SHEETS, packed, script, style
from tokviz.player.own_text import own_text
from tokviz.player.pack import bundle, pack
from tokviz.text.languages import without_headers
from tokviz.text.pieces import excerpt

#: More than four are not readable on a projector.
MOST_LANES = 4
#: Most words and characters of a text shown by all lanes together, and most words by count.
MOST_WORDS = 4000
MOST_CHARACTERS = 20_000
MOST_FREQUENT = 2000
#: Characters from which a notebook says that a page is large, and above which it shows none.
LARGE, TOO_LARGE = 3_000_000, 30_000_000

MARK = (
    "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'>"
    "<rect y='4' width='9' height='8' rx='2' fill='#a8323e'/>"
    "<rect x='10' y='4' width='6' height='8' rx='2' fill='#3d85c6'/></svg>"
)
ICON = "data:image/svg+xml," + quote(MARK, safe=" ='/:")


@overload
def web_page(
    histories: Sequence[History],
    *,
    labels: Sequence[str] | None = None,
    texts: Sequence[str | None] | None = None,
    align: str = "step",
    position: int = 0,
    title: str = "",
    about: Mapping[str, str] | None = None,
    path: None = None,
    language: str | None = None,
) -> str: ...
@overload
def web_page(
    histories: Sequence[History],
    *,
    labels: Sequence[str] | None = None,
    texts: Sequence[str | None] | None = None,
    align: str = "step",
    position: int = 0,
    title: str = "",
    about: Mapping[str, str] | None = None,
    path: str | Path,
    language: str | None = None,
) -> None: ...
def web_page(
    histories: Sequence[History],
    *,
    labels: Sequence[str] | None = None,
    texts: Sequence[str | None] | None = None,
    align: str = "step",
    position: int = 0,
    title: str = "",
    about: Mapping[str, str] | None = None,
    path: str | Path | None = None,
    language: str | None = None,
) -> str | None:
    """One to four runs as one HTML file: returns the page, or writes it to `path` if there is one
    and returns nothing.

    The lanes have the names `labels`, or what tells the runs apart. `texts` are what they were
    trained on, of which an excerpt is shown; without them it is the beginning that `tokviz.train`
    kept. A run whose text is None shows its words by count. The page opens at a `position` of the
    alignment `align` ("step", "size", "share"; see `tokviz.analysis.axis.make_axis`). `about` is
    what the footer says besides the settings: names and values, such as "Corpus" or "Source". The
    page is in the current language, or in that which its code ("zh_CN") names.

    The page plays and scrubs as the app does, but has no lenses: those ask Python. The same runs
    give the same bytes with the same zlib.

    Raises SettingError for no run or more than four, for labels or texts that are not one for each,
    for another alignment, and for a language that there is not; OSError if the file cannot be
    written.

    >>> import tokviz
    >>> page = web_page([tokviz.train("low lower", "bpe", 9)], title="A <first> page")
    >>> page[:15], "A &lt;first&gt; page" in page
    ('<!doctype html>', True)
    """
    if path is not None:
        check_path(path)
    check_kind("title", title, str)
    if language is not None and (not isinstance(language, str) or language not in languages()):
        raise SettingError(
            message(
                "language={language!r} is not known; choose one of {choices}.",
                language=Shown(language),
                choices=", ".join(languages()),
            )
        )
    with using(language or current()):
        page = _page(histories, labels, texts, align, position, title, about)
    if path is None:
        return page
    # As bytes, so that line ends are the same on every system.
    write_whole(path, page.encode("utf-8"))
    return None


def _page(
    histories: Sequence[History],
    labels: Sequence[str] | None,
    texts: Sequence[str | None] | None,
    align: str,
    position: int,
    title: str,
    about: Mapping[str, str] | None,
) -> str:
    names = names_of(histories) if labels is None else [*labels]
    _check(histories, names, texts, align)
    given = [history.text for history in histories] if texts is None else texts
    runs = [
        pack(history, name, excerpt_of(history, text, len(histories)), MOST_FREQUENT)
        for history, name, text in zip(histories, names, given, strict=True)
    ]
    # A page without links has no server, and keeps its own address.
    moment = {"start": position, "align": align, "look": {}}
    own = own_text(histories, runs, given)
    head: dict[str, Any] = {"id": "page", "links": None, "own": own, **moment}
    return _document(
        title or here(_default_title(histories)),
        bundle(head, runs),
        _foot(histories, names, about),
    )


def notebook_frame(
    histories: Sequence[History],
    labels: Sequence[str] | None = None,
    texts: Sequence[str | None] | None = None,
    align: str = "step",
) -> str:
    """The page in a frame of its own, as notebooks show it: it sees nothing of the notebook. Only
    the first four runs are lanes; a sentence says so, or that a page is large.

    >>> import tokviz
    >>> notebook_frame([tokviz.train("low lower", "bpe", 9)])[:31]
    '<iframe sandbox="allow-scripts"'
    """
    names = names_of(histories) if labels is None else labels
    n = min(len(histories), MOST_LANES)
    page = web_page(
        histories[:n], labels=names[:n], texts=None if texts is None else texts[:n], align=align
    )
    said = ""
    if n < len(histories):
        said = message("The first {n} of {all} runs.", n=n, all=len(histories))
    size = f"{len(page) / 1e6:.1f} MB"
    if len(page) > TOO_LARGE:
        return _note(
            message(
                "The player of this run is {size}, too large for a notebook. Write it to a file "
                'with web_page("run.html"), and open that.',
                size=size,
            )
        )
    if len(page) > LARGE:
        large = message("This player adds {size} to the notebook when it is saved.", size=size)
        said = sentences(said, large)
    title = escaped(here(message("Training player: {runs}", runs=listed(names[:n]))))
    height = 720 if n == 1 else 860
    style = f"width: 100%; height: {height}px; border: 0; border-radius: 8px"
    return (
        f'<iframe sandbox="allow-scripts" title="{title}" style="{style}" loading="lazy" '
        f'srcdoc="{_attribute(page)}"></iframe>{_note(said) if said else ""}'
    )


def _check(
    histories: Sequence[History],
    names: Sequence[str],
    texts: Sequence[str | None] | None,
    align: str,
) -> None:
    n = len(histories)
    if not 1 <= n <= MOST_LANES:
        raise SettingError(
            message("A page shows 1 to {most} runs, but was given {n}.", most=MOST_LANES, n=n)
        )
    if len(names) != n:
        raise SettingError(
            message(
                "{labels} for {runs}; give one for each.",
                labels=counted("{n} label", "{n} labels", len(names)),
                runs=counted("{n} run", "{n} runs", n),
            )
        )
    if texts is not None and len(texts) != n:
        raise SettingError(
            message(
                "{texts} for {runs}; give one, or None, for each.",
                texts=counted("{n} text", "{n} texts", len(texts)),
                runs=counted("{n} run", "{n} runs", n),
            )
        )
    if align not in ALIGNMENTS:
        raise SettingError(
            message(
                "align={align} is not known; choose one of {known}.",
                align=repr(align),
                known=", ".join(ALIGNMENTS),
            )
        )


def excerpt_of(history: History, text: str | None, lanes: int) -> Any:
    """Return the excerpt of a lane's text; lanes share the room."""
    if text is None:
        return None
    most = MOST_WORDS // lanes, MOST_CHARACTERS // lanes
    return excerpt(
        without_headers(text, history.words), history.pretokenizer, history.special_tokens, *most
    )


def _default_title(histories: Sequence[History]) -> str:
    kinds = [*dict.fromkeys(str(history.trainer.label) for history in histories)]
    if len(kinds) == 1:
        return message("{algorithm}, step by step", algorithm=kinds[0])
    return message("{algorithms} and {last}", algorithms=listed(kinds[:-1]), last=kinds[-1])


def _document(title: str, data: bytes, foot: str) -> str:
    loader, code = script("loader"), script("standalone")
    # The policy allows these two scripts by their digests, and no other; they may compile the
    # trainer, and have a worker for it.
    allowed = f"{_digest(loader)} {_digest(code)} 'wasm-unsafe-eval'"
    policy = (
        f"default-src 'none'; script-src {allowed}; worker-src blob:; style-src 'unsafe-inline'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        [
            "<!doctype html>",
            f'<html lang="{current().replace("_", "-")}">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="generator" content="tokviz">',
            f'<link rel="icon" href="{ICON}">',
            f"<title>{escaped(title)} · tokviz</title>",
            f"<style>{style('base')}</style>",
            f"<style>{style('standalone')}</style>",
            "</head>",
            "<body>",
            f'<header class="tv-page-head"><h1 dir="auto">{escaped(title)}</h1></header>',
            "<main>",
            '<div class="tv-player"><noscript>'
            f"{escaped(_('The player needs JavaScript.'))}</noscript></div>",
            '<div class="tv-curves"></div>',
            "</main>",
            foot,
            _carried("runs", data),
            # Between the two above: each sheet may change what those before it say.
            _carried("style", style(*PLAYER_SHEETS).encode("utf-8")),
            _carried("code", code.encode("utf-8")),
            f'<script type="module">{loader}</script>',
            "</body>",
            "</html>",
            "",
        ]
    )


def _carried(name: str, data: bytes) -> str:
    """Return what the page carries compressed, under a name of js/loader.js or js/standalone.js."""
    return f'<script type="text/plain" id="tokviz-{name}">{packed(data)}</script>'


def _digest(code: str) -> str:
    """Return the digest of a script as a content-security policy names it."""
    return f"'sha256-{b64encode(sha256(code.encode('utf-8')).digest()).decode('ascii')}'"


def _foot(
    histories: Sequence[History], names: Sequence[str], about: Mapping[str, str] | None
) -> str:
    """Return the HTML of the footer: each lane's settings, the source of the text, and tokviz."""
    parts = []
    for history, name in zip(histories, names, strict=True):
        facts = facts_of(history)
        named: dict[str, str] = {message("Lane"): name} if len(histories) > 1 else {}
        parts.append(_facts({**named, **facts, message("Steps"): f"{len(history):,}"}))
    if about:
        parts.append(_facts(about))
    made = _("Made with tokviz: how a subword tokenizer learns, step by step.")
    parts.append(f"<p>{escaped(made)}</p>")
    return f'<footer class="tv-page-foot">{"".join(parts)}</footer>'


def _facts(rows: Mapping[str, str]) -> str:
    cells = "".join(
        f"<div><dt>{escaped(here(name))}</dt><dd><bdi>{escaped(here(value))}</bdi></dd></div>"
        for name, value in rows.items()
    )
    return f"<dl>{cells}</dl>"


def _attribute(page: str) -> str:
    """Escape a page as the value of an attribute."""
    return page.replace("&", "&amp;").replace('"', "&quot;")


def _note(said: str) -> str:
    return f"<p>{escaped(here(said))}</p>"
