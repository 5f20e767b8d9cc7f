"""The library's normalization: character rules, white space, and `▁` for every space.

Source: google/sentencepiece 0.2.1 and 0.2.3, src/normalizer.cc; rules: src/normalization_rule.h.
"""

import json
import lzma
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from tokviz.pretokenizers.blocks import WHITE_SPACE

#: The sign for a space (U+2581).
SPACE = "▁"

#: The versions of the library that can be followed; the first is meant if nobody says which.
VERSIONS = ("0.2.1", "0.2.3")

RULE_NAMES = ("nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity")

_SPACES = re.compile(" {2,}")

#: Characters without a meaning of their own: those of the basic plane, then of plane 15.
_PRIVATE_USE = (*range(0xE000, 0xF900), *range(0xF0000, 0xFFFFE))


def unused_sign(found: Container[str]) -> str:
    """A character that is not among those that were found, and that no rule knows.

    >>> unused_sign("a\\ue000")
    '\\ue001'
    """
    return next(sign for sign in map(chr, _PRIVATE_USE) if sign not in found)


@cache
def _parts() -> dict[str, dict[str, str | None]]:
    packed = Path(__file__).with_name("rules.json.xz").read_bytes()
    parts: dict[str, dict[str, str | None]] = json.loads(lzma.decompress(packed))
    return parts


@cache
def rules(name: str, version: str = VERSIONS[0]) -> dict[str, str]:
    """What each string becomes, by the rules of that name in that version; `identity` has none.

    >>> rules("nmt_nfkc")["½"], rules("nmt_nfkc_cf")["É"], rules("nfkc").get("\\t")
    ('1⁄2', 'é', None)
    """
    if name == "identity":
        return {}
    parts = _parts()
    changed = dict(parts["nfkc"])
    if name.startswith("nmt"):
        changed |= parts["nmt"]
    if name.endswith("cf"):
        changed |= parts["cf"]
    known = {source: target for source, target in changed.items() if target is not None}
    return known if version == VERSIONS[0] else known | _newer(name, known)


def _newer(name: str, known: dict[str, str]) -> dict[str, str]:
    """The rules that came with 0.2.3: of letters of Unicode 16 and 17, and of one space more."""
    # A modifier letter that is a capital S, with every accent that is a letter with it.
    found = {"\ua7f1" + source[1:]: known[source] for source in known if source[0] == "Ｓ"}
    if name.startswith("nmt"):
        found["\u061c"] = " "
    if name.endswith("cf"):
        found |= {chr(code): chr(code + 1) for code in (0xA7CE, 0xA7D2, 0xA7D4)}
        found |= {chr(code): chr(code + 0x1B) for code in range(0x16EA0, 0x16EB9)}
    return found


@cache
def _reach(name: str, version: str) -> int:
    """How long the longest source is."""
    return max(map(len, rules(name, version)), default=0)


@cache
def _suspects(name: str, version: str) -> re.Pattern[str]:
    """Matches runs of characters that a rule may change. A rule applies only inside a run and the
    one character before it: every other character of a source is in such a run."""
    known = rules(name, version)
    chars = {source for source in known if len(source) == 1}
    chars |= {char for source in known for char in source[1:]}
    if not chars:
        return re.compile(r"(?!)")
    # All of the planes above the first stand for the few characters there that have rules: a class
    # with many ranges up there would be searched one by one.
    low = "".join(sorted(char for char in chars if char <= "\uffff"))
    return re.compile(f"[{re.escape(low)}\U00010000-\U0010ffff]+")


@cache
def _odd(name: str, version: str) -> re.Pattern[str]:
    """Matches characters that become a space, or have one in what they become, and are no white
    space; and white space that becomes, or stays, something else than a space or nothing."""
    known = rules(name, version)
    spaced = [source for source, target in known.items() if " " in target and not source.isspace()]
    kept = [char for char in WHITE_SPACE if known.get(char, char) not in (" ", "")]
    return re.compile(f"[{re.escape(''.join([SPACE, *spaced, *kept]))}]")


