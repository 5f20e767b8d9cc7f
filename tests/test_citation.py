"""CITATION.cff says what the package says of itself."""

import tomllib

import yaml
from helpers import ROOT

import tokviz


def test_the_citation_is_of_this_version_of_this_package():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert cited["cff-version"] == "1.2.0"
    assert cited["title"] == project["name"]
    assert cited["version"] == tokviz.__version__
    assert cited["license"] == project["license"]
    assert cited["abstract"] == project["description"]
    assert cited["keywords"] == project["keywords"]
    holder = (ROOT / "LICENSE").read_text("utf-8").split("\n")[2].partition("2026 ")[2]
    assert cited["authors"] == [{"name": holder}]
