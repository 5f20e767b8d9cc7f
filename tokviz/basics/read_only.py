"""What a run writes down is never changed afterwards: its columns are read-only."""

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Kind = TypeVar("Kind", bound=np.generic)


def read_only(column: npt.NDArray[Kind]) -> npt.NDArray[Kind]:
    """The same array, which nobody can write to any more.

    >>> read_only(np.arange(3))[0] = 7
    Traceback (most recent call last):
    ValueError: assignment destination is read-only
    """
    column.setflags(write=False)
    return column


class Record:
    """Columns of which all arrays are read-only, also where they come from another process: a
    pickle does not tell."""

    def __post_init__(self) -> None:
        for column in vars(self).values():
            if isinstance(column, np.ndarray):
                read_only(column)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()
