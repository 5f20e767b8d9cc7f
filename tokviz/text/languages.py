"""One text that holds several languages, and how often each language has each word.

A language begins at a line `=== name ===`, and goes on until the next such line. What stands below
`=== name, development ===` is not trained on: it only measures how many tokens the language takes.
Lines before the first header, or a text without any, are one language, called "text".
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeGuard

from tokviz.basics.errors import CorpusError
from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import documents
from tokviz.text.word_counts import CountedWords, Languages, WordCounts

#: A line at which a language begins, and the name of lines before any such line.
_HEADER = re.compile(r"=== *(?P<name>\S|\S.*?\S)(?P<held>, development)? *===\s*")
UNNAMED = "text"
#: What the name of a text that only measures ends with.
_DEVELOPMENT = ", development"


def header(line: str) -> tuple[str, bool] | None:
    """The language that begins at a line, and whether with a development text; None for others.

    >>> header("=== Hindi ==="), header("=== Hindi, development ==="), header("== Hindi ==")
    (('Hindi', False), ('Hindi', True), None)
    """
    found = _HEADER.fullmatch(line)
    return (found["name"], found["held"] is not None) if found else None


def shown_name(name: str) -> str:
    """What a language is called where people read of it: that of lines before the first header has
    a name in their own language."""
    return message("text") if name == UNNAMED else name


def begins_unnamed(text: str) -> bool:
    """Whether words stand before the first header.

    >>> begins_unnamed("\\nlow\\n=== en ===\\nlow"), begins_unnamed("\\n=== en ===\\nlow")
    (True, False)
    """
    first = next((line for line in documents(text) if line.strip()), "")
    return first != "" and header(first) is None


def joined(texts: Mapping[str, str], development: Mapping[str, str] | None = None) -> str:
    """The one text that holds the texts of some languages, with development texts or without.

    >>> print(joined({"en": "low", "el": "αβ"}, {"en": "lower"}))
    === en ===
    low
    === el ===
    αβ
    === en, development ===
    lower
    """
    lines = [line for name, text in texts.items() for line in (f"=== {name} ===", text)]
    for name, text in (development or {}).items():
        lines += [f"=== {name}, development ===", text]
    return "\n".join(lines)


def by_language(text: str) -> dict[str, str]:
    """The texts that stand below the headers of a text, as `joined` puts them together; those that
    only measure have names such as "el, development".

    >>> by_language("=== en ===\\nlow\\n=== el ===\\nαβ\\n=== el, development ===\\nα")
    {'en': 'low', 'el': 'αβ', 'el, development': 'α'}
    """
    return {
        f"{name}{_DEVELOPMENT if held else ''}": "\n".join(lines)
        for name, held, lines in parted(text)
    }


def together(texts: Mapping[str, str]) -> str:
    """The texts of some languages one after another, without a header, and without what only
    measures: what an algorithm trains on that asks for no languages.

    >>> together({"en": "low", "el": "αβ", "el, development": "α"})
    'low\\nαβ'
    """
    trained = (text for name, text in texts.items() if not only_measures(name))
    return "\n".join(filter(None, trained))


def only_measures(name: str) -> bool:
    """Whether a name of `by_language` is that of a development text.

    >>> only_measures("el, development"), only_measures("el")
    (True, False)
    """
    return name.endswith(_DEVELOPMENT)


def without_development(texts: Mapping[str, str]) -> dict[str, str]:
    """Those of some texts by language that do not only measure. Raises CorpusError if all do.

    >>> without_development({"el": "αβ", "el, development": "α"})
    {'el': 'αβ'}
    """
    found = {name: text for name, text in texts.items() if not only_measures(name)}
    if texts and not found:
        raise CorpusError.saying(
            "{name!r} is a development text, and so are all others here; give a text whose name "
            "does not end with “, development”.",
            name=next(iter(texts)),
        )
    return found


def text_for(by_languages: bool, corpus: Any) -> Any:
    """The text of a corpus that maps languages to texts, with headers if a trainer is told of the
    languages; any other corpus as it is. A text whose name ends with ", development" is not
    trained on.

    Raises CorpusError for a name that cannot stand in a header, and for a text that has one.

    >>> text_for(True, {"en": "low"}), text_for(False, {"en": "low"}), text_for(False, {"low": 2})
    ('=== en ===\\nlow', 'low', {'low': 2})
    """
    if not of_languages(corpus):
        return corpus
    for name, text in corpus.items():
        _check(name, text)
    return joined(corpus) if by_languages else together(corpus)


def _check(name: str, text: str) -> None:
    """Raises CorpusError for what `joined` and `by_language` would not give back."""
    if header(f"=== {name} ===") != (name.removesuffix(_DEVELOPMENT), only_measures(name)):
        raise CorpusError.saying(
            "{name!r} cannot be the name of a language; give one line that neither begins nor ends "
            "with white space.",
            name=name,
        )
    if any(map(header, documents(text))):
        raise CorpusError.saying(
            "the text of {name} has a line such as === English ===, at which another language "
            "would begin; leave that line out.",
            name=name,
        )


def of_languages(corpus: Any) -> TypeGuard[Mapping[str, str]]:
    """Whether a corpus is a mapping from languages to their texts, and not from words to counts.

    >>> of_languages({"en": "low"}), of_languages({"low": 2})
    (True, False)
    """
    texts = isinstance(corpus, Mapping) and not isinstance(corpus, CountedWords)
    return bool(texts and corpus and all(isinstance(text, str) for text in corpus.values()))


def without_headers(text: str, words: WordCounts) -> str:
    """The text that some words are from, without the lines at which a language begins.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> words = count_languages("=== a ===\\nlow", make_pretokenizer("gpt2"))
    >>> without_headers("=== a ===\\nlow", words)
    'low'
    """
    if words.languages is None:
        return text
    return "\n".join(line for line in documents(text) if not header(line))


def parted(corpus: str | Iterable[Any]) -> Iterator[tuple[str, bool, list[str]]]:
    """The languages of a text with their lines, each once; True marks development texts.

    >>> list(parted("a\\n=== el ===\\nα\\nβ"))
    [('text', False, ['a']), ('el', False, ['α', 'β'])]
    """
    found: dict[tuple[str, bool], list[str]] = {}
    now = UNNAMED, False
    for line in documents(corpus):
        if begins := header(line):
            now = begins
            found.setdefault(now, [])
        elif line.strip() or now in found:
            found.setdefault(now, []).append(line)
    return ((name, held, lines) for (name, held), lines in found.items())


def count_languages(
    corpus: Any,
    pretokenizer: Pretokenizer,
    special_tokens: tuple[str, ...] = (),
    progress: ProgressCallback | None = None,
) -> WordCounts:
    """Counts the words of a corpus in all its languages together, and in each by itself.

    A table of words is one language. Languages without a word are left out; so are development
    texts of languages that have none.

    Raises CorpusError and Cancelled as `count_words` does, and CorpusError if only development
    texts have words.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> words = count_languages("=== a ===\\nlow\\n=== b ===\\nlow αβ", make_pretokenizer("gpt2"))
    >>> words.words, words.counts, words.languages.names, words.languages.counts
    (('low', ' αβ'), (2, 1), ('a', 'b'), ((1, 0), (1, 1)))
    """
    if isinstance(corpus, CountedWords | Mapping):
        words = count_words(corpus, pretokenizer, special_tokens, progress)
        return _with(words, Languages((UNNAMED,), (words.counts,)) if len(words) else None)
    trained, held = dict[str, WordCounts](), dict[str, WordCounts]()
    for name, is_held, lines in parted(corpus):
        counted = count_words("\n".join(lines), pretokenizer, special_tokens, progress)
        (held if is_held else trained)[name] = counted
    parts = {name: words for name, words in trained.items() if len(words)}
    if any(map(len, held.values())) and not parts:
        raise CorpusError.saying(
            "Only development texts have words here; give a language a text to train on, below a "
            "line such as === English ===."
        )
    if not parts:
        return count_words("", pretokenizer, special_tokens)
    every, counts = _table(list(parts.values()))
    measured = [held.get(name, WordCounts((), ())) for name in parts]
    held_words, held_counts = _table(measured)
    languages = Languages(tuple(parts), counts, held_words, held_counts if held_words else ())
    return _with(_together(every, counts, list(trained.values())), languages)


def count_for(
    told: bool,
    corpus: Any,
    pretokenizer: Pretokenizer,
    special_tokens: tuple[str, ...] = (),
    progress: ProgressCallback | None = None,
) -> WordCounts:
    """Counts the words of a corpus, in each language by itself if the trainer is `told` of these;
    the corpus may map languages to their texts."""
    count = count_languages if told else count_words
    return count(text_for(told, corpus), pretokenizer, special_tokens, progress)


def _table(parts: list[WordCounts]) -> tuple[tuple[str, ...], tuple[tuple[int, ...], ...]]:
    """The words of some parts in the order in which they are met, and the counts of each part."""
    words = tuple(dict.fromkeys(word for part in parts for word in part.words))
    tables = (dict(zip(part.words, part.counts, strict=True)) for part in parts)
    return words, tuple(tuple(table.get(word, 0) for word in words) for table in tables)


def _together(
    words: tuple[str, ...], counts: tuple[tuple[int, ...], ...], parts: list[WordCounts]
) -> WordCounts:
    """The words of all parts as those of one corpus."""
    alone, ends = dict.fromkeys(words, 0), dict.fromkeys(words, 0)
    for part in parts:
        for into, numbers in ((alone, part.alone), (ends, part.line_ends)):
            for word, n in zip(part.words, numbers or (), strict=False):
                into[word] += n
    known = all(part.white_space_known for part in parts)
    of_lines = all(part.line_ends is not None for part in parts)
    return WordCounts(
        words,
        tuple(map(sum, zip(*counts, strict=True))),
        tuple(ends.values()) if of_lines else None,
        white_space_words=sum(part.white_space_words or 0 for part in parts) if known else None,
        alone=tuple(alone.values()) if known else None,
    )


def _with(words: WordCounts, languages: Languages | None) -> WordCounts:
    return replace(words, languages=languages)
