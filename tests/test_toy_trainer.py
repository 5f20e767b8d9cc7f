"""A new algorithm is one Python file like this, and a line in `TRAINERS`."""

import sys
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from app_test import APP, html, press, read, take_algorithm
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.__main__ import main
from tokviz.analysis.lane_names import names_of
from tokviz.basics.errors import FileError, NotFoundError
from tokviz.basics.messages import message
from tokviz.basics.read_only import Record
from tokviz.cli.train import print_table
from tokviz.encoding.longest_token import LongestTokenEncoder
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.formats.exports import EXPORTS
from tokviz.formats.tables import TABLES
from tokviz.history.base import History, character_bytes
from tokviz.history.provenance import seed_provenance
from tokviz.history.steps import Step
from tokviz.history.stop import Stop
from tokviz.history.token_life import users_table
from tokviz.lessons.facts import Scenery, filled, plain
from tokviz.narration import announce, next_step_said, step_said
from tokviz.pages.form.setting_fields import field_value
from tokviz.pages.lenses.token_facts import profile_of
from tokviz.player.columns import parts_of, texts_of
from tokviz.player.pack import family_columns, pack
from tokviz.text.symbols import Spelling, Symbol
from tokviz.trainers import Trainer, settings_of
from tokviz.trainers.bpe import BPE
from tokviz.trainers.merging.candidates import Candidates
from tokviz.trainers.settings import check, setting

TEXT = "low low low low low lower lower newest newest newest newest newest newest widest\n"


# --- an algorithm of a family that is there: BPE whose tokens are no longer than so much ----------


@dataclass(frozen=True)
class ShortBPE(BPE):
    """BPE that merges no pair of more than `longest` characters."""

    name: ClassVar[str] = "short-bpe"
    label: ClassVar[str] = "Short BPE"
    help: ClassVar[str] = "Like BPE, with an end to the length of tokens."

    tie_break: str = setting("shortest", "Tie-break", "There is one rule.", ("shortest",))
    longest: int = setting(3, "Longest", "In characters.", least=2)

    def _candidates(self, table):
        return ShortPairs([len(symbol.text) for symbol in table.symbols], self.longest)


class ShortPairs(Candidates):
    def __init__(self, characters, most):
        self.characters, self.most = characters, most

    def allowed(self, left, right):
        return self.characters[left] + self.characters[right] <= self.most

    def join(self, left, right):
        self.characters.append(self.characters[left] + self.characters[right])


# --- a family of its own: all words are tokens, and the rarest go one after the other -------------


@dataclass(frozen=True, eq=False)
class WordRecord(Record):
    seeds: np.ndarray  # the numbers of words, the most frequent first
    removed: int


@dataclass(frozen=True)
class WordStep(Step):
    removed: tuple[str, ...]


@dataclass(frozen=True, repr=False, eq=False)
class WordHistory(History):
    """Every step takes the rarest word out of the vocabulary."""

    record: WordRecord

    def __len__(self):
        return self.record.removed

    @property
    def step_columns(self):
        return (self.record.seeds,)

    @cached_property
    def letters(self):
        return sorted(set("".join(self.words.words)))

    @cached_property
    def texts(self):
        return self.letters + [self.words.words[i] for i in self.record.seeds]

    def alive(self, t):
        return self.record.seeds[: len(self.record.seeds) - t].tolist()

    def vocab_size(self, t):
        self.check_state(t)
        return len(self.letters) + len(self.alive(t))

    def vocab(self, t):
        return [self.spelling.show(Symbol(text)) for text in self.texts[: self.vocab_size(t)]]

    def births(self, t):
        return np.zeros(self.vocab_size(t), np.int64)

    def candidate_count(self, t):
        return len(self.alive(t))

    def candidates(self, t, k=None):
        rarest = self.alive(t)[::-1]
        table = pd.DataFrame({"token": [self.words.words[i] for i in rarest]})
        table["count"] = [self.words.counts[i] for i in rarest]
        least = table["count"] == table["count"].min()
        chosen = (table.index == 0) & (t < len(self))
        return table.assign(tied=least & (least.sum() > 1), chosen=chosen)[:k]

    def _step(self, t):
        row = self.candidates(t)
        count, tied = int(row["count"][0]), max(1, int(row["tied"].sum()))
        return WordStep(t + 1, "prune", float(count), tied, "order", (row["token"][0],))

    def token_counts(self, t):
        counts = dict.fromkeys(self.texts[: self.vocab_size(t)], 0)
        for number, times in enumerate(self.words.counts):
            for token in self._word_tokens(number, t):
                counts[token] += times
        return np.asarray([*counts.values()], np.int64)

    @cached_property
    def symbol_bytes(self):
        return character_bytes("".join(self.words.words))

    @property
    def gap_spans(self):
        ends = np.cumsum([0, *map(len, self.words.words)])
        return ends[:-1], ends[1:]

    def open_gaps(self, t):
        known = set(self.alive(t))
        lengths = [len(word) for word in self.words.words]
        return np.asarray(
            [not k or i not in known for i, n in enumerate(lengths) for k in range(n)], bool
        )

    def _word_tokens(self, word, t):
        text = self.words.words[word]
        return [text] if word in self.alive(t) else [*text]

    def curve(self):
        states = range(len(self) + 1)
        tokens = np.asarray([self.token_counts(t).sum() for t in states])
        nothing = np.full(len(states), np.nan)
        sizes = [self.vocab_size(t) for t in states]
        return self._curve(["prune"] * len(self), sizes, tokens, nothing, nothing)

    def _number(self, token):
        if token not in self.texts:
            raise NotFoundError(message("{token!r} is in no vocabulary of this run.", token=token))
        return self.texts.index(token)

    def present(self, token):
        return np.arange(len(self) + 1) < len(self.texts) - self._number(token)

    def users(self, token, t):
        cut = [(w, self._word_tokens(i, t)) for i, w in enumerate(self.words.words)]
        counts = zip(cut, self.words.counts, strict=True)
        return users_table((w, n, has.count(token)) for (w, has), n in counts if token in has)

    def provenance(self, token):
        number = self._number(token)
        states = range(len(self) + 1)
        counts = [
            self.token_counts(t)[number] if number < self.vocab_size(t) else 0 for t in states
        ]
        return seed_provenance(token, number, np.asarray(counts), self.users(token, 0))

    def tokenizer(self, t=None, encoder=None):
        t = len(self) if t is None else t
        symbols = [Symbol(text) for text in self.texts[: self.vocab_size(t)]]
        known = sorted(
            zip(symbols, range(len(symbols)), strict=True), key=lambda s: -len(s[0].text)
        )
        encoder = LongestTokenEncoder(self.spelling, known)
        return Tokenizer(self.vocab(t), symbols, self.spelling, self.pretokenizer, (), encoder)


