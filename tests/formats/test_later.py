"""What is asked of an opened tokenizer's encoding later is what a slow reading of the library says,
and nothing of it is worked out before."""

import base64
import copy
import json
import pickle

import pytest
import tokenizers
from effort import some
from hypothesis import example, given, settings
from hypothesis import strategies as st
from library_tokenizers import KINDS, opened
from naive_splits import NaiveSentencePiece, NaiveTiktoken, NaiveTokenizers, naive_splits
from sentencepiece_models import trained_model
from tokenizers import AddedToken, normalizers, pre_tokenizers

from tokviz.encoding.later import LaterEncoding
from tokviz.encoding.tokenizer import Encoding
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.formats.readers.rank_file import open_rank_file
from tokviz.text.samples import SAMPLES

PARTS = [
    *("a", "b", "ab", "the", "The", " ", "  ", "\n", "\r\n", "\t", "'s", ".", "12", "x", "▁", "Ġ"),
    *("é", "e\u0301", "中文", "½", "ﬁ", "😀", "\ud83d", "\ude00", "\x00", "İ", "ẞ", "ĠÃ", "<0xE2>"),
    *("<s>", "</s>", "<|endoftext|>", "[UNK]", "[CLS]", "<unk>", "##a", "☃", "नमस्ते", "\u200b"),
]
TEXTS = st.lists(st.sampled_from(PARTS), max_size=20).map("".join)
RANKS = {bytes([byte]): byte for byte in range(256)} | {
    token: 256 + number for number, token in enumerate((b"ab", b" a", "é".encode(), b"\n\n", b"he"))
}
RANK_FILE = b"".join(base64.b64encode(token) + b" %d\n" % i for token, i in RANKS.items())
PATTERNS = [r"\w+|\W", r"\S+", r" ?\p{L}+|\s+|[^\s\p{L}]", r"(?s:.+)", r"a|\n+"]


def added(made):
    """With added tokens, one of which is called as a byte is."""
    made.add_tokens(["ab", AddedToken("<0xE2>"), AddedToken("x", lstrip=True, rstrip=True)])
    made.add_special_tokens(["<|endoftext|>"])
    return made


def changed(made, pre_tokenizer=None, normalizer=None):
    made.pre_tokenizer = pre_tokenizer or made.pre_tokenizer
    made.normalizer = normalizer or made.normalizer
    return made


def byte_level(**values):
    return pre_tokenizers.ByteLevel(**{"add_prefix_space": False, "use_regex": False} | values)


def without_unknown():
    """What it does not know it leaves out."""
    file = json.loads(KINDS["llama2"]().to_str())
    file["model"] |= {"unk_token": None, "byte_fallback": False}
    del file["model"]["vocab"]["▁"]
    file["model"]["merges"] = [pair for pair in file["model"]["merges"] if "▁" not in pair]
    return tokenizers.Tokenizer.from_str(json.dumps(file))


