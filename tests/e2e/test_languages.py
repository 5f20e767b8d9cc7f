"""A page whose language is changed while somebody works on it."""

from playwright.sync_api import expect

from tokviz import SAMPLES
from tokviz.language import here, using

TITLE = SAMPLES["alice"].title


def switch(app, name):
    app.page.locator(".st-key-languages").get_by_text(name, exact=True).click()
    app.settle()


def test_what_is_chosen_in_a_list_stays_when_the_language_changes(app):
    with using("zh_CN"):
        translated = here(TITLE)
    assert translated != TITLE
    app.click("Change")
    chosen = app.page.locator(".st-key-sample input")
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
