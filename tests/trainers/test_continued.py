"""Training that goes on from a file: against a plain loop, and against the library that runs it."""

import base64
import json
import runpy
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import oracles
import pytest
import tokenizers
from effort import LONG, each, some
from helpers import anything
from hypothesis import given, settings
from hypothesis import strategies as st
from library_tokenizers import KINDS, bert, byte_ranks, opened, sentencepiece_model, t5
from opened_texts import DOCUMENTS, lines

import tokviz
from tokviz import SettingError
from tokviz.encoding.dropout import DropoutChain
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.word_counts import WordCounts
from tokviz.trainers.merging import loop
from tokviz.trainers.reached import unwarned

LETTERS = "abcé "
TEXTS = st.text(LETTERS + "x⟨", max_size=25)
COUNTED = tokviz.CountedWords(WordCounts(("a",), (1,)), make_pretokenizer("none"))
BPE_KINDS = [kind for kind in KINDS if kind not in ("bert", "t5")]


@st.composite
def files(draw, markers=("", "", "suffix", "prefix")):
    """A tokenizer.json of BPE whose merges nobody trained: in any order, with tokens that none
    makes, unknown characters, markers, and added tokens behind the vocabulary."""
    marker = draw(st.sampled_from(markers))
    suffix = "b" if marker == "suffix" and draw(st.booleans()) else "</w>"
    prefix, suffix = "##" * (marker == "prefix"), suffix * (marker == "suffix")
    known = draw(st.sampled_from([LETTERS, LETTERS, "abc "]))
    tokens = [p + letter + s for letter in known for p in {"", prefix} for s in {"", suffix}]
    merges = []
    for _ in range(draw(st.integers(0, 8))):
        left, right = (draw(st.sampled_from(tokens)) for _ in range(2))
        fits = right.startswith(prefix) and len(right) > len(prefix)
        if fits and not (suffix and left.endswith(suffix)):
            merges.append([left, right])
            tokens.append(left + right[len(prefix) :])
    orphans = draw(st.lists(st.text("abc", min_size=2, max_size=4), max_size=3))
    vocab = {token: i for i, token in enumerate(dict.fromkeys([*tokens, *orphans]))}
    model = {
        "type": "BPE",
        "vocab": vocab,
        "merges": draw(st.permutations(merges)),
        "continuing_subword_prefix": prefix or None,
        "end_of_word_suffix": suffix or None,
        "ignore_merges": not marker and draw(st.booleans()),
    }
    if draw(st.booleans()):
        vocab["<unk>"] = len(vocab)
        model |= {"unk_token": "<unk>", "fuse_unk": draw(st.booleans())}
    added = draw(st.lists(st.sampled_from(["<s>", "ca", "bé", "abc"]), unique=True, max_size=2))
    new = [token for token in added if token not in vocab]
    ids = {token: vocab.get(token, len(vocab) + i) for i, token in enumerate([*new])}
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    entries = [
        {"id": ids.get(token, vocab.get(token)), "content": token, **flags, "special": True}
        for token in added
    ]
    whitespace = {"type": "WhitespaceSplit"}
    return {
        "version": "1.0",
        "added_tokens": entries,
        "normalizer": None,
        "pre_tokenizer": draw(st.sampled_from([None, whitespace, whitespace])),
        "decoder": {"type": "Fuse"},
        "model": model,
    }


def file_of(document):
    return open_tokenizer({"tokenizer.json": json.dumps(document).encode()})


def trained(mine, corpus, more=8, **others):
    with unwarned():
        size = mine.next_id + more
        return tokviz.train(corpus, vocab_size=size, continue_from=mine, counted=anything, **others)


