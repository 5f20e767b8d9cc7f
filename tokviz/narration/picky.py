"""What a step of PickyBPE did and why: a merge, or a token that is taken back.

The player says the same (player/js/picky_words.js) with the same messages.
"""

from tokviz.basics.messages import counted, message, sentences
from tokviz.history.picking.history import PickyHistory
from tokviz.history.steps import PickyMergeStep, RemovalStep
from tokviz.narration.merges import announced, merged
from tokviz.narration.values import number, quoted


def picked(history: PickyHistory, t: int) -> str:
    step = history.steps[t]
    if isinstance(step, RemovalStep):
        return sentences(_taken_back(history, step), _what_became(history, step))
    said = merged(history, t)
    if isinstance(step, PickyMergeStep) and step.returns:
        return sentences(said, message("It had been taken back, and is in the vocabulary again."))
    return said


def announced_picking(history: PickyHistory, t: int) -> str:
    step = history.steps[t]
    if isinstance(step, RemovalStep):
        if history.compares_uses:
            return message(
                "Next: {token} is taken back; merges into {into} per use of it: {share}, at least "
                "{threshold}.",
                **_values(history, step),
            )
        return message(
            "Next: {token} is taken back; {share} of it went into {into}, more than {threshold}.",
            **_values(history, step),
        )
    return announced(history, t)


def _taken_back(history: PickyHistory, step: RemovalStep) -> str:
    if history.compares_uses:
        return message(
            "Step {step}: took {token} back; merges into {into} per use of it: {share}, at least "
            "{threshold}.",
            step=step.step,
            **_values(history, step),
        )
    return message(
        "Step {step}: took {token} back; {share} of it went into {into}, more than {threshold}.",
        step=step.step,
        **_values(history, step),
    )


def _values(history: PickyHistory, step: RemovalStep) -> dict[str, str]:
    return {
        "token": quoted(step.token),
        "share": share(history, step),
        "into": quoted(step.into),
        "threshold": repr(history.trainer.threshold),
    }


def _what_became(history: PickyHistory, step: RemovalStep) -> str:
    if not (times := int(history.times[step.index])):
        return message("It stood nowhere else.")
    return message(
        "Where it still stood ({times}), it came apart into {parts}.",
        times=counted("once", "{n} times", times),
        parts=" ".join(map(quoted, step.parts)),
    )


def share(history: PickyHistory, step: RemovalStep) -> str:
    """How much of a token went into a merge, as it is made, and what it comes to. BoundlessBPE
    divides by all uses: each merge of a token with itself was two of them.

    >>> import tokviz
    >>> words, settings = {"aaaa": 3, "bc": 1}, {"vocab_size": 5, "threshold": 0.5}
    >>> history = tokviz.train(words, "boundless-bpe", **settings)
    >>> share(history, history.steps[2])
    '3/6 = 0.5'
    >>> history = tokviz.train(words, "picky-bpe", **settings)
    >>> share(history, history.steps[2])
    '3/(3+0) = 1'
    """
    of = step.went + step.left_over
    if history.compares_uses:
        fraction = f"{number(step.went)}/{number(of)}"
    else:
        fraction = f"{number(step.went)}/({number(step.went)}+{number(step.left_over)})"
    return f"{fraction} = {step.went / of:.4g}"
