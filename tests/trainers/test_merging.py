"""The compiled trainer writes what plain Python writes, which is what a recount gives."""

import random
from dataclasses import replace

import numpy as np
import oracles
import pytest
from contract_runs import EDGES, TRAINERS, train
from effort import some
from helpers import joiner, oracle_words, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.symbols import Spelling, SymbolTable
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import compiled as compiled_module
from tokviz.trainers.bpe import BPE
from tokviz.trainers.merging import loop, plain, record
from tokviz.trainers.merging.compiled import CompiledMerges
from tokviz.trainers.merging.plain_run import PlainMerges
from tokviz.trainers.merging.task import Start, Task

SPELLING = Spelling(end_of_word_suffix="</w>")
RULES = ("first-seen", "largest-pair", "smallest-ids", "shortest", "likelihood")
#: Settings that go their own ways, beside those of the contract.
OTHERS = {
    "special": ("bpe characters", {"special_tokens": ("th", "<s>", "a", " ", "low er", "⟨⟩")}),
    "prefix": (
        "bpe ids, prefix",
        {"end_of_word_suffix": "##", "suffix_glued": True, "tie_break": "shortest"},
    ),
    "bytes, largest": ("bpe bytes", {"tie_break": "largest-pair", "pretokenizer": "none"}),
    "rare": ("bpe characters", {"min_frequency": 3, "pretokenizer": "whitespace"}),
    "wordpiece special": ("wordpiece", {"special_tokens": ("[UNK]", "##s", "hu")}),
}
MERGES = [key for key in TRAINERS if "unigram" not in key]
KINDS = {key: (key, {}) for key in MERGES} | OTHERS


def compiled(task):
    return CompiledMerges(task, lambda: None)


def assert_same(one, other):
    """Two runs are equal, in every column and its type, and in why they ended."""
    assert one.stop == other.stop
    for name, column in vars(one.record).items():
        found = vars(other.record)[name]
        assert np.array_equal(column, found), name
        assert getattr(column, "dtype", 0) == getattr(found, "dtype", 0), name


@pytest.fixture
def in_plain_python(monkeypatch):
    """Trains again without the compiled trainer."""

    def trained(function, *args, **settings):
        with monkeypatch.context() as patch:
            patch.setattr(loop, "runs_compiled", lambda: False)
            return function(*args, **settings)

    return trained


@pytest.mark.parametrize("kind", KINDS)
def test_the_compiled_trainer_writes_what_plain_python_writes(kind, in_plain_python):
    key, others = KINDS[kind]
    for text in EDGES.values():
        assert_same(
            train(key, text, extra=40, **others),
            in_plain_python(train, key, text, extra=40, **others),
        )


@settings(max_examples=some(150))
@given(words=word_counts(), rule=st.sampled_from(RULES), data=st.data())
@pytest.mark.parametrize("is_long", [False, True])
def test_any_merges_in_any_words(is_long, words, rule, data):
    """Also those that no rule would choose; and in long words, whose counts are of 2 ** 40."""
    if is_long:
        draw = random.Random(str(words))
        long = "".join(draw.choices("ab", k=plain.LONG + draw.randint(0, 9)))
        words = WordCounts((*words.words, long), (*(n << 40 for n in words.counts), 3))
    alphabet = sorted(SPELLING.symbols_of(words.words))
    start = Start.of(words, SPELLING, alphabet)
    size = len(alphabet) + data.draw(st.integers(1, 60))
    tables = [SymbolTable(SPELLING, (), alphabet) for _ in range(2)]
    one, two = (
        of(Task(start, table, rule, size))
        for of, table in zip((compiled, PlainMerges), tables, strict=True)
    )
    for _ in range(data.draw(st.integers(0, 6))):
        live = np.flatnonzero(two.column("pair_counts")).tolist()
        if not live:
            break
        p = data.draw(st.sampled_from(live))
        assert one.first_seen(p) == two.first_seen(p) + 1 + words_before(start, two.first_seen(p))
        pair = two.column("pair_left")[[p]], two.column("pair_right")[[p]]
        assert one.follow(*pair) == two.follow(*pair) == 1
        assert one.follow(*pair) == two.follow(*pair) == 0
        steps = data.draw(st.integers(0, 5))
        assert one.go_on(steps) == two.go_on(steps)
    assert one.go_on(200) == two.go_on(200)
    made = [record.record_of(start, run) for run in (one, two)]
    for name, column in vars(made[0]).items():
        assert np.array_equal(column, vars(made[1])[name]), name


def words_before(start, place):
    return int(np.searchsorted(start.starts, place, side="right")) - 1


@given(words=word_counts(), data=st.data())
def test_counts_and_words_are_those_of_a_recount(words, data):
    """Plain Python, whatever is merged, against a loop that knows nothing of it."""
    spelled = oracle_words(words, SPELLING)
    alphabet = sorted({shown.symbol for symbols, _ in spelled for shown in symbols})
    table = SymbolTable(SPELLING, (), alphabet)
    corpus = plain.PlainCorpus(Task(Start.of(words, SPELLING, alphabet), table, "shortest", 99))
    names = [SPELLING.show(symbol) for symbol in alphabet]
    symbols, counts = [s for s, _ in spelled], list(words.counts)
    join = joiner(SPELLING)
    while True:
        found = {(names[a], names[b]): n for (a, b), n in corpus.counts.items()}
        pairs = oracles.pair_table(symbols, counts)
        assert list(found.items()) == list(pairs.items())
        assert [[names[symbol] for symbol, _ in word] for word in corpus.words] == symbols
        if not found:
            return
        pair = data.draw(st.sampled_from(list(pairs)))
        before = dict(corpus.counts)
        merged = [*before][list(pairs).index(pair)]
        changed = corpus.merge(merged)
        assert changed[0] == merged
        assert len(set(changed)) == len(changed)
        assert set(changed) == {
            p for p in before | corpus.counts if before.get(p) != corpus.counts.get(p)
        }
        token = join(*pair)
        # A string that two merges spell is two symbols here; the oracle is told so by a suffix.
        token = type(token)(f"{token}\t{len(names)}")
        token.symbol = pair[0].symbol + pair[1].symbol
        names.append(token)
        symbols = [oracles.merge_pair(s, pair, token) for s in symbols]


@settings(max_examples=some(60))
@given(words=word_counts(), rule=st.sampled_from(RULES[:4]), data=st.data())
def test_in_slices_it_is_the_same_run(words, rule, data):
    """However many steps are taken at once; and where a run is told what to merge."""
    trainer = BPE(60, tie_break=rule)
    pretokenizer = make_pretokenizer("whitespace")
    whole = trainer.train(words, pretokenizer)
    assert_same(whole, trainer.train(words, pretokenizer, lambda _: True))
    if len(whole) > 1:
        step = data.draw(st.integers(0, len(whole) - 1))
        chosen = whole.steps[step]
        told = replace(trainer, interventions={step: (chosen.left, chosen.right)})
        assert_same(whole, told.train(words, pretokenizer))


def test_what_is_done_without_wasmtime_is_said(monkeypatch):
    monkeypatch.setattr(compiled_module, "is_there", lambda: False)
    for algorithm in ("bpe", "unigram"):
        with pytest.warns(tokviz.TokvizWarning, match="trains in plain Python: .* a book hours"):
            tokviz.train("low lower", algorithm, 7, "whitespace")
