"""Hugging Face's WordPiece beside the likelihood score, at one click."""

from dataclasses import replace

from app_page import App, as_said
from playwright.sync_api import expect
from test_train_page import assert_accessible

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.pretokenizers import BertPretokenizer
from tokviz.server.runs import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus


def test_the_other_score_is_trained_as_a_second_lane(page, server):
    chosen = {"score": "frequency", "min_frequency": 2, "special_tokens": ("[UNK]",)}
    run = replace(
        run_of_sample(tokviz.SAMPLES["course"]),
        algorithm="wordpiece",
        vocab_size=70,
        pretokenizer="bert",
        pretokenizer_settings=(("normalize", True),),
        settings=tuple(chosen.items()),
    )
    app = App(page, f"{server}/?lane={to_link(run)}")
    said = "Hugging Face’s WordPiece trainer is BPE with ##: it merges the most frequent pair"
    expect(page.get_by_text(said)).to_be_visible()
    assert_accessible(app)
    app.click("Compare with the likelihood score")
    page.locator(".tv-lane").nth(1).locator(".chip").first.wait_for()
    app.settle()
    common = {"pretokenizer": BertPretokenizer(normalize=True), "special_tokens": ("[UNK]",)}
    histories = {
        "WordPiece · frequency · Least frequency: 2": tokviz.train(
            COURSE, "wordpiece", 70, score="frequency", min_frequency=2, **common
        ),
        "WordPiece · likelihood · Least frequency: 1": tokviz.train(
            COURSE, "wordpiece", 70, **common
        ),
    }
    for t in (0, 5, 20):
        app.go(t)
        for label, history in histories.items():
            lane = app.lane(label)
            assert lane.locator(".tv-say p").first.text_content() == as_said(history, t)
    expect(page.get_by_text(said)).to_be_visible()
    expect(page.get_by_role("button", name="Compare with")).to_have_count(0)
    app.wait_settled()
    app.reload()
    app.lane("WordPiece · likelihood · Least frequency: 1").locator(".chip").first.wait_for()
