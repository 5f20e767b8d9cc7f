"""What a step did and why, in a sentence or two."""

import math

import pandas as pd

from tokviz.history import (
    ApproximatePruneStep,
    EMStep,
    FinalizeStep,
    History,
    MergeStep,
    PruneStep,
)
from tokviz.merge_history import MergeHistory
from tokviz.replay_history import ReplayHistory
from tokviz.sentencepiece_history import SentencePieceUnigramHistory
from tokviz.ties import TIE_BREAKS

#: Without a pre-tokenizer a word is a whole line; a sentence quotes no more of it than this.
LONGEST_WORD = 40


def narrate(history: History, t: int) -> str:
    """What led to state t; for state 0, what training starts from.

    >>> import tokviz
    >>> history = tokviz.train({"ab": 3, "abc": 2, "bc": 1}, "bpe", vocab_size=5)
    >>> narrate(history, 0)
    'Before training: 3 tokens in the vocabulary, 14 tokens in the corpus.'
    >>> narrate(history, 1)
    'Step 1: merged "a" + "b" into "ab" (5 times). Runner-up "b" + "c" with 3.'
    """
    history.check_state(t)
    if not t:
        tokens = int(history.token_counts(0).sum())
        return (
            f"Before training: {_number(history.vocab_size(0))} tokens in the vocabulary, "
            f"{_number(tokens)} tokens in the corpus."
        )
    step = history.steps[t - 1]
    if isinstance(step, EMStep | ApproximatePruneStep | FinalizeStep):
        return f"Step {t}: {_estimated(step)}"
    if isinstance(step, PruneStep):
        return _pruned(step)
    assert isinstance(step, MergeStep)
    assert isinstance(history, MergeHistory)
    return _merged(history, step)


def announce(history: History, t: int) -> str:
    """What the step out of state t will do; in the last state, why there is none.

    >>> import tokviz
    >>> history = tokviz.train({"ab": 3, "bc": 3}, "bpe", vocab_size=4)
    >>> announce(history, 0)
    'Next: "a" + "b" with 3; 2 pairs tie there, and "first-seen" takes the one met first, in "ab".'
    >>> announce(history, 1)
    'The vocabulary has the 4 tokens asked for.'
    """
    history.check_state(t)
    if t == len(history):
        return history.stopped
    step = history.steps[t]
    if isinstance(step, EMStep | ApproximatePruneStep | FinalizeStep):
        return _announced(step)
    if isinstance(step, PruneStep):
        n = len(step.removed)
        said = "Next: 1 token goes" if n == 1 else f"Next: {_number(n)} tokens go"
        said += f", up to a loss delta of {_loss(step.score)}"
        if step.tied > step.tied_removed:
            said += f"; {_number(step.tied)} tokens tie there, so vocabulary order decides"
        return f"{said}.{_told(step, 'will stay', 'will go')}"
    assert isinstance(step, MergeStep)
    assert isinstance(history, MergeHistory)
    if isinstance(history, ReplayHistory):
        return f'Next: "{step.left}" + "{step.right}", {_ranked(history.candidates(t, 1), 0)}.'
    if step.forced:
        said = f'Next: "{step.left}" + "{step.right}" with {_score(_forced_row(history, step), 0)}'
        return f"{said}; forced: {_passed_over(history, step, 'would win')}."
    said = f'Next: "{step.left}" + "{step.right}" with {_score(history.candidates(t, 1), 0)}'
    if step.tied > 1:
        # A full stop between two numbers would be heard as a decimal point.
        said += f'; {_number(step.tied)} pairs tie there, and "{step.rule}" takes '
        rule = TIE_BREAKS[step.rule].help
        said += f"the one met first, in {_met_in(history, step)}" if _seen(step) else rule
    return f"{said}."


