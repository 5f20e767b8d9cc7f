"""A text that is typed, pasted or dropped on the Train page is trained as the engine does."""

from app_page import App, as_said
from player_page import words_of
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import Corpus, Run

COURSE = tokviz.SAMPLES["course"].corpus
KINDS = [("BPE", "bpe"), ("WordPiece", "wordpiece"), ("Unigram", "unigram")]
#: Notes when the player has a run of another length, and when something is sent to the server.
EVENTS = """() => {
    window.events = [];
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (data) {
        window.events.push("asked");
        return send.call(this, data);
    };
    const player = document.querySelector("[data-steps]");
    const watch = new MutationObserver(() => {
        window.events.push("trained", player.tokvizView.head.isAhead ? "by the page" : "by Python");
    });
    watch.observe(player, { attributeFilter: ["data-steps"] });
}"""


#: Pastes a text at what has the focus.
PASTE = """text => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", text);
    const about = { clipboardData, bubbles: true, cancelable: true };
    document.activeElement.dispatchEvent(new ClipboardEvent("paste", about));
}"""


#: Whether the player has a run of so many steps, and Python has it too.
HEARD = """steps => {
    const player = document.querySelector("[data-steps]");
    return player.dataset.steps === steps && !player.tokvizView.head.isAhead;
}"""

#: Whether Python has trained what was typed, or asks whether it should.
ANSWERED = """address => location.href !== address
    || [...document.querySelectorAll("button")].some(b => b.innerText.trim() === "Train")"""

#: How large the letters of the corpus are.
LETTERS = "() => parseFloat(getComputedStyle(document.querySelector('.tv-lines')).fontSize)"

#: Whether the candidates are so many, also out of sight.
ROWS = "n => document.querySelectorAll('.tv-candidates tr[data-key]:not([hidden])').length >= n"

#: Whether the words of the corpus are cut so.
SHOWN = """wanted => {
    const words = [...document.querySelectorAll(".tv-corpus .tv-word")];
    const cut = words.map(w => [...w.querySelectorAll(".chip")].map(c => c.dataset.token));
    return JSON.stringify(cut) === JSON.stringify(wanted);
}"""


