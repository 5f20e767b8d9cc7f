"""The columns of a history of SentencePiece's Unigram, or of Hugging Face's, for the player.

The seed vocabulary may have hundreds of thousands of pieces; the player gets only those it can
show: pieces of the words, of the tables' first rows, and of the last state.
"""

from itertools import pairwise
from math import exp
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tokviz.basics.messages import here, message
from tokviz.history.base import Floats, Ints
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.em_numbers import REASONS
from tokviz.narration import agreement, announce, narrate
from tokviz.player.columns import (
    AFTER_CUT,
    MOST_CHIPS,
    MOST_DOOMED,
    Columns,
    above_cut,
    parts_of,
    texts_of,
)
from tokviz.text.symbols import UNKNOWN, Symbol

if TYPE_CHECKING:
    import pandas as pd

#: The columns of the table of candidates, with what the numbers are in and where they are from.
_EXPECTED = {
    "kind": "expected",
    "heading": message("Expected"),
    "unit": message("times"),
    "help": message("How often an EM step expects to find the token in the corpus."),
}
_LOSS = {
    "kind": "loss",
    "heading": message("Loss"),
    "unit": message("per word"),
    "help": message(
        "SentencePiece’s estimate of how much the loss would rise without the token, by which it "
        "prunes: an approximation, in nats per word of the corpus."
    ),
}
#: What SentencePiece 0.2.3 prunes by.
_LOSS_PER_TOKEN = _LOSS | {
    "unit": message("per token"),
    "help": message(
        "SentencePiece’s estimate of how much the loss would rise without the token, by which it "
        "prunes: an approximation, in nats per token of the corpus as it is cut best."
    ),
}
#: What Hugging Face's trainer prunes by, and what would be right.
_WRONG_LOSS = _LOSS | {
    "help": message(
        "What Hugging Face’s trainer takes for the rise of the loss without the token, and prunes "
        "by, in nats per word of the corpus. It is wrong: instead of the few pieces that would "
        "take the token’s place it counts all pieces there are. So a frequent token seems to be "
        "missed far more than it would be, and stays where a rarer one goes."
    )
}
_RIGHT_LOSS = _LOSS | {
    "kind": "right",
    "heading": message("Right loss"),
    "help": message(
        "The same estimate with only the pieces that would take the token’s place counted, as "
        "SentencePiece has it. Where it would decide otherwise, the row says what should become "
        "of the token."
    ),
}
_EXACT = {
    "kind": "exact-delta",
    "heading": message("exact Δ"),
    "unit": message("in all"),
    "help": message(
        "How much the loss really rises without the token, in nats for the whole corpus: tokviz "
        "cuts every word that uses it again, in the best way that is left."
    ),
}
_RANK = {
    "kind": "exact-rank",
    "heading": message("rank"),
    "unit": message("by Δ"),
    "help": message("The row in which exact Δ would put the token, if it is a different one."),
}
#: What stands below each longer token before that trainer's final choice, and what it goes by.
_CHOICE = message(
    "Below each: ln P. Those stay whose loss was the greatest in the last pruning, whatever their "
    "ln P."
)
_SHOULD_STAY, _SHOULD_GO = message("should stay"), message("should go")
#: The state of removal for pieces that stay.
_NEVER = np.iinfo(np.int32).max


