"""The lens "A token": a token typed, its bytes, what is unused, and hostile text."""

import re
from dataclasses import replace

import pytest
from app_page import App
from player_page import COLOURS, course, trained
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_links
from tokviz.server.runs import run_of_sample

HOSTILE = "<img src=x onerror=alert(1)>"
TEXT = f"日本 日本 日本 café café café au lait {HOSTILE} {HOSTILE} **b** مرحبا مرحبا \u202eevil"
PLACES = """() => [...document.querySelectorAll(
    '.st-key-lens_token, .st-key-token_curve, .st-key-lens_characters, .tv-scroll, .tv-lengths'
)].map((e) => e.getBoundingClientRect())
  .map((r) => [r.x, r.y + scrollY, r.height].map(Math.round).join())"""


class Lens:
    """The lens as a person uses it: by the names on it."""

    def __init__(self, app):
        self.app, self.page = app, app.page
        # An alert would be text that ran.
        self.page.on("dialog", lambda _: pytest.fail("a text of the page has run"))
        self.page.get_by_role("radio", name="A token", exact=True).click()
        self.field = self.page.get_by_role("textbox", name="Token", exact=True)
        self.field.wait_for()
        self.own = self.page.get_by_role("textbox", name="Any character or text", exact=True)
        self.title = self.page.locator(".tv-profile h3")
        self.none = self.page.locator(".tv-none")
        self.bytes = self.page.get_by_role("region", name="Characters and bytes")
        self.unused = self.page.get_by_role("region", name="Tokens that are not used")

    def type(self, token):
        self.field.fill(token)
        self.field.press("Enter")

    def fact(self, name):
        return (
            self.page.locator(".tv-facts div").filter(has_text=re.compile(f"^{name}")).locator("dd")
        )

    def shows(self, token):
        expect(self.title.locator(".chip")).to_have_attribute("data-token", token)


