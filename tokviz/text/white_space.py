"""The white-space words of a text: what one number of words is for every way of cutting it.

Pre-tokenizers cut a text into other words each, so that a figure per word of theirs cannot be
compared. White-space words are what `str.split()` gives for each document: stretches without any
character of Unicode's white space. They are counted while the words are, as the text is read; it
need not be kept. Special tokens in the text are part of it here, since every lane has the same
text and maybe other special tokens.

A pre-token is a white-space word by itself where it covers all of one and, besides white space,
nothing else. Characters of which a normalizer leaves nothing, white space among them, count for
that as if the text did not have them.

    don't low, lower     whitespace: don't  low,  lower     all three are words by themselves
                         gpt2: don 't  low ,  lower         lower is one
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property

from tokviz.pretokenizers import SentencePiecePretokenizer, Word

#: Characters that are looked at together.
PART = 1 << 16


def count_white_space_words(text: str) -> int:
    r"""How many words `text.split()` has, without making them.

    Chinese and Thai put no space between words: a stretch without any counts once.

    >>> count_white_space_words(" low\n lower, lowest!"), count_white_space_words("你好，世界 再见")
    (3, 2)
    """
    if len(text) <= PART:
        return len(text.split())
    seen = WhiteSpaceWords()
    for at in range(0, len(text), PART):
        seen.part(text[at : at + PART])
    return seen.total


class WhiteSpaceWords:
    r"""Counts the white-space words of what is read, as it is read.

    >>> seen = WhiteSpaceWords()
    >>> list(seen.documents(["low lower", "lowest"])), seen.total
    (['low lower', 'lowest'], 3)
    >>> seen.part("low lo")
    >>> seen.part("wer")
    >>> seen.total
    5
    """

    def __init__(self) -> None:
        self.total = 0
        self._inside = False

    def documents(self, documents: Iterable[str]) -> Iterator[str]:
        """The documents themselves, each counted before it is handed on."""
        for document in documents:
            self.total += count_white_space_words(document)
            yield document

    def part(self, part: str) -> None:
        """Counts what follows the part before it."""
        if part:
            self.total += count_white_space_words(part) - (self._inside and not part[0].isspace())
            self._inside = not part[-1].isspace()


def with_neighbours(parts: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The parts of one text, each with the characters before and after it; a space where the text
    begins and ends.

    >>> list(with_neighbours(["low", ", lo", "wer"]))
    [('low', ' ', ','), (', lo', 'w', 'w'), ('wer', 'o', ' ')]
    """
    before, part = " ", ""
    for following in filter(None, parts):
        if part:
            yield part, before, following[0]
            before = part[-1]
        part = following
    if part:
        yield part, before, " "


class Surroundings:
    """A document, for the question which of its words, cut one by one, are white-space words by
    themselves. `leaves_out` says of which characters a normalizer leaves nothing.

    >>> document = Surroundings("don't stop")
    >>> document.leave_alone(Word("don", 0, 3)), document.leave_alone(Word(" stop", 5, 10))
    (False, True)
    """

    def __init__(self, text: str, leaves_out: Callable[[str], bool] = lambda _: False) -> None:
        self._text, self._leaves_out = text, leaves_out

    def leave_alone(self, word: Word, at: int = 0) -> bool:
        """Whether the word, whose offsets count from `at`, is a white-space word by itself."""
        if word.spans is not None:
            return self._is_one(
                {i for start, end in word.spans for i in range(at + start, at + end)}
            )
        text, start, end = self._text, at + word.start, at + word.end
        # Not all of them: the word may be a book.
        if len(word.text.split(None, 1)) != 1:
            return False
        begins = word.text[0].isspace() or start == 0 or text[start - 1].isspace()
        return begins and (word.text[-1].isspace() or end == len(text) or text[end].isspace())

    def _is_one(self, places: set[int]) -> bool:
        """Whether characters of the text are those of one white-space word, and all of them."""
        own = [number for i in places if (number := self._numbers[i])]
        return bool(own) and own.count(own[0]) == len(own) == self._sizes[own[0]]

    @cached_property
    def _numbers(self) -> list[int]:
        """The number of every character's white-space word; 0 for white space, and for what is
        left out."""
        numbers, word = [], 1
        for char in self._text:
            left_out = self._leaves_out(char)
            space = char.isspace()
            word += space and not left_out
            numbers.append(0 if space or left_out else word)
        return numbers

    @cached_property
    def _sizes(self) -> Counter[int]:
        return Counter(self._numbers)


def joined_in_line(
    line: str,
    white_space_words: int,
    words: Sequence[str],
    cutter: SentencePiecePretokenizer,
    symbols: Sequence[str],
) -> Sequence[str]:
    """Those of the training words of a line that are no white-space word by themselves; so many of
    these the line has.

    >>> cutter, line = SentencePiecePretokenizer(), "low<s> a▁b"
    >>> (words,) = cutter.training_words([line], ["<s>"])
    >>> words, joined_in_line(line, 2, words, cutter, ["<s>"])
    ([' low\\t', ' a', ' b'], [' low\\t', ' a', ' b'])
    """
    bare = words.count(" ")
    told_apart = len(words) - bare == white_space_words and cutter.keeps_white_space(line)
    if told_apart and cutter.boundary not in "".join(words):
        # None of the one is in two of the other, and there are as many: each is one.
        return [" "] * bare
    document = Surroundings(line, cutter.leaves_out)
    traced = zip(words, cutter.traced(line, symbols), strict=True)
    return [text for text, word in traced if word is None or not document.leave_alone(word)]
