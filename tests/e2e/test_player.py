"""What a person does with the player: play, scrub, keys, typed steps."""

import pytest
from app_page import App, as_said
from player_page import COLOURS, COURSE, SLIDER, course, trained, words_of
from playwright.sync_api import expect
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

import tokviz

STEP = "document.querySelector('[data-steps]').dataset.step"
#: Every phase as the page shows it: whoever asks from outside may come too late.
PHASES = """() => { const player = document.querySelector('[data-steps]');
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (...a) { window.animated++;
        return animate.apply(this, a); };
    const style = () => document.querySelector('.tv-pair > .chip')?.computedStyleMap();
    new MutationObserver(() => window.phases?.push([player.dataset.step, player.dataset.phase,
        style()?.get('outline-style').toString()]))
        .observe(player, { attributeFilter: ['data-step', 'data-phase'] });
    new MutationObserver(() => window.spoken++)
        .observe(document.querySelector('.tv-player [aria-live]'), { childList: true }); }"""
#: Steps, and holds what moves then: halves of merges, copies that move, and how long all takes.
STEPPED = """() => { document.querySelector('[aria-label="Next step"]').click();
    const all = document.getAnimations();
    all.forEach(a => a.pause());
    const copies = all.filter(a => a.effect.target.closest('.tv-slides'));
    const ends = all.map(a => a.effect.getComputedTiming().endTime);
    return [document.querySelectorAll('.tv-slides .merges').length, copies.length,
        Math.max(0, ...ends)]; }"""
#: The copies that are not where what they are a copy of is.
APART = """() => { const at = e => e.getBoundingClientRect();
    const there = [...document.querySelectorAll('.tv-block :is(.chip, .tv-word)')].map(at);
    const copies = [...document.querySelectorAll('.tv-slides > span')];
    return copies.filter(copy => { const place = at(copy.firstChild);
        return !there.some(r => Math.abs(r.top - place.top) < 1 && (copy.className
            ? Math.abs(r.left - place.left) < 1 || Math.abs(r.right - place.right) < 1
            : Math.abs(r.left - place.left) + Math.abs(r.right - place.right) < 1));
    }).map(copy => copy.textContent); }"""
#: The copies in several lines, at every step.
TORN = """async () => { const torn = [];
    const { dataset } = document.querySelector('[data-steps]');
    while (dataset.step !== dataset.steps) {
        document.querySelector('[aria-label="Next step"]').click();
        for (const { firstChild: copy } of document.querySelectorAll('.tv-slides > span')) {
            window.copies = (window.copies ?? 0) + 1;
            if (copy.getClientRects().length > 1) torn.push(dataset.step + copy.textContent);
        }
        await new Promise(requestAnimationFrame);
    }
    return torn; }"""
#: How many strokes of the line to the next pair go left: to the gap, and below lines of text.
LINE = """() => document.querySelector('.tv-connector path').getAttribute('d')
    .split('H').length - 1"""
#: The tokens of each tree in the state that is shown, as they are read.
GROWN = """() => [...document.querySelectorAll('.tv-tree')].map(tree =>
    [...tree.querySelectorAll('.chip:not(.inside)')]
        .sort((a, b) => parseInt(a.style.gridColumnStart) - parseInt(b.style.gridColumnStart))
        .map(chip => chip.dataset.token))"""
SIZE = "parseFloat(getComputedStyle(document.querySelector('.tv-lines .chip')).fontSize)"
NEXT_IN_SIGHT = """() => {
    const seen = document.querySelector('.tv-corpus').getBoundingClientRect();
    return [...document.querySelectorAll('.tv-corpus .tv-pair')]
        .map(e => e.getBoundingClientRect())
        .some(r => r.top >= seen.top && r.bottom <= seen.bottom + 6); }"""
BEGIN = "() => { window.phases = []; window.spoken = window.animated = 0; }"


def places(*parts):
    """Where the first of each of these is."""
    return f"""() => {[*parts]}.map(s => document.querySelector(s).getBoundingClientRect())
        .flatMap(r => [r.x, r.y, r.width, r.height])"""


