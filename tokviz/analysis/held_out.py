"""How a tokenizer does on text that it was not trained on, and how sure such a number is.

A sample of text gives a sample of the number. The bootstrap (Efron 1979) draws the words of the
sample again, with replacement, a thousand times: the middle 95 % of what comes out is the interval.
Words stand for themselves here; a text with few topics says less than its interval seems to.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from tokviz.analysis.metrics import PerWord, words_known
from tokviz.basics.errors import CorpusError
from tokviz.basics.messages import counted, told_by
from tokviz.encoding.encoders import Piece, WordEncoder
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.history.base import Floats, History
from tokviz.pretokenizers.blocks import encoded
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import Corpus, as_corpus, documents
from tokviz.text.languages import only_measures, without_development
from tokviz.text.white_space import Surroundings

#: How often the words are drawn again, and the percentiles that bound the interval.
RESAMPLES = 1000
BOUNDS = (2.5, 97.5)


_WORD = re.compile(r"\S+")


class Estimate(NamedTuple):
    """A number of a sample, and the 95 % interval that the bootstrap gives it."""

    value: float
    low: float
    high: float


class HeldOut(NamedTuple):
    """A text as a state cuts it: its words (`per_word` says which: "whitespace" or "pretokens") and
    tokens, words with an unknown token, and the rates: `unknown` words ÷ words, `fertility` tokens
    ÷ words, and `whole_words`, those that are one token of the vocabulary, ÷ words. `characters`
    and `bytes` are all code points of the text and their UTF-8, white space included and line ends
    left out: the same for every run, and so are white-space words.
    """

    words: int
    tokens: int
    unknown_words: int
    unknown: Estimate
    fertility: Estimate
    whole_words: Estimate
    characters: int
    bytes: int
    per_word: PerWord

    @property
    def characters_per_token(self) -> float:
        """Code points of the text ÷ tokens."""
        return self.characters / max(1, self.tokens)

    @property
    def bytes_per_token(self) -> float:
        """UTF-8 bytes of the text ÷ tokens."""
        return self.bytes / max(1, self.tokens)


def hold_back(text: str) -> tuple[str, str]:
    r"""Splits a text into what is trained on and a tenth that is not: every tenth line, blank ones
    not counted, or of fewer than ten lines the last tenth of the words.

    Raises ValueError for a text of fewer than ten words.

    >>> hold_back("\n".join("abcdefghijkl"))
    ('a\nb\nc\nd\ne\nf\ng\nh\ni\nk\nl', 'j')
    >>> hold_back("one two three four five six seven eight nine ten")
    ('one two three four five six seven eight nine', 'ten')
    """
    lines = list(documents(text))
    held = [i for i, line in enumerate(lines) if line.strip()][9::10]
    if held:
        kept = sorted({*range(len(lines))} - {*held})
        return "\n".join(lines[i] for i in kept), "\n".join(lines[i] for i in held)
    words = [match.start() for match in _WORD.finditer(text)]
    if len(words) < 10:
        raise CorpusError(
            counted(
                "A text of {n} word has no tenth to hold back; use one of ten words or more.",
                "A text of {n} words has no tenth to hold back; use one of ten words or more.",
                len(words),
            )
        )
    cut = words[-(len(words) // 10)]
    return text[:cut].rstrip(), text[cut:]


def hold_back_each(texts: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Splits the text of each language as `hold_back` does; what only measures stays whole, for the
    training.

    Raises ValueError for a text of fewer than ten words, with its language, and for texts of which
    some have ten lines or more, but not all the same number: what is held back would not say the
    same in each.

    >>> hold_back_each({"en": "one two three four five six seven eight nine ten"})[1]
    {'en': 'ten'}
    """
    kept, held = dict[str, str](), dict[str, str]()
    lines = {
        language: sum(1 for line in documents(text) if line.strip())
        for language, text in without_development(texts).items()
    }
    fewest, most = min(lines, key=lines.__getitem__), max(lines, key=lines.__getitem__)
    if lines[fewest] != lines[most] >= 10:
        raise CorpusError.saying(
            "{most} has {n:,} lines, and {fewest} has {least:,}: what is held back would not say "
            "the same in each; give each language as many lines, the same ones.",
            most=most,
            fewest=fewest,
            n=lines[most],
            least=lines[fewest],
        )
    for language, text in texts.items():
        if only_measures(language):
            kept[language] = text
            continue
        try:
            kept[language], held[language] = hold_back(text)
        except CorpusError as error:
            raise CorpusError.saying(
                "{language}: {why}", language=language, why=told_by(error)
            ) from None
    return kept, held


