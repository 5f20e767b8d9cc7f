"""A page whose language is changed while somebody works on it."""

from playwright.sync_api import expect

from tokviz import SAMPLES
from tokviz.basics.messages import _, here, using

TITLE = SAMPLES["alice"].title


def switch(app, name):
    app.page.locator(".st-key-languages").get_by_text(name, exact=True).click()
    app.settle()


def test_what_is_chosen_and_player_and_lenses_stay_when_the_language_changes(app):
    page = app.page
    with using("zh_CN"):
        chinese = (here(TITLE), _("Candidates"), _("Word"))
    english = (str(TITLE), "Candidates", "Word")
    assert not set(chinese) & set(english)
    page.get_by_role("radio", name="A word", exact=True).click()
    app.click("Settings")
    chosen = page.locator("[class*=st-key-sample_] input")
    chosen.fill("Alice")
    page.get_by_role("option", name=TITLE).click()
    app.settle()
    # The size that comes with the sample.
    size = page.locator(".st-key-vocab_size input")
    expect(size).to_have_value("1000")
    for name, said in (("简体中文", chinese), ("English", english)):
        switch(app, name)
        title, candidates, word = said
        expect(chosen).to_have_value(title)
        expect(size).to_have_value("1000")
        expect(page.locator(".tv-candidates h3").first).to_contain_text(candidates)
        expect(page.locator(".tv-wordfield")).to_have_attribute("aria-label", word)
    assert not page.locator(".stException").count()
    # Players of other languages are gone: a key moves the scrubber by one step.
    page.evaluate("document.activeElement.blur()")
    # A text that is trained in a moment is on the page now, after the same share of its training.
    step = app.step + 1
    page.keyboard.press("ArrowRight")
    app.settle()
    assert app.step == step
