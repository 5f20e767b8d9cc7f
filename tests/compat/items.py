"""Everything that is kept, opened with today's code: for each item its parts, and what they mean.

`kept/` holds what was kept. An item has a name such as "link/017 samples udhr-sw", and parts such
as "steps of lane 0".
"""

import json
import lzma
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from compat import files, meaning, names, today

KEPT = Path(__file__).parent / "kept"


@cache
def kept_json(name: str) -> Any:
    """A kept list or table."""
    return json.loads(lzma.decompress((KEPT / f"{name}.json.xz").read_bytes()))


@cache
def kept_files() -> dict[str, bytes]:
    """Every kept file by its name, such as "histories/bpe.npz"."""
    with tarfile.open(KEPT / "files.tar.xz") as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        return {member.name: archive.extractfile(member).read() for member in members}


def of_folder(folder: str) -> dict[str, bytes]:
    """The kept files of a folder, by their names in it."""
    whole = {name.partition("/"): data for name, data in kept_files().items()}
    return {rest: data for (first, _, rest), data in whole.items() if first == folder}


# --- links and moments -----------------------------------------------------------------------


def links() -> Iterator[tuple[str, dict[str, Any]]]:
    """Addresses, opened each in a browser that begins anew."""
    kept = kept_json("links")
    wanted = []
    for link in kept:
        parts = urlsplit(link["address"])
        wanted.append((parts.path.strip("/") or "train", parse_qs(parts.query), b""))
    for link, visit in zip(kept, today.visits(wanted), strict=True):
        yield f"link/{link['name']}", _of_visit(visit)
    for asked in kept_json("languages"):
        yield f"link/lang={asked}", {"language": today.language_of(asked)}


def moments() -> Iterator[tuple[str, dict[str, Any]]]:
    """Files with a moment, opened each by a browser that begins anew."""
    kept = of_folder("moments")
    visits = today.visits([("", {}, data) for data in kept.values()])
    for name, visit in zip(kept, visits, strict=True):
        yield f"moment/{name}", _of_visit(visit)


_of_run: dict[Any, dict[str, Any]] = {}


def _of_visit(visit: Any) -> dict[str, Any]:
    """What a page restored, and the history of each of its lanes."""
    fields = []
    for run in visit.lanes:
        *asked, of_words, of_trainer = today.asked(run)
        fields.append([*asked, _settings(of_words), _settings(of_trainer)])
    found = {"lanes": meaning.digest(fields)}
    found |= {name: meaning.digest(getattr(visit, name)) for name in ("place", "said")}
    found["look"] = meaning.digest(meaning.whole(visit.look))
    for lane, run in enumerate(visit.lanes):
        if run.key not in _of_run:
            _of_run[run.key] = of_parts(meaning.of_history(today.trained(run)))
        found |= {f"{part} of lane {lane}": value for part, value in _of_run[run.key].items()}
    return found


def _settings(pairs: Any) -> list[Any]:
    return [[name, meaning.whole(value)] for name, value in pairs]


def of_parts(parts: Mapping[str, Any]) -> dict[str, Any]:
    """The digest of each part; settings stay as they are."""
    return {
        name: part if name == "settings" else meaning.digest(part) for name, part in parts.items()
    }


