"""Texts of whatever pre-tokenizers trip over."""

from contextlib import contextmanager
from unittest.mock import patch

from hypothesis import strategies as st

from tokviz.pretokenizers import blocks
from tokviz.text import corpus, given_corpus

SPACES = "\t\v\f \x1c\x1d\x1e\x1f\x85\u00a0\u1680\u180e\u2000\u200a\u2028\u2029\u202f\u205f\u3000"


PIECES = [
    *SPACES,
    *["\n", "\r", "\r\n", "\n\r", "  ", "   ", " \t ", "\u3000\u3000", " \n"],
    *"\0\x01\x7f\xad\u200b\u200d\u2060\ufeff\ufffd\ue000\uffff\U0010ffff\ud800\udbff\udc00\udfff",
    *"\u0301\u0308\u0323\u034f\u0345\u3099\u302e\u093e\u1b44\ua9c0\U0001d165\U000111c9",
    *"aZéÉßſKİıΣςﬁñ한각のパ中文㐀豈𠀀𪜀אבעربहิ\u0378\U0002fa20\U000e0fff",
    *"019²½Ⅷ٣५𝟘",
    *'!$+<=>^`|~_¿§–—…。、，；「」€©-/’"\\',
    *["'", "'s", "'S", "'ſ", "'ll", "'l", "'re", "'ve", "'v", "'t", "'m", "'d", "n't", "''", " '"],
    *["the", " hug", "the hug", "word", "naïve", "longer than seven bytes", "x" * 30],
    *["👩‍👩‍👧‍👦", "🇫🇷", "👍🏽"],
    *["Ġ", "▁", "##", "</w>", "<s>", "<s>x", "e\u0323\u0301", "\u302e\U0001d165"],
]


SPECIAL = ["<s>", "<s>x", "a", "aa", " ", "  ", " a", "'", "中", "\n", "a\nb", "\ud800", ""]


odd_text = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


any_text = odd_text | st.text(max_size=40) | st.text("a1!' \t\u3000sl\n\r中。", max_size=40)


sizes = st.sampled_from([1, 2, 3, 7, 1 << 17])


special_tokens = st.lists(st.sampled_from(SPECIAL), max_size=3, unique=True).map(tuple)


@contextmanager
def block_size(size):
    """Blocks of that size, of short texts too."""
    with (
        patch.object(blocks, "BLOCK_SIZE", size),
        patch.object(given_corpus, "BLOCK_SIZE", size),
        patch.object(corpus, "SHORT", 0),
    ):
        yield
