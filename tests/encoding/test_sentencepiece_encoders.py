"""How a line is cut with a model of SentencePiece, by hand; test_sentencepiece_model.py compares
whole models with the library."""

from tokviz.encoding.encoders import Event, Piece
from tokviz.encoding.sentencepiece_encoders import MergeLineEncoder
from tokviz.text.symbols import Spelling


def test_joining_is_traced_in_order_and_runs_of_unknown_characters_are_one():
    score = {"ab": 0.0, "abc": -1.0, "a": -2.0, "b": -3.0, "c": -4.0}
    ids = {piece: i for i, piece in enumerate(score, start=1)}
    encoder = MergeLineEncoder(Spelling(), ids, score, unknown_id=0)
    assert encoder.trace("abcxyab") == [
        Event(-1, "ab", 0, 2, True),
        Event(-1, "ab", 5, 7, True),
        Event(-1, "abc", 0, 3, True),
    ]
    assert encoder.encode("abcxyab") == [
        Piece("abc", 2, 0, 3),
        Piece("<unk>", 0, 3, 5),
        Piece("ab", 1, 5, 7),
    ]
