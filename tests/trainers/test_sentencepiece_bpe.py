"""`sentencepiece-bpe` against the library: the same pieces in the same order."""

from functools import cache
from itertools import pairwise

import pytest
from effort import LONG, each
from helpers import book
from hypothesis import given
from hypothesis import strategies as st
from sentencepiece_models import pieces_of, trained_processor

import tokviz
from tokviz.pretokenizers import SentencePiecePretokenizer, make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.text.given_corpus import documents
from tokviz.text.samples import SAMPLES
from tokviz.text.symbols import UNKNOWN, Spelling, Symbol, SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Start, Task
from tokviz.trainers.sentencepiece_bpe import (
    SentencePieceBPE,
    ValidPairs,
    library_pieces,
    rejected_pairs,
)

META = ("<unk>", "<s>", "</s>")


@cache
def lines(name):
    """The lines of a text; `samples` are all bundled texts, one after the other."""
    if name == "samples":
        texts = [s.corpus for s in SAMPLES.values() if isinstance(s.corpus, str)]
        return list(documents("\n".join(texts)))
    return list(documents(book()))


@cache
def library(name, size, **options):
    """The library's model of a text."""
    return trained_processor(lines(name), model_type="bpe", vocab_size=size, **options)


OTHERS = [("book", 500), ("samples", 500), ("book", 4_000)] if LONG else []


def train(name, size, **settings):
    return tokviz.train(lines(name), "sentencepiece-bpe", size, **settings)


@pytest.mark.parametrize(
    ("name", "size"),
    each(
        [("book", 1_000), ("book", 500), ("samples", 1_000), ("samples", 500), ("book", 4_000)], 2
    ),
)
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-bpe")
def test_the_pieces_of_the_library(name, size, checked):
    assert library_pieces(train(name, size)) == pieces_of(library(name, size))
    checked()


