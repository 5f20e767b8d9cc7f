"""The player's own table of candidates: its numbers, its notes, and that none is cut off."""

import math

import pandas as pd
from player_page import COURSE, course, trained, words_of
from playwright.sync_api import expect

from tokviz.basics.glossary import meaning
from tokviz.narration import agreement

EM = "sentencepiece-unigram"
FLAWED = "huggingface-unigram"
EXACT = {"exact_deltas": True, "min_expected_count": 0.0}

#: Notes, with an algorithm, a size and settings whose table has them in the first steps.
NOTES = [
    ("first-seen", "bpe", 50, {}),
    ("first-seen", "wordpiece", 60, {}),
    ("largest-pair", "bpe", 50, {"tie_break": "largest-pair", "unit": "char"}),
    ("smallest-ids", "bpe", 50, {"tie_break": "smallest-ids", "unit": "char"}),
    ("smallest-ids", "wordpiece", 60, {"score": "frequency"}),
    ("shortest", "sentencepiece-bpe", 40, {}),
    ("vocabulary order", "unigram", 100, {}),
    ("never goes", "unigram", 33, {}),
    ("lower id stays", EM, 39, {"min_expected_count": 0.0}),
    ("no alternative", EM, 33, {"min_expected_count": 0.0, "shrinking_factor": 0.6}),
    ("no alternative", EM, 33, EXACT | {"shrinking_factor": 0.6}),
    ("should stay", FLAWED, 40, EXACT),
]
#: Cells that have a note, and how much room is left of each: of what is written, not of the space
#: around it.
NOTED = """[...document.querySelectorAll('.tv-candidates td.note')]
    .filter(cell => cell.textContent.includes(note) && cell.checkVisibility())"""
ROOM = f"""note => {NOTED}.map(cell => {{ const range = document.createRange();
    range.selectNodeContents(cell.querySelector('.rule') ?? cell.firstChild);
    const [a, b] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
    return [b.right - a.right, b.height - a.height]; }})"""
#: Steps on until there is such a cell.
STEP_TO = f"""note => {{ const next = document.querySelector('[aria-label="Next step"]');
    while (!{NOTED}.length && next.ariaDisabled !== 'true') next.click(); }}"""
#: The tokens that are outlined in the text, and the rows that are.
OUTLINED = """() => { const outlined = all => [...document.querySelectorAll(all)]
    .filter(e => getComputedStyle(e).outlineStyle === 'solid');
    return [outlined('.tv-corpus .chip').map(c => c.dataset.token),
        outlined('.tv-candidates tbody tr').map(r => r.rowIndex - 1)]; }"""


#: Whether the table's headings are seen when its rows are scrolled.
HEAD_STAYS = """() => { const panel = document.querySelector('.tv-candidates');
    panel.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    panel.scrollTop = 150;
    return [...panel.querySelectorAll('th button')].filter(e => e.checkVisibility()).every(e => {
        const { left, right, top, bottom } = e.getBoundingClientRect();
        return e.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2)); })
        && panel.scrollTop === 150; }"""
#: Whether each of some elements is wholly inside of what holds it, or wholly outside.
WHOLE = """all => all.every(e => { const [box, room] = [e, e.parentElement]
        .map(x => x.getBoundingClientRect());
    const isIn = box.right <= room.right + 1 && box.bottom <= room.bottom + 1;
    return isIn || box.top >= room.bottom - 1; })"""
#: Where each term that is seen is, and its popup once it is tapped.
EXPLAINED = """async () => { const found = [];
    const popup = document.querySelector('[role=tooltip]');
    for (const term of document.querySelectorAll('button.tv-term')) {
        if (!term.checkVisibility()) continue;
        term.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        await new Promise(requestAnimationFrame);
        term.click();
        await new Promise(requestAnimationFrame);
        found.push([term, popup].map(e => e.getBoundingClientRect().toJSON()));
        document.body.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }));
    }
    return found; }"""


