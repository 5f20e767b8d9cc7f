"""The player's own reading of a packed run equals the engine's answers, at every step.

The questions are asked in JavaScript, by Node's test runner; this test packs the runs and writes
down what the engine answers.
"""

import json
import math
import random
import re
from collections import Counter
from functools import cache

import contract_runs
import numpy as np
import pandas as pd
from effort import LONG, SAMPLE_NAMES
from helpers import PATIENCE, Backwards, anything, needs_node, node_passes

import tokviz
import tokviz.player.pack as packing
from tokviz.basics import messages
from tokviz.basics.messages import here, using
from tokviz.formats.exports import export
from tokviz.formats.readers.opened import open_tokenizer
from tokviz.history.boundless.history import BoundlessHistory
from tokviz.history.merges import MergeHistory
from tokviz.history.picking.history import PickyHistory
from tokviz.narration import agreement, announce
from tokviz.player import assets
from tokviz.player.columns import AFTER_CUT, MOST_CHIPS, MOST_DOOMED
from tokviz.player.pack import LINE_END, RUN, bundle, pack
from tokviz.player.vocabulary import knows_all_tokens
from tokviz.text.languages import joined, without_headers
from tokviz.text.pieces import LONGEST_SHOWN, excerpt

COURSE = tokviz.SAMPLES["course"].corpus
EM = "sentencepiece-unigram"
#: The same with a loss that is wrong, and the right one beside it.
FLAWED = "huggingface-unigram"
#: The algorithms of samples and random texts, as in contract_runs.py.
KINDS = (
    "bpe bytes",
    "wordpiece",
    "sentencepiece bpe",
    "unigram",
    "sentencepiece unigram",
    "sentencepiece unigram, newer",
    "picky bpe bytes, ids",
    "parity bpe",
    "super bpe bytes, gpt2",
    "boundless bpe",
    "boundless bpe, picky",
)
#: Of longer runs of merges not every state is asked for.
MOST_ASKED = 40
#: Columns of candidates that some algorithms have.
MORE_COLUMNS = ("left_count", "right_count", "exact_delta", "exact_rank", "right_loss")
#: The scripts whose messages are what the engine says too.
SAYING = ("i18n", "say", "merge_words", "picky_words", "parity_words", "crossing", "unigram")


def random_text(seed):
    draw = random.Random(seed)
    letters = draw.choice(["ab", "abc é", "aĠ▁#w<>/ ", "日本語 ñ👩‍🚀", "ab cdef ghi \u202e"])
    lines = ("".join(draw.choices(letters, k=draw.randint(0, 60))) for _ in range(5))
    return "\n".join(lines)


