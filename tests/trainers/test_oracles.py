"""The oracles give, step by step, what the published programs gave (tests/data/goldens.json)."""

import math
import re
from fractions import Fraction
from functools import cache

import oracles
import pytest
from helpers import GOLDENS

PROGRAMS = GOLDENS["programs"]
EDGES = GOLDENS["edge_behaviour"]
UNIGRAMS = ["course_unigram", "course_unigram_mathlog"]
PUBLISHED_SIZES = [300, 270, 243, 219, 198, 179, 162, 146, 132, 119, 108, 98]


# ---- words, for these texts only (the real pre-tokenizers have their own tests) ----


def byte_characters():
    """GPT-2's map from bytes to printable characters."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    rest = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {b: chr(256 + i) for i, b in enumerate(rest)}


def gpt2_words(text):
    found = re.findall(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+", text)
    shown = byte_characters()
    return ["".join(shown[byte] for byte in word.encode()) for word in found]


def bert_words(text):
    return re.findall(r"\w+|[^\w\s]", text)


def metaspace_words(text):
    return ["▁" + word for word in text.split()]


def word_counts(corpus, split):
    counts = {}
    for line in corpus:
        for word in split(line):
            counts[word] = counts.get(word, 0) + 1
    return [[word, count] for word, count in counts.items()]


def in_characters(golden):
    return [(list(word), count) for word, count in golden["word_counts"]]


def in_wordpieces(golden):
    return [
        ([word[0]] + ["##" + character for character in word[1:]], count)
        for word, count in golden["word_counts"]
    ]


def pairs(lists):
    return [tuple(pair) for pair in lists]


def rows(table):
    return [[list(pair), value] for pair, value in table.items()]


def ties_of(step):
    score_of = dict(step.table)
    if isinstance(step.score, Fraction):
        score_of = {pair: row[3] for pair, row in step.table.items()}
    return [pair for pair in score_of if score_of[pair] == step.score]


def assert_steps(steps, golden, suffix=""):
    """Every recorded field of every step; the first step of some programs records no ties."""
    assert len(steps) == len(golden)
    for step, expected in zip(steps, golden, strict=True):
        assert step.pair == tuple(expected["pair" + suffix])
        assert step.token == expected["token" + suffix]
        assert step.count == expected["freq"]
        assert step.tied == expected.get("n_ties", step.tied)
        assert step.tied == len(ties_of(step))
        for name in ("ties", "ties_latin1", "ties_in_encounter_order"):
            assert ties_of(step) == pairs(expected.get(name, ties_of(step)))
        assert len(step.table) == expected.get("n_pairs", len(step.table))


# ---- BPE ----


@pytest.mark.parametrize(
    ("name", "split"),
    [
        ("course_bpe", gpt2_words),
        ("course_bpe_endoftext", gpt2_words),
        ("course_wordpiece_50", bert_words),
        ("course_wordpiece_70", bert_words),
        ("course_unigram", metaspace_words),
        ("course_unigram_mathlog", metaspace_words),
        ("cs336_bytes", str.split),
    ],
)
def test_word_counts(name, split):
    assert word_counts(PROGRAMS[name]["corpus"], split) == PROGRAMS[name]["word_counts"]


def test_course_bpe():
    """The course program with its first merge applied once.

    As published, one cell merges ("Ġ", "t") by hand without keeping the result, so the loop learns
    that pair a second time: 20 merges, 19 of them distinct, and 50 vocabulary entries, 49 distinct.
    """
    golden = PROGRAMS["course_bpe"]
    clean = golden["clean_variant"]
    run = oracles.bpe_oracle(in_characters(golden), n_merges=20)
    assert rows(run.steps[0].table) == golden["initial_pair_counts"]
    assert_steps(run.steps, clean["steps"])
    assert [step.pair for step in run.steps] == pairs(clean["merges"])
    assert run.segmentations == [tokens for _, tokens in clean["final_splits"]]

    assert golden["steps"][0]["pair"] == golden["steps"][1]["pair"] == ["Ġ", "t"]
    assert_steps(run.steps[:19], golden["steps"][1:])
    assert run.steps[19].segmentations == [tokens for _, tokens in golden["final_splits"]]
    tokens = [step.token for step in run.steps[:19]]
    vocab = golden["initial_alphabet_sorted"] + ["Ġt"] + tokens
    assert sorted(vocab) == golden["final_vocab_sorted"]
    assert (len(vocab), len(set(vocab))) == (50, 49)


def test_course_bpe_endoftext():
    golden = PROGRAMS["course_bpe_endoftext"]
    run = oracles.bpe_oracle(in_characters(golden), n_merges=19)
    assert rows(run.steps[0].table)[:6] == golden["first_pair_freqs_printed"]
    assert_steps(run.steps, golden["steps"])
    assert [[list(step.pair), step.token] for step in run.steps] == golden["merges"]
    assert sum(step.tied > 1 for step in run.steps) == 15
    tokens = [step.token for step in run.steps]
    vocab = ["<|endoftext|>"] + golden["initial_alphabet_sorted"] + tokens
    assert vocab == golden["final_vocab_in_order"]
    assert run.segmentations == [tokens for _, tokens in golden["final_splits"]]
    whole = oracles.bpe_oracle(in_characters(golden))
    assert len(whole.steps) == EDGES["course_bpe_endoftext, merges until no pair is left"]
    assert whole.table == {}
    assert all(len(tokens) == 1 for tokens in whole.segmentations)


@pytest.mark.parametrize(
    ("name", "merges", "encodings"),
    [
        ("course_bpe", "merges", "encodings"),
        ("course_bpe", "clean", "encodings_clean_variant"),
        ("course_bpe_endoftext", "merges", "encodings"),
    ],
)
def test_course_bpe_encodings(name, merges, encodings):
    golden = PROGRAMS[name]
    learned = golden["clean_variant"]["merges"] if merges == "clean" else golden["merges"]
    if name == "course_bpe_endoftext":
        learned = [pair for pair, _ in learned]
    for text, expected in golden[encodings].items():
        tokens = [
            token
            for word in gpt2_words(text)
            for token in oracles.bpe_encode_oracle(list(word), learned)
        ]
        assert tokens == expected, text


def test_cs336_bytes():
    golden = PROGRAMS["cs336_bytes"]
    run = oracles.bpe_oracle(in_characters(golden), "largest-pair", n_merges=6)
    assert rows(run.steps[0].table) == golden["initial_pair_counts_latin1"]
    assert_steps(run.steps, golden["steps"], "_latin1")
    final = [tokens for tokens, _ in golden["final_splits_latin1"]]
    assert run.segmentations == final
    merges = [step.pair for step in run.steps]
    for text, expected in golden["encodings_latin1"].items():
        symbols = list(text.encode().decode("latin-1"))
        assert oracles.bpe_encode_oracle(symbols, merges) == expected
    whole = oracles.bpe_oracle(in_characters(golden), "largest-pair")
    assert_steps(whole.steps, golden["steps_until_exhausted"], "_latin1")


def test_classic_toy():
    golden = PROGRAMS["classic_toy"]
    words = [(word.split(" "), count) for word, count in golden["words"]]
    run = oracles.bpe_oracle(words)
    assert_steps(run.steps, golden["steps_until_exhausted"])
    assert [" ".join(tokens) for tokens in run.segmentations] == [
        w for w, _ in golden["final_words"]
    ]
    after_10 = run.steps[10].segmentations
    assert [" ".join(tokens) for tokens in after_10] == [w for w, _ in golden["after_10_merges"]]
    ordered = oracles.longest_token_order(
        oracles.symbol_counts(after_10, [count for _, count in words])
    )
    assert ordered == golden["sorted_tokens_after_10"]
    for text, expected in golden["encodings_after_10"].items():
        published = oracles.longest_token_oracle(text, ordered, as_published=True)
        assert published == expected
        corrected = oracles.longest_token_oracle(text, ordered)
        assert [token for token in corrected if token != "</u>"] == expected
        spelled = "".join("?" if token == "</u>" else token for token in corrected)
        assert len(spelled) == len(text)  # here every unknown stretch is one character


@pytest.mark.parametrize("case", PROGRAMS["overlaps"]["cases"], ids=lambda case: case["word"])
def test_overlaps(case):
    symbols = list(case["word"])
    table = oracles.pair_table([symbols], [1])
    assert table == {("a", "a"): case["pair_count_counted"]}
    assert oracles.merge_pair(symbols, ("a", "a"), "aa") == case["merged"]
    assert len(symbols) - len(case["merged"]) == case["actual_merges"]
    pieces = symbols[:1] + ["##a"] * (len(symbols) - 1)
    token = oracles.join_wordpiece("##a", "##a")
    assert oracles.merge_pair(pieces, ("##a", "##a"), token) == case["wordpiece_merge_##a_##a"]


def test_tie_rules_differ():
    """Three pairs of equal count, "ca" met first: every rule but one takes another."""
    words = [(list(word), 2) for word in ("ca", "ab", "bb")]
    ids = {"b": 0, "a": 1, "c": 2}
    first = {
        rule: oracles.bpe_oracle(words, rule, n_merges=1, ids=ids).steps[0].token
        for rule in ("first-seen", "largest-pair", "smallest-ids", "shortest")
    }
    assert first == {
        "first-seen": "ca",
        "largest-pair": "ca",
        "smallest-ids": "bb",
        "shortest": "ab",
    }
    upside_down = {"a": "z", "b": "y", "c": "x"}.get
    step = oracles.bpe_oracle(words, "largest-pair", n_merges=1, key=upside_down).steps[0]
    assert step.token == "ab"
    assert oracles.bpe_oracle(words, min_frequency=3).steps == []
    assert oracles.bpe_oracle([]).steps == []


def test_shortest_prefers_fewer_characters():
    """After a+b, the pairs (ab, c) and (x, y) tie; the shorter merge wins though met later."""
    words = [(list("ab"), 5), (list("abc"), 2), (list("xy"), 2)]
    assert [step.token for step in oracles.bpe_oracle(words, "shortest").steps] == [
        "ab",
        "xy",
        "abc",
    ]
    assert [step.token for step in oracles.bpe_oracle(words).steps] == ["ab", "abc", "xy"]


def test_smallest_ids_reuses_ids():
    """A merge that spells "ab", which already has id 0, keeps it; then (ab, c) goes before (a, d).

    As a new token "ab" would get the next id, 4, and (a, d) would go first.
    """
    words = [(list("ad"), 2), (list("abc"), 2), (list("ab"), 9)]
    known = {"ab": 0, "a": 1, "b": 2, "c": 3, "d": 4}
    run = oracles.bpe_oracle(words, "smallest-ids", ids=known)
    assert [step.token for step in run.steps] == ["ab", "abc", "ad"]
    new = {"a": 0, "b": 1, "c": 2, "d": 3}
    run = oracles.bpe_oracle(words, "smallest-ids", ids=new)
    assert [step.token for step in run.steps] == ["ab", "ad", "abc"]


# ---- the 1,000 merges over a whole book: data only, too slow for the naive loop ----


def test_classic_pg16457_is_consistent():
    golden = PROGRAMS["classic_pg16457"]
    merges = [step["pair"] for step in golden["steps"]]
    assert len(merges) == 1000
    assert sum(step["n_ties"] > 1 for step in golden["steps"]) == golden["n_steps_with_ties"]
    for step in golden["steps"]:
        ties = step.get("ties", [step["pair"]])
        assert step["pair"] == ties[0]
        assert len(ties) == step["n_ties"]
        assert step["token"] == "".join(step["pair"])
    for word, expected in golden["known_tokenization_1000"].items():
        symbols = [*word.removesuffix("</w>"), "</w>"]
        assert oracles.bpe_encode_oracle(symbols, merges) == expected
    counts = dict(golden["final_token_counts_1000"])
    ordered = oracles.longest_token_order(counts)
    for text, expected in golden["encodings_1000"].items():
        assert oracles.longest_token_oracle(text, ordered, as_published=True) == expected


def test_classic_pg16457_encode_100():
    """The article's segmentation of words it has not seen, with 100 merges.

    Its code drops what no token covers ("日本") and searches for "[.]" where a token has ".", which
    is escaped afterwards: "." in the text vanishes, and only the literal text "[.]" matches (then
    skipping the length of the token, not of the match). The corrected segmentation loses nothing.
    Words of the corpus get their training segmentation, which the corrected result equals here.
    """
    golden = PROGRAMS["classic_pg16457_encode_100"]
    counts = dict(golden["token_counts_in_order"])
    ordered = oracles.longest_token_order(counts)
    assert ordered == golden["sorted_tokens"]
    assert len(ordered) == golden["n_tokens"]
    merges = [step["pair"] for step in PROGRAMS["classic_pg16457"]["steps"][:100]]
    for text, expected in golden["encodings"].items():
        published = oracles.longest_token_oracle(text, ordered, as_published=True)
        assert published == expected["as_unknown"], text
        corrected = oracles.longest_token_oracle(text, ordered)
        if "</u>" not in corrected:
            assert "".join(corrected) == text
        without_dots = [token for token in ordered if "." not in token]
        blind = oracles.longest_token_oracle(text, without_dots)
        assert [token for token in blind if token != "</u>"] == published
        if expected["known"]:
            symbols = [*text.removesuffix("</w>"), "</w>"]
            assert oracles.bpe_encode_oracle(symbols, merges) == expected["known"]
            assert corrected == expected["known"]
    assert oracles.longest_token_oracle("moon.</w>", ordered) == ["m", "o", "on", ".</w>"]
    assert oracles.longest_token_oracle("日本</w>", ordered) == ["</u>", "</w>"]
    assert oracles.longest_token_oracle("a日b本c", ["a", "b"]) == ["a", "</u>", "b", "</u>"]
    examples = golden["quirk_examples"]
    assert examples["dot_in_text"] == golden["encodings"]["moon.</w>"]["as_unknown"]
    bracketed = oracles.longest_token_oracle("moon[.]</w>", ordered, as_published=True)
    assert bracketed == examples["literal_bracket_dot"]


# ---- WordPiece ----


def assert_wordpiece_steps(steps, golden):
    for step, expected in zip(steps, golden, strict=True):
        assert step.pair == tuple(expected["pair"])
        row = (expected["pair_freq"], expected["freq_first"], expected["freq_second"])
        assert step.table[step.pair] == (*row, Fraction(expected["exact_fraction"]))
        assert step.count == expected["pair_freq"]
        assert step.score == Fraction(expected["exact_fraction"])
        assert float(step.score) == expected["score"]
        assert step.tied == expected["n_ties"]
        assert ties_of(step) == pairs(expected["ties_in_encounter_order"])


def assert_initial_scores(table, golden):
    found = [
        [list(pair), float(score), count, left, right]
        for pair, (count, left, right, score) in table.items()
    ]
    assert found == golden["initial_scores"]


def assert_wordpiece_encodings(golden, vocab):
    for text, expected in golden["encodings"].items():
        words = [text[5:]] if text.startswith("word:") else bert_words(text)
        tokens = [t for word in words for t in oracles.wordpiece_encode_oracle(word, vocab)]
        assert tokens == expected, text


def test_course_wordpiece_50():
    """The first token is "ab", but the published program puts "a##b" into its vocabulary.

    It spells that one merge by plain concatenation, so "a##b" takes a place among the 50 and can
    never be matched, while "ab", which the words contain, is missing: "about" becomes a ##b ##o...
    """
    golden = PROGRAMS["course_wordpiece_50"]
    run = oracles.wordpiece_oracle(in_wordpieces(golden), n_merges=10)
    assert_initial_scores(run.steps[0].table, golden)
    words = in_wordpieces(golden)
    counts = oracles.symbol_counts([s for s, _ in words], [count for _, count in words])
    assert [[symbol, count] for symbol, count in counts.items()] == golden["initial_symbol_counts"]
    assert_wordpiece_steps(run.steps, golden["steps"])
    tokens = [step.token for step in run.steps]
    assert tokens[0] == "ab"
    assert ["a##b", *tokens[1:]] == golden["learned_tokens_in_order"]
    assert [step["token"] for step in golden["steps"]] == golden["learned_tokens_in_order"]
    assert run.segmentations == [tokens for _, tokens in golden["final_splits"]]
    published = golden["initial_alphabet_sorted"] + golden["learned_tokens_in_order"]
    assert sorted(published) == golden["final_vocab_sorted"]
    assert_wordpiece_encodings(golden, published)
    corrected = golden["initial_alphabet_sorted"] + tokens
    assert oracles.wordpiece_encode_oracle("able", corrected) == ["ab", "##l", "##e"]


def test_course_wordpiece_70():
    golden = PROGRAMS["course_wordpiece_70"]
    run = oracles.wordpiece_oracle(in_wordpieces(golden), n_merges=26)
    assert_initial_scores(run.steps[0].table, golden)
    assert_wordpiece_steps(run.steps, golden["steps"])
    assert [step.token for step in run.steps] == [step["token"] for step in golden["steps"]]
    assert run.segmentations == [tokens for _, tokens in golden["final_splits"]]
    special = golden["params"]["special_tokens"]
    vocab = special + golden["initial_alphabet_sorted"] + [step.token for step in run.steps]
    assert vocab == golden["final_vocab_in_order"]
    assert_wordpiece_encodings(golden, vocab)
    whole = oracles.wordpiece_oracle(in_wordpieces(golden))
    assert len(whole.steps) == EDGES["course_wordpiece_70, merges until no pair is left"]
    assert len({step.token for step in whole.steps}) == len(whole.steps)


def test_course_wordpiece_hug_misprint():
    """The course scores ("hu", "##g") as 1/15; it is 10/225, so ("hu", "##gs") comes first."""
    golden = {"word_counts": PROGRAMS["hug_unigram"]["words"]}
    run = oracles.wordpiece_oracle(in_wordpieces(golden), n_merges=3)
    assert [step.token for step in run.steps] == ["##gs", "hu", "hugs"]
    assert run.steps[2].table["hu", "##g"] == (10, 15, 15, Fraction(2, 45))
    assert run.steps[2].table["hu", "##gs"][3] == Fraction(1, 15)


def test_wordpiece_encoding_limits():
    vocab = {"a", "##a"}
    assert oracles.wordpiece_encode_oracle("a" * 100, vocab) == ["a"] + ["##a"] * 99
    assert oracles.wordpiece_encode_oracle("a" * 101, vocab) == ["[UNK]"]
    assert oracles.wordpiece_encode_oracle("", vocab) == []


# ---- Unigram ----


@cache
def course_unigram(start_score, trim_last=False, target=100):
    words = [tuple(item) for item in PROGRAMS["course_unigram"]["word_counts"]]
    return oracles.unigram_oracle(
        words, target=target, start_score=start_score, trim_last=trim_last
    )


@pytest.mark.parametrize("name", UNIGRAMS)
def test_course_unigram(name):
    """Every published round; the losses count 1 too much per word, as Viterbi starts at 1."""
    golden = PROGRAMS[name]
    rounds = course_unigram(start_score=1)
    first, last = rounds[0], rounds[-1]
    initial = [[token, first.counts[token], score] for token, score in first.model.items()]
    assert initial == golden["initial_tokens"]
    assert [[token, delta] for token, delta in first.deltas.items()] == golden["deltas0"]
    assert first.loss == golden["loss0"] == 413.10377642940875
    assert [len(state.model) for state in rounds] == PUBLISHED_SIZES
    for state, expected in zip(rounds, golden["rounds"], strict=False):
        assert len(state.model) == expected["n_before"]
        assert state.total == expected["total_count"]
        assert state.loss == expected["loss"]
        assert [[token, state.deltas[token]] for token in state.removed] == expected["removed"]
        assert state.tied == expected["n_within_1e9_of_cut"]
        assert list(state.deltas.values()).count(0.0) == expected["n_exact_zero"]
        assert min(state.deltas.values()) >= 0
        kept = [delta for token, delta in state.deltas.items() if token not in state.removed]
        assert min(kept) == expected["first_kept_delta"] == state.deltas[state.removed[-1]]
    assert len(golden["rounds"]) == len(rounds) - 1
    assert last.removed == []
    assert last.tied == 0
    final = [[token, last.counts[token], score] for token, score in last.model.items()]
    assert final == golden["final_model"]
    assert last.loss == golden["final_loss"]
    for tokens, (word, expected, score) in zip(
        last.segmentations, golden["final_segmentations"], strict=True
    ):
        assert tokens == expected
        assert oracles.viterbi_oracle(word, last.model, 1) == (expected, score)
    for word, (expected, score) in golden["encodings_initial"].items():
        assert oracles.viterbi_oracle(word, first.model, 1) == (expected, score)
    for text, expected in golden["encodings"].items():
        words = metaspace_words(text)
        tokens = [token for w in words for token in oracles.viterbi_oracle(w, last.model, 1)[0]]
        assert tokens == expected, text


def test_course_unigram_without_the_start_score():
    """Started at 0 the run is the same; losses and deltas differ from 1 only as rounding does."""
    for zero, one in zip(course_unigram(0), course_unigram(1), strict=True):
        assert (zero.model, zero.removed, zero.tied) == (one.model, one.removed, one.tied)
        assert zero.segmentations == one.segmentations
        assert zero.loss == pytest.approx(one.loss - 31, abs=1e-9)
        assert zero.deltas == pytest.approx(one.deltas, abs=1e-9)
        for token, delta in zero.deltas.items():
            assert (delta == 0) == (one.deltas[token] == 0)
    assert course_unigram(0)[0].loss == 382.10377642940875


def test_course_unigram_trimmed_to_the_target():
    trimmed, published = course_unigram(0, trim_last=True), course_unigram(0)
    assert [len(state.model) for state in trimmed] == [*PUBLISHED_SIZES[:-1], 100]
    assert trimmed[:10] == published[:10]
    assert trimmed[10].removed == published[10].removed[:8]


def test_course_unigram_small_targets():
    """The published loop ends at these sizes, and fails or never ends where ours stops."""
    for target, size in EDGES["course_unigram, final size by target (30 characters)"].items():
        assert len(course_unigram(1, target=int(target))[-1].model) == size
    last = course_unigram(0, target=10)[-1]
    assert len(last.model) == 30
    assert last.deltas == {}
    one_by_one = oracles.unigram_oracle([("abab", 2)], seed_size=5, target=3, fraction=0.01)
    assert [len(state.model) for state in one_by_one] == [5, 4, 3]
    assert list(oracles.unigram_seeds([("abab", 2)], seed_size=1)) == ["a", "b"]
    assert oracles.unigram_oracle([])[0].loss == 0


def test_hug_unigram():
    """The course's worked example. It prints P(p) = 5/210; "p" occurs 17 times."""
    golden = PROGRAMS["hug_unigram"]
    words = [tuple(item) for item in golden["words"]]
    first = oracles.unigram_oracle(words, whole_words=False, target=300)[0]
    assert first.counts == dict(golden["vocab_strict_substrings"])
    assert first.total == golden["total"] == 210
    assert first.loss == golden["loss"] == pytest.approx(169.80, abs=0.005)
    assert first.deltas == golden["deltas"]
    assert first.deltas["hug"] == pytest.approx(23.51, abs=0.005)
    assert first.deltas["pu"] == 0
    start_1 = oracles.unigram_oracle(words, whole_words=False, target=300, start_score=1)[0]
    assert start_1.loss == golden["loss_with_start_1"]
    for (word, _), tokens in zip(words, first.segmentations, strict=True):
        assert tokens == golden["segmentations"][word]["best"]
        score = oracles.viterbi_oracle(word, first.model)[1]
        assert math.exp(-score) == pytest.approx(golden["segmentations"][word]["prob"])

    def probability(tokens):
        return math.prod(Fraction(first.counts[token], first.total) for token in tokens)

    assert probability(["p", "ug"]) == probability(["pu", "g"])
    assert float(probability(["p", "u", "g"])) == pytest.approx(0.001322, abs=5e-7)
    assert oracles.viterbi_oracle("hat", first.model) == (["<unk>"], None)
    with_whole_words = oracles.unigram_seeds(words, 300)
    assert set(with_whole_words) - set(first.counts) == {"pug", "pun", "bun", "hugs"}
