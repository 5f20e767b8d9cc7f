"""Why a training ended is a fact, and its sentence is made last."""

import ast
import io
import json
import re
from typing import get_args

import numpy as np
import pytest
from compat.items import kept_files, of_folder
from test_imports import FILES, module_of, name_of, room_of

import tokviz
from tokviz.basics.messages import Message
from tokviz.formats.earlier_histories import stop_of_sentence
from tokviz.formats.history_file import read, save
from tokviz.history.stop import Stop, StopKind
from tokviz.narration.stops import why_ended
from tokviz.trainers.reached import unreached

#: What trainers have said from the first version on, as files of those versions have it.
SAID = {
    "The vocabulary has the 60 tokens asked for.": Stop("size", 60),
    "An expected count is too great for a number; EM ended. The vocabulary has the 60 tokens asked "
    "for.": Stop("size", 60, values={"em": "great"}),
    "No piece was expected 1000.0 times; EM ended. Only 7 pieces are left, fewer than the 9 asked "
    "for besides 3 special ones. Use a longer text, or lower min_expected_count.": Stop(
        "few_pieces", 9, 7, {"em": "rare", "expected": 1000.0, "special": 3}
    ),
    "No piece was expected 1e-05 times; EM ended. The vocabulary has the 60 tokens asked "
    "for.": Stop("size", 60, values={"em": "rare", "expected": 1e-05}),
    "Cancelled after 7 merges.": Stop("cancelled", values={"merges": 7}),
    "Cancelled after 0 rounds.": Stop("cancelled", values={"rounds": 0}),
    "Cancelled after 12 steps.": Stop("cancelled", values={"steps": 12}),
    "The corpus has no words: there is nothing to merge.": Stop("no_words"),
    "No pair is left: every word is one token. The vocabulary has 5 of the 50 tokens asked "
    "for.": Stop("no_pair", 50, 5),
    "No pair is left: what could still be merged spells no valid piece. The vocabulary has 5 of "
    "the 50 tokens asked for.": Stop("no_valid_pair", 50, 5),
    "The best pair occurs once, less than min_frequency=2. The vocabulary has 5 of the 50 "
    "tokens asked for.": Stop("min_frequency", 50, 5, {"count": 1, "least": 2}),
    "There are only 13 seed tokens, fewer than the 90 asked for, so none is removed. Raise "
    "seed_size, or use a longer text.": Stop("few_seeds", 90, 13),
    "The last round removed more than needed: 7 tokens are left, and 8 were asked for.": Stop(
        "overshot", 8, 7
    ),
    "Only single characters are left, and they are never removed.": Stop("characters"),
    "Only 7 pieces are left, fewer than the 9 asked for besides 3 special ones. Use a longer text, "
    "or lower min_expected_count.": Stop("few_pieces", 9, 7, {"special": 3}),
    # What nobody knows stays as it is.
    "Cancelled after some merges.": Stop(
        "unknown", values={"said": "Cancelled after some merges."}
    ),
}

#: What files of earlier versions say, where it is another sentence today.
EARLIER = {
    "The best pair occurs 1 times, less than min_frequency=2. The vocabulary has 5 of the 50 "
    "tokens asked for.": Stop("min_frequency", 50, 5, {"count": 1, "least": 2}),
    "There are only 13 seed tokens, fewer than the 90 asked for; nothing to remove. Raise "
    "seed_size, or use a longer text.": Stop("few_seeds", 90, 13),
    "The last cut overshot: 7 tokens are left of the 8 asked for.": Stop("overshot", 8, 7),
}
SINGLE = {
    "The vocabulary has the 1 token asked for.": Stop("size", 1),
    "The vocabulary has the 2,000 tokens asked for.": Stop("size", 2000),
    "Cancelled after 1 merge.": Stop("cancelled", values={"merges": 1}),
    "There is only 1 seed token, fewer than the 9 asked for, so none is removed. Raise "
    "seed_size, or use a longer text.": Stop("few_seeds", 9, 1),
    "The last round removed more than needed: 1 token is left, and 2 were asked for.": Stop(
        "overshot", 2, 1
    ),
    "Only 1 piece is left, fewer than the 9 asked for besides 1 special one. Use a longer text, or "
    "lower min_expected_count.": Stop("few_pieces", 9, 1, {"special": 1}),
    "No pair is left: what could still be merged makes no token that is new to the file. The "
    "vocabulary has 5 of the 50 tokens asked for.": Stop("no_new_pair", 50, 5),
    "No pair is left: what could still be merged has too many words, or a space behind a colon. "
    "The vocabulary has 5 of the 50 tokens asked for.": Stop("no_pair_across", 50, 5),
    "No pair is left: what still stands side by side may not be joined, or makes a token that is "
    "there already. The vocabulary has 5 of the 50 tokens asked for.": Stop(
        "no_words_to_join", 50, 5
    ),
}


@pytest.mark.parametrize("said", [*SAID, *SINGLE])
def test_a_stop_is_said_in_its_sentence(said):
    assert why_ended((SAID | SINGLE)[said]) == said


