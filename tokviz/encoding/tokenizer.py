"""The tokenizer of one state: encode a text with its offsets, decode ids back to text."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from heapq import nlargest
from random import Random

from tokviz.basics.arguments import Shown, check_text, kind_of, plain, whole
from tokviz.basics.errors import OutOfRangeError, SettingError
from tokviz.basics.messages import message
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import Event, MergeEncoder, Piece, WordEncoder, named_byte
from tokviz.encoding.token_ids import TokenIds
from tokviz.encoding.viterbi_encoder import ViterbiEncoder
from tokviz.encoding.word_lattice import WordLattice, check_sampling, draw_one
from tokviz.pretokenizers import (
    Gpt2Pretokenizer,
    NonePretokenizer,
    Pretokenizer,
    RegexPretokenizer,
    RunsPretokenizer,
    Word,
)
from tokviz.text.pieces import Piece as TextPiece
from tokviz.text.pieces import pieces
from tokviz.text.symbols import Spelling, Symbol

#: Whose words may hold a line break.
_KEEP_WHITE_SPACE = (Gpt2Pretokenizer, NonePretokenizer, RegexPretokenizer, RunsPretokenizer)
#: Words whose pieces a tokenizer remembers from one text to the next.
MOST_KNOWN = 20_000


@dataclass(frozen=True)
class Encoding:
    """A text in tokens: as displayed, their ids (None for what the vocabulary does not hold), and
    the code points [start, end) of the text that each covers. `word_ids` says which of `words` each
    token is a part of (None: a special token, which is no word)."""

    __repr__ = short_repr

    tokens: list[str]
    ids: list[int | None]
    offsets: list[tuple[int, int]] = field(repr=False)
    words: list[Word] = field(repr=False)
    _encoder: WordEncoder
    _drawn: list[list[Event]] = field(default_factory=list)  # per word, where chance had a part
    word_ids: list[int | None] = field(default_factory=list, repr=False)
    #: Words of which it is not known how they were cut: another library did so.
    untold: set[int] = field(default_factory=set, repr=False)

    @cached_property
    def trace(self) -> list[tuple[Word, list[Event]]]:
        """For every word what the encoder did, in order."""
        return [(word, self.trace_of(number)) for number, word in enumerate(self.words)]

    def trace_of(self, number: int) -> list[Event]:
        """What the encoder did with word `number` alone; nothing for a word that is `untold`."""
        if number in self.untold:
            return []
        if self._drawn:
            return self._drawn[number]
        return self._encoder.trace(self.words[number].text)

    def __len__(self) -> int:
        return len(self.tokens)


@dataclass(frozen=True, repr=False)
class Tokenizer(TokenIds):
    """Encodes and decodes with the vocabulary of one state. Made by `History.tokenizer`.

    >>> import tokviz
    >>> history = tokviz.train(["low lower", "low"], "bpe", vocab_size=8)
    >>> encoding = history.tokenizer(2).encode("slow")
    >>> encoding.tokens, encoding.ids, encoding.offsets
    (['s', 'low'], [None, 7], [(0, 1), (1, 4)])
    """

    strings: list[str]
    symbols: list[Symbol | None]  # by id; None for special tokens
    spelling: Spelling
    pretokenizer: Pretokenizer
    special_tokens: tuple[str, ...]
    encoder: WordEncoder
    bytes_of: Mapping[int, bytes] = field(default_factory=dict)  # ids that stand for bytes
    #: The first id that the library of an opened file does not know.
    first_new: int | None = None
    # What it has met: pieces by word, and what ids decode to.
    _known: dict[str, list[Piece]] = field(default_factory=dict, repr=False, compare=False)
    _decoded: dict[int, tuple[bytes, bytes, bytes]] = field(
        default_factory=dict, repr=False, compare=False
    )

    def __repr__(self) -> str:
        """Short, whatever the vocabulary holds."""
        return (
            f"<{type(self).__name__} of {len(self.strings):,} tokens: words by "
            f"{self.pretokenizer.name}, tokens by {type(self.encoder).__name__}>"
        )

    def encode(self, text: str, dropout: float = 0.0, seed: int = 0) -> Encoding:
        """Tokens, ids and offsets of a text. Special tokens in it are kept whole.

        With `dropout` (BPE-dropout, Provilkov et al. 2020) each applicable merge is skipped with
        that probability before every merge: 0 skips none, 1 leaves single symbols. The same seed
        draws the same; the trace then also tells what was skipped.

        Raises CorpusError for what is no text, SettingError for a dropout outside 0 to 1, and for
        encoders that do not merge.

        >>> import tokviz
        >>> tokenizer = tokviz.train("low lower lowest", "bpe", 40).tokenizer()
        >>> [tokenizer.encode("lower", dropout=0.5, seed=seed).tokens for seed in range(3)]
        [['low', 'e', 'r'], ['l', 'o', 'w', 'e', 'r'], ['low', 'e', 'r']]
        """
        if dropout:
            return self._with_dropout(text, dropout, seed)
        return self.encode_pieces(self.cut(text))

    def encode_batch(self, texts: Iterable[str]) -> list[Encoding]:
        """The encodings of several texts, in their order. Raises ValueError for a single text.

        >>> import tokviz
        >>> tokenizer = tokviz.train("low lower lowest", "bpe", 40).tokenizer()
        >>> [encoding.tokens for encoding in tokenizer.encode_batch(["low", "lower"])]
        [['low'], ['low', 'e', 'r']]
        """
        if isinstance(texts, str):
            raise ValueError(
                message("encode_batch takes a list of texts, and this is a single one; use encode.")
            )
        return [self.encode(text) for text in texts]

    def cut(self, text: str) -> Iterable[TextPiece]:
        """The words of a text, and the special tokens in it, which are kept whole. A line break
        that the vocabulary has no id for is between two documents, as in training, and in no word.
        Raises CorpusError for what is no text."""
        check_text(text)
        ends = None
        if self.line_ends and ("\n" in text or "\r" in text):
            ends = re.compile(f"[{self.line_ends}]+")
        return pieces(text, self.pretokenizer, self.special_tokens, ends)

    @cached_property
    def line_ends(self) -> str:
        """The characters that end a document, as in training: line breaks without an id. One that
        has an id, of a byte, of a character or of the unknown token, is encoded. None for
        pre-tokenizers that leave white space out, or, as SentencePiece's normalizer, make a space
        of it.

        >>> import tokviz
        >>> tokviz.train("low lower", "bpe", 9).tokenizer().line_ends
        '\\r\\n'
        >>> bytes_of_all = {"unit": "byte", "initial_alphabet": ["bytes"]}
        >>> tokviz.train("low lower", "bpe", 259, **bytes_of_all).tokenizer().line_ends
        ''
        """
        if not isinstance(self.pretokenizer, _KEEP_WHITE_SPACE):
            return ""
        # At the start of a word, within, and at its end.
        encoded = {end: self.encoder.encode(end * 3) for end in "\r\n"}
        return "".join(end for end in encoded if any(p.id is None for p in encoded[end]))

    def special_id(self, token: str) -> int:
        """The id of a special token that `cut` has found."""
        return self.special_tokens.index(token)

    def encode_pieces(self, cut_text: Iterable[TextPiece]) -> Encoding:
        """The encoding of a text that `tokviz.text.corpus.pieces` has cut already, for tokenizers
        that share a pre-tokenizer and special tokens: those of several states of a run."""
        return self._encoding(cut_text, self.pieces_of)

    def pieces_of(self, word: str) -> list[Piece]:
        """The pieces of a word, as the encoder cuts it; what it has met it remembers."""
        known = self._known
        if (cuts := known.get(word)) is None:
            if len(known) > MOST_KNOWN:
                known.clear()
            cuts = known[word] = self.encoder.encode(word)
        return cuts

    def is_unknown(self, encoding: Encoding, number: int, text: str) -> bool:
        """Whether a token of an encoding of a text stands for what the vocabulary does not hold: it
        has no id, or that of the unknown token, and what it covers is neither that one's name nor a
        special token nor a byte.

        >>> import tokviz
        >>> tokenizer = tokviz.train("low", "bpe", 3).tokenizer()
        >>> encoding = tokenizer.encode("lox")
        >>> [tokenizer.is_unknown(encoding, number, "lox") for number in range(3)]
        [False, False, True]
        """
        token_id, token = encoding.ids[number], encoding.tokens[number]
        if token_id is None or encoding.word_ids[number] is None:
            return token_id is None
        covered = text[slice(*encoding.offsets[number])]
        if covered == token or named_byte(token, covered) is not None:
            return False
        return self.symbols[token_id] is None or token_id in self._unknown_ids

    @cached_property
    def _unknown_ids(self) -> set[int]:
        """The id of what is unknown in a word; empty if there is none."""
        encoder = self.encoder
        found: set[int | None] = {getattr(encoder, "unknown_id", None)}
        if isinstance(encoder, MergeEncoder):
            number = encoder.number.get(Symbol("", unknown=True))
            found.add(None if number is None else int(encoder.ids[number]))
        return {token_id for token_id in found if token_id is not None}

    def with_encoder(self, encoder: WordEncoder) -> "Tokenizer":
        """The same vocabulary and words with another encoder."""
        return replace(self, encoder=encoder, _known={}, _decoded={})

    def extended(
        self,
        strings: list[str],
        symbols: list[Symbol | None],
        encoder: WordEncoder,
    ) -> "Tokenizer":
        """The same words with a vocabulary that goes on after its last token, and its encoder."""
        same, first = self.with_encoder(encoder), len(self.strings)
        return replace(
            same, strings=strings, symbols=symbols, first_new=first, _known={}, _decoded={}
        )

    def _with_dropout(self, text: str, dropout: float, seed: int) -> Encoding:
        dropout = plain(dropout)
        if not isinstance(dropout, int | float) or not 0 <= dropout <= 1:
            raise SettingError.saying(
                "dropout={dropout} is not possible; give a number from 0 to 1.",
                dropout=Shown(dropout),
            )
        if not isinstance(self.encoder, MergeEncoder):
            raise SettingError.saying(
                'dropout needs an encoder that merges: that of bpe, or the encoder "merges".'
            )
        random = Random(whole("seed", seed)).random
        merges, drawn = self.encoder, list[list[Event]]()

        def cut(word: str) -> list[Piece]:
            cuts, events = merges.sample(word, lambda: random() < dropout)
            drawn.append(events)
            return cuts

        encoding = self._of_text(text, cut)
        encoding._drawn.extend(drawn)
        return encoding

    def nbest(self, text: str, n: int) -> list[tuple[Encoding, float]]:
        """The n most probable encodings of a text with their log-probabilities, best first.

        Raises ValueError for algorithms without probabilities.

        >>> import tokviz
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> history = tokviz.train(words, "unigram", 15, "whitespace", whole_words=False)
        >>> [(e.tokens, round(p, 3)) for e, p in history.tokenizer().nbest("hug", 2)]
        [(['hug'], -2.639), (['h', 'ug'], -4.99)]
        """
        viterbi, n = self._viterbi("nbest"), whole("n", n, 1)
        # The n best of a text are among the n best of what came before × the n best of a word.
        ways: list[tuple[float, list[list[Piece]]]] = [(0.0, [])]
        for word, special in self.cut(text):
            if not special:
                more = viterbi.n_best(word.text, n)
                longer = [(p + q, [*before, cut]) for p, before in ways for cut, q in more]
                ways = nlargest(n, longer, key=lambda way: way[0])
        return [(self._given(text, cuts), log_prob) for log_prob, cuts in ways]

    def sample(
        self, text: str, alpha: float = 1.0, seed: int = 0, nbest_size: int = -1
    ) -> Encoding:
        """An encoding drawn with probability ∝ P^alpha, the same for the same seed: from all
        encodings of the text if `nbest_size` is −1 (the default), else from so many best ones.

        `alpha` and `nbest_size` are the options of SentencePiece's SampleEncode (Kudo 2018).

        Raises ValueError for algorithms without probabilities, a negative alpha, and an
        `nbest_size` that is neither −1 nor at least 1.

        >>> import tokviz
        >>> words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
        >>> tokenizer = tokviz.train(words, "unigram", 15, "none", whole_words=False).tokenizer()
        >>> [tokenizer.sample("pug", seed=seed).tokens for seed in range(3)]
        [['pu', 'g'], ['p', 'ug'], ['p', 'u', 'g']]
        """
        viterbi, draw = self._viterbi("sample"), Random(whole("seed", seed)).random
        check_sampling(alpha, nbest_size)
        if nbest_size == -1:
            return self._of_text(text, lambda word: viterbi.sample(word, alpha, draw))
        among = self.nbest(text, nbest_size)
        return among[draw_one([log_prob for _, log_prob in among], alpha, draw)][0]

    def lattice(self, word: str) -> WordLattice:
        """All segmentations of one word, as the pre-tokenizer gives it, with posteriors, n best
        and samples.

        Raises ValueError for algorithms without probabilities.
        """
        check_text(word)
        return self._viterbi("lattice").lattice(word)

    def _given(self, text: str, cuts: list[list[Piece]]) -> Encoding:
        following = iter(cuts)
        return self._of_text(text, lambda _word: next(following))

    def _viterbi(self, asked: str) -> ViterbiEncoder:
        if not isinstance(self.encoder, ViterbiEncoder):
            raise SettingError.saying(
                "{asked} needs the probabilities of unigram; train that algorithm.", asked=asked
            )
        return self.encoder

    def _of_text(self, text: str, cut: Callable[[str], list[Piece]]) -> Encoding:
        return self._encoding(self.cut(text), cut)

    def _encoding(
        self, cut_text: Iterable[TextPiece], cut: Callable[[str], list[Piece]]
    ) -> Encoding:
        encoding = Encoding([], [], [], [], self.encoder)
        tokens, ids, offsets = encoding.tokens, encoding.ids, encoding.offsets
        words = encoding.words
        for word, special in cut_text:
            if special:
                tokens.append(word.text)
                ids.append(self.special_id(word.text))
                offsets.append((word.start, word.end))
                encoding.word_ids.append(None)
                continue
            cuts = cut(word.text)
            encoding.word_ids.extend([len(words)] * len(cuts))
            words.append(word)
            at = word.start if word.spans is None else None
            for token, token_id, start, end in cuts:
                tokens.append(token)
                ids.append(token_id)
                offsets.append((at + start, at + end) if at is not None else word.span(start, end))
        return encoding

    def decode(self, ids: Iterable[int | None]) -> str:
        """The text of ids. Bytes that are no UTF-8 become U+FFFD.

        Raises SettingError for None, the id of what the vocabulary does not hold, and
        OutOfRangeError (an IndexError) for an id that the vocabulary does not have.
        """
        text = self._decoded_bytes(ids).decode("utf-8", "replace")
        return text[self.decoded_slice(text)]

    def _decoded_bytes(self, ids: Iterable[int | None]) -> bytes:
        seen = self._decoded
        if type(ids) is list and {*map(type, ids)} == {int} and seen.keys() >= (all_of := {*ids}):
            # Of a long text, most tokens are there many times.
            joined = {i: b"".join(seen[i]) for i in all_of}
            return b"".join(map(joined.__getitem__, ids))[len(seen[ids[0]][0]) :]
        return b"".join(part for parts in self.decoded_parts(ids) for part in parts)

    def text_bytes(self, token_id: int) -> bytes:
        """The UTF-8 bytes of the text that a token stands for, markers not included.

        Raises OutOfRangeError for an id that the vocabulary does not have.
        """
        number = plain(token_id)
        if type(number) is not int or not 0 <= number < len(self.strings):
            last = len(self.strings) - 1
            raise OutOfRangeError.saying(
                "id {token_id} is not in the vocabulary (0 to {last}).",
                token_id=Shown(number),
                last=last,
            )
        symbol = self.symbols[token_id]
        if symbol is None:
            special = self.strings[token_id].encode("utf-8", "surrogatepass")
            return self.bytes_of.get(token_id, special)
        return self.spelling.bytes_of(symbol)

    def decoded_parts(self, ids: Iterable[int | None]) -> Iterator[tuple[bytes, bytes, bytes]]:
        """For every id the space that decoding puts before it (or nothing), its own bytes, and the
        space that it puts after it. Raises as `decode` does."""
        if not isinstance(ids, Iterable):
            raise SettingError.saying(
                "the ids of tokens are decoded, but this is {kind}; pass a list of them, such as "
                "encode(text).ids.",
                kind=kind_of(ids),
            )
        seen = self._decoded
        for number, i in enumerate(ids):
            if i is None:
                raise SettingError.saying(
                    "None is the id of an unknown piece, which has no text any more."
                )
            # An id that is none may be what no table can look up.
            if (parts := seen.get(i) if type(i) is int else None) is None:
                parts = seen[i] = self._parts_of(i)
            yield parts if number else (b"", *parts[1:])

    def _parts_of(self, token_id: int) -> tuple[bytes, bytes, bytes]:
        text, symbol = self.text_bytes(token_id), self.symbols[token_id]
        starts = symbol is not None and not symbol.continuing
        ends = symbol is not None and symbol.ends_word
        before = b" " if self.spelling.continuing_subword_prefix and starts else b""
        return before, text, b" " if ends and self._spaced else b""

    def decoded_slice(self, text: str) -> slice:
        """What decoding keeps of the joined parts: not the space that belongs to no word."""
        if self.spelling.end_of_word_suffix and self._spaced:
            return slice(0, len(text.removesuffix(" ")))
        prefixed = getattr(self.pretokenizer, "add_dummy_prefix", False)
        if prefixed or self.pretokenizer.name == "metaspace":
            return slice(len(text) - len(text.removeprefix(" ")), len(text))
        return slice(0, len(text))

    @property
    def _spaced(self) -> bool:
        """Whether words need a space between them: those that begin with their own do not."""
        return self.pretokenizer.space_mark == " "
