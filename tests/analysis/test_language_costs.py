"""What a text costs in several languages: worked by hand, and counted anew by a plain BPE."""

import re
from collections import Counter
from fractions import Fraction

import library_tokenizers
import pytest
import regex

import tokviz
from tokviz.analysis.language_costs import (
    beside,
    compared,
    declarations,
    language_costs,
    mixed,
    who_pays,
)
from tokviz.formats.readers.opened import open_tokenizer

BYTES = {"algorithm": "bpe", "pretokenizer": "gpt2", "unit": "byte", "initial_alphabet": ("bytes",)}
#: As published with GPT-2.
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
TINY = {"English": "ab ab", "Greek": "αβ αβ", "Thai": "กก"}


def merged(word, pair):
    done, at = [], 0
    while at < len(word):
        joins = tuple(word[at : at + 2]) == pair
        done.append(pair[0] + pair[1] if joins else word[at])
        at += 2 if joins else 1
    return done


def plain_bpe(documents, merges):
    """Byte-level BPE as in a textbook: the most frequent pair, of several the one met first."""
    words = Counter(word for line in documents for word in regex.findall(GPT2, line))
    cut = {word: [(byte,) for byte in word.encode()] for word in words}
    learned = []
    for _ in range(merges):
        pairs = Counter()
        for word, count in words.items():
            for pair in zip(cut[word], cut[word][1:], strict=False):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=pairs.__getitem__)
        learned.append(best)
        cut = {word: merged(tokens, best) for word, tokens in cut.items()}
    return learned


def plain_count(text, learned):
    total = 0
    for word in regex.findall(GPT2, text):
        tokens = [(byte,) for byte in word.encode()]
        for pair in learned:
            tokens = merged(tokens, pair)
        total += len(tokens)
    return total


def test_the_declaration_is_there_in_every_language():
    texts = declarations()
    assert " ".join(texts) == (
        "English French Spanish German Turkish Vietnamese Swahili Russian Greek Arabic Hebrew "
        "Hindi Thai Chinese Japanese Korean"
    )
    assert list(texts.values()) == tokviz.SAMPLES["udhr"].documents
    assert texts["Thai"].startswith("มนุษย์")


def test_the_corpus_has_each_text_as_often_as_it_has_parts():
    texts = {"English": "one\ntwo", "Greek": "αβ", "Thai": "ก"}
    assert mixed(texts, {"English": 2, "Thai": 1}) == ["one", "two", "one", "two", "ก"]
    # The order of the parts is not that of the corpus.
    assert mixed(texts, {"Thai": 1, "Greek": 0, "English": 2}) == mixed(
        texts, {"English": 2, "Thai": 1}
    )
    joined = "\n".join(mixed(texts, {"English": 1, "Greek": 3}))
    assert joined == "one\ntwo\nαβ\nαβ\nαβ"


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"Latin": 1}, "Latin has no text; name one of English, Greek, Thai."),
        ({"Greek": -1}, "Greek has -1 parts; give it 0, which leaves it out, or more."),
        ({"Greek": 0}, "No language has a part in the corpus; give at least one of them 1 part."),
        ({}, "No language has a part in the corpus; give at least one of them 1 part."),
    ],
)
def test_a_mix_that_cannot_be(parts, said):
    with pytest.raises(ValueError, match=re.escape(said)):
        mixed(TINY, parts)


def test_before_any_merge_tokens_are_bytes():
    history = tokviz.train(mixed(TINY, {"English": 1}), **BYTES, vocab_size=256)
    table = language_costs(history.tokenizer(), TINY)
    # "ab ab" has 5 bytes; αβ has 4, and there are 2 of it and a space; each ก has 3.
    assert table["characters"].tolist() == [5, 5, 2]
    assert table["bytes"].tolist() == table["tokens"].tolist() == [5, 9, 6]
    assert table["unknown"].tolist() == [0, 0, 0]
    assert table["tokens_per_character"].tolist() == [5 / 5, 9 / 5, 6 / 2]
    assert table["ratio"].tolist() == [1.0, 9 / 5, 6 / 5]
    assert table["cheapest"].tolist() == [True, False, False]


def test_after_merges_that_can_be_told_by_hand():
    # English alone: a + b (2 times), then " " + ab: two tokens are left, and nothing else.
    history = tokviz.train(mixed(TINY, {"English": 1}), **BYTES, vocab_size=258)
    assert [step.count for step in history.steps] == [2, 1]
    english = language_costs(history.tokenizer(), TINY)
    assert english["tokens"].tolist() == [2, 9, 6]
    assert english["ratio"].tolist() == [1.0, 4.5, 3.0]
    # Thai twice as well: E0 B8 occurs 4 times, and with the 81 after it E0 B8 81 does.
    history = tokviz.train(mixed(TINY, {"English": 1, "Thai": 2}), **BYTES, vocab_size=258)
    assert [step.count for step in history.steps] == [4, 4]
    thai = language_costs(history.tokenizer(), TINY)
    assert thai["tokens"].tolist() == [5, 9, 2]
    assert thai["ratio"].tolist() == [2.5, 4.5, 1.0]
    assert thai["cheapest"].tolist() == [False, False, True]
    both = compared(english, thai)
    assert both["language"].tolist() == ["Greek", "Thai", "English"]
    assert both["change"].tolist() == [0.0, 100 * -4 / 6, 150.0]
    assert both["cheapest_before"].tolist() == [False, False, True]
    assert both["bytes"].tolist() == [9, 6, 5]


