"""BPE agrees with the naive loop at every step, and with the libraries that it describes."""

from collections import Counter

import oracles
import pytest
from effort import some
from helpers import SAMPLES, anything, joiner, oracle_words, sample_words, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.basics import progress
from tokviz.history.ties import TIE_BREAKS
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.symbols import Symbol
from tokviz.text.word_counts import WordCounts
from tokviz.trainers import SettingError
from tokviz.trainers.bpe import BPE
from tokviz.trainers.merging.plain import LONG

WHITESPACE = make_pretokenizer("whitespace")

SPELLINGS = st.fixed_dictionaries(
    {"unit": st.sampled_from(["char", "byte"])},
    optional={
        "end_of_word_suffix": st.sampled_from(["</w>", "#"]),
        "continuing_subword_prefix": st.just("##"),
    },
)


def row_order(rule, run, ids):
    """The key that puts the rows of an oracle's table into the order of a rule."""
    return {
        "first-seen": lambda _pair: (),
        "largest-pair": lambda pair: tuple(
            tuple([-ord(char) for char in run.key(side)] + [1]) for side in pair
        ),
        "smallest-ids": lambda pair: (ids[pair[0]], ids[pair[1]]),
        "shortest": lambda pair: (len(run.key(run.join(*pair))), run.key(run.join(*pair))),
    }[rule]


class Oracle:
    """The naive loop on the words of a history, with the spelling of the history."""

    def __init__(self, history):
        spelling, words = history.spelling, oracle_words(history.words, history.spelling)
        self.join = joiner(spelling)
        self.by_bytes = history.rule == "largest-pair"
        self.spelling = spelling
        self.ids = {string: i for i, string in enumerate(history.vocab(0))}
        self.run = oracles.bpe_oracle(
            words, history.rule, None, history.trainer.min_frequency, self.ids, self.key, self.join
        )

    def key(self, shown):
        compare = self.spelling.order if self.by_bytes else self.spelling.plain
        return compare(shown.symbol)


def assert_agrees(history):
    """Every answer in every state is the naive loop's."""
    oracle = Oracle(history)
    run, words, counts = oracle.run, history.words.words, history.words.counts
    tables = [step.table for step in run.steps] + [run.table]
    segmentations = [step.segmentations for step in run.steps] + [run.segmentations]
    assert len(history) == len(run.steps)
    assert list(history.curve().corpus_tokens) == [
        sum(len(s) * c for s, c in zip(state, counts, strict=True)) for state in segmentations
    ]
    ids = dict(oracle.ids)
    for t, (table, state) in enumerate(zip(tables, segmentations, strict=True)):
        assert [history.segmentation(word, t) for word in words] == state
        used = Counter()
        for tokens, count in zip(state, counts, strict=True):
            for token in tokens:
                used[token] += count
        vocab = history.vocab(t)
        assert vocab == list(ids)
        assert history.token_counts(t).tolist() == [used[token] for token in vocab]
        order = row_order(history.rule, oracle, ids)
        ranked = sorted(table, key=lambda pair: (-table[pair], *order(pair)))
        best = [pair for pair in table if table[pair] == table[ranked[0]]]
        rows = history.candidates(t)
        assert list(zip(rows.left, rows.right, rows["count"], strict=True)) == [
            (*pair, table[pair]) for pair in ranked
        ]
        assert list(rows.token) == [oracle.join(*pair) for pair in ranked]
        assert list(rows.tied) == [pair in best and len(best) > 1 for pair in ranked]
        assert list(rows.chosen) == [i == 0 and t < len(history) for i in range(len(ranked))]
        assert history.candidates(t, 20).equals(rows.head(20))
        assert history.candidate_count(t) == len(rows)
        if t == len(history):
            break
        step, expected = history.steps[t], run.steps[t]
        assert (step.left, step.right) == expected.pair == ranked[0]
        assert (step.token, step.count, step.tied) == (expected.token, expected.count, len(best))
        assert step.grows == (step.token not in ids)
        assert step.token_id == ids.setdefault(expected.token, len(ids))


@settings(max_examples=some(400))
@given(
    words=word_counts(),
    rule=st.sampled_from(list(TIE_BREAKS)),
    spelling=SPELLINGS,
    glued=st.booleans(),
    special=st.sampled_from([(), ("ab",), ("<s>", "a")]),
    pretokenizer=st.sampled_from(["whitespace", "gpt2", "metaspace"]),
    min_frequency=st.sampled_from([1, 1, 2]),
)
def test_every_state_is_the_naive_loops(
    words, rule, spelling, glued, special, pretokenizer, min_frequency
):
    trainer = BPE(
        10_000,
        tie_break=rule,
        special_tokens=special,
        suffix_glued=glued and "end_of_word_suffix" in spelling,
        min_frequency=min_frequency,
        **spelling,
    )
    assert_agrees(trainer.train(words, make_pretokenizer(pretokenizer)))


