"""How merges built the tokens of a word."""

from itertools import pairwise

import pytest
from effort import some
from helpers import ALPHABETS, sample_words, word_counts
from hypothesis import given, settings
from hypothesis import strategies as st

import tokviz
from tokviz.encoding.encoders import MergeEncoder
from tokviz.pretokenizers import make_pretokenizer
from tokviz.trainers.bpe import BPE
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE, rejected_pairs
from tokviz.trainers.wordpiece import WordPiece

NEW_WORDS = st.text("".join(ALPHABETS), max_size=9)

TRAINERS = [
    BPE(10_000),
    BPE(10_000, unit="byte", tie_break="largest-pair"),
    BPE(10_000, tie_break="smallest-ids", end_of_word_suffix="</w>", special_tokens=("ab",)),
    BPE(10_000, tie_break="shortest", end_of_word_suffix="</w>", suffix_glued=True),
    WordPiece(10_000),
    WordPiece(10_000, score="frequency"),
    SentencePieceBPE(10_000, character_coverage=1.0),
    SentencePieceBPE(10_000, character_coverage=0.98, split_by_number=False),
]


def train(trainer, words):
    return trainer.train(words, make_pretokenizer(trainer.default_pretokenizer))


def nodes(tree):
    waiting = list(tree.roots)
    while waiting:
        node = waiting.pop()
        yield node
        waiting += node.children


def leaves(node):
    return [node] if not node.children else [x for child in node.children for x in leaves(child)]


def check_tree(history, word, t, tables=None):
    """`tables` are the candidates of steps that are known already."""
    tables = {} if tables is None else tables
    tree = history.merge_tree(word, t)
    assert [root.start for root in tree.roots] == [0, *(root.end for root in tree.roots)][:-1]
    flat = [leaf for root in tree.roots for leaf in leaves(root)]
    assert [(leaf.start, leaf.end) for leaf in flat] == [
        (i, i + 1) for i in range(len(tree.symbols))
    ]
    text = b"".join(history.spelling.bytes_of(tree.symbols[leaf.start]) for leaf in flat)
    assert text == word.encode("utf-8", "surrogatepass")
    assert {i for leaf in flat for i in range(*leaf.characters)} == set(range(len(word)))
    for node in nodes(tree):
        if node.step is None:
            assert (node.children, node.count, node.rank, node.tied) == ((), None, None, None)
            assert tree.lost(node) == []
            continue
        left, right = node.children
        step = history.steps[node.step]
        assert (left.token, right.token, node.token) == (step.left, step.right, step.token)
        assert (left.start, left.end, right.end) == (node.start, right.start, node.end)
        assert node.characters == (left.characters[0], right.characters[1])
        assert node.step < t
        assert all(child.step is None or child.step < node.step for child in node.children)
        if node.step not in tables:
            tables[node.step] = history.candidates(node.step)
        table = tables[node.step]
        row = table.iloc[node.rank - 1]
        assert row.chosen
        assert (row.token, row["count"]) == (node.token, node.count)
        assert node.tied == step.tied
        check_lost(history, tree, node, table)
    return tree


def check_lost(history, tree, node, table):
    then = history.merge_tree(tree.word, node.step).roots
    lost = tree.lost(node)
    others = [(a.token, b.token, a.start) for a, b in pairwise(then)]
    found = [(pair.left, pair.right, start) for pair in lost for start in pair.starts]
    chosen = {child.token for child in node.children}
    missing = set(others) - set(found)
    assert set(found) <= set(others)
    assert {token for *pair, _ in missing for token in pair} == chosen
    assert node.children[0].start in {start for *_, start in missing}
    ranks = [pair.rank for pair in lost if pair.rank is not None]
    assert ranks == sorted(set(ranks))
    for pair in lost:
        if pair.rank is not None:
            row = table.iloc[pair.rank - 1]
            assert (row.left, row.right, row.token) == (pair.left, pair.right, pair.token)
            assert row["count"] == pair.count
            assert not row.chosen
        elif history.algorithm != "sentencepiece-bpe":
            assert pair.count == 0


@settings(max_examples=some(150))
@given(st.sampled_from(TRAINERS), word_counts(max_words=4, max_length=7), NEW_WORDS)
def test_roots_are_the_segmentation_of_every_state(trainer, words, new):
    history, tables = train(trainer, words), {}
    for t in range(len(history) + 1):
        for word in words.words:
            tree = check_tree(history, word, t, tables)
            assert [root.token for root in tree.roots] == history.segmentation(word, t)
        tree = check_tree(history, new, t, tables)
        if new in words.words:
            continue
        merged = history.tokenizer(t, "merges").encoder
        if merged.unknown_id is None:
            pieces = merged.encode(new)
            assert [(r.token, *r.characters) for r in tree.roots] == [
                (p.token, p.start, p.end) for p in pieces
            ]


