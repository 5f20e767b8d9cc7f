"""The lattice of a word, compared with all its segmentations written out."""

import random
from collections import Counter
from itertools import combinations, pairwise
from math import exp, fsum, inf, log

import pytest
from effort import LONG, some
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.encoding.word_lattice import LatticeEdge, WordLattice, draw_one

HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
PIECES = st.dictionaries(
    st.text("ab", min_size=1, max_size=4), st.floats(-9, -0.01), max_size=10
).map(lambda more: {"a": -2.5, "b": -3.0, **more})
ALPHAS = st.sampled_from([0.0, 0.3, 1.0, 2.5])


def lattice_of(word, log_prob):
    return WordLattice(
        word,
        tuple(
            LatticeEdge(start, end, word[start:end], None, log_prob[word[start:end]])
            for end in range(1, len(word) + 1)
            for start in range(end)
            if word[start:end] in log_prob
        ),
    )


def every_segmentation(lattice):
    """All segmentations as tuples of edge numbers, with their log-probabilities."""
    number = {(edge.start, edge.end): i for i, edge in enumerate(lattice.edges)}
    n, found = len(lattice.word), {}
    for k in range(max(1, n)):
        for cuts in combinations(range(1, n), k):
            bounds = [0, *cuts, n] if n else [0]
            path = [number.get(piece) for piece in pairwise(bounds)]
            if None not in path:
                found[tuple(path)] = fsum(lattice.edges[i].log_prob for i in path)
    return found


@given(st.text("abc", max_size=9), PIECES, ALPHAS)
def test_sums_over_all_paths_are_those_of_all_segmentations(word, log_prob, alpha):
    """ "c" is no piece: words that hold it have no segmentation."""
    lattice = lattice_of(word, log_prob)
    found = every_segmentation(lattice)
    assert lattice.segmentations == len(found)
    if not found:
        assert lattice.best() is None
        assert lattice.n_best(3) == []
        assert lattice.log_total(alpha) == -inf
        assert lattice.entropy(alpha) == 0
        assert lattice.posteriors(alpha) == [0.0] * len(lattice.edges)
        with pytest.raises(ValueError, match="has no segmentation"):
            lattice.sample()
        return
    weights = {path: exp(alpha * p) for path, p in found.items()}
    total = fsum(weights.values())
    assert lattice.log_total(alpha) == pytest.approx(log(total), abs=1e-9)
    expected = [
        fsum(weight for path, weight in weights.items() if i in path) / total
        for i in range(len(lattice.edges))
    ]
    assert lattice.posteriors(alpha) == pytest.approx(expected, abs=1e-9)
    entropy = -fsum(w / total * log(w / total) for w in weights.values())
    assert lattice.entropy(alpha) == pytest.approx(entropy, abs=1e-9)
    assert lattice.entropy(alpha) >= 0
    if alpha == 0:
        assert lattice.entropy(0) == pytest.approx(log(len(found)), abs=1e-9)


@given(st.text("ab", max_size=8), PIECES, st.integers(1, 200))
def test_n_best_and_best_are_the_most_probable_segmentations(word, log_prob, n):
    lattice = lattice_of(word, log_prob)
    found = every_segmentation(lattice)
    best = lattice.n_best(n)
    assert [s.log_prob for s in best] == pytest.approx(
        sorted(found.values(), reverse=True)[:n], abs=1e-12
    )
    assert len({s.edges for s in best}) == len(best) == min(n, len(found))
    for segmentation in best:
        assert segmentation.log_prob == pytest.approx(found[segmentation.edges], abs=1e-12)
        assert "".join(segmentation.tokens) == word
    assert lattice.best() == best[0]
    on_best = lattice.posteriors(inf)
    assert [i for i, p in enumerate(on_best) if p] == sorted(best[0].edges)
    assert lattice.entropy(inf) == 0
    assert lattice.sample(1, inf) == lattice.sample(1, nbest_size=1) == best[0]


#: Otherwise every second pair of the two, so that each of both is drawn with.
DRAWN = [
    (alpha, nbest_size)
    for i, alpha in enumerate([0.0, 0.5, 1.0, 3.0])
    for j, nbest_size in enumerate([-1, 1, 3, 5, 100])
    if LONG or (i + j) % 2
]


