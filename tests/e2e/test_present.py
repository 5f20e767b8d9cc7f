"""In front of a class: playing to a stop, the laser, the keys at the bottom, large type."""

import re
from dataclasses import replace

import pytest
from app_page import App
from player_page import FITTED, course
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_links
from tokviz.server.runs import run_of_sample

COURSE = run_of_sample(tokviz.SAMPLES["course"])
WORDPIECE = replace(COURSE, algorithm="wordpiece", vocab_size=70, pretokenizer="bert", settings=())
UNIGRAM = replace(COURSE, algorithm="unigram", vocab_size=100, settings=())
#: Where an element begins and ends.
PLACE = "e => [e.getBoundingClientRect().top, e.getBoundingClientRect().bottom]"
#: Where the field for a word ends, and its picture begins.
FIELD_AND_PICTURE = """() => ['.tv-wordfield', '.tv-picture svg']
    .map(s => document.querySelector(`.tv-inside ${s}`).getBoundingClientRect())
    .map((box, i) => i ? box.top : box.bottom)"""
#: A projector, a large screen, a page at 200 percent, a phone.
SCREENS = [(1366, 768), (1920, 1080), (683, 384), (390, 844)]
#: The tokens of the chips that glow, and how many colours those of other tokens than "e" have.
GLOWING = """() => [...document.querySelectorAll('.tv-lanes .chip')]
    .filter(e => parseFloat(getComputedStyle(e).outlineWidth) >= 3
        && getComputedStyle(e).outlineStyle !== 'none').map(e => e.dataset.token)"""
COLOURS = """() => new Set([...document.querySelectorAll('.tv-corpus .chip:not([data-token=e])')]
    .map(e => getComputedStyle(e).backgroundColor)).size"""
#: How much of the panel of a question is below its end, and how its sentence is broken.
UNSEEN = """panel => [panel.scrollHeight - panel.clientHeight,
    getComputedStyle(panel.querySelector('h3')).whiteSpace]"""
#: The names that end in an ellipsis.
SHORTENED = "all => all.filter(e => e.scrollWidth > e.clientWidth).map(e => e.textContent)"
SIZE = "e => parseFloat(getComputedStyle(e).fontSize)"
#: Whether no lane's text scrolls, and all letters are equally large.
WHOLE = """() => { const all = [...document.querySelectorAll('.tv-corpus')];
    const sizes = all.map(e => getComputedStyle(e.querySelector('.tv-lines')).fontSize);
    return new Set(sizes).size === 1 && all.every(e => e.scrollHeight <= e.clientHeight); }"""
#: What of the page, besides its boxes, lies where an element is.
COVERED = """e => { const b = e.getBoundingClientRect();
    return [...document.querySelectorAll('.tv-player *')].filter(other => {
        if (other.contains(e) || e.contains(other) || !other.checkVisibility()) return false;
        const o = other.getBoundingClientRect();
        return o.width && o.left < b.right - 1 && b.left < o.right - 1
            && o.top < b.bottom - 1 && b.top < o.bottom - 1;
    }).map(other => other.className); }"""
#: What of the page is seen to lie below an element: what scrolled panels hide does not.
BELOW = """e => { const { left, top, width, height } = e.getBoundingClientRect();
    const places = [...Array(400).keys()].map(i => [i % 20 + 0.5, Math.floor(i / 20) + 0.5]);
    const found = places.flatMap(([x, y]) =>
        document.elementsFromPoint(left + x / 20 * width, top + y / 20 * height));
    return [...new Set(found)].filter(other => other.closest('.tv-player')
        && !e.contains(other) && !other.contains(e)).map(other => other.className); }"""
#: The panels of lanes that have more lines than there is room for.
LINES_CUT = """() => [...document.querySelectorAll('.tv-pseudo')]
    .filter(e => e.scrollHeight > e.clientHeight || !e.querySelector('.lit')).length"""
