"""The player as a person uses it, in the app and on a page of its own: by the names on the page."""

from base64 import b64encode
from functools import cache
from pathlib import Path

import streamlit
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from helpers import PATIENCE
from playwright.sync_api import expect

import tokviz
from tokviz.player.web_page import web_page

expect.set_options(timeout=PATIENCE * 1000)
COURSE = tokviz.SAMPLES["course"].corpus
SLIDER = "[aria-label='Training step']"
#: How much of each narration, and of each table, is not seen.
HIDDEN = """() => { const all = s => [...document.querySelectorAll(s)];
    return [...all('.tv-say').map(e => e.scrollHeight - e.clientHeight),
        ...all('.tv-candidates, .tv-candidates tr:not([hidden])')
            .map(e => e.scrollWidth - e.clientWidth)]; }"""
#: What functions give at every step, from the first one on, each once it is drawn.
EACH_STEP = """async () => { const found = [];
    const press = name => document.querySelector(`[aria-label="${name}"]`).click();
    const { dataset } = document.querySelector('[data-steps]');
    document.querySelector('.tv-fold:not([hidden])')?.click();
    press('First step');
    for (;;) {
        await new Promise(requestAnimationFrame);
        found.push([%s].map(look => look()));
        if (dataset.step === dataset.steps) return found;
        press('Next step');
    } }"""
#: Presses a key so many times; what functions give each time, once another one says that it is so.
#: No frame is drawn that nobody waits for.
EACH_PRESS = """async ([key, times, seconds]) => { const found = [];
    for (let n = 0; n < times; n++) {
        document.body.dispatchEvent(
            new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        const end = performance.now() + 1000 * seconds;
        while (!(%s)(n)) {
            if (performance.now() > end) return found;
            await new Promise(requestAnimationFrame);
        }
        found.push([%s].map(look => look()));
    }
    return found; }"""
#: For some frames, the corpus has the same room and letters: a resize is followed after a frame.
FITTED = """() => { const room = [...document.querySelectorAll('.tv-lines')].flatMap(e =>
        [e.style.getPropertyValue('--tv-fit'), e.clientWidth, e.parentElement.clientHeight]);
    window.sameFrames = `${room}` === window.lastRoom ? window.sameFrames + 1 : 0;
    window.lastRoom = `${room}`;
    return window.sameFrames > 2; }"""
#: Goes from step to step, at each until no narration and no table is cut off; where it gives up.
SHOWS_ALL = f"""async ([steps, seconds]) => {{
    const field = document.querySelector('[aria-label="Go to step"]');
    for (const step of steps) {{
        field.value = step;
        field.dispatchEvent(new Event('change'));
        const end = performance.now() + 1000 * seconds;
        while (!({HIDDEN})().every(n => n <= 1)) {{
            if (performance.now() > end) return step;
            await new Promise(requestAnimationFrame);
        }}
    }} }}"""
#: The letters of the app: what has room there has it in these.
[LETTERS] = Path(streamlit.__file__).parent.glob("static/static/media/SourceSansVF-Upright.*.woff2")
SET_LETTERS = """async data => {
    const bytes = Uint8Array.from(atob(data), letter => letter.charCodeAt(0));
    const font = new FontFace('App', bytes, { weight: '200 900' });
    document.fonts.add(await font.load());
    document.documentElement.style.fontFamily = 'App'; }"""
EXAMINE = Path(__file__).with_name("examine.js").read_text("utf-8")
#: The pictures in some parts of a page that nobody hears of: they are seen, not hidden from screen
#: readers, and have no name, nor has the image or the button that they are drawn for. Streamlit's
#: tables are drawn on a canvas that has them for readers inside, once they ask.
UNNAMED = """part => {
    const textOf = id => document.getElementById(id)?.textContent;
    const label = e => e && (e.ariaLabel || e.querySelector(':scope > title')?.textContent
        || e.getAttribute('aria-labelledby')?.split(' ').some(textOf));
    const drawnFor = e => e.closest('button, a, summary, [role=button]');
    const said = e => e && (label(e) || e.title || e.textContent.trim());
    const isNamed = e => (e.matches('[role=img], [role=group]') && label(e))
        || label(e.closest('[role=img], [role=graphics-document]')) || said(drawnFor(e));
    const pictures = [...document.querySelectorAll(part)]
        .flatMap(e => [...e.querySelectorAll('svg, canvas')]);
    return pictures.filter(e => e.checkVisibility() && !isNamed(e)
        && !e.closest('[aria-hidden=true], svg svg, .stDataFrame'))
        .map(e => e.parentElement.outerHTML.slice(0, 300));
}"""
#: The rules of axe: a view is examined by all, a theme only by that on colours.
COLOURS = {"runOnly": ["color-contrast"]}
ALL_BUT_COLOURS = {"rules": {"color-contrast": {"enabled": False}}}


@cache
def trained(text, algorithm, size, *positional, **settings):
    """A training, made once for all tests of a process."""
    return tokviz.train(text, algorithm, size, *positional, **settings)


def course(algorithm="bpe", size=50, *positional, **settings):
    """A training of the opening sample; BPE as the app opens with it."""
    if algorithm == "bpe":
        settings = {"unit": "byte", **settings}
    return trained(COURSE, algorithm, size, *positional, **settings)


@cache
def page_of(*histories, **options):
    """The page of its own of some trainings, made once."""
    return web_page(histories, **options)


def words_of(history, text, t):
    """The tokens of every word of a text, in text order."""
    words = [word.text for line in text.split("\n") for word in history.pretokenizer.words(line)]
    return [history.segmentation(word, t) for word in words]


