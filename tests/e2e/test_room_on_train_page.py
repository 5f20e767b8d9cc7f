"""On the Train page nothing is cut off or hidden, on any screen."""

import re
from dataclasses import replace
from io import BytesIO

from PIL import Image
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

RUN = run_of_sample(tokviz.SAMPLES["course"])
#: Where the panels begin, in pixels.
AT_LEFT = "() => document.querySelector('.tv-panels').getBoundingClientRect().left"
#: How many lines of its text a field shows.
LINES = """field => { const { lineHeight, paddingTop } = getComputedStyle(field);
    return (field.clientHeight - parseFloat(paddingTop) + 0.5) / parseFloat(lineHeight); }"""
#: What is read in the field of the sample, its own name or that of the sample; "" if it is cut.
READ_WHOLE = """() => {
    const field = document.querySelector('.st-key-strip_text .stSelectbox');
    const input = field.querySelector('input');
    const label = field.querySelector('label');
    const seen = e => e.checkVisibility({ opacityProperty: true });
    const read = [[input, input.value], [label, label.textContent]].filter(([e]) => seen(e));
    return read.length === 1 && read[0][0].scrollWidth <= read[0][0].clientWidth ? read[0][1] : '';
}"""


#: Words of the corpus that take two lines, and closing marks that do not follow their word.
PARTED = """() => [...document.querySelectorAll('.tv-lines .tv-word')].filter(word => {
    const first = word.getClientRects()[0], tokens = [...word.querySelectorAll('.chip')];
    if (tokens.some(chip => chip.getBoundingClientRect().top > first.bottom)) return true;
    const before = /^[.,]$/.test(word.textContent) && word.previousElementSibling;
    return before && before.getClientRects()[0].bottom < first.top;
}).map(word => word.textContent)"""


