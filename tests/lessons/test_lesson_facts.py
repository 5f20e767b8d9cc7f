"""Facts, each with its value worked out by hand."""

import pytest

import tokviz
from tokviz.analysis.axis import make_axis
from tokviz.lessons.facts import FACTS, Scenery, plain, told
from tokviz.lessons.moments import Absent, position_of

HUG = tokviz.SAMPLES["hug-pug"].corpus


def run(algorithm="bpe", vocab_size=10, corpus=HUG, pretokenizer="whitespace", **settings):
    return tokviz.train(corpus, algorithm, vocab_size, pretokenizer, **settings)


BPE = run()  # b g h n p s u; ug 20, un 16, hug 15
WORDPIECE = run("wordpiece", 12)
FREQUENCY = run("wordpiece", 12, score="frequency")
UNIGRAM = run("unigram", 9, whole_words=False)
EM = run("sentencepiece-unigram", 12, pretokenizer=None, min_expected_count=0)
# h u; hu g; hu goes; hug s; hug goes where it stands alone; h u again.
PICKY = run("picky-bpe", 6, {"hugs": 9, "hug": 1}, threshold=0.8)
BOUNDLESS_BACK = run("boundless-bpe", 5, {"aaaa": 3, "bc": 1}, threshold=0.5)
# b's αβ αβγ has 5 letters, a's hug 3: turns of b (αβ), then a (3 tokens each), b 3.
TURNS = run("parity-bpe", 9, "=== a ===\nhug\n=== b ===\nαβ αβγ")
SHARED = run("parity-bpe", 5, "=== a ===\nlow\n=== b ===\nlow low")
TOGETHER = run("parity-bpe", 9, "=== a ===\nhug\n=== b ===\nαβ αβγ", global_merges=9)
ALONE = run("parity-bpe", 6, "low low")
# he, in, the, Ġthe, en; then the border falls: inĠthe, dĠ.
SUPER = tokviz.train("in the end in the end in the", "super-bpe", 14, transition_size=12)
# th, ▁th, ▁the, in, ▁e, ▁in, ▁in▁the; nd, ▁end, then ▁in▁the▁end.
BOUNDLESS = tokviz.train("in the end in the end in the", "boundless-bpe", 17)
FLAWED = tokviz.train(tokviz.SAMPLES["alice"].corpus, "huggingface-unigram", 300)
# Of two prunings the flaw changes the second.
SLIGHTLY = tokviz.train(
    tokviz.SAMPLES["course"].corpus, "huggingface-unigram", 40, min_expected_count=0.0
)
NEWER = {"library_version": "0.2.3", "byte_fallback": True, "auto_character_coverage": True}
VIETNAMESE = tokviz.SAMPLES["udhr-vi"].corpus
CHOSEN = tokviz.train(VIETNAMESE, "sentencepiece-bpe", 290, **NEWER)
# The merges need all characters.
NO_ROOM = tokviz.train("ab ab ab", "sentencepiece-bpe", 264, **NEWER)
SPACES = run(vocab_size=12, corpus="low low lower é", pretokenizer="gpt2", unit="byte")
UNKNOWING = run("wordpiece", 12, pretokenizer="bert", special_tokens=("[UNK]",))

