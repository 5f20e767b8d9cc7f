"""A pair index in which some pairs are no candidates, whatever their count."""

from abc import abstractmethod
from collections.abc import Sequence

from tokviz.basics.progress import Pause
from tokviz.trainers.merging.pairs import PairIndex


class FilteredPairs(PairIndex):
    """A pair index in which pairs that are not `allowed` have the count 0, always.

    Whether a pair is allowed depends on its two symbols only, so what is rejected stays so.
    """

    def __init__(
        self,
        words: Sequence[str],
        word_counts: Sequence[int],
        n_symbols: int,
        pause: Pause = lambda: None,
    ) -> None:
        super().__init__(words, word_counts, n_symbols, pause)
        self._rejected: set[int] = set()
        for p in range(len(self.pairs)):
            self._check(p)

    @abstractmethod
    def allowed(self, left: int, right: int) -> bool:
        """Whether two symbols, given by their numbers, may be merged."""

    @abstractmethod
    def join(self, left: int, right: int) -> None:
        """Takes note that the two are being merged into the next symbol."""

    def renumber(self, pairs: Sequence[str]) -> None:
        """See `PairIndex.renumber`."""
        rejected = [self.pairs[p] for p in self._rejected]
        super().renumber(pairs)
        self._rejected = {self.number[pair] for pair in rejected}

    def merge(self, p: int) -> list[int]:
        """See `PairIndex.merge`. New pairs are among what is returned even if they are rejected;
        those rejected earlier are not, since their count stays what it was."""
        known = len(self.pairs)
        self.join(*map(ord, self.pairs[p]))
        changed = []
        for q in super().merge(p):
            if q in self._rejected:
                self.counts[q] = 0
                continue
            if q >= known:
                self._check(q)
            changed.append(q)
        return changed

    def _check(self, p: int) -> None:
        if not self.allowed(*map(ord, self.pairs[p])):
            self._rejected.add(p)
            self.counts[p] = 0
