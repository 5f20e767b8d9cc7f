"""What a person does with the player: play, scrub, keys, typed steps."""

import pytest
from app_page import App, as_said
from player_page import SLIDER, course
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

STEP = "document.querySelector('[data-steps]').dataset.step"
#: Every phase as the page shows it: whoever asks from outside may come too late.
PHASES = """() => { const player = document.querySelector('[data-steps]');
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...a) { window.animated++;
        return animate.apply(this, a); };
    const style = () => document.querySelector('.tv-pair')?.computedStyleMap();
    new MutationObserver(() => window.phases?.push([player.dataset.step, player.dataset.phase,
        style()?.get('outline-style').toString()]))
        .observe(player, { attributeFilter: ['data-step', 'data-phase'] });
    new MutationObserver(() => window.spoken++)
        .observe(document.querySelector('.tv-player [aria-live]'), { childList: true }); }"""
BEGIN = "() => { window.phases = []; window.spoken = window.animated = 0; }"


def places(*parts):
    """Where the first of each of these is."""
    return f"""() => {[*parts]}.map(s => document.querySelector(s).getBoundingClientRect())
        .flatMap(r => [r.x, r.y, r.width, r.height])"""


def stays(player, *parts):
    """Nothing of this moves at any step."""
    player.go(0)
    before = player.page.evaluate(places(*parts))
    for step in range(1, player.steps + 1):
        player.go(step)
        # Browsers round the room between letters to parts of a pixel.
        assert player.page.evaluate(places(*parts)) == pytest.approx(before, abs=0.5), step


def test_everything_is_reached_by_keys_numbers_and_mouse(player):
    history = course()
    player.open(history, position=13)
    page = player.page
    for typed, step in (("0", 0), ("-5", 0), ("7.4", 7), ("", 7), ("999", 20), ("1e99", 20)):
        player.go(typed)
        assert player.step == step, typed
        assert player.field.input_value() == str(step), typed
    player.field.evaluate("field => { field.value = 5; }")
    player.field.press("Enter")
    assert player.step == 5, "no change event tells of it"
    visited = []
    for key in ("Home", "ArrowRight", "PageDown", "t", "ArrowLeft", "PageUp", "End"):
        player.press(key)
        visited.append(player.step)
    assert visited == [0, 1, 2, 4, 3, 2, 20]
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("next tie")
    page.keyboard.press("ArrowLeft")
    assert player.step == 20, "keys rest while the list is open"
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    box = page.locator(SLIDER).bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 2, y)
    page.mouse.down()
    visited = set()
    for x in range(10, int(box["width"]), 10):
        page.mouse.move(box["x"] + x, y)
        visited.add(player.step)
    page.mouse.up()
    assert visited == set(range(player.steps + 1))
    stays(player, ".tv-scrub", ".tv-say", ".tv-corpus", ".tv-candidates")
    player.go(13)
    player.button("words").press("Enter")
    words = sorted(
        zip(history.words.words, history.words.counts, strict=True), key=lambda row: -row[1]
    )
    assert player.words() == [history.segmentation(word, 13) for word, _ in words]
    counts = page.locator(".tv-corpus .tv-times").all_text_contents()
    assert counts == [f"×{count}" for _, count in words]
    # Everything is reached with the keyboard, and focus is seen.
    page.locator("[aria-label='First step']").focus()
    reached = []
    look = """() => { const e = document.activeElement; const s = getComputedStyle(e);
        return [e.getAttribute('aria-label') ?? e.textContent, s.outlineStyle]; }"""
    while not reached or reached[-1][0] != "Score table of BPE":
        reached.append(page.evaluate(look))
        assert len(reached) < 30, reached
        page.keyboard.press("Tab")
    names = [name for name, _ in reached]
    for name in (
        *("Play", "Next step", "Training step", "Go to step", "Speed", "Stop at", "Keys", "Laser"),
        *("Present", "Full screen", "Corpus of BPE", "Find a token", "words"),
    ):
        assert name in names
    assert all(style == "solid" for _, style in reached), reached


def test_tokens_stand_apart_and_words_keep_their_lines(player):
    """At every step: a step moves words within their line only, and never two tokens together."""
    lines = """() => [...document.querySelectorAll('.tv-lines .tv-word')]
        .map(word => Math.round(word.getBoundingClientRect().top))"""
    gaps = """() => [...document.querySelectorAll('.tv-lines .tv-word')].flatMap(word => {
        const chips = [...word.querySelectorAll('.chip')].map(c => c.getBoundingClientRect());
        return chips.slice(1).map((chip, i) => [chip, chips[i]])
            .filter(([chip, before]) => Math.abs(chip.top - before.top) < 2)
            .map(([chip, before]) => chip.left - before.right); })"""
    letters = "document.querySelector('.tv-lines .chip')"
    sizes = {}
    for history in (course(), course("unigram", 60)):
        player.open(history)
        for size in ((1366, 768), (390, 844)):
            player.resize(*size)
            player.go(0)
            before = player.page.evaluate(lines)
            assert len(set(before)) > 4
            for step in range(len(history) + 1):
                player.go(step)
                assert player.page.evaluate(lines) == pytest.approx(before, abs=2), step
                # Places are rounded to parts of a pixel.
                assert min(player.page.evaluate(gaps)) > 2.9, step
            style = player.page.evaluate(f"getComputedStyle({letters}).letterSpacing")
            assert style == "normal"
            sizes[size] = float(
                player.page.evaluate(f"parseFloat(getComputedStyle({letters}).fontSize)")
            )
            player.fits()
    # A short text is large where there is room.
    assert sizes[1366, 768] > 20 > 17 > sizes[390, 844] > 12


