"""What if, as a person asks it: by mouse, by keyboard, by touch, and what a link brings back."""

from dataclasses import replace
from urllib.parse import parse_qs, urlparse

from app_page import App
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import from_links, to_links
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
KINDS = {"bpe": 50, "unigram": 100, "sentencepiece-unigram": 60}
IN = "What if “i” + “n” were merged instead?"
BRANCH = "BPE · What if: step 14 i + n"
SENTENCE = (
    f"{BRANCH} beside BPE: They part at step 14, and from step 17 on they cut every word the "
    "same way again. Both end with the same tokens."
)


def branched(app, lanes=2):
    """Waits for the new lane."""
    expect(app.page.locator(".tv-lane")).to_have_count(lanes)
    app.settle()


def test_another_pair_is_merged_by_mouse_or_keyboard(app):
    page, asked = app.page, app.button(IN)
    # By keyboard: the first button of a table is a stop, and arrows lead to the others.
    # What else may stand there, and the terms of its heading and its columns come before.
    app.page.locator(".tv-candidates").focus()
    terms = "Candidates 95 pairs, best first", "Pair", "Count"
    for name in ("Candidates", "Token", "Curves", "Pseudocode", *terms):
        page.keyboard.press("Tab")
        button = app.page.locator(".tv-candidates").get_by_role("button", name=name, exact=True)
        expect(button).to_be_focused()
    page.keyboard.press("Tab")
    second = app.button("What if “Ġt” + “h” were merged instead?")
    expect(second).to_be_focused()
    expect(second.get_by_text("What if")).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(asked).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('.tv-candidates') === null")
    page.keyboard.press("Shift+Tab")
    expect(asked).to_be_focused()
    page.keyboard.press("Enter")
    branched(app)
    expect(app.lane(BRANCH).locator(".tv-corpus")).to_be_focused()
    assert app.step == 13
    app.button("Remove lane").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tv-lane")).to_have_count(1)
    expect(page.get_by_text("They part at step")).to_have_count(0)
    expect(app.button("Compare side by side")).to_be_focused()
    app.settle()
    app.go(13)
    app.wait_settled()
    # By mouse.
    page.mouse.move(0, 0)
    expect(asked.get_by_text("What if")).to_be_hidden()
    expect(asked).to_have_css("border-width", "0px")
    page.locator(".tv-candidates tbody tr").filter(has=asked).hover()
    expect(asked.get_by_text("What if")).to_be_visible()
    asked.click()
    branched(app)
    assert (app.lanes(), app.step) == (["BPE", BRANCH], 13)
    expect(page.get_by_text(SENTENCE)).to_be_visible()
    assert "forced" in app.lane(BRANCH).locator(".tv-next").text_content()
    # No row of what is chosen already asks.
    app.button("candidates").click()
    for name in ("BPE", BRANCH):
        expect(app.lane(name).locator(".tv-candidates tr.chosen button")).to_be_hidden()
    app.accessible(".tv-lanes")
    app.click("Go to step 17")
    app.wait_step(17)
    assert app.words("BPE") == app.words(BRANCH)
    app.click("Go to step 14")
    app.wait_step(14)
    assert app.words("BPE") != app.words(BRANCH)
    # The address has lanes and step.
    app.go(15)
    app.wait_settled()
    query = parse_qs(urlparse(page.url).query)
    branch = replace(COURSE, interventions=((13, ("i", "n")),))
    assert (from_links(query["lane"]), query["step"]) == (([COURSE, branch], []), ["15"])


def test_a_token_is_kept_and_one_dropped(page, server):
    app = App(page, f"{server}/?lane=hug-pug&step=0")
    history = tokviz.train(tokviz.SAMPLES["hug-pug"].corpus, **tokviz.SAMPLES["hug-pug"].settings)
    [goes], stays = history.steps[0].removed, history.candidates(0).token[5]
    keep = app.button(f"What if “{goes}” were kept?")
    page.locator(".tv-candidates tbody tr").filter(has=keep).hover()
    keep.click()
    branched(app)
    kept = f"Unigram · What if: step 1 keep {goes}"
    assert (app.lanes(), app.step) == (["Unigram", kept], 0)
    app.button("candidates").click()
    drop = app.lane("Unigram").get_by_role("button", name=f"What if “{stays}” were dropped?")
    drop.focus()
    page.keyboard.press("Enter")
    branched(app, 3)
    dropped = f"Unigram · What if: step 1 drop {stays}"
    assert app.lanes() == ["Unigram", dropped, kept]
    for name in (dropped, kept):
        expect(page.get_by_text(f"{name} beside Unigram:")).to_be_visible()
    never = app.lane("Unigram").locator("tr").filter(has_text="never goes").first
    expect(never.locator(".tv-if")).to_be_hidden()


def test_a_finger_finds_every_button(pocket, server):
    """Where nothing hovers, the buttons have a column of their own."""
    runs = [
        replace(
            COURSE,
            algorithm=algorithm,
            vocab_size=size,
            pretokenizer=tokviz.TRAINERS[algorithm].default_pretokenizer,
            settings=(),
        )
        for algorithm, size in KINDS.items()
    ]
    page = pocket().new_page()
    app = App(page, f"{server}/?" + "&".join(f"lane={link}" for link in to_links(runs)))
    app.button("candidates").click()
    app.go(2)
    *asking, told = app.page.locator(".tv-lane").all()
    # Those of the last lane are estimates, which nobody can tell what to do.
    expect(told.locator(".tv-if")).to_have_count(0)
    app.fits("html", ".tv-candidates")
    over = """rows => rows.filter(r => !r.hidden && r.querySelector('.tv-if:not([hidden])'))
        .filter(r => { const a = r.querySelector('.tv-if').getBoundingClientRect();
            const range = document.createRange();
            range.selectNodeContents(r.querySelector('.note'));
            return r.querySelector('.note').innerText.trim()
                && range.getBoundingClientRect().right > a.left + 1; }).length"""
    assert page.locator(".tv-candidates tbody tr").evaluate_all(over) == 0
    for lane in asking:
        button = lane.locator(".tv-if").filter(visible=True).first
        expect(button).to_have_css("opacity", "1")
        box = button.bounding_box()
        assert min(box["width"], box["height"]) >= 24
    page.locator(".tv-if").filter(visible=True).first.tap()
    branched(app, 4)
    # The new lane comes into sight.
    expect(page.locator(".tv-lane").nth(1)).to_be_in_viewport(ratio=0.5)
    expect(page.locator(".tv-lane").nth(0)).not_to_be_in_viewport(ratio=0.5)
    for lane in asking:
        app.go(2)
        lane.locator(".tv-if").filter(visible=True).first.tap()
        expect(page.locator(".tv-found")).to_have_text(
            "A what-if needs a lane, and all 4 are taken: remove one."
        )
    expect(page.locator(".tv-lane")).to_have_count(4)
    page.close()