@pytest.mark.parametrize(("alpha", "nbest_size"), DRAWN)
def test_samples_have_their_probabilities(alpha, nbest_size):
    """The frequency of every segmentation lies within five standard deviations of its own, and the
    frequencies of the edges near their posteriors."""
    log_prob = {"a": -1.0, "b": -1.2, "ab": -1.5, "ba": -0.7, "aba": -2.5, "bab": -3.0}
    lattice = lattice_of("ababa", log_prob)
    found = sorted(every_segmentation(lattice).items(), key=lambda item: -item[1])
    weights = {path: exp(alpha * p) for path, p in found[: nbest_size if nbest_size > 0 else None]}
    total, n = sum(weights.values()), some(20_000)
    draw = random.Random(11).random
    counts = Counter(lattice.draw(draw, alpha, nbest_size).edges for _ in range(n))
    assert set(counts) <= set(weights)
    for path, weight in weights.items():
        p = weight / total
        assert abs(counts[path] - n * p) <= 5 * (n * p * (1 - p)) ** 0.5
    if nbest_size == -1:
        uses = Counter(i for path, times in counts.items() for i in path * times)
        shares = [uses[i] / n for i in range(len(lattice.edges))]
        assert shares == pytest.approx(lattice.posteriors(alpha), abs=0.02)


@pytest.mark.parametrize("nbest_size", [1, 2, 3])
def test_draws_are_from_so_many_best(nbest_size):
    """With α = 0 every one of them, and no other; with an infinite α the first."""
    lattice = lattice_of("aba", {"a": -1.0, "b": -1.2, "ab": -1.5, "ba": -0.7, "aba": -2.5})
    best = lattice.n_best(nbest_size)
    drawn = {lattice.draw(lambda i=i: i / 100, 0.0, nbest_size).edges for i in range(100)}
    assert drawn == {s.edges for s in best}
    assert lattice.draw(lambda: 0.99, inf, nbest_size) == best[0]


@pytest.mark.parametrize(
    ("log_probs", "alpha", "chance", "drawn"),
    [
        ([-1.0, -1.0], 1.0, 0.49, 0),
        ([-1.0, -1.0], 1.0, 0.5, 1),
        ([-9000.0, -9000.0], 1.0, 0.6, 1),
        ([log(3), log(1)], 1.0, 0.74, 0),
        ([log(3), log(1)], 1.0, 0.76, 1),
        ([-1.0, -2.0], inf, 0.99, 0),
        ([-1.0, -inf], 0.0, 0.99, 0),
    ],
)
def test_one_of_several_is_drawn_by_its_share(log_probs, alpha, chance, drawn):
    assert draw_one(log_probs, alpha, lambda: chance) == drawn


def test_very_long_words_neither_overflow_nor_vanish():
    """2^(n−1) segmentations whose probabilities are all far below the least float."""
    n = 3_000
    edges = [LatticeEdge(i - k, i, "a" * k, 0, -9.0 * k) for i in range(1, n + 1) for k in (2, 1)]
    lattice = WordLattice("a" * n, tuple(e for e in edges if e.start >= 0))
    posteriors = lattice.posteriors()
    assert lattice.segmentations.bit_length() > 2_000
    assert lattice.log_total() == pytest.approx(log(lattice.segmentations) - 9.0 * n, rel=1e-12)
    assert lattice.entropy() == pytest.approx(log(lattice.segmentations), rel=1e-8)
    covered = fsum(p * (e.end - e.start) for p, e in zip(posteriors, lattice.edges, strict=True))
    assert covered == pytest.approx(n, rel=1e-9)


def test_impossible_options_are_refused_in_a_sentence():
    lattice = lattice_of("ab", {"a": -1.0, "b": -1.0})
    for wrong in (-0.1, float("nan")):
        for ask in (lattice.posteriors, lattice.entropy, lattice.log_total):
            with pytest.raises(ValueError, match="is not possible; give 0 or more"):
                ask(wrong)
    for wrong in (0, -2):
        with pytest.raises(ValueError, match="give -1 for all segmentations"):
            lattice.sample(nbest_size=wrong)


