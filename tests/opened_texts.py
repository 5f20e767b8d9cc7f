"""Lines that opened tokenizers are compared on: the samples' scripts and what is hard to cut."""

import random

from tokviz.text.samples import SAMPLES

CHARS = (
    list("aabbcdeE  \t\n.,'!-_12３½²…中漢あアー한ᄀ각กำहिन्दीयאبпР▁Ġ⟨#éÉçñßſİΣσςﬁ①〇Ⅷ")
    + list("\u0301\u0323\u0327\u0345\u200d\u200b\u00a0\u3000\u2028\0\x1f\x85\xad\ufffd\ufeff\x7f")
    + list("😀👩🏽🇩🇪\u0378\u0558\U00011938\u0f77\u0fb5\u0344\u212b\u17b4\U0001d15e\u1e9b\u0600")
)
STRINGS = [
    *("<s>", "</s>", "[MASK]", " the", "'ll", "'T", "I'VE", "##", "</w>", "   ", "\r\n", "n't"),
    *("<0x41>", "<|endoftext|>", "<unk>", "Don't", "e\u0301"),
]
DOCUMENTS = [line for sample in SAMPLES.values() for line in sample.documents if line]


def mixed(random_: random.Random, most: int = 25) -> str:
    """A short text of hard characters and strings."""
    return "".join(
        random_.choice(STRINGS if random_.random() < 0.12 else CHARS)
        for _ in range(random_.randrange(most))
    )


def lines(count: int, seed: int = 0) -> list[str]:
    """So many lines, every other one a stretch of a sample's text."""
    random_ = random.Random(seed)
    found = []
    for i in range(count):
        if i % 2:
            found.append(mixed(random_))
        else:
            document = random_.choice(DOCUMENTS)
            at = random_.randrange(max(len(document) - 60, 1))
            found.append(document[at : at + 60] + random_.choice(["", " ", mixed(random_, 4)]))
    return found
