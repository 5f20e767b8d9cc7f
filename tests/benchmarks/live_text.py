"""How soon what is typed, chosen or set on Train is trained and painted, in a real Chromium.

From the key or the click to the frame that shows the new run, for texts of 2 and 20 KB, and how
much was sent by then. Run by hand on a quiet machine:
`.venv/bin/python tests/benchmarks/live_text.py`. Nothing here is a test, and no figure is asserted;
a figure that is not reached is marked.
"""

from player import browsing, report, report_times, rest

import tokviz

KEYS, CHOICES = 40, 20
PRESS = 80  # ms from press to release of a mouse by a person; the click comes with the release

#: Notes the time from each key or click to the frame that paints the run that came of it, and the
#: bytes that were sent by then.
WATCH = """() => {
  window.taken = [];
  let [pressed, inFrame] = [0, false];
  const note = ({ isTrusted, timeStamp }) => { if (isTrusted) pressed = timeStamp; };
  for (const kind of ["keydown", "click"]) addEventListener(kind, note, true);
  window.sent = 0;
  const { send } = WebSocket.prototype;
  WebSocket.prototype.send = function (data) {
    if (pressed) window.sent += data.byteLength ?? data.length;
    return send.call(this, data);
  };
  const frame = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (call) => frame((now) => {
    inFrame = true;
    try { call(now); } finally { inFrame = false; }
  });
  const measure = performance.measure.bind(performance);
  // What is drawn within a frame is painted by it, else by the next one. Of the tasks that come
  // after a frame, this is the first.
  performance.measure = (...all) => {
    const from = pressed;
    pressed = 0;
    const took = () => window.taken.push(performance.now() - from);
    const painted = () => scheduler.postTask(took, { priority: "user-blocking" });
    if (from && inFrame) painted();
    else if (from) frame(painted);
    return measure(...all);
  };
}"""


def prose(size):
    """The first `size` characters of the samples, one after the other."""
    texts = [sample.corpus for sample in tokviz.SAMPLES.values() if isinstance(sample.corpus, str)]
    return "\n".join(texts * 20)[:size]


def with_text(browser, address, size):
    """The page Train with a text of that size, trained by Python, and watched from now on."""
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
    return page


def timed(page, act, times):
    """Does something so often, each time after the run of the time before; returns the milliseconds
    that each took."""
    page.evaluate("window.taken.length = window.sent = 0")
    for n in range(times):
        act(n)
        page.locator("body").evaluate(
            """(_, n) => new Promise(done => {
                const look = () => window.taken.length > n ? done() : setTimeout(look, 50);
                look();
            })""",
            n,
        )
        rest(page)
    return page.evaluate("window.taken")


def typing(browser, address, size):
    """Types letters at the end of a text; returns the milliseconds that each took."""
    page = with_text(browser, address, size)
    taken = timed(page, lambda n: page.keyboard.type("etaoin "[n % 7]), KEYS)
    report("sent until the run is painted", page.evaluate("window.sent"), 0, "bytes")
    page.close()
    return taken


def choosing(browser, address, size):
    """Sets other sizes by the slider, and chooses other algorithms; returns the milliseconds."""
    page = with_text(browser, address, size)
    page.get_by_role("slider", name="Vocabulary").focus()

    def rested(act):
        # Python trains the same, and the player rests.
        page.wait_for_timeout(1000)
        rest(page)
        act()

    sizes = timed(page, lambda _: rested(lambda: page.keyboard.press("ArrowRight")), CHOICES)
    names = ("WordPiece", "BPE")
    radios = [page.get_by_role("radio", name=name, exact=True) for name in names]
    algorithms = timed(page, lambda n: rested(lambda: radios[n % 2].click(delay=PRESS)), CHOICES)
    page.close()
    return {"size": sizes, "algorithm": algorithms}


if __name__ == "__main__":
    with browsing() as (opened, place):
        for length, reach in ((2000, 60), (20_000, 150)):
            times = {"last key": typing(opened, place, length)} | choosing(opened, place, length)
            for what, taken in times.items():
                name = f"{what} → new run painted, {length:,} characters"
                report_times(name, taken, None, reach)