def em_columns(
    history: SentencePieceUnigramHistory, words: list[int], header: dict[str, Any]
) -> Columns:
    """Return the columns of a history for some of its words; adds to the header."""
    import pandas as pd

    states = range(len(history) + 1)
    number = {string: i for i, string in enumerate(history.strings)}
    paths = _paths(history, words)
    tables = [_rows(history, t) for t in states]
    starts = np.cumsum([0, *map(len, tables)])
    table = pd.concat(tables)
    above = [_above(history, t) for t in states]
    chips = [_chips(history, t) for t in states]
    shown = {number[token] for token in table["token"]}
    shown |= {piece for pieces, _ in above for piece in pieces.tolist()}
    shown |= {piece for path in paths for piece in path if isinstance(piece, int)}
    shown |= {piece for one in chips for piece in one.pieces.tolist()}
    shown |= {*history.alive(len(history)).tolist(), *_characters(history).tolist()}
    kept = sorted(shown)
    unknown = sorted({piece for path in paths for piece in path if isinstance(piece, str)})
    symbols = [Symbol(history.record.tokens[i]) for i in kept]
    symbols += [Symbol(char, unknown=True) for char in unknown]
    tokens: list[int | str] = [*kept, *unknown]
    place = {piece: k for k, piece in enumerate(tokens)}
    ids, uses = _by_state(history, np.asarray(kept, np.int64), len(unknown))
    removed_at = np.where(ids[-1] >= 0, _NEVER, (ids >= 0).sum(axis=0) - 1)
    fates = _fates(table)
    reasons = list(dict.fromkeys([*fates, *(reason for one in chips for reason in one.reasons)]))
    header["family"] = "em"
    header["tokens"] = parts_of(history.spelling, symbols)
    header["raw"] = texts_of(history.spelling, symbols)
    header["unit"] = "char"
    header["single"] = len(_characters(history))
    least = history.trainer.min_expected_count
    header["least"] = f"{least:g}" if least else ""
    header["desired"] = history.trainer.desired
    header["actions"] = [history.action(t) for t in states]
    header["reasons"] = [here(REASONS.get(reason, reason)) for reason in reasons]
    header["narration"] = [here(narrate(history, t)) for t in states]
    header["announcement"] = [here(announce(history, t)) for t in states]
    more = {}
    if history.trainer.exact_deltas:
        header["agreement"] = [here(agreement(history, t)) for t in states]
        more["row_exact"] = table["exact_delta"].to_numpy(np.float64)
        more["row_exact_rank"] = table["exact_rank"].fillna(0).to_numpy(np.int64)
    if "right_loss" in table:
        more["row_right"] = table["right_loss"].to_numpy(np.float64)
        header["choice"] = here(_CHOICE)
    header["heads"] = _heads(history, "right_loss" in table)
    return {
        "removed_at": removed_at,
        "loss": history.curve()["loss"].to_numpy(),
        "tied": [*(step.tied for step in history.steps), 1],
        "tied_removed": [*(getattr(step, "tied_removed", 1) for step in history.steps), 1],
        "row_token": [place[number[string]] for string in table["token"]],
        "row_count": table["count"].to_numpy(np.float64),
        "row_delta": table["loss_delta"].to_numpy(np.float64),
        "row_reason": [reasons.index(reason) for reason in fates],
        "row_tied": table["tied"].to_numpy(np.int64),
        "row_chosen": table["chosen"].to_numpy(np.int64),
        "row_starts": starts,
        "above_token": [place[piece] for pieces, _ in above for piece in pieces.tolist()],
        "above_delta": np.concatenate([deltas for _, deltas in above]),
        "above_starts": np.cumsum([0, *(len(pieces) for pieces, _ in above)]),
        "loss_changes": np.diff(history.record.loss),
        "words_changed": history.words_changed(),
        "longer_goes": [one.goes for one in chips],
        "longer_stays": [one.stays for one in chips],
        "single_unseen": [one.unseen for one in chips],
        "chip_token": [place[piece] for one in chips for piece in one.pieces.tolist()],
        "chip_value": np.concatenate([one.values for one in chips]),
        "chip_reason": [reasons.index(reason) for one in chips for reason in one.reasons],
        "chip_probability": np.concatenate([one.probabilities for one in chips]),
        "chip_starts": np.cumsum([0, *(len(one.pieces) for one in chips)]),
        **more,
        "id_at": ids.ravel(),
        "use_at": uses.ravel(),
        "cuts": [place[piece] for path in paths for piece in path],
        "cut_starts": np.cumsum([0, *map(len, paths)]),
    }


def _fates(table: "pd.DataFrame") -> list[str]:
    """Return what the last cell of each row says: why its piece goes or stays, and what should
    become of it where a flaw of the loss decides."""
    if "right_goes" not in table:
        return list(table["reason"])
    told = zip(table["reason"], table["chosen"], table["right_goes"], strict=True)
    return [
        reason if goes == rightly else _SHOULD_STAY if goes else _SHOULD_GO
        for reason, goes, rightly in told
    ]


def _heads(history: SentencePieceUnigramHistory, has_right_loss: bool) -> list[dict[str, str]]:
    """Return the headings of the columns of candidates."""
    loss = _LOSS_PER_TOKEN if history.trainer.losses_per_token else _LOSS
    heads = [_EXPECTED, *((_WRONG_LOSS, _RIGHT_LOSS) if has_right_loss else (loss,))]
    if history.trainer.exact_deltas:
        # Ranks have no room beside two losses.
        heads += [_EXACT] if has_right_loss else [_EXACT, _RANK]
    return [{name: here(said) for name, said in head.items()} for head in heads]


