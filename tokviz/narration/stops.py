"""Why a training ended, in a sentence or two."""

from tokviz.basics.messages import message, sentences
from tokviz.history.stop import Stop

#: Each kind in a sentence; `{size}`, `{seeds}` and `{n}` are what was reached.
_SENTENCES = {
    "size": message("The vocabulary has the {asked} tokens asked for."),
    "no_words": message("The corpus has no words: there is nothing to merge."),
    "no_pair": message(
        "No pair is left: every word is one token. The vocabulary has {size} of the {asked} tokens "
        "asked for."
    ),
    "no_valid_pair": message(
        "No pair is left: what could still be merged spells no valid piece. The vocabulary has "
        "{size} of the {asked} tokens asked for."
    ),
    "min_frequency": message(
        "The best pair occurs {count} times, less than min_frequency={least}. The vocabulary has "
        "{size} of the {asked} tokens asked for."
    ),
    "few_seeds": message(
        "There are only {seeds} seed tokens, fewer than the {asked} asked for; nothing to remove. "
        "Raise seed_size, or use a longer text."
    ),
    "overshot": message("The last cut overshot: {size} tokens are left of the {asked} asked for."),
    "characters": message("Only single characters are left, and they are never removed."),
    "few_pieces": message(
        "Only {n} pieces are left, fewer than the {asked} asked for besides {special} special "
        "ones. Use a longer text, or lower min_expected_count."
    ),
}


def why_ended(stop: Stop) -> str:
    """Why a training ended.

    >>> why_ended(Stop("size", 60))
    'The vocabulary has the 60 tokens asked for.'
    >>> why_ended(Stop("size", 60, values={"em": "rare", "expected": 0.5}))
    'No piece was expected 0.5 times; EM ended. The vocabulary has the 60 tokens asked for.'
    """
    asked, reached, values = stop.asked, stop.reached, stop.values
    match stop.kind:
        case "unknown":
            return str(values["said"])
        case "cancelled":
            return _cancelled(stop)
        case "replayed":
            return _replayed(stop)
    numbers = {"asked": asked, "size": reached, "seeds": reached, "n": reached, **values}
    return sentences(_em_ended(stop), message(_SENTENCES[stop.kind], **numbers))


def _cancelled(stop: Stop) -> str:
    """After how much of what the training counts."""
    if "merges" in stop.values:
        return message("Cancelled after {steps} merges.", steps=stop.values["merges"])
    if "rounds" in stop.values:
        return message("Cancelled after {rounds} rounds.", rounds=stop.values["rounds"])
    return message("Cancelled after {steps} steps.", steps=stop.values["steps"])


def _em_ended(stop: Stop) -> str:
    """Why the rounds of EM ended before their time; empty if they did not."""
    match stop.values.get("em"):
        case "great":
            return message("An expected count is too great for a number; EM ended.")
        case "rare":
            return message("No piece was expected {n} times; EM ended.", n=stop.values["expected"])
    return ""


def _replayed(stop: Stop) -> str:
    """How many of the merges were of use, and where the tokenizer itself cuts otherwise."""
    said = message("The text can use {used:,} of the {given:,} merges of {source}.", **stop.values)
    if stop.values["ranked"]:
        said = message(
            "The text can use {used:,} of the {given:,} merges, worked out from its ranks, of "
            "{source}.",
            **stop.values,
        )
    if not stop.values["other"]:
        return said
    more = message(
        "It cuts {other:,} of the {n:,} different words otherwise: by itself it takes a whole "
        "word that it knows at once, and writes what it does not know in its own way.",
        other=stop.values["other"],
        n=stop.values["words"],
    )
    return sentences(said, more)
