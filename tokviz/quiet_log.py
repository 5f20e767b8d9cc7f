"""The server's log tells what failed and where, but not what anybody typed."""

import logging
import sys
import threading
import traceback
from typing import Any

_usual = logging.getLogRecordFactory()


def keep_texts_out_of_the_log() -> None:
    """Has every log of this process name an error by its kind and its places: its message may quote
    a corpus, an address or the name of a file."""
    if not isinstance(logging.getLogRecordFactory(), _Factory):
        logging.setLogRecordFactory(_Factory())
        sys.excepthook = _uncaught
        threading.excepthook = lambda args: _uncaught(args.exc_type, args.exc_value, None)


def _uncaught(kind: type[BaseException], error: BaseException | None, _places: Any) -> None:
    """What Python says of an error that nobody caught."""
    said = kind.__name__ if error is None else without_message(error)
    sys.stderr.write(f"{said}\n")


class _Factory:
    """Makes the records of the logs."""

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = _usual(*args, **kwargs)
        if record.name == "asyncio" and record.exc_info:
            # It says in words what it was that failed, with its arguments and its error.
            record.msg, record.args = "A task of the server failed.", ()
        if record.exc_info and record.exc_info[1] is not None:
            # What is formatted already is not formatted again.
            record.exc_text, record.exc_info = without_message(record.exc_info[1]), None
        return record


def without_message(error: BaseException) -> str:
    """A traceback without the messages of the error and of those that led to it.

    >>> print(without_message(ValueError("a corpus")))
    Traceback (most recent call last):
    ValueError (its message is not logged)
    """
    told, seen = list[str](), set[int]()
    cause: BaseException | None = error
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        places = traceback.format_tb(cause.__traceback__)
        told.insert(0, f"{''.join(places)}{type(cause).__name__} (its message is not logged)")
        hidden = cause.__suppress_context__ and cause.__cause__ is None
        cause = None if hidden else cause.__cause__ or cause.__context__
    return "\n".join(["Traceback (most recent call last):", *told])
