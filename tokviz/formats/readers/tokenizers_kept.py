"""What a tokenizer.json keeps of a text: whether the places that `tokenizers` tells are true."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from tokenizers import models

from tokviz.formats.readers.library import MARK, Spelled, characters_of

#: Normalizers that look at one character at a time, or compose several; and pre-tokenizers that do
#: nothing but cut.
_IN_PLACE = frozenset(("BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents"))
_CUTTING = frozenset(
    ("BertPreTokenizer", "Whitespace", "WhitespaceSplit", "Punctuation", "Digits", "Split")
)


class Kept(NamedTuple):
    """`keeps_places`: words are stretches of the normalized text, and offsets of tokens are true.

    `spells_out`: the words of a text are its stretches, in order, and the tokens of a word spell
    its bytes, as long as neither unknown nor added tokens are among them.

    `spells_marks`: the words are all of the normalized text, with `▁` for spaces, and the tokens of
    a word spell it, as long as no unknown, no added token and no byte is among them.
    """

    keeps_places: bool
    spells_out: bool
    spells_marks: bool


def kept(model: models.Model, around: Mapping[str, Any]) -> Kept:
    """What a model keeps of a text, with what is `around` it in its file.

    >>> kept(models.WordPiece(), {"pre_tokenizer": {"type": "Whitespace"}})
    Kept(keeps_places=True, spells_out=False, spells_marks=False)
    >>> kept(models.BPE(unk_token="<unk>"), {"normalizer": {"type": "Prepend", "prepend": "▁"}})
    Kept(keeps_places=False, spells_out=False, spells_marks=True)
    """
    steps = (_steps_of(around.get(name)) for name in ("normalizer", "pre_tokenizer"))
    normalizers, pre_tokenizers = steps
    return Kept(
        isinstance(model, models.WordPiece)
        and _IN_PLACE.issuperset(step.get("type") for step in normalizers)
        and _CUTTING.issuperset(step.get("type") for step in pre_tokenizers),
        isinstance(model, models.BPE)
        and not normalizers
        and not (model.byte_fallback or _has_markers(model))
        and _are_bytes(pre_tokenizers),
        (
            isinstance(model, models.Unigram)
            # What a BPE does not know it leaves out, if it has no token for that.
            or (
                isinstance(model, models.BPE)
                and model.unk_token is not None
                and not _has_markers(model)
            )
        )
        and all(
            step.get("type") == "Metaspace" and step.get("replacement") == MARK
            for step in pre_tokenizers
        ),
    )


def _has_markers(model: models.BPE) -> bool:
    return bool(model.continuing_subword_prefix or model.end_of_word_suffix)


def _are_bytes(pre_tokenizers: list[Mapping[str, Any]]) -> bool:
    *before, last = pre_tokenizers or [{}]
    return (
        last.get("type") == "ByteLevel"
        and last.get("add_prefix_space") is False
        and all(step.get("type") in ("Split", "Digits") for step in before)
    )


def _steps_of(step: Mapping[str, Any] | None) -> list[Mapping[str, Any]]:
    """The steps of a normalizer or a pre-tokenizer, those in sequences one by one.

    >>> nfc, lower = {"type": "NFC"}, {"type": "Lowercase"}
    >>> _steps_of({"type": "Sequence", "normalizers": [nfc, lower]}) == [nfc, lower]
    True
    """
    if step is None:
        return []
    if step.get("type") != "Sequence":
        return [step]
    inner = step.get("normalizers") or step.get("pretokenizers") or []
    return [each for one in inner for each in _steps_of(one)]


class MarkedLine(NamedTuple):
    """What tokens spell, how many characters it has more than the text, whether these are in front
    of it and all others as they are in the text, where each token ends in the line, and where each
    is in the text, if every other character is in its place."""

    line: str
    before: int
    is_text: bool
    ends: npt.NDArray[np.int64]
    offsets: list[tuple[int, int]]

    def words(self, until: list[int], offsets: list[tuple[int, int]]) -> Spelled:
        """The words, by how many tokens there are up to the end of each."""
        line, before, ends = self.line, self.before, self.ends[np.array(until) - 1].tolist()
        texts = [line[start:end] for start, end in pairwise([0, *ends])]
        starts = [max(at - before, 0) for at in (0, *ends[:-1])]
        word_ends = [max(at - before, 1) for at in ends]
        first = None
        if before and ends[0] > before:
            first = ((0, 1), *((i, i + 1) for i in range(word_ends[0])))
        return Spelled(texts, starts, word_ends, until, offsets, first=first)


def marked_line(text: str, marked: str, tokens: list[bytes]) -> MarkedLine | None:
    """The line of tokens, which is what a text is `marked` as, and maybe a mark before it; None if
    it is not. What is put before the text has the place of its first character.

    >>> line = marked_line("a b", "a▁b", ["▁a".encode(), "▁b".encode()])
    >>> words = line.words([1, 2], line.offsets).words()
    >>> line.offsets, [(word.text, word.start, word.end, word.spans) for word in words]
    ([(0, 1), (1, 3)], [('▁a', 0, 1, ((0, 1), (0, 1))), ('▁b', 1, 3, None)])
    """
    line, joined = marked, b"".join(tokens)
    if joined == f"{MARK}{marked}".encode():
        line = MARK + marked
    elif joined != marked.encode():
        return None
    before = len(line) - len(text)
    is_text = before in (0, 1) and line[before:] == text.replace(" ", MARK)
    of_byte, _ = characters_of(joined)
    token_ends = np.fromiter(map(len, tokens), np.int64, len(tokens)).cumsum()
    first, last = of_byte[np.append(0, token_ends[:-1])], of_byte[token_ends - 1] + 1
    starts, ends = (first - before).clip(min=0).tolist(), (last - before).clip(min=1).tolist()
    return MarkedLine(line, before, is_text, last, [*zip(starts, ends, strict=True)])