def test_a_token_is_followed_and_typed_and_what_is_hostile_stays_text(app):
    history = course()
    lens = Lens(app)
    page = app.page
    expect(page.locator(".st-key-token_curve svg.marks")).to_be_visible()
    places = set()
    for t in (13, 1, 20):
        app.go(t)
        step = history.steps[t - 1]
        lens.shows(step.token)
        expect(lens.fact("pair’s count")).to_have_text(f"{step.count}")
        count, size = len(history.scaffolding(t).tokens), history.vocab_size(t)
        said = f"{count} of {size} tokens" if count else f"All {size} tokens"
        expect(page.get_by_text(said)).to_be_visible()
        app.settle()
        places.add(tuple(page.evaluate(PLACES)))
    assert len(places) == 1, "nothing moves when the step does"
    app.go(0)
    lens.shows(history.steps[0].token)
    app.go(13)
    lens.type(" tok")
    lens.shows("Ġtok")
    expect(lens.fact("in use")).to_have_text("out of use from step 12 on")
    expect(lens.fact("made by").locator(".chip")).to_have_count(2)
    cursor = page.locator(".st-key-token_curve .vega-bind input")
    for t in (12, 3):
        app.go(t)
        expect(cursor).to_have_value(str(t))
        expect(lens.fact("count now")).to_have_text(str(history.life("Ġtok").counts[t]))
        lens.shows("Ġtok")
    expect(lens.fact("id now")).to_have_text("not in this state’s vocabulary")
    expect(page.locator(".st-key-token_curve svg.marks")).to_be_visible()
    expect(page.locator(".tv-signs")).to_have_text("▲ made: step 11◆ out of use: step 12")
    page.get_by_role("radio", name="Steps", exact=True).click()
    expect(lens.field).to_have_count(0)
    app.settle()
    page.get_by_role("radio", name="A token", exact=True).click()
    expect(lens.field).to_have_value(" tok")
    lens.shows("Ġtok")
    lens.own.fill("é")
    expect(lens.bytes).to_contain_text("U+00E9 LATIN SMALL LETTER E WITH ACUTE")
    rows = lens.bytes.locator("tbody tr:has(td)")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text("C311000011the first of 2 bytesÃ")
    expect(rows.nth(1)).to_contain_text("A910101001continues a character©")
    expect(rows.locator("u")).to_have_text(["110", "10"])
    lens.own.fill("👩‍🚀\u0301")
    expect(lens.bytes).to_contain_text("ZERO WIDTH JOINER")
    expect(lens.bytes.locator(".tv-glyph")).to_have_text(["👩", "⟨U+200D⟩", "🚀", "◌\u0301"])
    lens.own.fill("")
    expect(lens.bytes).to_contain_text("U+006B LATIN SMALL LETTER K")
    expect(page.get_by_text("1110xxxx")).not_to_be_visible()
    page.get_by_text("How many bytes a character takes").click()
    expect(page.get_by_text("U+10000–U+10FFFF")).to_be_visible()
    for size in ((390, 844), (1366, 768)):
        app.resize(*size)
        app.fits("html", ".tv-scroll, .tv-lengths, .tv-profile")
    app.accessible(".st-key-lenses")
    app.theme("dark")
    app.accessible(".st-key-lenses", **COLOURS)
    lens.own.fill("é日\u0301")
    expect(lens.bytes).to_contain_text("LATIN SMALL LETTER E")
    lens.type("nothing like it")
    expect(lens.none).to_be_visible()
    app.accessible(".st-key-lenses")

    lens.own.fill("")
    app.train(TEXT, "BPE", 110)
    history = trained(TEXT, "bpe", 110, unit="byte")
    lens.type("æ")
    lens.shows("æ")
    expect(lens.bytes.locator(".tv-part")).to_have_count(1)
    expect(lens.bytes).to_contain_text("a start without its continuations")
    expect(lens.bytes).to_contain_text("U+6000 to U+6FFF")
    lens.type("日")
    lens.shows("æĹ¥")
    expect(lens.bytes.locator(".tv-part")).to_have_count(0)
    expect(lens.bytes.locator(".tv-glyph")).to_have_text("日")
    app.click("Last step")
    unused = history.scaffolding(len(history)).tokens
    expect(lens.unused.locator(".chip")).to_have_count(len(unused))
    shown = lens.unused.locator(".chip").evaluate_all("all => all.map(c => c.dataset.token)")
    assert shown == unused
    lens.type(HOSTILE)
    lens.own.fill(HOSTILE[:20])
    expect(lens.bytes).to_contain_text(f"U+{ord('<'):04X}")
    expect(lens.none).to_contain_text("is in no vocabulary of this run")
    expect(lens.page.locator("img[src=x]")).to_have_count(0)
    expect(lens.page.locator(".stException")).to_have_count(0)
    app.go(0)
    expect(lens.none).to_be_visible()
    expect(lens.field).to_have_value(HOSTILE)


def test_a_token_of_any_lane_is_looked_into_from_its_card(page, server):
    run = run_of_sample(tokviz.SAMPLES["course"])
    special = replace(run, settings=(("special_tokens", ("<pad>", "the")),))
    wordpiece = replace(run, algorithm="wordpiece", vocab_size=60, pretokenizer="bert", settings=())
    lanes = "&".join(f"lane={link}" for link in to_links([special, wordpiece]))
    app = App(page, f"{server}/?{lanes}")
    title = page.locator(".tv-profile h3 .chip")
    chips = page.locator(".tv-corpus .chip[data-token='##s']")
    chips.first.click()
    app.button("Look into this token").click()
    expect(title).to_have_attribute("data-token", "##s")
    expect(page.get_by_role("textbox", name="Token", exact=True)).to_have_value("##s")
    app.chip("Ġ").click()
    app.button("Look into this token").click()
    expect(title).to_have_attribute("data-token", "Ġ")
    lens = Lens(app)
    expect(lens.unused.locator(".chip.special")).to_have_text(["<pad>", "the"])
    lens.type("<pad>")
    expect(lens.fact("made by")).to_have_text("no step: it is a special token")
    expect(lens.fact("in use")).to_have_text("never")
