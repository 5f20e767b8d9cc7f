"""Why a training ended, in a sentence or two."""

from tokviz.basics.messages import Message, message, sentences
from tokviz.history.stop import Stop


def why_ended(stop: Stop) -> str:
    """Why a training ended.

    >>> why_ended(Stop("size", 60))
    'The vocabulary has the 60 tokens asked for.'
    >>> why_ended(Stop("size", 60, values={"em": "rare", "expected": 0.5}))
    'No piece was expected 0.5 times; EM ended. The vocabulary has the 60 tokens asked for.'
    """
    if stop.kind == "replayed":
        return _replayed(stop)
    return sentences(_em_ended(stop), _ended(stop))


def _ended(stop: Stop) -> str:
    asked, reached, values = stop.asked, stop.reached, stop.values
    match stop.kind:
        case "size":
            return message("The vocabulary has the {asked} tokens asked for.", asked=asked)
        case "cancelled":
            return _cancelled(stop)
        case "no_words":
            return message("The corpus has no words: there is nothing to merge.")
        case "no_pair":
            return message(
                "No pair is left: every word is one token. The vocabulary has {size} of the "
                "{asked} tokens asked for.",
                size=reached,
                asked=asked,
            )
        case "no_valid_pair":
            return message(
                "No pair is left: what could still be merged spells no valid piece. The vocabulary "
                "has {size} of the {asked} tokens asked for.",
                size=reached,
                asked=asked,
            )
        case "min_frequency":
            return message(
                "The best pair occurs {count} times, less than min_frequency={least}. The "
                "vocabulary has {size} of the {asked} tokens asked for.",
                count=values["count"],
                least=values["least"],
                size=reached,
                asked=asked,
            )
        case "few_seeds":
            return message(
                "There are only {seeds} seed tokens, fewer than the {asked} asked for; "
                "nothing to remove. Raise seed_size, or use a longer text.",
                seeds=reached,
                asked=asked,
            )
        case "overshot":
            return message(
                "The last cut overshot: {size} tokens are left of the {asked} asked for.",
                size=reached,
                asked=asked,
            )
        case "characters":
            return message("Only single characters are left, and they are never removed.")
        case "few_pieces":
            return message(
                "Only {n} pieces are left, fewer than the {asked} asked for besides {special} "
                "special ones. Use a longer text, or lower min_expected_count.",
                n=reached,
                asked=asked,
                special=values["special"],
            )
    # "unknown": a file says it in words of its own.
    return str(values["said"])


def _cancelled(stop: Stop) -> Message:
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
    values = stop.values
    of_file = {name: values[name] for name in ("used", "given", "source")}
    if values["ranked"]:
        said = message(
            "The text can use {used:,} of the {given:,} merges, worked out from its ranks, of "
            "{source}.",
            **of_file,
        )
    else:
        said = message("The text can use {used:,} of the {given:,} merges of {source}.", **of_file)
    if not values["other"]:
        return said
    more = message(
        "It cuts {other:,} of the {n:,} different words otherwise: by itself it takes a whole "
        "word that it knows at once, and writes what it does not know in its own way.",
        other=values["other"],
        n=values["words"],
    )
    return sentences(said, more)
