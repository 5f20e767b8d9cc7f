"""How much the tests try: with `--long` all there is, otherwise what a change can wait for.

Every test runs either way. What is smaller without `--long` is how many random examples there are,
how many of the samples, and how long the longest texts are.
"""

import os

from tokviz.text.samples import SAMPLES

#: Set by the option `--long` (see conftest.py), here and in the processes that are started.
LONG = bool(os.environ.get("TOKVIZ_LONG_TESTS"))
#: Sixteen samples differ in their letters only, and the sample `udhr` has all of them in one text.
#: Marks above letters, from right to left, vowels around letters, no spaces.
SCRIPTS = ("udhr-vi", "udhr-ar", "udhr-hi", "udhr-ja")
SAMPLE_NAMES = [name for name in SAMPLES if LONG or not name.startswith("udhr-") or name in SCRIPTS]
#: Every algorithm takes the texts of this one as one text (tests/text/test_languages.py).
SAMPLE_NAMES.remove("ten-languages")


def some(many):
    """So many with `--long`, and a fifth otherwise, but not less than ten."""
    return many if LONG else min(many, max(many // 5, 10))


def each(items, nth):
    """All items with `--long`, otherwise every nth one."""
    return items if LONG else items[::nth]
