"""What one step of a training did: a merge, a pruning, a step of EM. A history has its
steps in a row."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, overload

from tokviz.basics.arguments import Shown, plain
from tokviz.basics.errors import OutOfRangeError
from tokviz.basics.short_repr import short_repr


@dataclass(frozen=True)
class Step:
    """One step of training: step n is chosen in state n - 1 and leads to state n, so the first is
    step 1, as on the screen and in everything that is printed. `index` is n - 1: its place in
    `History.steps`, and the state in which it is chosen.

    `tied` candidates shared the best score (1: no tie); `rule` says which of them wins. Strings
    are as displayed.
    """

    __repr__ = short_repr

    step: int
    action: str
    score: float
    tied: int
    rule: str

    @property
    def index(self) -> int:
        return self.step - 1


@dataclass(frozen=True)
class MergeStep(Step):
    """`left` + `right` became `token`. `count` is the pair's count (overlaps included), `times`
    how many pairs were really joined in the corpus. `grows` is False when the token's string was
    in the vocabulary already.

    `forced`: the run was told to merge this pair, and by itself would have merged another one.
    `score` and `count` are those of the pair; `tied` pairs shared the best score, among which it
    may not be."""

    __repr__ = short_repr

    left: str
    right: str
    token: str
    token_id: int
    count: int
    times: int
    grows: bool
    forced: bool = False


@dataclass(frozen=True)
class ParityStep(MergeStep):
    """A merge of parity-aware BPE, chosen among the pairs of a `language`, "" for all together.
    `count` is the pair's count there, and `overall` in all languages; `compression` is that of
    every language before the step, in the order of `history.languages`."""

    __repr__ = short_repr

    language: str = field(kw_only=True)
    compression: tuple[float, ...] = field(kw_only=True)
    overall: int = field(kw_only=True)


@dataclass(frozen=True)
class PickyMergeStep(MergeStep):
    """A merge of PickyBPE. `returns`: the token had been taken back, and is in the vocabulary
    again."""

    __repr__ = short_repr

    returns: bool = False


@dataclass(frozen=True)
class RemovalStep(Step):
    """A token was taken back: it left the vocabulary, and `left_over` times it came apart into
    `parts`. Of its uses, `went` had gone into the token that step `merge` made of it, `into`.
    `score` is the share of these: went ÷ (went + left over). `token_id` is the id that it had.

    In BoundlessBPE `went` is how often `into` was made, and `left_over` is what is missing to all
    uses before: of a token that went into it twice at once it is one of the two."""

    __repr__ = short_repr

    token: str
    token_id: int
    parts: tuple[str, ...]
    merge: int
    into: str
    went: int
    left_over: int

    @property
    def removed(self) -> tuple[str, ...]:
        """The tokens that left the vocabulary."""
        return (self.token,)


@dataclass(frozen=True)
class PruneStep(Step):
    """`removed` tokens left the vocabulary, cheapest first. `score` is the loss delta at the cut,
    the greatest that was removed; `tied` tokens have exactly that delta and `tied_removed` of
    them went.

    `forced` is what the step was told and would not have done by itself: "keep" or "drop", and then
    the tokens. The cut is that of the others."""

    __repr__ = short_repr

    removed: tuple[str, ...]
    tied_removed: int
    size_before: int
    size_after: int
    loss_before: float
    loss_after: float
    forced: tuple[str, ...] = field(default=(), kw_only=True)


@dataclass(frozen=True)
class EMStep(Step):
    """One expectation–maximization step: tokens got new log-probabilities from their expected
    counts, and the `removed` ones, expected too rarely, left. `score` is the objective before it,
    `sub_iteration` its number since the last pruning."""

    __repr__ = short_repr

    removed: tuple[str, ...]
    sub_iteration: int
    size_before: int
    size_after: int
    loss_before: float
    loss_after: float


@dataclass(frozen=True)
class ApproximatePruneStep(PruneStep):
    """A pruning by approximate losses. `score` is the greatest that was removed (0 if none was);
    of the `removed` tokens, `unused` were in no best segmentation and `split` have a better one of
    their own string."""

    __repr__ = short_repr

    unused: int
    split: int


@dataclass(frozen=True)
class FinalizeStep(Step):
    """The final choice: `removed` tokens left for the sake of the size, and `added` characters
    came back because they are required. `score` is the objective before it."""

    __repr__ = short_repr

    removed: tuple[str, ...]
    added: tuple[str, ...]
    size_before: int
    size_after: int
    loss_before: float
    loss_after: float


Kind = TypeVar("Kind", bound=Step, covariant=True)


class Steps(Sequence[Kind]):
    """The steps of a history, made one by one when asked for."""

    def __init__(self, length: int, make: Callable[[int], Kind]) -> None:
        self._length, self._make = length, make

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, at: int) -> Kind: ...
    @overload
    def __getitem__(self, at: slice) -> list[Kind]: ...
    def __getitem__(self, at: int | slice) -> Kind | list[Kind]:
        if isinstance(at, slice):
            return [self._make(i) for i in range(self._length)[at]]
        n, number = self._length, plain(at)
        if type(number) is not int or not -n <= number < n:
            raise OutOfRangeError.saying(
                "steps[{at}] is not there: this run has {n}, and steps[0] is step 1.",
                at=Shown(number),
                n=n,
            )
        return self._make(range(n)[number])

    def __iter__(self) -> Iterator[Kind]:
        return map(self._make, range(self._length))

    def __repr__(self) -> str:
        """Short, however many there are: from the first to the last."""
        if not self._length:
            return "<Steps: none>"
        ends = ", ".join(f"{self[at].action} {at + 1:,}" for at in sorted({0, self._length - 1}))
        return f"<Steps: {self._length:,}, {ends.replace(', ', ' to ')}>"
