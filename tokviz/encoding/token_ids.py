"""Tokens and their ids, asked for by the names that Hugging Face's `tokenizers` has for them."""

from functools import cached_property


class TokenIds:
    """A vocabulary whose tokens, as displayed, are `strings` by id; an id without a token has an
    empty one. Tokens are those of `Encoding.tokens`: where a marker typed in a text would read like
    a real one, it stands in ⟨ ⟩, which other libraries do not write.

    >>> import tokviz
    >>> tokenizer = tokviz.train("low low lower", "bpe", 8, "whitespace").tokenizer()
    >>> tokenizer.get_vocab()
    {'e': 0, 'l': 1, 'o': 2, 'r': 3, 'w': 4, 'lo': 5, 'low': 6, 'lowe': 7}
    """

    strings: list[str]

    @cached_property
    def _ids(self) -> dict[str, int]:
        ids: dict[str, int] = {}
        for number, token in enumerate(self.strings):
            if token:
                # Of two that are spelled alike the first one, which is the special token.
                ids.setdefault(token, number)
        return ids

    @property
    def vocab_size(self) -> int:
        """How many tokens there are, special and added ones included.

        >>> import tokviz
        >>> tokviz.train("low low lower", "bpe", 8, "whitespace").tokenizer().vocab_size
        8
        """
        return len(self._ids)

    def get_vocab(self) -> dict[str, int]:
        """The id of every token, special and added ones included, in the order of the ids."""
        return dict(self._ids)

    def token_to_id(self, token: str) -> int | None:
        """The id of a token; None for what is not in the vocabulary.

        >>> import tokviz
        >>> tokenizer = tokviz.train("low low lower", "bpe", 8, "whitespace").tokenizer()
        >>> tokenizer.token_to_id("low"), tokenizer.token_to_id("high")
        (6, None)
        """
        return self._ids.get(token)

    def id_to_token(self, id: int) -> str | None:
        """The token of an id; None for an id that the vocabulary does not have.

        >>> import tokviz
        >>> tokenizer = tokviz.train("low low lower", "bpe", 8, "whitespace").tokenizer()
        >>> tokenizer.id_to_token(6), tokenizer.id_to_token(8), tokenizer.id_to_token(-1)
        ('low', None, None)
        """
        return self.strings[id] or None if 0 <= id < len(self.strings) else None