#: More than 300 characters, and words of which most pieces go at once.
MANY = "\n".join(f"{chr(0x4E00 + i % 310)}{i**3 * 7919:x}" for i in range(450))
RANDOM = range(8 if LONG else 3)
#: Whose turn it is goes by the tokens of texts, by ratios, or by development texts.
LANGUAGES = joined(
    {"en": COURSE, "el": "αβγ αβγ αβ γαβ\nαβγδ αβ δδδ", "日本": "日本語 日本 日日日"}
)
DEVELOPMENT = joined(
    {"en": "hug pug hugs pugs", "el": "αβγ αβ βγ"}, {"en": "hugs hug", "el": "αβγ αβγ αβγ ω"}
)
WINDOW = {"variant": "window", "window_size": 4, "alpha": 1.5}
RUNS = {
    "bpe": (COURSE, "bpe", 70, {"unit": "byte"}),
    "bpe-suffix": (COURSE, "bpe", 90, {"end_of_word_suffix": "</w>", "tie_break": "shortest"}),
    "bpe-special": (COURSE, "bpe", 60, {"special_tokens": ("th", "<s>")}),
    "wordpiece": (COURSE, "wordpiece", 70, {}),
    "frequency": (COURSE, "wordpiece", 90, {"score": "frequency"}),
    "sentencepiece-bpe": ("a1b a1b ba я " * 9, "sentencepiece-bpe", 14, {}),
    # Of its characters seven are unknown.
    "sentencepiece-bpe-chosen": (
        tokviz.SAMPLES["udhr-hi"].corpus,
        "sentencepiece-bpe",
        319,
        {"library_version": "0.2.3", "byte_fallback": True, "auto_character_coverage": True},
    ),
    "sentencepiece-unigram": (COURSE, "sentencepiece-unigram", 40, {"min_expected_count": 0.0}),
    # It prunes in another round, and after it nothing that cannot win is left.
    "newer": (
        COURSE,
        EM,
        40,
        {"library_version": "0.2.3", "min_expected_count": 0.0, "shrinking_factor": 0.95},
    ),
    "exact": (
        COURSE,
        "sentencepiece-unigram",
        36,
        {"min_expected_count": 0.0, "exact_deltas": True},
    ),
    "flawed": (COURSE, FLAWED, 40, {"min_expected_count": 0.0}),
    "flawed-exact": (COURSE, FLAWED, 40, {"min_expected_count": 0.0, "exact_deltas": True}),
    "unknown": ("ab " * 400 + "日", "sentencepiece-unigram", 8, {"character_coverage": 0.98}),
    # More go than the table has rows, and more characters are single than there are chips.
    "many-unigram": (MANY, "unigram", 400, {"seed_size": 3000, "prune_fraction": 0.6}),
    "many": (MANY, EM, 400, {"min_expected_count": 0.0, "shrinking_factor": 0.5}),
    "too-long-line": ("ab " * 2000 + "\nab bc", "sentencepiece-bpe", 9, {}),
    "unigram": (COURSE, "unigram", 98, {"special_tokens": ("<unk>",)}),
    # Told: one of those that tie, another one of the best 20, and one from far down.
    "forced": (
        COURSE,
        "bpe",
        60,
        {"interventions": {2: ("Ġ", "a"), 4: ("h", "is"), 6: ("Ġ", "F")}},
    ),
    "kept": (COURSE, "unigram", 60, {"interventions": {0: ("keep", "to"), 3: ("keep", "▁C")}}),
    "dropped": (COURSE, "unigram", 60, {"interventions": {0: ("drop", "▁This", "Hugging")}}),
    "forced-wordpiece": (COURSE, "wordpiece", 70, {"interventions": {3: ("b", "##e")}}),
    # Of the word in which a pair was met first, the beginning is said.
    "long": ("é" * 3 + "abcd é" * 9 + "abé" * 20, "bpe", 40, {"unit": "byte"}),
    "empty": ("", "bpe", 5, {}),
    "large": ({"ab": 2**40, "abc": 2**50, "b": 3}, "wordpiece", 10, {}),
    **{
        f"random-bpe-{i}": (random_text(i), "bpe", 500, {"unit": "byte"})
        for i in range(8 if LONG else 3)
    },
    **{
        f"random-wordpiece-{i}": (random_text(i), "wordpiece", 500, {})
        for i in range(8 if LONG else 3)
    },
    # Tokens come apart, return, and are taken back where they are used no more.
    "picky": (COURSE, "picky-bpe", 60, {"threshold": 0.6}),
    "picky-forced": (
        COURSE,
        "picky-bpe",
        50,
        {"threshold": 0.5, "unit": "byte", "interventions": {0: ("Ġ", "a"), 3: ("h", "is")}},
    ),
    "picky-special": (COURSE, "picky-bpe", 60, {"threshold": 0.6, "special_tokens": ("th", "<s>")}),
    **{
        f"random-picky-{i}": (random_text(i), "picky-bpe", 500, {"threshold": 0.3 + i / 10})
        for i in range(6 if LONG else 3)
    },
    # Each merge is for a language, or the first ones for all of them.
    "parity": (LANGUAGES, "parity-bpe", 70, {"unit": "byte"}),
    "parity-window": (LANGUAGES, "parity-bpe", 70, WINDOW | {"global_merges": 3}),
    "parity-ratio": (LANGUAGES, "parity-bpe", 70, {"ratio": [1.0, 1.3, 0.7]}),
    "parity-ratio-window": (LANGUAGES, "parity-bpe", 70, WINDOW | {"ratio": [1.0, 1.3, 0.7]}),
    "parity-development": (DEVELOPMENT, "parity-bpe", 30, {"tie_break": "shortest"}),
    "parity-development-window": (DEVELOPMENT, "parity-bpe", 30, WINDOW),
    "parity-forced": (
        LANGUAGES,
        "parity-bpe",
        60,
        {"interventions": {0: ("Ġ", "a"), 3: ("h", "is")}},
    ),
    **{
        f"random-parity-{i}": (
            joined({name: random_text(i + j) for j, name in enumerate("abc")}),
            "parity-bpe",
            300,
            WINDOW if i % 2 else {},
        )
        for i in range(6 if LONG else 2)
    },
    # Borders that fall, at once, after some merges, and never.
    "super": (COURSE, "super-bpe", 90, {"transition_size": 60, "unit": "byte"}),
    "super-at-once": (COURSE, "super-bpe", 60, {"transition_size": 1}),
    "super-never": (COURSE, "super-bpe", 60, {"transition_size": 60}),
    "super-forced": (
        COURSE,
        "super-bpe",
        80,
        {"transition_size": 60, "interventions": {2: ("Ġ", "a"), 40: ("c", "t")}},
    ),
    **{
        f"random-super-{i}": (random_text(i), "super-bpe", 300, {"transition_size": 20 + 9 * i})
        for i in range(6 if LONG else 3)
    },
    # The same pair within words and across them, and one that follows itself.
    "boundless": (
        "ha ha ha\nFooBar FooBar's FooBar\nFooBar's ha ha",
        "boundless-bpe",
        60,
        {"interventions": {2: ("B", "a"), 5: ("▁", "Fo")}},
    ),
    # The tokens of a pair of words begin and end longer words, too.
    "boundless-part": ("ha ha\n" * 5 + "ha hat\nha hats\noha ha", "boundless-bpe", 20, {}),
    "boundless-bytes": (COURSE, "boundless-bpe", 110, {"unit": "byte"}),
    "boundless-picky": (COURSE, "boundless-bpe", 120, {"threshold": 0.6}),
    **{
        f"random-boundless-{i}": (random_text(i), "boundless-bpe", 300, {"threshold": least})
        for i, least in enumerate((1.1, 0.5, 1.1, 0.5, 1.1, 0.9)[: 6 if LONG else 3])
    },
    **{f"random-unigram-{i}": (random_text(i), "unigram", 30, {}) for i in RANDOM},
}


