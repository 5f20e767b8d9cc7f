"""Small tokenizer files to damage, and what must hold of any file."""

import json

from tokviz.formats.readers.opened import TokenizerFileError, open_tokenizer

TEXT = "ab c é中😀\ud800 <s>\r\n 12"


def token(content="<s>", **changes):
    flags = dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized", "special"), False)
    return {"id": 3, "content": content, **flags, **changes}


BPE = {
    "version": "1.0",
    "added_tokens": [token()],
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "NFC"}, {"type": "Lowercase"}]},
    "pre_tokenizer": {
        "type": "Split",
        "pattern": {"Regex": r"\p{L}+| "},
        "behavior": "Isolated",
        "invert": False,
    },
    "decoder": {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True},
    "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
}


UNIGRAM = {
    **BPE,
    "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0.0], ["a", -1.5]]},
}


WORDPIECE = {
    **BPE,
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {"[UNK]": 0, "a": 1, "##b": 2},
    },
}


ALL = [BPE, UNIGRAM, WORDPIECE]


def refused_or_works(files):
    """The error's message, or None."""
    try:
        found = open_tokenizer(files)
        encoding = found.tokenizer.encode(TEXT)
        found.tokenizer.decode(encoding.ids)
    except TokenizerFileError as error:
        message = str(error)
        assert message.endswith(".")
        assert "\n" not in message
        assert len(message) < 400
        return message
    assert not encoding.untold
    assert encoding.trace is not None
    return None


def bytes_of(file):
    return json.dumps(file).encode()


def asked(history):
    """Everything that a page would ask."""
    for t in range(len(history) + 1):
        history.candidates(t, 5)
        history.vocab(t)
    history.curve()
    for word in history.words.words[:3]:
        history.segmentation(word, len(history))
    history.tokenizer(len(history)).encode("low old")
    assert all(step.action for step in history.steps)