#: The candidates that reach over the edges of their rows.
OUT_OF_ROW = """() => [...document.querySelectorAll('.tv-candidates tbody tr')].filter(row => {
    const { top, bottom } = row.getBoundingClientRect();
    return row.checkVisibility() && [...row.querySelectorAll('.chip')]
        .flatMap(chip => [...chip.getClientRects()])
        .some(chip => chip.top < top - 3 || chip.bottom > bottom + 3);
}).map(row => row.textContent)"""
#: How far the buttons of candidates reach out of their panel.
REACH = """() => Math.max(0, ...[...document.querySelectorAll('.tv-candidates td.ask')]
    .filter(cell => cell.checkVisibility()).map(cell => cell.getBoundingClientRect().right
        - cell.closest('.tv-panel').getBoundingClientRect().right))"""
#: Which parts on the screen have more than there is room for.
SCROLLS = """parts => parts.filter(part => [...document.querySelectorAll(part)]
    .some(e => e.checkVisibility() && e.scrollHeight > e.clientHeight + 1))"""
#: From now on nothing waits long.
SHORT_WAITS = """() => { const wait = window.setTimeout;
    window.setTimeout = (does, ms, ...given) => wait(does, Math.min(ms, 500), ...given); }"""
#: The elements that lie on the one before them.
OVERLAPPING = """all => all.filter((e, i) => i && e.getBoundingClientRect().left
    < all[i - 1].getBoundingClientRect().right).map(e => e.textContent || e.ariaLabel)"""


@pytest.fixture
def opened(page, server):
    """The app at an address."""

    def opened(lanes=(COURSE,), **parts):
        query = "&".join([f"lane={link}" for link in to_links(lanes)])
        query += "".join(f"&{name}={value}" for name, value in parts.items())
        return App(page, f"{server}/?{query}")

    return opened


def stopped(player, step, sentence):
    expect(player.page.locator(".tv-found")).to_have_text(sentence)
    assert player.step == step
    expect(player.button("Play")).to_be_visible()


def test_playing_stops_where_somebody_wants_it_and_says_why(player):
    player.open(course())
    player.select("Speed", "60 steps/s")
    player.select("Stop at", "next tie")
    player.button("Play").click()
    stopped(player, 1, "Stopped: 3 pairs tie here.")
    expect(player.live).to_contain_text("Stopped: 3 pairs tie here. Step 1: merged")
    player.press("b")
    stopped(player, 2, "Stopped: 2 pairs tie here.")
    player.go(19)
    player.press("b")
    stopped(player, 19, "There are no more ties.")
    player.press(" ")
    sentence = "There are no more ties. Press Play again to go on to the end."
    stopped(player, 19, sentence)
    expect(player.live).to_contain_text(sentence)
    player.press(" ")
    player.wait_step(20)
    expect(player.page.locator(".tv-found")).to_be_empty()
    # While playing, the key jumps there.
    player.select("Speed", "0.5 steps/s")
    player.select("Stop at", "vocabulary size …")
    player.enter("spinbutton", "Vocabulary size to stop at", "48")
    player.go(0)
    player.press("b")
    expect(player.button("Pause")).to_be_visible()
    player.press("b")
    stopped(player, 18, "Stopped at a vocabulary of 48.")
    player.select("Stop at", "birth of the selected token")
    player.press("b")
    expect(player.page.locator(".tv-found")).to_contain_text("Choose a token to stop at")
    # A token by its name, and another one by a click.
    field = player.enter("combobox", "Token to stop at", "Ġtoken")
    field.press("Escape")
    player.chip("Ġ").click()
    expect(field).to_have_value("Ġ")
    player.press("b")
    stopped(player, 18, "“Ġ” was there from the start: no step makes it.")
    # The first lane that reaches its stop stops all.
    player.open(course(), course("unigram", 100, "gpt2"))
    player.select("Speed", "60 steps/s")
    player.select("Stop at", "vocabulary size …")
    player.enter("spinbutton", "Vocabulary size to stop at", "44")
    player.press("b")
    stopped(player, 14, "BPE stopped at a vocabulary of 44.")
    player.go(0)
    player.enter("spinbutton", "Vocabulary size to stop at", "299")
    player.press("b")
    stopped(player, 1, "Unigram stopped at a vocabulary of 270, the first one past 299.")
    player.press("b")
    stopped(player, 1, "A vocabulary of 299 came at an earlier step: go back to see it.")
    # Alone, a pruned token ends.
    player.open(course("unigram", 100, "gpt2"))
    token = course("unigram", 100, "gpt2").steps[4].removed[0]
    player.select("Speed", "60 steps/s")
    player.select("Stop at", "end of the selected token")
    player.enter("combobox", "Token to stop at", token)
    player.press("b")
    stopped(player, 5, f"Stopped: “{token}” was pruned.")


