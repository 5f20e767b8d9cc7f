"""What is exported as tokenizer.json, and how formats are refused: judged by `tokenizers`."""

import pytest
from export_cases import RUNS, lines, run, states
from tokenizers import Tokenizer

from tokviz.formats.export_strings import unknown_of
from tokviz.formats.exports import EXPORTS, export
from tokviz.merge_history import MergeHistory

WITH_JSON = [name for name in RUNS if EXPORTS["tokenizer.json"].why_not(run(name)) is None]


def loaded(history, t):
    data = export(history, "tokenizer.json", t)["tokenizer.json"]
    return Tokenizer.from_str(data.decode())


def unknown_id(history, library):
    if isinstance(history, MergeHistory):
        unknown = unknown_of(history)
        return library.token_to_id(unknown.string) if unknown else None
    return library.token_to_id("<unk>")


def expected_ids(history, tokenizer, line, unknown):
    return [unknown if i is None else i for i in tokenizer.encode(line).ids]


def assert_encodes_alike(history, t, library, texts):
    tokenizer, unknown = history.tokenizer(t), unknown_id(history, library)
    theirs = library.encode_batch(texts, add_special_tokens=False)
    for text, encoding in zip(texts, theirs, strict=True):
        ours = expected_ids(history, tokenizer, text, unknown)
        assert encoding.ids == ours, (text, encoding.tokens, tokenizer.encode(text).tokens)


def plain(tokenizer):
    """The strings that a user of the library expects, by id."""
    spelling, special = tokenizer.spelling, tokenizer.strings
    return [
        special[i] if symbol is None else spelling.plain(symbol)
        for i, symbol in enumerate(tokenizer.symbols)
    ]


@pytest.mark.parametrize("name", WITH_JSON)
def test_tokenizer_json(name):
    history = run(name)
    for t in states(history):
        library, tokenizer = loaded(history, t), history.tokenizer(t)
        strings = plain(tokenizer)
        assert [library.id_to_token(i) for i in range(len(strings))] == strings
        # All lines at the end; on the way there, others.
        assert_encodes_alike(history, t, library, lines() if t == len(history) else lines(350, t))
