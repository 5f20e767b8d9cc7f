"""Which pairs may be merged, where not all may."""

from abc import ABC, abstractmethod


class Candidates(ABC):
    """Says which pairs may be merged. Others are no candidates, whatever their count.

    Whether a pair may be depends on its two symbols only, so what may not be merged never may.
    Symbols are numbers: those of the alphabet first, then one a merge.
    """

    @abstractmethod
    def allowed(self, left: int, right: int) -> bool:
        """Whether two symbols may be merged."""

    @abstractmethod
    def join(self, left: int, right: int) -> None:
        """Takes note that the two are being merged into the next symbol."""

    def rank(self, left: int, right: int) -> int:
        """The rank of a pair, −1 if it may not be merged. The lowest is best, if ranks decide."""
        return 0 if self.allowed(left, right) else -1
