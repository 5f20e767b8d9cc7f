"""What a person takes along: a link that opens elsewhere as it was, and files."""

import re
from urllib.parse import parse_qs, urlparse

import pytest
from app_page import App
from playwright.sync_api import expect

import tokviz
from tokviz.formats.exports import export
from tokviz.pages.visit.link import from_links


def share(app, way=None):
    app.page.get_by_role("button", name="Share", exact=True).click()
    dialog = app.page.get_by_role("dialog", name="Take it with you")
    dialog.wait_for()
    if way:
        dialog.get_by_role("radio", name=way, exact=True).click()
    app.settle()
    return dialog


def save(page, button):
    with page.expect_download() as download:
        button.click()
    return download.value


def player(page):
    """The pixels of the player, with nothing pointed at."""
    page.mouse.move(0, 0)
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    # What was drawn in parts may have its letters at other fractions of a pixel: all is drawn anew,
    # more than once on a busy machine.
    for look in ("none", ""):
        page.locator(".tv-player").first.evaluate(
            "(e, look) => { e.style.display = look; return new Promise(requestAnimationFrame); }",
            look,
        )
    return page.locator(".tv-player").first.screenshot(animations="disabled")


@pytest.fixture(scope="module")
def tokenizers():
    text = tokviz.SAMPLES["course"].corpus
    run = tokviz.train(text, "bpe", 300, "gpt2", unit="byte", initial_alphabet=("bytes",))
    whole, half = (export(run, "tokenizer.json", t)["tokenizer.json"] for t in (len(run), 5))
    kind = {"mimeType": "application/json"}
    return [
        {"name": "half.json", "buffer": half, **kind},
        {"name": "mine.json", "buffer": whole, **kind},
    ]


def open_file(app, file, until):
    app.page.get_by_role("link", name="Open", exact=True).click()
    app.page.get_by_role("heading", name="Open a file").wait_for()
    app.settle()
    app.upload(file, until)


def test_files_are_saved_another_leaves_a_sentence_and_the_merges_of_a_tokenizer_are_watched(
    app, tmp_path, tokenizers
):
    page = app.page
    app.go(7)
    app.wait_settled()
    app.charts()
    dialog = share(app, "Web page")
    app.accessible("[role=dialog]")
    file = save(page, dialog.get_by_role("button", name="Save as web page"))
    file.save_as(tmp_path / "run.html")
    assert not page.get_by_test_id("stPopoverBody").count(), "a list of algorithms over the dialog"
    alone = page.context.new_page()
    alone.goto((tmp_path / "run.html").as_uri())
    expect(alone.locator("[data-steps]")).to_have_attribute("data-step", "7")
    alone.close()
    for way, name, begins in (
        ("Tokenizer", "Save tokenizer.json", b'{"version"'),
        ("Tables", "candidates.csv", b"left,right,token,count"),
        ("Picture", "Save as SVG", b"<svg"),
        ("Picture", "Save as PNG", b"\x89PNG"),
        ("Picture", "Save as PDF", b"%PDF"),
        ("Picture", "Save as animated SVG", b"<svg"),
        ("Picture", "Save as GIF", b"GIF89a"),
        ("Picture", "Save as PNG files (zip)", b"PK"),
    ):
        dialog.get_by_role("radio", name=way, exact=True).click()
        app.settle()
        button = dialog.get_by_role("button", name=name, exact=True)
        button.wait_for()
        saved = save(page, button).path()
        assert saved.read_bytes().startswith(begins), name
    app.accessible("[role=dialog]")
    # The keys of the player are not those of the dialog.
    page.keyboard.press("ArrowRight")
    assert app.step == 7
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="hidden")

    hostile = {"name": "<b>.model", "mimeType": "application/octet-stream", "buffer": b"nothing"}
    open_file(app, hostile, r"'<b>\.model'")
    expect(page.get_by_role("alert")).to_contain_text("is not a SentencePiece model")
    app.upload(tokenizers, "Vocabulary size")
    app.fill("textbox", "Text", "This is a tokené")
    page.get_by_text(re.compile("cuts are lit")).first.wait_for()
    expect(page.locator(".tv-cell.apart").first).to_be_visible()
    expect(page.locator(".tv-stack > bdi").first).to_have_text("é")
    app.accessible()
    page.get_by_role("button", name="Watch its merges").click()
    app.opened()
    expect(app.button("Merges of mine.json")).to_be_visible()
    app.go(1)
    assert app.narration == (
        "Step 1: merged Ġ + t into Ġt (7 times). Its rank is 0 of 44. "
        "Next in rank i + s, rank 1, with 5."
    )
    assert app.candidates()[0] == [["i", "s"], "next"]
    expect(page.locator(".st-key-strip_said")).to_contain_text("does not fit into a link")
    # The address is this server's own.
    app.wait_settled()
    _runs, [lost] = from_links(parse_qs(urlparse(page.url).query)["lane"])
    assert "is not kept any more" in str(lost), "by others"
    page.get_by_role("button", name="Compare side by side").wait_for()


def test_a_link_and_a_file_bring_the_moment_back(app, server, tmp_path):
    """The link shows the same pixels in another tab."""
    page = app.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    app.train("low low lower lowest, newer newest", "BPE", 20)
    app.press("w", "+")
    app.go(4)
    page.locator(".tv-word .chip").nth(2).click()
    dialog = share(app)
    dialog.get_by_role("button", name="Copy link").click()
    dialog.get_by_text("Copied.").wait_for()
    link = page.evaluate("() => navigator.clipboard.readText()")
    assert re.search(r"step=4&speed=8&view=words&beside=token&token=0\.\d\.", link)
    assert link == dialog.get_by_role("textbox", name="Link").input_value()
    # A page that is not served safely has no clipboard of its own.
    page.evaluate("() => (window.board = navigator.clipboard).writeText('other')")
    page.evaluate("() => Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    dialog.get_by_role("button", name="Copy link").click()
    page.wait_for_function("link => board.readText().then(text => text === link)", arg=link)
    dialog.get_by_text("Copied.").wait_for()
    expect(dialog.get_by_role("img", name="QR code of the link")).to_be_visible()
    app.accessible("[role=dialog]")
    saved = save(page, dialog.get_by_role("button", name="Save this moment as a file"))
    saved.save_as(tmp_path / "moment.tokviz.json")
    dialog.get_by_role("button", name="Close").click()
    dialog.wait_for(state="hidden")
    app.settle()
    # What a tab keeps, another one does not have.
    other = App(page.context.new_page(), link)
    other.page.locator(".tv-card").wait_for()
    assert any(player(other.page) == player(page) for _ in range(5))
    assert other.words() == app.words()
    other.page.close()

    words = app.words()
    page.goto(f"{server}/open")
    page.get_by_role("heading", name="Open a file").wait_for()
    app.settle()
    page.locator("input[type=file]").set_input_files(tmp_path / "moment.tokviz.json")
    expect(page.locator("[data-steps]")).to_have_attribute("data-step", "4")
    app.opened()
    assert app.words() == words
    expect(page.get_by_label("Sample")).to_have_value("My own text")