@pytest.mark.parametrize(
    "options",
    [
        {"character_coverage": 1.0},
        {"character_coverage": 0.98},
        {"max_sentencepiece_length": 4},
        {"split_by_unicode_script": False},
        {"split_by_number": False},
        {"split_digits": True},
        {"normalization_rule_name": "nfkc_cf"},
        {"normalization_rule_name": "identity"},
        {"add_dummy_prefix": False, "remove_extra_whitespaces": False},
        {"user_defined_symbols": ("the", "<pad>"), "pad_id": 5, "eos_id": -1},
        {"byte_fallback": True, "character_coverage": 0.98},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", each(["samples", "book"], 2))
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-bpe")
def test_the_options_of_the_library(name, options, checked):
    assert library_pieces(train(name, 700, **options)) == pieces_of(library(name, 700, **options))
    checked()


@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-bpe")
def test_pieces_across_spaces(checked):
    """On short texts only: the library looks for neighbours through whole lines, character by
    character, and takes minutes for a book."""
    ours = train("samples", 700, split_by_whitespace=False)
    assert library_pieces(ours) == pieces_of(library("samples", 700, split_by_whitespace=False))
    assert any(" " in symbol.text[1:] for symbol in ours.symbols)
    checked()


@pytest.mark.parametrize("byte_fallback", [False, True])
@pytest.mark.parametrize(("name", "size"), each([("samples", 900), ("book", 1_000)], 2))
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-bpe")
def test_encodes_as_the_library(name, size, byte_fallback, checked):
    """Ids differ in order only; a run of unknown characters is one unknown piece, or bytes."""
    options = {"character_coverage": 0.99, "byte_fallback": byte_fallback}
    ours, theirs = train(name, size, **options), library(name, size, **options)
    tokenizer = ours.tokenizer()
    unknown = 0
    texts = [*lines(name)[:1_000], "x日本語x ½ Ωμέγα ", " ", ""]
    for line in texts:
        found, expected = tokenizer.encode(line), theirs.encode(line, out_type="immutable_proto")
        assert [(i == 0, token) for i, token in zip(found.ids, found.tokens, strict=True)] == [
            (piece.id == 0, "<unk>" if piece.id == 0 else shown(piece.piece))
            for piece in expected.pieces
        ]
        unknown += sum(token == "<unk>" or token.startswith("<0x") for token in found.tokens)
        if "<unk>" not in found.tokens:
            assert tokenizer.decode(found.ids) == theirs.decode([p.id for p in expected.pieces])
    assert unknown
    checked(texts=len(texts))


def shown(piece):
    return Spelling(space_mark="▁").show(Symbol(piece.replace("▁", " ")))


@given(
    st.dictionaries(st.text("ab1. я", min_size=1, max_size=8), st.integers(1, 3), max_size=6),
    st.integers(2, 5),
)
def test_counts_and_rejected_pairs_are_all_pairs(table, longest):
    """In every state candidates and rejected pairs are the pairs of the corpus, each once."""
    words = WordCounts(tuple(table), tuple(table.values()))
    trainer = SentencePieceBPE(1_000, max_sentencepiece_length=longest, character_coverage=0.98)
    pretokenizer = SentencePiecePretokenizer()
    history = trainer.train(words, pretokenizer)
    rules = trainer.piece_rules
    for t in range(len(history) + 1):
        expected = {}
        for w, count in enumerate(words.counts):
            symbols = history.word_symbols(w, t)
            for pair in pairwise(symbols):
                expected[pair] = expected.get(pair, 0) + count
        good, bad = {}, {}
        for pair, count in expected.items():
            left, right = (history.symbols[number] for number in pair)
            text = (left + right).text.replace(" ", "▁")
            known = not (left.unknown or right.unknown)
            (good if known and rules.valid(text) else bad)[pair] = count
        numbers, counts = history.pair_counts(t)
        live = zip(
            history.record.pair_left[numbers].tolist(),
            history.record.pair_right[numbers].tolist(),
            strict=True,
        )
        assert dict(zip(live, counts.tolist(), strict=True)) == good
        rejected = rejected_pairs(history, t)
        assert sorted(rejected["count"]) == sorted(bad.values())
        assert rejected["count"].tolist() == sorted(rejected["count"], reverse=True)
        assert history.candidates(t)["count"].tolist() == sorted(good.values(), reverse=True)
        assert all(rejected.reason)


def test_reasons():
    """A pair that one rule forbids is told that rule; one that two forbid, that there are more."""
    table = {"aя": 7, "a1": 6, "a b": 5, "11": 4, ".a": 3, "aaaaa": 2, "1111a": 1}
    words = WordCounts(tuple(table), tuple(table.values()))
    trainer = SentencePieceBPE(
        40, max_sentencepiece_length=3, split_digits=True, character_coverage=1.0
    )
    history = trainer.train(words, SentencePiecePretokenizer())
    reasons = rejected_pairs(history, len(history)).set_index("token").reason.to_dict()
    assert reasons == {
        "aя": "more than one script",
        "a1": "several rules",
        "a▁b": "a space that is not in front",
        "11": "digits are apart",
        ".a": "more than one script",
        "aaaaa": "more than 3 characters",
        "1a": "several rules",
    }


def test_what_may_not_be_merged_has_the_count_0_and_never_changes():
    """b + a is no piece. It is gone from the first word when a + b becomes one."""
    words, alphabet = WordCounts(("abab", "bac"), (2, 3)), [Symbol("a"), Symbol("b")]
    alphabet.append(Symbol("c", unknown=True))
    table = SymbolTable(Spelling(), (UNKNOWN,), alphabet)
    pairs = ValidPairs(alphabet, lambda text: text != "ba")
    task = Task(Start.of(words, Spelling(), alphabet), table, "shortest", 5, candidates=pairs)
    record, _stop = run_merges(task, None)
    met = list(zip(record.pair_left.tolist(), record.pair_right.tolist(), strict=True))
    assert met == [(0, 1), (1, 0), (0, 2), (3, 3)]
    assert record.keyframe_pair.tolist() == [0]
    assert (record.log_pair.tolist(), record.log_count.tolist()) == ([0, 3, 3], [0, 2, 0])


def test_unknown_characters():
    text = "a " * 70 + "b " * 40 + "c"
    history = tokviz.train(text, "sentencepiece-bpe", 8, character_coverage=0.98)
    assert "c" not in history.vocab(len(history))
    assert history.segmentation(" c", 0) == ["▁", "<unk>"]
    assert history.token_counts(0)[0] == 1
    assert history.tokenizer().encode("acc b").tokens == ["▁a", "<unk>", "▁b"]
    assert history.tokenizer().decode([0]) == "<unk>"
    assert rejected_pairs(history, 0, 1).reason.tolist() == ["unknown character"]


def test_sizes_for_a_form_are_bounds():
    words = count_words(SAMPLES["course"].corpus, make_pretokenizer("sentencepiece"), META)
    trainer, pretokenizer = SentencePieceBPE(1_000), make_pretokenizer("sentencepiece")
    history = trainer.train(words, pretokenizer)
    assert history.vocab_size(0) == trainer.least_vocab_size(words, pretokenizer)
    assert history.vocab_size(len(history)) <= trainer.greatest_vocab_size(words, pretokenizer)
    with pytest.raises(SettingError, match=f"ask for at least {history.vocab_size(0)}"):
        tokviz.train(SAMPLES["course"].corpus, "sentencepiece-bpe", 10)


def test_the_bound_is_reached_where_one_word_folds_up():
    words, pretokenizer = WordCounts((" low",), (3,)), make_pretokenizer("sentencepiece")
    trainer = SentencePieceBPE(1_000)
    history = trainer.train(words, pretokenizer)
    assert len(history) == 3
    assert history.vocab_size(3) == trainer.greatest_vocab_size(words, pretokenizer) == 3 + 4 + 3


def test_no_choice_of_characters_passes_the_bound():
    words, pretokenizer = WordCounts((" low", " 日本"), (3, 2)), make_pretokenizer("sentencepiece")
    chooses = {"byte_fallback": True, "auto_character_coverage": True}
    trainer = SentencePieceBPE(1_000, library_version="0.2.3", **chooses)
    history = trainer.train(words, pretokenizer)
    bound = trainer.greatest_vocab_size(words, pretokenizer)
    assert history.vocab_size(len(history)) <= bound <= history.vocab_size(len(history)) + 20


def test_unknown_characters_need_no_room():
    text = "a " * 100 + "b"
    history = tokviz.train(text, "sentencepiece-bpe", 3 + 2, character_coverage=0.98)
    assert history.vocab(0) == [*META, "▁", "a"]


def test_the_pieces_of_an_earlier_state():
    history = tokviz.train("low low", "sentencepiece-bpe", 9)
    assert library_pieces(history, 1)[3:] == [
        *(("lo", 0.0), ("l", -1.0), ("o", -2.0), ("w", -3.0), ("▁", -4.0))
    ]


def test_stops_where_the_library_goes_on():
    """When nothing is left to merge, the library takes candidates that no longer occur."""
    corpus = ["low low lower newest 10th"] * 3
    theirs = pieces_of(trained_processor(corpus, model_type="bpe", vocab_size=40))
    ours = tokviz.train(corpus, "sentencepiece-bpe", 40)
    assert ours.stopped.startswith("No pair is left: what could still be merged spells no valid")
    steps = len(ours)
    assert [p for p, _ in library_pieces(ours)[: 3 + steps]] == [p for p, _ in theirs[: 3 + steps]]
    assert ours.vocab_size(steps) < len(theirs) == 40
    whole = tokviz.train(["low"], "sentencepiece-bpe", 40)
    assert whole.stopped.startswith("No pair is left: every word is one token.")
