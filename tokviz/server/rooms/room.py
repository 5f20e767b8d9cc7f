"""A room: what its teacher shows, what is asked, and who voted for what.

The teacher's key is all that a room needs to be: its letters and its name follow from the key, so a
server that was started anew gets the same room back from the teacher's browser, and nobody who has
another key can make a room that phones take for this one.

    key ──▶ name (secret to those who are in), code (four letters), signatures of voters
"""

import hmac
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256

#: No vowels, so no words; no digits and nothing that is taken for one.
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"
#: How many letters a code has.
LENGTH = 4
#: Bytes of a key, and characters of what is made of one.
_KEY, _NAME, _SIGNED = 24, 32, 22
#: The characters of a key, and of what follows from it.
_WRITTEN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


def new_key() -> str:
    """Return the key of a new room."""
    return secrets.token_urlsafe(_KEY)


def is_key(said: object) -> bool:
    """Return whether something is written as a key is.

    >>> is_key(new_key()), is_key("me"), is_key(None)
    (True, False, False)
    """
    return isinstance(said, str) and len(said) == _KEY * 4 // 3 and _WRITTEN.issuperset(said)


def code_of(key: str) -> str:
    """Return the letters of a key's room.

    >>> code_of("k" * 32)
    'MCBR'
    """
    number = int.from_bytes(_digest("code", key)[:8], "big")
    letters = []
    for _each in range(LENGTH):
        number, place = divmod(number, len(LETTERS))
        letters.append(LETTERS[place])
    return "".join(letters)


def name_of(key: str) -> str:
    """Return the name of a key's room, which is told to those who are in it: by it, they know the
    room from another one that has its letters later."""
    return _digest("name", key).hex()[:_NAME]


def new_voter(key: str) -> str:
    """Return a new voter of a key's room: a random name with a signature, so that a server that was
    started anew still knows it."""
    name = secrets.token_hex(8)
    return name + _signature(key, name)


def is_voter(key: str, said: object) -> bool:
    """Return whether `new_voter` gave out a voter.

    >>> key = new_key()
    >>> is_voter(key, new_voter(key)), is_voter(key, new_voter(new_key())), is_voter(key, 3)
    (True, False, False)
    """
    if not isinstance(said, str) or not said.isascii():
        return False
    name, signed = said[:16], said[16:]
    return hmac.compare_digest(_signature(key, name), signed)


def _signature(key: str, name: str) -> str:
    return hmac.new(key.encode(), name.encode(), sha256).hexdigest()[:_SIGNED]


def _digest(what: str, key: str) -> bytes:
    return sha256(f"tokviz room {what} {key}".encode()).digest()


@dataclass(frozen=True)
class Question:
    """What is asked: its name, how many options it has (0: a number is asked for), and whether the
    teacher has shown what was voted for."""

    name: str
    options: int
    is_shown: bool = False

    def takes(self, choice: int) -> bool:
        """Return whether a choice is one of the options."""
        return not self.is_shown and choice >= 0 and (choice < self.options or not self.options)


@dataclass(frozen=True)
class Shown:
    """What a teacher shows: a page with the runs of its address, the player's position on it and
    how it looks, and what is asked."""

    place: str = ""
    look: Mapping[str, str | int] = field(default_factory=dict)
    question: Question | None = None


@dataclass
class Room:
    """One room. `number` grows with each change, and `used` is when that was, by the clock of the
    place where it is kept; `placed` grows with each other place that is shown; `votes` has the
    choice of each voter on the question."""

    key: str
    shown: Shown
    number: int = 0
    placed: int = 0
    votes: dict[str, int] = field(default_factory=dict)
    has_ended: bool = False
    used: float = 0.0

    @property
    def code(self) -> str:
        """The letters by which people find it."""
        return code_of(self.key)

    @property
    def name(self) -> str:
        """The name by which those who are in it know it."""
        return name_of(self.key)

    def show(self, shown: Shown) -> None:
        """Take what the teacher shows now. Another question has no votes yet."""
        before, after = self.shown.question, shown.question
        if (before and before.name) != (after and after.name):
            self.votes = {}
        elif before and after and before.is_shown:
            # Who shows the votes does not take them back.
            shown = replace(shown, question=before)
        self.placed += shown.place != self.shown.place
        self.shown = shown
        self.number += 1

    def vote(self, voter: str, choice: int, question: str) -> bool:
        """Take a vote, in place of the same voter's earlier one; return whether it counts."""
        asked = self.shown.question
        if self.has_ended or not asked or asked.name != question or not asked.takes(choice):
            return False
        self.votes[voter] = choice
        self.number += 1
        return True

    def end(self) -> None:
        """Forget all but that it was there."""
        self.shown, self.votes, self.has_ended = Shown(), {}, True
        self.number += 1

    def counts(self) -> list[list[int]]:
        """Return each choice that was made with how many made it, in the order of the choices."""
        made = sorted(set(self.votes.values()))
        return [[choice, sum(vote == choice for vote in self.votes.values())] for choice in made]


#: Tells the time.
Clock = Callable[[], float]
