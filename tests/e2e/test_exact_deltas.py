"""Exact deltas beside SentencePiece's approximate losses, in the player's own table."""

import math

import pandas as pd
from conftest import App
from test_train_page import assert_accessible

import tokviz
from tokviz.narration import agreement
from tokviz.pages.link import to_link
from tokviz.pages.run import run_of_sample

COURSE = tokviz.SAMPLES["course"].corpus


def test_exact_deltas_stand_beside_the_losses(page, server):
    """Each number where its heading says, the rank only where it is not the row's."""
    settings = {"exact_deltas": True, "min_expected_count": 0.0}
    run = run_of_sample(tokviz.SAMPLES["course"])._replace(
        algorithm="sentencepiece-unigram",
        vocab_size=36,
        pretokenizer="sentencepiece",
        settings=tuple(settings.items()),
    )
    app = App(page, f"{server}/?lane={to_link(run)}&step=2")
    history = tokviz.train(COURSE, "sentencepiece-unigram", 36, **settings)
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
    assert_accessible(page)
    for width in (390, 1366, 1920):
        page.set_viewport_size({"width": width, "height": 844})
        app.go(prunings[0])
        assert page.locator(".tv-candidates").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
        assert table.locator("td.exact-delta").first.is_visible()
