"""The page without a server: from a file, without a network, and in the frame of a notebook."""

from functools import partial

import pytest
from app_page import as_said
from player_page import words_of
from test_tokens import LINES_BEGIN, QUOTED

import tokviz
from tokviz.__main__ import main
from tokviz.pages.share.take_files import FRAME
from tokviz.player import site
from tokviz.player.web_page import web_page

COURSE = tokviz.SAMPLES["course"].corpus
PASTED = """low lower lowest, newer newest, wider widest, slow slower slowest!
東京 and 京都: the lowest, the newest and the widest of them"""
#: What a page trains, one after the other: the algorithm's name on the page, its own, and the size.
TRAINED = [("BPE", "bpe", 50), ("BPE", "bpe", 54), ("WordPiece", "wordpiece", 54)]
TRAINED += [("WordPiece", "wordpiece", 42), ("Unigram", "unigram", 42)]
#: Numbers of candidates that reach into their bars, or into their tokens.
ACROSS = """() => [...document.querySelectorAll(".tv-candidates tbody tr")].filter((row) => {
  const edge = (e) => { const range = document.createRange(); range.selectNodeContents(e);
    return range.getBoundingClientRect(); };
  const number = edge([...row.querySelectorAll("td.n")].at(-1));
  const tokens = [...row.querySelectorAll("td.pair .chip")].map((chip) => edge(chip).right);
  return row.getClientRects().length && (number.left < Math.max(...tokens)
    || number.right > row.querySelector(".bar span").getBoundingClientRect().left);
}).map((row) => row.textContent)"""
#: By how many pixels the panel of the corpus scrolls once its letters are those of the step.
SCROLLS = """async () => { const panel = document.querySelector('.tv-corpus');
  await new Promise((done) => setTimeout(done, 300));
  return panel.scrollHeight - panel.clientHeight; }"""
STEPS = """() => [document.querySelector(".tv-lane")?.ariaLabel,
  document.querySelector("[data-steps]")?.dataset.steps]"""


@pytest.mark.parametrize("engine", ["firefox", "webkit"])
def test_a_run_is_played_from_disk_and_in_a_notebook_without_a_network(visit, tmp_path):
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    other = tokviz.train(COURSE, "wordpiece", 50)
    page = tmp_path / "page.html"
    web_page([history, other], position=13, path=page)
    tab = visit(network=False)
    tab.go(page.as_uri())
    tab.sees(".tv-corpus .chip")
    tab.stands_at(13)
    tab.click("button", "Next step")
    tab.stands_at(14)
    tab.press("Home")
    tab.stands_at(0)
    tab.drag("[aria-label='Training step']", 0.02, 0.5)
    assert tab.step > 3
    assert tab.texts(".tv-say p")[0] == as_said(history, tab.step)
    tab.click_on(".tv-curve svg")
    asked = tab.run("() => performance.getEntriesByType('resource').map(e => e.name)")
    assert not [name for name in asked if not name.startswith(("data:", "blob:"))]

    own = "low lower lowest low"
    # For a worker, or slices where the frame has none.
    longer = f"{own} newer newest wider widest " * 1000
    tab.click("button", "Your own text")
    tab.fill("textbox", "Your text", own)
    steps = "() => document.querySelector('[data-steps]')?.dataset.steps"
    bpe = len(tokviz.train(own, "bpe", 50, "gpt2", unit="byte"))
    tab.until(lambda: tab.run(steps) == str(bpe), "it is trained on the page")

    history = tokviz.train(COURSE, "unigram", 60)
    notebook = tmp_path / "notebook.html"
    body = f"<!doctype html><meta charset=utf-8><h1>Notebook</h1>{history._repr_html_()}"
    notebook.write_text(body, "utf-8")
    tab.go_on(notebook.as_uri())
    tab.sees("iframe")
    step = "() => document.querySelector('[data-steps]')?.dataset.step"
    tab.until(lambda: tab.run_in_frame(step) is not None, "the player is there")
    before = int(tab.run_in_frame(step))
    tab.run_in_frame(
        "() => [...document.querySelectorAll('button')]"
        ".find(b => b.ariaLabel === 'Next step' || b.title === 'Next step').click()"
    )
    tab.until(lambda: int(tab.run_in_frame(step)) > before, "it steps")
    tab.run_in_frame(
        "text => { document.querySelector('.tv-own-open').click();"
        " const field = document.querySelector('.tv-own textarea'); field.value = text;"
        " field.dispatchEvent(new Event('input', { bubbles: true })); }",
        longer,
    )
    trained = len(tokviz.train(longer, "unigram", 60))
    assert trained
    tab.until(lambda: tab.run_in_frame(steps) == str(trained), "it is trained in the frame")
    # Another algorithm is shown by the player that is there.
    tab.run_in_frame(
        "() => { document.querySelector('.tv-transport').dataset.kept = '';"
        " document.querySelectorAll('.tv-own [type=radio]')[2].click(); }"
    )
    trained = len(tokviz.train(longer, "wordpiece", 60))
    tab.until(lambda: tab.run_in_frame(steps) == str(trained), "another algorithm trains it")
    assert tab.run_in_frame("() => document.querySelector('.tv-lane').ariaLabel") == "WordPiece"
    assert tab.run_in_frame("() => document.querySelectorAll('.tv-transport[data-kept]').length")


