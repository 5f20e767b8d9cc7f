"""A training that takes long: its bar, its ways out, a reload, a second tab, other people."""

import os
import re
import signal
from pathlib import Path
from urllib.parse import parse_qs, urlparse

import pytest
from app_page import App
from playwright.sync_api import expect

import tokviz

#: Every seed costs a look at all words: minutes, until it is cancelled.
WORDS = " ".join(f"{i * 7919 % 1_000_003:x}" for i in range(24_000))


def press_train(app, text, seeds):
    app.open_form()
    app.fill("textbox", "Corpus", text)
    app.algorithm("Unigram")
    app.fill("spinbutton", "Vocabulary size", "200")
    app.fill("spinbutton", "Seed vocabulary", str(seeds))
    app.fill("spinbutton", "Pruned each round", "0.001")
    app.page.get_by_role("button", name="Train", exact=True).click()
    under_way(app.page)


def under_way(page):
    page.get_by_text(re.compile("tokens, about")).first.wait_for()


def said(page, sentence):
    expect(page.get_by_text(sentence)).to_be_visible()


def token(page):
    return parse_qs(urlparse(page.url).query).get("training")


@pytest.fixture
def long(app, request):
    """A training of many minutes on the way; nothing of it is left behind."""
    press_train(app, f"{request.node.name} {WORDS}", 5000)
    yield app
    cancel = app.page.get_by_role("button", name="Cancel", exact=True)
    if cancel.count():
        cancel.click()
        said(app.page, "Training was cancelled.")


def test_cancelled_at_once_with_the_page_as_it_was(long):
    long.page.get_by_role("button", name="Cancel", exact=True).click()
    said(long.page, "Training was cancelled.")
    long.opened()
    assert (long.step, long.steps) == (13, 20)
    long.page.wait_for_function("() => !location.search.includes('training=')")


def test_a_reload_and_a_second_tab_find_it_again(long, server, visits):
    assert token(long.page)
    long.page.reload()
    under_way(long.page)
    named = token(long.page)
    second = visits.new_page()
    second.goto(long.page.url)
    under_way(second)
    # Two wait now, and either leaves the other one's training as it is.
    second.get_by_role("button", name="Cancel", exact=True).click()
    said(second, re.compile("Others wait for this training too"))
    under_way(long.page)
    second.close()
    long.page.wait_for_timeout(3000)
    long.page.get_by_role("button", name="Cancel", exact=True).click()
    said(long.page, "Training was cancelled.")
    long.page.wait_for_function("() => !location.search.includes('training=')")
    # Nobody is at work on it any more.
    long.page.goto(f"{server}/?training={named[0]}")
    said(long.page, "The training that this address names is not under way here any more.")
    long.opened()


def test_other_people_train_meanwhile(long, server, visits):
    page = visits.new_page()
    other = App(page, server)
    other.train("a b ab abc", "WordPiece", 7)
    assert other.steps == len(tokviz.train("a b ab abc", "wordpiece", 7))
    page.close()
    under_way(long.page)


def test_a_killed_process_leaves_a_sentence_and_a_page_that_works(long, server):
    for pid in working(server):
        os.kill(pid, signal.SIGKILL)
    said(long.page, re.compile("The system ended the process of this training"))
    # What was typed is still in the form.
    long.settle()
    corpus = long.page.get_by_role("textbox", name="Corpus", exact=True)
    expect(corpus).to_have_value(re.compile(WORDS[:100]))
    long.fill("textbox", "Corpus", "a b ab abc")
    long.algorithm("BPE")
    long.fill("spinbutton", "Vocabulary size", "7")
    long.press_train()
    assert long.steps == len(tokviz.train("a b ab abc", "bpe", 7))


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