def stays(player, *parts):
    """Nothing of this moves at any step."""
    (before,), *others = player.at_each_step(places(*parts))
    for step, (now,) in enumerate(others, 1):
        # Browsers round the room between letters to parts of a pixel.
        assert now == pytest.approx(before, abs=0.5), step


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
    page.evaluate(BEGIN)
    page.evaluate(PHASES)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, y, steps=int(box["width"] / 10))
    page.mouse.up()
    visited = {int(step) for step, *_ in page.evaluate("window.phases")}
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
    page.locator("[aria-label='Quiz']").focus()
    reached = []
    look = """() => { const e = document.activeElement; const s = getComputedStyle(e);
        return [e.getAttribute('aria-label') ?? e.textContent, s.outlineStyle]; }"""
    while not reached or reached[-1][0] != "Stop at":
        reached.append(page.evaluate(look))
        assert len(reached) < 40, reached
        page.keyboard.press("Tab")
    names = [name for name, _ in reached]
    for name in (
        *("Play", "Next step", "Training step", "Go to step", "Speed", "Stop at", "Keys", "Laser"),
        *("Present", "Full screen", "Corpus of BPE", "Find a token", "words", "Score table of BPE"),
    ):
        assert name in names
    assert [name for name, style in reached if style != "solid"] == []


def test_tokens_stand_apart_and_words_keep_their_lines(player):
    """At every step: a step moves words within their line only, and never two tokens together."""
    # The panel may scroll to the next merge.
    lines = """() => { const { top } = document.querySelector('.tv-lines').getBoundingClientRect();
        return [...document.querySelectorAll('.tv-lines .tv-word')]
            .map(word => Math.round(word.getBoundingClientRect().top - top)); }"""
    gaps = """() => [...document.querySelectorAll('.tv-lines .tv-word')].flatMap(word => {
        const chips = [...word.querySelectorAll('.chip')].map(c => c.getBoundingClientRect());
        return chips.slice(1).map((chip, i) => [chip, chips[i]])
            .filter(([chip, before]) => Math.abs(chip.top - before.top) < 2)
            .map(([chip, before]) => chip.left - before.right); })"""
    letters = "document.querySelector('.tv-lines .chip')"
    # The size; whether the panel scrolls at it, and with half a pixel more, in the widest state.
    larger = """async () => {
        for (let frames = 3; frames; frames--) await new Promise(requestAnimationFrame);
        const [panel, body] = ['.tv-corpus', '.tv-lines'].map(s => document.querySelector(s));
        const size = parseFloat(body.style.getPropertyValue('--tv-fit'));
        const scrolls = size => { body.style.setProperty('--tv-fit', `${size}px`);
            return panel.scrollHeight > panel.clientHeight; };
        body.classList.add('tv-measured');
        const found = [size, scrolls(size), scrolls(size + 0.5)];
        scrolls(size);
        body.classList.remove('tv-measured');
        return found; }"""
    sizes = {}
    for history in (course(), course("unigram", 60)):
        player.open(history)
        for size in ((1366, 768), (390, 844)):
            player.resize(*size)
            seen = player.at_each_step(lines, gaps)
            before = seen[0][0]
            assert len(set(before)) > 4
            for step, (now, apart) in enumerate(seen):
                assert now == pytest.approx(before, abs=2), step
                # Places are rounded to parts of a pixel.
                assert min(apart) > 2.9, step
            style = player.page.evaluate(f"getComputedStyle({letters}).letterSpacing")
            assert style == "normal"
            sizes[size] = float(
                player.page.evaluate(f"parseFloat(getComputedStyle({letters}).fontSize)")
            )
            player.fits()
    # A short text is large where there is room.
    assert sizes[1366, 768] > 20
    assert sizes[390, 844] > 12
    # It is as large as there is room for, whatever size it had before.
    player.go(0)
    found = []
    for size in ((1366, 768), (1920, 1080), (1366, 768)):
        player.resize(*size)
        found.append(player.page.evaluate(larger))
    (small, *rest), (large, *_), again = found
    assert rest == [False, True], "half a pixel more would scroll"
    assert large > small
    assert again == found[0]
    player.resize(390, 844)
    # On a phone the candidates are beside the corpus: swiped to, or chosen by their button.
    tabs, candidates = (
        player.page.locator(".tv-swiped button"),
        player.page.locator(".tv-candidates"),
    )
    expect(candidates).not_to_be_in_viewport()
    tabs.nth(1).click()
    expect(candidates).to_be_in_viewport(ratio=0.5)
    expect(tabs.nth(1)).to_have_attribute("aria-current", "true")
    expect(tabs.nth(0)).to_have_attribute("aria-current", "false")


