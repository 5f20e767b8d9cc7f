"""SentencePiece 0.2.1 and 0.2.3: the pieces that the wheel of each learned, and their scores."""

from collections import Counter
from functools import cache
from itertools import islice

import numpy as np
import pytest
from effort import LONG, each
from helpers import anything
from record_sentencepiece import (
    CHOSEN,
    NEWER,
    OLDER,
    SIZES,
    UNIGRAM,
    VERSIONS,
    learned,
    tasks,
    text,
)
from sentencepiece_models import safe_merges

import tokviz
from tokviz.pretokenizers import SentencePiecePretokenizer
from tokviz.text.corpus import count_words
from tokviz.trainers import SettingError
from tokviz.trainers.sentencepiece_bpe import SentencePieceBPE, library_pieces

#: The names of the two in docs/checked-against.md.
LIBRARIES = {OLDER: "sentencepiece", NEWER: "sentencepiece, newer"}
of_each_version = pytest.mark.parametrize("version", VERSIONS)


@cache
def recorded(version, kind):
    """What a version was given, each with what it learned."""
    return [*zip(tasks_of(version)[kind], learned(version)[kind], strict=True)]


#: Each kind is asked for by a test of its own.
tasks_of = cache(tasks)


def train(version, lines, size, settings):
    ours = {name: value for name, value in settings.items() if name not in UNIGRAM}
    kind = settings.get("model_type", "bpe")
    ours |= {"library_version": version, "counted": anything}
    return tokviz.train(lines, f"sentencepiece-{kind}", size, **ours)


@cache
def counted(version, name, with_bytes=False):
    """The words of a text, which are the same for all sizes."""
    cut = SentencePiecePretokenizer(version=version)
    trainer = SentencePieceBPE(300, library_version=version, byte_fallback=with_bytes)
    words = count_words(text(name), cut, trainer.special_tokens)
    return tokviz.CountedWords(words, cut, trainer.special_tokens)


def on_texts(version, kind):
    """The runs on texts, with the words of each counted once; without `--long` one size of each
    text, which are different ones."""
    runs = recorded(version, kind)
    sizes = len(runs) // len(SIZES)
    runs = runs if LONG else [runs[i * sizes + (i + 1) % sizes] for i in range(len(SIZES))]
    for (lines, size, settings), theirs in runs:
        name = next(name for name in SIZES if text(name) is lines)
        yield (counted(version, name, "byte_fallback" in settings), size, settings), theirs


# ---- BPE ----


def assert_same(history, theirs, version):
    """The pieces are the library's, of 0.2.1 as long as these are not up to its hash table. Where
    nothing is left to merge, it goes on with candidates that no longer occur. Returns how many
    merges are compared."""
    special, steps = len(history.trainer.meta_pieces), len(history)
    ours = [piece for piece, _ in library_pieces(history)[special:]]
    if history.vocab_size(steps) < history.trainer.vocab_size:
        assert history.stop.kind in ("no_pair", "no_valid_pair")
        theirs = theirs[:steps] + theirs[len(theirs) - (len(ours) - steps) :]
    same = steps if version == NEWER else safe_merges(history)
    assert ours[:same] + ours[steps:] == theirs[:same] + theirs[steps:]
    assert len(ours) == len(theirs)
    return same


@of_each_version
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-bpe")
@pytest.mark.checked_against("sentencepiece, newer", "trainer", "sentencepiece-bpe")
def test_bpe_is_the_wheels_on_texts(version, checked):
    runs = [*on_texts(version, "texts")]
    whole = 0
    for task, theirs in runs:
        history = train(version, *task)
        same = assert_same(history, theirs, version)
        assert same > 100
        whole += same == len(history)
        checked(library=LIBRARIES[version], different_runs=int(same < len(history)))
    # In the large ones thousands of pairs have the same count.
    assert len(runs) / 2 <= whole <= len(runs) - (version == OLDER)


@of_each_version
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-bpe")
@pytest.mark.checked_against("sentencepiece, newer", "trainer", "sentencepiece-bpe")
def test_bpe_is_the_wheels_on_random_corpora(version, checked):
    kinds = Counter()
    runs = each(recorded(version, "corpora"), 5)
    for (lines, size, settings), theirs in runs:
        history = said = None
        try:
            history = train(version, lines, size, settings)
        except SettingError as error:
            said = str(error)
        if history is None:
            # Room is left, and no merge has room with its characters.
            assert settings.items() >= CHOSEN.items()
            most = f"Please set it to a value <= {259 + len(theirs)}."
            assert said == f"Vocabulary size too high ({size}). {most}"
            continue
        assert assert_same(history, theirs, version) == len(history)
        kinds["whole"] += history.vocab_size(len(history)) == size
        kinds["bytes"] += "byte_fallback" in settings and len(history) > 0
        checked(library=LIBRARIES[version])
    assert kinds["whole"] > 0.6 * len(runs)
    assert kinds["bytes"] > len(runs) / 3


@pytest.mark.checked_against("sentencepiece, newer", "trainer", "sentencepiece-bpe")
def test_chosen_characters_are_the_wheels(checked):
    for (words, size, settings), theirs in on_texts(NEWER, "chosen"):
        assert_same(train(NEWER, words, size, settings), theirs, NEWER)
        checked()


# ---- Unigram ----


def assert_same_unigram(version, task, theirs):
    """Pieces and scores are the library's, to the last bit."""
    history = train(version, *task)
    last, special = len(history), len(history.trainer.meta_pieces)
    assert history.vocab(last)[special:] == [piece for piece, _ in theirs]
    scores = np.asarray([score for _, score in theirs], np.float32)
    np.testing.assert_array_equal(history.log_probs(last), scores)
    return [history.action(t) for t in range(last)]


@of_each_version
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
@pytest.mark.checked_against("sentencepiece, newer", "trainer", "sentencepiece-unigram")
def test_unigram_is_the_wheels_on_texts(version, checked):
    # The book, which is the longest text and the last, is left out otherwise.
    for task, theirs in islice(on_texts(version, "unigram"), None if LONG else 3):
        actions = assert_same_unigram(version, task, theirs)
        assert "prune" in actions
        # A round of 0.2.3 prunes before it looks at the size.
        assert actions[-2:] == ["em" if version == OLDER else "prune", "finalize"]
        checked(library=LIBRARIES[version])


@of_each_version
@pytest.mark.checked_against("sentencepiece", "trainer", "sentencepiece-unigram")
@pytest.mark.checked_against("sentencepiece, newer", "trainer", "sentencepiece-unigram")
def test_unigram_is_the_wheels_on_random_corpora(version, checked):
    pruned = 0
    runs = each(recorded(version, "unigram corpora"), 7)
    for task, theirs in runs:
        actions = assert_same_unigram(version, task, theirs)
        pruned += "prune" in actions[:-2]
        checked(library=LIBRARIES[version])
    assert pruned > len(runs) / 4
