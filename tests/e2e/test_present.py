"""In front of a class: playing to a stop, the laser, the keys at the bottom, large type."""

import re
from dataclasses import replace

import pytest
from app_page import App
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_links
from tokviz.player.web_page import web_page
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
WORDPIECE = replace(COURSE, algorithm="wordpiece", vocab_size=70, pretokenizer="bert", settings=())
UNIGRAM = replace(COURSE, algorithm="unigram", vocab_size=100, settings=())
LANES = [COURSE, WORDPIECE, UNIGRAM, replace(COURSE, vocab_size=60)]
#: A projector, a large screen, a page at 200 percent, a phone.
SCREENS = [(1366, 768), (1920, 1080), (683, 384), (390, 844)]
#: How much of each narration, and of each table, is not seen.
HIDDEN = """() => { const all = s => [...document.querySelectorAll(s)];
    return [...all('.tv-say').map(e => e.scrollHeight - e.clientHeight),
        ...all('.tv-candidates, .tv-candidates tr:not([hidden])')
            .map(e => e.scrollWidth - e.clientWidth)]; }"""


@pytest.fixture
def opened(page, server):
    """The app at an address."""

    def opened(lanes=(COURSE,), **parts):
        query = "&".join([f"lane={link}" for link in to_links(lanes)])
        query += "".join(f"&{name}={value}" for name, value in parts.items())
        return App(page, f"{server}/?{query}")

    return opened


def stopped(app, step, sentence):
    note = app.page.locator(".tv-found")
    expect(note).to_have_text(sentence)
    assert app.step == step
    expect(app.page.get_by_role("button", name="Play", exact=True)).to_be_visible()


def heard(app, sentence):
    expect(app.page.locator(".tv-player [aria-live]")).to_contain_text(sentence)


def test_playing_stops_at_each_tie_and_then_says_that_none_comes(opened):
    app = opened(step=0, speed=60)
    app.page.get_by_role("combobox", name="Stop at").select_option(label="next tie")
    app.page.get_by_role("button", name="Play", exact=True).click()
    stopped(app, 1, "Stopped: 3 pairs tie here.")
    heard(app, "Stopped: 3 pairs tie here. Step 1: merged")
    expect(app.page).to_have_url(re.compile("stop=tie"))
    app.page.locator(".tv-corpus").focus()
    app.page.keyboard.press("b")
    stopped(app, 2, "Stopped: 2 pairs tie here.")
    app.go(19)
    app.page.locator(".tv-corpus").focus()
    app.page.keyboard.press("b")
    stopped(app, 19, "No tie comes any more.")
    app.page.keyboard.press(" ")
    sentence = "No tie comes any more. Play once more to go on to the end."
    stopped(app, 19, sentence)
    heard(app, sentence)
    app.page.keyboard.press(" ")
    expect(app.page.locator("[data-steps]")).to_have_attribute("data-step", "20")
    expect(app.page.locator(".tv-found")).to_be_empty()


def test_a_link_plays_to_the_birth_of_its_token(opened):
    app = opened(step=0, speed=60, stop="birth", token="0..nd", present=1)
    app.page.keyboard.press("b")
    stopped(app, 13, "Stopped: “nd” was born.")
    assert "nd" in {token for word in app.words() for token in word}
    app.page.keyboard.press("b")
    stopped(app, 13, "“nd” is born already: its birth lies behind.")
    app.page.keyboard.press("Escape")
    app.page.keyboard.press("b")
    expect(app.page.locator(".tv-found")).to_contain_text("No token is selected to stop at")
    # Another token by its name.
    field = app.page.get_by_role("combobox", name="Token to stop at")
    field.fill("Ġtoken")
    field.press("Enter")
    app.page.keyboard.press("Escape")
    app.page.locator(".tv-corpus .chip[data-token='Ġ']").first.click()
    expect(field).to_have_value("Ġ")
    app.page.locator(".tv-corpus").focus()
    app.page.keyboard.press("b")
    stopped(app, 13, "“Ġ” was there from the start: it is not born.")


