"""Models as `sentencepiece` runs them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import sentencepiece

from tokviz.formats.readers.library import Begun, LibraryHere, Split, failing, placed, readable
from tokviz.pretokenizers import Word


class _Line(NamedTuple):
    """A text as it is normalized, where the source of each character of it begins and ends, and
    where that of each token is."""

    text: str
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    offsets: list[tuple[int, int]]


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

    def begun(self, text: str) -> Begun:
        """See `LibraryHere`."""
        known, places = readable(text)
        with failing("sentencepiece"):
            ids: list[int] = self._model.encode(known)
        line = cache(lambda: self._line(known, ids))
        rest = Begun(ids, lambda: placed(_split(line(), ids), places))
        return rest if places else rest._replace(offsets=lambda: line().offsets)

    def _line(self, text: str, ids: list[int]) -> _Line:
        with failing("sentencepiece"):
            line, begins = self._model.normalize(text, with_offsets=True)
            piece_of = {i: self._model.id_to_piece(i) for i in {*ids}}
            in_bytes = {i for i in piece_of if self._model.is_byte(i)}
            if any(map(self._model.is_unknown, piece_of)):
                # Unknown ones as the characters that they stand for.
                pieces = self._model.encode(text, out_type=str)
            else:
                pieces = [*map(piece_of.__getitem__, ids)]
        starts, ends = _sources(begins, self._prefixed)
        if in_bytes:
            places = [*_places(pieces, [i in in_bytes for i in ids])]
            first, last = np.array(places, np.int64).reshape(-1, 2).T
        else:
            sizes = np.fromiter(map(len, pieces), np.int64, len(pieces))
            last = sizes.cumsum()
            first = last - sizes
        offsets = [*zip(starts[first].tolist(), ends[last - 1].tolist(), strict=True)]
        return _Line(line, starts, ends, offsets)


def _split(line: _Line, ids: list[int]) -> Iterator[Split]:
    """A line as the one word that it is."""
    if not line.text:
        return
    starts, ends = line.starts.tolist(), line.ends.tolist()
    word = Word(line.text, starts[0], ends[-1], tuple(zip(starts, ends, strict=True)))
    yield Split(word, False, tuple(ids), tuple(line.offsets), exact=True)


def _places(pieces: Sequence[str], is_byte: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """The characters of a line that each of its pieces covers; a byte covers its character.

    >>> [*_places(["▁a", "<0xC3>", "<0xA9>", "b"], [False, True, True, False])]
    [(0, 2), (2, 3), (2, 3), (3, 4)]
    """
    at = 0
    for piece, in_bytes in zip(pieces, is_byte, strict=True):
        if in_bytes:
            # The first byte of a character goes on to it, and all others stay there.
            at += int(piece[1:-1], 16) & 0xC0 != 0x80
            yield at - 1, at
        else:
            yield at, (at := at + len(piece))


def _sources(
    begins: list[int], prefixed: bool
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Where the source of every normalized character begins and ends: several of one source have it
    each, the space that is put in front has none.

    >>> [places.tolist() for places in _sources([0, 0, 0, 0, 1, 3], True)]
    [[0, 0, 0, 0, 1], [0, 1, 1, 1, 3]]
    """
    at = np.array(begins, np.int64)
    after = at.searchsorted(at[:-1], "right").clip(max=len(at) - 1)
    starts, ends = at[:-1], at[after]
    if prefixed and len(ends):
        ends[0] = starts[0]
    return starts, ends
