"""The published programs, step by step: their numbers are ours, except where they are wrong.

`tests/data/goldens.json` holds recorded runs; each docstring tells where a program has a quirk.
"""

import hashlib
from fractions import Fraction
from math import exp

import pytest
from helpers import GOLDENS, PROGRAMS, book_bytes

import tokviz

EDGES = GOLDENS["edge_behaviour"]


def train(name, algorithm, vocab_size, pretokenizer, **settings):
    """Trains on a program's corpus, and checks that it counts the same words."""
    golden = PROGRAMS[name]
    history = tokviz.train(golden["corpus"], algorithm, vocab_size, pretokenizer, **settings)
    counted = [
        ["".join(history.segmentation(word, 0)).replace("##", ""), count]
        for word, count in zip(history.words.words, history.words.counts, strict=True)
    ]
    if algorithm != "unigram":
        assert counted == golden["word_counts"]
    return golden, history


def assert_steps(steps, golden, suffix=""):
    """Every recorded field of every step; the first one of some programs records no ties."""
    for step, expected in zip(steps, golden, strict=True):
        assert [step.left, step.right] == expected["pair" + suffix]
        assert step.token == expected["token" + suffix]
        assert step.count == expected.get("freq", expected.get("pair_freq"))
        assert step.tied == expected.get("n_ties", step.tied)


def assert_tables(history, golden, suffix=""):
    """The tied pairs in the order in which they are met, and the number of all pairs."""
    for t, expected in enumerate(golden):
        rows = history.candidates(t)
        assert len(rows) == expected.get("n_pairs", len(rows))
        ties = expected.get("ties_in_encounter_order", expected.get("ties" + suffix))
        if ties is not None and len(ties) > 1:
            found = rows[rows.tied]
            assert sorted(map(list, zip(found.left, found.right, strict=True))) == sorted(ties)
            if history.rule == "first-seen":
                assert list(map(list, zip(found.left, found.right, strict=True))) == ties


def segmentations(history, t=None):
    t = len(history) if t is None else t
    return [history.segmentation(word, t) for word in history.words.words]


def assert_encodings(history, golden, skip=()):
    tokenizer = history.tokenizer()
    for text, expected in golden.items():
        if text not in skip:
            assert tokenizer.encode(text.removeprefix("word:")).tokens == expected, text


# ---- BPE ----


def test_course_bpe():
    """The course program with its first merge applied once.

    As published, a cell merges ("Ġ", "t") by hand without keeping the result, so the loop learns
    that pair a second time: 20 merges of which 19 are distinct, 50 entries of which 49 are.
    """
    golden, history = train("course_bpe", "bpe", 50, "gpt2", unit="byte")
    clean = golden["clean_variant"]
    assert_steps(history.steps, clean["steps"])
    assert_tables(history, clean["steps"])
    first = history.candidates(0)
    rows = zip(first.left, first.right, first["count"], strict=True)
    counts = [[[left, right], count] for left, right, count in rows]
    assert sorted(counts) == sorted(golden["initial_pair_counts"])
    assert history.vocab(0) == golden["initial_alphabet_sorted"]
    assert sorted(history.vocab(20)) == clean["final_vocab_sorted"]
    assert segmentations(history) == [tokens for _, tokens in clean["final_splits"]]
    assert segmentations(history, 19) == [tokens for _, tokens in golden["final_splits"]]
    # The last of the 20 distinct merges is "tokeniz"; published, its place went to the double.
    assert_encodings(history, golden["encodings_clean_variant"], skip=("naïve café", "Ġt"))


def test_course_bpe_encodes_unknown_bytes_as_themselves():
    """The notebook shows every byte in the byte-level alphabet; so do we, with no id."""
    golden, history = train("course_bpe", "bpe", 50, "gpt2", unit="byte")
    for text in ("naïve café", "Ġt"):
        encoding = history.tokenizer().encode(text)
        assert encoding.tokens == golden["encodings"][text]
        assert {
            token for token, i in zip(encoding.tokens, encoding.ids, strict=True) if i is None
        } == ({"Ã", "¯", "©"} if text == "naïve café" else {"Ä", "ł"})


