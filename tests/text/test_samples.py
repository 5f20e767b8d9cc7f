"""The bundled corpora are there, are what they claim to be, and say where they come from."""

import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from tokviz.analysis.language_costs import declarations
from tokviz.text import samples
from tokviz.text.samples import SAMPLES

TEXTS = Path(samples.__file__).parent / "sample_texts"
ARTICLE_1 = [s for s in SAMPLES.values() if s.name.startswith("udhr-")]

# The first words of the Unicode names that the letters of a script have.
LETTERS = {
    "Latin": {"LATIN"},
    "Cyrillic": {"CYRILLIC"},
    "Greek": {"GREEK"},
    "Arabic": {"ARABIC"},
    "Hebrew": {"HEBREW"},
    "Devanagari": {"DEVANAGARI"},
    "Thai": {"THAI"},
    "Han": {"CJK"},
    "Japanese": {"CJK", "HIRAGANA"},
    "Hangul": {"HANGUL"},
}


def scripts_of(text):
    """The first word of the name of every letter and mark in the text."""
    return {unicodedata.name(c).split()[0] for c in text if unicodedata.category(c)[0] in "LM"}


def apply_merges(symbols, merges):
    for left, right in merges:
        merged, i = [], 0
        while i < len(symbols):
            if symbols[i : i + 2] == [left, right]:
                merged.append(left + right)
                i += 2
            else:
                merged.append(symbols[i])
                i += 1
        symbols = merged
    return symbols


def test_the_list_begins_with_the_course_and_uses_each_name_once():
    assert list(SAMPLES)[:6] == ["course", "low-lower", "hug-pug", "aaabdaaabac", "alice", "udhr"]
    assert all(name == sample.name for name, sample in SAMPLES.items())


@pytest.mark.parametrize("sample", SAMPLES.values(), ids=lambda sample: sample.name)
def test_every_sample_says_what_it_is_and_may_be_hashed(sample):
    for text in (sample.title, sample.language, sample.source, sample.licence, sample.note):
        assert text
        assert text == text.strip()
    assert sample.settings["algorithm"]
    assert sample.settings["vocab_size"] > 0
    assert sample.settings["pretokenizer"]
    assert sample.expected
    assert sample.corpus
    assert hash(sample) == hash(sample)


@pytest.mark.parametrize("path", sorted(TEXTS.iterdir()), ids=lambda path: path.name)
def test_text_files_are_clean(path):
    data = path.read_bytes()
    text = data.decode("utf-8")
    assert unicodedata.is_normalized("NFC", text)
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert b"\r" not in data
    assert not text.startswith("\ufeff")
    assert all(line and line == line.strip() and "  " not in line for line in text[:-1].split("\n"))
    assert not {unicodedata.category(c) for c in text if c != "\n"} & {"Cc", "Cf", "Cn", "Co", "Cs"}
    files = {name for sample in SAMPLES.values() for name in (sample.file, sample.held_out_file)}
    assert path.name in files


def test_word_tables_are_copies():
    counts = SAMPLES["hug-pug"].corpus
    counts["hug"] = 0
    assert SAMPLES["hug-pug"].corpus["hug"] == 10
    assert SAMPLES["hug-pug"].documents == []
    assert SAMPLES["low-lower"].corpus == {"low": 5, "lower": 2, "newest": 6, "widest": 3}


def test_expected_numbers_hold_where_counting_is_enough():
    course = SAMPLES["course"]
    assert len(course.documents) == 4
    alphabet = set(course.corpus) - {"\n"}
    assert len(alphabet) == course.expected["alphabet"]
    assert len(alphabet) + len(course.expected["bpe_merges"]) == course.settings["vocab_size"] == 50
    for text, tokens in course.expected["encode"].items():
        assert tokens.replace(" ", "") == text.replace(" ", "Ġ")

    low = SAMPLES["low-lower"]
    assert len(set("".join(low.corpus))) == low.expected["alphabet"]
    assert low.expected["alphabet"] + len(low.expected["bpe_merges"]) == low.settings["vocab_size"]
    for word, tokens in low.expected["encode"].items():
        assert apply_merges(list(word), low.expected["bpe_merges"]) == tokens.split()

    aaab = SAMPLES["aaabdaaabac"]
    assert aaab.corpus == "aaabdaaabac"
    encoded = apply_merges(list(aaab.corpus), aaab.expected["bpe_merges"])
    assert encoded == aaab.expected["encode"][aaab.corpus].split()


