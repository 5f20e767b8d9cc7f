"""Prints a part of an item of the keepsake as today's code has it, to be compared with what another
commit prints.

    .venv/bin/python tests/compat/show.py "link/017 samples udhr-sw" "steps of lane 0"
"""

import json
import sys
from pathlib import Path
from unittest.mock import patch

sys.path[:0] = [str(Path(__file__).parents[n]) for n in (1, 2)]

from compat import items, meaning  # noqa: E402

if __name__ == "__main__":
    wanted, *parts = sys.argv[1:]
    with patch.object(meaning, "digest", lambda part: part):
        found = dict(items.KINDS[wanted.partition("/")[0]]())[wanted]
    some = {name: part for name, part in found.items() if name in parts or not parts}
    print(json.dumps(some, indent=1, default=repr, ensure_ascii=False))
