"""Training that goes on from a tokenizer that somebody else trained: the merges of its file, and
then new ones, which a text teaches.

The words of the text are cut by the file, and merging starts from its tokens. Old ids and merges
stay as they are, and the library that runs the file gives, with the new merges behind the old ones,
the same ids as this history:

- A new merge makes a token that the file does not have. So nothing that the file merges waits for
  it, and all that the file does to a word is done before the first new merge.
- A stretch of a word that stays between two borders is merged alike wherever it stands. So a new
  token is always made of the same two, and a library that takes a word at once which is in the
  vocabulary, or that merges whatever gives a token, as tiktoken does, finds it no other way.
- Of ranks the file may hold tokens that no merge of two gives. A new token that such a one begins
  or ends with could bring it about, and is not made.

Sources: huggingface/tokenizers, models/bpe/word.rs (`merge_all`); openai/tiktoken, src/lib.rs
(`byte_pair_merge`).
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from tokviz.basics.arguments import check_kind
from tokviz.basics.errors import SettingError
from tokviz.basics.messages import message
from tokviz.basics.progress import ProgressCallback, Reporter
from tokviz.basics.short_repr import short_repr
from tokviz.encoding.encoders import BYTE_NAME, MergeEncoder
from tokviz.encoding.given_merges import GivenMerges
from tokviz.encoding.opened import OpenedTokenizer
from tokviz.history.continued import ContinuedHistory, file_symbols, start_table
from tokviz.history.merge_record import MergeRecord
from tokviz.history.merges import MergeHistory
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.corpus import Cancelled
from tokviz.text.symbols import Spelling, Symbol
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.interventions import Interventions, MergeInterventions, merges_in_order
from tokviz.trainers.merging.candidates import Candidates
from tokviz.trainers.merging.loop import run_merges
from tokviz.trainers.merging.task import Start, Task
from tokviz.trainers.settings import check, setting


@dataclass(frozen=True)
class Continued:
    """What stands in the place of a trainer. `opened` is a tokenizer with merges, and `vocab_size`
    the number of ids that there are to be in all. `interventions` are those of `BPE`.

    Raises SettingError, with a sentence that says what is possible, for a tokenizer that no
    training can go on from, and for settings that cannot be.
    """

    __repr__ = short_repr

    name: ClassVar[str] = "continued"
    default_encoder: ClassVar[str] = "merges"
    special_tokens: ClassVar[tuple[str, ...]] = ()
    by_language: ClassVar[bool] = False

    opened: OpenedTokenizer = field(compare=False)
    vocab_size: int
    tie_break: str = setting("first-seen", "", "", ("first-seen", "smallest-ids"))
    min_frequency: int = setting(1, "", "", least=1)
    interventions: Interventions = ()
    #: What of the file decides how a run of it ends.
    given: GivenMerges = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "given", check_continuable(self.opened))
        object.__setattr__(self, "interventions", merges_in_order(self.interventions))
        check_kind("vocab_size", self.vocab_size, int)
        check(self)
        if self.vocab_size < self.opened.next_id:
            raise SettingError.saying(
                "vocab_size={size} is too small: {source} has the ids below {first:,}, and what is "
                "learned gets those that follow.",
                size=self.vocab_size,
                source=self.opened.name,
                first=self.opened.next_id,
            )

    @property
    def label(self) -> str:
        """What people call it."""
        return message("BPE from {source}", source=self.opened.name)

    @property
    def pseudocode(self) -> str:
        """The name of its lines in `tokviz.trainers.pseudocode`: there are none."""
        return self.name

    def spelling(self, _pretokenizer: Pretokenizer) -> Spelling:
        """How the file splits words into symbols."""
        return self.given.spelling

    def train(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None = None,
    ) -> ContinuedHistory:
        """Cuts words by the file, merges on from there, and returns the whole history. A cancelled
        run is a history of the merges made until then.

        Raises SettingError if one of the `interventions` cannot be, and Cancelled if it was stopped
        before the first merge.
        """
        return self._run(words, pretokenizer, progress)

    def resume(
        self, history: MergeHistory, t: int, progress: ProgressCallback | None = None
    ) -> ContinuedHistory:
        """Goes on from state t of a run of the same file: see `BPE`."""
        return self._run(history.words, history.pretokenizer, progress, history.record, t)

    def _run(
        self,
        words: WordCounts,
        pretokenizer: Pretokenizer,
        progress: ProgressCallback | None,
        record: MergeRecord | None = None,
        state: int = 0,
    ) -> ContinuedHistory:
        start = _cut_words(self.opened, words, progress)
        table = start_table(self.opened, start.alphabet)
        candidates = NewTokens(self.opened, start.alphabet)
        rule, most = self.tie_break, self.vocab_size
        task = Task(start, table, rule, most, self.min_frequency, candidates)
        told = MergeInterventions(
            self.interventions, lambda: start_table(self.opened, start.alphabet)
        )
        made, stop = run_merges(task, progress, told, record, state)
        if stop.kind == "no_valid_pair":
            stop = replace(stop, kind="no_new_pair")
        return ContinuedHistory(self, pretokenizer, words, stop, made)


def check_continuable(opened: OpenedTokenizer) -> GivenMerges:
    """The merges of a tokenizer that a training can go on from.

    Raises SettingError with a sentence that says why none can, and what is possible.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> file = b'{"model": {"type": "Unigram", "unk_id": 0, "vocab": [["a", -1.0], ["b", -2.0]]}}'
    >>> try:
    ...     check_continuable(open_tokenizer({"tokenizer.json": file}))
    ... except SettingError as error:
    ...     str(error)[:66]
    'tokenizer.json is a Unigram tokenizer. It has no merges that new o'
    """
    if opened.merges is None:
        raise SettingError.saying(
            "{name} is a {model} tokenizer. It has no merges that new ones could follow: a new "
            "token would compete with the old ones for every word, and old texts would be cut "
            "otherwise. Go on from a BPE tokenizer, or give your words to the library as added "
            "tokens.",
            name=opened.name,
            model=opened.model,
        )
    if not opened.document and not opened.pattern:
        raise SettingError.saying(
            "{name} is a model of SentencePiece, which merges lines as a whole by the scores of "
            "pieces. Convert it to a tokenizer.json, open that, and go on from it.",
            name=opened.name,
        )
    return opened.merges


def _cut_words(
    opened: OpenedTokenizer, words: WordCounts, progress: ProgressCallback | None
) -> Start:
    """The words as the file's tokens. The alphabet are those that occur, in the order of ids."""
    reporter = Reporter("words", len(words), progress)
    encode = opened.tokenizer.encoder.encode
    ids, ends = list[int](), [0]
    for done, word in enumerate(words.words):
        if not done % 1000 and reporter.cancelled(done):
            raise Cancelled(message("Cancelled before the first merge."))
        ids += [piece.id for piece in encode(word) if piece.id is not None]
        ends.append(len(ids))
    used, numbers = np.unique(np.asarray(ids, np.int64), return_inverse=True)
    symbols = file_symbols(opened)
    alphabet = [symbols[i] for i in used.tolist()]
    return Start(alphabet, numbers.astype(np.int32), np.asarray(ends, np.int64), words.counts)


