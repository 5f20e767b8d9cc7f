"""A tokenizer that was opened and trained on: its own file, with the new tokens and merges behind
the old ones.

Ids do not move. `tokenizers` gives an added token that is not in the vocabulary the id after the
vocabulary, which would be that of a new token: such tokens are written into the vocabulary with
the ids that they have.

Source: huggingface/tokenizers, src/tokenizer/added_vocabulary.rs (`add_tokens`).
"""

import json
from typing import Any

from tokviz.encoding.encoders import BYTE_NAME
from tokviz.formats.exporters.strings import ExportError, merge_pairs, run_ends
from tokviz.formats.readers.bounded_json import parse_json
from tokviz.formats.readers.opened_parts import OpenedWords
from tokviz.history.continued import ContinuedHistory


def check_document(history: ContinuedHistory) -> dict[str, Any]:
    """The tokenizer.json of the file. Raises ExportError if it has none, or if one with more tokens
    would not encode as the run does."""
    opened = history.opened
    if not opened.document:
        raise ExportError.saying(
            "This run goes on from {name}, which tiktoken runs; choose the format tiktoken.",
            name=opened.name,
        )
    document = parse_json(opened.name, opened.document)
    model = document["model"]
    prefix, suffix = (
        model.get(name) or "" for name in ("continuing_subword_prefix", "end_of_word_suffix")
    )
    for token in document.get("added_tokens") or []:
        content = token["content"]
        one = len(content.removeprefix(prefix).removesuffix(suffix)) == 1
        in_words = token.get("single_word") or (
            document.get("normalizer") and not token.get("normalized")
        )
        if content not in model["vocab"] and (
            BYTE_NAME.fullmatch(content) or (in_words and (one or model.get("ignore_merges")))
        ):
            raise ExportError.saying(
                'The added token "{token}" is not in the vocabulary of {name}. It would have to '
                "be, to keep its id, and then words could hold it that do not now; take it out of "
                "the file, or put it into the vocabulary.",
                token=content,
                name=opened.name,
            )
    if model.get("unk_token") in _new_tokens(history, len(history)):
        raise ExportError.saying(
            'The run learned "{token}", which is what {name} calls the unknown token; take it out '
            "of the text.",
            token=model["unk_token"],
            name=opened.name,
        )
    return document


def document_files(history: ContinuedHistory, t: int | None = None) -> dict[str, bytes]:
    """The tokenizer.json of the file with the merges up to state t.

    >>> import tokviz
    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> file = b'{"model": {"type": "BPE", "vocab": {"l": 0, "o": 1, "lo": 2}, "merges": ["l o"]}}'
    >>> opened = open_tokenizer({"tokenizer.json": file})
    >>> history = tokviz.train({"lolo": 2}, vocab_size=4, continue_from=opened)
    >>> print(document_files(history)["tokenizer.json"].decode())
    {"model": {"type": "BPE", "vocab": {"l": 0, "o": 1, "lo": 2, "lolo": 3}, "merges": ["l o", \
"lo lo"]}, "added_tokens": []}
    """
    document, t = check_document(history), run_ends(history, t)
    model, added = document["model"], _added(history)
    model["vocab"] |= {content: i for content, i in added.items() if content not in model["vocab"]}
    model["vocab"] |= _new_tokens(history, t)
    model["merges"] = _longer(model["merges"], list(merge_pairs(history, t)))
    document["added_tokens"] = [
        {**token, "id": added[token["content"]]} for token in document.get("added_tokens") or []
    ]
    return {"tokenizer.json": json.dumps(document, ensure_ascii=False).encode()}


def check_vocab_and_merges(history: ContinuedHistory) -> dict[str, Any]:
    """The tokenizer.json that stands for both files. Raises ExportError if the run goes on from
    others."""
    document = check_document(history)
    if history.opened.format != "vocab.json + merges.txt":
        raise ExportError.saying(
            "This run goes on from {name}, which says more than these two files can; choose the "
            "format tokenizer.json.",
            name=history.opened.name,
        )
    return document


def vocab_and_merges(history: ContinuedHistory, t: int | None = None) -> dict[str, bytes]:
    """Both files with the merges up to state t.

    >>> import tokviz
    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"l": 0, "o": 1, "lo": 2}', "merges.txt": b"l o"}
    >>> history = tokviz.train({"lolo": 2}, vocab_size=4, continue_from=open_tokenizer(files))
    >>> vocab_and_merges(history)["merges.txt"]
    b'#version: 0.2\\nl o\\nlo lo\\n'
    """
    model, t = check_vocab_and_merges(history)["model"], run_ends(history, t)
    vocab = json.dumps(model["vocab"] | _new_tokens(history, t), ensure_ascii=False)
    lines = ["#version: 0.2", *map(" ".join, [*model["merges"], *merge_pairs(history, t)])]
    return {
        "vocab.json": vocab.encode(),
        "merges.txt": "".join(f"{line}\n" for line in lines).encode(),
    }


def check_ranks(history: ContinuedHistory) -> str:
    """The pattern of the file. Raises ExportError if it is no file of ranks."""
    opened = history.opened
    if not opened.pattern:
        raise ExportError.saying(
            "This run goes on from {name}, which is no file of ranks; choose the format "
            "tokenizer.json.",
            name=opened.name,
        )
    return opened.pattern


def ranks(history: ContinuedHistory, t: int | None = None) -> dict[bytes, int]:
    """The ranks of the file and those of the merges up to state t, in the order of ids."""
    spelling, given = history.spelling, history.trainer.given
    base = len(history.record.alphabet)
    ids = {**given.ids}
    made = zip(history.symbols[base:], history.symbol_ids[base:].tolist(), strict=True)
    ids |= [*made][: run_ends(history, t)]
    ordered = sorted((i, symbol) for symbol, i in ids.items())
    return {spelling.bytes_of(symbol): i for i, symbol in ordered}


def special_ids(history: ContinuedHistory) -> dict[str, int]:
    """The ids of the special tokens that a file of ranks has."""
    tokenizer = history.opened.tokenizer
    numbered = enumerate(zip(tokenizer.strings, tokenizer.symbols, strict=True))
    return {text: i for i, (text, symbol) in numbered if text and symbol is None}


def _added(history: ContinuedHistory) -> dict[str, int]:
    tokenizer = history.opened.tokenizer
    assert isinstance(tokenizer, OpenedWords)
    return {**tokenizer.added}


def _new_tokens(history: ContinuedHistory, t: int) -> dict[str, int]:
    """The tokens up to state t that the file does not have, as it would write them."""
    base, plain = len(history.record.alphabet), history.spelling.plain
    made = zip(history.symbols[base:], history.symbol_ids[base:].tolist(), strict=True)
    return {plain(symbol): i for symbol, i in [*made][:t]}


def _longer(old: list[Any], new: list[tuple[str, str]]) -> list[Any]:
    """More merges, written as those before them. What has a space in it cannot be one text."""
    if not all(isinstance(merge, str) for merge in old):
        return [*old, *map(list, new)]
    if any(" " in part for pair in new for part in pair):
        # Old files may begin with a line that is none.
        pairs = [merge.split(" ") for merge in old if not merge.startswith("#version")]
        return [*pairs, *map(list, new)]
    return [*old, *map(" ".join, new)]