def test_words_grow_into_trees_where_they_fit(player):
    for history in (course(), course("unigram", 60)):
        player.open(history)
        player.resize(1366, 768)
        player.button("trees").click()
        words = sorted(
            zip(history.words.words, history.words.counts, strict=True), key=lambda row: -row[1]
        )
        shown = player.page.locator(".tv-tree").count()
        assert 10 < shown <= len(words)
        for step, (grown,) in enumerate(player.at_each_step(GROWN)):
            assert grown == [history.segmentation(word, step) for word, _ in words[:shown]], step
        stays(player, ".tv-counted:last-child .tv-tree", ".tv-counted:nth-child(5) .tv-times")
        assert player.page.evaluate(SIZE) >= 14
        player.fits(".tv-corpus")
        player.accessible(".tv-corpus")
    player.theme("dark")
    player.accessible(".tv-corpus", **COLOURS)
    player.theme("light")
    player.open(course(), position=13)
    player.button("trees").click()
    said = "This: This, from i + s → is, T + h → Th, Th + is → This"
    tree = player.page.locator(".tv-corpus").get_by_role("img", name=said, exact=True)
    # A token inside of another one is chosen as any other, and is as wide as its letters.
    inside, whole = (tree.locator(f'.chip[data-token="{token}"]') for token in ("T", "Th"))
    inside.click()
    assert player.card.locator(".chip").first.get_attribute("data-token") == "T"
    assert inside.bounding_box()["width"] * 2 < whole.bounding_box()["width"]
    player.press("Escape")
    for view in ("text", "words", "trees"):
        player.press("w")
        expect(player.button(view)).to_have_attribute("aria-pressed", "true")
    # Where three have no room, words stand instead of them.
    player.page.add_style_tag(content=".tv-corpus.tv-panel { max-height: 8rem; }")
    expect(player.button("trees")).to_have_count(0)
    expect(player.button("words")).to_have_attribute("aria-pressed", "true")
    assert player.page.locator(".tv-corpus .tv-tree").count() == 0
    assert player.page.locator(".tv-corpus .chip").count()
    # A short text is large on a large screen, in every view.
    player.open(trained("low lower newest widest low-fat", "bpe", 20, "whitespace"))
    player.resize(1920, 1080)
    for view in ("text", "words", "trees"):
        player.button(view).click()
        assert player.page.evaluate(SIZE) > 45, view
        player.fits(".tv-corpus")


def test_a_long_text_scrolls_to_the_next_merge(player):
    player.page.emulate_media(reduced_motion="reduce")
    player.open(trained(tokviz.SAMPLES["alice"].corpus[:9000], "bpe", 400), position=200)
    player.resize(1366, 768)
    corpus = player.page.locator(".tv-corpus")
    places = set()
    for _ in range(15):
        player.press("ArrowRight")
        player.page.wait_for_function(NEXT_IN_SIGHT)
        places.add(corpus.evaluate("e => e.scrollTop"))
    assert len(places) > 2
    # Who scrolls by hand is left alone for a while.
    corpus.dispatch_event("wheel")
    corpus.evaluate("e => { e.scrollTop = 0; }")
    for _ in range(4):
        player.press("ArrowRight")
        player.page.wait_for_timeout(250)
    assert corpus.evaluate("e => e.scrollTop") == 0


def test_playing_in_two_phases_aloud_and_beside_what_is_typed(player):
    player.open(course())
    page = player.page
    page.evaluate(PHASES)
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        player.select("Speed", "1 step/s")
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
    assert drawn(came) > {"player", "vocabulary_lens"}
    for step in (4, 5):
        came.clear()
        app.go(step)
        app.wait_settled()
        assert drawn(came) == {"button_group", "html", "vocabulary_lens", "settled"}
    # At once: whoever rests for a moment is heard by Python.
    scrub = """scrub => { for (let step = 0; step < 12; step++) {
        scrub.value = step; scrub.dispatchEvent(new Event('input', { bubbles: true })); }
        return [...document.querySelectorAll('.tv-curve .tv-here')].map(e => e.textContent); }"""
    stays(app, ".tv-candidates")
    before = len(sent)
    app.click("Curves")
    # Python hears of the panel once the page rests: in time, or together with the next step.
    while len(sent) == before:
        app.page.evaluate("() => new Promise(requestAnimationFrame)")
    app.settle()
    before = len(sent)
    history = course()
    number = page.locator(".tv-curve").filter(has_text="Count of the next pair").locator(".tv-here")
    tokens, count, characters = page.locator(SLIDER).evaluate(scrub)
    curve = history.curve().iloc[11]
    assert (tokens, count) == (f"{curve.corpus_tokens:.0f}", f"{curve.score:.0f}")
    assert characters == f"{curve.characters_per_token:.4g}"
    app.wait_settled()
    assert len(sent) == before + 1, "moving talks to nobody, settling tells Python"
    expect(page.locator(".tv-caption")).not_to_be_empty()
    # Where a curve has no value, it shows no dot and no number.
    app.go(13)
    expect(number).to_have_text("2")
    stays(app, ".tv-scrub", ".tv-say", ".tv-corpus", ".tv-curves")
    app.wait_settled()
    expect(number).to_be_empty()
    page.get_by_role("radio", name="Vocabulary", exact=True).focus()
    page.keyboard.press("ArrowLeft")
    app.settle()
    assert app.step == 20, "arrows belong to the part of the page that uses them"
    corpus = page.get_by_role("textbox", name="Your text", exact=True)
    corpus.focus()
    for key in ("t", "f", "Home", "ArrowLeft", " ", "+"):
        corpus.press(key)
    # Both at once: the letters are a new text, whose run may come between two looks.
    at_end = page.locator("[data-steps]").evaluate("run => run.dataset.step === run.dataset.steps")
    assert at_end, "no keys while typing: the place is that of before, the end"
    assert corpus.input_value().startswith("+") or " " in corpus.input_value()


