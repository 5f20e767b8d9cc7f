"""The vocabulary that Unigram prunes, as chips in the place of the corpus."""

import re
from dataclasses import replace
from decimal import Decimal

from app_page import App
from player_page import SLIDER, course, trained
from playwright.sync_api import expect

import tokviz
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

#: The tokens of some chips, and the number below each.
ITEMS = """items => items.map(e => [e.querySelector('.chip').dataset.token,
    e.querySelector('small').textContent])"""
#: The size of each token's letters, in pixels.
SIZES = (
    """items => items.map(e => parseFloat(getComputedStyle(e.querySelector('.chip')).fontSize))"""
)
#: The tokens of the table's rows in sight.
IN_SIGHT = """() => {
    const { bottom } = document.querySelector('.tv-candidates').getBoundingClientRect();
    return [...document.querySelectorAll('.tv-candidates tbody tr:not([hidden]) .chip')]
        .filter(e => e.getBoundingClientRect().top < bottom).map(e => e.dataset.token); }"""
#: Words before and after a round: tokens, and what becomes of them.
ANEW = """all => all.map(e => [...e.querySelectorAll('.tv-word')].map(word =>
    [...word.querySelectorAll('.chip')].map(c =>
        [c.dataset.token, ['doomed', 'new', 'same'].find(kind => c.classList.contains(kind))])))"""


#: How many rows of the candidates are laid out, whether the last one is, and by how many pixels
#: the table is higher than all of them.
LAID_OUT = """() => {
    const all = query => [...document.querySelectorAll(`.tv-candidates tbody${query}`)];
    const rows = all(' tr:not([hidden])');
    const height = element => element.getBoundingClientRect().height;
    const isLaidOut = row => row.checkVisibility({ contentVisibilityAuto: true });
    const whole = all('').reduce((sum, group) => sum + height(group), 0);
    const more = whole - rows.length * height(rows[0]);
    return [rows.filter(isLaidOut).length, isLaidOut(rows.at(-1)), Math.round(more)];
}"""


def view(player, name):
    """The button of a view of the corpus: the figures have a term that is called the same."""
    views = player.page.get_by_role("group", name="Corpus as")
    return views.get_by_role("button", name=name, exact=True)


def written(number):
    """A loss delta as the player writes it."""
    return f"{number:.4g}"


def folds_and_unfolds(player):
    """Rounds 1 to 15 of 19 are one stretch of the bar, and one step, until they are unfolded."""
    page, slider = player.page, player.page.locator(SLIDER)
    fold = page.get_by_role("button", name="Rounds 1 to 15 change no word: unfold them")
    expect(page.locator(".tv-quiet")).to_contain_text("rounds 1 to 15 change no word")
    over = "step 0 of 19; the next step goes over 15 rounds that change no word"
    expect(slider).to_have_attribute("aria-valuetext", over)
    for key, step in [("ArrowRight", 15), ("ArrowRight", 16), ("ArrowLeft", 15), ("ArrowLeft", 0)]:
        player.press(key)
        player.wait_step(step)
        expect(player.field).to_have_value(str(step))
    expect(slider).to_have_attribute("aria-valuetext", over)
    # Dragged into the middle of the stretch, the thumb goes to one of its ends.
    slider.evaluate("e => { e.value = 0.5; e.dispatchEvent(new Event('input')); }")
    assert player.step in (0, 15)
    fold.click()
    expect(slider).to_be_focused()
    expect(fold).to_be_hidden()
    player.go(0)
    for key, step in [
        ("ArrowRight", 1),
        ("z", 0),
        ("ArrowRight", 15),
        ("z", 15),
        ("ArrowLeft", 14),
    ]:
        player.press(key)
        player.wait_step(step)
    page.get_by_role("button", name="fold", exact=True).click()
    player.wait_step(0)
    expect(fold).to_be_visible()
    # What is guessed comes round by round.
    player.press("q")
    expect(fold).to_be_hidden()
    player.press("q")
    # Whoever goes to a round inside sees it.
    player.go(3)
    player.wait_step(3)
    expect(fold).to_be_hidden()
    player.press("z")
    player.wait_step(0)


