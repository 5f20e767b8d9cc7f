"""What if, as a person asks it: by mouse, by keyboard, by touch, and what a link brings back."""

from dataclasses import replace

import pytest
from app_page import App
from playwright.sync_api import expect
from test_train_page import assert_accessible

import tokviz
from tokviz.pages.visit.link import to_links
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
IN = "What if “i” + “n” were merged instead?"
BRANCH = "BPE · What if: step 14 i + n"
SENTENCE = (
    f"{BRANCH} beside BPE: They part at step 14 and cut every word alike again from step 17 on. "
    "Both end with the same tokens."
)


def button(app, name):
    return app.page.get_by_role("button", name=name, exact=True)


def names(app):
    return app.page.locator(".tv-name").all_text_contents()


def branched(app, lanes=2):
    """Waits for the new lane."""
    expect(app.page.locator(".tv-lane")).to_have_count(lanes)
    app.settle()


def test_another_pair_is_merged_by_mouse(app):
    asked = button(app, IN)
    expect(asked).to_have_css("opacity", "0")
    app.page.locator(".tv-candidates tbody tr").filter(has=asked).hover()
    expect(asked).to_have_css("opacity", "1")
    asked.click()
    branched(app)
    assert (names(app), app.step) == (["BPE", BRANCH], 13)
    expect(app.page.get_by_text(SENTENCE)).to_be_visible()
    assert "forced" in app.lane(BRANCH).locator(".tv-next").text_content()
    # No row of what is chosen already asks.
    for name in ("BPE", BRANCH):
        chosen = app.lane(name).locator(".tv-candidates tr.chosen button")
        expect(chosen).to_be_hidden()
    assert_accessible(app)
    button(app, "Go to step 17").click()
    app.settle()
    assert app.step == 17
    assert app.words("BPE") == app.words(BRANCH)
    app.click("Go to step 14")
    assert app.step == 14
    assert app.words("BPE") != app.words(BRANCH)
    app.click("Remove lane")
    expect(app.page.locator(".tv-lane")).to_have_count(1)
    expect(app.page.get_by_text("They part at step")).to_have_count(0)


def test_another_pair_is_merged_by_keyboard(app):
    table = app.page.locator(".tv-candidates")
    table.focus()
    app.page.keyboard.press("Tab")
    second = "What if “Ġt” + “h” were merged instead?"
    expect(button(app, second)).to_be_focused()
    expect(button(app, second)).to_have_css("opacity", "1")
    app.page.keyboard.press("ArrowDown")
    app.page.keyboard.press("ArrowDown")
    expect(button(app, IN)).to_be_focused()
    # The others are no stops of their own.
    app.page.keyboard.press("Tab")
    inside = "document.activeElement.closest('.tv-candidates')"
    assert app.page.evaluate(f"{inside} === null")
    app.page.keyboard.press("Shift+Tab")
    expect(button(app, IN)).to_be_focused()
    app.page.keyboard.press("Enter")
    branched(app)
    expect(app.lane(BRANCH).locator(".tv-candidates")).to_be_focused()
    assert app.step == 13


def test_a_token_is_kept_and_one_dropped(page, server):
    app = App(page, f"{server}/?lane=hug-pug")
    history = tokviz.train(tokviz.SAMPLES["hug-pug"].corpus, **tokviz.SAMPLES["hug-pug"].settings)
    [goes], stays = history.steps[0].removed, history.candidates(0).token[5]
    app.go(0)
    keep = f"What if “{goes}” were kept?"
    page.locator(".tv-candidates tbody tr").filter(has=button(app, keep)).hover()
    button(app, keep).click()
    branched(app)
    kept = f"Unigram · What if: step 1 keep {goes}"
    assert (names(app), app.step) == (["Unigram", kept], 0)
    drop = app.lane("Unigram").get_by_role("button", name=f"What if “{stays}” were dropped?")
    drop.focus()
    page.keyboard.press("Enter")
    branched(app, 3)
    dropped = f"Unigram · What if: step 1 drop {stays}"
    assert names(app) == ["Unigram", dropped, kept]
    for name in (dropped, kept):
        expect(page.get_by_text(f"{name} beside Unigram:")).to_be_visible()
    never = app.lane("Unigram").locator("tr").filter(has_text="never goes").first
    expect(never.locator(".tv-if")).to_be_hidden()


def test_a_link_brings_lanes_and_step_back(app, visits):
    app.page.locator(".tv-candidates tbody tr").filter(has=button(app, IN)).hover()
    button(app, IN).click()
    branched(app)
    app.go(15)
    app.wait_settled()
    other = visits.new_page()
    again = App(other, app.page.url)
    assert (names(again), again.step) == (["BPE", BRANCH], 15)
    assert again.words(BRANCH) == app.words(BRANCH)
    expect(other.get_by_text(SENTENCE)).to_be_visible()
    other.close()


def test_four_lanes_leave_no_room_and_say_so(page, server):
    lanes = [replace(COURSE, vocab_size=50 + i) for i in range(4)]
    app = App(page, f"{server}/?" + "&".join(f"lane={link}" for link in to_links(lanes)))
    asks = app.page.locator(".tv-if").filter(visible=True).first
    asks.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tv-found")).to_have_text(
        "A what-if needs a lane, and all 4 are taken: remove one."
    )
    expect(page.locator(".tv-lane")).to_have_count(4)


@pytest.mark.parametrize("algorithm", ["sentencepiece-unigram"])
def test_who_cannot_be_told_is_not_asked(page, server, algorithm):
    run = replace(COURSE, algorithm=algorithm, vocab_size=60, pretokenizer="sentencepiece")
    app = App(page, f"{server}/?lane={to_links([replace(run, settings=())])[0]}")
    expect(app.page.locator(".tv-if")).to_have_count(0)


@pytest.mark.parametrize(("algorithm", "size"), [("bpe", 50), ("wordpiece", 60), ("unigram", 100)])
def test_a_finger_finds_every_button(browser, server, algorithm, size):
    """Where nothing hovers, the buttons have a column of their own."""
    run = replace(
        COURSE,
        algorithm=algorithm,
        vocab_size=size,
        pretokenizer=tokviz.TRAINERS[algorithm].default_pretokenizer,
        settings=(),
    )
    context = browser.new_context(
        viewport={"width": 390, "height": 844},
        has_touch=True,
        is_mobile=True,
        reduced_motion="reduce",
    )
    page = context.new_page()
    app = App(page, f"{server}/?lane={to_links([run])[0]}")
    app.go(2)
    asks = page.locator(".tv-if").filter(visible=True)
    expect(asks.first).to_have_css("opacity", "1")
    box = asks.first.bounding_box()
    assert min(box["width"], box["height"]) >= 24
    app.fits(".tv-candidates")
    app.fits("html")
    over = """rows => rows.filter(r => !r.hidden && r.querySelector('.tv-if:not([hidden])'))
        .filter(r => { const a = r.querySelector('.tv-if').getBoundingClientRect();
            const range = document.createRange();
            range.selectNodeContents(r.querySelector('.note'));
            return r.querySelector('.note').innerText.trim()
                && range.getBoundingClientRect().right > a.left + 1; }).length"""
    assert page.locator(".tv-candidates tbody tr").evaluate_all(over) == 0
    asks.first.tap()
    branched(app)
    context.close()
