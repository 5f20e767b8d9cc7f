"""The history of a training of SentencePiece's Unigram: EM steps, prunings, the final choice."""

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt

from tokviz.basics.errors import NotFoundError, SettingError
from tokviz.encoding.sentencepiece_encoders import USER_DEFINED_COST, UnigramLineEncoder
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.encoding.viterbi_encoder import rows_within
from tokviz.history.base import Ints
from tokviz.history.cut_uses import CutUses, cut_uses
from tokviz.history.em_numbers import EMHistory
from tokviz.history.em_record import ACTIONS
from tokviz.history.provenance import Provenance, seed_provenance
from tokviz.history.steps import ApproximatePruneStep, EMStep, FinalizeStep, Steps
from tokviz.history.token_life import users_table
from tokviz.pretokenizers import SentencePiecePretokenizer
from tokviz.pretokenizers.normalizer import SPACE
from tokviz.text.symbols import UNKNOWN, Symbol

if TYPE_CHECKING:
    import pandas as pd

#: What a step of such a training is.
AnyEMStep: TypeAlias = EMStep | ApproximatePruneStep | FinalizeStep


@dataclass(frozen=True, repr=False, eq=False)
class SentencePieceUnigramHistory(EMHistory):
    """The record of a run. See `History` for the questions.

    Steps have the actions `em`, `prune` and `finalize`. The ids of a state are its model's: special
    pieces where the settings put them, the others in the library's order around them.

    >>> import tokviz
    >>> words = {" hug": 10, " pug": 5, " hugs": 5}
    >>> h = tokviz.train(words, "sentencepiece-unigram", vocab_size=12)
    >>> h.segmentation(" hugs", 0), h.segmentation(" hugs", len(h))
    (['▁hug', 's'], ['▁hug', 's'])
    """

    def ids(self, t: int) -> Ints:
        """The ids of the pieces of `alive(t)`."""
        n, special = len(self.alive(t)), self.trainer.meta_pieces
        free = np.ones(n + len(special), bool)
        free[[number for number in special if number < len(free)]] = False
        # A special piece beyond the end of an early or small vocabulary is the last.
        return np.flatnonzero(free)[:n]

    def vocab(self, t: int) -> list[str]:
        alive, ids = self.alive(t), self.ids(t)
        strings = np.full(len(alive) + len(self.special_tokens), None, object)
        for number, token in zip(ids.tolist(), alive.tolist(), strict=True):
            strings[number] = self.strings[token]
        strings[self._special_ids(t)] = self.special_tokens
        return [str(string) for string in strings]

    def _special_ids(self, t: int) -> Ints:
        everything = np.arange(self.vocab_size(t))
        return np.setdiff1d(everything, self.ids(t))

    # --- scores -------------------------------------------------------------------------------

    def alternative(self, t: int, row: int) -> list[str]:
        """The second best segmentation of the string of `alive(t)[row]`, by which the pruning out
        of state t replaces it; empty where it does not."""
        rows = self._pruning(t)
        if rows is None:
            return []
        first, last = self.record.alternative_starts[rows.start + row : rows.start + row + 2]
        alive = self._is_alive(t)
        tokens = self.record.alternative[first:last].tolist()
        return [self.strings[i] if i < len(alive) and alive[i] else UNKNOWN for i in tokens]

    def candidates(self, t: int, k: int | None = None) -> "pd.DataFrame":
        """The pieces of state t, next to go first: token, count (expected), log_prob, frequency (in
        the best segmentations), loss_delta (the library's approximation, in nats a word; of
        SentencePiece 0.2.3 a token),
        exact_delta (in nats for the corpus) and exact_rank (the row that it would give the piece),
        both only with the setting `exact_deltas`, alternative (pieces with a space between), reason
        (why it goes: rare, unused, split, loss, size; or why it stays: no alternative), tied (has
        the loss at the cut), chosen (step t removes it)."""
        import pandas as pd

        self.check_rows(k)
        rows, cut = self.order(t)[:k], self._cut(t)
        loss = self.approximate_deltas(t)
        columns = {
            "token": [self.strings[i] for i in self.alive(t)[rows].tolist()],
            "count": self.expected_counts(t)[rows],
            "log_prob": self.log_probs(t)[rows],
            "frequency": self.frequencies(t)[rows],
            "loss_delta": loss[rows],
            "exact_delta": self.exact_deltas(t)[rows],
            "exact_rank": pd.Series(self.exact_ranks(t)[rows]).astype("Int64"),
            "alternative": [" ".join(self.alternative(t, row)) for row in rows.tolist()],
            "reason": self.reasons(t, rows),
            "tied": (loss[rows] == cut[0]) & (cut[1] > 1),
            "chosen": self.goes(t)[rows],
        }
        if not self.trainer.exact_deltas:
            del columns["exact_delta"], columns["exact_rank"]
        return pd.DataFrame(columns)

    @property
    def steps(self) -> Steps[AnyEMStep]:
        return Steps(len(self), self._step)

    def _step(self, t: int) -> AnyEMStep:
        alive, order, goes = self.alive(t), self.order(t), self.goes(t)
        removed = tuple(self.strings[i] for i in alive[order[goes[order]]].tolist())
        sizes = self.vocab_size(t), self.vocab_size(t + 1)
        losses = float(self.record.loss[t]), float(self.record.loss[t + 1])
        action = self.action(t)
        if action == "em":
            others = np.flatnonzero(self.record.actions[:t] != ACTIONS.index("em"))
            number = t - int(others.max(initial=-1)) - 1
            return EMStep(t + 1, action, losses[0], 1, "", removed, number, *sizes, *losses)
        if action == "finalize":
            came = np.setdiff1d(self.alive(t + 1), alive)
            added = tuple(self.strings[i] for i in came.tolist())
            return FinalizeStep(t + 1, action, losses[0], 1, "", removed, added, *sizes, *losses)
        cut, tied, tied_removed = self._cut(t)
        reasons = self.reasons(t, order)
        return ApproximatePruneStep(
            t + 1, action, cut, tied, "lower id", removed, tied_removed, *sizes, *losses,
            unused=reasons.count("unused"), split=reasons.count("split"),
        )  # fmt: skip

    # --- segmentations ------------------------------------------------------------------------

    @cached_property
    def _prepared(self) -> tuple[Ints, Ints]:
        """For each word the number of the word that it was trained as, and where these start."""
        prepared = self.trainer.prepared(self.words)
        return prepared.number, np.cumsum([0, *map(len, prepared.words)])

    def word_numbers(self, word: int, t: int) -> list[tuple[int, int]]:
        return self._numbers(word, t, self._id_of(t), self._unknown_id(t))

    def _numbers(self, word: int, t: int, id_of: Ints, unknown: int) -> list[tuple[int, int]]:
        text = self.words.words[word]
        bounds = [*self.cuts(word, t).tolist(), len(text)]
        numbers = [self.seed_numbers.get(text[start:end], -1) for start, end in pairwise(bounds)]
        found = [(number, int(id_of[number])) for number in numbers]
        return [(number, i) if i >= 0 else (-1, unknown) for number, i in found]

    def _id_of(self, t: int) -> Ints:
        """The id of every seed in state t, or −1; and a last −1 for what is no seed."""
        id_of = np.full(len(self.record.tokens) + 1, -1)
        id_of[self.alive(t)] = self.ids(t)
        return id_of

    def _unknown_id(self, t: int) -> int:
        unknown = list(self.trainer.meta_pieces).index(self.trainer.unk_id)
        return int(self._special_ids(t)[unknown])

    @cached_property
    def gap_spans(self) -> tuple[Ints, Ints]:
        numbers, starts = self._prepared
        return starts[numbers], starts[numbers + 1]

    def token_counts(self, t: int) -> Ints:
        """See `History`; `<unk>` has the unknown characters."""
        counts = np.zeros(self.vocab_size(t), np.int64)
        counts[self.ids(t)] = self.frequencies(t)
        counts[self._unknown_id(t)] = self.record.unknown[t]
        return counts

    def curve(self) -> "pd.DataFrame":
        """See `History`; the loss is the objective, −ln P of a word averaged over the corpus. The
        score of a pruning is the loss at its cut, that of any other step the objective."""
        n = len(self) + 1
        tokens = np.asarray([int(self.token_counts(t).sum()) for t in range(n)], np.int64)
        score = self.record.loss.copy()
        score[-1] = np.nan
        for t in np.flatnonzero(self.record.actions == ACTIONS.index("prune")).tolist():
            score[t] = self._cut(t)[0]
        actions, sizes = map(self.action, range(n - 1)), [self.vocab_size(t) for t in range(n)]
        return self._curve(actions, sizes, tokens, score, self.record.loss)

    # --- tokens, tokenizer --------------------------------------------------------------------

    def provenance(self, token: str) -> Provenance:
        """See `Provenance`: pieces are born as seeds; `words` are those that use it in the last
        state that uses it. Raises KeyError for a string that never was in the vocabulary."""
        self._check_token(token)
        ids = [self._id_in(token, t) for t in range(len(self) + 1)]
        present = np.asarray([i is not None for i in ids])
        if token in self.special_tokens:
            unknown = self.trainer.meta_pieces[self.trainer.unk_id].piece
            counts = self.record.unknown * present * (token == unknown)
        else:
            counts = self._uses(token).counts(self.words.counts) * present
        in_use = np.flatnonzero(counts)
        words = self.users(token, int(in_use[-1]) if len(in_use) else 0)
        last_id = next((i for i in reversed(ids) if i is not None), 0)
        return seed_provenance(token, last_id, counts, words)

    def _uses(self, token: str) -> CutUses:
        """Where words are cut so that the string of a seed is a piece, in the vocabulary or not."""
        numbers, starts = self._prepared
        text = self.record.tokens[self._seed_of[token]]
        return cut_uses(self.words.words, starts[numbers], self.record.cuts, text)

    @cached_property
    def _seed_of(self) -> dict[str, int]:
        return {string: i for i, string in enumerate(self.strings)}

    def _id_in(self, token: str, t: int) -> int | None:
        if token in self.special_tokens:
            return int(self._special_ids(t)[self.special_tokens.index(token)])
        row = np.flatnonzero(self.alive(t) == self._seed_of[token])
        return int(self.ids(t)[row[0]]) if len(row) else None

    def _check_token(self, token: str) -> None:
        named = isinstance(token, str)
        if not named or (token not in self._seed_of and token not in self.special_tokens):
            raise NotFoundError.saying("{token!r} is in no vocabulary of this run.", token=token)

    def present(self, token: str) -> npt.NDArray[np.bool_]:
        self._check_token(token)
        return np.asarray([self._id_in(token, t) is not None for t in range(len(self) + 1)])

    def users(self, token: str, t: int) -> "pd.DataFrame":
        self.check_state(t)
        self._check_token(token)
        words, counts = self.words.words, self.words.counts
        found: list[tuple[int, int]] = []
        if token not in self.special_tokens:
            if self._id_in(token, t) is not None:
                found = self._uses(token).users(t)
        elif self.record.unknown[t]:
            id_of, unknown, i = self._id_of(t), self._unknown_id(t), self._id_in(token, t)
            for word in range(len(words)):
                ids = [j for _, j in self._numbers(word, t, id_of, unknown)]
                if i in ids:
                    found.append((word, ids.count(i)))
        return users_table((words[word], counts[word], times) for word, times in found)

    def tokenizer(self, t: int | None = None, encoder: str | None = None) -> Tokenizer:
        """The tokenizer of state t (the last one if None). User-defined symbols are kept whole and
        not normalized; control symbols typed in a text are text, as in the library. Where a symbol
        has a ▁ after its first character a line is one word, and one with a literal space is never
        found: when the library looks for it, every space is a ▁."""
        t = len(self) if t is None else t
        name = encoder or self.default_encoder
        if name != "viterbi":
            raise SettingError.saying(
                "encoder={name!r} is not for {algorithm}; choose viterbi.",
                name=name,
                algorithm=self.trainer.name,
            )
        kept = [piece for kind, piece, _ in self._meta_ids(t) if kind == "user_defined"]
        symbols: list[Symbol | None] = [None] * self.vocab_size(t)
        viterbi = self._viterbi(t)
        for text, i in viterbi.id_of.items():
            symbols[i] = Symbol(text)
        pretokenizer = self.pretokenizer
        if isinstance(pretokenizer, SentencePiecePretokenizer):
            # A symbol may go on in the next word. Then a line is cut as a whole, as the library
            # cuts every line.
            within = not any(SPACE in piece[1:] for piece in kept)
            within = within and pretokenizer.split_by_whitespace
            pretokenizer = replace(pretokenizer, kept=tuple(kept), split_by_whitespace=within)
        return Tokenizer(
            self.vocab(t),
            symbols,
            self.spelling,
            pretokenizer,
            self._kept_whole,
            viterbi,
            {i: bytes([byte]) for byte, i in enumerate(viterbi.byte_ids)},
        )

    def _viterbi(self, t: int, within: str | None = None) -> UnigramLineEncoder:
        texts = [self.record.tokens[i] for i in self.alive(t).tolist()]
        costs, ids, special = (-self.log_probs(t)).tolist(), self.ids(t).tolist(), self._meta_ids(t)
        rows = range(len(texts)) if within is None else rows_within(within, texts, costs)
        id_of = {texts[row]: ids[row] for row in rows}
        cost = {texts[row]: costs[row] for row in rows}
        for kind, piece, i in special:
            # A piece with a literal space is never found: spaces are ▁ when a line is cut.
            if kind == "user_defined" and " " not in piece:
                text = piece.replace(SPACE, " ")
                id_of[text], cost[text] = i, USER_DEFINED_COST
        return self._line_encoder()(
            self.spelling,
            id_of,
            cost,
            whole_word=False,
            unknown_id=next(i for kind, _, i in special if kind == "unknown"),
            byte_ids=[i for kind, _, i in special if kind == "byte"],
        )

    @property
    def _kept_whole(self) -> tuple[str, ...]:
        """The special tokens that are found wherever a text has them: none in SentencePiece."""
        return ()

    def _line_encoder(self) -> type[UnigramLineEncoder]:
        """What cuts a line: it rounds as the library does."""
        return UnigramLineEncoder

    def _meta_ids(self, t: int) -> list[tuple[str, str, int]]:
        """The special pieces of state t: kind, piece, id."""
        ids = self._special_ids(t).tolist()
        metas = zip(self.trainer.meta_pieces.values(), ids, strict=True)
        return [(meta.kind, meta.piece, i) for meta, i in metas]
