"""The quiz: what comes is hidden and asked for; alone, with a hint, typed, by show of hands."""

import re

import pytest
from app_page import App, as_said
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect
from test_candidates import course_run
from test_train_page import expected_words

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.player.web_page import web_page

COURSE = tokviz.SAMPLES["course"].corpus
EM = {"min_expected_count": 0.0}


@pytest.fixture(scope="module")
def history():
    return tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")


class Asked(App):
    """The page in quiz mode, opened by a link at a step."""

    def __init__(self, page, server, step, lane="course"):
        super().__init__(page, f"{server}/?lane={lane}&step={step}&quiz=1")
        self.panel = page.locator(".tv-question")

    @property
    def question(self):
        return self.panel.locator("h3").text_content()

    @property
    def options(self):
        """The tokens of each option."""
        return self.panel.locator(".tv-option").evaluate_all(
            "all => all.map(o => [...o.querySelectorAll('.chip')].map(c => c.dataset.token))"
        )

    @property
    def score(self):
        return self.panel.locator(".tv-score b").all_text_contents()

    def option(self, i):
        return self.panel.locator(".tv-option").nth(i)

    def place(self, history, right=True):
        """The place of the right option at this step, or of the first wrong one."""
        step = history.steps[self.step]
        return [tokens == [step.left, step.right] for tokens in self.options].index(right)

    def press(self, key):
        self.page.keyboard.press(key)

    def wait_step(self, step):
        expect(self.page.locator("[data-steps]")).to_have_attribute("data-step", str(step))

    def wait_score(self, *figures):
        expect(self.panel.locator(".tv-score b")).to_have_text([*figures])


def test_right_answers_make_a_streak(page, server, history):
    app = Asked(page, server, 0)
    assert app.question == "Which pair is merged next?"
    for t in range(4):
        app.wait_step(t)
        place = app.place(history)
        if t % 2:
            app.press(str(place + 1))
        else:
            app.option(place).locator(".chip").first.click()
        expect(page.locator(".tv-card")).to_be_hidden()
        app.wait_score(f"{t + 1} of {t + 1}", str(t + 1), str(t + 1))
        said = app.panel.locator(".tv-result")
        expect(said).to_contain_text("✓ Right.")
        assert said.locator("p").last.text_content() == as_said(history, t + 1)
        app.wait_step(t + 1)
        assert app.words() == expected_words(history, COURSE, t + 1)
        assert said.is_visible(), "the step does not take the answer away"
        app.press("Enter" if t < 2 else "ArrowRight")
        expect(said).to_be_hidden()
        assert app.step == t + 1, "the answer made the step, so this goes to its question"
    assert app.question == "2 pairs tie at 4. Which one does “first-seen” take?"


def test_a_wrong_answer_ends_the_streak_and_says_what_was_right(page, server, history):
    app = Asked(page, server, 0)
    app.option(app.place(history)).click()
    app.panel.get_by_role("button", name="Next question").click()
    app.wait_step(1)
    wrong, right = app.place(history, False), app.place(history)
    app.option(wrong).click()
    app.wait_score("1 of 2", "0", "1")
    expect(app.option(wrong)).to_have_accessible_name(f"{name_of(app, wrong)}, ✗ not this one")
    expect(app.option(right)).to_have_accessible_name(f"{name_of(app, right)}, ✓ the answer")
    status = app.panel.get_by_role("status")
    expect(status).to_contain_text("✗ Not this one. The answer is i+s.")
    assert status.get_attribute("aria-live") == "polite"
    # What is answered is answered.
    app.option(right).evaluate("button => button.click()")
    app.wait_score("1 of 2", "0", "1")
    expect(page.get_by_role("button", name="Next question")).to_be_focused()
    app.panel.get_by_role("button", name="Reset").click()
    app.wait_score("0 of 0", "0", "0")


def name_of(app, i):
    """An option as it is heard before the answer, with its count."""
    fact = app.option(i).locator(".tv-fact").text_content()
    return ", ".join(filter(None, [f"{i + 1}: {' + '.join(app.options[i])}", fact]))


