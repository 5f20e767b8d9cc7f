"""Send Python values over a pipe between server and worker, each as a length and a pickle."""

import pickle
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">Q")


def send(pipe: BinaryIO, value: object) -> None:
    """Write a value. Raises OSError if the other end is closed."""
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: BinaryIO) -> tuple[Any, int]:
    """Return the next value, and its length in bytes. Raises EOFError if the other end is closed,
    also in the middle of a value.

    >>> from io import BytesIO
    >>> pipe = BytesIO()
    >>> send(pipe, {"low": 5})
    >>> _ = pipe.seek(0)
    >>> receive(pipe)[0]
    {'low': 5}
    """
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return pickle.loads(_exactly(pipe, length)), length


def _exactly(pipe: BinaryIO, length: int) -> bytes:
    data = pipe.read(length)
    if len(data) < length:
        raise EOFError
    return data
