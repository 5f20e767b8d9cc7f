"""What a person does with the player: play, scrub, keys, lanes, addresses, full screen."""

import pytest
from conftest import App, as_said

import tokviz
from tokviz.pages.link import to_link
from tokviz.pages.run import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus
SLIDER = "[aria-label='Training step']"


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


def test_the_player_plays_and_pauses(app):
    app.page.get_by_role("combobox", name="Speed").select_option("60 steps/s")
    app.go(0)
    app.page.get_by_role("button", name="Play").click()
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step === '20'")
    app.page.get_by_role("button", name="Play").wait_for()
    app.go(0)
    app.page.get_by_role("combobox", name="Speed").select_option("0.5 steps/s")
    app.page.get_by_role("button", name="Play").click()
    app.page.get_by_role("button", name="Pause").click()
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
    app.page.reload()
    app.page.locator(".stVegaLiteChart svg").nth(2).wait_for()
    app.settle()
    before = len(sent)
    cursors = "() => [...document.querySelectorAll('.vega-bind input')].map(i => i.value)"
    shapes = "() => [...document.querySelectorAll('.stVegaLiteChart svg')].map(s => s.innerHTML)"
    drawn = app.page.evaluate(shapes)
    for step in range(12):
        app.go(step)
    assert app.page.evaluate(cursors) == ["11"] * 3
    app.page.wait_for_function(
        f"before => ({shapes})().every((s, i) => s !== before[i])", arg=drawn
    )
    assert len(sent) == before, "moving the player talks to nobody"
    app.wait_settled()
    assert len(sent) > before, "settling tells Python"
    assert len(app.page.locator(".tv-caption").inner_text()) > 0


def test_the_step_survives_a_theme_switch_and_leaves_with_a_new_run(app):
    app.go(7)
    app.wait_settled()
    app.page.emulate_media(color_scheme="dark")
    app.settle()
    assert app.step == 7
    app.open_form()
    assert app.step == 7
    app.fill("spinbutton", "Vocabulary size", "45")
    app.click("Train")
    assert (app.step, app.steps) == (0, 15)


def test_charts_that_are_drawn_anew_find_the_player_where_it_is(app):
    app.page.locator(".stVegaLiteChart svg").nth(2).wait_for()
    app.go(4)
    app.page.emulate_media(color_scheme="dark")
    app.page.get_by_role("link", name="How it works").click()
    app.page.get_by_role("heading", name="How tokviz works").wait_for()
    app.page.get_by_role("link", name="Train", exact=True).click()
    app.page.locator(".stVegaLiteChart svg").nth(2).wait_for()
    cursors = "() => [...document.querySelectorAll('.vega-bind input')].map(i => i.value).join()"
    app.page.wait_for_function(f"() => ({cursors})() === '4,4,4'")


def test_a_selected_token_shows_its_card(app):
    app.page.locator('.chip[data-token="Ġtoken"]').first.click()
    card = app.page.locator(".tv-card")
    said = card.inner_text()
    history = tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte")
    count = dict(zip(history.vocab(13), history.token_counts(13), strict=True))["Ġtoken"]
    assert f"count now\n{count}" in said
    assert "Ġtoken" in card.locator("dt:text-is('words') + dd").inner_text().replace(" ", "")
    assert card.locator("dt:text-is('from') + dd .chip").count() == 2
    assert "step 12" in said
    assert "U+0020 U+0074 U+006F" in card.inner_text()
    assert "20 74 6f 6b 65 6e" in card.inner_text()
    app.page.keyboard.press("Escape")
    assert not card.is_visible()


def test_a_space_is_seen_in_the_card(app):
    app.page.locator('.chip[data-token="Ġtoken"]').first.click()
    text = app.page.locator(".tv-card dt:text-is('text') + dd")
    assert text.inner_text() == "␣token"
    colours = "dd => [dd.querySelector('.m'), dd].map(e => getComputedStyle(e).color)"
    sign, letters = text.evaluate(colours)
    assert sign != letters, "dimmed, so that nobody takes it for a part of the text"