@cache
def trained(name):
    """One of these runs."""
    corpus, algorithm, size, settings = RUNS[name]
    return tokviz.train(corpus, algorithm, size, counted=anything, **settings)


def answers(history, words, by_count):
    """What the engine says of the states; of words that are cut anew, those `by_count`."""
    states = []
    facts = em_facts_of if history.algorithm in (EM, FLAWED) else facts_of
    curve = history.curve()
    sizes, corpus_tokens, per_token = (
        curve[name].tolist() for name in ("vocab_size", "corpus_tokens", "characters_per_token")
    )
    numbers = [history.words.words.index(word) for word in words]
    unigram = "unigram" in history.algorithm
    base = None if unigram else len(history.record.alphabet)
    for t in asked_states(history):
        tokens = [tokens_of(history, number, t) for number in numbers]
        rows = shown_rows(history, t)
        states.append(
            {
                "t": t,
                "words": [history.segmentation(word, t) for word in words],
                "marks": [
                    marks_of(history, word, symbols, t)
                    for word, (symbols, _) in zip(words, tokens, strict=True)
                ],
                "ids": [ids for _, ids in tokens],
                "births": [
                    [0 if unigram else max(0, n - base + 1) for n in symbols]
                    for symbols, _ in tokens
                ],
                "fresh": [
                    [not unigram and t > 0 and n == made_by(history, t - 1) for n in symbols]
                    for symbols, _ in tokens
                ],
                "rows": [
                    *going_rows(history, t),
                    *(
                        [None if isinstance(x, float) and math.isnan(x) else x for x in row]
                        for row in zip(*rows.values(), strict=True)
                    ),
                ],
                "candidates": history.candidate_count(t),
                "vocab_size": sizes[t],
                "corpus_tokens": corpus_tokens[t],
                "per_token": per_token[t],
                **facts(history, t),
                "pruned": vocabulary_facts_of(history, t, by_count),
                "scores": score_facts_of(rows) if "left_count" in rows else None,
                "narration": history.narrate(t),
                "announcement": announce(history, t),
                "agreement": agreement(history, t) if "exact_delta" in rows else None,
            }
        )
    return states


