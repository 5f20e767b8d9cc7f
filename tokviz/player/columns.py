"""The columns of a history for the player, which depend on the algorithm."""

from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.analysis.shown_losses import shown_loss
from tokviz.basics.messages import here
from tokviz.history.base import character_bytes
from tokviz.history.boundless.history import BoundlessHistory
from tokviz.history.boundless.removals import BoundlessRemovalHistory
from tokviz.history.crossing.history import CrossingHistory
from tokviz.history.merges import MergeHistory
from tokviz.history.parity.history import ParityHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.replay import ReplayHistory
from tokviz.history.ties import RULES
from tokviz.history.unigram import UnigramHistory
from tokviz.text.languages import shown_name
from tokviz.text.symbols import Spelling, Symbol

#: Arrays or lists of numbers, by name.
Columns: TypeAlias = dict[str, Any]

#: Unigram: most removed tokens in a table or as chips, and rows after the cut.
MOST_DOOMED, AFTER_CUT = 200, 8
#: Unigram: most words by which the loss deltas of a state are worked out, and most shown of one.
MOST_WORDS, MOST_TERMS = 24, 8
#: Unigram: most tokens of a vocabulary that is shown as chips, besides single characters.
MOST_CHIPS = 300


def parts_of(spelling: Spelling, symbols: list[Symbol]) -> list[str | list[str]]:
    """Return symbols as displayed; those with markers as [text, marker, text, marker, …]."""
    shown: list[str | list[str]] = []
    for symbol in symbols:
        parts = spelling.parts(symbol)
        if not any(is_marker for _, is_marker in parts):
            shown.append("".join(part for part, _ in parts))
            continue
        split = [""]
        for part, is_marker in parts:
            if is_marker != (len(split) % 2 == 0):
                split.append("")
            split[-1] += part
        shown.append(split)
    return shown


def texts_of(spelling: Spelling, symbols: list[Symbol]) -> dict[int, str]:
    """Return the texts of the symbols that are displayed differently, by index."""
    return {i: s.text for i, s in enumerate(symbols) if spelling.show(s) != s.text}


def merge_columns(history: MergeHistory, words: list[int], header: dict[str, Any]) -> Columns:
    """Return the columns of a merge history for some of its words; adds to the header."""
    r, t_all = history.record, len(history)
    header["family"] = "merges"
    header["tokens"] = parts_of(history.spelling, history.symbols)
    # As `texts_of`, without writing all strings once more.
    shown = enumerate(zip(history.strings, history.symbols, strict=True))
    header["raw"] = {i: symbol.text for i, (string, symbol) in shown if string != symbol.text}
    header["unit"] = history.spelling.unit
    header["base"] = len(r.alphabet)
    header["rule"] = history.rule
    rule = RULES.get(history.rule)
    header["rule_help"] = here(rule.help) if rule else ""
    header["first_seen"] = rule is not None and rule.key is None
    # The score of pairs, for trainers that have a choice.
    header["score"] = getattr(history.trainer, "score", None)
    header["rows"] = r.top_pair.shape[1]
    # The row and the count of each forced pair, which may not be among the best.
    counts = history.merged_counts
    header["forced"] = {t: [history.merged_rank(t), int(counts[t])] for t in r.forced.tolist()}
    met = _met_in(history) if header["first_seen"] else np.full(t_all, -1)
    used, places = np.unique(met[met >= 0], return_inverse=True)
    met[met >= 0] = places
    spelling = history.spelling
    header["met"] = [spelling.show(spelling.whole(history.words.words[w])) for w in used.tolist()]
    # Missing rows are pair -1, the -1 appended here.
    pairs = r.top_pair.ravel()
    columns = {
        "ids": history.symbol_ids,
        "first_counts": history.symbol_counts(0),
        "left": r.left,
        "right": r.right,
        "times": history.times,
        "tied": r.tied,
        "met_in": met,
        "candidates": history.candidate_counts,
        "top_left": np.append(r.pair_left, -1)[pairs],
        "top_right": np.append(r.pair_right, -1)[pairs],
        "top_count": r.top_count.ravel(),
    }
    if history.likelihood:
        columns |= _factors(history, columns["top_left"], columns["top_right"])
    at, placed = places_of(history, words)
    columns["symbols"] = r.symbols[at].astype(np.int64)
    columns["gaps"] = r.gaps[at].astype(np.int64)
    columns["starts"] = placed
    return columns