def test_several_lanes_stop_where_the_first_one_does(opened):
    app = opened((COURSE, UNIGRAM), step=0, speed=60, stop="size.44")
    app.page.keyboard.press("b")
    stopped(app, 14, "BPE stopped at a vocabulary of 44.")
    app.go(0)
    app.page.get_by_role("spinbutton", name="Vocabulary size to stop at").fill("299")
    app.page.keyboard.press("Enter")
    app.page.locator(".tv-corpus").first.focus()
    app.page.keyboard.press("b")
    stopped(app, 1, "Unigram stopped at a vocabulary of 270, the first one past 299.")
    app.page.keyboard.press("b")
    stopped(app, 1, "A vocabulary of 299 does not come any more: it lies behind.")


def test_a_pruned_token_ends(opened):
    history = tokviz.train(COURSE_TEXT, "unigram", 100, "gpt2")
    rounds = [step.removed for step in history.steps]
    token = rounds[4][0]
    app = opened((UNIGRAM,), step=0, speed=60, stop="end", token=f"0..{token}")
    app.page.keyboard.press("b")
    stopped(app, 5, f"Stopped: “{token}” was pruned.")


COURSE_TEXT = tokviz.SAMPLES["course"].corpus


def test_pressing_b_while_playing_jumps(opened):
    app = opened(step=0, speed=0.5, stop="size.48")
    app.page.keyboard.press("b")
    expect(app.page.get_by_role("button", name="Pause")).to_be_visible()
    app.page.keyboard.press("b")
    stopped(app, 18, "Stopped at a vocabulary of 48.")


def test_the_laser_lights_a_token_wherever_it_is(opened):
    app = opened(step=1)
    page = app.page
    page.keyboard.press("l")
    laser = page.get_by_role("button", name="Laser")
    expect(laser).to_have_attribute("aria-pressed", "true")
    glowing = """() => [...document.querySelectorAll('.tv-lanes .chip')]
        .filter(e => parseFloat(getComputedStyle(e).outlineWidth) >= 3
            && getComputedStyle(e).outlineStyle !== 'none').map(e => e.dataset.token)"""
    everywhere = page.locator(".tv-lanes .chip[data-token='e']").count()
    assert everywhere > 10
    others = ".tv-corpus .chip:not([data-token=e])"
    colours = f"""() => new Set([...document.querySelectorAll('{others}')]
        .map(e => getComputedStyle(e).backgroundColor)).size"""
    assert page.evaluate(colours) > 1
    page.locator(".tv-corpus .chip[data-token='e']").first.hover()
    assert page.evaluate(glowing) == ["e"] * everywhere
    assert page.evaluate(colours) == 1, "all others are pale"
    expect(page.locator(".tv-laser-dot")).to_be_visible()
    # It goes with the pointer; a click pins it, and opens no card.
    page.locator(".tv-corpus .chip[data-token='e']").first.click()
    page.locator(".tv-corpus h3").hover()
    assert page.evaluate(glowing) == ["e"] * everywhere
    expect(page.locator(".tv-card")).to_be_hidden()
    page.keyboard.press("ArrowRight")
    assert set(page.evaluate(glowing)) == {"e"}
    page.keyboard.press("Escape")
    assert page.evaluate(glowing) == []
    page.keyboard.press("Escape")
    expect(laser).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(colours) > 1


def test_the_laser_follows_a_finger(opened):
    app = opened(step=1)
    app.page.get_by_role("button", name="Laser").click()
    touch = """([from, to]) => {
        const at = e => { const b = e.getBoundingClientRect();
            return { clientX: b.x + b.width / 2, clientY: b.y + b.height / 2 }; };
        const [a, b] = [from, to]
            .map(t => document.querySelector(`.tv-corpus .chip[data-token=${t}]`));
        const send = (name, e) => a.dispatchEvent(new PointerEvent(name,
            { pointerType: 'touch', bubbles: true, ...at(e) }));
        const rule = () => document.querySelector('.tv-player > style:last-of-type').textContent;
        send('pointerdown', a); const first = rule();
        send('pointermove', b); const second = rule();
        send('pointerup', b);
        return [first, second, rule()].map(r => r.match(/data-t="\\d+"/)?.[0] ?? '');
    }"""
    first, second, after = app.page.evaluate(touch, ["e", "o"])
    assert first
    assert second not in ("", first)
    assert after == ""


