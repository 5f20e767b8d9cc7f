"""What a pruning or an EM step did and why, and what the next one will do.

The player says the same of prunings (player/js/unigram.js) with the same messages; what
SentencePiece's Unigram did is packed for it.
"""

from tokviz.basics.messages import counted, listed, message, sentences
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.steps import ApproximatePruneStep, EMStep, FinalizeStep, PruneStep
from tokviz.history.unigram import UnigramHistory
from tokviz.narration.values import loss, number, quoted, tokens


def pruned(history: UnigramHistory, t: int) -> str:
    step = history.steps[t]
    values = {
        "round": step.step,
        "gone": number(len(step.removed)),
        "before": number(step.size_before),
        "loss": loss(step.score),
    }
    if step.tied > 1:
        said = message(
            "Round {round}: pruned {gone} of {before} tokens; {tied} tied at a loss delta of "
            "{loss}, and {removed} of them went, in vocabulary order.",
            **values,
            tied=number(step.tied),
            removed=number(step.tied_removed),
        )
    else:
        said = message(
            "Round {round}: pruned {gone} of {before} tokens, with loss deltas of up to {loss}.",
            **values,
        )
    losses = message(
        "Corpus loss {before} → {after}, with the probabilities of the rest renormalised.",
        before=f"{step.loss_before:,.2f}",
        after=f"{step.loss_after:,.2f}",
    )
    told = ""
    if step.forced:
        stayed = message("Forced: {tokens} stayed.", tokens=_named(step))
        went = message("Forced: {tokens} went.", tokens=_named(step))
        told = stayed if step.forced[0] == "keep" else went
    return sentences(said, losses, told)


def announced_pruning(history: UnigramHistory, t: int) -> str:
    step = history.steps[t]
    n, values = len(step.removed), {"loss": loss(step.score)}
    if step.tied > step.tied_removed:
        said = counted(
            "Next: {n} token goes, with a loss delta of up to {loss}; {tied} tokens tie there, "
            "so vocabulary order decides.",
            "Next: {n} tokens go, with loss deltas of up to {loss}; {tied} tokens tie there, "
            "so vocabulary order decides.",
            n,
            **values,
            tied=number(step.tied),
        )
    else:
        said = counted(
            "Next: {n} token goes, with a loss delta of up to {loss}.",
            "Next: {n} tokens go, with loss deltas of up to {loss}.",
            n,
            **values,
        )
    told = ""
    if step.forced:
        stays = message("Forced: {tokens} will stay.", tokens=_named(step))
        goes = message("Forced: {tokens} will go.", tokens=_named(step))
        told = stays if step.forced[0] == "keep" else goes
    return sentences(said, told)


def _named(step: PruneStep) -> str:
    """The tokens that a round was told to keep or to drop."""
    return listed(map(quoted, step.forced[1:]))


def estimated(history: SentencePieceUnigramHistory, t: int) -> str:
    step = history.steps[t]
    if isinstance(step, EMStep):
        said = _em(step)
    elif isinstance(step, FinalizeStep):
        said = _finalized(step)
    else:
        said = _approximately_pruned(step)
    losses = {"before": f"{step.loss_before:,.4f}", "after": f"{step.loss_after:,.4f}"}
    return sentences(said, message("Objective {before} → {after}.", **losses))


def _em(step: EMStep) -> str:
    values = {"step": step.step, "em": step.sub_iteration + 1}
    if not step.removed:
        return message(
            "Step {step}: EM step {em} of its round: new log-probabilities from the expected "
            "counts.",
            **values,
        )
    return counted(
        "Step {step}: EM step {em} of its round: new log-probabilities from the expected "
        "counts; {n} token expected too rarely was removed, {stay} stay.",
        "Step {step}: EM step {em} of its round: new log-probabilities from the expected "
        "counts; {n} tokens expected too rarely were removed, {stay} stay.",
        len(step.removed),
        **values,
        stay=number(step.size_after),
    )


def _finalized(step: FinalizeStep) -> str:
    values = {
        "step": step.step,
        "tokens": tokens(len(step.removed)),
        "stay": number(step.size_after),
    }
    if not step.added:
        return message("Step {step}: the final choice: removed {tokens}, {stay} stay.", **values)
    return message(
        "Step {step}: the final choice: removed {tokens}, {stay} stay; {required} came back.",
        **values,
        required=_required(step),
    )


def _approximately_pruned(step: ApproximatePruneStep) -> str:
    n, before, at = len(step.removed), number(step.size_before), step.step
    if not n:
        return message("Step {step}: pruned none of {before} tokens.", step=at, before=before)
    by_loss = n - step.unused - step.split
    kinds = []
    if step.unused:
        kinds.append(message("{count} unused", count=number(step.unused)))
    if step.split:
        kinds.append(message("{count} better split", count=number(step.split)))
    if by_loss:
        kinds.append(
            message(
                "{count} with an approximate loss of up to {loss}",
                count=number(by_loss),
                loss=loss(step.score),
            )
        )
    values = {"step": at, "gone": number(n), "before": before, "kinds": listed(kinds)}
    if not (by_loss and step.tied > step.tied_removed):
        return message("Step {step}: pruned {gone} of {before} tokens: {kinds}.", **values)
    return message(
        "Step {step}: pruned {gone} of {before} tokens: {kinds}; {tied} tied there, and "
        "{removed} of them went.",
        **values,
        tied=number(step.tied),
        removed=number(step.tied_removed),
    )


def announced_estimation(history: SentencePieceUnigramHistory, t: int) -> str:
    step = history.steps[t]
    n = len(step.removed)
    going = counted("{n} token will go.", "{n} tokens will go.", n)
    if not n:
        going = message("No token will go.")
    if isinstance(step, EMStep):
        rare = counted(
            "{n} token will go, expected too rarely.", "{n} tokens will go, expected too rarely.", n
        )
        return sentences(message("Next: an EM step."), rare if n else going)
    if isinstance(step, FinalizeStep):
        return sentences(message("Next: the final choice."), _final_announced(step, going))
    upto = counted(
        "{n} token will go, with a loss of up to {loss}.",
        "{n} tokens will go, with a loss of up to {loss}.",
        n,
        loss=loss(step.score),
    )
    return sentences(message("Next: a pruning."), upto if step.tied_removed else going)


def _final_announced(step: FinalizeStep, going: str) -> str:
    if not step.added:
        return going
    n, required = len(step.removed), _required(step)
    if not n:
        return message("No token will go, and {required} will come back.", required=required)
    return counted(
        "{n} token will go, and {required} will come back.",
        "{n} tokens will go, and {required} will come back.",
        n,
        required=required,
    )


def _required(step: FinalizeStep) -> str:
    return counted("{n} required character", "{n} required characters", len(step.added))
