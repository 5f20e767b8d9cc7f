"""What a worker is asked for in tests only; it imports nothing else for that."""

import os
import time


def deaf(note):
    """Reports once, and hears nothing any more."""
    note("deaf")
    time.sleep(1000)


def hungry(_note):
    """Takes more memory than any limit allows."""
    return len(bytearray(10**11))


def end_at_once(*_):
    """Ends the process as if it was killed."""
    os._exit(9)