@settings(max_examples=some(20))
@given(st.data())
@pytest.mark.parametrize("rule", ["first-seen", "shortest"])
def test_long_words_too(rule, data):
    """Words beyond a certain length are looked after in another way."""
    alphabet = data.draw(st.sampled_from(["ab", "abcdefgh"]))
    long = st.text(alphabet, min_size=LONG + 1, max_size=LONG + 60)
    table = dict.fromkeys(data.draw(st.lists(long, min_size=1, max_size=2)), 1)
    table[data.draw(st.text(alphabet, min_size=1, max_size=20))] = 2
    words = WordCounts(tuple(table), tuple(table.values()))
    trainer = BPE(len(set("".join(words.words))) + 25, tie_break=rule)
    history = trainer.train(words, WHITESPACE)
    run = oracles.bpe_oracle(oracle_words(words, history.spelling), rule, len(history))
    assert [(s.left, s.right, s.count, s.tied) for s in history.steps] == [
        (*s.pair, s.count, s.tied) for s in run.steps
    ]
    assert [history.segmentation(word, len(history)) for word in words.words] == run.segmentations


#: Otherwise every rule on the shortest of them and on one of the others.
SAMPLED = [(sample, rule) for sample in ("course", "udhr-tr", "udhr-th") for rule in TIE_BREAKS]
SAMPLED = SAMPLED if LONG else SAMPLED[:4] + SAMPLED[4:8:2] + SAMPLED[9::2]


@pytest.mark.parametrize(("sample", "rule"), SAMPLED)
def test_samples_to_the_last_pair(sample, rule):
    words, pretokenizer = sample_words(sample)
    assert_agrees(BPE(2_000, unit="byte", tie_break=rule).train(words, pretokenizer))


@pytest.mark.parametrize(
    ("rule", "first"),
    [("first-seen", "ca"), ("largest-pair", "ca"), ("smallest-ids", "ab"), ("shortest", "ab")],
)
def test_the_rules_differ(rule, first):
    words = {"ca": 2, "ab": 2, "bb": 2}
    assert tokviz.train(words, vocab_size=4, tie_break=rule).steps[0].token == first


def test_largest_pair_compares_bytes_as_bytes():
    """Byte FF is greater than the letter z, whose character comes before that of byte 00."""
    history = tokviz.train(
        {"zz": 1, "\0\0": 1}, vocab_size=3, unit="byte", tie_break="largest-pair"
    )
    assert history.steps[0].token == "zz"


def test_stops_at_the_size_before_or_never_starts():
    words = {"abab": 3, "cd": 1}
    assert tokviz.train(words, vocab_size=6).stopped == (
        "The vocabulary has the 6 tokens asked for."
    )
    assert len(tokviz.train(words, vocab_size=4)) == 0
    beyond = tokviz.train(words, vocab_size=90)
    assert (len(beyond), beyond.stopped) == (
        3,
        "No pair is left: every word is one token. "
        "The vocabulary has 7 of the 90 tokens asked for.",
    )
    rare = tokviz.train(words, vocab_size=90, min_frequency=2)
    assert [step.token for step in rare.steps] == ["ab", "abab"]
    assert rare.stopped.startswith("The best pair occurs once, less than min_frequency=2.")
    with pytest.raises(
        SettingError, match=r"size of 3 .*\(4 characters\), so ask for at least 4\."
    ):
        tokviz.train(words, vocab_size=3)
    with pytest.raises(SettingError, match=r"2 special tokens and the alphabet .* at least 6"):
        tokviz.train(words, vocab_size=5, special_tokens=("<s>", "</s>"))


def test_ids_go_to_specials_then_the_alphabet_then_merges():
    history = tokviz.train(
        {"ba": 2}, vocab_size=8, special_tokens=["<s>", "ba"], initial_alphabet=("z", "a")
    )
    assert history.vocab(len(history)) == ["<s>", "ba", "a", "b", "z"]
    step = history.steps[0]
    assert (step.token, step.token_id, step.grows) == ("ba", 1, False)
    all_bytes = tokviz.train(
        "", vocab_size=256, unit="byte", initial_alphabet=("bytes",), counted=anything
    )
    assert len(set(all_bytes.vocab(0))) == 256
    assert all_bytes.tokenizer().decode(range(256)).isascii() is False


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"suffix_glued": True}, "needs an end_of_word_suffix"),
        ({"initial_alphabet": ("bytes",)}, 'needs unit="byte"'),
        ({"initial_alphabet": ("ab",)}, "each entry is one character"),
        ({"unit": "word"}, "choose one of char, byte"),
        ({"tie_break": "random"}, "choose one of first-seen"),
        ({"special_tokens": ("a", "a")}, "name each only once"),
        ({"special_tokens": ("",)}, "none of them empty"),
        ({"min_frequency": 0}, "the least is 1"),
        ({"min_frequency": 1.5}, "must be a whole number"),
        ({"min_frequency": True}, "must be a whole number"),
        ({"vocab_size": 0}, "the least is 1"),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(setting, sentence):
    with pytest.raises(SettingError, match=sentence):
        BPE(**setting)


