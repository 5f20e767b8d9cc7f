"""The player's modules joined to one script, as a page or a component has them."""

import json
import re
import subprocess

import pytest
from helpers import needs_node

from tokviz.basics.messages import using
from tokviz.player.assets import JS, modules_of, script

#: The modules that Python asks for: a component, or a page of its own.
SCRIPTS = (
    *(
        "mount",
        "loader",
        "standalone",
        "word",
        "encoder",
        "share",
        "chart_files",
        "address",
        "draft",
    ),
    *(
        "focus",
        "moment",
        "live_text",
        "offline",
        "page_language",
        "room",
        "vocabulary_lens",
        "worker",
    ),
)


@needs_node
@pytest.mark.parametrize("name", SCRIPTS)
def test_names_of_joined_modules_are_different(name, tmp_path):
    joined = tmp_path / f"{name}.mjs"
    joined.write_text(script(name), "utf-8")
    done = subprocess.run(["node", "--check", joined], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_a_page_holds_the_script_of_its_worker():
    """Another order of the modules is no other script: each stands after its imports."""
    held = "".join(map(json.loads, re.findall(r"^WORKER\.push\((.*)\);$", script("trainer"), re.M)))
    lines = [sorted(filter(None, code.split("\n"))) for code in (held, script("worker"))]
    assert lines[0] == lines[1]
    with using("zh_CN"):
        assert "const WORKER = [`const CATALOG = ${JSON.stringify(CATALOG)};" in script("trainer")


def test_every_module_is_in_a_script():
    used = {module for name in SCRIPTS for module in modules_of(name)}
    assert used == {path.stem for path in JS.glob("*.js")}


def test_one_object_of_the_window_is_shared():
    kept = re.compile(r"(?:window|globalThis)\.(\w+)\s*(?:=|\?\?=)[^=]")
    found = {path.stem: kept.findall(path.read_text("utf-8")) for path in JS.glob("*.js")}
    assert {name: names for name, names in found.items() if names} == {"shared": ["tokviz"]}