def test_the_laser_lights_a_token_wherever_it_is(player):
    player.open(course(), position=1)
    page, laser = player.page, player.button("Laser")
    page.keyboard.press("l")
    expect(laser).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".tv-corpus")).to_have_css("user-select", "none")
    everywhere = page.locator(".tv-lanes .chip[data-token='e']").count()
    assert everywhere > 10
    assert page.evaluate(COLOURS) > 1
    player.chip("e").hover()
    assert page.evaluate(GLOWING) == ["e"] * everywhere
    assert page.evaluate(COLOURS) == 1, "all others are pale"
    expect(page.locator(".tv-laser-dot")).to_be_visible()
    # Where there is to be no motion, no trail stays behind.
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(".tv-laser span").filter(visible=True)).to_have_count(1)
    page.emulate_media(reduced_motion="no-preference")
    expect(page.locator(".tv-laser span").filter(visible=True)).not_to_have_count(1)
    # It goes with the pointer; a click pins it, and opens no card.
    player.chip("e").click()
    page.locator(".tv-corpus h3").hover()
    assert page.evaluate(GLOWING) == ["e"] * everywhere
    expect(player.card).to_be_hidden()
    page.keyboard.press("ArrowRight")
    assert set(page.evaluate(GLOWING)) == {"e"}
    page.keyboard.press("Escape")
    assert page.evaluate(GLOWING) == []
    page.keyboard.press("Escape")
    expect(laser).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(COLOURS) > 1
    # It follows a finger.
    laser.click()
    touch = """([from, to]) => {
        const at = e => { const b = e.getBoundingClientRect();
            return { clientX: b.x + b.width / 2, clientY: b.y + b.height / 2 }; };
        const [a, b] = [from, to]
            .map(t => document.querySelector(`.tv-corpus .chip[data-token=${t}]`));
        const send = (name, e) => a.dispatchEvent(new PointerEvent(name,
            { pointerType: 'touch', bubbles: true, ...at(e) }));
        const rule = () => document.querySelector('.tv-player > style:last-of-type').textContent;
        send('pointerdown', a); const first = rule();
        send('pointermove', b); const second = rule();
        send('pointerup', b);
        return [first, second, rule()].map(r => r.match(/data-t="\\d+"/)?.[0] ?? '');
    }"""
    first, second, after = page.evaluate(touch, ["e", "o"])
    assert first
    assert second not in ("", first)
    assert after == ""


def test_a_link_opens_a_presentation_with_its_stop_and_its_keys(opened):
    app = opened(step=0, speed=60, stop="birth", token="0..nd", present=1)
    page, strip = app.page, app.page.get_by_role("list", name="Main keys")
    page.keyboard.press("b")
    stopped(app, 13, "Stopped: “nd” was born.")
    assert "nd" in {token for word in app.words() for token in word}
    page.keyboard.press("b")
    stopped(app, 13, "“nd” was born at an earlier step: go back to see it.")
    expect(strip).to_be_hidden()
    page.keyboard.press("k")
    expect(strip).to_be_visible()
    # A flash is short, and whoever looks from time to time may miss it.
    strip.evaluate("""strip => new MutationObserver(changes => {
        for (const { target } of changes)
            if (target.matches('kbd.pressed')) strip.dataset.flashed = target.textContent;
    }).observe(strip, { attributeFilter: ['class'], subtree: true })""")
    visited = []
    for key in ("PageUp", "PageDown", "PageDown"):
        page.keyboard.press(key)
        visited.append(app.step)
    assert visited == [12, 13, 14], "a clicker steps"
    expect(strip).to_have_attribute("data-flashed", "→")
    expect(strip.locator("kbd.pressed")).to_have_count(0)
    app.select("Stop at", "next tie")
    expect(page).to_have_url(re.compile("stop=tie"))
    expect(page).to_have_url(re.compile("keys=1"))
    app.accessible()
    for size in reversed(SCREENS):
        app.resize(*size)
        app.shows_all(0, 2, 11)
    page.keyboard.press("Escape")
    app.press("k")
    expect(strip).to_be_hidden()
    # A note has a place of its own: it covers nothing, moves nothing, and does not stay.
    app.select("Stop at", "the end")
    for size in SCREENS[:2]:
        app.resize(*size)
        top = page.locator(".tv-say").bounding_box()["y"]
        app.press("b")
        expect(page.locator(".tv-found")).to_contain_text("There is nothing to stop at yet")
        assert page.locator(".tv-found").evaluate(COVERED) == []
        assert abs(page.locator(".tv-say").bounding_box()["y"] - top) < 1
        app.press("ArrowRight", "ArrowLeft")
    page.evaluate(SHORT_WAITS)
    app.press("b")
    expect(app.live).to_contain_text("There is nothing to stop at yet")
    expect(page.locator(".tv-found")).to_be_empty()
    # The list of all keys offers it too.
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys").get_by_role("term").first).to_be_in_viewport()
    app.button("Main keys at the bottom of the screen").click()
    expect(strip).to_be_visible()


