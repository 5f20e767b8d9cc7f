"""What is dead or odd in a vocabulary: tokens that no text gives, that no merge makes, that are no
text, that stand there twice; and what the rest is made of.

Sources: Land and Bartolo 2024, "Fishing for Magikarp: Automatically Detecting Under-trained Tokens
in Large Language Models" (unreachable tokens and partial UTF-8; nothing is said of a model here).
"""

import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, islice, product
from typing import TYPE_CHECKING, NamedTuple

from tokviz.basics.progress import Interrupted, ProgressCallback, Reporter
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.pretokenizers.pieces import unicode_script

if TYPE_CHECKING:
    import pandas as pd

#: Characters from which a token is called long.
LONGEST = 16
#: What stands before or behind a token's own text when it is first tried inside a word.
_LETTER = "a"
#: Letters of a script, and what is made of them, that a token is tried between then.
_LETTERS, _NEIGHBOURS = 40, 100

#: What is found of tokens, in the order in which it is told.
KINDS = ("unreached", "no parts", "no text", "same text", "same normalized", "long")
#: What cuts the own text of an unreached token otherwise.
REASONS = ("special", "normalizer", "pre-tokenizer", "model")


class Finding(NamedTuple):
    """Something odd of the token with this id. `kind` is one of `KINDS`.

    For "unreached", `reason` is one of `REASONS`, and `instead` are the tokens that its own text is
    encoded to. For "same text" and "same normalized", `instead` is the first token of that text.
    """

    token_id: int
    kind: str
    reason: str = ""
    instead: tuple[str, ...] = ()


@dataclass(frozen=True)
class Autopsy:
    """What `autopsy` found. `strings` are the tokens by id, as displayed; `kinds_of_text` says how
    many tokens there are by script and kind of their characters; `special` how many are special or
    added tokens, which are not examined."""

    __repr__ = short_repr

    strings: tuple[str, ...] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)
    kinds_of_text: Mapping[tuple[str, str], int] = field(repr=False)
    special: int

    @property
    def counts(self) -> dict[str, int]:
        """How many tokens there are of each of `KINDS`."""
        found = Counter(finding.kind for finding in self.findings)
        return {kind: found[kind] for kind in KINDS}

    def table(self) -> "pd.DataFrame":
        """All findings: id, token, finding, reason, instead (tokens with a space between them)."""
        import pandas as pd

        columns = ["id", "token", "finding", "reason", "instead"]
        rows = [
            (f.token_id, self.strings[f.token_id], f.kind, f.reason, " ".join(f.instead))
            for f in self.findings
        ]
        return pd.DataFrame(rows, columns=columns)


def autopsy(
    tokenizer: Tokenizer,
    merges: GivenMerges | None = None,
    progress: ProgressCallback | None = None,
    longest: int = LONGEST,
) -> Autopsy:
    """Examine every token of a tokenizer, and `merges` if they are those of its file.

    - "unreached": the token's own text is encoded by itself, twice, without the space before it,
      and behind and before the letters of its script that the vocabulary has, and a hundred short
      strings of these; none gives the token. Tokens that are no text cannot be tried, and are not.
    - "no parts": the token is longer than a starting symbol, and no merge makes it.
    - "no text": its bytes are no UTF-8: a part of a character, or bytes that are never one.
    - "same text": another token with a lower id stands for the same text, with the same markers.
    - "same normalized": another one does after Unicode normalization (NFKC), and not before it.
    - "long": it has at least `longest` characters.

    Raises Interrupted if `progress`, which is told of tokens, returns False, and as `encode` does.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> opened = open_tokenizer({"vocab.json": b'{"a": 0, "b": 1, "c": 2, "ab": 3, "bc": 4, '
    ...     b'"abc": 5, "ca": 6}', "merges.txt": b"a b\\nb c\\na bc"})
    >>> found = autopsy(opened.tokenizer, opened.merges)
    >>> [finding for finding in found.findings if finding.kind == "unreached"]
    [Finding(token_id=5, kind='unreached', reason='model', instead=('ab', 'c')), \
Finding(token_id=6, kind='unreached', reason='model', instead=('c', 'a'))]
    >>> [finding.token_id for finding in found.findings if finding.kind == "no parts"]
    [6]
    >>> found.kinds_of_text
    {('Latin', 'letters'): 7}
    """
    findings: dict[str, list[Finding]] = {kind: [] for kind in KINDS}
    made = {left + right for left, right in merges.pairs} if merges else None
    texts: dict[tuple[str, str], int] = {}
    first: dict[str, dict[tuple[str, bool, bool], int]] = {"same text": {}, "same normalized": {}}
    special, neighbours = 0, _Neighbours(tokenizer)
    reporter = Reporter("tokens", len(tokenizer.strings), progress)
    for i, symbol in enumerate(tokenizer.symbols):
        if reporter.cancelled(i):
            raise Interrupted
        data = _bytes_of(tokenizer, i)
        if data is None:
            special += bool(tokenizer.strings[i])
            continue
        if made is not None and symbol and len(symbol.text) > 1 and symbol not in made:
            findings["no parts"].append(Finding(i, "no parts"))
        text = _text(data)
        kind = kind_of_text(text)
        texts[kind] = texts.get(kind, 0) + 1
        if text is None:
            findings["no text"].append(Finding(i, "no text"))
            continue
        if len(text) >= longest:
            findings["long"].append(Finding(i, "long"))
        marks = (symbol.continuing, symbol.ends_word) if symbol else (False, False)
        for name, known in first.items():
            same = text if name == "same text" else unicodedata.normalize("NFKC", text)
            other = known.setdefault((same, *marks), i)
            if other != i:
                findings[name].append(Finding(i, name, instead=(tokenizer.strings[other],)))
                break
        if (otherwise := _unreached(tokenizer, i, text, neighbours)) is not None:
            findings["unreached"].append(otherwise)
    ordered = tuple(finding for kind in KINDS for finding in findings[kind])
    return Autopsy(tuple(tokenizer.strings), ordered, texts, special)


