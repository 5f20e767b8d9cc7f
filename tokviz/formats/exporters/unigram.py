"""Unigram as Hugging Face `tokenizers` computes it, to the last bit (but see `json_number`).

Where two segmentations of a word are equally probable, the last bit of their sums decides. So the
library must add the same numbers in the same order. Sums of tokviz start at 1 (`lattice.START`),
those of the library at 0. Every word of the pre-tokenizer metaspace starts with a space and no word
has another, so the pieces that begin with one carry the 1: their scores are less by 1 than their
log-probabilities. Unknown characters become a piece of their own before the model sees them; its
score is what they cost in tokviz, and the library never comes upon anything unknown.
"""

import json
from math import ulp

from tokviz.encoding.lattice import START
from tokviz.encoding.viterbi_encoder import UNKNOWN_PENALTY
from tokviz.formats.exporters.patterns import chars_set
from tokviz.formats.exporters.strings import ExportError, check_learned, check_text
from tokviz.formats.exporters.words import Words, stand_in, white_space_of_rust
from tokviz.history.unigram import UnigramHistory
from tokviz.pretokenizers import MetaspacePretokenizer

_UNKNOWN = "<unk>"

#: The score of tokens that no text is cut into: special ones are cut out before.
_NEVER = -1e9


def check_unigram(history: UnigramHistory) -> None:
    """Raises ExportError if the library cannot encode as the run does."""
    if not isinstance(history.pretokenizer, MetaspacePretokenizer):
        raise ExportError.saying(
            "Where two segmentations are equally probable, the last bit of sums decides, and the "
            "library adds them up from another start; only the ▁ of the pre-tokenizer metaspace "
            "can make up for it. Train with that."
        )
    check_learned(history.record.tokens)
    check_text(history.record.tokens)
    known = _known(history)
    if " " not in known:
        raise ExportError.saying(
            "The words of the corpus do not begin with a space, as those of the pre-tokenizer "
            "metaspace do; train on a text instead of a table of words."
        )
    if "▁" in known:
        raise ExportError.saying(
            'The corpus holds "▁" itself, which stands for a space in this format; take it out.'
        )
    special = history.special_tokens
    if _UNKNOWN in special and known.issuperset(_UNKNOWN):
        raise ExportError.saying(
            "The corpus holds every character of {unknown}, so that unknown characters cannot be "
            'told from it; take "<" out of the corpus, or {unknown} out of the special tokens.',
            unknown=_UNKNOWN,
        )
    pieces = {text.replace(" ", "▁") for text in history.record.tokens}
    if shared := [token for token in special if token in pieces]:
        raise ExportError.saying(
            'The special token "{token}" is spelled like a piece of the vocabulary; give it '
            "another name, such as <s>.",
            token=shared[0],
        )


def unigram_words(history: UnigramHistory) -> Words:
    """The parts that cut a text, with a piece of its own for what is unknown."""
    check_unigram(history)
    known, unknown = _known(history), _unknown(history)
    words, space = Words(), white_space_of_rust()
    letters = chars_set(known - {" "}, negated=True)
    unknown_char = f"(?!{space}){letters}"
    whole = history.trainer.unknown == "word"
    if whole:
        inside = f"(?!{space}){chars_set(known - {' '})}"
        unknown_char = f"(?:{inside})*{unknown_char}(?:(?!{space})[\\x00-\\x{{10ffff}}])*"
    words.replace({"Regex": unknown_char}, unknown)
    words.pre_tokenizers.append({"type": "WhitespaceSplit"})
    words.metaspace("▁", "always")
    if whole:
        # An unknown word has no ▁ of its own.
        spelled = "".join(map(chars_set, unknown))
        words.split({"Regex": f"{chars_set('▁')}(?={spelled})"}, "Removed")
    return words


def unigram_model(history: UnigramHistory, t: int) -> str:
    """The model as JSON. After the pieces of the run come the unknown one, unless it is a special
    token, and those of its characters that are none."""
    costs = dict(zip(history.alive(t).tolist(), (-history.log_probs(t)).tolist(), strict=True))
    unknown = _unknown(history)
    unknown_score = -(max(costs.values(), default=0.0) + UNKNOWN_PENALTY)
    scored = [
        (token, unknown_score if token == unknown else _NEVER) for token in history.special_tokens
    ]
    for number, cost in costs.items():
        text = history.record.tokens[number]
        starts = text.startswith(" ")
        scored.append((text.replace(" ", "▁"), -(START + cost) if starts else -cost))
    if unknown not in history.special_tokens:
        scored.append((unknown, unknown_score))
    # The library wants a piece for every single character, even where a longer one must be taken.
    known = _known(history)
    scored += [(char, _NEVER) for char in sorted(set(unknown) - known) if char != unknown]
    pieces = ", ".join(
        f"[{json.dumps(piece, ensure_ascii=False)}, {json_number(score)}]"
        for piece, score in scored
    )
    return f'{{"type": "Unigram", "unk_id": null, "byte_fallback": false, "vocab": [{pieces}]}}'


def _known(history: UnigramHistory) -> set[str]:
    """The characters of the vocabulary; training never removes them."""
    return {text for text in history.record.tokens if len(text) == 1}


def _unknown(history: UnigramHistory) -> str:
    """The string of the unknown piece. No other piece may begin or end inside it."""
    known = _known(history)
    return stand_in(known | {"▁"}) if known.issuperset(_UNKNOWN) else _UNKNOWN


def json_number(number: float) -> str:
    """A decimal that Rust's JSON reader takes for exactly this number. It computes digits / 10^n,
    which is one bit off for some of the shortest decimals; for a few numbers no decimal is read
    exactly, and then the shortest is given.

    >>> json_number(-0.5), json_number(-22.674126124716718)
    ('-0.5', '-22.6741261247167168')
    """
    sign, number = "-" * (number < 0), abs(number)
    for places in (1, *range(15, 20)):
        digits, half = round(number * 10**places), int(ulp(number) * 10**places / 2)
        step = half // 8 + 1
        for near in sorted(
            (digits + step * k for k in range(-9, 10)), key=lambda d: abs(d - digits)
        ):
            read = float(near) / 10.0**places if 0 <= near < 2**64 else None
            if read == number == near / 10**places:
                return f"{sign}{near // 10**places}.{near % 10**places:0{places}d}"
    return sign + repr(number)
