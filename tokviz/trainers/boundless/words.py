"""The words of BoundlessBPE, and which of them may be joined.

The pattern of the authors' program (regexconstants.py, ULTIMATE_PATTERN) looks at the same letters
and digits again and again. Here the same words are found in two looks: letters and digits as far
as they go, and then what parts them, which equal letters are asked for once.
"""

from functools import lru_cache

import regex

_LETTER, _DIGIT = r"\p{L}\p{M}*+", r"\p{N}\p{M}*+"
_LETTERS, _DIGITS = rf" ?+(?:{_LETTER})++", rf"(?:{_DIGIT})++"
_PARTS = regex.compile(
    # After an underscore small letters only; else all letters, and what an apostrophe adds.
    rf"_(?:\p{{Ll}}\p{{M}}*+)++|{_LETTERS}(?:['’](?:{_LETTER})++)?+|{_DIGITS}"
    r"| ?+(?:[\p{P}\p{S}]\p{M}*+)++|[^\S\r\n]*+[\r\n]++|[^\S\r\n]++"
    r"|(?:[\p{Z}\p{C}]\p{M}*+)++|\p{M}++|.",
    regex.DOTALL,
)
_ALL_LETTERS, _ALL_DIGITS = regex.compile(_LETTERS), regex.compile(_DIGITS)
_BY_CASE = regex.compile(
    r"(?P<capitals> ?+(?:\p{Lu}\p{M}*+)++)(?P<small>(?:\p{Ll}\p{M}*+)++)?+"
    r"|(?P<one> ?+(?:(?:\p{Ll}\p{M}*+)++|(?:[\p{Lt}\p{Lm}\p{Lo}]\p{M}*+)++))"
)
_CAPITAL = regex.compile(r"\p{Lu}")
_ONE_DIGIT = regex.compile(_DIGIT)
_MAY_JOIN = regex.compile(rf"(?=.+\p{{L}})(?:{_LETTER}|[ _'’])++", regex.DOTALL)


def boundless_words(text: str) -> list[str]:
    """The words of a text; nothing of it is left out.

    >>> boundless_words("It's the XMLHttpRequest, snake_case 12345?!")
    ["It's", ' the', ' XML', 'Http', 'Request', ',', ' snake', '_case', ' ', '12', '345', '?!']
    """
    words = list[str]()
    for part in _PARTS.findall(text):
        words += _words_of_short(part) if len(part) < 40 else _words_of(part)
    return words


def _words_of(part: str) -> list[str]:
    if _ALL_LETTERS.fullmatch(part):
        return _by_case(part)
    return _in_threes(part) if _ALL_DIGITS.fullmatch(part) else [part]


#: The same, remembered; longer parts would take memory, and do not come again.
_words_of_short = lru_cache(maxsize=1 << 15)(_words_of)


def _by_case(letters: str) -> list[str]:
    """Letters, and perhaps a space before them, where their case parts them: of capitals before
    small letters the last one is the first of these."""
    if letters.isascii() and letters.lstrip(" ")[1:].islower():
        return [letters]
    words = []
    for part in _BY_CASE.finditer(letters):
        if not part["small"]:
            words.append(part[0])
            continue
        capitals = part["capitals"]
        last = next(i for i in reversed(range(len(capitals))) if _CAPITAL.match(capitals[i]))
        first, other = capitals[:last], capitals[last:] + part["small"]
        words += [first, other] if first.strip(" ") else [first + other]
    return words


def _in_threes(digits: str) -> list[str]:
    """Digits in threes, counted from the last one, or from one with a mark, which then loses it."""
    units = _ONE_DIGIT.findall(digits)
    n = len(units)
    # Whether a word may end before a unit.
    ends = [False] * n + [True, False, False]
    for i in reversed(range(n - 2)):
        ends[i] = len(units[i + 2]) > 1 or ends[i + 3]
    words, at = [], 0
    while at < n:
        for end in range(min(at + 3, n), at, -1):
            word = "".join(units[at:end])
            if ends[end]:
                words.append(word)
            elif len(units[end - 1]) > 1:
                words += [word[:-1], word[-1]]
            else:
                continue
            at = end
            break
    return words


def may_be_joined(word: str) -> bool:
    """Whether a word may become a part of a longer one: it has letters, spaces, underscores and
    apostrophes only, and some letter is not its first character.

    >>> [may_be_joined(word) for word in (" of", "it's", "a", "A", " a", " 1", ".", "_x")]
    [True, True, False, False, True, False, False, True]
    """
    return _MAY_JOIN.fullmatch(word) is not None