def _bytes_of(tokenizer: Tokenizer, i: int) -> bytes | None:
    """The bytes that a token stands for; None for a special or added token, and for an id without
    one."""
    if tokenizer.symbols[i] is None:
        return tokenizer.bytes_of.get(i)
    return tokenizer.text_bytes(i)


def _text(data: bytes) -> str | None:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _own_texts(text: str) -> Iterator[str]:
    """A token's own text by itself, twice, without the space in front of it, and inside a word."""
    yield text
    yield text + text
    if text.startswith(" ") and len(text) > 1:
        yield text[1:]
    yield _LETTER + text
    yield text + _LETTER


class _Neighbours:
    """What a token's own text is tried behind and before: letters of its script, and short strings
    of these. WordPiece that has the token `as` gives `##s` behind other letters than `a`."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._letters: dict[str, dict[str, None]] = {}
        self._strings: dict[str, list[str]] = {}
        for i in range(len(tokenizer.symbols)):
            data = _bytes_of(tokenizer, i)
            letter = data and _text(data)
            if letter and len(letter) == 1 and letter.isalpha():
                known = self._letters.setdefault(unicode_script(letter), {})
                if len(known) < _LETTERS:
                    known[letter] = None

    def of(self, text: str) -> list[str]:
        """Those of the script of a text; if it has no letters, or none is known of its script, of
        the script that has most."""
        own = next((unicode_script(char) for char in text if char.isalpha()), "")
        if own not in self._letters:
            own = max(self._letters, key=lambda script: len(self._letters[script]), default="")
        if own not in self._strings:
            letters = [*self._letters.get(own, _LETTER)]
            pairs = (left + right for left, right in zip(letters, reversed(letters), strict=True))
            longer = ("".join(some) for n in (2, 3, 4) for some in product(letters, repeat=n))
            found = dict.fromkeys(islice(chain(letters, pairs, longer), _NEIGHBOURS))
            self._strings[own] = [*found]
        return self._strings[own]


def _unreached(tokenizer: Tokenizer, i: int, text: str, neighbours: _Neighbours) -> Finding | None:
    """Why no encoding of a token's own text gives the token; None if one does."""
    for tried in _own_texts(text):
        if i in tokenizer.encode(tried).ids:
            return None
    # All together: each by itself would take long.
    beside = neighbours.of(text)
    tried = " ".join([*(each + text for each in beside), *(text + each for each in beside)])
    if i in tokenizer.encode(tried).ids:
        return None
    cut = [*tokenizer.cut(text)]
    words = [piece.word.text for piece in cut]
    if any(piece.special for piece in cut):
        reason = "special"
    elif "".join("".join(words).split()) != "".join(text.split()):
        # White space may also be left out by the pre-tokenizer.
        reason = "normalizer"
    else:
        reason = "pre-tokenizer" if len(words) > 1 else "model"
    return Finding(i, "unreached", reason, tuple(tokenizer.encode(text).tokens))


def kind_of_text(text: str | None) -> tuple[str, str]:
    """The script of a text's letters ("Common" if it has none, "several" if they have many), and
    what its characters are: "letters", "digits", "white space", "signs" or "mixed"; of None, which
    is no UTF-8, "bytes". The space in front of a word is left out.

    >>> [kind_of_text(text) for text in (" low", "12", "  ", "日本の", "x1", "...", None)]
    [('Latin', 'letters'), ('Common', 'digits'), ('Common', 'white space'), \
('several', 'letters'), ('Latin', 'mixed'), ('Common', 'signs'), ('Common', 'bytes')]
    """
    if text is None:
        return "Common", "bytes"
    if not text.strip():
        return "Common", "white space"
    categories = {_CATEGORIES.get(unicodedata.category(char)[0], "signs") for char in text.strip()}
    scripts = {unicode_script(char) for char in text} - {"Common", "Inherited"}
    script = min(scripts, default="Common") if len(scripts) < 2 else "several"
    return script, min(categories) if len(categories) == 1 else "mixed"


#: What characters are, by the first letter of their Unicode category.
_CATEGORIES = {"L": "letters", "M": "letters", "N": "digits", "Z": "white space"}