def some_states(history):
    """All states, otherwise the first and the last one and one in between."""
    last = len(history)
    return range(last + 1) if LONG else sorted({0, last // 2, last})


def library(history, t):
    return tokenizers.Tokenizer.from_str(
        export(history, "tokenizer.json", t)["tokenizer.json"].decode()
    )


def crosses(text):
    """Whether a space stands behind another character."""
    return any(a != " " and b == " " for a, b in pairwise(text))


def may_be_new(document, pair):
    """Whether two tokens of a file without markers make one that may be new, told another way."""
    model, added = document["model"], [token["content"] for token in document["added_tokens"]]
    token = "".join(pair)
    return (
        token not in {*model["vocab"], *added}
        and not {model.get("unk_token"), *added} & {*pair}
        and (not crosses(token) or any(map(crosses, model["vocab"])))
    )


@settings(max_examples=1500 if LONG else 150, deadline=None)
@given(document=files(), text=st.lists(TEXTS, max_size=6), lines=st.lists(TEXTS, max_size=8))
def test_the_library_gives_the_ids_of_every_state(document, text, lines):
    """And cuts what it cut before into the same tokens, but for the new merges."""
    history = trained(file_of(document), text)
    before = tokenizers.Tokenizer.from_str(json.dumps(document))
    old = before.get_vocab()
    for t in some_states(history):
        theirs, tokenizer = library(history, t), history.tokenizer(t)
        now = theirs.get_vocab()
        assert {token: now[token] for token in old} == old
        assert len(now) == len(old) + t
        merges = json.loads(theirs.to_str())["model"]["merges"]
        assert merges[: len(merges) - t] == json.loads(before.to_str())["model"]["merges"]
        for line in [*lines, *text]:
            ids = theirs.encode(line, add_special_tokens=False).ids
            assert tokenizer.encode(line).ids == ids, line
            assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
            if not t:
                assert ids == before.encode(line, add_special_tokens=False).ids


@settings(max_examples=some(600), deadline=None)
@given(document=files(markers=[""]), text=st.lists(TEXTS, max_size=6))
def test_every_step_is_that_of_a_plain_loop(document, text):
    """Words are cut by the library; then the most frequent pair that makes a new token is merged,
    the first one among equals."""
    mine, model = file_of(document), document["model"]
    history = trained(mine, text)
    pieces = mine.tokenizer.pretokenizer.pieces
    words = Counter(p.word.text for line in text for p in pieces(line) if not p.special)
    assert dict(zip(history.words.words, history.words.counts, strict=True)) == words
    theirs = tokenizers.Tokenizer.from_str(json.dumps({"model": model}))
    segmentations = [theirs.encode(word).tokens for word in words]
    counts, first = [*words.values()], history.vocab_size(0)
    for t in range(len(history) + 1):
        found = [
            [history.strings[i] for i in history.word_symbols(w, t)] for w in range(len(words))
        ]
        assert [[shown.replace("⟨⟨⟩", "⟨") for shown in word] for word in found] == segmentations
        table = oracles.pair_table(segmentations, counts)
        table = {pair: n for pair, n in table.items() if may_be_new(document, pair)}
        assert len(table) == history.candidate_count(t)
        if t == len(history):
            assert history.stop.kind in ("size", "no_pair", "no_new_pair", "no_words")
            assert (history.stop.kind == "size") or not table
            break
        step, best = history.steps[t], max(table.values())
        assert (step.count, step.tied) == (best, [*table.values()].count(best))
        pair = next(pair for pair, n in table.items() if n == best)
        assert (step.token_id, step.token) == (first + t, "".join(pair))
        before = sum(n * len(s) for s, n in zip(segmentations, counts, strict=True))
        segmentations = [oracles.merge_pair(s, pair, "".join(pair)) for s in segmentations]
        after = sum(n * len(s) for s, n in zip(segmentations, counts, strict=True))
        assert step.times == before - after


def test_no_token_is_learned_that_is_written_like_a_marker():
    """With x</w> as text, the library would know an x at the end of a word."""
    model = {"type": "BPE", "merges": [], "end_of_word_suffix": "</w>"}
    model["vocab"] = {token: i for i, token in enumerate([*"x</w>", "y</w>"])}
    history = trained(file_of({"model": model}), {"x</w>y": 9}, 9)
    assert [step.token for step in history.steps] == ["x<", "x</", "x</w", ">y</w>"]
    assert library(history, len(history)).encode("x").ids == []


def test_no_token_is_learned_whose_text_is_told_otherwise_here():
    """The merge of a and b is read as an a that ends a word."""
    model = {"type": "BPE", "merges": ["a b"], "end_of_word_suffix": "b"}
    model["vocab"] = {token: i for i, token in enumerate(["a", "b", "ab", "cb"])}
    history = trained(file_of({"model": model}), {"abc": 9}, 9)
    assert (len(history), history.tokenizer().encode("abc").ids) == (0, [2, 3])
    assert library(history, 0).encode("abc").ids == [2, 3]


def rank_file(tokens):
    """A file of the 256 bytes and these tokens."""
    ranks = [bytes([byte]) for byte in range(256)] + [token.encode() for token in tokens]
    lines = [base64.b64encode(token) + b" %d" % i for i, token in enumerate(ranks)]
    return open_tokenizer({"x.tiktoken": b"\n".join(lines)}, r"\S+|\s+")


def tiktoken_of(history, t, folder):
    """The export as tiktoken loads it, by the program that comes with it."""
    history.export("tiktoken", folder, t)
    return runpy.run_path(str(Path(folder, "encoding.py")))["encoding"]


@settings(max_examples=600 if LONG else 60, deadline=None)
@given(
    tokens=st.lists(st.text("abé", min_size=2, max_size=6), unique=True, max_size=8),
    text=st.lists(st.text("abé ", max_size=20), max_size=6),
    lines=st.lists(st.text("abé ", max_size=20), max_size=8),
)
def test_tiktoken_gives_the_ids_of_every_state(tokens, text, lines):
    """Also where the file has tokens that no two parts give, which others could bring about."""
    history = trained(rank_file(tokens), text)
    with TemporaryDirectory() as folder:
        for t in some_states(history):
            theirs, tokenizer = tiktoken_of(history, t, folder), history.tokenizer(t)
            for line in [*lines, *text]:
                ids = theirs.encode_ordinary(line)
                assert tokenizer.encode(line).ids == ids, line
                assert tokenizer.decode(ids) == theirs.decode(ids) == line


def test_a_token_that_no_two_parts_give_stays_so():
    """With ab, tiktoken would make abc of ab and c, which is an old token."""
    mine = rank_file(["bc", "abcx"])
    assert {step.token for step in trained(mine, "ab ab ab xa xa").steps} == {"xa"}
    assert mine.tokenizer.encode("abcx aabcx").ids == [257, 32, 97, 97, 256, 120]


@pytest.mark.parametrize("kind", BPE_KINDS)
def test_many_lines_by_the_library(kind):
    made = KINDS[kind]()
    history = trained(opened(made), DOCUMENTS[::2], 300)
    theirs, tokenizer, fewer = library(history, len(history)), history.tokenizer(), 0
    vocab, before = theirs.get_vocab(), made.get_vocab()
    assert {token: vocab[token] for token in before} == before
    assert sorted(vocab.values()) == [*range(len(before) + 300)]
    for line in each(lines(1000), 6):
        ids = theirs.encode(line, add_special_tokens=False).ids
        assert tokenizer.encode(line).ids == ids, line
        assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False)
        fewer += len(made.encode(line, add_special_tokens=False).ids) - len(ids)
    assert fewer > (500 if LONG else 85)


def test_a_thousand_lines_by_tiktoken(tmp_path):
    ranks = byte_ranks()
    data = b"\n".join(base64.b64encode(token) + b" %d" % i for token, i in ranks.items())
    mine = open_tokenizer({"x.tiktoken": data}, "gpt2")
    history = trained(mine, DOCUMENTS[::2], 300)
    theirs, tokenizer, compared = tiktoken_of(history, None, tmp_path), history.tokenizer(), 0
    for line in lines(1000):
        # Letters newer than the tables of one of them make other words.
        words = mine.tokenizer.pretokenizer.words(line)
        encode = mine.tokenizer.encoder.encode
        alone = [piece.id for word in words for piece in encode(word.text)]
        if alone == mine.tokenizer.encode(line).ids:
            assert tokenizer.encode(line).ids == theirs.encode_ordinary(line), line
            compared += 1
    assert compared > 990


def test_the_two_files_of_gpt2():
    files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "lo": 3}', "merges.txt": b"l o\n"}
    history = trained(open_tokenizer(files), "low low lower", 2)
    found = export(history, "merges")
    assert found["merges.txt"] == b"#version: 0.2\nl o\nlo w\n"
    assert json.loads(found["vocab.json"]) == {"l": 0, "o": 1, "w": 2, "lo": 3, "low": 4}
    assert open_tokenizer(found).tokenizer.encode("low").ids == [4]


