"""A token that is selected or looked for: its card, and where it is marked."""

from dataclasses import replace

from app_page import App
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus


def test_a_selected_token_shows_its_card(app):
    app.page.locator('.chip[data-token="Ġtoken"]').first.click()
    card = app.page.locator(".tv-card")
    said = card.inner_text()
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    count = dict(zip(history.vocab(13), history.token_counts(13), strict=True))["Ġtoken"]
    assert f"count now\n{count}" in said
    assert "Ġtoken" in card.locator("dt:text-is('words') + dd").inner_text().replace(" ", "")
    assert card.locator("dt:text-is('from') + dd .chip").count() == 2
    assert "step 12" in said
    assert "U+0020 U+0074 U+006F" in card.inner_text()
    assert "20 74 6f 6b 65 6e" in card.inner_text()
    app.page.keyboard.press("Escape")
    expect(card).to_be_hidden()


def test_a_closed_card_stays_closed_while_the_mouse_rests(app):
    app.page.locator(".tv-corpus .chip").first.evaluate(
        """async chip => {
            const over = { bubbles: true, pointerType: 'mouse' };
            chip.dispatchEvent(new PointerEvent('pointerover', over));
            chip.click();
            chip.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
            // Timers keep their order: this one comes after that of the card.
            await new Promise(resolve => setTimeout(resolve, 400)); }"""
    )
    expect(app.page.locator(".tv-card")).to_be_hidden()


def test_a_space_is_seen_in_the_card(app):
    app.page.locator('.chip[data-token="Ġtoken"]').first.click()
    text = app.page.locator(".tv-card dt:text-is('text') + dd")
    assert text.inner_text() == "␣token"
    colours = "dd => [dd.querySelector('.m'), dd].map(e => getComputedStyle(e).color)"
    sign, letters = text.evaluate(colours)
    assert sign != letters, "dimmed, so that nobody takes it for a part of the text"


def test_a_special_token_has_a_card(page, server):
    run = run_of_sample(tokviz.SAMPLES["course"])
    special = (("special_tokens", ("<pad>", "the")),)
    app = App(page, f"{server}/?lane={to_link(replace(run, settings=special))}")
    app.page.locator(".tv-corpus .chip.special").first.click()
    card = app.page.locator(".tv-card")
    assert card.locator(".chip").get_attribute("data-token") == "the"
    assert "special token, never trained" in card.inner_text()
    assert card.locator("dt:text-is('id') + dd").inner_text() == "1"
    outlined = "e => getComputedStyle(e).outlineStyle"
    for chip in app.page.locator(".tv-corpus .chip.special").all():
        assert chip.evaluate(outlined) == "solid"


def test_marking_text_with_the_mouse_keeps_the_selected_token(app):
    app.page.locator('.tv-corpus .chip[data-token="Ġtoken"]').first.click()
    words = app.page.locator(".tv-corpus .tv-word")
    first, last = words.nth(1).bounding_box(), words.nth(4).bounding_box()
    app.page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    app.page.mouse.down()
    app.page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=5)
    app.page.mouse.up()
    assert app.page.evaluate("() => String(getSelection())")
    card = app.page.locator(".tv-card")
    expect(card).to_be_visible()
    app.page.locator(".tv-candidates h3").click()
    expect(card).to_be_hidden()


def test_a_token_is_found_by_name_with_the_keyboard(app):
    app.page.keyboard.press("/")
    app.page.keyboard.type("Ġtoken")
    app.page.keyboard.press("Enter")
    card = app.page.locator(".tv-card")
    expect(card).to_be_visible()
    assert card.locator(".chip").first.get_attribute("data-token") == "Ġtoken"


def test_a_token_of_bytes_is_found_by_the_text_that_it_shows(app):
    app.train("日本 日本 日本 café café café au lait", "BPE", 60)
    app.click("Last step")
    card = app.page.locator(".tv-card")
    field = app.page.get_by_role("combobox", name="Find a token")
    for typed in ("日", "本", "é"):
        app.page.locator(".tv-corpus").focus()
        app.page.keyboard.press("/")
        field.fill(typed)
        offered = app.page.locator("#tv-tokens option").evaluate_all("all => all.map(o => o.value)")
        assert offered
        assert all(typed in name for name in offered)
        field.press("Enter")
        assert card.locator(".chip").first.text_content() == offered[0]


def test_escape_in_the_finder_closes_the_card(app):
    field = app.page.get_by_role("combobox", name="Find a token")
    field.fill("Ġtoken")
    field.press("Enter")
    card = app.page.locator(".tv-card")
    expect(card).to_be_visible()
    field.press("Escape")
    expect(card).to_be_hidden()
    assert field.input_value() == ""
    outlined = "e => getComputedStyle(e).outlineStyle"
    chip = app.page.locator('.tv-corpus .chip[data-token="Ġtoken"]').first
    assert chip.evaluate(outlined) == "none"


def test_a_token_that_does_not_exist_leaves_a_sentence(app):
    field = app.page.get_by_role("combobox", name="Find a token")
    field.fill("zzz")
    field.press("Enter")
    assert field.evaluate("e => e.validationMessage") == "No token holds this text."
    field.fill("oken")
    field.press("Enter")
    assert app.page.locator(".tv-card .chip").first.get_attribute("data-token") == "Ġtoken"
