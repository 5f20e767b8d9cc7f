"""Sizes of a lesson's runs on other texts."""


def fitting_size(size: int, sample_least: int, own_least: int, own_greatest: int) -> int:
    """The vocabulary size on another text: as far above the least possible one as on the lesson's
    own text, so that there are as many merges to see; never more than that text can give.

    >>> fitting_size(50, sample_least=30, own_least=44, own_greatest=500)
    64
    >>> fitting_size(50, sample_least=30, own_least=44, own_greatest=50)
    50
    """
    return min(max(own_least, own_least + size - sample_least), own_greatest)
