"""An encoding of which the ids are known first."""

from collections.abc import Callable, Sequence
from typing import Any

from tokviz.encoding.encoders import WordEncoder
from tokviz.encoding.tokenizer import Encoding

#: What is worked out together, when one of them is first asked for.
_LATER = frozenset({"offsets", "words", "word_ids"})


class LaterEncoding(Encoding):
    """An encoding whose tokens are those of `strings`, and whose offsets and words are worked out
    by `rest`, when they are first asked for, and the words that are `untold` after these. Who asks
    for the offsets first gets those of `offsets`, without the words, unless that gives None. It
    equals the encoding that has them at once, and is pickled as that.

    >>> import tokviz
    >>> tokenizer = tokviz.train("low lower", "bpe", 8).tokenizer()
    >>> now = tokenizer.encode("lower")
    >>> told = lambda: now, lambda encoding: set()
    >>> later = LaterEncoding(now.ids, tokenizer.strings, now._encoder, *told)
    >>> later.tokens, "offsets" in vars(later), later.offsets, later == now
    (['low', 'e', 'r'], False, [(0, 3), (3, 4), (4, 5)], True)
    """

    def __init__(
        self,
        ids: list[int],
        strings: Sequence[str],
        encoder: WordEncoder,
        rest: Callable[[], Encoding],
        untold: Callable[[Encoding], set[int]],
        offsets: Callable[[], list[tuple[int, int]] | None] = lambda: None,
    ) -> None:
        vars(self).update(ids=ids, _strings=strings, _encoder=encoder, _drawn=[])
        vars(self).update(_rest=rest, _untold=untold, _offsets=offsets)

    def __getattr__(self, name: str) -> Any:
        if name == "tokens":
            vars(self)[name] = [*map(self._strings.__getitem__, self.ids)]
            return vars(self)[name]
        if name == "untold":
            vars(self)[name] = self._untold(self)
            return vars(self)[name]
        if name not in _LATER:
            raise AttributeError(name)
        if name == "offsets" and (offsets := self._offsets()) is not None:
            vars(self)[name] = offsets
            return offsets
        # What it was worked out of is large, and of no use any more.
        found = vars(self._rest())
        found = {each: found[each] for each in _LATER - vars(self).keys()}
        vars(self).update(found, _rest=None, _offsets=None)
        return vars(self)[name]

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        return self._now() == (other._now() if isinstance(other, LaterEncoding) else other)

    def __reduce__(self) -> tuple[Any, ...]:
        return _encoding, (vars(self._now()),)

    def _now(self) -> Encoding:
        """The same with all that it has."""
        return _encoding(
            {"_encoder": self._encoder, "_drawn": [], "ids": self.ids, "tokens": self.tokens}
            | {name: getattr(self, name) for name in (*_LATER, "untold")}
        )


def _encoding(values: dict[str, Any]) -> Encoding:
    return Encoding(**values)
