"""Whether the compiled trainer trains, or plain Python."""

import warnings

from tokviz.basics.messages import message
from tokviz.core.host import is_there
from tokviz.trainers.reached import TokvizWarning


def runs_compiled() -> bool:
    """Whether the compiled trainer runs here; if it does not, a TokvizWarning says so once."""
    if is_there():
        return True
    said = message(
        "The package wasmtime, which runs the compiled trainer, does not run here, so this "
        "trains in plain Python: a page of text takes seconds, and a book hours. Where there "
        "is one for your machine, “pip install wasmtime” helps."
    )
    warnings.warn(said, TokvizWarning, stacklevel=2)
    return False