def test_of_a_history():
    """In every state the best path is the training segmentation, and the table says so."""
    history = tokviz.train(HUG, "unigram", 9, "whitespace", whole_words=False)
    assert len(history) > 2
    for t in range(len(history) + 1):
        for word in HUG:
            lattice = history.lattice(word, t)
            assert list(lattice.best().tokens) == history.segmentation(word, t)
            table = lattice.table()
            assert table.token[table.best].tolist() == history.segmentation(word, t)
            vocab = history.vocab(t)
            assert [vocab[i] for i in table.id] == table.token.tolist()
            ends = table[table.end == len(word)]
            assert ends.posterior.sum() == pytest.approx(1)
    assert len(history.lattice("", 0).table()) == 0
    assert history.lattice("", 0).sample().tokens == ()
    assert history.lattice("xé", 0).best().tokens == ("<unk>", "<unk>")
    with pytest.raises(ValueError, match="lattice needs the probabilities of unigram"):
        tokviz.train(HUG, "bpe", 10).lattice("hug")


def test_a_table_has_the_posteriors_of_its_alpha():
    lattice = lattice_of("aba", {"a": -1.0, "b": -1.2, "ab": -1.5, "ba": -0.7})
    for alpha in (0.0, 0.5, 1.0, inf):
        assert lattice.table(alpha).posterior.tolist() == lattice.posteriors(alpha)
    assert lattice.table().posterior.tolist() == lattice.posteriors(1.0) != lattice.posteriors(0.5)


def test_a_whole_word_that_is_unknown_has_no_segmentation():
    history = tokviz.train(HUG, "unigram", 12, unknown="word")
    lattice = history.lattice(" hugé")
    assert lattice.best() is None
    assert not lattice.table().best.any()


def test_a_text_is_sampled_from_its_n_best():
    tokenizer = tokviz.train(HUG, "unigram", 15, "whitespace", whole_words=False).tokenizer()
    best = tokenizer.nbest("hugs pug", 4)
    weights = {tuple(e.tokens): exp(0.5 * log_prob) for e, log_prob in best}
    total, n = sum(weights.values()), 4_000
    counts = Counter(
        tuple(tokenizer.sample("hugs pug", 0.5, seed, nbest_size=4).tokens) for seed in range(n)
    )
    assert set(counts) == set(weights)
    for tokens, weight in weights.items():
        p = weight / total
        assert abs(counts[tokens] - n * p) <= 5 * (n * p * (1 - p)) ** 0.5
    assert tokenizer.sample("hugs pug", nbest_size=1).tokens == tokenizer.encode("hugs pug").tokens
    for alpha, size in ((-1.0, -1), (1.0, 0)):
        with pytest.raises(ValueError, match="is not possible"):
            tokenizer.sample("hug", alpha, nbest_size=size)


@pytest.mark.parametrize("algorithm", ["unigram", "sentencepiece-unigram"])
@pytest.mark.parametrize("word", ["pug", " hugs", "bugs!x", "", " ", "gunpuh"])
def test_a_lattice_of_a_word_is_that_of_the_whole_tokenizer(algorithm, word):
    pretokenizer = "metaspace" if algorithm == "unigram" else "whitespace"
    history = tokviz.train(
        " ".join(w for w, n in HUG.items() for _ in range(n)),
        algorithm,
        {"unigram": 13, "sentencepiece-unigram": 14}[algorithm],
        pretokenizer,
    )
    for t in range(len(history) + 1):
        assert history.lattice(word, t) == history.tokenizer(t).lattice(word)


def test_the_best_ways_to_the_nodes_of_the_encoder_are_its_own():
    """SentencePiece's rounding may decide between nearly equal paths."""
    lattice = lattice_of("ab", {"a": -1.0, "b": -1.0, "ab": -1.5})
    assert [edge.token for edge in lattice.edges] == ["a", "ab", "b"]
    assert lattice.backpointers() == [None, 0, 1]
    own = WordLattice(lattice.word, lattice.edges, ((0, 1), (1, 2)))
    assert own.backpointers() == [None, 0, 2]
    assert WordLattice("ab", lattice.edges[2:]).backpointers() == [None, None, None]
