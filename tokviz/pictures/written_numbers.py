"""Numbers as pictures write them."""


def signed(value: float, digits: int) -> str:
    """A number with a minus sign that is one.

    >>> signed(-2.5139, 2)
    '−2.51'
    """
    return f"{value:.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """A share of 1 in percent, never rounded to all or nothing.

    >>> percent(0.46), percent(1.0), percent(0.99999), percent(0.00001), percent(0.0)
    ('46.0 %', '100 %', '> 99.9 %', '< 0.1 %', '0 %')
    """
    if share in (0, 1):
        return f"{share:.0%}".replace("%", " %")
    if share > 0.9995 or share < 0.0005:
        return "> 99.9 %" if share > 0.5 else "< 0.1 %"
    return f"{100 * share:.1f} %"


def significant(value: float) -> str:
    """A number to six digits; a dash where there is none.

    >>> significant(-5.2882671), significant(7.0), significant(1e-7), significant(float("nan"))
    ('−5.28827', '7', '1e−07', '–')
    """
    return "–" if value != value else f"{value:.6g}".replace("-", "−")