def asked_states(history):
    """All states; of a long run of merges without `--long` the first and the last ones, those
    around a step that was told or takes a token back for the first time, and every fourth."""
    states = range(len(history) + 1)
    if LONG or not isinstance(history, MergeHistory) or len(history) <= MOST_ASKED:
        return [*states]
    special = {*history.record.forced, *[t for t in states if takes_back(history, t)][:8]}
    special |= {t + 1 for t in special}
    ends = {*states[:12], *states[-4:]}
    return [t for t in states if t % 4 == 0 or t in special | ends]


def shown_rows(history, t):
    """The columns of the table of candidates that the player has, as lists; of its rows those that
    it shows. (A table's own rows would be put together anew for each question.)"""
    unigram, told = "unigram" in history.algorithm, []
    table = history.candidates(t, None if unigram else 20)
    columns = ["token", "count", "loss_delta", "tied", "chosen"]
    if not unigram:
        columns = ["left", "right", "count", "score", "tied", "chosen"]
    columns += [name for name in MORE_COLUMNS if name in table]
    rows = {name: table[name].tolist() for name in columns}
    if unigram:
        n = max(20, min(sum(rows["chosen"]), MOST_DOOMED) + AFTER_CUT)
        # Tokens from far down that were told to go come last.
        if history.algorithm == "unigram" and history.forced(t)[:1] == ("drop",):
            told = [i for i in range(n, len(table)) if rows["chosen"][i]]
        places = [*range(min(n, len(table))), *told]
        rows = {name: [column[i] for i in places] for name, column in rows.items()}
    elif t < len(history) and not any(rows["chosen"]) and not takes_back(history, t):
        # A forced pair that is not among the best comes last.
        full = history.candidates(t)
        full = full[full.chosen]
        rows = {name: column + full[name].tolist() for name, column in rows.items()}
    if "exact_rank" in rows:
        rows["exact_rank"] = [0 if rank is pd.NA else rank for rank in rows["exact_rank"]]
    return rows


def takes_back(history, t):
    """Whether the step out of state t takes a token back."""
    is_picky = isinstance(history, PickyHistory)
    return is_picky and t < len(history) and bool(history.removals[t])


def made_by(history, t):
    """The symbol that a step makes; −1 if it takes one back."""
    return -1 if takes_back(history, t) else history.made_by(t)


def going_rows(history, t):
    """What the player's table has before the pairs, where a token is taken back."""
    if not takes_back(history, t):
        return []
    step = history.steps[t]
    return [[step.token, 0, step.score, False, True]]


