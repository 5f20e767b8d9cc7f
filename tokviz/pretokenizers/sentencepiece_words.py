"""What google/sentencepiece has for a pre-tokenizer: normalize the line, cut it at spaces."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from itertools import pairwise
from typing import ClassVar

from tokviz.basics.arguments import Shown
from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.pretokenizers.base import Pretokenizer, Word
from tokviz.pretokenizers.normalizer import RULE_NAMES, SPACE, VERSIONS, Normalizer, unused_sign
from tokviz.pretokenizers.pieces import BOUNDARIES, UNKNOWN

_WORD_STARTS = re.compile(f"(?={SPACE})")


@dataclass(frozen=True)
class SentencePiecePretokenizer(Pretokenizer):
    """Normalizes a line as the library does, then cuts it before every `▁`.

    A `▁` is a space here, whether the line had a space or a typed `▁`: the library knows no
    difference. With `split_by_whitespace` off a line is a single word. Nothing is cut at
    punctuation. `kept` strings are not normalized.

    >>> [word.text for word in SentencePiecePretokenizer().words("Ｈello  ▁world, ")]
    [' Hello', ' world,']
    >>> [word.text for word in SentencePiecePretokenizer("nfkc").words("Ｈello  ▁world, ")]
    [' Hello', ' ', ' world,']
    """

    __repr__ = short_repr

    name: ClassVar[str] = "sentencepiece"
    label: ClassVar[str] = "SentencePiece"
    help: ClassVar[str] = message(
        "Normalizes the line as SentencePiece does, then cuts it before every ▁."
    )
    source: ClassVar[str] = (
        "Kudo and Richardson 2018; google/sentencepiece 0.2.1 and 0.2.3 normalizer.cc, "
        "SplitIntoWords of model_interface.cc, LoadSentences of trainer_interface.cc"
    )
    space_mark: ClassVar[str] = "▁"

    # No labels for a form: a trainer of SentencePiece has these among its own settings.
    normalization_rule_name: str = "nmt_nfkc"
    add_dummy_prefix: bool = True
    remove_extra_whitespaces: bool = True
    split_by_whitespace: bool = True
    max_sentence_length: int = 4192
    kept: tuple[str, ...] = field(default=())
    version: str = VERSIONS[0]

    def __post_init__(self) -> None:
        for name, known in (("normalization_rule_name", RULE_NAMES), ("version", VERSIONS)):
            if getattr(self, name) not in known:
                raise SettingError.saying(
                    "{name}={value!r} is not known; choose one of {known}.",
                    name=name,
                    value=Shown(getattr(self, name)),
                    known=", ".join(known),
                )

    def words(self, text: str) -> Iterator[Word]:
        return self._words(*self._normalizer.aligned(text))

    def _words(self, normalized: str, spans: Sequence[tuple[int, int]]) -> Iterator[Word]:
        bounds = sorted({0, len(normalized)})
        if self.split_by_whitespace:
            starts = [match.start() for match in _WORD_STARTS.finditer(normalized)]
            bounds = sorted({*bounds, *starts})
        for first, last in pairwise(bounds):
            covered = spans[first:last]
            yield Word(
                normalized[first:last].replace(SPACE, " "),
                min(covered)[0],
                max(end for _, end in covered),
                tuple(covered),
            )

    def leaves_out(self, char: str) -> bool:
        return self._normalizer.leaves_out(char)

    def keeps_white_space(self, line: str) -> bool:
        """Whether words of a line are told apart by its white space and by nothing else."""
        return self._normalizer.keeps_white_space(line)

    def training_words(
        self, lines: Sequence[str], symbols: Sequence[str] = ()
    ) -> Iterator[list[str]]:
        """The words that the library would learn from each line. Where a line spells one of the
        vocabulary's own `symbols` there is a tab (from 0.2.3 on U+001F), which no piece may hold.

        A line of more than `max_sentence_length` bytes, or one that holds the reserved `▅`, gives
        none.

        >>> list(SentencePiecePretokenizer().training_words(["a <s>b", " ", "c"], ["<s>"]))
        [[' a', ' \\tb'], [], [' c']]
        """
        used = [line if self.takes(line) else "" for line in lines]
        for line in self._normalizer.normalize_lines(used):
            if symbols:
                line = _any_of(tuple(symbols)).sub(self.boundary, line)
            if not self.split_by_whitespace:
                yield [line.replace(SPACE, " ")] if line else []
                continue
            first, *others = line.split(SPACE)
            words = [" " + word for word in others]
            yield [first, *words] if first else words

    def traced(self, line: str, symbols: Sequence[str] = ()) -> Iterator[Word | None]:
        """The words that `training_words` gives of a line, with their places in it; None for a word
        that has one of the `symbols` in it. Slower.

        >>> [word and word.text for word in SentencePiecePretokenizer().traced("a <s>b", ["<s>"])]
        [' a', None]
        """
        normalized, spans = self._normalizer.aligned(line if self.takes(line) else "")
        # As long as the symbol, so that every other character keeps its place.
        sign = unused_sign(normalized)
        if symbols:
            longest_first = _any_of(tuple(symbols))
            normalized = longest_first.sub(lambda found: sign * len(found[0]), normalized)
        for word in self._words(normalized, spans):
            yield None if sign in word.text else word

    def takes(self, line: str) -> bool:
        """Whether the library reads a line at all when it trains; it may be empty once normalized.

        >>> [SentencePiecePretokenizer().takes(line) for line in ("a", " ", "", "▅")]
        [True, True, False, False]
        """
        return bool(line) and UNKNOWN not in line and not self._too_long(line)

    @property
    def boundary(self) -> str:
        """What stands in a training word for a symbol of the vocabulary's own."""
        return BOUNDARIES[self.version]

    def _too_long(self, line: str) -> bool:
        if len(line) * 4 <= self.max_sentence_length:
            return False
        return len(line.encode("utf-8", "surrogatepass")) > self.max_sentence_length

    @cached_property
    def _normalizer(self) -> Normalizer:
        return Normalizer(
            self.normalization_rule_name,
            self.add_dummy_prefix,
            self.remove_extra_whitespaces,
            self.kept,
            self.version,
        )


@cache
def _any_of(symbols: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(symbols, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)))
