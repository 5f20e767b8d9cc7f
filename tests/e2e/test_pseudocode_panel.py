"""The algorithm in a few lines beside the text: the line of the moment, and what variables hold."""

import pytest
from player_page import COLOURS, course
from playwright.sync_api import expect

from tokviz.trainers.pseudocode import pseudocode

#: The lines, each with the texts of its values and its mark.
LINES = """() => [...document.querySelectorAll('.tv-pseudo li')].map(li => [
    li.querySelector('code').textContent,
    [...li.querySelectorAll('.chip')].map(c => c.dataset.token),
    [...li.querySelector('.tv-value').childNodes].map(n => n.nodeType === 3 ? n.data : '').join(''),
    li.classList.contains('lit')])"""
EM = "sentencepiece-unigram"
KINDS = [("bpe", 50, "gpt2"), ("wordpiece", 60, "bert"), ("unigram", 45, "gpt2"), (EM, 40)]


def merging(history, t):
    """What the variables of a run that merges hold in state t, by line: chips and text."""
    last, table = len(history), history.candidates(t)
    found = {"while": ([], f"{history.vocab_size(t)} < {history.trainer.vocab_size}")}
    if t == last:
        found["while"] = ([], str(history.vocab_size(t)))
    else:
        step = history.steps[t]
        found["pair ="] = ([step.left, step.right], " + ")
        found["ties"] = ([], str(step.tied))
        found["pairs"] = ([], f"{len(table)} pairs")
    found["words = merge"] = ([], f"{history.curve().corpus_tokens[t]} tokens in the corpus")
    found["vocabulary |="] = ([history.steps[t - 1].token] if t else [], "")
    return found


def pruning(history, t):
    found = {
        "while": ([], f"{history.vocab_size(t)} > {history.trainer.vocab_size}"),
        "loss": ([], f"{history.curve().loss[t]:.2f}"),
        "counts = {": ([], f"{history.vocab_size(t)} tokens left"),
    }
    if t == len(history):
        found["while"] = ([], str(history.vocab_size(t)))
        return found
    removed = sorted(history.steps[t].removed, key=history.vocab(0).index)
    more = len(removed) > 4
    found["n = min"] = ([], str(len(removed)))
    found["cheapest"] = (removed[:4], " " * (min(4, len(removed)) - 1) + " …" * more)
    return found


def left(history, t):
    return f"{len(history.alive(t))} tokens left"


def estimating(history, t):
    """The same of SentencePiece's Unigram, whose steps are of three kinds."""
    desired, size, action = history.trainer.desired, len(history.alive(t)), history.action(t)
    found = {
        "expected": ([], f"objective {history.curve().loss[t]:.2f}"),
        "if not kept or": ([], f"{size} {'>' if size > desired else '≤'} {desired}"),
    }
    if action == "em":
        found["kept"] = ([], left(history, t + 1))
    elif action == "prune":
        table = history.candidates(t)
        removed = table[table.chosen].token.tolist()
        more = len(removed) > 4
        found["loss"] = (removed[:4], " " * (min(4, len(removed)) - 1) + " …" * more)
        found["log_prob = {t: log_prob[t]"] = ([], left(history, t + 1))
    else:
        found["log_prob = final"] = ([], left(history, len(history)))
    return found


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind[0])
def test_the_line_of_the_moment_is_lit_and_variables_hold_what_the_engine_does(player, kind):
    more = {"min_expected_count": 0.1} if kind[0] == EM else {}
    history = course(*kind, **more)
    player.open(history)
    page = player.page
    expect(page.locator(".tv-pseudo")).to_be_hidden()
    player.press("h")
    expect(page.locator(".tv-candidates")).to_be_hidden()
    expect(page.get_by_role("button", name="Pseudocode").filter(visible=True)).to_be_visible()
    # They are made once the panel is seen.
    page.locator(".tv-pseudo li").first.wait_for()
    lines = pseudocode(history.trainer.pseudocode)
    seen = set()
    for t in {0, 1, 2, len(history) // 2, len(history) - 1, len(history)}:
        player.go(t)
        shown = page.evaluate(LINES)
        assert [code for code, *_rest in shown] == [line.code.strip() for line in lines]
        lit = [line.moment for line, (*_rest, lit) in zip(lines, shown, strict=True) if lit]
        is_em = kind[0] == EM
        coming = history.action(t) if is_em else "next"
        assert lit == [coming if t < len(history) else "end"]
        seen |= {*lit}
        expected = estimating if is_em else merging if history.merges else pruning
        expected = expected(history, t)
        for start, (chips, text) in expected.items():
            [values] = [v for code, *v, _lit in shown if code.startswith(start)]
            assert values == [chips, text], (t, start)
    assert seen == {line.moment for line in lines} - {"", "start", "done"}
    player.accessible(".tv-lanes")
    # In the dark only the colours are others, of merges and of prunings.
    if kind[0] in ("bpe", EM):
        player.theme("dark")
        player.accessible(".tv-lanes", **COLOURS)
        player.theme("light")
    page.get_by_text("What the functions do").click()
    expect(page.locator(".tv-pseudo dd").first).to_contain_text("the words of the corpus")
    page.get_by_role("button", name="Candidates", exact=True).filter(visible=True).click()
    expect(page.locator(".tv-candidates")).to_be_visible()
    expect(page.locator(".tv-pseudo")).to_be_hidden()
    # From the back row all lines are seen.
    player.resize(1920, 1080)
    player.press("p", "h")
    last = page.locator(".tv-pseudo li").last
    expect(last).to_be_in_viewport(ratio=1)
    panel, line = (part.bounding_box() for part in (page.locator(".tv-pseudo"), last))
    assert line["y"] + line["height"] <= panel["y"] + panel["height"]
    player.press("a", "p")
    # A guess comes before the line that tells.
    player.press("h", "q")
    expect(page.locator(".tv-pseudo")).to_be_hidden()