#: History, state, fact, what it says.
TOLD = [
    (BPE, 0, "words", "36 words"),
    (BPE, 0, "different words", "5 different words"),
    (BPE, 0, "count of hug", "10 times"),
    (BPE, 0, "longest word", "hugs"),
    (BPE, 0, "frequent word", "pun"),
    (BPE, 1, "alphabet", "7 symbols"),
    (BPE, 1, "vocabulary", "8 tokens"),
    (BPE, 1, "last vocabulary", "10 tokens"),
    (BPE, 0, "corpus tokens", "113 tokens"),  # 31 words of 3, and hugs 5 times
    (BPE, 1, "corpus tokens", "93 tokens"),
    (BPE, 1, "first corpus tokens", "113 tokens"),
    (BPE, 0, "last corpus tokens", "62 tokens"),  # 113 - 20 - 16 - 15
    (BPE, 2, "saved tokens", "36 tokens"),
    (BPE, 0, "steps", "3 merges"),
    (BPE, 2, "step", "2"),
    (BPE, 0, "longest token", "hug"),
    (BPE, 0, "merge ties", "0 merges"),
    (BPE, 1, "new token", "ug"),
    (BPE, 1, "merged pair", "u + g"),
    (BPE, 1, "merged times", "20 times"),
    (BPE, 1, "next pair", "u + n"),
    (BPE, 1, "next token", "un"),
    (BPE, 1, "next times", "16 times"),
    (BPE, 1, "next score", "16"),
    (BPE, 0, "runner-up", "p + u"),  # pug 5 and pun 12
    (BPE, 0, "runner-up score", "17"),
    (BPE, 0, "score of h + u", "15"),
    (BPE, 0, "pair times of b + u", "4 times"),
    (BPE, 1, "former score of the merged pair", "20"),
    (BPE, 0, "met in", "hug"),
    (BPE, 0, "narration", "Before training: 7 tokens in the vocabulary, 113 tokens in the corpus."),
    (BPE, 0, "birth of hug", "3"),
    (BPE, 0, "parents of hug", "h + ug"),
    (BPE, 3, "cut of hugs", "hug s"),
    (BPE, 3, "cut of the longest word", "hug s"),
    (BPE, 3, "encoding of bugs", "b ug s"),
    (BPE, 3, "tokens of bugs", "3 tokens"),
    (BPE, 0, "bytes of é中", "5 bytes"),
    (BPE, 0, "bytes of sample aaabdaaabac", "11 bytes"),
    (BPE, 0, "characters of é中", "2 characters"),
    (BPE, 3, "tokens per character of bugs", "0.75"),
    (BPE, 3, "unknown of mug tug", "m, t"),
    (UNKNOWING, 0, "unknown of mug hugs", "mug"),
    (BPE, 0, "new word of bugs", "bugs"),
    (SPACES, 0, "count of Ġlow", "once"),
    (SPACES, 0, "cut of Ġlow", "Ġ l o w"),
    # h 15, g 20, s 5, u 36, p 17: the pairs of ##u have n/(n×36), ##g + ##s 5/(20×5).
    (WORDPIECE, 0, "next score", "5/(20×5) = 1/20"),
    (WORDPIECE, 0, "frequent pair", "##u + ##g"),
    (WORDPIECE, 0, "frequent pair times", "20 times"),
    (WORDPIECE, 0, "frequent pair score", "20/(36×20) = 1/36"),
    (WORDPIECE, 1, "tied pairs", "6 pairs"),
    (WORDPIECE, 1, "tied pair", "##u + ##g"),
    (WORDPIECE, 1, "last tied pair", "##u + ##gs"),
    (WORDPIECE, 2, "score of hu + ##g", "10/(15×15) = 2/45"),
    (WORDPIECE, 2, "score of hu + ##gs", "5/(15×5) = 1/15"),
    (WORDPIECE, 3, "former score of hu + ##g", "10/(15×15) = 2/45"),
    (UNIGRAM, 1, "pruned", "ug"),
    (UNIGRAM, 0, "next pruned", "ug"),
    (UNIGRAM, 0, "next pruned tokens", "1 token"),
    (UNIGRAM, 0, "next tied tokens", "7 tokens"),
    (UNIGRAM, 0, "next cut", "0"),
    (UNIGRAM, 0, "steps", "6 rounds"),
    (UNIGRAM, 0, "loss", "169.80"),
    (UNIGRAM, 0, "published loss", "205.80"),
    (UNIGRAM, 0, "last loss", "152.41"),
    (UNIGRAM, 0, "loss delta of hug", "23.51"),
    (UNIGRAM, 0, "dearest token", "hug"),
    (UNIGRAM, 0, "probability of p", "17/210"),
    (UNIGRAM, 0, "seed count of p", "17 times"),
    (UNIGRAM, 0, "letters of pug", "17/210 × 36/210 × 20/210 ≈ 0.001322"),
    (UNIGRAM, 0, "product of pug", "17/210 × 20/210 ≈ 0.00771"),
    (UNIGRAM, 0, "second product of pug", "17/210 × 20/210 ≈ 0.00771"),
    (UNIGRAM, 0, "product of hug", "15/210"),
    (UNIGRAM, 0, "ways of pug", "3 ways"),
    (UNIGRAM, 0, "best cut of pug", "p ug"),
    (UNIGRAM, 0, "second cut of pug", "pu g"),
    # p ug and pu g: 17·20 each; p u g: 17·36·20/210.
    (UNIGRAM, 0, "best share of pug", "46.1 %"),
    (UNIGRAM, 0, "second share of pug", "46.1 %"),
    (PICKY, 4, "next taken back", "hug"),
    (PICKY, 4, "next share", "9/(9+1) = 0.9"),
    (BOUNDLESS_BACK, 2, "next share", "3/6 = 0.5"),
    (BOUNDLESS_BACK, 2, "next left over", "0 times"),
    (PICKY, 4, "next left over", "once"),
    (PICKY, 5, "taken back", "hug"),
    (PICKY, 5, "taken apart", "h u g"),
    (PICKY, 0, "removals", "2 tokens"),
    (PICKY, 0, "threshold", "0.8"),
    (PICKY, 0, "steps", "6 steps"),
    (TURNS, 0, "languages", "a, b"),
    (TURNS, 2, "language tokens", "a 2 tokens, b 3 tokens"),
    (TURNS, 0, "most language tokens", "5 tokens"),
    (TURNS, 0, "least language tokens", "3 tokens"),
    (TURNS, 3, "turns", "a 1 merge, b 2 merges"),
    (TURNS, 1, "next turn", "a"),
    (TURNS, 1, "waiting", "b"),
    (TURNS, 0, "last waiting", "a"),
    (TURNS, 0, "reason", "Turn of b: it takes the most: 5 tokens."),
    (TURNS, 1, "turn", "b"),
    (SHARED, 1, "times in turn", "2 times"),
    (SHARED, 1, "times in all", "3 times"),
    (TOGETHER, 3, "most language tokens", "2 tokens"),
    (SUPER, 5, "merges across words", "0 merges"),
    (SUPER, 7, "merges across words", "2 merges"),
    (BOUNDLESS, 10, "tokens across words", "▁in▁the ▁end▁in▁the"),
    # As told of that step: 12 + 16 + 16 + 11 + 7 tokens in five prunings.
    (FLAWED, 2, "going tokens", "338 tokens"),
    (FLAWED, 2, "counted pieces", "1,350 pieces"),
    (FLAWED, 2, "wrongly pruned", "▁cou"),
    (FLAWED, 2, "wrongly pruned loss", "0.001108"),
    (FLAWED, 2, "wrongly pruned right loss", "0.001063"),
    (FLAWED, 2, "wrongly kept", "d,"),
    (FLAWED, 2, "wrongly kept loss", "0.001491"),
    (FLAWED, 2, "wrongly kept right loss", "0.0005828"),
    (FLAWED, 2, "wrong choices", "0 tokens"),
    (FLAWED, 18, "wrong choices", "62 tokens"),
    # 7 merges, 9 characters that they need, and 15 more, of 49: one merge more takes two of these.
    (CHOSEN, 0, "chosen characters", "24 characters"),
    (CHOSEN, 0, "spelled characters", "25 characters"),
    (CHOSEN, 0, "shared room", "31 tokens"),
    (CHOSEN, 0, "saved by choice", "180 tokens"),
    (CHOSEN, 7, "saved by other merges", "179 tokens"),
    (CHOSEN, 0, "saving character", "ề"),
    (CHOSEN, 0, "saving character saves", "8 tokens"),
    (CHOSEN, 0, "saving character times", "4 times"),
    (CHOSEN, 0, "saving character bytes", "3 bytes"),
    (EM, 2, "expected count of n", "16.00"),  # n is in no longer piece
]


