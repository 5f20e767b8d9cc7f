"""A class in a room: phones follow their teacher, look around, vote, and survive."""

import json
import re

import pytest
from app_page import App
from app_server import Server
from player_page import examine
from playwright.sync_api import expect

STEP = "step => document.querySelector('[data-steps]')?.dataset.step === step"
#: Whether the corpus has these words.
WORDS = """words => [...document.querySelectorAll('.tv-lines')]
    .some(e => e.textContent.replace(/[^a-z]/g, '') === words)"""
MANY = "() => document.querySelectorAll('.tv-lane').length > 1"
#: The field for the letters of a room.
LETTERS = "Join a room: its four letters"
#: The number of the option of the quiz that is right.
RIGHT = """document.querySelector('.tv-player').tokvizView.quiz.options
    .findIndex(({ option }) => option.right)"""
#: Where a teacher's page tells what the class is to see.
SHOW = "**/room/*/show"


def hold_questions(page):
    """Keeps a question that a teacher's page tells on its way, while the room hears what else that
    shows; returns the list of what is kept. Of the first scene, which asks nothing, a page may tell
    one for a moment, before it says that it is at the next."""
    held, places = [], [""]

    def hold(route):
        told = route.request.post_data_json
        places.append(told["shown"].get("place", places[-1]))
        if told["shown"]["question"] and "scene=2" in places[-1]:
            told["shown"]["question"] = None
            route.fetch(post_data=json.dumps(told))
            held.append(route)
        else:
            route.continue_()

    page.route(SHOW, hold)
    return held


class Phone:
    """One of the class; it comes by the address in the code."""

    def __init__(self, context, address):
        self.context, self.page = context, context.new_page()
        self.page.goto(address)
        self.bar = self.page.locator(".tv-room-phone")

    def at(self, step):
        """Waits until it shows a step."""
        self.page.wait_for_function(STEP, arg=str(step))

    def shows(self, words):
        self.page.wait_for_function(WORDS, arg=words)

    def tap(self, name):
        self.page.get_by_role("button", name=name, exact=True).tap()


class Teacher(App):
    """A teacher, who starts a room; the code of it is not in front any more."""

    def __init__(self, page, address):
        self.asked = []
        page.on("request", lambda request: self.asked.append(request.url))
        super().__init__(page, address)

    def start_room(self):
        page = self.page
        self.click("Share")
        page.get_by_role("radio", name="Class", exact=True).click()
        self.settle()
        self.button("Start a room").click()
        self.dialog = page.get_by_role("dialog", name="Join the room")
        expect(self.dialog).to_be_visible()
        self.code = "".join(self.dialog.locator(".tv-room-letters span").all_text_contents())
        self.home = re.match(r"http://[^/]+/", page.url)[0]
        self.begin = self.dialog.get_by_role("button", name="Begin")
        self.begin.click()
        self.bar = page.locator(".tv-room-teacher")
        return self

    def end_room(self):
        self.bar.get_by_role("button").click()
        self.dialog.get_by_role("button", name="End the room").click()

    @property
    def address(self):
        return f"{self.home}?room={self.code}"

    def counts(self, said):
        expect(self.bar.get_by_role("button")).to_have_text(re.compile(f"{self.code} {said}$"))


@pytest.fixture
def teacher(page, server):
    teacher = Teacher(page, f"{server}/?lane=course&v=2&step=13")
    yield teacher
    teacher.end_room()
    expect(teacher.bar).to_have_count(0)


@pytest.fixture
def phone_of(pocket):
    came = []

    def come(address, language="en"):
        came.append(Phone(pocket(language), address))
        return came[-1]

    yield come
    for each in came:
        each.page.close()


def comes_by_letters(phone, code):
    """A phone whose room is over types those of another one."""
    expect(phone.page.locator(".tv-offline")).to_contain_text(["There is no room KXTM."])
    assert "room" not in phone.page.url
    phone.page.get_by_role("button", name="Settings").last.tap()
    phone.tap("Share")
    phone.page.get_by_role("radio", name="Class", exact=True).tap()
    field = phone.page.get_by_role("textbox", name=LETTERS)
    # Those that are none.
    field.fill("house")
    phone.tap("Join")
    expect(phone.page.get_by_role("alert")).to_contain_text("no vowels")
    field.fill(code)
    phone.tap("Join")
    # The settings make room for what the class sees.
    expect(phone.page.locator(".tv-swiped [aria-current=true]")).not_to_have_text("Settings")


