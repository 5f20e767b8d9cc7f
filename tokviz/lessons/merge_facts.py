"""Facts of runs that merge: pairs, their scores, ties."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from tokviz.basics.messages import counted
from tokviz.history.base import History
from tokviz.history.merges import MergeHistory
from tokviz.history.steps import MergeStep
from tokviz.lessons.facts import Chip, FactRequest, Part, Quoted, fact, of_family, step_at, times
from tokviz.lessons.moments import Absent


@fact("merge ties", "how many of the merges a tie-break decided")
def _merge_ties(request: FactRequest) -> Sequence[Part]:
    tied = sum(isinstance(step, MergeStep) and step.tied > 1 for step in request.history.steps)
    return [counted("{n} merge", "{n} merges", tied)]


# --- the last step and the next one ---------------------------------------------------------------


@fact("new token", "the token that the last merge made")
def _new(request: FactRequest) -> Sequence[Part]:
    return [Chip(request.lane, merge(request, request.t - 1).token)]


@fact("merged pair", "the pair that was merged last")
def _merged(request: FactRequest) -> Sequence[Part]:
    return pair(request, merge(request, request.t - 1))


@fact("merged times", "how often the last merge was made")
def _merged_times(request: FactRequest) -> Sequence[Part]:
    return [times(merge(request, request.t - 1).times)]


@fact("next pair", "the pair that is merged next")
def _next(request: FactRequest) -> Sequence[Part]:
    return pair(request, merge(request, request.t))


@fact("next token", "the token that the next merge makes")
def _next_token(request: FactRequest) -> Sequence[Part]:
    return [Chip(request.lane, merge(request, request.t).token)]


@fact("next times", "how often the pair that is merged next stands in the corpus")
def _next_times(request: FactRequest) -> Sequence[Part]:
    return [times(merge(request, request.t).count)]


@fact("next score", "the score of the next merge: its count, or WordPiece's fraction")
def _next_score(request: FactRequest) -> Sequence[Part]:
    return [_score(request, request.t, 0)]


@fact("runner-up", "the best pair that scores less than the one merged next")
def _runner_up(request: FactRequest) -> Sequence[Part]:
    return _row(request, _second(request))


@fact("runner-up score", "the score of the runner-up")
def _runner_up_score(request: FactRequest) -> Sequence[Part]:
    return [_score(request, request.t, _second(request))]


@fact("frequent pair", "the most frequent pair here, if another one is merged next")
def _frequent_pair(request: FactRequest) -> Sequence[Part]:
    return _row(request, _most_frequent(request))


@fact("frequent pair times", "how often the most frequent pair stands in the corpus")
def _frequent_pair_times(request: FactRequest) -> Sequence[Part]:
    count = request.history.candidates(request.t)["count"].iloc[_most_frequent(request)]
    return [times(int(count))]


@fact("frequent pair score", "the score of the most frequent pair")
def _frequent_pair_score(request: FactRequest) -> Sequence[Part]:
    return [_score(request, request.t, _most_frequent(request))]


@fact("score", "the score of a pair here", of="a pair, hu + ##g")
def _score_of(request: FactRequest) -> Sequence[Part]:
    return [_score(request, request.t, _row_of(request, request.t))]


@fact("former score", "the score that a pair had before the last step", of="a pair, hu + ##g")
def _former_score(request: FactRequest) -> Sequence[Part]:
    merge(request, request.t - 1)
    return [_score(request, request.t - 1, _row_of(request, request.t - 1))]


@fact("pair times", "how often a pair stands in the corpus", of="a pair, hu + ##g")
def _pair_times(request: FactRequest) -> Sequence[Part]:
    count = request.history.candidates(request.t)["count"].iloc[_row_of(request, request.t)]
    return [times(int(count))]


@fact("tied pair", "the second one of the pairs that tie for the next merge")
def _tied_pair(request: FactRequest) -> Sequence[Part]:
    return _row(request, 1 if _ties(request) else 0)


@fact("last tied pair", "the last one of the pairs that tie for the next merge")
def _last_tied_pair(request: FactRequest) -> Sequence[Part]:
    return _row(request, _ties(request) - 1)


@fact("tied pairs", "how many pairs tie for the next merge, if more than one")
def _tied(request: FactRequest) -> Sequence[Part]:
    return [counted("{n} pair", "{n} pairs", _ties(request))]


@fact("met in", "the word in which the pair that is merged next is met first")
def _met_in(request: FactRequest) -> Sequence[Part]:
    merge(request, request.t)
    return [Quoted(of_family(request, MergeHistory).met_in(request.t))]


@fact("birth", "the number of the step that makes that token", of="a token")
def _birth(request: FactRequest) -> Sequence[Part]:
    for step in _merges(request.history):
        if step.token == request.of:
            return [f"{step.step:,}"]
    raise Absent(request.of)


@fact("parents", "the two tokens that a token was merged from", of="a token")
def _parents(request: FactRequest) -> Sequence[Part]:
    step = next((step for step in _merges(request.history) if step.token == request.of), None)
    if step is None:
        raise Absent(request.of)
    return pair(request, step)


def merge(request: FactRequest, at: int) -> MergeStep:
    step = step_at(request, at)
    if not isinstance(step, MergeStep):
        raise Absent("merge")
    return step


def _merges(history: History) -> Iterable[MergeStep]:
    return (step for step in history.steps if isinstance(step, MergeStep))


def pair(request: FactRequest, step: MergeStep) -> Sequence[Part]:
    return [Chip(request.lane, step.left), " + ", Chip(request.lane, step.right)]


def _ties(request: FactRequest) -> int:
    """How many pairs tie. Raises Absent if none does."""
    tied = merge(request, request.t).tied
    if tied < 2:
        raise Absent("tie")
    return tied


def _second(request: FactRequest) -> int:
    """The row of the best pair that scores less. Raises Absent if all tie."""
    tied = merge(request, request.t).tied
    if request.history.candidate_count(request.t) <= tied:
        raise Absent("runner-up")
    return tied


def _most_frequent(request: FactRequest) -> int:
    """The row of the most frequent pair. Raises Absent if the next merge is as frequent."""
    count = merge(request, request.t).count
    counts = request.history.candidates(request.t)["count"]
    if counts.max() <= count:
        raise Absent("frequent pair")
    return int(counts.argmax())


def _row(request: FactRequest, row: int) -> Sequence[Part]:
    """The pair of a row of the table of scores."""
    chosen = request.history.candidates(request.t).iloc[row]
    return [Chip(request.lane, str(chosen.left)), " + ", Chip(request.lane, str(chosen.right))]


def _row_of(request: FactRequest, t: int) -> int:
    """The row of a pair, written as it is shown. Raises Absent if no word has it."""
    table = request.history.candidates(t)
    if "left" not in table:
        raise Absent("pair")
    written = [f"{left} + {right}" for left, right in zip(table.left, table.right, strict=True)]
    if request.of not in written:
        raise Absent(request.of)
    return written.index(request.of)


def _score(request: FactRequest, t: int, row: int) -> str:
    """A score: the count, or the fraction as it is worked out and in lowest terms."""
    table = request.history.candidates(t)
    chosen = table.iloc[row]
    if "left_count" not in table:
        return f"{chosen['count']:,}"
    count, left, right = (int(chosen[name]) for name in ("count", "left_count", "right_count"))
    lowest = Fraction(count, left * right)
    whole = lowest.denominator == 1
    simple = f"{lowest.numerator:,}" + ("" if whole else f"/{lowest.denominator:,}")
    return f"{count:,}/({left:,}×{right:,}) = {simple}"
