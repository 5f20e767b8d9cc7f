"""Where two runs part and why: worked by hand, and searched for word by word."""

from itertools import combinations

import numpy as np
import pytest

import tokviz
from tokviz.analysis.alignment import Alignment
from tokviz.analysis.boundaries import parts
from tokviz.analysis.merge_parting import Side
from tokviz.analysis.parting import between_prunings, place_of
from tokviz.history.ties import TIE_BREAKS

COURSE = tokviz.SAMPLES["course"].corpus


def where(left, right, corpus=None, align="step", names=("A", "B")):
    """The parting of two runs; with the runs exchanged it is the same, exchanged."""
    found = tokviz.compare([left, right], corpus, align, names).parting()
    other = tokviz.compare([right, left], corpus, align, names[::-1]).parting()
    assert (found is None) == (other is None)
    if found is not None:
        assert found[:1] + found[3:5] + found[7:8] == other[:1] + other[3:5] + other[7:8]
        assert (found.left, found.left_state, found.left_said) == (
            other.right, other.right_state, other.right_said,
        )  # fmt: skip
        assert found.left_said == left.narrate(found.left_state)
        assert found.right_said == right.narrate(found.right_state)
    return found


def row(history, t, pair):
    """The candidate of state t that is this pair."""
    table = history.candidates(t)
    chosen = table[(table["left"] == pair[0]) & (table["right"] == pair[1])]
    assert len(chosen) == 1
    return chosen.iloc[0]


def test_the_same_run_twice_never_parts():
    for algorithm, size in (("bpe", 50), ("wordpiece", 70), ("unigram", 100)):
        runs = [tokviz.train(COURSE, algorithm, size) for _ in range(2)]
        assert where(*runs, COURSE) is None


# --- decided before training ----------------------------------------------------------------------


def test_words():
    runs = [tokviz.train("don't", "bpe", 8, cut) for cut in ("whitespace", "bert")]
    found = where(*runs, "don't")
    # bert: don ' t. State 0 has all characters apart; at state 1 both take d + o, at state 2 do +
    # n; at state 3 whitespace takes don + ' where bert has an end.
    assert found.why == (
        "They read different words: for B a word always ends after “don” in “don't”; for A it "
        "does not."
    )
    assert (found.kind, found.position, found.word, found.times) == ("words", 3, "don't", 1)
    assert (found.left, found.right) == (["don'", "t"], ["don", "'", "t"])
    assert "for A a word always ends after “don”" in where(*runs[::-1], "don't").why


def test_words_of_which_one_has_a_space_more():
    """metaspace puts a space before "aaa", gpt2 does not: merges being equal, ▁a takes an a."""
    words = "b aa aa\naa"
    runs = [tokviz.train(words, "bpe", 9, cut) for cut in ("gpt2", "metaspace")]
    # gpt2: b, Ġaa ×2, aa. metaspace: ▁b, ▁aa ×3. Pairs Ġ+a 2, a+a 3; ▁+a 3, a+a 3, ▁+b 1.
    # gpt2 takes a + a; metaspace takes ▁ + a, met first.
    assert [runs[0].steps[0].token, runs[1].steps[0].token] == ["aa", "▁a"]
    found = where(*runs, words)
    assert (found.kind, found.position, found.word, found.times) == ("pairs", 1, "aa", 3)
    assert found.why == (
        "Different counts. From the start, A takes “a” + “a” with 3 over “Ġ” + “a” with 2, and "
        "B takes “▁” + “a” with 3 over “a” + “a” with 3."
    )


