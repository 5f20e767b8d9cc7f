"""Models as `sentencepiece` runs them."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise

import sentencepiece

from tokviz.formats.readers.library import LibraryHere, Split, failing, placed, readable
from tokviz.pretokenizers import Word


class SentencePieceLibrary(LibraryHere):
    """A model of the library, from the bytes of its file. A line is one word, as it is normalized;
    `prefixed` says that the model puts a space in front of it (`add_dummy_prefix`).

    Raises TokenizerFileError for what the library does not load.

    >>> import io
    >>> file = io.BytesIO()
    >>> sentencepiece.SentencePieceTrainer.train(
    ...     sentence_iterator=iter(["low lower lowest"] * 3), model_writer=file, vocab_size=13,
    ...     model_type="bpe", minloglevel=2)
    >>> [split.word.text for split in SentencePieceLibrary(file.getvalue(), True).splits(" ｌow")]
    ['▁low']
    """

    def __init__(self, data: bytes, prefixed: bool) -> None:
        self._prefixed = prefixed
        with failing("sentencepiece"):
            self._model = sentencepiece.SentencePieceProcessor(model_proto=data)

    def about(self) -> None:
        """Nothing: see `Library`."""

    def decode(self, ids: list[int], _new: Mapping[int, str] | None = None) -> str:
        """See `Library`. No training goes on from these files, so there are no new tokens."""
        with failing("sentencepiece"):
            text: str = self._model.decode(ids)
        return text

    def begun(self, text: str) -> tuple[list[int], Callable[[], Iterator[Split]]]:
        """See `LibraryHere`."""
        known, places = readable(text)
        with failing("sentencepiece"):
            ids: list[int] = self._model.encode(known)
        return ids, lambda: placed(self._cut(known), places)

    def _cut(self, text: str) -> Iterator[Split]:
        with failing("sentencepiece"):
            line, begins = self._model.normalize(text, with_offsets=True)
            found = self._model.encode(text, out_type="immutable_proto")
        if not line:
            return
        spans = tuple(_spans(begins, self._prefixed))
        word = Word(line, spans[0][0], max(end for _, end in spans), spans)
        ids = tuple(piece.id for piece in found.pieces)
        offsets = tuple((piece.begin, piece.end) for piece in found.pieces)
        yield Split(word, False, ids, offsets)


def _spans(begins: list[int], prefixed: bool) -> list[tuple[int, int]]:
    """The source of every normalized character: several of one source have it each, the space that
    is put in front has none.

    >>> _spans([0, 0, 0, 0, 1, 3], True)
    [(0, 0), (0, 1), (0, 1), (0, 1), (1, 3)]
    """
    spans = list(pairwise(begins))
    for i in reversed(range(len(spans) - 1)):
        if spans[i][0] == spans[i + 1][0]:
            spans[i] = spans[i][0], spans[i + 1][1]
    return [(begins[0], begins[0]), *spans[1:]] if prefixed else spans
