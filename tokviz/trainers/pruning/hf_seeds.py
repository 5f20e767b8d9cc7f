"""The seed vocabulary of Hugging Face's Unigram: characters and the substrings that branch.

Source: huggingface/tokenizers 0.23.3, models/unigram/trainer.rs, make_seed_sentence_pieces, which
builds a suffix tree of the distinct words, each of them once: how often a word occurs counts for
its characters, and not for what is longer.
"""

import numpy as np

from tokviz.trainers.pruning.em_lattice import Pause
from tokviz.trainers.pruning.seed_pieces import Seeds, Suffixes
from tokviz.trainers.sentencepiece_settings import Prepared

#: Ends a word in the library's suffix tree, so that no piece holds it.
_END = "\0"


def find_seeds(prepared: Prepared, longest: int, most: int, pause: Pause) -> Seeds:
    """All characters with their counts, those of the greatest first; then, `most` pieces in all,
    the substrings of the distinct words that two different characters follow (the end of a word is
    one), by length × in how many places of these words they are. Among equals the last in
    alphabetical order comes first.

    Characters that occur nowhere, and NUL, are no seeds, but have the numbers after those that are.

    >>> from tokviz.text.word_counts import WordCounts
    >>> from tokviz.trainers.huggingface_unigram import HuggingFaceUnigram
    >>> words = HuggingFaceUnigram().prepared(WordCounts((" hug", " hugs", " pug"), (2, 1, 1)))
    >>> seeds = find_seeds(words, 16, 100, lambda: None)
    >>> dict(zip(seeds.pieces, seeds.scores.tolist()))
    {'▁': 4, 'u': 4, 'g': 4, 'h': 3, 's': 1, 'p': 1, '▁hug': 8, 'ug': 6, 'hug': 6}
    """
    chars = list(prepared.required)
    once = np.ones(len(prepared.words), np.int64)
    suffixes = Suffixes(prepared._replace(counts=once, line_ends=once), longest, pause)
    first, last, depth = suffixes.branching(pause)
    texts = suffixes.texts(first, depth)
    pause()
    rows = np.asarray([i for i, text in enumerate(texts) if _END not in text], np.int64)
    score = suffixes.weight(first[rows], last[rows]) * depth[rows]
    # Descending strings: the suffixes are sorted, and the longer of two that begin together is
    # the greater.
    rows = rows[np.lexsort((-depth[rows], -first[rows], -score))]
    known = sum(count > 0 for count in prepared.required.values())
    rows = rows[: max(1, most - known)]
    score = suffixes.weight(first[rows], last[rows]) * depth[rows]
    singles = suffixes.singles({ord(char): i for i, char in enumerate(chars)})
    longer = suffixes.occurrences(first[rows], last[rows], depth[rows])
    longer[3] += len(chars)
    counts = np.fromiter(prepared.required.values(), np.int64, len(chars))
    return Seeds(
        chars + [texts[i] for i in rows.tolist()],
        np.concatenate([counts, score]),
        tuple(np.concatenate([singles, longer], axis=1)),
    )
