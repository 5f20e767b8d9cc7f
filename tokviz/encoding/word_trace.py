"""How one word of an encoding came to its tokens, told row by row.

The events are the encoder's own (`Encoding.trace_of`); here each gets the word as it stands after
it, and what could not be encoded gets its reason.
"""

from dataclasses import dataclass
from typing import NamedTuple

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Event, LongestMatchEncoder, MergeEncoder, Piece
from tokviz.encoding.longest_token import LongestTokenEncoder
from tokviz.encoding.picky_encoder import PickyEncoder
from tokviz.encoding.tokenizer import Encoding, Tokenizer
from tokviz.encoding.viterbi_encoder import ViterbiEncoder
from tokviz.pretokenizers import Word

#: Characters; a longer word is not told.
MOST_CHARACTERS = 100


class Row(NamedTuple):
    """One event. `pieces` is what the word is cut into after it, left to right; what they leave
    open is not cut yet. Merges say what was joined (`left`, `right`), Viterbi rows `log_prob`,
    `total` (of the best way through the edge) and whether that is the best way to its end."""

    event: Event
    pieces: list[Piece]
    left: str = ""
    right: str = ""
    log_prob: float = 0.0
    total: float = 0.0
    best: bool = False

    def __repr__(self) -> str:
        return short_repr(self)


@dataclass(frozen=True)
class WordTrace:
    """`kind` is merges, events, longest-match, viterbi or longest-token; `pieces` the word before
    the first row; `reason` says in a sentence why there is an unknown token, or why nothing is
    told."""

    __repr__ = short_repr

    word: Word
    kind: str
    pieces: list[Piece]
    rows: list[Row]
    reason: str = ""


def word_trace(tokenizer: Tokenizer, encoding: Encoding, number: int) -> WordTrace:
    """The trace of word `number` of an encoding that the tokenizer made.

    >>> import tokviz
    >>> tokenizer = tokviz.train({"hug": 10, "pug": 5}, "bpe", 6).tokenizer()
    >>> told = word_trace(tokenizer, tokenizer.encode("hug"), 0)
    >>> [(row.left, row.right, [piece.token for piece in row.pieces]) for row in told.rows]
    [('u', 'g', ['h', 'ug']), ('h', 'ug', ['hug'])]
    """
    word, events = encoding.words[number], encoding.trace_of(number)
    encoder = tokenizer.encoder
    kind = _kind(encoder)
    if number in encoding.untold:
        other = message(
            "How this word was cut is not shown: worked out here, the tokens would differ from "
            "those of its library."
        )
        return WordTrace(word, kind, [], [], other)
    if isinstance(encoder, LongestMatchEncoder):
        most = encoder.max_input_chars_per_word
        if len(word.text) > most:
            return WordTrace(word, kind, [], [], _too_long_for_wordpiece(word, most))
    if len(word.text) > MOST_CHARACTERS:
        too_long = message(
            "This word has {n:,} characters; only words of up to {most} are explained.",
            n=len(word.text),
            most=MOST_CHARACTERS,
        )
        return WordTrace(word, kind, [], [], too_long)
    if isinstance(encoder, MergeEncoder | PickyEncoder):
        stages = encoder.stages(word.text)
        rows = [
            Row(event, after, *(_joined(before, after) if event.accepted else ()))
            for event, before, after in zip(events, stages[:-1], stages[1:], strict=True)
        ]
        return WordTrace(word, kind, stages[0], rows, _missing(stages[-1], word))
    if isinstance(encoder, ViterbiEncoder):
        return WordTrace(word, kind, [], _viterbi(encoder, word, events), _no_path(encoder, word))
    rows, placed = [], list[Piece]()
    for event in events:
        if event.accepted or kind == "longest-token":
            placed = sorted([*placed, Piece(event.token, 0, event.start, event.end)], key=_place)
        rows.append(Row(event, placed))
    reason = _no_prefix(word, rows) if kind == "longest-match" else _uncovered(word, events)
    return WordTrace(word, kind, [], rows, reason)


def _kind(encoder: object) -> str:
    kinds = {
        MergeEncoder: "merges",
        PickyEncoder: "events",
        LongestMatchEncoder: "longest-match",
        LongestTokenEncoder: "longest-token",
    }
    return next((name for kind, name in kinds.items() if isinstance(encoder, kind)), "viterbi")


def _place(piece: Piece) -> tuple[int, int]:
    return piece.start, piece.end


def _joined(before: list[Piece], after: list[Piece]) -> tuple[str, str]:
    """The two pieces that a merge made one of: where the stages first differ. None for a word that
    was taken at once, whatever merges would have made of it."""
    if len(before) != len(after) + 1:
        return "", ""
    at = next(i for i, piece in enumerate(after) if piece != before[i])
    return before[at].token, before[at + 1].token


def _viterbi(encoder: ViterbiEncoder, word: Word, events: list[Event]) -> list[Row]:
    totals = encoder.totals(word.text)
    best: dict[int, int] = {}
    for i, event in enumerate(events):
        # Of equal ways the first stays, as in the search itself.
        if event.end not in best or totals[i][1] > totals[best[event.end]][1]:
            best[event.end] = i
    return [
        Row(event, [], "", "", *totals[i], best[event.end] == i) for i, event in enumerate(events)
    ]


def _missing(pieces: list[Piece], word: Word) -> str:
    missing = [piece for piece in pieces if piece.id is None]
    if not missing:
        return ""
    found = dict.fromkeys(f'"{word.text[piece.start : piece.end]}"' for piece in missing)
    return message(
        "Not in the alphabet of this run: {found}. It has no id.", found=", ".join(found)
    )


def _no_path(encoder: ViterbiEncoder, word: Word) -> str:
    if encoder.path(word.text) or not word.text:
        return ""
    alone = [char for char in dict.fromkeys(word.text) if char not in encoder.cost]
    named = ", ".join(f'"{char}"' for char in alone)
    return message(
        "No path reaches the end of the word ({named} is no token), so all of it is {unknown}.",
        named=named,
        unknown=encoder.unknown,
    )


def _too_long_for_wordpiece(word: Word, most: int) -> str:
    return message(
        "The word has {n:,} characters; WordPiece gives up beyond {most}, so it is [UNK].",
        n=len(word.text),
        most=most,
    )


def _no_prefix(word: Word, rows: list[Row]) -> str:
    covered = rows[-1].pieces[-1].end if rows and rows[-1].pieces else 0
    if covered == len(word.text):
        return ""
    rest, last = word.text[covered:], rows[-1].event.token
    if len(rest) == 1:
        return message(
            '"{last}" is not in the vocabulary, so the whole word is [UNK]: WordPiece never '
            "keeps a part of a word.",
            last=last,
        )
    return message(
        'Nothing that begins "{rest}" is in the vocabulary, not even "{last}", so the whole '
        "word is [UNK]: WordPiece never keeps a part of a word.",
        rest=rest,
        last=last,
    )


def _uncovered(word: Word, events: list[Event]) -> str:
    left = [f'"{word.text[e.start : e.end]}"' for e in events if not e.accepted and e.end > e.start]
    if not left:
        return ""
    return message("No token is found in {parts}: it is </u>.", parts=", ".join(left))
