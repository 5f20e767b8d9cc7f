"""The page that opens a SentencePiece model, without a browser."""

import io
import sys

import pytest
import sentencepiece
from helpers import PATIENCE
from streamlit.testing.v1 import AppTest

from tokviz import SAMPLES
from tokviz.pages import model as model_page

HOSTILE = "<img/src=x/onerror=alert(1)>"


class File:
    """What the uploader gives."""

    def __init__(self, data, name="my.model"):
        self.data, self.name = data, name

    def getvalue(self):
        return self.data


@pytest.fixture(scope="module")
def trained():
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SAMPLES["course"].documents),
        model_writer=file,
        vocab_size=60,
        hard_vocab_limit=False,
        user_defined_symbols=[HOSTILE],
        minloglevel=2,
    )
    return file.getvalue()


@pytest.fixture
def opened(monkeypatch):
    def draw():
        from tokviz.pages import model

        model.page()

    def open_file(data, asked=None):
        def uploader(label, **_):
            if asked is not None:
                asked.append(label)
            return File(data)

        monkeypatch.setattr(model_page.st, "file_uploader", uploader)
        return AppTest.from_function(draw, default_timeout=PATIENCE).run()

    return open_file


def html(app):
    return "\n".join(element.proto.body for element in app.get("html"))


def test_a_model_shows_what_it_was_trained_with(opened, trained):
    app = opened(trained)
    assert not app.exception
    pieces, trainer, normalizer = (frame.value for frame in app.dataframe[1:4])
    processor = sentencepiece.SentencePieceProcessor(model_proto=trained)
    assert pieces["piece"].tolist() == [
        processor.id_to_piece(i) for i in range(processor.vocab_size())
    ]
    fields = dict(zip(trainer["field"], trainer["value"], strict=True))
    assert fields["vocab_size"] == str(len(pieces))
    assert fields["model_type"] == "UNIGRAM"
    assert fields["user_defined_symbols"] == HOSTILE
    fields = dict(zip(normalizer["field"], normalizer["value"], strict=True))
    assert fields["name"] == "nmt_nfkc"
    assert fields["precompiled_charsmap"].endswith(" bytes")
    assert "UNIGRAM" in html(app)


def test_a_text_is_encoded_as_the_library_does(opened, trained):
    app = opened(trained)
    text = f"This is ½ {HOSTILE} token"
    app.text_area(key="model_text").set_value(text).run()
    table = app.dataframe[0].value
    processor = sentencepiece.SentencePieceProcessor(model_proto=trained)
    assert table["id"].tolist() == processor.encode(text)
    assert HOSTILE not in html(app)


@pytest.mark.parametrize("data", [b"", b"no model", bytes(range(256))])
def test_another_file_leaves_a_sentence(opened, data):
    app = opened(data)
    assert not app.exception
    assert "my.model is not a SentencePiece model" in html(app)
    assert 'role="alert"' in html(app)


@pytest.mark.parametrize(
    "missing", ["sentencepiece.sentencepiece_model_pb2", "google.protobuf.message"]
)
def test_without_its_packages_the_page_says_so_and_asks_for_no_file(
    opened, trained, missing, monkeypatch
):
    asked = []
    monkeypatch.setitem(sys.modules, missing, None)
    app = opened(trained, asked)
    assert not app.exception
    assert html(app).count('role="alert"') == 1
    said = "needs the packages sentencepiece and protobuf; install them with: pip install "
    assert said in html(app)
    assert not asked
    assert not app.dataframe