def test_hug_pug_probabilities_are_those_of_its_strict_substrings():
    sample = SAMPLES["hug-pug"]
    counts = Counter()
    for word, n in sample.corpus.items():
        for i in range(len(word)):
            for j in range(i + 1, len(word) + 1):
                if j - i < len(word):
                    counts[word[i:j]] += n
    # A whole word counts too where it is part of another word.
    for word, n in sample.corpus.items():
        if word in counts:
            counts[word] += n
    assert len(counts) == sample.expected["unigram_seeds"]
    assert sum(counts.values()) == sample.expected["unigram_total"]
    assert counts["p"] == 17
    for pieces, probability in sample.expected["probabilities"].items():
        product = 1.0
        for piece in pieces:
            product *= counts[piece] / 210
        assert product == pytest.approx(probability, rel=1e-12)


def test_alice_is_the_right_size_and_carries_no_other_name():
    alice = SAMPLES["alice"]
    data = (TEXTS / alice.file).read_bytes()
    assert 20_000 <= len(data) <= 50_000
    assert data.isascii()
    assert b"gutenberg" not in data.lower()
    assert len(alice.corpus) == alice.expected["characters"]
    assert len(alice.documents) == alice.expected["lines"]
    assert len(alice.corpus.split()) == alice.expected["words"]
    assert alice.documents[0] == "CHAPTER I"
    assert "CHAPTER III" in alice.documents
    assert not any(line.startswith("CHAPTER IV") for line in alice.documents)


def test_ten_languages_hold_out_articles_that_say_the_same_in_each():
    sample = SAMPLES["ten-languages"]
    texts, held = sample.corpus, sample.held_out
    assert len(texts) == 10
    assert list(texts) == list(held) == [name for name in declarations() if name in texts]
    first = {name: text.split("\n")[0] for name, text in texts.items()}
    assert first == {name: declarations()[name] for name in texts}, "Article 1 of the other samples"
    # Articles 11, 13 and 14 are two paragraphs each, and Article 2, which Thai has as one.
    assert {text.count("\n") for text in held.values()} == {6}
    assert {name for name, text in texts.items() if text.count("\n") != 10} == {"Thai"}
    lines = {line for text in texts.values() for line in text.split("\n")}
    assert not lines & {line for text in held.values() for line in text.split("\n")}
    assert not set(texts["Chinese"] + held["Chinese"]) & set(",;:()")
    assert " ।" not in texts["Hindi"] + held["Hindi"]
    assert sum(map(len, texts.values())) == sample.expected["characters"]
    assert sum(map(len, held.values())) == sample.expected["held_out_characters"]
    assert SAMPLES["udhr"].held_out == {}


def test_article_1_has_sixteen_languages_in_ten_scripts():
    assert len({s.language for s in ARTICLE_1}) == 16
    assert len({s.expected["script"] for s in ARTICLE_1}) == 10
    everything = SAMPLES["udhr"]
    assert everything.documents == [s.corpus for s in ARTICLE_1]
    text = "".join(everything.documents)
    assert len(everything.documents) == everything.expected["lines"]
    assert len(text) == everything.expected["characters"]
    assert len(text.encode()) == everything.expected["bytes"]


@pytest.mark.parametrize("sample", ARTICLE_1, ids=lambda sample: sample.language)
def test_article_1_is_in_the_script_it_claims_and_free_of_markup(sample):
    assert scripts_of(sample.corpus) == LETTERS[sample.expected["script"]]
    assert not set(sample.corpus) & set("<>[]{}&\\|_")
    assert "Compared with" in sample.source
    # The byte alphabet fits into the vocabulary that the sample is best shown with.
    pieces = set(sample.corpus.encode())
    assert len(pieces) < sample.settings["vocab_size"]