def test_no_note_is_cut_off(player):
    widths = [390, 1366]
    for note, algorithm, size, settings in NOTES:
        player.open(course(algorithm, size, **settings)).set_letters()
        player.page.evaluate(STEP_TO, note)
        for width in widths:
            player.resize(width, 800)
            room = player.page.evaluate(ROOM, note)
            assert min(right for right, _ in room) >= 0, (note, algorithm, width, room)
            assert min(height for _, height in room) >= -4, (note, algorithm, width, room)
        # The next run begins where this one ends.
        widths.reverse()


def test_the_bracket_around_a_tie_begins_and_ends_with_it(player):
    history = course("bpe", 50)
    player.open(history)
    player.go(next(t for t, step in enumerate(history.steps) if 3 <= step.tied <= 15))
    kinds = player.page.locator(".tv-candidates tr:not([hidden]) td.tie").evaluate_all(
        "cells => cells.map(cell => cell.className)"
    )
    inner = ["note tie"] * (len(kinds) - 2)
    assert kinds == ["note tie top", *inner, "note tie bottom"]
    assert len(kinds) == history.steps[player.step].tied


def test_exact_deltas_stand_beside_the_losses(player):
    """Each number where its heading says, the rank only where it is not the row's."""
    history = course(EM, 36, **EXACT)
    player.open(history, position=2).set_letters()
    prunings = [t for t, step in enumerate(history.steps) if step.action == "prune"]
    assert len(prunings) > 1
    table = player.page.get_by_role("table", name="Candidates")
    heads = table.locator("th").evaluate_all(
        "all => all.map(th => [th.innerText, th.firstChild.dataset.explained])"
    )
    assert [head.split("\n")[0] for head, _ in heads[1:]] == ["Expected", "Loss", "exact Δ", "rank"]
    assert all(help for _, help in heads[1:])
    cells = """rows => rows.filter(r => !r.hidden).map(r => ['.loss', '.exact-delta', '.exact-rank']
        .map(c => r.querySelector(c).textContent))"""
    for t in (*prunings, 1):
        player.go(t)
        rows = history.candidates(t)
        shown = table.locator("tbody tr").evaluate_all(cells)
        assert len(shown) >= min(20, len(rows))
        for i, (loss, exact, rank) in enumerate(shown):
            row = rows.iloc[i]
            assert (loss, exact) == tuple(
                "–" if math.isnan(value) else f"{value:.4g}"
                for value in (row.loss_delta, row.exact_delta)
            )
            stays = pd.isna(row.exact_rank) or row.exact_rank == i + 1
            assert rank == ("" if stays else str(row.exact_rank))
        assert player.page.locator(".tv-agreement").inner_text() == agreement(history, t)
    player.accessible()
    for width in (390, 1366):
        player.resize(width, 844)
        player.go(prunings[0])
        player.fits(".tv-candidates")
        expect(table.locator("td.exact-delta").first).to_be_visible()


def test_the_right_loss_stands_beside_the_flawed_one(player):
    """Each number where its heading says; a row says what should become of its token where the
    flaw decides. The headings say what the flaw is."""
    table = player.page.get_by_role("table", name="Candidates")
    for more in ({}, {"exact_deltas": True}):
        history = course(FLAWED, 40, min_expected_count=0.0, **more)
        t = next(
            t
            for t in range(len(history))
            if history.action(t) == "prune" and history.slip(t).lost.size
        )
        player.open(history, position=t).set_letters()
        heads = table.locator("th.loss, th.right").evaluate_all(
            "all => all.map(th => [th.innerText, th.firstChild.dataset.explained])"
        )
        assert [head for head, _ in heads] == ["Loss\nper word", "Right loss\nper word"]
        assert "It is wrong: instead of the few pieces that would take the token’s" in heads[0][1]
        assert "with only the pieces that would take the token’s place" in heads[1][1]
        assert "SentencePiece" not in heads[0][1]
        shown = table.locator("tbody tr:not([hidden])").evaluate_all(
            """rows => rows.map(r => [...r.querySelectorAll('.loss, .right, .note')]
                .map(cell => cell.textContent))"""
        )
        fates = {(True, False): "should stay", (False, True): "should go"}
        rows = history.candidates(t, len(shown))
        assert shown == [
            [
                *("–" if math.isnan(x) else f"{x:.4g}" for x in (row.loss_delta, row.right_loss)),
                fates.get((row.chosen, row.right_goes), row.reason),
            ]
            for row in rows.itertuples()
        ]
        assert {note for *_, note in shown} >= {*fates.values()}
        for width in (320, 1366):
            player.resize(width, 700)
            player.fits(".tv-candidates", ".tv-say")
            expect(table.locator("td.right").last).to_be_visible()
            expect(table.locator("td.expected").last).to_be_hidden()
            # What a row holds is ink, and makes nothing wider.
            assert table.locator("tbody tr").first.evaluate(
                """row => row.lastChild.getBoundingClientRect().right
                    <= row.getBoundingClientRect().right + 1"""
            )
            assert player.page.evaluate(HEAD_STAYS)
    player.accessible_in_both_themes(".tv-candidates")
    vocabulary = player.page.locator(".tv-corpus")
    views = player.page.get_by_role("group", name="Corpus as")
    views.get_by_role("button", name="vocabulary").click()
    expect(vocabulary).to_contain_text("loss delta as the library estimates it")
    player.go(len(history) - 1)
    expect(vocabulary).to_contain_text("whose loss was the greatest in the last pruning")