def test_what_is_learned_comes_after_all_ids():
    """After added tokens behind the vocabulary, gaps, and ids that programs give to special tokens
    of a known file."""
    flags = dict.fromkeys(["single_word", "lstrip", "rstrip", "normalized"], False)
    document = {
        "added_tokens": [{"id": 3, "content": "<s>", "special": True, **flags}],
        "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "c": 2}, "merges": []},
    }
    history = trained(file_of(document), {"ab": 2, "abc": 1}, 2)
    assert history.vocab(2) == ["a", "b", "c", "<s>", "ab", "abc"]
    assert library(history, 2).encode("<s>abc").ids == [3, 5]
    mine = replace(rank_file(["ab"]), reserved=300)
    assert mine.next_id == 300
    history = trained(mine, "abab abab", 1)
    assert (history.steps[0].token_id, history.vocab(0)[256:]) == (300, ["ab", *[""] * 43])
    assert history.tokenizer().decode([300, 256]) == "ababab"


def test_an_added_token_that_a_word_would_then_hold_is_refused():
    flags = dict.fromkeys(["lstrip", "rstrip", "normalized"], False)
    entry = {"id": 2, "content": "x", "special": False, "single_word": True, **flags}
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": []}
    history = trained(file_of({"added_tokens": [entry], "model": model}), {"ab": 2}, 1)
    with pytest.raises(tokviz.TokvizError, match='"x" is not in the vocabulary of'):
        export(history, "tokenizer.json")


