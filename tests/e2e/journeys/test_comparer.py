"""What somebody does who compares: a lane, the first difference, where two rules part."""

import tokviz

COURSE = tokviz.SAMPLES["course"].corpus


def apart(one, two, t):
    """The words that two histories cut differently in state t."""
    words = one.words.words
    return [w for w in words if one.segmentation(w, t) != two.segmentation(w, t)]


def test_adds_a_lane_and_goes_to_the_first_difference(tab, server):
    tab.open(server)
    tab.click("button", "Add a lane")
    tab.settle()
    tab.click("radio", "WordPiece")
    tab.settle()
    tab.press_train()
    assert tab.run("() => document.querySelectorAll('.tv-lane').length") == 2
    tab.go_to(0)
    tab.click("button", "First difference")
    tab.sees(".tv-found")
    shown = [tab.words(lane) for lane in (0, 1)]
    plain = [[[token.strip("#Ġ") for token in word] for word in words] for words in shown]
    assert plain[0] != plain[1]
    tab.settle()


def test_sees_where_two_tie_breaks_part(tab, server):
    tab.go(f"{server}/compare")
    tab.sees(".tv-corpus .chip")
    tab.settle()
    tab.click_on(".st-key-comparison input")
    tab.click("option", "Four tie-breaks")
    tab.wait("() => document.querySelectorAll('.tv-lane').length === 4")
    tab.settle()
    tab.says(".tv-parting h3", "They first part at 25 % of training")
    tab.click("button", "Go there")
    tab.wait("() => document.querySelector('[data-steps]').dataset.step === '5'")
    tab.settle()
    rules = ("first-seen", "largest-pair")
    one, two = (tokviz.train(COURSE, "bpe", 50, unit="byte", tie_break=rule) for rule in rules)
    assert not apart(one, two, 4)
    assert apart(one, two, 5)
