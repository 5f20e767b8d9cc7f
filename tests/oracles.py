"""The published training loops, written again as plainly as possible.

Every function recounts everything at every step and takes no short cut, so that it can be checked
by eye against the text it follows. They are slow, and serve as oracles for the fast trainers.
Nothing here imports tokviz. Words are (symbols, count) pairs in first-occurrence order, a symbol
being a string: a character, a byte as latin-1 or mapped text, "##x", "</w>". "Course" is the
Hugging Face course, chapter 6; "the 2024 article" is the one with "</w>" and `tokenize_word`.
"""

import math
from collections import Counter
from collections.abc import Iterable
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from operator import add
from typing import Any, NamedTuple

Pair = tuple[str, str]
Words = list[tuple[list[str], int]]
WordCounts = list[tuple[str, int]]
Segmentations = list[list[str]]


class OracleStep(NamedTuple):
    """One merge, with the state before it."""

    pair: Pair
    token: str
    count: int
    score: int | Fraction  # what was maximised: the count (BPE) or the likelihood score
    tied: int  # how many pairs share the best score, the chosen one included
    table: dict[Pair, Any]  # in first-seen order; BPE: count; WordPiece: see wordpiece_table
    segmentations: Segmentations


class OracleRun(NamedTuple):
    """All steps, and the state after the last one."""

    steps: list[OracleStep]
    segmentations: Segmentations
    table: dict[Pair, Any]


def join_wordpiece(left: str, right: str) -> str:
    """How WordPiece spells a merge: the right part loses its "##" (course 6.6)."""
    return left + right[2:]


def pair_table(segmentations: Segmentations, counts: list[int]) -> dict[Pair, int]:
    """Count every adjacent position, overlaps included, in first-seen order (course 6.5)."""
    table: dict[Pair, int] = Counter()
    for symbols, count in zip(segmentations, counts, strict=True):
        for i in range(len(symbols) - 1):
            table[symbols[i], symbols[i + 1]] += count
    return dict(table)


def symbol_counts(segmentations: Segmentations, counts: list[int]) -> dict[str, int]:
    """Count every symbol, those of one-symbol words included (course 6.6; the 2024 article)."""
    totals: dict[str, int] = Counter()
    for symbols, count in zip(segmentations, counts, strict=True):
        for symbol in symbols:
            totals[symbol] += count
    return dict(totals)


def merge_pair(symbols: list[str], pair: Pair, token: str) -> list[str]:
    """Replace the pair greedily, left to right: a a a -> aa a (merge_pair, course 6.5)."""
    symbols = list(symbols)
    i = 0
    while i < len(symbols) - 1:
        if (symbols[i], symbols[i + 1]) == pair:
            symbols = [*symbols[:i], token, *symbols[i + 2 :]]
        i += 1
    return symbols


def bpe_oracle(
    words,
    tie_break="first-seen",
    n_merges=None,
    min_frequency=1,
    ids=None,
    key=str,
    join=add,
    forced=None,
) -> OracleRun:
    """Byte-pair encoding, recounted from nothing before every merge (course 6.5; Sennrich 2016).

    Among the pairs with the best count, `tie_break` chooses
      first-seen    the first one in the table (course, minbpe, `max(pairs, key=pairs.get)`);
      largest-pair  the greatest (key(left), key(right)) (Stanford CS336, subword-nmt);
      smallest-ids  the smallest (id of left, id of right) (Hugging Face tokenizers): `ids` numbers
                    the alphabet, new tokens follow, a merge that spells a known string reuses it;
      shortest      the merge of fewest characters, then the smallest key(token) (SentencePiece).
    Whatever is still equal goes to the first seen. `key` maps a symbol to what is compared; code
    point order is UTF-8 order and latin-1 order is byte order, so most texts need none. `forced` is
    asked with the number of a step and the table, and gives the pair to merge instead, or None.
    """
    ids = dict(ids or {})
    choose = {
        "first-seen": lambda ties: ties[0],
        "largest-pair": lambda ties: max(ties, key=lambda pair: (key(pair[0]), key(pair[1]))),
        "smallest-ids": lambda ties: min(ties, key=lambda pair: (ids[pair[0]], ids[pair[1]])),
        "shortest": lambda ties: min(ties, key=lambda p: (len(key(join(*p))), key(join(*p)))),
    }[tie_break]
    counts = [count for _, count in words]
    segmentations = [list(symbols) for symbols, _ in words]
    table = pair_table(segmentations, counts)
    steps: list[OracleStep] = []
    while table and (n_merges is None or len(steps) < n_merges):
        best = max(table.values())
        if best < min_frequency:
            break
        ties = [pair for pair in table if table[pair] == best]
        pair = (forced and forced(len(steps), table)) or choose(ties)
        token = join(*pair)
        ids.setdefault(token, len(ids))
        count = table[pair]
        steps.append(OracleStep(pair, token, count, count, len(ties), table, segmentations))
        segmentations = [merge_pair(symbols, pair, token) for symbols in segmentations]
        table = pair_table(segmentations, counts)
    return OracleRun(steps, segmentations, table)