@step_said.register
def _said(history: WordHistory, t: int) -> str:
    return f"Step {t + 1}: without “{history.steps[t].removed[0]}”."


@next_step_said.register
def _coming(history: WordHistory, t: int) -> str:
    return f"Next: without “{history.steps[t].removed[0]}”."


@family_columns.register
def _packed(history: WordHistory, _words: list, header: dict) -> dict:
    symbols = [Symbol(text) for text in history.texts]
    header |= {"tokens": parts_of(history.spelling, symbols), "unit": "char"}
    header["raw"] = texts_of(history.spelling, symbols)
    return {"seeds": history.record.seeds}


@dataclass(frozen=True)
class Words(Trainer):
    """Words and characters, without the rarest words."""

    name: ClassVar[str] = "words"
    label: ClassVar[str] = "Words"
    help: ClassVar[str] = "Start from all words; each step removes the rarest."
    family: ClassVar[type[History]] = WordHistory
    default_pretokenizer: ClassVar[str] = "whitespace"
    default_encoder: ClassVar[str] = "longest-token"

    vocab_size: int = setting(20, "Vocabulary size", "Characters included.", least=1)
    least_count: int = setting(1, "Least count", "Rarer words are no seeds.", least=1)
    special_tokens: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self):
        check(self)

    def spelling(self, _pretokenizer):
        return Spelling()

    def least_vocab_size(self, words, _pretokenizer):
        return len(set("".join(words.words)))

    def greatest_vocab_size(self, words, pretokenizer):
        return self.least_vocab_size(words, pretokenizer) + len(words)

    def train(self, words, pretokenizer, _progress=None):
        by_count = sorted(range(len(words)), key=lambda i: -words.counts[i])
        seeds = [i for i in by_count if words.counts[i] >= self.least_count]
        size = self.least_vocab_size(words, pretokenizer) + len(seeds)
        record = WordRecord(np.asarray(seeds, np.int64), size - self.vocab_size)
        return WordHistory(self, pretokenizer, words, Stop("size", self.vocab_size), record)


# --- all that the program does with an algorithm --------------------------------------------------


TOYS = {toy.name: toy for toy in (ShortBPE, Words)}
SIZES = {"short-bpe": 16, "words": 12}
CORPUS = TEXT * 3


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    for name, toy in TOYS.items():
        monkeypatch.setitem(tokviz.TRAINERS, name, toy)


def run_of(name, **settings):
    return tokviz.train(CORPUS, name, SIZES[name], "whitespace", **settings)


@pytest.fixture(params=TOYS)
def history(request):
    return run_of(request.param)


def told_of(history, t):
    step = history.steps[t]
    return step.token if history.merges else step.removed[0]


def test_training(history):
    assert type(history) is tokviz.TRAINERS[history.algorithm].family
    assert history.vocab_size(len(history)) == SIZES[history.algorithm]
    fewer = np.diff(history.curve().corpus_tokens) < 0
    assert fewer.all() if history.merges else not fewer.any()
    for t in range(len(history)):
        [chosen] = np.flatnonzero(history.candidates(t).chosen)
        assert chosen == 0
        assert told_of(history, t) == history.candidates(t).token[0]
    assert history == run_of(history.algorithm)


