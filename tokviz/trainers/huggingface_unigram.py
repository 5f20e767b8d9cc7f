"""Hugging Face's Unigram: a port of SentencePiece's, with a slip in the loss.

Source: huggingface/tokenizers 0.23.3, models/unigram/trainer.rs. docs/algorithms.md defines it
exactly.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.history.em import SentencePieceUnigramHistory
from tokviz.history.estimating.history import HuggingFaceUnigramHistory
from tokviz.pretokenizers import Pretokenizer
from tokviz.pretokenizers.normalizer import SPACE
from tokviz.text.symbols import Spelling
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.pruning.em_lattice import Pause
from tokviz.trainers.pruning.em_model import UnigramEM
from tokviz.trainers.pruning.em_training import (
    EMTrainer,
    em_steps_setting,
    exact_deltas_setting,
    min_expected_count_setting,
    shrinking_factor_setting,
)
from tokviz.trainers.pruning.hf_em import HuggingFaceEM
from tokviz.trainers.pruning.hf_seeds import find_seeds
from tokviz.trainers.sentencepiece_settings import MetaPiece, Prepared, prepared_words
from tokviz.trainers.settings import SettingError, check, check_vocab_size, setting

#: How many seeds the library starts from at most; its Python has no setting for that.
SEEDS = 1_000_000

#: The name of the library's own unknown piece, with which a text must not collide.
_UNKNOWN = "<UNK>"


#: A space is a `▁` here, which decides ties, and a `▁` that is typed a space: so both stay what
#: they are.
_SPELLED = str.maketrans({" ": SPACE, SPACE: " "})


@dataclass(frozen=True)
class HuggingFaceUnigram(EMTrainer):
    """Unigram as huggingface/tokenizers 0.23.3 trains it, with its known flaw.

    A port of SentencePiece's Unigram: EM over seeds, and prunings by an approximate loss. In that
    loss the library counts all pieces of the vocabulary where those are meant that would take the
    place of one (issue 2069 there), so that frequent pieces are kept too long. Every state knows
    both, and what the right loss would have removed.

    The words are gone through in the order in which they are met first. In the library they have
    another order in each run, so that the last digits of its scores differ from run to run.

    >>> import tokviz
    >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    >>> history = tokviz.train(words, "huggingface-unigram", 11, "whitespace")
    >>> history.vocab(len(history))[:5]
    ['<unk>', 'n', 'hug', 'pu', 'u']
    """

    __repr__ = short_repr

    name: ClassVar[str] = "huggingface-unigram"
    label: ClassVar[str] = "Hugging Face Unigram"
    help: ClassVar[str] = message(
        "As SentencePiece’s Unigram, with a loss that takes frequent pieces for dearer than they "
        "are."
    )
    family: ClassVar[type[SentencePieceUnigramHistory]] = HuggingFaceUnigramHistory
    default_pretokenizer: ClassVar[str] = "metaspace"
    default_encoder: ClassVar[str] = "viterbi"
    untold: ClassVar[str] = message(
        "Hugging Face’s Unigram cannot be told what to keep or drop; choose the algorithm unigram, "
        "which can."
    )

    vocab_size: int = setting(
        8000,
        message("Vocabulary size"),
        message("Special tokens and characters included."),
        least=1,
    )
    shrinking_factor: float = shrinking_factor_setting()
    n_sub_iterations: int = em_steps_setting()
    max_piece_length: int = setting(
        16,
        message("Longest piece"),
        message("In characters, the ▁ included."),
        least=1,
        greatest=512,
        advanced=True,
    )
    min_expected_count: float = min_expected_count_setting()
    exact_deltas: bool = exact_deltas_setting()
    unk_token: str = setting(
        "<unk>",
        message("Unknown token"),
        message("What unknown characters become. It is the first token if it is no special one."),
        advanced=True,
    )
    special_tokens: tuple[str, ...] = setting(
        ("<unk>",),
        message("Special tokens"),
        message("Take the first ids; kept whole wherever they occur."),
        advanced=True,
    )
    initial_alphabet: tuple[str, ...] = setting(
        (),
        message("Initial alphabet"),
        message("Characters that get ids whether they occur or not."),
        advanced=True,
    )

    def __post_init__(self) -> None:
        check(self)
        if not self.unk_token:
            raise SettingError.saying("unk_token is empty; name the unknown token, such as <unk>.")
        if self.unk_token not in self.special_tokens:
            tokens = (self.unk_token, *self.special_tokens)
            object.__setattr__(self, "special_tokens", tokens)

    @cached_property
    def meta_pieces(self) -> dict[int, MetaPiece]:
        """The special tokens by id."""
        kinds = (
            "unknown" if token == self.unk_token else "control" for token in self.special_tokens
        )
        return dict(enumerate(map(MetaPiece, self.special_tokens, kinds)))

    @property
    def unk_id(self) -> int:
        """The id of the unknown token."""
        return self.special_tokens.index(self.unk_token)

    @property
    def em_steps(self) -> int:
        """How many EM steps a round makes."""
        return self.n_sub_iterations

    def spelling(self, pretokenizer: Pretokenizer) -> Spelling:
        """How words are split into symbols and symbols are shown."""
        return Spelling(space_mark=pretokenizer.space_mark)

    def _required(self, words: WordCounts) -> dict[str, int]:
        """All characters with their counts, the greatest first; then those that EM never knows:
        NUL, and those of the initial alphabet that the corpus has not."""
        counts: dict[str, int] = {}
        for word, count in zip(words.words, words.counts, strict=True):
            for char in word.translate(_SPELLED):
                counts[char] = counts.get(char, 0) + count
        nul = {"\0"} & counts.keys()
        known = sorted(counts.keys() - nul, key=lambda char: (counts[char], char), reverse=True)
        asked = {token[0].translate(_SPELLED) for token in self.initial_alphabet} - counts.keys()
        return {char: counts[char] for char in known} | dict.fromkeys(sorted({*nul, *asked}), 0)

    def prepared(self, words: WordCounts) -> Prepared:
        """The words as training sees them, with `▁` for a space."""
        spelled = [word.translate(_SPELLED) for word in words.words]
        prepared = prepared_words(words, spelled, self._required(words))
        # The order of lines and their ends are nothing to this library.
        return prepared._replace(line_ends=prepared.counts, order=None)

    def least_vocab_size(self, words: WordCounts, _pretokenizer: Pretokenizer) -> int:
        """The characters, the special tokens, and one more: see `check_size`."""
        return len(self._required(words)) + len(self.special_tokens) + 1

    def greatest_vocab_size(self, words: WordCounts, _pretokenizer: Pretokenizer) -> int:
        """All seeds and the special tokens."""
        seeds = find_seeds(self.prepared(words), self.max_piece_length, SEEDS, lambda: None)
        return max(
            len(seeds.pieces) + len(self.special_tokens),
            self.least_vocab_size(words, _pretokenizer),
        )

    def check_size(self, required: dict[str, int]) -> None:
        """Raises SettingError if the vocabulary is too small for what must be in it.

        With room for nothing but characters the library misses the place where it would stop, and
        its vocabulary becomes larger than asked for; so there must be room for one more.
        """
        check_vocab_size(
            self.vocab_size,
            len(required) + len(self.special_tokens) + 1,
            message(
                "{special} special tokens, the characters ({n}) and one piece more",
                special=len(self.special_tokens),
                n=len(required),
            ),
        )

    def model(self, prepared: Prepared, pause: Pause) -> UnigramEM:
        """The pieces that training starts from."""
        if any(_UNKNOWN in word for word in prepared.words):
            raise SettingError.saying(
                "The corpus holds {unknown}, the name of a piece of the library’s own, with which "
                "its training breaks off; make {unknown} a special token, or take it out.",
                unknown=_UNKNOWN,
            )
        seeds = find_seeds(prepared, self.max_piece_length, SEEDS, pause)
        return HuggingFaceEM(prepared, seeds, pause)

    def texts(self, model: UnigramEM) -> list[str]:
        """The seeds as the corpus has them."""
        return [piece.translate(_SPELLED) for piece in model.pieces]

    @property
    def desired(self) -> int:
        """At how many pieces the rounds end; the library counts one more, that for unknown ones."""
        return self.vocab_size * 11 // 10 - 1

    def after_pruning(self, pieces: int) -> int:
        """How many pieces a pruning may leave."""
        return max(self.desired, int((pieces + 1) * self.shrinking_factor) - 1)