def wordpiece_table(segmentations: Segmentations, counts: list[int]) -> dict[Pair, tuple]:
    """pair -> (count, count of left, count of right, exact score) (course 6.6)."""
    totals = symbol_counts(segmentations, counts)
    return {
        (a, b): (count, totals[a], totals[b], Fraction(count, totals[a] * totals[b]))
        for (a, b), count in pair_table(segmentations, counts).items()
    }


def wordpiece_oracle(words: Words, n_merges=None, join=join_wordpiece, forced=None) -> OracleRun:
    """WordPiece with the course's likelihood score (6.6), in exact fractions.

    score = count(ab) / (count(a) * count(b)); the first seen of the best pairs is merged,
    unless one is `forced` (see `bpe_oracle`).
    """
    counts = [count for _, count in words]
    segmentations = [list(symbols) for symbols, _ in words]
    table = wordpiece_table(segmentations, counts)
    steps: list[OracleStep] = []
    while table and (n_merges is None or len(steps) < n_merges):
        best = max(row[3] for row in table.values())
        ties = [pair for pair in table if table[pair][3] == best]
        pair = (forced and forced(len(steps), table)) or ties[0]
        token = join(*pair)
        count, _, _, score = table[pair]
        steps.append(OracleStep(pair, token, count, score, len(ties), table, segmentations))
        segmentations = [merge_pair(symbols, pair, token) for symbols in segmentations]
        table = wordpiece_table(segmentations, counts)
    return OracleRun(steps, segmentations, table)


class UnigramRound(NamedTuple):
    """The state before a pruning round, and what the round removes."""

    model: dict[str, float]  # token -> -ln(count / total), in vocabulary order
    counts: dict[str, int]
    total: int
    loss: float
    deltas: dict[str, float]  # loss without the token - loss, for tokens longer than 1
    segmentations: Segmentations
    removed: list[str]
    tied: int  # how many deltas equal the last removed one, itself included; 0 if none was removed


def unigram_seeds(words: WordCounts, seed_size: int, whole_words: bool = True):
    """Characters by first occurrence, then substrings by count, stable (course 6.7).

    whole_words=False leaves out substrings that only occur as whole words, as the course's hug
    example does ("all strict substrings"); the counts still include the whole words.
    """
    characters: dict[str, int] = Counter()
    substrings: dict[str, int] = Counter()
    strict = set()
    for word, count in words:
        for i in range(len(word)):
            characters[word[i]] += count
            for j in range(i + 2, len(word) + 1):
                substrings[word[i:j]] += count
                if word[i:j] != word:
                    strict.add(word[i:j])
    by_count = sorted(substrings, key=lambda token: substrings[token], reverse=True)
    by_count = [token for token in by_count if whole_words or token in strict]
    room = max(0, seed_size - len(characters))
    return dict(characters) | {token: substrings[token] for token in by_count[:room]}


def viterbi_oracle(word: str, model: dict[str, float], start_score: float = 0):
    """Best segmentation and its score, or (["<unk>"], None) (encode_word, course 6.7).

    Only a strictly better score replaces one already found, so the earliest start wins a tie. The
    course starts at score 1, not 0.
    """
    best: list[tuple | None] = [(0, start_score)] + [None] * len(word)
    for start in range(len(word)):
        if best[start] is None:
            continue
        for end in range(start + 1, len(word) + 1):
            token = word[start:end]
            if token in model:
                score = model[token] + best[start][1]
                if best[end] is None or best[end][1] > score:
                    best[end] = (start, score)
    if best[-1] is None:
        return ["<unk>"], None
    tokens, end = [], len(word)
    while end > 0:
        tokens.insert(0, word[best[end][0] : end])
        end = best[end][0]
    return tokens, best[-1][1]


def unigram_loss(words: WordCounts, model: dict[str, float], start_score: float = 0):
    """Sum of count * best score, in the published order (compute_loss, course 6.7)."""
    loss = 0
    for word, count in words:
        loss += count * viterbi_oracle(word, model, start_score)[1]
    return loss


