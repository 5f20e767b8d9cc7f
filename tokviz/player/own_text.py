"""What a page of its own needs to train a text that somebody types there, without a server."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

import tokviz
from tokviz.basics.messages import current, here, listed, message
from tokviz.history.base import History
from tokviz.player.pack import header_of, pack
from tokviz.pretokenizers import make_pretokenizer
from tokviz.text.corpus import count_words
from tokviz.trainers import TRAINERS, configured
from tokviz.trainers.training import make_trainer

#: The algorithms that a page offers besides its own, as the app first trains them.
OFFERED: Mapping[str, Mapping[str, Any]] = {"bpe": {"unit": "byte"}, "wordpiece": {}, "unigram": {}}
#: What of a packed run does not depend on its text (`KIT` in js/trained.js).
_KIT = (
    "label",
    "algorithm",
    "special",
    "special_tokens",
    "longest_shown",
    "spelling",
    "signs",
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
#: Settings as (name, value) pairs.
Settings: TypeAlias = tuple[tuple[str, Any], ...]


def own_text(
    histories: Sequence[History], runs: Sequence[bytes], texts: Sequence[str | None]
) -> dict[str, Any]:
    """Return how the browser trains a text on the page of these runs, as js/own_text.js has it: the
    settings of all lanes, or of one and of the other algorithms; else a sentence that it cannot.

    >>> history = tokviz.train("low lower", "sentencepiece-bpe", 9)
    >>> how = own_text([history], [pack(history, "SentencePiece", None, 9)], ["low lower"])
    >>> [kit["label"] for kit in how["kits"]], how["text"]
    (['BPE', 'WordPiece', 'Unigram'], '')
    """
    kits = [kit for run in runs if (kit := _kit(run))["retrain"]]
    if len(histories) > 1 and len(kits) < len(runs):
        others = [header_of(run)["label"] for run in runs if not _kit(run)["retrain"]]
        said = message(
            "No browser trains {runs}: other algorithms, typed patterns, Unicode normalization and "
            "interventions need Python. Open the app, or make a page of the other lanes.",
            runs=listed(others),
        )
        return {"kits": [], "said": here(said)}
    is_own = bool(kits)
    if len(histories) == 1:
        known = {kit["algorithm"] for kit in kits}
        kits += [
            kit_for(name, TRAINERS[name].default_pretokenizer, (), tuple(OFFERED[name].items()))
            for name in OFFERED
            if name not in known
        ]
    text = _whole(histories, texts) if is_own else ""
    return {"kits": kits, "text": text, "size": histories[0].trainer.vocab_size}


def _kit(run: bytes) -> dict[str, Any]:
    header = header_of(run)
    return {name: header.get(name) for name in _KIT}


def kit_for(
    algorithm: str, pretokenizer: str, of_pretokenizer: Settings, settings: Settings
) -> dict[str, Any]:
    """Return how the browser trains with some settings; its "retrain" is None if it cannot.

    >>> kit_for("bpe", "gpt2", (), (("tie_break", "shortest"),))["rule"]
    'shortest'
    """
    return _kit_for(current(), algorithm, pretokenizer, of_pretokenizer, settings)


@lru_cache(maxsize=500)
def _kit_for(
    _language: str,
    algorithm: str,
    pretokenizer: str,
    of_pretokenizer: Settings,
    settings: Settings,
) -> dict[str, Any]:
    cut = make_pretokenizer(pretokenizer, **dict(of_pretokenizer))
    word = {"a": 1}
    trainer = make_trainer(algorithm, **dict(settings))
    cut = configured(trainer, cut)
    size = trainer.least_vocab_size(count_words(word, cut), cut)
    history = tokviz.train(word, algorithm, size, cut, **dict(settings))
    return _kit(pack(history, here(history.trainer.label), None, 0))


def _whole(histories: Sequence[History], texts: Sequence[str | None]) -> str:
    """Return the text that the first run was trained on, if it is that of all and short; else
    nothing."""
    text, history = texts[0], histories[0]
    if text is None or len(text) > _LONGEST or len({*texts}) > 1:
        return ""
    words = count_words(text, history.pretokenizer, history.special_tokens)
    return text if words == history.words else ""