def agreement(history: SentencePieceUnigramHistory, t: int) -> str:
    """How far the library's approximate losses of state t order the tokens as the exact deltas do;
    empty if the training computed none.

    >>> import tokviz
    >>> words = {" hug": 10, " pug": 5, " hugs": 5, " bun": 4, " pun": 12}
    >>> settings = {"exact_deltas": True, "min_expected_count": 0.0}
    >>> history = tokviz.train(words, "sentencepiece-unigram", vocab_size=11, **settings)
    >>> agreement(history, 2)
    'Rank correlation of loss and exact Δ: 1.000 (2 tokens)'
    """
    if not history.trainer.exact_deltas:
        return ""
    if history.action(t) != "prune":
        return "Exact Δ is computed before each pruning"
    correlation = history.rank_correlation(t)
    shown = "none" if math.isnan(correlation) else f"{correlation:.3f}"
    both = int((history.exact_ranks(t) > 0).sum())
    return f"Rank correlation of loss and exact Δ: {shown} ({_tokens(both)})"


def _merged(history: MergeHistory, step: MergeStep) -> str:
    said = f'Step {step.index + 1}: merged "{step.left}" + "{step.right}" into "{step.token}" '
    said += f"({_times(step.times)}" + (
        f", counted {_number(step.count)} with overlaps)." if step.count != step.times else ")."
    )
    if isinstance(history, ReplayHistory):
        return said + _by_rank(history, step)
    if not step.grows:
        said += " The vocabulary had that token already and did not grow."
    if step.forced:
        if history.likelihood:
            said += f" Its score is {_score(_forced_row(history, step), 0)}."
        return f"{said} Forced; {_passed_over(history, step, 'would have won')}."
    rows = history.candidates(step.index, 2)
    if step.tied > 1:
        said += f' {_number(step.tied)} pairs tied at {_score(rows, 0)}; "{step.rule}" chose '
        said += f'"{step.left}" + "{step.right}"'
        if _seen(step):
            return f"{said}, met first in {_met_in(history, step)}."
        return f"{said}, {TIE_BREAKS[step.rule].help}."
    if history.likelihood:
        said += f" Its score is {_score(rows, 0)}."
    if len(rows) > 1:
        left, right = rows["left"][1], rows["right"][1]
        said += f' Runner-up "{left}" + "{right}" with {_score(rows, 1)}.'
    return said


def _forced_row(history: MergeHistory, step: MergeStep) -> pd.DataFrame:
    rows = history.candidates(step.index, history.merged_rank(step.index))
    return rows.iloc[-1:].reset_index(drop=True)


def _passed_over(history: MergeHistory, step: MergeStep, won: str) -> str:
    """The pair that would have been merged."""
    rows = history.candidates(step.index, 1)
    pair = f'"{rows["left"][0]}" + "{rows["right"][0]}"'
    if step.tied > 1:
        tied = f"of the {_number(step.tied)} pairs that tie at {_score(rows, 0)}"
        return f'{tied}, {pair} {won} by "{step.rule}"'
    return f"{pair} with {_score(rows, 0)} {won}"


def _by_rank(history: ReplayHistory, step: MergeStep) -> str:
    said = f" Its rank is {_number(int(step.score))} of {_number(len(history.given.pairs))}."
    rows = history.candidates(step.index, 2)
    if len(rows) > 1:
        left, right = rows["left"][1], rows["right"][1]
        said += f' Next in rank "{left}" + "{right}", {_ranked(rows, 1)}.'
    return said


def _ranked(rows: pd.DataFrame, row: int) -> str:
    return f"rank {_number(int(rows['rank'][row]))}, with {_number(int(rows['count'][row]))}"


def _seen(step: MergeStep) -> bool:
    return TIE_BREAKS[step.rule].key is None


def _met_in(history: MergeHistory, step: MergeStep) -> str:
    word = history.met_in(step.index)
    shown = history.spelling.show(history.spelling.whole(word[:LONGEST_WORD]))
    return f'"{shown}…"' if len(word) > LONGEST_WORD else f'"{shown}"'


def _score(rows: pd.DataFrame, row: int) -> str:
    count = int(rows["count"][row])
    if "left_count" not in rows:
        return _number(count)
    return ratio(count, int(rows["left_count"][row]), int(rows["right_count"][row]))