@pytest.mark.parametrize(("history", "t", "asked", "said"), TOLD, ids=[row[2] for row in TOLD])
def test_a_fact(history, t, asked, said):
    assert plain(told(asked, Scenery([history], [t]))) == said


def test_facts_of_several_lanes():
    lanes = Scenery([BPE, FREQUENCY], [1, 1])
    # b g h n p s u ug, and those with ##g ##n ##s ##u ##ug.
    assert plain(told("common tokens", lanes)) == "7 tokens"
    assert plain(told("own tokens", lanes)) == "ug"
    assert plain(told("own tokens in lane 2", lanes)) == "##g ##n ##s ##u ##ug"
    assert plain(told("new token in lane 2", lanes)) == "##ug"


def test_every_fact_is_worked_out_here():
    of_lanes = {"common tokens", "own tokens"}
    assert {asked.split(" of ")[0] for _h, _t, asked, _said in TOLD} | of_lanes == set(FACTS)


ABSENT_AT_THE_START = (
    *("new token", "tied pairs", "frequent pair", "score of x + y", "former score of u + g"),
    *("birth of u", "cut of mug", "count of Ġhug", "ways of hug", "loss", "published loss"),
    *("probability of hug", "pruned", "new word of hug", "own tokens", "new token in lane 2"),
)


