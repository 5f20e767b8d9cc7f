"""Tokenizers of the library, trained on the samples: one of each kind that people have."""

from functools import cache

import tokenizers
from opened_texts import DOCUMENTS
from sentencepiece_models import trained_model
from tokenizers import Regex, decoders, models, normalizers, pre_tokenizers, trainers

import tokviz
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.pretokenizers import from_byte_level

CL100K = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+| ?[^\s\p{L}\p{N}]++[\r\n]*+"
    r"|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
)


LLAMA3 = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)


O200K = (
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+"
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)


def trained(trainer, model, normalizer=None, pre_tokenizer=None, decoder=None):
    """A tokenizer of the library, trained on the samples."""
    made = tokenizers.Tokenizer(model)
    for name, part in (
        ("normalizer", normalizer),
        ("pre_tokenizer", pre_tokenizer),
        ("decoder", decoder),
    ):
        if part is not None:
            setattr(made, name, part)
    made.train_from_iterator(DOCUMENTS, trainer)
    return made


def bpe(**settings):
    return trainers.BpeTrainer(vocab_size=1200, show_progress=False, **settings)


def byte_level_bpe(pattern=None):
    """As GPT-2, or as Llama 3 and its like with their own pattern."""
    alone = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=pattern is None)
    steps = [pre_tokenizers.Split(Regex(pattern), "isolated"), alone] if pattern else [alone]
    return trained(
        bpe(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=["<|endoftext|>"]),
        models.BPE(ignore_merges=pattern == LLAMA3),
        pre_tokenizer=pre_tokenizers.Sequence(steps),
        decoder=decoders.ByteLevel(),
    )


def llama2():
    """No pre-tokenizer: normalizers write ▁, and unknown characters become bytes."""
    return trained(
        bpe(special_tokens=["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256))]),
        models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True),
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        decoder=decoders.Sequence(
            [
                decoders.Replace("▁", " "),
                decoders.ByteFallback(),
                decoders.Fuse(),
                decoders.Strip(" ", 1, 0),
            ]
        ),
    )


def bert():
    return trained(
        trainers.WordPieceTrainer(
            vocab_size=600, show_progress=False, special_tokens=["[UNK]", "[MASK]"]
        ),
        models.WordPiece(unk_token="[UNK]"),
        normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(),
        decoders.WordPiece(),
    )


def clip():
    """Ends of words are marked."""
    return trained(
        bpe(end_of_word_suffix="</w>", special_tokens=["<unk>"]),
        models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"),
        normalizers.Sequence([normalizers.NFC(), normalizers.Lowercase()]),
        pre_tokenizers.Whitespace(),
        decoders.BPEDecoder("</w>"),
    )


def t5(precompiled=True):
    """Unigram with SentencePiece's table of replacements."""
    steps = [normalizers.Replace(Regex(" {2,}"), " ")]
    if precompiled:
        steps.insert(0, normalizers.Precompiled(charsmap()))
    return trained(
        trainers.UnigramTrainer(
            vocab_size=500, show_progress=False, special_tokens=["<unk>", "</s>"], unk_token="<unk>"
        ),
        models.Unigram(),
        normalizers.Sequence(steps),
        pre_tokenizers.Metaspace(prepend_scheme="always"),
        decoders.Metaspace(),
    )


def sentencepiece_model(**settings):
    return trained_model(DOCUMENTS, **settings)


def charsmap():
    from sentencepiece import sentencepiece_model_pb2

    message = sentencepiece_model_pb2.ModelProto()
    message.ParseFromString(sentencepiece_model(vocab_size=600, model_type="bpe"))
    return message.normalizer_spec.precompiled_charsmap


KINDS = {
    "gpt2": byte_level_bpe,
    "cl100k": lambda: byte_level_bpe(CL100K),
    "llama3": lambda: byte_level_bpe(LLAMA3),
    "o200k": lambda: byte_level_bpe(O200K),
    "llama2": llama2,
    "bert": bert,
    "clip": clip,
    "t5": t5,
}


def split_by(pattern):
    split = {"type": "Split", "pattern": {"Regex": pattern}}
    return {**split, "behavior": "Isolated", "invert": False}


def opened(made):
    return open_tokenizer({"tokenizer.json": made.to_str().encode()})


def unescaped(tokens):
    """Displays as the library writes them: it does not tell what looks like a marker apart."""
    return [token.replace("⟨⟨⟩", "⟨").replace("⟨##⟩", "##") for token in tokens]


@cache
def byte_ranks():
    """Byte-level BPE of the samples as ranks, and some tokens that no merges lead to."""
    history = tokviz.train(
        "\n".join(DOCUMENTS), "bpe", 900, "gpt2", unit="byte", initial_alphabet="bytes"
    )
    tokens = [from_byte_level(token) for token in history.vocab(len(history))]
    singles = [bytes([byte]) for byte in range(256)]
    odd = [b" zqx", "中国".encode(), b"qxz"]
    merged = [token for token in tokens if len(token) > 1]
    return {token: rank for rank, token in enumerate([*singles, *odd, *merged])}