def facts_of(history, t):
    """What the player says of all tokens."""
    facts = history.vocab(t), history.births(t).tolist(), history.token_counts(t).tolist()
    vocabulary = [(i, *row) for i, row in enumerate(zip(*facts, strict=True))]
    return {
        "counts": counts_of(history, t),
        "alive": alive_of(history, t),
        "vocabulary": vocabulary,
    }


#: What the picture of scores says of a pair.
SCORED = ("left", "right", "count", "left_count", "right_count")


def score_facts_of(rows):
    """The places of pairs in the picture of their scores; the pair that wins, and the one of those
    more frequent that is so most, with the numbers of what is said of them."""
    pairs = [*zip(*map(rows.get, SCORED), strict=True)]
    if not pairs:
        return {}
    places = Counter((float(left) * right, n) for *_, n, left, right in pairs)
    best = next((i for i, chosen in enumerate(rows["chosen"]) if chosen), 0)
    rivals = [pair for pair in pairs if pair[2] > pairs[best][2]]
    told = [pairs[best], *sorted(rivals, key=more_frequent)[:1]]
    return {
        "places": sorted([*place, n] for place, n in places.items()),
        "told": told,
        "scores": [f"{n / (float(left) * right):.4g}" for *_, n, left, right in told],
    }


def more_frequent(pair):
    return -pair[2]


def vocabulary_facts_of(history, t, words):
    """The vocabulary before a step that prunes it, and what the step does."""
    if history.algorithm in (EM, FLAWED):
        return estimated_facts_of(history, t, words)
    return pruned_facts_of(history, t, words) if history.algorithm == "unigram" else None


def estimated_facts_of(history, t, by_count):
    """The same of SentencePiece's Unigram, whose steps go by different numbers."""
    last = t == len(history)
    em = not last and history.steps[t].action == "em"
    column = "count" if em else "log_prob"
    names = ("token", "log_prob", column, "loss_delta", "reason", "chosen")
    table = history.candidates(t)
    rows = [*zip(*(table[name].tolist() for name in names), strict=True)]
    places = {token: i for i, token in enumerate(history.vocab(t))}
    kept = [row for row in rows if len(row[0]) == 1]
    kept.sort(key=lambda row: (-row[1], places[row[0]]))
    value = 3 if history.action(t) == "prune" else 2
    longer = [row for row in rows if len(row[0]) > 1]
    doomed, others = ([row for row in longer if row[5] is going] for going in (True, False))
    # Of many, those next to the cut.
    goes = doomed[-MOST_DOOMED:]
    shown = others[: MOST_CHIPS - len(goes)]

    def written(rows, value):
        return [
            [
                row[0],
                row[4] if math.isnan(row[value]) else re.sub("^-", "−", f"{row[value]:.4g}"),
                math.exp(row[1]),
            ]
            for row in rows
        ]

    facts = {
        "goes": written(goes, value),
        "stays": written(shown, value),
        "unseen": [
            len(doomed) - len(goes),
            len(others) - len(shown),
            max(0, len(kept) - MOST_CHIPS),
        ],
        "characters": written(kept[:MOST_CHIPS], 2),
    }
    if last:
        return facts | {"change": None, "anew": []}
    before, after = (float(history.record.loss[t + i]) for i in (0, 1))
    cuts = [[history.cuts(w, t + i).tolist() for i in (0, 1)] for w in range(len(history.words))]
    changed = [w for w, (before, after) in enumerate(cuts) if before != after]
    words = [history.words.words[w] for w in changed if history.words.words[w] in by_count]
    anew = sorted(["|".join(history.segmentation(w, t + i)) for i in (0, 1)] for w in words)
    return facts | {"change": [before, after, after - before, len(changed)], "anew": anew}


