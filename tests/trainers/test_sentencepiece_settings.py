"""The ids of special pieces are the library's, and settings that cannot be are refused."""

import pytest
from sentencepiece_models import trained_processor

from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError
from tokviz.trainers.sentencepiece_settings import SentencePieceSettings


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"pad_id": 3},
        {"pad_id": 0, "unk_id": 1, "bos_id": -1},
        {"user_defined_symbols": ("<a>", "<s>", "b"), "bos_id": 2, "eos_id": 1},
        {"user_defined_symbols": ("<s>", "b"), "bos_id": -1, "unk_id": 4},
        {"byte_fallback": True, "unk_id": 7},
    ],
)
def test_ids_of_special_pieces(options):
    processor = trained_processor(
        ["ab abc abcd"] * 5, vocab_size=300, hard_vocab_limit=False, minloglevel=3, **options
    )
    settings = SentencePieceSettings(**options)
    kinds = {
        "unknown": processor.is_unknown,
        "control": processor.is_control,
        "byte": processor.is_byte,
    }
    for number, (piece, kind) in settings.meta_pieces.items():
        if number < processor.get_piece_size():
            assert processor.id_to_piece(number) == piece
            assert {name for name, asks in kinds.items() if asks(number)} == {kind} & set(kinds)


def test_special_pieces_that_cannot_be():
    with pytest.raises(SettingError, match="<s> and <unk> both have the id 0"):
        SentencePieceSettings(bos_id=0)
    with pytest.raises(SettingError, match="holds '<unk>', which is a special piece already"):
        SentencePieceSettings(user_defined_symbols=("<unk>",))
    with pytest.raises(SettingError, match=r"vocab_size=9 has no id 9.* ask for at least 10"):
        SentencePieceSettings(vocab_size=9, pad_id=9).check_size({})
    with pytest.raises(SettingError, match="it must hold 3 special pieces and the"):
        SentencePieceSettings(vocab_size=3).check_size({"a": 1})


def test_words_that_become_equal_are_one():
    words = WordCounts((" ab", " aé", " aè"), (9000, 1, 2), (10, 0, 1))
    prepared = SentencePieceSettings().prepared(words)
    assert prepared.words == ["▁ab", "▁a▅"]
    assert prepared.counts.tolist() == [9000, 3]
    assert prepared.line_ends.tolist() == [10, 1]
    assert prepared.number.tolist() == [0, 1, 1]