def test_a_text_is_trained_while_it_is_typed_pasted_or_dropped_by_every_algorithm(app):
    """The caret stays where it is, and Ctrl+Z is the browser's. Back and Forward lead from training
    to training; what is typed at one go is one."""
    page = app.page
    assert (app.step, app.steps) == (13, 20), "as the address says"
    entries = page.evaluate("history.length")
    field = page.get_by_role("textbox", name="Your text", exact=True)
    page.keyboard.press("e")
    expect(field).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.evaluate(EVENTS)
    address, letters = page.url, page.evaluate(LETTERS)
    page.keyboard.type("low lower lowest")
    page.get_by_text("Corpus 3 words").wait_for()
    page.evaluate("() => document.querySelector('.tv-transport').toggleAttribute('data-first')")
    page.wait_for_function(ANSWERED, arg=address)
    page.wait_for_url(lambda url: url != address)
    events = page.evaluate("window.events")
    assert "trained" in events[: events.index("asked")], "the page, then Python"
    assert page.locator(".tv-transport[data-first]").count(), "the player stays"
    # Fewer words have room for larger letters, which they get at rest.
    page.wait_for_function(f"before => ({LETTERS})() > 1.5 * before", arg=letters)
    page.keyboard.press("Home")
    page.keyboard.type("a ")
    page.get_by_text("Corpus 4 words").wait_for()
    app.settle()
    assert field.evaluate("e => [e === document.activeElement, e.selectionStart]") == [True, 2]
    for _key in "a ":
        page.keyboard.press("ControlOrMeta+z")
    expect(field).to_have_value("low lower lowest")
    page.get_by_text("Corpus 3 words").wait_for()
    page.keyboard.type("a ")
    page.get_by_text("Corpus 4 words").wait_for()
    typed = tokviz.train("a low lower lowest", "bpe", 50, "gpt2", unit="byte")
    page.wait_for_function(HEARD, arg=str(len(typed)))
    page.evaluate("window.events = []")
    page.get_by_role("radio", name="WordPiece", exact=True).click()
    app.settle()
    assert page.locator(".tv-transport[data-first]").count(), "the player still stays"
    assert [who for who in page.evaluate("window.events") if "by" in who] == ["by the page"]
    history = tokviz.train("a low lower lowest", "wordpiece", 50)
    assert app.steps == len(history)
    app.click("Last step")
    app.wait_settled()
    assert page.evaluate("history.length") == entries + 2
    course = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    for move, text, steps in (
        (page.go_back, "a low lower lowest", len(typed)),
        (page.go_back, COURSE, len(course)),
        (page.go_forward, "a low lower lowest", len(typed)),
        (page.go_forward, "a low lower lowest", len(history)),
    ):
        move()
        expect(field).to_have_value(text)
        expect(page.locator("[data-steps]")).to_have_attribute("data-steps", str(steps))
        page.wait_for_function("() => !location.search.includes('went')")
        if text == COURSE:
            assert app.step == 13
    assert app.step == app.steps
    assert page.evaluate("history.length") == entries + 2
    # Escape leads to the player, before and after the new one is there.
    page.keyboard.press("e")
    page.keyboard.press("End")
    page.keyboard.type(" bugs")
    page.keyboard.press("Escape")
    corpus = page.get_by_role("group", name="Corpus of WordPiece")
    expect(corpus).to_be_focused()
    page.get_by_text("Corpus 5 words").wait_for()
    expect(corpus).to_be_focused()
    page.keyboard.press("Home")
    app.wait_step(0)
    field.evaluate(
        """field => {
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(new File(["hug pug hugs"], "mine.txt", { type: "text/plain" }));
            const about = { dataTransfer, bubbles: true, cancelable: true };
            for (const name of ["dragover", "drop"])
                field.dispatchEvent(new DragEvent(name, about));
        }"""
    )
    expect(field).to_have_value("hug pug hugs")
    page.get_by_text("Corpus 3 words").wait_for()
    app.settle()

    # What is pasted where no field takes it is the text, and Ctrl+Z brings back what was there.
    page.keyboard.press("Escape")
    corpus.focus()
    page.evaluate(PASTE, "low low new")
    expect(field).to_have_value("low low new")
    expect(field).to_be_focused()
    page.get_by_text("Corpus 3 words").wait_for()
    page.keyboard.press("ControlOrMeta+z")
    expect(field).to_have_value("hug pug hugs")
    app.settle()

    slider = page.locator(".st-key-strip_size").get_by_role("slider")
    page.evaluate("() => void (window.events.length = 0)")
    slider.focus()
    slider.press("Home")
    app.settle()
    assert page.evaluate("window.events")[0] == "trained", "while the slider moves"
    assert app.steps == 0

    # Another algorithm's words and rows come into the place of those of before, also out of sight.
    text = "the cat sat on the mat\nthe cats sat on the mats\na rat sat on a cat"
    longer = "\n".join([f"{text} sat" * 9, text, "on" * 3])
    app.type_text(longer)
    app.size(36)
    app.go(0)
    for label, algorithm in KINDS[:2]:
        app.algorithm(label)
        # Two of them take as many steps.
        expect(page.get_by_role("group", name=f"Corpus of {label}")).to_be_visible()
        settings = {"unit": "byte"} if algorithm == "bpe" else {}
        history = tokviz.train(longer, algorithm, 36, **settings)
        app.page.wait_for_function(SHOWN, arg=words_of(history, longer, app.step))
        rows = min(20, len(history.candidates(app.step)))
        app.page.wait_for_function(ROWS, arg=rows)
    app.type_text(text)
    for label, algorithm in [*KINDS, ("SentencePiece Unigram", "sentencepiece-unigram")]:
        app.algorithm(label)
        expect(page.get_by_role("group", name=f"Corpus of {label}")).to_be_visible()
        settings = {"unit": "byte"} if algorithm == "bpe" else {}
        history = tokviz.train(text, algorithm, 36, **settings)
        assert app.steps == len(history)
        if algorithm == "unigram":
            expect(app.page.locator(".tv-pruned .tv-item").first).to_be_visible()
            app.click("text")
        for t in (1, 0, len(history) // 2, len(history)):
            app.go(t)
            assert app.step == t
            assert app.narration == as_said(history, t)
            assert app.words() == words_of(history, text, t)
            if algorithm != "sentencepiece-unigram":
                rows = history.candidates(t, 20)
                names = ["token"] if algorithm == "unigram" else ["left", "right"]
                shown = [r[0] for r in app.candidates()]
                assert shown[: len(rows)] == rows[names].values.tolist()
    assert app.page.locator(".tv-agreement, .exact-delta").count() == 0
    for width in (390, 1366):
        app.resize(width, 768)
        choices = app.page.get_by_role("radiogroup", name="Algorithm").bounding_box()
        more = app.button("More").bounding_box()
        assert choices["x"] + choices["width"] < more["x"] < width, "in one row"
        assert abs(more["y"] - choices["y"]) < 8
    # Where it can start from bytes, a phone asks so in its settings: here nothing takes that room.
    app.resize(390, 768)
    app.algorithm("BPE")
    app.type_text("λόγος λόγον")
    app.page.evaluate("document.activeElement.blur()")
    app.page.locator(".st-key-strip_unit").wait_for(state="attached")
    field = app.page.locator(".st-key-corpus_text").bounding_box()
    sample = app.page.locator("[class*=st-key-sample_]").bounding_box()
    assert abs(sample["y"] - field["y"]) <= 1
    assert sample["x"] - (field["x"] + field["width"]) < 10
    assert 390 - (sample["x"] + sample["width"]) < 20


def test_where_a_browser_refuses_webassembly_the_server_trains_what_is_typed(page, server):
    page.add_init_script("WebAssembly.compile = () => Promise.reject(new Error('refused'))")
    errors = []
    page.on("pageerror", lambda error: errors.append(error))
    app = App(page, f"{server}/?lane=course&v=2&step=13")
    page.keyboard.press("e")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("low lower lowest")
    page.get_by_text("Corpus 3 words").wait_for()
    page.get_by_role("radio", name="WordPiece", exact=True).click()
    history = tokviz.train("low lower lowest", "wordpiece", 50)
    page.wait_for_function(HEARD, arg=str(len(history)))
    app.settle()
    app.click("Last step")
    assert app.words() == words_of(history, "low lower lowest", len(history))
    assert not errors


def test_no_line_of_a_language_is_trained_on_while_a_text_by_language_is_typed(page, server):
    """Python knows which lines these are: the page waits for it."""
    run = Run(Corpus("Mine", "=== en ===\nlow low lower", "languages"), "bpe", 12, "gpt2")
    app = App(page, f"{server}/?lane={to_link(run)}&v=2")
    page.keyboard.press("e")
    page.evaluate(EVENTS)
    page.keyboard.press("ControlOrMeta+End")
    page.keyboard.type("s new")
    page.get_by_text("Corpus 4 words").wait_for()
    app.settle()
    assert "by the page" not in page.evaluate("window.events")
    history = tokviz.train({"en": "low low lowers new"}, "bpe", 12, "gpt2")
    app.click("Last step")
    assert app.words() == words_of(history, "low low lowers new", len(history))