def test_the_same_merges_in_other_words():
    words = "ab\nx ab a\nx ab a"
    runs = [tokviz.train(words, "bpe", 99, cut) for cut in ("gpt2", "metaspace")]
    # Both take ▁ + a first (4 of gpt2, which has ab at the start of a line; 5 of metaspace).
    assert [run.steps[0].token for run in runs] == ["Ġa", "▁a"]
    assert [run.steps[0].count for run in runs] == [4, 5]
    # Then both take ▁a + b. gpt2 has a + b in the first line still.
    assert [run.steps[1].token for run in runs] == ["Ġab", "▁ab"]
    found = where(*runs, words)
    assert (found.kind, found.position, found.word, found.times) == ("words", 2, "ab", 1)
    assert (found.left, found.right) == (["a", "b"], ["ab"])
    assert found.why == "They read different words: “ab” in A is “▁ab” in B."


def test_a_suffix_makes_another_word():
    """The last o of lolo carries the suffix: l + o joins both halves of it in one run only."""
    words = {"lolo": 4, "lol": 1, "x": 1}
    plain = tokviz.train(words, "bpe", 99, "whitespace")
    glued = tokviz.train(
        words, "bpe", 99, "whitespace", end_of_word_suffix="</w>", suffix_glued=True
    )
    assert [step.token for step in plain.steps[:2]] == ["lo", "lolo"]
    assert [step.token for step in glued.steps[:1]] == ["lo"]
    found = where(plain, glued)
    assert (found.kind, found.position) == ("words", 1)
    assert (found.word, found.left, found.right) == ("lolo", ["lo", "lo"], ["lo", "l", "o"])
    assert found.why == "They read different words: “lolo” in A is “lolo</w>” in B."


def test_unit():
    text = "é a"
    runs = [tokviz.train(text, "bpe", 4, "gpt2", unit=unit) for unit in ("char", "byte")]
    found = where(*runs, text)
    assert (found.kind, found.position, found.word, found.times) == ("unit", 0, "é", 1)
    assert (found.left, found.right) == (["é"], ["\\xc3", "\\xa9"])
    assert found.why == (
        "Bytes and characters: B starts from the bytes of “é”, A from its characters, which it "
        "never cuts."
    )
    assert "A starts from the bytes of “é”, B from its" in where(*runs[::-1], text).why


def test_start():
    merging = tokviz.train({"hug": 3}, "bpe", 4)
    pruning = tokviz.train({"hug": 3}, "unigram", 4)
    found = where(merging, pruning)
    assert (found.kind, found.position, found.word, found.times) == ("start", 0, "hug", 3)
    assert (found.left, found.right) == (["h", "u", "g"], ["hug"])
    assert found.why == (
        "They come from opposite ends: A starts from single symbols and merges them, B starts from "
        "a seed vocabulary and removes tokens."
    )
    assert "B starts from single symbols and merges" in where(pruning, merging).why


# --- two runs of merges ---------------------------------------------------------------------------


def test_over():
    runs = [tokviz.train({"abc": 3, "cd": 2}, "bpe", size) for size in (5, 7)]
    found = where(*runs)
    # Both: ab. Then abc, which the first has no room for.
    assert (found.kind, found.position, found.word, found.times) == ("over", 2, "abc", 3)
    assert (found.left_state, found.right_state) == (1, 2)
    assert (found.left, found.right) == (["ab", "c"], ["abc"])
    assert found.why == (
        "After one merge that both made, the training of A is over. The vocabulary has the 5 "
        "tokens asked for."
    )
    none = tokviz.train({"abc": 3, "cd": 2}, "bpe", 4)
    assert where(none, runs[1]).why == (
        "From the start, the training of A is over. The vocabulary has the 4 tokens asked for."
    )


