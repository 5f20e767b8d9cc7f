"""What all tests of pages share."""

import pytest
from app_test import File
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

import tokviz
from tokviz.formats.exports import export
from tokviz.pages import open_file
from tokviz.pages.form import live
from tokviz.pages.opened_text import TABLE
from tokviz.pages.opened_tokenizer import TAB
from tokviz.server import waiting


@pytest.fixture(autouse=True)
def patient(monkeypatch):
    """What is changed in the set-up is trained at once, however busy the machine is."""
    monkeypatch.setattr(live, "MOMENT", 60)
    monkeypatch.setattr(waiting, "MOST_WAITED", 60)


@pytest.fixture(scope="module")
def merges():
    text = tokviz.SAMPLES["course"].corpus
    run = tokviz.train(text, "bpe", 300, "gpt2", unit="byte", initial_alphabet=("bytes",))
    return export(run, "tokenizer.json")["tokenizer.json"]


@pytest.fixture
def opened(monkeypatch):
    """The page with files that somebody chose, where a tab and the table of a text may be open."""
    shown = []

    def draw():
        from tokviz.pages import open_file

        open_file.page()

    def open_files(*files, tab="Encode", table=False):
        chosen = [File(*file) for file in files]
        monkeypatch.setattr(open_file.st, "file_uploader", lambda *_args, **_kwargs: chosen)
        monkeypatch.setattr(open_file, "show_moment", shown.append)
        app = AppTest.from_function(draw, default_timeout=PATIENCE)
        app.shown = shown
        app.session_state[TAB], app.session_state[TABLE] = tab, table
        return app.run()

    return open_files
