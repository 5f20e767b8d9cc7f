"""A phone by taps alone: each does at once what it promises, where it is seen."""

import pytest
from app_page import App
from playwright.sync_api import expect

#: What is seen of the page and pressed, with less than so many pixels for a finger: what an element
#: has around it that is its own counts. Terms stand in sentences; the last rows of a table are cut.
SMALL = """least => {
    const all = document.querySelectorAll('button, a, input:not([type=range], [type=file])');
    const seen = { visibilityProperty: true, opacityProperty: true };
    const reaches = (e, x, y) => e.contains(document.elementFromPoint(x, y));
    return [...all].filter(e => e.checkVisibility(seen)
        && !e.matches('.tv-term, tr:nth-child(n + 5) *')).filter(e => {
        const { left, top, right, bottom } = e.getBoundingClientRect();
        const [x, y] = [(left + right) / 2, (top + bottom) / 2];
        if (!reaches(e, x, y)) return false;
        return !reaches(e, x, y - least / 2 + 1) || !reaches(e, x, y + least / 2 - 1);
    }).map(e => e.ariaLabel || e.textContent);
}"""
#: The tokens that reach over the end of their line, where nobody sees them.
CUT_OFF = """() => [...document.querySelectorAll('.tv-block')]
    .filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"""
#: Of some elements, those that something else lies on somewhere, or the end of the screen.
COVERED = """all => all.filter(e => {
    const { left, right, top, bottom } = e.getBoundingClientRect();
    return [top + 1, bottom - 1].some(y =>
        !e.contains(document.elementFromPoint((left + right) / 2, y)));
}).map(e => e.textContent)"""
MENU = "[data-testid=stSidebar][data-collapsed=false]"


@pytest.fixture
def phone(pocket, server):
    page = pocket().new_page()
    page.set_viewport_size({"width": 360, "height": 640})
    yield App(page, server)
    page.close()


def tap(app, element):
    """A finger in the middle of what is seen."""
    box = element.bounding_box()
    app.page.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    app.settle()


def test_a_phone_by_taps_alone(phone):
    app, page = phone, phone.page
    signs = page.locator(".tv-signs-explained button")
    # What signs mean has a line of its own where there is no room for it.
    expect(signs).to_have_text("Ġ is a space")
    tap(app, signs)
    expect(page.get_by_role("tooltip")).to_contain_text("Stands for a space")
    tap(app, page.locator(".tv-swiped button").nth(1))
    tap(app, app.button("Next step"))
    app.wait_step(1)
    assert page.evaluate(SMALL, 36) == []
    for tab in page.locator(".tv-swiped button").all():
        assert tab.bounding_box()["height"] >= 44
    # A word that is wider than the screen is broken.
    tap(app, app.button("First step"))
    tap(app, page.get_by_role("radio", name="WordPiece"))
    expect(signs).to_have_text("## goes on inside a word")
    tap(app, page.locator(".tv-swiped button").first)
    page.wait_for_function(f"() => !({CUT_OFF})().length")

    # The card of a token has the focus while it is there, then the text.
    tap(app, page.locator(".tv-corpus .chip").first)
    expect(app.card).to_be_visible()
    tap(app, app.card.get_by_role("button", name="Close"))
    expect(app.card).to_be_hidden()
    expect(page.locator(".tv-corpus")).to_be_focused()

    tap(app, app.button("Settings").last)
    assert page.evaluate(SMALL, 36) == []
    # The panel leaves the tabs whole, above what plays: nobody scrolls to leave it.
    for height in (640, 667, 844):
        app.resize(360, height)
        tap(app, app.button("Settings").first)
        page.locator(".st-key-panel").wait_for()
        assert page.locator(".tv-swiped button").evaluate_all(COVERED) == []
        tap(app, page.locator(".st-key-panel").get_by_role("button", name="Close"))
    app.resize(360, 640)
    tap(app, app.button("Share"))
    link = page.get_by_role("textbox", name="Link")
    dialog = page.get_by_role("dialog").bounding_box()
    assert link.bounding_box()["width"] > 0.7 * dialog["width"]
    assert page.evaluate(SMALL, 36) == []
    tap(app, page.get_by_role("dialog").get_by_role("button", name="Close"))

    # The menu closes by each choice, by a press beside it, and by its button, which nothing covers.
    menu, shown = page.get_by_test_id("stExpandSidebarButton"), page.locator(MENU)
    # Closed, it has no stops for Tab.
    expect(page.get_by_test_id("stSidebarNavLink").first).to_be_hidden()
    for name in ("Learn", "Train"):
        tap(app, menu)
        chosen = shown.get_by_role("link", name=name, exact=True)
        expect(shown.locator("[aria-current=page]")).to_be_focused()
        assert page.evaluate(SMALL, 36) == []
        tap(app, chosen)
        expect(shown).to_have_count(0)
        expect(menu).to_be_focused()
    tap(app, menu)
    tap(app, shown.get_by_test_id("stSidebarCollapseButton").get_by_role("button"))
    expect(shown).to_have_count(0)
    tap(app, menu)
    page.touchscreen.tap(350, 300)
    expect(shown).to_have_count(0)
    tap(app, menu)
    page.keyboard.press("Escape")
    expect(menu).to_be_focused()
