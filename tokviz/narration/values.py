"""Numbers and tokens as they stand in sentences."""

from tokviz.basics.messages import counted, message


def tokens(n: int) -> str:
    return counted("{n} token", "{n} tokens", n) if n else message("no token")


def pairs(n: int) -> str:
    return counted("{n} pair", "{n} pairs", n)


def quoted(token: str) -> str:
    return f'"{token}"'


def loss(value: float) -> str:
    return "0" if value == 0 else f"{value:.4g}"


def number(value: int) -> str:
    return f"{value:,}"