def pruned_facts_of(history, t, by_count):
    """The vocabulary before a round, and what the round does."""
    table = history.candidates(t)
    columns = (table[name].tolist() for name in ("token", "loss_delta", "chosen"))
    rows = [*zip(*columns, strict=True)]
    longer = [row for row in rows if not math.isnan(row[1])]
    # Of many, those that are in the table of candidates, and those next to the cut.
    going = sum(table.chosen)
    first = max(0, going - MOST_DOOMED)
    until = max(20, min(going, MOST_DOOMED) + AFTER_CUT)
    shown = [
        row
        for i, row in enumerate(longer)
        if i < until or first <= i < first + MOST_CHIPS or (row[2] and not first)
    ]
    goes = [[token, delta] for token, delta, chosen in shown if chosen]
    stays = [[token, delta] for token, delta, chosen in shown if not chosen]
    unseen = going - len(goes)
    facts = {
        "goes": goes,
        "stays": stays,
        "unseen": [unseen, len(longer) - len(goes) - len(stays) - unseen],
        "characters": sorted(token for token, delta, _ in rows if math.isnan(delta)),
        "free": sum(not chosen and delta == 0 for _, delta, chosen in longer),
        "total": int(table["count"].sum()),
    }
    if t == len(history):
        return facts | {"change": None, "anew": []}
    change = history.loss_changes()[t]
    words = [word for word in by_count if history.segmentation(word, t)]
    cuts = {word: [history.segmentation(word, t + i) for i in (0, 1)] for word in words}
    anew = sorted([*map("|".join, both)] for both in cuts.values() if both[0] != both[1])
    return facts | {"change": list(change), "anew": anew}


def em_facts_of(history, t):
    """The same by name: the player does not know all of SentencePiece's seeds."""
    counts = history.token_counts(t).tolist()
    return {"known": dict(zip(history.vocab(t), counts, strict=True))}


def counts_of(history, t):
    """The count in the corpus of every token that the player knows."""
    if isinstance(history, MergeHistory):
        counts = history.symbol_counts(t).tolist()
        return counts + [0] * (len(history.symbols) - len(counts))
    counts = dict(zip(history.vocab(t), history.token_counts(t).tolist(), strict=True))
    return [counts.get(string, 0) for string in history.strings]


def alive_of(history, t):
    if isinstance(history, PickyHistory):
        first, known = {*range(len(history.record.alphabet))}, history.ids_at(t) >= 0
        first |= {number for number in history.events.made_of if made_by_now(history, number, t)}
        return [i in first and bool(known[i]) for i in range(len(history.symbols))]
    if isinstance(history, MergeHistory):
        return [i < len(history.record.alphabet) + t for i in range(len(history.symbols))]
    return [bool(removed >= t) for removed in history.record.removed_at]


def made_by_now(history, number, t):
    """Whether a merged symbol was there by state t."""
    return number < len(history.record.alphabet) + t


def marks_of(history, word, symbols, t):
    """What the step out of state t does with each token of a word."""
    if takes_back(history, t):
        return ["doomed" if n == history.record.left[t] else "" for n in symbols]
    if history.algorithm in (EM, FLAWED):
        later = history.alive(min(t + 1, len(history)))
        return ["doomed" if n >= 0 and n not in later else "" for n in symbols]
    if not isinstance(history, MergeHistory):
        return ["doomed" if history.record.removed_at[n] == t else "" for n in symbols]
    marks, at = [""] * len(symbols), 0
    pair = [history.record.left[t], history.record.right[t]] if t < len(history) else None
    while at < len(symbols) - 1:
        if symbols[at : at + 2] == pair and may_stand(history, word, at, t):
            marks[at : at + 2] = ["left", "right"]
            at += 1
        at += 1
    return marks


def may_stand(history, word, at, t):
    """Whether the step out of state t looks at two tokens of a run: within words at those of one
    word, and else at whole ones."""
    if not isinstance(history, BoundlessHistory):
        return True
    offsets = [piece.start for piece in history.tokenizer(t).encoder.encode(word)] + [len(word)]
    borders = {*history.word_starts(word).tolist(), len(word)}
    if not history.record.across[t]:
        return offsets[at + 1] not in borders
    return borders.issuperset(offsets[at : at + 3])