def test_course_bpe_endoftext():
    """<|endoftext|> takes one of the 50 places, which leaves 19 merges; 15 of them are ties."""
    special = ("<|endoftext|>",)
    golden, history = train(
        "course_bpe_endoftext", "bpe", 50, "gpt2", unit="byte", special_tokens=special
    )
    assert len(history) == 19
    assert_steps(history.steps, golden["steps"])
    assert_tables(history, golden["steps"])
    assert history.vocab(19) == golden["final_vocab_in_order"]
    assert sum(step.tied > 1 for step in history.steps) == 15
    assert segmentations(history) == [tokens for _, tokens in golden["final_splits"]]
    assert_encodings(history, golden["encodings"])
    tokens = history.tokenizer().encode("This is not a token.").tokens
    assert " ".join(tokens) == "This Ġis Ġ n o t Ġa Ġtoken ."
    whole = tokviz.train(golden["corpus"], vocab_size=900, unit="byte", special_tokens=special)
    assert len(whole) == EDGES["course_bpe_endoftext, merges until no pair is left"]


def test_cs336_bytes():
    """Ties go to the greatest pair of bytes. The published program fails beyond the last pair."""
    settings = {"unit": "byte", "tie_break": "largest-pair"}
    golden, history = train("cs336_bytes", "bpe", 16, "whitespace", **settings)
    assert_steps(history.steps, golden["steps"], "_latin1")
    assert_tables(history, golden["steps"], "_latin1")
    assert segmentations(history) == [tokens for tokens, _ in golden["final_splits_latin1"]]
    assert_encodings(history, golden["encodings_latin1"])
    whole = tokviz.train(golden["corpus"], "bpe", 900, "whitespace", **settings)
    assert_steps(whole.steps, golden["steps_until_exhausted"], "_latin1")


def article(text, merges, **settings):
    """BPE as the 2024 article has it: a suffix of its own, ties first seen."""
    alphabet = tokviz.train(text, "bpe", 10_000, "whitespace", end_of_word_suffix="</w>")
    size = alphabet.vocab_size(0) + merges
    return tokviz.train(text, "bpe", size, "whitespace", end_of_word_suffix="</w>", **settings)


def test_classic_toy():
    golden = PROGRAMS["classic_toy"]
    words = {word.removesuffix(" </w>").replace(" ", ""): n for word, n in golden["words"]}
    history = tokviz.train(words, vocab_size=900, end_of_word_suffix="</w>")
    assert_steps(history.steps, golden["steps_until_exhausted"])
    assert_tables(history, golden["steps_until_exhausted"])
    assert [" ".join(s) for s in segmentations(history)] == [w for w, _ in golden["final_words"]]
    assert [" ".join(s) for s in segmentations(history, 10)] == [
        word for word, _ in golden["after_10_merges"]
    ]
    assert (history.token_counts(10) > 0).sum() == golden["n_tokens_after_10"]
    longest = history.tokenizer(10, "longest-token")
    shown = [longest.spelling.show(symbol) for symbol, _ in longest.encoder.tokens]
    assert shown == golden["sorted_tokens_after_10"]
    for text, expected in golden["encodings_after_10"].items():
        assert_longest(longest, text, expected)


def assert_longest(tokenizer, text, published):
    """The published `tokenize_word` drops what no token covers, and never finds a token with a
    dot, so such texts lose characters. Corrected, the tokens joined are the text again."""
    if not text.endswith("</w>") or text == "</w>":
        return
    word = text.removesuffix("</w>")
    encoding = tokenizer.encode(word)
    if "." not in text:
        assert [token for token in encoding.tokens if token != "</u>"] == published, text
    spelled = "".join(
        word[start:end] if token == "</u>" else token.removesuffix("</w>")
        for token, (start, end) in zip(encoding.tokens, encoding.offsets, strict=True)
    )
    assert spelled == word