def test_rows_and_places_are_linked_by_pointer_and_by_focus(player):
    history = course()
    player.open(history, position=2)
    words = words_of(history, COURSE, 2)
    rows = player.page.locator(".tv-candidates tbody tr")
    for i, (pair, _) in enumerate(player.candidates()[:9]):
        # A token may be in the pair with the one before it, or with the one behind it.
        beside = [
            token
            for word in words
            for k, token in enumerate(word)
            if pair in (word[k : k + 2], word[max(0, k - 1) : k + 1])
        ]
        rows.nth(i).hover()
        assert player.page.evaluate(OUTLINED) == [beside, [i]]
    player.page.locator(".tv-pair .chip").last.hover()
    next_pair = player.page.evaluate(OUTLINED)
    assert next_pair[1] == [0]
    player.page.mouse.move(0, 0)
    assert player.page.evaluate(OUTLINED) == [[], []]
    player.page.locator(".tv-candidates").focus()
    player.page.keyboard.press("ArrowDown")
    assert player.page.evaluate(OUTLINED) == next_pair
    player.page.keyboard.press("ArrowDown")
    assert player.page.evaluate(OUTLINED)[1] == [1]
    for _ in range(2):
        player.page.keyboard.press("ArrowUp")
    player.page.keyboard.press("ArrowRight")
    assert (player.step, player.page.evaluate(OUTLINED)[1]) == (3, [0]), "a step has other rows"
    player.page.keyboard.press("q")
    player.page.locator(".tv-pair .chip").last.hover()
    assert player.page.evaluate(OUTLINED)[0] == [], "a quiz asks for it"
    player.open(course("unigram", 45), position=17)
    player.page.locator(".chip.doomed").first.hover()
    token = player.page.locator(".chip.doomed").first.get_attribute("data-token")
    outlined, row = player.page.evaluate(OUTLINED)
    assert set(outlined) == {token}
    assert player.candidates()[row[0]][0] == [token]


#: How many candidates reach out of their row, or of their cell by more than a chip's margin.
CUT = """() => { const rows = [...document.querySelectorAll('.tv-candidates tr[data-key]')];
    return rows.filter(row => !row.hidden).filter(row => {
    const { clientWidth, scrollWidth } = row.querySelector('.pair');
    return scrollWidth > clientWidth + 3 || row.scrollHeight > row.clientHeight + 1; }).length; }"""


def test_a_long_pair_takes_as_many_lines_as_it_needs(player):
    words = "internationalizations institutionalization uninternationalized deinstitutionalizing"
    player.open(trained(words, "wordpiece", 60))
    player.set_letters()
    for size in ((1366, 768), (683, 384), (320, 640)):
        player.resize(*size)
        player.fits("html", ".tv-candidates", ".tv-swiped")
        assert not any(cut for [cut] in player.at_each_step(f"({CUT})")), size
    row = player.page.locator(".tv-candidates tbody tr[data-long]").first
    player.go(player.steps - 1)
    assert row.bounding_box()["height"] > 45, "the last pairs are longer than a line"