def held_out(history: History, t: int, text: Corpus, per_word: PerWord = "whitespace") -> HeldOut:
    """Encodes a text with the tokenizer of state t. The same text and state give the same
    intervals, on every machine.

    Words are those of the text between white space, `str.split()` of each document, the same for
    every run; `per_word` "pretokens" makes them those of the run's own pre-tokenizer. A white-space
    word has the tokens that begin in it or in the white space before it; it is whole as in
    `tokviz.analysis.metrics.metrics`, where an unknown token makes no word whole. A word-count
    table has no words but its own: those are the pre-tokens. Special tokens are no tokens here.

    Raises IndexError for a state that the run does not have, CorpusError for a bad corpus,
    SettingError for other words, and ValueError for a text without words.

    Trained to the end, "low" is one token; s is unknown. "don't" is two pre-tokens:

    >>> import tokviz
    >>> found = held_out(tokviz.train("low low", "bpe", 6), 2, "low slow")
    >>> found.words, found.tokens, found.unknown_words, found.unknown.value
    (2, 4, 1, 0.5)
    >>> found.whole_words.value
    0.5
    >>> of_letters = tokviz.train("don't", "bpe", 5, "gpt2")
    >>> found = held_out(of_letters, 0, "don't")
    >>> found.words, found.tokens, found.fertility.value, found.characters_per_token
    (1, 5, 5.0, 1.0)
    >>> found = held_out(of_letters, 0, "don't", "pretokens")
    >>> found.words, found.tokens, found.fertility.value
    (2, 5, 2.5)
    """
    tokenizer, given = history.tokenizer(t), as_corpus(text)
    words_known([], per_word)
    if not isinstance(given, str | Mapping):
        # Documents that come one by one are read twice here.
        given = list(documents(given))
    encoder = _Encoder(tokenizer.encoder)
    kinds: Counter[_Kind] = Counter()
    whole: Counter[_Kind] = Counter()
    if isinstance(given, Mapping) or per_word == "pretokens":
        per_word = "pretokens"
        words = count_words(given, history.pretokenizer, history.special_tokens)
        for word, n in zip(words.words, words.counts, strict=True):
            pieces = encoder.pieces(word)
            kind = _Kind(len(pieces), encoder.any_unknown(pieces), True)
            kinds[kind] += n
            whole[kind] += n * encoder.one_known(pieces)
    else:
        for stretch, n in _stretches(given, tokenizer).items():
            for kind, is_whole in _kinds_of(stretch, tokenizer, encoder):
                kinds[kind] += n
                whole[kind] += n * is_whole
    if not any(kind.is_word for kind in kinds):
        raise CorpusError.saying("The held-out text has no words; give one that has some.")
    return _estimated(kinds, whole, *_sizes(given), per_word)


class _Kind(NamedTuple):
    """What the bootstrap knows of a word: its tokens, and whether one of them is unknown. White
    space at the end of a document may have tokens too, and is no word."""

    tokens: int
    unknown: bool
    is_word: bool


class _Encoder:
    """The pieces of words, each of which is encoded once, and which of them are unknown."""

    def __init__(self, encoder: WordEncoder) -> None:
        self._encoder = encoder
        self._missing = {None, getattr(encoder, "unknown_id", None)}
        self._known: dict[str, list[Piece]] = {}

    def pieces(self, word: str) -> list[Piece]:
        if (pieces := self._known.get(word)) is None:
            pieces = self._known[word] = self._encoder.encode(word)
        return pieces

    def any_unknown(self, pieces: Iterable[Piece]) -> bool:
        return any(piece.id in self._missing for piece in pieces)

    def one_known(self, pieces: Sequence[Piece]) -> bool:
        return len(pieces) == 1 and not self.any_unknown(pieces)