@pytest.mark.parametrize("case", PROGRAMS["overlaps"]["cases"], ids=lambda case: case["word"])
def test_overlaps(case):
    """Overlapping pairs are all counted, and merged from the left: "aaa" counts 2, joins 1."""
    word = case["word"]
    step = tokviz.train({word: 1}, vocab_size=2).steps[0]
    assert step.count == case["pair_count_counted"]
    assert step.times == case["actual_merges"]
    history = tokviz.train({word: 1}, vocab_size=2)
    assert history.segmentation(word, 1) == case["merged"]


@pytest.fixture(scope="module")
def book():
    data = book_bytes()
    assert hashlib.sha256(data).hexdigest() == PROGRAMS["classic_pg16457"]["corpus_sha256"]
    return article(data.decode("utf-8"), 1000)


def test_book_1000_merges(book):
    """*All Around the Moon*: 1,000 merges, 597 of them ties."""
    golden = PROGRAMS["classic_pg16457"]
    assert len(book.words) == golden["n_distinct_words"]
    assert book.words.total == golden["n_word_tokens"]
    assert book.vocab_size(0) == golden["n_initial_tokens"]
    counts = dict(zip(book.vocab(0), book.token_counts(0).tolist(), strict=True))
    assert counts == dict(golden["initial_token_counts"])
    assert_steps(book.steps, golden["steps"])
    assert_tables(book, golden["steps"][:90])
    assert (book.steps[0].token, book.steps[0].count) == ("e</w>", 17758)
    assert sum(step.tied > 1 for step in book.steps) == golden["n_steps_with_ties"]
    for t, in_use in golden["n_tokens_after"]:
        assert (book.token_counts(t) > 0).sum() == in_use
    last = dict(zip(book.vocab(1000), book.token_counts(1000).tolist(), strict=True))
    assert {token: n for token, n in last.items() if n} == dict(golden["final_token_counts_1000"])
    for text, expected in golden["known_tokenization_1000"].items():
        assert book.segmentation(text.removesuffix("</w>"), 1000) == expected


def test_book_encodings(book):
    """With 1,000 merges and with 100: the article's greedy longest-token encoding, corrected."""
    for text, expected in PROGRAMS["classic_pg16457"]["encodings_1000"].items():
        assert_longest(book.tokenizer(1000, "longest-token"), text, expected)
    golden = PROGRAMS["classic_pg16457_encode_100"]
    longest = book.tokenizer(100, "longest-token")
    shown = [longest.spelling.show(symbol) for symbol, _ in longest.encoder.tokens]
    assert sorted(shown) == sorted(golden["sorted_tokens"])
    counts = dict(zip(book.vocab(100), book.token_counts(100).tolist(), strict=True))
    rank = [(-len(t.replace("</w>", "_")), -counts[t]) for t in shown]
    assert rank == sorted(rank)
    for text, expected in golden["encodings"].items():
        assert_longest(longest, text, expected["as_unknown"])
        if expected["known"]:
            assert longest.encode(text.removesuffix("</w>")).tokens == expected["known"]
    assert longest.encode("moon.").tokens == ["m", "o", "on", ".</w>"]
    assert longest.encode("日本").tokens == ["</u>", "</w>"]


# ---- WordPiece ----


def assert_wordpiece(history, golden):
    assert_steps(history.steps, golden["steps"])
    assert_tables(history, golden["steps"])
    for t, expected in enumerate(golden["steps"]):
        best = history.candidates(t, 1).iloc[0]
        fraction = Fraction(int(best["count"]), int(best.left_count) * int(best.right_count))
        assert fraction == Fraction(expected["exact_fraction"])
        assert (best.left_count, best.right_count) == (
            expected["freq_first"],
            expected["freq_second"],
        )
        assert history.steps[t].score == pytest.approx(expected["score"], rel=1e-15)
    first = history.candidates(0)
    found = {
        (row.left, row.right): [row.score, row.count_, row.left_count, row.right_count]
        for row in first.rename(columns={"count": "count_"}).itertuples()
    }
    for pair, *numbers in golden["initial_scores"]:
        assert found[tuple(pair)] == pytest.approx(numbers, rel=1e-15)


