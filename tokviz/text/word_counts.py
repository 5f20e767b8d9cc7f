"""The words of a corpus with their counts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from tokviz.basics.short_repr import short_repr
from tokviz.pretokenizers import Pretokenizer


@dataclass(frozen=True)
class Languages:
    """How often each language has each word of a corpus, and the words of the development texts.

    `counts` has a row for each of the `names`, with a number for each word of the corpus;
    `development` has one for each of the `development_words`, which may be others.
    """

    __repr__ = short_repr

    names: tuple[str, ...]
    counts: tuple[tuple[int, ...], ...]
    development_words: tuple[str, ...] = ()
    development: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class WordCounts:
    """Distinct words and how often each occurs, in first-occurrence order.

    `line_ends` says how often each was the last of its line; None: it was not counted, and every
    word is taken for a line of its own. `order` are the numbers of the words of a corpus, line
    after line as the library goes through them, where each line is one word (-1: it is empty); None
    otherwise, and where nobody knows any more. `borders` are the words that end a line, each with
    every character that the line after it begins with ("" after the last line); None: it was not
    looked at, or nobody knows any more. Only the trainers of SentencePiece ask for these.

    `white_space_words` is how many words the text itself has between its white space, whatever cut
    it into these (see `tokviz.text.white_space`); of lines that a pre-tokenizer does not read none
    are counted. `alone` is how often each word is one of these by itself, with nothing but white
    space besides: "don't" of GPT-2's words never is. None: nobody knows, because the corpus was a
    word-count table, whose own words are all there are, or the file that the words are from was
    written before they were counted. `languages` is known where the text was parted into some (see
    `tokviz.text.languages`).

    >>> WordCounts(("low", "lower"), (5, 2)).total
    7
    """

    __repr__ = short_repr

    words: tuple[str, ...]
    counts: tuple[int, ...]
    line_ends: tuple[int, ...] | None = field(default=None, repr=False)
    order: tuple[int, ...] | None = field(default=None, repr=False, compare=False)
    white_space_words: int | None = field(default=None, repr=False, compare=False)
    alone: tuple[int, ...] | None = field(default=None, repr=False, compare=False)
    languages: Languages | None = field(default=None, repr=False)
    borders: frozenset[tuple[int, str]] | None = field(default=None, repr=False, compare=False)

    @property
    def white_space_known(self) -> bool:
        """Whether figures per white-space word can be told: files of a few days know how many there
        are, but not which words are one by themselves, and count as those that know neither.

        >>> WordCounts(("low",), (5,)).white_space_known
        False
        """
        return self.white_space_words is not None and self.alone is not None

    @cached_property
    def total(self) -> int:
        """Words of the corpus, repetitions included."""
        return sum(self.counts)

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, eq=False)
class CountedWords(Mapping[str, int]):
    """Words that were counted before, and how: a corpus that is trained as its text would be.

    `settings` are those of the trainer that the words depend on, as far as they were given.

    >>> import tokviz
    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> words = CountedWords(WordCounts(("low", "lower"), (5, 2)), make_pretokenizer("whitespace"))
    >>> history = tokviz.train(words, "bpe", 6)
    >>> history.pretokenizer.name, history.steps[0].token
    ('whitespace', 'lo')
    """

    __repr__ = short_repr

    words: WordCounts
    pretokenizer: Pretokenizer
    special_tokens: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def _table(self) -> dict[str, int]:
        return dict(zip(self.words.words, self.words.counts, strict=True))

    def __getitem__(self, word: str) -> int:
        return self._table[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self.words.words)

    def __len__(self) -> int:
        return len(self.words)
