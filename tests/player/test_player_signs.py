"""What the signs in tokens mean that are no text."""

import pytest
from helpers import needs_node, node_passes

import tokviz
from tokviz.basics.glossary import GLOSSARY
from tokviz.player.pack import header_of, pack


@needs_node
def test_only_signs_that_occur_are_explained():
    node_passes("signs", tests=1)


@pytest.mark.parametrize(
    ("algorithm", "settings", "signs"),
    [
        ("bpe", {"unit": "byte"}, [["Ġ", "space-byte"]]),
        ("bpe", {"end_of_word_suffix": "</w>"}, [["Ġ", "space-byte"], ["</w>", "word-suffix"]]),
        ("wordpiece", {}, [["##", "continuing-prefix"]]),
        ("sentencepiece-unigram", {}, [["▁", "space-mark"]]),
    ],
)
def test_a_run_names_its_signs(algorithm, settings, signs):
    history = tokviz.train("hug pug hugs hug", algorithm, 12, **settings)
    found = header_of(pack(history, algorithm, None, 10))["signs"]
    assert found == signs
    assert all(name in GLOSSARY for _sign, name in found)