def test_playing_in_two_phases_aloud_and_beside_what_is_typed(player):
    player.open(course())
    page = player.page
    page.evaluate(PHASES)
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        player.select("Speed", "1 steps/s")
        player.go(1)
        page.evaluate(BEGIN)
        player.button("Play").click()
        page.wait_for_function(f"() => {STEP} > 1")
        player.button("Pause").click()
        (before, outlined, style), (after, merged, _) = page.evaluate("window.phases.slice(0, 2)")
        assert (before, outlined) == ("1", "outline"), "the outline comes before the merge"
        assert style == "solid"
        assert (after, merged) == ("2", "")
        assert (page.evaluate("window.animated") > 0) == (motion == "no-preference")
    page.emulate_media(reduced_motion="reduce")
    player.go(0)
    # At once, however long a click takes.
    player.button("Play").evaluate("play => { play.click(); play.click(); }")
    expect(player.button("Play")).to_be_visible()
    page.wait_for_url("**#step=0")
    assert player.step == 0
    player.select("Speed", "4 steps/s")
    player.press("+")
    assert page.get_by_role("combobox", name="Speed").input_value() == "8"
    page.keyboard.press(" ")
    page.wait_for_function(f"() => {STEP} > 1")
    page.keyboard.press(" ")
    player.button("Play").wait_for()
    player.go(0)
    page.wait_for_url("**#step=0")
    player.select("Speed", "60 steps/s")
    page.evaluate(BEGIN)
    player.click("Play")
    player.wait_step(20)
    player.button("Play").wait_for()
    expect(player.live).to_contain_text(as_said(course(), 20))
    assert 1 <= page.evaluate("window.spoken") <= 2, "aloud at rest, not sixty times a second"
    player.go(0)
    player.select("Speed", "15 steps/s")
    player.click("Play")
    page.wait_for_function(f"() => {STEP} > 1")
    assert int(player.field.input_value()) > 0, "it follows while nobody is in it"
    player.field.fill("3")
    player.wait_step(20)
    assert player.field.input_value() == "3", "playing does not write over what is typed"
    player.field.press("Enter")
    assert player.step == 3


def test_moving_talks_to_nobody_and_settling_draws_only_the_lenses(page, server):
    sent, came = [], []

    def heard(socket):
        socket.on("framesent", lambda said: sent.append(said))
        socket.on("framereceived", lambda said: came.append(said))

    page.on("websocket", heard)
    app = App(page, server)
    app.charts()
    assert drawn(came) > {"player", "vega_lite_chart", "dataframe"}
    for step in (4, 5):
        came.clear()
        app.go(step)
        app.wait_settled()
        assert drawn(came) == {"button_group", "html", "dataframe", "settled"}
    # At once: whoever rests for a moment is heard by Python.
    scrub = """scrub => { for (let step = 0; step < 12; step++) {
        scrub.value = step; scrub.dispatchEvent(new Event('input', { bubbles: true })); }
        return [...document.querySelectorAll('.vega-bind input')].map(i => i.value); }"""
    shapes = "() => [...document.querySelectorAll('.stVegaLiteChart svg')].map(s => s.innerHTML)"
    charts = page.evaluate(shapes)
    before = len(sent)
    assert page.locator(SLIDER).evaluate(scrub) == ["11"] * 3
    page.wait_for_function(f"before => ({shapes})().every((s, i) => s !== before[i])", arg=charts)
    app.wait_settled()
    assert len(sent) == before + 1, "moving talks to nobody, settling tells Python"
    expect(page.locator(".tv-caption")).not_to_be_empty()
    # Where a curve has no value, its chart shows no dot and no number.
    number = page.locator(".stVegaLiteChart").filter(has_text="Count of the next pair")
    number = number.locator(".role-mark text")
    app.go(13)
    expect(number).to_have_text(["2"])
    stays(app, ".tv-scrub", ".tv-say", ".tv-corpus", ".tv-candidates", ".stVegaLiteChart")
    app.wait_settled()
    expect(number).to_have_count(0)
    page.get_by_role("radio", name="Vocabulary", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    app.settle()
    assert app.step == 20, "arrows belong to the part of the page that uses them"
    corpus = page.get_by_role("textbox", name="Your text", exact=True)
    corpus.focus()
    for key in ("t", "f", "Home", "ArrowLeft", " ", "+"):
        corpus.press(key)
    assert app.step == 20, "no keys while typing"
    assert corpus.input_value().startswith("+") or " " in corpus.input_value()


def drawn(came):
    """What messages draw: kinds of elements, and components by their names."""
    messages = map(ForwardMsg.FromString, came)
    elements = [m.delta.new_element for m in messages if m.delta.HasField("new_element")]
    names = {e.bidi_component.id.split("-")[-1] for e in elements}
    return (names | {e.WhichOneof("type") for e in elements}) - {"bidi_component", ""}
