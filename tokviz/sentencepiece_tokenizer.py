"""The tokenizer of a SentencePiece unigram model, of our own training or the library's.

Source: google/sentencepiece 0.2.1, src/unigram_model.cc (EncodeOptimized, PopulateNodes) and
src/sentencepiece_processor.cc (runs of unknown characters, byte fallback).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from tokviz.encoders import Piece, byte_pieces
from tokviz.pretokenizers import Pretokenizer, SentencePiecePretokenizer
from tokviz.sentencepiece.normalizer import SPACE
from tokviz.symbols import Spelling, Symbol
from tokviz.tokenizer import Tokenizer
from tokviz.viterbi_encoder import ViterbiEncoder
from tokviz.word_lattice import WordLattice

#: What a user-defined symbol costs, whatever the model: less than any piece of a real one.
_USER_DEFINED_COST = 0.1


@dataclass(frozen=True)
class SentencePieceEncoder(ViterbiEncoder):
    """Cuts a word into its most probable pieces, as the library does: a run of unknown characters
    is one `<unk>`, or with `byte_ids` (of the 256 bytes) each is its bytes in UTF-8.

    `user_defined` are the symbols, by text, that are shown as they are.

    >>> encoder = SentencePieceEncoder(Spelling(), {"a": 1}, {"a": 1.0}, False, 0)
    >>> [(piece.token, piece.start, piece.end) for piece in encoder.encode("abca")]
    [('a', 0, 1), ('<unk>', 1, 3), ('a', 3, 4)]
    """

    user_defined: Mapping[str, str] = field(default_factory=dict)
    byte_ids: Sequence[int] = ()

    def lattice(self, word: str) -> WordLattice:
        """All segmentations of a word; an unknown character is one edge, whatever it becomes."""
        return ViterbiEncoder.lattice(replace(self, byte_ids=()), word)

    def _pieces(self, word: str, path: list[tuple[int, int]]) -> list[Piece]:
        pieces: list[Piece] = []
        unknown_before = False
        for start, end in path:
            text = word[start:end]
            unknown = text not in self.id_of
            if not unknown:
                pieces.append(Piece(self._token(text), self.id_of[text], start, end))
            elif self.byte_ids:
                pieces += byte_pieces(text, self.byte_ids, start, end)
            elif unknown_before:
                pieces[-1] = pieces[-1]._replace(end=end)
            else:
                pieces.append(Piece(self.unknown, self.unknown_id, start, end))
            unknown_before = unknown
        return pieces

    def _token(self, text: str) -> str:
        return self.user_defined.get(text) or super()._token(text)


def sentencepiece_tokenizer(
    strings: list[str],
    pieces: Sequence[str | None],
    log_probs: Sequence[float],
    special: Mapping[int, tuple[str, str]],
    pretokenizer: Pretokenizer,
) -> Tokenizer:
    """The tokenizer of a model.

    By id: `strings` as displayed, `pieces` as text (a space for `▁`; None for special ones) and
    their `log_probs`. `special` maps the other ids to (piece, kind), where kind is `unknown`,
    `control`, `user_defined` or `byte`. User-defined symbols are kept whole and not normalized;
    control symbols have no meaning in a text.

    >>> special = {0: ("<unk>", "unknown"), 1: ("<s>", "control")}
    >>> strings, pieces = ["<unk>", "<s>", "▁a", "b"], [None, None, " a", "b"]
    >>> tokenizer = sentencepiece_tokenizer(
    ...     strings, pieces, [0, 0, -1.0, -2.0], special, SentencePiecePretokenizer())
    >>> tokenizer.encode("abc").ids
    [2, 3, 0]
    """
    spelling = Spelling(space_mark=SPACE)
    of_kind: dict[str, dict[str, int]] = {}
    for number, (piece, kind) in special.items():
        of_kind.setdefault(kind, {})[piece] = number
    symbols = of_kind.get("user_defined", {})
    id_of = {piece: i for i, piece in enumerate(pieces) if piece is not None}
    cost = {piece: -log_probs[i] for piece, i in id_of.items()}
    shown = {}
    for symbol, number in symbols.items():
        text = symbol.replace(SPACE, " ")
        id_of[text], cost[text], shown[text] = number, _USER_DEFINED_COST, symbol
    encoder = SentencePieceEncoder(
        spelling,
        id_of,
        cost,
        whole_word=False,
        unknown_id=next(iter(of_kind.get("unknown", {}).values()), None),
        user_defined=shown,
        byte_ids=list(of_kind.get("byte", {}).values()),
    )
    if isinstance(pretokenizer, SentencePiecePretokenizer):
        pretokenizer = replace(pretokenizer, kept=tuple(symbols))
    return Tokenizer(
        strings,
        [None if piece is None else Symbol(piece) for piece in pieces],
        spelling,
        pretokenizer,
        (),
        encoder,
        {number: bytes([byte]) for byte, number in enumerate(encoder.byte_ids)},
    )