BEFORE = {
    **{
        behavior: lambda behavior=behavior: pre_tokenizers.Split(" ", behavior)
        for behavior in ("removed", "isolated", "merged_with_next", "contiguous")
    },
    "digits": lambda: pre_tokenizers.Digits(True),
    "whitespace": pre_tokenizers.Whitespace,
}
MADE = {
    **KINDS,
    **{f"{kind} added": lambda kind=kind: added(KINDS[kind]()) for kind in KINDS},
    **{
        f"bytes, {name}": lambda before=before: changed(
            KINDS["gpt2"](), pre_tokenizers.Sequence([before(), byte_level()])
        )
        for name, before in BEFORE.items()
    },
    **{
        f"WordPiece, {name}": lambda before=before, normalizer=normalizer: added(
            changed(KINDS["bert"](), before() if before else None, normalizer)
        )
        for name, before, normalizer in (
            ("digits", BEFORE["digits"], normalizers.Lowercase()),
            ("removed", BEFORE["removed"], normalizers.NFKC()),
            ("merged", BEFORE["merged_with_next"], normalizers.NFD()),
            ("whitespace", BEFORE["whitespace"], normalizers.BertNormalizer(lowercase=False)),
            ("both", None, normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents()])),
            ("prepended", BEFORE["isolated"], normalizers.Prepend("a")),
        )
    },
    "bytes, prefixed": lambda: changed(KINDS["gpt2"](), byte_level(add_prefix_space=True)),
    **{
        f"marks, {name}": lambda scheme=scheme, split=split, normalizer=normalizer: changed(
            KINDS["t5"](),
            pre_tokenizers.Metaspace(prepend_scheme=scheme, split=split),
            normalizer,
        )
        for name, scheme, split, normalizer in (
            ("never", "never", True, normalizers.NFKC()),
            ("first", "first", True, normalizers.Sequence([normalizers.NFD()])),
            ("whole", "always", False, normalizers.Lowercase()),
            ("stripped", "always", True, normalizers.Strip()),
            ("longer", "always", True, normalizers.Replace("a", "ab")),
            ("shorter", "first", False, normalizers.Replace("the", "")),
        )
    },
    "marks, added": lambda: added(changed(KINDS["t5"](), normalizer=normalizers.NFKD())),
    "marks, BPE": lambda: changed(KINDS["llama2"](), normalizer=normalizers.NFC()),
    "marks, BPE, NFKD": lambda: changed(
        KINDS["llama2"](),
        pre_tokenizers.Metaspace(prepend_scheme="always"),
        normalizers.Sequence([normalizers.NFKD(), normalizers.StripAccents()]),
    ),
    **{
        f"marks, BPE, {scheme}": lambda scheme=scheme: changed(
            KINDS["llama2"](), pre_tokenizers.Metaspace(prepend_scheme=scheme)
        )
        for scheme in ("always", "never")
    },
    "marks, BPE, as written": lambda: changed(
        KINDS["llama2"](), pre_tokenizers.Metaspace(prepend_scheme="first"), normalizers.Strip()
    ),
    "marks, nothing unknown": without_unknown,
    "bytes, NFD": lambda: changed(KINDS["gpt2"](), normalizer=normalizers.NFD()),
}


def check(tokenizer, naive, text):
    pretokenizer = tokenizer.pretokenizer
    encoding = tokenizer.encode(text)
    assert "offsets" not in vars(encoding)
    ids, tokens, offsets, words, word_ids, untold = [], [], [], [], [], set()
    for given_word, special, own, spans, _ in naive_splits(naive, text):
        ids += own
        tokens += [tokenizer.strings[i] for i in own]
        if special:
            offsets += [(given_word.start, given_word.end)] * len(own)
            word_ids += [None] * len(own)
            continue
        word = pretokenizer.word(given_word)
        word_ids += [len(words)] * len(own)
        cuts = tokenizer.pieces_of(word.text)
        if [piece.id for piece in cuts] == [*own]:
            offsets += [word.span(piece.start, piece.end) for piece in cuts]
        else:
            offsets += spans
            untold.add(len(words))
        words.append(word)
    assert (encoding.ids, encoding.tokens) == (ids, tokens)
    assert "offsets" not in vars(encoding)
    assert encoding.offsets == offsets
    assert (encoding.words, encoding.word_ids, encoding.untold) == (words, word_ids, untold)
    assert encoding.offsets == offsets
    # Whoever asks for the words first gets the same.
    other = tokenizer.encode(text)
    assert (other.words, other.offsets) == (words, offsets)


@pytest.mark.parametrize("kind", MADE)
def test_all_of_a_tokenizer_json_is_as_read_slowly(kind):
    made = MADE[kind]()
    tokenizer, naive = opened(made).tokenizer, NaiveTokenizers(made)

    @given(TEXTS)
    @example("".join(PARTS))
    @example("▁<0xE2>")
    @settings(max_examples=some(60), deadline=None)
    def ask(text):
        check(tokenizer, naive, text)

    ask()


MODELS = {
    "plain": {},
    "bytes": {"byte_fallback": True, "vocab_size": 600},
    "user-defined": {"user_defined_symbols": ("<s>x", "the", "▁▁", "½")},
    "identity": {"normalization_rule_name": "identity", "add_dummy_prefix": False},
    "across spaces": {"split_by_whitespace": False, "remove_extra_whitespaces": False},
}