def _tried(make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Parts; in their place the sentence of a refusal, or the error that nobody should see."""
    try:
        return make()
    except ValueError as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}"}


# --- files -----------------------------------------------------------------------------------


def histories() -> Iterator[tuple[str, dict[str, Any]]]:
    """History files."""
    for name, data in of_folder("histories").items():
        yield f"history/{name}", _tried(partial(_of_history, today.load, data, name))


def replays() -> Iterator[tuple[str, dict[str, Any]]]:
    """Merges of opened tokenizers, applied to a text."""
    for name, (folder, text) in kept_json("replays").items():
        yield f"replay/{name}", _tried(partial(_of_history, _replayed, folder, text))


def _of_history(make: Callable[..., Any], *values: Any) -> dict[str, Any]:
    return of_parts(meaning.of_history(make(*values)))


def _replayed(folder: str, text: str) -> Any:
    return today.tokviz.replay(_opened(folder), text)


def pages() -> Iterator[tuple[str, dict[str, Any]]]:
    """Web pages as they were kept, and as they are written now from the same runs."""
    for name, made in kept_json("pages").items():
        kept = files.of_page(kept_files()[f"pages/{name}.html"].decode("utf-8"))
        yield f"page/{name} kept", of_parts(kept)
        yield f"page/{name} new", _tried(partial(_of_new_page, made, kept))


def _of_new_page(made: Mapping[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    new = files.of_page(new_page(made, of_folder("histories")))
    return of_parts({part: _known(kept[part], new[part]) for part in kept if part in new})


def new_page(made: Mapping[str, Any], folder: Mapping[str, bytes]) -> str:
    """A page of the history files that it was made of."""
    runs = [today.load(folder[name], name) for name in made["histories"]]
    return today.web_page(runs, **made["options"])


def _known(kept: Any, now: Any) -> Any:
    """What is there now, without the names that came later."""
    if isinstance(kept, dict) and isinstance(now, dict):
        return {name: now[name] for name in kept if name in now}
    return now


def exports() -> Iterator[tuple[str, dict[str, Any]]]:
    """Tokenizers that are written now, from the history files: each file is a part."""
    for history, format, t in kept_json("exports"):
        yield f"export/{history} {format} {t}", _tried(partial(_exported, history, format, t))


def _exported(history: str, format: str, t: int) -> dict[str, Any]:
    written = today.export(_loaded(history), format, t)
    return {name: meaning.digest(files.of_file(name, data)) for name, data in written.items()}


@cache
def _loaded(name: str) -> Any:
    return today.load(of_folder("histories")[name], name)


def _opened(folder: str) -> Any:
    """The tokenizer in the kept files of a folder."""
    found = {}
    for name, data in kept_files().items():
        if name.rpartition("/")[0] == folder:
            found[name.rpartition("/")[2]] = data
    return today.open_tokenizer(found, kept_json("patterns").get(folder))


def opened() -> Iterator[tuple[str, dict[str, Any]]]:
    """Tokenizer files that tokviz wrote then, and those that libraries wrote."""
    texts = kept_json("texts")
    for folder in kept_json("opened"):
        yield f"opened/{folder}", _tried(partial(_of_opened, folder, texts))


def _of_opened(folder: str, texts: list[str]) -> dict[str, Any]:
    found = _opened(folder)
    cut = meaning.of_encodings(found.tokenizer, texts)
    encoded = cut.pop("encoded")
    return of_parts(
        {
            "facts": [found.format, found.model, dict(found.facts)],
            "notes": [str(note) for note in found.notes],
            "vocabulary": list(found.tokenizer.strings),
            "ids": [ids for _tokens, ids, _offsets in encoded],
            "tokens": [tokens for tokens, _ids, _offsets in encoded],
            "offsets": [offsets for _tokens, _ids, offsets in encoded],
            **cut,
        }
    )


# --- the command line ------------------------------------------------------------------------

#: How long something took is no meaning.
_TIMES = re.compile(r"in [\d,.]+ s \([\d,]+ a second\)")


def commands() -> Iterator[tuple[str, dict[str, Any]]]:
    """What `python -m tokviz` was told, and what it said then."""
    for kept in kept_json("commands"):
        yield f"command/{kept['name']}", _tried(partial(run_command, kept))


def run_command(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Runs a command beside the files that it needs."""
    with tempfile.TemporaryDirectory() as folder:
        needed = {path: Path(folder, Path(path).name) for path in kept["needs"]}
        for path, place in needed.items():
            place.write_bytes(kept_files()[path])
        typed = kept["typed"].encode("utf-8", "surrogateescape")
        told = today.command(kept["arguments"], typed, folder)
        written = {
            str(path.relative_to(folder)): path.read_bytes()
            for path in sorted(Path(folder).rglob("*"))
            if path.is_file() and path not in needed.values()
        }
    parts = {name: files.of_file(name, data) for name, data in written.items()}
    return {
        "status": told.status,
        "output": _TIMES.sub("in a while", told.out),
        # What Python's own parser says differs from version to version.
        "errors": "" if told.status == 2 and "invalid choice" in told.err else told.err,
        **{f"file {name}": meaning.digest(part) for name, part in parts.items()},
    }


def options() -> Iterator[tuple[str, dict[str, Any]]]:
    """What every command can be told."""
    for name in kept_json("options"):
        yield f"options/{name}", _tried(partial(names.of_options, today.options_of(name)))


def imports() -> Iterator[tuple[str, dict[str, Any]]]:
    """The modules that the documentation names, and every public name in them."""
    for module, found in kept_json("imports").items():
        for name in found:
            yield f"import/{module}.{name}", names.of_name(module, name)


#: What is kept, by the first word of its items.
KINDS = {
    "link": links,
    "moment": moments,
    "history": histories,
    "replay": replays,
    "page": pages,
    "export": exports,
    "opened": opened,
    "command": commands,
    "options": options,
    "import": imports,
}
