"""What the slip in the loss of Hugging Face's Unigram did, beside what the step did."""

from tokviz.basics.messages import counted, message, sentences
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.narration.pruning import announced_estimation, estimated
from tokviz.narration.values import loss, number, quoted


def slipped(history: HuggingFaceUnigramHistory, t: int) -> str:
    """What the step did, and why by the right loss it would have been another one."""
    said = estimated(history, t)
    if history.action(t) != "prune":
        return said
    slip = history.slip(t)
    why = message(
        "The library’s loss has a known flaw: it counts all {counted} pieces where it should count "
        "those that take the place of one.",
        counted=number(slip.counted),
    )
    n = len(slip.lost)
    if not n:
        return sentences(said, why, message("By the right loss the same tokens would have gone."))
    other = counted(
        "By the right loss {n} of the removed tokens would have stayed, and another one gone.",
        "By the right loss {n} of the removed tokens would have stayed, and others gone.",
        n,
    )
    return sentences(said, why, other)


def announced_slip(history: HuggingFaceUnigramHistory, t: int) -> str:
    """What the step will do, and what the right loss would, with an example of each mistake."""
    said = announced_estimation(history, t)
    if history.action(t) != "prune":
        return said
    slip = history.slip(t)
    n = len(slip.lost)
    if not n:
        return sentences(said, message("By the right loss the same tokens would go."))
    other = counted(
        "By the right loss {n} of them would stay, and another one go.",
        "By the right loss {n} of them would stay, and others go.",
        n,
    )
    wrong, right = history.approximate_deltas(t), history.right_losses(t)
    alive, lost, kept = history.alive(t), int(slip.lost[0]), int(slip.kept[-1])
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
    return sentences(said, other, examples)