def test_pace():
    words = {"abcde": 3, "xy": 2}
    runs = [tokviz.train(words, "bpe", size) for size in (9, 11)]
    # Shares 0, 1/4, 1/2, 3/4, 1 of 2 and of 4 merges: 0 0.5→1 1 1.5→2 2 and 0 1 2 3 4.
    found = where(*runs, align="share")
    assert (found.kind, found.position, found.word) == ("pace", 2, "abcde")
    assert (found.left_state, found.right_state) == (1, 2)
    assert (found.left, found.right) == (["ab", "c", "d", "e"], ["abc", "d", "e"])
    assert found.why == (
        "A different pace. At this position B has made 2 merges, and A has made 1 of them."
    )
    # By size a special token is in the way: 7 and 8 tokens at the start.
    runs[0] = tokviz.train(words, "bpe", 11, special_tokens=("<s>",))
    found = where(*runs, align="size")
    assert (found.kind, found.position, found.left_state, found.right_state) == ("pace", 1, 0, 1)
    assert found.why == (
        "A different pace. At this position B has made 1 merge, and A has made none: "
        "B began with 7 tokens, A with 8."
    )


def test_score():
    """Likelihood against frequency: a rare pair of rare symbols against the most frequent one."""
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    runs = [tokviz.train(words, "wordpiece", 99, score=by) for by in ("likelihood", "frequency")]
    found = where(*runs, names=("likelihood", "frequency"))
    # u 36, g 20, s 5: g + s 5/(20 × 5), u + g 20/(36 × 20) = 1/36.
    assert (found.kind, found.position, found.word, found.times) == ("score", 1, "hug", 10)
    assert found.why == (
        "Different scores. From the start, likelihood takes “##g” + “##s” with 5/(20×5) = 0.05 "
        "over "
        "“##u” + “##g” with 20/(36×20) = 0.02778, and frequency takes “##u” + “##g” with 20 over "
        "“##g” + “##s” with 5."
    )
    assert (found.left, found.right) == (["h", "u", "g"], ["h", "ug"])


def test_scores_are_those_of_the_tables():
    runs = [tokviz.train(COURSE, "wordpiece", 70, score=by) for by in ("likelihood", "frequency")]
    found = where(*runs)
    rare, often = ("a", "##b"), ("##e", "##r")
    assert [(step.left, step.right) for step in (runs[0].steps[0], runs[1].steps[0])] == [
        rare, often,
    ]  # fmt: skip
    said = []
    for pair in (rare, often):
        of = row(runs[0], 0, pair)
        said.append(f"{of['count']}/({of.left_count}×{of.right_count}) = {of.score:.4g}")
    counts = [row(runs[1], 0, pair)["count"] for pair in (rare, often)]
    assert found.why == (
        f"Different scores. From the start, A takes “a” + “##b” with {said[0]} over “##e” "
        f"+ “##r” with {said[1]}, and B takes “##e” + “##r” with {counts[1]} over “a” + “##b” "
        f"with {counts[0]}."
    )
    assert counts == [2, 5]


def test_a_tie_of_both_scores():
    """ab ×2 and cd ×2: 2/(2 × 2) each, and 2 each. a and c have the smaller ids for "ab"."""
    words = {"cd": 2, "ab": 2}
    runs = [tokviz.train(words, "wordpiece", 99, score=by) for by in ("likelihood", "frequency")]
    found = where(*runs)
    assert (found.kind, found.position, found.word) == ("tie", 1, "cd")
    assert found.why == (
        "A tie. From the start, “c” + “##d” and “a” + “##b” tie, A has 2/(2×2) = 0.5 and B 2. "
        "“first-seen” (A) takes “c” + “##d”, met first in “cd”; “smallest-ids” (B) takes "
        "“a” + “##b”, the pair with the smallest ids."
    )
    assert where(*runs[::-1]).why == (
        "A tie. From the start, “a” + “##b” and “c” + “##d” tie, A has 2 and B 2/(2×2) = 0.5. "
        "“smallest-ids” (A) takes “a” + “##b”, the pair with the smallest ids; “first-seen” (B) "
        "takes “c” + “##d”, met first in “cd”."
    )


