"""Hugging Face's Unigram as its library writes it: scores and sums are the library's own."""

import json

from tokviz.formats.exporters.strings import ExportError, check_learned, check_text
from tokviz.formats.exporters.unigram import json_number
from tokviz.formats.exporters.words import Words, words_of
from tokviz.history.estimating.history import HuggingFaceUnigramHistory


def hf_words(history: HuggingFaceUnigramHistory) -> Words:
    """The parts that cut a text. Raises ExportError if the library would take a text otherwise."""
    texts = history.record.tokens
    check_learned(texts)
    check_text(texts)
    if any("▁" in word for word in history.words.words):
        raise ExportError.saying(
            'The corpus holds "▁" itself, which stands for a space in this format; take it out.'
        )
    mark = history.spelling.space_mark
    pieces = {text.replace(" ", mark) for text in texts}
    if shared := [token for token in history.special_tokens if token in pieces]:
        raise ExportError.saying(
            'The special token "{token}" is spelled like a piece of the vocabulary; give it '
            "another name, such as <s>.",
            token=shared[0],
        )
    return words_of(
        history.pretokenizer, history.spelling, {text for text in texts if len(text) == 1}
    )


def hf_model(history: HuggingFaceUnigramHistory, t: int) -> str:
    """The model as JSON."""
    mark = history.spelling.space_mark
    texts = [history.record.tokens[i].replace(" ", mark) for i in history.alive(t).tolist()]
    scored = [*((token, 0.0) for token in history.special_tokens)]
    scored += zip(texts, history.log_probs(t).tolist(), strict=True)
    pieces = ", ".join(
        f"[{json.dumps(piece, ensure_ascii=False)}, {json_number(score)}]"
        for piece, score in scored
    )
    unknown = history.trainer.unk_id
    return (
        f'{{"type": "Unigram", "unk_id": {unknown}, "byte_fallback": false, "vocab": [{pieces}]}}'
    )