def drawn(came):
    """What messages draw: kinds of elements, and components by their names."""
    messages = map(ForwardMsg.FromString, came)
    elements = [m.delta.new_element for m in messages if m.delta.HasField("new_element")]
    names = {e.bidi_component.id.split("-")[-1] for e in elements}
    return (names | {e.WhichOneof("type") for e in elements}) - {"bidi_component", ""}


def test_a_step_is_seen_as_one_motion_which_leaves_nothing_behind(player):
    page = player.page
    player.open(course())
    page.wait_for_function(f"() => ({LINE})() === 7")
    stepped, line = page.evaluate(f"() => [({STEPPED})(), ({LINE})()]")
    assert stepped == [0, 0, 0], "without motion there is none"
    assert line == 0, "the line waits until all is at rest"
    page.wait_for_function(f"() => ({LINE})() > 1")
    page.emulate_media(reduced_motion="no-preference")
    player.go(0)
    player.settle()
    halves, moving, takes = page.evaluate(STEPPED)
    assert (halves, takes) == (14, 400), "two of each of the seven pairs"
    assert moving > halves + 10, "what is behind them follows"
    assert page.locator(".tv-slides > span > .tv-word").count() > 5, "words as a whole"
    page.evaluate("() => document.getAnimations().forEach(a => { a.currentTime = 259; })")
    assert page.evaluate(APART) == [], "each comes to where its letters are"
    # Another step ends it at once; later it ends by itself.
    player.button("Previous step").evaluate("button => button.click()")
    assert page.locator(".tv-slides").count() == 0
    player.settle()
    page.evaluate(STEPPED)
    page.evaluate("() => document.getAnimations().forEach(a => a.play())")
    page.wait_for_function("() => !document.getAnimations().length")
    assert page.locator(".tv-slides, .tv-corpus .tv-word[style]").count() == 0
    assert player.words() == words_of(course(), COURSE, 1)
    page.wait_for_function(f"() => ({LINE})() > 1")
    # Of many words in sight, those count that a step changes.
    player.open(trained(tokviz.SAMPLES["alice"].corpus[:9000], "bpe", 400), position=200)
    assert page.locator(".tv-block .tv-word").count() > 200
    player.press("ArrowRight")
    page.wait_for_function(NEXT_IN_SIGHT)
    assert page.evaluate(STEPPED)[0] > 1
    player.open(course("unigram", 45), position=16)
    halves, moving, takes = page.evaluate(STEPPED)
    assert (halves, takes) == (0, 500)
    page.evaluate("() => document.getAnimations().forEach(a => { a.currentTime = 324; })")
    assert moving, "a token comes apart"
    assert page.evaluate(APART) == []


def test_a_word_that_may_be_parted_is_whole_on_its_way(player):
    text = "東京タワー <b>&</b> {x} é low lower lowest newest widest 「日本語」"
    player.open(trained(text, "bpe", 50, "gpt2", unit="byte"), position=0)
    page = player.page
    page.set_viewport_size({"width": 400, "height": 844})
    page.emulate_media(reduced_motion="no-preference")
    player.settle()
    assert page.evaluate(TORN) == []
    assert page.evaluate("window.copies") > 10
