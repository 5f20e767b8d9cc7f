"""The training algorithms. A new one is a module like these and a line in `TRAINERS`."""

from typing import TypeAlias

from tokviz.trainers.bpe import BPE
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE
from tokviz.trainers.settings import Setting, SettingError, settings_of
from tokviz.trainers.unigram import Unigram
from tokviz.trainers.wordpiece import WordPiece

Trainer: TypeAlias = BPE | WordPiece | Unigram | SentencePieceBPE

TRAINERS: dict[str, type[BPE] | type[WordPiece] | type[Unigram] | type[SentencePieceBPE]] = {
    trainer.name: trainer for trainer in (BPE, WordPiece, Unigram, SentencePieceBPE)
}

__all__ = ["TRAINERS", "Setting", "SettingError", "Trainer", "settings_of"]
