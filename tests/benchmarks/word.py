"""How soon the lens of a word is drawn, in a real Chromium: for a new word, and for a new step.

Run by hand: `.venv/bin/python tests/benchmarks/word.py`. Nothing here is a test, and no figure is
asserted; a figure that is not reached is marked.
"""

from player import MOVE, browsing, in_address, last_step, report_times, rest

import tokviz
from tokviz.server.runs import Corpus, Run

ALICE = tokviz.SAMPLES["alice"].corpus
#: Thirty characters each.
WORDS = (
    "supercalifragilisticexpialidoc",
    "antidisestablishmentarianismsx",
    "theredqueensawthewhiterabbitxx",
)
MOVES = 60


def looked_into(browser, address, run):
    """Words that are typed, and then a scrubber that moves through all states."""
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.goto(f"{address}/?{in_address(run)}")
    page.locator(".tv-corpus .chip").first.wait_for(timeout=120_000)
    page.get_by_role("radio", name="A word", exact=True).click()
    page.locator(".tv-inside svg").first.wait_for()
    for word in WORDS:
        page.get_by_role("textbox", name="Word", exact=True).fill(word)
        page.locator(".tv-inside h2", has_text=word).wait_for()
    drawn = page.evaluate(
        "() => performance.getEntriesByName('tokviz word').map(e => e.duration).slice(1)"
    )
    last = last_step(page)
    print(f"{run.algorithm}, {run.vocab_size} tokens, {last} steps: {len(WORDS[0])} characters")
    report_times("a word comes → drawn (script)", drawn, 100, 100)
    rest(page)
    states = [i % (last + 1) for i in range(MOVES)]
    report_times("scrubber → all painted", page.evaluate(MOVE, states), 100, 100)
    page.close()


def main():
    """All figures, one after the other."""
    with browsing() as (browser, address):
        for kind in (
            ("unigram", 240, "gpt2"),
            ("sentencepiece-unigram", 300, "sentencepiece"),
            ("bpe", 1000, "gpt2"),
            ("wordpiece", 1000, "bert"),
        ):
            looked_into(browser, address, Run(Corpus("Benchmark", ALICE), *kind))


if __name__ == "__main__":
    main()
