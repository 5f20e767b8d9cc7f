"""Pack histories into one binary blob for the player.

A run is "TVZ1", the length of a JSON header, the header, then arrays, each starting at a multiple
of eight bytes; `header["arrays"]` says where. Integers beyond 32 bits are written as 64-bit floats,
which are exact up to 2**53. A bundle is "TVZB", the length of a JSON head, the head, then one run
for each lane.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import singledispatch
from typing import Any

import numpy as np
import numpy.typing as npt

from tokviz.basics.messages import here
from tokviz.history.base import History
from tokviz.history.boundless.history import BoundlessHistory
from tokviz.history.boundless.removals import BoundlessRemovalHistory
from tokviz.history.crossing.history import CrossingHistory
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.merges import MergeHistory
from tokviz.history.parity.history import ParityHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.replay import ReplayHistory
from tokviz.history.unigram import UnigramHistory
from tokviz.narration.choosing import chosen
from tokviz.player.columns import (
    Columns,
    boundless_columns,
    boundless_removal_columns,
    crossing_columns,
    merge_columns,
    parity_columns,
    picky_columns,
    replay_columns,
    unigram_columns,
)
from tokviz.player.em_columns import em_columns
from tokviz.player.retrain import retrain
from tokviz.text.pieces import LONGEST_SHOWN, Piece
from tokviz.text.symbols import Spelling
from tokviz.trainers.pseudocode import FUNCTIONS, called, pseudocode

RUN, BUNDLE = b"TVZ1", b"TVZB"

#: Most characters of all words listed by count.
MOST_LISTED = 300_000
#: The end of a line in the excerpt. Special token k is LINE_END - 1 - k.
LINE_END = -1


def pack(history: History, label: str, lines: list[list[Piece]] | None, most_words: int) -> bytes:
    """Pack one history, with texts in the current language. `label` names the lane. `lines` is the
    excerpt in text order, or None without a text; the `most_words` most frequent words are always
    included.

    >>> import tokviz
    >>> blob = pack(tokviz.train({"ab": 3}, "bpe", 3), "BPE", None, 10)
    >>> blob[:4], len(blob) % 8
    (b'TVZ1', 0)
    """
    counts = np.asarray(history.words.counts, np.int64)
    words, order = _excerpt(history, lines or [])
    place = {word: i for i, word in enumerate(words)}
    by_count = [
        place.setdefault(word, len(place)) for word in _frequent(history, counts, most_words)
    ]
    words = list(place)
    header: dict[str, Any] = {
        "label": here(label),
        "algorithm": history.algorithm,
        "steps": len(history),
        "stopped": here(history.stopped),
        **_choice(history),
        "special": len(history.special_tokens),
        "words_total": history.words.total,
        "words_distinct": len(history.words),
        "characters": history.characters,
        "unshown": sum(len(word) > LONGEST_SHOWN for word in history.words.words),
        "longest_shown": LONGEST_SHOWN,
        "has_text": lines is not None,
        "special_tokens": [*history.special_tokens],
        "spelling": _cut_by(history),
        "signs": _signs(history.spelling),
        "asked": history.trainer.vocab_size,
        "retrain": retrain(history),
        **_pseudocode(history),
    }
    vocab_size, corpus_tokens = history.sizes()
    columns: Columns = {
        "order": order,
        "by_count": by_count,
        "word_counts": counts[words],
        "word_numbers": words,
        "vocab_size": vocab_size,
        "corpus_tokens": corpus_tokens,
    }
    columns |= family_columns(history, words, header)
    shown = ("".join(parts) for parts in header["tokens"])
    columns["colours"] = [history.colour(string) for string in shown]
    return _blob(header, columns)


@singledispatch
def family_columns(_history: History, _words: list[int], _header: dict[str, Any]) -> Columns:
    """Return the columns of a family's steps, for words by their indices; adds to the header."""
    raise NotImplementedError


family_columns.register(MergeHistory, merge_columns)
family_columns.register(ParityHistory, parity_columns)
family_columns.register(PickyHistory, picky_columns)
family_columns.register(BoundlessHistory, boundless_columns)
family_columns.register(BoundlessRemovalHistory, boundless_removal_columns)
family_columns.register(CrossingHistory, crossing_columns)
family_columns.register(ReplayHistory, replay_columns)
family_columns.register(UnigramHistory, unigram_columns)
family_columns.register(SentencePieceUnigramHistory, em_columns)


def _pseudocode(history: History) -> dict[str, Any]:
    """Return the lines of the algorithm's pseudocode, and what the functions do that they call."""
    lines = pseudocode(history.trainer.pseudocode)
    return {
        "pseudocode": [*map(list, lines)],
        "functions": [[function, here(FUNCTIONS[function])] for function in called(lines)],
    }


