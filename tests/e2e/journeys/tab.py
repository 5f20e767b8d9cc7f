"""What a person does in a browser, by the same verbs in every engine.

`Tab` says everything that can be said with a few primitives; one class for each driver has those:
`playwright_tab.py` (Chromium, Firefox) and `webkit_tab.py`.
"""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress

from app_page import OWED, QUIET
from helpers import PATIENCE

#: Notes what a page complains of: errors and warnings of its console, errors that nobody caught,
#: and violations of its Content-Security-Policy. The last are told in other words by each engine.
LISTEN = """(() => {
  const said = (window.complaints = []);
  for (const level of ["error", "warn"]) {
    const print = console[level];
    console[level] = (...words) => { said.push(`${level}: ${words.join(" ")}`); print(...words); };
  }
  addEventListener("error", (e) =>
    said.push(`uncaught: ${e.message ?? e.target?.outerHTML?.slice(0, 200)}`), true);
  addEventListener("unhandledrejection", (e) => said.push(`rejected: ${e.reason}`));
  addEventListener("securitypolicyviolation", (e) =>
    said.push(`policy: ${e.violatedDirective} ${e.blockedURI} in ${e.sourceFile}`));
})();"""
#: Runs in every page before its own scripts.
PRELOAD = f"{LISTEN}\n{OWED};"

#: A finger that moves over an element, where no driver has one: events made up in the page. A range
#: input does by itself what a finger asks of it, which made-up events cannot have it do.
MADE_UP_FINGER = """(css, start, end) => {
  const element = document.querySelector(css), box = element.getBoundingClientRect();
  const at = (share) => ({ clientX: box.left + box.width * share, clientY: box.top + box.height / 2,
    pointerType: "touch", pointerId: 7, isPrimary: true, bubbles: true, cancelable: true });
  const tell = (kind, share) => element.dispatchEvent(new PointerEvent(kind, at(share)));
  const move = (share) => {
    tell("pointermove", share);
    if (element.type !== "range") return;
    element.value = Math.round(Number(element.max) * share);
    element.dispatchEvent(new Event("input", { bubbles: true }));
  };
  tell("pointerdown", start);
  for (let i = 0; i <= 8; i++) move(start + ((end - start) * i) / 8);
  tell("pointerup", end);
  if (element.type === "range") element.dispatchEvent(new Event("change", { bubbles: true }));
}"""


class Tab(ABC):
    """One page in one engine."""

    #: How this driver moves a finger: "finger" (touch events of the browser itself), "taps" (those
    #: of single touches), or "made-up" (events that a script in the page makes).
    touch: str
    #: What this driver raises of a page that is being left.
    LEAVING: tuple[type[Exception], ...] = ()
    #: What pages complained of that are left.
    earlier: Sequence[str] = ()

    @abstractmethod
    def go(self, address):
        """Opens an address and waits for the page's own load."""

    @abstractmethod
    def run(self, script, *values):
        """What a JavaScript function gives for these values."""

    @abstractmethod
    def run_in_frame(self, script, *values):
        """What a JavaScript function gives inside the first frame of the page."""

    @abstractmethod
    def click(self, role, name):
        """Clicks the first element of a role with exactly this accessible name."""

    @abstractmethod
    def click_on(self, css, n=0):
        """Clicks the nth element of a selector."""

    @abstractmethod
    def hover(self, css, n=0):
        """Points at the nth element of a selector."""

    @abstractmethod
    def fill(self, role, name, text):
        """Puts a text in the place of what a field holds."""

    @abstractmethod
    def choose(self, name, label):
        """Picks an option of a select element by its label."""

    @abstractmethod
    def press(self, keys):
        """Presses a key, or several at once: "Control+Enter"."""

    @abstractmethod
    def drag(self, css, start, end):
        """Drags with the mouse over an element, from and to a share of its width."""

    @abstractmethod
    def swipe(self, css, start, end):
        """Moves a finger over an element, as `touch` says."""

    @abstractmethod
    def upload(self, path):
        """Gives a file to the first field for files."""

    @abstractmethod
    def picture(self, path):
        """Saves what is seen as PNG."""

    @abstractmethod
    def resize(self, width, height):
        """Gives the page another size."""

    @abstractmethod
    def close(self):
        """Leaves the page."""

    def until(self, look, what):
        """Waits until `look` gives something that is true, and returns that."""
        end = time.monotonic() + PATIENCE / 3
        while True:
            # A page that is being left gives nothing.
            with suppress(*self.LEAVING):
                if seen := look():
                    return seen
            if time.monotonic() > end:
                raise AssertionError(f"Not so: {what}. The page said: {self.complaints()}")
            time.sleep(0.03)

    def wait(self, script, *values):
        """Waits until a JavaScript function gives something that is true, and returns that."""
        return self.until(lambda: self.run(script, *values), f"{script} {values}")

    def settle(self):
        """Waits until the server has answered all that was asked, and the page rests."""
        self.wait(QUIET)

    def sees(self, css):
        """Waits until something of a selector is on the page."""
        self.wait("css => document.querySelector(css)?.getClientRects().length", css)

    def says(self, css, text):
        """Waits until the first element of a selector has a text in it."""
        script = "(css, text) => document.querySelector(css)?.textContent.includes(text)"
        self.wait(script, css, text)

    def texts(self, css):
        """The texts of all elements of a selector."""
        return self.run("css => [...document.querySelectorAll(css)].map(e => e.textContent)", css)

    def complaints(self):
        """What the page complained of since it was opened, the server's own part included."""
        return self.run("() => window.complaints ?? ['nobody listens']")

    # --- what tokviz's own pages have -------------------------------------------------------------

    def go_on(self, address):
        """Opens an address after another one; what the page before complained of is kept."""
        self.earlier = [*self.earlier, *self.complaints()]
        self.go(address)

    def open(self, address):
        """Opens a page of the app and waits for its player."""
        self.go(address)
        self.sees(".tv-corpus .chip")
        self.settle()

    @property
    def step(self):
        """Where the player stands."""
        return int(self.run("() => document.querySelector('[data-steps]').dataset.step"))

    @property
    def steps(self):
        """The last step of the player."""
        return int(self.run("() => document.querySelector('[data-steps]').dataset.steps"))

    def stands_at(self, step):
        """Waits until the player stands there."""
        script = "t => document.querySelector('[data-steps]')?.dataset.step === String(t)"
        self.wait(script, step)

    def go_to(self, step):
        """Types a step."""
        self.fill("spinbutton", "Go to step", str(step))
        self.press("Enter")
        self.stands_at(step)

    def jump(self, step):
        """Is at a step at once, where nobody asks whether it can be typed."""
        self.run(
            "step => { const field = document.querySelector('[aria-label=\"Go to step\"]');"
            " field.value = step; field.dispatchEvent(new Event('change'));"
            " return new Promise(requestAnimationFrame); }",
            step,
        )
        self.stands_at(step)

    def words(self, lane=0):
        """The corpus of a lane: words as lists of tokens."""
        return self.run(
            "n => [...document.querySelectorAll('.tv-corpus')[n].querySelectorAll('.tv-word')]"
            ".map(w => [...w.querySelectorAll('.chip')].map(c => c.dataset.token))",
            lane,
        )