@pytest.mark.parametrize("said", [*SAID, *EARLIER])
def test_a_stop_is_found_again_in_the_sentence_of_an_earlier_file(said):
    stop = (SAID | EARLIER)[said]
    found = stop_of_sentence(said)
    assert found == stop or stop in EARLIER.values(), "said otherwise in those files"
    assert said not in EARLIER or found == stop


def test_every_kind_is_among_them():
    # No file holds a replay: tests/trainers/test_replay.py has its sentences.
    said = {stop.kind for stop in (SAID | SINGLE).values()}
    assert said | {"replayed"} == {*get_args(StopKind)}


def header_of(data):
    with np.load(io.BytesIO(data)) as archive:
        return json.loads(json.loads(archive["header"].tobytes())[0])


HISTORIES = [name for name in of_folder("histories") if name.endswith(".npz")]


@pytest.mark.parametrize("name", HISTORIES)
def test_kept_histories_end_as_they_did(name):
    data = kept_files()[f"histories/{name}"]
    header, history = header_of(data), read(io.BytesIO(data), name)
    assert header["version"] == 2
    assert history.stopped == header["stopped"]
    assert isinstance(history.stopped, Message), "it is said in every language"
    assert (history.stop.kind == "cancelled") == name.startswith("cancelled")
    if history.stop.kind == "size":
        assert history.stop.asked == history.vocab_size(len(history))
    # A file of today holds the fact.
    again = io.BytesIO()
    save(history, again)
    assert "stopped" not in header_of(again.getvalue())
    assert read(again, name).stop == history.stop


def test_a_size_that_em_reached_before_its_time_was_reached():
    history = tokviz.train(
        {"ab": 1, "ba": 1}, "sentencepiece-unigram", 5, min_expected_count=1000.0
    )
    assert history.stop == Stop("size", 5, values={"em": "rare", "expected": 1000.0})
    assert unreached(history, 5) is None


#: What a text is asked where something is decided.
QUESTIONS = {"startswith", "endswith", "removesuffix", "removeprefix"}
#: What makes a sentence or a label.
SAYS = {"_", "_n", "here", "message", "counted", "joined", "sentences", "said_by", "told_by"}


#: In these rooms a word with a capital letter is one of Unicode's or of a file's.
OTHERS_WORDS = ("encoding", "formats", "pretokenizers")
#: What runs were asked for goes by its labels there, so that equal ones are one fact.
BY_LABEL = ("tokviz/analysis/lane_names.py", "tokviz/pages/comparison/grid_result.py")


def is_label(node):
    """Whether an expression is written as people read it: "A word", "Vocabulary", "It is late."."""
    text = getattr(node, "value", None)
    return isinstance(text, str) and re.match(r"[A-Z]([a-z]+$|.* )", text) is not None


def named_labels(tree):
    """The names that a module gives to labels."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            tuples = isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple)
            names = node.targets[0].elts if tuples else node.targets
            values = node.value.elts if tuples else [node.value]
            for name, value in zip(names, values, strict=False):
                made = value.args[:1] if isinstance(value, ast.Call) else [value]
                if any(map(is_label, made)) and isinstance(name, ast.Name):
                    yield name.id


def is_said(node, labels):
    """Whether an expression is what people read: a message, an error's text, why a run ended."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        of_error = any(isinstance(arg, ast.Name) and arg.id == "error" for arg in node.args)
        return node.func.id in SAYS or (node.func.id == "str" and of_error)
    if isinstance(node, ast.Attribute):
        return node.attr in ("stopped", "label")
    return isinstance(node, ast.Name) and node.id in labels


def decisions(tree, with_words=True):
    """Where a module compares what people read, or looks for something in it; `with_words` of its
    own that look like it are such."""
    labels = {*named_labels(tree)}
    for node in ast.walk(tree):
        asked = []
        if isinstance(node, ast.Compare):
            asked = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in QUESTIONS:
            asked = [node.func.value]
        if any(is_said(part, labels) or (with_words and is_label(part)) for part in asked):
            yield node


@pytest.mark.parametrize(
    "code",
    [
        'history.stopped.startswith("Cancelled")',
        'lens == _("A word")',
        'lens == "Vocabulary"',
        '_TEXT, _COUNTS = message("Text"), message("Word counts")\nread_as == _COUNTS',
        '"memory" in str(error)',
        'said != "It is damaged."',
        'said_by(error).removesuffix(".")',
    ],
)
def test_decisions_on_sentences_are_found(code):
    assert [*decisions(ast.parse(code))]


def test_nobody_decides_on_a_sentence():
    for path in FILES:
        tree, room = ast.parse(path.read_text("utf-8")), room_of(module_of(path))
        found = [] if name_of(path) in BY_LABEL else decisions(tree, room not in OTHERS_WORDS)
        assert [f"{name_of(path)}:{node.lineno} {ast.unparse(node)}" for node in found] == []
