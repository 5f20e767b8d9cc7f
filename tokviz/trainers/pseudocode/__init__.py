"""What each algorithm does, in a few lines of pseudocode that run as Python.

A line may end with "#:" and the names of values to show beside it, and "@" with the moment at which
it is the present one: "start", "next" (what the step to come is chosen by), "done" (what the last
step did) or "end"; where steps are of several kinds, the kind of the step to come. The functions
are `FUNCTIONS`; the other names are the settings of the trainer.
"""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tokviz.basics.messages import message

_HERE = Path(__file__).parent
#: The functions that the lines call, and what each does.
FUNCTIONS = {
    "split": message("the words of the corpus, each with its count and cut into symbols"),
    "alphabet": message("all symbols that occur, and those that were asked for besides"),
    "count_pairs": message("how often two tokens stand side by side, overlaps included"),
    "count_tokens": message("how often each token occurs"),
    "is_piece": message(
        "whether a text may be a piece: of one script, of known characters, not too long"
    ),
    "merge_with_all": message(
        "what BPE merges if every character is known, as many as there is room for: the pieces, "
        "and how often each pair stands side by side"
    ),
    "characters_with": message(
        "for each number of merges, the first of these, that has room with its characters: these, "
        "and of the others those that save most, as far as there is room"
    ),
    "saved_by": message(
        "how many tokens characters save that would be bytes: times in the corpus × (bytes − 1)"
    ),
    "next_turn": message(
        "the language that pays most of those that have pairs left, by its tokens, or by its ratio"
    ),
    "words_of": message("the words with the counts that they have in a language"),
    "choose": message("one of the tied pairs, by the tie-break rule"),
    "merge": message("the words with the pair as one token, from left to right"),
    "join": message("the text of both tokens as one"),
    "count_joined": message("how often a merge joins the pair, overlaps not included"),
    "is_merged": message("whether a token was made by a merge, and is no special token"),
    "take_apart": message(
        "the words with the token as the two that it was first made of, and so on down to those "
        "of the vocabulary"
    ),
    "cut_into_words": message("the words of all runs, each with its count and cut into symbols"),
    "may_be_tokens": message(
        "the pairs that make a token of so many words at most, with no space behind a colon"
    ),
    "count_within": message(
        "how often two tokens stand side by side within a word; of a token that follows itself, "
        "every second time"
    ),
    "count_whole": message(
        "how often two tokens stand side by side that are whole words, or several, and may be "
        "joined; counted in the same way"
    ),
    "count_in_words": message(
        "how often each token stands in words, also where these are joined with words beside them"
    ),
    "merged_within": message(
        "of a pair within words both tokens that were made by a merge, the left one first; of "
        "whole words none"
    ),
    "spell_out": message(
        "the words with the token as what training started from; but what is joined with a word "
        "beside it stays"
    ),
    "seeds": message("the characters, and the most frequent substrings, with their counts"),
    "loss_of": message("the sum over the words of count × −ln P of the best segmentation"),
    "without": message("all log-probabilities but that of a token"),
    "seed_pieces": message(
        "the characters, and substrings of great count × length, with their log-probabilities"
    ),
    "expect": message(
        "how often each token is expected: every segmentation of a word counts by its share"
    ),
    "psi": message("the digamma function, a little less than the logarithm"),
    "loss_without_each": message(
        "how much the objective would rise if the second best segmentation of a token’s own string "
        "took its place; endless if there is none. Tokens that no word uses are left out"
    ),
    "greatest": message("so many tokens of the greatest loss, the earlier one among equals"),
    "final_choice": message("all characters, and the most probable tokens"),
    "flawed_loss": message(
        "how much the objective would rise if the second best segmentation of a token’s own string "
        "took its place; endless for characters. The flaw: the sum of all counts is taken to grow "
        "as if all tokens took that place, and not the two or three of that segmentation"
    ),
    "first_choice": message(
        "all characters, and then tokens in the order that the last pruning left, however probable"
    ),
}


class Line(NamedTuple):
    """A line of pseudocode, the names of the values to show beside it, and its moment ("" if it has
    none)."""

    code: str
    values: tuple[str, ...]
    moment: str


@cache
def pseudocode(name: str) -> tuple[Line, ...]:
    """Return the lines of an algorithm's pseudocode, by its name in this folder; none if there is
    no such file.

    >>> pseudocode("bpe")[9]
    Line(code='    words = merge(pair, words)', values=('tokens',), moment='done')
    """
    lines, file = [], _HERE / f"{name}.txt"
    for line in file.read_text(encoding="utf-8").splitlines() if file.is_file() else ():
        code, _mark, said = line.partition("#:")
        values = [word for word in said.split() if not word.startswith("@")]
        moments = [word.removeprefix("@") for word in said.split() if word.startswith("@")]
        lines.append(Line(code.rstrip(), tuple(values), "".join(moments)))
    return tuple(lines)


def called(lines: Sequence[Line]) -> list[str]:
    """Return the names of the functions that lines call, each once.

    >>> called(pseudocode("wordpiece"))[:4]
    ['split', 'alphabet', 'count_pairs', 'count_tokens']
    """
    names = [name for line in lines for name in re.findall(r"\b(\w+)\(", line.code)]
    return [name for name in dict.fromkeys(names) if name in FUNCTIONS]
