"""What is typed and not trained yet outlives a reload, in the tab and nowhere else."""

import re

from app_page import App, slow
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tokviz.pages.form.corpus_fields import LARGEST_EDITED

#: Every seed costs a look at all words: that takes long, and waits for a button.
LONG = " ".join(f"{i * 7919 % 1_000_003:x}" for i in range(16_000))

#: Types into a field, and goes to another page in the same moment.
TYPE_AND_LEAVE = """(field, text) => {
    field.focus();
    field.setSelectionRange(field.value.length, field.value.length);
    document.execCommand("insertText", false, text);
    document.querySelector('a[href$="/how-it-works"]').click();
}"""


#: Takes what a tab can keep, but for less than 100,000 characters.
FILL = """() => {
    sessionStorage.other = "";
    for (const more of [1e6, 1e5])
        try { for (;;) sessionStorage.other += "x".repeat(more); } catch {}
}"""


def own_text(app):
    return app.page.get_by_role("textbox", name="Your text", exact=True)


def write(app, text):
    """Types without leaving the field: Python may not have heard of it."""
    own_text(app).fill(text)
    app.page.wait_for_function(
        "text => (sessionStorage.getItem('tokviz-draft') ?? '').includes(text)", arg=text
    )


def kept(app):
    """All that the tab keeps."""
    return app.page.evaluate("() => JSON.stringify(sessionStorage)")


def test_what_takes_long_to_train_outlives_its_visit_and_no_length_is_lost(page, server):
    """Beyond what a field is filled with, and beyond what a tab can keep."""
    app = App(page, f"{server}/?{slow()}")
    text = LONG * 3
    assert len(text) > LARGEST_EDITED
    write(app, text)
    train = app.button("Train")
    train.wait_for()
    app.leave()
    app.come_back()
    expect(own_text(app)).to_have_value(text)
    train.wait_for()
    # Left while its field is just being drawn, and is empty.
    own_text(app).evaluate("field => { field.value = ''; }")
    app.reload()
    expect(own_text(app)).to_have_value(text)
    train.wait_for()
    expect(page.get_by_role("radio", name="Unigram", exact=True)).to_be_checked()
    # It is in its tab, at its address, and nowhere else.
    nowhere = page.evaluate("() => JSON.stringify(localStorage) + document.cookie")
    assert LONG[:50] not in nowhere + page.url
    page.goto(page.url)
    app.opened()
    expect(own_text(app)).to_have_value(text)
    unkept = page.get_by_text("What you typed is too long for this tab to keep")
    lost = page.get_by_text("The settings that you had here are back, but not their text")
    expect(unkept).to_have_count(0)

    # A tab can keep some millions of characters: most of them are something else's here.
    page.evaluate(FILL)
    app.type_text(f"a {text} rose {text}")
    expect(unkept).to_be_visible()
    app.reload()
    assert own_text(app).input_value()[:2] != "a "
    expect(lost).to_be_visible()
    app.type_text("a rose")
    expect(unkept).to_have_count(0)
    app.reload()
    expect(own_text(app)).to_have_value("a rose")
    expect(lost).to_have_count(0)

    # At a shared computer, whoever comes by another address may be the next person.
    write(app, "an iris")
    page.goto(f"{server}/?step=3")
    app.opened()
    assert "iris" not in own_text(app).input_value()
    assert "iris" not in kept(app)


def test_what_is_trained_is_in_the_address_and_other_pages_have_back_what_was_typed(
    page, server, app
):
    app.train("a rose is a rose", "WordPiece", 33)
    app.page.wait_for_function("() => !sessionStorage.getItem('tokviz-draft').includes('rose')")
    # What was typed right before, Python has not heard of.
    own_text(app).fill("an iris is an iris")
    app.reload()
    expect(own_text(app)).to_have_value("an iris is an iris")
    expect(app.page.get_by_role("radio", name="WordPiece", exact=True)).to_be_checked()

    # And before a click on another page, which the browser tells sooner.
    own_text(app).evaluate(TYPE_AND_LEAVE, " in spring")
    page.get_by_role("heading", name="How tokviz works").wait_for()
    app.come_back()
    expect(own_text(app)).to_have_value("an iris is an iris in spring")

    app.page.get_by_role("link", name="Encode").click()
    text = app.page.get_by_role("textbox", name="Text", exact=True)
    long = "a rose is a rose " * 80
    text.fill(long)
    ids = app.page.get_by_role("textbox", name="Ids or tokens to decode")
    ids.fill("3 4 5")
    app.settle()
    app.page.reload()
    expect(text).to_have_value(long)
    expect(ids).to_have_value("3 4 5")
    expect(app.page.locator(".tv-columns")).to_have_attribute("data-characters", str(len(long)))

    page.goto(f"{server}/learn?lesson=why-subwords")
    page.get_by_role("button", name="Another text").click()
    text = page.get_by_role("textbox", name="Your own text")
    text.fill("an iris is an iris")
    page.wait_for_function("() => (sessionStorage['tokviz-draft'] ?? '').includes('iris')")
    another = page.get_by_role("button", name="Another text")
    # Left while its field is just being drawn, and is empty; and once somebody emptied it.
    text.evaluate("field => { field.value = ''; }")
    page.reload()
    another.click()
    expect(text).to_have_value("an iris is an iris")
    # What this page was given back is told to Python first.
    app.settle()
    text.fill("")
    page.wait_for_function("() => !sessionStorage['tokviz-draft'].includes('iris')")
    page.reload()
    another.click()
    expect(text).to_have_value("")


def test_a_click_before_the_page_has_heard_of_the_text_keeps_it(page, server):
    """On a slow network the page still names the sample then, which is no pick of it."""
    held, is_held = [], False

    def slow(browser):
        network = browser.connect_to_server()
        network.on_message(lambda said: held.append(said) if is_held else browser.send(said))
        send.append(browser.send)

    def answered():
        """Waits until the server has drawn the page once more, which the page does not hear of."""
        before = drawn()
        while drawn() == before:
            page.evaluate("() => new Promise(requestAnimationFrame)")

    def drawn():
        kinds = [ForwardMsg.FromString(said).WhichOneof("type") for said in held]
        return kinds.count("script_finished")

    send = []
    page.route_web_socket(re.compile("_stcore/stream"), slow)
    app = App(page, server)
    for button, text in (("Settings", "a rose is a rose"), ("Close", "a cat is a cat")):
        is_held = True
        own_text(app).fill(text)
        own_text(app).press("Tab")
        answered()
        page.get_by_role("button", name=button, exact=True).click()
        answered()
        is_held = False
        for said in held:
            send[-1](said)
        held.clear()
        app.settle()
        expect(own_text(app)).to_have_value(text)
        expect(page.locator(".st-key-panel")).to_have_count(int(button == "Settings"))
        assert app.words()[0] == ["a"]
