"""What a merge did and why, and what the next one will do.

The player says the same (player/js/merge_words.js) with the same messages.
"""

from typing import TYPE_CHECKING, NamedTuple

from tokviz.basics.messages import counted, message, sentences
from tokviz.history.merges import MergeHistory
from tokviz.history.replay import ReplayHistory
from tokviz.history.steps import MergeStep
from tokviz.history.ties import RULES
from tokviz.narration.values import number, pairs, quoted

if TYPE_CHECKING:
    import pandas as pd

#: Without a pre-tokenizer a word is a whole line; a sentence quotes no more of it than this.
LONGEST_WORD = 40


class Candidate(NamedTuple):
    """A pair that may be merged, and its score, as they are told."""

    left: str
    right: str
    score: str


def best(history: MergeHistory, t: int, k: int) -> list[Candidate]:
    """The k best pairs of state t, as `history.candidates(t, k)` has them in a table.

    >>> import tokviz
    >>> history = tokviz.train({"hug": 10, "pug": 5}, "wordpiece", vocab_size=8)
    >>> best(history, 0, 1)
    [Candidate(left='"h"', right='"##u"', score='10/(10×15) = 0.06667')]
    """
    found, counts = history.ranked_pairs(t, k)
    sides = history.record.pair_left[found], history.record.pair_right[found]
    if history.likelihood:
        left_counts, right_counts = (history.symbol_counts(t)[side].tolist() for side in sides)
        scores = list(map(ratio, counts.tolist(), left_counts, right_counts))
    else:
        scores = list(map(number, counts.tolist()))
    lefts, rights = ([quoted(history.strings[i]) for i in side.tolist()] for side in sides)
    return list(map(Candidate, lefts, rights, scores))


def merged(history: MergeHistory, t: int, what: str | None = None) -> str:
    """What a step merged, and why; `what` is told instead of the pair and how often it was
    joined."""
    step = history.steps[t]
    said = _what_was_merged(history, step) if what is None else what
    if not step.grows:
        same = message("The vocabulary had that token already and did not grow.")
        said = sentences(said, same)
    if step.forced:
        if history.likelihood:
            said = sentences(said, _its_score(_forced(history, step).score))
        return sentences(said, _passed_over(history, step))
    first, *others = best(history, step.index, 2)
    if step.tied > 1:
        return sentences(said, _tie_broken(history, step, first.score))
    if history.likelihood:
        said = sentences(said, _its_score(first.score))
    for second in others:
        runner_up = message("Runner-up {left} + {right} with {score}.", **_valued(history, second))
        said = sentences(said, runner_up)
    return said


def _what_was_merged(history: MergeHistory, step: MergeStep) -> str:
    values = {
        "step": step.step,
        "left": quoted(step.left),
        "right": quoted(step.right),
        "token": quoted(step.token),
        "times": counted("once", "{n} times", step.times),
    }
    if history.reaches_across(step.index):
        if step.count == step.times:
            return message(
                "Step {step}: merged {left} + {right} across words into {token} ({times}).",
                **values,
            )
        return message(
            "Step {step}: merged {left} + {right} across words into {token} "
            "({times}, counted {count} with overlaps).",
            **values,
            count=number(step.count),
        )
    if step.count == step.times:
        return message("Step {step}: merged {left} + {right} into {token} ({times}).", **values)
    if history.counts_within(step.index):
        return message(
            "Step {step}: merged {left} + {right} into {token} "
            "({times}, counted {count} within words).",
            **values,
            count=number(step.count),
        )
    return message(
        "Step {step}: merged {left} + {right} into {token} "
        "({times}, counted {count} with overlaps).",
        **values,
        count=number(step.count),
    )


def _its_score(score: str) -> str:
    return message("Its score is {score}.", score=score)


def _tie_broken(history: MergeHistory, step: MergeStep, score: str) -> str:
    values = {
        "pairs": pairs(step.tied),
        "score": score,
        "rule": step.rule,
        "left": quoted(step.left),
        "right": quoted(step.right),
    }
    if _seen(step):
        return message(
            '{pairs} tied at {score}; "{rule}" chose {left} + {right}, met first in {word}.',
            **values,
            word=_met_in(history, step),
        )
    return message(
        '{pairs} tied at {score}; "{rule}" chose {left} + {right}, {why}.',
        **values,
        why=RULES[step.rule].help,
    )


