"""Decode ids or tokens that the visitor types."""

import re

from tokviz.basics.messages import _, said_by
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.formats.readers.opened import TokenizerFileError
from tokviz.pages.widgets.markup import visible

#: Most ids or tokens that are decoded, and characters of a token in a sentence.
MOST_DECODED, MOST_NAMED = 500, 40
#: Numbers separated by commas or spaces, perhaps in brackets. A lone comma or bracket is a token.
_IDS = re.compile(r"\[?\d+(?:(?:,\s*|\s+)\d+)*,?\]?|\[\]", re.ASCII)


def decoded(tokenizer: Tokenizer, typed: str) -> str:
    """Return the text of typed ids or tokens, in a sentence; "" if there are none. They are
    separated by spaces or commas; if all are numbers, they are ids.

    >>> import tokviz
    >>> tokenizer = tokviz.train({"hug": 10, "pug": 5}, "bpe", vocab_size=6).tokenizer()
    >>> decoded(tokenizer, "[1, 4]"), decoded(tokenizer, "p ug")
    ('Decoded: "hug"', 'Decoded: "pug"')
    >>> decoded(tokenizer, "99"), decoded(tokenizer, "x")
    ('id 99 is not in the vocabulary (0 to 5).', '"x" is not in this vocabulary.')
    """
    if _IDS.fullmatch(typed.strip()):
        ids = [int(part[:9]) for part in re.findall(r"\d+", typed)[:MOST_DECODED]]
    else:
        parts = typed.split()[:MOST_DECODED]
        number = {string: i for i, string in reversed([*enumerate(tokenizer.strings)])}
        missing = next((part for part in parts if part not in number), None)
        if missing is not None:
            token = visible(missing[:MOST_NAMED])
            return _('"{token}" is not in this vocabulary.', token=token)
        ids = [number[part] for part in parts]
    if not ids:
        return ""
    try:
        return _('Decoded: "{text}"', text=visible(tokenizer.decode(ids)))
    except (IndexError, TokenizerFileError) as error:
        return said_by(error)
