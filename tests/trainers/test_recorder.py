"""What is written down of a run: numbers as narrow as they may be, and no narrower."""

import numpy as np
import pytest

import tokviz


@pytest.mark.parametrize(("steps", "kind"), [(2**15 - 1, np.int16), (2**15, np.int32)])
def test_gaps_have_16_bits_while_the_number_of_steps_fits(steps, kind):
    """Words of two letters, each merged in its turn; "never" is the number of steps."""
    letters = [chr(0x4E00 + i) for i in range(182)]
    words = dict.fromkeys((a + b for a in letters for b in letters), 1)
    history = tokviz.train(words, vocab_size=len(letters) + steps, pretokenizer="whitespace")
    gaps, number = history.record.gaps, np.arange(len(words))
    assert gaps.dtype == kind
    assert np.array_equal(gaps[0::2], np.full(len(words), steps))
    assert np.array_equal(gaps[1::2], np.minimum(number, steps))
    assert [history.cuts(word, steps).tolist() for word in (0, steps - 1, steps)] == [
        [0],
        [0],
        [0, 1],
    ]


def test_long_tokens_are_unfolded_from_left_to_right():
    """One word of 200 different letters: too long for the insides that are kept."""
    word = "".join(chr(0x4E00 + i) for i in range(200))
    history = tokviz.train({word: 1}, vocab_size=1_000, pretokenizer="whitespace")
    assert history.record.gaps.tolist() == [199, *range(199)]
