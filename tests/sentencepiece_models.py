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