def _passed_over(history: MergeHistory, step: MergeStep) -> str:
    """The pair that would have been merged instead of the forced one."""
    values = _would_win(history, step)
    if step.tied > 1:
        return message(
            "Forced; of the {pairs} that tie at {score}, {left} + {right} would have won "
            'by "{rule}".',
            **values,
        )
    return message("Forced; {left} + {right} with {score} would have won.", **values)


def _would_win(history: MergeHistory, step: MergeStep) -> dict[str, str]:
    [first] = best(history, step.index, 1)
    found = _valued(history, first)
    return found | ({"pairs": pairs(step.tied), "rule": step.rule} if step.tied > 1 else {})


def _valued(history: MergeHistory, pair: Candidate) -> dict[str, str]:
    return {**pair._asdict(), "score": _value(history, pair)}


def _value(history: MergeHistory, pair: Candidate) -> str:
    """The score of a pair with the word for it."""
    if history.likelihood:
        return message("a score of {score}", score=pair.score)
    return message("a count of {score}", score=pair.score)


def _forced(history: MergeHistory, step: MergeStep) -> Candidate:
    return best(history, step.index, history.merged_rank(step.index))[-1]


def replayed(history: ReplayHistory, t: int) -> str:
    step, of = history.steps[t], number(len(history.given.pairs))
    its_rank = message("Its rank is {rank} of {of}.", rank=number(int(step.score)), of=of)
    said = sentences(_what_was_merged(history, step), its_rank)
    rows = history.candidates(t, 2)
    if len(rows) > 1:
        left, right = _pair(rows, 1)
        follows = message(
            "Next in rank {left} + {right}, rank {rank}, with {count}.",
            left=left,
            right=right,
            **_ranked(rows, 1),
        )
        said = sentences(said, follows)
    return said


def announced_rank(history: ReplayHistory, t: int) -> str:
    rows = history.candidates(t, 1)
    left, right = _pair(rows, 0)
    return message(
        "Next: {left} + {right}, rank {rank}, with {count}.",
        left=left,
        right=right,
        **_ranked(rows, 0),
    )


def announced(history: MergeHistory, t: int) -> str:
    step = history.steps[t]
    pair = {"left": quoted(step.left), "right": quoted(step.right)}
    if step.forced:
        score = _value(history, _forced(history, step))
        other = {f"other_{name}": value for name, value in _would_win(history, step).items()}
        if step.tied > 1:
            return message(
                "Next: {left} + {right} with {score}; forced: of the {other_pairs} that tie at "
                '{other_score}, {other_left} + {other_right} would win by "{other_rule}".',
                **pair,
                score=score,
                **other,
            )
        return message(
            "Next: {left} + {right} with {score}; forced: {other_left} + {other_right} with "
            "{other_score} would win.",
            **pair,
            score=score,
            **other,
        )
    score = _value(history, best(history, step.index, 1)[0])
    if step.tied <= 1:
        return message("Next: {left} + {right} with {score}.", **pair, score=score)
    tie = {**pair, "score": score, "pairs": pairs(step.tied), "rule": step.rule}
    # A full stop between two numbers would be heard as a decimal point.
    if _seen(step):
        return message(
            'Next: {left} + {right} with {score}; {pairs} tie there, and "{rule}" takes '
            "the one met first, in {word}.",
            **tie,
            word=_met_in(history, step),
        )
    return message(
        'Next: {left} + {right} with {score}; {pairs} tie there, and "{rule}" takes {what}.',
        **tie,
        what=RULES[step.rule].help,
    )


def _ranked(rows: "pd.DataFrame", row: int) -> dict[str, str]:
    return {name: number(int(rows[name][row])) for name in ("rank", "count")}


def _seen(step: MergeStep) -> bool:
    return RULES[step.rule].key is None


def _met_in(history: MergeHistory, step: MergeStep) -> str:
    word = history.met_in(step.index)
    shown = history.spelling.show(history.spelling.whole(word[:LONGEST_WORD]))
    return quoted(f"{shown}…" if len(word) > LONGEST_WORD else shown)


def _pair(rows: "pd.DataFrame", row: int) -> tuple[str, str]:
    return quoted(rows["left"][row]), quoted(rows["right"][row])


def ratio(count: int, left: int, right: int) -> str:
    """A likelihood score as it is made, and what it comes to.

    >>> ratio(5, 6, 7)
    '5/(6×7) = 0.119'
    """
    return f"{number(count)}/({number(left)}×{number(right)}) = {count / (left * right):.4g}"
