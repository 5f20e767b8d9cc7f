"""A page whose language is changed while somebody works on it."""

from playwright.sync_api import expect

from tokviz import SAMPLES
from tokviz.basics.messages import _, here, using

TITLE = SAMPLES["alice"].title


def switch(app, name):
    app.page.locator(".st-key-languages").get_by_text(name, exact=True).click()
    app.settle()


def test_what_is_chosen_in_a_list_stays_when_the_language_changes(app):
    with using("zh_CN"):
        translated = here(TITLE)
    assert translated != TITLE
    app.click("Change")
    chosen = app.page.locator("[class*=st-key-sample_] input")
    chosen.fill("Alice")
    app.page.get_by_role("option", name=TITLE).click()
    app.settle()
    # The size that comes with the sample.
    size = app.page.locator(".st-key-vocab_size input")
    expect(size).to_have_value("1000")
    for name, title in (
        ("简体中文", translated),
        ("English", str(TITLE)),
        ("简体中文", translated),
    ):
        switch(app, name)
        expect(chosen).to_have_value(title)
        expect(size).to_have_value("1000")
    assert not app.page.locator(".stException").count()


def test_the_player_and_the_lenses_come_back_to_a_language(app):
    page = app.page
    page.get_by_role("radio", name="A word", exact=True).click()
    app.settle()
    with using("zh_CN"):
        names = {"简体中文": (_("Candidates"), _("Word")), "English": ("Candidates", "Word")}
    assert names["English"] != names["简体中文"]
    for name in ("简体中文", "English", "简体中文", "English"):
        switch(app, name)
        candidates, word = names[name]
        expect(page.locator(".tv-candidates h3").first).to_contain_text(candidates)
        expect(page.locator(".tv-wordfield")).to_have_attribute("aria-label", word)
    # Players of other languages are gone: a key moves the scrubber by one step.
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    app.settle()
    expect(page.get_by_role("group", name="Training player")).to_have_attribute("data-step", "14")
