"""The page Open finds tokenizers by name, where the operator of the server allows it."""

import json
from dataclasses import replace
from threading import Event

import pytest
from app_test import html
from helpers import PATIENCE
from library_tokenizers import byte_level_bpe
from streamlit.testing.v1 import AppTest

from tokviz.formats.readers.bounded_json import TokenizerFileError
from tokviz.pages.widgets.keys import NAMED
from tokviz.server import limits
from tokviz.server.opened import named_files
from tokviz.text.corpus import Cancelled

HOSTILE = "<img src=x onerror=alert(1)>"
FILE = byte_level_bpe().to_str().encode()
CONFIG = json.dumps({"bos_token": "<s>"}).encode()


@pytest.fixture
def allow(monkeypatch):
    """Sets the limits of the server."""

    def allow(**names):
        changed = replace(limits.LIMITS, names=replace(limits.LIMITS.names, **names))
        monkeypatch.setattr(limits, "LIMITS", changed)

    return allow


@pytest.fixture
def fetched(monkeypatch):
    """What is asked of the network; "slow" waits until it is cancelled."""
    asked = []

    def fetch(name, progress, most_bytes):
        asked.append((name, most_bytes))
        if name == "slow":
            while progress(named_files.Progress("bytes", 1_000, 4_000, 0.1)) is not False:
                Event().wait(0.01)
            raise Cancelled("Cancelled.")
        if name == HOSTILE:
            raise TokenizerFileError.saying("{name!r} is no name.", name=name)
        return {"tokenizer.json": FILE}

    monkeypatch.setattr(named_files, "fetch_files", fetch)
    return asked


def page(*names):
    """The page; names that are none of those offered can be there from the start only."""

    def draw():
        from tokviz.pages import open_file

        open_file.page()

    app = AppTest.from_function(draw, default_timeout=PATIENCE)
    app.session_state[NAMED] = [*names]
    return app.run()


def chosen(app, *names):
    app.multiselect(key=NAMED).set_value([*names]).run()
    assert not app.exception
    return app


def test_nothing_is_offered_until_the_operator_allows_it_and_a_sentence_says_so(allow, fetched):
    app = page()
    assert not app.multiselect
    assert "this server opens none: whoever runs it can allow that in its limits file" in html(app)
    assert not limits.LIMITS.names.download
    assert fetched == []
    allow(download=True)
    assert "this server opens none" not in html(page())


def test_a_name_is_downloaded_once_and_shown(allow, fetched):
    allow(download=True, bytes=1_234_567)
    app = page()
    options = app.multiselect(key=NAMED).options
    assert options[0] == "o200k_base · GPT-4o and later, by OpenAI: byte BPE, 200,000 tokens"
    chosen(app, "gpt2").run()
    assert fetched == [("gpt2", 1_234_567)]
    assert "tokenizer.json" in html(app)
    assert app.tabs
    app = page(HOSTILE)
    assert "&lt;img src=x onerror=alert(1)&gt;" in html(app)
    assert HOSTILE not in html(app)
    assert not app.tabs


def test_several_names_are_shown_beside_one_another_and_downloaded_once_each(allow, fetched):
    allow(download=True)
    app = chosen(chosen(page(), "gpt2"), "gpt2", "o200k_base")
    assert [name for name, _ in fetched] == ["gpt2", "o200k_base"]
    # Both are the same tokenizer here: one is shown, and named as it was last.
    assert "cuts are lit" not in html(app)
    chosen(app, "o200k_base")
    chosen(app, "gpt2")
    assert [name for name, _ in fetched] == ["gpt2", "o200k_base", "gpt2"], "what is left is gone"
    chosen(app, HOSTILE, "gpt2")
    assert "&lt;img src=x onerror=alert(1)&gt;" in html(app)
    assert app.tabs


def test_what_takes_too_long_is_a_sentence(allow, fetched):
    allow(download=True, seconds=0.2)
    app = page("slow")
    assert fetched[0][0] == "slow"
    assert "slow took longer than 0.2 s to download" in html(app)


def test_a_download_tells_how_far_it_is_and_can_be_cancelled(allow, fetched):
    allow(download=True)
    download = named_files.Download("slow")
    while download.report is None:
        assert not download.wait(0.01)
    assert (download.report.done, download.report.total) == (1_000, 4_000)
    download.cancel()
    assert download.wait(PATIENCE)
    with pytest.raises(Cancelled):
        download.files()
    assert fetched[0][0] == "slow"


def test_the_folder_of_the_server_is_offered_and_nothing_outside_of_it(allow, fetched, tmp_path):
    folder = tmp_path / "shared"
    model = folder / "ours"
    model.mkdir(parents=True)
    (tmp_path / "secret.json").write_bytes(FILE)
    (folder / ".hidden").write_bytes(FILE)
    (folder / "one.json").write_bytes(FILE)
    (model / "tokenizer.json").write_bytes(FILE)
    (model / "tokenizer_config.json").write_bytes(CONFIG)
    (model / "weights.bin").write_bytes(b"0")
    allow(folder=str(folder))
    app = page()
    said = "in the folder of this server"
    assert app.multiselect(key=NAMED).options == [f"one.json · {said}", f"ours · {said}"]
    assert "bos_token" in html(chosen(app, "ours"))
    assert named_files.folder_files("one.json") == {"one.json": FILE}
    for name in ("../secret.json", ".hidden", "gone", ""):
        with pytest.raises(TokenizerFileError, match="is not in this server’s folder any more"):
            named_files.folder_files(name)
    allow(bytes=100)
    with pytest.raises(TokenizerFileError, match="ours has more than 100 bytes"):
        named_files.folder_files("ours")
    allow(folder=str(folder / "gone"))
    assert not page().multiselect
    assert fetched == []
