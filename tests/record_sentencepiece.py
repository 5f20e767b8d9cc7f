"""Lets two versions of SentencePiece train and writes down what each learned. Each has an
environment of its own, which

    python3 -m venv sp-0.2.1 && sp-0.2.1/bin/pip install sentencepiece==0.2.1
    python3 -m venv sp-0.2.3 && sp-0.2.3/bin/pip install sentencepiece==0.2.3

make; then `python tests/record_sentencepiece.py sp-0.2.1/bin/python` makes
tests/data/sentencepiece-0.2.1.json.xz, and the Python of the other one the other file.
"""

import io
import json
import lzma
import random
import subprocess
import sys
from functools import cache
from pathlib import Path

OLDER, NEWER = VERSIONS = ("0.2.1", "0.2.3")
#: `samples` are all bundled texts, one after the other; in the sample `udhr` is no more to merge.
SIZES = {
    "samples": (1_000, 4_000),
    "alice": (1_000, 4_000),
    "udhr": (600, 3_000),
    "book": (1_000, 4_000),
}
#: Nothing is pruned where the vocabulary is asked to be larger than that of the seeds.
UNIGRAM_SIZES = {
    "samples": (700, 1_500),
    "alice": (500, 1_000),
    "udhr": (420, 500),
    "book": (1_000, 4_000),
}
#: With characters that are chosen, 256 of the vocabulary are bytes.
CHOSEN_SIZES = {name: (700, 1_500, largest) for name, (_, largest) in SIZES.items()}
CHOSEN = {"auto_character_coverage": True, "byte_fallback": True}
BYTES = {"byte_fallback": True}
CORPORA = 300
UNIGRAM = {"model_type": "unigram", "hard_vocab_limit": False}
#: Vocabulary sizes and settings that are refused, and the line that they are tried with.
REFUSED = [(300, {"auto_character_coverage": True}), (259, CHOSEN)]
REFUSED_LINES = ["日本 日本 ab ab ab"]


def file_of(version):
    """Where it is written down what a version learned."""
    return Path(__file__).parent / "data" / f"sentencepiece-{version}.json.xz"


@cache
def learned(version):
    """What a version learned, by the names of the tasks."""
    return json.loads(lzma.decompress(file_of(version).read_bytes()))


@cache
def text(name):
    """The lines of a text."""
    from helpers import book

    from tokviz.text.given_corpus import documents
    from tokviz.text.samples import SAMPLES

    if name == "book":
        return list(documents(book()))
    if name != "samples":
        return list(SAMPLES[name].documents)
    texts = [sample.corpus for sample in SAMPLES.values() if isinstance(sample.corpus, str)]
    return list(documents("\n".join(texts)))


def corpus(seed, version):
    """Random lines, the size of a vocabulary and settings; every second time with bytes, for which
    0.2.3 chooses characters."""
    chosen = random.Random(seed)
    letters = "abcdefé漢字かカяж1２.\t\u061c\ua7f1"
    letters = chosen.sample(letters, chosen.randint(2, len(letters)))
    words = ["".join(chosen.choices(letters, k=chosen.randint(1, 9))) for _ in range(40)]
    lines = [" ".join(chosen.choices(words, k=chosen.randint(1, 12))) for _ in range(20)]
    settings = {
        "split_by_unicode_script": chosen.random() < 0.8,
        "split_by_number": chosen.random() < 0.8,
        "split_digits": chosen.random() < 0.2,
        "max_sentencepiece_length": chosen.choice([3, 16]),
        "normalization_rule_name": chosen.choice(["nmt_nfkc", "nfkc", "nfkc_cf", "identity"]),
        # Gives what there is, where the vocabulary is asked to be larger.
        "hard_vocab_limit": False,
    }
    size = chosen.randint(30, 70)
    if seed % 2 and version == NEWER:
        return lines, size - 20 + 256, settings | CHOSEN
    settings["character_coverage"] = chosen.choice([1.0, 0.9995, 0.98])
    return (lines, size + 256, settings | BYTES) if seed % 2 else (lines, size, settings)


def unigram_corpus(seed):
    """The same lines without chosen characters, some of them empty, with settings that seeds depend
    on."""
    lines, _size, settings = corpus(seed, OLDER)
    chosen = random.Random(CORPORA + seed)
    settings |= {
        "add_dummy_prefix": chosen.random() < 0.7,
        "split_by_whitespace": chosen.random() < 0.8,
        "seed_sentencepiece_size": chosen.choice([60, 1_000_000]),
        "user_defined_symbols": chosen.choice([[], ["ab"]]),
    }
    lines = [" ".join(chosen.choices(line.split(), k=9)) for line in 4 * lines if line.split()]
    # Hardly more than all characters, so that there is much to prune.
    size = len(set().union(*lines)) + 5 + chosen.randint(0, 9)
    size += 256 * settings.get("byte_fallback", False)
    for place in range(chosen.choice([0, 0, 0, 4])):
        lines.insert(5 * place, "  ")
    return lines, size, settings


def tasks(version):
    """What a version trains, by the names under which it is written down."""
    found = {
        "texts": [(text(name), size, {}) for name in SIZES for size in SIZES[name]],
        "corpora": [corpus(seed, version) for seed in range(CORPORA)],
        "unigram": [
            (text(name), size, UNIGRAM) for name in UNIGRAM_SIZES for size in UNIGRAM_SIZES[name]
        ],
        "unigram corpora": [
            (lines, size, settings | UNIGRAM)
            for lines, size, settings in map(unigram_corpus, range(CORPORA))
        ],
    }
    if version == NEWER:
        found["chosen"] = [
            (text(name), size, CHOSEN) for name in CHOSEN_SIZES for size in CHOSEN_SIZES[name]
        ]
        found["refused"] = [(REFUSED_LINES, size, settings) for size, settings in REFUSED]
    return found


def trained(lines, size, settings):
    """The pieces after the special ones, of Unigram with scores; or the sentence of a refusal."""
    import sentencepiece

    file = io.BytesIO()
    try:
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(lines),
            model_writer=file,
            vocab_size=size,
            num_threads=1,
            minloglevel=2,
            **{"model_type": "bpe"} | settings,
        )
    except RuntimeError as error:
        return str(error).rpartition("] ")[2]
    model = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    special = 3 + 256 * settings.get("byte_fallback", False)
    special += len(settings.get("user_defined_symbols", ()))
    pieces = range(special, model.get_piece_size())
    if settings.get("model_type") == "unigram":
        # As many digits as tell single precision apart.
        return [[model.id_to_piece(i), float(f"{model.get_score(i):.9g}")] for i in pieces]
    # The score of each is minus its place.
    assert [model.get_score(i) for i in pieces] == [special - i for i in pieces]
    return [model.id_to_piece(i) for i in pieces]


def train_all():
    """Trains what standard input asks for, and writes the results to standard output."""
    asked = json.load(sys.stdin)
    found = {name: [trained(*task) for task in each] for name, each in asked.items()}
    json.dump(found, sys.stdout)


def main(python):
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1])]
    asked = [python, "-c", "import sentencepiece; print(sentencepiece.__version__)"]
    version = subprocess.run(asked, stdout=-1, text=True, check=True).stdout.strip()
    assert version in VERSIONS
    command, given = [python, __file__, "--train"], json.dumps(tasks(version)).encode()
    done = json.loads(subprocess.run(command, input=given, stdout=-1, check=True).stdout)
    file_of(version).write_bytes(lzma.compress(json.dumps(done, ensure_ascii=False).encode()))


if __name__ == "__main__":
    train_all() if sys.argv[1] == "--train" else main(sys.argv[1])
