"""The quiz: what comes is hidden and asked for; alone, with a hint, typed, by show of hands."""

import re

import pytest
from app_page import App, as_said
from player_page import ALL_BUT_COLOURS, COURSE, PlayerPage, course, words_of
from playwright.sync_api import expect

EM = "sentencepiece-unigram", 36
HIDDEN = [".tv-next", ".tv-candidates", ".tv-tools .tv-find", ".tv-scrub > canvas"]


class Question:
    """The panel of the quiz."""

    def __init__(self, player):
        self.player, self.page = player, player.page
        self.panel = self.page.locator(".tv-question")
        self.heading = self.panel.locator("h3")
        self.field = self.panel.get_by_role("textbox", name="Or type a pair")
        self.status = self.panel.get_by_role("status")
        self.verdicts = self.panel.locator(".tv-verdict")

    @property
    def options(self):
        """The tokens of each option."""
        return self.panel.locator(".tv-option").evaluate_all(
            "all => all.map(o => [...o.querySelectorAll('.chip')].map(c => c.dataset.token))"
        )

    def option(self, i):
        return self.panel.locator(".tv-option").nth(i)

    def name(self, i):
        """An option as it is heard before the answer, with its count."""
        fact = self.option(i).locator(".tv-fact").text_content()
        return ", ".join(filter(None, [f"{i + 1}: {' + '.join(self.options[i])}", fact]))

    def place(self, right=True):
        """The place of the right option at this step, or of the first wrong one."""
        step = course().steps[self.player.step]
        return [tokens == [step.left, step.right] for tokens in self.options].index(right)

    def press(self, *keys):
        """Presses keys where the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    def click(self, name):
        self.panel.get_by_role("button", name=name, exact=True).click()

    def scores(self, *figures):
        expect(self.panel.locator(".tv-score b")).to_have_text([*figures])


class Quiz(PlayerPage):
    """A page of its own in quiz mode."""

    def ask(self, *histories, step=0):
        self.open(*histories or [course()], hash=f"#step={step}&quiz=1")
        return Question(self)


@pytest.fixture
def quiz(page, folder_of_pages):
    quiz = Quiz(page, folder_of_pages)
    yield quiz
    assert not quiz.complaints


def test_right_answers_make_a_streak_and_wrong_ones_end_it(quiz):
    history = course()
    asked = quiz.ask()
    page, said = quiz.page, asked.panel.locator(".tv-result")
    expect(asked.heading).to_have_text("Which pair is merged next?")
    for t in range(4):
        quiz.wait_step(t)
        place = asked.place()
        if t % 2:
            asked.press(str(place + 1))
        else:
            asked.option(place).locator(".chip").first.click()
        expect(quiz.card).to_be_hidden()
        asked.scores(f"{t + 1} of {t + 1}", str(t + 1), str(t + 1))
        expect(said).to_contain_text("✓ Right.")
        assert said.locator("p").last.text_content() == as_said(history, t + 1)
        quiz.wait_step(t + 1)
        assert quiz.words() == words_of(history, COURSE, t + 1)
        assert said.is_visible(), "the step does not take the answer away"
        asked.press("Enter" if t < 2 else "ArrowRight")
        expect(said).to_be_hidden()
        assert quiz.step == t + 1, "the answer made the step, so this goes to its question"
    expect(asked.heading).to_have_text("2 pairs tie at 4. Which one does “first-seen” take?")
    asked.press("Home", "ArrowRight")
    quiz.wait_step(1)
    wrong, right = asked.place(False), asked.place()
    asked.option(wrong).click()
    asked.scores("4 of 5", "0", "4")
    expect(asked.option(wrong)).to_have_accessible_name(f"{asked.name(wrong)}, ✗ not this one")
    expect(asked.option(right)).to_have_accessible_name(f"{asked.name(right)}, ✓ the answer")
    expect(asked.status).to_contain_text("✗ Not this one. The answer is i+s.")
    assert asked.status.get_attribute("aria-live") == "polite"
    # What is answered is answered.
    asked.option(right).evaluate("button => button.click()")
    asked.scores("4 of 5", "0", "4")
    expect(quiz.button("Next question")).to_be_focused()
    asked.click("Reset")
    asked.scores("0 of 0", "0", "0")
    # A hint keeps the streak.
    quiz.go(0)
    page.locator("h1").click()
    facts = asked.panel.locator(".tv-fact")
    expect(facts).to_have_text([""] * 5)
    asked.click("Show counts")
    rows = history.candidates(0)
    pairs = zip(rows["left"], rows["right"], strict=True)
    counts = dict(zip(pairs, rows["count"], strict=True))
    expect(facts).to_have_text([str(counts[tuple(pair)]) for pair in asked.options])
    asked.option(asked.place()).click()
    asked.scores("1 of 1", "0", "0")
    expect(asked.status).to_contain_text("the streak does not grow")


def test_answers_are_typed_or_shown_by_hands_and_moving_on_asks_anew(quiz):
    asked = quiz.ask()
    asked.field.press_sequentially("1 q")
    asked.scores("0 of 0", "0", "0")
    asked.field.press("Enter")
    expect(asked.panel).to_contain_text("“1” is not a token at this step.")
    for text, said in (("th", "Type the two tokens"), ("T T", "is not among the first 20")):
        asked.field.fill(text)
        asked.field.press("Enter")
        expect(asked.panel).to_contain_text(said)
    asked.scores("0 of 0", "0", "0")
    asked.field.fill("Ġ+t")
    asked.field.press("Enter")
    asked.scores("1 of 1", "1", "1")
    asked.press("Enter")
    quiz.wait_step(1)
    expect(asked.heading).to_be_focused()
    asked.field.fill("e r")
    asked.click("Answer")
    asked.scores("1 of 2", "0", "1")
    asked.click("Next question")
    asked.press("Home")
    asked.click("Reset")
    asked.click("Show of hands")
    place, other = asked.place(), asked.place(False)
    for key in (place, place, place, other, other, other):
        asked.press(str(key + 1))
    asked.press(f"Shift+Digit{other + 1}")
    hands = [0] * 5
    hands[place], hands[other] = 3, 2
    expect(asked.verdicts).to_have_text([f"{n} hands" for n in hands])
    asked.click(f"One hand fewer for {other + 1}")
    expect(asked.verdicts.nth(other)).to_have_text("1 hand")
    asked.scores("0 of 0", "0", "0")
    asked.click("Reveal")
    asked.scores("1 of 1", "1", "1")
    shares = "all => all.map(b => b.getBoundingClientRect().width / b.parentElement.clientWidth)"
    bars = asked.panel.locator(".tv-bar").evaluate_all(shares)
    expected = [{place: 1, other: 1 / 3}.get(i, 0) for i in range(5)]
    assert bars == pytest.approx(expected, abs=0.02)
    expect(asked.status).to_contain_text("Most hands were right.")
    asked.click("Next question")
    quiz.wait_step(1)
    # As many for two is no answer.
    asked.press(*"1234", "Enter")
    expect(asked.status).to_contain_text("No answer")
    asked.scores("1 of 1", "1", "1")
    # Moving on asks anew.
    asked = quiz.ask()
    box = asked.panel.bounding_box()
    seen = set()
    for step in range(1, quiz.steps):
        asked.press("ArrowRight")
        quiz.wait_step(step)
        assert asked.panel.bounding_box() == box, "nothing jumps"
        seen.add(str(asked.options))
    assert len(seen) > 15
    asked.press("End")
    expect(asked.heading).to_have_text(
        "Training is over: The vocabulary has the 50 tokens asked for."
    )
    assert asked.options == []
    asked.press("Enter")
    quiz.wait_step(0)
    asked.scores("0 of 0", "0", "0")
    # The step of an answer that was left is not made. Timers keep their order.
    asked.press("1", "End")
    expect(asked.heading).to_contain_text("Training is over")
    quiz.page.evaluate("() => new Promise(resolve => setTimeout(resolve, 1200))")
    assert quiz.step == quiz.steps
    asked = quiz.ask(course(), course("wordpiece", 60), step=2)
    expect(quiz.lane("BPE").locator(".tv-question")).to_be_visible()
    expect(asked.panel).to_have_count(1)
    expect(quiz.page.locator(".tv-candidates")).to_have_count(2)
    assert not any(table.is_visible() for table in quiz.page.locator(".tv-candidates").all())
    for history, score in (
        (course("unigram", 100), "3 of 3"),
        (course(*EM, min_expected_count=0.0), "1 of 1"),
    ):
        asked = quiz.ask(history)
        for t in range(3):
            quiz.wait_step(t)
            if history.steps[t].action == "em":
                expect(asked.heading).to_contain_text("nothing to guess")
                asked.press("Enter")
                continue
            removed = {*history.steps[t].removed}
            goes = "is pruned" in asked.heading.text_content()
            answers = [(token in removed) == goes for [token] in asked.options]
            assert sum(answers) == 1
            asked.press(str(answers.index(True) + 1))
            expect(asked.panel).to_contain_text("✓ Right.")
            asked.press("Enter")
        assert asked.panel.locator(".tv-score b").first.text_content() == score


def test_it_can_be_read_and_heard_on_a_projector_and_a_phone(quiz):
    asked = quiz.ask()
    for part in (".tv-drawn-curves", *HIDDEN):
        expect(quiz.page.locator(part)).to_be_hidden()
    # Colours do not depend on the size.
    for size, look, rules in (
        ((1366, 768), quiz.accessible_in_both_themes, {}),
        ((390, 844), quiz.accessible, ALL_BUT_COLOURS),
    ):
        quiz.resize(*size)
        quiz.fits()
        look(**rules)
        asked.press("2")
        look(".tv-question", **rules)
        asked.press("Enter")
        asked.click("Show of hands")
        look(".tv-question", **rules)
        asked.click("Show of hands")
    quiz.page.wait_for_url(re.compile(r"#step=\d+&quiz=1$"))
    quiz.resize(1366, 768)
    asked.press("p")
    expect(asked.panel).to_be_in_viewport(ratio=0.99)
    quiz.fits(".tv-question")


def test_what_comes_is_hidden_in_the_app_until_the_quiz_ends(page, server):
    app = App(page, f"{server}/?lane=course&step=13&quiz=1")
    asked = Question(app)
    arrows = "e => getComputedStyle(e).backgroundImage"
    pair = page.locator(".tv-pair").first
    hidden = [*HIDDEN, ".st-key-lenses"]
    for part in (*hidden, ".tv-drawn-curves"):
        expect(page.locator(part).first).to_be_hidden()
    assert pair.evaluate(arrows) == "none"
    expect(page).to_have_url(re.compile("quiz=1"))
    expect(app.button("Quiz")).to_have_attribute("aria-pressed", "true")
    app.accessible()
    expect(asked.panel).to_be_visible()
    asked.press("p")
    expect(asked.panel).to_be_in_viewport(ratio=0.99)
    app.fits(".tv-question")
    asked.press("p", "q")
    expect(asked.panel).to_be_hidden()
    expect(page).not_to_have_url(re.compile("quiz"))
    for part in hidden:
        expect(page.locator(part).first).to_be_visible()
    app.charts()
    assert pair.evaluate(arrows) != "none"
    app.click("Quiz")
    expect(asked.panel).to_be_visible()
    asked.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_contain_text("quiz: what comes next?")
