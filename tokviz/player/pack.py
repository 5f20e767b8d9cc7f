"""A history as one binary blob that the player reads in the browser.

Layout: "TVZ1", the length of a JSON header, the header, then arrays, each starting at a multiple of
eight bytes; `header["arrays"]` says where. Integers beyond 32 bits travel as 64-bit floats, which
hold them exactly up to 2**53.
"""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from tokviz.corpus import Piece
from tokviz.history import History
from tokviz.merge_history import MergeHistory
from tokviz.symbols import Spelling, Symbol
from tokviz.ties import TIE_BREAKS
from tokviz.unigram_history import UnigramHistory

MAGIC = b"TVZ1"
#: Unigram: doomed tokens that a table shows, and rows after the cut.
MOST_DOOMED, AFTER_CUT = 200, 8

#: A line of the excerpt ends. Special token k is LINE_END - 1 - k.
LINE_END = -1


def pack(history: History, label: str, lines: list[list[Piece]] | None, most_words: int) -> bytes:
    """The blob of one history. `lines` is the excerpt in text order, or None to show the first
    words with their counts. `label` names the lane.

    >>> import tokviz
    >>> blob = pack(tokviz.train({"ab": 3}, "bpe", 3), "BPE", None, 10)
    >>> blob[:4], len(blob) % 8
    (b'TVZ1', 0)
    """
    words, order = _excerpt(history, lines, most_words)
    header: dict[str, Any] = {
        "label": label,
        "algorithm": history.algorithm,
        "steps": len(history),
        "stopped": history.stopped,
        "special": len(history.special_tokens),
        "words_total": history.words.total,
        "words_distinct": len(history.words),
        "with_counts": lines is None,
        "special_tokens": [*history.special_tokens],
    }
    curve = history.curve()
    arrays: dict[str, Any] = {
        "order": order,
        "word_counts": np.asarray([history.words.counts[w] for w in words], np.int64),
        "vocab_size": curve["vocab_size"].to_numpy(),
        "corpus_tokens": curve["corpus_tokens"].to_numpy(),
    }
    if isinstance(history, UnigramHistory):
        _pack_unigram(history, words, header, arrays)
    else:
        assert isinstance(history, MergeHistory)
        _pack_merges(history, words, header, arrays)
    return _blob(header, arrays)


def _excerpt(
    history: History, lines: list[list[Piece]] | None, most_words: int
) -> tuple[list[int], npt.NDArray[np.int64]]:
    """The numbers of the words shown, each once, and their order of appearance with line ends."""
    if lines is None:
        n = min(most_words, len(history.words))
        return list(range(n)), np.arange(n)
    number = {word: i for i, word in enumerate(history.words.words)}
    place: dict[int, int] = {}
    order: list[int] = []
    for line in lines:
        for piece in line:
            if piece.special:
                order.append(LINE_END - 1 - history.special_tokens.index(piece.word.text))
            else:
                order.append(place.setdefault(number[piece.word.text], len(place)))
        order.append(LINE_END)
    return list(place), np.asarray(order, np.int64)


def _parts(spelling: Spelling, symbols: list[Symbol]) -> list[str | list[str]]:
    """Displayed strings; those with markers as [text, marker, text, marker, …]."""
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


def _raw(spelling: Spelling, symbols: list[Symbol]) -> dict[int, str]:
    """The text of the tokens that are displayed differently."""
    return {i: s.text for i, s in enumerate(symbols) if spelling.show(s) != s.text}


def _pack_merges(
    history: MergeHistory, words: list[int], header: dict[str, Any], arrays: dict[str, Any]
) -> None:
    r, t_all = history.record, len(history)
    header["tokens"] = _parts(history.spelling, history.symbols)
    header["raw"] = _raw(history.spelling, history.symbols)
    header["unit"] = history.spelling.unit
    header["base"] = len(r.alphabet)
    header["rule"] = history.rule
    header["rule_help"] = TIE_BREAKS[history.rule].help
    header["first_seen"] = TIE_BREAKS[history.rule].key is None
    header["likelihood"] = history.likelihood
    header["rows"] = r.top_pair.shape[1]
    met = _met_in(history) if header["first_seen"] else np.full(t_all, -1)
    used, places = np.unique(met[met >= 0], return_inverse=True)
    met[met >= 0] = places
    spelling = history.spelling
    header["met"] = [spelling.show(spelling.whole(history.words.words[w])) for w in used.tolist()]
    live = r.known - np.concatenate([[0], np.cumsum(r.log_count == 0)])[r.log_starts]
    # Missing rows are pair -1, which is the -1 put last here.
    pairs = r.top_pair.ravel()
    arrays |= {
        "ids": history.symbol_ids,
        "left": r.left,
        "right": r.right,
        "times": history.times,
        "tied": r.tied,
        "met_in": met,
        "candidates": live,
        "top_left": np.append(r.pair_left, -1)[pairs],
        "top_right": np.append(r.pair_right, -1)[pairs],
        "top_count": r.top_count.ravel(),
    }
    if history.likelihood:
        arrays |= _factors(history, arrays["top_left"], arrays["top_right"])
    spans = [slice(int(r.starts[w]), int(r.starts[w + 1])) for w in words]
    empty = np.empty(0, np.int64)
    arrays["symbols"] = np.concatenate([empty, *(r.symbols[span] for span in spans)])
    arrays["gaps"] = np.concatenate([empty, *(r.gaps[span] for span in spans)])
    arrays["starts"] = np.cumsum([0, *(span.stop - span.start for span in spans)])


