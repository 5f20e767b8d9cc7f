"""Sample segmentations of the chosen token's word, and write them as JSON for the browser."""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any, TypeAlias

from tokviz.basics.messages import _, _n, here
from tokviz.encoding.dropout import DropoutChain
from tokviz.encoding.encoders import LongestMatchEncoder, MergeEncoder
from tokviz.encoding.sampling import Samples, sample_merges, sample_unigram
from tokviz.encoding.tokenizer import Tokenizer
from tokviz.encoding.viterbi_encoder import ViterbiEncoder
from tokviz.pages.lenses.token_table import Table, cells_of
from tokviz.pages.lenses.traced import ENCODERS
from tokviz.pages.widgets.encode_request import MOST_DROPOUT, Sampling

#: Most segmentations that are shown; most samples and chains cached for a run and an encoder.
MOST_ROWS, MOST_KEPT = 30, 24
#: Cached samples of one run and encoder, for all visitors.
Known: TypeAlias = dict[Hashable, Any]


def sampled(
    tokenizer: Tokenizer,
    t: int,
    word: str,
    request: Sampling,
    draw: bool,
    known: Known,
    table: Table,
) -> dict[str, Any] | None:
    """Return the samples of a word in state t, or None if they are not cached and `draw` is
    false."""
    encoder = tokenizer.encoder
    if not isinstance(encoder, MergeEncoder | ViterbiEncoder):
        longest = isinstance(encoder, LongestMatchEncoder)
        name = ENCODERS["longest-match" if longest else "longest-token"]
        reason = _(
            "“{way}” draws nothing at random: it always cuts a word the same way. “{merges}” can "
            "skip merges at random (BPE-dropout).",
            way=name,
            merges=ENCODERS["merges"],
        )
        return {"kind": "", "reason": reason, "rows": []}
    kind = "merges" if isinstance(encoder, MergeEncoder) else "unigram"
    share = request.dropout if kind == "merges" else request.alpha
    key = (t, word, share, request.draws, request.seed)
    samples: Samples | None = known.get(key)
    if samples is None:
        if not draw:
            return None
        if isinstance(encoder, MergeEncoder):
            chain = _chain(encoder, t, word, share, known)
            samples = sample_merges(chain, request.draws, request.seed, MOST_ROWS)
        else:
            samples = sample_unigram(
                encoder, word, share / 10, request.draws, request.seed, MOST_ROWS
            )
        _keep(known, key, samples)
    return {
        "kind": kind,
        "share": share,
        "seed": request.seed,
        "draws": samples.draws,
        "fewer": samples.draws < request.draws,
        "reason": here(samples.reason),
        "count": None if samples.segmentations is None else f"{samples.segmentations:,}",
        "entropy": samples.entropy,
        "rows": [
            [cells_of(table, tokenizer, word, pieces), probability, times]
            for pieces, probability, times in samples.rows
        ],
        "others": _others(samples),
    }


def _others(samples: Samples) -> list[Any] | None:
    """Return one row for all segmentations not shown: their number, probability and draws."""
    if samples.segmentations is None:
        return [_("others"), None, samples.other_times] if samples.other_times else None
    n = samples.segmentations - len(samples.rows)
    if not n:
        return None
    return [_n("{n} other", "{n} others", n), samples.other_probability, samples.other_times]


def _chain(encoder: MergeEncoder, t: int, word: str, share: int, known: Known) -> DropoutChain:
    """Return the chain of a word, cached for other seeds and numbers of draws."""
    key = (t, word, share)
    chain: DropoutChain | None = known.get(key)
    if chain is None:
        chain = DropoutChain.of(encoder, word, Fraction(share, MOST_DROPOUT))
        _keep(known, key, chain)
    return chain


def _keep(known: Known, key: Hashable, value: Any) -> None:
    known[key] = value
    for old in list(known)[:-MOST_KEPT]:
        known.pop(old, None)
