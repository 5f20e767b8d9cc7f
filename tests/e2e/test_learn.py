"""Lessons as a class walks through them: by keyboard to the end, in another language, by link."""

import re

import pytest
from app_page import ARRIVED, GOES_ON, OWED, QUIET
from helpers import PATIENCE
from player_page import ALL_BUT_COLOURS, examine
from playwright.sync_api import expect

from tokviz.basics.messages import here, message, using
from tokviz.lessons.lesson import bundled
from tokviz.lessons.staging import stage
from tokviz.pages.lesson.lesson_parts import said
from tokviz.pages.lesson.lesson_runs import runs_of
from tokviz.server.jobs import history_of

LESSONS = bundled()
FIRST = LESSONS["why-subwords"]


#: A projector and a large screen.
SCREENS = [(1920, 1080), (1366, 768)]
#: Of how many pieces of lines a text is.
LINES = """e => {
    const range = new Range();
    range.selectNodeContents(e);
    return range.getClientRects().length;
}"""
SIZE = "e => parseFloat(getComputedStyle(e).fontSize)"
#: Whether the text of a button ends with an ellipsis.
ELLIPSIS = "({ parentElement: e }) => e.scrollWidth > e.clientWidth"
#: Whether each lane's text has the height of its frame.
FILLED = """() => [...document.querySelectorAll('.tv-pane:has(> .tv-corpus)')]
    .every(e => e.firstChild.offsetHeight > 0.95 * e.offsetHeight)"""
#: What is wrong where a scene is presented: something is covered, or cut off.
BESIDE = """part => {
    const box = s => document.querySelector(s).getBoundingClientRect();
    const [panel, shown] = [box('.st-key-lesson_panel'), box(part)];
    const [stage, bar] = [box('.tv-stage'), box('.tv-transport')];
    const told = document.querySelector('.st-key-lesson_panel');
    return Object.entries({
        left: panel.right <= shown.left && panel.right <= stage.left,
        top: stage.bottom <= shown.top + 1, bottom: shown.bottom <= bar.top + 1,
        screen: bar.bottom <= innerHeight && shown.right <= innerWidth,
        told: told.scrollHeight <= told.clientHeight,
    }).filter(([, fine]) => !fine).map(([name]) => name);
}"""
#: The buttons of pictures that reach under those at the right of them, and the least letters
#: beside a picture.
CHOICES = """() => {
    const seen = s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility());
    const box = e => e.getBoundingClientRect();
    const start = Math.min(...seen('.tv-actions button').map(e => box(e).left));
    const written = e => [...e.childNodes].some(node => node.nodeType === 3 && node.data.trim());
    const sizes = seen('.tv-side *').filter(written).map(e => getComputedStyle(e).fontSize);
    const under = seen('.tv-pictures button').filter(e => box(e).right > start);
    return [under.map(e => e.textContent), Math.min(...sizes.map(parseFloat))];
}"""
#: Where "Next" stands, and what of a scene is below the screen or under the bar of the player.
TOLD = """() => {
    const box = e => e.getBoundingClientRect();
    const seen = s => [...document.querySelectorAll(s)].filter(e => e.checkVisibility());
    const [bar] = seen('.tv-transport');
    const end = Math.min(innerHeight, bar ? box(bar).top + 1 : innerHeight);
    const parts = '.tv-lanes, .tv-drawn, .tv-side, .tv-column, .tv-details, .tv-lesson-vocabulary';
    const covered = seen(`.st-key-lesson_show :is(${parts})`).filter(e => box(e).bottom > end);
    const [ways] = seen('.st-key-lesson_ways');
    return [box(ways).bottom, covered.map(e => e.className)];
}"""


def resize(learn, width, height):
    learn.page.set_viewport_size({"width": width, "height": height})
    learn.page.wait_for_function("width => innerWidth === width", arg=width)
    learn.settle()


class Learn:
    """The Learn page by the names on it, in a language."""

    def __init__(self, page, server, language="en"):
        self.page, self.server, self.language = page, server, language

    def open(self, query=""):
        """Opens the page, or goes on to another lesson on it."""
        query = f"lang={self.language}{query}"
        if self.page.url.startswith(self.server):
            self.page.evaluate(GOES_ON, query)
            self.page.wait_for_function(ARRIVED)
        else:
            self.page.goto(f"{self.server}/learn?{query}")
        self.page.locator(".tv-lessons, .tv-scene").first.wait_for()
        self.settle()

    def press(self, name):
        with using(self.language):
            self.page.get_by_role("button", name=here(message(name)), exact=True).click()

    def says(self, *texts):
        """Waits for sentences."""
        self.page.wait_for_function(
            "said => { const panel = document.querySelector('.st-key-lesson_panel')?.textContent"
            ".replace(/\\s+/g, ''); return panel && said.every(text => panel.includes(text)); }",
            arg=[re.sub(r"\s+", "", text) for text in texts],
        )

    def settle(self):
        self.page.wait_for_function(QUIET)

    def stands_at(self, position):
        self.page.wait_for_function(
            "p => document.querySelector('[data-steps]')?.dataset.step === String(p)", arg=position
        )


