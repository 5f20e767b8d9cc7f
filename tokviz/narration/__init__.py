"""What a step did and why, in a sentence or two."""

import math
from functools import singledispatch

from tokviz.basics.messages import counted, message, sentences
from tokviz.history.base import History
from tokviz.history.crossing.history import CrossingHistory
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.history.merges import MergeHistory
from tokviz.history.parity.history import ParityHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.replay import ReplayHistory
from tokviz.history.unigram import UnigramHistory
from tokviz.narration.choosing import chosen
from tokviz.narration.crossing import announced_crossing
from tokviz.narration.hf_pruning import announced_slip, slipped
from tokviz.narration.merges import announced, announced_rank, merged, replayed
from tokviz.narration.parity import announced_turn, merged_in_turn
from tokviz.narration.picky import announced_picking, picked
from tokviz.narration.pruning import announced_estimation, announced_pruning, estimated, pruned
from tokviz.narration.values import tokens


def narrate(history: History, t: int) -> str:
    """What led to state t; for state 0, what training starts from.

    >>> import tokviz
    >>> history = tokviz.train({"ab": 3, "abc": 2, "bc": 1}, "bpe", vocab_size=5)
    >>> narrate(history, 0)
    'Before training: 3 tokens in the vocabulary, 14 tokens in the corpus.'
    >>> narrate(history, 1)
    'Step 1: merged "a" + "b" into "ab" (5 times). Runner-up "b" + "c" with a count of 3.'
    """
    history.check_state(t)
    if not t:
        said = message(
            "Before training: {size} in the vocabulary, {tokens} in the corpus.",
            size=counted("{n} token", "{n} tokens", history.vocab_size(0)),
            tokens=counted("{n} token", "{n} tokens", int(history.token_counts(0).sum())),
        )
        return sentences(said, chosen(history))
    return step_said(history, t - 1)


def announce(history: History, t: int) -> str:
    """What the step out of state t will do; in the last state, why there is none.

    >>> import tokviz
    >>> history = tokviz.train({"ab": 3, "bc": 3}, "bpe", vocab_size=4)
    >>> announce(history, 0)[:61]
    'Next: "a" + "b" with a count of 3; 2 pairs tie there, and "fi'
    >>> announce(history, 1)
    'The vocabulary has the 4 tokens asked for.'
    """
    history.check_state(t)
    if t == len(history):
        return history.stopped
    return next_step_said(history, t)


@singledispatch
def step_said(_history: History, _t: int) -> str:
    """What step `steps[t]` did and why; every family registers how it says that."""
    raise NotImplementedError


@singledispatch
def next_step_said(_history: History, _t: int) -> str:
    """The same of a step that is yet to come."""
    raise NotImplementedError


step_said.register(MergeHistory, merged)
step_said.register(ParityHistory, merged_in_turn)
step_said.register(PickyHistory, picked)
step_said.register(ReplayHistory, replayed)
step_said.register(UnigramHistory, pruned)
step_said.register(SentencePieceUnigramHistory, estimated)
step_said.register(HuggingFaceUnigramHistory, slipped)
next_step_said.register(MergeHistory, announced)
next_step_said.register(ParityHistory, announced_turn)
next_step_said.register(PickyHistory, announced_picking)
next_step_said.register(CrossingHistory, announced_crossing)
next_step_said.register(ReplayHistory, announced_rank)
next_step_said.register(UnigramHistory, announced_pruning)
next_step_said.register(SentencePieceUnigramHistory, announced_estimation)
next_step_said.register(HuggingFaceUnigramHistory, announced_slip)


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
        return message("Exact Δ is computed before each pruning")
    correlation = history.rank_correlation(t)
    return message(
        "Rank correlation of loss and exact Δ: {correlation} ({tokens})",
        correlation=message("none") if math.isnan(correlation) else f"{correlation:.3f}",
        tokens=tokens(int((history.exact_ranks(t) > 0).sum())),
    )