def test_a_tie_among_more_pairs_in_one_run():
    text = "ab cd\nab cd"
    runs = [
        tokviz.train(text, "bpe", 99, cut, tie_break=rule)
        for cut, rule in (("gpt2", "first-seen"), ("whitespace", "largest-pair"))
    ]
    # a + b and c + d 2 each in both, and Ġ + c 2 in gpt2: 3 pairs tie there, 2 in the other run.
    assert [int(run.candidates(0)["tied"].sum()) for run in runs] == [3, 2]
    found = where(*runs, text)
    assert (found.kind, found.position, found.word) == ("tie", 1, "ab")
    assert found.why == (
        "A tie. From the start, “a” + “b” and “c” + “d” tie, A has 2 and B 2. “first-seen” (A) "
        "takes “a” + “b”, met first in “ab”; “largest-pair” (B) takes “c” + “d”, the greatest pair "
        "in alphabetical order (bytes compared as bytes)."
    )


@pytest.mark.parametrize(("length", "dots"), [(40, ""), (41, "…")])
def test_a_long_word_is_quoted_in_part(length, dots):
    word = "".join(chr(0x4E00 + i) for i in range(length))
    rules = ("first-seen", "largest-pair")
    runs = [tokviz.train({word: 2}, "bpe", 99, "none", tie_break=rule) for rule in rules]
    found = where(*runs, names=rules)
    assert found.why.split("; ")[0] == (
        f"A tie. From the start, {length - 1} pairs are counted 2 times. “first-seen” takes "
        f"“{word[0]}” + “{word[1]}”, met first in “{word[:40]}{dots}”"
    )


def test_a_tie_of_two_likelihoods():
    """The same words in another order: each run meets another pair first."""
    words = {"ab": 2, "cd": 2}
    turned = {"cd": 2, "ab": 2}
    runs = [tokviz.train(table, "wordpiece", 99) for table in (words, turned)]
    assert tokviz.compare(runs, align="step", names=["A", "B"]).parting().why == (
        "A tie. From the start, “a” + “##b” and “c” + “##d” tie, A has 2/(2×2) = 0.5 and B "
        "2/(2×2) = 0.5. “first-seen” (A) takes “a” + “##b”, met first in “ab”; “first-seen” (B) "
        "takes “c” + “##d”, met first in “cd”."
    )


def test_counts_that_tie_are_no_tie_of_scores():
    words = {"cd": 2, "ab": 2, "a": 5}
    runs = [tokviz.train(words, "wordpiece", 99, score=by) for by in ("likelihood", "frequency")]
    found = where(*runs)
    # a 7: 2/(7 × 2) is less than 2/(2 × 2). Counted, both are 2, and a has the smaller id.
    assert (found.kind, found.position, found.word) == ("score", 1, "cd")
    assert found.why == (
        "Different scores. From the start, A takes “c” + “##d” with 2/(2×2) = 0.5 over “a” + “##b” "
        "with "
        "2/(7×2) = 0.1429, and B takes “a” + “##b” with 2 over “c” + “##d” with 2."
    )


def test_a_letter_with_a_suffix_is_another_one():
    words = {"ab": 3, "abc": 2}
    runs = [
        tokviz.train(words, "bpe", 99, "whitespace", **more)
        for more in ({}, {"end_of_word_suffix": "</w>", "suffix_glued": True})
    ]
    found = where(*runs)
    # a + b 5 of the one; a + b</w> 3 and a + b 2 of the other.
    assert (found.kind, found.position, found.word) == ("pairs", 1, "abc")
    assert found.why == (
        "Different pairs. From the start, A takes “a” + “b” with 5, and B takes “a” + “b</w>” with "
        "3; "
        "A has no “a” + “b</w>”."
    )


def test_pairs_that_only_one_run_has():
    words = {"is": 2, "his": 1, "ox": 3}
    runs = [
        tokviz.train(words, "wordpiece", 99, score="frequency"),
        tokviz.train(words, "bpe", 99, "bert"),
    ]
    found = where(*runs)
    # BPE counts i + s in both words, WordPiece i + ##s 2 and ##i + ##s 1.
    assert (found.kind, found.position, found.word, found.times) == ("pairs", 1, "ox", 3)
    assert found.why == (
        "Different pairs. From the start, A takes “o” + “##x” with 3, and B takes “i” + “s” with "
        "3; "
        "A has no “i” + “s”, B has no “o” + “##x”."
    )


