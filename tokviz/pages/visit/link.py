"""Write runs into a page's address, and read them, so that a reload or a bookmark restores them."""

import base64
import binascii
import json
import zlib
from collections.abc import Sequence

from tokviz import SAMPLES
from tokviz.basics.messages import message, said_by, told_by
from tokviz.pages.visit.written_run import LINK, VERSION, LinkError, fields_of, no_sample, run_of
from tokviz.server.limit_checks import LimitError
from tokviz.server.runs import Run, run_of_sample

#: The longest address that every browser and server accepts, and the longest text in one.
MOST_CHARACTERS, MOST_TEXT = 8000, 1_000_000
#: Longest text, in characters, that is tried as part of an address.
MOST_LINKED = 200_000


def version_of(said: str | None) -> int:
    """Return the version of an address; without one, it is 1.

    Raises LinkError for an unknown version.

    >>> version_of(None), version_of("2")
    (1, 2)
    >>> version_of("3")
    Traceback (most recent call last):
    tokviz.pages.visit.written_run.LinkError: the link has version 3; this tokviz \
reads versions 1 to 2. Open it with the tokviz that made it, or update this one.
    """
    known = {"": 1, **{str(version): version for version in range(1, VERSION + 1)}}
    if (said or "") not in known:
        raise LinkError(
            message(
                "{link} has version {version}; this tokviz reads versions 1 to {known}. Open "
                "it with the tokviz that made it, or update this one.",
                link=LINK,
                version=str(said)[:20],
                known=VERSION,
            )
        )
    return known[said or ""]


def links_of(lanes: Sequence[Run]) -> list[str]:
    """Return the runs as parts of a link, or [] if they are too long or of a tokenizer file."""
    return [] if any(run.of_tokenizer for run in lanes) else address_of(lanes)


def address_of(lanes: Sequence[Run]) -> list[str]:
    """Return the runs as parts of the page's own address, or [] if they are too long. A tokenizer's
    file is named there by its digest, which this server alone knows, and only for a while."""
    if sum(map(len, {run.corpus.text for run in lanes})) > MOST_LINKED:
        return []
    links = to_links(lanes)
    return links if sum(map(len, links)) <= MOST_CHARACTERS else []


def to_links(runs: Sequence[Run]) -> list[str]:
    """Write the lanes of a page as links; a text that several lanes share is written once.

    >>> from dataclasses import replace
    >>> from tokviz.server.runs import Corpus
    >>> own = replace(run_of_sample(SAMPLES["course"]), corpus=Corpus("Mine", "a text of my own"))
    >>> runs = [own, replace(own, vocab_size=60)]
    >>> from_links(to_links(runs)) == (runs, [])
    True
    """
    return [to_link(run, runs[:lane]) for lane, run in enumerate(runs)]


def from_links(links: Sequence[str], version: int = VERSION) -> tuple[list[Run | None], list[str]]:
    """Read the runs that `to_links` wrote; return None for those that cannot be read, and why.
    `version` is that of their address.

    >>> runs, why = from_links(["course", "nothing"])
    >>> [run and run.corpus.title for run in runs]
    ['Four course sentences', None]
    >>> why
    ["the link names the sample 'nothing', which does not exist here."]
    """
    runs: list[Run | None] = []
    why: list[str] = []
    for link in links:
        try:
            runs.append(from_link(link, runs, version))
        except LinkError as error:
            runs.append(None)
            why.append(said_by(error))
    return runs, why


def to_link(run: Run, before: Sequence[Run] = ()) -> str:
    """Write a run as a link: the name of a sample with its recommended settings, or all fields,
    compressed. A text that a lane in `before` has is left out.

    >>> to_link(run_of_sample(SAMPLES["course"]))
    'course'
    """
    for name, sample in SAMPLES.items():
        if run == run_of_sample(sample):
            return name
    text = json.dumps(fields_of(run, before), separators=(",", ":"))
    packed = zlib.compress(text.encode("ascii"), 9)
    return "~" + base64.urlsafe_b64encode(packed).rstrip(b"=").decode("ascii")


def from_link(link: str, before: Sequence[Run | None] = (), version: int = VERSION) -> Run:
    """Read the run that `to_link` wrote, with the same lanes `before` it.

    Raises LinkError for anything else.

    >>> from dataclasses import replace
    >>> run = replace(run_of_sample(SAMPLES["course"]), vocab_size=44)
    >>> from_link(to_link(run)) == run
    True
    >>> from_link("nothing")
    Traceback (most recent call last):
    tokviz.pages.visit.written_run.LinkError: the link names the sample 'nothing', which does not \
exist here.
    """
    if not link.startswith("~"):
        if link not in SAMPLES:
            raise LinkError(no_sample(link))
        return run_of_sample(SAMPLES[link])
    try:
        packed = base64.urlsafe_b64decode(link[1:] + "=" * (-len(link[1:]) % 4))
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, MOST_TEXT)
        if not unpacking.eof:
            raise LinkError(message("{link} is cut off or holds too long a text.", link=LINK))
        return run_of(json.loads(text), before, version)
    except LinkError:
        raise
    except LimitError as error:
        raise LinkError(told_by(error)) from error
    except (
        *(binascii.Error, zlib.error, ValueError),
        *(TypeError, OverflowError, RecursionError),
    ) as error:
        raise LinkError(message("{link} is damaged; copy all of it.", link=LINK)) from error