def ring_is_whole(page, field):
    """Whether the ring around a field that has the focus is seen on all four sides."""
    # A key says that the ring is wanted.
    page.keyboard.press("Shift")
    field.focus()
    box = field.bounding_box()
    clip = {"x": box["x"] - 4, "y": box["y"] - 4, "width": box["width"] + 8}
    picture = Image.open(BytesIO(page.screenshot(clip={**clip, "height": box["height"] + 8})))
    accent = page.evaluate("""() =>
        getComputedStyle(document.activeElement).outlineColor.match(/\\d+/g).map(Number)""")
    width, height = picture.size
    sides = [(0, height // 2), (width - 4, height // 2), (width // 2, 0), (width // 2, height - 4)]
    return all(
        tuple(accent) in picture.convert("RGB").crop((x, y, x + 4, y + 4)).get_flattened_data()
        for x, y in sides
    )


#: The query of three lanes: tests/e2e/test_lanes.py adds them one by one.
THREE_LANES = "&".join(
    f"lane={to_link(replace(RUN, algorithm=algorithm, vocab_size=size, settings=()))}"
    for algorithm, size in (("bpe", 50), ("wordpiece", 60), ("unigram", 100))
)


def test_nothing_is_cut_off_and_on_a_phone_the_text_comes_first_and_what_plays_at_the_thumb(
    app,
):
    page = app.page
    for width, height in ((1920, 1080), (1366, 768), (1024, 768), (683, 768), (390, 844)):
        app.resize(width, height)
        app.charts()
        app.fits("html", ".stMain", ".tv-corpus", ".tv-candidates")
        # On a phone its tab names the corpus.
        if width > 640:
            app.fits(".tv-corpus h3")
        assert page.evaluate(AT_LEFT) % 1 == 0, "WebKit cuts right edges that are between pixels"
        more = app.button("More").bounding_box()
        assert more["x"] + more["width"] <= width
        hidden = """() => { const said = document.querySelector('.tv-say');
            return said.scrollHeight - said.clientHeight; }"""
        # Wider than a projector there is more room for the same.
        for step, [pixels] in enumerate(app.at_each_step(hidden) if width < 1920 else ()):
            assert pixels <= 0, (width, step)
    quiz = page.locator(".tv-actions .tv-named").first
    expect(quiz).to_have_text("Quiz", use_inner_text=True)
    expect(page.locator(".tv-play")).to_have_text("Play", use_inner_text=True)
    app.resize(1366, 768)
    assert 3 <= page.get_by_role("textbox", name="Your text", exact=True).evaluate(LINES) < 3.2

    # Each word of the corpus is in one line, with the full stop or comma behind it.
    assert page.evaluate(PARTED) == []
    app.algorithm("WordPiece")
    assert page.evaluate(PARTED) == []
    app.resize(1920, 1080)
    assert page.evaluate(PARTED) == []
    app.algorithm("BPE")
    app.go(13)
    moves = [page.get_by_role("button", name=name) for name in ("First step", "Play", "Last step")]
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_have_text(re.compile("language models read.$"), use_inner_text=True)
    for width, height in ((390, 844), (320, 640)):
        app.resize(width, height)
        app.charts()
        app.fits()
        expect(headline).to_have_text(
            "Watch a tokenizer learn to cut your text into tokens.", use_inner_text=True
        )
        assert page.locator(".tv-corpus .chip").first.bounding_box()["y"] < 260
        assert page.evaluate(READ_WHOLE) == "Sample"
        # The page was wide before, with both in sight.
        expect(page.locator(".tv-swiped [aria-current=true]")).to_have_text("Corpus")
        text = page.get_by_role("textbox", name="Your text", exact=True)
        for part in (text, page.locator(".tv-candidates"), page.locator(".tv-corpus")):
            part.scroll_into_view_if_needed()
            for move in moves:
                expect(move).to_be_in_viewport(ratio=1)
                move.click(trial=True)
            page.get_by_role("spinbutton", name="Go to step").click(trial=True)
        for one in ("slider", "spinbutton"):
            assert ring_is_whole(page, page.locator(".tv-transport").get_by_role(one).first), one
        assert text.bounding_box()["y"] < page.locator(".tv-corpus").bounding_box()["y"]
    for move in moves[::2]:
        move.click()
    assert app.step == app.steps
    # The field folds when a press leaves it, and what was under the finger is pressed all the same.
    page.get_by_role("textbox", name="Your text", exact=True).focus()
    wordpiece = page.get_by_role("radio", name="WordPiece", exact=True)
    wordpiece.click()
    expect(wordpiece).to_be_checked()
    app.algorithm("BPE")
    # What is set less often has a tab of its own.
    size = page.get_by_role("spinbutton", name="Vocabulary size", exact=True)
    expect(size).to_be_hidden()
    app.click("Settings")
    expect(page.locator(".tv-corpus")).to_be_hidden()
    assert page.evaluate(READ_WHOLE) == "Four course sentences"
    app.fits()
    steps = app.steps
    app.fill("spinbutton", "Vocabulary size", "5")
    said = page.get_by_text("A vocabulary size of 5 is too small", exact=False)
    expect(said.first).to_be_in_viewport()
    assert app.steps == steps, "the run before stays on the page"
    app.size(50)
    # What plays, and the way back to the text, stay in sight below the open settings.
    app.resize(390, 844)
    page.locator(".st-key-settings_0 button").filter(visible=True).click()
    expect(page.get_by_role("combobox", name="Preset")).to_be_in_viewport(ratio=1)
    for part in (app.button("Play"), *page.locator(".tv-swiped button").all()):
        expect(part).to_be_in_viewport(ratio=1)
    app.click("Close")

    app.go_on(THREE_LANES)
    expect(page.locator(".tv-lane")).to_have_count(3)
    for width, height in ((390, 844), (1024, 768), (1920, 1080)):
        app.resize(width, height)
        app.charts()
        expect(page.locator(".tv-play")).to_have_text("Play", use_inner_text=True)
        app.fits()
        if width > 900:
            sample = page.locator(".st-key-strip_text .stSelectbox").bounding_box()
            file = app.button("Open a file").bounding_box()
            assert sample["x"] + sample["width"] <= file["x"]