def test_a_special_token_has_a_card(page, server):
    run = run_of_sample(tokviz.SAMPLES["course"])
    special = (("special_tokens", ("<pad>", "the")),)
    app = App(page, f"{server}/?lane={to_link(run._replace(settings=special))}")
    app.page.locator(".tv-corpus .chip.special").first.click()
    card = app.page.locator(".tv-card")
    assert card.locator(".chip").get_attribute("data-token") == "the"
    assert "special token, never trained" in card.inner_text()
    assert card.locator("dt:text-is('id') + dd").inner_text() == "1"
    outlined = "e => getComputedStyle(e).outlineStyle"
    for chip in app.page.locator(".tv-corpus .chip.special").all():
        assert chip.evaluate(outlined) == "solid"


def test_marking_text_with_the_mouse_keeps_the_selected_token(app):
    app.page.locator('.tv-corpus .chip[data-token="Ġtoken"]').first.click()
    words = app.page.locator(".tv-corpus .tv-word")
    first, last = words.nth(1).bounding_box(), words.nth(4).bounding_box()
    app.page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    app.page.mouse.down()
    app.page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=5)
    app.page.mouse.up()
    assert app.page.evaluate("() => String(getSelection())")
    card = app.page.locator(".tv-card")
    assert card.is_visible()
    app.page.locator(".tv-candidates h3").click()
    assert not card.is_visible()


def test_the_last_state_has_no_next_count(app):
    """Where a curve has no value, its chart shows no dot and no number."""
    chart = app.page.locator(".stVegaLiteChart").filter(has_text="Count of the next pair")
    numbers = "e => [...e.querySelectorAll('.role-mark text')].map(t => t.textContent)"
    chart.locator("svg").wait_for()
    app.page.wait_for_function("() => document.querySelectorAll('.vega-bind input').length === 3")
    assert chart.evaluate(numbers) == ["2"]
    app.page.get_by_role("button", name="Last step").click()
    app.wait_settled()
    assert chart.evaluate(numbers) == []


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
    app.page.locator(".stVegaLiteChart svg").nth(2).wait_for()


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
    app.page.get_by_role("combobox", name="Align lanes").select_option("by share of training")
    app.go(50)
    for label, history in histories.items():
        assert abs(state(app, label) - len(history) / 2) <= 0.5
    app.click("Last step")
    assert [state(app, label) for label in histories] == [len(h) for h in histories.values()]
    app.wait_settled()
    assert "align=share" in app.page.url
    app.page.reload()
    app.lane("Unigram").locator(".chip").first.wait_for()
    assert app.page.locator("[data-steps]").get_attribute("data-align") == "share"


def test_the_first_difference_of_two_lanes(app):
    app.click("Add a lane")
    app.algorithm("BPE")
    app.pick("Tie-break", "largest-pair")
    app.pick("Unit", "byte")
    app.click("Train")
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


def test_a_token_is_found_by_name_with_the_keyboard(app):
    app.page.keyboard.press("/")
    app.page.keyboard.type("Ġtoken")
    app.page.keyboard.press("Enter")
    card = app.page.locator(".tv-card")
    assert card.is_visible()
    assert card.locator(".chip").first.get_attribute("data-token") == "Ġtoken"


def test_a_token_of_bytes_is_found_by_the_text_that_it_shows(app):
    app.train("日本 日本 日本 café café café au lait", "BPE", 60)
    app.click("Last step")
    card = app.page.locator(".tv-card")
    field = app.page.get_by_role("combobox", name="Find a token")
    for typed in ("日", "本", "é"):
        app.page.locator(".tv-corpus").focus()
        app.page.keyboard.press("/")
        field.fill(typed)
        offered = app.page.locator("#tv-tokens option").evaluate_all("all => all.map(o => o.value)")
        assert offered
        assert all(typed in name for name in offered)
        field.press("Enter")
        assert card.locator(".chip").first.text_content() == offered[0]


