"""The numbers that stand on the page are the engine's: one player is handed run after run."""

import re
from decimal import Decimal

import pytest
from effort import LONG

import tokviz
from tokviz.player.assets import STAGE_SHEETS, packed, script, style
from tokviz.player.pack import bundle, pack
from tokviz.player.web_page import excerpt_of

#: All but the long one, which is tried with `--long`, as every step is.
SAMPLES = [
    name
    for name, sample in tokviz.SAMPLES.items()
    if not sample.held_out and (LONG or name != "alice")
]
RUNS = {
    "bpe": {"unit": "byte"},
    "wordpiece": {"pretokenizer": "bert"},
    "unigram": {"pretokenizer": "gpt2"},
}
#: What a page of its own does, but for the run that is in it.
SHOW = """
window.show = async (packed, prunes) => {
    const { head, runs } = readBundle(await unzipped(packed).arrayBuffer());
    const place = window.place ??= new Place(document.querySelector("main"));
    place.show(runs, { ...head, id: String(performance.now()), curves: false });
    place.player.views.choose(prunes ? "vocabulary" : "text");
};
"""
#: What stands on the stage at each of some steps.
READ = """async ([packed, prunes, steps]) => {
    await window.show(packed, prunes);
    const text = e => e.textContent;
    const all = (part, what = text) => [...document.querySelectorAll(part)].map(what);
    const token = e => e.querySelector('.chip').dataset.token;
    const item = e => [token(e), text(e.querySelector('small')),
        parseFloat(e.querySelector('.chip').style.fontSize)];
    const row = e => [[...e.querySelectorAll('.pair .chip')].map(chip => chip.dataset.token),
        ...[...e.querySelectorAll('td.n')].map(text)];
    // What is beside the text is drawn where it is seen.
    const beside = async side => {
        window.place.player.beside.show(side);
        for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
    };
    const found = [];
    for (const position of steps) {
        window.place.player.moving.goTo({ position });
        await beside('');
        // Those out of sight come when the player rests.
        const { bottom } = document.querySelector('.tv-candidates').getBoundingClientRect();
        const rows = [...document.querySelectorAll('.tv-candidates tbody tr:not([hidden])')]
            .filter(e => e.getBoundingClientRect().bottom < bottom).map(row);
        if (prunes) await beside('delta');
        found.push({
            rows, goes: all('.tv-goes > .tv-item', item), stays: all('.tv-stays > .tv-item', item),
            single: all('.tv-pruned section:nth-of-type(2) .tv-item', item),
            loss: all('.tv-loss').join(''), dearest: all('.tv-worked h4', token)[0],
            terms: all('.tv-worked tbody tr:not(:has(.tv-without))',
                e => [...e.children].map(text)),
            sum: all('.tv-worked tfoot td').join(''),
        });
    }
    return found;
}"""


def written(number):
    """A measured number as the page writes it."""
    return f"{number:.4g}"


def plain(text):
    return Decimal(text.replace(",", ""))


@pytest.fixture
def stage(page):
    """A page with a player that is handed runs."""
    code = script("standalone").split("\nopen().catch(")[0] + SHOW
    page.set_content(
        f"<style>{style('base', *STAGE_SHEETS)}</style>"
        '<main><div class="tv-player"></div><div class="tv-curves"></div></main>'
    )
    page.add_script_tag(content=code, type="module")
    page.wait_for_function("() => window.show")
    return page


def shown(stage, history, steps):
    """What the page shows of a run at some steps."""
    run = pack(history, "run", excerpt_of(history, history.text, 1), 50)
    head = {"links": None, "start": 0, "align": "step", "look": {}}
    given = packed(bundle(head, [run]))
    return stage.evaluate(READ, [given, "unigram" in history.algorithm, steps])


def check_pairs(history, t, found):
    """The table of pairs: counts, and scores with what they are made of."""
    rows = history.candidates(t, len(found["rows"]))
    for (tokens, cell), row in zip(found["rows"], rows.itertuples(), strict=True):
        assert tokens == [row.left, row.right]
        if "left_count" in rows:
            made_of = f"{row.count}/({row.left_count}×{row.right_count}) = "
            assert cell.replace(",", "") == made_of + written(row.score)
        else:
            assert plain(cell) == int(row.count)


def check_vocabulary(history, t, found):
    """Unigram's stage: deltas and counts below the chips, what the loss does, a delta in full."""
    table = history.candidates(t).set_index("token")
    for token, below, _size in found["goes"] + found["stays"]:
        assert below == written(table.loss_delta[token])
    for token, below, _size in found["single"]:
        assert plain(below) == int(table["count"][token])
    # A chip is as large as its token is probable; sizes have two decimals.
    chips = found["single"] + found["goes"] + found["stays"]
    large = sorted((size, int(table["count"][token])) for token, _below, size in chips)
    assert [count for _size, count in large] == sorted(count for _size, count in large)
    for (tokens, count, delta), row in zip(
        found["rows"], history.candidates(t, len(found["rows"])).itertuples(), strict=True
    ):
        assert (tokens, plain(count)) == ([row.token], int(row.count))
        if row.loss_delta == row.loss_delta:
            assert delta.strip() == written(row.loss_delta)
    if t == len(history):
        assert not found["loss"]
        return 0
    before, after = history.curve().loss[t : t + 2]
    change = history.loss_changes()[t]
    numbers = [
        plain(n.replace("−", "-")) for n in re.findall(r"[+−]?\d[\d,]*\.\d\d", found["loss"])
    ]
    assert numbers[0] + sum(numbers[2:]) == numbers[1]
    if len(numbers) == 4:
        changes = (before, after, change.dropped, change.renormalised)
        for number, exact in zip(numbers, changes, strict=True):
            assert abs(float(number) - exact) <= 0.0101
    if not found["terms"]:
        return 0
    token = found["dearest"]
    assert found["sum"] == written(table.loss_delta[token])
    rises = [plain(cells[-1]) for cells in found["terms"]]
    assert sum(rises) == plain(found["sum"])
    terms = history.loss_terms(token, t)
    for cells, term in zip(found["terms"], terms, strict=False):
        if len(cells) == 5:
            count, without, now = (plain(re.sub(r"[^\d.,]", "", cell)) for cell in cells[1:4])
            assert count == int(term.count)
            # Costs have the decimals that the rise needs; the last digit may be off by one.
            rise, unit = plain(cells[4]), Decimal(10) ** plain(cells[4]).as_tuple().exponent
            assert abs(float(rise) - term.rise) <= float(unit)
            assert abs(count * (without - now) - rise) <= Decimal("1.5") * unit
    return len(terms)


def test_every_number_on_the_stage_is_the_engines(stage):
    worked_out = 0
    for name in SAMPLES:
        corpus = tokviz.SAMPLES[name].corpus
        letters = len(set("".join(corpus)))
        for algorithm, settings in RUNS.items():
            # Each language is in `udhr`, too; there, hardly a delta is worked out in full.
            if name.startswith("udhr-") and algorithm != "unigram" and not LONG:
                continue
            # WordPiece has letters inside a word as well; of Unigram's, few tokens are left.
            size = letters + 6 if algorithm == "unigram" else 2 * letters + 30
            history = tokviz.train(corpus, algorithm, size, **settings)
            last = len(history)
            steps = range(last + 1) if LONG else sorted({last // 2, last - 1})
            check = check_vocabulary if algorithm == "unigram" else check_pairs
            for t, found in zip(steps, shown(stage, history, [*steps]), strict=True):
                worked_out += check(history, t, found) or 0
    assert worked_out > 15