def test_counts_differ_where_the_words_do():
    """gpt2 counts the spaces of " ab", whitespace does not have them."""
    text = "x ab ab yz yz yz"
    runs = [tokviz.train(text, "bpe", 99, cut) for cut in ("gpt2", "whitespace")]
    found = where(*runs, text)
    assert (found.kind, found.position, found.word, found.times) == ("pairs", 1, "yz", 3)
    # gpt2: Ġ + a 2, a + b 2, Ġ + y 3, y + z 3; met first is Ġ + y. whitespace: y + z 3.
    assert found.why == (
        "Different pairs. From the start, A takes “Ġ” + “y” with 3, and B takes “y” + “z” with 3; "
        "B has no “Ġ” + “y”."
    )
    assert (found.left, found.right) == (["y", "z"], ["yz"])


def test_two_likelihoods_of_other_words():
    """ab ×2, cd ×3, d ×6: in B the d before and behind the hyphens is a word, too."""
    text = "ab ab cd cd cd d- d- d- d-"
    runs = [tokviz.train(text, "wordpiece", 99, cut) for cut in ("whitespace", "bert")]
    found = where(*runs, text)
    firsts = [run.steps[0] for run in runs]
    # whitespace: d + ##- 4/(4 × 4) = 1/4 is less than a + ##b 2/(2 × 2) = 1/2.
    assert [(step.left, step.right) for step in firsts] == [("a", "##b"), ("a", "##b")]
    # Then c + ##d 3/(3 × 3) = 1/3 in both, and d + ##- in whitespace alone.
    assert (found.kind, found.word, found.times) == ("words", "d-", 4)
    assert (found.left, found.right) == (["d-"], ["d", "-"])


def test_bytes_and_characters_share_their_merges():
    """Spaces are spelled Ġ in both, and are the same symbol; what parts them is a tie."""
    runs = [
        tokviz.train(COURSE, "bpe", 50, "gpt2", unit="char", tie_break="first-seen"),
        tokviz.train(COURSE, "bpe", 50, "gpt2", unit="byte", tie_break="largest-pair"),
    ]
    found = where(*runs)
    assert (found.kind, found.position) == ("tie", 5)
    assert found.why.startswith("A tie. After 4 merges that both made, 2 pairs are counted 4 times")


# --- ties: the four rules -------------------------------------------------------------------------


@pytest.fixture(scope="module")
def by_rule():
    return {
        rule: tokviz.train(COURSE, "bpe", 50, unit="byte", tie_break=rule) for rule in TIE_BREAKS
    }


def searched(left, right, states):
    """The first position at which the runs cut any word differently, and the most frequent such
    word, by looking at all of them everywhere."""
    words = list(zip(left.words.words, left.words.counts, strict=True))
    for position, (t, u) in enumerate(states):
        apart = [
            (word, count)
            for word, count in words
            if left.segmentation(word, t) != right.segmentation(word, u)
        ]
        if apart:
            return position, *max(apart, key=lambda found: found[1])
    return None


def test_is_and_er_are_both_counted_five_times(by_rule):
    runs = [by_rule["first-seen"], by_rule["smallest-ids"]]
    found = where(*runs, names=("first-seen", "smallest-ids"))
    assert (found.kind, found.position, found.left_state, found.right_state) == ("tie", 2, 2, 2)
    tables = [run.candidates(1) for run in runs]
    assert [tuple(table.loc[0, ["left", "right", "count"]]) for table in tables] == [
        ("i", "s", 5),
        ("e", "r", 5),
    ]
    assert [int(table["tied"].sum()) for table in tables] == [3, 3]
    assert (found.word, found.times) == ("This", 3)
    assert (found.left, found.right) == (["T", "h", "is"], ["T", "h", "i", "s"])
    assert found.why == (
        "A tie. After one merge that both made, 3 pairs are counted 5 times. “first-seen” takes "
        "“i” + “s”, met first in “This”; “smallest-ids” takes “e” + “r”, the pair with the "
        "smallest ids."
    )