@given(word_counts())
def test_sizes_for_a_form_are_bounds(words):
    trainer = BPE(10_000)
    least = trainer.least_vocab_size(words, WHITESPACE)
    history = trainer.train(words, WHITESPACE)
    assert least == history.vocab_size(0)
    assert history.vocab_size(len(history)) <= trainer.greatest_vocab_size(words, WHITESPACE)


# ---- the real libraries ----


@pytest.mark.parametrize("sample", [name for name, sample in SAMPLES.items() if sample.documents])
@pytest.mark.checked_against("tokenizers", "trainer", "bpe")
def test_hugging_face_tokenizers(sample, checked):
    """`BpeTrainer` on bytes: the same merges in the same order, and the same ids."""
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    corpus = SAMPLES[sample].documents
    theirs = Tokenizer(models.BPE())
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    size = 400
    trainer = trainers.BpeTrainer(vocab_size=size, special_tokens=["<s>"], show_progress=False)
    theirs.train_from_iterator(corpus, trainer)
    ours = tokviz.train(
        corpus, vocab_size=size, unit="byte", tie_break="smallest-ids", special_tokens=("<s>",)
    )
    vocab = theirs.get_vocab()
    assert ours.vocab(len(ours)) == sorted(vocab, key=vocab.get)
    for text in corpus[:20]:
        assert ours.tokenizer().encode(text).ids == theirs.encode(text).ids
    checked(texts=len(corpus[:20]))


@pytest.mark.checked_against("subword-nmt", "trainer", "bpe")
def test_subword_nmt(checked):
    """`learn_bpe` of Sennrich et al.: ties to the largest pair, the suffix on the last letter."""
    from io import StringIO

    from subword_nmt.learn_bpe import learn_bpe

    corpus = SAMPLES["alice"].documents[:40]
    codes = StringIO()
    learn_bpe(StringIO("\n".join(corpus)), codes, 150, min_frequency=2)
    theirs = [tuple(line.split(" ")) for line in codes.getvalue().splitlines()[1:]]
    ours = tokviz.train(
        corpus,
        vocab_size=2_000,
        pretokenizer="whitespace",
        end_of_word_suffix="</w>",
        suffix_glued=True,
        tie_break="largest-pair",
        min_frequency=2,
    )
    assert len(theirs) == 150
    assert [(step.left, step.right) for step in ours.steps[:150]] == theirs
    checked()


@pytest.mark.checked_against("tiktoken", "trainer", "bpe")
def test_tiktoken_educational(checked):
    """tiktoken's training for teaching: over bytes, ties to the pair met first.

    It counts repeated words anew each time, in text order, so its first pair is ours.
    """
    from tiktoken._educational import bpe_train

    text = SAMPLES["course"].corpus
    pattern = r"\p{L}+| ?[^\sa-z]"
    theirs = bpe_train(data=text, vocab_size=256 + 30, pat_str=pattern, visualise=None)
    pretokenizer = make_pretokenizer("regex", pattern=pattern)
    ours = tokviz.train(
        [text], vocab_size=286, pretokenizer=pretokenizer, unit="byte", initial_alphabet=("bytes",)
    )
    spelling = ours.spelling
    learned = [spelling.bytes_of(symbol) for symbol in ours.symbols[256:]]
    assert learned == [token for token, rank in theirs.items() if rank >= 256]
    checked()


def test_a_symbol_of_the_text_is_not_a_marker():
    """ "##" typed in a word never becomes the prefix, whatever is merged."""
    history = tokviz.train({"a##b": 2, "##b": 3}, vocab_size=40, continuing_subword_prefix="##")
    assert Symbol("##b") in history.symbols
    assert history.vocab(len(history)).count("##b") == 1
    assert "⟨##⟩b" in history.vocab(len(history))


def test_a_run_is_cancelled_at_the_step_that_is_told(monkeypatch):
    words, pretokenizer = sample_words("alice")
    trainer = BPE(100_000, unit="byte")
    whole = trainer.train(words, pretokenizer)
    reports = []

    def stop(report):
        if report.stage == "merges":
            reports.append(report.done)
        return report.stage != "merges" or report.done < 50

    monkeypatch.setattr(progress.Reporter.__init__, "__defaults__", (0,))
    cancelled = trainer.train(words, pretokenizer, stop)
    assert cancelled.stopped == "Cancelled after 50 merges."
    assert len(cancelled) == 50
    assert reports == list(range(51))
    assert cancelled.candidates(50).equals(whole.candidates(50).assign(chosen=False))
