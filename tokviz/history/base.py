"""What a run leaves behind, and the questions it answers: the part common to all algorithms.

A history of T steps has states 0..T: state 0 is before training, state t after t steps, and
`steps[t]` leads from state t to state t+1. Any question is answered for any t by itself, without
replaying the steps before it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, overload

import numpy as np
import numpy.typing as npt

from tokviz.basics.arguments import Shown, check_kind, check_path, plain, whole
from tokviz.basics.errors import NotFoundError, OutOfRangeError
from tokviz.basics.read_only import Record, read_only
from tokviz.history.steps import MergeStep, Step, Steps
from tokviz.history.stop import Stop
from tokviz.pretokenizers import Pretokenizer
from tokviz.text.symbols import Spelling, Symbol
from tokviz.text.word_counts import WordCounts

if TYPE_CHECKING:
    import pandas as pd

    from tokviz.encoding.tokenizer import Tokenizer
    from tokviz.encoding.word_lattice import WordLattice
    from tokviz.history.provenance import Provenance
    from tokviz.history.token_life import Scaffolding, TokenLife
    from tokviz.pictures.picture import Picture
    from tokviz.pictures.print_chart import PrintChart

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]


def character_bytes(text: str) -> Ints:
    r"""How many bytes of UTF-8 each character of a text takes.

    >>> character_bytes("aé€😀").tolist()
    [1, 2, 3, 4]
    >>> character_bytes("\x7f\x80\u07ff\u0800\uffff\U00010000").tolist()
    [1, 2, 2, 3, 3, 4]
    """
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    sizes: Ints = np.searchsorted([0x80, 0x800, 0x10000], points, side="right") + 1
    return sizes


class Recorded(ABC):
    """What keeps what a training wrote down; each family has records of its own."""

    record: Record


@dataclass(frozen=True, repr=False, eq=False)
class History(Recorded):
    """The record of one training run. Made by `tokviz.train`, and never changed afterwards: its
    attributes and the arrays that it hands out cannot be assigned to.

    Algorithms whose histories are of one class are a family; what is known of a family without any
    run stands in its class.

    Two histories are equal if they are of the same algorithm, settings, words and steps; equal ones
    answer every question alike. `text` and `stop`, which are for people, do not count. They can be
    keys of a dict and members of a set.

    >>> import tokviz
    >>> runs = [tokviz.train("low low lower", "bpe", size) for size in (8, 8, 9)]
    >>> runs[0] == runs[1], runs[0] == runs[2], len(set(runs))
    (True, False, 2)
    >>> runs[0].stopped = "at noon"
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'stopped'
    """

    #: Whether steps merge pairs, so that tokens are born; those of other families remove tokens.
    merges: ClassVar[bool] = False
    #: Whether steps may take back what merges made; `removals` says which do.
    takes_back: ClassVar[bool] = False
    #: What a step is called.
    step_noun: ClassVar[str] = "step"

    trainer: Any
    pretokenizer: Pretokenizer
    words: WordCounts
    stop: Stop
    #: The beginning of the text, for what shows it; None for a table of words, and in a history
    #: from a file. Nothing that a history answers depends on it.
    text: str | None = field(kw_only=True, default=None)

    @cached_property
    def _word_number(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words.words)}

    @property
    def stopped(self) -> str:
        """Why training ended, in a sentence or two; `stop` is the fact that they are made of.

        >>> import tokviz
        >>> tokviz.train("low low", "bpe", 5, "whitespace").stopped
        'The vocabulary has the 5 tokens asked for.'
        """
        from tokviz.narration.stops import why_ended

        return why_ended(self.stop)

    @property
    def algorithm(self) -> str:
        """The registry name of the algorithm."""
        return str(self.trainer.name)

    @cached_property
    def spelling(self) -> Spelling:
        """How symbols are shown, markers included."""
        spelling: Spelling = self.trainer.spelling(self.pretokenizer)
        return spelling

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """The special tokens; they have the first ids."""
        return tuple(self.trainer.special_tokens)

    @cached_property
    def characters(self) -> int:
        """The characters of the corpus: those of its words, as often as they are counted. A space
        that belongs to a word counts; special tokens and markers do not."""
        return sum(map(mul, map(len, self.words.words), self.words.counts))

    @abstractmethod
    def __len__(self) -> int:
        """The number of steps T."""

    @property
    def steps(self) -> Steps[Step]:
        """The steps 0..T-1; step t leads from state t to state t+1."""
        return Steps(len(self), self._step)

    @abstractmethod
    def _step(self, t: int) -> Step: ...

    @abstractmethod
    def vocab(self, t: int) -> list[str]:
        """The vocabulary of state t in id order, as displayed."""

    @abstractmethod
    def vocab_size(self, t: int) -> int:
        """The number of tokens in the vocabulary of state t."""

    def vocab_symbols(self, t: int) -> list[Symbol | None]:
        """The symbol of each token of `vocab(t)`; None for special tokens."""
        return self.tokenizer(t).symbols

    def symbol_of(self, token: str) -> Symbol | None:
        """The symbol of a token of any state, as of the first one that has it; None for a special
        token. Raises KeyError for what never was in the vocabulary."""
        t = int(np.argmax(self.present(token)))
        return self.vocab_symbols(t)[self.vocab(t).index(token)]

    @cached_property
    def removals(self) -> npt.NDArray[np.bool_]:
        """For every step whether it takes back what a merge made; in most runs none does."""
        return read_only(np.zeros(len(self), np.bool_))

    @cached_property
    def taken_back(self) -> dict[str, Symbol]:
        """The symbols of all tokens that any step takes back."""
        return {}

    def reaches_across(self, step: int) -> bool:  # noqa: ARG002 (in most runs none does)
        """Whether a step makes a token of several words, where the corpus has such."""
        return False

    @abstractmethod
    def births(self, t: int) -> Ints:
        """The first state that has each token of `vocab(t)`."""

    @abstractmethod
    def candidates(self, t: int, k: int | None = None) -> "pd.DataFrame":
        """The score table of state t: what step t chooses from."""

    @abstractmethod
    def candidate_count(self, t: int) -> int:
        """How many rows `candidates(t)` has."""

    @abstractmethod
    def token_counts(self, t: int) -> Ints:
        """How often each token of `vocab(t)` occurs in the corpus as segmented in state t."""

    def counts_over(self, states: Iterable[int]) -> Iterator[Ints]:
        """`token_counts` of some ascending states, one after the other."""
        return map(self.token_counts, states)

    def starting_symbols(self, word: str) -> Sequence[Symbol]:
        """The symbols between which any word has its gaps."""
        return self.spelling.split(word)

    @property
    @abstractmethod
    def symbol_bytes(self) -> Ints:
        """How many bytes of text each starting symbol covers: those of the first word, then those
        of the second, and so on."""

    @property
    @abstractmethod
    def gap_spans(self) -> tuple[Ints, Ints]:
        """A gap is in front of every starting symbol of a word; the first one's is always open.
        For every word: the number of its first gap, and of the first one that is not its own. Words
        that only unknown characters tell apart may share their gaps."""

    @abstractmethod
    def open_gaps(self, t: int) -> npt.NDArray[np.bool_]:
        """For every gap whether a token starts there in state t."""

    @cached_property
    def _symbol_starts(self) -> Ints:
        first, end = self.gap_spans
        return np.concatenate([[0], np.cumsum(end - first)])

    @property
    def closings(self) -> Ints | None:
        """For every gap the step that closes it for good, T if none does; None where gaps that are
        closed may open."""
        return None

    def word_symbol_bytes(self, word: int) -> Ints:
        """How many bytes of text each starting symbol of word number `word` covers."""
        first, end = self._symbol_starts[word : word + 2]
        return self.symbol_bytes[first:end]

    def pieces_per_word(self, t: int) -> Ints:
        """Into how many tokens state t cuts each word of the corpus."""
        first, end = self.gap_spans
        before = np.concatenate([[0], np.cumsum(self.open_gaps(t), dtype=np.int64)])
        pieces: Ints = before[end] - before[first]
        return pieces

    def whole_over(
        self, states: Iterable[int], counts: Sequence[int] | None = None
    ) -> Iterator[int]:
        """How many words of the corpus, repetitions included, are one token in each of some
        ascending states; `counts` is how often each word counts, as often as the corpus has it if
        None."""
        each = np.asarray(self.words.counts if counts is None else counts, np.int64)
        return (int(each[self.pieces_per_word(t) == 1].sum()) for t in states)

    @abstractmethod
    def _word_tokens(self, word: int, t: int) -> list[str]: ...

    def colour(self, token: str) -> int:
        """The number, 0 to 7, of the colour in which a token of this run is drawn in every state:
        mostly another one than those of the tokens beside it (see `tokviz.history.colours`). Any
        other string has the colour that it has everywhere.

        >>> import tokviz
        >>> history = tokviz.train({"hugs": 2, "hug": 1}, "bpe", vocab_size=6)
        >>> [history.colour(token) for token in ("h", "u", "g", "s", "hu")]
        [2, 0, 1, 3, 4]
        """
        known = self.colours.get(token)
        if known is not None:
            return known
        from tokviz.history.colours import colour_of_stranger

        return colour_of_stranger(token)

    @property
    def colours(self) -> Mapping[str, int]:
        """The colours of tokens by their strings, in families that choose them."""
        return {}

    @abstractmethod
    def curve(self) -> "pd.DataFrame":
        """One row a state: step, action, vocab_size, corpus_tokens, characters_per_token, score,
        loss. `action` and `score` are those of the step that leads out of the state (empty in the
        last one)."""

    def _curve(
        self,
        actions: Iterable[str],
        vocab_sizes: Sequence[int] | Ints,
        corpus_tokens: Ints,
        score: Floats,
        loss: Floats,
    ) -> "pd.DataFrame":
        """The table of `curve`: the actions of all steps, and the other columns of all states."""
        import pandas as pd

        return pd.DataFrame(
            {
                "step": np.arange(len(self) + 1),
                "action": [*actions, ""],
                "vocab_size": vocab_sizes,
                "corpus_tokens": corpus_tokens,
                # 0 for an empty corpus.
                "characters_per_token": self.characters / np.maximum(corpus_tokens, 1),
                "score": score,
                "loss": loss,
            }
        )

    def sizes(self) -> tuple[Ints, Ints]:
        """The columns vocab_size and corpus_tokens of `curve`."""
        curve = self.curve()
        return curve["vocab_size"].to_numpy(), curve["corpus_tokens"].to_numpy()

    def chart(
        self,
        measure: str = "corpus_tokens",
        width: float | str = 240,
        height: float | str = 150,
    ) -> "PrintChart":
        """A curve of `curve` over the steps, as an Altair chart for a paper: see
        `tokviz.pictures.curves`.
        Raises ValueError for a measure that the run does not have."""
        from tokviz.pictures.curves import curves_chart

        return curves_chart([self], [self.algorithm], measure, "step", width, height)

    def word_chart(self, word: str, t: int | None = None, width: float | str = 240) -> "Picture":
        """How any word, as the pre-tokenizer gives it, is cut in state t (the last one if None), as
        a picture for a paper: its merge tree, or its lattice with the Viterbi path. `width` is in
        points, or text with a unit ("85mm").

        Raises OutOfRangeError for a state that the run does not have, and SettingError for a word
        that is empty or too long.

        >>> import tokviz
        >>> tokviz.train("low lower", "bpe", 8).word_chart("lower")
        <Picture “Merge tree of “lower” in state 2”: 240 × 70 points>
        """
        from tokviz.pictures import word_picture

        return word_picture(self, word, t, width)

    def segmentation_chart(
        self, word: str, first: int = 0, last: int | None = None, width: float | str = 240
    ) -> "Picture":
        """How training cuts any word from state `first` to state `last` (the last one if None), a
        row for each state in which that changes, as a picture for a paper.

        Raises as `word_chart` does, and SettingError for states in the wrong order.

        >>> import tokviz
        >>> tokviz.train("low lower", "bpe", 8).segmentation_chart("lower")
        <Picture “Segmentation of “lower”, states 0 to 2”: 240 × 73 points>
        """
        from tokviz.pictures.segmentations import segmentations_picture

        return segmentations_picture(self, word, first, last, width)

    def candidates_chart(self, t: int, k: int = 10, width: float | str = 240) -> "Picture":
        """The best k rows of `candidates(t)` as a picture for a paper, with a mark on what step t
        chooses, and a bracket around what ties for that.

        Raises OutOfRangeError for a state that the run does not have, and SettingError for a number
        of rows that cannot be, and for a state without candidates.

        >>> import tokviz
        >>> tokviz.train("low lower", "bpe", 8).candidates_chart(0, k=2)
        <Picture “Candidates of state 0”: 240 × 76 points>
        """
        from tokviz.pictures.candidate_table import candidates_picture

        return candidates_picture(self, t, k, width)

    @abstractmethod
    def provenance(self, token: str) -> "Provenance":
        """When and from what a token was made, who paid for it, when it stopped being used."""

    @abstractmethod
    def present(self, token: str) -> npt.NDArray[np.bool_]:
        """For every state whether its vocabulary has the token. Raises KeyError if none has."""

    @abstractmethod
    def users(self, token: str, t: int) -> "pd.DataFrame":
        """The words whose segmentation in state t uses the token: word, count, times (in one word),
        those that use it most first. Raises KeyError for what never was in the vocabulary."""

    def life(self, token: str) -> "TokenLife":
        """The token over all states: its counts, when it is in the vocabulary, who paid for it.
        Raises KeyError for a string that never was in the vocabulary."""
        from tokviz.history.token_life import life_of

        return life_of(self, token)

    def scaffolding(self, t: int) -> "Scaffolding":
        """The tokens of state t that the corpus does not use, and their share of the vocabulary."""
        from tokviz.history.token_life import scaffolding_of

        return scaffolding_of(self, t)

    def makings(self, _token: str) -> list[MergeStep]:
        """The steps that made a token of the last vocabulary, each from another pair: at most one,
        but for a special token whose string a merge made again."""
        return []

    @property
    def default_encoder(self) -> str:
        """The way in which the algorithm cuts a word."""
        return str(self.trainer.default_encoder)

    @property
    def encoders(self) -> list[str]:
        """The ways in which `tokenizer` can cut a word, its own first.

        >>> import tokviz
        >>> tokviz.train({"hug": 10}, "wordpiece", 6).encoders
        ['longest-match', 'merges', 'longest-token']
        """
        return [self.default_encoder]

    @abstractmethod
    def tokenizer(self, t: int | None = None, encoder: str | None = None) -> "Tokenizer":
        """The tokenizer of state t (the last one if None), with one of `encoders`."""

    def segmentation(self, word: str, t: int) -> list[str]:
        """The training segmentation of a word of the corpus in state t, as displayed.

        Raises KeyError for a word that the corpus does not hold: encode it with `tokenizer(t)`.
        """
        self.check_state(t)
        if not isinstance(word, str) or word not in self._word_number:
            raise NotFoundError.saying(
                "{word!r} is not a word of this corpus; encode it with tokenizer(t).", word=word
            )
        return self._word_tokens(self._word_number[word], t)

    def count_of(self, word: str) -> int:
        """How often the corpus has a word: 0 for any that it does not hold."""
        number = self._word_number.get(word) if isinstance(word, str) else None
        return 0 if number is None else self.words.counts[number]

    def lattice(self, word: str, t: int | None = None) -> "WordLattice":
        """All segmentations of any word with the tokens of state t (the last one if None).

        Raises ValueError for algorithms without probabilities.
        """
        return self.tokenizer(t).lattice(word)

    def narrate(self, t: int) -> str:
        """What led to state t, in a sentence or two."""
        from tokviz.narration import narrate

        return narrate(self, t)

    def save(self, path: str | Path) -> None:
        """Writes the history to one file that `tokviz.load` reads.

        Raises FileError for what is no path, and OSError if the file cannot be written.
        """
        from tokviz.formats.history_file import save

        check_path(path)
        save(self, path)

    @overload
    def web_page(
        self,
        path: None = None,
        text: str | None = None,
        title: str = "",
        language: str | None = None,
    ) -> str: ...
    @overload
    def web_page(
        self,
        path: str | Path,
        text: str | None = None,
        title: str = "",
        language: str | None = None,
    ) -> None: ...
    def web_page(
        self,
        path: str | Path | None = None,
        text: str | None = None,
        title: str = "",
        language: str | None = None,
    ) -> str | None:
        """The player with this run as one HTML file that needs no server and no network: returns
        the page, or writes it to `path` if there is one and returns nothing.

        `text` is what the run was trained on, of which an excerpt is shown; if None it is what
        `train` kept of it, and without any the words are shown by count. The page speaks a
        `language` ("zh_CN") of `tokviz.basics.messages.languages`, or the current one. See
        `tokviz.player.web_page.web_page` for what else a page can have.

        >>> import tokviz
        >>> tokviz.train("low lower", "bpe", 9).web_page(title="Two words")[:15]
        '<!doctype html>'
        """
        from tokviz.player.web_page import web_page

        if text is not None:
            check_kind("text", text, str)
        texts = None if text is None else [text]
        return web_page([self], texts=texts, title=title, path=path, language=language)

    def _repr_html_(self) -> str:
        """How a notebook shows it: as the player."""
        from tokviz.player.web_page import notebook_frame

        return notebook_frame([self])

    @property
    def _settings(self) -> tuple[Any, ...]:
        """What a run was told, besides its words."""
        return self.trainer, self.pretokenizer

    @property
    @abstractmethod
    def step_columns(self) -> tuple[list[Any] | npt.NDArray[Any], ...]:
        """Columns that differ wherever the steps of two runs do."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        if self is other:
            return True
        return (
            type(self) is type(other)
            and len(self) == len(other)
            and self._settings == other._settings
            and self.words == other.words
            and all(map(np.array_equal, self.step_columns, other.step_columns))
        )

    def __hash__(self) -> int:
        return hash((self.algorithm, len(self), len(self.words), self.words.total))

    def __repr__(self) -> str:
        """Short, whatever the run holds."""
        words, size = len(self.words), self.vocab_size(len(self))
        return (
            f"<{type(self).__name__} of {self.algorithm}: {len(self):,} steps to a vocabulary of "
            f"{size:,}, {words:,} different words>"
        )

    def export(self, format: str, directory: str | Path, t: int | None = None) -> list[Path]:
        """Writes the tokenizer of state t (the last one if None) into a directory, in a format of
        `tokviz.formats.exports.EXPORTS` that other programs load, and gives the paths of the files.

        Raises ExportError with a sentence if the format cannot hold the run exactly, or if the
        directory is called like a file ("out.json").
        """
        from tokviz.formats.exports import save_export

        return save_export(self, format, directory, t)

    def check_rows(self, k: int | None) -> None:
        """Raises SettingError unless a table may have `k` rows: None for all."""
        if k is not None:
            whole("k", k, 0)

    def check_state(self, t: int) -> None:
        """Raises OutOfRangeError (an IndexError) unless 0 ≤ t ≤ T."""
        at = plain(t)
        if type(at) is not int or not 0 <= at <= len(self):
            raise OutOfRangeError.saying(
                "t={t} is not a state of this run; it has states 0 to {last}.",
                t=Shown(at),
                last=len(self),
            )
