"""How soon the page Encode shows what is typed, in a real Chromium: from the key to the paint.

Run by hand: `.venv/bin/python tests/benchmarks/encode.py`. Nothing here is a test, and no figure
is asserted; a figure that is not reached is marked.
"""

import random

from player import browsing, in_address, report_times, rest

import tokviz
from tokviz.server.runs import Corpus, Run

CHARACTERS, KEYS = 2000, 100
ALICE = tokviz.SAMPLES["alice"].corpus

#: Puts letters into the text, one after the other; of each, the time from its input
#: until the frame with its tokens is painted.
TYPE = """async ([places, letters, pause]) => {
  const field = document.querySelector("textarea[aria-label=Text]");
  const columns = document.querySelector(".tv-columns");
  const painted = () => new Promise(done => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = done;
    channel.port2.postMessage(0);
  }));
  const set = Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, "value").set;
  const taken = [];
  const waits = [];
  for (const [i, place] of places.entries()) {
    const at = Math.round(place * field.value.length);
    set.call(field, field.value.slice(0, at) + letters[i] + field.value.slice(at));
    const length = [...field.value].length;
    const start = performance.now();
    field.dispatchEvent(new Event("input", { bubbles: true }));
    waits.push((async () => {
      // Told at once when the tokens stand on the page; what is left is their first frame.
      if (Number(columns.dataset.characters) < length) await new Promise(done => {
        new MutationObserver((_, watch) => {
          if (Number(columns.dataset.characters) < length) return;
          watch.disconnect();
          done();
        }).observe(columns, { attributeFilter: ["data-characters"] });
      });
      await painted();
      taken.push(performance.now() - start);
    })());
    if (pause) await new Promise(done => setTimeout(done, pause));
    else await waits.at(-1);
  }
  await Promise.all(waits);
  return taken;
}"""


def typed(browser, address, run, pin):
    """Letters written on at the end of a text and put anywhere into it, one by one and fast."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(f"{address}/?{in_address(run)}")
    page.locator(".tv-corpus .chip").first.wait_for(timeout=120_000)
    page.get_by_role("link", name="Encode").click()
    page.get_by_role("textbox", name="Text").fill(ALICE[:CHARACTERS])
    page.locator(f".tv-columns[data-characters='{CHARACTERS}']").wait_for()
    page.get_by_role("spinbutton", name="Step to add").fill(str(pin))
    page.keyboard.press("Enter")
    page.locator(".tv-columns[data-columns='3']").wait_for()
    rest(page)
    chips = page.locator(".tv-tokens .chip").count()
    print(f"{run.algorithm}, {run.vocab_size} tokens: {CHARACTERS} characters, {chips} chips")
    draw = random.Random(0)
    anywhere, end = [draw.random() for _ in range(KEYS)], [1] * KEYS
    texts = [ALICE[CHARACTERS + i * KEYS :][:KEYS] for i in range(3)]
    for what, places, text, pause in (
        ("at the end", end, texts[0], 0),
        ("anywhere", anywhere, texts[1], 0),
        ("at the end, every 90 ms", end, texts[2], 90),
    ):
        times = page.evaluate(TYPE, [places, text, pause])
        report_times(f"{what}: key → tokens painted", times, 100, 100)
    page.close()


def main():
    """All figures, one after the other."""
    with browsing() as (browser, address):
        for pin, *kind in (
            (50, "bpe", 1000, "gpt2"),
            (50, "wordpiece", 1000, "bert"),
            (2, "unigram", 240, "gpt2"),
        ):
            typed(browser, address, Run(Corpus("Benchmark", ALICE), *kind), pin)


if __name__ == "__main__":
    main()