@cache
def nearest_log(x: float) -> float:
    """The float nearest to ln x. That of a C library may be the next one."""
    return float(Decimal(x).ln(Context(prec=60)))


def unigram_oracle(
    words,
    seed_size=300,
    target=100,
    fraction=0.1,
    start_score=0,
    trim_last=True,
    whole_words=True,
    forced=None,
) -> list[UnigramRound]:
    """Unigram with exact losses, one model copy per token (course 6.7), state after state.

    The last state removes nothing. The published run is start_score=1, trim_last=False. Added for
    where it fails: a round removes at least one token, never a character, if there is one left.
    `forced` is asked with the number of a round, the tokens that may go, cheapest first, and how
    many go, and gives those that do.
    """
    counts = unigram_seeds(words, seed_size, whole_words)
    rounds: list[UnigramRound] = []
    while not rounds or rounds[-1].removed:
        total = sum(counts.values())
        model = {token: -nearest_log(count / total) for token, count in counts.items()}
        loss = unigram_loss(words, model, start_score)
        deltas = {}
        for token in model:
            if len(token) > 1:
                without = dict(model)
                without.pop(token)
                deltas[token] = unigram_loss(words, without, start_score) - loss
        n_removed = max(1, int(len(model) * fraction)) if len(model) > target else 0
        if trim_last and n_removed:
            n_removed = min(n_removed, len(model) - target)
        cheapest = sorted(deltas, key=lambda token: deltas[token])  # a stable sort
        removed = cheapest[:n_removed]
        if forced and removed:
            removed = forced(len(rounds), cheapest, n_removed)
        tied = sum(delta == deltas[removed[-1]] for delta in deltas.values()) if removed else 0
        segmentations = [viterbi_oracle(word, model, start_score)[0] for word, _ in words]
        state = UnigramRound(model, counts, total, loss, deltas, segmentations, removed, tied)
        rounds.append(state)
        counts = {token: count for token, count in counts.items() if token not in removed}
    return rounds


def bpe_encode_oracle(symbols: list[str], merges: Iterable[Pair], join=add) -> list[str]:
    """Apply the merges one after the other over the whole word (tokenize, course 6.5)."""
    for left, right in merges:
        symbols = merge_pair(symbols, (left, right), join(left, right))
    return list(symbols)


def wordpiece_encode_oracle(word: str, vocab: Iterable[str], max_chars: int = 100) -> list[str]:
    """Longest match first; any failure makes the whole word [UNK] (encode_word, course 6.6).

    Words of more than max_chars characters are [UNK] (BERT's max_input_chars_per_word).
    """
    tokens, start = [], 0
    while start < len(word):
        prefix = "##" if start else ""
        end = len(word)
        while end > start and prefix + word[start:end] not in vocab:
            end -= 1
        if end == start or len(word) > max_chars:
            return ["[UNK]"]
        tokens.append(prefix + word[start:end])
        start = end
    return tokens


def longest_token_order(counts: dict[str, int]) -> list[str]:
    """Tokens by (length, with "</w>" as one; count), descending and stable (the 2024 article)."""
    length = {t: len(t[:-4]) + 1 if t.endswith("</w>") else len(t) for t in counts}
    return sorted(counts, key=lambda token: (length[token], counts[token]), reverse=True)


def longest_token_oracle(text, tokens_sorted, unknown="</u>", as_published=False) -> list[str]:
    """Greedy longest-token segmentation (tokenize_word, the 2024 article), recursively.

    The first token of the list that occurs in the text cuts it at each occurrence; the stretches
    between recurse with the tokens after it. A stretch in which no token occurs is one `unknown`.
    as_published=True keeps two faults: such a stretch is dropped unless the list has run out, and
    a token with "." is searched for as "[.]" (a pattern that is then escaped), never as itself.
    """
    if text == "" or not tokens_sorted:
        return [unknown] if text else []
    for rank, token in enumerate(tokens_sorted):
        needle = token.replace(".", "[.]") if as_published else token
        if needle in text:
            rest = tokens_sorted[rank + 1 :]
            result, start, found = [], 0, text.find(needle)
            while found >= 0:
                result += longest_token_oracle(text[start:found], rest, unknown, as_published)
                result.append(token)
                start = found + len(token)
                found = text.find(needle, found + len(needle))
            return result + longest_token_oracle(text[start:], rest, unknown, as_published)
    return [] if as_published else [unknown]


# --- SentencePiece's Unigram, in double precision -------------------------------------------------

