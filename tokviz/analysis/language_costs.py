"""What the same text costs in several languages: tokens each, and how many times the cheapest's.

A tokenizer cuts the languages that its training corpus holds most of into the fewest tokens. Who
pays by the token, or has room for so many, pays that many times more in the others.

Sources: Petrov, La Malfa, Torr and Bibi 2023, "Language Model Tokenizers Introduce Unfairness
Between Languages" (the ratio is their premium, here against the cheapest language); Ahia et al.
2023, "Do All Languages Cost the Same? Tokenization in the Era of Commercial Language Models".
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tokviz.basics.errors import CorpusError, TokvizError
from tokviz.basics.messages import message
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.text.given_corpus import documents
from tokviz.text.samples import SAMPLES

if TYPE_CHECKING:
    import pandas as pd

#: The languages of the declaration by the code that their sample has.
_NAMES = {
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "en": message("English{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "fr": message("French{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "es": message("Spanish{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "de": message("German{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "tr": message("Turkish{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "vi": message("Vietnamese{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "sw": message("Swahili{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "ru": message("Russian{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "el": message("Greek{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "ar": message("Arabic{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "he": message("Hebrew{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "hi": message("Hindi{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "th": message("Thai{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "zh-Hans": message("Chinese{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "ja": message("Japanese{nothing}", nothing=""),
    # Translators: {nothing} is nothing: it tells the language from a script of its name.
    "ko": message("Korean{nothing}", nothing=""),
}
#: What the languages of `declarations` are called in the language of a page. Names that people gave
#: are not among these, even if they are the same: they stay as they are.
DECLARED: Mapping[str, str] = {str(name): name for name in _NAMES.values()}
#: What `compared` has of each training.
_COMPARED = ["tokens", "ratio", "cheapest", "unknown"]


def declarations() -> dict[str, str]:
    """Article 1 of the Universal Declaration of Human Rights by the English name of the language,
    in the order of the samples, which also say where each text is from.

    >>> declarations()["German"][:33]
    'Alle Menschen sind frei und gleic'
    >>> list(declarations())[:3]
    ['English', 'French', 'Spanish']
    """
    return {
        str(_NAMES[sample.language]): sample.documents[0]
        for name, sample in SAMPLES.items()
        if name.startswith("udhr-")
    }


def mixed(texts: Mapping[str, str], parts: Mapping[str, int]) -> list[str]:
    """A training corpus in which each language's text occurs as often as it has parts: the lines of
    the texts as documents, in the order of `texts`. A language that is not named has no part.

    Raises ValueError for a language without a text, parts below 0, and if no language has any.

    >>> mixed({"English": "low", "Greek": "αβ"}, {"Greek": 1, "English": 2})
    ['low', 'low', 'αβ']
    """
    for language, n in parts.items():
        if language not in texts:
            raise CorpusError.saying(
                "{language} has no text; name one of {choices}.",
                language=language,
                choices=", ".join(texts),
            )
        if n < 0:
            raise CorpusError.saying(
                "{language} has {n} parts; give it 0, which leaves it out, or more.",
                language=language,
                n=n,
            )
    if not any(parts.values()):
        raise CorpusError.saying(
            "No language has a part in the corpus; give at least one of them 1 part."
        )
    return [
        line
        for language, text in texts.items()
        for _ in range(parts.get(language, 0))
        for line in documents(text)
    ]


def language_costs(tokenizer: Tokenizer, texts: Mapping[str, str]) -> "pd.DataFrame":
    """What a tokenizer makes of the same text in several languages, a row each in their order.

    characters (code points), bytes (UTF-8) and words (between white space, which Thai, Chinese and
    Japanese hardly have) are those of the lines, without their ends; tokens_per_word is known as
    fertility; `ratio` is tokens ÷ tokens of the cheapest language; cheapest says which those with
    the fewest are. `unknown` counts the tokens that stand for what the vocabulary does not hold.
    One of them may hide a whole word, so that a language with unknown tokens looks cheaper than it
    is.

    Raises ValueError if there is no text, or one that gives no token.

    >>> import tokviz
    >>> texts = {"English": "ab ab", "Greek": "αβ αβ"}
    >>> corpus = mixed(texts, {"English": 1})
    >>> history = tokviz.train(corpus, "bpe", 257, unit="byte", initial_alphabet=["bytes"])
    >>> columns = ["language", "bytes", "tokens", "ratio"]
    >>> language_costs(history.tokenizer(0), texts)[columns].values.tolist()
    [['English', 5, 5, 1.0], ['Greek', 9, 9, 1.8]]
    >>> language_costs(history.tokenizer(1), texts)[columns].values.tolist()
    [['English', 5, 3, 1.0], ['Greek', 9, 9, 3.0]]
    """
    import pandas as pd

    if not texts:
        raise CorpusError.saying("There is no text to count; give one in at least one language.")
    rows = []
    for language, text in texts.items():
        lines = list(documents(text))
        encodings = [tokenizer.encode(line) for line in lines]
        tokens = sum(map(len, encodings))
        if not tokens:
            raise CorpusError.saying(
                "The text in {language} has no tokens; give one that has words.", language=language
            )
        unknown = sum(
            tokenizer.is_unknown(encoding, number, line)
            for encoding, line in zip(encodings, lines, strict=True)
            for number in range(len(encoding))
        )
        characters = sum(map(len, lines))
        n_bytes = sum(len(line.encode("utf-8", "surrogatepass")) for line in lines)
        words = sum(len(line.split()) for line in lines)
        sizes = characters, n_bytes, words
        per = (tokens / size if size else 0.0 for size in sizes)
        rows.append((language, *sizes, tokens, unknown, *per))
    per_size = [f"tokens_per_{size}" for size in ("character", "byte", "word")]
    columns = ["language", "characters", "bytes", "words", "tokens", "unknown", *per_size]
    table = pd.DataFrame(rows, columns=columns)
    least = int(table["tokens"].min())
    return table.assign(ratio=table["tokens"] / least, cheapest=table["tokens"] == least)


def encodable(tokenizer: Tokenizer, texts: Mapping[str, str]) -> dict[str, str]:
    """Those of some texts that a tokenizer gives tokens for: an opened one may know none of a
    text's characters, or its library fail on them.

    >>> import tokviz
    >>> tokenizer = tokviz.train("low", "bpe", 3, "whitespace").tokenizer()
    >>> encodable(tokenizer, {"English": "low", "Silence": "  "})
    {'English': 'low'}
    """
    found = {}
    for language, text in texts.items():
        try:
            if any(len(tokenizer.encode(line)) for line in documents(text)):
                found[language] = text
        except TokvizError:
            pass
    return found


def beside(costs: Mapping[str, "pd.DataFrame"]) -> "pd.DataFrame":
    """The `language_costs` of several tokenizers by their names, in one table: a row for each
    language and tokenizer, the languages that are dearest for the first tokenizer first. `number`
    counts the tokenizers from 0, `share` is tokens ÷ the most tokens that a row has.

    >>> import tokviz
    >>> texts = {"English": "ab ab", "Greek": "αβ αβ"}
    >>> bytes_of_all = {"unit": "byte", "initial_alphabet": ["bytes"]}
    >>> history = tokviz.train(mixed(texts, {"English": 1}), "bpe", 257, **bytes_of_all)
    >>> found = beside({f"{t}": language_costs(history.tokenizer(t), texts) for t in (1, 0)})
    >>> found[["language", "tokenizer", "tokens", "share"]].values.tolist()[:3]
    [['Greek', '1', 9, 1.0], ['Greek', '0', 9, 1.0], ['English', '1', 3, 0.3333333333333333]]
    """
    import pandas as pd

    tables = [
        one.assign(tokenizer=name, number=number)
        for number, (name, one) in enumerate(costs.items())
    ]
    table = pd.concat(tables)
    dearest: dict[str, int] = {}
    for language, tokens in zip(table["language"], table["tokens"], strict=True):
        dearest.setdefault(language, -tokens)
    order = table["language"].map(dearest)
    table = table.assign(order=order, share=table["tokens"] / table["tokens"].max())
    ordered = table.sort_values(["order", "language", "number"], kind="stable", ignore_index=True)
    return ordered.drop(columns="order")


def who_pays(costs: "pd.DataFrame", by: str = "tokenizer") -> "pd.DataFrame":
    """Of a table as `beside` makes it a row for each tokenizer, in their order: `tokens` of all
    languages together, the `dearest` language (the first of equals) with its tokens and `ratio`,
    the `cheapest` with its tokens, and how many tokens are `unknown`. `by` is the column that
    names the tokenizers; two of one name have a row each.

    >>> import tokviz
    >>> texts = {"English": "ab ab", "Greek": "αβ αβ"}
    >>> bytes_of_all = {"unit": "byte", "initial_alphabet": ["bytes"]}
    >>> history = tokviz.train(mixed(texts, {"English": 1}), "bpe", 257, **bytes_of_all)
    >>> found = beside({f"{t}": language_costs(history.tokenizer(t), texts) for t in (0, 1)})
    >>> who_pays(found)[["tokenizer", "tokens", "dearest", "ratio", "cheapest"]].values.tolist()
    [['0', 14, 'Greek', 1.8, 'English'], ['1', 12, 'Greek', 3.0, 'English']]
    """
    import pandas as pd

    rows = []
    for _number, one in costs.groupby("number"):
        languages = one.to_dict("records")
        # The first of equals.
        most = max(languages, key=lambda row: row["tokens"])
        least = min(languages, key=lambda row: row["tokens"])
        rows.append(
            {
                by: languages[0][by],
                "tokens": sum(row["tokens"] for row in languages),
                "dearest": most["language"],
                "dearest_tokens": most["tokens"],
                "ratio": most["ratio"],
                "cheapest": least["language"],
                "cheapest_tokens": least["tokens"],
                "unknown": sum(row["unknown"] for row in languages),
            }
        )
    return pd.DataFrame(rows)


def compared(before: "pd.DataFrame", after: "pd.DataFrame") -> "pd.DataFrame":
    """The `language_costs` of two tokenizers for the same texts side by side, the dearest before
    first: tokens, ratio, cheapest and unknown of both, and `change`, the tokens more (or, negative,
    fewer) after, in percent of those before.

    >>> import tokviz
    >>> texts = {"English": "ab ab", "Greek": "αβ αβ"}
    >>> costs = [
    ...     language_costs(tokviz.train(mixed(texts, parts), "bpe", 257, unit="byte",
    ...         initial_alphabet=["bytes"]).tokenizer(), texts)
    ...     for parts in ({"English": 1}, {"Greek": 1})
    ... ]
    >>> columns = ["language", "tokens_before", "tokens_after", "ratio_after"]
    >>> compared(*costs)[columns].values.tolist()
    [['Greek', 9, 7, 1.4], ['English', 3, 5, 1.0]]
    """
    texts = ["language", "characters", "bytes"]
    table = before[texts + _COMPARED].merge(
        after[["language", *_COMPARED]], on="language", suffixes=("_before", "_after")
    )
    more = table["tokens_after"] - table["tokens_before"]
    table = table.assign(change=100 * more / table["tokens_before"])
    # A stable sort: languages that cost the same stay in their order.
    return table.sort_values("tokens_before", ascending=False, kind="stable", ignore_index=True)