#: Asks for the lens of a word, as on the scene before.
LATE = """({ tokvizView: player }) =>
    player.tellLook({ id: "late", what: "word", cue: player.cued - 1 })"""


@pytest.fixture
def learn(page, server):
    page.set_default_timeout(PATIENCE * 1000)
    page.add_init_script(OWED)
    return Learn(page, server)


def scenes_of(lesson, language):
    """What the lesson says on its own text, worked out without a page."""
    runs = {name: history_of(run) for name, run in runs_of(lesson, "").items()}
    with using(language):
        return stage(lesson, runs, lesson.corpus, own=False)


def between_chips(parts):
    """What is said around chips, which show bytes and spaces in their own way."""
    texts = [here(part) for part in parts if isinstance(part, str)]
    return [text for whole in texts for text in whole.split("\n\n")]


def told(learn, scenes, i):
    """Waits until a scene is told and shown as it should be."""
    scene = scenes[i]
    with using(learn.language):
        learn.says(said(scene.title) + f"{i + 1}", *between_chips(scene.say))
    if scene.scene.show in ("player", "vocabulary"):
        return learn.stands_at(scene.position)
    seen = {"word": ".tv-picture svg", "encode": ".tv-column .chip"}[scene.scene.show]
    expect(learn.page.locator(seen).first).to_be_visible()
    field = {"word": ".tv-wordfield", "encode": ".tv-player textarea"}[scene.scene.show]
    return expect(learn.page.locator(field)).to_have_value(scene.text)


def test_a_whole_lesson_by_keyboard_and_one_on_another_text_that_comes_back_by_link(learn, visits):
    """What is new has the focus: a screen reader reads it, and Tab goes on from there. A file of a
    teacher is a lesson too."""
    learn.open()
    page, scenes = learn.page, scenes_of(FIRST, "en")
    stands = set()

    def heard(part, text):
        page.wait_for_function(
            "([part, text]) => document.activeElement.matches(part)"
            " && document.activeElement.textContent.includes(text)",
            arg=[part, text],
        )

    def tab_to(name):
        for _ in range(12):
            page.keyboard.press("Tab")
            if page.evaluate("() => document.activeElement.textContent.trim()") == name:
                return page.keyboard.press("Enter")
        pytest.fail(f"Tab does not come to {name}.")

    page.get_by_role("button", name="Start").first.focus()
    page.keyboard.press("Enter")
    for i, scene in enumerate(scenes):
        heard(".tv-scene h2", said(scene.title))
        told(learn, scenes, i)
        # Nobody presses Tab before there is anything to go to.
        learn.settle()
        if scene.ask:
            if scene.ask.number is None:
                tab_to(said(scene.ask.options[scene.ask.right]))
            else:
                for _ in range(6):
                    page.keyboard.press("Tab")
                    if page.evaluate("() => document.activeElement.matches('input[type=number]')"):
                        break
                page.keyboard.type(str(scene.ask.number))
                page.keyboard.press("Enter")
            heard(".tv-answer", "Right.")
            learn.says("Right.", *between_chips(scene.ask.then))
            learn.stands_at(scene.ask.reveal)
        learn.settle()
        place, covered = page.evaluate(TOLD)
        stands.add(place)
        assert not covered, i
        if i < len(scenes) - 1:
            tab_to("Next")
    # "Next" keeps its place.
    assert len(stands) == 1
    learn.says("The lesson is over. 2 of 2 guesses were right.")

    learn.press("All lessons")
    # The focus comes to what is new, and only then goes on from there.
    page.wait_for_function("() => document.activeElement.matches('.tv-lessons h1')")
    page.get_by_role("button", name="Start").first.focus()
    page.keyboard.press("Enter")
    learn.says("Words or letters?")
    learn.press("Another text")
    page.get_by_role("textbox", name="Your own text").fill("the cat and the hat and the bat")
    learn.press("Tell it on this text")
    learn.says("8 words make")
    page.keyboard.press("Escape")
    learn.press("Next")
    learn.says("The space before a word")
    page.wait_for_function("() => /scene=2/.test(location.search)")
    link = page.evaluate("() => location.href")
    # What a tab keeps, another one does not have.
    other = Learn(visits.new_page(), learn.server)
    other.page.set_default_timeout(PATIENCE * 1000)
    other.page.goto(link)
    other.says("The space before a word")
    other.press("Back")
    other.says("8 words make")
    other.page.close()

    learn.press("All lessons")
    # The page scrolls to what has the focus: a click before that would miss.
    page.wait_for_function("() => document.activeElement.matches('.tv-lessons h1')")
    page.get_by_text("Open a lesson from a file").click()
    field = page.locator("input[type=file]")
    field.set_input_files({"name": "a.toml", "mimeType": "", "buffer": b"format = 1\ntitle = 3"})
    expect(page.get_by_role("alert")).to_contain_text("lesson needs")
    mine = (
        'format = 1\ntitle = "<img src=x onerror=alert(1)>"\nabout = "mine"\nminutes = 1\n'
        'corpus.text = "low lower lowest"\nruns.a = { algorithm = "bpe", vocab_size = 10 }\n'
        '[[scenes]]\nsay = "Cut: {encoding of lowest}<b>"\nruns = ["a"]\n'
    )
    field.set_input_files({"name": "b.toml", "mimeType": "", "buffer": mine.encode()})
    learn.says("Cut: l o w e s t<b>")
    assert page.get_by_role("heading", level=1).text_content() == "<img src=x onerror=alert(1)>"


