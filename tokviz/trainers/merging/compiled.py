"""Merges by the compiled trainer (`tokviz.core`): what `plain` says, only faster."""

from tokviz.basics.messages import message
from tokviz.basics.progress import Pause
from tokviz.core.host import CONTINUING, ENDS_WORD, NO_PART, PART, Columns, Core
from tokviz.history.base import Ints
from tokviz.text.symbols import Symbol
from tokviz.trainers.merging.task import Task

#: Numbers of the enums in `core/c`.
_RULES = {
    "first-seen": 0,
    "likelihood": 0,
    "largest-pair": 1,
    "smallest-ids": 2,
    "shortest": 3,
    "given": 4,
}
_STOPS = ("", "size", "no_words", "no_pair", "min_frequency", "rests", "asks")
#: Looks at a symbol or a pair that take a few milliseconds; and as many as there can be.
_LOOKS, MANY = 500_000, 2**31 - 1
_COUNTS = ("log_count", "top_count", "first_counts", "pair_counts")


class CompiledMerges:
    """A `Merging`. While its words are indexed, `pause` is called now and then."""

    def __init__(self, task: Task, pause: Pause) -> None:
        start, table = task.start, task.vocabulary
        self._table, self._candidates = table, task.candidates
        asked = message(
            "To train to {size:,} tokens on {words:,} different words",
            size=task.vocab_size,
            words=len(start.counts),
        )
        self._core = core = Core(asked, self._id_of)
        spelling = table.spelling
        core.give("characters", [_character(symbol, task) for symbol in start.alphabet])
        core.give("marks", [_marks(symbol) for symbol in start.alphabet])
        core.give("prefix", [*map(ord, spelling.continuing_subword_prefix)])
        core.give("suffix", [*map(ord, spelling.end_of_word_suffix)])
        core.give("ids", table.ids)
        # The symbols that special tokens may hold, by number.
        self._parts = {i: s for i, s in enumerate(start.alphabet) if table.is_special_part(s)}
        core.give("parts", [i in self._parts for i in range(len(start.alphabet))])
        core.give("symbols", start.symbols)
        core.give("starts", start.starts)
        core.give_counts(start.counts)
        core.call(
            "begin",
            len(start.alphabet),
            len(table),
            min(task.vocab_size, MANY),
            _RULES[task.rule],
            task.rule == "likelihood",
            float(task.min_frequency),
            task.candidates is not None,
        )
        core.call("until", 0)
        while not self._slice(_LOOKS):
            pause()
        self._steps = 0

    def _slice(self, most: int) -> str:
        """Goes on for so many looks; "" if there is more to do."""
        stop = _STOPS[self._core.call("go_on", most)]
        if stop == "asks":
            self._core.answer(self._ranks_of)
            return ""
        return stop

    def go_on(self, steps: int) -> str:
        self._core.call("until", self._steps + steps)
        while not (stop := self._slice(MANY)):
            pass
        if stop == "rests":
            self._steps += steps
            return ""
        return stop

    def follow(self, left: Ints, right: Ints) -> int:
        at_once, done = len(left) if self._candidates is None else 1, 0
        while done < len(left):
            some = slice(done, done + at_once)
            followed = self._core.follow(left[some], right[some])
            done += followed
            self._steps += followed
            if not followed or followed < at_once:
                break
            if self._candidates is not None:
                self._core.answer(self._ranks_of)
                self.go_on(0)
        return done

    def first_seen(self, p: int) -> int:
        return self._core.call("first_seen", p)

    def column(self, name: str) -> Ints:
        if name == "gaps":
            self._core.call("write_gaps")
        return self._core.counts(name) if name in _COUNTS else self._core.ints(name)

    def _id_of(self, left: int, right: int, number: int) -> int:
        made = self._parts[left] + self._parts[right]
        if (special := self._table.special_id(made)) is None and not self._table.is_special_part(
            made
        ):
            return NO_PART
        self._parts[number] = made
        return PART if special is None else special

    def _ranks_of(self, left: int, right: int, lefts: Columns, rights: Columns) -> list[int]:
        candidates = self._candidates
        assert candidates is not None
        if left >= 0:
            candidates.join(left, right)
        return [*map(candidates.rank, lefts.tolist(), rights.tolist())]


def _marks(symbol: Symbol) -> int:
    return CONTINUING * symbol.continuing | ENDS_WORD * symbol.ends_word


def _character(symbol: Symbol, task: Task) -> int:
    """The character that a rule compares, without markers; −1 if there is none. A run whose symbols
    have several is given no such rule."""
    spelling = task.vocabulary.spelling
    compared = spelling.order if task.rule == "largest-pair" else spelling.plain
    return ord(compared(Symbol(symbol.text))) if len(symbol.text) == 1 else -1
