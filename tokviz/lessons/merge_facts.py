"""Facts of runs that merge: pairs, their scores, ties."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from tokviz.basics.messages import counted
from tokviz.history.base import History, MergeStep
from tokviz.history.merges import MergeHistory
from tokviz.lessons.facts import Asked, Chip, Part, Quoted, fact, step_at, times
from tokviz.lessons.moments import Absent


@fact("merge ties", "how many of the merges a tie-break decided")
def _merge_ties(asked: Asked) -> Sequence[Part]:
    tied = sum(isinstance(step, MergeStep) and step.tied > 1 for step in asked.history.steps)
    return [counted("{n} merge", "{n} merges", tied)]


# --- the last step and the next one ---------------------------------------------------------------


@fact("new token", "the token that the last merge made")
def _new(asked: Asked) -> Sequence[Part]:
    return [Chip(asked.lane, merge(asked, asked.t - 1).token)]


@fact("merged pair", "the pair that was merged last")
def _merged(asked: Asked) -> Sequence[Part]:
    return pair(asked, merge(asked, asked.t - 1))


@fact("merged times", "how often the last merge was made")
def _merged_times(asked: Asked) -> Sequence[Part]:
    return [times(merge(asked, asked.t - 1).times)]


@fact("next pair", "the pair that is merged next")
def _next(asked: Asked) -> Sequence[Part]:
    return pair(asked, merge(asked, asked.t))


@fact("next token", "the token that the next merge makes")
def _next_token(asked: Asked) -> Sequence[Part]:
    return [Chip(asked.lane, merge(asked, asked.t).token)]


@fact("next times", "how often the pair that is merged next stands in the corpus")
def _next_times(asked: Asked) -> Sequence[Part]:
    return [times(merge(asked, asked.t).count)]


@fact("next score", "the score of the next merge: its count, or WordPiece's fraction")
def _next_score(asked: Asked) -> Sequence[Part]:
    return [_score(asked, asked.t, 0)]


@fact("runner-up", "the best pair that scores less than the one merged next")
def _runner_up(asked: Asked) -> Sequence[Part]:
    return _row(asked, _second(asked))


@fact("runner-up score", "the score of the runner-up")
def _runner_up_score(asked: Asked) -> Sequence[Part]:
    return [_score(asked, asked.t, _second(asked))]


@fact("frequent pair", "the most frequent pair here, if another one is merged next")
def _frequent_pair(asked: Asked) -> Sequence[Part]:
    return _row(asked, _most_frequent(asked))


@fact("frequent pair times", "how often the most frequent pair stands in the corpus")
def _frequent_pair_times(asked: Asked) -> Sequence[Part]:
    count = asked.history.candidates(asked.t)["count"].iloc[_most_frequent(asked)]
    return [times(int(count))]


@fact("frequent pair score", "the score of the most frequent pair")
def _frequent_pair_score(asked: Asked) -> Sequence[Part]:
    return [_score(asked, asked.t, _most_frequent(asked))]


@fact("score", "the score of a pair here", of="a pair, hu + ##g")
def _score_of(asked: Asked) -> Sequence[Part]:
    return [_score(asked, asked.t, _row_of(asked, asked.t))]


@fact("former score", "the score that a pair had before the last step", of="a pair, hu + ##g")
def _former_score(asked: Asked) -> Sequence[Part]:
    merge(asked, asked.t - 1)
    return [_score(asked, asked.t - 1, _row_of(asked, asked.t - 1))]


@fact("pair times", "how often a pair stands in the corpus", of="a pair, hu + ##g")
def _pair_times(asked: Asked) -> Sequence[Part]:
    count = asked.history.candidates(asked.t)["count"].iloc[_row_of(asked, asked.t)]
    return [times(int(count))]


@fact("tied pair", "the second one of the pairs that tie for the next merge")
def _tied_pair(asked: Asked) -> Sequence[Part]:
    return _row(asked, 1 if _ties(asked) else 0)


@fact("last tied pair", "the last one of the pairs that tie for the next merge")
def _last_tied_pair(asked: Asked) -> Sequence[Part]:
    return _row(asked, _ties(asked) - 1)


@fact("tied pairs", "how many pairs tie for the next merge, if more than one")
def _tied(asked: Asked) -> Sequence[Part]:
    return [counted("{n} pair", "{n} pairs", _ties(asked))]


@fact("met in", "the word in which the pair that is merged next is met first")
def _met_in(asked: Asked) -> Sequence[Part]:
    if not isinstance(asked.history, MergeHistory):
        raise Absent("pair")
    merge(asked, asked.t)
    return [Quoted(asked.history.met_in(asked.t))]


@fact("birth", "the number of the step that makes that token", of="a token")
def _birth(asked: Asked) -> Sequence[Part]:
    for step in _merges(asked.history):
        if step.token == asked.of:
            return [f"{step.step:,}"]
    raise Absent(asked.of)


@fact("parents", "the two tokens that a token was merged from", of="a token")
def _parents(asked: Asked) -> Sequence[Part]:
    step = next((step for step in _merges(asked.history) if step.token == asked.of), None)
    if step is None:
        raise Absent(asked.of)
    return pair(asked, step)


def merge(asked: Asked, at: int) -> MergeStep:
    step = step_at(asked, at)
    if not isinstance(step, MergeStep):
        raise Absent("merge")
    return step


def _merges(history: History) -> Iterable[MergeStep]:
    return (step for step in history.steps if isinstance(step, MergeStep))


def pair(asked: Asked, step: MergeStep) -> Sequence[Part]:
    return [Chip(asked.lane, step.left), " + ", Chip(asked.lane, step.right)]


def _ties(asked: Asked) -> int:
    """How many pairs tie. Raises Absent if none does."""
    tied = merge(asked, asked.t).tied
    if tied < 2:
        raise Absent("tie")
    return tied


def _second(asked: Asked) -> int:
    """The row of the best pair that scores less. Raises Absent if all tie."""
    tied = merge(asked, asked.t).tied
    if asked.history.candidate_count(asked.t) <= tied:
        raise Absent("runner-up")
    return tied


def _most_frequent(asked: Asked) -> int:
    """The row of the most frequent pair. Raises Absent if the next merge is as frequent."""
    count = merge(asked, asked.t).count
    counts = asked.history.candidates(asked.t)["count"]
    if counts.max() <= count:
        raise Absent("frequent pair")
    return int(counts.argmax())


def _row(asked: Asked, row: int) -> Sequence[Part]:
    """The pair of a row of the table of scores."""
    chosen = asked.history.candidates(asked.t).iloc[row]
    return [Chip(asked.lane, str(chosen.left)), " + ", Chip(asked.lane, str(chosen.right))]


def _row_of(asked: Asked, t: int) -> int:
    """The row of a pair, written as it is shown. Raises Absent if no word has it."""
    table = asked.history.candidates(t)
    if "left" not in table:
        raise Absent("pair")
    written = [f"{left} + {right}" for left, right in zip(table.left, table.right, strict=True)]
    if asked.of not in written:
        raise Absent(asked.of)
    return written.index(asked.of)


def _score(asked: Asked, t: int, row: int) -> str:
    """A score: the count, or the fraction as it is worked out and in lowest terms."""
    table = asked.history.candidates(t)
    chosen = table.iloc[row]
    if "left_count" not in table:
        return f"{chosen['count']:,}"
    count, left, right = (int(chosen[name]) for name in ("count", "left_count", "right_count"))
    lowest = Fraction(count, left * right)
    whole = lowest.denominator == 1
    simple = f"{lowest.numerator:,}" + ("" if whole else f"/{lowest.denominator:,}")
    return f"{count:,}/({left:,}×{right:,}) = {simple}"