def test_course_wordpiece_50():
    """The published program spells its first merge "a##b", by plain concatenation. That string
    takes a place among the 50 and is never matched, while "ab", which the words hold, is missing:
    "about" is encoded as a ##b ##o ##u ##t there, and begins with ab here.
    """
    golden = dict(PROGRAMS["course_wordpiece_50"])
    assert golden["steps"][0]["token"] == "a##b"
    golden["steps"] = [{**golden["steps"][0], "token": "ab"}, *golden["steps"][1:]]
    _, history = train("course_wordpiece_50", "wordpiece", 50, "bert")
    assert_wordpiece(history, golden)
    assert history.vocab(10) == [
        *golden["initial_alphabet_sorted"],
        "ab",
        *golden["learned_tokens_in_order"][1:],
    ]
    assert segmentations(history) == [tokens for _, tokens in golden["final_splits"]]
    assert_encodings(history, golden["encodings"], skip=("about able",))
    assert history.tokenizer().encode("about able").tokens == [
        *("ab", "##o", "##u", "##t"),
        *("ab", "##l", "##e"),
    ]


def test_course_wordpiece_70():
    """With five special tokens, and "course" in lower case, so that there is no C."""
    special = tuple(PROGRAMS["course_wordpiece_70"]["params"]["special_tokens"])
    golden, history = train("course_wordpiece_70", "wordpiece", 70, "bert", special_tokens=special)
    assert_wordpiece(history, golden)
    assert history.vocab(len(history)) == golden["final_vocab_in_order"]
    assert segmentations(history) == [tokens for _, tokens in golden["final_splits"]]
    assert_encodings(history, golden["encodings"])
    encode = history.tokenizer().encode
    assert encode("Hugging").tokens == ["Hugg", "##i", "##n", "##g"]
    assert (encode("HOgging").tokens, encode("HOgging").ids) == (["[UNK]"], [1])
    whole = tokviz.train(golden["corpus"], "wordpiece", 900)
    assert len(whole) == EDGES["course_wordpiece_70, merges until no pair is left"]


def test_course_wordpiece_hug_misprint():
    """The course scores (hu, ##g) as 1/15. It is 10/225 = 2/45, so (hu, ##gs) comes first."""
    history = tokviz.train(dict(PROGRAMS["hug_unigram"]["words"]), "wordpiece", vocab_size=10)
    assert [step.token for step in history.steps] == ["##gs", "hu", "hugs"]
    rows = history.candidates(2).set_index("token")
    assert (rows.score["hug"], rows.score["hugs"]) == (10 / 225, 1 / 15)


# ---- Unigram ----


@pytest.mark.parametrize("name", ["course_unigram", "course_unigram_mathlog"])
@pytest.mark.parametrize("trim", [False, True])
def test_course_unigram(name, trim):
    """300 tokens down to 98, or trimmed to 100, which the published loop overshoots.

    The published losses start each word at 1 and so are 31 too high: 413.10 instead of 382.10.
    Deltas do not suffer. Every cut falls among tokens whose delta is exactly 0.
    """
    golden, history = train(
        name, "unigram", 100, "metaspace", trim_last=trim, unknown="word", seed_size=300
    )
    assert [
        [("▁" + word[1:]), count]
        for word, count in zip(history.words.words, history.words.counts, strict=True)
    ] == golden["word_counts"]
    assert [history.vocab(0), history.record.counts.tolist()] == [
        [token for token, _, _ in golden["initial_tokens"]],
        [count for _, count, _ in golden["initial_tokens"]],
    ]
    scores = [score for _, _, score in golden["initial_tokens"]]
    assert (-history.log_probs(0)).tolist() == scores
    deltas = dict(zip(history.vocab(0), history.loss_deltas(0).tolist(), strict=True))
    assert [[token, deltas[token]] for token, _ in golden["deltas0"]] == golden["deltas0"]
    assert (deltas["ll"], deltas["his"]) == (6.376412403623874, 0.0)
    assert history.published_loss(0) == golden["loss0"] == 413.10377642940875
    assert history.curve().loss[0] == pytest.approx(382.10377642940875, abs=1e-9)

    sizes = [300, 270, 243, 219, 198, 179, 162, 146, 132, 119, 108, 98]
    assert history.curve().vocab_size.tolist() == [*sizes[:-1], 100 if trim else 98]
    for t, expected in enumerate(golden["rounds"]):
        step = history.steps[t]
        removed = expected["removed"]
        if trim and t == len(golden["rounds"]) - 1:
            removed = removed[: expected["n_before"] - 100]
        assert list(step.removed) == [token for token, _ in removed]
        assert history.published_loss(t) == expected["loss"]
        found = dict(zip(history.vocab(t), history.loss_deltas(t).tolist(), strict=True))
        assert [found[token] for token, _ in removed] == [delta for _, delta in removed]
        assert step.tied == expected["n_within_1e9_of_cut"] > step.tied_removed
        assert step.size_before == expected["n_before"]
    if trim:
        return
    assert history.published_loss(11) == golden["final_loss"]
    final = [[token, score] for token, _, score in golden["final_model"]]
    assert [
        list(row) for row in zip(history.vocab(11), (-history.log_probs(11)).tolist(), strict=True)
    ] == final
    assert segmentations(history) == [tokens for _, tokens, _ in golden["final_segmentations"]]
    assert_encodings(history, golden["encodings"])
    for word, (tokens, _) in golden["encodings_initial"].items():
        if word.startswith("▁"):
            assert history.tokenizer(0).encode(word[1:]).tokens == tokens


