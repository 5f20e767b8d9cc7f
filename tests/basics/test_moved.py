"""Modules are found by the names they once had."""

import importlib
import subprocess
import sys

import pytest

from tokviz.basics.moved import MOVED


@pytest.mark.parametrize(("old", "new"), MOVED.items())
def test_both_names_give_one_module(old, new):
    module = importlib.import_module(f"tokviz.{new}")
    assert importlib.import_module(f"tokviz.{old}") is module
    assert module.__spec__.name == module.__name__ == f"tokviz.{new}"


def test_what_never_was_is_not_found():
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tokviz\.metric'"):
        importlib.import_module("tokviz.metric")


def test_a_folder_that_an_older_checkout_left_behind_hides_nothing(tmp_path):
    """Python takes any folder for a package, and leaves its __pycache__ wherever a module was."""
    left = tmp_path / "pool" / "__pycache__"
    left.mkdir(parents=True)
    script = (
        f"import tokviz; tokviz.__path__.append({str(tmp_path)!r}); import tokviz.pool as found; "
        "print(found.__name__)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stdout == "tokviz.server.pool\n"