def examine(page, part="html", **options):
    """No rule of accessibility is broken on a page, or in parts of it, and no picture is without
    its text."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = AxeResults(page.evaluate(EXAMINE, [part, options]))
    assert not found.violations_count, found.generate_report()
    assert page.evaluate(UNNAMED, part) == [], "each picture has its text for a screen reader"


class Player:
    """The player on any page."""

    def __init__(self, page):
        self.page = page
        page.set_default_timeout(PATIENCE * 1000)
        self.field = page.get_by_role("spinbutton", name="Go to step")
        self.card = page.locator(".tv-card")
        self.live = page.locator(".tv-player > [aria-live]")

    def settle(self):
        """Waits until nothing moves any more."""
        moving = "a.playState === 'running' && a.effect.getComputedTiming().endTime !== Infinity"
        self.page.wait_for_function(f"() => !document.getAnimations().some(a => {moving})")

    def button(self, name):
        return self.page.get_by_role("button", name=name, exact=True)

    def click(self, name):
        self.button(name).click()
        self.settle()

    def select(self, name, label):
        """Picks an option of one of the player's own fields."""
        self.page.get_by_role("combobox", name=name, exact=True).select_option(label=label)

    def press(self, *keys):
        """Presses keys in the player."""
        self.page.locator(".tv-corpus").first.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def enter(self, role, name, value):
        """Types into a field of the player."""
        field = self.page.get_by_role(role, name=name, exact=True)
        field.fill(value)
        field.press("Enter")
        return field

    def go(self, step):
        self.field.fill(str(step))
        self.field.press("Enter")

    def wait_step(self, step):
        expect(self.page.locator("[data-steps]")).to_have_attribute("data-step", str(step))

    @property
    def step(self):
        return int(self.page.locator("[data-steps]").get_attribute("data-step"))

    @property
    def steps(self):
        return int(self.page.locator("[data-steps]").get_attribute("data-steps"))

    @property
    def narration(self):
        """What is said of the step; tokens are chips there, not quoted."""
        return self.page.locator(".tv-say p").first.text_content()

    def lane(self, label):
        return self.page.get_by_role("region", name=label, exact=True)

    def lanes(self):
        """The names of all lanes."""
        return self.page.locator(".tv-lane").evaluate_all("all => all.map(e => e.ariaLabel)")

    def state(self, label):
        return int(self.lane(label).get_attribute("data-state"))

    def words(self, label=None):
        """The corpus of a lane (of the only one) on the page: words as lists of tokens."""
        where = self.lane(label) if label else self.page
        return where.locator(".tv-corpus .tv-word").evaluate_all(
            "words => words.map(w => [...w.querySelectorAll('.chip')].map(c => c.dataset.token))"
        )

    def chip(self, token):
        """The first chip of a token in the corpus."""
        return self.page.locator(f'.tv-corpus .chip[data-token="{token}"]').first

    def candidates(self):
        """The candidate table on the page: the tokens of each row, and its note."""
        return self.page.locator(".tv-candidates tbody tr").evaluate_all(
            "rows => rows.map(r => [[...r.querySelectorAll('.chip')].map(c => c.dataset.token),"
            " r.querySelector('.note').textContent])"
        )

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.wait_for_function("width => innerWidth === width", arg=width)
        self.page.wait_for_function(FITTED)
        self.settle()

    def fits(self, *parts):
        """Waits until nothing of these parts of the page is cut off sideways, wherever they are."""
        self.page.wait_for_function(
            "parts => parts.every(part => { const all = [...document.querySelectorAll(part)];"
            " return all.length && all.every(e => e.scrollWidth <= e.clientWidth); })",
            arg=parts or ["html"],
        )

    def shows_all(self, *steps):
        """Waits until no narration and no table is cut off, at each of these steps."""
        self.fits()
        hides = self.page.evaluate(SHOWS_ALL, [steps, PATIENCE])
        assert hides is None, f"something is cut off at step {hides}"
        assert self.step == steps[-1]

    def at_each_step(self, *looks):
        """What JavaScript functions give at every step, from the first one on."""
        found = self.page.evaluate(EACH_STEP % ", ".join(looks))
        assert len(found) == self.steps + 1
        return found

    def at_each_press(self, key, times, until, *looks):
        """What JavaScript functions give after each press of a key, once `until` of its number
        does."""
        script = EACH_PRESS % (until, ", ".join(looks))
        found = self.page.evaluate(script, [key, times, PATIENCE])
        assert len(found) == times, "the next press does not lead there"
        return found

    def theme(self, scheme):
        """Makes the system light or dark."""
        self.page.emulate_media(color_scheme=scheme)
        self.settle()

    def accessible(self, part="html", **options):
        """No rule of accessibility is broken on the page, or in parts of it."""
        self.settle()
        examine(self.page, part, **options)

    def accessible_in_both_themes(self, part="html", **options):
        """In the light; in the dark, only the colours are others."""
        self.theme("light")
        self.accessible(part, **options)
        self.theme("dark")
        self.accessible(part, **COLOURS)
        self.theme("light")


class PlayerPage(Player):
    """A page of its own, without a server; everything that it complains of is noted."""

    def __init__(self, page, folder):
        super().__init__(page)
        self.folder, self.complaints = folder, []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: self.complaints.append(dialog.message))

    def open(self, *histories, hash="", **options):
        """Opens runs, as a file."""
        path = self.folder / "page.html"
        path.write_bytes(page_of(*histories, **options).encode("utf-8"))
        if hash:
            # Another fragment alone would load nothing.
            self.page.goto("about:blank")
        self.page.goto(f"{path.as_uri()}{hash}")
        self.page.locator(".tv-corpus .chip").first.wait_for()
        self.settle()
        return self

    def set_letters(self):
        """Has the page in the letters of the app."""
        self.page.evaluate(SET_LETTERS, b64encode(LETTERS.read_bytes()).decode("ascii"))
