"""The training algorithms. A new one is a `Trainer` of a module like these, in `TRAINERS`."""

from dataclasses import asdict, fields
from typing import Any

from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.pretokenizers import Pretokenizer, SentencePiecePretokenizer
from tokviz.text.word_counts import CountedWords
from tokviz.trainers.boundless_bpe import BoundlessBPE
from tokviz.trainers.bpe import BPE
from tokviz.trainers.huggingface_unigram import HuggingFaceUnigram
from tokviz.trainers.parity_bpe import ParityBPE
from tokviz.trainers.picky_bpe import PickyBPE
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE
from tokviz.trainers.sentencepiece_settings import SentencePieceSettings
from tokviz.trainers.sentencepiece_unigram import SentencePieceUnigram
from tokviz.trainers.settings import Setting, settings_of
from tokviz.trainers.super_bpe import SuperBPE
from tokviz.trainers.trainer import Trainer
from tokviz.trainers.unigram import Unigram
from tokviz.trainers.wordpiece import WordPiece

_OWN: tuple[type[Trainer], ...] = (
    BPE,
    WordPiece,
    Unigram,
    SentencePieceBPE,
    SentencePieceUnigram,
    HuggingFaceUnigram,
    PickyBPE,
    ParityBPE,
    SuperBPE,
    BoundlessBPE,
)

#: The algorithms by name.
TRAINERS: dict[str, type[Trainer]] = {trainer.name: trainer for trainer in _OWN}

__all__ = [
    "TRAINERS",
    "Setting",
    "SettingError",
    "Trainer",
    "check_counted",
    "configured",
    "counted_settings",
    "settings_of",
]


def configured(trainer: Trainer, pretokenizer: Pretokenizer) -> Pretokenizer:
    """The pre-tokenizer as the trainer wants it: settings of SentencePiece's trainers are also
    those of its normalizer.

    >>> from tokviz.pretokenizers import make_pretokenizer
    >>> trainer = SentencePieceBPE(add_dummy_prefix=False)
    >>> configured(trainer, make_pretokenizer("sentencepiece")).add_dummy_prefix
    False
    """
    return trainer.configured(pretokenizer)


def counted_settings(algorithm: str, counted: CountedWords) -> dict[str, Any]:
    """The settings with which the words were counted, as far as the algorithm has them."""
    known = []
    if isinstance(algorithm, str) and algorithm in TRAINERS:
        known = [field.name for field in fields(TRAINERS[algorithm])]
    return {name: value for name, value in counted.settings.items() if name in known}


def check_counted(trainer: Trainer, pretokenizer: Pretokenizer, counted: CountedWords) -> None:
    """Raises SettingError where SentencePiece's trainers, which also say how lines become words,
    say it otherwise than when the words were counted."""
    then = counted.pretokenizer
    if not isinstance(trainer, SentencePieceSettings) or not (
        isinstance(then, SentencePiecePretokenizer)
        and isinstance(pretokenizer, SentencePiecePretokenizer)
    ):
        return
    now = asdict(pretokenizer)
    for name, value in asdict(then).items():
        if now[name] != value:
            raise SettingError.saying(
                "the words were counted with {name}={then}, but are to be trained with {now}; "
                "leave it out, or count again.",
                name=name,
                then=value,
                now=now[name],
            )
    special = [" ".join(pieces) for pieces in (counted.special_tokens, trainer.special_tokens)]
    if set(trainer.special_tokens) != set(counted.special_tokens):
        raise SettingError.saying(
            "the words were counted with the special pieces {then}, but are to be trained with "
            "{now}; count again with the algorithm and the settings of the training.",
            then=special[0] or message("none"),
            now=special[1],
        )
