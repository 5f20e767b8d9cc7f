"""What the browser has to know of a run to train other texts as it was trained."""

from typing import Any

from tokviz.history.base import History
from tokviz.pretokenizers import BertPretokenizer
from tokviz.text.symbols import Spelling
from tokviz.trainers.bpe import BPE
from tokviz.trainers.unigram import Unigram, usual_seeds
from tokviz.trainers.wordpiece import WordPiece

#: The pre-tokenizers whose words the core counts (`PRETOKENIZERS` in js/core.js).
_COUNTED = ("gpt2", "bert", "metaspace", "whitespace", "none")


def retrain(history: History) -> dict[str, Any] | None:
    """Return what the trainer in the browser needs besides what the player shows, or None if it
    cannot train so: other algorithms, patterns, normalized text, and runs with interventions.

    >>> import tokviz
    >>> how = retrain(tokviz.train("low lower", "wordpiece", 9))
    >>> how["pretokenizer"], how["prefix"], how["rule"]
    ('bert', '##', 'first-seen')
    """
    trainer, pretokenizer = history.trainer, history.pretokenizer
    if not isinstance(trainer, BPE | WordPiece | Unigram) or trainer.interventions:
        return None
    normalizes = isinstance(pretokenizer, BertPretokenizer) and pretokenizer.normalize
    if pretokenizer.name not in _COUNTED or normalizes:
        return None
    spelling: Spelling = history.spelling
    how = {
        "pretokenizer": pretokenizer.name,
        "unit": spelling.unit,
        "prefix": spelling.continuing_subword_prefix,
        "suffix": spelling.end_of_word_suffix,
        "glued": spelling.suffix_glued,
        "mark": spelling.space_mark,
    }
    if isinstance(trainer, Unigram):
        is_usual = trainer.seed_size == usual_seeds(trainer.vocab_size)
        return how | {
            "seeds": 0 if is_usual else trainer.seed_size,
            "longest": trainer.max_token_length,
            "whole_words": trainer.whole_words,
            # As text, as which it has all its bits everywhere.
            "prune_fraction": repr(float(trainer.prune_fraction)),
            "trim_last": trainer.trim_last,
        }
    marked = bool(spelling.continuing_subword_prefix or spelling.suffix_glued)
    return how | {
        "rule": trainer.tie_break,
        "least_count": trainer.min_frequency,
        "initial": list(trainer.initial_alphabet),
        "bare_first": trainer.tie_break == "smallest-ids" and marked,
    }
