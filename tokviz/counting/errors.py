"""What cannot be counted."""

from tokviz.basics.errors import CorpusError


class CountingError(CorpusError):
    """Files, or a cluster, with which nothing can be counted; the message says what to change."""
