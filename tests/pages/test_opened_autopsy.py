"""The tab "Autopsy" of an opened tokenizer."""

import json

from app_test import html
from helpers import PATIENCE
from library_tokenizers import byte_level_bpe
from streamlit.testing.v1 import AppTest

from tokviz.pages.opened_autopsy import KINDS, REASONS
from tokviz.pages.widgets.keys import AUTOPSY_WANTED
from tokviz.server.opened.opened_files import remember

HOSTILE = "<b>&lt;"


def page(key):
    def draw(key):
        from tokviz.pages.opened_autopsy import autopsy_view

        autopsy_view(key)

    return AppTest.from_function(draw, default_timeout=PATIENCE, args=(key,)).run()


def test_a_vocabulary_is_examined_when_asked_and_shown_as_text():
    whole = json.loads(byte_level_bpe().to_str())
    vocab = whole["model"]["vocab"]
    odd = vocab[HOSTILE] = max(vocab.values()) + 1
    key = remember({"tokenizer.json": json.dumps(whole).encode()})
    app = page(key)
    assert not app.dataframe
    app.button(key="autopsy").click().run()
    assert not app.exception
    counts, rows, kinds = (frame.value for frame in app.dataframe)
    assert counts["finding"].tolist() == list(KINDS.values())
    found = rows[rows["id"] == odd]
    assert set(found["finding"]) == {KINDS["unreached"], KINDS["no parts"]}
    assert set(found["token"]) == {HOSTILE}
    assert set(found["reason"]) <= {"", *REASONS.values()}
    assert f"{kinds['tokens'].sum():,} tokens were examined, 1 special" in html(app)
    # What is known needs no button, for nobody.
    again = page(key)
    assert len(again.dataframe) == 3
    assert AUTOPSY_WANTED in again.session_state


def test_what_is_gone_is_a_sentence():
    app = page("gone")
    app.button(key="autopsy").click().run()
    assert not app.exception
    assert "open its file again" in html(app)
    assert AUTOPSY_WANTED not in app.session_state
