"""PickyBPE as docs/algorithms.md defines it, as plainly as it can be told: everything is counted
anew after every step."""

from collections import Counter
from fractions import Fraction
from itertools import pairwise


class Reference:
    """Words are lists of tokens, and tokens are strings. `tie` is what is smallest for the pair
    that is merged among those of the best count; it is told the pair and its place, which decides
    where there is none."""

    def __init__(self, words, threshold, tie=None):
        self.counts = list(words.values())
        self.words = [list(word) for word in words]
        self.threshold, self.tie = Fraction(repr(threshold)), tie
        self.alphabet = sorted(set("".join(words)))
        self.order = list(self.alphabet)  # every token that there ever was, in order
        self.vocabulary = set(self.alphabet)
        self.made_of = {}
        self.events = []

    def pairs(self):
        """The pairs with their counts, and where each is met first."""
        counts, places = Counter(), {}
        for w, (word, n) in enumerate(zip(self.words, self.counts, strict=True)):
            at = 0
            for pair in pairwise(word):
                counts[pair] += n
                places.setdefault(pair, (w, at))
                at += len(pair[0])
        return counts, places

    def uses(self):
        """How often the corpus uses each token."""
        uses = Counter()
        for word, n in zip(self.words, self.counts, strict=True):
            for token in word:
                uses[token] += n
        return uses

    def ranked(self):
        """All pairs, the best first, with their counts."""
        counts, places = self.pairs()

        def key(pair):
            tie = self.tie(pair, places[pair]) if self.tie else places[pair]
            return -counts[pair], tie

        return [(pair, counts[pair]) for pair in sorted(counts, key=key)]

    def train(self, size, seen=len):
        """Goes on until there are so many tokens; `seen` is called in every state."""
        seen(self)
        while len(self.vocabulary) < size and (ranked := self.ranked()):
            (left, right), _ = ranked[0]
            times = self.merge(left, right)
            seen(self)
            for parent in dict.fromkeys((left, right)):
                uses = self.uses()[parent]
                if len(parent) > 1 and Fraction(times, uses + times) > self.threshold:
                    self.take_back(parent)
                    seen(self)

    def merge(self, left, right):
        """Merges a pair everywhere, left to right; returns how often."""
        made, times = left + right, 0
        for w, n in enumerate(self.counts):
            old, new = self.words[w], []
            i = 0
            while i < len(old):
                if old[i : i + 2] == [left, right]:
                    new.append(made)
                    times += n
                    i += 2
                else:
                    new.append(old[i])
                    i += 1
            self.words[w] = new
        if made not in self.made_of:
            self.made_of[made] = left, right
            self.order.append(made)
        self.vocabulary.add(made)
        self.events.append(("merge", left, right))
        return times

    def take_back(self, token):
        """Takes a token out, and apart wherever it stands."""
        self.vocabulary.remove(token)
        parts = self.parts(token)
        self.words = [
            [part for old in word for part in (parts if old == token else [old])]
            for word in self.words
        ]
        self.events.append(("remove", token, tuple(parts)))

    def parts(self, token):
        if token in self.vocabulary:
            return [token]
        left, right = self.made_of[token]
        return [*self.parts(left), *self.parts(right)]

    def __len__(self):
        return len(self.vocabulary)

    def vocab(self):
        return [token for token in self.order if token in self.vocabulary]


def events_of(history):
    """The steps of a history as a `Reference` writes them."""
    return [
        ("merge", step.left, step.right)
        if step.action == "merge"
        else ("remove", step.token, step.parts)
        for step in history.steps
    ]
