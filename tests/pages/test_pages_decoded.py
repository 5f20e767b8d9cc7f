"""Ids and tokens that are typed, back to text."""

from hypothesis import example, given
from hypothesis import strategies as st

import tokviz
from tokviz.pages.lenses.decoded import MOST_DECODED, decoded
from tokviz.pages.widgets.markup import visible

COURSE = tokviz.SAMPLES["course"].corpus
BYTES = tokviz.train(COURSE, "bpe", 300, "gpt2", unit="byte", initial_alphabet=("bytes",))
TOKENIZER = BYTES.tokenizer()


@example("[")
@example("[1]")
@example("1, 2")
@example("1[,")
@given(st.text(st.characters(categories=["L", "N", "P", "Zs", "So"]), min_size=1, max_size=20))
def test_the_ids_and_the_tokens_of_a_text_give_it_back(text):
    encoding = TOKENIZER.encode(text)
    ids = ", ".join(map(str, encoding.ids))
    expected = f'Decoded: "{visible(text)}"'
    assert decoded(TOKENIZER, ids) == decoded(TOKENIZER, f"[{ids}]") == expected
    # Digits alone are ids.
    if not all(token.isdigit() for token in encoding.tokens):
        assert decoded(TOKENIZER, " ".join(encoding.tokens)) == expected


def test_words_come_back_with_their_spaces():
    ids = TOKENIZER.encode("the tokens").ids
    assert decoded(TOKENIZER, " ".join(map(str, ids))) == 'Decoded: "the tokens"'
    assert decoded(TOKENIZER, "t h e Ġtoken s") == 'Decoded: "the tokens"'


def test_a_token_of_commas_can_be_typed():
    assert decoded(TOKENIZER, "Ġt ,") == 'Decoded: " t,"'
    wordpiece = tokviz.train("a [b], a", "wordpiece", 20, "bert").tokenizer()
    assert decoded(wordpiece, "a [ b ]") == 'Decoded: "a [ b ]"'


def test_what_cannot_be_decoded_says_why():
    last = len(TOKENIZER.strings) - 1
    assert decoded(TOKENIZER, "5 99999") == f"id 99999 is not in the vocabulary (0 to {last})."
    assert decoded(TOKENIZER, "9" * 30).startswith("id 999999999 is not in the vocabulary")
    assert decoded(TOKENIZER, "Ġt <b>nope</b>") == '"<b>nope</b>" is not in this vocabulary.'
    assert decoded(TOKENIZER, "-1") == '"-1" is not in this vocabulary.'
    assert decoded(TOKENIZER, "٣") == '"٣" is not in this vocabulary.'
    assert decoded(TOKENIZER, "") == decoded(TOKENIZER, " [] ") == ""


def test_only_so_many_are_decoded():
    letter = TOKENIZER.strings.index("a")
    assert decoded(TOKENIZER, f"{letter} " * 900) == f'Decoded: "{"a" * MOST_DECODED}"'


def test_part_of_a_character_and_control_characters_can_be_read():
    part = TOKENIZER.encode("é").ids[0]
    assert decoded(TOKENIZER, str(part)) == 'Decoded: "\ufffd"'
    assert decoded(TOKENIZER, str(TOKENIZER.encode("\x07").ids[0])) == 'Decoded: "⟨U+0007⟩"'
