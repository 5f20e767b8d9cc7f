"""The player's own table of candidates: its numbers, its notes, and that none is cut off."""

import math
from dataclasses import replace

import pandas as pd
import pytest
from app_page import App
from playwright.sync_api import expect
from test_train_page import assert_accessible

import tokviz
from tokviz.narration import agreement
from tokviz.pages.visit.link import to_link
from tokviz.server.runs import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus
EM = "sentencepiece-unigram"
EXACT = {"exact_deltas": True, "min_expected_count": 0.0}

#: Notes, with an algorithm, a size and settings whose table has them in the first steps.
NOTES = [
    ("first-seen", "bpe", 50, {"unit": "byte"}),
    ("first-seen", "wordpiece", 60, {}),
    ("largest-pair", "bpe", 50, {"tie_break": "largest-pair"}),
    ("smallest-ids", "bpe", 50, {"tie_break": "smallest-ids"}),
    ("smallest-ids", "wordpiece", 60, {"score": "frequency"}),
    ("shortest", "sentencepiece-bpe", 40, {}),
    ("vocabulary order", "unigram", 100, {}),
    ("never goes", "unigram", 33, {}),
    ("lower id stays", EM, 39, {"min_expected_count": 0.0}),
    ("no alternative", EM, 33, {"min_expected_count": 0.0, "shrinking_factor": 0.6}),
    ("no alternative", EM, 33, EXACT | {"shrinking_factor": 0.6}),
]


def course_run(algorithm, size, settings):
    return replace(
        run_of_sample(tokviz.SAMPLES["course"]),
        algorithm=algorithm,
        vocab_size=size,
        pretokenizer=tokviz.TRAINERS[algorithm].default_pretokenizer,
        settings=tuple(settings.items()),
    )


@pytest.mark.parametrize(("note", "algorithm", "size", "settings"), NOTES)
def test_no_note_is_cut_off(page, server, note, algorithm, size, settings):
    link = to_link(course_run(algorithm, size, settings))
    app = App(page, f"{server}/?lane={link}")
    cells = page.locator(".tv-candidates td.note").filter(has_text=note).locator("visible=true")
    states = iter(range(app.steps + 1))
    while not cells.count():
        app.go(next(states))
    for width in (390, 1366, 1920):
        app.resize(width, 800)
        # What is written, not the space around it.
        left = """cells => cells.map(cell => { const range = document.createRange();
            range.selectNodeContents(cell.querySelector('.rule') ?? cell.firstChild);
            const [a, b] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
            return [b.right - a.right, b.height - a.height]; })"""
        room = cells.evaluate_all(left)
        assert min(right for right, _ in room) >= 0, (width, room)
        assert min(height for _, height in room) >= -4, (width, room)


def test_exact_deltas_stand_beside_the_losses(page, server):
    """Each number where its heading says, the rank only where it is not the row's."""
    app = App(page, f"{server}/?lane={to_link(course_run(EM, 36, EXACT))}&step=2")
    history = tokviz.train(COURSE, EM, 36, **EXACT)
    prunings = [t for t, step in enumerate(history.steps) if step.action == "prune"]
    assert len(prunings) > 1
    table = page.get_by_role("table", name="Candidates")
    heads = table.locator("th").evaluate_all("all => all.map(th => [th.innerText, th.title])")
    assert [head.split("\n")[0] for head, _ in heads[1:]] == ["Expected", "Loss", "exact Δ", "rank"]
    assert all(help for _, help in heads[1:])
    cells = """rows => rows.filter(r => !r.hidden).map(r => ['.loss', '.exact-delta', '.exact-rank']
        .map(c => r.querySelector(c).textContent))"""
    for t in (*prunings, 1):
        app.go(t)
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
        assert page.locator(".tv-agreement").inner_text() == agreement(history, t)
    assert_accessible(app)
    for width in (390, 1366, 1920):
        app.resize(width, 844)
        app.go(prunings[0])
        app.fits(".tv-candidates")
        expect(table.locator("td.exact-delta").first).to_be_visible()
