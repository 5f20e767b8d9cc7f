"""What is typed and not trained yet outlives a reload, in the tab and nowhere else."""

import re

import pytest
from app_page import App
from playwright.sync_api import expect

BACK = "What you had here is back; it is not trained yet."


def corpus(app):
    return app.page.get_by_role("textbox", name="Corpus", exact=True)


def write(app, text):
    """Types without leaving the field: Python has not heard of it."""
    corpus(app).fill(text)
    app.page.wait_for_function(
        "text => (sessionStorage.getItem('tokviz-draft') ?? '').includes(text)", arg=text
    )


def test_a_text_that_was_not_even_sent_comes_back_after_a_reload(app):
    app.open_form()
    write(app, "a rose is a rose")
    app.reload()
    expect(corpus(app)).to_have_value("a rose is a rose")
    expect(app.page.get_by_role("status").filter(has_text=BACK)).to_be_visible()
    app.reload()
    expect(corpus(app)).to_have_value("a rose is a rose")
    app.press_train()
    expect(app.page.locator(".tv-setup")).to_contain_text("My own text")


def test_settings_come_back_with_the_text_until_both_are_trained(app):
    app.open_form()
    app.algorithm("WordPiece")
    app.fill("spinbutton", "Vocabulary size", "33")
    write(app, "a rose is a rose")
    app.reload()
    size = app.page.get_by_role("spinbutton", name="Vocabulary size", exact=True)
    expect(size).to_have_value("33")
    expect(app.page.get_by_role("radio", name="WordPiece", exact=True)).to_be_checked()
    expect(corpus(app)).to_have_value("a rose is a rose")
    app.press_train()
    app.page.wait_for_function("() => !sessionStorage.getItem('tokviz-draft').includes('rose')")
    app.reload()
    expect(corpus(app)).to_have_count(0)
    expect(app.page.locator(".tv-setup")).to_contain_text("WordPiece")


def test_a_draft_is_discarded_for_good(app):
    app.open_form()
    write(app, "a rose is a rose")
    app.reload()
    app.click("Discard it")
    expect(corpus(app)).to_have_count(0)
    assert "rose" not in app.page.evaluate("() => JSON.stringify(sessionStorage)")
    app.reload()
    expect(corpus(app)).to_have_count(0)


def test_a_form_that_was_closed_stays_closed_with_its_draft(app):
    app.open_form()
    write(app, "a rose is a rose")
    app.click("Close")
    app.reload()
    expect(corpus(app)).to_have_count(0)
    app.open_form()
    expect(corpus(app)).to_have_value("a rose is a rose")


@pytest.mark.parametrize("button", ["Close", "Train"])
def test_a_click_before_the_page_has_heard_of_the_text_keeps_it(page, server, button):
    """On a slow network the page still names the sample then, which is no pick of it."""
    held, is_held = [], False

    def slow(browser):
        network = browser.connect_to_server()
        network.on_message(lambda said: held.append(said) if is_held else browser.send(said))
        held.append(browser.send)

    page.route_web_socket(re.compile("_stcore/stream"), slow)
    app = App(page, server)
    app.open_form()
    write(app, "a rose is a rose")
    is_held = True
    corpus(app).press("Tab")
    page.wait_for_timeout(1000)
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_timeout(1000)
    is_held = False
    send, *messages = held
    for said in messages:
        send(said)
    expect(corpus(app)).to_have_count(0)
    app.settle()
    app.open_form()
    expect(corpus(app)).to_have_value("a rose is a rose")


def test_a_text_too_long_for_the_address_is_back_in_the_form(app):
    words = " ".join(f"w{n * n * n}x{n}" for n in range(3000))
    app.train(words, "BPE", 60)
    assert "lane=" not in app.page.url
    app.settle()
    app.reload()
    expect(corpus(app)).to_have_value(words)
    assert words not in app.page.url


def test_one_tab_does_not_know_the_draft_of_another(app, visits):
    app.open_form()
    write(app, "a rose is a rose")
    other = App(visits.new_page(), app.page.url)
    other.settle()
    expect(corpus(other)).to_have_count(0)
    assert "rose" not in app.page.evaluate("() => JSON.stringify(localStorage) + document.cookie")
    other.page.close()


def test_who_comes_to_another_address_in_the_same_tab_finds_no_draft(app, server):
    """At a shared computer that may be the next person."""
    app.open_form()
    write(app, "a rose is a rose")
    same = app.page.url
    app.page.goto(same)
    app.opened()
    expect(corpus(app)).to_have_value("a rose is a rose")
    app.page.goto(f"{server}/?step=3")
    app.opened()
    expect(corpus(app)).to_have_count(0)
    app.open_form()
    assert "rose" not in corpus(app).input_value()
    app.settle()
    assert "rose" not in app.page.evaluate("() => JSON.stringify(sessionStorage)")


def test_a_pattern_that_is_not_finished_loses_no_text(app):
    app.open_form()
    app.pick("Pre-tokenizer", "Regular expression")
    app.fill("textbox", "Pattern", "(unfinished")
    write(app, "a rose is a rose")
    app.reload()
    expect(corpus(app)).to_have_value("a rose is a rose")


def test_a_long_text_on_encode_is_back_where_it_was_typed(app):
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


def test_the_text_for_a_lesson_is_back_in_its_field(page, server):
    page.goto(f"{server}/learn?lesson=why-subwords")
    page.get_by_role("button", name="Another text").click()
    text = page.get_by_role("textbox", name="Your own text")
    text.fill("a rose is a rose")
    page.wait_for_function("() => (sessionStorage['tokviz-draft'] ?? '').includes('rose')")
    page.reload()
    page.get_by_role("button", name="Another text").click()
    expect(text).to_have_value("a rose is a rose")