def test_a_phone_follows_looks_around_votes_on_the_quiz_and_leaves(teacher, phone_of, server):
    teacher.start_room()
    teacher.counts("0 phones")
    phone = phone_of(f"{server}/?room=KXTM")
    comes_by_letters(phone, teacher.code)
    phone.at(13)
    expect(phone.bar).to_contain_text("You follow your class.")
    teacher.counts("1 phone")
    teacher.press("ArrowRight")
    phone.at(14)
    # The bar is as dark as the page.
    light = phone.bar.evaluate("e => getComputedStyle(e).backgroundColor")
    phone.page.emulate_media(color_scheme="dark")
    expect(phone.bar).not_to_have_css("background-color", light)
    phone.page.emulate_media(color_scheme="light")
    # What plays stays at the thumb, above the bar.
    play = phone.page.get_by_role("button", name="Play").bounding_box()
    assert play["y"] + play["height"] <= phone.bar.bounding_box()["y"]
    # Whoever hears the page hears the step.
    expect(phone.page.locator(".tv-player > [role=status]")).to_contain_text("Step 14")
    # Another panel, another step, another text.
    teacher.page.locator(".tv-tabs [data-side=curves]:visible").click()
    expect(phone.page.locator(".tv-swiped [aria-current=true]")).to_have_text("Curves")
    phone.tap("Previous step")
    phone.at(13)
    expect(phone.bar).to_contain_text("You look around by yourself.")
    teacher.press("ArrowRight")
    teacher.type_text("low lower lowest")
    teacher.go(3)
    phone.page.wait_for_timeout(500)
    phone.at(13)
    phone.tap("Back to the class")
    phone.shows("lowlowerlowest")
    phone.at(3)
    expect(phone.page.get_by_role("button", name="Back to the class")).to_be_hidden()
    examine(phone.page, ".tv-room")
    # The header stays where it is.
    assert phone.page.locator(".stAppHeader").bounding_box()["y"] == 0
    teacher.bar.get_by_role("button").click()
    examine(teacher.page, ".tv-room, .tv-room-code")
    teacher.begin.click()
    # Another one comes, and leaves again.
    other = phone_of(teacher.address, language="zh-CN")
    votes_on_the_quiz(teacher, [phone, other])
    other.tap("离开课堂")
    expect(other.bar).to_have_count(0)
    assert "room" not in other.page.url
    teacher.counts("1 phone")
    # Two lanes, on another page.
    teacher.page.get_by_role("link", name="Compare", exact=True).click()
    teacher.opened()
    phone.page.wait_for_function(MANY)
    teacher.press("Home", "ArrowRight", "ArrowRight")
    phone.at(2)
    assert "/compare" in phone.page.url
    assert f"room={teacher.code}" in teacher.page.url
    # Another language is another script.
    phone.page.get_by_role("radio", name="简体中文").tap()
    expect(phone.bar).to_contain_text("你正在跟随课堂。")
    teacher.press("ArrowRight")
    phone.at(3)
    teacher.counts("1 phone")


