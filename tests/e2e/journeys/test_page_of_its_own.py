"""The page without a server: from a file, without a network, and in the frame of a notebook."""

import pytest
from app_page import as_said

import tokviz
from tokviz.player.web_page import web_page

COURSE = tokviz.SAMPLES["course"].corpus


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
