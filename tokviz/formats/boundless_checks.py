"""Files of BoundlessBPE histories may come from anybody, too."""

import numpy as np

from tokviz.formats.history_checks import check_integers, check_size, check_within, must
from tokviz.history.boundless.history import BoundlessRecord
from tokviz.history.boundless.removals import BoundlessRemovalRecord


def check_across(record: BoundlessRecord) -> None:
    """Raises ValueError if what is across words is not so of pairs and of steps, or of a
    removal."""
    r = record
    for name, column, size in (
        ("the steps", r.across, len(r.left)),
        ("the pairs", r.pair_across, len(r.pair_left)),
    ):
        check_integers({name: column})
        check_size(name, size, column)
        check_within(name, 2, column)
    merges = r.right >= 0
    same = r.pair_across[r.merged[merges]] == r.across[merges]
    must(bool(same.all()), "the pairs that were merged")
    must(not r.across[~merges].any(), "a removal")


def check_uses(record: BoundlessRemovalRecord) -> None:
    """Raises ValueError if what was taken back was of no use before, or something else was."""
    check_integers({"the uses": record.uses})
    check_size("the uses", len(record.left), record.uses)
    must(bool(((record.uses > 0) == (record.right < 0)).all()), "the uses")
    must(
        not np.isin(record.left[record.right < 0], record.made[record.across == 1]).any(),
        "the uses",
    )