def works_out(player, history, t):
    """A loss delta beside the vocabulary: of the dearest that goes, or of the chosen token."""
    page = player.page
    page.get_by_role("button", name="Delta", exact=True).filter(visible=True).click()
    beside = page.get_by_role("group", name="Loss delta, word by word")
    expect(page.locator(".tv-candidates")).to_be_hidden()
    going = history.steps[t].removed
    for token in (going[-1], going[0]):
        if token != going[-1]:
            page.locator(f'.tv-goes .chip[data-token="{token}"]').click()
        terms = history.loss_terms(token, t)
        expect(beside.locator("h4 .chip")).to_have_attribute("data-token", token)
        expect(beside.locator("tbody th")).to_have_count(len(terms))
        shown = [Decimal(text) for text in beside.locator("tbody b").all_text_contents()]
        # The number below its chip is the sum.
        below = page.locator(f'.tv-item:has(.chip[data-token="{token}"]) small').text_content()
        assert beside.locator("tfoot td").text_content() == below
        assert sum(shown) == Decimal(below)
        off = [float(one) - term.rise for one, term in zip(shown, terms, strict=True)]
        assert max(map(abs, off)) < 0.001
    page.locator(".tv-stays .chip").first.click()
    expect(beside).to_contain_text("would cost")
    player.accessible_in_both_themes(".tv-worked")
    player.press("Escape")
    player.go(3)
    expect(beside).to_contain_text("costs 0")
    player.press("h", "h")
    expect(page.locator(".tv-candidates")).to_be_visible()


def test_what_goes_stands_before_the_cut_and_the_words_it_holds_below(player):
    history = course("unigram", 45)
    player.open(history)
    view(player, "vocabulary").click()
    page = player.page
    folds_and_unfolds(player)
    characters = page.locator(".tv-pruned section").nth(1)
    sizes = []
    for t in (0, 15, 16, len(history)):
        player.go(t)
        table = history.candidates(t)
        longer, kept = table[table.loss_delta.notna()], table[table.loss_delta.isna()]
        rows = longer[["token", "loss_delta"]].values.tolist()
        shown = [[token, written(delta)] for token, delta in rows]
        goes = page.locator(".tv-goes > .tv-item").evaluate_all(ITEMS)
        assert goes == shown[: int(table.chosen.sum())]
        stays = page.locator(".tv-stays > .tv-item").evaluate_all(ITEMS)
        free = [one for one in shown[len(goes) :] if one[1] == "0"]
        assert stays == [*free[:8], *shown[len(goes) + len(free) :]]
        note = page.locator(".tv-stays > .tv-note")
        if len(free) > 8:
            expect(note).to_have_text(f"and {len(free) - 8} more at 0")
        else:
            expect(note).to_have_count(0)
        counts = characters.locator(".tv-item").evaluate_all(ITEMS)
        assert sorted(counts) == sorted(
            [token, str(count)] for token, count in kept[["token", "count"]].values.tolist()
        )
        # The more probable, the larger.
        large = characters.locator(".tv-item").evaluate_all(SIZES)
        assert large == sorted(large, reverse=True)
        assert large[0] > 1.5 * large[-1]
        sizes.append(large[-1])
        player.fits(".tv-corpus")
    assert sizes == sorted(sizes), "the fewer tokens, the larger letters"
    assert sizes[0] >= 9

    player.go(17)
    change = history.loss_changes()[17]
    said = page.locator(".tv-loss")
    expect(said).to_have_text(
        "Loss 328.95 → 339.09: +15.50 because 6 words need other tokens, −5.36 because the tokens"
        " that stay share the probability of those that go: 93 × ln(236 ÷ 250)."
    )
    assert f"{change.dropped:.2f} {change.renormalised:.2f}" == "15.50 -5.36"
    words = page.locator(".tv-cut-anew")
    expect(words).to_have_count(change.words)
    for before, after in words.evaluate_all(ANEW):
        word = "".join(token for token, _ in before).replace("▁", " ")
        for t, cut in ((17, before), (18, after)):
            assert [token for token, _ in cut] == history.segmentation(word, t)
        doomed = {token for token, kind in before if kind == "doomed"}
        assert doomed
        assert doomed <= set(history.steps[17].removed)
        assert {kind for _, kind in after} <= {"new", "same"}
    works_out(player, history, 17)
    player.go(3)
    expect(page.get_by_text("No word changes The tokens that go are in no word")).to_be_visible()
    expect(words).to_have_count(0)


