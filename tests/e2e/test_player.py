"""What a person does with the player: play, scrub, keys, typed steps."""

import pytest
from app_page import App, as_said
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus
SLIDER = "[aria-label='Training step']"


def lane_history(algorithm, size, **settings):
    return tokviz.train(COURSE, algorithm, size, **settings)


def test_the_player_plays_and_pauses(app):
    app.page.get_by_role("combobox", name="Speed").select_option("60 steps/s")
    app.go(0)
    app.page.get_by_role("button", name="Play").click()
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step === '20'")
    app.page.get_by_role("button", name="Play").wait_for()
    app.go(0)
    app.page.get_by_role("combobox", name="Speed").select_option("0.5 steps/s")
    # At once, however long a click takes.
    app.page.get_by_role("button", name="Play").evaluate("play => { play.click(); play.click(); }")
    expect(app.page.get_by_role("button", name="Play")).to_be_visible()
    app.wait_settled()
    assert app.step == 0


def test_keys(app):
    app.page.locator(".tv-corpus").focus()
    visited = []
    for key in ("Home", "ArrowRight", "PageDown", "t", "ArrowLeft", "PageUp", "End"):
        app.page.keyboard.press(key)
        visited.append(app.step)
    assert visited == [0, 1, 2, 4, 3, 2, 20]
    app.page.keyboard.press("Home")
    app.page.keyboard.press("+")
    assert app.page.get_by_role("combobox", name="Speed").input_value() == "8"
    app.page.keyboard.press(" ")
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step > 1")
    app.page.keyboard.press(" ")
    app.page.get_by_role("button", name="Play").wait_for()


def test_no_keys_while_typing(app):
    app.open_form()
    corpus = app.page.get_by_role("textbox", name="Corpus", exact=True)
    corpus.focus()
    for key in ("t", "f", "Home", "ArrowLeft", " ", "+"):
        corpus.press(key)
    assert app.step == 13
    assert corpus.input_value().startswith("+") or " " in corpus.input_value()


def test_scrubbing_sends_nothing_and_charts_follow(app):
    sent = []
    app.page.on(
        "websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(frame))
    )
    app.reload()
    app.charts()
    # At once: whoever rests for a moment is heard by Python.
    scrub = """scrub => { for (let step = 0; step < 12; step++) {
        scrub.value = step; scrub.dispatchEvent(new Event('input', { bubbles: true })); }
        return [...document.querySelectorAll('.vega-bind input')].map(i => i.value); }"""
    shapes = "() => [...document.querySelectorAll('.stVegaLiteChart svg')].map(s => s.innerHTML)"
    drawn = app.page.evaluate(shapes)
    before = len(sent)
    assert app.page.locator(SLIDER).evaluate(scrub) == ["11"] * 3
    app.page.wait_for_function(
        f"before => ({shapes})().every((s, i) => s !== before[i])", arg=drawn
    )
    app.wait_settled()
    assert len(sent) == before + 1, "moving talks to nobody, settling tells Python"
    expect(app.page.locator(".tv-caption")).not_to_be_empty()


def test_the_last_state_has_no_next_count(app):
    """Where a curve has no value, its chart shows no dot and no number."""
    chart = app.page.locator(".stVegaLiteChart").filter(has_text="Count of the next pair")
    number = chart.locator(".role-mark text")
    expect(number).to_have_text(["2"])
    app.page.get_by_role("button", name="Last step").click()
    app.wait_settled()
    expect(number).to_have_count(0)


@pytest.mark.parametrize(
    ("typed", "step"), [("0", 0), ("-5", 0), ("7.4", 7), ("999", 20), ("1e99", 20), ("", 13)]
)
def test_any_number_can_be_typed_as_a_step(app, typed, step):
    app.go(typed)
    assert app.step == step
    assert app.page.get_by_role("spinbutton", name="Go to step").input_value() == str(step)


def test_playing_does_not_write_over_what_is_typed(app):
    app.go(0)
    app.page.get_by_role("combobox", name="Speed").select_option("15 steps/s")
    app.click("Play")
    field = app.page.get_by_role("spinbutton", name="Go to step")
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step > 1")
    assert int(field.input_value()) > 0, "it follows while nobody is in it"
    field.fill("3")
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step === '20'")
    assert field.input_value() == "3"
    field.press("Enter")
    assert app.step == 3
    app.click("Last step")
    field.evaluate("field => { field.value = 5; }")
    field.press("Enter")
    assert app.step == 5, "no change event tells of it"


def test_arrows_belong_to_the_part_of_the_page_that_uses_them(app):
    app.page.get_by_role("radio", name="Vocabulary", exact=True).focus()
    app.page.keyboard.press("ArrowLeft")
    app.settle()
    assert app.step == 13


def test_the_words_by_count(app):
    app.page.get_by_role("button", name="words", exact=True).click()
    history = lane_history("bpe", 50, unit="byte")
    words = sorted(
        zip(history.words.words, history.words.counts, strict=True), key=lambda row: -row[1]
    )
    assert app.words() == [history.segmentation(word, 13) for word, _ in words]
    counts = app.page.locator(".tv-corpus .tv-times").all_text_contents()
    assert counts == [f"×{count}" for _, count in words]


