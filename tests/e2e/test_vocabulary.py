"""The vocabulary below the player: it follows every step, and is linked with the text."""

from player_page import course
from playwright.sync_api import expect

ROWS = """table => [...table.querySelectorAll('tbody tr:not([hidden])')]
    .sort((a, b) => a.dataset.row - b.dataset.row)
    .map(r => [...r.cells].map(c => c.querySelector('.chip')?.dataset.token ?? c.textContent))"""


def outlined(page, selector):
    """The tokens, or the keys of the rows, that have an outline."""
    return page.locator(selector).evaluate_all(
        "all => all.filter(e => getComputedStyle(e).outlineStyle === 'solid')"
        ".map(e => e.dataset.token ?? e.dataset.key)"
    )


def test_the_vocabulary_follows_each_step_and_its_rows_lead_to_the_text_and_back(app):
    page, history = app.page, course()
    table = page.get_by_role("group", name="Vocabulary of BPE")
    table.scroll_into_view_if_needed()
    line = table.get_by_role("row")

    def wanted(t, order=None):
        facts = history.vocab(t), history.births(t).tolist(), history.token_counts(t).tolist()
        rows = [(i, *row) for i, row in enumerate(zip(*facts, strict=True))]
        return [[str(value) for value in row] for row in sorted(rows, key=order)]

    def shows(rows):
        """The first rows, as many as are near; all of them are counted."""
        page.wait_for_function(
            f"([e, row]) => `${{({ROWS})(e)[0]}}` === `${{row}}`",
            arg=[table.element_handle(), rows[0]],
        )
        shown = table.evaluate(ROWS)
        assert 10 < len(shown) < len(rows)
        assert shown == rows[: len(shown)]
        assert table.get_by_role("table").get_attribute("aria-rowcount") == str(len(rows) + 1)

    shows(wanted(13))
    # The token that the step has made is at the end.
    table.evaluate("e => { e.scrollTop = e.scrollHeight; }")
    expect(table.locator("tr.new:not([hidden]) .chip")).to_have_attribute(
        "data-token", history.vocab(13)[-1]
    )
    app.go(8)
    expect(table.locator("tr.new:not([hidden]) .chip")).to_have_attribute("data-token", "This")

    sort = table.get_by_role("button", name="count now")
    sort.click()
    shows(wanted(8, lambda row: (-row[3], row[0])))
    sort.click()
    shows(wanted(8, lambda row: (row[3], row[0])))
    expect(table.get_by_role("columnheader", name="count now")).to_have_attribute(
        "aria-sort", "ascending"
    )
    table.get_by_role("button", name="token").click()
    shows(wanted(8, lambda row: row[1]))
    table.get_by_role("button", name="id").click()
    shows(wanted(8))

    first = history.vocab(8)[0]
    line.nth(1).hover()
    places = sum(word.count(first) for word in app.words())
    assert places > 0
    assert outlined(page, ".tv-corpus .chip") == [first] * places
    app.chip("Ġ").scroll_into_view_if_needed()
    app.chip("e").hover()
    [row] = outlined(page, ".tv-vocabulary tr")
    chip = table.locator(f"tr[data-key='{row}'] .chip")
    expect(chip).to_have_attribute("data-token", "e")
    assert outlined(page, ".tv-corpus .chip") == []

    table.focus()
    for _ in range(15):
        page.keyboard.press("ArrowDown")
    focused = page.locator(":focus .chip")
    expect(focused).to_have_attribute("data-token", history.vocab(8)[14])
    expect(focused).to_be_in_viewport(ratio=1)
    assert app.step == 8
    page.keyboard.press("Enter")
    expect(app.card.locator("> div > .chip")).to_have_attribute("data-token", history.vocab(8)[14])
    expect(app.card).to_be_in_viewport()
    header = page.get_by_test_id("stHeader").bounding_box()
    assert page.locator(".tv-say").bounding_box()["y"] > header["y"] + header["height"]
    top = table.evaluate("e => e.scrollTop")
    assert top > 0
    page.get_by_role("radio", name="Steps", exact=True).click()
    expect(table).to_have_count(0)
    app.settle()
    assert page.evaluate("tokviz.vocabulary") is None, "nothing is drawn for it"
    app.go(9)
    page.get_by_role("radio", name="Vocabulary", exact=True).click()
    table.scroll_into_view_if_needed()
    page.wait_for_function("([e, top]) => e.scrollTop === top", arg=[table.element_handle(), top])
    table.evaluate("e => { e.scrollTop = 0; }")
    shows(wanted(9))

    # Another run takes its place without a flash: sorted and scrolled as before. Back leads to the
    # lens that the address has.
    page.wait_for_function("() => !location.search.includes('lens=')")
    app.size(45)
    table.scroll_into_view_if_needed()
    sort.click()
    table.evaluate("e => { e.scrollTop = 90; e.isTheFirst = true; }")
    seen = """() => { const table = document.querySelector('.tv-vocabulary');
        const rows = table.querySelectorAll('tbody tr:not([hidden])');
        (window.rows ??= []).push(rows.length);
        window.tops = table.isTheFirst ? 0 : table.scrollTop;
        requestAnimationFrame(window.look); }"""
    page.evaluate(f"() => {{ window.look = {seen}; window.look(); }}")
    page.go_back()
    page.wait_for_function("() => window.tops === 90")
    shows(wanted(app.step, lambda row: (-row[3], row[0])))
    assert min(page.evaluate("window.rows")) > 10
    app.resize(320, 640)
    app.fits(".tv-vocabulary")
