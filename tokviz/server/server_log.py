"""The server's log tells what failed and where, but not what anybody typed; and it stays small,
however often it fails."""

import errno
import logging
import os
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

#: Records that are written in a minute: of the same kind, and of all.
SAME, ALL = 5, 100
_MINUTE = 60.0
#: The last so many places of an error are told.
_PLACES = 30
#: What an error is known by: its logger, level and text, its kind and its last place.
_Kind = tuple[str, int, str, str, str]

_usual = logging.getLogRecordFactory()


def keep_texts_out_of_the_log() -> None:
    """Has every log of this process name an error by its kind and its places: its message may quote
    a corpus, an address or the name of a file. What repeats is counted."""
    if not isinstance(logging.getLogRecordFactory(), _Factory):
        bound = Bound()
        logging.setLogRecordFactory(_Factory(bound))

        def uncaught(kind: type[BaseException], error: BaseException | None, _at: Any) -> None:
            """What Python says of an error that nobody caught."""
            if bound.takes(("tokviz", logging.ERROR, "An uncaught error", *_known_by(error))):
                said = kind.__name__ if error is None else without_message(error)
                sys.stderr.write(f"{said}\n")

        sys.excepthook = uncaught
        threading.excepthook = lambda args: uncaught(args.exc_type, args.exc_value, None)


class Bound:
    """Of the records of each minute, lets through the first few of a kind, and tells how many more
    there were."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._begun = clock()
        self._written = Counter[_Kind]()
        self._left_out = Counter[_Kind]()

    def takes(self, kind: _Kind) -> bool:
        """Whether another record of this kind is to be written."""
        self.tell()
        with self._lock:
            if self._written[kind] < SAME and self._written.total() < ALL:
                self._written[kind] += 1
                return True
            if not self._left_out:
                # There may be no other record that has it told.
                later = threading.Timer(_MINUTE, self.tell)
                later.daemon = True
                with suppress(RuntimeError):
                    later.start()
            # Where every record is another kind, they are counted together.
            if kind not in self._written:
                kind = ("tokviz", logging.WARNING, "Records of other kinds", "", "")
            self._left_out[kind] += 1
            return False

    def tell(self) -> None:
        """After a minute, writes how many records were left out in it, and begins another one."""
        with self._lock:
            seconds = (now := self._clock()) - self._begun
            if seconds < _MINUTE:
                return
            left_out, self._begun = self._left_out, now
            self._written, self._left_out = Counter(), Counter()
        for (name, level, text, error, _place), count in left_out.items():
            said = f"{text.splitlines()[0] if text else ''} {error}".strip()[:200]
            told = f"… {count:,} more like it in the last {seconds:.0f} s: {said}"
            logging.getLogger(name).log(level, _Told(told))


class _Told(str):
    """What is said of records that were left out: always written."""


class _Factory:
    """Makes the records of the logs."""

    def __init__(self, bound: Bound) -> None:
        self._bound = bound

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = _usual(*args, **kwargs)
        error = record.exc_info[1] if record.exc_info else None
        if record.name == "asyncio" and record.exc_info:
            # It says in words what it was that failed, with its arguments and its error.
            record.msg, record.args = "A task of the server failed.", ()
        if not isinstance(record.msg, _Told):
            kind = (record.name, record.levelno, str(record.msg), *_known_by(error))
            if not self._bound.takes(kind):
                # No handler takes a record of a level below all levels.
                record.levelno = -1
                record.exc_info = None
        if record.exc_info and error is not None:
            # What is formatted already is not formatted again.
            record.exc_text, record.exc_info = without_message(error), None
        return record


def _known_by(error: BaseException | None) -> tuple[str, str]:
    """The name of an error, and its last place."""
    places = traceback.extract_tb(error.__traceback__, limit=-1) if error else []
    return (
        _named(error) if error else "",
        f"{places[0].filename}:{places[0].lineno}" if places else "",
    )


def _named(error: BaseException) -> str:
    """The kind of an error, and what the system calls it: that quotes nobody.

    >>> _named(OSError(errno.EMFILE, "a corpus")), _named(ValueError("a corpus"))
    ('OSError: [EMFILE] Too many open files', 'ValueError')
    """
    kind = type(error)
    # Other libraries number their errors otherwise.
    number = error.errno if isinstance(error, OSError) else None
    if number is not None and number in errno.errorcode and kind.__module__ == "builtins":
        return f"{kind.__name__}: [{errno.errorcode[number]}] {os.strerror(number)}"
    return kind.__name__


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
        places = traceback.format_tb(cause.__traceback__, limit=-_PLACES)
        told.insert(0, f"{''.join(places)}{_named(cause)} (its message is not logged)")
        hidden = cause.__suppress_context__ and cause.__cause__ is None
        cause = None if hidden else cause.__cause__ or cause.__context__
    return "\n".join(["Traceback (most recent call last):", *told])
