"""BoundlessBPE: the same steps as the program of its authors, and every state as defined."""

import json
import lzma
import random
from collections import Counter
from functools import partial
from itertools import groupby, pairwise
from time import process_time

import pytest
import regex
from effort import LONG, each
from helpers import anything
from oracles import merge_pair
from record_boundless_bpe import (
    CORPORA,
    FILE,
    NEVER,
    SIZES,
    TEXTS,
    THRESHOLD,
    WORDS,
    corpus,
    threshold,
)
from trainers.test_hf_trainers import text

import tokviz
from tokviz.narration import announce
from tokviz.trainers.boundless.corpus import Level, Pairs
from tokviz.trainers.boundless.words import boundless_words, may_be_joined

RECORDED = json.loads(lzma.decompress(FILE.read_bytes()))
#: Letter for letter as in the program, of which the authors' pattern is made.
PATTERN = regex.compile(
    r" ?(?:\p{L}\p{M}*)+['’](?:\p{L}\p{M}*)+|_(?:\p{Ll}\p{M}*)+"
    r"| ?(?:\p{Lu}\p{M}*)+(?=(?:\p{Lu}\p{M}*)(?:\p{Ll}\p{M}*))| ?(?:\p{Lu}\p{M}*)?(?:\p{Ll}\p{M}*)+"
    r"| ?(?:\p{Lu}\p{M}*)+| ?(?:[\p{Lt}\p{Lm}\p{Lo}]\p{M}*)+"
    r"|(?:\p{N}\p{M}*){1,3}(?=(?:(?:\p{N}\p{M}*){3})*(?:(?:\P{N}\p{M}*)|$))"
    r"| ?(?:[\p{P}\p{S}]\p{M}*)+|[^\S\r\n]*[\n\r]+|[^\S\r\n]+|(?:[\p{Z}\p{C}]\p{M}*)+|\p{M}+|.+"
)
JOINED = regex.compile(r"^(?=.+\p{L})(?:\p{L}\p{M}*|[ _'\u2019])+$")
POOLS = (
    "aB_' ’1.\u0301",
    "aAbB 'ʰᾈ日\u0301",
    "0123 ٣a\u0301,",
    "a \t\n\r\u2028\u00a0\u200b\0é",
    "XyZ__ '’’s12",
    "\u093f\u0301\U00010400\U00010428ⅷ²½aA ",
    "\ue000\ud800 aA_'\u0301.",
)


def train(lines, size, **settings):
    settings = {"unit": "byte", "counted": anything, "initial_alphabet": ("bytes",), **settings}
    return tokviz.train(lines, "boundless-bpe", size, **settings)


def listed(history, steps=None):
    """The first steps as they are written down."""
    return [
        f"-{step.token} {step.went + step.left_over}"
        if step.action == "remove"
        else f"{'+' * history.reaches_across(step.index)}{step.left} {step.right} {step.count}"
        for step in history.steps[:steps]
    ]


#: Otherwise each pattern that cuts words is tried with a threshold and without.
RUNS = [(name, least) for name in TEXTS for least in (NEVER, THRESHOLD)]
RUNS = RUNS if LONG else RUNS[0:4:2] + RUNS[5::2]


@pytest.mark.parametrize(("name", "least"), RUNS)
@pytest.mark.checked_against("boundlessbpe", "trainer", "boundless-bpe")
def test_the_program_on_a_text(name, least, checked):
    """A smaller vocabulary ends earlier in the same steps."""
    asked = {"text": name, "threshold": least}
    runs = {run["size"]: run["steps"] for run in RECORDED["texts"] if asked.items() <= run.items()}
    assert sorted(runs) == SIZES
    size = max(SIZES)
    history = train(text(name), size, words=WORDS.get(name, "boundless"), threshold=least)
    steps = listed(history)
    for recorded in runs.values():
        assert steps[: len(recorded)] == recorded
    # With a threshold, the program counts what it has taken back, and ends earlier.
    assert (len(history) == len(runs[size])) or least != NEVER
    checked(len(runs))


