"""A training that takes long: its bar, its ways out, a reload, a second tab, other people."""

import os
import re
import signal
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qs, urlparse

from app_page import App, slow
from player_page import trained
from playwright.sync_api import expect

from tokviz import SAMPLES
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import Corpus, run_of_sample

#: Every seed costs a look at all words: minutes, until it is cancelled.
WORDS = " ".join(f"{i * 7919 % 1_000_003:x}" for i in range(16_000))

OTHERS = re.compile("Others are waiting for this training too")
CANCELLED = "Training was cancelled."


def press_train(page, server, name):
    app = App(page, f"{server}/?{slow(200)}")
    app.type_text(f"{name} {WORDS}")
    app.button("Train").click()
    under_way(page)
    return app


def under_way(page):
    """Waits for the bar of a training."""
    bar = page.get_by_text(re.compile("tokens, about")).first
    bar.wait_for()
    return bar


def cancel(page):
    button = page.get_by_role("button", name="Cancel", exact=True)
    button.click()
    expect(button).to_have_count(0)


def cancel_alone(app):
    """Cancels until nobody else is taken to be waiting: whoever left is so for some seconds."""
    for _ in range(9):
        cancel(app.page)
        # What the last cancel said is there until the script has ended for this one.
        app.settle()
        if not app.page.get_by_text(OTHERS).count():
            break
        app.page.get_by_role("button", name="Train", exact=True).click()
        under_way(app.page)
    said(app.page, CANCELLED)


def said(page, sentence):
    expect(page.get_by_text(sentence)).to_be_visible()


def test_a_killed_training_leaves_a_sentence_and_the_next_is_found_again_until_it_is_cancelled(
    page, server, visits
):
    app = press_train(page, server, "killed")
    send(server, signal.SIGKILL)
    said(page, re.compile("The system ended the process of this training"))
    # What was typed is still in its field.
    app.settle()
    text = page.get_by_role("textbox", name="Your text", exact=True)
    expect(text).to_have_value(re.compile(WORDS[:100]))
    app.button("Train").click()
    under_way(page)
    # Other people train meanwhile.
    corpus = Corpus("Theirs", "a b ab abc")
    theirs = replace(run_of_sample(SAMPLES["course"]), corpus=corpus, settings=())
    theirs = replace(theirs, algorithm="wordpiece", vocab_size=7, pretokenizer="bert")
    other = App(visits.new_page(), f"{server}/?lane={to_link(theirs)}")
    assert other.steps == len(trained("a b ab abc", "wordpiece", 7))
    other.page.close()
    under_way(app.page)
    # Nobody needs what it works out meanwhile.
    send(server, signal.SIGSTOP)
    app.page.reload()
    under_way(app.page)
    [named] = parse_qs(urlparse(app.page.url).query)["training"]
    second = visits.new_page()
    second.goto(app.page.url)
    under_way(second)
    # Two wait now, and either leaves the other one's training as it is.
    cancel(second)
    said(second, OTHERS)
    second.close()
    # It goes on.
    send(server, signal.SIGCONT)
    bar = under_way(app.page)
    expect(bar).not_to_have_text(bar.text_content())
    cancel_alone(app)
    app.opened()
    assert app.step < app.steps, "the page is as it was"
    app.page.wait_for_function("() => !location.search.includes('training=')")
    # Nobody is at work on it any more.
    app.page.goto(f"{server}/?training={named}")
    said(app.page, "The training that this address names is no longer running here.")
    app.opened()
    app.train("a b ab abc", "BPE", 7)
    assert app.steps == len(trained("a b ab abc", "bpe", 7))


def send(address, sign):
    """Sends a signal to all worker processes of a server."""
    for pid in working(address):
        os.kill(pid, sign)


def working(address):
    """The worker processes of the server of that address."""
    port = f"--server.port={urlparse(address).port}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes().split(b"\0")
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
            above = (Path("/proc") / str(parent) / "cmdline").read_bytes()
        except (OSError, ValueError):
            continue
        if b"tokviz.server.pool" in command and port in above:
            yield int(folder.name)