def test_four_lanes_are_whole_and_a_lens_is_as_large_as_one_and_tells_of_that_alone(opened):
    runs = [replace(COURSE, vocab_size=70), WORDPIECE, replace(UNIGRAM, vocab_size=70), COURSE]
    app = opened(runs, present=1, step=24)
    page = app.page
    app.resize(1366, 768)
    told = page.locator(".tv-say").filter(visible=True)
    lanes = page.get_by_role("radiogroup", name="Lane")
    # The same key goes on to the next lane: in the list of the vocabulary, too, beyond the second.
    for lane in (0, 1, 2, 3):
        app.press("v")
        expect(lanes.get_by_role("radio").nth(lane)).to_have_attribute("aria-checked", "true")
        expect(told).to_have_count(1)
        expect(page.locator(".tv-lane").nth(lane).locator(".tv-say")).to_be_visible()
        app.settle()
    app.press("s", "v")
    expect(lanes.get_by_role("radio").first).to_have_attribute("aria-checked", "true")
    app.settle()
    # A slide keeps whose lens it shows, and so does its link.
    app.press("s")
    for key, lane in (("PageUp", 3), ("PageDown", 0)):
        app.press(key)
        expect(lanes.get_by_role("radio").nth(lane)).to_have_attribute("aria-checked", "true")
        app.settle()
    expect(page).to_have_url(re.compile("slides=24%2Fvocabulary%2F%2F3%2C24%2Fvocabulary(&|$)"))
    page.get_by_role("button", name="Slide 2 of 2").click()
    first = page.get_by_role("dialog", name="Slides").get_by_role("link").first
    expect(first).to_have_text(f"Vocabulary, position 24, {app.lanes()[3]}")
    page.goto(page.url.split("?")[0] + first.get_attribute("href"))
    app.opened()
    expect(lanes.get_by_role("radio").nth(3)).to_have_attribute("aria-checked", "true")
    app.settle()
    app.press("PageDown")
    expect(lanes.get_by_role("radio").first).to_have_attribute("aria-checked", "true")
    app.settle()
    # Ten rows of a tree, and notes for the back row. The field for the word stands above the tree.
    app.press("o")
    page.get_by_role("textbox", name="Word").fill("tokenization")
    page.locator(".tv-inside svg.tree").wait_for()
    expect(page.locator(".tv-told .chip").first).to_have_text("Ġtokeniz")
    app.settle()
    page.wait_for_function(f"() => !({SCROLLS})(['.tv-picture', '.tv-side']).length")
    field, tree = page.evaluate(FIELD_AND_PICTURE)
    assert field <= tree
    for lane in range(4):
        expect(lanes.get_by_role("radio").nth(lane)).to_be_in_viewport(ratio=1)
    # Asked at once: what is drawn anew meanwhile has no size.
    sizes = f"parts => parts.map(part => ({SIZE})(document.querySelector(part)))"
    assert min(page.evaluate(sizes, [".tv-side dd", ".tv-side td.n", ".tv-side h3"])) >= 18
    # The lanes' names stand above all.
    name, say = (e.bounding_box() for e in (lanes.get_by_role("radio").first, told))
    assert name["y"] + name["height"] <= say["y"]
    page.locator(".tv-inside .tv-side").first.focus()
    # Candidates of more letters than a narrow lane has room for stand in rows as high as they are.
    app.press("c")
    page.locator(".tv-candidates").last.wait_for()
    assert page.evaluate(OUT_OF_ROW) == []
    candidates_have_room_when_touched(app, "c")
    for picture in "xc":
        # The texts of four lanes have no room for that on a projector: they scroll.
        card_stands_beside(app, picture, ".tv-card")
    # Nothing is cut off: not on a phone, nor above the main keys.
    app.select("Stop at", "birth of the selected token")
    app.press("a", "k")
    for size in SCREENS:
        app.resize(*size)
        app.shows_all(0, 2, 11)