@pytest.mark.parametrize("runs", ["corpora", "picky"])
@pytest.mark.checked_against("boundlessbpe", "trainer", "boundless-bpe")
def test_the_program_on_random_corpora(runs, checked):
    across = back = texts = 0
    tried = each([*enumerate(RECORDED[runs])], 3)
    for seed, run in tried:
        lines, size = corpus(seed)
        least = threshold(seed) if runs == "picky" else NEVER
        words = ["boundless", "gpt4o (o200k)"][seed % 2]
        history = train(lines, size, words=words, threshold=least)
        steps = None if least == NEVER else len(run["steps"])
        assert listed(history, steps) == run["steps"]
        across += int(history.record.across.sum())
        back += int((history.record.right < 0).sum())
        if "encoded" in run:
            cut = history.tokenizer(len(run["steps"])).encoder.encode
            for line, tokens in zip(corpus(seed + 2)[0], run["encoded"], strict=True):
                assert " ".join(piece.token for piece in cut(line)) == tokens
                texts += 1
    assert len(RECORDED[runs]) == CORPORA
    many = 2_000 if LONG else 600
    assert across > many
    assert (back > many) == (runs == "picky") == (texts > many)
    checked(len(tried), texts)


def test_words_are_those_of_the_pattern():
    for seed in range(30_000 if LONG else 6_000):
        chosen = random.Random(seed)
        made = "".join(chosen.choices(POOLS[seed % len(POOLS)], k=chosen.randint(1, 14)))
        words = boundless_words(made)
        assert words == PATTERN.findall(made)
        assert [*map(may_be_joined, words)] == [bool(JOINED.match(word)) for word in words]


@pytest.mark.parametrize("part", ["aA", "1", "A", "a'", "_a", "A\u0301", " "])
def test_long_texts_are_cut_in_time(part):
    # What looks at the rest of such a text at each of its words takes minutes.
    assert "".join(boundless_words(part * 60_000)) == part * 60_000


def test_of_a_long_run_words_are_taken_away_in_time():
    # Looking for the start of the run from each place takes 20 s.
    n = 30_000
    level = Level(Pairs(["a"], lambda _text: False), True, [0] * n, [0, n], [1])
    began = process_time()
    level.take_away(0, range(n))
    assert process_time() - began < 2


