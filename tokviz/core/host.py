"""The compiled trainer in Python: `wasmtime` runs the module that browsers run.

What goes in and out are columns of numbers; what they mean is in `c/training.c`. Other threads go
on while it trains.
"""

import atexit
import ctypes
import weakref
from collections import deque
from collections.abc import Callable, Sequence
from functools import cache, partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.basics.errors import CorpusError
from tokviz.basics.messages import message
from tokviz.core import MODULE

if TYPE_CHECKING:
    import wasmtime

Ints: TypeAlias = npt.NDArray[np.int64]
Columns: TypeAlias = npt.NDArray[np.int32]

# The columns by number: of whole numbers, of counts, and those that the host writes.
_INTS = (
    "word_starts order forms symbols symbol_starts left right met tied known log_starts sizes "
    "log_pair top_pair gaps pair_left pair_right ids seed_at seed_length removed_at delta_starts "
    "path path_starts cheapest anew begins ends"
)
_COUNTS = (
    "word_counts times log_count top_count first_counts seed_counts loss delta pair_counts alone"
)
_GIVEN = "characters marks prefix suffix ids parts symbols starts"

#: Marks of a starting symbol, as in `c/words.h`.
CONTINUING, ENDS_WORD = 1 << 24, 1 << 25

#: Why the module is given no more memory (`c/memory.c`).
_NO_SUCH_ADDRESS = 2

#: What is said instead of the id of a new token: whether it may be a part of a special one.
NO_PART, PART = -1, -2

#: Bytes that are reserved beyond what is used: memory that has grown by so much is moved.
_GROWTH = 16_000_000

#: Bytes of memory with which an instance waits for the next training, which then need not ask the
#: system for them: that takes as long as many merges do.
MOST_KEPT = 48_000_000

_compiling = Lock()


class CoreError(RuntimeError):
    """The compiled trainer failed: a fault of tokviz, not of what it was asked."""


@cache
def is_there() -> bool:
    """Whether the compiled trainer can run: for some machines `wasmtime` has nothing, or says that
    it has nothing when it is imported."""
    try:
        import wasmtime  # noqa: F401
    except (ImportError, OSError, RuntimeError):
        return False
    return True


@cache
def compiled() -> "tuple[wasmtime.Engine, wasmtime.Module]":
    """The module, compiled once a process."""
    # Slow to import, and only whoever trains needs it.
    import wasmtime

    config = wasmtime.Config()
    # Where a process may have little address space, it starts all the same.
    config.memory_reservation = 0
    config.memory_reservation_for_growth = _GROWTH
    config.memory_guard_size = 0
    config.memory_may_move = True
    # The first bytes of memory would come from a file in memory, which is refused where no file may
    # be written.
    config.memory_init_cow = False
    config.parallel_compilation = False
    # What else crashes in this process crashes as if nothing were here.
    config.signals_based_traps = False
    # While Python is still whole: what is left to the end complains that it cannot be freed.
    atexit.register(compiled.cache_clear)
    atexit.register(waiting.clear)
    engine = wasmtime.Engine(config)
    return engine, wasmtime.Module.from_file(engine, str(MODULE))


def prepare() -> None:
    """Compiles the module, if it runs here, so that the first training need not wait for it."""
    if is_there():
        compiled()


#: Says which id a new token has.
IdOf: TypeAlias = Callable[[int, int, int], int]


def _answered(asks: "list[weakref.WeakMethod[IdOf] | None]", *symbols: int) -> int:
    [method] = asks
    asked = method() if method else None
    return NO_PART if asked is None else asked(*symbols)


class _Instance:
    """An instance of the module, for one training at a time."""

    def __init__(self) -> None:
        import wasmtime

        with _compiling:
            engine, module = compiled()
        self.errors = (wasmtime.Trap, wasmtime.WasmtimeError)
        self.store = wasmtime.Store(engine)
        number = wasmtime.ValType.i32()
        asks = wasmtime.FuncType([number] * 3, [number])
        # wasmtime holds the function as long as the memory, which outlives whoever asks.
        self.asks: list[weakref.WeakMethod[IdOf] | None] = [None]
        host = wasmtime.Func(self.store, asks, partial(_answered, self.asks))
        self.exports: Any = wasmtime.Instance(self.store, module, [host]).exports(self.store)
        self.memory: Any = self.exports["memory"]
        #: Where the addresses of its columns are, of counts or not.
        self.tables: dict[bool, int] = {}
        self.is_whole = True


#: One that nobody trains with. What was reserved by the training before is forgotten by the next.
waiting: deque[_Instance] = deque(maxlen=1)


def _give_back(instance: _Instance) -> None:
    instance.asks[0] = None
    if instance.is_whole and instance.memory.data_len(instance.store) <= MOST_KEPT:
        waiting.append(instance)