def test_words_and_encodings_are_shown_in_another_language(learn):
    """What each lesson says in it, tests/pages/test_pages_learn.py knows."""
    learn.language = "zh_CN"
    page, stands = learn.page, set()

    def is_told(scenes, i):
        told(learn, scenes, i)
        learn.settle()
        place, covered = page.evaluate(TOLD)
        stands.add(place)
        assert not covered, i

    scenes = scenes_of(LESSONS["unigram"], learn.language)
    i = next(i for i, scene in enumerate(scenes) if scene.scene.show == "vocabulary")
    learn.open(f"&lesson=unigram&scene={i + 1}")
    assert page.locator("html").get_attribute("lang") == "zh-CN"
    is_told(scenes, i)
    # Who counts ways to cut a word has the vocabulary before him, in Present too.
    page.keyboard.press("p")
    vocabulary = page.locator(".tv-lesson-vocabulary .chip")
    expect(vocabulary).to_have_count(15)
    expect(vocabulary.first).to_be_in_viewport(ratio=1)
    expect(page.locator(".tv-corpus")).to_be_hidden()
    page.keyboard.press("p")
    i += 1
    learn.press("Show the answer")
    learn.press("Next")
    is_told(scenes, i)
    # Presented, the scene is told at the left, and its lattice has the room beside it.
    expect(page.locator(".tv-transport")).to_be_hidden()
    page.keyboard.press("p")
    lattice = page.locator(".tv-inside svg.arcs")
    for size in SCREENS:
        resize(learn, *size)
        told(learn, scenes, i)
        assert page.evaluate(BESIDE, ".tv-inside") == []
        under, least = page.evaluate(CHOICES)
        assert under == []
        assert least >= 16, "the back row reads what stands beside the lattice"
    page.keyboard.press("x")
    expect(lattice).to_be_hidden()
    expect(page.locator(".tv-corpus .chip").first).to_be_visible()
    # The next scene has the lattice of a tie, and the one after it none: there the vocabulary
    # stands with its loss, and a lattice is asked for.
    for _ in range(2):
        i += 1
        learn.press("Next")
        told(learn, scenes, i)
    # What was asked for on the scene before, and is heard late, is no answer to anything here.
    page.locator("[data-steps]").evaluate(LATE)
    learn.settle()
    expect(lattice).to_have_count(0)
    page.keyboard.press("v")
    expect(page.locator(".tv-pruned .tv-loss")).to_contain_text("169.80 → 163.60")
    page.keyboard.press("o")
    expect(lattice).to_be_visible()
    learn.settle()
    assert page.evaluate(BESIDE, ".tv-inside") == []
    examine(page, **ALL_BUT_COLOURS)
    page.keyboard.press("p")
    expect(lattice).to_be_hidden()
    # Beside a player, too, a word of many tokens goes on in a further line.
    learn.open("&lesson=languages")
    expect(page.locator(".tv-corpus .chip").first).to_be_visible()
    learn.press("Next")
    is_told(scenes_of(LESSONS["languages"], learn.language), 1)
    assert len(stands) == 1
    for part in (".tv-tokens", ".tv-rows"):
        wide = "all => all.filter(e => e.scrollWidth > e.clientWidth).length"
        assert page.locator(part).evaluate_all(wide) == 0, part
    # "Next" beside a score is one line.
    learn.open("&lesson=wordpiece")
    note = page.locator(".tv-candidates tr.chosen td.note")
    expect(note).to_have_text("下一步")
    assert note.evaluate(LINES) == 1
    # What EM makes of a word is read from the back row, each piece in a line.
    learn.open("&lesson=em&scene=3")
    page.keyboard.press("p")
    chips = page.locator(".tv-flows td .chip")
    expect(chips).to_have_count(5)
    assert {chip.evaluate(LINES) for chip in chips.all()} == {1}
    under, least = page.evaluate(CHOICES)
    assert (under, least) == ([], 15)
    page.keyboard.press("p")
    # Presented, lanes have all of their frames; an answer to choose is not cut.
    learn.open("&lesson=ties&scene=6")
    page.keyboard.press("p")
    expect(page.locator(".tv-corpus")).to_have_count(2)
    page.wait_for_function(FILLED)
    page.keyboard.press("p")
    learn.open("&lesson=new-words&scene=8")
    choices = page.locator(".st-key-lesson_options button p")
    expect(choices).to_have_count(3)
    assert not any(choice.evaluate(ELLIPSIS) for choice in choices.all())