def counts_of(words):
    """The pairs of words with their counts: of a token that follows itself, every second one."""
    counts = Counter()
    for tokens, n in words:
        for _, same in groupby(pairwise(tokens)):
            same = [*same]
            left, right = same[0]
            counts[left, right] += n * ((len(same) + 1) // 2 if left == right else len(same))
    return counts


@pytest.mark.parametrize("unit", ["char", "byte"])
@pytest.mark.parametrize("least", [NEVER, 0.6])
def test_every_state_is_as_defined(unit, least):
    states = apart = 0
    for seed in range(100 if LONG else 6):
        lines, size = corpus(1000 + seed)
        history = train(lines, size - 200, unit=unit, initial_alphabet=(), threshold=least)
        states += assert_defined(history)
        apart += sum(
            step.action == "remove" and history.times[step.index] for step in history.steps
        )
    assert states > (400 if LONG else 200)
    assert (apart > (10 if LONG else 5)) == (least < NEVER)


def assert_defined(history):
    """Counts everything anew in every state."""
    spelling, trainer = history.spelling, history.trainer
    runs, words = [], {}
    for run, n in zip(history.words.words, history.words.counts, strict=True):
        parts = trainer.words_in(run)
        runs.append([parts, n])
        for word in parts:
            words.setdefault(word, [[*map(spelling.show, spelling.split(word))], 0])[1] += n
    texts = {word: "".join(tokens) for word, (tokens, _) in words.items()}
    rows = [[[(texts[w], w) for w in parts], n] for parts, n in runs]
    vocabulary, gone, going = {*history.vocab(0)}, set(), []
    spelled = {token: [token] for token in vocabulary}
    for t in range(len(history) + 1):
        assert {*history.vocab(t)} == vocabulary - gone
        assert history.vocab_size(t) == len(vocabulary - gone)
        whole = {w for w, (tokens, _) in words.items() if len(tokens) == 1 and may_be_joined(w)}
        within = counts_of(words.values())
        across = Counter()
        for row, n in rows:
            stretches = groupby(row, key=lambda token: token[1] is None or token[1] in whole)
            across += counts_of(
                ([token for token, _ in stretch], n) for is_whole, stretch in stretches if is_whole
            )
        expected = Counter(
            {
                (kind, *pair): n
                for kind, counts in ((0, within), (1, across))
                for pair, n in counts.items()
                if "".join(pair) not in vocabulary
            }
        )
        pairs, counts = history.ranked_pairs(t)
        r, names = history.record, history.strings
        found = [
            (int(r.pair_across[p]), names[r.pair_left[p]], names[r.pair_right[p]]) for p in pairs
        ]
        assert dict(zip(found, counts.tolist(), strict=True)) == expected
        assert found == sorted(found, key=partial(place, expected, raw(history)))
        assert history.candidate_count(t) == len(found)
        if t % 4 == 0 or LONG:
            assert history.candidates(t, 5).equals(history.candidates(t).head(5))
        encoder = history.tokenizer(t).encoder
        for n, ((row, _), (parts, _)) in enumerate(zip(rows, runs, strict=True)):
            tokens = [token for name, w in row for token in ([name] if w is None else words[w][0])]
            run = "".join(parts)
            assert history.segmentation(run, t) == tokens
            # Encoding begins anew in each state: otherwise every run has its turn in every third.
            if (n + t) % 3 == 0 or LONG:
                assert [piece.token for piece in encoder.encode(run)] == tokens
        if t == len(history):
            break
        step = history.steps[t]
        if going:
            token, uses, went = going.pop(0)
            assert (step.action, step.token, step.went) == ("remove", token, went)
            assert step.went + step.left_over == uses
            gone.add(token)
            for entry in words.values():
                cut = (spelled[part] if part == token else [part] for part in entry[0])
                entry[0] = [part for parts in cut for part in parts]
            continue
        kind, *pair = found[0]
        assert (step.left, step.right, step.count) == (*pair, expected[found[0]])
        assert kind == int(history.reaches_across(t))
        assert step.count == step.times or trainer.takes_back
        vocabulary.add("".join(pair))
        spelled["".join(pair)] = [part for side in pair for part in spelled[side]]
        for side in dict.fromkeys(pair) if trainer.takes_back and not kind else ():
            uses = sum(tokens.count(side) * n for tokens, n in words.values())
            if len(spelled[side]) > 1 and step.count >= trainer.exact_threshold * uses:
                going.append((side, uses, step.count))
        if kind:
            rows = [[joined(row, pair, whole), n] for row, n in rows]
        else:
            for entry in words.values():
                entry[0] = merge_pair(entry[0], tuple(pair), "".join(pair))
    return len(history) + 1


def test_of_two_pairs_of_the_same_tokens_that_across_words_is_told():
    """Both are as frequent: within a word, and as two whole words."""
    history = tokviz.train("abCd\nabCd's", "boundless-bpe", 9)
    rows = history.candidates(2)
    same = rows[(rows.left == "ab") & (rows.right == "Cd")]
    assert same[["count", "across"]].values.tolist() == [[1, True], [1, False]]
    told = tokviz.branch(history, 2, ("ab", "Cd"))
    assert told.segmentation("abCd", 3) == ["abCd"]
    assert told.segmentation("abCd's", 3) == ["ab", "Cd", "'", "s"]


def place(expected, bytes_of, candidate):
    """What is smallest for the best candidate."""
    across, left, right = candidate
    return -expected[candidate], not across, bytes_of(left), bytes_of(right)


def raw(history):
    """The bytes of a token by its name."""
    symbols = dict(zip(history.strings, history.symbols, strict=True))
    return lambda name: history.spelling.bytes_of(symbols[name])


def joined(row, pair, whole):
    """A run in which two tokens that stand side by side, and are whole words, are one."""
    after, i = [], 0
    while i < len(row):
        two = row[i : i + 2]
        fits = len(two) == 2 and [token for token, _ in two] == pair
        if fits and all(w is None or w in whole for _, w in two):
            after.append(("".join(pair), None))
            i += 2
        else:
            after.append(row[i])
            i += 1
    return after


def test_a_removal_of_a_token_that_was_merged_with_itself_is_said_by_merges_and_uses():
    history = tokviz.train({"aaaa": 3, "bc": 1}, "boundless-bpe", 5, threshold=0.5)
    assert announce(history, 2) == (
        'Next: "aa" is taken back; merges into "aaaa" per use of it: 3/6 = 0.5, at least 0.5.'
    )
    assert history.narrate(3) == (
        'Step 3: took "aa" back; merges into "aaaa" per use of it: 3/6 = 0.5, at least 0.5. It '
        "stood nowhere else."
    )
