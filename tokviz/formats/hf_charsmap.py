"""SentencePiece's replacements as Hugging Face's library applies them (normalizer Precompiled).

It applies them grapheme by grapheme, and takes the replacement of the shortest beginning that has
one for all of a short grapheme.

Source: huggingface/tokenizers src/normalizers/precompiled.rs; huggingface/spm_precompiled;
s-yata/darts-clone, which wrote the double array.
"""

import base64
import binascii
from dataclasses import dataclass, field

import numpy as np
import regex

from tokviz.formats.aligned_text import AlignedText
from tokviz.formats.bounded_json import TokenizerFileError
from tokviz.formats.hf_unicode import as_known
from tokviz.language import message

#: Extended grapheme clusters as of before Unicode 15.1, which joined more of India's letters: those
#: are never short.
_GRAPHEME = regex.compile(
    r"""\r\n|\p{GCB=Control}|\r|\n
    |\p{GCB=Prepend}*
     (?:\p{GCB=RI}{2}
       |\p{GCB=L}*(?:\p{GCB=V}+|\p{GCB=LV}\p{GCB=V}*|\p{GCB=LVT})\p{GCB=T}*
       |\p{GCB=L}+|\p{GCB=T}+
       |\p{Extended_Pictographic}(?:\p{GCB=Extend}*\p{GCB=ZWJ}\p{Extended_Pictographic})*
       |[^\p{GCB=Control}\r\n])
     [\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*
    |\p{GCB=Prepend}+""",
    regex.VERBOSE | regex.DOTALL,
)


@dataclass(frozen=True)
class Charsmap:
    """A double array over UTF-8, and the replacements one after the other with a zero between."""

    units: tuple[int, ...]
    replacements: bytes
    _known: dict[str, str | None] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.replacements)

    def normalize(self, text: AlignedText) -> AlignedText:
        """The text with every replacement.

        >>> read_charsmap("").normalize(AlignedText("a")).text
        'a'
        """
        if not self.units:
            return text
        changed = self._changes(text.text)
        if "".join(char for char, _ in changed) == text.text:
            return text
        return text.rewritten(changed)

    def _changes(self, text: str) -> list[tuple[str, int]]:
        known, changes = as_known(text), list[tuple[str, int]]()
        for match in _GRAPHEME.finditer(known):
            grapheme = text[match.start() : match.end()]
            size = len(grapheme.encode("utf-8", "surrogatepass"))
            whole = self.replacement(grapheme) if size < 6 else None
            for part in [grapheme] if whole is not None else grapheme:
                found = whole if whole is not None else self.replacement(part)
                if found is None:
                    changes.append((part, 0))
                    continue
                changes += [(char, int(i >= len(part))) for i, char in enumerate(found)]
                # The last character before the missing ones takes them along.
                if len(found) < len(part) and changes:
                    char, change = changes[-1]
                    changes[-1] = char, change + len(found) - len(part)
        return changes

    def replacement(self, text: str) -> str | None:
        """What the shortest beginning of a text that has a replacement becomes, or None."""
        if text not in self._known:
            if len(self._known) > 50_000:
                self._known.clear()
            self._known[text] = self._look_up(text.encode("utf-8", "surrogatepass"))
        return self._known[text]

    def _look_up(self, data: bytes) -> str | None:
        units, size = self.units, len(self.units)
        at = _offset(units[0])
        for byte in data:
            at ^= byte
            # The library reads on beyond its array; a unit that is not there leads nowhere.
            if byte == 0 or at >= size or units[at] & 0x800000FF != byte:
                return None
            unit = units[at]
            at ^= _offset(unit)
            if unit >> 8 & 1 and at < size:
                begins = units[at] & 0x7FFFFFFF
                ends = self.replacements.find(b"\0", begins)
                found = self.replacements[begins : ends if ends >= 0 else None]
                return found.decode("utf-8", "replace")
        return None


def _offset(unit: int) -> int:
    return unit >> 10 << ((unit & 1 << 9) >> 6)


def read_charsmap(encoded: str) -> Charsmap:
    """The replacements of a file, in base64; an empty text has none.

    Raises TokenizerFileError if it is damaged.
    """
    damaged = TokenizerFileError(
        message("The replacements of the normalizer Precompiled are damaged.")
    )
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        raise damaged from None
    if not data:
        return Charsmap((), b"")
    size = int.from_bytes(data[:4], "little")
    if len(data) < 4 or size % 4 or not 4 <= size <= len(data) - 4:
        raise damaged
    units = tuple(np.frombuffer(data, "<u4", size // 4, 4).tolist())
    try:
        data[4 + size :].decode("utf-8")
    except UnicodeDecodeError:
        raise damaged from None
    return Charsmap(units, data[4 + size :])