def test_a_term_explains_itself(player):
    """By hover, focus and tap, beside it; Escape closes the popup and nothing else."""
    player.open(course("wordpiece", 60), position=1)
    page = player.page
    popup = page.get_by_role("tooltip")
    score = page.get_by_role("button", name="Score", exact=True)
    boxes = "es => es.flatMap(e => Object.values(e.getBoundingClientRect().toJSON()))"
    before = page.locator(".tv-lanes, .tv-panels, th").evaluate_all(boxes)
    score.hover()
    expect(popup).to_have_text(meaning("score"))
    assert page.locator(".tv-lanes, .tv-panels, th").evaluate_all(boxes) == before
    page.mouse.move(5, 5)
    expect(popup).to_be_hidden()
    player.chip("##u").click()
    expect(player.card).to_be_visible()
    page.get_by_role("button", name="vocabulary", exact=True).focus()
    expect(popup).to_have_text(meaning("vocabulary"))
    # The label is built once: the focus stays on it while the step changes.
    page.keyboard.press("ArrowRight")
    player.wait_step(2)
    expect(popup).to_be_visible()
    assert page.evaluate("() => document.activeElement.getAttribute('aria-describedby')") == (
        popup.get_attribute("id")
    )
    player.accessible(".tv-lanes")
    page.keyboard.press("Escape")
    expect(popup).to_be_hidden()
    expect(player.card).to_be_visible()
    page.keyboard.press("Tab")
    expect(popup).to_have_text(meaning("corpus-tokens"))
    signs = page.locator(".tv-signs-explained button")
    expect(signs).to_have_text(["## goes on inside a word"])
    signs.focus()
    expect(popup).to_have_text(meaning("continuing-prefix"))
    page.keyboard.press("Escape")
    for width, height in ((1366, 768), (390, 844), (320, 480)):
        player.resize(width, height)
        # A sign is whole, or left out.
        assert signs.evaluate_all(WHOLE)
        page.locator("button.tv-term:visible").last.click()
        expect(popup).to_be_visible()
        page.locator(".tv-say").first.click(position={"x": 2, "y": 2})
        expect(popup).to_be_hidden()
        seen = page.evaluate(EXPLAINED)
        assert len(seen) > 4
        for label, over in seen:
            apart = over["top"] >= label["bottom"] or over["bottom"] <= label["top"]
            assert apart, (width, label, over)
            assert over["left"] >= 0
            assert over["right"] <= width
        expect(popup).to_be_hidden()


def test_a_picture_shows_why_a_rare_pair_wins(player):
    """Beside the text, and alone while presenting: the numbers of the table, and its text."""
    history = course("wordpiece", 60, "bert")
    player.open(history)
    page = player.page
    picture = page.get_by_role("group", name="Scores of WordPiece as a picture")
    expect(picture).to_be_hidden()
    page.get_by_role("button", name="Scores").filter(visible=True).click()
    expect(page.get_by_role("button", name="Scores").filter(visible=True)).to_be_focused()
    expect(page.locator(".tv-candidates")).to_be_hidden()
    for t in (1, 8, len(history)):
        player.go(t)
        rows = history.candidates(t, 20)
        best = rows.iloc[0]
        fraction = f"{best['count']} ÷ ({best.left_count} × {best.right_count}) = {best.score:.4g}"
        said = picture.locator("p")
        expect(said).to_contain_text(fraction)
        products = rows.left_count * rows.right_count
        places = {*zip(products, rows["count"], strict=True)}
        expect(picture.locator("circle")).to_have_count(len(places))
        text = picture.get_by_role("img").get_attribute("aria-label")
        assert fraction in text
        assert f"in {len(places)} places" in text
        player.fits(".tv-scores")
    player.accessible_in_both_themes(".tv-scores")
    player.press("h", "h")
    expect(page.locator(".tv-candidates")).to_be_visible()
    player.press("p", "m")
    expect(picture).to_be_visible()
    expect(page.locator(".tv-corpus")).to_be_hidden()
    # A run whose pairs have no such score has no such picture.
    player.open(course("bpe", 60))
    expect(page.get_by_role("button", name="Scores")).to_have_count(0)