class NewTokens(Candidates):
    """The pairs that make a token which the file does not have (see the module).

    Nor is anything merged that stands for another text than its own: an unknown or added token, or
    a byte by its name. And where no token of the file has a space behind another character, no new
    one gets one.

    >>> from tokviz.formats.readers.opened import open_tokenizer
    >>> files = {"vocab.json": b'{"a": 0, "b": 1, "ab": 2, "ba": 3}', "merges.txt": b"a b"}
    >>> pairs = NewTokens(open_tokenizer(files), [Symbol("a"), Symbol("b"), Symbol("ab")])
    >>> pairs.allowed(1, 0), pairs.allowed(2, 2)
    (False, True)
    """

    def __init__(self, opened: OpenedTokenizer, alphabet: Sequence[Symbol]) -> None:
        given, symbols = opened.merges, file_symbols(opened)
        assert given is not None
        self._spelling = spelling = given.spelling
        self._symbols = [*alphabet]
        self._never = {i for i, s in enumerate(alphabet) if s.unknown or s == _unknown(opened)}
        if spelling.unit == "char":
            self._never |= {i for i, s in enumerate(alphabet) if BYTE_NAME.fullmatch(s.text)}
        plain = spelling.plain
        self._strings = [plain(symbol) for symbol in alphabet]
        self._prefix = len(spelling.continuing_subword_prefix)
        self._taken = {symbol.text if symbol.unknown else plain(symbol) for symbol in symbols}
        if given.reconstructed:
            made = {left.text + right.text for left, right in given.pairs}
            self._taken |= set(_ends(s.text for s in given.ids if s.text not in made))
        markers = spelling.continuing_subword_prefix, spelling.end_of_word_suffix
        self._markers = [marker for marker in markers if marker]
        space = "Ġ" if spelling.unit == "byte" else " "
        self._across = re.compile(f"[^{space}]{space}")
        self._crosses = any(self._across.search(s.text) for s in symbols if not s.unknown)

    def allowed(self, left: int, right: int) -> bool:
        if left in self._never or right in self._never:
            return False
        made = self._symbols[left] + self._symbols[right]
        # What is typed like a marker would be one for a library, which knows strings only.
        if any(marker in made.text for marker in self._markers):
            return False
        if not self._crosses and self._across.search(made.text):
            return False
        string = self._strings[left] + self._strings[right][self._prefix :]
        # A symbol that was read as one with a marker may stand where it is text.
        if string != self._spelling.plain(made):
            return False
        return string not in self._taken and not BYTE_NAME.fullmatch(string)

    def join(self, left: int, right: int) -> None:
        self._symbols.append(self._symbols[left] + self._symbols[right])
        self._strings.append(self._spelling.plain(self._symbols[-1]))


def _unknown(opened: OpenedTokenizer) -> Symbol | None:
    """The unknown token of a file, if it is a symbol as those of texts are."""
    encoder = opened.tokenizer.encoder
    if not isinstance(encoder, MergeEncoder):
        return None
    number = encoder.number.get(Symbol("", unknown=True))
    return None if number is None else opened.tokenizer.symbols[int(encoder.ids[number])]


def _ends(texts: Iterable[str]) -> Iterable[str]:
    """What texts begin or end with, but for themselves."""
    for text in texts:
        for at in range(1, len(text)):
            yield text[:at]
            yield text[at:]
