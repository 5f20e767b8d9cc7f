"""Whose turn it is: the language that pays most, as Hugging Face's trainer chooses it."""

from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class Balance:
    """How languages are compared: `variant` is "base" or "window"; `ratio` has a number for each
    language, or none. The first `global_merges` count all languages together."""

    variant: str = "base"
    ratio: tuple[float, ...] = ()
    window_size: int = 100
    alpha: float = 2.0
    global_merges: int = 0


class Turns:
    """The turns of languages.

    A language with nothing left to merge is exhausted, and has no turn any more. With a window, a
    language that had more than `alpha` ÷ (number of languages) of the last `window_size` turns is
    passed over.

    >>> turns = Turns(Balance(), [20, 30])
    >>> turns.next([20, 30]), turns.next([20, 18])
    (1, 0)
    """

    def __init__(self, balance: Balance, first: list[int]) -> None:
        self._balance, self._first = balance, first
        self._exhausted: set[int] = set()
        self._window = deque[int](maxlen=balance.window_size)

    def exhaust(self, language: int) -> None:
        """Takes note that a language has nothing left to merge."""
        self._exhausted.add(language)

    @property
    def over(self) -> bool:
        """Whether no language has anything left."""
        return len(self._exhausted) == len(self._first)

    def next(self, lengths: list[int]) -> int:
        """Whose turn it is, if the languages have so many tokens; there must be one."""
        needs: list[float] = [*lengths]
        if self._balance.ratio:
            # In the order, and in the floats, of the library: which language is next depends on it.
            sides = zip(self._first, lengths, self._balance.ratio, strict=True)
            needs = [-(first / now / ratio) for first, now, ratio in sides]
        if self._balance.variant == "base":
            return max(self._left(), key=lambda language: (needs[language], -language))
        language = self._in_window(needs)
        self._window.append(language)
        return language

    def _left(self) -> list[int]:
        return [i for i in range(len(self._first)) if i not in self._exhausted]

    def _in_window(self, needs: list[float]) -> int:
        most = self._balance.alpha / len(needs)
        order = sorted(self._left(), key=lambda language: (-needs[language], language))
        for language in order:
            if self._window.count(language) / self._balance.window_size <= most:
                return language
        if not self._exhausted:
            return order[-1]
        # The library means to take the best of all, but takes the first language.
        had = self._window.count(0) / self._balance.window_size
        if 0 in self._exhausted and (had <= most or len(self._exhausted) == 1):
            return 0
        return self.beyond_the_library(order)

    def beyond_the_library(self, order: list[int]) -> int:
        """Whose turn it is where the library would look for ever: the one that needs it most."""
        return order[0]
