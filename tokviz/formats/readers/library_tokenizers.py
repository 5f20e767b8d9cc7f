"""tokenizer.json as `tokenizers` runs it.

The library is asked twice. Once with the file, for its ids. And once with the same file and another
model, which knows the 256 bytes and nothing else: that shows each character that the model of the
file is given, and where it came from, whatever normalizers, pre-tokenizers and added tokens do.
"""

import json
from collections.abc import Mapping
from itertools import groupby
from typing import Any, NamedTuple

import tokenizers

from tokviz.formats.readers.bounded_json import TokenizerFileError, brief
from tokviz.formats.readers.library import Split, failing, placed, readable
from tokviz.pretokenizers import Word

#: A model of bytes: every character is unknown to it, and so becomes its bytes.
_BYTES = {
    "type": "BPE",
    "vocab": {f"<0x{byte:02X}>": byte for byte in range(256)},
    "merges": [],
    "byte_fallback": True,
}
#: What comes after the model, which is left out here.
_AFTERWARDS = dict.fromkeys(("post_processor", "truncation", "padding"))


class AboutTokenizers(NamedTuple):
    """The added tokens by id, each with its content and whether it is special; the scores of a
    Unigram model as the library has read them, which is not to the last bit as they are written."""

    added: dict[int, tuple[str, bool]]
    scores: list[float] | None


class TokenizersLibrary:
    """A tokenizer of the library, from the text of its tokenizer.json, without what comes after its
    model and without BPE-dropout. `around` is what the file says besides its model: a large one is
    not parsed here to know it.

    Raises TokenizerFileError for what the library does not read, and for added tokens of which it
    finds one or another by chance.

    >>> around = {"pre_tokenizer": {"type": "Whitespace"}, "normalizer": {"type": "NFKC"}}
    >>> model = {"type": "BPE", "merges": ["a b"], "vocab": {"a": 0, "b": 1, "ab": 2}}
    >>> file = {"added_tokens": [], **around, "model": model}
    >>> library = TokenizersLibrary(json.dumps(file), around)
    >>> [(split.word.text, split.word.start, split.ids) for split in library.splits("ａb a")]
    [('ab', 0, (2,)), ('a', 3, (0,))]
    """

    def __init__(self, text: str, around: Mapping[str, Any]) -> None:
        with failing("tokenizers"):
            self._whole = tokenizers.Tokenizer.from_str(text)
            self._whole.no_truncation()
            self._whole.no_padding()
            self._whole.post_processor = None
            if getattr(self._whole.model, "dropout", None):
                self._whole.model.dropout = None
            self._added = self._whole.get_added_tokens_decoder()
            parts = {**around, "model": _BYTES, **_AFTERWARDS}
            self._shape = tokenizers.Tokenizer.from_str(json.dumps(parts))
        self._check_added()

    def _check_added(self) -> None:
        found: dict[str, int] = {}
        normalizer = self._whole.normalizer
        for number, token in self._added.items():
            text = token.content
            if token.normalized and normalizer is not None:
                with failing("tokenizers"):
                    text = normalizer.normalize_str(text)
            if not text:
                raise TokenizerFileError.saying(
                    "The added token {token} is nothing after normalizing.",
                    token=brief(token.content),
                )
            if token.normalized and found.setdefault(text, number) != number:
                raise TokenizerFileError.saying(
                    "Two added tokens are {text} after normalizing, and the library finds one or "
                    "the other by chance.",
                    text=brief(text),
                )

    def about(self) -> AboutTokenizers:
        """See `Library`."""
        added = {number: (token.content, token.special) for number, token in self._added.items()}
        scores = None
        if isinstance(self._whole.model, tokenizers.models.Unigram):
            with failing("tokenizers"):
                model = json.loads(self._whole.to_str())["model"]
            scores = [score for _, score in model["vocab"]]
        return AboutTokenizers(added, scores)

    def decode(self, ids: list[int], new: Mapping[int, str] | None = None) -> str:
        """See `Library`: special tokens are kept, and an id without a token is nothing."""
        if new:
            found = (new.get(i) or self._whole.id_to_token(i) for i in ids)
            tokens, decoder = [token for token in found if token is not None], self._whole.decoder
            with failing("tokenizers"):
                return decoder.decode(tokens) if decoder else " ".join(tokens)
        with failing("tokenizers"):
            text: str = self._whole.decode(ids, skip_special_tokens=False)
        return text

    def splits(self, text: str) -> list[Split]:
        """See `Library`."""
        known, places = readable(text)
        with failing("tokenizers"):
            found = self._whole.encode(known, add_special_tokens=False)
            shape = self._shape.encode(known, add_special_tokens=False)
        ids, offsets = found.ids, found.offsets
        of_split = {
            number: [i for i, _ in group]
            for number, group in groupby(enumerate(found.word_ids), key=lambda item: item[1])
        }
        splits = []
        seen = zip(shape.ids, shape.offsets, shape.word_ids, strict=True)
        for number, group in groupby(seen, key=lambda item: item[2]):
            parts = [(i, span) for i, span, _ in group]
            at = of_split.get(number, [])
            own = tuple(ids[i] for i in at)
            token = self._special(known, parts, own)
            if token is None:
                word = _word(parts)
            else:
                start, end = parts[0][1]
                word = Word(token, start, end)
            spans = tuple((offsets[i][0], offsets[i][1]) for i in at)
            splits.append(Split(word, token is not None, own, spans))
        return placed(splits, places)

    def _special(
        self, text: str, parts: list[tuple[int, tuple[int, int]]], ids: tuple[int, ...]
    ) -> str | None:
        """The added token that a stretch is, if it is one."""
        [(first, span), *others] = parts
        if others or len(ids) != 1 or ids[0] not in self._added:
            return None
        content: str = self._added[ids[0]].content
        # One may be called as the byte of a character is.
        return content if first >= 256 or text[slice(*span)].strip() == content else None


def _word(parts: list[tuple[int, Any]]) -> Word:
    """The characters of bytes, and the source of each."""
    text = bytes([i for i, _ in parts]).decode("utf-8")
    if len(text) == len(parts):
        spans = [span for _, span in parts]
    else:
        spans, at = [], 0
        for char in text:
            first, at = at, at + len(char.encode("utf-8"))
            spans.append((parts[first][1][0], parts[at - 1][1][1]))
    start, end = min(span[0] for span in spans), max(span[1] for span in spans)
    return Word(text, start, end, tuple(spans))