def test_the_choice_of_characters_is_a_picture(opened):
    settings = {"library_version": "0.2.3", "byte_fallback": True, "auto_character_coverage": True}
    run = replace(
        run_of_sample(tokviz.SAMPLES["udhr-hi"]),
        algorithm="sentencepiece-bpe",
        vocab_size=319,
        pretokenizer="sentencepiece",
        # In any order, the address names one run.
        settings=tuple(reversed(settings.items())),
    )
    # Whoever comes by a link comes to its picture.
    app = opened([run], step=13, present=1, picture="characters")
    mark = app.page.locator(".st-key-character_lens svg").get_by_text("chosen: 31 merges")
    expect(mark).to_be_in_viewport(ratio=1)
    assert mark.evaluate(SIZE) >= 16
    buttons = app.page.locator(":is(.tv-stage, .tv-actions) button").filter(visible=True)
    assert buttons.evaluate_all(OVERLAPPING) == []
    app.press("x")
    expect(mark).to_be_hidden()
    app.press("i")
    expect(mark).to_be_in_viewport(ratio=1)
    expect(app.page).to_have_url(re.compile("picture=characters"))


def test_four_lanes_are_named_in_full_and_their_texts_fill_the_screen(opened):
    em = replace(COURSE, algorithm="sentencepiece-unigram", vocab_size=40, settings=())
    app = opened([COURSE, WORDPIECE, UNIGRAM, em], step=2)
    page = app.page
    app.resize(1366, 768)
    names = page.locator(".st-key-strip_lanes button p, .tv-focus-name")
    expect(page.locator(".tv-focus-name")).to_have_count(4)
    assert names.evaluate_all(SHORTENED) == []
    # The bar covers nothing of their panels, and of what was done nothing is cut off.
    for panel in page.locator(".tv-corpus").all():
        assert panel.evaluate(PLACE)[1] <= page.locator(".tv-transport").evaluate(PLACE)[0] + 3
    for told in page.locator(".tv-say").all():
        done = told.locator("p").first.evaluate(PLACE)[1]
        assert done <= told.evaluate(PLACE)[1] + 1
    app.press("p")
    app.resize(1920, 1080)
    # Letters are as large in all lanes; what follows them may be larger or smaller.
    sizes = []
    for picture in "axax":
        app.press(picture)
        page.wait_for_function(FITTED)
        page.wait_for_function(WHOLE)
        sizes.append(page.locator(".tv-lines").first.evaluate(SIZE))
    assert sizes[:2] == sizes[2:]
    assert sizes[1] > 1.15 * sizes[0] > 15
    # On a projector, too, all of the text is seen.
    app.resize(1366, 768)
    app.press("a")
    page.wait_for_function(FITTED)
    page.wait_for_function(WHOLE)
    # All lines of four algorithms, whatever values stand beside them.
    app.press("h")
    for _step in range(4):
        app.press("ArrowRight")
        app.settle()
        assert page.evaluate(LINES_CUT) == 0
    sizes = page.locator(".tv-pseudo :is(code, .tv-value)").evaluate_all(f"all => all.map({SIZE})")
    assert min(sizes) >= 16