def votes_on_the_quiz(teacher, phones):
    teacher.type_text("low low low lower lower new")
    teacher.go(2)
    for phone in phones:
        phone.at(2)
    teacher.click("Quiz")
    options = [phone.page.locator(".tv-option") for phone in phones]
    for each in options:
        expect(each.first).to_be_in_viewport()
        # Nothing on the screen gives the answer away.
        expect(each.page.locator(".tv-say").first).to_be_hidden()
    right = teacher.page.evaluate(RIGHT)
    wrong = 1 if right == 0 else 0
    for each, choice in ((options[0], wrong), (options[1], wrong), (options[0], right)):
        each.nth(choice).tap()
        expect(each.nth(choice)).to_have_class(re.compile("voted"))
    expect(options[0].nth(right)).to_contain_text("Your vote")
    assert phones[0].page.locator(".stAppHeader").bounding_box()["y"] == 0
    expect(options[1].nth(wrong)).to_contain_text("你的投票")
    teacher.counts("2 phones · 2 votes")
    # Bars are hidden until the teacher shows them.
    own = teacher.page.locator(".tv-option")
    assert "vote" not in "".join(own.all_text_contents())
    teacher.click("Reveal")
    for each in (own, options[0]):
        expect(each.nth(right)).to_contain_text("1 vote")
        expect(each.nth(wrong)).to_contain_text("1 vote")
    expect(phones[0].page.locator(".tv-result b.right")).to_contain_text("Right.")
    expect(phones[1].page.locator(".tv-result b.wrong")).to_contain_text("不是这个")
    for phone in phones:
        phone.at(3)
    # The next question takes new votes.
    teacher.click("Next question")
    expect(phones[0].page.locator(".tv-result")).to_be_empty()
    if options[0].count():
        options[0].first.tap()
        teacher.counts("2 phones · 1 vote")
    teacher.click("Quiz")
    expect(phones[0].page.locator(".tv-option")).to_have_count(0)


#: For half a second the page says that it shows another scene.
ELSEWHERE = """async () => {
    const says = e => e.dataset.address.includes("lesson");
    const [page] = [...document.querySelectorAll("[data-address]")].filter(says);
    const before = page.dataset.address;
    page.dataset.address = JSON.stringify({ ...JSON.parse(before), scene: "0" });
    await new Promise(done => setTimeout(done, 500));
    page.dataset.address = before;
}"""


def nothing_of_a_room_exists(app):
    """For a visitor without one."""
    app.click("Next step")
    app.wait_settled()
    # Where letters could be typed, too.
    app.page.get_by_role("link", name="Learn", exact=True).click()
    expect(app.page.get_by_role("textbox", name=LETTERS)).to_be_visible()
    app.settle()
    assert not [url for url in app.asked if "room" in url]
    assert app.page.locator("[class*=tv-room]").count() == 0
    assert app.page.evaluate("tokviz.room === null && tokviz.classroom === null")
    assert "tv-room" not in app.page.content()
    app.come_back()


def test_a_class_that_comes_in_from_the_lessons_goes_through_one_and_guesses(teacher, phone_of):
    nothing_of_a_room_exists(teacher)
    teacher.start_room()
    phone = phone_of(f"{teacher.home}learn")
    field = phone.page.get_by_role("textbox", name=LETTERS)
    field.fill(teacher.code.lower())
    phone.tap("Join")
    phone.at(14)
    expect(phone.bar).to_contain_text("You follow your class.")
    teacher.counts("1 phone")
    # Who is in a room has no field for another one.
    teacher.page.get_by_role("link", name="Learn", exact=True).click()
    expect(teacher.page.get_by_role("heading", name="Lessons")).to_be_visible()
    teacher.settle()
    expect(teacher.page.get_by_role("textbox", name=LETTERS)).to_have_count(0)
    teacher.page.get_by_role("button", name="Start", exact=True).nth(1).click()
    title = phone.page.locator(".tv-scene h2")
    expect(title).to_contain_text("1 of")
    answers = ".st-key-lesson_options button"
    held = hold_questions(teacher.page)
    while not teacher.page.locator(answers).count():
        teacher.click("Next")
    heading = teacher.page.locator(".tv-scene h2").text_content()
    expect(title).to_have_text(heading)
    mine = phone.page.locator(answers)
    expect(mine.first).to_be_visible()
    # Whoever is quicker than the question votes as well.
    mine.nth(1).tap()
    expect(mine.nth(1)).to_have_attribute("aria-pressed", "true")
    for question in held:
        question.continue_()
    teacher.page.unroute(SHOW)
    teacher.counts("1 phone · 1 vote")
    mine.nth(0).tap()
    expect(mine.nth(1)).to_have_attribute("aria-pressed", "false")
    teacher.counts("1 phone · 1 vote")
    # Nor is it a wish to look around, should the page show another place for a moment.
    phone.page.evaluate(ELSEWHERE)
    expect(phone.bar).to_contain_text("You follow your class.")
    # It is a vote, and no answer yet.
    expect(phone.page.locator(".tv-answer")).to_have_count(0)
    teacher.click("Show the answer")
    for page in (phone.page, teacher.page):
        expect(page.locator(".tv-guesses li").nth(0)).to_have_attribute("data-votes", "1 vote")
        expect(page.locator(".tv-guesses li").nth(1)).to_have_attribute("data-votes", "0 votes")
    expect(phone.page.locator(".tv-answer")).to_contain_text(re.compile("Right.|Not this one."))
    # In another language, the votes are still there.
    teacher.page.get_by_role("radio", name="简体中文").click()
    votes = teacher.page.locator(".tv-guesses li").nth(0)
    expect(votes).to_have_attribute("data-votes", "1 票")
    teacher.page.get_by_role("radio", name="English").click()
    expect(votes).to_have_attribute("data-votes", "1 vote")
    expect(phone.page.locator(".tv-guesses li").nth(0)).to_have_attribute("data-votes", "1 vote")
    teacher.settle()
    teacher.click("Next")
    expect(title).to_have_text(teacher.page.locator(".tv-scene h2").text_content())
    guesses_a_number(teacher, [phone, phone_of(teacher.address, language="zh-CN")])