def test_the_hint_shows_counts_and_keeps_the_streak(page, server, history):
    app = Asked(page, server, 0)
    facts = app.panel.locator(".tv-fact")
    expect(facts).to_have_text([""] * 5)
    app.click("Show counts")
    rows = history.candidates(0)
    pairs = zip(rows["left"], rows["right"], strict=True)
    counts = dict(zip(pairs, rows["count"], strict=True))
    expect(facts).to_have_text([str(counts[tuple(pair)]) for pair in app.options])
    app.option(app.place(history)).click()
    app.wait_score("1 of 1", "0", "0")
    expect(app.panel.get_by_role("status")).to_contain_text("the streak does not grow")


def test_a_pair_can_be_typed(page, server):
    app = Asked(page, server, 0)
    field = app.panel.get_by_role("textbox", name="Or type a pair")
    field.press_sequentially("1 q")
    assert app.score == ["0 of 0", "0", "0"], "digits belong to the field"
    field.press("Enter")
    expect(app.panel).to_contain_text("“1” is no token of this state.")
    for text, said in (("th", "Type the two tokens"), ("T T", "is not among the first 20")):
        field.fill(text)
        field.press("Enter")
        expect(app.panel).to_contain_text(said)
    app.wait_score("0 of 0", "0", "0")
    field.fill("Ġ+t")
    field.press("Enter")
    app.wait_score("1 of 1", "1", "1")
    app.press("Enter")
    app.wait_step(1)
    expect(app.panel.locator("h3")).to_be_focused()
    field.fill("e r")
    app.panel.get_by_role("button", name="Answer", exact=True).click()
    app.wait_score("1 of 2", "0", "1")


def test_a_show_of_hands(page, server, history):
    app = Asked(page, server, 0)
    app.panel.get_by_role("button", name="Show of hands").click()
    place, other = app.place(history), app.place(history, False)
    for key in (place, place, place, other, other, other):
        app.press(str(key + 1))
    app.press(f"Shift+Digit{other + 1}")
    hands = [0] * 5
    hands[place], hands[other] = 3, 2
    verdicts = app.panel.locator(".tv-verdict")
    expect(verdicts).to_have_text([f"{n} hands" for n in hands])
    app.panel.get_by_role("button", name=f"One hand less for {other + 1}").click()
    expect(verdicts.nth(other)).to_have_text("1 hand")
    assert app.score == ["0 of 0", "0", "0"]
    app.panel.get_by_role("button", name="Reveal").click()
    app.wait_score("1 of 1", "1", "1")
    shares = "all => all.map(b => b.getBoundingClientRect().width / b.parentElement.clientWidth)"
    bars = app.panel.locator(".tv-bar").evaluate_all(shares)
    expected = [{place: 1, other: 1 / 3}.get(i, 0) for i in range(5)]
    assert bars == pytest.approx(expected, abs=0.02)
    expect(app.panel.get_by_role("status")).to_contain_text("Right, say most hands.")
    app.panel.get_by_role("button", name="Next question").click()
    app.wait_step(1)
    # As many for two is no answer.
    for key in "1234":
        app.press(key)
    app.press("Enter")
    expect(app.panel.get_by_role("status")).to_contain_text("No answer")
    app.wait_score("1 of 1", "1", "1")


HIDDEN = [".tv-next", ".tv-candidates", ".tv-tools .tv-find", ".tv-scrub canvas", ".st-key-lenses"]


def test_what_comes_is_hidden_until_the_quiz_ends(page, server):
    app = Asked(page, server, 13)
    border = "e => getComputedStyle(e).borderBottomColor"
    pair = page.locator(".tv-pair").first
    for part in [*HIDDEN, ".stVegaLiteChart"]:
        expect(page.locator(part).first).to_be_hidden()
    assert pair.evaluate(border) == "rgba(0, 0, 0, 0)"
    # Nor does a chip of an option open the card of its token.
    app.panel.locator(".tv-option .chip").first.hover()
    page.wait_for_timeout(500)
    expect(page.locator(".tv-card")).to_be_hidden()
    expect(page).to_have_url(re.compile("quiz=1"))
    expect(page.get_by_role("button", name="Quiz")).to_have_attribute("aria-pressed", "true")
    app.reload()
    expect(app.panel).to_be_visible()
    app.press("q")
    expect(app.panel).to_be_hidden()
    expect(page).not_to_have_url(re.compile("quiz"))
    for part in HIDDEN:
        expect(page.locator(part).first).to_be_visible()
    app.charts()
    assert pair.evaluate(border) != "rgba(0, 0, 0, 0)"
    app.click("Quiz")
    expect(app.panel).to_be_visible()
    app.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("quiz: what comes next?")


