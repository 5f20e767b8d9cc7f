"""What a person does on the page Encode, compared with the engine run in this process."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect
from test_train_page import assert_accessible

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


@pytest.fixture
def encode(app):
    return Encode(app)


@pytest.fixture
def wordpiece(page, server):
    from app_page import App

    return Encode(App(page, f"{server}/?lane={to_links([WORDPIECE])[0]}"))


@pytest.fixture(scope="module")
def history():
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


def test_tokens_follow_the_typing(encode, history):
    expect(encode.field).to_have_value("This is not a token.")
    assert encode.names() == ["After 13 merges", "After 20 merges"]
    encode.field.press("End")
    encode.field.press_sequentially(" Tokenizers tokenize.", delay=20)
    text = "This is not a token. Tokenizers tokenize."
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


def test_columns_are_added_removed_and_kept(encode, history):
    encode.type("This is a token")
    encode.add(5)
    encode.column("After 5 merges").wait_for()
    encode.add(21)
    encode.page.get_by_text("This run has 20 merges.").wait_for()
    assert encode.names() == ["After 5 merges", "After 13 merges", "After 20 merges"]
    assert encode.tokens("After 5 merges") == history.tokenizer(5).encode("This is a token").tokens
    encode.app.come_back()
    encode.app.go(7)
    encode.app.wait_settled()
    again = Encode(encode.app)
    expect(again.field).to_have_value("This is a token")
    assert again.names() == ["After 5 merges", "After 7 merges", "After 20 merges"]
    again.page.get_by_role("button", name="Remove “After 5 merges”").click()
    again.column("After 5 merges").wait_for(state="detached")


def test_the_published_sentence_merge_by_merge(encode):
    column = encode.column("After 20 merges")
    column.locator('.chip[data-token="Ġis"]').click()
    encode.page.get_by_text("How “␣is” was cut").wait_for()
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
    encode.page.get_by_role("button", name="Next row").click()
    now = encode.page.locator(".tv-rows tr[aria-current=true]")
    expect(now.locator("td").first).to_have_text("2")
    encode.page.get_by_role("button", name="Previous row").click()
    expect(now.locator("td").nth(1)).to_have_text("the word before")
    expect(column).to_contain_text("Ids back to text: exact.")


def test_tokens_are_chosen_with_the_keyboard(encode):
    tokens = encode.page.get_by_role("listbox", name="Tokens after 13 merges")
    tokens.focus()
    for key in ("End", "ArrowLeft", "ArrowLeft"):
        tokens.press(key)
    chosen = encode.page.get_by_role("option", selected=True)
    expect(chosen).to_have_attribute("data-token", "Ġa")
    encode.page.get_by_text("How “␣a” was cut").wait_for()
    assert encode.facts()["column"] == "After 13 merges"


def test_the_published_unknown_word(wordpiece):
    expect(wordpiece.field).to_have_value("This is the Hugging Face course!")
    assert wordpiece.tokens("After 25 merges")[-1] == "[UNK]"
    column = wordpiece.column("After 25 merges")
    expect(column).to_contain_text('1 unknown token: "!".')
    column.locator('.chip[data-token="[UNK]"]').click()
    wordpiece.page.get_by_text("so the whole word is [UNK]").wait_for()
    assert wordpiece.rows() == [["!", "no", "!"]]
    column.locator('.chip[data-token="##o"]').click()
    wordpiece.page.get_by_text("How “course” was cut").wait_for()
    rows = wordpiece.rows()
    assert [row[:2] for row in rows[:6]] == [
        *([prefix, "no"] for prefix in ("course", "cours", "cour", "cou", "co")),
        ["c", "yes"],
    ]
    assert rows[-1][2] == "c ##o ##u ##r ##s ##e"


def test_a_hostile_text_is_only_text(encode, history):
    encode.page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    encode.type(HOSTILE)
    assert encode.tokens("After 20 merges") == history.tokenizer().encode(HOSTILE).tokens
    assert encode.page.locator(".tv-encoder img").count() == 0
    tokens = encode.column("After 20 merges").locator(".tv-tokens")
    assert "\u202e" not in tokens.inner_text()
    assert_accessible(encode.app)


def test_a_text_is_read_as_it_is_written(encode):
    encode.type("مرحبا بالعالم 12 token")
    tokens = encode.column("After 20 merges").locator(".tv-tokens")
    expect(tokens).to_have_attribute("dir", "rtl")
    directions = tokens.locator(".tv-word").evaluate_all("words => words.map(w => w.dir)")
    assert directions == ["rtl", "rtl", "", "ltr"]
    # One after the other from the right, bytes and markers as well.
    places = (
        tokens.locator(".tv-word")
        .nth(1)
        .locator(".chip")
        .evaluate_all("chips => chips.map(c => c.getBoundingClientRect().left)")
    )
    assert places == sorted(places, reverse=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(encode, scheme):
    encode.page.emulate_media(color_scheme=scheme)
    assert_accessible(encode.app)
    encode.add(2)
    encode.column("After 2 merges").locator(".chip").nth(3).click()
    encode.add(99)
    assert_accessible(encode.app)
    encode.type("")
    assert_accessible(encode.app)


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080), (390, 844)])
def test_nothing_is_cut_off_sideways(page, server, width, height):
    from app_page import App

    lanes = [RUN, WORDPIECE, replace(RUN, algorithm="unigram", vocab_size=100, settings=())]
    query = "&".join(f"lane={link}" for link in to_links(lanes))
    encode = Encode(App(page, f"{server}/?{query}"))
    encode.app.resize(width, height)
    for lane in ("BPE", "WordPiece", "Unigram"):
        page.get_by_role("radio", name=lane, exact=True).click()
        encode.app.settle()
        encode.type("wordsthatarelong" * 12)
        for part in ("html", ".tv-column", ".tv-tokens", ".tv-token", ".tv-trace", ".tv-encoder"):
            encode.app.fits(part)


def test_the_lens_encodes_beside_the_player(app):
    app.page.get_by_role("radio", name="Encode", exact=True).click()
    app.settle()
    app.page.get_by_role("textbox", name="Text").fill("the tokens")
    tokens = app.page.get_by_role("region", name="After 13 merges").locator(".tv-tokens .chip")
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    expect(tokens).to_have_text(history.tokenizer(13).encode("the tokens").tokens)
    app.go(3)
    tokens = app.page.get_by_role("region", name="After 3 merges").locator(".tv-tokens .chip")
    expect(tokens).to_have_text(history.tokenizer(3).encode("the tokens").tokens)
    assert "/?" in app.page.url, "the address is the player's"
    app.page.get_by_role("link", name="Encode").click()
    expect(app.page.get_by_role("textbox", name="Text")).to_have_value("the tokens")


def test_ids_and_tokens_that_are_typed_become_text(app):
    encode = Encode(app)
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    field = app.page.get_by_role("textbox", name="Ids or tokens to decode")
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
