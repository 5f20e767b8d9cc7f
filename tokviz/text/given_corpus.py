"""What may be given as a corpus: text, lists and columns of texts, tables of counts. And what may
not, which is told with what to pass instead."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeAlias

from tokviz.basics.arguments import Shown, kind_of
from tokviz.basics.errors import CorpusError
from tokviz.pretokenizers.blocks import BLOCK_SIZE

if TYPE_CHECKING:
    import pandas as pd

#: The most characters that a corpus may hold, so that any sum of counts fits a 64-bit integer.
MAX_TOTAL = 2**53

#: Columns that a sentence names.
_NAMED = 6

_LINE_END = re.compile(r"\r\n|\n|\r")
_LAST_END = re.compile(rf"(?:{_LINE_END.pattern})\Z")

Corpus: TypeAlias = str | Iterable[str] | Iterable[Sequence[str]] | Mapping[str, int]


def as_corpus(corpus: Any) -> Any:
    """A corpus as text, a mapping, a list, or what can be read only once: columns of pandas,
    pyarrow and numpy become lists, and a Series of numbers by words becomes a mapping.

    Raises CorpusError for what is no corpus. What texts hold is seen when they are read.

    >>> import pandas as pd
    >>> as_corpus(pd.Series(["low", "low", "lower"]))
    ['low', 'low', 'lower']
    >>> as_corpus(pd.Series(["low", "low", "lower"]).value_counts())
    {'low': 2, 'lower': 1}
    """
    if isinstance(corpus, str):
        return corpus
    _check_no_table(corpus)
    if isinstance(corpus, Mapping):
        return corpus
    series = _of_pandas("Series")
    if (
        series
        and isinstance(corpus, series)
        and _of_pandas("api").types.is_numeric_dtype(corpus.dtype)
    ):
        return _counts(corpus)
    if (texts := _column(corpus)) is not None:
        return texts if isinstance(texts, list) else as_corpus(texts)
    if isinstance(corpus, bytes | bytearray | memoryview):
        raise CorpusError.saying(
            'a corpus is text, but this is {kind}; decode it first, as in data.decode("utf-8").',
            kind=kind_of(corpus),
        )
    if isinstance(corpus, os.PathLike):
        raise CorpusError.saying(
            "a corpus is text, but this is the path of a file; pass what it holds, as in "
            'Path({path!r}).read_text("utf-8").',
            path=Shown(os.fspath(corpus)),
        )
    if isinstance(corpus, set | frozenset):
        raise CorpusError.saying(
            "the texts of a corpus have an order, and a set has none; pass sorted(corpus)."
        )
    if not isinstance(corpus, Iterable):
        raise CorpusError.saying(
            "a corpus is a text, a list of texts or a table word → count, but this is {kind}; pass "
            "one of those.",
            kind=kind_of(corpus),
        )
    return corpus


def documents(corpus: str | Iterable[Any]) -> Iterator[str]:
    """The lines of a text, of each text of a list, and of those in its batches (lists and columns).
    Line ends belong to no document; one at the end of a list's text begins no other line.

    Raises CorpusError for what is no text.

    >>> list(documents("one\\r\\ntwo\\n")), list(documents([["one\\n", "two"], ["three\\nfour"]]))
    (['one', 'two', ''], ['one', 'two', 'three', 'four'])
    """
    if isinstance(corpus, str):
        yield from _lines(corpus)
        return
    number = 0
    for item in corpus:
        for text in [item] if isinstance(item, str) else _batch(item):
            number += 1
            if not isinstance(text, str):
                raise _no_text(text, number)
            if "\n" in text or "\r" in text:
                yield from _lines(_LAST_END.sub("", text))
            else:
                yield text


def _lines(text: str) -> Iterator[str]:
    at = 0
    # A part at a time: a list of all lines may need more memory than the text.
    while (end := text.find("\n", at + BLOCK_SIZE) + 1) > 0:
        yield from _LINE_END.split(text[at:end])[:-1]
        at = end
    yield from _LINE_END.split(text[at:])


def words_and_counts(table: Mapping[Any, Any]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The words of a word-count table and their counts; the empty word is left out.

    Raises CorpusError for counts that are not positive integers, or too large ones.

    >>> words_and_counts({"low": 5, "": 1})
    (('low',), (5,))
    """
    words: list[str] = []
    counts: list[int] = []
    for word, count in table.items():
        whole = isinstance(count, Integral) and not isinstance(count, bool)
        if not isinstance(word, str) or not whole:
            raise CorpusError.saying(
                "a word-count table maps words to integers, but it holds {word!r}: {count!r}.",
                word=Shown(word),
                count=Shown(count),
            )
        if count < 1:
            raise CorpusError.saying(
                "the count of {word!r} is {count}; counts start at 1.", word=word, count=count
            )
        if word:
            words.append(word)
            counts.append(int(count))
    if sum(len(word) * count for word, count in zip(words, counts, strict=True)) > MAX_TOTAL:
        raise CorpusError.saying(
            "the words, as often as they are counted, have more than 2**53 characters; divide all "
            "counts by the same number."
        )
    return tuple(words), tuple(counts)