def test_moving_on_asks_anew_and_nothing_jumps(page, server):
    app = Asked(page, server, 0)
    box = app.panel.bounding_box()
    asked = set()
    for step in range(1, app.steps):
        app.press("ArrowRight")
        app.wait_step(step)
        assert app.panel.bounding_box() == box
        asked.add(str(app.options))
    assert len(asked) > 15
    app.press("End")
    assert app.question == "Training is over: The vocabulary has the 50 tokens asked for."
    assert app.options == []
    app.press("Enter")
    app.wait_step(0)
    assert app.score == ["0 of 0", "0", "0"]
    # The answer of another step does not stay.
    app.press("1")
    app.press("End")
    expect(app.panel.locator("h3")).to_contain_text("Training is over")
    app.page.wait_for_timeout(1200)
    assert app.step == app.steps, "the step of an answer that was left is not made"


@pytest.mark.parametrize(("algorithm", "size"), [("unigram", 100), ("sentencepiece-unigram", 36)])
def test_tokens_that_go_or_stay(page, server, algorithm, size):
    settings = EM if "piece" in algorithm else {}
    history = tokviz.train(COURSE, algorithm, size, **settings)
    app = Asked(page, server, 0, to_link(course_run(algorithm, size, settings)))
    for t in range(3):
        app.wait_step(t)
        if history.steps[t].action == "em":
            assert "nothing to guess" in app.question
            app.press("Enter")
            continue
        removed = {*history.steps[t].removed}
        goes = "is pruned" in app.question
        answers = [(token in removed) == goes for [token] in app.options]
        assert sum(answers) == 1
        app.press(str(answers.index(True) + 1))
        expect(app.panel).to_contain_text("✓ Right.")
        app.press("Enter")
    assert app.score[0] == ("1 of 1" if settings else "3 of 3")


def test_the_first_of_several_lanes_is_asked_about(page, server):
    lanes = f"course&lane={to_link(course_run('wordpiece', 60, {}))}"
    app = Asked(page, server, 2, lanes)
    assert app.lane("BPE").locator(".tv-question").is_visible()
    assert page.locator(".tv-question").count() == 1
    expect(page.locator(".tv-candidates")).to_have_count(2)
    assert not any(table.is_visible() for table in page.locator(".tv-candidates").all())


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_violation(page, server, scheme):
    page.emulate_media(color_scheme=scheme)
    app = Asked(page, server, 0)
    for size in ((1366, 768), (390, 844)):
        app.resize(*size)
        app.fits()
        assert_clean(app)
        app.press("2")
        assert_clean(app)
        app.press("Enter")
        app.panel.get_by_role("button", name="Show of hands").click()
        assert_clean(app)
        app.panel.get_by_role("button", name="Show of hands").click()
    app.resize(1366, 768)
    app.press("p")
    expect(app.panel).to_be_in_viewport(ratio=0.99)
    app.fits(".tv-question")


def assert_clean(app):
    app.settle()
    found = Axe().run(app.page)
    assert not found.violations_count, found.generate_report()


def test_the_standalone_page_asks_too(page, tmp_path, history):
    path = tmp_path / "page.html"
    web_page([history], path=path)
    page.goto(f"file://{path}#step=3&quiz=1")
    panel = page.locator(".tv-question")
    expect(panel.locator("h3")).to_have_text("Which pair is merged next?")
    for part in (".tv-curves", ".tv-candidates", ".tv-next"):
        expect(page.locator(part)).to_be_hidden()
    page.keyboard.press("1")
    expect(page.locator("[data-steps]")).to_have_attribute("data-step", "4")
    page.wait_for_url("**#step=4&quiz=1")
    assert Axe().run(page).violations_count == 0