def test_escape_in_the_finder_closes_the_card(app):
    field = app.page.get_by_role("combobox", name="Find a token")
    field.fill("Ġtoken")
    field.press("Enter")
    card = app.page.locator(".tv-card")
    assert card.is_visible()
    field.press("Escape")
    assert not card.is_visible()
    assert field.input_value() == ""
    outlined = "e => getComputedStyle(e).outlineStyle"
    chip = app.page.locator('.tv-corpus .chip[data-token="Ġtoken"]').first
    assert chip.evaluate(outlined) == "none"


def test_a_token_that_does_not_exist_leaves_a_sentence(app):
    field = app.page.get_by_role("combobox", name="Find a token")
    field.fill("zzz")
    field.press("Enter")
    assert field.evaluate("e => e.validationMessage") == "No token holds this text."
    field.fill("oken")
    field.press("Enter")
    assert app.page.locator(".tv-card .chip").first.get_attribute("data-token") == "Ġtoken"


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


def test_what_was_chosen_outlives_a_change_of_lanes(app):
    app.page.get_by_role("combobox", name="Speed").select_option("30 steps/s")
    app.page.get_by_role("button", name="words", exact=True).click()
    app.add_lane("WordPiece", 60)
    app.lane("WordPiece").wait_for()
    assert app.page.get_by_role("combobox", name="Speed").input_value() == "30"
    words = app.page.get_by_role("button", name="words", exact=True)
    assert words.get_attribute("aria-pressed") == "true"
    assert app.page.locator(".tv-corpus .tv-times").count() > 0


def test_presentation_goes_on_when_a_person_comes_back(app):
    presents = "() => document.documentElement.classList.contains('tv-present')"
    app.page.get_by_role("link", name="How it works").click()
    app.page.get_by_role("heading", name="How tokviz works").wait_for()
    app.page.get_by_role("link", name="Train", exact=True).click()
    app.page.locator(".chip").first.wait_for()
    app.settle()
    app.page.get_by_role("button", name="Present").click()
    app.page.go_back()
    app.page.get_by_role("heading", name="How tokviz works").wait_for()
    app.page.wait_for_function(f"() => !({presents})()")
    app.page.go_forward()
    app.page.locator(".chip").first.wait_for()
    app.page.wait_for_function(presents)


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


def test_a_reload_restores_run_and_step_from_the_address(app):
    app.train("the cat sat on the mat", "WordPiece", 22)
    app.go(3)
    app.wait_settled()
    assert "step=3" in app.page.url
    words = app.words()
    app.page.reload()
    app.page.locator(".chip").first.wait_for()
    app.settle()
    assert app.step == 3
    assert app.words() == words
    assert "My own text" in app.page.locator(".tv-setup").inner_text()


def test_an_address_opens_elsewhere(app, browser):
    app.go(5)
    app.wait_settled()
    other = App(browser.new_page(), app.page.url)
    assert other.step == 5
    other.page.close()


def test_a_damaged_address_leaves_a_sentence(page, server):
    app = App(page, f"{server}/?lane=~damaged<script>&step=99")
    assert "could not be opened" in page.get_by_role("alert").inner_text()
    assert app.step == 13


def test_another_page_and_back_keeps_the_step(app):
    app.go(7)
    app.page.get_by_role("link", name="How it works").click()
    app.page.get_by_role("heading", name="How tokviz works").wait_for()
    app.page.get_by_role("link", name="Train", exact=True).click()
    app.page.locator(".chip").first.wait_for()
    app.settle()
    assert app.step == 7
    app.page.get_by_role("radio", name="Steps", exact=True).click()
    app.go(20)
    app.wait_settled()
    app.page.get_by_role("link", name="How it works").click()
    app.page.get_by_role("heading", name="How tokviz works").wait_for()
    app.page.get_by_role("link", name="Train", exact=True).click()
    app.page.locator(".chip").first.wait_for()
    app.wait_settled()
    assert app.step == 20
    assert "step=20" in app.page.url