@pytest.mark.parametrize("align", ["step", "size", "share"])
@pytest.mark.parametrize(("left", "right"), list(combinations(TIE_BREAKS, 2)))
def test_every_two_rules_part_where_a_search_finds_it(by_rule, left, right, align):
    runs = by_rule[left], by_rule[right]
    comparison = tokviz.compare(runs, align=align, names=(left, right))
    found = where(*runs, align=align, names=(left, right))
    states = list(zip(*(of.tolist() for of in comparison.axis.states), strict=True))
    position, word, times = searched(*runs, states)
    assert (found.position, found.times) == (position, times)
    assert runs[0].count_of(found.word) == times
    for run, state, cut in zip(runs, states[position], (found.left, found.right), strict=True):
        shown = run.segmentation(found.word, state)
        assert [part.replace(" ", "Ġ") for part in cut] == shown
    assert found.left != found.right
    assert runs[0].count_of(word) == times
    # The sentence: made alike until the step before, and then tied at the same count.
    step = position - 1
    steps = [run.steps[step] for run in runs]
    assert [s.token for s in runs[0].steps[:step]] == [s.token for s in runs[1].steps[:step]]
    assert steps[0].count == steps[1].count
    assert steps[0].tied == steps[1].tied == int(runs[0].candidates(step)["tied"].sum())
    before = "one merge" if step == 1 else f"{step} merges"
    said = [
        f"“{rule}” takes “{s.left}” + “{s.right}”, "
        + (
            f"met first in “{run.met_in(step).replace(' ', 'Ġ')}”"
            if rule == "first-seen"
            else TIE_BREAKS[rule].help
        )
        for rule, s, run in zip((left, right), steps, runs, strict=True)
    ]
    assert found.kind == "tie"
    assert found.why == (
        f"A tie. After {before} that both made, {steps[0].tied} pairs are counted "
        f"{steps[0].count} times. {said[0]}; {said[1]}."
    )


RUNS = {
    "bytes": ("bpe", 50, {"pretokenizer": "gpt2", "unit": "byte"}),
    "ids": ("bpe", 60, {"pretokenizer": "gpt2", "tie_break": "smallest-ids"}),
    "prefix": ("bpe", 60, {"pretokenizer": "gpt2", "continuing_subword_prefix": "##"}),
    "wordpiece": ("wordpiece", 60, {"pretokenizer": "gpt2"}),
    "frequency": ("wordpiece", 60, {"pretokenizer": "gpt2", "score": "frequency"}),
    "unigram": ("unigram", 60, {"pretokenizer": "gpt2"}),
    "few seeds": ("unigram", 60, {"pretokenizer": "gpt2", "seed_size": 100}),
}


@pytest.mark.parametrize("align", ["step", "size"])
@pytest.mark.parametrize(("left", "right"), list(combinations(RUNS, 2)))
def test_runs_of_the_same_words_part_where_a_search_finds_it(left, right, align):
    runs = [
        tokviz.train(COURSE, algorithm, size, **more)
        for algorithm, size, more in (RUNS[left], RUNS[right])
    ]
    comparison = tokviz.compare(runs, align=align)
    states = list(zip(*(of.tolist() for of in comparison.axis.states), strict=True))
    words = runs[0].words.words

    alike = runs[0].spelling == runs[1].spelling

    def cuts(run, word, t):
        tokens = [token.removeprefix("##") for token in run.segmentation(word, t)]
        assert len("".join(tokens)) == len(word)
        found = {len("".join(tokens[:i])) for i in range(1, len(tokens))}
        # Of runs that spell words in two ways, only places between two characters count.
        return found if alike else found - {1} if word.startswith(" ") else found

    expected = next(
        position
        for position, (t, u) in enumerate(states)
        if any(cuts(runs[0], word, t) != cuts(runs[1], word, u) for word in words)
    )
    found = where(*runs, COURSE, align)
    assert found.position == expected
    # Where spellings differ, spaces are no part of the word that is named.
    assert "".join(found.left) == "".join(found.right) == found.word
    assert found.left != found.right