class Core:
    """The module, for one training. `asked` says what it is asked for, where it fails ("To train
    …"); `id_of`, a method, is what it asks in turn where it merges."""

    def __init__(self, asked: str, id_of: IdOf | None = None) -> None:
        import wasmtime

        self._asked = asked
        try:
            self._instance = instance = waiting.pop()
        except IndexError:
            try:
                self._instance = instance = _Instance()
            except wasmtime.WasmtimeError:
                # All else that it asks for is given.
                raise self._memory_error() from None
        weakref.finalize(self, _give_back, instance).atexit = False
        instance.asks[0] = id_of and weakref.WeakMethod(id_of)
        self._store, self._exports, self._memory = instance.store, instance.exports, instance.memory
        self._asked_at = 0
        self._tables = instance.tables
        self.call("room_for_text", 0)

    def call(self, name: str, *values: float) -> int:
        """Calls an exported function.

        Raises MemoryError where the machine has no more memory, CorpusError where it would take
        more than 4 GB, and CoreError if the module fails.
        """
        return int(self.number(name, *values) or 0)

    def number(self, name: str, *values: float) -> float:
        """Likewise, where the answer need not be whole."""
        try:
            answer: float = self._exports[name](self._store, *values)
        except BaseException as error:
            self._instance.is_whole = False
            if not isinstance(error, self._instance.errors):
                raise
            refused = self._exports["refused"](self._store)
            if refused == _NO_SUCH_ADDRESS:
                raise CorpusError.saying(
                    "{asked} takes more than 4 GB, the most that the compiled trainer can address; "
                    "train on a part of the corpus, or to a smaller size.",
                    asked=self._asked,
                ) from None
            if refused:
                raise self._memory_error() from None
            said = message(
                "{asked}: the compiled trainer failed. {error}", asked=self._asked, error=str(error)
            )
            raise CoreError(said) from error
        return answer

    def _memory_error(self) -> MemoryError:
        return MemoryError(message("{asked}: no memory is left for that.", asked=self._asked))

    def give(self, name: str, values: npt.ArrayLike) -> None:
        """Writes a column of whole numbers."""
        column = np.asarray(values, np.int32)
        at = self.call("room_for", _GIVEN.split().index(name), len(column))
        self._view(at, len(column), np.int32)[:] = column

    def give_counts(self, values: npt.ArrayLike) -> None:
        """Writes how often each word occurs."""
        column = np.asarray(values, np.float64)
        at = self.call("room_for_counts", len(column))
        self._view(at, len(column), np.float64)[:] = column

    def give_block(self, data: bytes) -> None:
        """Writes a block of documents (`tokviz.pretokenizers.blocks`)."""
        self.bytes_at(self.call("room_for_block", len(data)), len(data))[:] = np.frombuffer(
            data, np.uint8
        )

    def bytes_at(self, at: int, length: int) -> npt.NDArray[np.uint8]:
        """Bytes of the module, to read and to write, until it is called again."""
        return self._view(at, length, np.uint8)

    def follow(self, left: Ints, right: Ints) -> int:
        """Merges these pairs, and returns how many of them could be."""
        n = len(left)
        at = self._write(np.concatenate([left, right]))
        return self.call("follow", at, at + 4 * n, n)

    def take_out(self, tokens: Ints) -> None:
        """Removes these tokens next."""
        self.call("take_out", self._write(tokens), len(tokens))

    def _write(self, values: Ints) -> int:
        """Writes numbers, and returns where they are."""
        at = self.call("room_for_numbers", len(values))
        self._view(at, len(values), np.int32)[:] = values
        return at

    def answer(self, ranks_of: Callable[[int, int, Columns, Columns], Sequence[int]]) -> None:
        """Answers which ranks new pairs have."""
        self._asked_at = self._asked_at or self.call("asked")
        left, right, lefts, rights, ranks, n = self._view(self._asked_at, 6, np.int32).tolist()
        sides = (self._view(at, n, np.int32) for at in (lefts, rights))
        self._view(ranks, n, np.int32)[:] = ranks_of(left, right, *sides)

    def ints(self, name: str) -> Ints:
        """A column of whole numbers as it is now."""
        return self._column(False, _INTS.split().index(name)).astype(np.int64)

    def counts(self, name: str) -> Ints:
        """A column of counts, likewise."""
        return self._column(True, _COUNTS.split().index(name)).astype(np.int64)

    def last(self, name: str, length: int) -> npt.NDArray[np.float64]:
        """The last numbers of a column of losses or loss deltas."""
        column = self._column(True, _COUNTS.split().index(name))
        return np.array(column[len(column) - length :], np.float64)

    def _column(self, of_counts: bool, which: int) -> npt.NDArray[Any]:
        """A table has the addresses of columns, and a column begins with its address and length."""
        if of_counts not in self._tables:
            self._tables[of_counts] = self.call("columns", of_counts)
        [column] = self._view(self._tables[of_counts] + 4 * which, 1, np.int32).tolist()
        at, length = self._view(column, 2, np.int32).tolist()
        return self._view(at, length, np.float64 if of_counts else np.int32)

    def _view(self, at: int, length: int, of: Any) -> npt.NDArray[Any]:
        """Memory of the module as numbers. It may be elsewhere after the next call."""
        # Addresses are numbers without a sign.
        base = ctypes.addressof(self._memory.data_ptr(self._store).contents) + (at & 0xFFFFFFFF)
        size = length * np.dtype(of).itemsize
        return np.frombuffer((ctypes.c_char * size).from_address(base), of)