def test_unigram_gives_only_the_unknown_character_up_by_default():
    """The notebooks turn the whole word into <unk>; SentencePiece, and we, only the character."""
    history = tokviz.train(PROGRAMS["course_unigram"]["corpus"], "unigram", 100)
    tokens = history.tokenizer().encode("the Hugging Face course!").tokens
    assert tokens == ["▁the", "▁Hugging", "▁Face", "▁", "c", "ou", "r", "s", "e", "<unk>"]


def test_unigram_small_targets():
    """Sizes at which the published loop ends; ours stops where that fails or never ends."""
    corpus = PROGRAMS["course_unigram"]["corpus"]
    for target, size in EDGES["course_unigram, final size by target (30 characters)"].items():
        history = tokviz.train(corpus, "unigram", int(target), trim_last=False)
        assert history.vocab_size(len(history)) == size
    assert tokviz.train(corpus, "unigram", 30).vocab_size(0) == 300
    assert (
        tokviz.train(corpus, "unigram", 40, prune_fraction=0.001).curve().vocab_size.iloc[-1] == 40
    )
    assert tokviz.train(corpus, "unigram", 30, seed_size=20).vocab_size(0) == 30


def test_hug_unigram():
    """The course's worked example, by strict substrings. It prints P(p) = 5/210; it is 17/210."""
    golden = PROGRAMS["hug_unigram"]
    words = dict(golden["words"])
    history = tokviz.train(words, "unigram", 13, "whitespace", whole_words=False)
    counts = dict(zip(history.record.tokens, history.record.counts.tolist(), strict=True))
    assert counts == dict(golden["vocab_strict_substrings"])
    assert counts["p"] == 17
    assert history.curve().loss[0] == pytest.approx(169.80, abs=0.005)
    assert history.published_loss(0) == golden["loss_with_start_1"]
    deltas = dict(zip(history.record.tokens, history.loss_deltas(0).tolist(), strict=True))
    assert {t: d for t, d in deltas.items() if d == d} == pytest.approx(golden["deltas"])
    assert deltas["hug"] == pytest.approx(23.51, abs=0.005)
    for word, expected in golden["segmentations"].items():
        assert history.segmentation(word, 0) == expected["best"]
    log_prob = dict(zip(history.record.tokens, history.log_probs(0).tolist(), strict=True))
    assert exp(log_prob["p"] + log_prob["u"] + log_prob["g"]) == pytest.approx(0.001322, abs=5e-7)
    (first, a), (second, b) = history.tokenizer(0).encoder.n_best("pug", 2)
    assert {tuple(p.token for p in path) for path in (first, second)} == {("p", "ug"), ("pu", "g")}
    assert exp(a) == pytest.approx(0.00771, abs=5e-6)
    assert a == pytest.approx(b, abs=1e-12)
