"""Log what failed and where, without visitors' texts, and only a few records a minute."""

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

#: Most records in a minute: of the same kind, and in all.
SAME, ALL = 5, 100
_MINUTE = 60.0
#: How many of an error's last traceback lines are logged.
_PLACES = 30
#: What makes records the same kind: logger, level, text, and the error's class and last line.
_Kind = tuple[str, int, str, str, str]

_usual = logging.getLogRecordFactory()


def keep_texts_out_of_the_log() -> None:
    """Have every log of this process leave out error messages, which may quote a corpus, an address
    or a file name, and count records that repeat."""
    if not isinstance(logging.getLogRecordFactory(), RecordFactory):
        bound = Bound()
        logging.setLogRecordFactory(RecordFactory(bound))

        def uncaught(kind: type[BaseException], error: BaseException | None, _at: Any) -> None:
            """Write an uncaught error without its message."""
            if bound.takes(("tokviz", logging.ERROR, "An uncaught error", *_known_by(error))):
                said = kind.__name__ if error is None else without_message(error)
                sys.stderr.write(f"{said}\n")

        sys.excepthook = uncaught
        threading.excepthook = lambda args: uncaught(args.exc_type, args.exc_value, None)


class Bound:
    """Let through the first few records of each kind in each minute, and count the rest."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._begun = clock()
        self._written = Counter[_Kind]()
        self._left_out = Counter[_Kind]()

    def takes(self, kind: _Kind) -> bool:
        """Return whether another record of this kind is to be written."""
        self.tell()
        with self._lock:
            if self._written[kind] < SAME and self._written.total() < ALL:
                self._written[kind] += 1
                return True
            if not self._left_out:
                # No later record may come that would trigger `tell`.
                later = threading.Timer(_MINUTE, self.tell)
                later.daemon = True
                with suppress(RuntimeError):
                    later.start()
            # Where all kinds differ, they are counted together.
            if kind not in self._written:
                kind = ("tokviz", logging.WARNING, "Records of other kinds", "", "")
            self._left_out[kind] += 1
            return False

    def tell(self) -> None:
        """Once a minute is over, log how many records were left out in it, and start the next."""
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
    """A text about records that were left out; it is always written."""


class RecordFactory:
    """Make log records without visitors' texts."""

    def __init__(self, bound: Bound) -> None:
        self._bound = bound

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:
        record = _usual(*args, **kwargs)
        error = record.exc_info[1] if record.exc_info else None
        if record.name == "asyncio" and record.exc_info:
            # asyncio's message quotes the failed task with its arguments and its error.
            record.msg, record.args = "A task of the server failed.", ()
        if not isinstance(record.msg, _Told):
            kind = (record.name, record.levelno, str(record.msg), *_known_by(error))
            if not self._bound.takes(kind):
                # A level below all levels: no handler writes it.
                record.levelno = -1
                record.exc_info = None
        if record.exc_info and error is not None:
            # Logging does not format a text that is already there.
            record.exc_text, record.exc_info = without_message(error), None
        return record


def _known_by(error: BaseException | None) -> tuple[str, str]:
    """Return the name of an error, and its last line in the traceback."""
    places = traceback.extract_tb(error.__traceback__, limit=-1) if error else []
    return (
        _named(error) if error else "",
        f"{places[0].filename}:{places[0].lineno}" if places else "",
    )


def _named(error: BaseException) -> str:
    """Return the class of an error, and the system's name for it; neither quotes a visitor.

    >>> _named(OSError(errno.EMFILE, "a corpus")), _named(ValueError("a corpus"))
    ('OSError: [EMFILE] Too many open files', 'ValueError')
    """
    kind = type(error)
    # Other libraries use other numbers.
    number = error.errno if isinstance(error, OSError) else None
    if number is not None and number in errno.errorcode and kind.__module__ == "builtins":
        return f"{kind.__name__}: [{errno.errorcode[number]}] {os.strerror(number)}"
    return kind.__name__


def without_message(error: BaseException) -> str:
    """Return a traceback without the messages of the error and of its causes.

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
