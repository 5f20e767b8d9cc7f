"""The compiled trainer: C source, the WebAssembly module made of it, and what runs it."""

from pathlib import Path

#: The module, which browsers run as it is.
MODULE = Path(__file__).with_name("core.wasm")
