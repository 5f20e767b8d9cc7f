"""Texts by language: what each algorithm trains on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.grid import grid
from tokviz.text.languages import by_language, header, joined, parted, together

TEXTS = {"en": "hug pug\nhugs", "el": "αβ αβγ"}
HEADED = "=== en ===\nhug pug\nhugs\n=== el ===\nαβ αβγ"
#: Algorithms with a vocabulary that the texts allow.
SIZES = {
    name: {"sentencepiece-unigram": 14, "sentencepiece-bpe": 14}.get(name, 12)
    for name in tokviz.TRAINERS
}


@pytest.mark.parametrize("algorithm", [name for name in SIZES if name != "parity-bpe"])
def test_every_other_algorithm_trains_on_the_texts_without_a_header(algorithm):
    by_texts = tokviz.train(TEXTS, algorithm, SIZES[algorithm])
    by_text = tokviz.train("hug pug\nhugs\nαβ αβγ", algorithm, SIZES[algorithm])
    assert by_texts == by_text
    assert by_texts.words.languages is None
    assert not any("=" in word for word in by_texts.words.words)


def test_parity_aware_bpe_is_told_of_the_languages():
    assert tokviz.train(TEXTS, "parity-bpe", 12) == tokviz.train(HEADED, "parity-bpe", 12)


def test_all_have_the_same_words_as_often():
    told, others = (tokviz.train(TEXTS, name, 12, "gpt2") for name in ("parity-bpe", "bpe"))
    assert (told.words.words, told.words.counts) == (others.words.words, others.words.counts)


def test_a_text_stays_a_text():
    """As the library has it, a line such as a header is one as any other."""
    words = tokviz.train(HEADED, "bpe", 20, "gpt2").words
    assert words.counts[words.words.index("===")] == 2
    assert " en" in words.words


def test_what_only_measures_is_trained_on_by_nobody():
    texts = {**TEXTS, "el, development": "δδδ"}
    assert together(texts) == together(TEXTS)
    assert by_language(joined(TEXTS, {"el": "δδδ"})) == texts
    history = tokviz.train(texts, "parity-bpe", 13)
    assert history.by_development
    assert "δδδ" not in history.words.words


LINES = st.sampled_from(["low", "", " ", "αβ", "=== a ===", "=== b ===", "=== a, development ==="])


@given(st.lists(LINES))
def test_headers_put_in_again_part_a_text_as_before(lines):
    text = "\n".join(lines)
    again = joined(by_language(text))

    def texts(of):
        return [(name, held, "\n".join(lines)) for name, held, lines in parted(of)]

    assert texts(again) == texts(text)
    plain = together(by_language(text)).split("\n")
    assert not any(map(header, plain))


def test_tables_that_are_no_texts_by_language_are_still_refused():
    with pytest.raises(tokviz.CorpusError, match="this is a table"):
        tokviz.train({"text": ["low", "lower"]}, "bpe", 9)


def test_a_comparison_and_a_grid_take_texts_by_language():
    runs = [tokviz.train(TEXTS, name, 12) for name in ("bpe", "wordpiece", "parity-bpe")]
    found = tokviz.compare(runs, TEXTS)
    assert found.corpus == together(TEXTS)
    assert found.partings.equals(tokviz.compare(runs, together(TEXTS)).partings)
    assert found.held_out(TEXTS).equals(found.held_out(together(TEXTS)))
    names = ["bpe", "unigram"]
    one, other = (grid(corpus, names, [12, 14]).table for corpus in (TEXTS, together(TEXTS)))
    assert one.equals(other)
