"""How soon a text that is typed on Train is trained and painted, in a real Chromium.

From the last key to the frame that shows the new run, the pause of 150 ms included, for texts of 2
and 20 KB. Run by hand on a quiet machine: `.venv/bin/python tests/benchmarks/live_text.py`. Nothing
here is a test, and no figure is asserted; a figure that is not reached is marked.
"""

from player import browsing, report_times, rest

import tokviz

KEYS = 40

#: Notes the time from each key to the frame that paints the run that came of it.
WATCH = """() => {
  window.taken = [];
  let pressed = 0;
  const note = ({ isTrusted }) => { if (isTrusted) pressed = performance.now(); };
  addEventListener("keydown", note, true);
  new PerformanceObserver(() => {
    if (!pressed) return;
    const from = pressed;
    pressed = 0;
    requestAnimationFrame(() => setTimeout(() => window.taken.push(performance.now() - from)));
  }).observe({ type: "measure" });
}"""


def prose(size):
    """The first `size` characters of the samples, one after the other."""
    texts = [sample.corpus for sample in tokviz.SAMPLES.values() if isinstance(sample.corpus, str)]
    return "\n".join(texts * 20)[:size]


def typing(browser, address, size):
    """Types letters at the end of a text, each after the run of the one before it; returns the
    milliseconds that each took."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(address)
    page.locator(".tv-corpus .chip").first.wait_for(timeout=60_000)
    rest(page)
    field = page.get_by_role("textbox", name="Your text", exact=True)
    field.fill(prose(size))
    field.press("Control+Enter")
    page.wait_for_timeout(3000)
    rest(page)
    button = page.get_by_role("button", name="Train", exact=True)
    if button.count():
        print(f"A text of {size:,} characters waits for a button here.")
        button.click()
        page.wait_for_timeout(3000)
        rest(page)
    field.press("Control+End")
    page.evaluate(WATCH)
    for n in range(KEYS):
        page.keyboard.type("etaoin "[n % 7])
        page.locator("body").evaluate(
            """(_, n) => new Promise(done => {
                const look = () => window.taken.length > n ? done() : setTimeout(look, 50);
                look();
            })""",
            n,
        )
        rest(page)
    taken = page.evaluate("window.taken")
    page.close()
    return taken


if __name__ == "__main__":
    with browsing() as (opened, place):
        for length, reach in ((2000, 350), (20_000, 500)):
            times = typing(opened, place, length)
            report_times(f"last key → new run painted, {length:,} characters", times, None, reach)
