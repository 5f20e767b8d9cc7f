"""Vocabularies and merges as files of lines: BERT's `vocab.txt`, GPT-2's `vocab.json` with
`merges.txt`, and the codes of subword-nmt.

They hold the model only. How a text is cut into words is the reader's own affair, so each format
takes the runs whose words its readers make.
"""

import json
from functools import singledispatch
from typing import Any

from tokviz.basics.messages import message
from tokviz.formats.exporters.continued import check_vocab_and_merges, vocab_and_merges
from tokviz.formats.exporters.strings import (
    ExportError,
    check_strings,
    merge_pairs,
    merges_by,
    plain_strings,
    run_ends,
)
from tokviz.formats.exporters.tokenizer_json import check as check_tokenizer_json
from tokviz.formats.exporters.tokenizer_json import merge_parts
from tokviz.history.base import History
from tokviz.history.continued import ContinuedHistory
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import BertPretokenizer, WhitespacePretokenizer
from tokviz.trainers.bpe import BPE
from tokviz.trainers.wordpiece import WordPiece

#: The special tokens that readers of a vocab.txt know by name.
BERT_TOKENS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")

_VERSION = "#version: 0.2"

_NO_MERGE = message(
    "subword-nmt does not read codes without a merge; train with a larger vocab_size, or choose a "
    "later state."
)


def check_vocab_txt(history: History) -> MergeHistory:
    """The run, as one of merges. Raises ExportError if BERT's tokenizer encodes otherwise."""
    run = merges_by(history, WordPiece)
    if run is None:
        raise ExportError.saying(
            "vocab.txt is the vocabulary of WordPiece, and this run is one of {algorithm}; train "
            "with the algorithm wordpiece.",
            algorithm=history.algorithm,
        )
    if not isinstance(history.pretokenizer, BertPretokenizer):
        raise ExportError.saying(
            "The readers of vocab.txt cut a text as BERT does, and this run was trained with the "
            "pre-tokenizer {pretokenizer}; train with bert.",
            pretokenizer=history.pretokenizer.name,
        )
    special = history.special_tokens
    if lacking := [token for token in ("[UNK]", "[CLS]", "[SEP]") if token not in special]:
        raise ExportError.saying(
            "The readers of vocab.txt need the token {token}, and keep it whole where a text holds "
            'it; train with special_tokens=("[UNK]", "[CLS]", "[SEP]").',
            token=lacking[0],
        )
    if others := [token for token in special if token not in BERT_TOKENS]:
        raise ExportError.saying(
            'The readers of vocab.txt do not know that "{token}" is a special token; they know '
            "{known}. Choose the format tokenizer.json.",
            token=others[0],
            known=", ".join(BERT_TOKENS),
        )
    check_tokenizer_json(history)
    return run


def vocab_txt(history: History, t: int | None = None) -> dict[str, bytes]:
    """The tokens of state t, one a line: the number of the line, from 0 on, is the id.

    >>> import tokviz
    >>> special = ["[UNK]", "[CLS]", "[SEP]"]
    >>> history = tokviz.train("hug hugs", "wordpiece", 8, special_tokens=special)
    >>> vocab_txt(history)["vocab.txt"]
    b'[UNK]\\n[CLS]\\n[SEP]\\n##g\\n##s\\n##u\\nh\\nhu\\n'
    """
    tokens = plain_strings(check_vocab_txt(history), run_ends(history, t))
    return {"vocab.txt": "".join(f"{token}\n" for token in tokens).encode()}


@singledispatch
def check_merges(history: History) -> Any:
    """The run, as one of merges. Raises ExportError if no reader of these files can make its
    tokens."""
    run = merges_by(history, BPE)
    if run is None:
        raise ExportError.saying(
            "vocab.json and merges.txt hold merges of BPE, and this run is one of {algorithm}; "
            "train with the algorithm bpe.",
            algorithm=history.algorithm,
        )
    check_tokenizer_json(history)
    for left, right in merge_pairs(run, len(run)):
        if any(char in left + right for char in " \n\r") or left.startswith("#version"):
            raise ExportError.saying(
                'The merge of "{left}" and "{right}" cannot be told from other lines of a '
                "merges.txt: a token with a space or a line end in it is cut there, and a line "
                "that begins with #version is skipped. Choose the format tokenizer.json, or train "
                "on bytes.",
                left=left,
                right=right,
            )
    return run


@singledispatch
def merges(history: History, t: int | None = None) -> dict[str, bytes]:
    """The ids of all tokens of state t, and its merges in order, one a line.

    >>> import tokviz
    >>> found = merges(tokviz.train("low low lower", "bpe", 8))
    >>> found["merges.txt"]
    b'#version: 0.2\\nl o\\nlo w\\n'
    >>> json.loads(found["vocab.json"])["low"]
    7
    """
    run, t = check_merges(history), run_ends(history, t)
    vocab = json.dumps(merge_parts(run, t)["vocab"], ensure_ascii=False)
    return {"vocab.json": vocab.encode(), "merges.txt": _lines(run, t)}


check_merges.register(ContinuedHistory, check_vocab_and_merges)
merges.register(ContinuedHistory, vocab_and_merges)


def check_subword_nmt(history: History) -> MergeHistory:
    """The run, as one of merges. Raises ExportError if subword-nmt cannot cut as it does."""
    run, spelling = merges_by(history, BPE), history.spelling
    if (
        run is None
        or not isinstance(history.pretokenizer, WhitespacePretokenizer)
        or (spelling.unit, spelling.end_of_word_suffix) != ("char", "</w>")
        or not spelling.suffix_glued
        or spelling.continuing_subword_prefix
    ):
        raise ExportError.saying(
            "subword-nmt merges the characters of words between spaces, whose last one carries "
            '</w>. Train bpe with the pre-tokenizer whitespace, unit="char", '
            'end_of_word_suffix="</w>", suffix_glued=True and no continuing_subword_prefix: that '
            "is the preset sennrich."
        )
    if history.special_tokens:
        raise ExportError.saying(
            'subword-nmt knows no special tokens, and this run has "{token}"; train without, or '
            "choose the format tokenizer.json.",
            token=history.special_tokens[0],
        )
    check_strings(run)
    if not len(run):
        raise ExportError(_NO_MERGE)
    return run


def subword_nmt(history: History, t: int | None = None) -> dict[str, bytes]:
    """The merges up to state t as `subword-nmt apply-bpe -c` reads them.

    >>> import tokviz
    >>> history = tokviz.train("low low", **tokviz.PRESETS["sennrich"].settings)
    >>> subword_nmt(history)["codes.bpe"]
    b'#version: 0.2\\no w</w>\\nl ow</w>\\n'
    """
    run = check_subword_nmt(history)
    if not (t := run_ends(history, t)):
        raise ExportError(_NO_MERGE)
    return {"codes.bpe": _lines(run, t)}


def _lines(history: MergeHistory, t: int) -> bytes:
    lines = [_VERSION, *(" ".join(pair) for pair in merge_pairs(history, t))]
    return "".join(f"{line}\n" for line in lines).encode()