def guesses_a_number(teacher, phones):
    """The third scene of the lesson on ties asks for one."""
    fields = [each.page.locator(".st-key-lesson_guess input") for each in phones]
    for field in fields:
        expect(field).to_be_visible()
    teacher.counts("2 phones · 0 votes")
    # A phone that waited for long asks for the scene once more, and stays in the class.
    went = "location.search.includes('went=')"
    phones[0].page.evaluate("() => tokviz.classroom.part.depart()")
    phones[0].page.wait_for_function(f"() => {went}")
    phones[0].page.wait_for_function(f"() => !{went} && tokviz.classroom.part.isInLesson")
    # Nobody is shown the answer before the class is.
    expect(phones[0].page.get_by_role("button", name="Show the answer")).to_be_hidden()
    expect(teacher.page.get_by_role("button", name="Check")).to_be_visible()
    # What is no number is no vote; a vote can be changed, by the key or by the button.
    phones[0].tap("Vote")
    expect(phones[0].bar).to_contain_text("Give a whole number from 0 to 1,000,000,000.")
    for typed in ("5", "12345"):
        fields[0].fill(typed)
        fields[0].press("Enter")
    expect(phones[0].bar).to_contain_text("Your vote: 12,345")
    # A sentence says what is possible, and what was typed is still there.
    fields[0].fill("-3")
    fields[0].press("Enter")
    expect(phones[0].bar).to_contain_text("-3 is not possible; give a whole number from 0 to")
    # The vote of before counts still, and is alone in the bar once something else is typed.
    expect(phones[0].bar).to_contain_text(re.compile(r"0 to [\d,]+\. Your vote: 12,345"))
    fields[0].fill("3")
    expect(phones[0].bar).not_to_contain_text("not possible")
    expect(phones[0].bar).to_contain_text("Your vote: 12,345")
    # Nor is it lost on leaving the field, which says the same.
    fields[0].fill("-3")
    fields[0].press("Tab")
    expect(phones[0].bar).to_contain_text("-3 is not possible")
    expect(fields[0]).to_have_value("-3")
    fields[1].fill("1.5")
    phones[1].tap("投票")
    expect(phones[1].bar).to_contain_text("1.5")
    for field, typed in zip(fields, ("-3", "1.5"), strict=True):
        expect(field).to_have_value(typed)
    teacher.counts("2 phones · 1 vote")
    fields[1].fill("1")
    phones[1].tap("投票")
    expect(phones[1].bar).to_contain_text("你的投票：1")
    teacher.counts("2 phones · 2 votes")
    for page in (teacher.page, *(each.page for each in phones)):
        expect(page.locator(".tv-answer, .tv-numbers")).to_have_count(0)
    # Whoever loads the page anew has voted still.
    phones[1].page.reload()
    expect(fields[1]).to_be_visible()
    expect(phones[1].bar).to_contain_text("你的投票：1")
    teacher.counts("2 phones · 2 votes")
    teacher.click("Show the answer")
    right = teacher.page.locator(".tv-answer").get_attribute("data-right")
    rows = {right: "0 votes"} | {"1": "1 vote", "12,345": "1 vote"}
    for page in (teacher.page, phones[0].page):
        shown = page.locator(".tv-numbers li")
        expect(shown).to_have_count(len(rows))
        for row in shown.all():
            said = row.locator("span").text_content()
            expect(row).to_have_attribute("data-votes", rows[said])
        expect(page.locator(".tv-numbers li.right span")).to_have_text(right)
    expect(phones[0].page.locator(".tv-answer b").first).to_have_text(
        f"It is {right}; you said 12,345."
    )
    expect(phones[1].page.locator(".tv-answer b").first).to_contain_text("1")
    expect(phones[1].page.locator(".tv-numbers li.right")).to_have_attribute("data-votes", "0 票")
    examine(phones[0].page, ".st-key-lesson_panel")
    examine(teacher.page, ".st-key-lesson_panel")
    # The next question has no votes.
    teacher.settle()
    teacher.click("Next")
    expect(phones[0].page.locator(".tv-answer")).to_have_count(0)
    expect(phones[0].bar).to_contain_text("You follow your class.")


