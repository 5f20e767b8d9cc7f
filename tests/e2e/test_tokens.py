"""A token that is selected or looked for: its card, and where it is marked."""

import pytest
from player_page import course, trained
from playwright.sync_api import expect

import tokviz

OUTLINED = "e => getComputedStyle(e).outlineStyle"


def test_a_selected_token_has_a_card_until_somebody_looks_away(player):
    history = course()
    player.open(history, position=13)
    page, card = player.page, player.card
    # The mouse may rest on a token, and no card covers the corpus.
    player.chip("Ġtoken").hover()
    page.wait_for_timeout(500)
    expect(card).to_be_hidden()
    player.chip("Ġtoken").click()
    said = card.inner_text()
    count = dict(zip(history.vocab(13), history.token_counts(13), strict=True))["Ġtoken"]
    assert f"count now\n{count}" in said
    assert "Ġtoken" in card.locator("dt:text-is('words') + dd").inner_text().replace(" ", "")
    assert card.locator("dt:text-is('from') + dd .chip").count() == 2
    assert "step 12" in said
    assert "U+0020 U+0074 U+006F" in said
    assert "20 74 6f 6b 65 6e" in said
    text = card.locator("dt:text-is('text') + dd")
    assert text.inner_text() == "␣token"
    colours = "dd => [dd.querySelector('.m'), dd].map(e => getComputedStyle(e).color)"
    sign, letters = text.evaluate(colours)
    assert sign != letters, "dimmed, so that nobody takes it for a part of the text"
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    # Who marks text with the mouse keeps the token.
    player.chip("Ġtoken").click()
    words = page.locator(".tv-corpus .tv-word")
    first, last = words.nth(1).bounding_box(), words.nth(4).bounding_box()
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=5)
    page.mouse.up()
    assert page.evaluate("() => String(getSelection())")
    expect(card).to_be_visible()
    page.locator(".tv-corpus h3").click()
    expect(card).to_be_hidden()
    # A special token has one too.
    player.open(course(special_tokens=("<pad>", "the")), position=13)
    special = player.page.locator(".tv-corpus .chip.special")
    special.first.click()
    assert player.card.locator(".chip").get_attribute("data-token") == "the"
    assert "special token, never trained" in player.card.inner_text()
    assert player.card.locator("dt:text-is('id') + dd").inner_text() == "1"
    for chip in special.all():
        assert chip.evaluate(OUTLINED) == "solid"


def test_a_token_is_found_with_the_keyboard(player):
    player.open(course(), position=13)
    page, card = player.page, player.card
    field = page.get_by_role("combobox", name="Find a token")
    page.keyboard.press("/")
    page.keyboard.type("Ġtoken")
    page.keyboard.press("Enter")
    expect(card.locator(".chip").first).to_have_attribute("data-token", "Ġtoken")
    assert player.chip("Ġtoken").evaluate(OUTLINED) == "solid"
    field.press("Escape")
    expect(card).to_be_hidden()
    assert field.input_value() == ""
    assert player.chip("Ġtoken").evaluate(OUTLINED) == "none"
    player.enter("combobox", "Find a token", "zzz")
    assert field.evaluate("e => e.validationMessage") == "No token holds this text."
    player.enter("combobox", "Find a token", "oken")
    assert card.locator(".chip").first.get_attribute("data-token") == "Ġtoken"
    # By the text that its bytes are shown as.
    player.open(trained("日本 日本 日本 café café café au lait", "bpe", 60, unit="byte"))
    player.press("End")
    for typed in ("日", "本", "é"):
        player.press("/")
        field.fill(typed)
        offered = page.locator("#tv-tokens option").evaluate_all("all => all.map(o => o.value)")
        assert offered
        assert all(typed in name for name in offered)
        field.press("Enter")
        assert card.locator(".chip").first.text_content() == offered[0]


def test_bytes_stand_under_their_character_until_they_are_one_token(player):
    player.open(trained("日本 日本 日本 café café au lait", "bpe", 60, unit="byte"))
    stacks = player.page.locator(".tv-corpus .tv-stack")
    assert stacks.locator("> :first-child").all_inner_texts() == [*"日本日本日本éé"]
    first = stacks.first
    assert first.locator(".chip").all_inner_texts() == ["E6", "97", "A5"]
    character, chip = first.locator("> :first-child"), first.locator(".chip").first
    assert character.bounding_box()["y"] + 10 < chip.bounding_box()["y"]
    player.page.set_viewport_size({"width": 390, "height": 844})
    player.fits(".tv-corpus")
    player.press("End")
    assert stacks.count() == 0
    assert "".join(player.page.locator(".tv-corpus .tv-word").first.all_inner_texts()) == "日本"
    # A word that is wider than the panel goes on in the next line, and nothing of it is cut off.
    player.open(trained("internationalization a <script>x</script>", "bpe", 24, "whitespace"))
    ends = """chips => chips.map(c => c.getBoundingClientRect().right
        - c.closest('.tv-corpus').getBoundingClientRect().right)"""
    for step in (0, 1, player.steps):
        player.go(step)
        assert max(player.page.locator(".tv-corpus .chip").evaluate_all(ends)) < -2


QUOTED = """「何でも」薄暗い「じめじめ」した所で『生れた』か（とんと）見当が「つかぬ」。
「はい」「いいえ」「たぶん」であり、「東京」から「大阪」まで、それから……「そうか」（笑）！"""
#: Where lines of the corpus begin: what is read before and behind, bytes by their character.
LINES_BEGIN = """() => [...document.querySelectorAll('.tv-corpus p')].flatMap(line => {
    const all = [...line.querySelectorAll('.tv-stack, .tv-lines .chip:not(.tv-under *)')]
        .map(e => ({ box: e.getBoundingClientRect(),
            text: (e.matches('.chip') ? e : e.firstChild).textContent }));
    return all.slice(1).map((cell, i) => [all[i], cell])
        .filter(([before, cell]) => cell.box.top > before.box.bottom - 4)
        .map(both => both.map(({ text }) => text));
})"""


@pytest.mark.parametrize("pretokenizer", ["gpt2", "whitespace"])
def test_no_closing_mark_begins_a_line_and_no_opening_mark_ends_one(player, pretokenizer):
    names = "udhr-ja", "udhr-zh", "alice"
    quotes = "私は「自由」と（平等）を求める。" * 9 + QUOTED
    text = "\n".join(tokviz.SAMPLES[name].corpus[:300] for name in names) + quotes
    player.open(trained(text, "bpe", 180, pretokenizer, unit="byte"))
    for width in (1366, 390, 320):
        player.resize(width, 768)
        for step in (0, player.steps // 2, player.steps):
            player.go(step)
            player.wait_step(step)
            begins = player.page.evaluate(LINES_BEGIN)
            assert len(begins) > 6
            for before, behind in begins:
                assert behind[0] not in "、。，」』）！.,?!:;っー", (width, step, before, behind)
                assert before[-1] not in "「『（(", (width, step, before, behind)
