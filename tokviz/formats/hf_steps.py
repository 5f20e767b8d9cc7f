"""What normalizers and pre-tokenizers of a tokenizer.json have in common: one part, or several in a
Sequence, each of a kind."""

from collections.abc import Callable, Collection
from typing import TypeVar

from tokviz.formats.bounded_json import Fields, TokenizerFileError, brief
from tokviz.language import message

#: How many normalizers or pre-tokenizers a file may have, and Sequences one inside the other.
MOST_STEPS, MOST_DEPTH = 100, 10

Step = TypeVar("Step")


def read_steps(
    what: str,
    inside: str,
    value: object,
    kinds: Collection[str],
    read: Callable[[str, Fields], Step],
) -> list[Step]:
    """The parts in order, each as `read` makes it of its kind and its fields. `what` is what people
    call a part, `inside` the field of a Sequence that holds its parts.

    Raises TokenizerFileError for kinds that are not known, and for too many parts.

    >>> both = {"type": "Sequence", "parts": [{"type": "A"}, {"type": "B"}]}
    >>> read_steps("part", "parts", both, "AB", lambda kind, _fields: kind.lower())
    ['a', 'b']
    """

    def steps_of(value: object, depth: int) -> list[Step]:
        fields = Fields(message("the {what}", what=what), value)
        kind = fields.text("type")
        fields.where = message("the {what} {kind}", what=what, kind=brief(kind))
        if kind == "Sequence":
            if depth > MOST_DEPTH:
                raise TokenizerFileError(message("The {what}s are nested too deeply.", what=what))
            parts = fields.items(inside)
            steps = [step for part in parts for step in steps_of(part, depth + 1)]
            if len(steps) > MOST_STEPS:
                raise TokenizerFileError(
                    message(
                        "The file has more than {most_steps} {what}s.",
                        most_steps=MOST_STEPS,
                        what=what,
                    )
                )
            return steps
        if kind not in kinds:
            raise TokenizerFileError(
                message(
                    "The {what} {kind} cannot be reproduced exactly; {choices} and Sequence can.",
                    what=what,
                    kind=brief(kind),
                    choices=", ".join(kinds),
                )
            )
        return [read(kind, fields)]

    return steps_of(value, 0)
