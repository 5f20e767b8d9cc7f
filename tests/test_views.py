"""What a screen shows of a state."""

import pytest

import tokviz
from tokviz.pretokenizers import make_pretokenizer
from tokviz.views import by_count, excerpt, word_view

WORDS = {"aaaa": 2, "aab": 3, "b": 1}


@pytest.mark.parametrize("algorithm", ["bpe", "wordpiece", "unigram"])
def test_a_word_view_is_its_segmentation(algorithm):
    history = tokviz.train(tokviz.SAMPLES["course"].corpus, algorithm, 80)
    for t in range(len(history) + 1):
        for number, word in enumerate(history.words.words):
            views = word_view(history, number, t)
            shown = [history.spelling.show(view.symbol) for view in views]
            assert shown == history.segmentation(word, t)
            assert [history.vocab(t)[view.id] for view in views] == shown


def test_the_pair_to_merge_is_marked_as_it_will_be_merged():
    history = tokviz.train(WORDS, "bpe", 3)
    assert [v.mark for v in word_view(history, 0, 0)] == ["left", "right", "left", "right"]
    assert [v.mark for v in word_view(history, 1, 0)] == ["left", "right", ""]
    assert [v.mark for v in word_view(history, 0, 1)] == ["new", "new"]


def test_the_doomed_are_marked():
    history = tokviz.train(tokviz.SAMPLES["course"].corpus, "unigram", 98)
    removed = set(history.steps[0].removed)
    for number in range(len(history.words)):
        for view in word_view(history, number, 0):
            shown = history.spelling.show(view.symbol)
            assert (view.mark == "doomed") == (shown in removed)


def test_an_excerpt_stops_in_the_middle_of_a_line():
    lines = excerpt("a b c\n\nd e", make_pretokenizer("whitespace"), (), 4)
    assert lines == [["a", "b", "c"], [], ["d"]]


def test_words_by_count():
    history = tokviz.train(WORDS, "bpe", 3)
    assert by_count(history, 2) == [(1, 3), (0, 2)]
