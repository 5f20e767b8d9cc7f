"""The pseudocode that the page shows, run line by line and compared with the engine's steps."""

import random
import re
import warnings
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import log
from operator import add

import numpy as np
import oracles
import pytest
from effort import LONG, SAMPLE_NAMES
from helpers import anything
from hypothesis import given
from hypothesis import strategies as st

import tokviz
from tokviz.pretokenizers.normalizer import VERSIONS
from tokviz.text.symbols import Symbol
from tokviz.trainers.pruning.em_model import digamma
from tokviz.trainers.pseudocode import FUNCTIONS, called, pseudocode

COURSE = tokviz.SAMPLES["course"].corpus
HUG = {"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5}
#: GPT-2's characters for bytes.
PLAIN = [*range(33, 127), *range(161, 173), *range(174, 256)]
REST = [byte for byte in range(256) if byte not in PLAIN]
BYTES = {chr(b): b for b in PLAIN} | {chr(256 + i): b for i, b in enumerate(REST)}
WORDS = st.dictionaries(
    st.text("ab", min_size=1, max_size=9), st.integers(1, 9), min_size=1, max_size=8
)
CHOSEN = {"library_version": "0.2.3", "byte_fallback": True, "auto_character_coverage": True}
#: Steps to be compared on a text that takes long to count anew at every step.
MOST = 12
#: Characters of a sample whose every token is taken out once a round.
BEGINNING = 240 if LONG else 150


def beginnings(most, more):
    """The samples, long ones by their first words, with so many `more` tokens than letters."""
    for name in SAMPLE_NAMES:
        corpus = tokviz.SAMPLES[name].corpus
        if isinstance(corpus, str):
            corpus = corpus[:most].rpartition(" ")[0] if len(corpus) > most else corpus
        settings = {"vocab_size": len({*"".join(corpus), " "}) + more}
        yield f"sample {name}", (corpus, settings)


def source(name, keep):
    """The lines as Python that keeps what a round found, as `keep` says it at the next pair."""
    lines = [line.code for line in pseudocode(name)]
    marked = next(i for i, line in enumerate(pseudocode(name)) if line.moment == "next")
    indent = lines[marked][: len(lines[marked]) - len(lines[marked].lstrip())]
    return "\n".join([*lines[: marked + 1], f"{indent}{keep}", *lines[marked + 1 :]])


def word_counts(history):
    return [*zip(history.words.words, history.words.counts, strict=True)]


def words_of(history):
    return [(history.segmentation(w, 0), n) for w, n in word_counts(history)]


def choose_by(history):
    """What takes one of tied pairs, as the oracle does."""
    ids = {token: i for i, token in enumerate(history.vocab(0))}
    bytewise = getattr(history.trainer, "unit", "char") == "byte"

    def as_text(token):
        return bytes(BYTES[char] for char in token) if bytewise else token

    def choose(tie_break, ties):
        if tie_break == "first-seen":
            return ties[0]
        if tie_break == "largest-pair":
            return max(ties, key=lambda pair: tuple(map(as_text, pair)))
        if tie_break == "smallest-ids":
            return min(ties, key=lambda pair: [ids[token] for token in pair])
        texts = {pair: as_text(pair[0]) + as_text(pair[1]) for pair in ties}
        return min(ties, key=lambda pair: (len(texts[pair]), texts[pair]))

    return choose, ids


def may_be_piece(history, token):
    known = {*"".join(history.vocab(0)[len(history.special_tokens) :])}
    return known.issuperset(token) and history.trainer.piece_rules.valid(token)


def run_merges(history):
    """The pairs that the pseudocode merges, each with the best value and how many pairs tie."""
    trainer, found = history.trainer, []
    glued = bool(getattr(trainer, "continuing_subword_prefix", "")) or trainer.name == "wordpiece"
    join = oracles.join_wordpiece if glued else add
    choose, ids = choose_by(history)

    def joined(pair):
        token = join(*pair)
        ids.setdefault(token, len(ids))
        return token

    def count(pairs_of):
        def counted(words):
            counts = Counter()
            for symbols, n in words:
                for what in pairs_of(symbols):
                    counts[what] += Fraction(n)
            return counts

        return counted

    names = {
        "corpus": history,
        "split": words_of,
        "special_tokens": history.special_tokens,
        "alphabet": lambda _words: set(history.vocab(0)) - set(history.special_tokens),
        "vocab_size": trainer.vocab_size,
        "min_frequency": max(1, getattr(trainer, "min_frequency", 1)),
        "tie_break": trainer.tie_break,
        "count_pairs": count(pairwise),
        "count_tokens": count(lambda symbols: symbols),
        "choose": choose,
        "is_piece": lambda token, _known=None: may_be_piece(history, token),
        "merge": lambda pair, words: [
            (oracles.merge_pair(symbols, pair, join(*pair)), n) for symbols, n in words
        ],
        "join": joined,
        "found": found,
        **picky_names(history),
        **parity_names(history),
        **crossing_names(history),
        **choice_names(history),
    }
    if history.algorithm == "boundless-bpe":
        names |= boundless_names(history)
    exec(source(trainer.pseudocode, "found.append((pair, best, len(ties)))"), names)
    return [(pair[:2], *more) for pair, *more in found], names["words"], names["vocabulary"]


def choice_names(history):
    """What only the lines of a choice of characters call. A character is counted as it stands."""
    found = Counter()
    for word, n in word_counts(history):
        for char in word.replace(" ", "▁"):
            found[char] += n

    def gain(char):
        return (len(char.encode()) - 1) * found[char]

    def merge_with_all(_words, room):
        """As BPE of all characters merges, whatever the trainer's own choice is."""
        chooses = {"auto_character_coverage": False, "byte_fallback": False}
        settings = {**chooses, "character_coverage": 1.0, "vocab_size": 3 + len(found) + room}
        trainer = replace(history.trainer, **settings)
        steps = trainer.train(history.words, history.pretokenizer).steps
        return [step.token for step in steps], [step.count for step in steps]

    def characters_with(pieces, _words, room):
        sets = {}
        for k in range(len(pieces) + 1):
            needed = set("".join(pieces[:k]))
            left = room - k - len(needed)
            if left < 0:
                break
            others = [char for char in found if char not in needed and gain(char)]
            others.sort(key=lambda char: (-gain(char), -found[char], char))
            sets[k] = needed | set(others[:left])
        return sets

    return {
        "merge_with_all": merge_with_all,
        "characters_with": characters_with,
        "saved_by": lambda characters, _words: sum(map(gain, characters)),
    }


def parity_names(history):
    """What only the lines of parity-aware BPE call: the language with the most tokens of those that
    have pairs, and the words that it has."""
    languages = history.words.languages
    if not languages:
        return {}

    def words_of_language(language, words):
        counts = languages.counts[language]
        return [(symbols, n) for (symbols, _), n in zip(words, counts, strict=True) if n]

    def tokens(language, words):
        return sum(len(symbols) * n for symbols, n in words_of_language(language, words))

    def next_turn(words):
        able = [
            language
            for language in range(len(languages.names))
            if any(len(symbols) > 1 for symbols, _ in words_of_language(language, words))
        ]
        return max(able, key=lambda language: tokens(language, words), default=0)

    return {"next_turn": next_turn, "words_of": words_of_language}


def picky_names(history):
    """What only the lines of PickyBPE call. Tokens stand in words as they are displayed."""
    first = {}
    for step in history.steps:
        if step.action == "merge":
            first.setdefault(step.token, (step.left, step.right))
    gone = set()

    def parts(token):
        return [part for side in first[token] for part in (parts(side) if side in gone else [side])]

    def take_apart(token, words):
        gone.add(token)
        return [
            ([part for old in word for part in (parts(old) if old == token else [old])], n)
            for word, n in words
        ]

    def count_joined(pair, words):
        gone.discard(add(*pair))
        return sum(
            n * (len(word) - len(oracles.merge_pair(word, pair, add(*pair)))) for word, n in words
        )

    return {
        "threshold": getattr(history.trainer, "exact_threshold", None),
        "is_merged": lambda token: token in first and token not in history.special_tokens,
        "take_apart": take_apart,
        "count_joined": count_joined,
    }


def crossing_names(history):
    """What only the lines of SuperBPE call."""

    def cut_into_words(_runs):
        counts, spelling = Counter(), history.spelling
        for run, n in word_counts(history):
            for word in history.trainer.words_in(run):
                counts[word] += n
        return [([*map(spelling.show, spelling.split(word))], n) for word, n in counts.items()]

    def may_be_tokens(pairs, longest):
        return {
            pair: n
            for pair, n in pairs.items()
            if ":Ġ" not in "".join(pair) and len("".join(pair).replace("Ġ", " ").split()) <= longest
        }

    return {
        "transition_size": getattr(history.trainer, "transition_size", None),
        "longest": getattr(history.trainer, "longest", None),
        "cut_into_words": cut_into_words,
        "may_be_tokens": may_be_tokens,
    }


class Part(str):
    """A token of a run that knows whether it begins a word, and whether it ends one."""

    begins = ends = False

    @classmethod
    def of(cls, text, begins, ends):
        made = cls(text)
        made.begins, made.ends = begins, ends
        return made


def boundless_names(history):
    """What the lines of BoundlessBPE call. A pair is two tokens and whether they are whole."""
    show, split = history.spelling.show, history.spelling.split

    def cut(run):
        for word in history.trainer.words_in(run):
            tokens = [*map(show, split(word))]
            for i, token in enumerate(tokens):
                yield Part.of(token, i == 0, i == len(tokens) - 1)

    def kind(left, right):
        """Whether two tokens are within a word (0) or two that may be joined (1)."""
        if not right.begins:
            return 0
        is_whole = all(token.begins and token.ends for token in (left, right))
        return 1 if is_whole and may_be_joined((left + right).replace("▁", " ")) else None

    def may_be_joined(text):
        return re.fullmatch(r"(?=.+\w)[\w _'’]+", text) and not re.search(r"\d", text)

    # The words of all runs, whatever they are joined with there.
    counts_of_words = Counter()
    for run, n in word_counts(history):
        for word in history.trainer.words_in(run):
            counts_of_words[word] += n
    table = [[[*map(show, split(word))], n] for word, n in counts_of_words.items()]

    def within():
        for tokens, n in table:
            yield [Part.of(token, i == 0, False) for i, token in enumerate(tokens)], n

    def count(wanted):
        def counted(words):
            counts, words = Counter(), words if wanted else within()
            for tokens, n in words:
                before = None
                for left, right in pairwise(tokens):
                    pair = (left, right, wanted) if kind(left, right) == wanted else None
                    # Of a token that follows itself every second pair.
                    before = None if pair == before and left == right else pair
                    if before:
                        counts[pair] += n
            return counts

        return counted

    def merge(pair, words):
        merged = []
        for entry in table if not pair[2] else ():
            entry[0] = oracles.merge_pair(entry[0], pair[:2], pair[0] + pair[1])
        for tokens, n in words:
            after = []
            for token in tokens:
                if after and (after[-1], token, kind(after[-1], token)) == pair:
                    left = after.pop()
                    token = Part.of(left + token, left.begins, token.ends)
                after.append(token)
            merged.append((after, n))
        return merged

    def count_in_words(_runs):
        return sum((Counter({t: ts.count(t) * n for t in ts}) for ts, n in table), Counter())

    def spell_out(token, words):
        for entry in table:
            parts = ([*part] if part == token else [part] for part in entry[0])
            entry[0] = [letter for part in parts for letter in part]

        def spelled(part):
            if part != token:
                return [part]
            last = len(part) - 1
            ends = ((i == 0 and part.begins, i == last and part.ends) for i in range(last + 1))
            return [Part.of(letter, *end) for letter, end in zip(part, ends, strict=True)]

        return [([p for part in tokens for p in spelled(part)], n) for tokens, n in words]

    def place(pair):
        left, right, across = pair
        return -across, left.replace("▁", " "), right.replace("▁", " ")

    return {
        "split": lambda history: [([*cut(w)], n) for w, n in word_counts(history)],
        "alphabet": lambda words: {token for tokens, _ in words for token in tokens},
        "count_within": count(0),
        "count_whole": count(1),
        "merge": merge,
        "join": lambda pair: pair[0] + pair[1],
        "choose": lambda _rule, ties: min(ties, key=place),
        "count_in_words": count_in_words,
        "merged_within": lambda pair: [
            token for token in dict.fromkeys(pair[:2]) if not pair[2] and len(token) > 1
        ],
        "spell_out": spell_out,
    }


def merges_of(history):
    return [step for step in history.steps if step.action == "merge"]


MERGED = {
    **{
        name: (sample.corpus, dict(sample.settings))
        for name, sample in tokviz.SAMPLES.items()
        if sample.settings["algorithm"] == "bpe"
    },
    **{
        f"wordpiece of {name}": (tokviz.SAMPLES[name].corpus, {"algorithm": "wordpiece"})
        for name in SAMPLE_NAMES
    },
    "wordpiece": (COURSE, {"algorithm": "wordpiece", "vocab_size": 70}),
    "wordpiece by frequency": (
        COURSE,
        {"algorithm": "wordpiece", "score": "frequency", "vocab_size": 80},
    ),
    "picky": (COURSE, {"algorithm": "picky-bpe", "vocab_size": 60, "threshold": 0.7}),
    "picky, not at all": (COURSE, {"algorithm": "picky-bpe", "vocab_size": 60, "threshold": 1.0}),
    "picky, always": (HUG, {"algorithm": "picky-bpe", "vocab_size": 9, "threshold": 0.0}),
    "parity": (
        "=== a ===\n" + COURSE + "\n=== b ===\nαβγ αβγδ αβ αβγ " * 9,
        {"algorithm": "parity-bpe", "vocab_size": 70},
    ),
    "super": (COURSE, {"algorithm": "super-bpe", "vocab_size": 90, "transition_size": 60}),
    "super, at once": (COURSE, {"algorithm": "super-bpe", "vocab_size": 90, "transition_size": 1}),
    "super, pairs": (
        COURSE,
        {"algorithm": "super-bpe", "vocab_size": 200, "longest": 2, "min_frequency": 2},
    ),
    "boundless": (COURSE, {"algorithm": "boundless-bpe", "vocab_size": 120}),
    "boundless, picky": (
        COURSE,
        {"algorithm": "boundless-bpe", "vocab_size": 120, "threshold": 0.7},
    ),
    "boundless, to the end": (
        "ha ha ha ha ha\nit's it's\nfoo_bar FooBar FooBar's",
        {"algorithm": "boundless-bpe", "vocab_size": 99, "special_tokens": ("ha", "▁ha▁ha")},
    ),
    "to the end": (HUG, {"algorithm": "wordpiece", "vocab_size": 99}),
    "seldom": (COURSE, {"algorithm": "bpe", "vocab_size": 90, "min_frequency": 3}),
    "special": (COURSE, {"algorithm": "bpe", "vocab_size": 60, "special_tokens": ("<s>",)}),
    "prefix": (
        HUG,
        {"algorithm": "bpe", "vocab_size": 20, "continuing_subword_prefix": "##"},
    ),
    "sentencepiece": (COURSE, {"algorithm": "sentencepiece-bpe", "vocab_size": 70}),
    "scripts": (
        tokviz.SAMPLES["udhr-ja"].corpus + tokviz.SAMPLES["udhr-en"].corpus + " a1 a1 a1",
        {"algorithm": "sentencepiece-bpe"},
    ),
    **{
        f"chosen characters of {name}": (
            tokviz.SAMPLES[name].corpus,
            {"algorithm": "sentencepiece-bpe", "vocab_size": 259 + room, **CHOSEN},
        )
        for name, room in (("udhr-ja", 60), ("udhr-zh", 40), ("udhr-hi", 60))
    },
    **{
        rule: (COURSE, {"algorithm": "bpe", "vocab_size": 50, "tie_break": rule})
        for rule in ("first-seen", "largest-pair", "smallest-ids", "shortest")
    },
}


@pytest.mark.parametrize("name", MERGED)
def test_pairs_are_merged_as_the_lines_say(name):
    corpus, settings = MERGED[name]
    if len(str(corpus)) > 2000 or "vocab_size" not in settings:
        start = tokviz.train(corpus, **{**settings, "vocab_size": 900}).vocab_size(0)
        settings = {**settings, "vocab_size": start + MOST}
    history = tokviz.train(corpus, **settings)
    found, words, vocabulary = run_merges(history)
    # Scores are compared exactly by both; a step has its score as the nearest float.
    assert [(pair, float(best), tied) for pair, best, tied in found] == [
        ((s.left, s.right), s.score or s.count, s.tied) for s in merges_of(history)
    ]
    last = len(history)
    assert [symbols for symbols, _n in words] == [
        history.segmentation(w, last) for w in history.words.words
    ]
    assert vocabulary == set(history.vocab(last))


@given(
    WORDS,
    st.sampled_from(
        [
            *("bpe", "picky-bpe", "parity-bpe", "super-bpe", "boundless-bpe"),
            *("wordpiece", "sentencepiece-bpe"),
        ]
    ),
    st.integers(12, 30),
)
def test_any_words_are_merged_as_the_lines_say(words, algorithm, size):
    history = tokviz.train(words, algorithm, size, counted=anything)
    found, _words, vocabulary = run_merges(history)
    assert [(pair, float(best), tied) for pair, best, tied in found] == [
        ((s.left, s.right), s.score or s.count, s.tied) for s in merges_of(history)
    ]
    assert vocabulary == set(history.vocab(len(history)))


PRUNED = {
    "hug": (HUG, {"vocab_size": 13, "pretokenizer": "whitespace", "whole_words": False}),
    "course": (COURSE, {"vocab_size": 45, "pretokenizer": "gpt2"}),
    "overshooting": (COURSE, {"vocab_size": 100, "trim_last": False}),
    "special": (HUG, {"vocab_size": 12, "special_tokens": ("<s>", "<unk>")}),
    "fast": (COURSE, {"vocab_size": 60, "prune_fraction": 0.5, "seed_size": 120}),
    # The seeds of an independent implementation may be as long as a word.
    **{
        name: (corpus, {**settings, "max_token_length": 300})
        for name, (corpus, settings) in beginnings(BEGINNING, 12)
    },
}


@pytest.mark.parametrize("name", PRUNED)
def test_tokens_are_pruned_as_the_lines_say(name):
    corpus, settings = PRUNED[name]
    history = tokviz.train(corpus, "unigram", **settings)
    trainer, found = history.trainer, []
    names = {
        "corpus": history,
        "split": lambda history: word_counts(history),
        "special_tokens": history.special_tokens,
        "vocab_size": trainer.vocab_size,
        "seed_size": trainer.seed_size,
        "prune_fraction": trainer.prune_fraction,
        "trim_last": trainer.trim_last,
        "seeds": lambda words, n: oracles.unigram_seeds(words, n, trainer.whole_words),
        "log": log,
        # The published loop starts at 1, which decides how sums are rounded.
        "loss_of": lambda words, log_prob: oracles.unigram_loss(
            words, {token: -value for token, value in log_prob.items()}, 1
        ),
        "without": lambda token, log_prob: {t: p for t, p in log_prob.items() if t != token},
        "found": found,
    }
    exec(source("unigram", "found.append((cheapest, loss))"), names)
    total = history.words.total
    shown = [[history.spelling.show(Symbol(t)) for t in gone] for gone, _l in found]
    assert [gone for gone in shown if gone] == [[*step.removed] for step in history.steps]
    losses = [loss - total for (gone, loss) in found if gone]
    assert losses == pytest.approx([*history.curve()["loss"]][: len(history)])


def syllables(seed):
    """A text of words made of a few syllables, frequent and rare ones."""
    draw = random.Random(seed)
    parts = [a + b for a in "bdgklmn" for b in "aei"]
    words = ["".join(draw.choices(parts, k=draw.randint(1, 3))) for _ in range(12)]
    return " ".join(draw.choices(words, range(1, 13), k=90))


ESTIMATED = {
    **dict(beginnings(BEGINNING, 20)),
    "course": (COURSE, {"vocab_size": 40, "min_expected_count": 0.1}),
    "as the library": (COURSE, {"vocab_size": 36}),
    "hug": ({f" {word}": n for word, n in HUG.items()}, {"vocab_size": 14}),
    "rare": (COURSE, {"vocab_size": 60, "min_expected_count": 9.0}),
    "none": ("ab", {"vocab_size": 9, "min_expected_count": 1000.0}),
    "fast": (COURSE, {"vocab_size": 34, "min_expected_count": 0.2, "shrinking_factor": 0.6}),
    "steps": (COURSE, {"vocab_size": 34, "min_expected_count": 0.1, "num_sub_iterations": 4}),
    "special": (COURSE, {"vocab_size": 45, "bos_id": -1, "user_defined_symbols": ("<s1>",)}),
    "unknown": ("ab ba abba " * 90 + "日", {"vocab_size": 9, "character_coverage": 0.98}),
    "few": ("low lower lowest", {"vocab_size": 99}),
    **{
        f"syllables {seed}": (syllables(seed), {"vocab_size": 22, "min_expected_count": 0.3711})
        for seed in range(30)
    },
}
#: As the newer version estimates.
NEWER = "course", "as the library", "none", "fast", "unknown", "few", "syllables 1", "syllables 2"
for name in NEWER:
    text, settings = ESTIMATED[name]
    ESTIMATED[f"{name}, newer"] = text, settings | {"library_version": VERSIONS[1]}


SLIPPING = {
    "course": (COURSE, {"vocab_size": 36, "min_expected_count": 0.1}),
    "fast": (COURSE, {"vocab_size": 34, "min_expected_count": 0.1, "shrinking_factor": 0.6}),
    "steps": (COURSE, {"vocab_size": 34, "min_expected_count": 0.1, "n_sub_iterations": 4}),
    **{
        f"syllables {seed}": (syllables(seed), {"vocab_size": 16, "min_expected_count": 0.1})
        for seed in range(30)
    },
}


@pytest.mark.parametrize("name", SLIPPING)
def test_hugging_face_trains_as_the_lines_say(name):
    corpus, settings = SLIPPING[name]
    with warnings.catch_warnings(action="ignore"):
        history = tokviz.train(corpus, "huggingface-unigram", **settings)
    trainer = history.trainer
    prepared = trainer.prepared(history.words)
    found = run_estimated(
        history,
        {
            "n_sub_iterations": trainer.n_sub_iterations,
            "shrinking_factor": trainer.shrinking_factor,
            "expect": lambda words, log_prob: oracles.em_expect(words, log_prob, credited=False),
            "flawed_loss": lambda words, log_prob: oracles.em_losses(
                words, log_prob, len(log_prob) + 1
            ),
            "first_choice": lambda _words, log_prob, size: oracles.em_first(
                log_prob, list(prepared.required), size - len(trainer.meta_pieces)
            ),
        },
    )
    assert "prune" in [kind for kind, _ in found]
    for t, (kind, log_prob) in enumerate(found, 1):
        in_order = list if kind != "finalize" else set
        assert in_order(log_prob) == in_order(state(history, t))
        assert log_prob == pytest.approx(state(history, t), rel=1e-9, abs=1e-9)


def state(history, t):
    """The log-probabilities of the pieces of a state."""
    names = [history.strings[i] for i in history.alive(t).tolist()]
    return dict(zip(names, history.log_probs(t).tolist(), strict=True))


def run_estimated(history, more):
    """Runs the lines of a history's algorithm, some of whose names are in `more`: the kind of every
    step, and the log-probabilities after it."""
    trainer, found = history.trainer, []
    names = {
        "corpus": trainer.prepared(history.words),
        "split": lambda words: [*zip(words.words, words.counts.tolist(), strict=True)],
        "vocab_size": trainer.vocab_size,
        # Below that a count is only rounding, as the trainer says.
        "min_expected_count": max(trainer.min_expected_count, 1e-30),
        "seed_pieces": lambda _words, _n: state(history, 0),
        "expect": oracles.em_expect,
        "psi": lambda x: float(digamma(np.asarray([x]))[0]),
        "greatest": lambda loss, n: sorted(loss, key=loss.get, reverse=True)[:n],
        "found": found,
        **more,
    }
    code = []
    for line in pseudocode(trainer.pseudocode):
        code.append(line.code)
        if line.moment in ("em", "prune", "finalize"):
            indent = line.code[: len(line.code) - len(line.code.lstrip())]
            code.append(f"{indent}found.append(({line.moment!r}, log_prob))")
    exec("\n".join(code), names)
    assert [kind for kind, _ in found] == [history.action(t) for t in range(len(history))]
    return found


@pytest.mark.parametrize("name", ESTIMATED)
def test_probabilities_are_estimated_and_tokens_pruned_as_the_lines_say(name):
    corpus, settings = ESTIMATED[name]
    with warnings.catch_warnings(action="ignore"):
        history = tokviz.train(corpus, "sentencepiece-unigram", **settings)
    trainer = history.trainer
    prepared = trainer.prepared(history.words)
    found = run_estimated(
        history,
        {
            "seed_sentencepiece_size": trainer.seed_sentencepiece_size,
            "num_sub_iterations": trainer.num_sub_iterations,
            # The library multiplies in single precision.
            "shrinking_factor": np.float32(trainer.shrinking_factor),
            "loss_without_each": oracles.em_losses,
            "final_choice": lambda _words, log_prob, size: oracles.em_final(
                log_prob, list(prepared.required), size - len(trainer.meta_pieces)
            ),
        },
    )
    for t, (kind, log_prob) in enumerate(found, 1):
        # The library computes in single precision: in the last digits it ranks what ties.
        in_order = list if kind != "finalize" else set
        assert in_order(log_prob) == in_order(state(history, t))
        assert log_prob == pytest.approx(state(history, t), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    "algorithm", [*tokviz.TRAINERS, "sentencepiece-unigram-0.2.3", "sentencepiece-bpe-chosen"]
)
def test_lines_are_few_and_say_what_they_call(algorithm):
    lines = pseudocode(algorithm)
    if algorithm in tokviz.TRAINERS:
        assert lines == pseudocode(tokviz.train(COURSE, algorithm, 60).trainer.pseudocode)
    assert 0 < len(lines) <= 15
    moments = ["start", "end", "next", "done"]
    if algorithm == "picky-bpe":
        moments += ["remove", "removed"]
    if algorithm in ("sentencepiece-unigram", "huggingface-unigram"):
        moments = ["start", "em", "end", "prune", "finalize"]
    if algorithm == "sentencepiece-unigram-0.2.3":
        moments = ["start", "em", "prune", "end", "finalize"]
    assert [*dict.fromkeys(line.moment for line in lines if line.moment)] == moments
    assert all(len(line.code) <= 92 for line in lines)
    built_in = {
        "set",
        "len",
        "max",
        "sum",
        "log",
        "int",
        "min",
        "sorted",
        "values",
        "range",
        "items",
    }
    names = {found for line in lines for found in re.findall(r"(\w+)\(", line.code)}
    assert names - built_in == {*called(lines)} <= {*FUNCTIONS}
