"""Chromium, and Firefox through its own remote agent (WebDriver BiDi), driven by Playwright."""

import shutil

from helpers import PATIENCE
from tab import MADE_UP_FINGER, PRELOAD, Tab

FIREFOX = shutil.which("firefox-esr") or shutil.which("firefox")


def start_firefox(playwright, dark=False):
    """A Firefox of the system, dark or light: it takes that, and to go without motion, from its
    preferences only."""
    preferences = {
        "ui.prefersReducedMotion": 1,
        "layout.css.prefers-color-scheme.content-override": 0 if dark else 1,
    }
    return playwright.firefox.launch(
        channel="moz-firefox", executable_path=FIREFOX, firefox_user_prefs=preferences
    )


class PlaywrightTab(Tab):
    """A page of its own in a profile."""

    def __init__(self, context, touch):
        self.touch = touch
        self._context = context
        self._context.set_default_timeout(PATIENCE / 3 * 1000)
        self.page = self._context.new_page()
        self.page.add_init_script(PRELOAD)

    def go(self, address):
        self.page.goto(address)

    def run(self, script, *values):
        return self.page.evaluate(f"values => ({script})(...values)", list(values))

    def run_in_frame(self, script, *values):
        frame = self.until(lambda: self.page.frames[1:], "there is a frame")[0]
        frame.wait_for_load_state()
        return frame.evaluate(f"values => ({script})(...values)", list(values))

    def click(self, role, name):
        self.page.get_by_role(role, name=name, exact=True).first.click()

    def click_on(self, css, n=0):
        self.page.locator(css).nth(n).click()

    def hover(self, css, n=0):
        self.page.locator(css).nth(n).hover()

    def fill(self, role, name, text):
        # Playwright's own `fill` adds to a number where it drives Firefox.
        self.page.get_by_role(role, name=name, exact=True).first.focus()
        self.press("Control+a")
        self.press("Delete")
        self.page.keyboard.type(text)

    def choose(self, name, label):
        field = self.page.get_by_role("combobox", name=name, exact=True)
        field.first.select_option(label=label)

    def press(self, keys):
        self.page.keyboard.press(keys)

    def drag(self, css, start, end):
        box = self.page.locator(css).first.bounding_box()
        y, mouse = box["y"] + box["height"] / 2, self.page.mouse
        mouse.move(box["x"] + box["width"] * start, y)
        mouse.down()
        mouse.move(box["x"] + box["width"] * end, y, steps=8)
        mouse.up()

    def swipe(self, css, start, end):
        if self.touch == "made-up":
            return self.run(MADE_UP_FINGER, css, start, end)
        box = self.page.locator(css).first.bounding_box()
        y = box["y"] + box["height"] / 2
        shares = [start + (end - start) * i / 8 for i in range(9)]
        places = [{"x": box["x"] + box["width"] * share, "y": y} for share in shares]
        finger = self._context.new_cdp_session(self.page)
        for place in places:
            kind = "touchStart" if place is places[0] else "touchMove"
            finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [place]})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        return None

    def upload(self, path):
        self.page.locator("input[type=file]").first.set_input_files(path)

    def picture(self, path):
        self.page.screenshot(path=path)

    def resize(self, width, height):
        self.page.set_viewport_size({"width": width, "height": height})
        self.wait("width => innerWidth === width", width)

    def close(self):
        self.page.close()
