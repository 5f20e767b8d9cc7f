"""The tab "In my text" of the page Open: in which step the visitor's text teaches a token."""

import json
import re

import library_tokenizers
import pytest
from app_test import html
from helpers import PATIENCE
from sentencepiece_models import trained_model
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.formats.exports import export
from tokviz.pages.widgets.keys import LEARNED_WANTED
from tokviz.server.opened import own_trainings
from tokviz.server.opened.opened_files import remember
from tokviz.server.runs import Corpus, Run
from tokviz.text.corpus import Cancelled

HOSTILE = "<b>&lt;"
TEXT = tokviz.SAMPLES["course"].corpus
OWN = tokviz.train(TEXT, "bpe", 320, "gpt2", unit="byte", initial_alphabet=("bytes",))


def page(text, key=None):
    def draw(key, run):
        from tokviz.pages.opened_learned import learned_view

        learned_view(key, run)

    key = key or remember(export(OWN, "tokenizer.json"))
    run = Run(Corpus(f"Mine {HOSTILE}", text), "bpe", 50, "gpt2")
    app = AppTest.from_function(draw, default_timeout=PATIENCE, args=(key, run)).run()
    assert not app.exception
    return app


def asked(app, token):
    app.text_input(key="learned_token").set_value(token).run()
    assert not app.exception
    return re.sub("<[^>]*>", "", "\n".join(re.findall("<p role.*?</p>", html(app))))


def test_a_token_is_told_with_its_step_once_the_text_is_trained_on():
    app = page(TEXT)
    assert "Four" not in html(app)
    assert HOSTILE not in html(app)
    assert asked(app, "Ġthe") == ""
    app.button(key="learned").click().run()
    for step in (OWN.steps[0], OWN.steps[20]):
        said = asked(app, step.token)
        assert f"in step {step.step:,}, of {step.left} + {step.right}, counted" in said
    assert "Its text occurs" in said
    assert "before the first step" in asked(app, "t")
    assert asked(app, HOSTILE) == ""
    assert "The file has no token “&lt;b&gt;&amp;lt;”" in html(app)
    # Trained once, it is there for everybody.
    assert not page(TEXT).button


def test_never_is_told_with_why():
    app = page("zz zz ab")
    app.button(key="learned").click().run()
    assert "never: its text does not occur" in asked(app, OWN.steps[0].token)
    assert "before the first step" in asked(app, "z")
    assert "does not occur" in asked(app, "é")


def test_a_file_of_wordpiece_is_trained_as_wordpiece():
    run = tokviz.train(TEXT, "wordpiece", 120, "bert", score="frequency")
    app = page(TEXT, remember(export(run, "tokenizer.json")))
    assert "WordPiece is trained on the text of the page Train" in html(app)
    assert "another kind" not in html(app)
    app.button(key="learned").click().run()
    for step in (run.steps[0], run.steps[30]):
        assert f"in step {step.step:,}, of {step.left} + {step.right}" in asked(app, step.token)


@pytest.mark.parametrize("model_type", ["bpe", "unigram"])
def test_a_model_of_sentencepiece_is_told_by_its_rules(model_type):
    lines = tokviz.SAMPLES["alice"].documents
    data = trained_model(lines, model_type=model_type, vocab_size=300)
    app = page("the the cat the cat", remember({"some.model": data}))
    assert "as SentencePiece trains it" in html(app)
    assert ("no order of learning" in html(app)) == (model_type == "unigram")
    app.button(key="learned").click().run()
    assert "in step 3, of ␣t + he, counted 3 times" in asked(app, "▁the").replace("▁", "␣")


def test_another_prefix_of_wordpiece_is_told():
    made = library_tokenizers.bert()
    file = json.loads(made.to_str())
    file["model"]["continuing_subword_prefix"] = "@@"
    app = page(TEXT, remember({"tokenizer.json": json.dumps(file).encode()}))
    assert "The file is of another kind, WordPiece, which this does not train" in html(app)


def test_another_kind_of_file_is_told_and_what_is_gone_is_a_sentence(monkeypatch):
    key = remember({"tokenizer.json": library_tokenizers.t5().to_str().encode()})
    app = page(TEXT, key)
    said = html(app)
    assert "The file is Unigram, which has no order of learning" in said
    assert "BPE is shown in its place" in said
    assert "of several the one that is seen first" in said

    def cancelled(*_args):
        raise Cancelled("Training was cancelled.")

    monkeypatch.setattr(own_trainings, "compute_once", cancelled)
    app.button(key="learned").click().run()
    assert "Training was cancelled." in html(app)
    assert LEARNED_WANTED not in app.session_state
    assert app.button
