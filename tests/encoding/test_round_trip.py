"""What encoding and decoding lose, and that nothing else is lost."""

from functools import cache
from itertools import pairwise

import pytest
import sentencepiece
from contract_runs import TRAINERS as CONTRACT
from effort import some
from helpers import ALPHABETS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from library_tokenizers import KINDS, opened, sentencepiece_model
from opened_texts import lines

import tokviz
from tokviz.encoding.round_trip import REASONS, decoded_characters, round_trip
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.pretokenizers import BertPretokenizer, make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.samples import SAMPLES

SPECIAL = ("<s>", "<unk>", "[UNK]")
TRAINERS = CONTRACT | {
    "bpe bytes, few": ("bpe", {"unit": "byte"}),
    "wordpiece, normalized": ("wordpiece", {"pretokenizer": BertPretokenizer(normalize=True)}),
    "wordpiece, gpt2": ("wordpiece", {"pretokenizer": "gpt2"}),
    "bpe pattern": ("bpe", {"pretokenizer": make_pretokenizer("regex", pattern=r"\w+")}),
    "unigram, whole words": ("unigram", {"unknown": "word"}),
    "unigram, spaces": ("unigram", {"pretokenizer": "whitespace"}),
    "sentencepiece bpe, bytes": (
        "sentencepiece-bpe",
        {"byte_fallback": True, "normalization_rule_name": "identity"},
    ),
    "sentencepiece unigram, spaces kept": (
        "sentencepiece-unigram",
        {"add_dummy_prefix": False, "remove_extra_whitespaces": False, "byte_fallback": True},
    ),
}
TEXTS = st.text("".join(ALPHABETS) + "THisé½①\t\n\u3000\u200b.,'<s>[UNK]", max_size=25) | st.text(
    st.characters() | st.characters(categories=["Cs"]), max_size=10
)


CORPUS = SAMPLES["course"].corpus


@cache
def trained(key, special):
    algorithm, settings = TRAINERS[key]
    settings = dict(settings)
    if special:
        name = "user_defined_symbols" if algorithm.startswith("sent") else "special_tokens"
        settings[name] = SPECIAL[:1] if algorithm.startswith("sent") else SPECIAL
    pretokenizer = settings.pop("pretokenizer", None)
    trainer = tokviz.make_trainer(algorithm, 1, **settings)
    chosen = make_pretokenizer(pretokenizer or trainer.default_pretokenizer)
    words = count_words(CORPUS, chosen, trainer.special_tokens)
    size = trainer.least_vocab_size(words, chosen) + 30
    return tokviz.train(CORPUS, algorithm, size, chosen, **settings)


def check(tokenizer, text, encoding=None):
    trip = round_trip(tokenizer, text, encoding)
    encoding = encoding or tokenizer.encode(text)
    assert trip.decoded == tokenizer.decode([i for i in encoding.ids if i is not None])
    assert trip.restored() == text
    assert trip.exact == (trip.decoded == text) == (not trip.differences)
    at = decoded_at = 0
    covered = {i for start, end in encoding.offsets for i in range(start, end)}
    for start, end, decoded_start, decoded_end, reason in trip.differences:
        assert at <= start <= end
        assert decoded_at <= decoded_start <= decoded_end
        source, decoded = text[start:end], trip.decoded[decoded_start:decoded_end]
        assert source != decoded
        check_reason(tokenizer, encoding, covered, (start, end), source, decoded, reason)
        at, decoded_at = end, decoded_end
    return trip


def check_reason(tokenizer, encoding, covered, span, source, decoded, reason):
    assert reason in REASONS
    named = getattr(tokenizer.pretokenizer, "name", "")
    normalizes = named == "sentencepiece" or getattr(tokenizer.pretokenizer, "normalize", False)
    if reason == "unknown token":
        unknown = ("<unk>", "[UNK]", "</u>")
        assert any(
            (i is None or token in unknown) and start < span[1] and span[0] < end
            for i, token, (start, end) in zip(
                encoding.ids, encoding.tokens, encoding.offsets, strict=True
            )
        )
    elif reason == "lone surrogate":
        assert any("\ud800" <= char <= "\udfff" for char in source)
        assert "\ufffd" in decoded
    elif reason.startswith("white space"):
        assert not (source + decoded).strip()
        kinds = {"dropped": (True, False), "added": (False, True), "changed": (True, True)}
        assert kinds[reason.split()[-1]] == (bool(source), bool(decoded))
    elif reason == "left out":
        assert not covered & set(range(*span))
    else:
        assert normalizes


@settings(max_examples=some(1500))
@given(st.sampled_from(sorted(TRAINERS)), st.booleans(), TEXTS, st.floats(0, 1))
def test_the_differences_restore_the_text(key, special, text, share):
    history = trained(key, special)
    check(history.tokenizer(round(share * len(history))), text)


@settings(max_examples=some(200))
@given(TEXTS, st.integers(0, 9))
def test_of_sampled_encodings_and_other_encoders(text, seed):
    merges = trained("bpe characters", True).tokenizer()
    check(merges, text, merges.encode(text, dropout=0.5, seed=seed))
    unigram = trained("unigram", True).tokenizer()
    check(unigram, text, unigram.sample(text, seed=seed))
    check(trained("bpe largest pair, suffix", True).tokenizer(None, "longest-token"), text)