@settings(max_examples=some(300), deadline=None)
@given(document=files(), text=st.lists(TEXTS, max_size=6), lines=st.lists(TEXTS, max_size=6))
@pytest.mark.parametrize("compiled", [True, False])
def test_a_run_that_is_told_otherwise_is_the_library_s_as_well(compiled, document, text, lines):
    """Each candidate of a state in turn: a branch is the run told so from the start."""
    with pytest.MonkeyPatch.context() as patched:
        if not compiled:
            patched.setattr(loop, "runs_compiled", lambda: False)
        mine = file_of(document)
        history = trained(mine, text)
        for t in range(0, len(history), 3):
            found = history.candidates(t)
            pair = found.left.iloc[-1], found.right.iloc[-1]
            other = tokviz.branch(history, t, pair)
            assert other == trained(mine, text, interventions={t: pair})
            assert (other.steps[t].left, other.steps[t].right) == pair
            assert [step.token for step in other.steps[:t]] == [
                step.token for step in history.steps[:t]
            ]
            theirs, tokenizer = library(other, len(other)), other.tokenizer()
            for line in lines:
                ids = theirs.encode(line, add_special_tokens=False).ids
                assert tokenizer.encode(line).ids == ids


def test_a_pair_that_may_not_be_merged_cannot_be_told():
    files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "lo": 3}', "merges.txt": b"l o\n"}
    mine = open_tokenizer(files)
    history = trained(mine, "low low", 1)
    for pair in (("l", "o"), ("o", "w"), ("w", "w")):
        with pytest.raises(SettingError, match="is no candidate in state 0"):
            tokviz.branch(history, 0, pair)
    with pytest.raises(SettingError, match="training ends before it"):
        trained(mine, "low low", 1, interventions={7: ("lo", "w")})


def test_answers_of_a_run_that_goes_on():
    """Whatever is asked of a history, in the file's ids and tokens."""
    mine = opened(KINDS["llama2"]())
    held = [line for line in DOCUMENTS[1::2] if "x" not in line][:40]
    history = trained(mine, [*DOCUMENTS[::2][:60], "中x✗"], 60)
    assert history.stopped == f"The vocabulary has the {mine.next_id + 60:,} tokens asked for."
    assert history.symbol_bytes.sum() == sum(len(w.encode()) for w in history.words.words)
    assert history.encoders == ["merges"]
    for t in (0, 30, 60):
        tokenizer = history.tokenizer(t)
        counts = Counter()
        for word, n in zip(history.words.words, history.words.counts, strict=True):
            pieces = tokenizer.encoder.encode(word)
            assert history.segmentation(word, t) == [piece.token for piece in pieces]
            counts.update({i: n * k for i, k in Counter(p.id for p in pieces).items()})
        assert dict(counts) == {i: n for i, n in enumerate(history.token_counts(t)) if n}
        assert history.vocab(t)[: mine.next_id] == mine.tokenizer.strings
        assert tokenizer.symbols == history.vocab_symbols(t)
        found = [len(tokenizer.encode(line)) for line in held]
        assert sum(found) == sum(len(tokenizer.encode(line).tokens) for line in held)
    step = history.steps[-1]
    assert step.token_id == mine.next_id + 59
    assert history.provenance(step.token).born == 60
    assert history.narrate(60).startswith("Step 60: merged ")
    assert history.candidates(0).token[0] == history.steps[0].token