def test_keys_at_the_bottom_stay_and_flash(opened):
    app = opened(step=3, present=1)
    strip = app.page.get_by_role("list", name="Main keys")
    expect(strip).to_be_hidden()
    app.page.keyboard.press("k")
    expect(strip).to_be_visible()
    # A flash is short, and whoever looks from time to time may miss it.
    strip.evaluate("""strip => new MutationObserver(changes => {
        for (const { target } of changes)
            if (target.matches('kbd.pressed')) strip.dataset.flashed = target.textContent;
    }).observe(strip, { attributeFilter: ['class'], subtree: true })""")
    app.page.keyboard.press("PageDown")
    expect(strip).to_have_attribute("data-flashed", "→")
    expect(strip.locator("kbd.pressed")).to_have_count(0)
    expect(app.page).to_have_url(re.compile("keys=1"))
    app.reload()
    expect(strip).to_be_visible()
    app.page.keyboard.press("k")
    expect(strip).to_be_hidden()
    # The list of all keys offers it too.
    app.page.keyboard.press("?")
    app.page.get_by_role("button", name="Main keys at the bottom of the screen").click()
    expect(strip).to_be_visible()


def test_a_clicker_steps_through_a_presentation(opened):
    app = opened(step=3, present=1, stop="tie")
    visited = []
    for key in ("PageDown", "PageDown", "PageUp"):
        app.page.keyboard.press(key)
        visited.append(app.step)
    assert visited == [4, 5, 4]


@pytest.mark.parametrize("lanes", [1, 2, 3, 4])
def test_nothing_is_cut_off_when_presenting(opened, lanes):
    app = opened(LANES[:lanes], present=1, stop="birth", token="0..is", keys=1)
    for size in SCREENS:
        app.resize(*size)
        app.fits()
        for step in (0, 2, 11):
            app.go(step)
            app.page.wait_for_function(f"() => ({HIDDEN})().every(n => n <= 1)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_presentation_passes_axe(opened, page, scheme):
    page.emulate_media(color_scheme=scheme)
    app = opened((COURSE, UNIGRAM), present=1, keys=1, stop="tie", step=0, speed=60)
    app.page.keyboard.press("b")
    expect(app.page.locator(".tv-found")).to_contain_text("stopped:")
    app.page.keyboard.press("l")
    app.page.locator(".tv-corpus .chip[data-token='e']").first.click()
    app.settle()
    found = Axe().run(app.page)
    assert not found.violations_count, found.generate_report()


def test_a_page_of_its_own_has_all_of_it(page, tmp_path):
    history = tokviz.train(COURSE_TEXT, "bpe", 50, "gpt2", unit="byte")
    web_page([history], path=tmp_path / "course.html")
    page.goto(f"file://{tmp_path}/course.html")
    page.locator(".tv-corpus .chip").first.wait_for()
    page.get_by_role("combobox", name="Speed").select_option("60 steps/s")
    page.get_by_role("combobox", name="Stop at").select_option(label="vocabulary size …")
    page.get_by_role("spinbutton", name="Vocabulary size to stop at").fill("40")
    page.keyboard.press("Enter")
    page.locator(".tv-corpus").focus()
    for key in ("p", "k", "l", "b"):
        page.keyboard.press(key)
    expect(page.locator(".tv-found")).to_have_text("Stopped at a vocabulary of 40.")
    expect(page.get_by_role("list", name="Main keys")).to_be_visible()
    expect(page.get_by_role("button", name="Laser")).to_have_attribute("aria-pressed", "true")
