"""The glossary: what each technical term means, in a sentence or two that a beginner understands.

The page How it works lists it; labels of the player and of tables on the pages explain themselves
with the same texts.
"""

from dataclasses import dataclass

from tokviz.basics.messages import Message, here, message


@dataclass(frozen=True)
class Term:
    """A term: its name as it is shown, and what it means."""

    name: Message
    meaning: Message


#: By the name that code gives a term, which is also its anchor on the page. Related terms stand
#: together: the text, what it is cut into, the algorithms, their numbers, what is measured.
GLOSSARY: dict[str, Term] = {
    "corpus": Term(
        message("corpus"),
        message("The text that the tokenizer is trained on."),
    ),
    "held-out": Term(
        message("held-out text"),
        message(
            "Text that was not used for training. It shows how well a tokenizer copes with text "
            "that is new to it."
        ),
    ),
    "normalizer": Term(
        message("normalizer"),
        message(
            "Rewrites the text before it is cut into words, for example in lower case or without "
            "accents."
        ),
    ),
    "pre-tokenizer": Term(
        message("pre-tokenizer"),
        message(
            "Cuts the text into words before training starts. No token ever reaches across such "
            "a cut."
        ),
    ),
    "pre-token": Term(
        message("pre-token"),
        message(
            "A word as the pre-tokenizer cuts it. GPT-2’s makes two pre-tokens of “don't”, which "
            "is a single word between spaces."
        ),
    ),
    "white-space-word": Term(
        message("white-space word"),
        message(
            "A stretch of text between spaces or line breaks. Chinese and Thai texts have few of "
            "them."
        ),
    ),
    "token": Term(
        message("token"),
        message(
            "A piece of text that a language model reads as one unit: a whole word, a part of "
            "one, or a single character or byte."
        ),
    ),
    "vocabulary": Term(
        message("vocabulary"),
        message(
            "All the tokens that the tokenizer knows at this step. Each of them has a number, "
            "its id."
        ),
    ),
    "alphabet": Term(
        message("alphabet"),
        message(
            "The characters or bytes that training starts with. All other tokens are built from "
            "them."
        ),
    ),
    "byte-level": Term(
        message("byte-level"),
        message(
            "Training starts with the bytes of a text instead of its characters, so no character "
            "is ever unknown. Each of the 256 bytes is shown as a character."
        ),
    ),
    "space-byte": Term(
        message("Ġ"),
        message(
            "Stands for a space, as byte-level tokenizers write it: “Ġthe” is “the” with the space "
            "before it."
        ),
    ),
    "space-mark": Term(
        message("▁"),
        message("Stands for a space in SentencePiece: a token that starts with ▁ starts a word."),
    ),
    "continuing-prefix": Term(
        message("##, continuing-subword prefix"),
        message(
            "Marks a token that continues a word instead of starting one: “##ing” is “ing” "
            "inside a word. WordPiece writes ##."
        ),
    ),
    "word-suffix": Term(
        message("</w>, end-of-word suffix"),
        message("Marks the end of a word: “est</w>” is “est” where a word ends with it."),
    ),
    "special-token": Term(
        message("special token"),
        message(
            "A token such as [CLS] or <s> that is not learned from the text. It is never cut "
            "and never merged."
        ),
    ),
    "unknown-token": Term(
        message("unknown token"),
        message(
            "Stands for whatever the vocabulary cannot spell. It is usually written <unk> or [UNK]."
        ),
    ),
    "segmentation": Term(
        message("segmentation"),
        message("One way of cutting a word or a text into tokens."),
    ),
    "bpe": Term(
        message("BPE"),
        message(
            "Byte-pair encoding. Training starts with single symbols and merges, again and "
            "again, the pair that occurs most often."
        ),
    ),
    "wordpiece": Term(
        message("WordPiece"),
        message(
            "Merges pairs as BPE does, but divides the count of a pair by the counts of its "
            "parts. Parts that seldom occur without each other win."
        ),
    ),
    "unigram": Term(
        message("Unigram"),
        message(
            "Training starts with many tokens and removes, round after round, those that the "
            "text needs least. Every token has a probability."
        ),
    ),
    "sentencepiece": Term(
        message("SentencePiece"),
        message(
            "A library by Google. It treats a space as one more character, ▁, and trains BPE and "
            "Unigram by rules of its own."
        ),
    ),
    "step": Term(
        message("step"),
        message(
            "One change of the vocabulary: a merge, or a round of Unigram. Step 0 is the state "
            "before training."
        ),
    ),
    "candidate": Term(
        message("candidate"),
        message(
            "What the next step can choose from: pairs to merge or tokens to remove. Those to be "
            "chosen first are at the top; a bracket joins those that are tied."
        ),
    ),
    "pair": Term(
        message("pair"),
        message("Two tokens that stand next to each other inside a word."),
    ),
    "merge": Term(
        message("merge"),
        message("Two neighbouring tokens become one new token, wherever they meet in the text."),
    ),
    "count": Term(
        message("count"),
        message(
            "How often something occurs in the text. Pairs that overlap all count: “aaa” contains "
            "the pair a + a twice."
        ),
    ),
    "score": Term(
        message("score"),
        message(
            "The number by which WordPiece ranks pairs: the count of the pair divided by the "
            "product of the counts of its two parts."
        ),
    ),
    "rank": Term(
        message("rank"),
        message(
            "The place of a merge in a tokenizer’s list. The merge with the lowest rank is made "
            "first."
        ),
    ),
    "tie": Term(
        message("tie"),
        message(
            "Several candidates are equally good: they have exactly the same count, score or loss "
            "delta."
        ),
    ),
    "tie-break": Term(
        message("tie-break"),
        message(
            "The rule that picks one of several tied candidates. Libraries have different "
            "rules, so they learn different tokens from the same text."
        ),
    ),
    "seed-vocabulary": Term(
        message("seed vocabulary"),
        message("The many tokens that Unigram starts with, before it removes any."),
    ),
    "pruning": Term(
        message("pruning"),
        message("Removing the tokens that the text needs least from the vocabulary."),
    ),
    "shrinking-factor": Term(
        message("shrinking factor"),
        message("The share of the tokens that a pruning keeps: 0.75 keeps three quarters."),
    ),
    "log-probability": Term(
        message("log-probability"),
        message(
            "The natural logarithm of a probability, ln P. It is 0 for what is certain, and the "
            "further below 0, the less probable."
        ),
    ),
    "loss": Term(
        message("loss"),
        message(
            "How badly the vocabulary fits the text: the sum of −ln P over all words, each cut in "
            "its best way. Less is better."
        ),
    ),
    "loss-delta": Term(
        message("loss delta"),
        message(
            "By how much the loss would rise without a token. The tokens with the smallest loss "
            "delta are removed first."
        ),
    ),
    "lattice": Term(
        message("lattice"),
        message(
            "All ways of cutting a word in one picture: each path from left to right is one of "
            "them."
        ),
    ),
    "viterbi": Term(
        message("Viterbi, best path"),
        message(
            "The most probable way of cutting a word. The Viterbi algorithm finds it without "
            "trying every way."
        ),
    ),
    "posterior": Term(
        message("posterior"),
        message(
            "How probable it is that a token is used in a word, if every way of cutting the word "
            "counts by its probability."
        ),
    ),
    "expected-count": Term(
        message("expected count"),
        message(
            "How often a token is used if every way of cutting a word counts by its probability. "
            "It need not be a whole number."
        ),
    ),
    "em": Term(
        message("EM round"),
        message(
            "Expectation–maximization: the expected counts of all tokens are worked out, and "
            "then new probabilities from these counts."
        ),
    ),
    "lane": Term(
        message("lane"),
        message(
            "One training on the page. Lanes stand side by side, and one scrubber moves them all."
        ),
    ),
    "corpus-tokens": Term(
        message("corpus tokens"),
        message("How many tokens the whole training text is cut into at this step."),
    ),
    "characters-per-token": Term(
        message("characters per token"),
        message(
            "How many characters of the text a token stands for on average, spaces that belong to "
            "words included. The more, the shorter the text in tokens."
        ),
    ),
    "fertility": Term(
        message("fertility"),
        message("How many tokens a word has on average. It is 1 if every word is a single token."),
    ),
    "kept-whole": Term(
        message("words kept whole"),
        message("The share of all words that are a single token each."),
    ),
    "entropy": Term(
        message("entropy"),
        message(
            "How uncertain an outcome is, in bits: 0 if it is certain, and greatest if all "
            "outcomes are equally probable."
        ),
    ),
    "renyi": Term(
        message("Rényi efficiency"),
        message(
            "How evenly the text uses the tokens, at most 1. A few very frequent tokens make it "
            "small."
        ),
    ),
    "dropout": Term(
        message("BPE-dropout"),
        message(
            "Encoding in which merges are skipped at random, so that a model sees a word cut in "
            "several ways."
        ),
    ),
}


def meaning(name: str) -> str:
    """Return what a term means, in the current language.

    >>> meaning("corpus")
    'The text that the tokenizer is trained on.'
    """
    return here(GLOSSARY[name].meaning)