def places_of(
    history: MergeHistory, words: list[int]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return of each place in some words where it is in the record, and where each word starts."""
    chosen, all_starts = np.asarray(words, np.int64), history.record.starts
    starts, sizes = all_starts[chosen], all_starts[chosen + 1] - all_starts[chosen]
    placed = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(placed[-1]) + np.repeat(starts - placed[:-1], sizes), placed


def replay_columns(history: ReplayHistory, words: list[int], header: dict[str, Any]) -> Columns:
    """Return the columns of a replay for some of its words; adds to the header."""
    columns = merge_columns(history, words, header)
    header["given"] = len(history.given.pairs)
    columns["top_rank"] = np.append(history.pair_ranks, -1)[history.record.top_pair.ravel()]
    return columns


def picky_columns(history: PickyHistory, words: list[int], header: dict[str, Any]) -> Columns:
    """Return the columns of a PickyBPE history for some of its words; adds to the header.

    Besides those of any run of merges: what each step `made` or took away, the parts of what was
    taken away, the share of it that had gone into the merge before, and the changes of gaps that
    open, as `PickyRecord` has them.
    """
    r = history.record
    columns = merge_columns(history, words, header)
    header["family"] = "picky"
    header["threshold"] = repr(history.trainer.threshold)
    comes_apart = history.removals & (history.times > 0)
    parts = [history.events.parts(t) if apart else [] for t, apart in enumerate(comes_apart)]
    shares = [history.share(t) if gone else (0, 0) for t, gone in enumerate(history.removals)]
    went, left_over = np.asarray(shares, np.int64).reshape(-1, 2).T
    at, _ = places_of(history, words)
    place = np.full(len(r.gaps), -1)
    place[at] = np.arange(len(at))
    shown = np.flatnonzero(place[r.change_gap] >= 0)
    return columns | {
        "made": r.made,
        "parts": np.asarray([part for some in parts for part in some], np.int64),
        "part_starts": np.cumsum([0, *map(len, parts)]),
        "change_state": r.change_state[shown],
        "change_gap": place[r.change_gap[shown]],
        "change_code": r.change_code[shown],
        "went": went,
        "left_over": left_over,
    }


def parity_columns(history: ParityHistory, words: list[int], header: dict[str, Any]) -> Columns:
    """Return the columns of a parity-aware history for some of its words; adds to the header.

    Besides those of any run of merges: whose `turn` each state is, the count of each step's pair in
    all languages, and the tokens of each language by which they are compared.
    """
    r, trainer = history.record, history.trainer
    columns = merge_columns(history, words, header)
    header["family"] = "parity"
    header["languages"] = [here(shown_name(name)) for name in history.languages]
    header["balance"] = {
        "window": trainer.variant == "window",
        "ratios": [*trainer.ratios] if history.by_ratio else [],
        "development": history.by_development,
        "together": trainer.global_merges,
    }
    return columns | {"turn": r.turn, "overall": r.overall, "lengths": r.lengths.ravel()}


def crossing_columns(history: CrossingHistory, words: list[int], header: dict[str, Any]) -> Columns:
    """Return the columns of a SuperBPE history for some of its words; adds to the header.

    Besides those of any run of merges: the state in which the borders of words fall, which steps
    reach across one, and which places of a word are the first of a word in it.
    """
    columns = merge_columns(history, words, header)
    header["family"] = "crossing"
    header["border"] = -1 if history.border is None else history.border
    return columns | {
        "crosses": history.crosses.astype(np.int64),
        "word_starts": first_places(history, words),
    }


def boundless_columns(
    history: BoundlessHistory, words: list[int], header: dict[str, Any]
) -> Columns:
    """Return the columns of a BoundlessBPE history for some of its words; adds to the header.

    Besides those of any run of merges: which steps and which of the best pairs are across words,
    and which places of a run are the first of a word in it.
    """
    columns = merge_columns(history, words, header)
    header["family"] = "boundless"
    return columns | _across_columns(history, words)


def boundless_removal_columns(
    history: BoundlessRemovalHistory, words: list[int], header: dict[str, Any]
) -> Columns:
    """Return the columns of a BoundlessBPE history that takes tokens back; adds to the header."""
    columns = picky_columns(history, words, header)
    header["family"] = "boundlessPicky"
    return columns | _across_columns(history, words)


def _across_columns(history: BoundlessHistory, words: list[int]) -> Columns:
    r = history.record
    return {
        "crosses": r.across.astype(np.int64),
        "top_across": np.append(r.pair_across, 0)[r.top_pair.ravel()].astype(np.int64),
        "word_starts": first_places(history, words),
    }


def first_places(
    history: CrossingHistory | BoundlessHistory, words: list[int]
) -> npt.NDArray[np.int64]:
    """Return for each place of some runs whether it is the first of a word in them."""
    begins = [np.zeros(0, np.int64)]
    for text in map(history.words.words.__getitem__, words):
        there = np.zeros(len(text), np.int64)
        there[history.word_starts(text)] = 1
        if history.spelling.unit == "byte":
            sizes = character_bytes(text)
            there = np.repeat(there, sizes)
            there[np.diff(np.repeat(np.arange(len(sizes)), sizes), prepend=-1) == 0] = 0
        begins.append(there)
    return np.concatenate(begins)


def _met_in(history: MergeHistory) -> npt.NDArray[np.int64]:
    """Return for each step the first word with its pair, or -1 if no tie was broken."""
    order, starts = history.gaps_by_step
    # A removal may change no word.
    first = np.append(order, 0)[starts[:-1]]
    words = np.searchsorted(history.record.starts, first, side="right") - 1
    return np.where(history.record.tied[:-1] > 1, words, -1)


def _factors(
    history: MergeHistory, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
) -> dict[str, Any]:
    """Return the counts of the left and right symbols of every top row, in its state."""
    r, rows = history.record, history.record.top_pair.shape[1]
    # One more for missing rows, whose symbol is -1.
    counts = np.zeros(len(r.alphabet) + len(history) + 1, np.int64)
    counts[: len(r.alphabet)] = history.symbol_counts(0)
    of_left, of_right = np.zeros(len(left), np.int64), np.zeros(len(left), np.int64)
    for t in range(len(history) + 1):
        if t:
            a, b, times = int(r.left[t - 1]), int(r.right[t - 1]), int(history.times[t - 1])
            counts[a] -= times
            counts[b] -= times
            counts[len(r.alphabet) + t - 1] = times
        span = slice(t * rows, (t + 1) * rows)
        of_left[span], of_right[span] = counts[left[span]], counts[right[span]]
    return {"top_left_count": of_left, "top_right_count": of_right}


def unigram_columns(history: UnigramHistory, words: list[int], header: dict[str, Any]) -> Columns:
    """Return the columns of a Unigram history for some of its words; adds to the header."""
    r, states = history.record, len(history) + 1
    header["family"] = "unigram"
    header["tokens"] = parts_of(history.spelling, [Symbol(token) for token in r.tokens])
    header["raw"] = texts_of(history.spelling, [Symbol(token) for token in r.tokens])
    header["unit"] = "char"
    rows, deltas, uses = [], [], []
    more, more_deltas = [], []
    above, above_deltas = [], []
    cut, tied, tied_removed, free = [], [], [], []
    number = {string: i for i, string in enumerate(history.strings)}
    told = {t: history.forced(t) for t in range(states)}
    # The intervention of each round: "keep" or "drop", and the ids of the tokens.
    header["forced"] = {t: [a[0], *map(number.__getitem__, a[1:])] for t, a in told.items() if a}
    header["places"] = {}
    for t in range(states):
        alive, delta = history.alive(t), history.loss_deltas(t)
        order = np.argsort(delta, kind="stable")
        doomed = r.removed_at[alive] == t
        n = max(20, min(int(doomed.sum()), MOST_DOOMED) + AFTER_CUT)
        # An intervention may remove a token far down the table: such rows come last, with their
        # places.
        far = n + np.flatnonzero(doomed[order[n:]] & (told[t][:1] == ("drop",)))
        if len(far):
            header["places"][t] = (far + 1).tolist()
        shown = np.concatenate([order[:n], order[far]])
        rows.append(alive[shown])
        deltas.append(delta[shown])
        # Of many that go, those next to the cut.
        first = max(0, int(doomed.sum()) - MOST_DOOMED)
        rest = np.setdiff1d(order[first : first + MOST_CHIPS], shown, assume_unique=True)
        rest = rest[~np.isnan(delta[rest])]
        more.append(alive[rest])
        more_deltas.append(delta[rest])
        uses.append(history.token_counts(t)[len(history.special_tokens) :])
        at = history.cut(t)
        staying = above_cut(delta, at)
        above.append(alive[staying])
        above_deltas.append(delta[staying])
        cut.append(at)
        tied.append(int((delta == at).sum()))
        tied_removed.append(int((delta[doomed] == at).sum()))
        free.append(int((delta[~doomed] == 0).sum()))
    header["worked_out"] = {t: _worked_out(history, t) for t in range(len(history))}
    changes = history.loss_changes()
    header["single"] = sum(len(token) == 1 for token in r.tokens)
    return {
        "dropped": [change.dropped for change in changes],
        "renormalised": [change.renormalised for change in changes],
        "words_changed": [change.words for change in changes],
        "count_sums": [int(r.counts[history.alive(t)].sum()) for t in range(states)],
        "more_token": np.concatenate(more),
        "more_delta": np.concatenate(more_deltas),
        "more_starts": np.cumsum([0, *map(len, more)]),
        "counts": r.counts,
        "removed_at": np.minimum(r.removed_at, np.iinfo(np.int32).max),
        "loss": r.loss,
        "row_token": np.concatenate(rows),
        "row_delta": np.concatenate(deltas),
        "row_starts": np.cumsum([0, *map(len, rows)]),
        "above_token": np.concatenate(above),
        "above_delta": np.concatenate(above_deltas),
        "above_starts": np.cumsum([0, *map(len, above)]),
        "cut": np.asarray(cut, np.float64),
        "tied": np.asarray(tied),
        "tied_removed": np.asarray(tied_removed),
        "free": np.asarray(free),
        "uses": np.concatenate(uses),
        "use_starts": np.cumsum([0, *map(len, uses)]),
        **_paths(history, words),
    }


def _worked_out(history: UnigramHistory, t: int) -> dict[int, dict[str, Any]]:
    """Return the loss deltas of tokens that go next, by the tokens' numbers, word by word in
    numbers that add up as they are shown; the dearest tokens first, as far as there is room."""
    alive, delta = history.alive(t), history.loss_deltas(t)
    going = np.flatnonzero((history.record.removed_at[alive] == t) & (delta > 0))
    going = going[np.argsort(-delta[going], kind="stable")]
    tokens = alive[going].tolist()
    if not tokens:
        return {}
    spelling, number = history.spelling, {text: i for i, text in enumerate(history.strings)}
    worked_out = {}
    names = [history.strings[i] for i in tokens]
    found = history.loss_terms_of(names, t, MOST_WORDS)
    for token, own, terms in zip(tokens, delta[going].tolist(), found, strict=False):
        shown = shown_loss(terms, own, MOST_TERMS)
        if not shown.rows:
            continue
        rows = []
        for term, numbers in zip(terms, shown.rows, strict=False):
            cut = term.after.tokens if term.after else ()
            word = spelling.show(spelling.whole(term.lattice.word))
            rows.append([word, term.count, *numbers, [number[piece] for piece in cut]])
        rest = [max(0, len(terms) - MOST_TERMS), shown.rest]
        worked_out[token] = {
            "rows": rows,
            "rest": rest,
            "total": shown.total,
            "adjusted": shown.adjusted,
        }
    return worked_out


def above_cut(delta: npt.NDArray[np.float64], cut: float) -> npt.NDArray[np.int64]:
    """Return the first rows whose loss delta is above the cut: the player's table may end before
    them, and its quiz asks about them."""
    above = np.flatnonzero(delta > cut)
    return above[np.argsort(delta[above], kind="stable")][:AFTER_CUT]


def _paths(history: UnigramHistory, words: list[int]) -> Columns:
    """Return the tokens of every word in every state, concatenated, and the start of each word."""
    number = {token: i for i, token in enumerate(history.record.tokens)}
    tokens: list[int] = []
    starts = [0]
    for t in range(len(history) + 1):
        for word in words:
            text = history.words.words[word]
            bounds = [*history.cuts(word, t).tolist(), len(text)]
            tokens += [number[text[start:end]] for start, end in pairwise(bounds)]
            starts.append(len(tokens))
    return {"cuts": np.asarray(tokens, np.int64), "cut_starts": np.asarray(starts)}
