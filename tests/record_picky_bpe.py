"""Runs pchizhov/picky_bpe on texts and writes down what it did:
`python tests/record_picky_bpe.py CHECKOUT` makes tests/data/picky-bpe.json.xz of a checkout of
https://github.com/pchizhov/picky_bpe (commit COMMIT).

The program breaks ties by the order of a hash table of addresses, which is another one in each run.
Here it takes the greatest pair in alphabetical order, by a counter of its own; nothing else of it
is changed.
"""

import json
import lzma
import random
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1]), *sys.argv[1:2]]

COMMIT = "038fcb9"
FILE = Path(__file__).parent / "data" / "picky-bpe.json.xz"
TEXTS = ["generated", "alice", "udhr", "book"]
SIZES = [1_000, 4_000]
THRESHOLDS = {"generated": 0.7, "alice": 0.9, "udhr": 0.6, "book": 0.8}
CORPORA = 300
#: Words that are encoded.
ENCODED = 400


def words_of(text):
    """The words of lines, as the program counts them."""
    counts = {}
    for line in text:
        for word in line.strip("\n").split():
            counts["▁" + word] = counts.get("▁" + word, 0) + 1
    return counts


def corpus(seed):
    """Random words with counts, a threshold, and a size."""
    chosen = random.Random(seed)
    letters = "abcdefghijkl"[: chosen.randint(1, 12)]
    words = {}
    for _ in range(chosen.randint(1, 60)):
        word = "".join(chosen.choices(letters, k=chosen.randint(1, 10)))
        words[word] = words.get(word, 0) + chosen.randint(1, 9)
    threshold = chosen.choice([0.5, 0.6, 0.7, 0.8, 0.9, 0.99, 1.0])
    return words, threshold, chosen.randint(len({*"".join(words)}) + 1, 60)


def halves(words):
    """New words of which each half is one of a word."""
    chosen, found = random.Random(1), []
    while len(found) < ENCODED:
        one, other = chosen.choices(words, k=2)
        found.append(one[: 1 + len(one) // 2] + other[1 + len(other) // 2 :])
    return found


def descending(text):
    return (*(-ord(char) for char in text), 1)


def main():
    import bpe_trainer
    import picky_tokenize
    from language import Word
    from trainers.test_hf_trainers import text
    from utils import MCounter

    class Ordered(MCounter):
        """Ties go to the greatest pair."""

        def most_common(self, n=None):
            if n != 1 or not self:
                return super().most_common(n)
            best = max(self.values())
            tied = [pair for pair, count in self.items() if count == best]
            return [(min(tied, key=lambda pair: [descending(part.str) for part in pair]), best)]

    bpe_trainer.MCounter = Ordered

    def trained(words, threshold, size):
        """The program's own loop, on words that are counted already."""
        run = bpe_trainer.BPE(size + 4, coverage=1.0, threshold=threshold)
        objects = [Word(i, word, count) for i, (word, count) in enumerate(words.items())]
        run._initialize_vocab(objects)
        run._encode_words(objects)
        pairs = run._initialize_pairs(objects)
        while run.actual_vocab_size < run.desired_vocab_size and pairs:
            pair, count = pairs.most_common(1)[0]
            if count <= 0:
                break
            run._merge_pair(pair, pairs)
            run.actual_vocab_size += 1
        return run

    def events(run):
        merge = bpe_trainer.EventType.MERGE
        return [
            ["merge", e[1][0].str, e[1][1].str]
            if e[0] == merge
            else ["remove", e[1].str, *(part.str for part in e[2])]
            for e in run.events
        ]

    def encoded(run, words):
        with tempfile.TemporaryDirectory() as folder:
            run._dump(Path(folder, "model.json"))
            model = picky_tokenize.BPEModel(Path(folder, "model.json"))
        known = {token.str for token in model.str2token.values()}
        found = {}
        for word in words:
            if word not in known:
                by_event = [token.str for token in model._encode_word_by_events(word)]
                assert by_event == [t.str for t in model._encode_word_by_event_sequence(word)]
                found[word] = by_event
        return found

    counted = {name: words_of(text(name)) for name in TEXTS}
    runs = []
    for name in TEXTS:
        chosen = halves(list(counted[name]))
        for size in SIZES:
            run = trained(counted[name], THRESHOLDS[name], size)
            more = {"events": events(run), "encoded": encoded(run, chosen)}
            runs.append({"text": name, "size": size, **more})
            print(name, size, len(more["events"]), len(more["encoded"]))
    small = []
    for seed in range(CORPORA):
        words, threshold, size = corpus(seed)
        small.append(events(trained(words, threshold, size)))
    found = {"texts": runs, "corpora": small}
    FILE.write_bytes(lzma.compress(json.dumps(found, ensure_ascii=False).encode()))


if __name__ == "__main__":
    main()
