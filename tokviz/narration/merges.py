"""What a merge did and why, and what the next one will do.

The player says the same (player/js/merge_words.js) with the same messages.
"""

from typing import TYPE_CHECKING

from tokviz.basics.messages import counted, message, sentences
from tokviz.history.base import MergeStep
from tokviz.history.merges import MergeHistory
from tokviz.history.replay import ReplayHistory
from tokviz.history.ties import TIE_BREAKS
from tokviz.narration.values import number, pairs, quoted

if TYPE_CHECKING:
    import pandas as pd

#: Without a pre-tokenizer a word is a whole line; a sentence quotes no more of it than this.
LONGEST_WORD = 40


def merged(history: MergeHistory, t: int) -> str:
    step = history.steps[t]
    said = _what_was_merged(step)
    if not step.grows:
        same = message("The vocabulary had that token already and did not grow.")
        said = sentences(said, same)
    if step.forced:
        if history.likelihood:
            said = sentences(said, _its_score(_score(_forced_row(history, step), 0)))
        return sentences(said, _passed_over(history, step))
    rows = history.candidates(step.index, 2)
    if step.tied > 1:
        return sentences(said, _tie_broken(history, step, _score(rows, 0)))
    if history.likelihood:
        said = sentences(said, _its_score(_score(rows, 0)))
    if len(rows) > 1:
        left, right = _pair(rows, 1)
        runner_up = message(
            "Runner-up {left} + {right} with {score}.",
            left=left,
            right=right,
            score=_score(rows, 1),
        )
        said = sentences(said, runner_up)
    return said


def _what_was_merged(step: MergeStep) -> str:
    values = {
        "step": step.step,
        "left": quoted(step.left),
        "right": quoted(step.right),
        "token": quoted(step.token),
        "times": counted("once", "{n} times", step.times),
    }
    if step.count == step.times:
        return message("Step {step}: merged {left} + {right} into {token} ({times}).", **values)
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
        why=TIE_BREAKS[step.rule].help,
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
    rows = history.candidates(step.index, 1)
    left, right = _pair(rows, 0)
    found = {"left": left, "right": right, "score": _score(rows, 0)}
    return found | ({"pairs": pairs(step.tied), "rule": step.rule} if step.tied > 1 else {})


def _forced_row(history: MergeHistory, step: MergeStep) -> "pd.DataFrame":
    rows = history.candidates(step.index, history.merged_rank(step.index))
    return rows.iloc[-1:].reset_index(drop=True)


def replayed(history: ReplayHistory, t: int) -> str:
    step, of = history.steps[t], number(len(history.given.pairs))
    its_rank = message("Its rank is {rank} of {of}.", rank=number(int(step.score)), of=of)
    said = sentences(_what_was_merged(step), its_rank)
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
        score = _score(_forced_row(history, step), 0)
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
    score = _score(history.candidates(step.index, 1), 0)
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
        what=TIE_BREAKS[step.rule].help,
    )


def _ranked(rows: "pd.DataFrame", row: int) -> dict[str, str]:
    return {name: number(int(rows[name][row])) for name in ("rank", "count")}


def _seen(step: MergeStep) -> bool:
    return TIE_BREAKS[step.rule].key is None


def _met_in(history: MergeHistory, step: MergeStep) -> str:
    word = history.met_in(step.index)
    shown = history.spelling.show(history.spelling.whole(word[:LONGEST_WORD]))
    return quoted(f"{shown}…" if len(word) > LONGEST_WORD else shown)


def _pair(rows: "pd.DataFrame", row: int) -> tuple[str, str]:
    return quoted(rows["left"][row]), quoted(rows["right"][row])


def _score(rows: "pd.DataFrame", row: int) -> str:
    count = int(rows["count"][row])
    if "left_count" not in rows:
        return number(count)
    return ratio(count, int(rows["left_count"][row]), int(rows["right_count"][row]))


def ratio(count: int, left: int, right: int) -> str:
    """A likelihood score as it is made, and what it comes to.

    >>> ratio(5, 6, 7)
    '5/(6×7) = 0.119'
    """
    return f"{number(count)}/({number(left)}×{number(right)}) = {count / (left * right):.4g}"
