"""Why a training ended, in a sentence or two."""

from tokviz.basics.messages import Message, counted, message, sentences
from tokviz.history.stop import Stop

#: Kinds in which nothing is counted, or several tokens at least.
_SENTENCES = {
    "no_words": message("The corpus has no words: there is nothing to merge."),
    "no_pair": message(
        "No pair is left: every word is one token. The vocabulary has {size} of the {asked} tokens "
        "asked for."
    ),
    "no_valid_pair": message(
        "No pair is left: what could still be merged spells no valid piece. The vocabulary has "
        "{size} of the {asked} tokens asked for."
    ),
    "no_new_pair": message(
        "No pair is left: what could still be merged makes no token that is new to the file. The "
        "vocabulary has {size} of the {asked} tokens asked for."
    ),
    "no_pair_across": message(
        "No pair is left: what could still be merged has too many words, or a space behind a "
        "colon. The vocabulary has {size} of the {asked} tokens asked for."
    ),
    "no_words_to_join": message(
        "No pair is left: what still stands side by side may not be joined, or makes a token that "
        "is there already. The vocabulary has {size} of the {asked} tokens asked for."
    ),
    "characters": message("Only single characters are left, and they are never removed."),
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
    if stop.kind in _SENTENCES:
        said = message(_SENTENCES[stop.kind], asked=f"{asked:,}", size=f"{reached:,}")
    else:
        said = _counted(stop, f"{asked:,}")
    return sentences(_em_ended(stop), said)


def _counted(stop: Stop, asked: str) -> Message:
    """The kinds that may be about a single thing."""
    reached, values = stop.reached, stop.values
    match stop.kind:
        case "size":
            return counted(
                "The vocabulary has the {n} token asked for.",
                "The vocabulary has the {n} tokens asked for.",
                stop.asked,
            )
        case "min_frequency":
            return counted(
                "The best pair occurs once, less than min_frequency={least}. The vocabulary has "
                "{size} of the {asked} tokens asked for.",
                "The best pair occurs {n} times, less than min_frequency={least}. The vocabulary "
                "has {size} of the {asked} tokens asked for.",
                int(values["count"]),
                least=f"{int(values['least']):,}",
                size=f"{reached:,}",
                asked=asked,
            )
        case "few_seeds":
            return counted(
                "There is only {n} seed token, fewer than the {asked} asked for, so none is "
                "removed. Raise seed_size, or use a longer text.",
                "There are only {n} seed tokens, fewer than the {asked} asked for, so none is "
                "removed. Raise seed_size, or use a longer text.",
                reached,
                asked=asked,
            )
        case "overshot":
            return counted(
                "The last round removed more than needed: {n} token is left, and {asked} were "
                "asked for.",
                "The last round removed more than needed: {n} tokens are left, and {asked} were "
                "asked for.",
                reached,
                asked=asked,
            )
    return counted(
        "Only {n} piece is left, fewer than the {asked} asked for besides {special}. Use a longer "
        "text, or lower min_expected_count.",
        "Only {n} pieces are left, fewer than the {asked} asked for besides {special}. Use a "
        "longer text, or lower min_expected_count.",
        reached,
        asked=asked,
        special=counted("{n} special one", "{n} special ones", int(values["special"])),
    )


def _cancelled(stop: Stop) -> str:
    """After how much of what the training counts."""
    values = {name: int(value) for name, value in stop.values.items()}
    if "merges" in values:
        return counted(
            "Cancelled after {n} merge.", "Cancelled after {n} merges.", values["merges"]
        )
    if "rounds" in values:
        return counted(
            "Cancelled after {n} round.", "Cancelled after {n} rounds.", values["rounds"]
        )
    return counted("Cancelled after {n} step.", "Cancelled after {n} steps.", values["steps"])


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
    used, given = int(stop.values["used"]), int(stop.values["given"])
    named = {"used": f"{used:,}", "source": stop.values["source"]}
    said = counted(
        "The text can use {used} of the {n} merge of {source}.",
        "The text can use {used} of the {n} merges of {source}.",
        given,
        **named,
    )
    if stop.values["ranked"]:
        said = counted(
            "The text can use {used} of the {n} merge of {source}, which was worked out from "
            "its ranks.",
            "The text can use {used} of the {n} merges of {source}, which were worked out from "
            "its ranks.",
            given,
            **named,
        )
    if not stop.values["other"]:
        return said
    more = counted(
        "The tokenizer itself cuts {other} of the {n} different word in another way: it takes a "
        "whole word that it knows at once, and writes what it does not know in its own way.",
        "The tokenizer itself cuts {other} of the {n} different words in another way: it takes a "
        "whole word that it knows at once, and writes what it does not know in its own way.",
        int(stop.values["words"]),
        other=f"{int(stop.values['other']):,}",
    )
    return sentences(said, more)
