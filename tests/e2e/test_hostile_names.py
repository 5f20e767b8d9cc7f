"""What Streamlit itself would make of a name: only a browser shows it."""

from dataclasses import replace

from app_page import App
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_links
from tokviz.server.runs import run_of_sample

NAMES = [
    ":material/home: :streamlit: :smile: :red[a] $x^2$ a -> b -- c >= d",
    "    https://example.com www.example.com a@example.com **b** `c` <b>x</b>",
]


def plain(text):
    """Without what takes no room."""
    return text.replace("\u2060", "")


def test_names_stay_as_they_are_written_and_tables_are_saved_as_no_formulas(page, server):
    """No table is saved as Streamlit saves it: a spreadsheet would take cells for formulas."""
    run = run_of_sample(tokviz.SAMPLES["course"])
    lanes = [
        replace(run, corpus=replace(run.corpus, title=name, text=run.corpus.text + name[-1:]))
        for name in NAMES
    ]
    links = "&".join(f"lane={link}" for link in to_links(lanes))
    app = App(page, f"{server}/?{links}")
    buttons = page.locator(".st-key-lens_lane_2 button")
    expect(buttons).to_have_count(2)
    for button, name in zip(buttons.all(), NAMES, strict=True):
        assert plain(button.text_content()) == f"BPE · {name}"
        assert button.locator("p").count() == 1
        assert button.locator("p *").count() == 0
    page.get_by_role("radio", name="Score table", exact=True).click()
    table = page.get_by_test_id("stDataFrame").first
    table.scroll_into_view_if_needed()
    table.hover()
    expect(page.get_by_role("button", name="Search").first).to_be_visible()
    ways = page.get_by_test_id("stElementToolbarButton")
    saving = ways.filter(has=page.locator("[aria-label^='Download as CSV']"))
    assert saving.count() > 0
    for way in saving.all():
        expect(way).to_be_hidden()
    app.settle()
