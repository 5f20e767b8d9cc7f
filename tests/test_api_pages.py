"""The API pages: every public name has an example, and the pages are made of the docstrings."""

import importlib.util

import pytest
from helpers import ROOT

import tokviz

_SPEC = importlib.util.spec_from_file_location("api", ROOT / "docs" / "api.py")
api = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(api)


@pytest.mark.parametrize("name", tokviz.__all__)
def test_every_public_name_is_explained_with_an_example(name):
    named = getattr(tokviz, name)
    if isinstance(named, dict):
        # A table has no docstring of its own; that of the package shows it.
        examples = [line for line in tokviz.__doc__.splitlines() if line.startswith(">>> ")]
        assert any(name in line for line in examples)
        return
    assert ">>> " in (named.__doc__ or "")


def test_the_pages_are_made_of_the_docstrings(tmp_path):
    api.build(tmp_path)
    made = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*.html")}
    assert made == {"index.html", *(f"{name.replace('.', '/')}.html" for name in api.MODULES)}
    page = (tmp_path / "tokviz.html").read_text("utf-8")
    for name in tokviz.__all__:
        assert f'<section id="{name}">' in page
    assert "Trains a tokenizer and returns the whole history of the training." in page
    # No folder of this machine is on a page.
    assert str(ROOT) not in page