def _rows(history: SentencePieceUnigramHistory, t: int) -> "pd.DataFrame":
    """Return the first rows of a state's table: the pieces that are removed, and some more."""
    gone = 0
    if t < len(history):
        gone = len(np.setdiff1d(history.alive(t), history.alive(t + 1)))
    return history.candidates(t, max(20, min(gone, MOST_DOOMED) + AFTER_CUT))


class _Chips(NamedTuple):
    """The pieces of a state that are shown as chips: longer ones next to go first, of many that go
    those next to the cut, then characters, the most probable first. A value is what the next step
    goes by: for an EM step how often a piece is expected, for a pruning its loss (nan for none),
    else ln P; of a character, which no loss protects, ln P for a pruning too. `goes` and `stays`
    count all longer pieces, `unseen` the characters that have no chip."""

    pieces: Ints
    values: Floats
    reasons: list[str]
    probabilities: Floats
    goes: int
    stays: int
    unseen: int


def _chips(history: SentencePieceUnigramHistory, t: int) -> _Chips:
    alive, order, log_prob = history.alive(t), history.order(t), history.log_probs(t)
    single = np.isin(alive, _characters(history))
    longer = order[~single[order]]
    goes = int(history.goes(t)[longer].sum())
    doomed = longer[max(0, goes - MOST_DOOMED) : goes]
    staying = longer[goes:][: MOST_CHIPS - len(doomed)]
    characters = np.flatnonzero(single)
    unseen = max(0, len(characters) - MOST_CHIPS)
    characters = characters[np.argsort(-log_prob[characters], kind="stable")][:MOST_CHIPS]
    rows = np.concatenate([doomed, staying, characters])
    values = log_prob
    if history.action(t) == "em":
        values = history.expected_counts(t)
    elif history.action(t) == "prune":
        values = np.where(single, log_prob, history.approximate_deltas(t))
    # The last bit of NumPy's own depends on the processor.
    probabilities = np.asarray([exp(value) for value in log_prob[rows].tolist()])
    reasons, stays = history.reasons(t, rows), len(longer) - goes
    return _Chips(alive[rows], values[rows], reasons, probabilities, goes, stays, unseen)


def _characters(history: SentencePieceUnigramHistory) -> Ints:
    """Return the numbers of the single characters, with which the seeds begin."""
    return np.flatnonzero([len(token) == 1 for token in history.record.tokens])


def _above(history: SentencePieceUnigramHistory, t: int) -> tuple[Any, Any]:
    """Return the first pieces that a pruning step keeps because of their loss, and their losses."""
    if history.action(t) != "prune":
        return np.empty(0, np.int64), np.empty(0)
    alive, loss = history.alive(t), history.approximate_deltas(t)
    goes = ~np.isin(alive, history.alive(t + 1))
    rows = above_cut(loss, np.fmax.reduce(loss[goes], initial=-np.inf))
    return alive[rows], loss[rows]


def _paths(history: SentencePieceUnigramHistory, words: list[int]) -> list[list[int | str]]:
    """Return the tokens of every word in every state: indices of pieces, and unknown characters."""
    number = {token: i for i, token in enumerate(history.record.tokens)}
    paths: list[list[int | str]] = []
    for t in range(len(history) + 1):
        alive = {*history.alive(t).tolist()}
        for word in words:
            text = history.words.words[word]
            bounds = [*history.cuts(word, t).tolist(), len(text)]
            pieces = [text[start:end] for start, end in pairwise(bounds)]
            found = [number.get(piece, -1) for piece in pieces]
            paths.append(
                [i if i in alive else piece for i, piece in zip(found, pieces, strict=True)]
            )
    return paths


def _by_state(history: SentencePieceUnigramHistory, kept: Any, unknown: int) -> tuple[Any, Any]:
    """Return the id (−1 for none) and the count of every token in every state."""
    states = len(history) + 1
    ids = np.full((states, len(kept) + unknown), -1, np.int64)
    uses = np.zeros_like(ids)
    for t in range(states):
        alive, counts, vocabulary = history.alive(t), history.token_counts(t), history.vocab(t)
        id_of = np.full(len(history.record.tokens), -1, np.int64)
        id_of[alive] = history.ids(t)
        ids[t, : len(kept)] = id_of[kept]
        unk = vocabulary.index(UNKNOWN) if unknown else 0
        ids[t, len(kept) :] = unk
        uses[t] = np.where(ids[t] >= 0, counts[ids[t]], 0)
    return ids, uses
