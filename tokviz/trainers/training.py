"""Training by the name of an algorithm: the way from a corpus to the history of a run."""

import dataclasses
import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal, Unpack, overload

from tokviz.basics.arguments import Shown, check_callable, plain
from tokviz.basics.errors import SettingError
from tokviz.basics.progress import ProgressCallback
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.history.base import History
from tokviz.history.boundless.history import BoundlessHistory
from tokviz.history.crossing.history import CrossingHistory
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.history.merges import MergeHistory
from tokviz.history.parity.history import ParityHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.history.unigram import UnigramHistory
from tokviz.pretokenizers import Pretokenizer, make_pretokenizer
from tokviz.text.given_corpus import Corpus, as_corpus, check_words_to_learn
from tokviz.text.languages import count_for, text_for
from tokviz.text.pieces import opening
from tokviz.text.word_counts import CountedWords, WordCounts
from tokviz.trainers import TRAINERS, Trainer, check_counted, configured, counted_settings
from tokviz.trainers.continued import Continued
from tokviz.trainers.keywords import (
    BoundlessBPESettings,
    BPESettings,
    HuggingFaceUnigramSettings,
    ParityBPESettings,
    PickyBPESettings,
    SentencePieceBPESettings,
    SentencePieceUnigramSettings,
    SuperBPESettings,
    UnigramSettings,
    WordPieceSettings,
)
from tokviz.trainers.parity_bpe import ParityBPE
from tokviz.trainers.reached import TokvizWarning, unreached

#: Characters of a text that a history keeps, to show them.
MOST_KEPT = 20_000


# What an editor completes: the settings of each algorithm, and the history it gives.
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["bpe"] = "bpe",
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    continue_from: OpenedTokenizer | None = None,
    **settings: Unpack[BPESettings],
) -> MergeHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["wordpiece"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[WordPieceSettings],
) -> MergeHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["unigram"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[UnigramSettings],
) -> UnigramHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["sentencepiece-bpe"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[SentencePieceBPESettings],
) -> MergeHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["sentencepiece-unigram"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[SentencePieceUnigramSettings],
) -> SentencePieceUnigramHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["huggingface-unigram"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[HuggingFaceUnigramSettings],
) -> HuggingFaceUnigramHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["picky-bpe"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[PickyBPESettings],
) -> PickyHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["parity-bpe"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[ParityBPESettings],
) -> ParityHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["super-bpe"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[SuperBPESettings],
) -> CrossingHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: Literal["boundless-bpe"],
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    **settings: Unpack[BoundlessBPESettings],
) -> BoundlessHistory: ...
@overload
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: str,
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    continue_from: OpenedTokenizer | None = None,
    **settings: Any,
) -> History: ...
def train(
    corpus: Corpus | Mapping[str, str],
    algorithm: str = "bpe",
    vocab_size: int | None = None,
    pretokenizer: str | Pretokenizer | None = None,
    progress: ProgressCallback | None = None,
    counted: Callable[[WordCounts], None] | None = None,
    continue_from: OpenedTokenizer | None = None,
    **settings: Any,
) -> History:
    """Trains a tokenizer and returns the whole history of the training.

    `corpus` is a text, a list of texts (a column of pandas, pyarrow or numpy, a generator, and
    lists of texts as batches do too), each line of which is a document, a mapping word → count (a
    Series of counts does too) whose words are taken as they are, or `CountedWords`, which say how
    they were counted. It may be a mapping language → text: that is the same as these texts one
    after another, for "parity-bpe" with a line `=== language ===` before each.
    `pretokenizer` is a name of `PRETOKENIZERS`, one of its classes' instances, or None for what
    the words were counted with, else the algorithm is usually used with. `settings` are the
    fields of the algorithm's trainer (see `TRAINERS`); `seed_size` of Unigram, where it is not
    given, is three times the vocabulary size, and at least 300. `progress` is called some twenty
    times a second; if it returns False, training stops and the history ends there. `counted` is
    called with the words once they are counted; what it raises is raised here, and nothing is
    trained. Without it a corpus in which there is nothing to learn is refused; whoever passes it
    decides.

    `continue_from` is a BPE tokenizer that `tokviz.open_tokenizer` has opened: words are cut by it,
    and training goes on with its tokens. Its ids and merges stay; `vocab_size` is how many ids
    there are to be in all, its own included. Besides there are the settings `tie_break`
    ("first-seen" or "smallest-ids"), `min_frequency` and `interventions`.

    Raises SettingError or CorpusError (both TokvizError, and ValueError) with a sentence that says
    what to change, and Cancelled if it was stopped before the first state.
    Warns with a TokvizWarning if training ended before the size asked for, unless `progress`
    stopped it.

    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> [step.token for step in train(words, "bpe", vocab_size=10).steps]
    ['ug', 'un', 'hug']

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"h": 0, "u": 1, "g": 2, "ug": 3}', "merges.txt": b"u g"}
    >>> longer = train("hug hug", vocab_size=5, continue_from=open_tokenizer(files))
    >>> longer.segmentation("hug", 0), longer.steps[0].token, longer.tokenizer().encode("hug").ids
    (['h', 'ug'], 'hug', [4])
    """
    check_callable("progress", progress)
    check_callable("counted", counted)
    corpus = as_corpus(text_for(algorithm == ParityBPE.name, corpus))
    trainer: Trainer | Continued
    if continue_from is None:
        trainer, chosen = _chosen(corpus, algorithm, vocab_size, pretokenizer, settings)
    else:
        told = {"algorithm": algorithm, "pretokenizer": pretokenizer}
        trainer = _continued(continue_from, corpus, vocab_size, told, settings)
        chosen = continue_from.tokenizer.pretokenizer
    special, by_language = trainer.special_tokens, trainer.by_language
    words = count_for(by_language, corpus, chosen, special, progress)
    if counted is not None:
        counted(words)
    else:
        check_words_to_learn(words.words, chosen.name)
    trained: History = trainer.train(words, chosen, progress)
    history = dataclasses.replace(trained, text=opening(corpus, MOST_KEPT))
    if said := unreached(history, trainer.vocab_size):
        warnings.warn(said, TokvizWarning, stacklevel=2)
    return history