def check_words_to_learn(words: Sequence[str], pretokenizer: str) -> None:
    """Raises CorpusError for words in which there is nothing to learn: none, or only white space.

    >>> check_words_to_learn([" low"], "gpt2")
    """
    if not words:
        raise CorpusError.saying(
            "the corpus has no words: it is empty, or the pre-tokenizer {name} leaves nothing of "
            "it; give a text that has some.",
            name=pretokenizer,
        )
    if not any(word.strip() for word in words):
        raise CorpusError.saying(
            "the corpus is white space only, in which there is nothing to learn; give a text that "
            "has words."
        )


def _check_no_table(corpus: Any) -> None:
    """Raises CorpusError for a table, of whatever library: one of its columns is a corpus."""
    names: Any = None
    if isinstance(corpus, Mapping):
        first = next(iter(corpus.values()), None)
        if isinstance(first, str | list | tuple) or isinstance(_column(first), list):
            names = corpus
    else:
        for attribute in ("column_names", "columns"):
            found = getattr(corpus, attribute, None)
            if names is None and found is not None and not callable(found):
                names = found
    if names is None:
        return
    columns = [*names]
    shown = ", ".join(str(Shown(name)) for name in columns[:_NAMED])
    raise CorpusError.saying(
        "a corpus is a text or a list of texts, but this is a table ({kind}) with the columns "
        "{columns}; pass one of them, as in table[{first!r}].",
        kind=kind_of(corpus),
        columns=f"{shown} …" if len(columns) > _NAMED else shown,
        first=Shown(columns[0] if columns else "text"),
    )


def _of_pandas(name: str) -> Any:
    """What pandas calls so; None unless it has been imported, which is slow: then nothing can be of
    it. (Another thread may be about to import it, so that a name is not there yet.)"""
    return getattr(sys.modules.get("pandas"), name, None)


def _counts(series: "pd.Series[Any]") -> dict[str, Any]:
    """A Series of numbers by words, as `value_counts` gives it."""
    words = series.index.tolist()
    if not all(isinstance(word, str) for word in words):
        raise CorpusError.saying(
            "this Series holds numbers, and its index no words; pass a Series of texts, or the "
            "value_counts() of one of words."
        )
    if not series.index.is_unique:
        word = series.index[series.index.duplicated()][0]
        raise CorpusError.saying(
            "this Series counts the word {word!r} twice; pass series.groupby(level=0, "
            "sort=False).sum().",
            word=Shown(word),
        )
    return dict(zip(words, series.tolist(), strict=True))


def _column(corpus: Any) -> Any:
    """What a column of pyarrow, numpy, pandas or polars holds, as a list, and what a value of numpy
    is; None for anything else."""
    for name in ("to_pylist", "tolist", "to_list"):
        # A class has the method too, and memory is no column.
        if not isinstance(corpus, type | memoryview) and callable(
            found := getattr(corpus, name, 0)
        ):
            return found()
    return None


def _batch(item: Any) -> Sequence[Any]:
    """The texts of a batch, or the item itself where it is none."""
    if isinstance(item, list | tuple):
        return item
    texts = None if isinstance(item, Mapping) or hasattr(item, "columns") else _column(item)
    return texts if isinstance(texts, list) else [item if texts is None else texts]


def _no_text(item: Any, number: int) -> CorpusError:
    names = item if isinstance(item, Mapping) else getattr(item, "columns", None)
    if names is not None and (columns := [*names]):
        return CorpusError.saying(
            "document {number} of the corpus is a row or batch with the columns {columns}; pass "
            "one of them, as in (row[{first!r}] for row in corpus).",
            number=number,
            columns=", ".join(str(Shown(name)) for name in columns[:_NAMED]),
            first=Shown(columns[0]),
        )
    if item is None or item is _of_pandas("NA") or (isinstance(item, float) and item != item):
        return CorpusError.saying(
            "document {number} of the corpus is missing ({value}); leave such ones out, as "
            "series.dropna() does.",
            number=number,
            value=Shown(item),
        )
    return CorpusError.saying(
        "a corpus is text or a list of texts, but it holds a {kind} (document {number}); make it "
        "text, or leave it out.",
        kind=kind_of(item),
        number=number,
    )