def _choice(history: History) -> dict[str, Any]:
    """Return which characters were chosen, in a sentence and for the lines of the pseudocode, if
    any were."""
    said = chosen(history)
    if not said:
        return {}
    choice = history.trainer.choice(history.words)
    return {
        "chosen_characters": {
            "said": here(said),
            "tried": choice.tried,
            "saved": choice.chosen.saved,
            "characters": len(choice.characters),
        }
    }


def header_of(run: bytes) -> dict[str, Any]:
    """Return the header of a packed run.

    >>> import tokviz
    >>> header_of(pack(tokviz.train({"ab": 3}, "bpe", 3), "BPE", None, 10))["steps"]
    1
    """
    size = int.from_bytes(run[4:8], "little")
    header: dict[str, Any] = json.loads(run[8 : 8 + size])
    return header


def bundle(head: Mapping[str, Any], runs: Sequence[bytes]) -> bytes:
    """Join packed runs as the lanes of one player, with a head for the player.

    >>> bundle({"id": "a"}, [])[8:].decode()
    '{"id":"a","lanes":[]}   '
    """
    at, lanes = 0, []
    for run in runs:
        lanes.append((at, len(run)))
        at += len(run)
    return b"".join([_headed(BUNDLE, {**head, "lanes": lanes}), *runs])


def _cut_by(history: History) -> str:
    """Describe how a run cuts words and symbols, with all settings: two lanes with the same
    description can be aligned."""
    chosen = history.pretokenizer
    settings = ", ".join(f"{f.name}={getattr(chosen, f.name)!r}" for f in fields(chosen))
    return f"({history.spelling!r}, {type(chosen).__qualname__}({settings}))"


def _signs(spelling: Spelling) -> list[tuple[str, str]]:
    """Return the signs in tokens that are no text, each with the name of its term in the
    glossary."""
    space = "Ġ" if spelling.unit == "byte" else spelling.space_mark
    signs = [
        (space, "space-mark" if space == "▁" else "space-byte"),
        (spelling.continuing_subword_prefix, "continuing-prefix"),
        (spelling.end_of_word_suffix, "word-suffix"),
    ]
    return [(sign, name) for sign, name in signs if sign.strip()]


def _excerpt(history: History, lines: list[list[Piece]]) -> tuple[list[int], npt.NDArray[np.int64]]:
    """Return the indices of the words shown, each once, and their order in the text with line
    ends."""
    number = {word: i for i, word in enumerate(history.words.words)}
    place: dict[int, int] = {}
    order: list[int] = []
    for line in lines:
        for piece in line:
            if piece.special:
                order.append(LINE_END - 1 - history.special_tokens.index(piece.word.text))
            elif piece.word.text in number:
                # SentencePiece is not trained on lines that are too long.
                order.append(place.setdefault(number[piece.word.text], len(place)))
        order.append(LINE_END)
    return list(place), np.asarray(order, np.int64)


def _frequent(history: History, counts: npt.NDArray[np.int64], most: int) -> list[int]:
    """Return the indices of the most frequent words, at most `most`, without unreadably long ones,
    and no more than a browser can hold."""
    found: list[int] = []
    room = MOST_LISTED
    for word in np.argsort(-counts, kind="stable").tolist():
        length = len(history.words.words[word])
        if length > LONGEST_SHOWN:
            continue
        room -= length
        if len(found) == most or (room < 0 and found):
            break
        found.append(word)
    return found


def _blob(header: dict[str, Any], columns: Columns) -> bytes:
    arrays = {name: _narrow(np.asarray(values)) for name, values in columns.items()}
    at, directory = 0, {}
    for name, array in arrays.items():
        directory[name] = [array.dtype.str, at, len(array)]
        at += -(-array.nbytes // 8) * 8
    parts = [_headed(RUN, {**header, "arrays": directory})]
    for array in arrays.values():
        parts += [array.tobytes(), b"\0" * (-array.nbytes % 8)]
    return b"".join(parts)


def _headed(magic: bytes, header: Mapping[str, Any]) -> bytes:
    head = json.dumps(header, separators=(",", ":")).encode("ascii")
    head += b" " * (-(len(magic) + 4 + len(head)) % 8)
    return magic + len(head).to_bytes(4, "little") + head


def _narrow(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if values.dtype.kind == "f" and len(values):
        return values.astype("<f8")
    for bits in (15, 31):
        if not len(values) or (values.max() < 2**bits and values.min() >= -(2**bits)):
            return values.astype(f"<i{(bits + 1) // 8}")
    return values.astype("<f8")
