"""The longest match of a word over all states, compared with the tokenizer of every state."""

from itertools import pairwise

from effort import some
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.analysis.longest_matches import longest_matches

WORDS = st.text("abc", min_size=1, max_size=6)


@settings(max_examples=some(60))
@given(
    st.dictionaries(WORDS, st.integers(1, 9), min_size=1, max_size=6),
    WORDS,
    st.sampled_from(["likelihood", "frequency"]),
)
def test_every_state_has_the_cut_of_its_tokenizer(words, word, score):
    history = tokviz.train(words, "wordpiece", 40, "whitespace", score=score)
    matches = longest_matches(history, word)
    assert [match.first for match in matches] == sorted({match.first for match in matches})
    assert all(a[1:] != b[1:] for a, b in pairwise(matches))
    for t in range(len(history) + 1):
        match = [match for match in matches if match.first <= t][-1]
        encoding = history.tokenizer(t, "longest-match").encode(word)
        assert list(match.tokens) == encoding.tokens
        assert list(match.starts) == [start for start, _ in encoding.offsets]
        assert match.unknown == (encoding.tokens == ["[UNK]"])


def test_a_word_of_unknown_characters_stays_unknown():
    history = tokviz.train({"hug": 2}, "wordpiece", 5, "whitespace")
    assert longest_matches(history, "hux") == [(0, ("[UNK]",), (0,), True)]


def test_a_special_token_that_is_spelled_as_the_unknown_one_is_no_piece():
    """A merge that makes the string of a special token is a token of its own."""
    history = tokviz.train({"hug": 2}, "wordpiece", 9, "whitespace", special_tokens=("[UNK]",))
    first = longest_matches(history, "[UNK]")[0]
    assert (first.tokens, first.unknown) == (("[UNK]",), True)
