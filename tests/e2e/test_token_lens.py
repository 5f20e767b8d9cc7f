"""The lens "A token": a token typed, its bytes, what is unused, and hostile text."""

import re
from dataclasses import replace

import pytest
from playwright.sync_api import expect
from test_train_page import assert_accessible

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus
HOSTILE = "<img src=x onerror=alert(1)>"


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
        self.title = self.page.locator(".tv-fate h3")
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


@pytest.fixture
def lens(app):
    return Lens(app)


def test_the_lens_follows_the_player(lens):
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    for t in (13, 5, 20, 0):
        lens.app.go(t)
        step = history.steps[max(0, t - 1)]
        lens.shows(step.token)
        expect(lens.fact("pair’s count")).to_have_text(f"{step.count}")
        size = history.vocab_size(t)
        count = len(history.scaffolding(t).tokens)
        said = f"{count} of {size} tokens" if count else f"All {size} tokens"
        expect(lens.page.get_by_text(said)).to_be_visible()


def test_a_token_that_is_typed_stays_while_the_player_moves(lens):
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    lens.type(" tok")
    lens.shows("Ġtok")
    expect(lens.fact("in use")).to_have_text("out of use from step 12 on")
    expect(lens.fact("made by").locator(".chip")).to_have_count(2)
    for t in (11, 12, 3):
        lens.app.go(t)
        expect(lens.fact("count now")).to_have_text(str(history.life("Ġtok").counts[t]))
        lens.shows("Ġtok")
    expect(lens.fact("id now")).to_have_text("not in this state’s vocabulary")
    chart = lens.page.locator(".st-key-token_curve")
    expect(chart.locator("svg.marks")).to_be_visible()
    expect(lens.page.locator(".tv-signs")).to_have_text("▲ made: step 11◆ out of use: step 12")
    lens.page.get_by_role("radio", name="Steps", exact=True).click()
    expect(lens.field).to_have_count(0)
    lens.app.settle()
    lens.page.get_by_role("radio", name="A token", exact=True).click()
    expect(lens.field).to_have_value(" tok")
    lens.shows("Ġtok")


def test_a_token_of_any_lane_is_looked_into_from_its_card(app):
    app.add_lane("WordPiece", 60)
    app.lane("WordPiece").locator('.tv-corpus .chip[data-token="##s"]').first.click()
    app.page.get_by_role("button", name="Look into this token").click()
    title = app.page.locator(".tv-fate h3 .chip")
    expect(title).to_have_attribute("data-token", "##s")
    expect(app.page.get_by_role("textbox", name="Token", exact=True)).to_have_value("##s")
    app.lane("BPE").locator('.tv-corpus .chip[data-token="Ġ"]').first.click()
    app.page.get_by_role("button", name="Look into this token").click()
    expect(title).to_have_attribute("data-token", "Ġ")


def test_the_curve_follows_the_player(lens):
    lens.type("Ġtok")
    lens.shows("Ġtok")
    cursor = lens.page.locator(".st-key-token_curve .vega-bind input")
    expect(cursor).to_have_value("13")
    lens.app.go(4)
    expect(cursor).to_have_value("4")


def test_the_bytes_of_any_character(lens):
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
    expect(lens.bytes).to_contain_text("U+006E LATIN SMALL LETTER N")
    lengths = lens.page.get_by_text("1110xxxx")
    expect(lengths).not_to_be_visible()
    lens.page.get_by_text("How many bytes a character takes").click()
    expect(lens.page.get_by_text("U+10000–U+10FFFF")).to_be_visible()


def test_a_token_of_bytes_and_the_parts_of_a_character(app):
    app.train("日本 日本 日本 café café café au lait", "BPE", 60)
    lens = Lens(app)
    history = tokviz.train("日本 日本 日本 café café café au lait", "bpe", 60, unit="byte")
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


def test_special_tokens_are_named_apart(page, server):
    from app_page import App

    from tokviz.pages.visit.link import to_link
    from tokviz.server.runs import run_of_sample

    run = run_of_sample(tokviz.SAMPLES["course"])
    special = (("special_tokens", ("<pad>", "the")),)
    app = App(page, f"{server}/?lane={to_link(replace(run, settings=special))}")
    lens = Lens(app)
    expect(lens.unused.locator(".chip.special")).to_have_text(["<pad>", "the"])
    lens.type("<pad>")
    expect(lens.fact("made by")).to_have_text("nobody: a special token")
    expect(lens.fact("in use")).to_have_text("never")


def test_hostile_text_stays_text(app):
    app.train(f"{HOSTILE} {HOSTILE} **b** مرحبا مرحبا \u202eevil", "BPE", 90)
    lens = Lens(app)
    for token in (HOSTILE, "Ġ**", "![x](y)", "{{7*7}}", "\u202e", "a" * 3000):
        lens.type(token)
        expect(lens.page.locator(".tv-none, .tv-fate .chip").first).to_be_visible()
        lens.own.fill(token[:20])
        expect(lens.bytes).to_contain_text(f"U+{ord(token[0]):04X}")
    lens.type(HOSTILE)
    lens.own.fill("")
    expect(lens.page.locator(".tv-none")).to_contain_text("is in no vocabulary of this run")
    expect(lens.page.locator("img[src=x]")).to_have_count(0)
    expect(lens.page.locator(".stException")).to_have_count(0)
    app.go(0)
    expect(lens.page.locator(".tv-none")).to_be_visible()
    expect(lens.field).to_have_value(HOSTILE)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(app, scheme):
    app.page.emulate_media(color_scheme=scheme)
    lens = Lens(app)
    expect(app.page.locator(".st-key-token_curve svg.marks")).to_be_visible()
    lens.page.get_by_text("How many bytes a character takes").click()
    for characters in ("", "é日\u0301"):
        lens.own.fill(characters)
        expect(lens.bytes).to_contain_text("LATIN SMALL LETTER")
        app.settle()
        assert_accessible(app)
    lens.type("nothing like it")
    expect(lens.page.locator(".tv-none")).to_be_visible()
    app.settle()
    assert_accessible(app)


def test_nothing_moves_when_the_step_does(lens):
    """What is below and beside keeps its place whichever token the step made."""
    places = """() => [...document.querySelectorAll(
        '.st-key-lens_token, .st-key-token_curve, .st-key-lens_characters, .tv-scroll, .tv-lengths'
    )].map((e) => e.getBoundingClientRect())
      .map((r) => [r.x, r.y + scrollY, r.height].map(Math.round).join())"""
    seen = set()
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    for t in (13, 1, 8, 20):
        lens.app.go(t)
        lens.shows(history.steps[t - 1].token)
        lens.app.settle()
        seen.add(tuple(lens.page.evaluate(places)))
    assert len(seen) == 1


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_nothing_is_cut_off_sideways(lens, width, height):
    lens.page.set_viewport_size({"width": width, "height": height})
    lens.page.get_by_text("How many bytes a character takes").click()
    lens.type("Ġtoken")
    lens.shows("Ġtoken")
    lens.app.settle()
    overflow = "e => e.scrollWidth - e.clientWidth"
    assert lens.page.locator("html").evaluate(overflow) <= 0
    for box in lens.page.locator(".tv-scroll, .tv-lengths, .tv-fate").all():
        assert box.evaluate(overflow) <= 0