def _stretches(text: str | list[str], tokenizer: Tokenizer) -> Counter[str]:
    """The text in stretches that are cut by themselves as they are in it, and how often each
    occurs: where the pre-tokenizer knows such places, hardly more than its distinct words. White
    space stays with the word after it."""
    cuts = getattr(tokenizer.pretokenizer, "safe_cuts", None)
    special = list(filter(None, tokenizer.special_tokens))
    found: Counter[str] = Counter()
    for document in documents(text):
        at = 0
        if cuts is not None and not any(token in document for token in special):
            for match in cuts.finditer(document):
                cut = match.start()
                if document[cut].isspace() and not document[cut - 1].isspace():
                    found[document[at:cut]] += 1
                    at = cut
        found[document[at:]] += 1
    return found


def _kinds_of(text: str, tokenizer: Tokenizer, encoder: _Encoder) -> Iterator[tuple[_Kind, bool]]:
    """Every white-space word of a text with the tokens that begin in it or in the white space
    before it, and whether it is whole; and the white space at the end if it has tokens."""
    ends = [match.end() for match in _WORD.finditer(text)]
    units: list[list[Piece]] = [[] for _ in range(len(ends) + 1)]
    whole: set[int] = set()
    around = Surroundings(text, tokenizer.pretokenizer.leaves_out)
    # The symbols of SentencePiece's Unigram are pieces of its words; others are cut out before.
    symbols = getattr(tokenizer.pretokenizer, "kept", ())
    at, last = 0, len(ends)
    for word, special in tokenizer.cut(text):
        if special:
            continue
        while at < last and ends[at] <= word.start:
            at += 1
        pieces = encoder.pieces(word.text)
        one = encoder.one_known(pieces) and word.text not in symbols
        if one and around.leave_alone(word):
            whole.add(at)
        if at == last or word.end <= ends[at]:
            units[at] += pieces
            continue
        # A pre-token of several white-space words.
        for piece in pieces:
            start, _ = word.span(piece.start, piece.end)
            units[bisect_right(ends, start, at)].append(piece)
    for unit, pieces in enumerate(units):
        if pieces or unit < last:
            yield _Kind(len(pieces), encoder.any_unknown(pieces), unit < last), unit in whole


def _sizes(text: str | list[str] | Mapping[str, int]) -> tuple[int, int]:
    """The characters of a text and their bytes; of a table those of its words."""
    parts = text if isinstance(text, Mapping) else Counter(documents(text))
    characters = sum(len(part) * int(n) for part, n in parts.items())
    return characters, sum(len(encoded(part)) * int(n) for part, n in parts.items())


def _estimated(
    kinds: Mapping[_Kind, int],
    whole: Mapping[_Kind, int],
    characters: int,
    n_bytes: int,
    per_word: PerWord,
) -> HeldOut:
    """Words that have as many tokens, and an unknown one or not, are all the same to the bootstrap:
    a resample is one draw of how many there are of each kind, and one of how many of these are
    whole."""
    order = sorted(kinds)
    counts = np.asarray([kinds[kind] for kind in order], np.int64)
    tokens, unknown, is_word = np.asarray(order, np.int64).T
    unknown = unknown * is_word
    n = int(counts.sum())
    chance = np.random.Generator(np.random.PCG64(0))
    draws = chance.multinomial(n, counts / n, RESAMPLES)
    drawn_whole = sum(
        chance.binomial(of_kind, whole[kind] / kinds[kind])
        for kind, of_kind in zip(order, draws.T, strict=True)
    )
    words, all_tokens, all_unknown = (int(counts @ of) for of in (is_word, tokens, unknown))
    drawn = np.maximum(1, draws @ is_word)
    return HeldOut(
        words,
        all_tokens,
        all_unknown,
        _estimate(all_unknown / words, draws @ unknown / drawn),
        _estimate(all_tokens / words, draws @ tokens / drawn),
        _estimate(sum(whole.values()) / words, drawn_whole / drawn),
        characters,
        n_bytes,
        per_word,
    )


def _estimate(value: float, drawn: Floats) -> Estimate:
    low, high = np.percentile(drawn, BOUNDS).tolist()
    return Estimate(value, low, high)