# --- two runs of prunings -------------------------------------------------------------------------


def test_seeds():
    words = {"hug": 10, "pug": 5, "hugs": 5}
    runs = [tokviz.train(words, "unigram", 5, "whitespace", seed_size=size) for size in (20, 6)]
    assert "hug" in runs[0].vocab(0)
    assert "hug" not in runs[1].vocab(0)
    found = where(*runs)
    assert (found.kind, found.position, found.word, found.times) == ("seeds", 0, "hug", 10)
    assert (found.left, found.right) == (["hug"], runs[1].segmentation("hug", 0))
    assert found.why == "Different seeds: “hug” is a token of A here, and not of B."


def test_a_seed_with_its_space():
    """The space before a word is a part of its token."""
    words = " hug"
    runs = [
        tokviz.train({words: 10, " pug": 5}, "unigram", 5, "metaspace", seed_size=size)
        for size in (30, 6)
    ]
    assert "▁hug" in runs[0].vocab(0)
    assert "▁hug" not in runs[1].vocab(0)
    found = where(*runs)
    assert (found.kind, found.word, found.left) == ("seeds", " hug", [" hug"])
    assert found.why == "Different seeds: “▁hug” is a token of A here, and not of B."


def test_prune():
    words = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
    runs = [
        tokviz.train(words, "unigram", 8, "whitespace", seed_size=16, prune_fraction=share)
        for share in (0.1, 0.4)
    ]
    found = where(*runs)
    assert found.kind == "prune"
    t, u = found.left_state, found.right_state
    token = found.why.split("“")[1].split("”")[0]
    in_a, in_b = token in runs[0].vocab(t), token in runs[1].vocab(u)
    assert in_a != in_b
    has, lacks = ("A", "B") if in_a else ("B", "A")
    assert token in (found.left if in_a else found.right)
    assert (
        found.why
        == f"Different tokens are left: “{token}” is a token of {has} here, and not of {lacks}."
    )
    # A search finds no position before it.
    assert t == u == found.position
    position, *_ = searched(*runs, [(i, i) for i in range(found.position + 1)])
    assert position == found.position


def test_probabilities():
    """The same tokens with other counts: ab alone costs more or less than a and b."""
    runs = [
        tokviz.train(words, "unigram", 3, "whitespace")
        for words in ({"ab": 1, "a": 9, "b": 9}, {"ab": 9, "a": 1, "b": 1})
    ]
    assert sorted(runs[0].vocab(0)) == sorted(runs[1].vocab(0)) == ["a", "ab", "b"]
    # A: ab 1/21 against 10/21 × 10/21; B: ab 9/29 against 10/29 × 10/29.
    assert runs[0].segmentation("ab", 0) == ["a", "b"]
    assert runs[1].segmentation("ab", 0) == ["ab"]
    found = where(*runs, "ab\na\nb")
    assert (found.kind, found.position, found.word) == ("probabilities", 0, "ab")
    assert (found.left, found.right) == (["a", "b"], ["ab"])
    assert found.why == (
        "Both have all of these tokens here, but give them different probabilities."
    )


