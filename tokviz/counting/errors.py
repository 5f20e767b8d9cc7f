"""What cannot be counted."""


class CountingError(ValueError):
    """Files, or a cluster, with which nothing can be counted; the message says what to change."""