@pytest.mark.parametrize(
    ("parts", "size"),
    [
        ({"English": 1}, 350),
        (dict.fromkeys(declarations(), 1), 350),
        ({**dict.fromkeys(declarations(), 1), "Thai": 5}, 330),
        ({"Korean": 3, "Arabic": 1, "French": 9}, 320),
    ],
)
def test_the_declaration_counted_anew(parts, size):
    texts = declarations()
    documents = mixed(texts, parts)
    history = tokviz.train("\n".join(documents), **BYTES, vocab_size=size)
    table = language_costs(history.tokenizer(), texts)
    learned = plain_bpe(documents, size - 256)
    expected = [plain_count(text, learned) for text in texts.values()]
    assert table["tokens"].tolist() == expected
    assert [Fraction(r).limit_denominator(1000) for r in table["ratio"]] == [
        Fraction(n, min(expected)) for n in expected
    ]
    assert table["cheapest"].tolist() == [n == min(expected) for n in expected]


def test_a_language_with_more_parts_costs_less():
    """The numbers are those of the plain BPE above."""
    texts = declarations()
    alike = dict.fromkeys(texts, 1)
    tokens = {}
    for thai in (1, 5):
        history = tokviz.train(mixed(texts, alike | {"Thai": thai}), **BYTES, vocab_size=350)
        table = language_costs(history.tokenizer(), texts).set_index("language")
        tokens[thai] = table["tokens"]
    assert (tokens[1]["Thai"], tokens[5]["Thai"]) == (210, 132)
    assert (tokens[1]["Greek"], tokens[5]["Greek"]) == (226, 258)


def test_the_order_of_the_texts_is_only_that_of_the_rows():
    history = tokviz.train(mixed(TINY, {"English": 1}), **BYTES, vocab_size=257)
    table = language_costs(history.tokenizer(), TINY).set_index("language")
    turned = language_costs(history.tokenizer(), dict(reversed(TINY.items())))
    assert turned["language"].tolist() == ["Thai", "Greek", "English"]
    assert turned.set_index("language").loc[table.index].equals(table)


def test_several_can_be_the_cheapest_and_stay_in_their_order():
    texts = {"A": "xy", "B": "zw", "C": "xyz"}
    history = tokviz.train(["xy"], **BYTES, vocab_size=256)
    table = language_costs(history.tokenizer(), texts)
    assert table["cheapest"].tolist() == [True, True, False]
    both = compared(table, table)
    assert both["language"].tolist() == ["C", "A", "B"]
    assert both["change"].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("algorithm", "more", "tokens", "unknown"),
    [
        # By characters every one that is not known is a token without an id.
        ("bpe", {"pretokenizer": "whitespace"}, [2, 4], [0, 4]),
        # A word with an unknown character is one unknown token, so that Greek looks cheap.
        ("wordpiece", {"pretokenizer": "whitespace"}, [2, 2], [0, 2]),
        (
            "wordpiece",
            {"pretokenizer": "whitespace", "special_tokens": ("[PAD]", "[UNK]")},
            [2, 2],
            [0, 2],
        ),
        # SentencePiece writes a run of unknown characters as one, after the mark of the space.
        ("sentencepiece-bpe", {"pretokenizer": "sentencepiece"}, [2, 4], [0, 2]),
    ],
)
def test_what_the_vocabulary_does_not_hold_is_told(algorithm, more, tokens, unknown):
    history = tokviz.train(mixed(TINY, {"English": 1}), algorithm, 20, **more)
    texts = {"English": "ab ab", "Greek": "αβ αβ"}
    table = language_costs(history.tokenizer(), texts)
    assert table["tokens"].tolist() == tokens
    assert table["unknown"].tolist() == unknown


def test_special_tokens_and_bytes_are_not_unknown():
    history = tokviz.train(
        ["ab ab [UNK]"], "wordpiece", 20, "whitespace", special_tokens=("[UNK]",)
    )
    table = language_costs(history.tokenizer(), {"A": "ab [UNK] ab", "B": "ab ✗ ab"})
    assert table["tokens"].tolist() == [3, 3]
    assert table["unknown"].tolist() == [0, 1]
    history = tokviz.train(["ab ab"], "sentencepiece-bpe", 270, "sentencepiece", byte_fallback=True)
    table = language_costs(history.tokenizer(), {"A": "ab", "B": "α"})
    assert table["unknown"].tolist() == [0, 0]
    assert table["tokens"].tolist()[1] == 3, "the mark of the space, and two bytes"