def test_the_token_that_is_named_is_the_one_at_the_place():
    """xy ab of one run against single characters: gap 1 is inside xy, gap 3 inside ab."""
    words = {"xyab": 5}, {"x": 1, "y": 1, "a": 1, "b": 1}
    left = tokviz.train(words[0], "unigram", 5, "none", max_token_length=2)
    right = tokviz.train(words[1], "unigram", 4, "none")
    assert left.segmentation("xyab", 0) == ["xy", "ab"]
    for gap, token in ((1, "xy"), (3, "ab")):
        assert between_prunings(Side("A", left, 0, gap), Side("B", right, 0, 0)) == (
            "seeds",
            f"Different seeds: “{token}” is a token of A here, and not of B.",
        )


def test_an_unknown_character_is_no_token():
    """1 é among 865 characters is left out at a coverage of 0.99."""
    words = {" low": 50, " lower": 40, " lowest": 60, " élow": 1}
    run = tokviz.train(words, "sentencepiece-unigram", 14, character_coverage=0.99)
    assert run.segmentation(" élow", 0) == ["▁", "<unk>", "low"]
    gap = int(run.gap_spans[0][3]) + 1
    kind, _ = between_prunings(Side("A", run, 0, gap), Side("B", run, 0, gap))
    assert kind == "probabilities"


def test_the_same_tokens_in_other_words():
    """gpt2 reads ab at the start of a text, metaspace ▁ab, and both have all of a, b and ▁ab."""
    left = tokviz.train({"ab": 1, "a": 9, "b": 9, " ab": 1}, "unigram", 6, "gpt2")
    right = tokviz.train({" ab": 9}, "unigram", 6, "metaspace")
    # a and b 11 each of 27, ab 2: 11/27 × 11/27 is more than 2/27.
    assert left.segmentation("ab", 0) == ["a", "b"]
    assert right.segmentation(" ab", 0) == ["▁ab"]
    found = where(left, right, "ab")
    assert (found.kind, found.position, found.word) == ("words", 0, "ab")
    assert found.why == "They read different words: “ab” in A is “▁ab” in B."


# --- the place ------------------------------------------------------------------------------------


def test_the_place_is_one_of_the_word_as_it_is_named():
    """The text abc stands in two lines, which are cut in two ways; the second way is named."""
    found = Alignment(
        units=["abc", "abc"],
        counts=np.array([1, 5]),
        starts=np.array([0, 2, 4]),
        offsets=np.array([1, 2, 1, 2]),
        left=np.array([1, 2, 5, 6]),
        right=np.array([1, 2, 4, 5]),
        counted=np.ones(4, bool),
    )
    mine = np.array([True, False, False, True])  # a bc, ab c
    theirs = np.zeros(4, bool)
    assert place_of(found, mine, theirs, "abc", [["ab", "c"], ["abc"]]) == 3
    assert place_of(found, mine, theirs, "abc", [["a", "bc"], ["abc"]]) == 0


# --- all lanes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ties", "families", "pretokenizers"])
def test_parts_are_the_word_cut(name):
    """Whatever the runs, the parts are parts of the word, and differ."""
    lanes = {
        "ties": [("bpe", 60, {"tie_break": rule}) for rule in TIE_BREAKS],
        "families": [("bpe", 70, {}), ("wordpiece", 70, {}), ("unigram", 70, {})],
        "pretokenizers": [("bpe", 60, {"pretokenizer": p}) for p in ("gpt2", "bert", "whitespace")],
    }[name]
    runs = [tokviz.train(COURSE, algorithm, size, **more) for algorithm, size, more in lanes]
    for align in ("step", "size", "share"):
        comparison = tokviz.compare(runs, COURSE, align)
        for i, j in combinations(range(len(runs)), 2):
            found = comparison.parting(i, j)
            assert parts(found.word, ()) == ["".join(found.left)] == ["".join(found.right)]
            assert found.left != found.right
            assert comparison.words(found.position, i, j, 1)["word"].tolist() == [found.word]
            if found.position:
                assert comparison.words(found.position - 1, i, j).empty
