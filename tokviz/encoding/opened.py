"""A tokenizer that was made elsewhere, as opening its file gives it."""

from dataclasses import dataclass, field

from tokviz.basics.short_repr import short_repr
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.pretokenizers.pieces import PieceRules


@dataclass(frozen=True)
class OpenedTokenizer:
    """A tokenizer that was made elsewhere.

    `name` is the file's; `format` is tokenizer.json, vocab.json + merges.txt, CLIP’s merges,
    .tiktoken, tekken.json, js-tiktoken ranks or SentencePiece model; `model` is BPE, WordPiece or
    Unigram. `facts` are what the file says, for people; `notes` are sentences on what is assumed,
    reconstructed or left out. `merges` is None for models that do not merge. `chat_template` is
    that of its tokenizer_config.json, if that was given. `document` is the tokenizer.json that
    `tokenizers` reads, whatever the file was, and `pattern` what `tiktoken` cuts a text with: each
    is empty where another library runs the file. Programs are known to give all ids below
    `reserved` to tokens, those of special ones included that the file does not hold. `piece_rules`
    are those by which a SentencePiece model was trained.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"l": 0, "o": 1, "lo": 2}', "merges.txt": b"l o"}
    >>> opened = open_tokenizer(files)
    >>> opened.model, len(opened.merges.pairs), opened.tokenizer.encode("lol").ids
    ('BPE', 1, [2, 0])
    """

    __repr__ = short_repr

    name: str
    format: str
    model: str
    facts: dict[str, str] = field(repr=False)
    notes: tuple[str, ...] = field(repr=False)
    tokenizer: Tokenizer
    merges: GivenMerges | None = field(repr=False)
    chat_template: str = field(default="", repr=False)
    document: bytes = field(default=b"", repr=False)
    pattern: str = field(default="", repr=False)
    reserved: int = 0
    piece_rules: PieceRules | None = field(default=None, repr=False)

    @property
    def next_id(self) -> int:
        """The first id that is free: no token has it or a greater one."""
        return max(self.reserved, len(self.tokenizer.strings))
