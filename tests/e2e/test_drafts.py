"""What is typed and not trained yet outlives a reload, in the tab and nowhere else."""

import re

from app_page import App
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

BACK = "What you had here is back; it is not trained yet."


def corpus(app):
    return app.page.get_by_role("textbox", name="Corpus", exact=True)


def own_text(app):
    return app.page.get_by_role("textbox", name="Your text", exact=True)


def write(app, text):
    """Types without leaving the field: Python has not heard of it."""
    corpus(app).fill(text)
    app.page.wait_for_function(
        "text => (sessionStorage.getItem('tokviz-draft') ?? '').includes(text)", arg=text
    )


def kept(app):
    """All that the tab keeps."""
    return app.page.evaluate("() => JSON.stringify(sessionStorage)")


def test_text_and_settings_come_back_after_a_reload_until_they_are_trained(app):
    app.open_form()
    app.algorithm("WordPiece")
    app.fill("spinbutton", "Vocabulary size", "33")
    write(app, "a rose is a rose")
    for _ in range(2):
        app.reload()
        expect(corpus(app)).to_have_value("a rose is a rose")
        expect(app.page.get_by_role("status").filter(has_text=BACK)).to_be_visible()
        size = app.page.get_by_role("spinbutton", name="Vocabulary size", exact=True)
        expect(size).to_have_value("33")
        expect(app.page.get_by_role("radio", name="WordPiece", exact=True)).to_be_checked()
    app.press_train()
    expect(app.page.locator(".tv-setup")).to_contain_text("My own text")
    app.page.wait_for_function("() => !sessionStorage.getItem('tokviz-draft').includes('rose')")
    app.reload()
    expect(corpus(app)).to_have_count(0)
    expect(app.page.get_by_role("radio", name="WordPiece", exact=True)).to_be_checked()

    # A text too long for the address is back too, and trained again.
    words = " ".join(f"w{n * n * n}x{n}" for n in range(3000))
    app.train(words, "BPE", 60)
    assert "lane=" not in app.page.url
    app.settle()
    app.reload()
    expect(own_text(app)).to_have_value(words)
    expect(app.page.locator(".tv-setup")).to_contain_text("My own text")
    assert words not in app.page.url


def test_a_draft_is_in_its_tab_at_its_address_and_nowhere_else_until_it_is_discarded(
    app, server, visits
):
    app.open_form()
    app.pick("Pre-tokenizer", "Regular expression")
    app.fill("textbox", "Pattern", "(unfinished")
    write(app, "a rose is a rose")
    other = App(visits.new_page(), app.page.url)
    other.settle()
    expect(corpus(other)).to_have_count(0)
    other.page.close()
    assert "rose" not in app.page.evaluate("() => JSON.stringify(localStorage) + document.cookie")
    app.reload()
    expect(corpus(app)).to_have_value("a rose is a rose")
    # Left while its field is just being drawn, and is empty.
    corpus(app).evaluate("field => { field.value = ''; }")
    app.reload()
    expect(corpus(app)).to_have_value("a rose is a rose")

    app.click("Close")
    app.reload()
    expect(corpus(app)).to_have_count(0)
    expect(own_text(app)).to_have_value("a rose is a rose")
    app.open_form()
    write(app, "an iris is an iris")
    app.reload()
    app.click("Discard it")
    expect(corpus(app)).to_have_count(0)
    expect(own_text(app)).to_have_value("a rose is a rose")
    assert "iris" not in kept(app)
    app.reload()
    expect(corpus(app)).to_have_count(0)

    # At a shared computer, whoever comes by another address may be the next person.
    app.open_form()
    write(app, "an iris is an iris")
    app.page.goto(app.page.url)
    app.opened()
    expect(corpus(app)).to_have_value("an iris is an iris")
    app.page.goto(f"{server}/?step=3")
    app.opened()
    expect(corpus(app)).to_have_count(0)
    app.open_form()
    assert "iris" not in corpus(app).input_value()
    app.settle()
    assert "iris" not in kept(app)


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
    for button, text in (("Close", "a rose is a rose"), ("Train", "a cat is a cat")):
        app.open_form()
        write(app, text)
        is_held = True
        corpus(app).press("Tab")
        answered()
        page.get_by_role("button", name=button, exact=True).click()
        answered()
        is_held = False
        for said in held:
            send[-1](said)
        held.clear()
        expect(corpus(app)).to_have_count(0)
        app.settle()
        app.open_form()
        expect(corpus(app)).to_have_value(text)
        app.click("Close")


def test_what_was_typed_on_other_pages_is_back_in_its_fields(page, server, app):
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
    page.reload()
    page.get_by_role("button", name="Another text").click()
    expect(text).to_have_value("an iris is an iris")
