"""What a screen shows of a state: words in tokens, each token marked with what happens to it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from tokviz.corpus import documents, pieces
from tokviz.history import History
from tokviz.merge_history import MergeHistory
from tokviz.pretokenizers import Pretokenizer
from tokviz.symbols import Symbol
from tokviz.unigram_history import UnigramHistory


@dataclass(frozen=True)
class TokenView:
    """A token of a word in a state.

    `mark` is "new" (the step into this state made it), "left" or "right" (the step out of this
    state merges it), "doomed" (the step out of this state removes it), or "".
    """

    symbol: Symbol
    id: int
    born: int
    mark: str


def word_view(history: History, word: int, t: int) -> list[TokenView]:
    """Word number `word` in state t.

    >>> import tokviz
    >>> history = tokviz.train({"hugs": 2, "hug": 1}, "bpe", vocab_size=6)
    >>> [(view.symbol.text, view.mark) for view in word_view(history, 0, 1)]
    [('hu', 'left'), ('g', 'right'), ('s', '')]
    """
    if isinstance(history, UnigramHistory):
        return _unigram_view(history, word, t)
    assert isinstance(history, MergeHistory)
    symbols, n_base = history.word_symbols(word, t), len(history.record.alphabet)
    marks = ["new" if t and symbol == n_base + t - 1 else "" for symbol in symbols]
    if t < len(history):
        pair = [int(history.record.left[t]), int(history.record.right[t])]
        at = 0
        while at < len(symbols) - 1:
            if symbols[at : at + 2] == pair:
                marks[at : at + 2] = ["left", "right"]
                at += 1
            at += 1
    ids = history.symbol_ids
    return [
        TokenView(history.symbols[s], int(ids[s]), max(0, s - n_base + 1), mark)
        for s, mark in zip(symbols, marks, strict=True)
    ]


def _unigram_view(history: UnigramHistory, word: int, t: int) -> list[TokenView]:
    return [
        TokenView(
            Symbol(history.record.tokens[number]),
            token_id,
            0,
            "doomed" if history.record.removed_at[number] == t else "",
        )
        for number, token_id in history.word_numbers(word, t)
    ]


def excerpt(
    corpus: str,
    pretokenizer: Pretokenizer,
    special_tokens: Sequence[str],
    most_words: int,
    most_characters: int = 10_000,
) -> list[list[str]]:
    """The first words of a text, line by line, until either limit is passed.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> excerpt("a b\\nc d", make_pretokenizer("whitespace"), (), most_words=3)
    [['a', 'b'], ['c']]
    """
    lines: list[list[str]] = []
    left = most_words
    for document in documents(corpus):
        if left <= 0 or most_characters <= 0:
            break
        # A line may be a whole book: no more of it is cut into words than is shown.
        found = islice(pieces(document, pretokenizer, tuple(special_tokens)), left)
        lines.append([piece.word.text for piece in found if not piece.special])
        left -= len(lines[-1])
        most_characters -= sum(map(len, lines[-1]))
    return lines


def by_count(history: History, most_words: int) -> Iterable[tuple[int, int]]:
    """The most frequent words: number and count, most frequent first, then first seen."""
    counts = history.words.counts
    order = sorted(range(len(counts)), key=lambda word: -counts[word])
    return [(word, counts[word]) for word in order[:most_words]]