def test_what_comes_is_hidden_until_somebody_guesses_on_a_screen_of_any_size(learn):
    """683 by 384 is a projector at 200 %."""
    learn.open("&lesson=why-subwords&scene=2")
    page = learn.page
    # What the line of the scene before shows would tell it, as would the meaning of Ġ of another.
    expect(page.locator(".tv-connector path")).to_be_visible()
    expect(page.locator(".tv-signs-explained")).to_be_visible()
    learn.press("Next")
    learn.says("Which pair occurs most often?")
    learn.stands_at(0)
    hidden_parts = (".tv-next", ".tv-candidates table", ".tv-curve >> nth=0")
    for hidden in (*hidden_parts, ".tv-connector path", ".tv-signs-explained"):
        expect(page.locator(hidden)).to_be_hidden()
    # Nor is it read aloud, and no other question takes the lesson's place.
    for key in ("q", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
    aloud = page.locator(".tv-player > [role=status]")
    expect(aloud).to_contain_text("Before training")
    expect(aloud).not_to_contain_text("Next")
    assert page.locator("html.tv-quiz").count() == 0
    for width, height in ((390, 844), (683, 384), (1920, 1080), (1366, 768)):
        resize(learn, width, height)
        assert page.evaluate(
            "() => [...document.querySelectorAll('.stMain, .st-key-lesson_panel')]"
            ".every(e => e.scrollWidth <= e.clientWidth)"
        )
        if width == 390:
            examine(page, **ALL_BUT_COLOURS)
    examine(page)
    # A wrong guess is no tragedy: the answer is told all the same.
    page.locator(".st-key-lesson_options button").nth(1).click()
    learn.says("Not this one.")
    learn.stands_at(1)
    expect(page.locator(".tv-candidates table")).to_be_visible()
    assert page.locator(".tv-guesses .wrong b").text_content() == "✗"
    assert page.locator(".tv-guesses .right b").text_content() == "✓"
    learn.settle()
    examine(page)
    # Presented, the name of the next lesson takes two lines, and the corpus keeps its heading.
    learn.open("&lesson=bytes&scene=11")
    following = page.locator(".st-key-lesson_following p")
    expect(following).to_have_text("Next lesson: WordPiece: not the most frequent pair")
    page.keyboard.press("p")
    assert following.evaluate(ELLIPSIS) is False
    page.keyboard.press("p")
    learn.open("&lesson=new-words&scene=6")
    expect(page.locator(".tv-corpus .chip").first).to_be_visible()
    page.keyboard.press("p")
    resize(learn, 1100, 768)
    assert page.locator(".tv-corpus h3").evaluate("e => e.scrollWidth <= e.clientWidth")
    # A text that scrolls whatever its letters has those that are read from the back row.
    page.keyboard.press("p")
    resize(learn, 1366, 768)
    learn.open("&lesson=languages&scene=9")
    expect(page.locator(".tv-corpus .chip").first).to_be_visible()
    page.keyboard.press("p")
    expect(page.locator("html.tv-present")).to_have_count(1)
    learn.settle()
    assert page.locator(".tv-lines").first.evaluate(SIZE) > 16
