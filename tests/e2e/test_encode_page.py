"""What a person does on the page Encode, compared with the engine run in this process."""

from dataclasses import replace

import pytest
from app_page import App
from player_page import COLOURS
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_links
from tokviz.server.runs import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus
RUN = run_of_sample(tokviz.SAMPLES["course"])
SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDPIECE = replace(
    RUN,
    algorithm="wordpiece",
    vocab_size=70,
    pretokenizer="bert",
    settings=(("special_tokens", SPECIAL),),
)
HOSTILE = "<img src=x onerror=alert(1)> مرحبا بالعالم 👩‍🚀 é\nnext\ttab \u202eevil"


class Encode:
    """The page as a person uses it: by the names on it."""

    def __init__(self, app):
        self.app, self.page = app, app.page
        self.page.get_by_role("link", name="Encode").click()
        self.page.locator(".tv-columns[data-characters]").wait_for()
        app.settle()
        self.field = self.page.get_by_role("textbox", name="Text")

    def type(self, text):
        self.field.fill(text)
        self.shows(text)

    def shows(self, text):
        """Waits until Python has answered all that was asked, this text last."""
        self.app.settle()
        self.page.locator(f".tv-columns[data-characters='{len(text)}']").wait_for()

    def add(self, step):
        field = self.page.get_by_role("spinbutton", name="Step to add")
        field.fill(str(step))
        field.press("Enter")

    def column(self, name):
        return self.page.get_by_role("region", name=name, exact=True)

    def names(self):
        return self.page.locator(".tv-column").evaluate_all(
            "columns => columns.map(c => c.getAttribute('aria-label'))"
        )

    def tokens(self, name):
        return (
            self.column(name)
            .locator(".tv-tokens .chip")
            .evaluate_all("chips => chips.map(c => c.dataset.token)")
        )

    def facts(self):
        rows = self.page.locator(".tv-token dl div").evaluate_all(
            "rows => rows.map(r => [...r.children].map(c => c.textContent))"
        )
        return dict(rows)

    def bytes(self):
        """The rows of the bytes table: the texts of their cells."""
        expect(self.page.locator(".tv-bytes")).to_be_visible()
        return self.page.locator(".tv-bytes tbody tr").evaluate_all(
            "rows => rows.map(r => [...r.cells].map(c => c.textContent))"
        )

    def rows(self):
        """The rows of the trace: the texts of their cells."""
        return self.page.locator(".tv-rows tbody tr").evaluate_all(
            "rows => rows.map(r => [...r.cells].map(c => {"
            " const chips = [...c.querySelectorAll('.chip')].map(e => e.dataset.token);"
            " return chips.length ? chips.join(' ') : c.textContent; }))"
        )


