"""The settings of each trainer by name and type, so that an editor completes them in `train(…)`.

What each means is told by the trainer's own fields (see `settings.py`);
`tests/trainers/test_keywords.py` compares the two.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

#: Texts in order; one text alone will do.
Texts: TypeAlias = Sequence[str]
#: At a state, what is chosen there in the place of the trainer's own choice.
Interventions: TypeAlias = Sequence[tuple[int, Sequence[str]]]


class _MergeSettings(TypedDict, total=False):
    """Of all kinds of BPE but for their tie-breaks."""

    unit: Literal["char", "byte"]
    min_frequency: int
    end_of_word_suffix: str
    suffix_glued: bool
    continuing_subword_prefix: str
    special_tokens: Texts
    initial_alphabet: Texts
    interventions: Interventions


class BPESettings(_MergeSettings, total=False):
    """Of `train(corpus, "bpe", …)`."""

    tie_break: Literal["first-seen", "largest-pair", "smallest-ids", "shortest"]


class WordPieceSettings(TypedDict, total=False):
    """Of `train(corpus, "wordpiece", …)`."""

    score: Literal["likelihood", "frequency"]
    min_frequency: int
    special_tokens: Texts
    initial_alphabet: Texts
    interventions: Interventions


class UnigramSettings(TypedDict, total=False):
    """Of `train(corpus, "unigram", …)`."""

    seed_size: int
    prune_fraction: float
    trim_last: bool
    whole_words: bool
    max_token_length: int
    unknown: Literal["character", "word"]
    special_tokens: Texts
    interventions: Interventions


class SentencePieceCommonSettings(TypedDict, total=False):
    """Of both trainers of SentencePiece, as `spm_train` names them."""

    character_coverage: float
    max_sentencepiece_length: int
    split_by_unicode_script: bool
    split_by_number: bool
    split_by_whitespace: bool
    split_digits: bool
    normalization_rule_name: Literal["nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"]
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool
    max_sentence_length: int
    byte_fallback: bool
    user_defined_symbols: Texts
    unk_id: int
    bos_id: int
    eos_id: int
    pad_id: int
    library_version: Literal["0.2.1", "0.2.3"]


class SentencePieceBPESettings(SentencePieceCommonSettings, total=False):
    """Of `train(corpus, "sentencepiece-bpe", …)`."""

    auto_character_coverage: bool
    interventions: Interventions


class SentencePieceUnigramSettings(SentencePieceCommonSettings, total=False):
    """Of `train(corpus, "sentencepiece-unigram", …)`."""

    seed_sentencepiece_size: int
    shrinking_factor: float
    num_sub_iterations: int
    min_expected_count: float
    exact_deltas: bool


class ParityBPESettings(_MergeSettings, total=False):
    """Of `train(corpus, "parity-bpe", …)`."""

    tie_break: Literal["largest-pair", "smallest-ids", "shortest"]
    variant: Literal["base", "window"]
    ratio: str
    window_size: int
    alpha: float
    global_merges: int


class SuperBPESettings(TypedDict, total=False):
    """Of `train(corpus, "super-bpe", …)`."""

    transition_size: int
    words: Literal["superbpe", "gpt2", "gpt4 (cl100k)", "gpt4o (o200k)"]
    longest: int
    unit: Literal["char", "byte"]
    tie_break: Literal["smallest-ids", "largest-pair", "shortest"]
    min_frequency: int
    special_tokens: Texts
    initial_alphabet: Texts
    interventions: Interventions


class HuggingFaceUnigramSettings(TypedDict, total=False):
    """Of `train(corpus, "huggingface-unigram", …)`."""

    shrinking_factor: float
    n_sub_iterations: int
    max_piece_length: int
    min_expected_count: float
    exact_deltas: bool
    unk_token: str
    special_tokens: Texts
    initial_alphabet: Texts


class BoundlessBPESettings(TypedDict, total=False):
    """Of `train(corpus, "boundless-bpe", …)`."""

    words: Literal["boundless", "gpt2", "gpt4 (cl100k)", "gpt4o (o200k)"]
    threshold: float
    unit: Literal["char", "byte"]
    min_frequency: int
    special_tokens: Texts
    initial_alphabet: Texts
    interventions: Interventions


class PickyBPESettings(BPESettings, total=False):
    """Of `train(corpus, "picky-bpe", …)`."""

    threshold: float