def test_the_keys_are_listed(app):
    app.page.keyboard.press("?")
    dialog = app.page.get_by_role("dialog", name="Keys")
    expect(dialog).to_contain_text("next tie")
    app.page.keyboard.press("ArrowRight")
    assert app.step == 13, "keys rest while the list is open"
    app.page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()


def test_the_mouse_and_a_finger_scrub(app):
    box = app.page.locator(SLIDER).bounding_box()
    y = box["y"] + box["height"] / 2
    app.page.mouse.move(box["x"] + 2, y)
    app.page.mouse.down()
    visited = set()
    for x in range(10, int(box["width"]), 20):
        app.page.mouse.move(box["x"] + x, y)
        visited.add(app.step)
    app.page.mouse.up()
    assert visited == set(range(app.steps + 1))


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_slow_steps_have_two_phases_and_motion_can_be_reduced(app, motion):
    app.page.emulate_media(reduced_motion=motion)
    app.page.get_by_role("combobox", name="Speed").select_option("0.5 steps/s")
    app.go(1)
    # Every phase as the page shows it: whoever asks from outside may come too late.
    watch = """() => { window.animated = 0; const animate = Element.prototype.animate;
        Element.prototype.animate = function (...a) { window.animated++;
        return animate.apply(this, a); };
        const player = document.querySelector('[data-steps]');
        window.phases = [];
        new MutationObserver(() => window.phases.push([player.dataset.step, player.dataset.phase,
            getComputedStyle(document.querySelector('.tv-pair')).outlineStyle]))
            .observe(player, { attributeFilter: ['data-step', 'data-phase'] }); }"""
    app.page.evaluate(watch)
    app.page.get_by_role("button", name="Play").click()
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step > 1")
    app.page.get_by_role("button", name="Pause").click()
    (before, outlined, style), (after, merged, _) = app.page.evaluate("window.phases.slice(0, 2)")
    assert (before, outlined) == ("1", "outline"), "the outline comes before the merge"
    assert style == "solid"
    assert (after, merged) == ("2", "")
    assert (app.page.evaluate("window.animated") > 0) == (motion == "no-preference")


def test_the_live_region_speaks_at_rest_not_sixty_times_a_second(app):
    app.go(0)
    app.wait_settled()
    count = """() => { window.spoken = 0; new MutationObserver(() => window.spoken++)
        .observe(document.querySelector('.tv-player [aria-live]'), { childList: true }); }"""
    app.page.evaluate(count)
    app.page.get_by_role("combobox", name="Speed").select_option("60 steps/s")
    app.page.get_by_role("button", name="Play").click()
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step === '20'")
    app.wait_settled()
    assert 1 <= app.page.evaluate("window.spoken") <= 2
    history = lane_history("bpe", 50, unit="byte")
    assert as_said(history, 20) in app.page.locator(".tv-player [aria-live]").text_content()


def test_everything_is_reached_with_the_keyboard_and_focus_is_seen(app):
    app.page.locator("[aria-label='First step']").focus()
    reached = []
    for _ in range(20):
        look = """() => { const e = document.activeElement; const s = getComputedStyle(e);
            return [e.getAttribute('aria-label') ?? e.textContent, s.outlineStyle]; }"""
        reached.append(app.page.evaluate(look))
        app.page.keyboard.press("Tab")
    names = [name for name, _ in reached]
    for name in (
        "Play",
        "Next step",
        "Training step",
        "Go to step",
        "Speed",
        "Stop at",
        "Keys",
        "Laser",
        "Present",
    ):
        assert name in names
    for name in ("Full screen", "Corpus of BPE", "Find a token", "words", "Score table of BPE"):
        assert name in names
    ours = names.index("Score table of BPE") + 1
    assert all(style == "solid" for _, style in reached[:ours]), reached


def test_nothing_moves_when_the_step_does(app):
    places = """() => ['.tv-scrub', '.tv-say', '.tv-corpus', '.tv-candidates', '.stVegaLiteChart',
        '.tv-word:nth-of-type(5)'].map(s => document.querySelector(s).getBoundingClientRect())
        .flatMap(r => [r.x, r.y, r.width, r.height])"""
    app.charts()
    app.go(0)
    before = app.page.evaluate(places)
    for step in range(1, app.steps + 1):
        app.go(step)
        # Browsers round the room between letters to parts of a pixel.
        assert app.page.evaluate(places) == pytest.approx(before, abs=0.5), step


def test_a_settled_player_has_only_the_lenses_drawn_anew(page, server):
    came = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda said: came.append(said)))
    app = App(page, server)
    assert drawn(came) > {"player", "vega_lite_chart", "dataframe"}
    for step in (4, 5):
        came.clear()
        app.go(step)
        app.wait_settled()
        assert drawn(came) == {"button_group", "html", "dataframe", "settled"}


def drawn(came):
    """What messages draw: kinds of elements, and components by their names."""
    messages = map(ForwardMsg.FromString, came)
    elements = [m.delta.new_element for m in messages if m.delta.HasField("new_element")]
    names = {e.bidi_component.id.split("-")[-1] for e in elements}
    return (names | {e.WhichOneof("type") for e in elements}) - {"bidi_component", ""}