@pytest.mark.parametrize("engine", ["webkit"])
def test_letters_shrink_until_no_scroll_bar_is_needed(visit, tmp_path):
    page = tmp_path / "page.html"
    text = "low lower lowest newest widest <b>&</b> 東京 「日本語」 é"
    web_page([tokviz.train(text, "unigram", 42)], path=page)
    tab = visit(network=False)
    tab.resize(1320, 900)
    tab.go(page.as_uri())
    tab.sees(".tv-corpus .chip")
    # Beside the text, as in the app.
    tab.run(
        "() => { const sheet = new CSSStyleSheet();"
        " sheet.replaceSync('::-webkit-scrollbar { width: 6px; height: 6px; }');"
        " document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]; }"
    )
    tab.click("button", "vocabulary")
    for step in (9, 5, 3, 0):
        tab.jump(step)
        assert tab.run(SCROLLS) <= 0, step


def test_the_gallery_trains_a_pasted_text_from_disk_and_in_a_frame(visit, tmp_path, monkeypatch):
    """A folder of `tokviz site`, of one sample here: nothing is asked of anybody."""
    monkeypatch.setattr(site, "SAMPLES", {"course": tokviz.SAMPLES["course"]})
    monkeypatch.setattr(site, "SIDE_BY_SIDE", ())
    assert main(["site", str(tmp_path / "site")]) == 0
    tab = visit(network=False)
    tab.go((tmp_path / "site" / "index.html").as_uri())
    tab.click("link", "Train a text of your own")
    tab.sees(".tv-own textarea")
    # Cut from where no key has brought it: what is typed is trained at each key.
    tab.run("text => { document.querySelector('.tv-own textarea').value = text; }", PASTED)
    tab.run("() => document.querySelector('.tv-own textarea').focus()")
    tab.press("Control+a")
    tab.press("Control+x")
    tab.wait("() => document.querySelector('.tv-own textarea').value === ''")
    tab.press("Control+v")
    before = TRAINED[0]
    for label, algorithm, size in TRAINED:
        if label != before[0]:
            tab.click("radio", label)
        if size != before[2]:
            tab.fill("spinbutton", "Vocabulary size", str(size))
        before = label, algorithm, size
        own = history_of(algorithm, size)
        tab.wait(f"(...shown) => String(({STEPS})()) === String(shown)", label, len(own))
        tab.press("Escape")
        by_hand = size == 50
        if by_hand:
            tab.drag("[aria-label='Training step']", 0.02, 0.5)
        else:
            tab.jump(len(own) // 2)
        assert 0 < tab.step < len(own)
        assert tab.words() == words_of(own, PASTED, tab.step)
        assert tab.run(ACROSS) == []
        if by_hand:
            tab.press("End")
            tab.stands_at(len(own))
        else:
            tab.jump(len(own))
        assert tab.words() == words_of(own, PASTED, len(own))
        if not by_hand:
            # A byte that is no letter by itself is called otherwise on the page.
            assert tab.texts(".tv-say p")[0] == as_said(own, len(own))
    tab.jump(0)
    tab.drag("[aria-label='Training step']", 0.02, 1)
    tab.stands_at(len(own))
    assert tab.texts("h1") == ["Your own text"]
    asked = tab.run("() => performance.getEntriesByType('resource').map(e => e.name)")
    assert not [name for name in asked if not name.startswith(("data:", "blob:"))]

    # A course page beside the folder.
    frame = FRAME.format(src="site/course.html#own", title="Course")
    (tmp_path / "course.html").write_text(f"<!doctype html><title>x</title>{frame}", "utf-8")
    tab.go_on((tmp_path / "course.html").as_uri())
    field = "() => document.querySelector('.tv-own textarea')"
    tab.until(lambda: tab.run_in_frame(f"{field} !== null"), "the fields are there")
    put = "(css, value) => { const field = document.querySelector(css); field.value = value;"
    put += " field.dispatchEvent(new Event('input', { bubbles: true })); }"
    tab.run_in_frame(put, ".tv-own textarea", PASTED)
    for label, algorithm, size in (TRAINED[0], TRAINED[-1]):
        pick = "label => [...document.querySelectorAll('.tv-own [type=radio]')]"
        pick += ".find(e => e.parentElement.textContent === label).click()"
        tab.run_in_frame(pick, label)
        tab.run_in_frame(put, ".tv-own [type=number]", size)
        own = history_of(algorithm, size)
        trained = partial(frame_shows, tab, [label, str(len(own))])
        tab.until(trained, f"{label} trains to {size}")
        tab.run_in_frame("() => document.querySelector('[aria-label=\"Last step\"]').click()")
        words = "() => [...document.querySelectorAll('.tv-corpus .tv-word')]"
        words += ".map(w => [...w.querySelectorAll('.chip')].map(c => c.dataset.token))"
        assert tab.run_in_frame(words) == words_of(own, PASTED, len(own))


@pytest.mark.parametrize("engine", ["firefox", "webkit"])
def test_no_quotation_is_parted_from_its_marks_as_bytes_or_as_letters(visit, tmp_path):
    """Chromium does the same in tests/e2e/test_tokens.py."""
    tab = visit(network=False)
    for pretokenizer in ("gpt2", "whitespace"):
        page = tmp_path / f"{pretokenizer}.html"
        history = tokviz.train(QUOTED, "bpe", 120, pretokenizer, unit="byte")
        web_page([history], path=page)
        tab.go(page.as_uri())
        tab.sees(".tv-corpus .chip")
        for width in (320, 340, 390):
            tab.resize(width, 768)
            for step in (0, 24, 48):
                tab.jump(step)
                begins = tab.run(LINES_BEGIN)
                assert len(begins) > 5
                ends = {before[-1] for before, _behind in begins}
                starts = {behind[0] for _before, behind in begins}
                assert not ends & {*"「『（"}, (pretokenizer, width, step)
                assert not starts & {*"」』）、。！"}, (pretokenizer, width, step)


#: Has the compiled trainer stop in the middle of a training, and the next one begin slowly.
TRAPPED = """() => {
  window.instantiate = WebAssembly.instantiate;
  WebAssembly.instantiate = async (...given) => {
    const { exports } = await window.instantiate(...given);
    await new Promise((done) => setTimeout(done, 300));
    const stop = () => { throw new WebAssembly.RuntimeError("unreachable"); };
    return { exports: { ...exports, go_on: stop } };
  };
}"""
FREED = "() => { WebAssembly.instantiate = window.instantiate; }"


def test_a_page_says_what_its_browser_refuses_and_does_without_a_worker(visit, engine, tmp_path):
    """Its policy, written again, has each engine refuse workers, and then WebAssembly."""
    whole = web_page([tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")])
    pages = {}
    for name, allowed in (("workers", "worker-src blob:; "), ("trainer", " 'wasm-unsafe-eval'")):
        assert whole.count(allowed) == 1
        pages[name] = tmp_path / f"{name}.html"
        pages[name].write_text(whole.replace(allowed, ""), "utf-8")
    own = "low lower lowest low"
    longer = f"{own} newer newest wider widest " * 1500
    put = "value => { const field = document.querySelector('.tv-own textarea');"
    put += " field.value = value; field.dispatchEvent(new Event('input', { bubbles: true })); }"
    steps = "n => document.querySelector('[data-steps]').dataset.steps === String(n)"

    tab = visit(network=False)
    tab.go(pages["workers"].as_uri())
    tab.sees(".tv-corpus .chip")
    tab.run(TRAPPED)
    tab.click("button", "Your own text")
    tab.run(put, own)
    asked = f"Training a text of {len(own)} characters to 50 tokens failed (unreachable)."
    tab.says(".tv-own-said", asked)
    assert tab.steps == 20, "what was there stays"
    tab.run(FREED)
    # The one that began anew when that stopped was made to stop, too.
    tab.run(put, f"{own}!")
    tab.says(".tv-own-said", "of 21 characters")
    for text in (own, longer):
        tab.run(put, text)
        tab.wait(steps, len(tokviz.train(text, "bpe", 50, "gpt2", unit="byte")))
        assert tab.texts(".tv-own-said") == [""]
    assert refused(tab, "worker-src blob")

    tab.go(pages["trainer"].as_uri())
    tab.click("button", "Your own text")
    tab.run(put, own)
    tab.says(".tv-own-said", "This browser refuses WebAssembly, which trains texts here.")
    assert tab.steps == 20
    # WebKit does not tell of it.
    assert refused(tab, "script-src") or engine == "webkit"

    # What no browser trains.
    pieces = tokviz.train(own, "sentencepiece-bpe", 12)
    web_page([pieces, tokviz.train(own, "bpe", 9)], path=tmp_path / "lanes.html")
    tab.go((tmp_path / "lanes.html").as_uri())
    tab.click("button", "Your own text")
    tab.says(".tv-own", "No browser trains ")


def refused(tab, what):
    """What the policy of a page had refused until now, of one kind and no other."""
    said = tab.run("() => window.complaints.splice(0)")
    assert all(complaint.startswith((f"policy: {what}", "error: ")) for complaint in said), said
    return said


def frame_shows(tab, shown):
    """Whether the page in a frame shows a lane, and so many steps."""
    return tab.run_in_frame(STEPS) == shown


def history_of(algorithm, size):
    """What Python trains of the pasted text."""
    settings = {"unit": "byte"} if algorithm == "bpe" else {}
    return tokviz.train(PASTED, algorithm, size, **settings)