def tokens_of(history, word, t):
    """The tokens of a word by number, with their ids in state t."""
    if isinstance(history, MergeHistory):
        symbols = history.word_symbols(word, t)
        ids = history.ids_at(t) if isinstance(history, PickyHistory) else history.symbol_ids
        return symbols, ids[symbols].tolist()
    pairs = history.word_numbers(word, t)
    return [number for number, _ in pairs], [token_id for _, token_id in pairs]


def symbols_of(history):
    if history.algorithm in (EM, FLAWED):
        return []
    if history.algorithm == "unigram":
        return [tokviz.text.symbols.Symbol(token) for token in history.record.tokens]
    return history.symbols


def falling(row):
    return -row[1]


def shown_text(word):
    """A word as a browser decodes it: lone surrogates are no text."""
    return word.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def write_down(folder, name, history, corpus):
    """Packs a run as the player gets it, and writes what the engine says of every state."""
    words = []
    lines = None
    if isinstance(corpus, str):
        shown = without_headers(corpus, history.words)
        lines = excerpt(shown, history.pretokenizer, history.special_tokens, 100)
        pieces = [piece for line in lines for piece in line if not piece.special]
        words = [piece.word.text for piece in pieces]
        words = [word for word in words if word in history.words.words]
    by_count = sorted(zip(history.words.words, history.words.counts, strict=True), key=falling)
    by_count = [word for word, _ in by_count[:30]]
    words = list(dict.fromkeys(words + by_count))
    (folder / f"{name}.blob").write_bytes(pack(history, "lane", lines, 30))
    expected = {
        "states": answers(history, words, by_count),
        "colours": {s: history.colour(s) for s in [*history.strings, "<unk>"]},
        "bytes": [history.spelling.bytes_of(symbol).hex() for symbol in symbols_of(history)],
        "texts": [shown_text(word) for word in words],
        "by_count": by_count,
    }
    (folder / f"{name}.json").write_text(json.dumps(expected))


@needs_node
def test_the_player_answers_as_the_engine_does(tmp_path):
    for name, (corpus, *_) in RUNS.items():
        write_down(tmp_path, name, trained(name), corpus)
    node_passes("run", "TOKVIZ_RUNS", tmp_path, 3 * len(RUNS) + 9)


@needs_node
def test_the_player_answers_as_the_engine_does_on_samples_and_random_texts(tmp_path):
    """With `--long` on all samples by each algorithm, and on 200 random texts."""
    names = SAMPLE_NAMES if LONG else ("hug-pug",)
    n = 0
    for i, kind in enumerate(KINDS):
        corpora = [tokviz.SAMPLES[name].corpus for name in names]
        corpora += map(random_text, range(i, 200 if LONG else len(KINDS), len(KINDS)))
        for corpus in corpora:
            write_down(tmp_path, f"run-{n}", contract_runs.train(kind, corpus, 40), corpus)
            n += 1
    node_passes("run", "TOKVIZ_RUNS", tmp_path, 3 * n + 9, 900 if LONG else PATIENCE)


def test_the_player_lists_the_vocabulary_where_it_has_all_tokens():
    """The vocabulary of a replay is whole from the start, and may hold what no merge makes."""
    history = tokviz.train(COURSE, "bpe", 60, unit="byte")
    replay = tokviz.replay(open_tokenizer(export(history, "tokenizer.json")), COURSE)
    seeds = tokviz.train(COURSE, EM, 40, min_expected_count=0.0)
    assert [knows_all_tokens(h) for h in (history, replay, seeds)] == [True, False, False]


