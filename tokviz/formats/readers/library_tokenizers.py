"""tokenizer.json as `tokenizers` runs it.

The library is asked twice. Once with the file, for its ids. And once with the same file and another
model, which knows the 256 bytes and nothing else: that shows each character that the model of the
file is given, and where it came from, whatever normalizers, pre-tokenizers and added tokens do.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from itertools import chain
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import tokenizers

from tokviz.encoding.encoders import BYTE_NAME
from tokviz.formats.readers.bounded_json import TokenizerFileError, brief
from tokviz.formats.readers.library import (
    MARK,
    Begun,
    LibraryHere,
    Spelled,
    Split,
    characters_of,
    failing,
    placed,
    readable,
)
from tokviz.formats.readers.tokenizers_kept import kept, marked_line
from tokviz.pretokenizers import BYTE_TO_CHAR, Word, from_byte_level

#: A model of bytes: every character is unknown to it, and so becomes its bytes.
_BYTES = {
    "type": "BPE",
    "vocab": {f"<0x{byte:02X}>": byte for byte in range(256)},
    "merges": [],
    "byte_fallback": True,
}
_BYTE_CHARS = frozenset(BYTE_TO_CHAR.values())
#: Where the tokens of a word begin and end.
_SIDES: Final[tuple[Literal["left", "right"], ...]] = ("left", "right")
#: What comes after the model, which is left out here.
_AFTERWARDS = dict.fromkeys(("post_processor", "truncation", "padding"))


class AboutTokenizers(NamedTuple):
    """The added tokens by id, each with its content and whether it is special; the scores of a
    Unigram model as the library has read them, which is not to the last bit as they are written."""

    added: dict[int, tuple[str, bool]]
    scores: list[float] | None


class _True(NamedTuple):
    """Where each token of a text is, and what works out the rest."""

    offsets: list[tuple[int, int]]
    rest: Callable[[], Iterator[Split] | Spelled]


class TokenizersLibrary(LibraryHere):
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
        self._kept, self._bytes = kept(self._whole.model, around), dict[int, bytes]()
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
        if not isinstance(self._whole.model, tokenizers.models.Unigram):
            return AboutTokenizers(added, None)
        return AboutTokenizers(added, self._unigram[0])

    @cached_property
    def _unigram(self) -> tuple[list[float], int | None]:
        """The scores of a Unigram model, and the id of its unknown token."""
        with failing("tokenizers"):
            model = json.loads(self._whole.to_str())["model"]
        return [score for _, score in model["vocab"]], model.get("unk_id")

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

    def begun(self, text: str) -> Begun:
        """See `LibraryHere`."""
        known, places = readable(text)
        with failing("tokenizers"):
            found = self._whole.encode(known, add_special_tokens=False)
        ids: list[int] = found.ids
        way = cache(lambda: self._true(known, ids, found))

        def rest() -> Iterator[Split] | Spelled:
            if (true := way()) is None:
                return placed(self._seen(known, ids, found), places)
            spelled = true.rest()
            if places is None:
                return spelled
            return placed(spelled.splits(ids) if isinstance(spelled, Spelled) else spelled, places)

        def offsets() -> list[tuple[int, int]] | None:
            return true.offsets if places is None and (true := way()) else None

        return Begun(ids, rest, offsets)

    def _true(self, text: str, ids: list[int], found: Any) -> _True | None:
        """Where each token is, and what works out the rest, where that is known to be true."""
        if not ids:
            return None
        if self._kept.keeps_places and (normalized := self._in_place(text)) is not None:
            return _True(found.offsets, lambda: self._in_stretches(normalized, found))
        if self._kept.spells_out:
            # Where each token is follows from the bytes of those before it.
            tokens = self._spelled(ids)
            if tokens is not None and b"".join(tokens) == text.encode():
                return _True(found.offsets, lambda: self._by_bytes(text, tokens, found))
        return self._by_marks(text, ids, found) if self._kept.spells_marks else None

    def _in_place(self, text: str) -> str | None:
        """The normalized text, if each character became one in its place; None if not, or if an
        added token may be in it."""
        normalized = self._normalized(text)
        alone = {ord(char): self._normalized(char) for char in {*text}}
        if len(normalized) != len(text) or any(len(made) != 1 for made in alone.values()):
            return None
        if text.translate(alone) != normalized:
            return None
        is_there = any(name in text or name in normalized for name in self._names)
        return None if is_there else normalized

    @cached_property
    def _names(self) -> set[str]:
        """The added tokens as they are written, and normalized."""
        names = {token.content for token in self._added.values()}
        return names | {*map(self._normalized, names)}

    def _normalized(self, text: str) -> str:
        normalizer = self._whole.normalizer
        with failing("tokenizers"):
            normalized: str = text if normalizer is None else normalizer.normalize_str(text)
        return normalized

    def _in_stretches(self, normalized: str, found: Any) -> Spelled:
        """The words of tokens, each from its first one to its last one."""
        until, offsets = _until(found), found.offsets
        starts = [offsets[at][0] for at in (0, *until[:-1])]
        ends = [offsets[last - 1][1] for last in until]
        texts = [normalized[start:end] for start, end in zip(starts, ends, strict=True)]
        return Spelled(texts, starts, ends, until, offsets)

    def _spelled(self, ids: list[int]) -> list[bytes] | None:
        """The bytes of each token; None if one is added or unknown."""
        known, unknown = self._bytes, self._whole.model.unk_token
        for i in {*ids} - known.keys():
            token = self._whole.id_to_token(i)
            if i in self._added or token is None or token == unknown:
                return None
            if not _BYTE_CHARS.issuperset(token):
                return None
            known[i] = from_byte_level(token)
        return [*map(known.__getitem__, ids)]

    def _by_bytes(self, text: str, tokens: list[bytes], found: Any) -> Spelled:
        """The words of byte-level tokens that spell the text."""
        until = _until(found)
        token_ends = np.fromiter(map(len, tokens), np.int64, len(tokens)).cumsum()
        of_byte, _ = characters_of(text.encode())
        ends = (of_byte[token_ends[np.array(until) - 1] - 1] + 1).tolist()
        starts = [0, *ends[:-1]]
        texts = [text[start:end] for start, end in zip(starts, ends, strict=True)]
        return Spelled(texts, starts, ends, until, found.offsets, in_bytes=True)

    @cached_property
    def _no_text(self) -> frozenset[int]:
        """The ids of added tokens and of the unknown one."""
        model = self._whole.model
        if isinstance(model, tokenizers.models.Unigram):
            unknown = self._unigram[1]
        else:
            unknown = self._whole.token_to_id(model.unk_token)
        return frozenset(self._added) if unknown is None else frozenset({*self._added, unknown})

    def _by_marks(self, text: str, ids: list[int], found: Any) -> _True | None:
        """All of tokens that are the normalized text, with `▁` for spaces, and maybe one before it.
        The library's offsets are true, but where bytes are among them."""
        names = {i: self._whole.id_to_token(i) or "" for i in {*ids}}
        named = {i: byte for i, name in names.items() if (byte := BYTE_NAME.fullmatch(name))}
        # Bytes are added tokens in some files.
        if not self._no_text.isdisjoint(names.keys() - named.keys()):
            return None
        data = {i: name.encode() for i, name in names.items()}
        data |= {i: bytes.fromhex(byte[1]) for i, byte in named.items()}
        tokens = [*map(data.__getitem__, ids)]
        line = marked_line(text, self._normalized(text).replace(" ", MARK), tokens)
        if line is None or (named and not line.is_text):
            return None
        offsets = line.offsets if named else found.offsets

        def rest() -> Iterator[Split] | Spelled:
            in_place = line.is_text or (line.before in (0, 1) and self._in_place(text) is not None)
            if not in_place or offsets != line.offsets:
                return self._seen(text, ids, found, exact=True)
            return line.words(_until(found), offsets)

        return _True(offsets, rest)

    def _seen(self, text: str, ids: list[int], found: Any, exact: bool = False) -> Iterator[Split]:
        """The words as the model of bytes is given them."""
        with failing("tokenizers"):
            shape = self._shape.encode(text, add_special_tokens=False)
        size = len(shape.ids)
        if not size:
            return
        given, numbers = np.array(shape.ids, np.int64), np.array(shape.word_ids, np.int64)
        until = np.append((numbers[1:] != numbers[:-1]).nonzero()[0] + 1, size)
        of_token = np.array(found.word_ids, np.int64)
        tokens = [of_token.searchsorted(numbers[until - 1], side).tolist() for side in _SIDES]
        # An added token is one character here, whatever it is.
        lone = np.diff(until, prepend=0) == 1
        added = until[lone & (given[until - 1] >= 128)] - 1
        seen = given.copy()
        seen[added] = ord("?")
        data = seen.astype(np.uint8).tobytes()
        of_byte, first = characters_of(data)
        chars = data.decode()
        spans = np.fromiter(chain.from_iterable(shape.offsets), np.int64, 2 * size).reshape(-1, 2)
        begins, ends = spans[first[:-1], 0], spans[first[1:] - 1, 1]
        # How many characters until each are not the next one of the text.
        wide = ends - begins != 1
        others = [0, *(wide | (np.diff(begins, prepend=-1) != 1)).cumsum().tolist()]
        of_char = [*zip(begins.tolist(), ends.tolist(), strict=True)]
        char_ends = (of_byte[until - 1] + 1).tolist()
        offsets = found.offsets
        char = at = 0
        for last, low, high, end in zip(until.tolist(), *tokens, char_ends, strict=True):
            own, token = tuple(ids[low:high]), None
            if last - at == 1 and high - low == 1 and own[0] in self._added:
                token = self._special(text, int(given[at]), of_char[char], own[0])
            if token is not None:
                word = Word(token, *of_char[char])
            elif others[end] == others[char + 1] and not wide[char]:
                word = Word(chars[char:end], of_char[char][0], of_char[end - 1][1])
            else:
                sources = tuple(of_char[char:end])
                start, to = min(sources)[0], max(to for _, to in sources)
                word = Word(chars[char:end], start, to, sources)
            yield Split(word, token is not None, own, tuple(offsets[low:high]), exact)
            at, char = last, end

    def _special(self, text: str, seen: int, span: tuple[int, int], number: int) -> str | None:
        """The added token that a stretch is, if it is one."""
        content: str = self._added[number].content
        # One may be called as the byte of a character is.
        names = content, self._normalized(content)
        return content if seen >= 256 or text[slice(*span)].strip() in names else None


def _until(found: Any) -> list[int]:
    """How many tokens there are up to the end of each word."""
    words = np.array(found.word_ids, np.int64)
    return [*((words[1:] != words[:-1]).nonzero()[0] + 1).tolist(), len(words)]
