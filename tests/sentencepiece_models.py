"""Models of google/sentencepiece, which the library itself trains on lines of text."""

import io

import sentencepiece


def trained_model(lines, **settings):
    """The bytes of a model; the library takes lists, and so that tests can cache, tuples do too."""
    file = io.BytesIO()
    lists = {name: [*x] if isinstance(x, tuple) else x for name, x in settings.items()}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines),
        model_writer=file,
        **{"num_threads": 1, "minloglevel": 2, **lists},
    )
    return file.getvalue()


def trained_processor(lines, **settings):
    """A trained model, ready to encode."""
    return sentencepiece.SentencePieceProcessor(model_proto=trained_model(lines, **settings))


def pieces_of(processor):
    """Every piece of a model with its score."""
    ids = range(processor.get_piece_size())
    return [(processor.id_to_piece(i), processor.get_score(i)) for i in ids]


def safe_merges(history):
    """How many merges of BPE 0.2.1 makes the same. Every 100 merges it keeps the 1,000 (or 5 %)
    most frequent candidates and looks at no others until the next time, except new ones. As long as
    the best count is higher than that of the last one kept, this changes nothing; after that, which
    of many equals it has kept is up to its hash table."""
    for t, step in enumerate(history.steps):
        if t % 100 == 0:
            kept = history.candidates(t)["count"].to_numpy()
            least = kept[999] if len(kept) > 1_000 else 0
        if step.count <= least:
            return t
    return len(history)