@needs_node
def test_the_player_says_in_every_language_what_the_engine_says(tmp_path, monkeypatch):
    monkeypatch.setattr(messages, "catalog", lambda _language: Backwards())
    monkeypatch.setattr(assets, "catalog", lambda _language: Backwards())
    code = "".join((assets.JS / f"{name}.js").read_text("utf-8") for name in SAYING)
    (tmp_path / "catalog.js").write_text(assets.catalog_script(code, "xx"), "utf-8")
    with using("xx"):
        for name in RUNS:
            history = trained(name)
            (tmp_path / f"{name}.blob").write_bytes(pack(history, "lane", None, 30))
            states = range(len(history) + 1)
            said = [[here(history.narrate(t)), here(announce(history, t))] for t in states]
            # Why training ended may say no message.
            assert all(text[0] == text[-1].replace("›", "‹").replace("~", "‹") for text, _ in said)
            (tmp_path / f"{name}.json").write_text(json.dumps(said))
    node_passes("languages", "TOKVIZ_RUNS", tmp_path, len(RUNS) + 1)


def test_the_same_history_packs_to_the_same_bytes():
    blobs = [pack(tokviz.train(COURSE, "bpe", 60), "BPE", None, 10) for _ in range(2)]
    assert blobs[0] == blobs[1]
    assert blobs[0].startswith(RUN)


def test_a_bundle_holds_its_runs_one_after_the_other():
    runs = [pack(tokviz.train({"ab": n}, "bpe", 3), f"lane {n}", None, 5) for n in (1, 2)]
    data = bundle({"id": "x", "start": 3}, runs)
    assert len(data) % 8 == 0
    size = 8 + int.from_bytes(data[4:8], "little")
    head = json.loads(data[8:size])
    assert head == {
        "id": "x",
        "start": 3,
        "lanes": [[0, len(runs[0])], [len(runs[0]), len(runs[1])]],
    }
    assert data[size:] == runs[0] + runs[1]


def test_line_ends_and_special_tokens_are_kept():
    text = "a<s> b\n\nc</s>"
    history = tokviz.train(text, "bpe", 7, "whitespace", special_tokens=("<s>", "</s>"))
    lines = excerpt(text, history.pretokenizer, history.special_tokens, 10)
    blob = pack(history, "BPE", lines, 10)
    header = json.loads(blob[8 : 8 + int.from_bytes(blob[4:8], "little")])
    kind, at, size = header["arrays"]["order"]
    start = 8 + int.from_bytes(blob[4:8], "little") + at
    order = np.frombuffer(blob, kind, size, start).tolist()
    assert order == [0, LINE_END - 1, 1, LINE_END, LINE_END, 2, LINE_END - 2, LINE_END]


def listed(words, most):
    """The words by count of a packed history, and how many are too long."""
    history = tokviz.train(words, "bpe", 4, "none")
    blob = pack(history, "BPE", None, most)
    size = int.from_bytes(blob[4:8], "little")
    header = json.loads(blob[8 : 8 + size])
    columns = {}
    for name in ("by_count", "word_numbers"):
        kind, at, n = header["arrays"][name]
        columns[name] = np.frombuffer(blob, kind, n, 8 + size + at).tolist()
    numbers = [columns["word_numbers"][place] for place in columns["by_count"]]
    return [history.words.words[number] for number in numbers], header["unshown"]


def test_words_that_nobody_could_read_are_not_sent():
    long = "b" * (LONGEST_SHOWN + 1)
    assert listed({"ab": 2, long: 9, "b": 3}, 10) == (["b", "ab"], 1)
    assert listed({long: 9}, 10) == ([], 1)


def test_words_by_count_have_room_for_so_many_characters(monkeypatch):
    monkeypatch.setattr(packing, "MOST_LISTED", 10)
    assert listed({"aaaa": 4, "bbbb": 3, "cc": 2, "d": 1}, 10) == (["aaaa", "bbbb", "cc"], 0)
    assert listed({"a" * 11: 4, "b": 3}, 10) == (["a" * 11], 0)
    assert listed({"aaaa": 4, "bbbb": 3}, 1) == (["aaaa"], 0)
