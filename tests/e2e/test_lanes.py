"""Two or three runs under one scrubber."""

import re

from app_page import as_said
from playwright.sync_api import expect

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus


def lane_history(algorithm, size, **settings):
    return tokviz.train(COURSE, algorithm, size, **settings)


def three_lanes(app):
    """The opening sample with WordPiece and Unigram beside it."""
    app.add_lane("WordPiece", 60)
    app.add_lane("Unigram", 100)
    return {
        "BPE": lane_history("bpe", 50, unit="byte"),
        "WordPiece": lane_history("wordpiece", 60),
        "Unigram": lane_history("unigram", 100),
    }


def state(app, label):
    return int(app.lane(label).get_attribute("data-state"))


def test_lanes_show_their_own_run_at_the_same_step(app):
    histories = three_lanes(app)
    assert app.steps == max(map(len, histories.values()))
    for step in (0, 1, 9, app.steps):
        app.go(step)
        for label, history in histories.items():
            t = min(step, len(history))
            assert state(app, label) == t
            lines = [history.pretokenizer.words(line) for line in COURSE.split("\n")]
            expected = [history.segmentation(w.text, t) for line in lines for w in line]
            assert app.words(label) == expected
            lane = app.lane(label)
            assert lane.locator(".tv-say p").first.text_content() == as_said(history, t)
            row = history.curve().iloc[t]
            figures = lane.locator(".tv-figures").inner_text()
            assert f"{row.vocab_size:,}" in figures
            assert f"{row.corpus_tokens:,}" in figures
            assert f"{row.characters_per_token:.2f}" in figures
            assert lane.get_by_role("table", name="Candidates").count() == 1
    app.charts()


def test_lanes_aligned_by_size_and_by_share(app):
    histories = three_lanes(app)
    app.go(10)
    app.page.get_by_role("combobox", name="Align lanes").select_option("by vocabulary size")
    assert state(app, "BPE") == 10, "the first lane keeps its state"
    app.go(45)
    for label in ("BPE", "WordPiece"):
        assert histories[label].vocab_size(state(app, label)) == 45
    unigram = histories["Unigram"]
    app.go(unigram.vocab_size(5))
    assert state(app, "Unigram") == 5
    app.page.get_by_role("button", name="Next step").click()
    assert state(app, "Unigram") == 4, "sizes grow, so pruning runs backwards"
    app.page.keyboard.press("End")
    ends = [len(history) for history in histories.values()]
    assert [state(app, label) for label in histories] == ends, "the end is each run's own"
    scrub = app.page.get_by_role("slider", name="Training step")
    expect(scrub).to_have_attribute("aria-valuetext", "the end of every lane")
    expect(app.page.get_by_label("Go to step")).to_have_value("")
    app.page.get_by_role("combobox", name="Align lanes").select_option("by step")
    assert [state(app, label) for label in histories] == ends, "the end stays the end"
    app.page.get_by_role("combobox", name="Align lanes").select_option("by share of training")
    app.go(50)
    for label, history in histories.items():
        assert abs(state(app, label) - len(history) / 2) <= 0.5
    app.click("Last step")
    assert [state(app, label) for label in histories] == ends
    expect(app.page).to_have_url(re.compile("align=share"))
    app.reload()
    expect(app.page.locator("[data-steps]")).to_have_attribute("data-align", "share")


def test_the_first_difference_of_two_lanes(app):
    app.click("Add a lane")
    app.algorithm("BPE")
    app.pick("Tie-break", "largest-pair")
    app.pick("Unit", "byte")
    app.press_train()
    labels = [r.get_attribute("aria-label") for r in app.page.locator(".tv-lane").all()]
    app.page.get_by_role("button", name="First difference").click()
    said = app.page.locator(".tv-found").inner_text()
    assert all(label in said for label in labels)
    one = lane_history("bpe", 50, unit="byte")
    two = lane_history("bpe", 200, unit="byte", tie_break="largest-pair")
    words = one.words.words

    def apart(t):
        return [w for w in words if one.segmentation(w, t) != two.segmentation(w, t)]

    assert app.step == next(t for t in range(21) if apart(t)) > 0
    assert said.split("“")[1].rstrip(".”") in {word.strip() for word in apart(app.step)}


def test_a_lane_can_be_changed_and_removed(app):
    three_lanes(app)
    app.click("Lanes")
    app.page.get_by_role("button", name="Remove").nth(1).click()
    app.settle()
    app.page.keyboard.press("Escape")
    expect(app.page.locator(".tv-lane")).to_have_count(2)
    labels = [r.get_attribute("aria-label") for r in app.page.locator(".tv-lane").all()]
    assert labels == ["BPE", "Unigram"]
    assert app.step == 0


def test_selecting_a_token_marks_it_in_every_lane(app):
    three_lanes(app)
    app.go(0)
    app.lane("BPE").locator('.tv-corpus .chip[data-token="t"]').first.click()
    outlined = "e => getComputedStyle(e).outlineStyle"
    for label in ("BPE", "WordPiece"):
        chip = app.lane(label).locator('.tv-corpus .chip[data-token="t"]').first
        assert chip.evaluate(outlined) == "solid"
    other = app.lane("BPE").locator('.tv-corpus .chip[data-token="s"]').first
    assert other.evaluate(outlined) == "none"


def test_what_was_chosen_outlives_a_change_of_lanes(app):
    app.page.get_by_role("combobox", name="Speed").select_option("30 steps/s")
    app.page.get_by_role("button", name="words", exact=True).click()
    app.add_lane("WordPiece", 60)
    app.lane("WordPiece").wait_for()
    assert app.page.get_by_role("combobox", name="Speed").input_value() == "30"
    words = app.page.get_by_role("button", name="words", exact=True)
    assert words.get_attribute("aria-pressed") == "true"
    assert app.page.locator(".tv-corpus .tv-times").count() > 0