def ratio(count: int, left: int, right: int) -> str:
    """A likelihood score as it is made, and what it comes to.

    >>> ratio(5, 6, 7)
    '5/(6×7) = 0.119'
    """
    return f"{_number(count)}/({_number(left)}×{_number(right)}) = {count / (left * right):.4g}"


def _told(step: PruneStep, kept: str, dropped: str) -> str:
    """What a round was told; empty if nothing."""
    if not step.forced:
        return ""
    action, *tokens = step.forced
    named = ", ".join(f'"{token}"' for token in tokens)
    return f" Forced: {named} {kept if action == 'keep' else dropped}."


def _pruned(step: PruneStep) -> str:
    said = f"Round {step.index + 1}: pruned {_number(len(step.removed))} of "
    said += f"{_number(step.size_before)} tokens"
    if step.tied > 1:
        said += f"; {_number(step.tied)} tied at a loss delta of {_loss(step.score)}, and "
        said += f"{_number(step.tied_removed)} of them went, in vocabulary order"
    else:
        said += f", up to a loss delta of {_loss(step.score)}"
    losses = f"{step.loss_before:,.2f} → {step.loss_after:,.2f}"
    said += f". Corpus loss {losses}, with the probabilities of the rest renormalised."
    return said + _told(step, "stayed", "went")


def _estimated(step: EMStep | ApproximatePruneStep | FinalizeStep) -> str:
    """A step of SentencePiece's Unigram."""
    n, losses = len(step.removed), f"{step.loss_before:,.4f} → {step.loss_after:,.4f}"
    if isinstance(step, EMStep):
        said = f"EM {step.sub_iteration + 1} of its round: log-probabilities from expected counts"
        if n:
            said += f"; {_tokens(n)} expected too rarely went, {_number(step.size_after)} stay"
        return f"{said}. Objective {losses}."
    if isinstance(step, FinalizeStep):
        said = f"the final choice: {_tokens(n)} went, {_number(step.size_after)} stay"
        if step.added:
            said += f"; {_required(step)} came back"
        return f"{said}. Objective {losses}."
    if not n:
        return f"pruned none of {_number(step.size_before)} tokens. Objective {losses}."
    said = f"pruned {_number(n)} of {_number(step.size_before)} tokens: "
    by_loss = n - step.unused - step.split
    parts = []
    if step.unused:
        parts.append(f"{_number(step.unused)} unused")
    if step.split:
        parts.append(f"{_number(step.split)} better split")
    if by_loss:
        parts.append(f"{_number(by_loss)} up to an approximate loss of {_loss(step.score)}")
    said += ", ".join(parts)
    if by_loss and step.tied > step.tied_removed:
        said += f"; {_number(step.tied)} tied there, and {_number(step.tied_removed)} of them went"
    return f"{said}. Objective {losses}."


def _announced(step: EMStep | ApproximatePruneStep | FinalizeStep) -> str:
    going = _tokens(len(step.removed)).capitalize() + " will go"
    if isinstance(step, EMStep):
        why = ", expected too rarely" if step.removed else ""
        return f"Next: an EM step. {going}{why}."
    if isinstance(step, FinalizeStep):
        back = f", and {_required(step)} will come back" if step.added else ""
        return f"Next: the final choice. {going}{back}."
    upto = f", up to a loss of {_loss(step.score)}" if step.tied_removed else ""
    return f"Next: a pruning. {going}{upto}."


def _tokens(n: int) -> str:
    return "no token" if not n else "1 token" if n == 1 else f"{_number(n)} tokens"


def _required(step: FinalizeStep) -> str:
    n = len(step.added)
    return f"{_number(n)} required character{'s' if n > 1 else ''}"


def _loss(value: float) -> str:
    return "0" if value == 0 else f"{value:.4g}"


def _number(value: int) -> str:
    return f"{value:,}"


def _times(value: int) -> str:
    return "once" if value == 1 else f"{value:,} times"