@settings(max_examples=some(100))
@given(st.sampled_from(TRAINERS), word_counts(max_words=4, max_length=7))
def test_gaps_of_a_word_are_what_merging_it_anew_gives(trainer, words):
    """So that the trees of words that the corpus does not hold are those training would give."""
    history = train(trainer, words)
    encoder = history.tokenizer(len(history), "merges").encoder
    assert isinstance(encoder, MergeEncoder)
    for word in words.words:
        anew = [len(history) if step is None else step for step in encoder.gaps(word)]
        assert history.gaps(word) == tuple(anew)


@settings(max_examples=some(150))
@given(word_counts(max_length=7), NEW_WORDS, st.sampled_from(["likelihood", "frequency"]))
def test_where_wordpiece_parts_from_its_training(words, new, score):
    history = train(WordPiece(10_000, score=score), words)
    for t in range(len(history) + 1):
        encode = history.tokenizer(t).encoder.encode
        for word in [*words.words, new]:
            tree = history.merge_tree(word, t)
            pieces = encode(word)
            trained = [(root.token, *root.characters) for root in tree.roots]
            assert tree.encoded == tuple(piece.token for piece in pieces)
            if tree.parts is None:
                assert [(p.token, p.start, p.end) for p in pieces] == trained
            elif "[UNK]" in tree.encoded:
                assert tree.parts == 0
            else:
                # Up to there the same tokens; there one of the two cuts.
                before = [piece for piece in trained if piece[2] < tree.parts]
                assert before == [tuple(p)[:1] + tuple(p)[2:] for p in pieces[: len(before)]]
                starts = [{p.start for p in pieces}, {start for _, start, _ in trained}]
                assert (tree.parts in starts[0]) != (tree.parts in starts[1])


def test_a_pair_that_may_not_be_merged_has_its_count():
    history = tokviz.train("a1b a1b a1 c1b", "sentencepiece-bpe", 20)
    tree = history.merge_tree(" a1b", len(history))
    rejected = rejected_pairs(history, 0).set_index("token")["count"].to_dict()
    assert rejected == {"a1": 3, "1b": 3, "c1": 1}
    made = next(node for node in nodes(tree) if node.step == 0)
    assert [(pair.token, pair.count, pair.rank) for pair in tree.lost(made)] == [
        ("a1", 3, None),
        ("1b", 3, None),
    ]


def test_a_character_that_the_vocabulary_lacks_is_a_leaf():
    history = tokviz.train("low low lower", vocab_size=9)
    tree = history.merge_tree("élow", 2)
    assert [(root.token, root.step) for root in tree.roots] == [("é", None), ("low", 1)]
    assert [(p.left, p.right, p.count, p.rank) for p in tree.lost(tree.roots[1])] == [
        ("é", "lo", 0, None)
    ]


def test_an_unknown_character_of_the_corpus_is_never_merged_but_counted():
    history = tokviz.train(
        {" low": 100, " a": 50, " éa": 1, " aé": 2},
        "sentencepiece-bpe",
        20,
        character_coverage=0.98,
    )
    assert history.segmentation(" éa", len(history))[1:] == ["<unk>", "a"]
    tree = check_tree(history, " éalow", len(history))
    assert [root.token for root in tree.roots] == ["▁", "<unk>", "a", "low"]
    low = next(node for node in nodes(tree) if node.token == "low")
    assert [(p.left, p.right, p.token, p.count, p.rank) for p in tree.lost(low)][:2] == [
        ("▁", "<unk>", "▁é", 1, None),
        ("<unk>", "a", "éa", 1, None),
    ]


def test_bytes_have_places_of_their_own():
    history = tokviz.train("éé é", vocab_size=10, unit="byte")
    tree = history.merge_tree("éé", 1)
    assert [(root.start, root.end, root.characters) for root in tree.roots] == [
        (0, 2, (0, 1)),
        (2, 4, (1, 2)),
    ]


def test_one_long_word_and_one_deep_tree():
    words, pretokenizer = sample_words("alice")
    history = BPE(2000).train(words, pretokenizer)
    tree = history.merge_tree("the" * 5000, len(history))
    assert len(tree.roots) == 5000
    chain = tokviz.train({"abcdefgh"[:n]: 9 - n for n in range(2, 9)}, vocab_size=15)
    depth, node = 0, chain.merge_tree("abcdefgh", len(chain)).roots[0]
    while node.children:
        depth, node = depth + 1, node.children[0]
    assert depth == 7


def test_a_state_that_is_none_is_refused():
    history = tokviz.train({"ab": 1}, vocab_size=3)
    assert history.merge_tree("", 0).roots == ()
    with pytest.raises(IndexError, match="t=2 is not a state of this run"):
        history.merge_tree("ab", 2)
