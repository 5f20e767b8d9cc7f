"""What a step of parity-aware BPE merged, for which language, and why it had the turn.

The player says the same (player/js/parity_words.js) with the same messages.
"""

from tokviz.basics.messages import counted, message, sentences
from tokviz.history.parity.history import ALL, ParityHistory
from tokviz.narration.merges import announced, merged
from tokviz.narration.values import number, quoted, tokens
from tokviz.text.languages import shown_name


def merged_in_turn(history: ParityHistory, t: int) -> str:
    """What step t + 1 merged, for whom, and why; of a single language, as of BPE."""
    if len(history.languages) == 1:
        return merged(history, t)
    step = history.steps[t]
    values = {
        "step": step.step,
        "left": quoted(step.left),
        "right": quoted(step.right),
        "token": quoted(step.token),
        "overall": counted("once", "{n} times", step.overall),
    }
    if not step.language:
        what = message(
            "Step {step}: merged {left} + {right} into {token}, which all languages together have "
            "{overall}.",
            **values,
        )
    else:
        what = message(
            "Step {step}: merged {left} + {right} into {token} for {language}, which has the pair "
            "{count}; all languages have it {overall}.",
            **values,
            language=shown_name(step.language),
            count=counted("once", "{n} times", step.count),
        )
    return merged(history, t, sentences(what, turn_said(history, t)))


def announced_turn(history: ParityHistory, t: int) -> str:
    """What the step out of state t will merge, and for whom."""
    if len(history.languages) == 1:
        return announced(history, t)
    return sentences(announced(history, t), turn_said(history, t))


def turn_said(history: ParityHistory, t: int) -> str:
    """Why the step out of state t is for the language that it is for.

    >>> import tokviz
    >>> history = tokviz.train({"en": "hug hugs", "el": "αβ"}, "parity-bpe", vocab_size=9)
    >>> turn_said(history, 0)
    'Turn of en: it takes the most: 8 tokens.'
    """
    turn, balance = int(history.record.turn[t]), history.trainer
    if turn == ALL:
        return message(
            "The first {n} merges count all languages together.", n=number(balance.global_merges)
        )
    now = int(history.record.lengths[t, turn])
    values = {"language": shown_name(history.languages[turn]), "tokens": tokens(now)}
    window = balance.variant == "window"
    if history.by_ratio:
        share = int(history.record.lengths[0, turn]) / now / balance.ratios[turn]
        values["share"] = f"{share:.4g}"
        if window:
            return message(
                "Turn of {language}: its compression ÷ ratio, {share}, is the least of "
                "those that the window allows.",
                **values,
            )
        return message(
            "Turn of {language}: its compression ÷ ratio is the least, {share}.", **values
        )
    if history.by_development:
        if window:
            return message(
                "Turn of {language}: of those that the window allows, its development "
                "text takes the most: {tokens}.",
                **values,
            )
        return message(
            "Turn of {language}: its development text takes the most: {tokens}.", **values
        )
    if window:
        return message(
            "Turn of {language}: of those that the window allows, it takes the most: {tokens}.",
            **values,
        )
    return message("Turn of {language}: it takes the most: {tokens}.", **values)
