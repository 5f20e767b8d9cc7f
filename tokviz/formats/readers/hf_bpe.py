"""The model BPE of Hugging Face's library, as a file describes it.

Source: huggingface/tokenizers, src/models/bpe.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain, product
from operator import itemgetter
from typing import Any

from tokviz.basics.later import Later
from tokviz.basics.messages import message
from tokviz.encoding.given_merges import GivenMerges, Pair
from tokviz.formats.readers.bounded_json import Fields, TokenizerFileError, brief, yes
from tokviz.formats.readers.given_encoders import GivenMergeEncoder
from tokviz.formats.readers.hf_model import Model
from tokviz.formats.readers.library import MARK
from tokviz.pretokenizers import CHAR_TO_BYTE, from_byte_level
from tokviz.text.symbols import Spelling, Symbol

#: The characters that stand for bytes.
_BYTES = frozenset(CHAR_TO_BYTE)


@dataclass
class BpeModel(Model):
    """BPE; `merge_list` are the merges as strings, the first one first."""

    unknown: str | None = None
    fuses: bool = False
    fallback: dict[int, Symbol] = field(default_factory=dict)
    whole: dict[str, int] = field(default_factory=dict)
    form: str = "plain"

    @staticmethod
    def read(
        fields: Fields, vocabulary: dict[str, int], merges: list[Any], form: str
    ) -> "BpeModel":
        """The model of these fields."""
        prefix = fields.maybe_text("continuing_subword_prefix") or ""
        suffix = fields.maybe_text("end_of_word_suffix") or ""
        spelling = Spelling(
            "byte" if form == "bytes" else "char",
            suffix,
            bool(suffix),
            prefix,
            MARK if form == "marks" else " ",
        )
        model = BpeModel("BPE", vocabulary, len(vocabulary), spelling, form=form)
        model.unknown, model.fuses = fields.maybe_text("unk_token"), fields.flag("fuse_unk", False)
        if model.unknown is not None and model.unknown not in vocabulary:
            model.note_lacking(model.unknown)
            model.unknown = None
        model.symbol_of = model._symbols()
        model.pairs = _pairs(merges, vocabulary, prefix)
        if fields.flag("byte_fallback", False):
            model.fallback = {
                byte: Symbol(f"<0x{byte:02X}>")
                for byte in range(256)
                if f"<0x{byte:02X}>" in vocabulary
            }
        if fields.flag("ignore_merges", False):
            known = ((model._word(token), number) for token, number in vocabulary.items())
            model.whole = {word: number for word, number in known if word}
            model.notes.append(
                message("A word that is in the vocabulary is taken at once (ignore_merges).")
            )
        if fields.values.get("dropout"):
            model.notes.append(message("BPE-dropout, which the file has switched on, is left out."))
        model.facts = {
            message("Merges"): f"{len(model.pairs):,}",
            message("Unknown token"): model.unknown or message("none"),
            message("Byte fallback"): yes(fields.flag("byte_fallback", False)),
        }
        if prefix:
            model.facts[message("Continuing-subword prefix")] = prefix
        if suffix:
            model.facts[message("End-of-word suffix")] = suffix
        if model.unknown is None and form != "bytes" and not model.fallback:
            model.notes.append(message("Characters that are not in the vocabulary are left out."))
        return model

    def _symbols(self) -> dict[str, Symbol]:
        """The symbol of every token that words can be spelled with."""
        tokens, spelling = self.vocabulary, self.spelling
        affixed = spelling.continuing_subword_prefix or spelling.end_of_word_suffix
        if self.form == "bytes" and not affixed and _BYTES.issuperset("".join(tokens)):
            return {token: Symbol(token) for token in tokens if token}
        found = ((token, self._symbol(token)) for token in tokens)
        return {token: symbol for token, symbol in found if symbol is not None}

    def _symbol(self, token: str) -> Symbol | None:
        """The symbol that a token is; None for one that no word can be spelled with."""
        prefix, suffix = self.spelling.continuing_subword_prefix, self.spelling.end_of_word_suffix
        continuing = bool(prefix) and len(token) > len(prefix) and token.startswith(prefix)
        text = token[len(prefix) :] if continuing else token
        ends = bool(suffix) and len(text) > len(suffix) and text.endswith(suffix)
        text = text.removesuffix(suffix) if ends else text
        if self.form == "bytes" and not _BYTES.issuperset(text):
            return None
        if self.form == "marks":
            if " " in text:
                return None
            text = text.replace(MARK, " ")
        return Symbol(text, continuing, ends) if text else None

    def _word(self, token: str) -> str | None:
        """The word that is spelled like a token."""
        if self.form == "bytes":
            try:
                return from_byte_level(token).decode("utf-8")
            except ValueError:
                return None
        if self.form == "marks":
            return None if " " in token else token.replace(MARK, " ")
        return token

    def encoder(self, shown: list[str]) -> GivenMergeEncoder:
        prefix, suffix = self.spelling.continuing_subword_prefix, self.spelling.end_of_word_suffix
        number: dict[Symbol, int] = {}
        affixes = [*product({False, bool(prefix)}, {False, bool(suffix)})]
        longest = 1 + len(prefix) + len(suffix)
        for token, token_id in self.vocabulary.items():
            if len(token) > longest:
                continue
            for continuing, ends in affixes:
                before, after = prefix * continuing, suffix * ends
                size = len(token) - len(before) - len(after)
                if size == 1 and token.startswith(before) and token.endswith(after):
                    char = token[len(before) : len(before) + 1]
                    if self.form == "marks":
                        if char == " ":
                            continue
                        char = char.replace(MARK, " ")
                    number[Symbol(char, continuing, ends)] = token_id
        number |= {
            symbol: self.vocabulary[f"<0x{byte:02X}>"] for byte, symbol in self.fallback.items()
        }
        unknown = None
        if self.unknown is not None:
            unknown = Symbol("", unknown=True)
            number[unknown] = self.vocabulary[self.unknown]
        return GivenMergeEncoder(
            self.spelling,
            number,
            Later(self._ranks),
            range(len(shown)),
            shown,
            whole=self.whole,
            fuse_unknown=self.fuses,
            unknown=unknown,
            fallback=self.fallback,
        )

    def _ranks(self) -> dict[tuple[int, int], tuple[int, int]]:
        """The rank of each pair of ids, and the id that it becomes."""
        id_of, size = self.vocabulary.__getitem__, len(self.spelling.continuing_subword_prefix)
        made = map(id_of, _joined(self.pairs, size))
        lefts, rights = (map(id_of, map(itemgetter(side), self.pairs)) for side in (0, 1))
        return dict(zip(zip(lefts, rights, strict=True), enumerate(made), strict=True))

    def merges(self, strings: tuple[str, ...]) -> GivenMerges:
        def ids() -> dict[Symbol, int]:
            return {symbol: self.vocabulary[token] for token, symbol in self.symbol_of.items()}

        return GivenMerges(self.spelling, strings, Later(ids), _Listed(self.pairs, self.symbol_of))


@dataclass(frozen=True)
class _Listed:
    """The merges of a file, as symbols when they are first asked for: encoding needs none."""

    pairs: list[tuple[str, str]]
    of: Mapping[str, Symbol]

    def __iter__(self) -> Iterator[Pair]:
        # Of a pair that is there twice, the last rank is that of the library.
        for left, right in reversed(dict.fromkeys(reversed(self.pairs))):
            if left in self.of and right in self.of:
                yield self.of[left], self.of[right]


def _joined(pairs: Iterable[tuple[str, str]], prefix_size: int) -> list[str]:
    """What each merge makes."""
    return [left + right[prefix_size:] for left, right in pairs]


def _pairs(merges: list[Any], vocabulary: dict[str, int], prefix: str) -> list[tuple[str, str]]:
    """The merges, which are "left right" or [left, right], checked against the vocabulary."""
    if (known := _sound(merges, vocabulary, prefix)) is not None:
        return known
    pairs = []
    for number, merge in enumerate(merges, start=1):
        if isinstance(merge, str):
            if merge.startswith("#version"):
                continue
            merge = merge.split(" ")
        if not isinstance(merge, list) or [type(part) for part in merge] != [str, str]:
            raise TokenizerFileError.saying("Merge {number:,} is not two tokens.", number=number)
        left, right = merge
        whole = left + right[len(prefix) :]
        if not (left in vocabulary and right in vocabulary and whole in vocabulary):
            [token, *_] = [one for one in (left, right, whole) if one not in vocabulary]
            raise TokenizerFileError.saying(
                "Merge {number:,} needs {token}, which is not in the vocabulary.",
                number=number,
                token=brief(token),
            )
        if not left or len(right) <= len(prefix) or not right.startswith(prefix):
            raise TokenizerFileError.saying(
                "Merge {number:,} joins an empty token, or one without the prefix {prefix}, which "
                "cannot be reproduced exactly.",
                number=number,
                prefix=brief(prefix),
            )
        pairs.append((left, right))
    return pairs


def _sound(
    merges: list[Any], vocabulary: dict[str, int], prefix: str
) -> list[tuple[str, str]] | None:
    """The merges, all checked together; None if they are to be looked at one by one."""
    kinds = {*map(type, merges)}
    if kinds == {str}:
        merges = [merge.split(" ") for merge in merges if not merge.startswith("#version")]
    elif kinds != {list}:
        return None
    if {*map(len, merges)} != {2} or {*map(type, chain.from_iterable(merges))} != {str}:
        return None
    pairs: list[tuple[str, str]] = [*map(tuple, merges)]
    lefts, rights = ({*side} for side in zip(*pairs, strict=True))
    tokens, size = vocabulary.keys(), len(prefix)
    if not (lefts <= tokens and rights <= tokens and tokens >= {*_joined(pairs, size)}):
        return None
    spelled = all(right.startswith(prefix) and len(right) > size for right in rights)
    return pairs if spelled and "" not in lefts else None