def test_question_card_and_candidates_of_one_lane_are_on_the_screen_whole(opened):
    for run, step, pictures, screens in (
        (COURSE, 13, "xc", SCREENS[:1]),
        (replace(UNIGRAM, vocab_size=45), 17, "xcv", SCREENS[:2]),
    ):
        # A lens below the player brings the style sheets of the player once more.
        app = opened([run], step=step, present=1, keys=1, lens="word")
        page, question = app.page, app.page.locator(".tv-question")
        app.resize(1366, 768)
        page.locator(".tv-inside").wait_for(state="attached")
        expect(page.get_by_role("list", name="Main keys")).to_be_visible()
        # No lane has chosen its characters.
        expect(page.locator("[data-picture=curves]")).to_be_visible()
        expect(page.locator("[data-picture=characters]")).to_have_count(0)
        app.press("p", "q")
        # At the desk it ends above the bar of the player.
        ends = [page.locator(s).evaluate(PLACE) for s in (".tv-question", ".tv-transport")]
        assert ends[0][1] <= ends[1][0]
        app.press("p")
        # Question, answer and score are there together.
        assert question.evaluate(UNSEEN) == [0, "normal"]
        for picture in "ya":
            page.keyboard.press(picture)
            page.keyboard.press("5")
            for name in ("Next question", "Reset"):
                expect(app.button(name)).to_be_in_viewport(ratio=1)
            assert question.evaluate(UNSEEN) == [0, "normal"]
            page.keyboard.press("Enter")
        buttons = page.locator(":is(.tv-stage, .tv-actions) button").filter(visible=True)
        assert buttons.evaluate_all(OVERLAPPING) == []
        app.press("q", "k")
        app.go(step)
        for size in screens:
            app.resize(*size)
            for picture in pictures:
                card_stands_beside(app, picture, ".tv-card", ".tv-corpus")
        app.resize(1920, 1080)
        candidates_have_room_when_touched(app, "ca")


def card_stands_beside(app, picture, *whole):
    """The card of a token covers nothing of a picture, is seen whole, and goes by the key that
    closes; these parts have room for all that is in them."""
    app.press(picture)
    panel = ".tv-candidates" if picture == "c" else ".tv-corpus"
    app.page.locator(f"{panel} .chip").nth(7).click()
    expect(app.card).to_be_visible()
    app.settle()
    assert app.card.evaluate(BELOW) == []
    expect(app.card).to_be_in_viewport(ratio=1)
    assert app.page.evaluate(SCROLLS, [*whole]) == []
    app.page.keyboard.press("Escape")
    expect(app.card).to_be_hidden()
    expect(app.page.locator(".tv-stage")).to_be_visible()


def candidates_have_room_when_touched(app, pictures):
    """On a screen for fingers, each row has its button all the time."""
    screen = app.page.context.new_cdp_session(app.page)
    screen.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    app.page.wait_for_function("() => matchMedia('(hover: none)').matches")
    for picture in pictures:
        app.press(picture)
        app.page.locator(".tv-candidates .chip").first.wait_for()
        assert app.page.evaluate(OUT_OF_ROW) == []
        assert app.page.evaluate(REACH) == 0
    screen.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    screen.detach()


def test_a_page_of_its_own_presents_two_lanes_or_three(player):
    lanes = [course(), course("unigram", 100, "gpt2"), course("wordpiece", 70, "bert")]
    player.open(*lanes).set_letters()
    player.press("p", "k")
    for size in SCREENS:
        player.resize(*size)
        player.shows_all(0, 2, 11)
    player.open(*lanes[:2]).set_letters()
    player.press("p", "k")
    expect(player.page.get_by_role("list", name="Main keys")).to_be_visible()
    player.select("Speed", "60 steps/s")
    player.select("Stop at", "birth of the selected token")
    player.enter("combobox", "Token to stop at", "is")
    for size in reversed(SCREENS):
        player.resize(*size)
        player.shows_all(0, 2, 11)
    player.select("Stop at", "next tie")
    player.go(0)
    player.press("Escape", "b")
    expect(player.page.locator(".tv-found")).to_contain_text("stopped:")
    player.press("l")
    player.chip("e").click()
    # A page of its own has no heading while it presents.
    player.accessible_in_both_themes(rules={"page-has-heading-one": {"enabled": False}})