def test_a_text_is_encoded_as_it_is_typed_tokens_are_looked_into_and_columns_kept(app):
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    page = app.page
    page.get_by_role("radio", name="Encode", exact=True).click()
    app.settle()
    field = page.get_by_role("textbox", name="Text", exact=True)
    expect(field).to_have_value("This is not a token.")
    field.fill("the tokens")
    for t in (13, 3, 13):
        app.go(t)
        tokens = page.get_by_role("region", name=f"After {t} merges").locator(".tv-tokens .chip")
        expect(tokens).to_have_text(history.tokenizer(t).encode("the tokens").tokens)
    assert "/?" in page.url, "the address is the player's"
    app.wait_settled()

    encode = Encode(app)
    expect(encode.field).to_have_value("the tokens")
    assert encode.names() == ["After 13 merges", "After 20 merges"]
    encode.field.press("End")
    encode.field.press_sequentially(" of Tokenizers.", delay=20)
    text = "the tokens of Tokenizers."
    encode.shows(text)
    for t in (13, 20):
        assert encode.tokens(f"After {t} merges") == history.tokenizer(t).encode(text).tokens
    encode.type("token")
    encoding = history.tokenizer().encode("token")
    assert encode.tokens("After 20 merges") == encoding.tokens
    counts = encode.column("After 20 merges").locator(".tv-counts").inner_text()
    assert counts.replace("\n", " ").startswith(f"{len(encoding)} tokens")
    encode.type("")
    assert encode.tokens("After 20 merges") == []

    # A text is read as it is written.
    encode.type("مرحبا بالعالم 12 token")
    tokens = encode.column("After 20 merges").locator(".tv-tokens")
    expect(tokens).to_have_attribute("dir", "rtl")
    directions = tokens.locator(".tv-word").evaluate_all("words => words.map(w => w.dir)")
    assert directions == ["rtl", "rtl", "", "ltr"]
    # One after the other from the right, bytes and markers as well.
    places = "chips => chips.map(c => c.getBoundingClientRect().left)"
    lefts = tokens.locator(".tv-word").nth(1).locator(".chip").evaluate_all(places)
    assert lefts == sorted(lefts, reverse=True)

    # A hostile text is only text.
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    encode.type(HOSTILE)
    assert encode.tokens("After 20 merges") == history.tokenizer().encode(HOSTILE).tokens
    assert page.locator(".tv-encoder img").count() == 0
    assert "\u202e" not in tokens.inner_text()
    app.accessible(".tv-encoder")

    # Ids and tokens that are typed become text.
    field = page.get_by_role("textbox", name="Ids or tokens to decode")
    first = encode.column("After 13 merges").locator(".tv-decoded")
    last = encode.column("After 20 merges").locator(".tv-decoded")
    expect(first).to_be_hidden()
    field.fill(" ".join(map(str, history.tokenizer(20).encode("the tokenizer").ids)))
    expect(last).to_have_text('Decoded: "the tokenizer"')
    field.fill("Ġtoken iz")
    expect(first).to_have_text('"iz" is not in this vocabulary.')
    field.fill("7 999")
    expect(last).to_have_text("id 999 is not in the vocabulary (0 to 49).")
    field.fill("")
    expect(last).to_be_hidden()

    encode.type("This is not a token.")
    column = encode.column("After 20 merges")
    column.locator('.chip[data-token="Ġis"]').click()
    page.get_by_text("How “␣is” was cut").wait_for()
    assert encode.rows() == [
        ["", "the word before", "Ġ i s"],
        ["2", "i s is", "Ġ is"],
        ["14", "Ġ is Ġis", "Ġis"],
    ]
    facts = encode.facts()
    assert (facts["id"], facts["offsets"], facts["text"]) == ("43", "[4, 7)", "␣is")
    assert encode.bytes() == [
        ["␣", "U+0020", "20", "00100000", "Ġ"],
        ["i", "U+0069", "69", "01101001", "i"],
        ["s", "U+0073", "73", "01110011", "s"],
    ]
    page.get_by_role("button", name="Next row").click()
    now = page.locator(".tv-rows tr[aria-current=true]")
    expect(now.locator("td").first).to_have_text("2")
    page.get_by_role("button", name="Previous row").click()
    expect(now.locator("td").nth(1)).to_have_text("the word before")
    expect(column).to_contain_text("Ids back to text: exact.")

    tokens = page.get_by_role("listbox", name="Tokens after 13 merges")
    tokens.focus()
    for key in ("End", "ArrowLeft", "ArrowLeft"):
        tokens.press(key)
    chosen = page.get_by_role("option", selected=True)
    expect(chosen).to_have_attribute("data-token", "Ġa")
    page.get_by_text("How “␣a” was cut").wait_for()
    assert encode.facts()["column"] == "After 13 merges"

    encode.add(5)
    encode.column("After 5 merges").locator(".chip").nth(3).click()
    encode.add(21)
    page.get_by_text("This run has 20 merges.").wait_for()
    assert encode.names() == ["After 5 merges", "After 13 merges", "After 20 merges"]
    app.accessible()
    app.theme("dark")
    app.accessible(**COLOURS)
    encode.type("")
    app.accessible(".tv-encoder", **COLOURS)
    app.theme("light")
    app.accessible(".tv-encoder")
    encode.type("This is a token")
    assert encode.tokens("After 5 merges") == history.tokenizer(5).encode("This is a token").tokens
    app.come_back()
    app.go(7)
    app.wait_settled()
    again = Encode(app)
    expect(again.field).to_have_value("This is a token")
    assert again.names() == ["After 5 merges", "After 7 merges", "After 20 merges"]
    page.get_by_role("button", name="Remove “After 5 merges”").click()
    again.column("After 5 merges").wait_for(state="detached")


def test_an_unknown_word_is_explained_and_nothing_of_any_algorithm_is_cut_off_sideways(
    page, server
):
    lanes = [WORDPIECE, RUN, replace(RUN, algorithm="unigram", vocab_size=100, settings=())]
    query = "&".join(f"lane={link}" for link in to_links(lanes))
    encode = Encode(App(page, f"{server}/?{query}"))
    encode.type("This is the Hugging Face course!")
    assert encode.tokens("After 25 merges")[-1] == "[UNK]"
    column = encode.column("After 25 merges")
    expect(column).to_contain_text('1 unknown token: "!".')
    column.locator('.chip[data-token="[UNK]"]').click()
    page.get_by_text("so the whole word is [UNK]").wait_for()
    assert encode.rows() == [["!", "no", "!"]]
    column.locator('.chip[data-token="##o"]').click()
    page.get_by_text("How “course” was cut").wait_for()
    rows = encode.rows()
    assert [row[:2] for row in rows[:6]] == [
        *([prefix, "no"] for prefix in ("course", "cours", "cour", "cou", "co")),
        ["c", "yes"],
    ]
    assert rows[-1][2] == "c ##o ##u ##r ##s ##e"

    for lane in ("WordPiece", "BPE", "Unigram"):
        page.get_by_role("radio", name=lane, exact=True).click()
        encode.app.settle()
        encode.type("wordsthatarelong" * 12)
        for width, height in ((1366, 768), (390, 844)):
            encode.app.resize(width, height)
            encode.app.fits(
                "html", ".tv-column", ".tv-tokens", ".tv-token", ".tv-trace", ".tv-encoder"
            )