def test_long_tokens_lie_on_nothing_as_they_lean(player):
    player.open(trained("人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心", "unigram", 40))
    view(player, "vocabulary").click()
    higher = player.page.locator(".tv-goes .chip.doomed").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().height - e.offsetHeight)"
    )
    assert len(higher) > 10
    assert 1 < max(higher) < 9


def test_steps_of_sentencepiece_say_by_what_tokens_go(player):
    """EM steps by expected counts, prunings by the library's loss, the last step by probability."""
    history = course("sentencepiece-unigram", 40, min_expected_count=0.01)
    player.open(history)
    view(player, "vocabulary").click()
    page = player.page
    longer, characters = (page.locator(".tv-pruned section").nth(i) for i in (0, 1))
    heard = {
        "em": "how often EM expects it; below 0.01 it goes.",
        "prune": "loss delta as the library estimates it",
        "finalize": "ln P; the most probable stay.",
        "": "Below each: ln P.",
    }
    actions = [history.action(t) for t in range(len(history) + 1)]
    assert {*actions} == {*heard}
    for t in map(actions.index, heard):
        player.go(t)
        expect(longer).to_contain_text(heard[actions[t]])
        table = history.candidates(t)
        rows, single = table[table.token.str.len() > 1], table[table.token.str.len() == 1]
        goes, stays = (
            [token for token, _ in page.locator(f"{part} > .tv-item").evaluate_all(ITEMS)]
            for part in (".tv-goes", ".tv-stays")
        )
        assert goes == rows[rows.chosen].token.tolist()
        assert stays == rows[~rows.chosen].token.tolist()
        doomed = characters.locator(".chip.doomed").evaluate_all("all => all.map(c => c.innerText)")
        assert sorted(doomed) == sorted(single[single.chosen].token)
        anew = history.words_changed()[t] if t < len(history) else 0
        expect(page.locator(".tv-cut-anew")).to_have_count(min(12, anew))
        player.fits(".tv-corpus")
    player.go(actions.index("finalize"))
    said = page.locator(".tv-loss").text_content()
    before, after, change = map(Decimal, re.findall(r"\d+\.\d+", said))
    assert before + change == after
    for shown, exact in zip((before, after), history.curve().loss[-2:], strict=True):
        assert round(shown, 2) == round(Decimal(exact), 2)
    player.accessible(".tv-corpus")


def test_tokens_are_linked_chosen_and_read_by_everybody(player):
    player.open(course("unigram", 45), position=17)
    for name in ("words", "trees", "vocabulary"):
        player.press("w")
        expect(view(player, name)).to_have_attribute("aria-pressed", "true")
    page = player.page
    item = page.locator('.tv-stays .chip[data-token="er"]')
    item.hover()
    row = page.locator(".tv-candidates tr", has=page.locator('.chip[data-token="er"]'))
    assert row.evaluate("e => getComputedStyle(e).outlineStyle") == "solid"
    item.click()
    expect(player.card).to_contain_text("made by")
    player.press("Escape")
    player.accessible_in_both_themes(".tv-corpus")
    player.resize(390, 844)
    player.fits(".tv-corpus")
    # While somebody guesses, it is hidden.
    player.press("q")
    expect(page.locator(".tv-pruned section").first).to_be_hidden()
    player.press("q")
    expect(page.locator(".tv-pruned section").first).to_be_visible()
    # Merges prune no vocabulary.
    player.open(course())
    expect(view(player, "vocabulary")).to_have_count(0)
    player.open(course("unigram", 45), course())
    expect(view(player, "vocabulary")).to_have_count(0)


