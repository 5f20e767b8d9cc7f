"""WebKitGTK, driven by Selenium through Debian's webkit2gtk-driver on a screen of its own."""

import os
import subprocess
from contextlib import contextmanager
from pathlib import Path

from helpers import PATIENCE
from selenium.common.exceptions import (
    ElementNotInteractableException,
    NoSuchFrameException,
    WebDriverException,
)
from selenium.webdriver import ActionChains, Keys, WebKitGTK
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select
from selenium.webdriver.webkitgtk.options import Options
from selenium.webdriver.webkitgtk.service import Service
from tab import MADE_UP_FINGER, PRELOAD, Tab

BROWSER = Path(__file__).with_name("webkit_browser.py")
DRIVER = "/usr/bin/WebKitWebDriver"
#: Where elements of a role are looked for; WebKit itself says which of them has the name.
ROLES = {
    "button": "button, [role=button]",
    "link": "a[href]",
    "radio": "[role=radio], input[type=radio]",
    "tab": "[role=tab]",
    "textbox": "textarea, input:not([type]), input[type=text], input[type=search]",
    "spinbutton": "input[type=number]",
    "slider": "[role=slider], input[type=range]",
    "combobox": "select, [role=combobox]",
    "checkbox": "input[type=checkbox], [role=switch]",
    "option": "[role=option]",
}
#: Those that may have the name: to ask WebKit for the name of each would take seconds.
LIKELY = """const [css, name] = arguments;
const has = text => (text ?? "").trim().replace(/\\s+/g, " ").includes(name);
return [...document.querySelectorAll(css)].filter(e => e.getClientRects().length
    && (has(e.ariaLabel) || has(e.textContent) || has(e.title) || has(e.placeholder)
    || [...(e.labels ?? [])].some(label => has(label.textContent))
    || (e.getAttribute("aria-labelledby") ?? "").split(" ")
        .some(id => has(document.getElementById(id)?.textContent))));"""
KEYS = {
    "ArrowLeft": Keys.ARROW_LEFT,
    "ArrowRight": Keys.ARROW_RIGHT,
    "ArrowUp": Keys.ARROW_UP,
    "ArrowDown": Keys.ARROW_DOWN,
    "Control": Keys.CONTROL,
    "Delete": Keys.DELETE,
    "End": Keys.END,
    "Enter": Keys.ENTER,
    "Escape": Keys.ESCAPE,
    "Home": Keys.HOME,
    "PageDown": Keys.PAGE_DOWN,
    "PageUp": Keys.PAGE_UP,
    "Shift": Keys.SHIFT,
    "Tab": Keys.TAB,
}


@contextmanager
def screen():
    """The name of an X screen that nobody sees."""
    shown = subprocess.Popen(
        ["Xvfb", "-displayfd", "1", "-screen", "0", "2000x1200x24", "-nolisten", "tcp"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        yield f":{shown.stdout.readline().strip()}"
    finally:
        shown.terminate()
        shown.wait()


class WebKitTab(Tab):
    """A browser of its own, with one page."""

    # The driver makes a mouse of every finger.
    touch = "made-up"
    LEAVING = (NoSuchFrameException,)

    def __init__(self, display, folder, dark=False, language="en_US", network=True):
        preload = folder / "preload.js"
        preload.write_text(PRELOAD, "utf-8")
        environment = {
            **os.environ,
            "DISPLAY": display,
            "LANGUAGE": language,
            "TOKVIZ_PRELOAD": str(preload),
            "TOKVIZ_DARK": str(int(dark)),
            "TOKVIZ_NETWORK": str(int(network)),
        }
        options = Options()
        options.binary_location = str(BROWSER)
        options.add_argument("--automation")
        with open(os.devnull, "w") as nowhere:
            service = Service(DRIVER, env=environment, log_output=nowhere)
            self._driver = WebKitGTK(options=options, service=service)
        # A script may measure for a while.
        self._driver.set_script_timeout(10 * PATIENCE)

    def go(self, address):
        self._driver.get(address)

    def run(self, script, *values):
        return self._driver.execute_script(f"return ({script})(...arguments)", *values)

    def run_in_frame(self, script, *values):
        self._driver.switch_to.frame(0)
        try:
            return self.run(script, *values)
        finally:
            self._driver.switch_to.default_content()

    def _find(self, role, name):
        def look():
            for element in self._driver.execute_script(LIKELY, ROLES[role], name):
                try:
                    if element.accessible_name.strip() == name:
                        return element
                except WebDriverException:
                    # It was drawn anew meanwhile.
                    continue
            return None

        return self.until(look, f"a {role} is called {name!r}")

    def _nth(self, css, n):
        def look():
            found = self._driver.find_elements(By.CSS_SELECTOR, css)
            return found[n] if len(found) > n else None

        return self.until(look, f"there is {css} number {n}")

    def click(self, role, name):
        self._click(lambda: self._find(role, name))

    def click_on(self, css, n=0):
        self._click(lambda: self._nth(css, n))

    def _click(self, find):
        def attempt():
            element = find()
            try:
                element.click()
            except ElementNotInteractableException:
                # What is seen of a radio button is its label.
                label = self._driver.execute_script("return arguments[0].closest('label')", element)
                if label is None:
                    return False
                label.click()
            except WebDriverException:
                return False
            return True

        self.until(attempt, "it can be clicked")

    def hover(self, css, n=0):
        def attempt():
            element = self._nth(css, n)
            try:
                ActionChains(self._driver).move_to_element(element).perform()
            except WebDriverException:
                # It was drawn anew meanwhile.
                return False
            return True

        self.until(attempt, f"the pointer rests on {css}")

    def fill(self, role, name, text):
        self._driver.execute_script("arguments[0].focus()", self._find(role, name))
        self.press("Control+a")
        self.press("Delete")
        # This driver types no "\n".
        typed = text.replace("\n", Keys.ENTER)
        ActionChains(self._driver, 0).send_keys(typed).perform()

    def choose(self, name, label):
        Select(self._find("combobox", name)).select_by_visible_text(label)

    def press(self, keys):
        held = [KEYS.get(key, key) for key in (keys.split("+") if len(keys) > 1 else [keys])]
        doing = ActionChains(self._driver, 0)
        for key in held[:-1]:
            doing = doing.key_down(key)
        doing = doing.send_keys(held[-1])
        for key in reversed(held[:-1]):
            doing = doing.key_up(key)
        doing.perform()

    def drag(self, css, start, end):
        element = self._nth(css, 0)
        width = element.rect["width"]
        doing = ActionChains(self._driver, 50)
        doing.move_to_element_with_offset(element, int(width * (start - 0.5)), 0).click_and_hold()
        for i in range(1, 9):
            share = start + (end - start) * i / 8
            doing.move_to_element_with_offset(element, int(width * (share - 0.5)), 0)
        doing.release().perform()

    def swipe(self, css, start, end):
        self.run(MADE_UP_FINGER, css, start, end)

    def upload(self, path):
        self._nth("input[type=file]", 0).send_keys(str(path))

    def picture(self, path):
        self._driver.get_screenshot_as_file(str(path))

    def resize(self, width, height):
        self._driver.set_window_rect(0, 0, width, height)
        self.wait("width => innerWidth === width", width)

    def close(self):
        self._driver.quit()
