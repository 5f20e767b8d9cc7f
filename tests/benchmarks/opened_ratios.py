"""How long opened tokenizers take for a long text, by what their libraries take for it.

    PYTHONPATH=.:tests python tests/benchmarks/opened_ratios.py [FILE …]

Of each file, in alternating rounds in one process, 600,000 characters of English: the ids; the ids
and where each token is; the ids, the places and the words. The library is asked for ids alone, and
for what it says of places: `decode_with_offsets` (tiktoken), `offsets` (tokenizers), and an
`immutable_proto` of which each begin and end is read (sentencepiece). Words are no library's to
tell: what they take is divided by what the library takes with places. All are medians of seconds of
the processor. Without files, one of each kind is made here.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

import library_tokenizers as made

import tokviz

ROUNDS, SIZE = 5, 600_000


def files(folder):
    """A file of each kind, by what it is called here."""
    history = tokviz.train(
        "\n".join(made.DOCUMENTS), "bpe", 8000, "gpt2", unit="byte", initial_alphabet="bytes"
    )
    history.export("tiktoken", folder)
    pattern = Path(folder, "pattern.txt")
    pattern.write_text(made.CL100K)
    yield Path(folder, "tokenizer.tiktoken"), pattern
    for kind in ("unigram", "bpe"):
        path = Path(folder, f"{kind}.model")
        path.write_bytes(made.sentencepiece_model(model_type=kind, vocab_size=1800))
        yield (path,)
    for kind in ("gpt2", "llama3", "bert", "t5", "llama2"):
        path = Path(folder, f"{kind}.json")
        made.KINDS[kind]().save(str(path))
        yield (path,)


def library(tokenizer):
    """How the library gives ids, and ids and places, of a text."""
    own = vars(tokenizer.pretokenizer.library)
    if "_encoding" in own:
        encoding = own["_encoding"]

        def placed(text):
            ids = encoding.encode_ordinary(text)
            return encoding.decode_with_offsets(ids)

        return encoding.encode_ordinary, placed
    if "_whole" in own:
        whole = own["_whole"]

        def found(text):
            return whole.encode(text, add_special_tokens=False)

        def both(text):
            encoding = found(text)
            return encoding.ids, encoding.offsets

        return lambda text: found(text).ids, both
    model = own["_model"]

    def pieces(text):
        proto = model.encode(text, out_type="immutable_proto")
        return [(piece.id, piece.begin, piece.end) for piece in proto.pieces]

    return model.encode, pieces


def own(tokenizer):
    def ids(text):
        return tokenizer.encode(text).ids

    def offsets(text):
        encoding = tokenizer.encode(text)
        return encoding.ids, encoding.offsets

    def words(text):
        encoding = tokenizer.encode(text)
        return encoding.ids, encoding.offsets, encoding.words

    return ids, offsets, words


def measured(paths, text):
    tokenizer = tokviz.open_tokenizer(*paths).tokenizer
    ways = [*library(tokenizer), *own(tokenizer)]
    times = [[] for _ in ways]
    for number in range(ROUNDS + 1):
        for way, column in zip(ways, times, strict=True):
            # What it remembers of words is of another text, for most of those who ask.
            vars(tokenizer)["_known"].clear()
            start = time.process_time()
            way(text)
            if number:
                column.append(time.process_time() - start)
    return [*map(statistics.median, times)]


def main():
    alice = tokviz.SAMPLES["alice"].corpus
    text = (alice * (SIZE // len(alice) + 1))[:SIZE]
    names = "library", "+ places", "ids", "+ offsets", "+ words", "ids ÷", "offsets ÷", "words ÷"
    print("".join(f"{name:>11}" for name in names))
    with tempfile.TemporaryDirectory() as folder:
        given = [(Path(path),) for path in sys.argv[1:]]
        for paths in given or files(folder):
            plain, placed, *mine = row = measured(paths, text)
            ratios = mine[0] / plain, mine[1] / placed, mine[2] / placed
            told = [*(f"{seconds:11.3f}" for seconds in row), *(f"{r:11.1f}" for r in ratios)]
            print("".join(told), f"  {paths[0].name}", flush=True)


if __name__ == "__main__":
    main()