def test_settings_of_its_own():
    for longest in (2, 3, 4):
        found = run_of("short-bpe", longest=longest)
        assert max(map(len, found.vocab(len(found)))) == longest
    assert [len(tokviz.train(CORPUS, "words", 10, least_count=n)) for n in (1, 9)] == [4, 2]
    with pytest.raises(tokviz.SettingError, match="longest=1 is too small; the least is 2"):
        run_of("short-bpe", longest=1)


def test_other_algorithms_keep_their_choices(capsys):
    """A setting of several algorithms is one option."""
    assert main(["train", "--sample", "low-lower", "--tie-break", "largest-pair", "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("step")


def test_it_is_told_in_sentences(history):
    last = len(history)
    said = {"short-bpe": "Step 1: merged", "words": "Step 1: without “widest”."}
    assert history.narrate(1).startswith(said[history.algorithm])
    assert all(history.narrate(t) for t in range(last + 1))
    assert announce(history, last) == history.stopped
    assert announce(history, 0).startswith("Next: ")
    told = plain(filled("{steps}, {vocabulary}, {longest token}", Scenery([history], [last])))
    noun = "merges" if history.merges else "steps"
    assert told.startswith(f"{last} {noun}, {SIZES[history.algorithm]} tokens, ")


def test_tables_and_pictures(history):
    last = len(history)
    for table in TABLES.values():
        assert len(table.frame(history, last)) or table.name == "candidates"
    assert list(TABLES["vocabulary"].frame(history).token) == history.vocab(last)
    rows = f"2 of {history.candidate_count(0)} candidates of state 0."
    assert rows in history.candidates_chart(0, 2).svg
    assert history.chart("corpus_tokens").to_dict()["data"]
    profile = profile_of(history, told_of(history, 0))
    assert profile.events["made" if history.merges else "gone"] == 1
    assert len(profile.makings) == history.merges
    counts = zip(history.vocab(last), history.token_counts(last), strict=True)
    assert history.scaffolding(last).tokens == [token for token, n in counts if not n]
    if history.merges:
        assert "Merge tree of “lower”" in history.word_chart("lower").label
        assert "Segmentation of “newest”" in history.segmentation_chart("newest").label
    else:
        with pytest.raises(ValueError, match="needs the probabilities"):
            history.word_chart("lower")


def test_tokenizing(history):
    tokenizer = history.tokenizer()
    assert tokenizer.decode(tokenizer.encode("lower").ids) == "lower"
    for word in ("low", "newest"):
        assert tokenizer.encode(word).tokens == history.segmentation(word, len(history))
    assert history.encoders[0] == history.trainer.default_encoder


def test_beside_bpe(history):
    bpe = tokviz.train(CORPUS, "bpe", SIZES[history.algorithm], "whitespace")
    found = tokviz.compare([history, bpe], CORPUS)
    assert found.end["lane"].tolist() == [history.algorithm, "bpe"]
    assert names_of([history, bpe]) == [history.trainer.label, "BPE"]
    parting = found.parting(0, 1)
    kinds = {"short-bpe": ("pairs", "score", "over", "pace"), "words": ("start",)}
    assert parting is not None
    assert parting.kind in kinds[history.algorithm]


def test_files(history, tmp_path):
    why = {name: export.why_not(history) for name, export in EXPORTS.items()}
    if history.merges:
        path = tmp_path / "toy.npz"
        history.save(path)
        assert tokviz.load(path) == history
        assert why["merges"] is why["tokenizer.json"] is None
    else:
        assert all(why[name] for name in ("merges", "tiktoken", "sentencepiece"))
        assert "this run is one of words" in why["tokenizer.json"]
        with pytest.raises(FileError, match="words"):
            history.save(tmp_path / "toy.npz")


def test_the_player_gets_it(history):
    header, _data = read(pack(history, "Toy", None, 9), b"TVZ1")
    assert (header["label"], header["algorithm"]) == ("Toy", history.algorithm)
    assert {"word_counts", "left" if history.merges else "seeds"} <= header["arrays"].keys()
    assert history.web_page(title="Toy").startswith("<!doctype html>")


def test_the_command_line_prints_it(history, capsys):
    print_table(history, sys.stdout)
    heads, *rows, stopped = capsys.readouterr().out.splitlines()
    assert heads.split()[:2] == ["step", "left" if history.merges else "action"]
    assert (len(rows), stopped) == (len(history), history.stopped)


def test_what_if(history):
    if not history.merges:
        with pytest.raises(tokviz.SettingError, match="cannot be told what to choose"):
            tokviz.branch(history, 0, ("lower",))
        return
    other = tokviz.branch(history, 0, ("l", "o"))
    assert other.steps[0].forced
    assert other.steps[0].token == "lo"


@pytest.mark.parametrize("name", TOYS)
def test_the_form_has_its_settings(name):
    app = AppTest.from_file(APP, default_timeout=PATIENCE).run()
    press(app, "Settings")
    take_algorithm(app, name)
    assert not app.exception
    toy = tokviz.TRAINERS[name]
    assert app.session_state["pretokenizer"] == toy.default_pretokenizer
    for known in settings_of(toy):
        assert app.session_state[f"{name}.{known.name}"] == field_value(known, known.default)
    assert "For this corpus:" in html(app)