def test_lines_are_documents_and_their_ends_cost_nothing():
    history = tokviz.train(["ab ab"], **BYTES, vocab_size=257)
    one = language_costs(history.tokenizer(), {"A": "ab ab"})
    lines = language_costs(history.tokenizer(), {"A": "ab\r\n ab\n"})
    assert one.equals(lines)


def test_texts_that_cannot_be_counted():
    tokenizer = tokviz.train(["ab"], **BYTES, vocab_size=256).tokenizer()
    with pytest.raises(ValueError, match="There is no text to count"):
        language_costs(tokenizer, {})
    with pytest.raises(ValueError, match="The text in Greek has no tokens"):
        language_costs(tokenizer, {"English": "ab", "Greek": "\n\n"})


def test_a_hostile_text_is_counted_like_any_other():
    text = "<img src=x onerror=alert(1)>\x00\ud800 \u202eمرحبا"
    tokenizer = tokviz.train(["ab"], **BYTES, vocab_size=256).tokenizer()
    table = language_costs(tokenizer, {"A": text})
    assert table["tokens"].tolist() == table["bytes"].tolist()
    assert table["bytes"].tolist() == [len(text.encode("utf-8", "surrogatepass"))]


def test_bytes_that_a_file_falls_back_to_are_not_unknown():
    file = library_tokenizers.llama2().to_str().encode()
    tokenizer = open_tokenizer({"tokenizer.json": file}).tokenizer
    table = language_costs(tokenizer, {"signs": "☃[", "name": "<unk>"})
    assert table["unknown"].tolist() == [0, 0]


def test_who_pays_in_each_lane_by_hand():
    """Bytes of "ab ab" and "αβ αβ": 5 and 9. The first merge of both lanes is a + b, or of the
    turns Greek's α; the held-out texts are "ab" (2 bytes) and "αβ" (4)."""
    texts, held = {"English": "ab ab", "Greek": "αβ αβ"}, {"English": "ab", "Greek": "αβ"}
    one = {**BYTES, "vocab_size": 257}
    told = {**one, "algorithm": "parity-bpe"}
    runs = [tokviz.train(texts, **settings) for settings in (one, told)]
    assert [run.steps[0].token for run in runs] == ["ab", "Î²"]
    comparison = tokviz.compare(runs, texts, names=["same", "same"])
    table = comparison.held_out_languages(held)
    columns = ["language", "step", "tokens", "ratio", "share", "tokens_per_character"]
    assert table[columns].values.tolist() == [
        ["Greek", 1, 4, 4.0, 1.0, 2.0],
        ["Greek", 1, 3, 1.5, 0.75, 1.5],
        ["English", 1, 1, 1.0, 0.25, 0.5],
        ["English", 1, 2, 1.0, 0.5, 1.0],
    ]
    paid = who_pays(table, "lane")[["lane", "tokens", "dearest_tokens", "ratio"]].values.tolist()
    assert paid == [["same", 5, 4, 4.0], ["same", 5, 3, 1.5]]
    shuffled = who_pays(table.sort_values("tokens"), "lane")
    assert shuffled["ratio"].tolist() == [4.0, 1.5]
    before = comparison.held_out_languages(held, 0)
    assert before["tokens"].tolist() == [4, 4, 2, 2]
    assert before["step"].tolist() == [0] * 4
    with pytest.raises(IndexError, match="position=2 is not on this axis"):
        comparison.held_out_languages(held, 2)
    measured = {**held, "Greek, development": "αβαβ"}
    assert comparison.held_out_languages(measured)["tokens"].tolist() == table["tokens"].tolist()
    for measure in (comparison.held_out_languages, comparison.held_out):
        with pytest.raises(ValueError, match="'Greek, development' is a development text, and so"):
            measure({"Greek, development": "αβ"})
    for wrong in ("ab", ["ab"], {"English": 1}, None):
        with pytest.raises(ValueError, match="of languages to their texts, and this is none"):
            comparison.held_out_languages(wrong)


def test_the_dearest_is_the_first_of_equals_in_the_order_of_the_table():
    tokenizer = tokviz.train("a", "bpe", 256, "gpt2", unit="byte", initial_alphabet=["bytes"])
    costs = language_costs(tokenizer.tokenizer(), {"en": "ab", "de": "ba", "el": "αβ", "ru": "аб"})
    [row] = who_pays(beside({"mine": costs})).to_dict("records")
    assert row == {
        "tokenizer": "mine",
        "tokens": 12,
        "dearest": "el",
        "dearest_tokens": 4,
        "ratio": 2.0,
        "cheapest": "de",
        "cheapest_tokens": 2,
        "unknown": 0,
    }
