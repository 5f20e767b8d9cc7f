"""The training algorithms. A new one is a module like these and a line in `TRAINERS`."""

from typing import TypeAlias

from tokviz.pretokenizers import Pretokenizer
from tokviz.trainers.bpe import BPE
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE
from tokviz.trainers.sentencepiece_settings import SentencePieceSettings
from tokviz.trainers.sentencepiece_unigram import SentencePieceUnigram
from tokviz.trainers.settings import Setting, SettingError, settings_of
from tokviz.trainers.unigram import Unigram
from tokviz.trainers.wordpiece import WordPiece

Trainer: TypeAlias = BPE | WordPiece | Unigram | SentencePieceBPE | SentencePieceUnigram

TRAINERS: dict[
    str,
    type[BPE]
    | type[WordPiece]
    | type[Unigram]
    | type[SentencePieceBPE]
    | type[SentencePieceUnigram],
] = {
    trainer.name: trainer
    for trainer in (BPE, WordPiece, Unigram, SentencePieceBPE, SentencePieceUnigram)
}

__all__ = ["TRAINERS", "Setting", "SettingError", "Trainer", "configured", "settings_of"]


def configured(trainer: Trainer, pretokenizer: Pretokenizer) -> Pretokenizer:
    """The pre-tokenizer as the trainer wants it: settings of SentencePiece's trainers are also
    those of its normalizer.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> trainer = SentencePieceBPE(add_dummy_prefix=False)
    >>> configured(trainer, make_pretokenizer("sentencepiece")).add_dummy_prefix
    False
    """
    if isinstance(trainer, SentencePieceSettings):
        return trainer.configured(pretokenizer)
    return pretokenizer
