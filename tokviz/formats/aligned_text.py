"""A text that is being rewritten, with the place in the original that every character came from.

It does to characters what `NormalizedString` does to bytes in Hugging Face's library, its choice of
places included: a character that is added has the place of the one before it.

Source: huggingface/tokenizers, src/tokenizer/normalizer.rs and pattern.rs.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeAlias

Span: TypeAlias = tuple[int, int]

#: A stretch [start, end) of a text, and whether a pattern matched it.
Match: TypeAlias = tuple[int, int, bool]

#: What `Split` and `Punctuation` may do with the delimiters that they find.
BEHAVIORS = ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous")


@dataclass(frozen=True)
class AlignedText:
    """`spans` holds the source of every character; None if character i is source character
    `start` + i. `start` is where the stretch begins that this text was cut out of.

    >>> AlignedText("abc").part(1, 3).rewritten([("x", 0), ("y", 1), ("c", 0)])
    AlignedText(text='xyc', start=1, spans=((1, 2), (1, 2), (2, 3)))
    """

    text: str
    start: int = 0
    spans: tuple[Span, ...] | None = None

    def sources(self) -> tuple[Span, ...]:
        """The source of every character."""
        if self.spans is not None:
            return self.spans
        return tuple((i, i + 1) for i in range(self.start, self.start + len(self.text)))

    def part(self, start: int, end: int) -> "AlignedText":
        """The characters [start, end); it begins where the first of them comes from."""
        if self.spans is None:
            return AlignedText(self.text[start:end], self.start + start)
        spans = self.spans[start:end]
        first = spans[0][0] if spans else self.start
        return AlignedText(self.text[start:end], first, spans)

    def rewritten(self, chars: Iterable[tuple[str, int]], removed: int = 0) -> "AlignedText":
        """The text with other characters, each with its change: 0 replaces the next old one, 1
        adds one, −n replaces the next old one and removes n after it. `removed` old ones are left
        out at the beginning. (`transform` in the library.)"""
        old, at, spans, text = self.sources(), removed, [], []
        for char, change in chars:
            if change > 0:
                spans.append(old[at - 1] if at else (self.start, self.start))
            else:
                spans.append(old[min(at, len(old) - 1)])
                at = min(at + 1 - change, len(old))
            text.append(char)
        return AlignedText("".join(text), self.start, tuple(spans))

    def mapped(self, mapping: Callable[[str], str]) -> "AlignedText":
        """Every character replaced by what the mapping gives for it, one or more characters."""
        parts = [mapping(char) for char in self.text]
        text = "".join(parts)
        if text == self.text:
            return self
        if len(text) == len(parts):
            return AlignedText(text, self.start, self.spans)
        return self.rewritten((char, min(i, 1)) for part in parts for i, char in enumerate(part))

    def filtered(self, kept: Callable[[str], bool]) -> "AlignedText":
        """Only the characters that are kept."""
        keeps = list(map(kept, self.text))
        if all(keeps):
            return self
        old = self.sources()
        text = "".join(char for char, keep in zip(self.text, keeps, strict=True) if keep)
        spans = tuple(span for span, keep in zip(old, keeps, strict=True) if keep)
        return AlignedText(text, self.start, spans)

    def prepended(self, before: str) -> "AlignedText":
        """With a string in front, which has the place of the first character; an empty text stays
        empty."""
        if not self.text or not before:
            return self
        spans = self.sources()
        return AlignedText(before + self.text, self.start, spans[:1] * len(before) + spans)

    def replaced(self, matches: Iterable[Match], content: str) -> "AlignedText":
        """With `content` for every match; its characters have the place of the match's last one."""
        old, text, spans = self.sources(), list[str](), list[Span]()
        for start, end, matched in matches:
            if matched:
                text.append(content)
                spans += [old[end - 1] if end else (self.start, self.start)] * len(content)
            else:
                text.append(self.text[start:end])
                spans += old[start:end]
        return AlignedText("".join(text), self.start, tuple(spans))

    def split(self, matches: Sequence[Match], behavior: str) -> list["AlignedText"]:
        """The text cut at the matches, which cover all of it. `behavior` is one of `BEHAVIORS`.
        Empty parts are left out.

        >>> dashes = [(0, 1, False), (1, 2, True), (2, 3, True), (3, 4, False)]
        >>> for behavior in BEHAVIORS:
        ...     print([part.text for part in AlignedText("a--b").split(dashes, behavior)])
        ['a', 'b']
        ['a', '-', '-', 'b']
        ['a-', '-', 'b']
        ['a', '-', '-b']
        ['a', '--', 'b']
        """
        if behavior == "Removed":
            kept = [(start, end) for start, end, matched in matches if not matched]
        elif behavior == "Isolated":
            kept = [(start, end) for start, end, _ in matches]
        elif behavior == "MergedWithNext":
            turned = [(-end, -start, matched) for start, end, matched in reversed(matches)]
            kept = [(-end, -start) for start, end in _joined(turned, only_matches=True)][::-1]
        else:
            kept = _joined(matches, only_matches=behavior == "MergedWithPrevious")
        return [self.part(start, end) for start, end in kept if start < end]


def _joined(matches: Sequence[Match], only_matches: bool) -> list[Span]:
    """Each stretch joined to the one before it if both are (no) matches, or, with `only_matches`,
    if it is a match and the one before it is none."""
    parts: list[Span] = []
    before = False
    for start, end, matched in matches:
        joins = matched and not before if only_matches else matched == before
        if joins and parts:
            parts[-1] = (parts[-1][0], end)
        else:
            parts.append((start, end))
        before = matched
    return parts


def matches_of(text: str, found: Iterable[Span]) -> list[Match]:
    """The matches of a pattern, and what lies between them.

    >>> matches_of("a-b", [(1, 2)])
    [(0, 1, False), (1, 2, True), (2, 3, False)]
    """
    matches: list[Match] = []
    at = 0
    for start, end in found:
        if at < start:
            matches.append((at, start, False))
        matches.append((start, end, True))
        at = end
    if at < len(text) or not text:
        matches.append((at, len(text), False))
    return matches


def characters_where(text: str, delimiter: Callable[[str], bool]) -> list[Match]:
    """Each character for which `delimiter` is true as a match of its own.

    >>> characters_where("a--", "-".__eq__)
    [(0, 1, False), (1, 2, True), (2, 3, True)]
    """
    return matches_of(text, ((i, i + 1) for i, char in enumerate(text) if delimiter(char)))


def inverted(matches: Iterable[Match]) -> list[Match]:
    """What matched did not, and the other way round."""
    return [(start, end, not matched) for start, end, matched in matches]


def cut_at(text: AlignedText, lengths: Iterable[int]) -> list[AlignedText]:
    """The text cut into parts of these lengths.

    >>> [part.text for part in cut_at(AlignedText("abc"), [1, 2])]
    ['a', 'bc']
    """
    return [text.part(i, j) for i, j in pairwise(accumulate(lengths, initial=0)) if i < j]
