"""The page that opens a SentencePiece model, in a browser."""

import io

import sentencepiece
from test_train_page import assert_accessible

import tokviz


def test_a_model_is_opened_and_encodes(app):
    file = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(tokviz.SAMPLES["course"].documents),
        model_writer=file,
        vocab_size=60,
        hard_vocab_limit=False,
        minloglevel=2,
    )
    page = app.page
    page.get_by_role("link", name="Model file").click()
    page.get_by_role("heading", name="A SentencePiece model").wait_for()
    page.locator("input[type=file]").set_input_files(
        {"name": "my.model", "mimeType": "application/octet-stream", "buffer": file.getvalue()}
    )
    page.get_by_text("UNIGRAM").first.wait_for()
    app.settle()
    page.get_by_role("textbox", name="Text").fill("This is a token")
    page.get_by_role("textbox", name="Text").press("Control+Enter")
    processor = sentencepiece.SentencePieceProcessor(model_proto=file.getvalue())
    n = len(processor.encode("This is a token"))
    page.get_by_text(f"{n} tokens, 15 characters").wait_for()
    assert_accessible(app)
    page.get_by_role("tab", name="Trainer specification").click()
    assert_accessible(app)


def test_another_file_leaves_a_sentence(app):
    page = app.page
    page.get_by_role("link", name="Model file").click()
    page.locator("input[type=file]").set_input_files(
        {"name": "<b>.model", "mimeType": "application/octet-stream", "buffer": b"nothing"}
    )
    page.get_by_text("<b>.model is not a SentencePiece model, or it is damaged.").wait_for()
