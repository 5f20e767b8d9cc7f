"""What the slip in the loss of Hugging Face's Unigram did, beside what the step did."""

from tokviz.basics.messages import counted, message, sentences
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.narration.pruning import announced_estimation, estimated
from tokviz.narration.values import loss, number, quoted


def slipped(history: HuggingFaceUnigramHistory, t: int) -> str:
    return sentences(estimated(history, t), _slip(history, t, done=True))


def announced_slip(history: HuggingFaceUnigramHistory, t: int) -> str:
    return sentences(announced_estimation(history, t), _slip(history, t, done=False))


def _slip(history: HuggingFaceUnigramHistory, t: int, *, done: bool) -> str:
    """What the right loss would have done; empty for a step that is no pruning."""
    if history.action(t) != "prune":
        return ""
    slip = history.slip(t)
    why = message(
        "The library’s loss has a known flaw: it counts all {counted} pieces where it should count "
        "those that take the place of one.",
        counted=number(slip.counted),
    )
    n = len(slip.lost)
    if not n:
        same = message("By the right loss the same tokens would go.")
        return sentences(why, same)
    wrong, right = history.approximate_deltas(t), history.right_losses(t)
    alive = history.alive(t)
    if done:
        other = counted(
            "By the right loss {n} of the removed tokens would have stayed, and another one gone.",
            "By the right loss {n} of the removed tokens would have stayed, and others gone.",
            n,
        )
    else:
        other = counted(
            "By the right loss {n} of them would stay, and another one go.",
            "By the right loss {n} of them would stay, and others go.",
            n,
        )
    lost, kept = int(slip.lost[0]), int(slip.kept[-1])
    examples = message(
        "{lost} has {lost_wrong} where {lost_right} is right, and goes; {kept} has {kept_wrong} "
        "where {kept_right} is right, and stays.",
        lost=quoted(history.strings[alive[lost]]),
        lost_wrong=loss(wrong[lost]),
        lost_right=loss(right[lost]),
        kept=quoted(history.strings[alive[kept]]),
        kept_wrong=loss(wrong[kept]),
        kept_right=loss(right[kept]),
    )
    return sentences(why, other, examples)