def _met_in(history: MergeHistory) -> npt.NDArray[np.int64]:
    """Per step the first word that holds the pair; -1 where no tie had to be broken."""
    order, starts = history.gaps_by_step
    first = order[starts[:-1]]
    words = np.searchsorted(history.record.starts, first, side="right") - 1
    return np.where(history.record.tied[:-1] > 1, words, -1)


def _factors(
    history: MergeHistory, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
) -> dict[str, Any]:
    """The counts of the left and right symbols of every top row, as of its state."""
    r, rows = history.record, history.record.top_pair.shape[1]
    counts = np.zeros(len(r.alphabet) + len(history), np.int64)
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


def _pack_unigram(
    history: UnigramHistory, words: list[int], header: dict[str, Any], arrays: dict[str, Any]
) -> None:
    r, states = history.record, len(history) + 1
    header["tokens"] = _parts(history.spelling, [Symbol(token) for token in r.tokens])
    header["raw"] = _raw(history.spelling, [Symbol(token) for token in r.tokens])
    header["unit"] = "char"
    rows, deltas, row_starts = [], [], [0]
    cut, tied, tied_removed, cuts, cut_starts = [], [], [], [], [0]
    for t in range(states):
        alive, delta = history.alive(t), history.loss_deltas(t)
        order = np.argsort(delta, kind="stable")
        doomed = history.record.removed_at[alive] == t
        n = max(20, min(int(doomed.sum()), MOST_DOOMED) + AFTER_CUT)
        rows.append(alive[order[:n]])
        deltas.append(delta[order[:n]])
        row_starts.append(row_starts[-1] + len(rows[-1]))
        at = float(delta[doomed].max()) if doomed.any() else np.nan
        cut.append(at)
        tied.append(int((delta == at).sum()))
        tied_removed.append(int((delta[doomed] == at).sum()))
        for word in words:
            numbers = [number for number, _ in history.word_numbers(word, t)]
            cuts += numbers
            cut_starts.append(cut_starts[-1] + len(numbers))
    arrays |= {
        "counts": r.counts,
        "removed_at": np.minimum(r.removed_at, np.iinfo(np.int32).max),
        "loss": r.loss,
        "row_token": np.concatenate(rows),
        "row_delta": np.concatenate(deltas),
        "row_starts": np.asarray(row_starts),
        "cut": np.asarray(cut, np.float64),
        "tied": np.asarray(tied),
        "tied_removed": np.asarray(tied_removed),
        "cuts": np.asarray(cuts, np.int64),
        "cut_starts": np.asarray(cut_starts),
    }


def _blob(header: dict[str, Any], arrays: dict[str, Any]) -> bytes:
    columns = {name: _narrow(np.asarray(values)) for name, values in arrays.items()}
    at, directory = 0, {}
    for name, column in columns.items():
        directory[name] = [column.dtype.str, at, len(column)]
        at += -(-column.nbytes // 8) * 8
    head = json.dumps({**header, "arrays": directory}, separators=(",", ":")).encode("ascii")
    head += b" " * (-(len(MAGIC) + 4 + len(head)) % 8)
    parts = [MAGIC, len(head).to_bytes(4, "little"), head]
    for column in columns.values():
        parts += [column.tobytes(), b"\0" * (-column.nbytes % 8)]
    return b"".join(parts)


def _narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype.kind == "f":
        return values.astype("<f8")
    if not len(values) or (values.max() < 2**31 and values.min() >= -(2**31)):
        return values.astype("<i4")
    return values.astype("<f8")
