"""How soon the page Open shows a large tokenizer, in a real Chromium: from the choice of its file
to the paint of what is known of it and of a text in its tokens.

    python tests/benchmarks/opened_page.py [FILE]

Run by hand, without a FILE with a tokenizer.json of 128,000 tokens and 150,000 merges that is made
here. Cold: the first file that a new server opens. Warm: the same file in a page loaded anew.
Nothing here is a test, and no figure is asserted; a figure that is not reached is marked.
"""

import json
import sys
import tempfile
from pathlib import Path

from opened import tokenizer_json
from player import browsing, report, report_times, rest

COLD, WARM = 3, 10
#: Notes when the file is chosen, and when what comes of it is painted.
WATCH = """addEventListener("change", ({ target }) => {
  if (target.type !== "file") return;
  const chosen = performance.now();
  const look = () => {
    const page = document.querySelector(".stMain");
    const shown = page.innerText.includes("Vocabulary size") && page.querySelector(".chip");
    if (!shown) return requestAnimationFrame(look);
    requestAnimationFrame(() => setTimeout(() => (window.taken = performance.now() - chosen)));
  };
  look();
}, true);"""


def taken(page, path):
    """The milliseconds that a page takes for a file."""
    page.locator("input[type=file]").first.wait_for(state="attached")
    rest(page)
    # The server prepares for the file meanwhile, as while somebody looks for theirs.
    page.wait_for_timeout(2000)
    page.locator("input[type=file]").first.set_input_files(path)
    page.wait_for_function("() => window.taken")
    return page.evaluate("() => window.taken")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder, "tokenizer.json"))
        if len(sys.argv) < 2:
            made = json.loads(tokenizer_json(128_000, 22_256))
            Path(path).write_text(json.dumps(made, ensure_ascii=False), "utf-8")
        for number in range(COLD):
            with browsing() as (browser, address):
                page = browser.new_page(viewport={"width": 1366, "height": 768})
                page.add_init_script(WATCH)
                page.goto(f"{address}/open")
                report("cold", taken(page, path), 2000)
                if number:
                    continue
                times = []
                for _ in range(WARM):
                    page.reload()
                    times.append(taken(page, path))
                report_times("warm", times, 300, 300)


if __name__ == "__main__":
    main()