def _chosen(
    corpus: Any,
    algorithm: str,
    vocab_size: int | None,
    pretokenizer: str | Pretokenizer | None,
    settings: dict[str, Any],
) -> tuple[Trainer, Pretokenizer]:
    """The trainer and the pre-tokenizer that are meant."""
    if isinstance(corpus, CountedWords):
        settings = counted_settings(algorithm, corpus) | settings
        pretokenizer = corpus.pretokenizer if pretokenizer is None else pretokenizer
    trainer = make_trainer(algorithm, vocab_size, **settings)
    if pretokenizer is None:
        pretokenizer = trainer.default_pretokenizer
    chosen = configured(trainer, make_pretokenizer(pretokenizer))
    if isinstance(corpus, CountedWords):
        check_counted(trainer, chosen, corpus)
    return trainer, chosen


def _continued(
    opened: OpenedTokenizer,
    corpus: Any,
    vocab_size: int | None,
    told: dict[str, Any],
    settings: dict[str, Any],
) -> Continued:
    """What goes on from an opened tokenizer. Raises SettingError for what that decides itself."""
    if not isinstance(opened, OpenedTokenizer):
        raise SettingError.saying(
            "continue_from={opened!r} is no opened tokenizer; pass what tokviz.open_tokenizer "
            "gives.",
            opened=Shown(opened),
        )
    usual: dict[str, Any] = {"algorithm": "bpe", "pretokenizer": None}
    usual |= dict.fromkeys(("tie_break", "min_frequency", "interventions"))
    for name, value in {**told, **settings}.items():
        if name not in usual or (name in told and value != usual[name]):
            raise SettingError.saying(
                "{name}={value!r} is decided by the file that the training goes on from; leave it "
                "out. There are vocab_size, tie_break, min_frequency and interventions.",
                name=name,
                value=Shown(value),
            )
    if isinstance(corpus, CountedWords):
        raise SettingError.saying(
            "these words were counted as another pre-tokenizer cuts them; give the text, which the "
            "file that the training goes on from cuts into words."
        )
    if vocab_size is None:
        raise SettingError.saying(
            "say how many ids there are to be in all, as in vocab_size={more}: {source} has the "
            "ids below {first:,}.",
            more=opened.next_id + 1000,
            source=opened.name,
            first=opened.next_id,
        )
    own = {name: plain(value) for name, value in settings.items()}
    return Continued(opened, plain(vocab_size), **own)


def make_trainer(algorithm: str, vocab_size: int | None = None, **settings: Any) -> Trainer:
    """The trainer of that name with its settings checked.

    Raises SettingError for an unknown algorithm or setting, or a value out of range.

    >>> make_trainer("wordpiece", 50).score
    'likelihood'
    """
    if not isinstance(algorithm, str) or algorithm not in TRAINERS:
        raise SettingError.saying(
            "algorithm={algorithm!r} is not known; choose {choices}.",
            algorithm=Shown(algorithm),
            choices=", ".join(TRAINERS),
        )
    kind = TRAINERS[algorithm]
    defaults = {field.name: field.default for field in dataclasses.fields(kind)}
    for name, value in settings.items():
        if name not in defaults:
            raise SettingError.saying(
                "{algorithm} has no setting {name!r}; its settings are {choices}.",
                algorithm=algorithm,
                name=name,
                choices=", ".join(defaults),
            )
        if isinstance(defaults[name], tuple) and isinstance(value, str | list):
            settings[name] = (value,) if isinstance(value, str) else tuple(value)
        else:
            settings[name] = plain(value)
    if vocab_size is not None:
        settings["vocab_size"] = plain(vocab_size)
    return kind(**settings)
