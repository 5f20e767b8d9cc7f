"""What outlives a reload, another page or theme, full screen: the runs, the step, the charts."""

import re

from app_page import App
from playwright.sync_api import expect


def test_step_and_charts_outlive_full_screen_presenting_a_theme_and_another_page(app):
    page = app.page
    app.click("Curves")
    app.charts()
    page.get_by_role("button", name="Full screen").click()
    page.wait_for_function(
        "() => ['.tv-player', '.tv-curve svg'].every("
        "s => document.fullscreenElement?.querySelector(s))"
    )
    page.keyboard.press("f")
    page.wait_for_function("() => !document.fullscreenElement")

    sizes = """() => ['.chip', '.tv-curve figcaption', '.tv-curve text', '.tv-curve .tv-here']
        .map(s => document.querySelector(s))
        .map(e => parseFloat(getComputedStyle(e).fontSize))"""
    before = page.evaluate(sizes)
    page.get_by_role("button", name="Present").click()
    setup = page.get_by_role("textbox", name="Your text", exact=True)
    expect(setup).to_be_hidden()
    for small, large in zip(before, page.evaluate(sizes), strict=True):
        assert large > 1.2 * small
    page.keyboard.press("Escape")
    expect(setup).to_be_visible()

    page.get_by_role("radio", name="Steps", exact=True).click()
    app.go(4)
    app.wait_settled()
    page.emulate_media(color_scheme="dark")
    app.settle()
    assert app.step == 4
    numbers = page.locator(".tv-curve .tv-here").all_text_contents()
    app.leave()
    # Nothing there scrolls sideways, where no key could.
    for width in (320, 1366):
        app.page.set_viewport_size({"width": width, "height": 768})
        app.fits("html", "[data-testid=stMarkdownPre] pre")
    app.accessible()
    app.come_back()
    assert page.locator(".tv-curve .tv-here").all_text_contents() == numbers != []
    assert app.step == 4
    assert "step=4" in page.url

    page.get_by_role("button", name="Present").click()
    presents = "() => document.documentElement.classList.contains('tv-present')"
    page.go_back()
    page.get_by_role("heading", name="How tokviz works").wait_for()
    page.wait_for_function(f"() => !({presents})()")
    page.go_forward()
    app.opened()
    page.wait_for_function(presents)
    page.keyboard.press("Escape")

    app.go(7)
    app.leave()
    app.come_back()
    assert app.step == 7
    app.wait_settled()
    app.click("Settings")
    assert app.step == 7
    app.size(45)
    app.page.wait_for_function("() => document.querySelector('[data-steps=\"15\"]')")
    assert app.step == 5, "the same share of the training"


def test_an_address_brings_run_and_step_back_here_and_elsewhere(page, server, visits):
    app = App(page, f"{server}/?lane=~damaged<script>&step=99")
    expect(page.get_by_role("alert")).to_contain_text("could not be opened")
    assert app.step == 0
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    page.locator(".tv-lane").first.wait_for()
    # At once: the player has not rested yet.
    page.get_by_role("link", name="Encode").click()
    column = page.get_by_role("region", name="After 3 merges", exact=True)
    expect(column).to_contain_text("where the scrubber stands")
    expect(page).to_have_url(re.compile(r"/encode\?lane=%7E.*&step=3$"))
    page.reload()
    expect(column).to_contain_text("where the scrubber stands")
    expect(page.locator(".tv-setup")).to_contain_text("My own text")
    page.get_by_role("link", name="Train", exact=True).click()
    expect(page.locator("[data-steps]")).to_have_attribute("data-step", "3")
    text = page.get_by_role("textbox", name="Your text", exact=True)
    expect(text).to_have_value("the cat sat on the mat")

    app.opened()
    app.go(5)
    app.wait_settled()
    assert "step=5" in page.url
    words = app.words()
    app.reload()
    # What a tab keeps, another one does not have.
    other = App(visits.new_page(), page.url)
    for opened in (app, other):
        assert opened.step == 5
        assert opened.words() == words
        expect(opened.page.get_by_label("Sample")).to_have_value("My own text")
    other.page.close()