def test_dropout_skips_the_new_merges_only():
    files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "lo": 3}', "merges.txt": b"l o\n"}
    tokenizer = trained(open_tokenizer(files), "lowlow low", 2).tokenizer()
    assert tokenizer.encode("lowlow", dropout=1).tokens == ["lo", "w", "lo", "w"]
    assert tokenizer.encode("lowlow").tokens == ["lowlow"]
    ways = DropoutChain.of(tokenizer.encoder, "low", "1/4").ways
    assert [(way.pieces[0].token, way.probability) for way in ways] == [
        ("low", Fraction(3, 4)),
        ("lo", Fraction(1, 4)),
    ]


@pytest.mark.parametrize("rule", ["first-seen", "smallest-ids"])
def test_the_compiled_trainer_does_what_plain_python_does(rule, monkeypatch):
    mine = opened(KINDS["gpt2"]())
    one = trained(mine, DOCUMENTS[:12], 60, tie_break=rule)
    monkeypatch.setattr(loop, "runs_compiled", lambda: False)
    two = trained(mine, DOCUMENTS[:12], 60, tie_break=rule)
    assert one == two
    for name, column in vars(one.record).items():
        assert np.array_equal(column, vars(two.record)[name]), name


def test_a_run_that_is_stopped_is_what_it_came_to():
    mine = opened(KINDS["gpt2"]())
    history = trained(
        mine, DOCUMENTS, 3000, progress=lambda now: now.stage != "merges" or now.done < 9
    )
    assert (history.stop.kind, 0 < len(history) < 3000) == ("cancelled", True)
    with pytest.raises(tokviz.Cancelled):
        trained(mine, DOCUMENTS, 500, progress=lambda _: False)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"algorithm": "wordpiece"}, "algorithm='wordpiece' is decided by the file"),
        ({"pretokenizer": "gpt2"}, "pretokenizer='gpt2' is decided by the file"),
        ({"unit": "byte"}, "unit='byte' is decided by the file"),
        ({"tie_break": "shortest"}, "choose one of first-seen, smallest-ids"),
        ({"min_frequency": 0}, "the least is 1"),
        ({"vocab_size": None}, "say how many ids .* as in vocab_size=1004"),
        ({"vocab_size": 3}, "vocab_size=3 is too small: .* ids below 4"),
        ({"vocab_size": "9"}, "vocab_size"),
        ({"continue_from": "gpt2"}, "is no opened tokenizer; pass what tokviz.open_tokenizer"),
        ({"corpus": COUNTED}, "counted as another pre-tokenizer"),
    ],
)
def test_what_the_file_decides_is_not_told(told, said):
    files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "lo": 3}', "merges.txt": b"l o\n"}
    usual = {"corpus": "low low", "vocab_size": 5, "continue_from": open_tokenizer(files)}
    with pytest.raises(SettingError, match=said):
        tokviz.train(**{**usual, **told})


def test_files_that_no_training_goes_on_from():
    for made, said in ((bert(), "is a WordPiece tokenizer. It has no merges"), (t5(), "a Unigram")):
        with pytest.raises(SettingError, match=said):
            tokviz.train("low", vocab_size=9999, continue_from=opened(made))
    data = sentencepiece_model(vocab_size=600, model_type="bpe")
    with pytest.raises(SettingError, match="Convert it to a tokenizer"):
        tokviz.train("low", vocab_size=9999, continue_from=open_tokenizer({"x.model": data}))


def test_what_is_not_for_such_a_run():
    files = {"vocab.json": b'{"l": 0, "o": 1, "w": 2, "lo": 3}', "merges.txt": b"l o\n"}
    history = trained(open_tokenizer(files), "low low", 1)
    with pytest.raises(SettingError, match="is not saved as a history"):
        history.save("x.npz")
    with pytest.raises(SettingError, match=r"longest-token.* choose merges"):
        history.tokenizer(encoder="longest-token")
    for name, said in {
        "tiktoken": "no file of ranks",
        "sentencepiece": "train with",
        "subword-nmt": "sennrich",
        "vocab.txt": "one of continued",
    }.items():
        with pytest.raises(tokviz.TokvizError, match=said):
            export(history, name)
    ranks = trained(rank_file([]), "low low", 1)
    with pytest.raises(tokviz.TokvizError, match="choose the format tiktoken"):
        export(ranks, "tokenizer.json")
    clip = trained(opened(KINDS["clip"]()), "low low", 1)
    with pytest.raises(tokviz.TokvizError, match="says more than these two files can"):
        export(clip, "merges")