def test_a_class_survives(page, tmp_path, phone_of):
    with Server(tmp_path / "log") as served:
        teacher = Teacher(page, f"{served.address}/?lane=course&v=2&step=5").start_room()
        phone = phone_of(teacher.address)
        phone.at(5)
        # A phone without a network says so, and is back at once.
        phone.context.set_offline(True)
        phone.page.evaluate("tokviz.classroom.part.ear.look(0)")
        expect(phone.bar).to_contain_text("No connection to the class.")
        teacher.press("ArrowRight")
        phone.context.set_offline(False)
        expect(phone.bar).to_contain_text("You follow your class.", timeout=2000)
        phone.at(6)
        teacher.wait_settled()
        # The teacher's page is loaded anew: the room stays, and nothing stands before it.
        page.reload()
        teacher.opened()
        teacher.counts("1 phone")
        expect(teacher.dialog).to_be_hidden()
        teacher.press("ArrowRight")
        phone.at(7)
        # A server that began anew gets the room from the teacher's page, as that is by then.
        served.kill()
        expect(phone.bar).to_contain_text("No connection to the class.")
        expect(teacher.bar).to_contain_text("No connection to the room.")
        teacher.press("ArrowRight")
        served.start()
        expect(phone.bar).to_contain_text("You follow your class.")
        phone.at(8)
        teacher.counts("1 phone")
        # The phone's page is loaded anew: it is who it was.
        phone.page.reload()
        phone.at(8)
        teacher.counts("1 phone")
        # Votes that are shown outlive a server, which has to be told again to show them.
        page.get_by_role("link", name="Learn", exact=True).click()
        page.get_by_role("button", name="Start", exact=True).nth(1).click()
        teacher.click("Next")
        options, votes = ".st-key-lesson_options button", ".tv-guesses li[data-votes='1 vote']"
        phone.page.locator(options).nth(1).tap()
        teacher.counts("1 phone · 1 vote")
        teacher.click("Show the answer")
        for each in (page, phone.page):
            expect(each.locator(votes)).to_have_count(1)
        served.kill()
        expect(teacher.bar).to_contain_text("No connection to the room.")
        served.start()
        expect(page.locator(options).first).to_be_visible()
        teacher.counts("1 phone · 1 vote")
        teacher.click("Show the answer")
        for each in (page, phone.page):
            expect(each.locator(votes)).to_have_count(1)
        teacher.end_room()
        expect(phone.bar).to_have_count(0)
        expect(phone.page.locator(".tv-offline")).to_contain_text(["The room is over."])
        expect(phone.page.locator(votes)).to_have_count(1)
    assert "Traceback" not in served.said(), served.said()
