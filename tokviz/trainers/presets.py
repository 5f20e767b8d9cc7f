"""Named settings: how the libraries and texts that people know train their tokenizers.

A preset is data, not code: it names an algorithm, a pre-tokenizer and settings, all of which may be
changed one by one afterwards. Tests compare each one with its own reference, step by step.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.pretokenizers import BertPretokenizer


@dataclass(frozen=True)
class Preset:
    """What one reference trains with. `settings` goes straight into `tokviz.train`, its vocabulary
    size included; `source` says whose it is and `note` what is peculiar about it.

    What a tokenizer does besides (templates, decoders, the model's embedding) is not in it.

    >>> import tokviz
    >>> settings = {**PRESETS["minbpe"].settings, "vocab_size": 259}
    >>> [step.token for step in tokviz.train(["aaabdaaabac"], **settings).steps]
    ['aa', 'aaa', 'aaab']
    """

    __repr__ = short_repr

    name: str
    label: str
    source: str
    note: str
    settings: Mapping[str, Any] = field(hash=False)


_BERT_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
_BYTE_LEVEL = {
    "algorithm": "bpe",
    "pretokenizer": "gpt2",
    "unit": "byte",
    "tie_break": "smallest-ids",
    "initial_alphabet": ("bytes",),
}

#: Presets by name. Vocabulary sizes are the references' own defaults.
PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="hf-bpe",
            label=message("Hugging Face BPE (byte-level)"),
            source="Hugging Face tokenizers, ByteLevelBPETokenizer.train and its defaults.",
            note=message("Ties go to the smallest ids, and a pair must occur twice."),
            settings={**_BYTE_LEVEL, "vocab_size": 30_000, "min_frequency": 2},
        ),
        Preset(
            name="hf-wordpiece",
            label=message("Hugging Face WordPiece"),
            source="Hugging Face tokenizers, BertWordPieceTokenizer.train and its defaults.",
            note=message(
                "Hugging Face's WordPiece trainer is BPE with ##: it merges the most frequent "
                "pair, not the most likely. It numbers ## symbols in the order of a hash "
                "table, so its ties are decided differently in each run; here they are decided "
                "by code point. Its limit of 1,000 characters in the alphabet is not applied."
            ),
            settings={
                "algorithm": "wordpiece",
                "pretokenizer": BertPretokenizer(normalize=True),
                "vocab_size": 30_000,
                "score": "frequency",
                "min_frequency": 2,
                "special_tokens": _BERT_TOKENS,
            },
        ),
        Preset(
            name="gpt2",
            label=message("GPT-2-like"),
            source=(
                "Radford et al. 2019, Language Models are Unsupervised Multitask Learners; trained "
                "as train_new_from_iterator of Hugging Face transformers trains it anew."
            ),
            note=message(
                "OpenAI published the merges, not the program that learned them. Its ids put "
                "<|endoftext|> last and bytes in another order; Hugging Face puts it first."
            ),
            settings={
                **_BYTE_LEVEL,
                "vocab_size": 50_257,
                "special_tokens": ("<|endoftext|>",),
            },
        ),
        Preset(
            name="sennrich",
            label=message("Sennrich et al. 2016 (subword-nmt)"),
            source=(
                "Sennrich, Haddow and Birch 2016, Neural Machine Translation of Rare Words with "
                "Subword Units; rsennrich/subword-nmt, learn_bpe.py."
            ),
            note=message(
                "The suffix </w> is part of a word's last letter, ties go to the largest pair, and "
                "a pair must occur twice. subword-nmt asks for a number of merges (10,000); the "
                "vocabulary size here counts the alphabet too."
            ),
            settings={
                "algorithm": "bpe",
                "pretokenizer": "whitespace",
                "vocab_size": 10_000,
                "tie_break": "largest-pair",
                "end_of_word_suffix": "</w>",
                "suffix_glued": True,
                "min_frequency": 2,
            },
        ),
        Preset(
            name="course-bpe",
            label=message("Hugging Face course: BPE"),
            source="Hugging Face LLM course, chapter 6.5.",
            note=message("Ties go to the pair that is met first."),
            settings={
                "algorithm": "bpe",
                "pretokenizer": "gpt2",
                "vocab_size": 50,
                "unit": "byte",
                "special_tokens": ("<|endoftext|>",),
            },
        ),
        Preset(
            name="course-wordpiece",
            label=message("Hugging Face course: WordPiece"),
            source="Hugging Face LLM course, chapter 6.6.",
            note=message(
                "The likelihood score, compared exactly. As published, the loop spells its first "
                'merge "a##b" by mistake.'
            ),
            settings={
                "algorithm": "wordpiece",
                "pretokenizer": "bert",
                "vocab_size": 70,
                "special_tokens": _BERT_TOKENS,
            },
        ),
        Preset(
            name="course-unigram",
            label=message("Hugging Face course: Unigram"),
            source="Hugging Face LLM course, chapter 6.7.",
            note=message(
                "Exact loss deltas, counts never estimated again; each round removes a tenth, "
                "so the last one overshoots the size."
            ),
            settings={
                "algorithm": "unigram",
                "pretokenizer": "metaspace",
                "vocab_size": 100,
                "trim_last": False,
                "unknown": "word",
            },
        ),
        Preset(
            name="minbpe",
            label=message("minbpe (basic)"),
            source="Andrej Karpathy, karpathy/minbpe, basic.py.",
            note=message(
                "Bytes without pre-tokenization, so tokens run across spaces. It takes the "
                "whole text as one piece, but here each line is one: give the text as a "
                "word-count table in which it is the only word."
            ),
            settings={
                "algorithm": "bpe",
                "pretokenizer": "none",
                "vocab_size": 512,
                "unit": "byte",
                "initial_alphabet": ("bytes",),
            },
        ),
    )
}
