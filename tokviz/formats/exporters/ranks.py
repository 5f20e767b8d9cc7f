"""tiktoken: a rank for every token in bytes, and the pattern and special tokens that go with them.

Source: openai/tiktoken, tiktoken/load.py (the file) and tiktoken/core.py (`Encoding`).
"""

from base64 import b64encode
from collections.abc import Mapping
from functools import singledispatch
from itertools import pairwise
from typing import Any

from tokviz.formats.exporters import continued
from tokviz.formats.exporters.patterns import portable
from tokviz.formats.exporters.strings import ExportError, has_every_byte, merges_by, run_ends
from tokviz.formats.exporters.words import pattern_of, white_space
from tokviz.history.base import History
from tokviz.history.continued import ContinuedHistory
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import (
    Gpt2Pretokenizer,
    NonePretokenizer,
    RegexPretokenizer,
    WhitespacePretokenizer,
)
from tokviz.trainers.bpe import BPE

_LOADER = '''"""How to load tokenizer.tiktoken, which lies beside this file:

    from encoding import encoding
    encoding.encode("a text", allowed_special="all")

pat_str cuts a text into words as {whose}.
"""

from base64 import b64decode
from pathlib import Path

import tiktoken

# Not tiktoken.load.load_tiktoken_bpe: it would go on with what it once read at the same path.
lines = Path(__file__).with_name("tokenizer.tiktoken").read_bytes().splitlines()

encoding = tiktoken.Encoding(
    name="tokviz",
    mergeable_ranks={{b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}},
    special_tokens={special},
    pat_str={pattern},
)
'''


#: What the pattern of a run is like.
_OWN = """the run did; its character classes are written out, so that it
does not matter which release of Unicode a library knows"""


@singledispatch
def check(history: History) -> Any:
    """The run, as one of merges. Raises ExportError if tiktoken cannot encode as it does."""
    run = merges_by(history, BPE)
    if run is None:
        raise ExportError.saying(
            "tiktoken knows BPE only, and this run is one of {algorithm}; train with the algorithm "
            "bpe.",
            algorithm=history.algorithm,
        )
    if not has_every_byte(run):
        raise ExportError.saying(
            "tiktoken needs all 256 bytes in the vocabulary, and no markers; train with "
            'unit="byte", initial_alphabet=("bytes",), no end_of_word_suffix and no '
            "continuing_subword_prefix."
        )
    if history.vocab_size(len(history)) < 256 + len(history) + len(history.special_tokens):
        raise ExportError.saying(
            "A token that was learned is spelled like a special one and shares its id, where "
            "tiktoken needs an id for each; give the special token another name."
        )
    special = sorted(history.special_tokens)
    for first, second in pairwise(special):
        if second.startswith(first):
            raise ExportError.saying(
                'The special token "{first}" is the beginning of "{second}", and tiktoken may take '
                "either where both fit; give one of them another name.",
                first=first,
                second=second,
            )
    _pattern(run)
    return run


@singledispatch
def files(history: History, t: int | None = None) -> dict[str, bytes]:
    """The ranks of state t, and a small program that loads them.

    >>> import tokviz
    >>> history = tokviz.train("low", "bpe", 257, unit="byte", initial_alphabet=["bytes"])
    >>> files(history)["tokenizer.tiktoken"].splitlines()[-1]
    b'bG8= 256'
    """
    run: MergeHistory = check(history)
    n = len(run.record.alphabet) + run_ends(run, t)
    ids = zip(run.symbol_ids[:n].tolist(), run.symbols[:n], strict=True)
    rank_of = {run.spelling.bytes_of(symbol): i for i, symbol in sorted(ids)}
    special = {token: i for i, token in enumerate(run.special_tokens)}
    return _files(rank_of, special, _pattern(run), _OWN)


check.register(ContinuedHistory, continued.check_ranks)


@files.register
def _continued_files(history: ContinuedHistory, t: int | None = None) -> dict[str, bytes]:
    pattern, special = continued.check_ranks(history), continued.special_ids(history)
    return _files(continued.ranks(history, t), special, pattern, "that of the file does")


def _files(
    rank_of: Mapping[bytes, int], special: Mapping[str, int], pattern: str, whose: str
) -> dict[str, bytes]:
    lines = [f"{b64encode(token).decode()} {i}\n" for token, i in rank_of.items()]
    loader = _LOADER.format(special=ascii({**special}), pattern=ascii(pattern), whose=whose)
    return {"tokenizer.tiktoken": "".join(lines).encode(), "encoding.py": loader.encode()}


def _pattern(history: History) -> str:
    """What cuts a text into words as the run does."""
    pretokenizer = history.pretokenizer
    if isinstance(pretokenizer, Gpt2Pretokenizer | RegexPretokenizer):
        return portable(pattern_of(pretokenizer)).text
    if isinstance(pretokenizer, WhitespacePretokenizer):
        return f"{white_space(negated=True)}+"
    if isinstance(pretokenizer, NonePretokenizer):
        return r"[\s\S]+"
    raise ExportError.saying(
        "tiktoken cuts a text by a pattern and changes nothing in it, which is not how the "
        "pre-tokenizer {pretokenizer} works; train with gpt2, regex, whitespace or none.",
        pretokenizer=pretokenizer.name,
    )