@pytest.mark.parametrize("options", MODELS)
@pytest.mark.parametrize("model_type", ["unigram", "bpe"])
def test_all_of_a_model_is_as_read_slowly(model_type, options):
    values = MODELS[options]
    lines = SAMPLES["alice"].documents[:200]
    data = trained_model(lines, **{"model_type": model_type, "vocab_size": 300, **values})
    tokenizer = open_tokenizer({"some.model": data}).tokenizer
    naive = NaiveSentencePiece(data, values.get("add_dummy_prefix", True))

    @given(TEXTS)
    @example("".join(PARTS))
    @settings(max_examples=some(60), deadline=None)
    def ask(text):
        check(tokenizer, naive, text)

    ask()


@pytest.mark.parametrize("pattern", PATTERNS)
def test_all_of_ranks_is_as_read_slowly(pattern):
    tokenizer = open_rank_file("some.tiktoken", RANK_FILE, pattern).tokenizer
    naive = NaiveTiktoken(RANKS, pattern)

    @given(TEXTS)
    @example("".join(PARTS))
    @settings(max_examples=some(100), deadline=None)
    def ask(text):
        check(tokenizer, naive, text)

    ask()


def test_words_of_wordpiece_ask_no_encoder_where_characters_keep_their_places(monkeypatch):
    tokenizer = opened(KINDS["bert"]()).tokenizer
    later = tokenizer.encode("The Thé ab, 中"), tokenizer.encode("The Thé ab,")
    monkeypatch.setattr(type(tokenizer), "pieces_of", None)
    with pytest.raises(TypeError):
        _ = later[0].offsets
    assert [(word.text, word.start, word.end) for word in later[1].words] == [
        *(("the", 0, 3), ("the", 4, 7), ("ab", 8, 10), (",", 10, 11)),
    ]


def test_it_is_an_encoding_as_any():
    files = {"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"a b"}
    tokenizer = open_tokenizer(files).tokenizer
    later = tokenizer.encode("abb")
    assert isinstance(later, LaterEncoding)
    assert later == tokenizer.encode("abb")
    assert later != tokenizer.encode("bab")
    assert len(later) == 2
    assert repr(later) == "LaterEncoding(tokens=['ab', 'b'], ids=[2, 1])"
    for same in (pickle.loads(pickle.dumps(later)), copy.copy(later)):
        assert type(same) is Encoding
        assert (same, same.offsets) == (later, [(0, 2), (2, 3)])
    with pytest.raises(AttributeError):
        _ = later.of_another_name


@pytest.mark.parametrize("kind", ["gpt2", "llama2", "t5", "bert", "ranks", "model"])
def test_whoever_asks_for_the_offsets_does_not_wait_for_the_words(kind):
    if kind == "ranks":
        tokenizer = open_rank_file("some.tiktoken", RANK_FILE, PATTERNS[0]).tokenizer
    elif kind == "model":
        data = trained_model(["The a he"] * 9, vocab_size=11, model_type="bpe")
        tokenizer = open_tokenizer({"some.model": data}).tokenizer
    else:
        tokenizer = opened(KINDS[kind]()).tokenizer
    encoding = tokenizer.encode("The a he")
    assert encoding.offsets[-1][1] == 8
    assert not {"words", "word_ids"} & {*vars(encoding)}
    assert " ".join(word.text.strip() for word in encoding.words).lower().split()[-1] == "he"


@pytest.mark.parametrize("text", ["", "é"])
def test_a_text_without_tokens(text):
    files = {"vocab.json": b'{"a": 0, "b": 1, "ab": 2}', "merges.txt": b"a b"}
    encoding = open_tokenizer(files).tokenizer.encode(text)
    assert (encoding.ids, encoding.tokens, encoding.offsets) == ([], [], [])


def test_where_the_pieces_of_a_model_are_asks_no_encoder(monkeypatch):
    data = trained_model(SAMPLES["alice"].documents[:200], model_type="unigram", vocab_size=300)
    tokenizer = open_tokenizer({"some.model": data}).tokenizer
    with monkeypatch.context() as patched:
        patched.setattr(type(tokenizer), "pieces_of", None)
        encoding = tokenizer.encode("Alice é")
        assert encoding.offsets[-1] == (6, 7)
    assert encoding.untold == set()