#: By how much less an unknown character scores than the least piece (kUnkPenalty).
UNKNOWN = 10.0


def em_edges(word: str, log_prob: dict[str, float]):
    """The edges of a word's lattice: (start, end, piece or None, log-probability), with one for an
    unknown character where no piece of one character starts."""
    least = min(log_prob.values()) - UNKNOWN
    for start in range(len(word)):
        if word[start] not in log_prob:
            yield start, start + 1, None, least
        for end in range(start + 1, len(word) + 1):
            if word[start:end] in log_prob:
                yield start, end, word[start:end], log_prob[word[start:end]]


def em_expect(words: WordCounts, log_prob: dict[str, float], credited=True) -> dict[str, float]:
    """The expected count of every piece; the first one has those of unknown characters too, if it
    is `credited` with them."""
    expected, first = dict.fromkeys(log_prob, 0.0), next(iter(log_prob)) if credited else None
    expected |= {} if credited else {None: 0.0}
    for word, count in words:
        edges = [*em_edges(word, log_prob)]
        before = [1.0] + [0.0] * len(word)
        for start, end, _piece, score in edges:
            before[end] += before[start] * math.exp(score)
        after = [0.0] * len(word) + [1.0]
        for start, end, _piece, score in reversed(edges):
            after[start] += math.exp(score) * after[end]
        for start, end, piece, score in edges:
            share = before[start] * math.exp(score) * after[end] / before[-1]
            expected[piece or first] += count * share
    return {piece: n for piece, n in expected.items() if piece}


def em_best(word: str, log_prob: dict[str, float], without: str | None = None) -> list[str | None]:
    """The pieces of the best segmentation; of equal ones that whose last piece starts earliest."""
    best: list[tuple] = [(0.0, 0, None)] + [(-math.inf, 0, None)] * len(word)
    for start, end, piece, score in em_edges(word, log_prob):
        total = best[start][0] + score
        if (piece is None or piece != without) and total > best[end][0] + 1e-6:
            best[end] = (total, start, piece)
    pieces, end = [], len(word)
    while end > 0:
        pieces.insert(0, best[end][2])
        end = best[end][1]
    return pieces


def em_losses(
    words: WordCounts, log_prob: dict[str, float], counted: int | None = None
) -> dict[str, float]:
    """SentencePiece's loss of every used piece; infinite where nothing can take its place. Hugging
    Face counts another number of pieces in that place, keeps unused characters, and gives unknown
    ones no piece."""
    first = None if counted else next(iter(log_prob))
    used = dict.fromkeys([*log_prob, first], 0)
    for word, count in words:
        for piece in em_best(word, log_prob):
            used[piece or first] += count
    whole, total = sum(used.values()), sum(count for _, count in words)
    losses = {}
    for piece, n in used.items():
        if piece is None or em_best(piece, log_prob) != [piece]:
            continue
        other = em_best(piece, log_prob, without=piece) if len(piece) > 1 else []
        if not other:
            losses |= {piece: math.inf} if n or counted else {}
        elif n:
            after = math.log(whole + n * ((counted or len(other)) - 1))
            without = sum(math.log(used[part or first] + n) - after for part in other)
            # What is equal but for the order of a sum is equal.
            losses[piece] = round(n / total * (math.log(n / whole) - without), 12)
    return losses


def em_first(log_prob: dict[str, float], required: list[str], size: int) -> dict[str, float]:
    """The required characters, as in `em_final`, and the first pieces; best first."""
    lost = [char for char in required if char not in log_prob]
    least = min(log_prob.values())
    final = {char: log_prob[char] for char in required if char in log_prob}
    final |= {char: least + 0.0001 * i for i, char in enumerate(lost)}
    for piece in log_prob:
        if len(final) < size:
            final[piece] = log_prob[piece]
    return dict(sorted(final.items(), key=lambda row: -row[1]))


def em_final(log_prob: dict[str, float], required: list[str], size: int) -> dict[str, float]:
    """The required characters, those that were lost a little above the least piece, and the most
    probable pieces; best first, among equals by their strings."""
    lost = [char for char in required if char not in log_prob]
    least = min(log_prob.values())
    final = {char: log_prob[char] for char in required if char in log_prob}
    final |= {char: least + 0.0001 * i for i, char in enumerate(lost)}
    for piece in sorted(log_prob, key=lambda piece: (-log_prob[piece], piece)):
        if len(final) < size or piece in final:
            final[piece] = log_prob[piece]
    return {piece: final[piece] for piece in sorted(final, key=lambda one: (-final[one], one))}
