"""A lane that goes on from a tokenizer's file, as a person uses it: its text, what its tokens save,
what if, the saved tokenizer, and a reload."""

import json

import tokenizers
from playwright.sync_api import expect

import tokviz
from tokviz.formats.exports import export

TEXT = "tokenizer tokenizers, tokens: a tokenizer of tokens"
NAME = "BPE from mine.json"


def test_a_lane_begins_where_a_file_ends_and_is_a_lane_as_any(app, tmp_path):
    page = app.page
    run = tokviz.train(tokviz.SAMPLES["course"].corpus, "bpe", 300, "gpt2", unit="byte")
    old = export(run, "tokenizer.json", 5)["tokenizer.json"]
    file = tmp_path / "mine.json"
    file.write_bytes(old)
    page.get_by_role("link", name="Open", exact=True).click()
    page.get_by_role("heading", name="Open a file").wait_for()
    app.settle()
    app.upload(str(file), "Vocabulary size")
    app.fill("spinbutton", "New tokens", "6")
    app.click("Go on training from here")
    app.opened()
    app.fill("textbox", "Your text", TEXT)
    expect(page.locator("[data-steps]")).to_have_attribute("data-steps", "6")
    expect(page.locator(".tv-corpus").first).to_contain_text("k")
    # What each new token saves, on the text and on another one.
    app.click(NAME)
    page.get_by_text("What each new token saves").click()
    app.fill("textbox", "Held-out text", "no token")
    app.accessible(".st-key-panel")
    app.click("Close")
    # What if: another pair in the first step, in a lane beside it.
    mine = tokviz.open_tokenizer(file)
    history = tokviz.train(TEXT, vocab_size=mine.next_id + 6, continue_from=mine)
    left, right = history.candidates(0).iloc[1][["left", "right"]]
    page.get_by_role("button", name=f"What if “{left}” + “{right}” were merged instead?").click()
    expect(page.locator(".tv-lane")).to_have_count(2)
    app.settle()
    lanes = [NAME, f"{NAME} · What if: step 1 {left} + {right}"]
    assert app.lanes() == lanes
    app.wait_settled()
    app.reload()
    assert app.lanes() == lanes
    # The second lane's tokenizer at its end, as the library loads it.
    app.go(6)
    app.wait_settled()
    page.get_by_role("button", name="Share", exact=True).click()
    dialog = page.get_by_role("dialog", name="Take it with you")
    dialog.get_by_role("radio", name="Tokenizer", exact=True).click()
    app.settle()
    dialog.get_by_role("radio", name=lanes[1], exact=True).click()
    app.settle()
    button = dialog.get_by_role("button", name="Save tokenizer.json", exact=True)
    with page.expect_download() as download:
        button.click()
    saved = download.value.path().read_text("utf-8")
    told = tokviz.branch(history, 0, (left, right))
    ids = tokenizers.Tokenizer.from_str(saved).encode(TEXT, add_special_tokens=False).ids
    assert ids == told.tokenizer().encode(TEXT).ids
    before, merges = (json.loads(each)["model"]["merges"] for each in (old, saved))
    assert merges[: len(before)] == before
    assert len(merges) == len(before) + 6
