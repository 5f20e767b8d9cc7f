"""Make the WebAssembly module of the C source: `python -m tokviz.core.build`.

It needs clang and lld (Debian: `apt install clang lld`). The module that is committed is the one
that clang 14 makes; another version makes another module that trains alike.
"""

import subprocess
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path

from tokviz.core import MODULE
from tokviz.core.characters import KINDS, kinds_of
from tokviz.core.logarithm import FIRST, GRID, LEAST, known_logarithms, ln_2

HERE = Path(__file__).parent
SOURCE = HERE / "c"
#: The first line that the clang of the committed module says of itself.
CLANG = "Debian clang version 14.0.6"

_FLAGS = (
    "--target=wasm32 -std=gnu11 -O2 -Wall -Wextra -Werror -ffreestanding -nostdlib -mbulk-memory "
    "-Wl,--no-entry -Wl,--strip-all -Wl,-z,stack-size=65536"
)


def characters() -> bytes:
    """Return the kinds of all characters, as runs: how long each is, in seven bits a byte with the
    lowest first, and its kinds."""
    found = bytearray()
    for kinds, run in groupby(map(kinds_of, map(chr, range(0x110000)))):
        found += bytes([*_in_sevens(sum(1 for _ in run)), kinds])
    return bytes(found)


def _in_sevens(number: int) -> Iterator[int]:
    """
    >>> [*_in_sevens(5)], [*_in_sevens(300)]
    ([5], [172, 2])
    """
    while number > 0x7F:
        yield number & 0x7F | 0x80
        number >>= 7
    yield number


def logarithm_header() -> str:
    """Return the C header with the logarithms that are known, each as the sum of two numbers."""
    rows = [f"{{{high.hex()}, {low.hex()}}}" for high, low in known_logarithms()]
    high, low = (part.hex() for part in ln_2())
    return (
        "// Written by tokviz/core/build.py: ln (FIRST / GRID), ln ((FIRST + 1) / GRID), ...\n"
        f"#pragma once\n\nenum {{ GRID = {GRID}, FIRST = {FIRST} }};\n\n"
        f"static const double LEAST = {LEAST.hex()}, LN_2 = {high}, LN_2_LOW = {low};\n\n"
        "static const double LOGARITHMS[][2] = {\n  " + ",\n  ".join(rows) + ",\n};\n"
    )


def character_header() -> str:
    """Return the C header with the kinds of all characters."""
    data = characters()
    lines = [", ".join(map(str, data[at : at + 32])) for at in range(0, len(data), 32)]
    bits = ", ".join(f"{name} = {1 << bit}" for bit, name in enumerate(KINDS))
    return (
        "// Written by tokviz/core/build.py: what each character is, as runs of equal ones.\n"
        f"#pragma once\n#include <stdint.h>\n\nenum Kind {{ {bits} }};\n\n"
        "static const uint8_t CHARACTERS[] = {\n  " + ",\n  ".join(lines) + ",\n};\n"
    )


#: What is written of the C source, and by what.
HEADERS: dict[str, Callable[[], str]] = {
    "characters.h": character_header,
    "logarithms.h": logarithm_header,
}


def build(module: Path = MODULE) -> None:
    """Compile the module.

    Raises OSError where clang is missing, and CalledProcessError if it refuses the source.
    """
    sources = [path.name for path in sorted(SOURCE.glob("*.c"))]
    command = ["clang", *_FLAGS.split(), "-o", str(module.resolve()), *sources]
    subprocess.run(command, cwd=SOURCE, check=True)


if __name__ == "__main__":
    for name, header in HEADERS.items():
        (SOURCE / name).write_text(header(), "utf-8")
    build()