def test_full_screen_takes_the_charts_along(app):
    app.page.get_by_role("button", name="Full screen").click()
    app.page.wait_for_function("() => document.fullscreenElement")
    inside = "() => ['.tv-player', '.stVegaLiteChart'].every("
    inside += "s => document.fullscreenElement.querySelector(s))"
    assert app.page.evaluate(inside)
    app.page.keyboard.press("f")
    app.page.wait_for_function("() => !document.fullscreenElement")


def test_presentation_hides_the_set_up_and_enlarges_the_type(app):
    app.page.locator(".stVegaLiteChart svg").nth(2).wait_for()
    sizes = """() => ['.chip', '.role-title text', '.role-axis-label text', '.role-mark text']
        .map(s => document.querySelector(s.replace('.role', '.stVegaLiteChart .role')))
        .map(e => parseFloat(getComputedStyle(e).fontSize))"""
    before = app.page.evaluate(sizes)
    app.page.get_by_role("button", name="Present").click()
    assert not app.page.locator(".tv-setup").is_visible()
    for small, large in zip(before, app.page.evaluate(sizes), strict=True):
        assert large > 1.2 * small
    app.page.keyboard.press("Escape")
    assert app.page.locator(".tv-setup").is_visible()


def test_the_keys_are_listed(app):
    app.page.keyboard.press("?")
    dialog = app.page.get_by_role("dialog", name="Keys")
    assert "next tie" in dialog.inner_text()
    app.page.keyboard.press("ArrowRight")
    assert app.step == 13, "keys rest while the list is open"
    app.page.keyboard.press("Escape")
    assert not dialog.is_visible()


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
    app.page.get_by_role("combobox", name="Speed").select_option("1 steps/s")
    app.go(1)
    watch = """() => { window.animated = 0; const animate = Element.prototype.animate;
        Element.prototype.animate = function (...a) { window.animated++;
        return animate.apply(this, a); }; }"""
    app.page.evaluate(watch)
    app.page.get_by_role("button", name="Play").click()
    player = app.page.locator("[data-steps]")
    app.page.wait_for_selector("[data-phase=outline]")
    assert app.step == 1, "the outline comes before the merge"
    outline = "e => getComputedStyle(e).outlineStyle"
    assert app.page.locator(".tv-pair").first.evaluate(outline) == "solid"
    app.page.wait_for_function("() => document.querySelector('[data-steps]').dataset.step > 1")
    assert player.get_attribute("data-phase") == ""
    app.page.get_by_role("button", name="Pause").click()
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
    for _ in range(18):
        look = """() => { const e = document.activeElement; const s = getComputedStyle(e);
            return [e.getAttribute('aria-label') ?? e.textContent, s.outlineStyle]; }"""
        reached.append(app.page.evaluate(look))
        app.page.keyboard.press("Tab")
    names = [name for name, _ in reached]
    for name in ("Play", "Next step", "Training step", "Go to step", "Speed", "Keys", "Present"):
        assert name in names
    for name in ("Full screen", "Corpus of BPE", "Find a token", "words", "Score table of BPE"):
        assert name in names
    ours = names.index("Score table of BPE") + 1
    assert all(style == "solid" for _, style in reached[:ours]), reached


def test_nothing_moves_when_the_step_does(app):
    places = """() => ['.tv-scrub', '.tv-say', '.tv-corpus', '.tv-candidates', '.stVegaLiteChart',
        '.tv-word:nth-of-type(5)'].map(s => document.querySelector(s).getBoundingClientRect())
        .flatMap(r => [r.x, r.y, r.width, r.height])"""
    app.page.locator(".stVegaLiteChart svg").nth(2).wait_for()
    app.go(0)
    before = app.page.evaluate(places)
    for step in range(1, app.steps + 1):
        app.go(step)
        # Browsers round the room between letters to parts of a pixel.
        assert app.page.evaluate(places) == pytest.approx(before, abs=0.5), step
