"""The player's modules joined to one script, as a page or a component has them."""

import re
import subprocess

import pytest
from helpers import needs_node

from tokviz.player import address, assets, draft, encoder, offline, share, word

#: A component, or a page of its own, by the modules that are its script.
SCRIPTS = {
    "player": assets.COMPONENT,
    "web_page": (*assets.MODULES, "curves", "standalone"),
    "address": address.MODULES,
    "chart_files": share.CHART_FILES,
    "draft": draft.MODULES,
    "encoder": encoder.MODULES,
    "focus": ("shared", "focus"),
    "moment": ("shared", "moment"),
    "offline": offline.MODULES,
    "page_language": ("page_language",),
    "share": share.MODULES,
    "word": word.MODULES,
}


def code_of(name):
    return (assets.JS / f"{name}.js").read_text("utf-8")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_module_stands_behind_those_that_it_imports_from(name):
    known = ["i18n"]
    for module in SCRIPTS[name]:
        assert {*re.findall(r'from "\./(\w+)\.js"', code_of(module))} <= {*known}, module
        known.append(module)


@needs_node
@pytest.mark.parametrize("name", SCRIPTS)
def test_names_of_joined_modules_are_different(name, tmp_path):
    joined = tmp_path / f"{name}.mjs"
    joined.write_text(assets.script(SCRIPTS[name]), "utf-8")
    done = subprocess.run(["node", "--check", joined], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_module_is_in_a_script():
    used = {"i18n", *(module for modules in SCRIPTS.values() for module in modules)}
    assert used == {path.stem for path in assets.JS.glob("*.js")}


def test_one_object_of_the_window_is_shared():
    kept = re.compile(r"(?:window|globalThis)\.(\w+)\s*(?:=|\?\?=)[^=]")
    found = {path.stem: kept.findall(code_of(path.stem)) for path in assets.JS.glob("*.js")}
    assert {name: names for name, names in found.items() if names} == {"shared": ["tokviz"]}
