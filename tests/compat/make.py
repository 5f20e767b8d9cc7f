"""Makes the keepsake, once. It refuses to run where there is one: it is never made anew.

    .venv/bin/python tests/compat/make.py

What was chosen stands in `made_links.py`, `made_files.py` and `made_commands.py`. This is the
program as it was then; the code that it asks may have moved since. `kept/made.json` names the
commit that it was made from.
"""

import io
import json
import lzma
import subprocess
import sys
import tarfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
if __name__ == "__main__" and (HERE / "kept").exists():
    sys.exit("The keepsake is there, and is never made anew; see tests/compat/README.md.")
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1])]

from compat import items, made_commands, made_files, made_links  # noqa: E402

_XZ = {"preset": 9 | lzma.PRESET_EXTREME}
_LIBRARIES = ("numpy", "pandas", "regex", "sentencepiece", "tokenizers", "tiktoken", "streamlit")
MOST_BYTES = 1_900_000


def main() -> None:
    """Chooses, writes what was chosen, opens it, and writes what it means."""
    commit = _said("git", "rev-parse", "HEAD")
    if changed := _said("git", "status", "--porcelain", "--", "tokviz", "app.py"):
        sys.exit(f"The keepsake is made from a commit as it is; these are changed:\n{changed}")
    items.KEPT.mkdir()
    _write_files()
    _write("links", [{"name": name, "address": at} for name, at in _numbered(made_links.links())])
    _write("languages", ["zh_CN", "zh-TW,en;q=0.5", "de", "<b>"])
    _write("texts", made_files.texts())
    _write("commands", made_commands.commands())
    _write("options", made_commands.options())
    _write("imports", made_commands.imports())
    items.kept_json.cache_clear()
    _write("meaning", {kind: dict(found()) for kind, found in items.KINDS.items()})
    made = {"commit": commit, "python": sys.version.split()[0]}
    made |= {name: version(name) for name in _LIBRARIES}
    (items.KEPT / "made.json").write_text(json.dumps(made, indent=1) + "\n", "utf-8")
    size = sum(path.stat().st_size for path in items.KEPT.iterdir())
    if size > MOST_BYTES:
        sys.exit(f"The keepsake has {size:,} bytes; choose less.")


def _said(*words: str) -> str:
    done = subprocess.run(words, cwd=HERE, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _numbered(links: Any) -> Any:
    return [(f"{number:03} {name}", at) for number, (name, at) in enumerate(links)]


def _write(name: str, content: Any) -> None:
    text = json.dumps(content, ensure_ascii=True, separators=(",", ":"))
    (items.KEPT / f"{name}.json.xz").write_bytes(lzma.compress(text.encode("ascii"), **_XZ))


def _write_files() -> None:
    """All files, and what is known of how they belong together."""
    folder = dict(made_files.histories())
    wanted = made_files.exports(folder)
    found = {f"histories/{name}": data for name, data in folder.items()}
    found |= {f"moments/{name}": data for name, data in made_links.moments()}
    found |= dict(made_files.exported(folder, wanted))
    found |= dict(made_files.libraries())
    found |= made_files.inputs()
    found["inputs/words.parquet"] = made_files.counted()
    pages = dict(made_files.pages(folder))
    _write("exports", wanted)
    _write("pages", pages)
    _write("replays", made_files.replays())
    opened = [name.rpartition("/")[0] for name in found if name.startswith("opened/")]
    _write("opened", list(dict.fromkeys(opened)))
    _write("patterns", made_files.PATTERNS)
    for name, page in pages.items():
        found[f"pages/{name}.html"] = items.new_page(page, folder).encode()
    with tarfile.open(items.KEPT / "files.tar.xz", "w:xz", preset=9) as archive:
        for name, data in found.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


if __name__ == "__main__":
    main()
