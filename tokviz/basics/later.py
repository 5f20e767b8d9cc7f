"""A mapping that is made when something is first looked up in it."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class Later(Mapping[Key, Value]):
    """The mapping that `make` returns, which is called once it is needed. It is pickled as that.

    >>> squares = Later(lambda: {2: 4, 3: 9})
    >>> "made" in vars(squares), squares.get(3), squares[2], 4 in squares, len(squares)
    (False, 9, 4, False, 2)
    """

    def __init__(self, make: Callable[[], dict[Key, Value]]) -> None:
        self._make = make

    @cached_property
    def made(self) -> dict[Key, Value]:
        """The mapping itself."""
        return self._make()

    @cached_property
    def get(self) -> Callable[..., Any]:
        """That of the mapping: whoever looks up much waits for nothing else."""
        return self.made.get

    def __getitem__(self, key: Key) -> Value:
        return self.made[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self.made)

    def __len__(self) -> int:
        return len(self.made)

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self.made,)
