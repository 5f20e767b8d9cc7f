"""What outlives a reload, another page or theme, full screen: the runs, the step, the charts."""

import re

from app_page import App
from playwright.sync_api import expect


def test_the_step_survives_a_theme_switch_and_leaves_with_a_new_run(app):
    app.go(7)
    app.wait_settled()
    app.page.emulate_media(color_scheme="dark")
    app.settle()
    assert app.step == 7
    app.open_form()
    assert app.step == 7
    app.fill("spinbutton", "Vocabulary size", "45")
    app.press_train()
    assert (app.step, app.steps) == (0, 15)


def test_charts_that_are_drawn_anew_find_the_player_where_it_is(app):
    app.charts()
    app.go(4)
    app.page.emulate_media(color_scheme="dark")
    app.leave()
    app.come_back()
    cursors = "() => [...document.querySelectorAll('.vega-bind input')].map(i => i.value).join()"
    app.page.wait_for_function(f"() => ({cursors})() === '4,4,4'")


def test_presentation_goes_on_when_a_person_comes_back(app):
    presents = "() => document.documentElement.classList.contains('tv-present')"
    app.leave()
    app.come_back()
    app.page.get_by_role("button", name="Present").click()
    app.page.go_back()
    app.page.get_by_role("heading", name="How tokviz works").wait_for()
    app.page.wait_for_function(f"() => !({presents})()")
    app.page.go_forward()
    app.opened()
    app.page.wait_for_function(presents)


def test_a_reload_restores_run_and_step_from_the_address(app):
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    app.wait_settled()
    assert "step=3" in app.page.url
    words = app.words()
    app.reload()
    assert app.step == 3
    assert app.words() == words
    expect(app.page.locator(".tv-setup")).to_contain_text("My own text")


def test_an_address_opens_elsewhere(app, browser):
    app.go(5)
    app.wait_settled()
    other = App(browser.new_page(), app.page.url)
    assert other.step == 5
    other.page.close()


def test_a_damaged_address_leaves_a_sentence(page, server):
    app = App(page, f"{server}/?lane=~damaged<script>&step=99")
    expect(page.get_by_role("alert")).to_contain_text("could not be opened")
    assert app.step == 13


def test_another_page_and_back_keeps_the_step(app):
    app.go(7)
    app.leave()
    app.come_back()
    assert app.step == 7
    app.page.get_by_role("radio", name="Steps", exact=True).click()
    app.go(20)
    app.wait_settled()
    app.leave()
    app.come_back()
    app.wait_settled()
    assert app.step == 20
    assert "step=20" in app.page.url


def test_full_screen_takes_the_charts_along(app):
    app.charts()
    app.page.get_by_role("button", name="Full screen").click()
    app.page.wait_for_function(
        "() => ['.tv-player', '.stVegaLiteChart svg'].every("
        "s => document.fullscreenElement?.querySelector(s))"
    )
    app.page.keyboard.press("f")
    app.page.wait_for_function("() => !document.fullscreenElement")


def test_presentation_hides_the_set_up_and_enlarges_the_type(app):
    app.charts()
    sizes = """() => ['.chip', '.role-title text', '.role-axis-label text', '.role-mark text']
        .map(s => document.querySelector(s.replace('.role', '.stVegaLiteChart .role')))
        .map(e => parseFloat(getComputedStyle(e).fontSize))"""
    before = app.page.evaluate(sizes)
    app.page.get_by_role("button", name="Present").click()
    expect(app.page.locator(".tv-setup")).to_be_hidden()
    for small, large in zip(before, app.page.evaluate(sizes), strict=True):
        assert large > 1.2 * small
    app.page.keyboard.press("Escape")
    expect(app.page.locator(".tv-setup")).to_be_visible()


def test_a_reload_of_encode_keeps_the_runs_and_the_step(app):
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    app.page.locator(".tv-lane").first.wait_for()
    # At once: the player has not rested yet.
    app.page.get_by_role("link", name="Encode").click()
    column = app.page.get_by_role("region", name="After 3 merges", exact=True)
    expect(column).to_contain_text("where the scrubber stands")
    expect(app.page).to_have_url(re.compile(r"/encode\?lane=%7E.*&step=3$"))
    app.page.reload()
    expect(column).to_contain_text("where the scrubber stands")
    expect(app.page.locator(".tv-setup")).to_contain_text("My own text")
    app.page.get_by_role("link", name="Train", exact=True).click()
    expect(app.page.locator("[data-steps]")).to_have_attribute("data-step", "3")
    expect(app.page.locator(".tv-setup")).to_contain_text("My own text")