@dataclass(frozen=True)
class Normalizer:
    """Normalizes one line as the library does before training and before encoding.

    At each place the longest rule applies. Then, with `remove_extra_whitespaces`, runs of spaces
    become one and the line loses those at its ends; with `add_dummy_prefix` it gets one in front;
    every space becomes `▁`. A `▁` of the text is the same sign. `kept` strings are left as they
    are (the library does so for user-defined symbols when it encodes). Lone surrogates, which the
    library's UTF-8 cannot hold, pass unchanged.

    >>> Normalizer().normalize("  ①  ﬁne day ")
    '▁1▁fine▁day'
    """

    rule_name: str = "nmt_nfkc"
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    kept: tuple[str, ...] = ()
    version: str = VERSIONS[0]

    def normalize(self, text: str) -> str:
        """The normalized line; empty if there is nothing but white space in it."""
        return self.normalize_lines([text])[0]

    def normalize_lines(self, lines: Sequence[str]) -> list[str]:
        """Each line normalized. Faster than one after the other.

        >>> Normalizer().normalize_lines([" a  b ", "", "①"])
        ['▁a▁b', '', '▁1']
        """
        if self.kept:
            return [self.aligned(line)[0] for line in lines]
        # All lines are mapped at once, with a sign between them that no rule knows.
        between = unused_sign(set().union(*lines))
        mapped = self._with_rules(between.join(lines))
        if self.remove_extra_whitespaces and "  " in mapped:
            mapped = _SPACES.sub(" ", mapped)
        parts = mapped.split(between) if lines else []
        return [
            self._trimmed(part) if line else "" for line, part in zip(lines, parts, strict=True)
        ]

    def _trimmed(self, mapped: str) -> str:
        if self.remove_extra_whitespaces:
            mapped = mapped.lstrip(" ")
            if not mapped:
                return ""
        mapped = mapped.replace(" ", SPACE)
        if self.add_dummy_prefix:
            mapped = SPACE + mapped
        return mapped.rstrip(SPACE) if self.remove_extra_whitespaces else mapped

    def keeps_white_space(self, text: str) -> bool:
        """Whether spaces of the normalized text come from white space only, and white space becomes
        nothing but spaces. Said only of single lines without `kept` strings.

        >>> normalizer = Normalizer()
        >>> [normalizer.keeps_white_space(text) for text in ("a\\tb", "a▁b", "a´b", "a\\x85b")]
        [True, False, False, False]
        """
        return not self.kept and self._odd.search(text) is None

    def leaves_out(self, char: str) -> bool:
        """Whether a character becomes nothing.

        >>> Normalizer().leaves_out("\\x01"), Normalizer("nfkc").leaves_out("\\x01")
        (True, False)
        """
        return self._rules.get(char) == ""

    def aligned(self, text: str) -> tuple[str, list[tuple[int, int]]]:
        """The normalized line, and for each of its characters the [start, end) of the text that it
        was made from. The `▁` put in front has an empty source.

        >>> Normalizer().aligned("½ a")
        ('▁1⁄2▁a', [(0, 0), (0, 1), (0, 1), (0, 1), (1, 2), (2, 3)])
        """
        chars: list[str] = []
        spans: list[tuple[int, int]] = []
        begin = None  # where the line starts when the spaces before it are taken off
        after_space = self.remove_extra_whitespaces
        for target, start, end in self._steps(text):
            if begin is None and not (after_space and target == " "):
                begin = start
            if after_space:
                target = target.lstrip(" ")
            chars += target
            spans += [(start, end)] * len(target)
            if target:
                after_space = self.remove_extra_whitespaces and target.endswith(" ")
        if self.add_dummy_prefix and begin is not None:
            chars.insert(0, " ")
            spans.insert(0, (begin, begin))
        normalized = "".join(chars).replace(" ", SPACE)
        if self.remove_extra_whitespaces:
            normalized = normalized.rstrip(SPACE)
        return normalized, spans[: len(normalized)]

    def _steps(self, text: str) -> Iterator[tuple[str, int, int]]:
        """What each stretch of the text becomes, character rules only."""
        kept = sorted(self.kept, key=len, reverse=True)
        at = 0
        while at < len(text):
            found = next((symbol for symbol in kept if text.startswith(symbol, at)), None)
            if found is not None:
                target, length = found, len(found)
            else:
                target, length = self._longest(text, at)
            yield target, at, at + length
            at += length

    def _longest(self, text: str, at: int) -> tuple[str, int]:
        for length in range(min(self._reach, len(text) - at), 0, -1):
            if (target := self._rules.get(text[at : at + length])) is not None:
                return target, length
        return text[at], 1

    def _with_rules(self, text: str) -> str:
        parts, at = [], 0
        for match in self._suspects.finditer(text):
            first = max(at, match.start() - 1)
            parts += [text[at:first], self._mapped(text[first : match.end()])]
            at = match.end()
        return "".join([*parts, text[at:]]) if at else text

    def _mapped(self, text: str) -> str:
        known = self._known
        if text not in known:
            parts, at = [], 0
            while at < len(text):
                target, length = self._longest(text, at)
                parts.append(target)
                at += length
            known[text] = "".join(parts)
        return known[text]

    @cached_property
    def _known(self) -> dict[str, str]:
        return {}

    @cached_property
    def _rules(self) -> dict[str, str]:
        return rules(self.rule_name, self.version)

    @cached_property
    def _reach(self) -> int:
        return _reach(self.rule_name, self.version)

    @cached_property
    def _odd(self) -> re.Pattern[str]:
        return _odd(self.rule_name, self.version)

    @cached_property
    def _suspects(self) -> re.Pattern[str]:
        return _suspects(self.rule_name, self.version)