@pytest.mark.parametrize(
    ("history", "t", "asked"),
    [
        *((BPE, 0, asked) for asked in ABSENT_AT_THE_START),
        (BPE, 3, "next pair"),
        (BPE, 0, "threshold"),
        (BPE, 0, "removals"),
        (BPE, 2, "merges across words"),
        (SUPER, 5, "tokens across words"),
        (EM, 2, "wrong choices"),
        (FLAWED, 0, "going tokens"),
        (FLAWED, 18, "wrongly pruned"),
        (BPE, 0, "chosen characters"),
        (FLAWED, 0, "chosen characters"),
        (NO_ROOM, 0, "saving character"),
        (NO_ROOM, 0, "saved by other merges"),
        (SLIGHTLY, 2, "wrongly kept"),
        (PICKY, 0, "next taken back"),
        (BPE, 0, "languages"),
        (ALONE, 0, "languages"),
        (ALONE, 0, "next turn"),
        (TOGETHER, 0, "next turn"),
        (TOGETHER, 1, "turn"),
        (TOGETHER, 1, "turns"),
        (TURNS, 0, "turns"),
        (TURNS, 3, "reason"),
        (PICKY, 2, "next pair"),
        (PICKY, 2, "taken apart"),
        (BPE, 3, "unknown of bugs"),
        (UNIGRAM, 0, "next pair"),
        (UNIGRAM, 0, "score of u + g"),
        (UNIGRAM, 6, "probability of ug"),
        (UNIGRAM, 6, "second cut of s"),
        (UNIGRAM, 0, "letters of hughughughughug"),
        (UNIGRAM, 0, "expected count of n"),
    ],
)
def test_what_a_run_does_not_have_is_absent(history, t, asked):
    with pytest.raises(Absent):
        told(asked, Scenery([history], [t]))


def test_small_products_are_powers_of_ten():
    said = plain(told("letters of hughug", Scenery([UNIGRAM], [0])))
    # (15·36·20)² / 210⁶
    assert said.endswith("≈ 1.36 × 10⁻⁶")


def test_moments_of_turns():
    axis = make_axis([TURNS], "step")
    assert [position_of("another turn", [TURNS], axis, at, None) for at in (0, 1)] == [1, 2]
    for history, at in ((TURNS, 2), (TOGETHER, 0), (ALONE, 0), (BPE, 0)):
        with pytest.raises(Absent):
            position_of("another turn", [history], make_axis([history], "step"), at, None)


def test_moments_of_borders():
    for history, at in ((SUPER, [5, 6]), (BOUNDLESS, [6, 9])):
        axis, first = make_axis([history], "step"), at[0] + 1
        found = [position_of("across words", [history], axis, t, None) for t in (0, first)]
        assert found == at
        with pytest.raises(Absent):
            position_of("across words", [history], axis, len(history), None)
    assert position_of("border", [SUPER], make_axis([SUPER], "step"), 0, None) == 5
    early = tokviz.train("in the end", "super-bpe", 9, transition_size=9)
    for history in (BOUNDLESS, BPE, early):
        with pytest.raises(Absent):
            position_of("border", [history], make_axis([history], "step"), 0, None)
    with pytest.raises(Absent):
        position_of("across words", [BPE], make_axis([BPE], "step"), 0, None)


@pytest.mark.parametrize(("history", "prunings"), [(FLAWED, 5), (SLIGHTLY, 2)])
def test_moments_of_a_wrong_loss(history, prunings):
    """The prunings whose table has tokens that one loss removes and the other keeps."""
    differs, pruned = [], 0
    for t in range(len(history)):
        table = history.candidates(t)
        if history.action(t) == "prune":
            pruned += 1
            if (table.chosen != table.right_goes).any():
                differs.append(t)
    assert pruned == prunings
    axis, found = make_axis([history], "step"), [-1]
    for _ in differs:
        found.append(position_of("wrong loss", [history], axis, found[-1] + 1, None))
    assert found[1:] == differs == ([2, 5, 8, 11, 14] if history is FLAWED else [5])
    with pytest.raises(Absent):
        position_of("wrong loss", [history], axis, differs[-1] + 1, None)
    with pytest.raises(Absent):
        position_of("wrong loss", [EM], make_axis([EM], "step"), 0, None)


def test_moments_of_removals():
    axis = make_axis([PICKY], "step")
    at = {"taking back": [2, 4], "coming apart": [4, 4]}
    for moment, positions in at.items():
        assert [position_of(moment, [PICKY], axis, stand, None) for stand in (0, 3)] == positions
        with pytest.raises(Absent):
            position_of(moment, [PICKY], axis, 5, None)
        with pytest.raises(Absent):
            position_of(moment, [BPE], make_axis([BPE], "step"), 0, None)
    assert position_of("end of hug", [PICKY], axis, 0, None) == 5
    # All of "aa" went into "aaaa", though that is one merge for two uses.
    axis = make_axis([BOUNDLESS_BACK], "step")
    assert position_of("taking back", [BOUNDLESS_BACK], axis, 0, None) == 2
    with pytest.raises(Absent):
        position_of("coming apart", [BOUNDLESS_BACK], axis, 0, None)
