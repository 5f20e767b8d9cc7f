"""Word-count tables as text: a word and its count a line, as spreadsheets and people write them.

    low     5
    lower   2

How the words were cut, and how often each ended a line, is not in such a table; the Parquet of
`tokviz.counting` has it.
"""

from collections.abc import Mapping

from tokviz.basics.errors import CorpusError
from tokviz.basics.markup import visible
from tokviz.text.given_corpus import documents


def read_word_table(text: str) -> dict[str, int]:
    """Reads a word-count table: a word and its count a line, split by a tab or the last comma.

    A first line without a digit in its second cell is a header. A word met twice adds up. Quotes
    around a whole word are taken off, as spreadsheets put them on.

    Raises CorpusError naming the first line that cannot be read.

    >>> read_word_table('word,count\\nlow,5\\n",",3\\n",2')
    {'low': 5, ',': 3, '"': 2}
    """
    table: dict[str, int] = {}
    first = True
    for number, line in enumerate(documents(text), start=1):
        if not line.strip():
            continue
        word, _, count = line.rpartition("\t" if "\t" in line else ",")
        count = count.strip().strip('"')
        is_count = count.isascii() and count.isdigit() and len(count) < 17
        if is_count and word:
            if len(word) > 2 and word[0] == word[-1] == '"':
                word = word[1:-1].replace('""', '"')
            if int(count):
                table[word] = table.get(word, 0) + int(count)
        elif not (first and word and "," not in word and not any(map(str.isdigit, count))):
            raise CorpusError.saying(
                "line {number} of the word table is {line!r}; each line is one word and one whole "
                "number, split by a tab or a comma. If this is running text, read it as text.",
                number=number,
                line=line[:40],
            )
        first = False
    if not table:
        raise CorpusError.saying(
            "the word table has no words; each line is one word and its count."
        )
    return table


def write_word_table(words: Mapping[str, int]) -> str:
    """The table that `read_word_table` reads as these words, in their order.

    Raises CorpusError for words that no such table holds: those with a line break or with half a
    surrogate pair, and counts of more than 16 digits.

    >>> print(write_word_table({"low": 5, '"': 2, '"a"': 1}).replace("\\t", " → "))
    low → 5
    " → 2
    "\"\"a\"\"\" → 1
    """
    table = "\n".join(f"{_quoted(word)}\t{n}" for word, n in words.items())
    for word, n in words.items():
        if not _can_be_held(word, n):
            raise CorpusError.saying(
                "a word-count table in text cannot hold the word “{word}” ({n:,} times): it has a "
                "line break or half a surrogate pair, or is too frequent.",
                word=visible(word[:40]),
                n=n,
            )
    return table


def _quoted(word: str) -> str:
    in_quotes = len(word) > 2 and word[0] == word[-1] == '"'
    return f'"{word.replace(chr(34), chr(34) * 2)}"' if in_quotes else word


def _can_be_held(word: str, n: int) -> bool:
    if not word.isascii():
        try:
            word.encode()
        except UnicodeEncodeError:
            return False
    return "\n" not in word and "\r" not in word and 0 < n < 10**16 and word != ""
