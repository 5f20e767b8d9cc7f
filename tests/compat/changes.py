"""What differs from the keepsake, and what of it was changed on purpose (`changes.toml`)."""

import re
import tomllib
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

from compat import meaning

CHANGES = Path(__file__).parent / "changes.toml"
#: Items that a failing test spells out, characters of each value, and those before a difference.
MOST_SAID, MOST_CHARACTERS, AROUND = 40, 100, 40
MISSING = "nothing"

#: Item → part → what was kept, and what is there now.
Differences = dict[str, dict[str, tuple[Any, Any]]]


class Change(NamedTuple):
    """A change on purpose: which items, named by a pattern, differ in which parts, how many items
    these are, the digest of what is there now, and why."""

    items: str
    parts: tuple[str, ...]
    size: int
    now: str
    reason: str

    def matches(self, item: str, differing: Iterable[str]) -> set[str]:
        """The differing parts of an item that this change is about; none unless it differs in each
        part that the change names."""
        if not fnmatchcase(item, self.items):
            return set()
        found = [{part for part in differing if fnmatchcase(part, name)} for name in self.parts]
        return set().union(*found) if all(found) else set()


def read_changes(text: str) -> list[Change]:
    """The entries of `changes.toml`. Raises ValueError for one that says too little."""
    changes = []
    for entry in tomllib.loads(text).get("change", []):
        change = Change(**{**entry, "parts": tuple(entry["parts"])})
        if not (change.reason.strip() and change.parts and change.size >= 1 and change.now):
            raise ValueError(f"{entry} needs items, parts, a size from 1 on, now, and a reason")
        changes.append(change)
    return changes


def differences(kept: Mapping[str, Any], now: Mapping[str, Any]) -> Differences:
    """Every part of every item that is not what was kept."""
    found: Differences = {}
    for item in [*kept, *(name for name in now if name not in kept)]:
        was, made = kept.get(item, {}), now.get(item, {})
        for part in [*was, *(name for name in made if name not in was)]:
            pair = was.get(part, MISSING), made.get(part, MISSING)
            if not same(*pair):
                found.setdefault(item, {})[part] = pair
    return found


def same(kept: Any, now: Any) -> bool:
    """Whether a part is what was kept. Of a table with names only the names that were known are
    looked at."""
    if isinstance(kept, dict) and isinstance(now, dict):
        return all(name in now and same(value, now[name]) for name, value in kept.items())
    return kept == now


def complaints(found: Differences, changes: Iterable[Change]) -> list[str]:
    """What is wrong: entries that do not fit what differs, and differences that none tells of."""
    said, left = [], {item: set(parts) for item, parts in found.items()}
    for change in changes:
        about = {item: change.matches(item, parts) for item, parts in found.items()}
        about = {item: parts for item, parts in about.items() if parts}
        named = f'changes.toml, items = "{change.items}", parts = {list(change.parts)}'
        if any(parts - left[item] for item, parts in about.items()):
            said.append(f"{named}: another entry tells of some of these already.")
        for item, parts in about.items():
            left[item] -= parts
        if not about:
            said.append(f"{named}: nothing differs there; take the entry out.")
        elif len(about) != change.size:
            said.append(f"{named}: {len(about)} items differ, not {change.size}.")
        elif (digest := digest_of(found, about)) != change.now:
            said.append(f'{named}: what is there now is not what was entered; now = "{digest}".')
    untold = {item: sorted(parts) for item, parts in left.items() if parts}
    for item, parts in list(untold.items())[:MOST_SAID]:
        said += _lines(item, {part: found[item][part] for part in parts})
    if len(untold) > MOST_SAID:
        said.append(f"… and so do {len(untold) - MOST_SAID} more items.")
    if untold:
        said.append(f'In all {len(untold)} items differ; now = "{digest_of(found, untold)}".')
    return said


def _lines(item: str, parts: Mapping[str, tuple[Any, Any]]) -> list[str]:
    """What differs in an item: digests in one line, which say nothing, and every other part in a
    line of its own, with what it was and what it is."""
    digests = [part for part, pair in parts.items() if all(map(_is_digest, pair))]
    lines = [f"{item}: {', '.join(digests)} differ"] if digests else []
    others = [part for part in parts if part not in digests]
    return lines + [f"{item}: {part} differs: {_told(*parts[part])}" for part in others]


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{32}", value) is not None


def digest_of(found: Differences, about: Mapping[str, Iterable[str]]) -> str:
    """The digest of what some parts of some items are now."""
    pairs = [(item, part) for item in sorted(about) for part in sorted(about[item])]
    return meaning.digest([[*pair, meaning.whole(found[pair[0]][pair[1]][1])] for pair in pairs])


def _told(kept: Any, now: Any) -> str:
    """The first place where two values differ."""
    if isinstance(kept, dict) and isinstance(now, dict):
        name = next(n for n, value in kept.items() if n not in now or not same(value, now[n]))
        return f"{name}: {_told(kept[name], now.get(name, MISSING))}"
    if isinstance(kept, str) and isinstance(now, str) and "\n" in kept + now:
        lines, others = kept.split("\n"), now.split("\n")
        at = next(i for i in range(len(lines) + 1) if lines[i : i + 1] != others[i : i + 1])
        was, made = ((x[at : at + 1] or [MISSING])[0] for x in (lines, others))
        return f"line {at + 1}: {_told(was, made)}"
    texts = repr(kept), repr(now)
    # From a little before the first character that differs.
    alike = takewhile(lambda pair: pair[0] == pair[1], zip(*texts, strict=False))
    begin = max(0, sum(1 for _ in alike) - AROUND)
    was, made = ("…" * (begin > 0) + text[begin:][:MOST_CHARACTERS] for text in texts)
    return f"it was {was}, and is {made}"
