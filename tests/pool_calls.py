"""What a worker is asked for in tests only."""

import time


def deaf(note):
    """Reports once, and hears nothing any more."""
    note("deaf")
    time.sleep(1000)


def hungry(_note):
    """Takes more memory than any limit allows."""
    return len(bytearray(10**11))