def test_of_a_large_vocabulary_what_is_next_to_the_cut_is_shown(player):
    """In the table, rows out of sight come when the player rests."""
    settings = {"seed_size": 5000, "prune_fraction": 0.1}
    history = trained(tokviz.SAMPLES["alice"].corpus, "unigram", 3000, **settings)
    player.open(history)
    view(player, "vocabulary").click()
    page = player.page
    rows = page.locator(".tv-candidates tbody tr:not([hidden]) .chip")
    for t in (1, 2, 1):
        player.go(t)
        at_once = page.evaluate(IN_SIGHT)
        table = history.candidates(t)
        assert at_once == table.token[: len(at_once)].tolist()
        assert 5 < len(at_once) < 40
        longer = table[table.loss_delta.notna()]
        goes, stays = longer[longer.chosen].token.tolist(), longer[~longer.chosen]
        assert len(goes) > 400
        said = page.locator(".tv-pruned section").first
        expect(said).to_contain_text(f"{len(longer):,} longer tokens")
        expect(said).to_contain_text(f"{len(goes)} go next, {len(stays):,} stay.")
        shown = [
            tokens for tokens, _delta in said.locator(".tv-goes > .tv-item").evaluate_all(ITEMS)
        ]
        assert shown == goes[-60:]
        expect(said.locator(".tv-goes > .tv-note")).to_have_text(
            f"and {len(goes) - 60} more tokens"
        )
        free = int((stays.loss_delta == 0).sum())
        notes = said.locator(".tv-stays > .tv-note, .tv-sized > .tv-note")
        expect(notes).to_have_text(
            [f"and {free - 8:,} more at 0", f"and {len(stays) - free:,} more tokens"]
        )
        expect(rows.last).to_have_attribute("data-token", table.token[207])
    # Rows out of sight cost a step no layout, and are there when somebody scrolls to them.
    laid_out, last, more = page.evaluate(LAID_OUT)
    assert (laid_out < 100, last, abs(more) < 2) == (True, False, True)
    rows.last.scroll_into_view_if_needed()
    page.evaluate(f"""() => new Promise(done => {{
        const look = () => ({LAID_OUT})()[1] ? done() : requestAnimationFrame(look);
        look();
    }})""")
    # Of more single characters than there is room for, too, it is said how many there are.
    many = "\n".join(f"{chr(0x4E00 + i)}ab" for i in range(310))
    player.open(trained(many, "sentencepiece-unigram", 330, character_coverage=1.0))
    view(player, "vocabulary").click()
    said = page.locator(".tv-pruned section").nth(1)
    expect(said).to_contain_text("313 single characters")
    expect(said.locator(".tv-item")).to_have_count(300)
    expect(said.locator(".tv-note").last).to_have_text("and 13 more tokens")


def test_it_is_the_first_view_in_the_app_and_a_loss_delta_is_worked_out_below(page, server):
    """Where one run is trained, it is what is seen first; while somebody guesses, the text is."""
    bpe = run_of_sample(tokviz.SAMPLES["course"])
    unigram = replace(bpe, algorithm="unigram", pretokenizer="metaspace", settings=())
    app = App(page, f"{server}/?lane={to_link(unigram)}&v=2&step=13")
    items = page.locator(".tv-stays .tv-item")
    expect(items.first).to_be_visible()
    app.press("q")
    expect(view(app, "text")).to_have_attribute("aria-pressed", "true")
    app.press("q")
    expect(items.first).to_be_visible()
    view(app, "text").click()
    expect(page).to_have_url(re.compile("view=text"))
    app.reload()
    expect(items).to_have_count(0)
    assert app.words()
    view(app, "vocabulary").click()
    expect(page).not_to_have_url(re.compile("view="))
    expect(items.first).to_be_visible()
    history = tokviz.train(tokviz.SAMPLES["course"].corpus, "unigram", 50)
    assert app.page.locator(".tv-goes .tv-item").count() == len(history.steps[app.step].removed)
    app.go(app.steps - 1)
    app.page.locator(".tv-goes .chip").first.click()
    app.click("Look into this token")
    worked_out = page.get_by_role("region", name="The loss delta, word by word")
    expect(worked_out.locator("tfoot")).to_contain_text("together: the loss delta")
    app.settle()
    app.accessible(".tv-why")
    # Presenting, the sum comes first, above as much as there is room for.
    about, rest = (page.locator(f".st-key-token_{part}") for part in ("about", "rest"))
    facts = page.locator(".tv-facts div").filter(visible=True)
    app.press("p", "n")
    expect(rest).to_be_hidden()
    expect(worked_out.locator("tbody tr")).to_have_count(1)
    expect(facts).to_have_count(3)
    app.fill("textbox", "Token", "er")
    expect(worked_out.locator("tbody tr")).to_have_count(3)
    expect(about).to_be_hidden()
    app.press("p")
    expect(rest).to_be_visible()
    app.resize(390, 844)
    app.fits()