@pytest.mark.parametrize("key", TRAINERS)
def test_most_of_the_corpus_comes_back(key):
    trip = check(trained(key, False).tokenizer(), CORPUS)
    changed = sum(d.end - d.start for d in trip.differences)
    assert changed < len(CORPUS) / (2 if "pattern" in key else 6)


def spans(trip):
    return [
        (trip.text[d.start : d.end], trip.decoded[d.decoded_start : d.decoded_end], d.reason)
        for d in trip.differences
    ]


@pytest.mark.parametrize(
    ("key", "text", "found"),
    [
        ("bpe bytes", "This é日 \n \U0001f600", []),
        ("bpe bytes", "a\ud800b", [("\ud800", "\ufffd" * 3, "lone surrogate")]),
        ("bpe bytes, few", "aéz", [("é", "", "unknown token")]),
        ("bpe characters", "This ü!", [("ü!", "", "unknown token")]),
        ("bpe pattern", "This, is", [(", ", "", "left out")]),
        ("wordpiece", "Th  is", [(" ", "", "white space dropped")]),
        ("wordpiece", "This.", [("", " ", "white space added")]),
        ("wordpiece", "This\tis", [("\t", " ", "white space changed")]),
        (
            "wordpiece",
            "This qi is",
            [(" ", "", "white space dropped"), ("qi", "", "unknown token")],
        ),
        ("wordpiece, normalized", "thïs", [("ï", "i", "normalization")]),
        ("wordpiece, normalized", "THIS is", [("THIS", "this", "normalization")]),
        ("wordpiece, gpt2", "This is", [("", " ", "white space added")]),
        ("unigram", " This is", [(" ", "", "white space dropped")]),
        ("unigram", "This ü is", [("ü", "", "unknown token")]),
        ("sentencepiece bpe", "This  is ", [(" ", "", "white space dropped")] * 2),
        ("sentencepiece bpe", "Ｔhis", [("Ｔ", "T", "normalization")]),
        ("sentencepiece bpe, bytes", "This é ½", []),
        ("sentencepiece unigram, spaces kept", "  is  é ", []),
        ("sentencepiece unigram", "is▁is", [("▁", " ", "normalization")]),
    ],
)
def test_what_is_lost_and_why(key, text, found):
    assert spans(check(trained(key, False).tokenizer(), text)) == found


def test_special_tokens():
    tokenizer = trained("unigram", True).tokenizer()
    assert spans(check(tokenizer, "is<s>is")) == [("", " ", "white space added")]
    assert spans(check(tokenizer, "is ü <unk>")) == [
        ("ü", "<unk>", "unknown token"),
        (" ", "", "white space dropped"),
    ]


SOME_BYTES = st.sampled_from([0x61, 0x80, 0xA0, 0xC3, 0xE2, 0xED, 0xF0, 0x9F, 0xF4, 0xFF])


@given(
    st.binary(max_size=12)
    | st.text().map(str.encode)
    | st.lists(SOME_BYTES, max_size=80).map(bytes)
)
@example(b"\xed\xa0")
@example(b"a" * 62 + "é😀é".encode() * 3 + b"\xff")
def test_characters_of_bytes_are_those_of_the_decoder(data):
    text, bounds = decoded_characters(data)
    assert text == data.decode("utf-8", "replace")
    assert [data[a:b].decode("utf-8", "replace") for a, b in pairwise(bounds)] == list(text)
    assert (bounds[0], bounds[-1]) == (0, len(data))
    assert bounds == sorted(set(bounds))


def test_a_long_text_that_is_all_broken():
    tokenizer = trained("bpe bytes", False).tokenizer()
    trip = check(tokenizer, "\ud800" * 20_000)
    assert len(trip.decoded) == 60_000


@pytest.mark.parametrize("kind", ["t5", "llama2", "bert", "gpt2", "clip"])
def test_what_comes_back_of_a_file_is_what_its_library_decodes(kind):
    made = KINDS[kind]()
    tokenizer = opened(made).tokenizer
    for line in ["low  lower ½", *lines(120, seed=6)]:
        trip = round_trip(tokenizer, line)
        ids = made.encode(line, add_special_tokens=False).ids
        assert trip.decoded == made.decode(ids, skip_special_tokens=False)
        assert trip.restored() == line


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_what_comes_back_of_a_model_is_what_its_library_decodes(model_type):
    data = sentencepiece_model(vocab_size=600, model_type=model_type)
    tokenizer = open_tokenizer({"some.model": data}).tokenizer
    library = sentencepiece.SentencePieceProcessor(model_proto=data)
    for line in ["low lower", "low  lower ½", "\U00013000 low", *lines(120, seed=6)]:
        trip = round_trip(tokenizer, line)
        assert trip.decoded == library.decode(library.encode(line))
        assert trip.restored() == line
    # The space that the model puts in front is no difference.
    [two_spaces, ligature] = round_trip(tokenizer, "the  rabbit ﬁ").differences
    assert (two_spaces.reason, ligature.start) == ("white space dropped", 12)
