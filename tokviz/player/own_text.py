"""What a page of its own needs to train a text that somebody types there, without a server."""

from collections.abc import Mapping, Sequence
from typing import Any

import tokviz
from tokviz.basics.messages import here
from tokviz.history.base import History
from tokviz.player.pack import header_of, pack
from tokviz.text.corpus import count_words

#: The algorithms that a page offers besides its own, as the app first trains them.
OFFERED: Mapping[str, Mapping[str, Any]] = {"bpe": {"unit": "byte"}, "wordpiece": {}, "unigram": {}}
#: What of a packed run does not depend on its text.
_KIT = (
    "label",
    "algorithm",
    "asked",
    "special",
    "special_tokens",
    "longest_shown",
    "spelling",
    "retrain",
    "pseudocode",
    "functions",
    "family",
    "unit",
    "rule",
    "rule_help",
    "first_seen",
    "score",
    "rows",
)
#: Characters of the longest text that a page holds for its reader to change.
_LONGEST = 20_000


def own_text(
    histories: Sequence[History], runs: Sequence[bytes], texts: Sequence[str | None]
) -> dict[str, Any] | None:
    """Return how the browser trains a text on the page of these runs, as js/own_text.js has it: the
    settings of all lanes, or of one and of the other algorithms; None if it cannot.

    >>> history = tokviz.train("low lower", "sentencepiece-bpe", 9)
    >>> how = own_text([history], [pack(history, "SentencePiece", None, 9)], ["low lower"])
    >>> [kit["label"] for kit in how["kits"]], how["text"]
    (['BPE', 'WordPiece', 'Unigram'], '')
    """
    kits = [kit for run in runs if (kit := _kit(run))["retrain"]]
    if len(histories) > 1 and len(kits) < len(runs):
        return None
    is_own = bool(kits)
    if len(histories) == 1:
        known = {kit["algorithm"] for kit in kits}
        kits += [_usual(name, OFFERED[name]) for name in OFFERED if name not in known]
    text = _whole(histories, texts) if is_own else ""
    return {"kits": kits, "text": text, "size": histories[0].trainer.vocab_size}


def _kit(run: bytes) -> dict[str, Any]:
    header = header_of(run)
    return {name: header.get(name) for name in _KIT}


def _usual(algorithm: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    history = tokviz.train({"a": 1}, algorithm, 1, **settings)
    return _kit(pack(history, here(history.trainer.label), None, 0))


def _whole(histories: Sequence[History], texts: Sequence[str | None]) -> str:
    """Return the text that the first run was trained on, if it is that of all and short; else
    nothing."""
    text, history = texts[0], histories[0]
    if text is None or len(text) > _LONGEST or len({*texts}) > 1:
        return ""
    words = count_words(text, history.pretokenizer, history.special_tokens)
    return text if words == history.words else ""
