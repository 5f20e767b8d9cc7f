"""Who trains on a page: the page itself, a worker, or the page in slices."""

import json

from helpers import needs_node, node_passes

from tokviz.core import MODULE
from tokviz.player.assets import packed, script
from tokviz.player.own_text import kit_for


@needs_node
def test_a_page_trains_by_itself_with_a_worker_and_without(tmp_path):
    (tmp_path / "worker.js").write_text(script("worker"), "utf-8")
    (tmp_path / "core.txt").write_text(packed(MODULE.read_bytes()), "ascii")
    kit = kit_for("bpe", "gpt2", (), (("unit", "byte"),))
    (tmp_path / "kits.json").write_text(json.dumps([kit]), "utf-8")
    node_passes("trainer", "TOKVIZ_TRAINER", tmp_path, tests=11)
